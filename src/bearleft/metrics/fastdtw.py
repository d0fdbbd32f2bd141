"""FastDTW (Salvador and Chan 2007): DTW, nDTW and SDTW in linear time. DTW is never below the exact value.

Both paths are halved repeatedly by dropping every second point (as in the nDTW paper for graphs, where points cannot be
averaged), the shortest are aligned exactly, and each finer alignment is searched only within `radius` cells of the
coarser one. The result is approximate; it is computed only on request.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from bearleft.errors import InputError, format_value
from bearleft.metrics.costs import single_pair
from bearleft.metrics.distances import Distance, NodeDistances
from bearleft.metrics.metric import NDTW_PAPER, PathMeasurements, PathMetric, compute_metrics
from bearleft.metrics.path_pairs import PathPairs, pair_paths
from bearleft.metrics.ragged_paths import Floats, Paths
from bearleft.runtime.compiled import jit, parallel_map

CHUNK = 64
RADIUS = 1  # as in the usual implementations
NODES, COORDINATES, PRECOMPUTED = range(3)


@jit
def _cost(kind: int, squared: bool, table: Any, path_points: Any, reference_points: Any, i: int, j: int) -> float:
    """Return the distance from point j of the path to point i of the reference."""
    if kind == COORDINATES:
        total = 0.0
        for k in range(reference_points.shape[1]):
            total += (reference_points[i, k] - path_points[j, k]) ** 2
        return total if squared else np.sqrt(total)
    value = np.float64(table[np.int64(reference_points[i, 0] + path_points[j, 0])])
    return value if value >= 0 else np.inf


@jit
def _align(
    kind: int,
    squared: bool,
    table: Any,
    path_points: Any,
    reference_points: Any,
    step: int,
    low: Any,
    high: Any,
    height: int,
    width: int,
    first: Any,
    last: Any,
) -> float:
    """Align every `step`-th point within columns low[i] to high[i] of row i; return the cost.

    `first` and `last` receive the columns of the alignment in each row. PRECOMPUTED costs are those of the window's
    cells only, row after row.
    """
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
            at = begin[i] + j - low[i]
            cost = (
                table[at]
                if kind == PRECOMPUTED
                else _cost(kind, squared, table, path_points, reference_points, i * step, j * step)
            )
            total[at] = best + cost
    i, j = height - 1, width - 1
    last[i] = j
    while i > 0:
        above, diagonal, left = np.inf, np.inf, np.inf
        if low[i - 1] <= j <= high[i - 1]:
            above = total[begin[i - 1] + j - low[i - 1]]
        if low[i - 1] <= j - 1 <= high[i - 1]:
            diagonal = total[begin[i - 1] + j - 1 - low[i - 1]]
        if j > low[i]:
            left = total[begin[i] + j - 1 - low[i]]
        # If no path exists, any step inside the window will do.
        if low[i - 1] <= j - 1 <= high[i - 1] and diagonal <= above and diagonal <= left:
            first[i] = j
            i, j = i - 1, j - 1
            last[i] = j
        elif low[i - 1] <= j <= high[i - 1] and above <= left:
            first[i] = j
            i -= 1
            last[i] = j
        else:
            j -= 1
    first[0] = 0
    return float(total[begin[height] - 1])


@jit
def _coarsest(height: int, width: int, radius: int) -> int:
    """Return the step at which the shorter path is short enough to be aligned exactly."""
    step = 1
    while min(-(-height // step), -(-width // step)) >= radius + 2:
        step *= 2
    return step


@jit
def _widen(coarse: int, rows: int, columns: int, radius: int, first: Any, last: Any, low: Any, high: Any) -> None:
    """Compute the window around a coarser alignment: each cell becomes 2 x 2, widened by `radius` on all sides."""
    for i in range(rows):
        above, below = max(i - radius, 0) // 2, min(min(i + radius, rows - 1) // 2, coarse - 1)
        low[i] = max(2 * first[above] - radius, 0)
        high[i] = min(2 * last[below] + 1 + radius, columns - 1)


@jit
def _fast(
    kind: int, squared: bool, table: Any, path_points: Any, reference_points: Any, height: int, width: int, radius: int
) -> float:
    step = _coarsest(height, width, radius)
    rows, columns = -(-height // step), -(-width // step)
    low, high = np.zeros(height, np.int64), np.full(height, columns - 1, np.int64)
    first, last = np.zeros(height, np.int64), np.zeros(height, np.int64)
    value = _align(kind, squared, table, path_points, reference_points, step, low, high, rows, columns, first, last)
    while step > 1:
        step //= 2
        coarse, rows, columns = rows, -(-height // step), -(-width // step)
        _widen(coarse, rows, columns, radius, first, last, low, high)
        value = _align(kind, squared, table, path_points, reference_points, step, low, high, rows, columns, first, last)
    return float(value)


def _fast_by_function(pairs: PathPairs, k: int, radius: int) -> float:
    """Return FastDTW of a distance function, which is called for the cells of the windows only."""
    path, reference = (batch[k] for batch in pairs.point_lists)
    height, width, unused = len(reference), len(path), np.zeros((0, 0))
    first, last = np.zeros(height, np.int64), np.zeros(height, np.int64)
    low, high = np.zeros(height, np.int64), np.zeros(height, np.int64)
    step, value, coarse = _coarsest(height, width, radius), 0.0, 0
    while step:
        rows, columns = -(-height // step), -(-width // step)
        if coarse:
            _widen(coarse, rows, columns, radius, first, last, low, high)
        else:
            high[:] = columns - 1
        points = [(path[j * step], reference[i * step]) for i in range(rows) for j in range(low[i], high[i] + 1)]
        cost = pairs.function_distances(points)
        value = _align(PRECOMPUTED, False, cost, unused, unused, step, low, high, rows, columns, first, last)
        coarse, step = rows, step // 2
    return float(value)


@jit
def _fast_many(
    begin: int,
    end: int,
    kind: int,
    squared: bool,
    table: Any,
    path_points: Any,
    path_starts: Any,
    reference_points: Any,
    reference_starts: Any,
    radius: int,
    out: Any,
) -> None:
    for k in range(begin, end):
        path = path_points[path_starts[k] : path_starts[k + 1]]
        reference = reference_points[reference_starts[k] : reference_starts[k + 1]]
        out[k] = _fast(kind, squared, table, path, reference, len(reference), len(path), radius)


def fastdtw(path: Any, reference: Any, distance: Distance, radius: int) -> float:
    """Return an approximation of DTW: never less than the exact value, and equal to it for a large radius.

    Args:
        path: The path.
        reference: The reference.
        distance: The distance of two points.
        radius: The cells around the coarser alignment that are searched.
    """
    return float(fastdtw_distances(single_pair(path, reference, distance), radius)[0])


def fastdtw_batch(paths: Paths, references: Paths, distance: Distance, radius: int) -> Floats:
    """Return `fastdtw` of each path and its reference."""
    return fastdtw_distances(pair_paths(paths, references, distance), radius)


def fastdtw_distances(pairs: PathPairs, radius: Any = RADIUS) -> Floats:
    """Return `fastdtw` of each pair."""
    if isinstance(radius, bool) or not isinstance(radius, int | np.integer) or radius < 0:
        raise InputError("a radius of 0 or more cells", format_value(radius), "radius")
    paths, references, out = pairs.paths, pairs.references, np.zeros(len(pairs))
    if pairs.distance is None:
        for k in range(len(pairs)):
            out[k] = _fast_by_function(pairs, k, int(radius))
        return out
    if isinstance(pairs.distance, NodeDistances):
        table, path_stride, reference_stride = pairs.flat_matrix()
        kind, squared = NODES, False
        path_points = paths.points.astype(np.int64)[:, None] * path_stride
        reference_points = pairs.matrix_rows(references.points).astype(np.int64)[:, None] * reference_stride
    else:
        kind, squared, table = COORDINATES, pairs.distance.squared, np.zeros(0)
        path_points, reference_points = paths.points, references.points

    def work(k: int) -> None:
        end = min(k + CHUNK, len(pairs))
        _fast_many(
            k,
            end,
            kind,
            squared,
            table,
            path_points,
            paths.starts,
            reference_points,
            references.starts,
            int(radius),
            out,
        )

    parallel_map(work, range(0, len(pairs), CHUNK))
    return out


def _ndtw(measurements: PathMeasurements, radius: int) -> Floats:
    normalised: Floats = np.exp(
        -fastdtw_distances(measurements.pairs, radius) / (measurements.reference_size * measurements.threshold)
    )
    return normalised


def _sdtw(measurements: PathMeasurements, radius: int) -> Floats:
    return (measurements.pairs.end() <= measurements.threshold) * _ndtw(measurements, radius)


@dataclass(frozen=True, eq=False)
class FastMetric(PathMetric):
    """A metric based on FastDTW, in linear time: call it for one pair, `batch` for many, at any radius.

    `METRICS` holds it with radius 1.

    Attributes:
        approximate: A function of the measurements and the radius.
    """

    approximate: Callable[[PathMeasurements, int], Floats] = _ndtw

    def __call__(
        self, path: Any, reference: Any, distance: Distance, threshold: float | None = None, radius: int = RADIUS
    ) -> float:
        """Return the metric of one path; see `PathMetric`."""
        return PathMetric.__call__(self._with_radius(radius), path, reference, distance, threshold)

    def batch(
        self,
        paths: Paths,
        references: Paths,
        distance: Distance,
        threshold: float | None = None,
        radius: int = RADIUS,
    ) -> Floats:
        """Return the metric of each path; see `PathMetric`."""
        return compute_metrics([self._with_radius(radius)], paths, references, distance, threshold)[0]

    def _with_radius(self, radius: int) -> PathMetric:
        """Return the same metric at one radius."""
        values = {field.name: getattr(self, field.name) for field in fields(PathMetric)}
        return PathMetric(**values | {"formula": lambda measurements: self.approximate(measurements, radius)})


fast_ndtw = FastMetric(
    "nDTW-fast",
    higher_is_better=True,
    unit="0..1",
    paper=NDTW_PAPER,
    definition="nDTW in linear time, by FastDTW with radius 1: at most nDTW, not exact; computed only when named.",
    formula=lambda measurements: _ndtw(measurements, RADIUS),
    needs_threshold=True,
    approximate=_ndtw,
)
fast_sdtw = FastMetric(
    "SDTW-fast",
    higher_is_better=True,
    unit="0..1",
    paper=NDTW_PAPER,
    definition="SDTW in linear time: SR times nDTW-fast; computed only when named.",
    formula=lambda measurements: _sdtw(measurements, RADIUS),
    needs_threshold=True,
    approximate=_sdtw,
)
FAST_METRICS = (fast_ndtw.name, fast_sdtw.name)
