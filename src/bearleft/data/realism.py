"""Realism of the texts of generated datasets: a comparison with real texts of the same kind.

Real texts are split in two halves by a fixed hash. Generators are tuned on one half only (`tune`); figures are reported
on the other (`report`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from bearleft.data.catalog import DATASETS, dataset_names, open_dataset, split_name
from bearleft.errors import InputError
from bearleft.language.analysis.realism.classifier import separate
from bearleft.language.analysis.realism.consistency import SIDE_PATTERNS, TURN_PATTERNS, kappa
from bearleft.language.analysis.realism.expressions import (
    MIN_SHARE,
    ExpressionRate,
    expression_rates,
    trigram_coverage,
    vocabulary_growth,
)
from bearleft.language.analysis.realism.masking import text_sentences
from bearleft.language.analysis.realism.surface import surface_auc
from bearleft.language.analysis.tokens import words
from bearleft.records import Assemble, Collect, Episode, Leg, Point, Reach
from bearleft.types import DataFolder

GROWTH_TEXTS = (400, 800)  # texts whose words are counted
MIN_EQUAL_WORDS = 8  # words of a sentence that is compared for equality
TELLING_FEATURES = 15
EXPRESSIONS = f"expressions in {MIN_SHARE:.0%} of real texts, share within half to double"
# Kind of text: the real dataset, and the splits that are read, all that are available.
REAL_DATASETS: Mapping[str, str] = {
    "navigation": "touchdown",
    "sdr": "sdr",
    "refer360": "refer360",
    "walks": "arramon",
    "assembly": "arramon",
}
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Halves:
    """Two halves of the real texts of a kind."""

    tune: list[str]
    report: list[str]

    def swapped(self) -> Halves:
        """Return the halves with their roles exchanged."""
        return Halves(self.report, self.tune)


def half_of(text: str) -> str:
    """Return the half that a real text belongs to, "tune" or "report"."""
    return "tune" if int(sha256(text.encode()).hexdigest()[:2], 16) & 1 else "report"


def real_texts(kind: str, data: DataFolder = None) -> Halves:
    """Return the distinct real texts of a kind in two halves.

    Args:
        kind: "navigation", "sdr", "refer360", "walks" or "assembly".
        data: The data folder.

    Raises:
        InputError: If the real dataset is not in the data folder.
    """
    real = REAL_DATASETS[kind]
    splits = [name for name in dataset_names(data) if split_name(name)[0] == real]
    if not splits:
        hint = "docs/data.md says where to get it; name the folder with --real DIR or BEARLEFT_DATA"
        folder = DATASETS[real].files[0].folder
        raise InputError(f"a real dataset in the folder {folder}/ of the data folder", "none", hint=hint)
    texts = list(dict.fromkeys(text for name in splits for text in dataset_texts(name, data).get(kind, ())))
    return Halves(
        [text for text in texts if half_of(text) == "tune"], [text for text in texts if half_of(text) == "report"]
    )


def dataset_texts(name: str, data: DataFolder = None, progress: Progress | None = None) -> dict[str, list[str]]:
    """Return the distinct texts of a dataset by kind, in order; sentences given one by one are lines."""
    texts: dict[str, dict[str, None]] = {}
    dataset = open_dataset(name, data)
    for episode in dataset:
        for kind, text in _episode_texts(episode):
            texts.setdefault(kind, {})[text] = None
        if progress is not None:
            progress(name, *dataset.progress)
    return {kind: list(texts[kind]) for kind in REAL_DATASETS if kind in texts}


def _episode_texts(episode: Episode) -> Iterator[tuple[str, str]]:
    fields = [("navigation_text", "navigation"), ("td_location_text", "sdr")]
    given = {kind: text for field, kind in fields if isinstance(text := episode.extra.get(field), str)}
    yield from given.items()
    for leg in episode.legs:
        if _kind(leg) not in given:
            yield _kind(leg), "\n".join(leg.sentences) or leg.text


def _kind(leg: Leg) -> str:
    if isinstance(leg.goal, Reach):
        return "navigation"
    if isinstance(leg.goal, Point):
        return "refer360" if leg.sentences else "sdr"
    if isinstance(leg.goal, Collect):
        return "walks"
    assert isinstance(leg.goal, Assemble)
    return "assembly"


@dataclass(frozen=True)
class RealismResult:
    """Result of `realism`: rows of figures, of telling expressions and of rates, each with dataset and kind."""

    rows: list[dict[str, Any]]
    telling: list[dict[str, Any]]
    rates: list[dict[str, Any]]

    def farthest_rates(self, count: int) -> list[dict[str, Any]]:
        """Return the rates that differ most from the real ones, `count` of each dataset and kind."""
        groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for row in self.rates:
            groups.setdefault((row["dataset"], row["kind"]), []).append(row)
        return [
            row
            for rows in groups.values()
            for row in sorted(rows, key=lambda row: -abs(row["generated"] - row["real"]))[:count]
        ]


def realism(
    names: Sequence[str],
    data: DataFolder = None,
    real_data: DataFolder = None,
    half: str = "report",
    progress: Progress | None = None,
) -> RealismResult:
    """Compare the texts of generated datasets with one half of the real ones.

    Args:
        names: Names DATASET/SPLIT of generated datasets.
        data: The data folder of the generated datasets.
        real_data: The data folder of the real ones.
        half: "report", or "tune" while a generator is being changed.
        progress: Called with the name, the bytes read and the size of the file.
    """
    result = RealismResult([], [], [])
    for name in names:
        for kind, texts in dataset_texts(name, data, progress).items():
            real = real_texts(kind, real_data)
            if half == "tune":
                real = real.swapped()
            label = {"dataset": name, "kind": kind}
            rows, telling, rates = compare(texts, real)
            result.rows.extend({**label, **row} for row in rows)
            result.telling.extend({**label, **row} for row in telling)
            result.rates.extend({**label, **row} for row in rates)
    return result


def compare(
    texts: Sequence[str], real: Halves
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]]:
    """Return figures of generated texts beside those of real ones, telling expressions, and rates of expressions.

    The figures of real texts are those of the tune half against the report half.
    """
    if len(texts) < 2:
        raise InputError("at least two texts", str(len(texts)))
    separation, real_separation = (separate(real.report, other, TELLING_FEATURES) for other in (texts, real.tune))
    rates = expression_rates(real.report, texts)
    real_rates = expression_rates(real.report, real.tune)
    count = min(len(texts), len(real.tune))
    all_real = [*real.tune, *real.report]
    real_coverage = trigram_coverage(real.report, real.tune[:count])
    size = min(len(texts), GROWTH_TEXTS[1])
    half = size // 2
    grown, real_grown = vocabulary_growth(texts, half, size), vocabulary_growth(all_real, half, size)
    rows: list[dict[str, Any]] = []

    def row(figure: str, generated: float, real_value: float) -> None:
        rows.append({"figure": figure, "generated": round(generated, 4), "real": round(real_value, 4)})

    row("texts", len(texts), len(all_real))
    row("masked-sentence AUC", separation.auc, real_separation.auc)
    row("surface AUC", *(surface_auc(real.report, other) for other in (texts, real.tune)))
    row(
        "trigram coverage, relative to a real half's",
        trigram_coverage(real.report, texts[:count]) / max(real_coverage, 1e-9),
        1.0,
    )
    row(f"words in {size} texts", grown[1], real_grown[1])
    row(f"new words in texts {half} to {size}", grown[1] - grown[0], real_grown[1] - real_grown[0])
    row("kappa of turns within a text", kappa(texts, TURN_PATTERNS), kappa(all_real, TURN_PATTERNS))
    row("kappa of sides within a text", kappa(texts, SIDE_PATTERNS), kappa(all_real, SIDE_PATTERNS))
    row(EXPRESSIONS, _share(rates), _share(real_rates))
    row(
        f"sentences of {MIN_EQUAL_WORDS} or more words equal to a real one, share",
        equal_sentences(texts, real.report),
        equal_sentences(real.tune, real.report),
    )
    telling = [
        {"side": side, "expression": expression, "weight": round(weight, 2)}
        for side, features in (("real", separation.first), ("generated", separation.second))
        for expression, weight in features
    ]
    table = [
        {
            "expression": rate.expression,
            "generated": round(rate.generated, 4),
            "real": round(rate.real, 4),
            "holds": rate.holds,
        }
        for rate in rates
    ]
    return rows, telling, table


def equal_sentences(texts: Iterable[str], others: Iterable[str]) -> float:
    """Return the share of the sentences of texts, of those with enough words, that are sentences of other texts."""
    known = {sentence for text in others for sentence in _long_sentences(text)}
    sentences = [sentence for text in texts for sentence in _long_sentences(text)]
    return sum(sentence in known for sentence in sentences) / len(sentences) if sentences else 0.0


def _long_sentences(text: str) -> list[str]:
    sentences = [words(sentence) for sentence in text_sentences(text)]
    return [" ".join(sentence) for sentence in sentences if len(sentence) >= MIN_EQUAL_WORDS]


def _share(rates: Sequence[ExpressionRate]) -> float:
    return sum(rate.holds for rate in rates) / len(rates) if rates else 0.0
