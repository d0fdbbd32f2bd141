"""How far a path strays from its reference: AD, MD."""

from __future__ import annotations

from bearleft.metrics.kernels import DEVIATE
from bearleft.metrics.metric import NDTW_PAPER, PathMetric

ad = PathMetric(
    "AD",
    up=False,
    unit="distance",
    paper=NDTW_PAPER,
    definition="Average deviation: the mean distance from the path's points to the reference.",
    formula=lambda measured: measured.mean_deviation,
    needs=DEVIATE,
)
md = PathMetric(
    "MD",
    up=False,
    unit="distance",
    paper=NDTW_PAPER,
    definition="Max deviation: the greatest distance from a point of the path to the reference.",
    formula=lambda measured: measured.max_deviation,
    needs=DEVIATE,
)
