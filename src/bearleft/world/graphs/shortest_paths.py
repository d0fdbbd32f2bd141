"""Ways along a graph: a shortest one in steps, and many shortest ones in metres along the links that may be taken."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.runtime.compiled import jit, spread
from bearleft.world.graphs.graph import Graph, Ints
from bearleft.world.graphs.heap import pop_min, push

Array = Any  # numpy's, as compiled code takes them
CHUNK_SIZE = 16


def shortest_route(graph: Graph, start: int, goal: int) -> list[str]:
    """A shortest chain of links from one place to another; InputError where none leads there."""
    hops = graph.hops(goal)
    if hops[start] < 0:
        raise InputError(f"a way from {graph.ids[start]} to {graph.ids[goal]}", "none")
    route = [start]
    while route[-1] != goal:
        ahead = graph.target[graph.links(route[-1])]
        nearer = ahead[hops[ahead] == hops[route[-1]] - 1]
        if not len(nearer):
            raise InputError(f"a way from {graph.ids[start]} to {graph.ids[goal]}", "a one-way link against it")
        route.append(int(nearer[0]))
    return [graph.ids[k] for k in route]


@dataclass(frozen=True, eq=False)
class PathFinder:
    """The links of a graph that may be taken, and the places where a way may lead. Made by `Ways.make`."""

    graph: Graph
    places: Ints
    link: Ints  # the graph's numbers of the links that may be taken, sorted by the place they leave
    first: Ints  # first[p]:first[p + 1] are those that leave place p
    target: Ints
    metres: npt.NDArray[np.float64]

    @classmethod
    def make(
        cls, graph: Graph, allowed: npt.ArrayLike | None = None, within: npt.ArrayLike | None = None
    ) -> PathFinder:
        """`allowed` says of each link whether it may be taken, `within` of each place whether one may be there."""
        links, places = len(graph.source), len(graph)
        taken = np.ones(links, bool) if allowed is None else np.asarray(allowed, bool)
        there = np.ones(places, bool) if within is None else np.asarray(within, bool)
        if taken.shape != (links,):
            raise InputError(f"yes or no for each of {links} links", f"an array of {taken.shape}", "allowed")
        if there.shape != (places,) or not there.any():
            raise InputError(f"yes or no for each of {places} places, some yes", f"{int(there.sum())} yes", "within")
        link = np.flatnonzero(taken & there[graph.source] & there[graph.target]).astype(np.int32)
        source, target = graph.source[link], graph.target[link]
        first = np.searchsorted(source, np.arange(places + 1)).astype(np.int32)
        metres = np.linalg.norm(graph.positions[target] - graph.positions[source], axis=1)
        return cls(graph, np.flatnonzero(there).astype(np.int32), link, first, target, metres)

    @cached_property
    def _keys(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.intp]]:
        keys = self.graph.source[self.link].astype(np.int64) * len(self.graph) + self.target
        order = np.argsort(keys, kind="stable")
        return keys[order], order

    def links(self, places: npt.ArrayLike) -> Ints:
        """The links from each place of a chain to the next, -1 where none may be taken."""
        chain = np.asarray(places, np.int64)
        keys, order = self._keys
        expected = chain[:-1] * len(self.graph) + chain[1:]
        if not len(keys):
            return np.full(len(expected), -1, np.int32)
        found = np.minimum(np.searchsorted(keys, expected), len(keys) - 1)
        return np.where(keys[found] == expected, self.link[order[found]], -1).astype(np.int32)

    @cached_property
    def crossing(self) -> npt.NDArray[np.bool_]:
        """Of each place: whether more than two others are next to it."""
        return np.diff(self.graph.neighbours[0]) > 2

    @cached_property
    def by_crossing(self) -> npt.NDArray[np.bool_]:
        """Of each place: whether it is a crossing or next to one."""
        offsets, near = self.graph.neighbours
        source = np.repeat(np.arange(len(self.graph)), np.diff(offsets))
        return self.crossing | (np.bincount(source, self.crossing[near], len(self.graph)) > 0)

    def shortest(self, starts: npt.ArrayLike, goals: npt.ArrayLike) -> list[Ints]:
        """For each start and goal the places of the shortest way in metres; none where no way leads. On all cores."""
        begin, end = np.asarray(starts, np.int32).reshape(-1), np.asarray(goals, np.int32).reshape(-1)
        if len(begin) != len(end):
            raise InputError("as many starts as goals", f"{len(begin)} and {len(end)}")
        both = np.concatenate([begin, end])
        if len(both) and not 0 <= both.min() <= both.max() < len(self.graph):
            raise InputError(f"places from 0 to {len(self.graph) - 1}", f"{both.min()} to {both.max()}")

        def work(row: int) -> list[Ints]:
            part = slice(row, row + CHUNK_SIZE)
            chain, lengths = _astar(self.first, self.target, self.metres, self.graph.positions, begin[part], end[part])
            return list(np.split(chain, np.cumsum(lengths)[:-1]))

        return [way for ways in spread(work, range(0, len(begin), CHUNK_SIZE)) for way in ways]


@jit
def _astar(
    first: Array, target: Array, metres: Array, positions: Array, starts: Array, goals: Array
) -> tuple[Array, Array]:
    """The places of shortest ways after each other, and how many each has: A*, by what is left as the crow flies."""
    count = len(first) - 1
    known, before = np.empty(count), np.empty(count, np.int32)
    ahead = np.empty(count)  # as the crow flies, -1 where not yet asked
    keys, heap = np.empty(len(target) + 2), np.empty(len(target) + 2, np.int32)
    out, rows = np.empty(1024, np.int32), 0
    lengths = np.zeros(len(starts), np.int64)
    for k in range(len(starts)):
        start, goal = starts[k], goals[k]
        known[:] = np.inf
        ahead[:] = -1.0
        known[start], ahead[start], before[start] = 0.0, 0.0, -1
        keys[0], heap[0], size = 0.0, start, 1
        found = False
        while size > 0:
            key, place = keys[0], heap[0]
            size -= 1
            pop_min(keys, heap, size)
            if place == goal:
                found = True
                break
            if key > known[place] + ahead[place]:
                continue  # a shorter way was found since
            for link in range(first[place], first[place + 1]):
                other = target[link]
                further = known[place] + metres[link]
                if further >= known[other]:
                    continue
                if ahead[other] < 0.0:
                    east = positions[goal, 0] - positions[other, 0]
                    north = positions[goal, 1] - positions[other, 1]
                    up = positions[goal, 2] - positions[other, 2]
                    ahead[other] = np.sqrt(east * east + north * north + up * up)
                known[other], before[other] = further, place
                if size == len(keys):
                    keys = np.concatenate((keys, np.empty_like(keys)))
                    heap = np.concatenate((heap, np.empty_like(heap)))
                push(keys, heap, size, further + ahead[other], other)
                size += 1
        if not found:
            continue
        here = goal
        while here >= 0:
            lengths[k] += 1
            here = before[here]
        while rows + lengths[k] > len(out):
            out = np.concatenate((out, np.empty_like(out)))
        here = goal
        for row in range(rows + lengths[k] - 1, rows - 1, -1):
            out[row] = here
            here = before[here]
        rows += lengths[k]
    return out[:rows].copy(), lengths
