"""Coverage weighted by length score: CLS."""

from __future__ import annotations

import numpy as np

from bearleft.metrics.kernels import COVER
from bearleft.metrics.metric import NDTW_PAPER, Measured, PathMetric
from bearleft.metrics.paths import Floats


def coverage_weighted(coverage: Floats, asked: Floats, walked: Floats) -> Floats:
    """PC * LS from the coverage and the lengths of reference and path."""
    expected = coverage * np.where(np.isfinite(asked), asked, 0.0)
    with np.errstate(invalid="ignore"):
        # Lengths that are both 0 agree.
        score = np.where((expected == 0) & (walked == 0), 1.0, expected / (expected + np.abs(expected - walked)))
    return np.where(np.isfinite(asked), coverage * score, 0.0)


def _cls(measured: Measured) -> Floats:
    return coverage_weighted(measured.coverage, measured.reference_length, measured.path_length)


cls = PathMetric(
    "CLS",
    up=True,
    unit="0..1",
    paper=NDTW_PAPER,
    definition="Coverage weighted by length score: PC * LS. PC is the mean over the reference's points of"
    " exp(-distance to the path / threshold), LS = PC PL(R) / (PC PL(R) + |PC PL(R) - PL(Q)|).",
    formula=_cls,
    needs=COVER,
    thresholded=True,
)
