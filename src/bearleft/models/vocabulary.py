"""Vocabulary that maps words to ids: 0 is padding, 1 an unknown word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from bearleft.language.analysis.tokens import token_spans, tokens

PAD, UNKNOWN = 0, 1
FIRST_WORD = 2


@dataclass(frozen=True)
class Vocabulary:
    """The known words, in the order of their ids."""

    words: tuple[str, ...]

    @classmethod
    def from_texts(cls, texts: Iterable[str], min_count: int = 1) -> Vocabulary:
        """Return the vocabulary of all words that occur at least `min_count` times, frequent ones first."""
        counts = Counter(token for text in texts for token in tokens(text))
        words = [word for word, count in counts.items() if count >= min_count]
        return cls(tuple(sorted(words, key=lambda word: (-counts[word], word))))

    @cached_property
    def ids(self) -> dict[str, int]:
        """Return the id of each word."""
        return {word: index for index, word in enumerate(self.words, FIRST_WORD)}

    def __len__(self) -> int:
        """Return the number of ids, padding and unknown words included."""
        return FIRST_WORD + len(self.words)

    def encode(self, text: str) -> list[int]:
        """Return a text's ids; an empty text is one unknown word."""
        return [self.ids.get(token, UNKNOWN) for token in tokens(text)] or [UNKNOWN]

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return the begin and end in the text of each id of `encode`."""
        return token_spans(text) or [(0, 0)]

    def encode_batch(self, texts: Sequence[str]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return texts as ids (n, max length) padded with 0, and their lengths (n,)."""
        return pad([self.encode(text) for text in texts])


def pad(encoded: Sequence[Sequence[int]]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return ids of texts as rows (n, max length) padded with 0, and their lengths (n,)."""
    lengths = np.array([len(ids) for ids in encoded], np.int64)
    rows = np.full((len(encoded), int(lengths.max(initial=1))), PAD, np.int64)
    for k, ids in enumerate(encoded):
        rows[k, : len(ids)] = ids
    return rows, lengths
