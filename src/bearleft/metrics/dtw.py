"""Dynamic time warping: DTW, nDTW, SDTW, and the warping itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from bearleft.metrics.costs import costs
from bearleft.metrics.distances import Distance
from bearleft.metrics.kernels import GOAL, WARP
from bearleft.metrics.metric import NDTW_PAPER, Measured, PathMetric
from bearleft.metrics.paths import Floats
from bearleft.runtime.compiled import jit


def _ndtw(measured: Measured) -> Floats:
    normalised: Floats = np.exp(-measured.dtw / (measured.points * measured.threshold))
    return normalised


dtw = PathMetric(
    "DTW",
    up=False,
    unit="distance",
    paper=NDTW_PAPER,
    definition="Dynamic time warping: the least sum of distances over all alignments that keep the order of both.",
    formula=lambda measured: measured.dtw,
    needs=WARP,
)
ndtw = PathMetric(
    "nDTW",
    up=True,
    unit="0..1",
    paper=NDTW_PAPER,
    definition="Normalised dynamic time warping: exp(-DTW / (|R| * threshold)); 0 where there is no way.",
    formula=_ndtw,
    needs=WARP,
    thresholded=True,
)
sdtw = PathMetric(
    "SDTW",
    up=True,
    unit="0..1",
    paper=NDTW_PAPER,
    definition="Success weighted by nDTW: SR times nDTW.",
    formula=lambda measured: measured.success * _ndtw(measured),
    needs=WARP | GOAL,
    thresholded=True,
)


@jit
def _warping(cost: Any, way: Any) -> int:
    """The best alignment of all points, from the end to the start, into `way`; how many steps it has."""
    height, width = cost.shape
    total = np.empty((height, width))
    for i in range(height):
        for j in range(width):
            before = np.inf
            if i == 0 and j == 0:
                before = 0.0
            if i > 0:
                before = min(before, total[i - 1, j])
            if j > 0:
                before = min(before, total[i, j - 1])
            if i > 0 and j > 0:
                before = min(before, total[i - 1, j - 1])
            total[i, j] = before + cost[i, j]
    i, j, steps = height - 1, width - 1, 0
    while True:
        way[steps, 0], way[steps, 1] = i, j
        steps += 1
        if i == 0 and j == 0:
            return steps
        # The diagonal first: of equal alignments the shortest.
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


def warping(path: Any, reference: Any, distance: Distance) -> list[tuple[int, int]]:
    """The best alignment as pairs (number in the reference, number in the path), first to last."""
    cost = costs(path, reference, distance)
    way = np.empty((sum(cost.shape), 2), np.int64)
    steps = _warping(cost, way)
    return [(int(i), int(j)) for i, j in way[:steps][::-1]]
