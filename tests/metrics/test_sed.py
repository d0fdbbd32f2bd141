"""SED over places and over moves, and the edit distances under it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import OSA, Levenshtein

from bearleft.metrics import Ragged, sed, sed_moves
from bearleft.metrics.edits import edit_distances
from tests.metrics import slow_reference as slow
from tests.metrics.walks import THRESHOLDS, Walks, any_walks
from tests.sizes import sized

sequences = st.lists(st.integers(0, 5), min_size=1, max_size=30)


def ragged(lists: list[list[int]]) -> Ragged:
    return Ragged(np.concatenate(lists), np.concatenate([[0], np.cumsum([len(one) for one in lists])]))


@pytest.mark.slow
@settings(deadline=None, max_examples=sized(37, 150))
@given(st.lists(st.tuples(sequences, sequences), min_size=1, max_size=6))
def test_a_third_party_agrees(pairs: list[tuple[list[int], list[int]]]) -> None:
    ours, theirs = ragged([a for a, _ in pairs]), ragged([b for _, b in pairs])
    assert edit_distances(ours, theirs).tolist() == [Levenshtein.distance(a, b) for a, b in pairs]
    assert edit_distances(ours, theirs, transpositions=True).tolist() == [OSA.distance(a, b) for a, b in pairs]
    moves = [(list(pairwise(a)), list(pairwise(b))) for a, b in pairs]
    assert edit_distances(ours, theirs, moves=True).tolist() == [Levenshtein.distance(a, b) for a, b in moves]


@settings(deadline=None, max_examples=sized(15, 60))
@given(st.lists(st.integers(0, 3), min_size=1, max_size=7), st.lists(st.integers(0, 3), min_size=1, max_size=7))
def test_the_slow_version_agrees(one: list[int], other: list[int]) -> None:
    a, b = tuple(one), tuple(other)
    assert edit_distances(ragged([one]), ragged([other]))[0] == slow.levenshtein(a, b)
    assert edit_distances(ragged([one]), ragged([other]), transpositions=True)[0] == slow.levenshtein(
        a, b, transpositions=True
    )


@settings(deadline=None, max_examples=sized(15, 60))
@given(any_walks, THRESHOLDS)
def test_over_moves(walks: Walks, threshold: float) -> None:
    expected = [
        slow.sed_moves(path, reference, walks.apart, threshold)
        for path, reference in zip(walks.paths, walks.references, strict=True)
    ]
    np.testing.assert_allclose(
        sed_moves.batch(walks.paths, walks.references, walks.distance, threshold), expected, rtol=1e-12
    )


LINE = np.abs(np.arange(9)[:, None] - np.arange(9)).astype(np.int16)


@pytest.mark.parametrize(
    ("path", "places", "moves"),
    [
        ([0, 1, 2, 3, 4], 1.0, 1.0),
        ([0, 0, 1, 2, 2, 2, 3, 4], 1.0, 1.0),  # turns on the spot are no places
        ([0, 1, 2, 3], 4 / 5, 3 / 4),  # the neighbour of the goal counts
        ([0, 1, 2], 0.0, 0.0),  # no success
        ([1, 2, 3, 4], 4 / 5, 3 / 4),
        ([0, 1, 2, 1, 2, 3, 4], 5 / 7, 4 / 6),
    ],
)
def test_by_hand(path: list[int], places: float, moves: float) -> None:
    assert sed(path, [0, 1, 2, 3, 4], LINE, 1) == pytest.approx(places)
    assert sed_moves(path, [0, 1, 2, 3, 4], LINE, 1) == pytest.approx(moves)


def test_no_move_equals_no_move() -> None:
    assert sed_moves([3], [3], LINE, 1) == 1
    assert sed([3], [3], LINE, 1) == 1
    assert sed_moves([2], [3], LINE, 1) == 1  # both make no move, and it ends within the threshold
    assert sed([2], [3], LINE, 1) == 0
