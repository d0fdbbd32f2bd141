"""CLS: the paper's example, and the edges of its formula."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bearleft.metrics import cls

TRIANGLE = np.ones((3, 3), np.int16) - np.eye(3, dtype=np.int16)
A, B, C = range(3)


def test_order_does_not_count() -> None:
    """Appendix A: for R = (a, b, c, a), both (a, c, b, a) and (a, b, c, a) have the same CLS."""
    assert cls([A, C, B, A], [A, B, C, A], TRIANGLE, 1) == cls([A, B, C, A], [A, B, C, A], TRIANGLE, 1) == 1


def test_coverage_and_length_by_hand() -> None:
    line = np.abs(np.arange(5)[:, None] - np.arange(5)).astype(np.int16)
    coverage = (1 + 1 + 1 + math.exp(-1 / 2) + math.exp(-2 / 2)) / 5
    expected = coverage * 4
    assert cls([0, 1, 2], [0, 1, 2, 3, 4], line, 2) == pytest.approx(coverage * expected / (expected + expected - 2))


def test_one_point_has_no_length() -> None:
    line = np.abs(np.arange(5)[:, None] - np.arange(5)).astype(np.int16)
    assert cls([3], [3], line, 1) == 1
    assert cls([2], [3], line, 1) == pytest.approx(math.exp(-1))
    assert cls([3, 2], [3], line, 1) == 0
