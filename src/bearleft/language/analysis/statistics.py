"""Statistics on the language of a dataset: lengths, vocabulary, sentence patterns, compression, phenomena.

A route has two segments, the navigation text and the target description (SDR), which may overlap. Tokens are those of
`tokens.TOKENISER`. See docs/language.md for the definitions and for the accuracy of the phenomena.
"""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from bearleft.language.analysis.function_words import ARTICLES, FUNCTION_WORDS, ORDINALS
from bearleft.language.analysis.phenomena import TOUCHDOWN, count_touchdown
from bearleft.language.analysis.tokens import sentences, tokens, words
from bearleft.records import Episode, Point, Reach

BLANK_TOKEN = "_"
MAX_PATTERN_TEXTS = 1_000  # texts in which sentence patterns are counted
MAX_GZIP_BYTES = 100_000  # bytes that are compressed
SEGMENTS = ("navigation", "SDR")
TOKENS_PER_TEXT, VOCABULARY, GZIP = "tokens per text, mean", "vocabulary", "gzip bytes per byte"
OVERLAP = "overlap of navigation and SDR, tokens, mean"
COVERAGE = "real tokens in the vocabulary, share"
# Touchdown's Table 3: means of navigation and SDR segments.
_TABLE_3 = (
    (9.2, 3.2),
    (1.1, 1.5),
    (0.1, 0.2),
    (1.6, 0.4),
    (0.4, 0.3),
    (1.2, 2.2),
    (3.6, 1.1),
    (5.2, 0.2),
    (3.7, 0.0),
    (1.9, 0.1),
    (1.5, 0.8),
)
TABLE_3 = {
    f"{segment}: {phenomenon}, mean": means[k]
    for k, segment in enumerate(SEGMENTS)
    for phenomenon, means in zip(TOUCHDOWN, _TABLE_3, strict=True)
}
PAPER = {OVERLAP: 11.4, **TABLE_3}


def sentence_pattern(sentence: str) -> str:
    """Return a sentence with things, attributes, numbers, ordinals and sides as blanks, one blank per run.

    Only the words of FUNCTION_WORDS remain; punctuation is dropped, and so are the articles of blanks.
    """
    parts: list[str] = []
    sentence_words = words(sentence)
    for word, next_word in zip(sentence_words, [*sentence_words[1:], ""], strict=False):
        is_blank = word not in FUNCTION_WORDS or (word in ORDINALS and next_word != "to")
        if is_blank:
            while parts and parts[-1] in ARTICLES:
                parts.pop()
        if not is_blank or parts[-1:] != [BLANK_TOKEN]:
            parts.append(BLANK_TOKEN if is_blank else word)
    return " ".join(parts)


def count_patterns(texts: Iterable[str]) -> Counter[str]:
    """Count the sentence patterns of texts."""
    return Counter(sentence_pattern(sentence) for text in texts for sentence in sentences(text))


def gzip_ratio(texts: Iterable[str], size: int = MAX_GZIP_BYTES) -> float:
    """Return gzip's output bytes per byte at level 9, for the first `size` bytes of the texts as lines of UTF-8."""
    data = "\n".join(texts).encode()[:size]
    return len(gzip.compress(data, 9, mtime=0)) / len(data) if data else 0.0


def token_overlap(first: str, second: str) -> int:
    """Return the number of tokens at the end of the first text that begin the second."""
    end, begin = tokens(first), tokens(second)
    return next((k for k in range(min(len(end), len(begin)), 0, -1) if end[-k:] == begin[:k]), 0)


def vocabulary_coverage(texts: Iterable[str], vocabulary: frozenset[str]) -> float:
    """Return the share of the texts' token occurrences that are in a vocabulary."""
    occurrences = Counter(token for text in texts for token in tokens(text))
    return sum(n for token, n in occurrences.items() if token in vocabulary) / max(occurrences.total(), 1)


class RouteTexts:
    """The two text segments of each route, by route id."""

    def __init__(self) -> None:
        self.routes: dict[str, dict[str, str]] = {}

    def add(self, episode: Episode) -> None:
        """Add the texts of a route that has both segments; a route's panoramas count once."""
        segments = {}
        for field, segment in (("navigation_text", "navigation"), ("td_location_text", "SDR")):
            if isinstance(text := episode.extra.get(field), str):
                segments[segment] = text
        for leg in episode.legs:
            if isinstance(leg.goal, Reach | Point):
                segments["navigation" if isinstance(leg.goal, Reach) else "SDR"] = leg.text
        if len(segments) == len(SEGMENTS):
            self.routes.setdefault(episode.id.partition("/")[0], segments)

    def texts(self, segment: str) -> list[str]:
        """Return a segment's text of each route."""
        return [segments[segment] for segments in self.routes.values()]

    def vocabulary(self, segments: Sequence[str] = SEGMENTS) -> frozenset[str]:
        """Return the tokens of all texts."""
        return frozenset(token for segment in segments for text in self.texts(segment) for token in tokens(text))

    def size(self) -> int:
        """Return the bytes of the shorter segment."""
        return min((sum(len(text.encode()) + 1 for text in self.texts(segment)) for segment in SEGMENTS), default=0)

    def figures(self, texts: int = MAX_PATTERN_TEXTS, size: int = MAX_GZIP_BYTES) -> dict[str, float]:
        """Return the statistics of these texts; patterns in the first `texts`, compression of `size` bytes."""
        figures: dict[str, float] = {}
        if not self.routes:
            return figures
        texts = min(texts, len(self.routes))
        size = min(size, self.size())
        for segment in SEGMENTS:
            segment_texts = self.texts(segment)
            figures[f"{segment}: {TOKENS_PER_TEXT}"] = _mean(len(tokens(text)) for text in segment_texts)
            figures[f"{segment}: sentences per text, mean"] = _mean(len(sentences(text)) for text in segment_texts)
            figures[f"{segment}: {VOCABULARY}"] = len(self.vocabulary([segment]))
            figures[pattern_label(segment, texts)] = len(count_patterns(islice(segment_texts, texts)))
            figures[gzip_label(segment, size)] = round(gzip_ratio(segment_texts, size), 4)
        figures[OVERLAP] = _mean(
            token_overlap(segment_texts["navigation"], segment_texts["SDR"]) for segment_texts in self.routes.values()
        )
        for segment in SEGMENTS:
            counts = [count_touchdown(text) for text in self.texts(segment)]
            for phenomenon in TOUCHDOWN:
                figures[f"{segment}: {phenomenon}, mean"] = _mean(text_counts[phenomenon] for text_counts in counts)
        return figures


def pattern_label(segment: str, texts: int) -> str:
    """Return the name of the pattern statistic."""
    return f"{segment}: sentence patterns in {texts:,} texts"


def gzip_label(segment: str, size: int) -> str:
    """Return the name of the compression statistic."""
    return f"{segment}: {GZIP}, of {size:,} bytes"


def compare_texts(generated: RouteTexts, real: RouteTexts) -> list[dict[str, Any]]:
    """Compare generated texts with real ones, on equal numbers of texts and bytes.

    Expected: lengths within 10 % of the real texts, 80 % of the real tokens covered, 500 patterns in 1,000 texts, 60 %
    of the real bytes per byte, phenomena within 0.3 or 50 % of Table 3, whichever is more.

    Returns:
        Rows of statistic, value, paper, real, expected and holds.
    """
    texts = min(MAX_PATTERN_TEXTS, len(generated.routes), len(real.routes))
    size = min(MAX_GZIP_BYTES, generated.size(), real.size())
    figures, real_figures = generated.figures(texts, size), real.figures(texts, size)
    rows = []

    def row(statistic: str, value: float, real_value: float | None, low: float | None, high: float | None) -> None:
        expected = None if low is None else f"{low:.4g} to {high:.4g}" if high is not None else f"at least {low:.4g}"
        holds = None if low is None else bool(low <= value <= (high if high is not None else value))
        paper = PAPER.get(statistic)
        rows.append(
            {
                "statistic": statistic,
                "value": value,
                "paper": paper,
                "real": real_value,
                "expected": expected,
                "holds": holds,
            }
        )

    for segment in (*SEGMENTS, "both"):
        segments = SEGMENTS if segment == "both" else (segment,)
        real_value = [text for name in segments for text in real.texts(name)]
        share = round(vocabulary_coverage(real_value, generated.vocabulary(segments)), 4)
        row(f"{segment}: {COVERAGE}", share, 1.0, 0.8, None)
    for statistic, value in figures.items():
        known_value, low, high = real_figures.get(statistic), None, None
        if statistic in TABLE_3:
            mean = TABLE_3[statistic]
            low, high = mean - max(0.3, 0.5 * mean), mean + max(0.3, 0.5 * mean)
            low = max(low, 0.0)
        elif known_value is not None and statistic.endswith(TOKENS_PER_TEXT):
            low, high = 0.9 * known_value, 1.1 * known_value
        elif known_value is not None and GZIP in statistic:
            low = 0.6 * known_value
        row(statistic, value, known_value, low, high)
    max_texts = min(MAX_PATTERN_TEXTS, len(generated.routes))
    for segment in SEGMENTS:
        row(
            pattern_label(segment, max_texts),
            len(count_patterns(islice(generated.texts(segment), max_texts))),
            None,
            500,
            None,
        )
    return rows


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return round(sum(numbers) / len(numbers), 4) if numbers else 0.0
