"""Expressions: runs of one to three kept words, and the share of texts that use each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bearleft.language.analysis.realism.masking import kept_runs, text_sentences
from bearleft.language.analysis.tokens import words

MAX_WORDS = 3
MIN_SHARE = 0.02  # of the real texts


@dataclass(frozen=True)
class ExpressionRate:
    """Share of real and of generated texts that use an expression."""

    expression: str
    real: float
    generated: float

    @property
    def holds(self) -> bool:
        """Whether the generated share is between half and double the real one."""
        return 0.5 * self.real <= self.generated <= 2.0 * self.real


def text_shares(texts: Sequence[str]) -> Counter[str]:
    """Return the number of texts that use each expression."""
    counts: Counter[str] = Counter()
    for text in texts:
        used: set[str] = set()
        for sentence in text_sentences(text):
            for run in kept_runs(sentence):
                for size in range(1, MAX_WORDS + 1):
                    used.update(" ".join(run[k : k + size]) for k in range(len(run) - size + 1))
        counts.update(used)
    return counts


def expression_rates(
    real: Sequence[str], generated: Sequence[str], min_share: float = MIN_SHARE
) -> list[ExpressionRate]:
    """Return the rates of every expression that at least `min_share` of the real texts use, the most used first."""
    real_counts, counts = text_shares(real), text_shares(generated)
    return [
        ExpressionRate(expression, count / len(real), counts[expression] / len(generated))
        for expression, count in real_counts.most_common()
        if count >= min_share * len(real)
    ]


def trigram_coverage(covered: Iterable[str], texts: Iterable[str]) -> float:
    """Return the share of the trigrams of words of `covered`, by occurrence, that occur in `texts`."""
    known = set(_trigrams(texts))
    occurrences = _trigrams(covered)
    return sum(n for trigram, n in occurrences.items() if trigram in known) / max(occurrences.total(), 1)


def _trigrams(texts: Iterable[str]) -> Counter[tuple[str, ...]]:
    counts: Counter[tuple[str, ...]] = Counter()
    for text in texts:
        text_words = words(text)
        counts.update(zip(text_words, text_words[1:], text_words[2:], strict=False))
    return counts


def vocabulary_growth(texts: Sequence[str], *sizes: int) -> list[int]:
    """Return the number of distinct words in the first texts, for each number of texts."""
    return [len({word for text in texts[:size] for word in words(text)}) for size in sizes]
