"""Streets out of a graph: pieces joined into chains, chains into streets that go straight on, junctions into crossings.

Places closer than NEAR count as one spot, so coincident places and noise of half a metre do no harm. A chain runs
between stops: spots with one piece or more than two, and sharp bends.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bearleft.runtime.compiled import jit

Array = Any  # numpy's, as compiled code takes them
MERGE_DISTANCE = 2000
DIRECTION_DISTANCE = 12_000  # a chain's direction at its end is taken so far along it
CROSSING_DISTANCE = 15_000  # junctions within this distance are one crossing
STRAIGHT_COSINE = -0.82  # cosine between arms of one street: at most 35 degrees off
PAIR_DISTANCE = 14_000  # parallel chains closer than this are the two ways of one street
BEND_COSINE = -0.64  # at a bend of more than 50 degrees another street begins


@dataclass(frozen=True, eq=False)
class StreetNetwork:
    """Pieces in the order and sense of their streets. A piece inside a spot belongs to no chain (-1)."""

    a: Array  # of each piece: the place it begins at
    b: Array  # and ends at
    length: Array  # in millimetres, float
    chain: Array  # of each piece
    first: Array  # of each chain: its first row in `order`, and one more
    order: Array  # pieces chain by chain, in the sense of the street
    street: Array  # of each chain
    along: Array  # of each chain: how far it begins from the beginning of its street
    ends: Array  # of each chain: the crossings at its ends, -1 for none
    inner: Array  # of each chain: whether it lies within one crossing
    spot: Array  # of each place: a place that stands for all at its spot

    @cached_property
    def totals(self) -> Array:
        """The length of each chain."""
        chains = np.repeat(np.arange(len(self.street)), np.diff(self.first))
        return np.bincount(chains, self.length[self.order], len(self.street))


def build_network(x: Array, y: Array, a: Array, b: Array) -> StreetNetwork:
    """The streets of a graph: places at (x, y) in millimetres, pieces between places a and b."""
    a, b = a.copy(), b.copy()
    dx, dy = (x[b] - x[a]).astype(float), (y[b] - y[a]).astype(float)
    length = np.sqrt(dx * dx + dy * dy)
    spot = _merge_places(len(x), a, b, length)
    outer = np.flatnonzero(spot[a] != spot[b])
    ends = np.stack([spot[a[outer]], spot[b[outer]]], axis=1).reshape(-1)
    halves = np.argsort(ends, kind="stable")
    begin = np.searchsorted(ends[halves], np.arange(len(x) + 1))
    degree = np.diff(begin)
    stop = (degree != 2) & (degree > 0) | _sharp_bends(begin, halves, dx[outer], dy[outer], length[outer])
    order, first = _chains(begin, halves, ends, stop)
    chain_ends = np.stack([ends[order[first[:-1]]], ends[order[first[1:] - 1] ^ 1]], axis=1).reshape(-1)
    towards = _directions(order, first, ends, x, y)
    mate = _match_straight(chain_ends, towards)
    street, flip, along = _streets(mate, _chain_lengths(order, first, length[outer]))
    crossing = _crossings(np.flatnonzero(degree >= 3), x, y, len(x))
    at = crossing[chain_ends].reshape(-1, 2)
    totals = _chain_lengths(order, first, length[outer])
    inner = (at[:, 0] >= 0) & (at[:, 0] == at[:, 1]) & (totals < 2 * CROSSING_DISTANCE)
    for chain in np.flatnonzero(flip):
        rows = slice(first[chain], first[chain + 1])
        order[rows] = order[rows][::-1] ^ 1
    at = np.where(flip[:, None], at[:, ::-1], at)
    backward = outer[order[(order & 1) == 1] >> 1]
    a[backward], b[backward] = b[backward], a[backward]
    pieces = outer[order >> 1]
    chain_of = np.full(len(a), -1)
    chain_of[pieces] = np.repeat(np.arange(len(first) - 1), np.diff(first))
    return StreetNetwork(a, b, length, chain_of, first, pieces, street, along, at, inner, spot)


def _chain_lengths(order: Array, first: Array, length: Array) -> Array:
    sums = np.concatenate([[0.0], np.cumsum(length[order >> 1])])
    return sums[first[1:]] - sums[first[:-1]]


@jit
def _root(parent: Array, k: int) -> int:
    while parent[k] != k:
        parent[k] = parent[parent[k]]
        k = parent[k]
    return k


@jit
def _merge_places(count: int, a: Array, b: Array, length: Array) -> Array:
    """For each place the smallest of those that short pieces join it to."""
    parent = np.arange(count)
    for k in range(len(a)):
        if length[k] < MERGE_DISTANCE:
            one, other = _root(parent, a[k]), _root(parent, b[k])
            parent[max(one, other)] = min(one, other)
    for k in range(count):
        parent[k] = _root(parent, k)
    return parent


@jit
def _sharp_bends(begin: Array, halves: Array, dx: Array, dy: Array, length: Array) -> Array:
    """Spots of two pieces between which one turns sharply."""
    found = np.zeros(len(begin) - 1, np.bool_)
    for k in range(len(found)):
        if begin[k + 1] - begin[k] == 2:
            one, other = halves[begin[k]], halves[begin[k] + 1]
            e, f = one >> 1, other >> 1
            sign = 1.0 if (one & 1) == (other & 1) else -1.0
            cosine = sign * (dx[e] * dx[f] + dy[e] * dy[f]) / (length[e] * length[f])
            found[k] = cosine > BEND_COSINE
    return found


@jit
def _chains(begin: Array, halves: Array, ends: Array, stop: Array) -> tuple[Array, Array]:
    """Half pieces chain by chain (2 k: piece k forwards, 2 k + 1: backwards), and where each chain begins."""
    total = len(ends) // 2
    order, first = np.empty(total, np.int64), np.empty(total + 1, np.int64)
    seen = np.zeros(total, np.bool_)
    rows, chains = 0, 0
    for rings in range(2):  # chains between stops, then rings without any
        for k in range(len(stop)):
            if rings == 0 and not stop[k]:
                continue
            for h in range(begin[k], begin[k + 1]):
                half = halves[h]
                if seen[half >> 1]:
                    continue
                first[chains] = rows
                chains += 1
                while not seen[half >> 1]:
                    seen[half >> 1] = True
                    order[rows] = half
                    rows += 1
                    spot = ends[half ^ 1]
                    if stop[spot]:
                        break
                    one, other = halves[begin[spot]], halves[begin[spot] + 1]
                    half = other if one == half ^ 1 else one
    first[chains] = rows
    return order, first[: chains + 1].copy()


@jit
def _directions(order: Array, first: Array, ends: Array, x: Array, y: Array) -> Array:
    """Which way each chain leaves from each of its ends, as unit vectors."""
    towards = np.zeros((2 * (len(first) - 1), 2))
    for k in range(len(first) - 1):
        for end in range(2):
            rows = first[k + 1] - first[k]
            start = ends[order[first[k]]] if end == 0 else ends[order[first[k + 1] - 1] ^ 1]
            for n in range(rows):
                half = order[first[k] + n] if end == 0 else order[first[k + 1] - 1 - n] ^ 1
                spot = ends[half ^ 1]
                dx, dy = float(x[spot] - x[start]), float(y[spot] - y[start])
                far = np.sqrt(dx * dx + dy * dy)
                if far > 0:
                    towards[2 * k + end, 0], towards[2 * k + end, 1] = dx / far, dy / far
                if far >= DIRECTION_DISTANCE:
                    break
    return towards


@jit
def _match_straight(chain_ends: Array, towards: Array) -> Array:
    """For each chain end the one that goes on straight from it at the same stop, -1 where none does."""
    mate = np.full(len(chain_ends), -1)
    order = np.argsort(chain_ends, kind="mergesort")
    row = 0
    while row < len(order):
        after = row
        while after < len(order) and chain_ends[order[after]] == chain_ends[order[row]]:
            after += 1
        while True:
            best, one, other = STRAIGHT_COSINE, -1, -1
            for i in range(row, after):
                for j in range(i + 1, after):
                    e, f = order[i], order[j]
                    if mate[e] < 0 and mate[f] < 0 and e >> 1 != f >> 1:
                        cosine = towards[e, 0] * towards[f, 0] + towards[e, 1] * towards[f, 1]
                        if cosine < best:
                            best, one, other = cosine, e, f
            if one < 0:
                break
            mate[one], mate[other] = other, one
        row = after
    return mate


@jit
def _streets(mate: Array, totals: Array) -> tuple[Array, Array, Array]:
    """Of each chain: its street, whether it runs against it, and where it begins on it."""
    street, flip = np.full(len(totals), -1), np.zeros(len(totals), np.bool_)
    along = np.zeros(len(totals))
    streets = 0
    for rings in range(2):
        for k in range(2 * len(totals)):
            if street[k >> 1] >= 0 or (rings == 0 and mate[k] >= 0):
                continue
            end, done = k, 0.0
            while end >= 0 and street[end >> 1] < 0:
                street[end >> 1], flip[end >> 1], along[end >> 1] = streets, end & 1 == 1, done
                done += totals[end >> 1]
                end = mate[end ^ 1]
            streets += 1
    return street, flip, along


@jit
def _crossings(junctions: Array, x: Array, y: Array, count: int) -> Array:
    """For each place the number of the crossing that it is a junction of, or -1."""
    parent = np.arange(len(junctions))
    for i in range(len(junctions)):
        for j in range(i):
            dx, dy = x[junctions[i]] - x[junctions[j]], y[junctions[i]] - y[junctions[j]]
            if dx * dx + dy * dy <= CROSSING_DISTANCE * CROSSING_DISTANCE:
                one, other = _root(parent, i), _root(parent, j)
                parent[max(one, other)] = min(one, other)
    number, found = np.full(len(junctions), -1), 0
    crossing = np.full(count, -1)
    for i in range(len(junctions)):
        root = _root(parent, i)
        if number[root] < 0:
            number[root] = found
            found += 1
        crossing[junctions[i]] = number[root]
    return crossing


def parallel_chains(net: StreetNetwork, x: Array, y: Array) -> tuple[Array, Array]:
    """Of each chain: how far off others run beside it (the lower quartile), and on which side (1 left, -1 right)."""
    away = _nearest_beside(x[net.a], y[net.a], x[net.b], y[net.b], net.length, net.chain)
    chains = np.repeat(np.arange(len(net.street)), np.diff(net.first))
    far, side = np.abs(away[net.order]), np.sign(away[net.order])
    order = np.lexsort((far, chains))
    quartile = far[order][net.first[:-1] + (np.diff(net.first) - 1) // 4]
    return quartile, np.sign(np.bincount(chains, np.where(far < PAIR_DISTANCE, side, 0)))


@jit
def _nearest_beside(x0: Array, y0: Array, x1: Array, y1: Array, length: Array, chain: Array) -> Array:
    """From the middle of each piece across to the nearest parallel piece of another chain, positive to the left."""
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
    found = np.full(len(x0), reach)
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
                ahead = -(dx * vx + dy * vy)  # where the middle lies along the other piece
                lateral = -dx * uy + dy * ux + (vy * ux - vx * uy) * ahead
                if 0 <= ahead <= length[j] and 500 < abs(lateral) < abs(found[k]):
                    found[k] = lateral
    return found
