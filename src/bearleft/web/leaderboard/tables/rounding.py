"""Rounding of figures that others may see.

Exact figures of many submissions tell the answers of a hidden test set, one by one. On a hidden track every figure is
rounded before anything else is done with it: rows are sorted by rounded figures, and files hold nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

from bearleft.metrics.registry import METRICS

FRACTION_DECIMALS = 2  # more of metrics from 0 to 1: as many digits as percent have
PRINTED_DECIMALS = 2  # in tables for people, where figures are not rounded
MIN_P = 0.01  # smaller p values are given as this one
P_DECIMALS = 2


@dataclass(frozen=True)
class Rounding:
    """How figures of a track are rounded.

    Attributes:
        decimals: Decimals of percent and distances; None rounds nothing.
    """

    decimals: int | None = None

    def digits(self, metric: str) -> int:
        """Return the decimals with which a metric is printed."""
        decimals = PRINTED_DECIMALS if self.decimals is None else self.decimals
        return decimals + (FRACTION_DECIMALS if METRICS[metric].unit == "0..1" else 0)

    def figure(self, metric: str, value: float) -> float:
        """Return a figure as others may see it."""
        if self.decimals is None:
            return value
        return round(value, self.digits(metric)) + 0.0  # no -0.0

    def p_value(self, p: float) -> float:
        """Return a p value as others may see it."""
        return p if self.decimals is None else max(MIN_P, round(p, P_DECIMALS))
