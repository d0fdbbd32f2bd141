"""Walks through a street graph beside their routes, with what the named conventions ask of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from bearleft.errors import InputError
from bearleft.metrics.paths import Array, Ragged
from bearleft.runtime.compiled import jit
from bearleft.world.graphs.graph import Graph
from bearleft.world.graphs.shortest_paths import shortest_route
from bearleft.world.graphs.transitions import FORWARD, LEFT, RIGHT, Transitions, transitions


@dataclass(frozen=True)
class Walks:
    """Many walks, by the numbers of places. A turn repeats the place: `paths` and `driven` have one for every state.

    `driven` is the route as a careful driver takes it from the start heading. `heading` is where each walk looks in the
    end, `stopped` whether it ended by stopping. `beside` are the panoramas before and after the goal in which its bear
    can be seen too (Touchdown's `pre_pano` and `post_pano` where their centre exists).
    """

    graph: Graph
    paths: Ragged
    routes: Ragged
    driven: Ragged
    heading: Array
    stopped: Array
    beside: tuple[frozenset[int], ...]

    def __len__(self) -> int:
        return len(self.paths)

    def part(self, which: Array) -> Walks:
        """Some of the walks."""
        return Walks(
            self.graph,
            self.paths.take(which),
            self.routes.take(which),
            self.driven.take(which),
            self.heading[which],
            self.stopped[which],
            tuple(self.beside[int(k)] for k in which),
        )


def make_walks(
    graph: Graph,
    paths: Sequence[Sequence[str]],
    routes: Sequence[Sequence[str]],
    start_headings: Sequence[float],
    end_headings: Sequence[float] | None = None,
    stopped: Sequence[bool] | None = None,
    beside: Sequence[Sequence[str]] | None = None,
) -> Walks:
    """Walks from place ids; a path may repeat a place for every turn on it.

    Without `end_headings` a walk looks along its last move in the end (or as it started); without `stopped` it stopped.
    """
    count = len(paths)
    for name, given in (("routes", routes), ("start_headings", start_headings)):
        if len(given) != count:
            raise InputError(f"{count} {name}, one for each walk", str(len(given)), name)
    for k, route in enumerate(routes):
        try:
            graph.check_route(route)
        except InputError as error:
            raise error.at(field=f"routes[{k}]") from None
    walked, asked = _numbers(graph, paths, "paths"), _numbers(graph, routes, "routes")
    starts = [(int(route[0]), float(heading)) for route, heading in zip(asked, start_headings, strict=True)]
    table = transitions(graph, starts)
    driven = [_drive(graph, table, route, int(table.start_states[k])) for k, route in enumerate(asked)]
    ends = [_last_heading(graph, path, heading) for path, heading in zip(walked, start_headings, strict=True)]
    return Walks(
        graph,
        walked,
        asked,
        _ragged(driven),
        np.array(ends if end_headings is None else end_headings, np.float64),
        np.ones(count, np.bool_) if stopped is None else np.array(stopped, np.bool_),
        tuple(frozenset(map(graph.place_index, places)) for places in (beside or [()] * count)),
    )


def wander(graph: Graph, rng: np.random.Generator, count: int, slip: float = 0.06, horizon: int = 120) -> Walks:
    """Made-up walks to try measures on: along shortest routes, now and then a wrong action, stopping near the goal."""
    table = transitions(graph)
    walks: list[tuple[list[str], list[str], float, float, bool]] = []
    while len(walks) < count:
        state, goal = int(rng.integers(len(graph.source))), int(rng.integers(len(graph)))
        left = graph.hops(goal)
        if not 5 <= left[table.place[state]] <= 40:
            continue
        near, begin, stopped = int(rng.integers(0, 3)), state, False
        places = [int(table.place[state])]
        for _ in range(horizon):
            here = int(table.place[state])
            if left[here] <= near:
                stopped = True
                break
            links = graph.links(here)
            best = int(links[np.argmin(left[graph.target[links]])])
            action = int(rng.integers(3)) if rng.random() < slip else FORWARD if state == best else RIGHT
            state = int(table.next_state[state, action])
            places.append(int(table.place[state]))
        path, route = [graph.ids[k] for k in places], shortest_route(graph, places[0], goal)
        walks.append((path, route, float(table.heading[begin]), float(table.heading[state]), stopped))
    paths, routes, starts, ends, stops = zip(*walks, strict=True)
    seen = rng.random(count) < 0.5
    beside = [route[-2:-1] if shown else [] for route, shown in zip(routes, seen, strict=True)]
    return make_walks(graph, paths, routes, starts, ends, stops, beside)


def _numbers(graph: Graph, paths: Sequence[Sequence[str]], field: str) -> Ragged:
    out: list[list[int]] = []
    for k, path in enumerate(paths):
        if not len(path):
            raise InputError("a path of at least one place", "an empty path", f"{field}[{k}]")
        try:
            out.append([graph.place_index(place) for place in path])
        except InputError as error:
            raise error.at(field=f"{field}[{k}]") from None
    return _ragged(out)


def _ragged(lists: list[list[int]]) -> Ragged:
    lengths = np.cumsum([0, *map(len, lists)])
    return Ragged(np.array([place for one in lists for place in one], np.int32), lengths)


def _last_heading(graph: Graph, path: Array, heading: float) -> float:
    for one, other in zip(path[-2::-1], path[:0:-1], strict=True):
        link = graph.find_link(int(one), int(other)) if one != other else None
        if link is not None:
            return float(graph.heading[link])
    return float(heading)


def _drive(graph: Graph, table: Transitions, route: Array, state: int) -> list[int]:
    """The places of the shortest way to drive a route: turn as little as possible, then forward."""
    places = [int(route[0])]
    for here, there in pairwise(route):
        turns, waiting, seen = 0, {state}, {state}
        links = graph.links(int(here))
        ahead = set(map(int, links[graph.target[links] == there]))
        # No turn leads to the second of two links with the same heading.
        while waiting and not waiting & ahead:
            waiting = {int(table.next_state[s, turn]) for s in waiting for turn in (LEFT, RIGHT)} - seen
            seen |= waiting
            turns += 1
        state = int(table.next_state[min(waiting & ahead or ahead), FORWARD])
        places += [int(here)] * turns + [int(there)]
    return places


@jit
def _actions(following: Any, place: Any, start: int, goal: int, steps: Any, queue: Any) -> int:
    """How many actions lead from a state to the goal, turns counted; -1 where none do."""
    steps[:] = -1
    steps[start] = 0
    queue[0] = start
    head, tail = 0, 1
    while head < tail:
        state = queue[head]
        head += 1
        if place[state] == goal:
            return int(steps[state])
        for action in range(3):
            after = following[state, action]
            if steps[after] < 0:
                steps[after] = steps[state] + 1
                queue[tail] = after
                tail += 1
    return -1


def actions_to_goal(walks: Walks) -> Array:
    """How many actions (moves and turns) lead from the end of each walk to its goal; infinite where none do."""
    last = walks.paths.points[walks.paths.starts[1:] - 1]
    goal = walks.routes.points[walks.routes.starts[1:] - 1]
    ends = [(int(place), float(heading)) for place, heading in zip(last, walks.heading, strict=True)]
    table = transitions(walks.graph, ends)
    steps, queue = (np.empty(len(table.place), np.int32) for _ in range(2))
    found = [
        _actions(table.next_state, table.place, int(start), int(end), steps, queue)
        for start, end in zip(table.start_states, goal, strict=True)
    ]
    return np.where(np.array(found) < 0, np.inf, found)
