"""Coverage weighted by length score: CLS."""

from __future__ import annotations

import numpy as np

from bearleft.metrics.kernels import NEEDS_COVERAGE
from bearleft.metrics.metric import NDTW_PAPER, PathMeasurements, PathMetric
from bearleft.metrics.ragged_paths import Floats


def coverage_weighted(coverage: Floats, reference_length: Floats, path_length: Floats) -> Floats:
    """Return PC * LS from the coverage PC and the lengths of references and paths."""
    expected = coverage * np.where(np.isfinite(reference_length), reference_length, 0.0)
    with np.errstate(invalid="ignore"):
        # Lengths that are both 0 agree.
        score = np.where(
            (expected == 0) & (path_length == 0), 1.0, expected / (expected + np.abs(expected - path_length))
        )
    return np.where(np.isfinite(reference_length), coverage * score, 0.0)


def _cls(measurements: PathMeasurements) -> Floats:
    return coverage_weighted(measurements.coverage, measurements.reference_length, measurements.path_length)


cls = PathMetric(
    "CLS",
    higher_is_better=True,
    unit="0..1",
    paper=NDTW_PAPER,
    definition="Coverage weighted by length score: PC * LS. PC is the mean over the reference's points of"
    " exp(-distance to the path / threshold), LS = PC PL(R) / (PC PL(R) + |PC PL(R) - PL(Q)|).",
    formula=_cls,
    needs=NEEDS_COVERAGE,
    needs_threshold=True,
)
