"""Walking as a table: `following[state, action]` is the state one is in afterwards; a step of many is one look-up.

A state is a link one looks along. FORWARD goes to the link's end and turns to the link there nearest in heading; LEFT
and RIGHT turn to the nearest link counter-clockwise and clockwise; STOP stays. A walk may also begin with a heading
that lies on no link (all of Touchdown's do): such a start is a state of its own, where FORWARD only turns to the
nearest link.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.geometry import Floats
from bearleft.runtime.compiled import jit
from bearleft.world.graphs.graph import Graph, Ints

FORWARD, LEFT, RIGHT, STOP = range(4)
ACTIONS = ("forward", "left", "right", "stop")


@jit
def step_all(following: Any, states: Any, actions: Any, out: Any) -> None:
    """out[k] = following[states[k], actions[k]]"""
    for k in range(len(states)):
        out[k] = following[states[k], actions[k]]


@dataclass(frozen=True, eq=False)
class Transitions:
    """The table: states 0 to links - 1 are the graph's links, the rest look along none (a start, a dead end)."""

    following: Ints  # [state, action] -> state
    place: Ints
    heading: Floats
    starts: Ints  # the state of each start that was asked for

    def step(self, states: Ints, actions: npt.NDArray[np.integer], out: Ints | None = None) -> Ints:
        """Where each walker is after its action; `out` may be `states` itself."""
        if out is None:
            out = np.empty_like(states)
        step_all(self.following, states, actions, out)
        return out


def transitions(graph: Graph, starts: Sequence[tuple[int, float]] = (), border: bool = False) -> Transitions:
    """The table of a graph, with a state for every start (place, heading).

    With `border` one does not step onto (or turn at) a place with fewer than two neighbours, as the released Touchdown
    navigator has it.
    """
    if not len(graph.source):
        raise InputError("a graph with links to walk along", "none")
    for place, _ in starts:
        if not 0 <= place < len(graph):
            raise InputError(f"a start at a place from 0 to {len(graph) - 1}", str(place))
    links = len(graph.source)
    begins: dict[tuple[int, float], int] = {}
    loose: list[tuple[int, float]] = []
    for place, heading in starts:
        key = (place, heading % 360.0)
        if key not in begins:
            on_link = np.flatnonzero(graph.heading[graph.links(place)] == key[1])
            begins[key] = int(graph.first[place] + on_link[0]) if len(on_link) else links + len(loose)
            if not len(on_link):
                loose.append(key)
    # Where no link leaves, one ends up looking the way one came, and stays.
    sinks = np.flatnonzero(graph.degree[graph.target] == 0)
    into_sinks = links + len(loose) + np.arange(len(sinks), dtype=np.int32)
    loose += [(int(graph.target[link]), float(graph.heading[link])) for link in sinks]
    loose_place = np.array([place for place, _ in loose], np.int32)
    place_of = np.concatenate([graph.source, loose_place]).astype(np.int32)
    heading_of = np.concatenate([graph.heading, np.array([heading for _, heading in loose], float)])
    ahead = np.concatenate([graph.target, loose_place]).astype(np.int32)
    stay = np.arange(links + len(loose), dtype=np.int32)
    table = np.stack(
        [
            _nearest_link(graph, ahead, heading_of, stay, _angle_between, turning=False),
            _nearest_link(graph, place_of, heading_of, stay, _left_turn, turning=True),
            _nearest_link(graph, place_of, heading_of, stay, _right_turn, turning=True),
            stay,
        ],
        axis=1,
    )
    table[sinks, FORWARD] = into_sinks
    if border:
        narrow = graph.degree[place_of[table]] < 2
        table = np.where(narrow, stay[:, None], table)
    following = np.ascontiguousarray(table, np.int32)
    chosen = np.array([begins[place, heading % 360.0] for place, heading in starts], np.int32)
    return Transitions(following, place_of, heading_of, chosen)


@lru_cache(maxsize=4096)
def turns_off_link(graph: Graph, place: int, heading: float) -> tuple[int, int, int]:
    """Where FORWARD, LEFT and RIGHT lead from a heading that lies on no link of `place`; -1 is staying.

    Kept, since many walks begin alike.
    """
    at, towards = np.array([place], np.int32), np.array([heading % 360.0])
    stay = np.array([-1], np.int32)
    forward, left, right = (
        int(_nearest_link(graph, at, towards, stay, cost, turning)[0])
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
    """For each state the link that leaves `at` with the least cost of its clockwise turn; the first of equals."""
    degree = max(int(graph.degree.max()), 1)
    best = np.full(len(at), np.inf)
    found = stay.copy()
    for k in range(degree):
        there = k < graph.degree[at]
        link = np.where(there, graph.first[at] + k, 0)
        clockwise = (graph.heading[link] - heading) % 360.0
        # A turn does not end where it began.
        allowed = there & (clockwise != 0.0) if turning else there
        price = np.where(allowed, cost(clockwise), np.inf)
        better = price < best
        best, found = np.where(better, price, best), np.where(better, link, found)
    return found.astype(np.int32)
