"""Success weighted by path length: SPL."""

from __future__ import annotations

import numpy as np

from bearleft.metrics.kernels import NEEDS_GOAL
from bearleft.metrics.metric import NDTW_PAPER, PathMeasurements, PathMetric
from bearleft.metrics.ragged_paths import Floats


def _spl(measurements: PathMeasurements) -> Floats:
    shortest, walked = measurements.start, measurements.path_length
    # A path that starts at the goal and stays there is optimal.
    with np.errstate(invalid="ignore"):
        efficiency = np.where(shortest == 0, walked == 0, shortest / np.maximum(walked, shortest))
    return np.where(measurements.success, np.where(np.isfinite(walked), efficiency, 0.0), 0.0)


spl = PathMetric(
    "SPL",
    higher_is_better=True,
    unit="0..1",
    paper=NDTW_PAPER,
    definition="Success weighted by path length: SR times the shortest way to the goal over the longer of it and PL.",
    formula=_spl,
    needs=NEEDS_GOAL,
    needs_threshold=True,
)
