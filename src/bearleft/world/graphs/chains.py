"""Metric distances over a contracted graph, in which chains of places with two neighbours are single links.

An endpoint is a place with one neighbour or more than two; every other place lies inside a chain, at some distance from
the chain's first end. Dijkstra's algorithm runs over endpoints only (1,585 of Touchdown's 29,641 places). The distance
to a place inside a chain is the smaller of the distances through its two ends.

Graphs are compressed sparse rows: `neighbours[offsets[p]:offsets[p + 1]]` are the neighbours of place p, and `lengths`
the distances to them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bearleft.runtime.compiled import jit
from bearleft.world.graphs.heap import pop_min, push

Array = Any  # NumPy arrays in compiled code


@dataclass(frozen=True, eq=False)
class Chains:
    """A contracted graph: endpoints, and the chains between them as links (`offsets`, `neighbours`, `lengths`)."""

    endpoint_index: Array  # per place: its index among endpoints, or -1
    chain_index: Array  # per place: the index of its chain, or -1 for an endpoint
    chain_position: Array  # per place: metres from the first end of its chain
    chain_ends: Array  # per chain: the indices of the endpoints at its two ends
    chain_length: Array  # per chain: its length
    offsets: Array
    neighbours: Array
    lengths: Array


def contract_chains(offsets: Array, neighbours: Array, lengths: Array) -> Chains:
    """Return the contracted form of a symmetric graph, given as compressed sparse rows."""
    count = len(offsets) - 1
    degree = np.diff(offsets)
    endpoint_index = np.where(degree == 2, -1, 0).astype(np.int32)
    _break_rings(offsets, neighbours, endpoint_index)
    endpoints = np.flatnonzero(endpoint_index == 0)
    endpoint_index[endpoints] = np.arange(len(endpoints), dtype=np.int32)
    chain_index, chain_position = np.full(count, -1, np.int32), np.zeros(count)
    links = int(degree[endpoints].sum())
    chain_ends, chain_length = np.empty((links, 2), np.int32), np.empty(links)
    out_neighbours, out_lengths = np.empty(links, np.int32), np.empty(links)
    chain_count = _trace_chains(
        offsets,
        neighbours,
        lengths,
        endpoints,
        endpoint_index,
        chain_index,
        chain_position,
        chain_ends,
        chain_length,
        out_neighbours,
        out_lengths,
    )
    out_offsets = np.concatenate([[0], np.cumsum(degree[endpoints])]).astype(np.int32)
    return Chains(
        endpoint_index,
        chain_index,
        chain_position,
        chain_ends[:chain_count],
        chain_length[:chain_count],
        out_offsets,
        out_neighbours,
        out_lengths,
    )


@jit
def _break_rings(offsets: Array, neighbours: Array, endpoint_index: Array) -> None:
    """Make one place of every ring without endpoints an endpoint, so that every chain has ends."""
    seen = endpoint_index == 0
    for start in range(len(endpoint_index)):
        if seen[start]:
            continue
        # Follow the chain in both directions; a ring returns to its start without meeting an endpoint.
        ring = True
        for side in range(2):
            before, here = start, neighbours[offsets[start] + side]
            while endpoint_index[here] < 0 and here != start:
                seen[here] = True
                a, b = neighbours[offsets[here]], neighbours[offsets[here] + 1]
                before, here = here, b if a == before else a
            if endpoint_index[here] == 0:
                ring = False
        seen[start] = True
        if ring:
            endpoint_index[start] = 0


@jit
def _trace_chains(
    offsets: Array,
    neighbours: Array,
    lengths: Array,
    endpoints: Array,
    endpoint_index: Array,
    chain_index: Array,
    chain_position: Array,
    chain_ends: Array,
    chain_length: Array,
    out_neighbours: Array,
    out_lengths: Array,
) -> int:
    """Follow every link of every endpoint to the next endpoint; return the number of chains with places inside."""
    contracted_link, chain_count = 0, 0
    for k in range(len(endpoints)):
        for link in range(offsets[endpoints[k]], offsets[endpoints[k] + 1]):
            before, here, total = endpoints[k], neighbours[link], lengths[link]
            new = endpoint_index[here] < 0 and chain_index[here] < 0
            while endpoint_index[here] < 0:
                if new:
                    chain_index[here], chain_position[here] = chain_count, total
                next_link = offsets[here]
                if neighbours[next_link] == before:
                    next_link += 1
                total += lengths[next_link]
                before, here = here, neighbours[next_link]
            if new:
                chain_ends[chain_count, 0], chain_ends[chain_count, 1], chain_length[chain_count] = (
                    k,
                    endpoint_index[here],
                    total,
                )
                chain_count += 1
            out_neighbours[contracted_link], out_lengths[contracted_link] = endpoint_index[here], total
            contracted_link += 1
    return chain_count


@jit
def _dijkstra(
    offsets: Array, neighbours: Array, lengths: Array, best: Array, keys: Array, heap: Array, size: int
) -> None:
    """Run Dijkstra's algorithm from the `size` endpoints on the heap, whose distances are in `best` and `keys`."""
    while size > 0:
        key, place = keys[0], heap[0]
        size -= 1
        pop_min(keys, heap, size)
        if key > best[place]:
            continue  # a shorter path was found since
        for link in range(offsets[place], offsets[place + 1]):
            neighbour = neighbours[link]
            further = key + lengths[link]
            if further < best[neighbour]:
                best[neighbour] = further
                push(keys, heap, size, further, neighbour)
                size += 1


@jit
def metric_distances(
    endpoint_index: Array,
    chain_index: Array,
    chain_position: Array,
    chain_ends: Array,
    chain_length: Array,
    offsets: Array,
    neighbours: Array,
    lengths: Array,
    sources: Array,
    out: Array,
) -> None:
    """Write the distances from each source to every place into the rows of `out`; infinite if unreachable."""
    best = np.empty(len(offsets) - 1)
    keys, heap = np.empty(len(neighbours) + 2), np.empty(len(neighbours) + 2, np.int32)
    for k in range(len(sources)):
        source, row = sources[k], out[k]
        best[:] = np.inf
        size = 0
        source_chain = chain_index[source]
        if source_chain < 0:
            best[endpoint_index[source]] = 0.0
            keys[0], heap[0], size = 0.0, endpoint_index[source], 1
        else:
            first_end, second_end = chain_ends[source_chain, 0], chain_ends[source_chain, 1]
            to_first, to_second = chain_position[source], chain_length[source_chain] - chain_position[source]
            best[first_end] = to_first
            best[second_end] = min(best[second_end], to_second)
            # The nearer end lies on top of the heap.
            nearer, farther = (
                (first_end, second_end) if best[first_end] <= best[second_end] else (second_end, first_end)
            )
            keys[0], heap[0], size = best[nearer], nearer, 1
            if first_end != second_end:
                keys[1], heap[1], size = best[farther], farther, 2
        _dijkstra(offsets, neighbours, lengths, best, keys, heap, size)
        for place in range(len(endpoint_index)):
            c = chain_index[place]
            if c < 0:
                row[place] = best[endpoint_index[place]]
                continue
            nearest = min(
                best[chain_ends[c, 0]] + chain_position[place],
                best[chain_ends[c, 1]] + chain_length[c] - chain_position[place],
            )
            row[place] = (
                min(nearest, abs(chain_position[place] - chain_position[source])) if c == source_chain else nearest
            )
