"""Success weighted by path length: SPL."""

from __future__ import annotations

import numpy as np

from bearleft.metrics.kernels import GOAL
from bearleft.metrics.metric import NDTW_PAPER, Measured, PathMetric
from bearleft.metrics.paths import Floats


def _spl(measured: Measured) -> Floats:
    shortest, walked = measured.start, measured.path_length
    # Who starts at the goal and stays has taken the shortest way.
    with np.errstate(invalid="ignore"):
        efficiency = np.where(shortest == 0, walked == 0, shortest / np.maximum(walked, shortest))
    return np.where(measured.success, np.where(np.isfinite(walked), efficiency, 0.0), 0.0)


spl = PathMetric(
    "SPL",
    up=True,
    unit="0..1",
    paper=NDTW_PAPER,
    definition="Success weighted by path length: SR times the shortest way to the goal over the longer of it and PL.",
    formula=_spl,
    needs=GOAL,
    thresholded=True,
)
