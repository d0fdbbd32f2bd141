"""Words as numbers: 0 is padding, 1 a word that no training text has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from bearleft.language.analysis.tokens import tokens

PAD, UNKNOWN = 0, 1
FIRST = 2


@dataclass(frozen=True)
class Vocabulary:
    """The known words, in the order of their numbers."""

    words: tuple[str, ...]

    @classmethod
    def of(cls, texts: Iterable[str], least: int = 1) -> Vocabulary:
        """All words that texts have at least so often, frequent ones first."""
        counts = Counter(token for text in texts for token in tokens(text))
        found = [word for word, count in counts.items() if count >= least]
        return cls(tuple(sorted(found, key=lambda word: (-counts[word], word))))

    @cached_property
    def numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words, FIRST)}

    def __len__(self) -> int:
        """How many numbers there are, padding and unknown words included."""
        return FIRST + len(self.words)

    def read(self, text: str) -> list[int]:
        """A text's numbers; an empty text is one unknown word."""
        return [self.numbers.get(token, UNKNOWN) for token in tokens(text)] or [UNKNOWN]

    def rows(self, texts: Sequence[str]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Texts as rows (n, longest) padded with 0, and how long each is."""
        read = [self.read(text) for text in texts]
        lengths = np.array([len(one) for one in read], np.int64)
        rows = np.full((len(read), int(lengths.max(initial=1))), PAD, np.int64)
        for k, one in enumerate(read):
            rows[k, : len(one)] = one
        return rows, lengths
