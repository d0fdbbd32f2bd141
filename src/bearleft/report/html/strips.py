"""Film strips: which of a walk's steps are pictured, and what each shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bearleft.geometry import turn
from bearleft.records import Direction, Episode, Point, Pose, Reach, Trace
from bearleft.report.arramon_replay import Played
from bearleft.report.film.shots import State, states_of
from bearleft.world.graphs.graph import Graph

TURN = 45.0  # degrees; a smaller one is going straight, as in the pictures of examples
LONGEST = 8  # views of one strip: as many as fit side by side and are still told apart
IN_CITY = 5  # views of one who collects, who turns often and does not go far: rather fewer that are larger
IN_ROOM = 3  # views of one who assembles: the room is seen at once
FAR = 6  # steps between two views, about 60 metres, from which there is one more halfway
START, END, ALONG = "start", "end", "on the way"


@dataclass(frozen=True)
class Stop:
    """A step of a walk worth seeing: the index of its state, where that is, and why."""

    step: int
    place: str
    heading: float
    caption: str
    by: float = 0.0  # degrees that one turns there


def walks(episode: Episode, trace: Trace, graph: Graph) -> Iterator[tuple[int, list[State]]]:
    """The legs that were walked with their states; a leg begins where the one before ended."""
    pose = episode.start
    for k, (leg, done) in enumerate(zip(episode.legs, trace.legs, strict=False)):
        if isinstance(leg.goal, Reach) and done.path:
            states = states_of(leg, done, pose, graph)
            yield k, states
            pose = Pose(Direction(states[-1][1]), states[-1][0])


def looked_from(episode: Episode) -> list[tuple[int, str]]:
    """The legs that point, and the place each points from: its own, or where the leg before should have led."""
    found, place = [], episode.start.place
    for k, leg in enumerate(episode.legs):
        if isinstance(leg.goal, Reach):
            place = leg.goal.route[-1]
        elif isinstance(leg.goal, Point) and (leg.goal.place or place) is not None:
            found.append((k, str(leg.goal.place or place)))
    return found


def stops(states: Sequence[State], longest: int = LONGEST, largest: bool = False) -> list[Stop]:
    """Where a walk begins, is about to turn, and ends, and on the way where it goes straight on for long.

    Of very many turns some are taken, spread evenly or the `largest`, and the longest ways are filled first, as long
    as there is room.
    """
    start, end = Stop(0, *states[0], START), Stop(len(states) - 1, *states[-1], END)
    if len(states) == 1:
        return [start]
    # What follows the last turn is the end, and the first is seen from the start.
    turns = [stop for stop in _turns(states) if 0 < stop.step < len(states) - 1]
    room = longest - 2
    if largest:
        turns = sorted(sorted(turns, key=lambda stop: -abs(stop.by))[:room], key=lambda stop: stop.step)
    elif len(turns) > room:
        turns = [turns[k * len(turns) // room] for k in range(room)]
    strip = [start, *turns, end]
    return [*_filled(strip, states, longest - len(strip)), end]


def task_stops(leg: Played) -> list[Stop]:
    """The same of a leg that collects or assembles; a spot is its place."""
    states = [(f"{spot[0]:.3f},{spot[1]:.3f}", heading) for spot, heading in leg.states]
    return stops(states, IN_ROOM if leg.inside else IN_CITY, largest=True) if states else []


def _filled(strip: Sequence[Stop], states: Sequence[State], room: int) -> Iterator[Stop]:
    """All but the last, each with the views that come after it on the way, evenly apart."""
    gaps = [after.step - before.step for before, after in pairwise(strip)]
    parts = [1] * len(gaps)
    for _ in range(room):
        widest = [-(-gap // pieces) for gap, pieces in zip(gaps, parts, strict=True)]
        k = max(range(len(gaps)), key=widest.__getitem__)
        if widest[k] < FAR:
            break
        parts[k] += 1
    for stop, gap, pieces in zip(strip, gaps, parts, strict=False):
        yield stop
        for piece in range(1, pieces):
            step = stop.step + piece * gap // pieces
            yield Stop(step, *states[step], ALONG)


def _turns(states: Sequence[State]) -> Iterator[Stop]:
    """Places that are left in another direction than they were come to, seen as one came."""
    first = 0
    for k in range(1, len(states) + 1):
        if k < len(states) and states[k][0] == states[first][0]:
            continue
        got, left = states[first][1], states[k - 1][1]
        by = 0.0 if got == left else float(turn(got, left))
        if abs(by) > TURN:
            yield Stop(first, *states[first], f"before turning {'right' if by > 0 else 'left'}", by)
        first = k
