"""Text statistics of the papers, on real texts and on ours: lengths, vocabulary, common nouns and phenomena.

Touchdown's Figures 5 and 8 and Tables 2, 3 and 6; Refer360's Figure 3 and Tables 4 and 8; ArraMon's Table 4.
Tokens are `tokens.TOKENISER`'s; phenomena are counted by rules (`analysis/phenomena.py`), in the papers by people.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from bearleft.data import load
from bearleft.data.catalog import dataset_names
from bearleft.errors import InputError
from bearleft.experiments.phenomena import phenomena_rows
from bearleft.experiments.rows import Row, three_way_rows
from bearleft.language.analysis.function_words import ARTICLES, DETERMINERS, NUMBERS, ORDINALS, SIDES
from bearleft.language.analysis.nouns import noun_phrases, tokens_with_compounds
from bearleft.language.analysis.statistics import vocabulary_coverage
from bearleft.language.analysis.tokens import tokens
from bearleft.records import Assemble, Collect, Episode, Point, Reach
from bearleft.types import DataFolder, Progress
from bearleft.world.worlds import world_kind

TextParts = tuple[
    str, ...
]  # one text: its sentences where they are given one by one, or the instructions of both turns
TextsByKind = dict[str, list[TextParts]]  # keys: the kinds below
NAVIGATION, SDR, OVERALL, R2R = "navigation", "SDR", "overall", "R2R"
SEQUENCE, ARRAMON_NAVIGATION, ARRAMON_ASSEMBLY = "Refer360", "ArraMon, navigation", "ArraMon, assembly"
REAL_DATASETS = (
    "touchdown/unseen_dev",
    "touchdown/dev",
    "r2r/val_unseen",
    "refer360/validation.seen",
    "refer360/validation.unseen",
    "arramon/val_unseen",
)
OUR_DATASETS = ("city/touchdown/small", "city/refer360/small", "city/arramon/small")
MEAN, VOCABULARY = "tokens, mean", "vocabulary"
QUANTILES = (5, 25, 50, 75, 95)
VOCABULARIES = {NAVIGATION: 4999, SDR: 3419, OVERALL: 5625, R2R: 3156, SEQUENCE: 11220}
TOP_NOUNS = {NAVIGATION: 5, SDR: 8}  # number of nouns in Figure 8
MAX_MODIFIERS = 3  # of each noun
EACH_SENTENCE = "Refer360, each sentence"
# Figure, row, kind of text, and the printed mean; Refer360 counted Touchdown's descriptions itself.
LENGTH_FIGURES = (
    ("Touchdown Figure 5", NAVIGATION, NAVIGATION, 89.6),
    ("Touchdown Figure 5", SDR, SDR, 29.8),
    ("Touchdown Figure 5", R2R, R2R, 29.3),
    ("Refer360 Figure 3", SEQUENCE, SEQUENCE, 43.8),
    ("Refer360 Figure 3", "Touchdown-SDR", SDR, 26.97),
    ("Refer360 Figure 3", EACH_SENTENCE, EACH_SENTENCE, None),
)
_NOT_MODIFIERS = ARTICLES | DETERMINERS | NUMBERS | ORDINALS | SIDES | {"same", "other", "very", "more", "most", "just"}
REMARKS = [
    "Figures 3, 5 and 8 are pictures: of what they show only the means are printed in the papers.",
    "Real texts are the public splits that are there; the papers' figures are of all their texts or of a sample.",
    "Phenomena are counted by rules that read the text alone, in the papers by people: docs/language.md.",
    "ArraMon's properties are those of its Table 4, by rules of their own (language/analysis/arramon_phenomena.py).",
    "There are no texts of SAIL and LANI, neither real ones nor ours.",
]


def texts_by_kind(episodes: Iterable[Episode]) -> TextsByKind:
    """Return the texts of episodes by kind, each once: by route (Touchdown), sequence (Refer360) or task (ArraMon)."""
    texts: dict[str, dict[str, TextParts]] = {}
    for episode in episodes:
        for kind, parts in _texts(episode):
            texts.setdefault(kind, {}).setdefault(_key(episode, kind), parts)
    return {kind: list(by_key.values()) for kind, by_key in texts.items()}


def _key(episode: Episode, kind: str) -> str:
    # The panoramas of one SDR description are ROUTE/pre, ROUTE/main and ROUTE/post.
    route = episode.id.partition("/")[0] if kind in (NAVIGATION, SDR, OVERALL) else episode.id
    return f"{episode.dataset} {route}" if kind == SEQUENCE else route


def _texts(episode: Episode) -> Iterator[tuple[str, TextParts]]:
    goals = [leg.goal for leg in episode.legs]
    if any(isinstance(goal, Collect | Assemble) for goal in goals):
        yield ARRAMON_NAVIGATION, tuple(leg.text for leg in episode.legs if isinstance(leg.goal, Collect))
        yield ARRAMON_ASSEMBLY, tuple(leg.text for leg in episode.legs if isinstance(leg.goal, Assemble))
        return
    fields = {NAVIGATION: "navigation_text", SDR: "td_location_text", OVERALL: "full_text"}
    texts = {kind: text for kind, field in fields.items() if isinstance(text := episode.extra.get(field), str) and text}
    for leg in episode.legs:
        if isinstance(leg.goal, Point) and leg.sentences:
            yield SEQUENCE, leg.sentences
        elif isinstance(leg.goal, Reach | Point):
            indoors = world_kind(episode.world).distance == "metres"
            texts[SDR if isinstance(leg.goal, Point) else R2R if indoors else NAVIGATION] = leg.text
    for kind, text in texts.items():
        yield kind, (text,)


def available_datasets(names: Sequence[str], data: DataFolder = None) -> list[str]:
    """Return the named datasets that are available; none where no data folder is given or set."""
    try:
        available = dataset_names(data)
    except InputError:
        if data or os.environ.get("BEARLEFT_DATA"):
            raise
        return []
    return [name for name in names if name in available]


def real_texts(data: DataFolder = None, progress: Progress | None = None) -> TextsByKind:
    """Return the texts of the available datasets of REAL_DATASETS."""
    return _load(available_datasets(REAL_DATASETS, data), data, progress)


def our_texts(
    names: Sequence[str] = OUR_DATASETS, data: DataFolder = None, progress: Progress | None = None
) -> TextsByKind:
    """Return the texts of the named datasets."""
    return _load(names, data, progress)


def _load(names: Sequence[str], data: DataFolder, progress: Progress | None) -> TextsByKind:
    def episodes() -> Iterator[Episode]:
        for done, name in enumerate(names, 1):
            yield from load(name, data)
            if progress is not None:
                progress(name, done, len(names))

    return texts_by_kind(episodes())


def tables(real: TextsByKind, ours: TextsByKind) -> list[Row]:
    """Return the rows of all tables and figures."""
    return [
        *length_rows(real, ours),
        *vocabulary_rows(real, ours),
        *noun_rows(real, ours),
        *phenomena_rows(real, ours),
    ]


def token_counts(texts: Iterable[TextParts]) -> list[int]:
    """Return the number of tokens of each text."""
    return [sum(len(tokens(part)) for part in text) for text in texts]


def length_statistics(counts: Sequence[int]) -> dict[str, float]:
    """Return the number of texts, and the mean and percentiles of their lengths in tokens."""
    if not counts:
        return {}
    percentiles = np.percentile(counts, QUANTILES).tolist()
    statistics: dict[str, float] = {"texts": len(counts), MEAN: float(np.mean(counts))}
    return statistics | {f"tokens, {k} %": value for k, value in zip(QUANTILES, percentiles, strict=True)}


def with_single_sentences(texts: TextsByKind) -> TextsByKind:
    """Return the texts with the single sentences of Refer360 as a further kind."""
    sentences: list[TextParts] = [(sentence,) for text in texts.get(SEQUENCE, []) for sentence in text]
    return texts | ({EACH_SENTENCE: sentences} if sentences else {})


def length_rows(real: TextsByKind, ours: TextsByKind) -> list[Row]:
    """Return the rows of Touchdown's Figure 5 and Refer360's Figure 3."""
    rows = []
    real, ours = with_single_sentences(real), with_single_sentences(ours)
    for table, row, kind, mean in LENGTH_FIGURES:
        of_real, of_ours = (length_statistics(token_counts(texts.get(kind, []))) for texts in (real, ours))
        rows += three_way_rows(table, row, {} if mean is None else {MEAN: mean}, of_real, of_ours)
    return rows


def vocabulary(texts: Iterable[TextParts]) -> frozenset[str]:
    """Return the set of tokens."""
    return frozenset(token for text in texts for part in text for token in tokens(part))


def vocabulary_rows(real: TextsByKind, ours: TextsByKind) -> list[Row]:
    """Return the rows of Touchdown's Table 2 and Refer360's Table 4, and how many real tokens our vocabulary covers."""
    rows = []
    for kind, paper in VOCABULARIES.items():
        real_texts, our_texts = real.get(kind, []), ours.get(kind, [])
        of_real: dict[str, float] = {VOCABULARY: len(vocabulary(real_texts))} if real_texts else {}
        of_ours: dict[str, float] = {VOCABULARY: len(vocabulary(our_texts))} if our_texts else {}
        if real_texts and our_texts:
            common = min(len(real_texts), len(our_texts))
            of_real[f"{VOCABULARY} of {common:,} texts"] = len(vocabulary(real_texts[:common]))
            of_ours[f"{VOCABULARY} of {common:,} texts"] = len(vocabulary(our_texts[:common]))
            share = vocabulary_coverage((part for text in real_texts for part in text), vocabulary(our_texts))
            of_ours["real tokens in the vocabulary, %"] = 100 * share
        table = "Refer360 Table 4" if kind == SEQUENCE else "Touchdown Table 2"
        rows += three_way_rows(
            table, kind, {VOCABULARY: paper}, of_real, of_ours, "the papers' texts are many times as many"
        )
    return rows


def common_nouns(texts: Iterable[TextParts]) -> dict[str, Counter[str]]:
    """Return how often each noun is used, by the word before it ("" where none qualifies it); common nouns first."""
    counts: dict[str, Counter[str]] = {}
    for text in texts:
        for part in text:
            for noun in noun_phrases(tokens_with_compounds(part)):
                if noun.is_concrete:
                    before = noun.before[-1] if noun.before else ""
                    qualified = before[:1].isalnum() and before not in _NOT_MODIFIERS
                    counts.setdefault(noun.head, Counter())[before if qualified else ""] += 1
    # Plurals are counted with their singular where it occurs.
    for head in [head for head in counts if head.endswith("s") and head[:-1] in counts]:
        counts[head[:-1]] += counts.pop(head)
    return dict(sorted(counts.items(), key=lambda item: (-item[1].total(), item[0])))


def noun_rows(real: TextsByKind, ours: TextsByKind) -> list[Row]:
    """Return the rows of Figure 8: the most common nouns of either side and their modifiers, per 100 texts."""
    rows = []
    for kind, top in TOP_NOUNS.items():
        by_side = [common_nouns(texts.get(kind, [])) for texts in (real, ours)]
        for noun in dict.fromkeys(noun for common in by_side for noun in list(common)[:top]):
            counts = [common.get(noun, Counter()) for common in by_side]
            modifiers = dict.fromkeys(word for count in counts for word, _ in _top_modifiers(count))
            uses = [{noun: count.total(), **{f"{word} {noun}": count[word] for word in modifiers}} for count in counts]
            of_real, of_ours = (
                _per_hundred(use, len(texts.get(kind, []))) for use, texts in zip(uses, (real, ours), strict=True)
            )
            rows += three_way_rows("Touchdown Figure 8", kind, {}, of_real, of_ours, "times per 100 texts")
    return rows


def _top_modifiers(counts: Counter[str]) -> list[tuple[str, int]]:
    named = [(word, times) for word, times in counts.items() if word]
    return sorted(named, key=lambda item: (-item[1], item[0]))[:MAX_MODIFIERS]


def _per_hundred(uses: Mapping[str, int], texts: int) -> dict[str, float]:
    return {name: 100 * count / texts for name, count in uses.items()} if texts else {}
