"""The approximation is never below the exact value and meets it at a large radius."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.metrics import EUCLIDEAN, dtw, fastdtw, fastdtw_batch
from bearleft.metrics.paths import Floats
from tests.metrics.walks import Walks, any_walks


@settings(deadline=None, max_examples=60)
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


@settings(deadline=None, max_examples=60)
@given(any_walks)
def test_exact_at_a_large_radius(walks: Walks) -> None:
    exact = dtw.batch(walks.paths, walks.references, walks.distance)
    np.testing.assert_allclose(fastdtw_batch(walks.paths, walks.references, walks.distance, 20), exact, rtol=1e-12)


def recursive(x: Floats, y: Floats, radius: int) -> tuple[float, list[tuple[int, int]]]:
    """Salvador and Chan's recursion in plain Python; every second point is left out instead of averaged."""
    if min(len(x), len(y)) < radius + 2:
        window = {(i, j) for i in range(len(x)) for j in range(len(y))}
    else:
        _, coarse = recursive(x[::2], y[::2], radius)
        window = {
            (2 * i + a + p, 2 * j + b + q)
            for i, j in coarse
            for a in (0, 1)
            for b in (0, 1)
            for p in range(-radius, radius + 1)
            for q in range(-radius, radius + 1)
        }
    best: dict[tuple[int, int], tuple[float, tuple[int, int]]] = {(-1, -1): (0.0, (-1, -1))}
    for i in range(len(x)):
        for j in range(len(y)):
            if (i, j) in window:
                before = [(i - 1, j - 1), (i - 1, j), (i, j - 1)]
                cost, via = min(((best[b][0], b) for b in before if b in best), key=lambda c: c[0])
                best[i, j] = cost + float(np.linalg.norm(x[i] - y[j])), via
    way = [(len(x) - 1, len(y) - 1)]
    while best[way[-1]][1] != (-1, -1):
        way.append(best[way[-1]][1])
    return best[len(x) - 1, len(y) - 1][0], way


@pytest.mark.parametrize("radius", [0, 1, 2, 4])
def test_the_published_recursion(radius: int) -> None:
    rng = np.random.default_rng(radius)
    for _ in range(60):
        x = rng.normal(size=(rng.integers(1, 60), 2)).cumsum(axis=0)
        y = rng.normal(size=(rng.integers(1, 60), 2)).cumsum(axis=0)
        assert fastdtw(y, x, EUCLIDEAN, radius) == pytest.approx(recursive(x, y, radius)[0], rel=1e-12)


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
