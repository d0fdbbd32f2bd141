"""A space of texts that also arrive from the processes of AsyncVectorEnv.

Gymnasium reads the texts of its own Text space from shared memory once, before there are any, so that they stay blank.
Here the batch is a view of the shared memory, as that of every other space.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector.utils import create_shared_memory, read_from_shared_memory, write_to_shared_memory

Codes = npt.NDArray[np.int32]


class TextSpace(spaces.Text):
    """The space of some texts: as long as the longest one, with the characters that occur.

    Args:
        texts: The texts.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        letters = frozenset("".join(texts)) or frozenset("a")
        super().__init__(min_length=0, max_length=max(1, *map(len, texts)), charset=letters)


class SharedTexts(Sequence[str]):
    """The current texts of all environments in shared memory; a deep copy is a tuple of them."""

    def __init__(self, codes: Codes) -> None:
        self._codes = codes  # (environments, characters), filled up with zeros

    def __len__(self) -> int:
        return len(self._codes)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return tuple(self)[index]
        codes = self._codes[index]
        return "".join(map(chr, codes[codes > 0].tolist()))

    def __iter__(self) -> Iterator[str]:
        return (self[k] for k in range(len(self)))

    def __deepcopy__(self, memo: dict[int, Any]) -> tuple[str, ...]:
        return tuple(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]  # the texts change

    def __repr__(self) -> str:
        return repr(tuple(self))


@create_shared_memory.register(TextSpace)
def _create(space: TextSpace, n: int = 1, ctx: Any = multiprocessing) -> Any:
    return ctx.Array(np.dtype(np.int32).char, n * space.max_length)


def _codes(space: TextSpace, shared_memory: Any, n: int = -1) -> Codes:
    return np.frombuffer(shared_memory.get_obj(), np.int32).reshape(n, space.max_length)


@read_from_shared_memory.register(TextSpace)
def _read(space: TextSpace, shared_memory: Any, n: int = 1) -> SharedTexts:
    return SharedTexts(_codes(space, shared_memory, n))


@write_to_shared_memory.register(TextSpace)
def _write(space: TextSpace, index: int, value: str, shared_memory: Any) -> None:
    row = _codes(space, shared_memory)[index]
    row[:] = 0
    row[: len(value)] = [ord(letter) for letter in value]
