"""The approximation is never below the exact value and meets it at a large radius."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.metrics import EUCLIDEAN, dtw, fast_ndtw, fast_sdtw, fastdtw, fastdtw_batch, ndtw, path_scores, sdtw
from tests.metrics import slow_reference as slow
from tests.metrics.walks import THRESHOLDS, Walks, any_walks
from tests.sizes import sized


@settings(deadline=None, max_examples=sized(15, 60))
@given(any_walks, st.integers(0, 6))
def test_never_below_the_exact_value(walks: Walks, radius: int) -> None:
    exact = dtw.batch(walks.paths, walks.references, walks.distance)
    fast = fastdtw_batch(walks.paths, walks.references, walks.distance, radius)
    finite = np.isfinite(exact)
    assert (fast[finite] >= exact[finite] - 1e-9 * (1 + exact[finite])).all()
    assert np.isinf(fast[~finite]).all()
    singles = [
        fastdtw(path, reference, walks.distance, radius)
        for path, reference in zip(walks.paths, walks.references, strict=True)
    ]
    np.testing.assert_array_equal(fast, singles)


@pytest.mark.slow
@settings(deadline=None, max_examples=sized(15, 60))
@given(any_walks)
def test_exact_at_a_large_radius(walks: Walks) -> None:
    exact = dtw.batch(walks.paths, walks.references, walks.distance)
    np.testing.assert_allclose(fastdtw_batch(walks.paths, walks.references, walks.distance, 20), exact, rtol=1e-12)


@pytest.mark.parametrize("radius", [0, 1, 2, 4])
def test_the_published_recursion(radius: int) -> None:
    rng = np.random.default_rng(radius)
    for _ in range(60):
        x = rng.normal(size=(rng.integers(1, 60), 2)).cumsum(axis=0)
        y = rng.normal(size=(rng.integers(1, 60), 2)).cumsum(axis=0)
        assert fastdtw(y, x, EUCLIDEAN, radius) == pytest.approx(
            slow.fastdtw(y.tolist(), x.tolist(), math.dist, radius)[0], rel=1e-12
        )


@settings(deadline=None, max_examples=sized(15, 60))
@given(any_walks, THRESHOLDS, st.integers(0, 6))
def test_ndtw_and_sdtw_equal_their_slow_versions(walks: Walks, threshold: float, radius: int) -> None:
    pairs = list(zip(walks.paths, walks.references, strict=True))
    for metric, slowly in ((fast_ndtw, slow.fast_ndtw), (fast_sdtw, slow.fast_sdtw)):
        batch = metric.batch(walks.paths, walks.references, walks.distance, threshold, radius)
        expected = [slowly(path, reference, walks.apart, threshold, radius) for path, reference in pairs]
        np.testing.assert_allclose(batch, expected, rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(batch, [metric(p, r, walks.distance, threshold, radius) for p, r in pairs])


@settings(deadline=None, max_examples=sized(15, 60))
@given(any_walks, THRESHOLDS)
def test_ndtw_and_sdtw_are_at_most_the_exact_ones(walks: Walks, threshold: float) -> None:
    given_ = (walks.paths, walks.references, walks.distance, threshold)
    for fast, exact in ((fast_ndtw, ndtw), (fast_sdtw, sdtw)):
        assert (fast.batch(*given_) <= exact.batch(*given_) + 1e-12).all()
        np.testing.assert_allclose(fast.batch(*given_, radius=20), exact.batch(*given_), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["nDTW-fast", "SDTW-fast"])
def test_the_distance_is_asked_linearly_often(name: str) -> None:
    calls = []
    for length in (100, 200, 400):
        asked: list[float] = []

        def apart(one: float, other: float, asked: list[float] = asked) -> float:
            asked.append(one)
            return abs(one - other)

        line = np.sin(np.arange(length) / 7).tolist()
        path_scores([name], [line], [line[::-1]], apart, 1.0)
        calls.append(len(asked))
    # Twice the points, about twice the questions; the whole table would have 40,000 cells for 200 points.
    assert calls[1] <= 2.2 * calls[0] and calls[2] <= 2.2 * calls[1] and calls[1] < 5000


def test_it_is_an_approximation() -> None:
    rng = np.random.default_rng(0)
    paths = rng.normal(size=(200, 40, 2)).cumsum(axis=1)
    references = rng.normal(size=(200, 40, 2)).cumsum(axis=1)
    exact, fast = dtw.batch(paths, references, EUCLIDEAN), fastdtw_batch(paths, references, EUCLIDEAN, 1)
    assert (fast > exact + 1e-9).sum() > 20


@pytest.mark.parametrize("radius", [-1, 1.5, True, None])
def test_a_radius_is_a_whole_number(radius: int) -> None:
    with pytest.raises(InputError, match="a radius of 0 or more cells"):
        fastdtw([[0.0]], [[0.0]], EUCLIDEAN, radius)
    with pytest.raises(InputError, match="a radius of 0 or more cells"):
        fast_ndtw([[0.0]], [[0.0]], EUCLIDEAN, 1.0, radius)
