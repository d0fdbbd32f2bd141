"""SPL by hand."""

from __future__ import annotations

import numpy as np
import pytest

from bearleft.metrics import spl

LINE = np.abs(np.arange(9)[:, None] - np.arange(9)).astype(np.float64)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ([0, 1, 2, 3, 4], 1.0),
        ([0, 1, 2, 3], 1.0),  # within the threshold, and shorter than the shortest way: capped
        ([0, 1, 0, 1, 2, 3, 4], 4 / 6),
        ([0, 1, 2], 0.0),
        ([4], 1.0),  # it began at the goal and stayed
        ([4, 5, 4], 0.0),
    ],
)
def test_by_hand(path: list[int], expected: float) -> None:
    assert spl(path, [0, 1, 2, 3, 4], LINE, 1) == pytest.approx(expected)
