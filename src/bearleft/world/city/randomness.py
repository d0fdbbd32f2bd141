"""Random numbers that are identical on every machine: an integer hash of (seed, stage, index, salt).

Plans use integers only, or floats computed with + - * / and square roots, which IEEE 754 rounds identically
everywhere. Sines, logarithms and powers occur in the renderer only.

All seeds of the hash can be tried within minutes. The routes and targets of hidden datasets are therefore drawn with a
secret seed, for which the hash is SipHash-2-4 (Aumasson and Bernstein, 2012) with a key of 128 bits.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
import numpy.typing as npt

HashBits = npt.NDArray[np.uint64]
Integers = npt.NDArray[np.int64]
MAX_SEED = 2**31 - 1
SECRET_SEEDS = range(2**128, 2**129)  # the low 128 bits are a key
SIPHASH_CONSTANTS = 0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573


class Stage(IntEnum):
    """Stages of generation; each has its own independent random numbers."""

    STREETS = 1
    ROADS = 2
    DISTRICTS = 3
    LOTS = 4
    BUILDINGS = 5
    FRONTS = 6
    FURNITURE = 7
    TRAFFIC = 8
    PEOPLE = 9
    GREENERY = 10
    CONSTRUCTION = 11
    LANDMARKS = 12
    TEXTS = 13
    ROUTES = 14
    GROUNDS = 15
    ROOMS = 30
    SECTIONS = 31
    HOUSES = 32
    STREET_OBJECTS = 33
    TARGETS = 40  # target points; not part of a plan


def hashes(seed: int, stage: Stage, index: npt.ArrayLike, *, salt: npt.ArrayLike = 0) -> HashBits:
    """Return 64 well-mixed bits for every index.

    Args:
        seed: Seed of the world.
        stage: Stage that uses the numbers.
        index: Index of each object.
        salt: Distinguishes several random numbers of the same object.
    """
    with np.errstate(over="ignore"):
        x = np.asarray(index, np.int64).astype(np.uint64)
        if seed in SECRET_SEEDS:
            return _keyed_hashes(seed, int(stage), x, np.asarray(salt, np.int64).astype(np.uint64))
        x = x + np.uint64((seed * 0x9E3779B97F4A7C15 + int(stage) * 0xD1B54A32D192ED03) % 2**64)
        x = _mix(x) + np.asarray(salt, np.int64).astype(np.uint64) * np.uint64(0x8CB92BA72F3D8DD7)
        return _mix(x)


def _mix(x: HashBits) -> HashBits:
    """Apply the finaliser of splitmix64."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(x ^ (x >> np.uint64(31)), np.uint64)


def _keyed_hashes(seed: int, stage: int, index: HashBits, salt: HashBits) -> HashBits:
    """Return SipHash-2-4 of the words stage, index and salt, keyed with the low 128 bits of the seed."""
    low, high = seed % 2**64, seed // 2**64 % 2**64
    state = [
        np.full(np.broadcast_shapes(index.shape, salt.shape), key ^ constant, np.uint64)
        for key, constant in zip((low, high) * 2, SIPHASH_CONSTANTS, strict=True)
    ]
    length = np.uint64(24 << 56)  # bytes of the three words
    for word in (np.uint64(stage), index, salt, length):
        state[3] = state[3] ^ word
        state = _sip_round(_sip_round(state))
        state[0] = state[0] ^ word
    state[2] = state[2] ^ np.uint64(0xFF)
    for _ in range(4):
        state = _sip_round(state)
    return np.asarray(state[0] ^ state[1] ^ state[2] ^ state[3], np.uint64)


def _sip_round(state: list[HashBits]) -> list[HashBits]:
    a, b, c, d = state
    a, c = a + b, c + d
    b, d = _rotate(b, 13) ^ a, _rotate(d, 16) ^ c
    a, c = _rotate(a, 32) + d, c + b
    b, d = _rotate(b, 17) ^ c, _rotate(d, 21) ^ a
    return [a, b, _rotate(c, 32), d]


def _rotate(x: HashBits, bits: int) -> HashBits:
    return np.asarray((x << np.uint64(bits)) | (x >> np.uint64(64 - bits)), np.uint64)


def integers(
    seed: int, stage: Stage, index: npt.ArrayLike, low: npt.ArrayLike, high: npt.ArrayLike, *, salt: npt.ArrayLike = 0
) -> Integers:
    """Return random integers from `low` to `high`, both included.

    Args:
        seed: Seed of the world.
        stage: Stage that uses the numbers.
        index: Index of each object.
        low: Smallest values.
        high: Largest values.
        salt: Distinguishes several random numbers of the same object.
    """
    lowest = np.asarray(low, np.int64)
    span = (np.asarray(high, np.int64) - lowest + 1).astype(np.uint64)
    bits = hashes(seed, stage, index, salt=salt) >> np.uint64(32)
    return np.asarray(((bits * span) >> np.uint64(32)).astype(np.int64) + lowest, np.int64)


def chance(
    seed: int, stage: Stage, index: npt.ArrayLike, per_mille: npt.ArrayLike, *, salt: npt.ArrayLike = 0
) -> npt.NDArray[np.bool_]:
    """Return True for each index with a probability of `per_mille` / 1000."""
    return np.asarray(integers(seed, stage, index, 0, 999, salt=salt) < np.asarray(per_mille), np.bool_)


def weighted_choice(
    seed: int, stage: Stage, index: npt.ArrayLike, weights: npt.ArrayLike, *, salt: npt.ArrayLike = 0
) -> Integers:
    """Return random choices from 0 to len(weights) - 1, with probabilities proportional to the integer weights."""
    sums = np.cumsum(np.asarray(weights, np.int64))
    random = integers(seed, stage, index, 0, int(sums[-1]) - 1, salt=salt)
    return np.asarray(np.searchsorted(sums, random, side="right"), np.int64)
