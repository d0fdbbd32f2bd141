"""Shortest paths along a graph: one in steps, and many in metres along a subset of the links."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.runtime.compiled import jit, parallel_map
from bearleft.world.graphs.graph import Graph, Ints
from bearleft.world.graphs.heap import pop_min, push

Array = Any  # NumPy arrays in compiled code
CHUNK_SIZE = 16


def shortest_route(graph: Graph, start: int, goal: int) -> list[str]:
    """Return the ids of the places on a shortest path in steps, start and goal included.

    Args:
        graph: The graph.
        start: Index of the first place.
        goal: Index of the last place.

    Raises:
        InputError: No path leads from start to goal.
    """
    hops = graph.hops(goal)
    if hops[start] < 0:
        raise InputError(f"a path from {graph.ids[start]} to {graph.ids[goal]}", "none")
    route = [start]
    while route[-1] != goal:
        targets = graph.target[graph.link_offsets[route[-1]] : graph.link_offsets[route[-1] + 1]]
        nearer = targets[hops[targets] == hops[route[-1]] - 1]
        if not len(nearer):
            raise InputError(f"a path from {graph.ids[start]} to {graph.ids[goal]}", "a one-way link against it")
        route.append(int(nearer[0]))
    return [graph.ids[k] for k in route]


@dataclass(frozen=True, eq=False)
class PathFinder:
    """Shortest paths over a subset of a graph's links and places. Create it with `PathFinder.make`."""

    graph: Graph
    places: Ints  # indices of the allowed places
    allowed_links: Ints  # their indices in the graph, sorted by source
    link_offsets: Ints  # link_offsets[p]:link_offsets[p + 1] are the allowed links that leave place p
    targets: Ints  # of the allowed links
    metres: npt.NDArray[np.float64]  # lengths of the allowed links

    @cached_property
    def is_allowed(self) -> npt.NDArray[np.bool_]:
        """For each link of the graph, whether paths may use it."""
        mask = np.zeros(len(self.graph.source), bool)
        mask[self.allowed_links] = True
        return mask

    @classmethod
    def make(
        cls, graph: Graph, allowed_links: npt.ArrayLike | None = None, allowed_places: npt.ArrayLike | None = None
    ) -> PathFinder:
        """Return a path finder.

        Args:
            graph: The graph.
            allowed_links: For each link, whether paths may use it; all by default.
            allowed_places: For each place, whether paths may pass it; all by default.

        Raises:
            InputError: A mask has the wrong shape, or no place is allowed.
        """
        links, places = len(graph.source), len(graph)
        link_mask = np.ones(links, bool) if allowed_links is None else np.asarray(allowed_links, bool)
        place_mask = np.ones(places, bool) if allowed_places is None else np.asarray(allowed_places, bool)
        if link_mask.shape != (links,):
            raise InputError(f"a Boolean for each of {links} links", f"an array of {link_mask.shape}", "allowed_links")
        if place_mask.shape != (places,) or not place_mask.any():
            expected = f"a Boolean for each of {places} places, some true"
            raise InputError(expected, f"{int(place_mask.sum())} true", "allowed_places")
        link = np.flatnonzero(link_mask & place_mask[graph.source] & place_mask[graph.target]).astype(np.int32)
        source, target = graph.source[link], graph.target[link]
        link_offsets = np.searchsorted(source, np.arange(places + 1)).astype(np.int32)
        metres = np.linalg.norm(graph.positions[target] - graph.positions[source], axis=1)
        return cls(graph, np.flatnonzero(place_mask).astype(np.int32), link, link_offsets, target, metres)

    @cached_property
    def _keys(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.intp]]:
        keys = self.graph.source[self.allowed_links].astype(np.int64) * len(self.graph) + self.targets
        order = np.argsort(keys, kind="stable")
        return keys[order], order

    def links(self, places: npt.ArrayLike) -> Ints:
        """Return the link from each place of a chain to the next, -1 if no allowed link joins them."""
        chain = np.asarray(places, np.int64)
        keys, order = self._keys
        expected = chain[:-1] * len(self.graph) + chain[1:]
        if not len(keys):
            return np.full(len(expected), -1, np.int32)
        positions = np.minimum(np.searchsorted(keys, expected), len(keys) - 1)
        return np.where(keys[positions] == expected, self.allowed_links[order[positions]], -1).astype(np.int32)

    @cached_property
    def crossing(self) -> npt.NDArray[np.bool_]:
        """For each place, whether it is a crossing: whether it has more than two neighbours."""
        return np.diff(self.graph.neighbours[0]) > 2

    @cached_property
    def by_crossing(self) -> npt.NDArray[np.bool_]:
        """For each place, whether it or a neighbour is a crossing."""
        offsets, neighbours = self.graph.neighbours
        source = np.repeat(np.arange(len(self.graph)), np.diff(offsets))
        return self.crossing | (np.bincount(source, self.crossing[neighbours], len(self.graph)) > 0)

    def shortest(self, starts: npt.ArrayLike, goals: npt.ArrayLike) -> list[Ints]:
        """Return, for each start and goal, the places of the shortest path in metres; computed on all cores.

        Args:
            starts: Indices of first places.
            goals: Indices of last places, as many as starts.

        Returns:
            One array of place indices per pair, empty if no path leads there.

        Raises:
            InputError: The lengths differ, or a place lies outside the graph.
        """
        start_indices, goal_indices = np.asarray(starts, np.int32).reshape(-1), np.asarray(goals, np.int32).reshape(-1)
        if len(start_indices) != len(goal_indices):
            raise InputError("as many starts as goals", f"{len(start_indices)} and {len(goal_indices)}")
        indices = np.concatenate([start_indices, goal_indices])
        if len(indices) and not 0 <= indices.min() <= indices.max() < len(self.graph):
            raise InputError(f"places from 0 to {len(self.graph) - 1}", f"{indices.min()} to {indices.max()}")

        def work(begin: int) -> list[Ints]:
            part = slice(begin, begin + CHUNK_SIZE)
            chain, lengths = _astar(
                self.link_offsets,
                self.targets,
                self.metres,
                self.graph.positions,
                start_indices[part],
                goal_indices[part],
            )
            return list(np.split(chain, np.cumsum(lengths)[:-1]))

        return [path for paths in parallel_map(work, range(0, len(start_indices), CHUNK_SIZE)) for path in paths]


@jit
def _astar(
    link_offsets: Array, target: Array, metres: Array, positions: Array, starts: Array, goals: Array
) -> tuple[Array, Array]:
    """Run A* for each pair; return the concatenated places of the paths and the length of each path.

    The heuristic is the straight-line distance to the goal.
    """
    count = len(link_offsets) - 1
    best, previous = np.empty(count), np.empty(count, np.int32)
    heuristic = np.empty(count)  # straight-line distance to the goal, -1 if not yet computed
    keys, heap = np.empty(len(target) + 2), np.empty(len(target) + 2, np.int32)
    out, filled = np.empty(1024, np.int32), 0
    lengths = np.zeros(len(starts), np.int64)
    for k in range(len(starts)):
        start, goal = starts[k], goals[k]
        best[:] = np.inf
        heuristic[:] = -1.0
        best[start], heuristic[start], previous[start] = 0.0, 0.0, -1
        keys[0], heap[0], size = 0.0, start, 1
        found = False
        while size > 0:
            key, place = keys[0], heap[0]
            size -= 1
            pop_min(keys, heap, size)
            if place == goal:
                found = True
                break
            if key > best[place] + heuristic[place]:
                continue  # a shorter path was found since
            for link in range(link_offsets[place], link_offsets[place + 1]):
                neighbour = target[link]
                distance = best[place] + metres[link]
                if distance >= best[neighbour]:
                    continue
                if heuristic[neighbour] < 0.0:
                    east = positions[goal, 0] - positions[neighbour, 0]
                    north = positions[goal, 1] - positions[neighbour, 1]
                    up = positions[goal, 2] - positions[neighbour, 2]
                    heuristic[neighbour] = np.sqrt(east * east + north * north + up * up)
                best[neighbour], previous[neighbour] = distance, place
                if size == len(keys):
                    keys = np.concatenate((keys, np.empty_like(keys)))
                    heap = np.concatenate((heap, np.empty_like(heap)))
                push(keys, heap, size, distance + heuristic[neighbour], neighbour)
                size += 1
        if not found:
            continue
        here = goal
        while here >= 0:
            lengths[k] += 1
            here = previous[here]
        while filled + lengths[k] > len(out):
            out = np.concatenate((out, np.empty_like(out)))
        here = goal
        for row in range(filled + lengths[k] - 1, filled - 1, -1):
            out[row] = here
            here = previous[here]
        filled += lengths[k]
    return out[:filled].copy(), lengths
