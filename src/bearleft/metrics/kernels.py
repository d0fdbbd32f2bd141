"""The compiled inner loops of the path metrics: pairs of similar length are processed side by side, one in each lane.

In dynamic time warping every cell depends on the cell before, so a single pair leaves the vector unit idle. Here LANES
pairs go through their cost matrices together, a strip of rows (points of the references) at a time: `cost[(row * width
+ j) * LANES + lane]` is the distance from that point to point j of the lane's path. A result is carried along a row as
`new[t + LANES] = f(new[t], ...)`, a loop that LLVM vectorises because its stride is constant. Indices are unsigned
where numba would otherwise check for negative ones, which prevents that; and no views are created inside loops, since
numba counts references to each. Cells beyond a lane's own lengths are infinite.

Names used by all functions:
    row, end: The strip: rows `row` to `end` (exclusive) of the cost matrices.
    width: The number of columns: the points of the longest path of the lanes.
    rows, columns: The number of reference points and of path points of each lane.
    cost: The distances of the strip, as above.
    out: One row of results per lane, with the columns DTW, END, ...
    t: An index into a flat row of cells: `j * LANES + lane`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bearleft.runtime.compiled import jit

LANES = 16
STRIP_ROWS = 4  # rows of costs at a time: they stay in the cache, and paths of any length need little memory
_LANES = np.uint64(LANES)
_ZERO = np.uint64(0)

# Flags: the results that `PathPairs.compute_results` computes.
NEEDS_DTW, NEEDS_GOAL, NEEDS_COVERAGE, NEEDS_DEVIATION = 1, 2, 4, 8
# The columns of the results. NEEDS_GOAL and NEEDS_COVERAGE both compute END and NEAREST.
DTW, END, NEAREST, COVERAGE, MEAN_DEVIATION, MAX_DEVIATION = range(6)
NUM_RESULTS = 6


@jit
def pack_nodes(out: Any, count: int, points: Any, first: Any, lengths: Any, stride: int) -> None:
    """Copy the nodes of each lane, times `stride`, side by side; beyond a lane's end its last node is repeated."""
    for i in range(count):
        for lane in range(LANES):
            at = first[lane] + min(i, lengths[lane] - 1)
            out[i, lane] = points[np.uint64(at)] * stride


@jit
def pack_coordinates(out: Any, count: int, points: Any, first: Any, lengths: Any) -> None:
    """Copy the points of each lane side by side, one row of `out` per dimension; a lane's last point is repeated."""
    for k in range(len(out)):
        for i in range(count):
            for lane in range(LANES):
                at = first[lane] + min(i, lengths[lane] - 1)
                out[k, np.uint64(i * LANES + lane)] = points[np.uint64(at), k]


@jit
def compute_node_costs(
    cost: Any, table: Any, reference_offsets: Any, path_offsets: Any, row: int, end: int, width: int
) -> None:
    """Look up distances in a flat matrix at the index `reference_offsets[i, lane] + path_offsets[j, lane]`.

    Negative or NaN entries mean that there is no path.
    """
    t = _ZERO
    for i in range(np.uint64(row), np.uint64(end)):
        for j in range(np.uint64(width)):
            for lane in range(_LANES):
                value = np.float64(table[reference_offsets[i, lane] + path_offsets[j, lane]])
                cost[t + lane] = value if value >= 0 else np.inf
            t += _LANES


@jit
def compute_coordinate_costs(
    cost: Any, reference: Any, path: Any, row: int, end: int, width: int, squared: bool, x: Any
) -> None:
    """Compute distances between points packed by `pack_coordinates`; `x` is a work row.

    Each reference point is copied along `x` while the costs are computed: an inner loop over the lanes alone would be
    too short to vectorise.
    """
    cells = np.uint64(width) * _LANES
    for i in range(row, end):
        begin = np.uint64(i - row) * cells
        for k in range(len(reference)):
            for lane in range(LANES):
                x[lane] = reference[k, i * LANES + lane]
            if k == 0:
                for t in range(cells):
                    v = x[t]
                    x[t + _LANES] = v
                    cost[begin + t] = (v - path[0, t]) * (v - path[0, t])
            else:
                for t in range(cells):
                    v = x[t]
                    x[t + _LANES] = v
                    cost[begin + t] += (v - path[k, t]) * (v - path[k, t])
    if not squared:
        for t in range((end - row) * width * LANES):
            cost[t] = np.sqrt(cost[t])


@jit
def mask_padding(cost: Any, row: int, end: int, width: int, rows: Any, columns: Any) -> None:
    """Set the cells beyond a lane's own lengths to infinity; pairs are sorted by length, so they are few."""
    for i in range(row, end):
        for lane in range(LANES):
            for j in range(0 if i >= rows[lane] else columns[lane], width):
                cost[((i - row) * width + j) * LANES + lane] = np.inf


@jit
def dtw_strip(
    cost: Any, row: int, end: int, width: int, rows: Any, columns: Any, even_sums: Any, odd_sums: Any, out: Any
) -> None:
    """Compute dynamic time warping: each cell is its cost plus the minimum of the three cells before it.

    Two rows of sums are stored: `even_sums` after an even number of rows, `odd_sums` after an odd number. Both begin
    with a border cell, so point j is at index j + 1. Strips have an even number of rows, so `even_sums` holds the last
    row of a strip, with which the next strip begins.
    """
    cells = np.uint64(width) * _LANES
    if row == 0:
        for t in range((width + 1) * LANES):
            even_sums[t] = np.inf if t >= LANES else 0.0
            odd_sums[t] = np.inf
    begin = _ZERO
    for i in range(row, end, 2):
        for t in range(cells):
            odd_sums[t + _LANES] = cost[begin + t] + min(min(even_sums[t], even_sums[t + _LANES]), odd_sums[t])
        begin += cells
        if i == 0:
            for lane in range(LANES):
                even_sums[lane] = np.inf
        for t in range(cells):
            even_sums[t + _LANES] = cost[begin + t] + min(min(odd_sums[t], odd_sums[t + _LANES]), even_sums[t])
        begin += cells
        for lane in range(LANES):
            if i == rows[lane] - 1:
                out[lane, DTW] = odd_sums[columns[lane] * LANES + lane]
            elif i + 1 == rows[lane] - 1:
                out[lane, DTW] = even_sums[columns[lane] * LANES + lane]


@jit
def coverage_strip(
    cost: Any, row: int, end: int, width: int, rows: Any, columns: Any, threshold: float, running_minima: Any, out: Any
) -> None:
    """Compute the distance from each reference point to the path.

    `running_minima[t + LANES]` is the minimum of the row's costs up to cell t.
    """
    cells = np.uint64(width) * _LANES
    begin = _ZERO
    for i in range(row, end):
        for lane in range(LANES):
            running_minima[lane] = np.inf
        for t in range(cells):
            running_minima[t + _LANES] = min(running_minima[t], cost[begin + t])
        for lane in range(LANES):
            if i < rows[lane]:
                nearest = running_minima[cells + np.uint64(lane)]
                out[lane, COVERAGE] += np.exp(-nearest / threshold) / rows[lane]
                if i == rows[lane] - 1:
                    out[lane, END] = cost[begin + np.uint64((columns[lane] - 1) * LANES + lane)]
                    out[lane, NEAREST] = nearest
        begin += cells


@jit
def goal_strip(cost: Any, row: int, end: int, width: int, rows: Any, columns: Any, out: Any) -> None:
    """Compute the distances from the path's end and from its nearest point to the reference's end."""
    for lane in range(LANES):
        i = rows[lane] - 1
        if row <= i < end:
            nearest = np.inf
            for j in range(columns[lane]):
                nearest = min(nearest, cost[((i - row) * width + j) * LANES + lane])
            out[lane, END] = cost[((i - row) * width + columns[lane] - 1) * LANES + lane]
            out[lane, NEAREST] = nearest


@jit
def deviation_strip(
    cost: Any, row: int, end: int, width: int, rows: Any, columns: Any, column_minima: Any, out: Any
) -> None:
    """Compute the distance from each path point to the reference: the minimum of its column, over all strips."""
    cells = np.uint64(width) * _LANES
    if row == 0:
        for t in range(cells):
            column_minima[t] = np.inf
    begin = _ZERO
    for _ in range(row, end):
        for t in range(cells):
            column_minima[t] = min(column_minima[t], cost[begin + t])
        begin += cells
    for lane in range(LANES):
        if row < rows[lane] <= end:
            total, largest = 0.0, 0.0
            for j in range(columns[lane]):
                total += column_minima[j * LANES + lane]
                largest = max(largest, column_minima[j * LANES + lane])
            out[lane, MEAN_DEVIATION] = total / columns[lane]
            out[lane, MAX_DEVIATION] = largest
