"""The draws of one room, one after another: the same in every process, whatever other rooms there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from bearleft.world.city.randomness import Stage, hashes

T = TypeVar("T")
FIRST_SALT = 100  # the draws below are those of the shell
BLOCK_SIZE = 256  # made at once


class SeededRandom:
    """Whole numbers, chances and choices."""

    def __init__(self, seed: int, room: int, stage: Stage = Stage.ROOMS) -> None:
        self._seed, self._room, self._stage, self._block = seed, room, stage, 0
        self._bits: list[int] = []

    def _next(self) -> int:
        if not self._bits:
            draws = [*range(FIRST_SALT + self._block + BLOCK_SIZE - 1, FIRST_SALT + self._block - 1, -1)]
            self._block += BLOCK_SIZE
            self._bits = (hashes(self._seed, self._stage, self._room, draws) >> 32).tolist()
        return self._bits.pop()

    def between(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included; `low` where high is less."""
        return low + (self._next() * (max(high - low, 0) + 1) >> 32)

    def chance(self, per_mille: int) -> bool:
        """True so many times of a thousand."""
        return self.between(0, 999) < per_mille

    def one_of(self, among: Sequence[T]) -> T:
        """One of some, each as often."""
        return among[self.between(0, len(among) - 1)]

    def shuffled(self, among: Sequence[T]) -> list[T]:
        """All of some, in a drawn order."""
        rest, drawn = list(among), []
        while rest:
            drawn.append(rest.pop(self.between(0, len(rest) - 1)))
        return drawn
