"""Dynamic time warping: DTW, nDTW, SDTW, and the warping path.

The recurrence itself is `bearleft.metrics.kernels.dtw_strip`; the formulas here read its result as `measurements.dtw`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bearleft.metrics.costs import cost_matrix
from bearleft.metrics.distances import Distance
from bearleft.metrics.kernels import NEEDS_DTW, NEEDS_GOAL
from bearleft.metrics.metric import NDTW_PAPER, PathMeasurements, PathMetric
from bearleft.metrics.ragged_paths import Floats
from bearleft.runtime.compiled import jit


def _ndtw(measurements: PathMeasurements) -> Floats:
    normalised: Floats = np.exp(-measurements.dtw / (measurements.reference_size * measurements.threshold))
    return normalised


dtw = PathMetric(
    "DTW",
    higher_is_better=False,
    unit="distance",
    paper=NDTW_PAPER,
    definition="Dynamic time warping: the least sum of distances over all alignments that keep the order of both.",
    formula=lambda measurements: measurements.dtw,
    needs=NEEDS_DTW,
)
ndtw = PathMetric(
    "nDTW",
    higher_is_better=True,
    unit="0..1",
    paper=NDTW_PAPER,
    definition="Normalised dynamic time warping: exp(-DTW / (|R| * threshold)); 0 where there is no way.",
    formula=_ndtw,
    needs=NEEDS_DTW,
    needs_threshold=True,
)
sdtw = PathMetric(
    "SDTW",
    higher_is_better=True,
    unit="0..1",
    paper=NDTW_PAPER,
    definition="Success weighted by nDTW: SR times nDTW.",
    formula=lambda measurements: measurements.success * _ndtw(measurements),
    needs=NEEDS_DTW | NEEDS_GOAL,
    needs_threshold=True,
)


@jit
def _backtrack(cost: Any, steps: Any) -> int:
    """Write the optimal alignment, from the end to the start, into `steps`; return its length."""
    height, width = cost.shape
    total = np.empty((height, width))
    for i in range(height):
        for j in range(width):
            previous = np.inf
            if i == 0 and j == 0:
                previous = 0.0
            if i > 0:
                previous = min(previous, total[i - 1, j])
            if j > 0:
                previous = min(previous, total[i, j - 1])
            if i > 0 and j > 0:
                previous = min(previous, total[i - 1, j - 1])
            total[i, j] = previous + cost[i, j]
    i, j, count = height - 1, width - 1, 0
    while True:
        steps[count, 0], steps[count, 1] = i, j
        count += 1
        if i == 0 and j == 0:
            return count
        # Prefer the diagonal: of equal alignments the shortest.
        if i == 0:
            j -= 1
        elif j == 0:
            i -= 1
        elif total[i - 1, j - 1] <= total[i - 1, j] and total[i - 1, j - 1] <= total[i, j - 1]:
            i, j = i - 1, j - 1
        elif total[i - 1, j] <= total[i, j - 1]:
            i -= 1
        else:
            j -= 1


def warping_path(path: Any, reference: Any, distance: Distance) -> list[tuple[int, int]]:
    """Return the optimal alignment of a path and its reference.

    Args:
        path: The path.
        reference: The reference.
        distance: The distance of two points.

    Returns:
        Pairs of an index into the reference and an index into the path, first to last.
    """
    cost = cost_matrix(path, reference, distance)
    steps = np.empty((sum(cost.shape), 2), np.int64)
    count = _backtrack(cost, steps)
    return [(int(i), int(j)) for i, j in steps[:count][::-1]]
