"""Film strips: the steps of a walk that a report shows as pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bearleft.geometry import turn
from bearleft.records import Direction, Episode, Point, Pose, Reach, Trace
from bearleft.reports.arramon_replay import ReplayedLeg
from bearleft.reports.film.shots import State, walk_states
from bearleft.world.graphs.graph import Graph

TURN_DEGREES = 45.0  # degrees; a smaller turn counts as straight ahead
MAX_VIEWS = 8  # of one strip, side by side
MAX_CITY_VIEWS = 5  # of a leg that collects: many turns and a short way, so fewer and larger views
MAX_ROOM_VIEWS = 3  # of a leg that assembles: one view shows most of the room
MIN_GAP = 6  # steps between two views (about 60 metres) from which another is added halfway
START, END, ON_THE_WAY = "start", "end", "on the way"


@dataclass(frozen=True)
class Stop:
    """A pictured step of a walk: the index of its state, its place and heading, and its caption."""

    step: int
    place: str
    heading: float
    caption: str
    angle: float = 0.0  # degrees turned there


def walked_legs(episode: Episode, trace: Trace, graph: Graph) -> Iterator[tuple[int, list[State]]]:
    """Yield the walked legs with their states; each leg starts where the previous one ended."""
    pose = episode.start
    for k, (leg, leg_trace) in enumerate(zip(episode.legs, trace.legs, strict=False)):
        if isinstance(leg.goal, Reach) and leg_trace.path:
            states = walk_states(leg, leg_trace, pose, graph)
            yield k, states
            pose = Pose(Direction(states[-1][1]), states[-1][0])


def pointing_places(episode: Episode) -> list[tuple[int, str]]:
    """Return the legs that point and the place of each: its own, or the end of the previous route."""
    legs, place = [], episode.start.place
    for k, leg in enumerate(episode.legs):
        if isinstance(leg.goal, Reach):
            place = leg.goal.route[-1]
        elif isinstance(leg.goal, Point) and (leg.goal.place or place) is not None:
            legs.append((k, str(leg.goal.place or place)))
    return legs


def choose_stops(states: Sequence[State], max_views: int = MAX_VIEWS, keep_largest: bool = False) -> list[Stop]:
    """Choose where a walk starts, is about to turn and ends, and steps along its long straight stretches.

    Args:
        states: place and heading at each step.
        max_views: upper bound on the number of stops.
        keep_largest: of too many turns keep the largest; otherwise turns spread evenly.
    """
    start, end = Stop(0, *states[0], START), Stop(len(states) - 1, *states[-1], END)
    if len(states) == 1:
        return [start]
    # The start already shows the first state, and the end the last.
    turns = [stop for stop in _turns(states) if 0 < stop.step < len(states) - 1]
    max_turns = max_views - 2
    if keep_largest:
        turns = sorted(sorted(turns, key=lambda stop: -abs(stop.angle))[:max_turns], key=lambda stop: stop.step)
    elif len(turns) > max_turns:
        turns = [turns[k * len(turns) // max_turns] for k in range(max_turns)]
    strip = [start, *turns, end]
    return [*_fill_gaps(strip, states, max_views - len(strip)), end]


def choose_task_stops(leg: ReplayedLeg) -> list[Stop]:
    """Choose the stops of a leg that collects or assembles; its position serves as the place."""
    states = [(f"{xy[0]:.3f},{xy[1]:.3f}", heading) for xy, heading in leg.states]
    return choose_stops(states, MAX_ROOM_VIEWS if leg.inside else MAX_CITY_VIEWS, keep_largest=True) if states else []


def _fill_gaps(strip: Sequence[Stop], states: Sequence[State], count: int) -> Iterator[Stop]:
    """Yield all stops but the last, with up to `count` evenly spaced stops added in the widest gaps."""
    gaps = [after.step - before.step for before, after in pairwise(strip)]
    parts = [1] * len(gaps)
    for _ in range(count):
        widest = [-(-gap // pieces) for gap, pieces in zip(gaps, parts, strict=True)]
        k = max(range(len(gaps)), key=widest.__getitem__)
        if widest[k] < MIN_GAP:
            break
        parts[k] += 1
    for stop, gap, pieces in zip(strip, gaps, parts, strict=False):
        yield stop
        for piece in range(1, pieces):
            step = stop.step + piece * gap // pieces
            yield Stop(step, *states[step], ON_THE_WAY)


def _turns(states: Sequence[State]) -> Iterator[Stop]:
    """Yield the places left in another direction than they were reached, seen as they were reached."""
    first = 0
    for k in range(1, len(states) + 1):
        if k < len(states) and states[k][0] == states[first][0]:
            continue
        arrived, departed = states[first][1], states[k - 1][1]
        angle = 0.0 if arrived == departed else float(turn(arrived, departed))
        if abs(angle) > TURN_DEGREES:
            yield Stop(first, *states[first], f"before turning {'right' if angle > 0 else 'left'}", angle)
        first = k
