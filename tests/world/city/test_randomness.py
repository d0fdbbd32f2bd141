"""Hash-based random numbers: uniform, independent, within bounds and unchanged."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bearleft.errors import InputError
from bearleft.world.city.plan import check_draw_seed, check_seed
from bearleft.world.city.randomness import MAX_SEED, SECRET_SEEDS, Stage, chance, hashes, integers, weighted_choice

INDICES = np.arange(100_000)
MIN_P_VALUE = 1e-4  # significance level; the seeds are fixed, so the tests are deterministic


def matches_shares(numbers: npt.ArrayLike, shares: npt.ArrayLike) -> bool:
    """Return whether numbers from 0 on occur with the given shares (chi-square test)."""
    weights = np.asarray(shares, float)
    counts = np.bincount(np.asarray(numbers), minlength=len(weights))
    return bool(stats.chisquare(counts, weights / weights.sum() * counts.sum()).pvalue > MIN_P_VALUE)


def test_numbers_are_unchanged() -> None:
    """If these change, every city changes."""
    assert [f"{value:016x}" for value in hashes(0, Stage.STREETS, [0, 1, -1])] == [
        "4e96155e5f0a1c3f",
        "df6309d64d15629a",
        "8522e150cb02e1da",
    ]
    assert integers(7, Stage.LOTS, np.arange(8), 0, 99).tolist() == [89, 77, 40, 27, 16, 22, 62, 84]


@pytest.mark.parametrize("seed", [0, 1, 12345, MAX_SEED])
@pytest.mark.parametrize("stage", list(Stage))
def test_integers_are_uniform(seed: int, stage: Stage) -> None:
    assert matches_shares(integers(seed, stage, INDICES, 0, 99), np.ones(100))
    assert matches_shares(integers(seed, stage, 5, 0, 99, salt=INDICES), np.ones(100)), "over salts"


def test_every_bit_is_balanced() -> None:
    for index in (INDICES, INDICES * 2**20, INDICES * 128 + 77, INDICES * 1_000_003):
        bits = hashes(3, Stage.FURNITURE, index)
        share = [((bits >> np.uint64(bit)) & np.uint64(1)).mean() for bit in range(64)]
        assert np.abs(np.array(share) - 0.5).max() < 0.008
        assert len(np.unique(bits)) == len(bits)


def test_one_bit_of_the_index_changes_half_of_the_hash() -> None:
    bits = hashes(0, Stage.ROADS, INDICES)
    for bit in (0, 1, 5, 16, 31, 62):
        changed = np.bitwise_count(bits ^ hashes(0, Stage.ROADS, INDICES ^ (1 << bit)))
        assert abs(changed.mean() - 32) < 0.1 and changed.min() > 8


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((0, Stage.STREETS, INDICES, 0), (0, Stage.ROADS, INDICES, 0)),
        ((0, Stage.LOTS, INDICES, 0), (0, Stage.TEXTS, INDICES, 0)),
        ((0, Stage.PEOPLE, INDICES, 0), (1, Stage.PEOPLE, INDICES, 0)),
        ((0, Stage.PEOPLE, INDICES, 0), (0, Stage.PEOPLE, INDICES, 1)),
        ((0, Stage.PEOPLE, INDICES, 0), (0, Stage.PEOPLE, INDICES + 1, 0)),
        ((0, Stage.PEOPLE, INDICES, 91), (0, Stage.PEOPLE, INDICES, 92)),
    ],
)
def test_numbers_are_independent(
    first: tuple[int, Stage, npt.NDArray[np.int64], int], second: tuple[int, Stage, npt.NDArray[np.int64], int]
) -> None:
    left, right = (integers(*arguments[:3], 0, 9, salt=arguments[3]) for arguments in (first, second))
    assert matches_shares(left * 10 + right, np.ones(100))
    exact = [integers(*arguments[:3], 0, 2**31, salt=arguments[3]) for arguments in (first, second)]
    assert abs(stats.pearsonr(*exact).statistic) < 0.015


def test_stages_do_not_share_hashes() -> None:
    bits = np.concatenate([hashes(seed, stage, np.arange(2000)) for seed in range(5) for stage in Stage])
    assert len(np.unique(bits)) == len(bits)


@settings(deadline=None)
@given(
    st.integers(0, MAX_SEED),
    st.sampled_from(Stage),
    st.integers(-(2**40), 2**40),
    st.integers(-(2**31), 2**31),
    st.integers(0, 2**31),
)
def test_integers_stay_within_their_bounds(seed: int, stage: Stage, index: int, low: int, span: int) -> None:
    numbers = integers(seed, stage, np.arange(index, index + 50), low, low + span)
    assert numbers.dtype == np.int64 and (numbers >= low).all() and (numbers <= low + span).all()
    assert numbers[7] == integers(seed, stage, index + 7, low, low + span), "independent of other indices"


def test_both_bounds_occur() -> None:
    assert set(integers(0, Stage.GREENERY, np.arange(200), -2, 2).tolist()) == {-2, -1, 0, 1, 2}
    assert (integers(0, Stage.GREENERY, np.arange(50), 9, 9) == 9).all()
    low, high = np.array([0, 10, 20]), np.array([0, 11, 29])
    numbers = integers(0, Stage.GREENERY, np.arange(3), low, high)
    assert ((low <= numbers) & (numbers <= high)).all()


def test_chance_is_per_mille() -> None:
    assert not chance(0, Stage.CONSTRUCTION, INDICES, 0).any()
    assert chance(0, Stage.CONSTRUCTION, INDICES, 1000).all()
    for per_mille in (1, 35, 500, 990):
        assert matches_shares(
            chance(2, Stage.CONSTRUCTION, INDICES, per_mille).astype(int), [1000 - per_mille, per_mille]
        )
    assert chance(0, Stage.CONSTRUCTION, [4, 4], [0, 1000]).tolist() == [False, True]


def test_weighted_choice_follows_its_weights() -> None:
    assert matches_shares(weighted_choice(0, Stage.BUILDINGS, INDICES, [55, 30, 15]), [55, 30, 15])
    weights = [0, 3, 0, 0, 1, 0]
    numbers = weighted_choice(0, Stage.BUILDINGS, INDICES, weights)
    assert set(numbers.tolist()) == {1, 4} and abs((numbers == 1).mean() - 0.75) < 0.01
    assert (weighted_choice(0, Stage.BUILDINGS, np.arange(20), [5]) == 0).all()


def siphash(key: bytes, data: bytes) -> int:
    """Return SipHash-2-4 as its paper describes it, byte strings in, with Python's integers."""

    def rotate(x: int, bits: int) -> int:
        return (x << bits | x >> (64 - bits)) % 2**64

    def rounds(count: int) -> None:
        for _ in range(count):
            v[0] = (v[0] + v[1]) % 2**64
            v[1] = rotate(v[1], 13) ^ v[0]
            v[0] = rotate(v[0], 32)
            v[2] = (v[2] + v[3]) % 2**64
            v[3] = rotate(v[3], 16) ^ v[2]
            v[0] = (v[0] + v[3]) % 2**64
            v[3] = rotate(v[3], 21) ^ v[0]
            v[2] = (v[2] + v[1]) % 2**64
            v[1] = rotate(v[1], 17) ^ v[2]
            v[2] = rotate(v[2], 32)

    first, second = (int.from_bytes(key[k : k + 8], "little") for k in (0, 8))
    v = [
        first ^ int.from_bytes(b"somepseu"),
        second ^ int.from_bytes(b"dorandom"),
        first ^ int.from_bytes(b"lygenera"),
        second ^ int.from_bytes(b"tedbytes"),
    ]
    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) % 256])
    for k in range(0, len(padded), 8):
        word = int.from_bytes(padded[k : k + 8], "little")
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


@given(
    st.integers(SECRET_SEEDS.start, SECRET_SEEDS.stop - 1),
    st.sampled_from(list(Stage)),
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=3),
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=3),
)
def test_hashes_of_a_secret_seed_are_siphash(seed: int, stage: Stage, indices: list[int], salts: list[int]) -> None:
    # The test vector of the paper's appendix A.
    assert siphash(bytes(range(16)), bytes(range(15))) == 0xA129CA6149BE45E5
    bits = hashes(seed, stage, np.array(indices)[:, None], salt=np.array(salts))
    key = (seed % 2**128).to_bytes(16, "little")
    for row, index in zip(bits.tolist(), indices, strict=True):
        for number, salt in zip(row, salts, strict=True):
            words = (int(stage), index % 2**64, salt % 2**64)
            assert number == siphash(key, b"".join(word.to_bytes(8, "little") for word in words))


def test_secret_seeds_are_for_datasets_only() -> None:
    assert check_draw_seed(SECRET_SEEDS[0]) == 2**128
    for seed in (MAX_SEED + 1, 2**128 - 1, 2**129, -1):
        with pytest.raises(InputError, match="a seed from 0 to"):
            check_draw_seed(seed)
    with pytest.raises(InputError, match="a seed from 0 to"):
        check_seed(SECRET_SEEDS[0])
