"""Batches of paths, and every mistake one can make with them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.metrics import EUCLIDEAN, NodeDistances, Ragged, ndtw, pl, sdtw
from bearleft.metrics.ragged_paths import coordinate_paths, node_paths

LINE = np.abs(np.arange(5)[:, None] - np.arange(5)).astype(np.int16)
lists = st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=6), min_size=1, max_size=6)


@given(lists)
def test_a_batch_is_its_paths(paths: list[list[int]]) -> None:
    batch = node_paths(paths, "paths", 5)
    assert len(batch) == len(paths)
    assert [path.tolist() for path in batch] == paths
    assert batch[-1].tolist() == paths[-1]
    which = list(range(len(paths)))[::-1] * 2
    assert [path.tolist() for path in batch.take(which)] == [paths[k] for k in which]
    kept = [[p for k, p in enumerate(path) if k == 0 or path[k - 1] != p] for path in paths]
    assert [path.tolist() for path in batch.without_repeats()] == kept


def test_every_form_of_a_batch_is_the_same() -> None:
    paths = [[0, 1, 2], [2, 3, 4]]
    forms: list[Any] = [
        paths,
        [np.array(path) for path in paths],
        np.array(paths),
        np.array(paths, np.uint8),
        tuple(map(tuple, paths)),
        Ragged(np.array([0, 1, 2, 2, 3, 4]), np.array([0, 3, 6])),
    ]
    for form in forms:
        assert pl.batch(form, form, LINE).tolist() == [2, 2]
    series: list[Any] = [
        [[0.0, 3.0], [1.0, 1.0]],
        np.array([[[0.0], [3.0]], [[1.0], [1.0]]]),
        np.array([[0, 3], [1, 1]]),
    ]
    for form in series:
        assert pl.batch(form, form, EUCLIDEAN).tolist() == [3, 0]


@pytest.mark.parametrize(
    ("path", "reference", "distance", "threshold", "message"),
    [
        ([], [0], LINE, 1, "field path: expected a path of at least one point, got an empty path"),
        ([0], [], LINE, 1, "field reference: expected a path of at least one point, got an empty path"),
        ([], [[0.0]], EUCLIDEAN, 1, "field path: expected a path of at least one point"),
        ([0], [], lambda *_: 0.0, 1, "field reference: expected a path of at least one point"),
        ([0, 1, 5], [0], LINE, 1, r"field path\[2\]: expected a node from 0 to 4, got 5"),
        ([0], [1, -1], LINE, 1, r"field reference\[1\]: expected a node from 0 to 4, got -1"),
        ([0.5], [0], LINE, 1, "expected paths of node indices"),
        (["a"], [0], LINE, 1, "expected paths of node indices"),
        (3, [0], LINE, 1, "expected a list of paths"),
        (
            [[0.0, math.nan]],
            [[0.0, 0.0]],
            EUCLIDEAN,
            1,
            r"field path\[0\]: expected finite coordinates, got \[0.0, nan\]",
        ),
        ([[0.0]], [[0.0], [math.inf]], EUCLIDEAN, 1, r"field reference\[1\]: expected finite coordinates"),
        ([[0.0, 1.0]], [[0.0]], EUCLIDEAN, 1, "references in 2 dimensions like the paths, got 1"),
        ([[0.0, 1.0], [0.0]], [[0.0]], EUCLIDEAN, 1, "coordinates, equally many for every point"),
        (["x"], [[0.0]], EUCLIDEAN, 1, "expected paths of coordinates"),
        ([[[0.0]]], [[0.0]], EUCLIDEAN, 1, "expected paths of coordinates"),
        ([0], [0], LINE, 0, "field threshold: expected a threshold distance above 0, got 0.0"),
        ([0], [0], LINE, math.nan, "expected a threshold distance above 0"),
        ([0], [0], LINE, "3", "expected a threshold distance"),
        ([0], [0], LINE, None, "expected a threshold distance"),
        ([0], [0], LINE[:2], 1, "expected a square matrix of distances"),
        ([0], [0], LINE[0], 1, "expected a matrix of distances between nodes"),
        ([0], [0], LINE.astype(str), 1, "expected a matrix of distances between nodes"),
        ([0], [0], "hops", 1, "expected a distance, got"),
        ([0], [0], lambda *_: -1.0, 1, "a distance function that returns numbers from 0 up, got -1.0"),
        ([0], [0], lambda *_: math.nan, 1, "a distance function that returns numbers from 0 up, got nan"),
    ],
)
def test_mistakes_are_named(path: Any, reference: Any, distance: Any, threshold: Any, message: str) -> None:
    for metric in (ndtw, sdtw):
        with pytest.raises(InputError, match=message):
            metric(path, reference, distance, threshold)


def test_mistakes_in_a_batch_say_where() -> None:
    with pytest.raises(InputError, match=r"field paths\[1\]\[2\]: expected a node from 0 to 4, got 9"):
        ndtw.batch([[0], [1, 2, 9]], [[0], [0]], LINE, 1)
    with pytest.raises(InputError, match=r"field paths\[1\]: expected a path of at least one point"):
        ndtw.batch(Ragged(np.array([0, 1]), np.array([0, 2, 2])), [[0], [0]], LINE, 1)
    with pytest.raises(InputError, match="2 references, one for each path, got 1"):
        ndtw.batch([[0], [1]], [[0]], LINE, 1)
    with pytest.raises(InputError, match="node indices below 5"):
        NodeDistances(LINE[:2], [0, 7])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="starts that rise from 0 to 2"):
        Ragged(np.array([0, 1]), np.array([0, 3]))
    with pytest.raises(InputError, match="starts: a list of whole numbers"):
        Ragged(np.array([0, 1]), np.array([0.0, 2.0]))
    assert len(coordinate_paths([], "paths")) == 0
