"""Seeded random numbers for one room or section, independent of all others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from bearleft.world.city.randomness import Stage, hashes

T = TypeVar("T")
FIRST_SALT = 100  # smaller salts belong to the shells
BLOCK_SIZE = 256  # numbers computed at once


class SeededRandom:
    """Sequential random integers and choices, derived from (seed, index, stage) by hashing."""

    def __init__(self, seed: int, index: int, stage: Stage = Stage.ROOMS) -> None:
        self._seed, self._index, self._stage, self._block = seed, index, stage, 0
        self._bits: list[int] = []

    def _next(self) -> int:
        if not self._bits:
            salts = [*range(FIRST_SALT + self._block + BLOCK_SIZE - 1, FIRST_SALT + self._block - 1, -1)]
            self._block += BLOCK_SIZE
            self._bits = (hashes(self._seed, self._stage, self._index, salt=salts) >> 32).tolist()
        return self._bits.pop()

    def randint(self, low: int, high: int) -> int:
        """Return a random integer from `low` to `high`, both included; `low` if `high` is less."""
        return low + (self._next() * (max(high - low, 0) + 1) >> 32)

    def chance(self, per_mille: int) -> bool:
        """Return True with a probability of `per_mille` / 1000."""
        return self.randint(0, 999) < per_mille

    def choice(self, options: Sequence[T]) -> T:
        """Return a random element."""
        return options[self.randint(0, len(options) - 1)]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return all items in random order."""
        rest, shuffled = list(items), []
        while rest:
            shuffled.append(rest.pop(self.randint(0, len(rest) - 1)))
        return shuffled
