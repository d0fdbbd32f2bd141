"""Walks through a street graph and their routes, with the data that the conventions need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from bearleft.errors import InputError
from bearleft.metrics.ragged_paths import Array, Ragged
from bearleft.runtime.compiled import jit
from bearleft.world.graphs.graph import Graph
from bearleft.world.graphs.shortest_paths import shortest_route
from bearleft.world.graphs.transitions import FORWARD, LEFT, RIGHT, Transitions, transitions


@dataclass(frozen=True)
class Walks:
    """A batch of walks as indices of places. A turn repeats the place: states have one entry for each action.

    Attributes:
        graph: The graph.
        paths: The place of every state of each walk.
        routes: The reference route of each walk, without turns.
        reference_states: The place of every state on the route, driven from the start heading with the fewest turns.
        end_headings: The heading at the end of each walk.
        stopped: Whether each walk ended by stopping.
        alternative_goals: The neighbours of each goal whose panorama also shows the bear (Touchdown's `pre_pano` and
            `post_pano` if their centre exists).
    """

    graph: Graph
    paths: Ragged
    routes: Ragged
    reference_states: Ragged
    end_headings: Array
    stopped: Array
    alternative_goals: tuple[frozenset[int], ...]

    def __len__(self) -> int:
        return len(self.paths)

    def take(self, indices: Array) -> Walks:
        """Return the walks at `indices`."""
        return Walks(
            self.graph,
            self.paths.take(indices),
            self.routes.take(indices),
            self.reference_states.take(indices),
            self.end_headings[indices],
            self.stopped[indices],
            tuple(self.alternative_goals[int(k)] for k in indices),
        )


def make_walks(
    graph: Graph,
    paths: Sequence[Sequence[str]],
    routes: Sequence[Sequence[str]],
    start_headings: Sequence[float],
    end_headings: Sequence[float] | None = None,
    stopped: Sequence[bool] | None = None,
    alternative_goals: Sequence[Sequence[str]] | None = None,
) -> Walks:
    """Return walks from place ids.

    Args:
        graph: The graph.
        paths: The places of each walk; a place may be repeated for each turn.
        routes: The reference route of each walk.
        start_headings: The heading at the start of each walk.
        end_headings: The heading at the end of each walk; the heading of its last move by default.
        stopped: Whether each walk ended by stopping; true by default.
        alternative_goals: The neighbours of each goal whose panorama also shows the bear; none by default.

    Raises:
        InputError: A place is not in the graph, a route is not linked, or there is not a route for each walk.
    """
    count = len(paths)
    for name, values in (("routes", routes), ("start_headings", start_headings)):
        if len(values) != count:
            raise InputError(f"{count} {name}, one for each walk", str(len(values)), name)
    for k, route in enumerate(routes):
        try:
            graph.check_route(route)
        except InputError as error:
            raise error.at(field=f"routes[{k}]") from None
    walked, reference = _place_indices(graph, paths, "paths"), _place_indices(graph, routes, "routes")
    starts = [(int(route[0]), float(heading)) for route, heading in zip(reference, start_headings, strict=True)]
    table = transitions(graph, starts)
    reference_states = [
        _drive_route(graph, table, route, int(table.start_states[k])) for k, route in enumerate(reference)
    ]
    ends = [_last_heading(graph, path, heading) for path, heading in zip(walked, start_headings, strict=True)]
    return Walks(
        graph,
        walked,
        reference,
        _ragged(reference_states),
        np.array(ends if end_headings is None else end_headings, np.float64),
        np.ones(count, np.bool_) if stopped is None else np.array(stopped, np.bool_),
        tuple(frozenset(map(graph.place_index, places)) for places in (alternative_goals or [()] * count)),
    )


def random_walks(
    graph: Graph, rng: np.random.Generator, count: int, error_rate: float = 0.06, horizon: int = 120
) -> Walks:
    """Return random walks for trying out metrics.

    Each walk follows a shortest route with some wrong actions, and stops near the goal.

    Args:
        graph: The graph.
        rng: The random generator.
        count: The number of walks.
        error_rate: The probability of a random action.
        horizon: The largest number of actions.
    """
    table = transitions(graph)
    walks: list[tuple[list[str], list[str], float, float, bool]] = []
    while len(walks) < count:
        state, goal = int(rng.integers(len(graph.source))), int(rng.integers(len(graph)))
        remaining = graph.hops(goal)
        if not 5 <= remaining[table.place[state]] <= 40:
            continue
        stop_distance, begin, stopped = int(rng.integers(0, 3)), state, False
        places = [int(table.place[state])]
        for _ in range(horizon):
            place = int(table.place[state])
            if remaining[place] <= stop_distance:
                stopped = True
                break
            links = graph.links(place)
            best = int(links[np.argmin(remaining[graph.target[links]])])
            action = int(rng.integers(3)) if rng.random() < error_rate else FORWARD if state == best else RIGHT
            state = int(table.next_state[state, action])
            places.append(int(table.place[state]))
        path, route = [graph.ids[k] for k in places], shortest_route(graph, places[0], goal)
        walks.append((path, route, float(table.heading[begin]), float(table.heading[state]), stopped))
    paths, routes, starts, ends, stops = zip(*walks, strict=True)
    has_alternative = rng.random(count) < 0.5
    alternative_goals = [route[-2:-1] if has else [] for route, has in zip(routes, has_alternative, strict=True)]
    return make_walks(graph, paths, routes, starts, ends, stops, alternative_goals)


def _place_indices(graph: Graph, paths: Sequence[Sequence[str]], field: str) -> Ragged:
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
    return Ragged(np.array([place for places in lists for place in places], np.int32), lengths)


def _last_heading(graph: Graph, path: Array, heading: float) -> float:
    for source, target in zip(path[-2::-1], path[:0:-1], strict=True):
        link = graph.find_link(int(source), int(target)) if source != target else None
        if link is not None:
            return float(graph.heading[link])
    return float(heading)


def _drive_route(graph: Graph, table: Transitions, route: Array, state: int) -> list[int]:
    """Return the places of the states that drive a route: as few turns as possible, then forward."""
    places = [int(route[0])]
    for place, next_place in pairwise(route):
        turns, waiting, seen = 0, {state}, {state}
        links = graph.links(int(place))
        ahead = set(map(int, links[graph.target[links] == next_place]))
        # No turn leads to the second of two links with the same heading.
        while waiting and not waiting & ahead:
            waiting = {int(table.next_state[s, turn]) for s in waiting for turn in (LEFT, RIGHT)} - seen
            seen |= waiting
            turns += 1
        state = int(table.next_state[min(waiting & ahead or ahead), FORWARD])
        places += [int(place)] * turns + [int(next_place)]
    return places


@jit
def _actions(following: Any, place: Any, start: int, goal: int, steps: Any, queue: Any) -> int:
    """Return the number of actions from a state to the goal, including turns; -1 if there is no path."""
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
    """Return the number of actions (moves and turns) from the end of each walk to its goal; infinite if unreachable."""
    last = walks.paths.points[walks.paths.starts[1:] - 1]
    goal = walks.routes.points[walks.routes.starts[1:] - 1]
    ends = [(int(place), float(heading)) for place, heading in zip(last, walks.end_headings, strict=True)]
    table = transitions(walks.graph, ends)
    steps, queue = (np.empty(len(table.place), np.int32) for _ in range(2))
    counts = [
        _actions(table.next_state, table.place, int(start), int(end), steps, queue)
        for start, end in zip(table.start_states, goal, strict=True)
    ]
    return np.where(np.array(counts) < 0, np.inf, counts)
