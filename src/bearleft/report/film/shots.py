"""What a film shows, shot by shot: where one stands, where one looks, what of the text is followed, for how long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from bearleft.envs.reach import ReachGame
from bearleft.errors import InputError, shown
from bearleft.geometry import Floats, angle_between, turn
from bearleft.records import Direction, Leg, LegTrace, Point, Pose, Reach
from bearleft.report.film.text import Parts, Span, sentence_spans
from bearleft.world.graphs.graph import Graph

State = tuple[str, float]  # a place and the heading one looks in
OPENING, ENDING = 1.4, 2.6  # seconds that a leg's first and last picture stay
READING = 15.0  # letters a second
SHORTEST, LONGEST = 1.0, 3.0  # seconds for a sentence
QUARTER = 90.0  # degrees: a turn of so many takes as long as a step
STEEP = 80.0  # degrees of pitch from which a heading says little
APART = 55.0  # degrees within which one view shows both answer and target
WALK_LEGEND = "blue: the route   orange: what was walked"
POINT_LEGEND = "orange: the answer   pink: the target"
SUCCESS = 11.0  # degrees, Refer360's


@dataclass(frozen=True)
class Pace:
    """Pictures a second, and seconds for one step."""

    fps: float
    seconds: float

    def __post_init__(self) -> None:
        if not 1 <= self.fps <= 60:
            raise InputError("from 1 to 60 frames a second", shown(self.fps), "fps")
        if not 0.05 <= self.seconds <= 10:
            raise InputError("from 0.05 to 10 seconds per step", shown(self.seconds), "seconds-per-step")

    def shares(self, seconds: float) -> list[float]:
        """How much of a movement is done in each of its pictures."""
        count = max(round(seconds * self.fps), 1)
        return [(k + 1) / count for k in range(count)]


@dataclass(frozen=True)
class Shot:
    """One picture. `walked` counts the places that the leg led to so far, `lit` is the part of the text followed."""

    leg: int
    place: str
    look: Direction
    seconds: float
    lit: Span
    said: str = ""
    walked: int = 1
    share: float = 1.0  # of the way from the place before
    before: str | None = None
    answer: Direction | None = None
    target: Direction | None = None
    verdict: str = ""
    good: bool = False

    def position(self, graph: Graph) -> Floats:
        """Where one stands, in metres."""
        there = graph.positions[graph.number(self.place)]
        if self.before is None:
            return np.array(there, float)
        here = graph.positions[graph.number(self.before)]
        return np.asarray(here + self.share * (there - here), float)


def walk_shots(
    number: int, leg: Leg, done: LegTrace, start: Pose, graph: Graph, parts: Parts, pace: Pace, between: bool
) -> Iterator[Shot]:
    """A walk: turns are short pans, steps lead along the link where pictures `between` places can be taken."""
    assert isinstance(leg.goal, Reach)
    states = states_of(leg, done, start, graph)
    along = parts.progress([place for place, _ in states])
    now = Shot(number, states[0][0], Direction(states[0][1]), OPENING, parts.standing(0), "start")
    yield now
    for k, ((place, heading), (after, then)) in enumerate(pairwise(states)):
        by = float(turn(heading, then))
        said = f"step {k + 1} of {len(states) - 1}"
        if after == place:
            side = "right" if by > 0 else "left"
            shares = pace.shares(pace.seconds * min(max(abs(by) / QUARTER, 0.3), 1.5)) if by else [1.0]
            now = replace(now, lit=parts.standing(along[k]), said=f"{said}, {side}" if by else said)
            for share in shares:
                now = replace(now, look=Direction(heading + by * eased(share)), seconds=1 / pace.fps, before=None)
                yield now
        else:
            steps = pace.shares(pace.seconds) if between else [1.0]
            lasts = 1 / pace.fps if between else pace.seconds
            now = replace(
                now,
                place=after,
                before=place,
                lit=parts.going(along[k]),
                walked=now.walked + 1,
                said=f"{said}, forward",
            )
            for share in steps:
                now = replace(now, look=Direction(heading + by * eased(share)), share=share, seconds=lasts)
                yield now
    verdict, good = walk_verdict(leg.goal, done, graph)
    yield replace(
        now, before=None, seconds=ENDING, lit=parts.standing(along[-1]), said=WALK_LEGEND, verdict=verdict, good=good
    )


def states_of(leg: Leg, done: LegTrace, start: Pose, graph: Graph) -> list[State]:
    """Place and heading at the start and after each action; headings are those of links where actions do not say."""
    path = [place for place in done.path if isinstance(place, str)]
    if not path:
        raise InputError("a walk of at least one place", "a trace without any", "path")
    for place in path:
        if place not in graph.index:
            raise InputError(f"a path along places of {graph.name}", shown(place), "path")
    played = _replayed(leg, done, replace(start, place=path[0]), graph)
    if [place for place, _ in played] == path:
        return played
    states: list[State] = [(path[0], start.look.heading)]
    for before, place in pairwise(path):
        link = graph.link(graph.number(before), graph.number(place))
        heading = states[-1][1] if link is None else float(graph.heading[link])
        if link is not None and heading != states[-1][1]:
            states.append((before, heading))
        if place != before:
            states.append((place, heading))
    return states


def _replayed(leg: Leg, done: LegTrace, start: Pose, graph: Graph) -> list[State]:
    game = ReachGame(leg, start, graph, horizon=len(done.actions) + 1)
    states: list[State] = [(game.path[-1], game.heading)]
    try:
        for action in done.actions:
            game.step(action)
            if action != "stop":
                states.append((game.path[-1], game.heading))
    except InputError:
        return []
    return states


def walk_verdict(goal: Reach, done: LegTrace, graph: Graph) -> tuple[str, bool]:
    """Where a walk ended, in words, and whether it is there."""
    one, other = graph.number(str(done.path[-1])), graph.number(goal.route[-1])
    how = "stopped" if not done.actions or done.actions[-1] == "stop" else "no stop:"
    if one == other:
        return f"{how} at the goal", how == "stopped"
    if graph.are_neighbours(one, other):
        return f"{how} next to the goal", how == "stopped"
    away = float(np.hypot(*(graph.positions[one, :2] - graph.positions[other, :2])))
    return f"{how} {away:.0f} m from the goal", False


def look_shots(number: int, leg: Leg, done: LegTrace, start: Pose, pace: Pace) -> Iterator[Shot]:
    """A view that turns sentence by sentence to the answer, and then to the target."""
    assert isinstance(leg.goal, Point)
    place = start.place or leg.goal.place
    if place is None:
        raise InputError("a place to point from", "none", "place")
    goal = leg.goal.seen_from(place)
    cut = sentence_spans(leg.text, leg.sentences)
    answer = done.answer if isinstance(done.answer, Direction) else None
    looks = list(done.looks[: len(cut)]) or [start.look] * (len(cut) - 1) + [answer or start.look]
    looks += [looks[-1]] * (len(cut) - len(looks))
    now = Shot(number, place, start.look, SHORTEST, cut[0], "begins")
    if abs(now.look.pitch) > STEEP:
        now = replace(now, look=Direction(looks[0].heading, now.look.pitch))
    yield now
    for k, (span, look) in enumerate(zip(cut, looks, strict=True)):
        letters = len(leg.text[span[0] : span[1]])
        now = replace(now, lit=span, said=f"sentence {k + 1} of {len(cut)}", seconds=1 / pace.fps)
        yield from _pan(now, look, pace)
        now = replace(now, look=look, seconds=min(max(letters / READING, SHORTEST), LONGEST))
        yield now
    if goal is None:
        verdict = "another panorama than the target's"
        yield replace(now, answer=answer, seconds=ENDING, verdict=verdict, said="the answer")
        return
    if answer is None:
        yield replace(now, seconds=ENDING, target=goal.direction, verdict="no answer", said="pink: the target")
        return
    now = replace(now, answer=answer, said="the answer", seconds=SHORTEST)
    yield now
    off = angle_between(answer, goal.direction)
    now = replace(now, target=goal.direction, said=POINT_LEGEND, seconds=1 / pace.fps)
    end = _middle(answer, goal.direction) if off < APART else goal.direction
    yield from _pan(now, end, pace)
    verdict = f"{off:.1f} degrees from the target"
    yield replace(now, look=end, seconds=ENDING, verdict=verdict, good=off <= SUCCESS)


def _pan(now: Shot, to: Direction, pace: Pace) -> Iterator[Shot]:
    """A turn, without its end; a small one is none."""
    far = angle_between(now.look, to)
    if far < 1.0:
        return
    across, up = float(turn(now.look.heading, to.heading)), to.pitch - now.look.pitch
    for share in pace.shares(pace.seconds * min(max(far / QUARTER * 1.5, 0.5), 2.5))[:-1]:
        much = eased(share)
        yield replace(now, look=Direction(now.look.heading + much * across, now.look.pitch + much * up))


def _middle(one: Direction, other: Direction) -> Direction:
    by = float(turn(one.heading, other.heading))
    return Direction(one.heading + by / 2, (one.pitch + other.pitch) / 2)


def eased(share: float) -> float:
    """Slow, fast, slow."""
    return share * share * (3 - 2 * share)


def total(shots: Sequence[Shot]) -> float:
    """Seconds of all."""
    return sum(one.seconds for one in shots)
