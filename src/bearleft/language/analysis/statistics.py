"""How rich a dataset's language is: length, words, sentence patterns, packing, phenomena; alone and beside real texts.

A route has two segments, the way (navigation) and the target (SDR), which may overlap. Tokens are `tokens.TOKENISER`'s.
What is counted how, and how well the phenomena are counted, is in docs/language.md.
"""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from bearleft.language.analysis.function_words import ARTICLES, FRAME, ORDINALS
from bearleft.language.analysis.phenomena import TOUCHDOWN, count
from bearleft.language.analysis.tokens import sentences, tokens, words
from bearleft.records import Episode, Point, Reach

BLANK = "_"
TEXTS = 1_000  # sentence patterns are counted in so many texts
BYTES = 100_000  # and so many bytes are packed
SEGMENTS = ("navigation", "SDR")
LENGTH, VOCABULARY, GZIP = "tokens per text, mean", "vocabulary", "gzip bytes per byte"
OVERLAP = "overlap of navigation and SDR, tokens, mean"
COVERED = "real tokens in the vocabulary, share"
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
    f"{segment}: {what}, mean": means[k]
    for k, segment in enumerate(SEGMENTS)
    for what, means in zip(TOUCHDOWN, _TABLE_3, strict=True)
}
PAPER = {OVERLAP: 11.4, **TABLE_3}


def pattern(sentence: str) -> str:
    """A sentence with its things, qualities, numbers, ordinals and sides blanked, each run of them one blank.

    Only the words of `frame_words.FRAME` stay; marks go, and so do the articles of what is blanked.
    """
    found: list[str] = []
    listed = words(sentence)
    for word, after in zip(listed, [*listed[1:], ""], strict=False):
        blank = word not in FRAME or (word in ORDINALS and after != "to")
        if blank:
            while found and found[-1] in ARTICLES:
                found.pop()
        if not blank or found[-1:] != [BLANK]:
            found.append(BLANK if blank else word)
    return " ".join(found)


def patterns(texts: Iterable[str]) -> Counter[str]:
    """How often each sentence pattern occurs."""
    return Counter(pattern(sentence) for text in texts for sentence in sentences(text))


def packed(texts: Iterable[str], size: int = BYTES) -> float:
    """Bytes that gzip makes of each byte, at level 9, of the first `size` bytes of the texts as lines of UTF-8."""
    whole = "\n".join(texts).encode()[:size]
    return len(gzip.compress(whole, 9, mtime=0)) / len(whole) if whole else 0.0


def overlap(first: str, second: str) -> int:
    """How many tokens at the end of the first text are the beginning of the second."""
    end, begin = tokens(first), tokens(second)
    return next((k for k in range(min(len(end), len(begin)), 0, -1) if end[-k:] == begin[:k]), 0)


def covered(texts: Iterable[str], vocabulary: frozenset[str]) -> float:
    """The share of the texts' token occurrences that are in a vocabulary."""
    occurring = Counter(token for text in texts for token in tokens(text))
    return sum(n for token, n in occurring.items() if token in vocabulary) / max(occurring.total(), 1)


class Language:
    """The two segments of every route, by its id."""

    def __init__(self) -> None:
        self.routes: dict[str, dict[str, str]] = {}

    def add(self, episode: Episode) -> None:
        """Notes the texts of a route that has both; of others, nothing. Panoramas of one route are one."""
        found = {}
        for field, segment in (("navigation_text", "navigation"), ("td_location_text", "SDR")):
            if isinstance(text := episode.extra.get(field), str):
                found[segment] = text
        for leg in episode.legs:
            if isinstance(leg.goal, Reach | Point):
                found["navigation" if isinstance(leg.goal, Reach) else "SDR"] = leg.text
        if len(found) == len(SEGMENTS):
            self.routes.setdefault(episode.id.partition("/")[0], found)

    def texts(self, segment: str) -> list[str]:
        """The segment's text of every route."""
        return [found[segment] for found in self.routes.values()]

    def vocabulary(self, segments: Sequence[str] = SEGMENTS) -> frozenset[str]:
        """The tokens of all texts."""
        return frozenset(token for segment in segments for text in self.texts(segment) for token in tokens(text))

    def size(self) -> int:
        """The bytes of the shorter segment."""
        return min((sum(len(text.encode()) + 1 for text in self.texts(segment)) for segment in SEGMENTS), default=0)

    def figures(self, texts: int = TEXTS, size: int = BYTES) -> dict[str, float]:
        """Everything of these texts alone; patterns of the first `texts` of them, packed `size` bytes."""
        figures: dict[str, float] = {}
        if not self.routes:
            return figures
        texts = min(texts, len(self.routes))
        size = min(size, self.size())
        for segment in SEGMENTS:
            found = self.texts(segment)
            figures[f"{segment}: {LENGTH}"] = _mean(len(tokens(text)) for text in found)
            figures[f"{segment}: sentences per text, mean"] = _mean(len(sentences(text)) for text in found)
            figures[f"{segment}: {VOCABULARY}"] = len(self.vocabulary([segment]))
            figures[pattern_row(segment, texts)] = len(patterns(islice(found, texts)))
            figures[gzip_row(segment, size)] = round(packed(found, size), 4)
        figures[OVERLAP] = _mean(overlap(found["navigation"], found["SDR"]) for found in self.routes.values())
        for segment in SEGMENTS:
            counts = [count(text) for text in self.texts(segment)]
            for what in TOUCHDOWN:
                figures[f"{segment}: {what}, mean"] = _mean(each[what] for each in counts)
        return figures


def pattern_row(segment: str, texts: int) -> str:
    """The name of the figure."""
    return f"{segment}: sentence patterns in {texts:,} texts"


def gzip_row(segment: str, size: int) -> str:
    """The name of the figure."""
    return f"{segment}: {GZIP}, of {size:,} bytes"


def beside(ours: Language, real: Language) -> list[dict[str, Any]]:
    """Made texts beside real ones, on equal numbers of texts and bytes: value, paper, real, wanted, holds.

    Wanted: lengths within 10 % of the real texts', 80 % of the real tokens covered, 500 patterns in 1,000 texts, 60 %
    of the real bytes per byte, phenomena within 0.3 or 50 % of Table 3, whichever is more.
    """
    texts = min(TEXTS, len(ours.routes), len(real.routes))
    size = min(BYTES, ours.size(), real.size())
    found, other = ours.figures(texts, size), real.figures(texts, size)
    rows = []

    def row(statistic: str, value: float, known: float | None, low: float | None, high: float | None) -> None:
        expected = None if low is None else f"{low:.4g} to {high:.4g}" if high is not None else f"at least {low:.4g}"
        holds = None if low is None else bool(low <= value <= (high if high is not None else value))
        paper = PAPER.get(statistic)
        rows.append(
            {
                "statistic": statistic,
                "value": value,
                "paper": paper,
                "real": known,
                "expected": expected,
                "holds": holds,
            }
        )

    for segment in (*SEGMENTS, "both"):
        segments = SEGMENTS if segment == "both" else (segment,)
        known = [text for one in segments for text in real.texts(one)]
        share = round(covered(known, ours.vocabulary(segments)), 4)
        row(f"{segment}: {COVERED}", share, 1.0, 0.8, None)
    for statistic, value in found.items():
        known_value, low, high = other.get(statistic), None, None
        if statistic in TABLE_3:
            mean = TABLE_3[statistic]
            low, high = mean - max(0.3, 0.5 * mean), mean + max(0.3, 0.5 * mean)
            low = max(low, 0.0)
        elif known_value is not None and statistic.endswith(LENGTH):
            low, high = 0.9 * known_value, 1.1 * known_value
        elif known_value is not None and GZIP in statistic:
            low = 0.6 * known_value
        row(statistic, value, known_value, low, high)
    most = min(TEXTS, len(ours.routes))
    for segment in SEGMENTS:
        row(pattern_row(segment, most), len(patterns(islice(ours.texts(segment), most))), None, 500, None)
    return rows


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return round(sum(found) / len(found), 4) if found else 0.0
