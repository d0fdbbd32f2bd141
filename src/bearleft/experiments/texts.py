"""What the papers count of their texts, on real ones and on ours: lengths, vocabulary, common nouns and phenomena.

Touchdown's Figures 5 and 8 and Tables 2, 3 and 6; Refer360's Figure 3 and Tables 4 and 8; ArraMon's Table 4.
Tokens are `tokens.TOKENISER`'s; phenomena are counted by rules (`analysis/phenomena.py`), in the papers by people.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from bearleft.data import load
from bearleft.data.catalog import names
from bearleft.errors import InputError
from bearleft.experiments.phenomena import phenomena_tables
from bearleft.experiments.rows import Progress, Row, sides
from bearleft.language.analysis.function_words import ARTICLES, NUMBERS, ORDINALS, OWNERS, SIDES
from bearleft.language.analysis.nouns import joined, nouns
from bearleft.language.analysis.statistics import covered
from bearleft.language.analysis.tokens import tokens
from bearleft.records import Assemble, Collect, Episode, Point, Reach

Data = str | os.PathLike[str] | None
Said = tuple[str, ...]  # a text: its sentences where they are given one by one, the instructions of both turns
Texts = dict[str, list[Said]]  # by kind
NAVIGATION, SDR, WHOLE, R2R = "navigation", "SDR", "overall", "R2R"
SEQUENCE, COLLECTING, ASSEMBLING = "Refer360", "ArraMon, navigation", "ArraMon, assembly"
REAL = (
    "touchdown/unseen_dev",
    "touchdown/dev",
    "r2r/val_unseen",
    "refer360/validation.seen",
    "refer360/validation.unseen",
    "arramon/val_unseen",
)
OURS = ("city/touchdown/small", "city/refer360/small", "city/arramon/small")
MEAN, VOCABULARY = "tokens, mean", "vocabulary"
QUANTILES = (5, 25, 50, 75, 95)
VOCABULARIES = {NAVIGATION: 4999, SDR: 3419, WHOLE: 5625, R2R: 3156, SEQUENCE: 11220}
TOP = {NAVIGATION: 5, SDR: 8}  # nouns that Figure 8 shows
MODIFIERS = 3  # of each
EACH = "Refer360, each sentence"
# Where lengths are drawn, of what, and the printed mean; Refer360 counted Touchdown's descriptions anew.
LENGTHS = (
    ("Touchdown Figure 5", NAVIGATION, NAVIGATION, 89.6),
    ("Touchdown Figure 5", SDR, SDR, 29.8),
    ("Touchdown Figure 5", R2R, R2R, 29.3),
    ("Refer360 Figure 3", SEQUENCE, SEQUENCE, 43.8),
    ("Refer360 Figure 3", "Touchdown-SDR", SDR, 26.97),
    ("Refer360 Figure 3", EACH, EACH, None),
)
_NOT_MODIFIERS = ARTICLES | OWNERS | NUMBERS | ORDINALS | SIDES | {"same", "other", "very", "more", "most", "just"}
REMARKS = [
    "Figures 3, 5 and 8 are pictures: of what they show only the means are printed in the papers.",
    "Real texts are the public splits that are there; the papers' figures are of all their texts or of a sample.",
    "Phenomena are counted by rules that read the text alone, in the papers by people: docs/language.md.",
    "ArraMon's properties are those of its Table 4, by rules of their own (language/analysis/arramon_phenomena.py).",
    "There are no texts of SAIL and LANI, neither real ones nor ours.",
]


def collect(episodes: Iterable[Episode]) -> Texts:
    """The texts of episodes by kind, each once: Touchdown's by route, Refer360's by sequence, ArraMon's by task."""
    found: dict[str, dict[str, Said]] = {}
    for episode in episodes:
        for kind, said in _texts(episode):
            found.setdefault(kind, {}).setdefault(_key(episode, kind), said)
    return {kind: list(texts.values()) for kind, texts in found.items()}


def _key(episode: Episode, kind: str) -> str:
    # The panoramas of one SDR description are ROUTE/pre, ROUTE/main and ROUTE/post.
    route = episode.id.partition("/")[0] if kind in (NAVIGATION, SDR, WHOLE) else episode.id
    return f"{episode.dataset} {route}" if kind == SEQUENCE else route


def _texts(episode: Episode) -> Iterator[tuple[str, Said]]:
    goals = [leg.goal for leg in episode.legs]
    if any(isinstance(goal, Collect | Assemble) for goal in goals):
        yield COLLECTING, tuple(leg.text for leg in episode.legs if isinstance(leg.goal, Collect))
        yield ASSEMBLING, tuple(leg.text for leg in episode.legs if isinstance(leg.goal, Assemble))
        return
    fields = {NAVIGATION: "navigation_text", SDR: "td_location_text", WHOLE: "full_text"}
    found = {kind: text for kind, field in fields.items() if isinstance(text := episode.extra.get(field), str) and text}
    for leg in episode.legs:
        if isinstance(leg.goal, Point) and leg.sentences:
            yield SEQUENCE, leg.sentences
        elif isinstance(leg.goal, Reach | Point):
            inside = episode.world.startswith("matterport/")
            found[SDR if isinstance(leg.goal, Point) else R2R if inside else NAVIGATION] = leg.text
    for kind, text in found.items():
        yield kind, (text,)


def those_there(expected: Sequence[str], data: Data = None) -> list[str]:
    """Those of some datasets that are there; none for somebody who has no data folder and names none."""
    try:
        there = names(data)
    except InputError:
        if data or os.environ.get("BEARLEFT_DATA"):
            raise
        return []
    return [name for name in expected if name in there]


def real_texts(data: Data = None, progress: Progress | None = None) -> Texts:
    """Those of REAL that are there."""
    return _load(those_there(REAL, data), data, progress)


def our_texts(chosen: Sequence[str] = OURS, data: Data = None, progress: Progress | None = None) -> Texts:
    """Those of the named datasets."""
    return _load(chosen, data, progress)


def _load(chosen: Sequence[str], data: Data, progress: Progress | None) -> Texts:
    def episodes() -> Iterator[Episode]:
        for done, name in enumerate(chosen, 1):
            yield from load(name, data)
            if progress is not None:
                progress(name, done, len(chosen))

    return collect(episodes())


def tables(real: Texts, ours: Texts) -> list[Row]:
    """All of them."""
    return [
        *length_rows(real, ours),
        *vocabulary_rows(real, ours),
        *noun_rows(real, ours),
        *phenomena_tables(real, ours),
    ]


def lengths(texts: Iterable[Said]) -> list[int]:
    """How many tokens each text has."""
    return [sum(len(tokens(part)) for part in text) for text in texts]


def length_figures(found: Sequence[int]) -> dict[str, float]:
    """How many lengths, their mean, and the lengths that so many percent do not reach."""
    if not found:
        return {}
    spread = np.percentile(found, QUANTILES).tolist()
    figures: dict[str, float] = {"texts": len(found), MEAN: float(np.mean(found))}
    return figures | {f"tokens, {k} %": value for k, value in zip(QUANTILES, spread, strict=True)}


def by_sentence(texts: Texts) -> Texts:
    """With the sentences of Refer360 as texts of their own too."""
    each: list[Said] = [(sentence,) for text in texts.get(SEQUENCE, []) for sentence in text]
    return texts | ({EACH: each} if each else {})


def length_rows(real: Texts, ours: Texts) -> list[Row]:
    """Touchdown's Figure 5 and Refer360's Figure 3."""
    rows = []
    real, ours = by_sentence(real), by_sentence(ours)
    for table, row, kind, mean in LENGTHS:
        found, made = (length_figures(lengths(side.get(kind, []))) for side in (real, ours))
        rows += sides(table, row, {} if mean is None else {MEAN: mean}, found, made)
    return rows


def vocabulary(texts: Iterable[Said]) -> frozenset[str]:
    """The different tokens."""
    return frozenset(token for text in texts for part in text for token in tokens(part))


def vocabulary_rows(real: Texts, ours: Texts) -> list[Row]:
    """Touchdown's Table 2 and Refer360's Table 4; and, on as many texts of both, how much of the real ones is ours."""
    rows = []
    for kind, paper in VOCABULARIES.items():
        found, made = real.get(kind, []), ours.get(kind, [])
        theirs: dict[str, float] = {VOCABULARY: len(vocabulary(found))} if found else {}
        own: dict[str, float] = {VOCABULARY: len(vocabulary(made))} if made else {}
        if found and made:
            few = min(len(found), len(made))
            theirs[f"{VOCABULARY} of {few:,} texts"] = len(vocabulary(found[:few]))
            own[f"{VOCABULARY} of {few:,} texts"] = len(vocabulary(made[:few]))
            known = covered((part for text in found for part in text), vocabulary(made))
            own["real tokens in the vocabulary, %"] = 100 * known
        table = "Refer360 Table 4" if kind == SEQUENCE else "Touchdown Table 2"
        rows += sides(table, kind, {VOCABULARY: paper}, theirs, own, "the papers' texts are many times as many")
    return rows


def common_nouns(texts: Iterable[Said]) -> dict[str, Counter[str]]:
    """How often each thing is named, by its noun, and by the word before that ("" where none qualifies it)."""
    found: dict[str, Counter[str]] = {}
    for text in texts:
        for part in text:
            for noun in nouns(joined(part)):
                if noun.thing:
                    before = noun.before[-1] if noun.before else ""
                    qualified = before[:1].isalnum() and before not in _NOT_MODIFIERS
                    found.setdefault(noun.head, Counter())[before if qualified else ""] += 1
    # "buildings" are counted with "building", where somebody says so.
    for head in [head for head in found if head.endswith("s") and head[:-1] in found]:
        found[head[:-1]] += found.pop(head)
    return dict(sorted(found.items(), key=lambda item: (-item[1].total(), item[0])))


def noun_rows(real: Texts, ours: Texts) -> list[Row]:
    """Figure 8: the most common nouns of either side, and the modifiers that stand before them, per 100 texts."""
    rows = []
    for kind, top in TOP.items():
        found = [common_nouns(side.get(kind, [])) for side in (real, ours)]
        for noun in dict.fromkeys(noun for side in found for noun in list(side)[:top]):
            said = [side.get(noun, Counter()) for side in found]
            before = dict.fromkeys(word for one in said for word, _ in _common(one))
            figures = [{noun: one.total(), **{f"{word} {noun}": one[word] for word in before}} for one in said]
            theirs, own = (
                _per_hundred(one, len(side.get(kind, []))) for one, side in zip(figures, (real, ours), strict=True)
            )
            rows += sides("Touchdown Figure 8", kind, {}, theirs, own, "times per 100 texts")
    return rows


def _common(said: Counter[str]) -> list[tuple[str, int]]:
    named = [(word, times) for word, times in said.items() if word]
    return sorted(named, key=lambda item: (-item[1], item[0]))[:MODIFIERS]


def _per_hundred(times: Mapping[str, int], texts: int) -> dict[str, float]:
    return {name: 100 * number / texts for name, number in times.items()} if texts else {}
