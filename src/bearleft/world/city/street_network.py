"""Street networks from graphs: pieces are joined into chains, and chains into streets.

Places closer than MERGE_DISTANCE count as one spot, so coincident places and position noise do not split streets. A
chain is a sequence of pieces that ends where a street can end or meet another: at a spot with one piece or with more
than two, or at a sharp bend. These spots are called stops. A crossing is a set of spots with at least three pieces,
each closer than CROSSING_DISTANCE to another one of the set.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bearleft.runtime.compiled import jit

Array = Any  # NumPy array in compiled functions
MERGE_DISTANCE = 2000  # millimetres
DIRECTION_DISTANCE = 12_000  # millimetres along a chain over which its direction at an end is measured
CROSSING_DISTANCE = 15_000  # millimetres; spots with three pieces or more that are closer form one crossing
STRAIGHT_COSINE = -0.82  # between arms of one street: at most 35 degrees from straight
PAIR_DISTANCE = 14_000  # millimetres; closer parallel chains are the two carriageways of one street
BEND_COSINE = -0.64  # a bend of more than 50 degrees ends a street


@dataclass(frozen=True, eq=False)
class StreetNetwork:
    """Pieces in the order and direction of their streets. A piece inside a spot belongs to no chain (-1)."""

    a: Array  # per piece: its first place
    b: Array  # per piece: its last place
    length: Array  # per piece: millimetres, float
    chain: Array  # per piece: its chain
    first: Array  # per chain: its first row in `order`; the last element is len(order)
    order: Array  # pieces chain by chain, in the direction of the street
    street: Array  # per chain: its street
    along: Array  # per chain: its offset along its street
    ends: Array  # per chain: the crossings at its ends, -1 for none
    inner: Array  # per chain: whether it lies within one crossing
    spot: Array  # per place: the representative of all places at its spot

    @cached_property
    def totals(self) -> Array:
        """Length of each chain."""
        chains = np.repeat(np.arange(len(self.street)), np.diff(self.first))
        return np.bincount(chains, self.length[self.order], len(self.street))


def build_network(x: Array, y: Array, a: Array, b: Array) -> StreetNetwork:
    """Return the street network of a graph.

    Args:
        x: Places' x in millimetres.
        y: Places' y in millimetres.
        a: First place of each piece.
        b: Second place of each piece.
    """
    a, b = a.copy(), b.copy()
    dx, dy = (x[b] - x[a]).astype(float), (y[b] - y[a]).astype(float)
    length = np.sqrt(dx * dx + dy * dy)
    spot = _merge_places(len(x), a, b, length)
    outer = np.flatnonzero(spot[a] != spot[b])
    ends = np.stack([spot[a[outer]], spot[b[outer]]], axis=1).reshape(-1)
    half_edges = np.argsort(ends, kind="stable")
    begin = np.searchsorted(ends[half_edges], np.arange(len(x) + 1))
    degree = np.diff(begin)
    stop = (degree != 2) & (degree > 0) | _sharp_bends(begin, half_edges, dx[outer], dy[outer], length[outer])
    order, first = _chains(begin, half_edges, ends, stop)
    chain_ends = np.stack([ends[order[first[:-1]]], ends[order[first[1:] - 1] ^ 1]], axis=1).reshape(-1)
    towards = _directions(order, first, ends, x, y)
    partner = _match_straight(chain_ends, towards)
    street, flip, along = _streets(partner, _chain_lengths(order, first, length[outer]))
    crossing = _crossings(np.flatnonzero(degree >= 3), x, y, len(x))
    crossings = crossing[chain_ends].reshape(-1, 2)
    totals = _chain_lengths(order, first, length[outer])
    inner = (crossings[:, 0] >= 0) & (crossings[:, 0] == crossings[:, 1]) & (totals < 2 * CROSSING_DISTANCE)
    for chain in np.flatnonzero(flip):
        rows = slice(first[chain], first[chain + 1])
        order[rows] = order[rows][::-1] ^ 1
    crossings = np.where(flip[:, None], crossings[:, ::-1], crossings)
    backward = outer[order[(order & 1) == 1] >> 1]
    a[backward], b[backward] = b[backward], a[backward]
    pieces = outer[order >> 1]
    chain_of = np.full(len(a), -1)
    chain_of[pieces] = np.repeat(np.arange(len(first) - 1), np.diff(first))
    return StreetNetwork(a, b, length, chain_of, first, pieces, street, along, crossings, inner, spot)


def _chain_lengths(order: Array, first: Array, length: Array) -> Array:
    sums = np.concatenate([[0.0], np.cumsum(length[order >> 1])])
    return sums[first[1:]] - sums[first[:-1]]


@jit
def _root(parent: Array, k: int) -> int:
    """Return the root of an element in a union-find forest."""
    while parent[k] != k:
        parent[k] = parent[parent[k]]
        k = parent[k]
    return k


@jit
def _merge_places(count: int, a: Array, b: Array, length: Array) -> Array:
    """Return for each place the smallest place that short pieces join it to."""
    parent = np.arange(count)
    for k in range(len(a)):
        if length[k] < MERGE_DISTANCE:
            first, second = _root(parent, a[k]), _root(parent, b[k])
            parent[max(first, second)] = min(first, second)
    for k in range(count):
        parent[k] = _root(parent, k)
    return parent


@jit
def _sharp_bends(begin: Array, half_edges: Array, dx: Array, dy: Array, length: Array) -> Array:
    """Return which spots of two pieces are sharp bends."""
    is_sharp = np.zeros(len(begin) - 1, np.bool_)
    for k in range(len(is_sharp)):
        if begin[k + 1] - begin[k] == 2:
            first, second = half_edges[begin[k]], half_edges[begin[k] + 1]
            e, f = first >> 1, second >> 1
            sign = 1.0 if (first & 1) == (second & 1) else -1.0
            cosine = sign * (dx[e] * dx[f] + dy[e] * dy[f]) / (length[e] * length[f])
            is_sharp[k] = cosine > BEND_COSINE
    return is_sharp


@jit
def _chains(begin: Array, half_edges: Array, ends: Array, stop: Array) -> tuple[Array, Array]:
    """Return half edges chain by chain (2 k: piece k forwards, 2 k + 1: backwards), and where each chain begins."""
    total = len(ends) // 2
    order, first = np.empty(total, np.int64), np.empty(total + 1, np.int64)
    seen = np.zeros(total, np.bool_)
    rows, chains = 0, 0
    for rings in range(2):  # chains between stops, then rings without any
        for k in range(len(stop)):
            if rings == 0 and not stop[k]:
                continue
            for h in range(begin[k], begin[k + 1]):
                edge = half_edges[h]
                if seen[edge >> 1]:
                    continue
                first[chains] = rows
                chains += 1
                while not seen[edge >> 1]:
                    seen[edge >> 1] = True
                    order[rows] = edge
                    rows += 1
                    spot = ends[edge ^ 1]
                    if stop[spot]:
                        break
                    first_edge, second_edge = half_edges[begin[spot]], half_edges[begin[spot] + 1]
                    edge = second_edge if first_edge == edge ^ 1 else first_edge
    first[chains] = rows
    return order, first[: chains + 1].copy()


@jit
def _directions(order: Array, first: Array, ends: Array, x: Array, y: Array) -> Array:
    """Return unit vectors that point from each end of a chain into it."""
    direction = np.zeros((2 * (len(first) - 1), 2))
    for k in range(len(first) - 1):
        for end in range(2):
            rows = first[k + 1] - first[k]
            start = ends[order[first[k]]] if end == 0 else ends[order[first[k + 1] - 1] ^ 1]
            for n in range(rows):
                edge = order[first[k] + n] if end == 0 else order[first[k + 1] - 1 - n] ^ 1
                spot = ends[edge ^ 1]
                dx, dy = float(x[spot] - x[start]), float(y[spot] - y[start])
                distance = np.sqrt(dx * dx + dy * dy)
                if distance > 0:
                    direction[2 * k + end, 0], direction[2 * k + end, 1] = dx / distance, dy / distance
                if distance >= DIRECTION_DISTANCE:
                    break
    return direction


@jit
def _match_straight(chain_ends: Array, direction: Array) -> Array:
    """Return for each chain end the one that continues straight at the same stop, -1 if there is none."""
    partner = np.full(len(chain_ends), -1)
    order = np.argsort(chain_ends, kind="mergesort")
    row = 0
    while row < len(order):
        after = row
        while after < len(order) and chain_ends[order[after]] == chain_ends[order[row]]:
            after += 1
        while True:
            best, first, second = STRAIGHT_COSINE, -1, -1
            for i in range(row, after):
                for j in range(i + 1, after):
                    e, f = order[i], order[j]
                    if partner[e] < 0 and partner[f] < 0 and e >> 1 != f >> 1:
                        cosine = direction[e, 0] * direction[f, 0] + direction[e, 1] * direction[f, 1]
                        if cosine < best:
                            best, first, second = cosine, e, f
            if first < 0:
                break
            partner[first], partner[second] = second, first
        row = after
    return partner


@jit
def _streets(partner: Array, totals: Array) -> tuple[Array, Array, Array]:
    """Return for each chain its street, whether it runs against it, and its offset along it."""
    street, flip = np.full(len(totals), -1), np.zeros(len(totals), np.bool_)
    along = np.zeros(len(totals))
    streets = 0
    for rings in range(2):
        for k in range(2 * len(totals)):
            if street[k >> 1] >= 0 or (rings == 0 and partner[k] >= 0):
                continue
            end, length = k, 0.0
            while end >= 0 and street[end >> 1] < 0:
                street[end >> 1], flip[end >> 1], along[end >> 1] = streets, end & 1 == 1, length
                length += totals[end >> 1]
                end = partner[end ^ 1]
            streets += 1
    return street, flip, along


@jit
def _crossings(spots: Array, x: Array, y: Array, count: int) -> Array:
    """Return for each place the index of its crossing, -1 if it belongs to none."""
    parent = np.arange(len(spots))
    for i in range(len(spots)):
        for j in range(i):
            dx, dy = x[spots[i]] - x[spots[j]], y[spots[i]] - y[spots[j]]
            if dx * dx + dy * dy <= CROSSING_DISTANCE * CROSSING_DISTANCE:
                first, second = _root(parent, i), _root(parent, j)
                parent[max(first, second)] = min(first, second)
    number, crossing_count = np.full(len(spots), -1), 0
    crossing = np.full(count, -1)
    for i in range(len(spots)):
        root = _root(parent, i)
        if number[root] < 0:
            number[root] = crossing_count
            crossing_count += 1
        crossing[spots[i]] = number[root]
    return crossing


def parallel_chains(network: StreetNetwork, x: Array, y: Array) -> tuple[Array, Array]:
    """Return for each chain the distance of parallel ones (lower quartile) and their side (1 left, -1 right)."""
    offset = _nearest_beside(x[network.a], y[network.a], x[network.b], y[network.b], network.length, network.chain)
    chains = np.repeat(np.arange(len(network.street)), np.diff(network.first))
    distance, side = np.abs(offset[network.order]), np.sign(offset[network.order])
    order = np.lexsort((distance, chains))
    quartile = distance[order][network.first[:-1] + (np.diff(network.first) - 1) // 4]
    return quartile, np.sign(np.bincount(chains, np.where(distance < PAIR_DISTANCE, side, 0)))


@jit
def _nearest_beside(x0: Array, y0: Array, x1: Array, y1: Array, length: Array, chain: Array) -> Array:
    """Return lateral offsets from each piece's middle to the nearest parallel piece of another chain, left positive."""
    side, reach = 24_000, 24_000.0
    west, south = min(x0.min(), x1.min()) - side, min(y0.min(), y1.min()) - side
    across = (max(x0.max(), x1.max()) - west) // side + 2
    up = (max(y0.max(), y1.max()) - south) // side + 2
    counts = np.zeros(across * up + 1, np.int64)
    for fill in range(2):
        if fill:
            first = np.cumsum(counts)
            items, counts = np.empty(first[-1], np.int64), first.copy()
        for k in range(len(x0)):
            samples = int(length[k] / side) + 1
            for s in range(samples):
                share = (s + 0.5) / samples
                column = int((x0[k] + (x1[k] - x0[k]) * share - west) / side)
                row = int((y0[k] + (y1[k] - y0[k]) * share - south) / side)
                if fill:
                    items[counts[row * across + column]] = k
                    counts[row * across + column] += 1
                else:
                    counts[row * across + column + 1] += 1
    offset = np.full(len(x0), reach)
    for k in range(len(x0)):
        if chain[k] < 0 or length[k] <= 0:
            continue
        mx, my = (x0[k] + x1[k]) / 2.0, (y0[k] + y1[k]) / 2.0
        ux, uy = (x1[k] - x0[k]) / length[k], (y1[k] - y0[k]) / length[k]
        column, row = int((mx - west) / side), int((my - south) / side)
        for r in range(max(row - 1, 0), min(row + 2, up)):
            for i in range(first[r * across + max(column - 1, 0)], first[r * across + min(column + 2, across)]):
                j = items[i]
                if chain[j] < 0 or chain[j] == chain[k] or length[j] <= 0:
                    continue
                vx, vy = (x1[j] - x0[j]) / length[j], (y1[j] - y0[j]) / length[j]
                if abs(ux * vx + uy * vy) < 0.9:
                    continue
                dx, dy = x0[j] - mx, y0[j] - my
                ahead = -(dx * vx + dy * vy)  # position of the middle along the other piece
                lateral = -dx * uy + dy * ux + (vy * ux - vx * uy) * ahead
                if 0 <= ahead <= length[j] and 500 < abs(lateral) < abs(offset[k]):
                    offset[k] = lateral
    return offset
