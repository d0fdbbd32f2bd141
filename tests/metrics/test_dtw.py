"""Dynamic time warping against Equation 1, a third party, and what the paper says of it."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from dtaidistance import dtw as third_party
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.metrics import EUCLIDEAN, SQUARED, dtw, ndtw, sdtw, warping_path
from tests.metrics import slow_reference as slow
from tests.metrics.walks import THRESHOLDS, Walks, any_walks, node_walks, space_walks
from tests.sizes import sized

series = st.lists(st.floats(-100, 100), min_size=1, max_size=25)
# The three corners of a triangle, one apart: the graph of the paper's appendix A.
TRIANGLE = np.ones((3, 3), np.int16) - np.eye(3, dtype=np.int16)
A, B, C = range(3)


@pytest.mark.slow
@settings(deadline=None, max_examples=sized(12, 30))
@given(node_walks(most=5, pairs=4))
def test_the_least_over_all_warpings(walks: Walks) -> None:
    for path, reference in zip(walks.paths, walks.references, strict=True):
        least = slow.dtw_by_all_warpings(path, reference, walks.apart)
        assert dtw(path, reference, walks.distance) == pytest.approx(least, rel=1e-12)


@settings(deadline=None, max_examples=sized(15, 60))
@given(series, series)
def test_a_third_party_agrees(one: list[float], other: list[float]) -> None:
    # Its pruning, on by default, gives infinity for some short series.
    a, b = np.array(one), np.array(other)
    theirs = third_party.distance_fast(a, b, inner_dist="squared euclidean", use_pruning=False)
    assert math.sqrt(dtw(one, other, SQUARED)) == pytest.approx(theirs, rel=1e-9, abs=1e-9)
    theirs = third_party.distance_fast(a, b, inner_dist="euclidean", use_pruning=False)
    assert dtw(one, other, EUCLIDEAN) == pytest.approx(theirs, rel=1e-9, abs=1e-9)


@pytest.mark.slow
@settings(deadline=None, max_examples=sized(15, 60))
@given(any_walks, THRESHOLDS)
def test_scores_are_between_0_and_1(walks: Walks, threshold: float) -> None:
    for metric in (ndtw, sdtw):
        values = metric.batch(walks.paths, walks.references, walks.distance, threshold)
        assert (values >= 0).all() and (values <= 1).all()


@settings(deadline=None, max_examples=sized(15, 60))
@given(space_walks(), THRESHOLDS)
def test_1_is_for_the_same_path_alone(walks: Walks, threshold: float) -> None:
    scores = ndtw.batch(walks.paths, walks.references, walks.distance, threshold)
    # Repeating a point costs nothing: the same path is the one with the same points in the same order.
    same = [
        slow.places(path) == slow.places(reference)
        for path, reference in zip(walks.paths, walks.references, strict=True)
    ]
    assert ((scores == 1) == same).all()
    assert (ndtw.batch(walks.paths, walks.paths, walks.distance, threshold) == 1).all()


@settings(deadline=None, max_examples=sized(15, 60))
@given(space_walks())
def test_dtw_is_symmetric(walks: Walks) -> None:
    there = dtw.batch(walks.paths, walks.references, walks.distance)
    back = dtw.batch(walks.references, walks.paths, walks.distance)
    np.testing.assert_allclose(there, back, rtol=1e-12, atol=1e-12)


@settings(deadline=None, max_examples=sized(15, 60))
@given(any_walks)
def test_a_warping_is_one_and_costs_dtw(walks: Walks) -> None:
    for path, reference in zip(walks.paths, walks.references, strict=True):
        way = warping_path(path, reference, walks.distance)
        assert way[0] == (0, 0) and way[-1] == (len(reference) - 1, len(path) - 1)
        steps = {(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(way)}
        assert steps <= {(1, 1), (1, 0), (0, 1)}
        cost = sum(walks.apart(path[j], reference[i]) for i, j in way)
        assert cost == pytest.approx(dtw(path, reference, walks.distance), rel=1e-9, abs=1e-9)


def test_order_counts() -> None:
    """Appendix A: an agent that goes (a, c, b, a) instead of (a, b, c, a) runs the errand backwards."""
    right, reversed_ = [A, B, C, A], [A, C, B, A]
    assert ndtw(right, right, TRIANGLE, 1) == 1
    assert ndtw(reversed_, right, TRIANGLE, 1) == pytest.approx(math.exp(-2 / 4))


def test_success_is_at_most_the_threshold() -> None:
    line = np.abs(np.arange(5)[:, None] - np.arange(5)).astype(np.float64)
    assert sdtw([0, 1, 2], [0, 1, 2, 3, 4], line, 2) == ndtw([0, 1, 2], [0, 1, 2, 3, 4], line, 2) > 0
    assert sdtw([0, 1, 2], [0, 1, 2, 3, 4], line, 1.9) == 0


def test_the_denser_path_scores_alike() -> None:
    """The paper: insensitive to the density of the nodes."""
    way = np.linspace([0.0, 0.0], [30.0, 0.0], 11)
    beside = way + np.array([0.0, 2.0])
    for step in (1, 2, 5):
        assert ndtw(beside[::step], way[::step], EUCLIDEAN, 3) == pytest.approx(math.exp(-2 / 3))
