"""Shots of a film: position, direction, highlighted part of the text, and duration of each picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from bearleft.envs.reach import ReachGame
from bearleft.errors import InputError, format_value
from bearleft.geometry import angle_between, turn
from bearleft.records import REFUSED, Direction, Leg, LegTrace, Point, Pose, Reach
from bearleft.reports.film.text import Parts, Span, sentence_spans
from bearleft.world.graphs.graph import Graph

if TYPE_CHECKING:
    from bearleft.types import Floats


State = tuple[str, float]  # a place and a heading
OPENING_SECONDS, ENDING_SECONDS = 1.4, 2.6  # of a leg's first and last picture
READING_SPEED = 15.0  # characters per second
MIN_SENTENCE_SECONDS, MAX_SENTENCE_SECONDS = 1.0, 3.0
STEP_DEGREES = 90.0  # a turn of so many degrees takes as long as a step
STEEP_PITCH = 80.0  # degrees from which a heading says little
ONE_VIEW_DEGREES = 55.0  # up to which one view shows both answer and target
WALK_LEGEND = "blue: the route   orange: what was walked"
POINT_LEGEND = "orange: the answer   pink: the target"
SUCCESS_DEGREES = 11.0  # as in Refer360


@dataclass(frozen=True)
class Pace:
    """Frames per second, and seconds per step."""

    fps: float
    seconds: float

    def __post_init__(self) -> None:
        if not 1 <= self.fps <= 60:
            raise InputError("from 1 to 60 frames a second", format_value(self.fps), "fps")
        if not 0.05 <= self.seconds <= 10:
            raise InputError("from 0.05 to 10 seconds per step", format_value(self.seconds), "seconds-per-step")

    def shares(self, seconds: float) -> list[float]:
        """Return the share of a movement that is completed in each of its frames."""
        count = max(round(seconds * self.fps), 1)
        return [(k + 1) / count for k in range(count)]


@dataclass(frozen=True)
class Shot:
    """One picture; `walked` counts the places reached so far, `highlighted` is the span of the text being followed."""

    leg: int
    place: str
    look: Direction
    seconds: float
    highlighted: Span
    caption: str = ""
    walked: int = 1
    share: float = 1.0  # of the way from the previous place
    previous: str | None = None
    answer: Direction | None = None
    target: Direction | None = None
    outcome: str = ""
    success: bool = False

    def position(self, graph: Graph) -> Floats:
        """Return the position in metres."""
        target = graph.positions[graph.place_index(self.place)]
        if self.previous is None:
            return np.array(target, float)
        start = graph.positions[graph.place_index(self.previous)]
        return np.asarray(start + self.share * (target - start), float)


def walk_shots(
    leg_index: int, leg: Leg, leg_trace: LegTrace, start: Pose, graph: Graph, parts: Parts, pace: Pace, between: bool
) -> Iterator[Shot]:
    """Yield the shots of a walk: turns are short pans; steps move along links if `between` places can be rendered."""
    assert isinstance(leg.goal, Reach)
    states = walk_states(leg, leg_trace, start, graph)
    progress = parts.progress([place for place, _ in states])
    shot = Shot(leg_index, states[0][0], Direction(states[0][1]), OPENING_SECONDS, parts.span_at(0), "start")
    yield shot
    for k, ((place, heading), (next_place, next_heading)) in enumerate(pairwise(states)):
        angle = float(turn(heading, next_heading))
        caption = f"step {k + 1} of {len(states) - 1}"
        if next_place == place:
            side = "right" if angle > 0 else "left"
            shares = pace.shares(pace.seconds * min(max(abs(angle) / STEP_DEGREES, 0.3), 1.5)) if angle else [1.0]
            shot = replace(
                shot, highlighted=parts.span_at(progress[k]), caption=f"{caption}, {side}" if angle else caption
            )
            for share in shares:
                shot = replace(shot, look=Direction(heading + angle * ease(share)), seconds=1 / pace.fps, previous=None)
                yield shot
        else:
            steps = pace.shares(pace.seconds) if between else [1.0]
            seconds = 1 / pace.fps if between else pace.seconds
            shot = replace(
                shot,
                place=next_place,
                previous=place,
                highlighted=parts.span_after(progress[k]),
                walked=shot.walked + 1,
                caption=f"{caption}, forward",
            )
            for share in steps:
                shot = replace(shot, look=Direction(heading + angle * ease(share)), share=share, seconds=seconds)
                yield shot
    outcome, success = walk_outcome(leg.goal, leg_trace, graph)
    yield replace(
        shot,
        previous=None,
        seconds=ENDING_SECONDS,
        highlighted=parts.span_at(progress[-1]),
        caption=WALK_LEGEND,
        outcome=outcome,
        success=success,
    )


def walk_states(leg: Leg, leg_trace: LegTrace, start: Pose, graph: Graph) -> list[State]:
    """Return place and heading at the start and after each action; headings follow links if actions do not match."""
    path = [place for place in leg_trace.path if isinstance(place, str)]
    if not path:
        raise InputError("a walk of at least one place", "a trace without any", "path")
    for place in path:
        if place not in graph.index_by_id:
            raise InputError(f"a path along places of {graph.name}", format_value(place), "path")
    replayed = _replay_actions(leg, leg_trace, replace(start, place=path[0]), graph)
    if [place for place, _ in replayed] == path:
        return replayed
    states: list[State] = [(path[0], start.look.heading)]
    for previous, place in pairwise(path):
        link = graph.find_link(graph.place_index(previous), graph.place_index(place))
        heading = states[-1][1] if link is None else float(graph.heading[link])
        if link is not None and heading != states[-1][1]:
            states.append((previous, heading))
        if place != previous:
            states.append((place, heading))
    return states


def _replay_actions(leg: Leg, leg_trace: LegTrace, start: Pose, graph: Graph) -> list[State]:
    game = ReachGame(leg, start, graph, horizon=len(leg_trace.actions) + 1)
    states: list[State] = [(game.path[-1], game.heading)]
    try:
        for action in leg_trace.actions:
            if action == REFUSED:
                game.record_noop()
            else:
                game.step(action)
            if action != "stop":
                states.append((game.path[-1], game.heading))
    except InputError:
        return []
    return states


def walk_outcome(goal: Reach, leg_trace: LegTrace, graph: Graph) -> tuple[str, bool]:
    """Describe where a walk ended, and return whether it succeeded."""
    end, target = graph.place_index(str(leg_trace.path[-1])), graph.place_index(goal.route[-1])
    ending = "stopped" if not leg_trace.actions or leg_trace.actions[-1] == "stop" else "no stop:"
    if end == target:
        return f"{ending} at the goal", ending == "stopped"
    if graph.are_neighbours(end, target):
        return f"{ending} next to the goal", ending == "stopped"
    distance = float(np.hypot(*(graph.positions[end, :2] - graph.positions[target, :2])))
    return f"{ending} {distance:.0f} m from the goal", False


def look_shots(leg_index: int, leg: Leg, leg_trace: LegTrace, start: Pose, pace: Pace) -> Iterator[Shot]:
    """Yield a view that turns sentence by sentence to the answer, and then to the target."""
    assert isinstance(leg.goal, Point)
    place = start.place or leg.goal.place
    if place is None:
        raise InputError("a place to point from", "none", "place")
    goal = leg.goal.seen_from(place)
    sentences = sentence_spans(leg.text, leg.sentences)
    answer = leg_trace.answer if isinstance(leg_trace.answer, Direction) else None
    looks = list(leg_trace.looks[: len(sentences)]) or [start.look] * (len(sentences) - 1) + [answer or start.look]
    looks += [looks[-1]] * (len(sentences) - len(looks))
    shot = Shot(leg_index, place, start.look, MIN_SENTENCE_SECONDS, sentences[0], "begins")
    if abs(shot.look.pitch) > STEEP_PITCH:
        shot = replace(shot, look=Direction(looks[0].heading, shot.look.pitch))
    yield shot
    for k, (span, look) in enumerate(zip(sentences, looks, strict=True)):
        length = len(leg.text[span[0] : span[1]])
        shot = replace(shot, highlighted=span, caption=f"sentence {k + 1} of {len(sentences)}", seconds=1 / pace.fps)
        yield from _pan(shot, look, pace)
        shot = replace(
            shot, look=look, seconds=min(max(length / READING_SPEED, MIN_SENTENCE_SECONDS), MAX_SENTENCE_SECONDS)
        )
        yield shot
    if goal is None:
        outcome = "another panorama than the target's"
        yield replace(shot, answer=answer, seconds=ENDING_SECONDS, outcome=outcome, caption="the answer")
        return
    if answer is None:
        yield replace(
            shot, seconds=ENDING_SECONDS, target=goal.direction, outcome="no answer", caption="pink: the target"
        )
        return
    shot = replace(shot, answer=answer, caption="the answer", seconds=MIN_SENTENCE_SECONDS)
    yield shot
    error = angle_between(answer, goal.direction)
    shot = replace(shot, target=goal.direction, caption=POINT_LEGEND, seconds=1 / pace.fps)
    end = _middle(answer, goal.direction) if error < ONE_VIEW_DEGREES else goal.direction
    yield from _pan(shot, end, pace)
    outcome = f"{error:.1f} degrees from the target"
    yield replace(shot, look=end, seconds=ENDING_SECONDS, outcome=outcome, success=error <= SUCCESS_DEGREES)


def _pan(shot: Shot, to: Direction, pace: Pace) -> Iterator[Shot]:
    """Yield the shots of a turn without its end; nothing for a turn below one degree."""
    angle = angle_between(shot.look, to)
    if angle < 1.0:
        return
    across, up = float(turn(shot.look.heading, to.heading)), to.pitch - shot.look.pitch
    for share in pace.shares(pace.seconds * min(max(angle / STEP_DEGREES * 1.5, 0.5), 2.5))[:-1]:
        eased_share = ease(share)
        yield replace(
            shot, look=Direction(shot.look.heading + eased_share * across, shot.look.pitch + eased_share * up)
        )


def _middle(first: Direction, second: Direction) -> Direction:
    angle = float(turn(first.heading, second.heading))
    return Direction(first.heading + angle / 2, (first.pitch + second.pitch) / 2)


def ease(share: float) -> float:
    """Ease in and out."""
    return share * share * (3 - 2 * share)


def total_seconds(shots: Sequence[Shot]) -> float:
    """Return the duration of all shots."""
    return sum(shot.seconds for shot in shots)
