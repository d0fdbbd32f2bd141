"""FastDTW (Salvador and Chan 2007): dynamic time warping in linear time, an upper bound of the exact value.

Both paths are halved again and again by leaving out every second point (the nDTW paper's way for graphs, where points
cannot be averaged), the shortest are aligned exactly, and each finer alignment is searched only within `radius` cells
of the coarser one. It is not exact; nothing here uses it unasked.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bearleft.compiled import jit, spread
from bearleft.errors import InputError, shown
from bearleft.metrics.costs import costs_of, single
from bearleft.metrics.distances import Coordinates, Distance, Nodes
from bearleft.metrics.paths import Floats, Paths
from bearleft.metrics.sweep import Pairs, pair

CHUNK = 64
NODES, COORDINATES, GIVEN = range(3)


@jit
def _cost(kind: int, squared: bool, table: Any, stride: int, there: Any, here: Any, i: int, j: int) -> float:
    """The distance from point j of the path to point i of the reference."""
    if kind == COORDINATES:
        total = 0.0
        for k in range(here.shape[1]):
            total += (here[i, k] - there[j, k]) ** 2
        return total if squared else np.sqrt(total)
    if kind == NODES:
        value = np.float64(table[np.int64(here[i, 0] + there[j, 0])])
        return value if value >= 0 else np.inf
    return float(table[i * stride + j])


@jit
def _align(
    kind: int, squared: bool, table: Any, stride: int, there: Any, here: Any, step: int, low: Any, high: Any,
    height: int, width: int, first: Any, last: Any,
) -> float:  # fmt: skip
    """Aligns every `step`-th point within columns low[i] to high[i] of row i; first and last are those of the way."""
    begin = np.zeros(height + 1, np.int64)
    for i in range(height):
        begin[i + 1] = begin[i] + high[i] - low[i] + 1
    total = np.empty(begin[height])
    for i in range(height):
        for j in range(low[i], high[i] + 1):
            best = 0.0 if i == 0 and j == 0 else np.inf
            if j > low[i]:
                best = min(best, total[begin[i] + j - 1 - low[i]])
            if i > 0:
                if low[i - 1] <= j <= high[i - 1]:
                    best = min(best, total[begin[i - 1] + j - low[i - 1]])
                if low[i - 1] <= j - 1 <= high[i - 1]:
                    best = min(best, total[begin[i - 1] + j - 1 - low[i - 1]])
            cost = _cost(kind, squared, table, stride, there, here, i * step, j * step)
            total[begin[i] + j - low[i]] = best + cost
    i, j = height - 1, width - 1
    last[i] = j
    while i > 0:
        up, across, left = np.inf, np.inf, np.inf
        if low[i - 1] <= j <= high[i - 1]:
            up = total[begin[i - 1] + j - low[i - 1]]
        if low[i - 1] <= j - 1 <= high[i - 1]:
            across = total[begin[i - 1] + j - 1 - low[i - 1]]
        if j > low[i]:
            left = total[begin[i] + j - 1 - low[i]]
        # Where there is no way at all, any step inside the window will do.
        if low[i - 1] <= j - 1 <= high[i - 1] and across <= up and across <= left:
            first[i] = j
            i, j = i - 1, j - 1
            last[i] = j
        elif low[i - 1] <= j <= high[i - 1] and up <= left:
            first[i] = j
            i -= 1
            last[i] = j
        else:
            j -= 1
    first[0] = 0
    return float(total[begin[height] - 1])


@jit
def _fast(
    kind: int, squared: bool, table: Any, stride: int, there: Any, here: Any, height: int, width: int, radius: int
) -> float:
    step = 1
    while min(-(-height // step), -(-width // step)) >= radius + 2:
        step *= 2
    rows, columns = -(-height // step), -(-width // step)
    low, high = np.zeros(height, np.int64), np.full(height, columns - 1, np.int64)
    first, last = np.zeros(height, np.int64), np.zeros(height, np.int64)
    value = _align(kind, squared, table, stride, there, here, step, low, high, rows, columns, first, last)
    while step > 1:
        step //= 2
        coarse, rows, columns = rows, -(-height // step), -(-width // step)
        for i in range(rows):
            # Each coarse cell becomes two by two; a row's window is that of the rows `radius` above and below, widened.
            above, below = max(i - radius, 0) // 2, min(min(i + radius, rows - 1) // 2, coarse - 1)
            low[i] = max(2 * first[above] - radius, 0)
            high[i] = min(2 * last[below] + 1 + radius, columns - 1)
        value = _align(kind, squared, table, stride, there, here, step, low, high, rows, columns, first, last)
    return float(value)


@jit
def _fast_many(
    begin: int, end: int, kind: int, squared: bool, table: Any, stride: int, there: Any, there_starts: Any, here: Any,
    here_starts: Any, radius: int, out: Any,
) -> None:  # fmt: skip
    for k in range(begin, end):
        path = there[there_starts[k] : there_starts[k + 1]]
        reference = here[here_starts[k] : here_starts[k + 1]]
        out[k] = _fast(kind, squared, table, stride, path, reference, len(reference), len(path), radius)


def fastdtw(path: Any, reference: Any, distance: Distance, radius: int) -> float:
    """DTW of one path, approximately: never less than the exact value, equal to it for a large radius."""
    return float(_fastdtw(single(path, reference, distance), radius)[0])


def fastdtw_batch(paths: Paths, references: Paths, distance: Distance, radius: int) -> Floats:
    """DTW of each path, approximately."""
    return _fastdtw(pair(paths, references, distance), radius)


def _fastdtw(pairs: Pairs, radius: Any) -> Floats:
    if isinstance(radius, bool) or not isinstance(radius, int | np.integer) or radius < 0:
        raise InputError("a radius of 0 or more cells", shown(radius), "radius")
    paths, references, out = pairs.paths, pairs.references, np.zeros(len(pairs))
    if pairs.distance is None:
        for k in range(len(pairs)):
            cost = costs_of(pairs, k)
            nowhere = np.zeros((0, 0))
            height, width = cost.shape
            out[k] = _fast(GIVEN, False, cost.ravel(), width, nowhere, nowhere, height, width, int(radius))
        return out
    if isinstance(pairs.distance, Nodes):
        table, path_stride, reference_stride = pairs.table()
        kind, squared = NODES, False
        there = paths.points.astype(np.int64)[:, None] * path_stride
        here = pairs.rows_of(references.points).astype(np.int64)[:, None] * reference_stride
    else:
        assert isinstance(pairs.distance, Coordinates)
        kind, squared, table = COORDINATES, pairs.distance.squared, np.zeros(0)
        there, here = paths.points, references.points
    spread(
        lambda k: _fast_many(
            k,
            min(k + CHUNK, len(pairs)),
            kind,
            squared,
            table,
            0,
            there,
            paths.starts,
            here,
            references.starts,
            int(radius),
            out,
        ),
        range(0, len(pairs), CHUNK),
    )
    return out
