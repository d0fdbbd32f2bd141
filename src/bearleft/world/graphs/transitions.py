"""Transition table of a graph: `next_state[state, action]`, so that a step of many walkers is one look-up.

A state is a link that the walker faces along. FORWARD moves to the link's target and turns to the link there that is
nearest in heading; LEFT and RIGHT turn to the nearest link counter-clockwise and clockwise; STOP stays. A walk may also
start with a heading that lies on no link (all of Touchdown's do): such a start is a state of its own, in which FORWARD
only turns to the nearest link.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.runtime.compiled import jit
from bearleft.world.graphs.graph import Graph, Ints

if TYPE_CHECKING:
    from bearleft.types import Floats

FORWARD, LEFT, RIGHT, STOP = range(4)
ACTIONS = ("forward", "left", "right", "stop")


@jit
def step_all(next_state: Any, states: Any, actions: Any, out: Any) -> None:
    """Set `out[k]` to `next_state[states[k], actions[k]]` for every walker k."""
    for k in range(len(states)):
        out[k] = next_state[states[k], actions[k]]


@dataclass(frozen=True, eq=False)
class Transitions:
    """A transition table: states 0 to links - 1 are the graph's links, the rest lie on no link (starts, dead ends)."""

    next_state: Ints  # [state, action] -> state
    place: Ints  # of each state
    heading: Floats  # of each state
    start_states: Ints  # the state of each requested start

    def step(self, states: Ints, actions: npt.NDArray[np.integer], out: Ints | None = None) -> Ints:
        """Return the state of each walker after its action; `out` may be `states` itself."""
        if out is None:
            out = np.empty_like(states)
        step_all(self.next_state, states, actions, out)
        return out


def transitions(
    graph: Graph, starts: Sequence[tuple[int, float]] = (), border: bool = False, auto_turn: bool = True
) -> Transitions:
    """Return the transition table of a graph.

    Args:
        graph: The graph.
        starts: Place and heading of each start, which gets a state of its own if no link has this heading.
        border: Whether walkers may neither step onto nor turn at a place with fewer than two links, as in the released
            Touchdown navigator.
        auto_turn: Whether a walker who enters a junction, a place with more than two links, turns to the nearest link
            as in Touchdown. Otherwise the heading stays; FORWARD then walks along the nearest link.

    Raises:
        InputError: The graph has no links, or a start lies outside it.
    """
    if not len(graph.source):
        raise InputError("a graph with links to walk along", "none")
    for place, _ in starts:
        if not 0 <= place < len(graph):
            raise InputError(f"a start at a place from 0 to {len(graph) - 1}", str(place))
    links = len(graph.source)
    state_of_start: dict[tuple[int, float], int] = {}
    extra_states: list[tuple[int, float]] = []
    for place, heading in starts:
        key = (place, heading % 360.0)
        if key not in state_of_start:
            on_link = np.flatnonzero(graph.heading[graph.links(place)] == key[1])
            state_of_start[key] = (
                int(graph.link_offsets[place] + on_link[0]) if len(on_link) else links + len(extra_states)
            )
            if not len(on_link):
                extra_states.append(key)
    # A place that no link leaves is an absorbing state; the walker keeps the heading in which it arrived.
    dead_ends = np.flatnonzero(graph.degree[graph.target] == 0)
    dead_end_states = links + len(extra_states) + np.arange(len(dead_ends), dtype=np.int32)
    extra_states += [(int(graph.target[link]), float(graph.heading[link])) for link in dead_ends]
    extra_places = np.array([place for place, _ in extra_states], np.int32)
    places = np.concatenate([graph.source, extra_places]).astype(np.int32)
    headings = np.concatenate([graph.heading, np.array([heading for _, heading in extra_states], float)])
    ahead = np.concatenate([graph.target, extra_places]).astype(np.int32)
    stay = np.arange(links + len(extra_states), dtype=np.int32)
    table = np.stack(
        [
            _nearest_link(graph, ahead, headings, stay, _angle_between, turning=False),
            _nearest_link(graph, places, headings, stay, _left_turn, turning=True),
            _nearest_link(graph, places, headings, stay, _right_turn, turning=True),
            stay,
        ],
        axis=1,
    )
    table[dead_ends, FORWARD] = dead_end_states
    if border:
        few_links = graph.degree[places[table]] < 2
        table = np.where(few_links, stay[:, None], table)
    if not auto_turn:
        table, places, headings = _keep_headings(graph, table, places, headings)
    next_state = np.ascontiguousarray(table, np.int32)
    start_states = np.array([state_of_start[place, heading % 360.0] for place, heading in starts], np.int32)
    return Transitions(next_state, places, headings, start_states)


def _keep_headings(graph: Graph, table: Ints, places: Ints, headings: Floats) -> tuple[Ints, Ints, Floats]:
    """Return table, places and headings with a state for each arrival at a junction, in which the heading stays."""
    into = np.flatnonzero(graph.degree[graph.target] > 2)
    arrivals = len(table) + np.arange(len(into), dtype=np.int32)
    at, heading = graph.target[into], graph.heading[into]
    forward = _nearest_link(graph, at, heading, arrivals, _angle_between, turning=False)
    left, right = (
        _nearest_link(graph, at, heading, arrivals, cost, turning=True) for cost in (_left_turn, _right_turn)
    )
    moved = table[into, FORWARD] != into  # a border may keep the walker where it is
    table = table.copy()
    table[into[moved], FORWARD] = arrivals[moved]
    rows = np.stack([table[forward, FORWARD], left, right, arrivals], axis=1).astype(np.int32)
    return np.concatenate([table, rows]), np.concatenate([places, at]), np.concatenate([headings, heading])


@lru_cache(maxsize=4096)
def turns_off_link(graph: Graph, place: int, heading: float) -> tuple[int, int, int]:
    """Return the links to which FORWARD, LEFT and RIGHT turn from a heading on no link of `place`; -1 for none.

    Results are cached, since many walks start alike.
    """
    places, headings = np.array([place], np.int32), np.array([heading % 360.0])
    stay = np.array([-1], np.int32)
    forward, left, right = (
        int(_nearest_link(graph, places, headings, stay, cost, turning)[0])
        for cost, turning in ((_angle_between, False), (_left_turn, True), (_right_turn, True))
    )
    return forward, left, right


def _angle_between(clockwise: Floats) -> Floats:
    return 180.0 - np.abs(clockwise - 180.0)


def _left_turn(clockwise: Floats) -> Floats:
    return -clockwise % 360.0


def _right_turn(clockwise: Floats) -> Floats:
    return clockwise


def _nearest_link(
    graph: Graph, at: Ints, heading: Floats, stay: Ints, cost: Callable[[Floats], Floats], turning: bool
) -> Ints:
    """Return, for each state, the link leaving `at` whose clockwise turn costs least; the first one breaks ties."""
    degree = max(int(graph.degree.max()), 1)
    best = np.full(len(at), np.inf)
    nearest = stay.copy()
    for k in range(degree):
        exists = k < graph.degree[at]
        link = np.where(exists, graph.link_offsets[at] + k, 0)
        clockwise = (graph.heading[link] - heading) % 360.0
        # A turn does not end where it began.
        allowed = exists & (clockwise != 0.0) if turning else exists
        costs = np.where(allowed, cost(clockwise), np.inf)
        better = costs < best
        best, nearest = np.where(better, costs, best), np.where(better, link, nearest)
    return nearest.astype(np.int32)
