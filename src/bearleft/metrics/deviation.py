"""Deviation of a path from its reference: AD, MD."""

from __future__ import annotations

from bearleft.metrics.kernels import NEEDS_DEVIATION
from bearleft.metrics.metric import NDTW_PAPER, PathMetric

ad = PathMetric(
    "AD",
    higher_is_better=False,
    unit="distance",
    paper=NDTW_PAPER,
    definition="Average deviation: the mean distance from the path's points to the reference.",
    formula=lambda measurements: measurements.mean_deviation,
    needs=NEEDS_DEVIATION,
)
md = PathMetric(
    "MD",
    higher_is_better=False,
    unit="distance",
    paper=NDTW_PAPER,
    definition="Max deviation: the greatest distance from a point of the path to the reference.",
    formula=lambda measurements: measurements.max_deviation,
    needs=NEEDS_DEVIATION,
)
