"""Byte-pair encoding: frequent pieces of words, learned from texts; the pieces of a word can be drawn at random.

Merges that are dropped at random (BPE-dropout) give a word other pieces in every epoch, so that a network sees
unknown words as pieces that it knows.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from bearleft.language.analysis.tokens import token_spans, tokens
from bearleft.models.vocabulary import FIRST_WORD, UNKNOWN, pad

END = "</w>"  # marks the end of a word
SIZE = 2000


@dataclass(frozen=True)
class Subwords:
    """Pieces and the merges that make them, the first merge first."""

    characters: tuple[str, ...]
    merges: tuple[tuple[str, str], ...]

    @classmethod
    def from_texts(cls, texts: Iterable[str], size: int = SIZE) -> Subwords:
        """Learn up to `size` pieces from texts."""
        counts = Counter(token for text in texts for token in tokens(text))
        words = {word: [*word[:-1], word[-1] + END] for word in counts}
        characters = tuple(sorted({piece for pieces in words.values() for piece in pieces}))
        merges: list[tuple[str, str]] = []
        pairs: Counter[tuple[str, str]] = Counter()
        where: defaultdict[tuple[str, str], set[str]] = defaultdict(set)  # words that have, or had, a pair

        def count(word: str, sign: int) -> None:
            for pair in pairwise(words[word]):
                pairs[pair] += sign * counts[word]
                where[pair].add(word)

        for word in words:
            count(word, 1)
        while len(characters) + len(merges) < size and pairs:
            best = min(pairs, key=lambda pair: (-pairs[pair], pair))
            if pairs[best] < 2:
                break
            merges.append(best)
            for word in where.pop(best):
                count(word, -1)
                words[word] = _merge(words[word], best)
                count(word, 1)
        return cls(characters, tuple(merges))

    @cached_property
    def ids(self) -> dict[str, int]:
        """Return the id of each piece."""
        pieces = dict.fromkeys([*self.characters, *(left + right for left, right in self.merges)])
        return {piece: index for index, piece in enumerate(pieces, FIRST_WORD)}

    @cached_property
    def _ranks(self) -> dict[tuple[str, str], int]:
        return {pair: rank for rank, pair in enumerate(self.merges)}

    def __len__(self) -> int:
        """Return the number of ids, padding and unknown characters included."""
        return FIRST_WORD + len(self.ids)

    def pieces(self, word: str, dropout: float = 0.0, rng: np.random.Generator | None = None) -> list[str]:
        """Return the pieces of a word; each merge is skipped with probability `dropout`."""
        pieces = [*word[:-1], word[-1] + END]
        while len(pieces) > 1:
            ranked = [
                (self._ranks[pair], k)
                for k, pair in enumerate(pairwise(pieces))
                if pair in self._ranks and (rng is None or rng.random() >= dropout)
            ]
            if not ranked:
                break
            rank, _ = min(ranked)
            pieces = _merge(pieces, self.merges[rank])
        return pieces

    @cached_property
    def _cache(self) -> dict[str, list[int]]:
        return {}

    def encode(self, text: str) -> list[int]:
        """Return a text's ids; an empty text is one unknown piece."""
        out: list[int] = []
        for word in tokens(text):
            if word not in self._cache:
                self._cache[word] = [self.ids.get(piece, UNKNOWN) for piece in self.pieces(word)]
            out += self._cache[word]
        return out or [UNKNOWN]

    def encode_batch(self, texts: Sequence[str]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return texts as ids (n, max length) padded with 0, and their lengths (n,)."""
        return pad([self.encode(text) for text in texts])

    def draw(
        self, texts: Sequence[str], dropout: float, rng: np.random.Generator
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return texts as `encode_batch` does, with the pieces of each word of a call drawn at random."""
        drawn: dict[str, list[int]] = {}
        encoded = []
        for text in texts:
            ids: list[int] = []
            for word in _tokens(text):
                if word not in drawn:
                    drawn[word] = [self.ids.get(piece, UNKNOWN) for piece in self.pieces(word, dropout, rng)]
                ids += drawn[word]
            encoded.append(ids or [UNKNOWN])
        return pad(encoded)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return the begin and end in the text of each id of `encode`, without dropout."""
        spans = []
        for word, (begin, end) in zip(tokens(text), token_spans(text), strict=True):
            at = begin
            for piece in self.pieces(word):
                length = len(piece.removesuffix(END))
                spans.append((min(at, end), min(at + length, end)))
                at += length
        return spans or [(0, 0)]


@lru_cache(maxsize=1 << 18)
def _tokens(text: str) -> tuple[str, ...]:
    """Return the tokens of a text; they are kept, since training reads the same texts in every epoch."""
    return tuple(tokens(text))


def _merge(pieces: Sequence[str], pair: tuple[str, str]) -> list[str]:
    """Return pieces with every occurrence of a pair joined, from left to right."""
    out: list[str] = []
    k = 0
    while k < len(pieces):
        if k + 1 < len(pieces) and (pieces[k], pieces[k + 1]) == pair:
            out.append(pieces[k] + pieces[k + 1])
            k += 2
        else:
            out.append(pieces[k])
            k += 1
    return out
