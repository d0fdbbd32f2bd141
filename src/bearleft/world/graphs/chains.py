"""Streets are mostly chains: places with just two neighbours. Shortest ways need only know where chains meet.

A junction is a place with one neighbour or more than two; every other place lies inside a chain, some metres from its
first end. Dijkstra's algorithm runs over junctions (1,585 of Touchdown's 29,641 places), and the distance to a place
inside a chain is the shorter of the ways from its two ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bearleft.runtime.compiled import jit
from bearleft.world.graphs.heap import pop_min, push

Array = Any  # numpy's, as compiled code takes them


@dataclass(frozen=True, eq=False)
class Chains:
    """A graph drawn together: junctions are numbered, and `first`, `near` and `length` are the links between them."""

    junction: Array  # of each place: its number among junctions, or -1
    chain: Array  # of each place inside a chain: which, else -1
    offset: Array  # and how many metres from the chain's first end
    ends: Array  # of each chain: the numbers of the junctions at its ends
    metres: Array  # of each chain: its length
    first: Array
    near: Array
    length: Array


def contract_chains(first: Array, near: Array, length: Array) -> Chains:
    """The chains of a graph whose neighbours and their distances are given as compressed rows, both ways."""
    count = len(first) - 1
    degree = np.diff(first)
    junction = np.where(degree == 2, -1, 0).astype(np.int32)
    _break_rings(first, near, junction)
    where = np.flatnonzero(junction == 0)
    junction[where] = np.arange(len(where), dtype=np.int32)
    chain, offset = np.full(count, -1, np.int32), np.zeros(count)
    links = int(degree[where].sum())
    ends, metres = np.empty((links, 2), np.int32), np.empty(links)
    short_near, short_length = np.empty(links, np.int32), np.empty(links)
    found = _trace_chains(first, near, length, where, junction, chain, offset, ends, metres, short_near, short_length)
    short_first = np.concatenate([[0], np.cumsum(degree[where])]).astype(np.int32)
    return Chains(junction, chain, offset, ends[:found], metres[:found], short_first, short_near, short_length)


@jit
def _break_rings(first: Array, near: Array, junction: Array) -> None:
    """A ring of places without any junction gets one, so that every chain has ends."""
    seen = junction == 0
    for start in range(len(junction)):
        if seen[start]:
            continue
        # Along the chain both ways; a ring is one that comes back without meeting a junction.
        ring = True
        for way in range(2):
            before, here = start, near[first[start] + way]
            while junction[here] < 0 and here != start:
                seen[here] = True
                a, b = near[first[here]], near[first[here] + 1]
                before, here = here, b if a == before else a
            if junction[here] == 0:
                ring = False
        seen[start] = True
        if ring:
            junction[start] = 0


@jit
def _trace_chains(
    first: Array,
    near: Array,
    length: Array,
    where: Array,
    junction: Array,
    chain: Array,
    offset: Array,
    ends: Array,
    metres: Array,
    short_near: Array,
    short_length: Array,
) -> int:
    """From every junction along every link to the next junction; says how many chains have places inside."""
    link, found = 0, 0
    for k in range(len(where)):
        for way in range(first[where[k]], first[where[k] + 1]):
            before, here, total = where[k], near[way], length[way]
            new = junction[here] < 0 and chain[here] < 0
            while junction[here] < 0:
                if new:
                    chain[here], offset[here] = found, total
                step = first[here]
                if near[step] == before:
                    step += 1
                total += length[step]
                before, here = here, near[step]
            if new:
                ends[found, 0], ends[found, 1], metres[found] = k, junction[here], total
                found += 1
            short_near[link], short_length[link] = junction[here], total
            link += 1
    return found


@jit
def _dijkstra(first: Array, near: Array, length: Array, known: Array, keys: Array, heap: Array, size: int) -> None:
    """Dijkstra's algorithm with a binary heap of `size` places whose distances are in `known` and `keys`."""
    while size > 0:
        key, place = keys[0], heap[0]
        size -= 1
        pop_min(keys, heap, size)
        if key > known[place]:
            continue  # a shorter way was found since
        for link in range(first[place], first[place + 1]):
            other = near[link]
            further = key + length[link]
            if further < known[other]:
                known[other] = further
                push(keys, heap, size, further, other)
                size += 1


@jit
def metric_distances(
    junction: Array,
    chain: Array,
    offset: Array,
    ends: Array,
    metres: Array,
    first: Array,
    near: Array,
    length: Array,
    sources: Array,
    out: Array,
) -> None:
    """Distances from each source to every place, into the rows of `out`; infinite where no way leads."""
    known = np.empty(len(first) - 1)
    keys, heap = np.empty(len(near) + 2), np.empty(len(near) + 2, np.int32)
    for k in range(len(sources)):
        source, row = sources[k], out[k]
        known[:] = np.inf
        size = 0
        own = chain[source]
        if own < 0:
            known[junction[source]] = 0.0
            keys[0], heap[0], size = 0.0, junction[source], 1
        else:
            one, other = ends[own, 0], ends[own, 1]
            to_one, to_other = offset[source], metres[own] - offset[source]
            known[one] = to_one
            known[other] = min(known[other], to_other)
            # The nearer end lies on top of the heap.
            nearer, farther = (one, other) if known[one] <= known[other] else (other, one)
            keys[0], heap[0], size = known[nearer], nearer, 1
            if one != other:
                keys[1], heap[1], size = known[farther], farther, 2
        _dijkstra(first, near, length, known, keys, heap, size)
        for place in range(len(junction)):
            c = chain[place]
            if c < 0:
                row[place] = known[junction[place]]
                continue
            best = min(known[ends[c, 0]] + offset[place], known[ends[c, 1]] + metres[c] - offset[place])
            row[place] = min(best, abs(offset[place] - offset[source])) if c == own else best
