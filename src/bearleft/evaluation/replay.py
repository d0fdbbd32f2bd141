"""Replay of traces: whether the actions of a trace, repeated in the environment, lead along its path to its answer.

It needs no goals, so that whoever gets traces of hidden episodes can check them before they are scored: a path that
jumps, a start elsewhere, a walk beyond the horizon or a view that no turn leads to is found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bearleft.envs.game import Game
from bearleft.envs.legs import EnvOptions, episode_generators, initial_task_state, make_game
from bearleft.envs.look import TURNS, LookGame
from bearleft.envs.point import PointGame
from bearleft.envs.reach import default_horizon
from bearleft.errors import InputError, format_value
from bearleft.evaluation.play import step_game
from bearleft.geometry import angle_between
from bearleft.metrics.milestones import NEXT
from bearleft.records import Answer, Direction, Episode, LegTrace, Reach, Trace
from bearleft.types import DataFolder

TOLERANCE = 1e-4  # degrees, and metres: other programs round what they write
LOOK, POINT = "look", "point"  # actions that are a direction


@dataclass(frozen=True)
class Mismatch:
    """Where a trace cannot have come from its actions.

    Attributes:
        episode: The id of the episode.
        leg: The index of the leg; None if the trace as a whole is wrong.
        step: The index of the action, or of the place of the path, from which on it is wrong; None for the leg as a
            whole.
        message: What was expected, and what the trace says instead.
    """

    episode: str
    leg: int | None
    step: int | None
    message: str

    def __str__(self) -> str:
        leg = "" if self.leg is None else f", leg {self.leg + 1}"
        step = "" if self.step is None else f", step {self.step}"
        return f"episode {format_value(self.episode)}{leg}{step}: {self.message}"


def replay_trace(
    episode: Episode, trace: Trace, data: DataFolder = None, options: EnvOptions | None = None
) -> Mismatch | None:
    """Repeat the actions of a trace in the environment of its episode.

    Actions, path, views and answer have to be those that the environment records. A direction that an agent looks or
    points in is free; of a look leg, only the views at the end of each sentence are recorded, so that a view is wrong
    if no direction and the turns after it lead to it. A walk may have been played with a smaller horizon than that of
    `options`, not with a larger one.

    Args:
        episode: The episode; its goals may be hidden.
        trace: The trace.
        data: The folder of real datasets.
        options: The rules; by default those of the dataset.

    Returns:
        Where the trace and the environment differ first, or None if the trace is possible.
    """

    def mismatch(expected: str, got: str) -> Mismatch:
        return Mismatch(episode.id, None, None, f"expected {expected}, got {got}")

    if trace.episode != episode.id:
        return mismatch("a trace of this episode", f"one of {format_value(trace.episode)}")
    if len(trace.legs) != len(episode.legs):
        return mismatch(f"{len(episode.legs)} legs", str(len(trace.legs)))
    options = options or EnvOptions()
    horizon = options.horizon or default_horizon(episode.dataset)
    if any(isinstance(leg.goal, Reach) for leg in episode.legs) and trace.horizon is not None:
        if trace.horizon > horizon:
            return mismatch(f"a horizon of at most {horizon} actions", str(trace.horizon))
        horizon = trace.horizon
    options = replace(options, horizon=horizon)
    rng, start, state = episode_generators(_seed(trace), episode.id)[0], episode.start, initial_task_state(episode)
    for number, (leg, played) in enumerate(zip(episode.legs, trace.legs, strict=True)):
        game = make_game(leg, start, episode, rng, data, options, state)
        try:
            _repeat(game, played)
            _compare(game.trace(), played)
        except _DifferenceError as difference:
            return Mismatch(episode.id, number, difference.step, difference.message)
        start = game.end
    return None


def _seed(trace: Trace) -> int:
    """Return the seed by which the environment drew first views; any other number gives none of its views."""
    return trace.seed if 0 <= trace.seed < 2**63 else 0


class _DifferenceError(Exception):
    """A difference between a trace and the environment."""

    def __init__(self, step: int | None, expected: str, got: str) -> None:
        super().__init__()
        self.step, self.message = step, f"expected {expected}, got {got}"


def _repeat(game: Game, played: LegTrace) -> None:
    """Take the actions of a leg."""
    looks = _looks(game, played) if isinstance(game, LookGame) else {}
    for step, action in enumerate(played.actions):
        if game.done:
            raise _DifferenceError(step, "no action after the end of the leg", format_value(action))
        try:
            if action == POINT and isinstance(game, PointGame):
                game.step(_direction(played.answer, step))
            elif action == LOOK and isinstance(game, LookGame):
                game.step(looks.get(step, game.look))
            else:
                step_game(game, action)
        except InputError as error:
            raise _DifferenceError(step, error.expected, error.got) from None
    if not game.done:
        raise _DifferenceError(len(played.actions), "an action that ends the leg, or all up to the horizon", "none")


def _direction(answer: Answer, step: int) -> Direction:
    if not isinstance(answer, Direction):
        raise _DifferenceError(step, "an answer that is a direction", format_value(answer))
    return answer


def _looks(game: LookGame, played: LegTrace) -> dict[int, Direction]:
    """Return the direction of the last look of each sentence, by step: the one from which turns lead to the view."""
    directions: dict[int, Direction] = {}
    look, sentence = None, 0
    for step, action in enumerate([*played.actions, NEXT]):
        if action == LOOK:
            look = step
        elif action == NEXT:
            view = played.looks[sentence] if sentence < len(played.looks) else played.answer
            if look is not None and isinstance(view, Direction):
                directions[look] = _before_turns(view, played.actions[look + 1 : step], game.turn_degrees)
            look, sentence = None, sentence + 1
    return directions


def _before_turns(view: Direction, actions: Sequence[str], degrees: float) -> Direction:
    """Return a direction from which turns lead to a view, if there is one.

    A turn moves the pitch and clips it, and so do several turns; where the clipped pitch is that of the view, the
    direction farthest that way is as good as any.
    """
    across = sum(TURNS[action][0] for action in actions if action in TURNS)
    up = sum(TURNS[action][1] for action in actions if action in TURNS)
    return Direction(view.heading - across * degrees, min(max(view.pitch - up * degrees, -90.0), 90.0))


def _compare(expected: LegTrace, played: LegTrace) -> None:
    """Raise _DifferenceError where a trace differs from that of the environment."""
    for step, (action, other) in enumerate(zip(expected.actions, played.actions, strict=True)):
        if action != other:  # in interactive play the environment refuses
            raise _DifferenceError(step, format_value(action), format_value(other))
    for step, (place, other_place) in enumerate(zip(expected.path, played.path, strict=False)):
        if not _is_same_place(place, other_place):
            raise _DifferenceError(step, f"{format_value(place)} in the path", format_value(other_place))
    if len(expected.path) != len(played.path):
        step = min(len(expected.path), len(played.path))
        raise _DifferenceError(step, f"a path of {len(expected.path)}", str(len(played.path)))
    if len(expected.looks) != len(played.looks):
        raise _DifferenceError(None, f"{len(expected.looks)} looks", str(len(played.looks)))
    for view, other_view in zip(expected.looks, played.looks, strict=True):
        if not _is_same_answer(view, other_view):
            raise _DifferenceError(None, f"a view of {_format(view)}", _format(other_view))
    if not _is_same_answer(expected.answer, played.answer):
        raise _DifferenceError(None, f"the answer {_format(expected.answer)}", _format(played.answer))


def _is_same_place(place: object, other: object) -> bool:
    if isinstance(place, tuple) and isinstance(other, tuple):
        return len(place) == len(other) and all(abs(a - b) <= TOLERANCE for a, b in zip(place, other, strict=True))
    return place == other


def _is_same_answer(answer: Answer, other: Answer) -> bool:
    if isinstance(answer, Direction) and isinstance(other, Direction) and answer != other:
        return angle_between(answer, other) <= TOLERANCE
    return answer == other


def _format(answer: Answer) -> str:
    return f"[{answer.heading:.4f}, {answer.pitch:.4f}]" if isinstance(answer, Direction) else format_value(answer)
