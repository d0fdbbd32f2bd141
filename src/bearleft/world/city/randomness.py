"""Randomness that is the same on every machine: an integer hash of (seed, stage, index), never a library's stream.

Everything that a plan rests on is integers, or floats made by + - * / and square roots alone, which IEEE 754 rounds the
same everywhere. Sines, logarithms and powers are left to the renderer.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
import numpy.typing as npt

HashBits = npt.NDArray[np.uint64]
Integers = npt.NDArray[np.int64]
MAX_SEED = 2**31 - 1


class Stage(IntEnum):
    """Who draws: two stages never share their numbers."""

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
    ROOMS = 30
    SECTIONS = 31
    HOUSES = 32
    STREET_OBJECTS = 33
    TARGETS = 40  # points to be found, not part of a plan


def hashes(seed: int, stage: Stage, index: npt.ArrayLike, draw: npt.ArrayLike = 0) -> HashBits:
    """64 well-mixed bits for every index (and draw: the number of the question that is asked about it)."""
    with np.errstate(over="ignore"):
        x = np.asarray(index, np.int64).astype(np.uint64)
        x = x + np.uint64((seed * 0x9E3779B97F4A7C15 + int(stage) * 0xD1B54A32D192ED03) % 2**64)
        x = _mix(x) + np.asarray(draw, np.int64).astype(np.uint64) * np.uint64(0x8CB92BA72F3D8DD7)
        return _mix(x)


def _mix(x: HashBits) -> HashBits:
    """The finaliser of splitmix64."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(x ^ (x >> np.uint64(31)), np.uint64)


def integers(
    seed: int, stage: Stage, index: npt.ArrayLike, low: npt.ArrayLike, high: npt.ArrayLike, draw: npt.ArrayLike = 0
) -> Integers:
    """Whole numbers from `low` to `high`, both included."""
    below = np.asarray(low, np.int64)
    span = (np.asarray(high, np.int64) - below + 1).astype(np.uint64)
    bits = hashes(seed, stage, index, draw) >> np.uint64(32)
    return np.asarray(((bits * span) >> np.uint64(32)).astype(np.int64) + below, np.int64)


def chance(
    seed: int, stage: Stage, index: npt.ArrayLike, per_mille: npt.ArrayLike, draw: npt.ArrayLike = 0
) -> npt.NDArray[np.bool_]:
    """True for so many of a thousand."""
    return np.asarray(integers(seed, stage, index, 0, 999, draw) < np.asarray(per_mille), np.bool_)


def weighted_choice(
    seed: int, stage: Stage, index: npt.ArrayLike, weights: npt.ArrayLike, draw: npt.ArrayLike = 0
) -> Integers:
    """A number from 0 on, each as often as its whole-number weight says."""
    sums = np.cumsum(np.asarray(weights, np.int64))
    drawn = integers(seed, stage, index, 0, int(sums[-1]) - 1, draw)
    return np.asarray(np.searchsorted(sums, drawn, side="right"), np.int64)
