"""ArraMon's traces played again: where every action led, and what lay in the city and stood in the room by then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import atan2, degrees, dist

from bearleft.envs.arramon.assemble import AssembleGame
from bearleft.envs.arramon.collect import CollectGame
from bearleft.envs.arramon.state import TaskState
from bearleft.errors import InputError
from bearleft.evaluate.measures import placed_by_agent
from bearleft.metrics.assembly import PAPER, cell_distances, item_distances
from bearleft.records import (
    REFUSED,
    Assemble,
    Cell,
    Collect,
    Direction,
    Episode,
    Goal,
    Leg,
    LegTrace,
    Pose,
    Position,
    Trace,
)
from bearleft.world.arramon.grounds import OPEN, Ground, open_ground
from bearleft.world.arramon.moves import PICK, PLACE
from bearleft.world.arramon.task_setup import CityItem, RoomItem

Spot = tuple[float, float]
State = tuple[Spot, float]  # metres east and north, or column and row in the room; and the heading one looks in
CLOSE = 0.01  # metres; what a file rounds


@dataclass(frozen=True)
class Played:
    """A leg: its states at the start and after each action, and what was around as it began.

    `carried` was taken in the city, by oneself or for want of a pick, and is put onto `cell` in the room.
    """

    leg: int
    inside: bool
    states: list[State]
    lying: tuple[CityItem, ...]
    standing: tuple[RoomItem, ...]
    carried: str | None = None
    took: CityItem | None = None
    cell: Cell | None = None


def played(episode: Episode, trace: Trace) -> Iterator[Played]:
    """The legs of a trace that collect and assemble, one after another; none of an episode that has no such."""
    if not any(isinstance(leg.goal, Collect) for leg in episode.legs):
        return
    try:
        gathering = TaskState.of(episode)
    except InputError:
        return  # a task that nobody can do can still be scored
    start, ground = episode.start, _ground(episode.world)
    for k, (leg, done) in enumerate(zip(episode.legs, trace.legs, strict=False)):
        if isinstance(leg.goal, Collect):
            one = _collected(k, leg, done, start, gathering, ground)
            if one.states:
                (east, north), heading = one.states[-1]
                start = Pose(Direction(heading), position=(east, north, 0.0))
            yield one
        elif isinstance(leg.goal, Assemble):
            yield _assembled(k, leg, done, start, gathering)


def is_right(goal: Goal, done: LegTrace) -> bool:
    """Whether a leg alone was done right, as the paper counts it; what was placed also has to be the right thing."""
    if isinstance(goal, Collect):
        near = bool(done.path) and not isinstance(done.path[-1], str) and _gap(done, goal) < PAPER.within
        return done.answer == goal.item or near
    return isinstance(goal, Assemble) and done.answer == goal.cell and placed_by_agent(done)


def said_of(goal: Goal, done: LegTrace, good: bool) -> str:
    """How a leg ended, in words; `good` says whether it counts as right."""
    if isinstance(goal, Collect):
        what = "nothing picked up" if done.answer is None else f"picked up {done.answer}"
        if not done.path or any(isinstance(step, str) for step in done.path):
            return what
        # What counts is where the walk ended, so that comes first.
        return f"ended {_gap(done, goal):.1f} m from the object, {what}"
    assert isinstance(goal, Assemble)
    if not isinstance(done.answer, tuple):
        return "nothing placed"
    if not placed_by_agent(done):
        return "nothing placed: put down at the time limit"
    off = float(cell_distances(done.answer, goal.cell))
    if off:
        return f"placed {off:.0f} {'cell' if off == 1 else 'cells'} from the target"
    return "placed right" if good else "placed right, but its object was not collected"


def _gap(done: LegTrace, goal: Collect) -> float:
    return float(item_distances(done.path[-1], goal.at))


def _ground(world: str) -> Ground:
    try:
        return open_ground(world)
    except InputError:
        return OPEN  # a world of one's own: what is in the way there nobody knows


def _collected(k: int, leg: Leg, done: LegTrace, start: Pose, gathering: TaskState, ground: Ground) -> Played:
    path: list[Position] = [step for step in done.path if not isinstance(step, str)]
    lying, standing = tuple(gathering.lying), tuple(gathering.standing)
    if not path:
        return Played(k, False, [], lying, standing)
    copy = replace(gathering, lying=list(lying), standing=[])
    game = CollectGame(leg, replace(start, position=path[0]), copy, ground, _horizon(done, PICK))
    states = _replayed(game, done, PICK)
    took: CityItem | None
    if _same([state for state, _ in states], path):
        took = next(one for one in lying if copy.lying.count(one) < lying.count(one))
    else:
        states = _along([(east, north) for east, north, _ in path], start.look.heading)
        named = [one for one in lying if one.item == done.answer]
        took = gathering.nearest(path[-1], named or lying) if lying else None
    if took is not None:
        gathering.take(took)
    return Played(k, False, states, lying, standing, gathering.carried, took)


def _assembled(k: int, leg: Leg, done: LegTrace, start: Pose, gathering: TaskState) -> Played:
    cells = [step for step in done.path if not isinstance(step, str)]
    lying, standing, carried = tuple(gathering.lying), tuple(gathering.standing), gathering.carried
    answer = done.answer if isinstance(done.answer, tuple) else None
    states: list[State] = []
    if carried is not None:
        copy = replace(gathering, standing=list(standing))
        states = _replayed(AssembleGame(leg, start, copy, _horizon(done, PLACE)), done, PLACE)
    if not _same([state for state, _ in states], [(column, row, 0.0) for column, _, row in cells]):
        states = _along([(column, row) for column, _, row in cells], 0.0)
    if carried is not None and answer is not None:
        gathering.put(answer)
    gathering.carried = None
    return Played(k, True, states, lying, standing, carried, cell=answer)


def _horizon(done: LegTrace, last: str) -> int:
    """After how many actions a leg ended: by its last action, or by what was allowed."""
    return max(len(done.actions) + (done.actions[-1:] == (last,)), 1)


def _replayed(game: CollectGame | AssembleGame, done: LegTrace, last: str) -> list[State]:
    """The states of a game whose actions were these; none where it could not be."""
    states = [_state(game)]
    try:
        for action in done.actions:
            if action == REFUSED:
                game.refuse()
            else:
                game.step(action)
            if action != last:
                states.append(_state(game))
    except InputError:
        return []
    return states if game.done else []


def _state(game: CollectGame | AssembleGame) -> State:
    if isinstance(game, AssembleGame):
        return (float(game.spot[0]), float(game.spot[1])), game.heading
    return (game.position[0], game.position[1]), game.heading


def _same(states: Sequence[Spot], path: Sequence[Position]) -> bool:
    """Whether states lead along a path, in which turns are not."""
    walked = [spot for k, spot in enumerate(states) if not k or spot != states[k - 1]]
    return len(walked) == len(path) and all(dist(a, b[:2]) < CLOSE for a, b in zip(walked, path, strict=True))


def _along(path: Sequence[Spot], heading: float) -> list[State]:
    """States of a path of which nobody says how it was walked: one looks where one goes."""
    states = [(spot, heading) for spot in path[:1]]
    for one, other in pairwise(path):
        heading = degrees(atan2(other[0] - one[0], other[1] - one[1])) % 360.0 if one != other else heading
        states += [(one, heading)] if heading != states[-1][1] else []
        states.append((other, heading))
    return states
