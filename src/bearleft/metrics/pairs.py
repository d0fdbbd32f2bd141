"""Measures of minimal pairs: two episodes that differ in one word and have different answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.metrics.metric import CONTRAST_PAPER, Metric
from bearleft.metrics.paths import Floats


@dataclass(frozen=True, eq=False)
class OfPairs(Metric):
    """1 for a pair both of whose texts were done right, else 0; with `second` the changed text alone counts."""

    second: bool = False

    def __call__(self, original: npt.ArrayLike, changed: npt.ArrayLike) -> Floats:
        one, other = np.asarray(original, bool), np.asarray(changed, bool)
        if one.shape != other.shape:
            raise InputError(f"{one.size} changed episodes, one for each original", str(other.size), "changed")
        return (other if self.second else one & other).astype(np.float64)


both_right = OfPairs(
    "Pairs", True, "%", CONTRAST_PAPER, "Share of minimal pairs both of whose texts were done right.", percent=True
)
changed_right = OfPairs(
    "Changed",
    True,
    "%",
    CONTRAST_PAPER,
    "Share of minimal pairs whose changed text was done right.",
    percent=True,
    second=True,
)
