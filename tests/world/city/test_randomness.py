"""Draws: even, apart from each other, within their bounds, and the numbers they have always been."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bearleft.world.city.randomness import MAX_SEED, Stage, chance, hashes, integers, weighted_choice

MANY = np.arange(100_000)
RARE = 1e-4  # a fair draw fails a test this seldom; the seeds are fixed, so it never does so by chance


def even(drawn: npt.ArrayLike, shares: npt.ArrayLike) -> bool:
    """Whether numbers from 0 on come as often as their shares say, by chi-square."""
    weights = np.asarray(shares, float)
    counts = np.bincount(np.asarray(drawn), minlength=len(weights))
    return bool(stats.chisquare(counts, weights / weights.sum() * counts.sum()).pvalue > RARE)


def test_the_numbers_stay_what_they_are() -> None:
    """Every city rests on these: where they change, every city changes."""
    assert [f"{word:016x}" for word in hashes(0, Stage.STREETS, [0, 1, -1])] == [
        "4e96155e5f0a1c3f",
        "df6309d64d15629a",
        "8522e150cb02e1da",
    ]
    assert integers(7, Stage.LOTS, np.arange(8), 0, 99).tolist() == [89, 77, 40, 27, 16, 22, 62, 84]


@pytest.mark.parametrize("seed", [0, 1, 12345, MAX_SEED])
@pytest.mark.parametrize("stage", list(Stage))
def test_each_stage_draws_evenly(seed: int, stage: Stage) -> None:
    assert even(integers(seed, stage, MANY, 0, 99), np.ones(100))
    assert even(integers(seed, stage, 5, 0, 99, salt=MANY), np.ones(100)), "question by question"


def test_every_bit_is_set_half_of_the_time() -> None:
    for index in (MANY, MANY * 2**20, MANY * 128 + 77, MANY * 1_000_003):
        words = hashes(3, Stage.FURNITURE, index)
        share = [((words >> np.uint64(bit)) & np.uint64(1)).mean() for bit in range(64)]
        assert np.abs(np.array(share) - 0.5).max() < 0.008
        assert len(np.unique(words)) == len(words)


def test_one_bit_of_the_index_changes_half_of_the_word() -> None:
    words = hashes(0, Stage.ROADS, MANY)
    for bit in (0, 1, 5, 16, 31, 62):
        changed = np.bitwise_count(words ^ hashes(0, Stage.ROADS, MANY ^ (1 << bit)))
        assert abs(changed.mean() - 32) < 0.1 and changed.min() > 8


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((0, Stage.STREETS, MANY, 0), (0, Stage.ROADS, MANY, 0)),
        ((0, Stage.LOTS, MANY, 0), (0, Stage.TEXTS, MANY, 0)),
        ((0, Stage.PEOPLE, MANY, 0), (1, Stage.PEOPLE, MANY, 0)),
        ((0, Stage.PEOPLE, MANY, 0), (0, Stage.PEOPLE, MANY, 1)),
        ((0, Stage.PEOPLE, MANY, 0), (0, Stage.PEOPLE, MANY + 1, 0)),
        ((0, Stage.PEOPLE, MANY, 91), (0, Stage.PEOPLE, MANY, 92)),
    ],
)
def test_nothing_follows_from_anything_else(
    one: tuple[int, Stage, npt.NDArray[np.int64], int], other: tuple[int, Stage, npt.NDArray[np.int64], int]
) -> None:
    left, right = (integers(*which[:3], 0, 9, which[3]) for which in (one, other))
    assert even(left * 10 + right, np.ones(100))
    exact = [integers(*which[:3], 0, 2**31, which[3]) for which in (one, other)]
    assert abs(stats.pearsonr(*exact).statistic) < 0.015


def test_no_two_stages_share_a_word() -> None:
    words = np.concatenate([hashes(seed, stage, np.arange(2000)) for seed in range(5) for stage in Stage])
    assert len(np.unique(words)) == len(words)


@settings(deadline=None)
@given(
    st.integers(0, MAX_SEED),
    st.sampled_from(Stage),
    st.integers(-(2**40), 2**40),
    st.integers(-(2**31), 2**31),
    st.integers(0, 2**31),
)
def test_integers_stay_within_their_bounds(seed: int, stage: Stage, index: int, low: int, span: int) -> None:
    drawn = integers(seed, stage, np.arange(index, index + 50), low, low + span)
    assert drawn.dtype == np.int64 and (drawn >= low).all() and (drawn <= low + span).all()
    assert drawn[7] == integers(seed, stage, index + 7, low, low + span), "alone as among others"


def test_both_bounds_are_drawn() -> None:
    assert set(integers(0, Stage.GREENERY, np.arange(200), -2, 2).tolist()) == {-2, -1, 0, 1, 2}
    assert (integers(0, Stage.GREENERY, np.arange(50), 9, 9) == 9).all()
    low, high = np.array([0, 10, 20]), np.array([0, 11, 29])
    drawn = integers(0, Stage.GREENERY, np.arange(3), low, high)
    assert ((low <= drawn) & (drawn <= high)).all()


def test_chances_are_of_a_thousand() -> None:
    assert not chance(0, Stage.CONSTRUCTION, MANY, 0).any()
    assert chance(0, Stage.CONSTRUCTION, MANY, 1000).all()
    for per_mille in (1, 35, 500, 990):
        assert even(chance(2, Stage.CONSTRUCTION, MANY, per_mille).astype(int), [1000 - per_mille, per_mille])
    assert chance(0, Stage.CONSTRUCTION, [4, 4], [0, 1000]).tolist() == [False, True]


def test_one_of_goes_by_its_weights() -> None:
    assert even(weighted_choice(0, Stage.BUILDINGS, MANY, [55, 30, 15]), [55, 30, 15])
    weights = [0, 3, 0, 0, 1, 0]
    drawn = weighted_choice(0, Stage.BUILDINGS, MANY, weights)
    assert set(drawn.tolist()) == {1, 4} and abs((drawn == 1).mean() - 0.75) < 0.01
    assert (weighted_choice(0, Stage.BUILDINGS, np.arange(20), [5]) == 0).all()
