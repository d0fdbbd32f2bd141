"""AD and MD by hand; all else is in test_registry."""

from __future__ import annotations

import pytest

from bearleft.metrics import EUCLIDEAN, ad, md


def test_by_hand() -> None:
    street = [[float(x), 0.0] for x in range(11)]
    walk = [[0.0, 0.0], [5.0, 3.0], [10.0, 1.0], [12.0, 0.0]]
    assert ad(walk, street, EUCLIDEAN) == pytest.approx((0 + 3 + 1 + 2) / 4)
    assert md(walk, street, EUCLIDEAN) == 3


def test_the_order_does_not_count() -> None:
    """Appendix A: flawed in that they do not see the order of the nodes."""
    street = [[float(x), 0.0] for x in range(11)]
    assert ad(street[::-1], street, EUCLIDEAN) == md(street[::-1], street, EUCLIDEAN) == 0
