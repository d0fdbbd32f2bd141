"""Metrics of minimal pairs: two episodes that differ in one word and have different answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.metrics.metric import CONTRAST_PAPER, Metric
from bearleft.metrics.ragged_paths import Floats


@dataclass(frozen=True, eq=False)
class PairAccuracy(Metric):
    """1 for a pair of which both episodes were solved, else 0.

    Attributes:
        changed_only: Whether only the episode with the changed text counts.
    """

    changed_only: bool = False

    def __call__(self, original: npt.ArrayLike, changed: npt.ArrayLike) -> Floats:
        """Return the value of each pair.

        Args:
            original: Whether the episode with the original text was solved.
            changed: Whether the episode with the changed text was solved.
        """
        first, second = np.asarray(original, bool), np.asarray(changed, bool)
        if first.shape != second.shape:
            raise InputError(f"{first.size} changed episodes, one for each original", str(second.size), "changed")
        return (second if self.changed_only else first & second).astype(np.float64)


both_correct = PairAccuracy(
    "Pairs",
    True,
    "%",
    CONTRAST_PAPER,
    "Share of minimal pairs both of whose texts were done right.",
    percent=True,
    binary=True,
)
changed_correct = PairAccuracy(
    "Changed",
    True,
    "%",
    CONTRAST_PAPER,
    "Share of minimal pairs whose changed text was done right.",
    percent=True,
    binary=True,
    changed_only=True,
)
