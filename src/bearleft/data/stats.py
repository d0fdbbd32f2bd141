"""Statistics of datasets with the papers' figures: sizes, text lengths, vocabulary, routes, ArraMon's Table 1.

Tokens are those of `tokens.TOKENISER`. The papers' figures are of whole datasets, or of training and development sets
together, so those of a split may differ; see `PAPER_NOTES`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from bearleft.data.catalog import CITY_DATASETS, dataset_names, open_dataset, split_name
from bearleft.data.check import PROGRESS_INTERVAL, all_dataset_names
from bearleft.data.dataset import Dataset
from bearleft.data.loaders.r4r import route_length
from bearleft.data.worker_validation import FAMILIES, ValidationStatistics
from bearleft.data.worker_validation import NOTE as _VALIDATION_NOTE
from bearleft.data.worker_validation import PAPER as VALIDATION_PAPER
from bearleft.errors import InputError
from bearleft.language.analysis.statistics import PAPER as LANGUAGE_PAPER
from bearleft.language.analysis.statistics import RouteTexts, compare_texts
from bearleft.language.analysis.tokens import TOKENISER, sentences, tokens, words
from bearleft.records import Assemble, Collect, Episode, Point, Reach, check_goals
from bearleft.types import DataFolder, Progress
from bearleft.world.worlds import world_kind

if TYPE_CHECKING:
    from bearleft.world.graphs.graph import Graph

TOKENS_PER_TEXT, VOCABULARY = "tokens per text, mean", "vocabulary"
PLACES_PER_ROUTE, EPISODES_PER_PICTURE = "places per route, mean", "episodes per picture, mean"
OUTDOORS = ("street", "plaza_courtyard")
INDOORS = ("restaurant", "shop", "expo_showroom", "living_room", "bedroom")
# Phenomena annotated in generated texts, by the names of Refer360's Table 8.
TABLE_8 = {
    "coreference": 1.6,
    "direction": 1.6,
    "allocentric": 0.6,
    "egocentric": 0.5,
    "more than two objects": 0.5,
    "count": 0.3,
    "3-D understanding": 0.2,
    "inexact": 0.2,
    "temporal condition": 0.1,
    "sequencing": 0.1,
    "comparison": 0.1,
}
# Touchdown: Table 2, section 5; Refer360: Tables 2, 4, 5 and 8; ArraMon: Table 1; R2R: as Touchdown's paper gives it.
PAPER: dict[str, dict[str, float]] = {
    "touchdown": {TOKENS_PER_TEXT: 89.6, VOCABULARY: 4999, PLACES_PER_ROUTE: 35.2, **VALIDATION_PAPER},
    "touchdown-complete": {TOKENS_PER_TEXT: 108.0, VOCABULARY: 5625, PLACES_PER_ROUTE: 35.2, **VALIDATION_PAPER},
    "sdr": {TOKENS_PER_TEXT: 29.7, VOCABULARY: 3419, **VALIDATION_PAPER},
    "r2r": {TOKENS_PER_TEXT: 29.3, VOCABULARY: 3156, PLACES_PER_ROUTE: 6.0},
    "refer360": {TOKENS_PER_TEXT: 43.8, VOCABULARY: 11220, EPISODES_PER_PICTURE: 8.57},
    "arramon": {
        "navigation, words, both turns, max": 147,
        "navigation, words, both turns, mean": 47.99,
        "navigation, moves, both turns, max": 156,
        "navigation, moves, both turns, mean": 48.14,
        "navigation, actions, both turns, max": 224,
        "navigation, actions, both turns, mean": 75.78,
        "assembly, words, both turns, max": 90,
        "assembly, words, both turns, mean": 20.99,
        "assembly, moves, both turns, max": 8,
        "assembly, moves, both turns, mean": 3.32,
        "assembly, actions, both turns, max": 34,
        "assembly, actions, both turns, mean": 13.68,
    },
}
# Refer360, for files with the fields: Table 2's pictures, and Table 8.
REFER360_PAPER: dict[str, float] = {
    **{f"pictures of {name}, %": 12.5 for name in OUTDOORS + INDOORS[1:]},
    f"pictures of {INDOORS[0]}, %": 25.0,
    **{f"{phenomenon} per text, as written": mean for phenomenon, mean in TABLE_8.items()},
}
EPISODES = {
    "touchdown/train": 6526,
    "touchdown/dev": 1391,
    "touchdown/test": 1409,
    "touchdown-complete/train": 6526,
    "touchdown-complete/dev": 1391,
    "touchdown-complete/test": 1409,
    "sdr/train": 17880,
    "sdr/dev": 3836,
    "sdr/test": 3859,
    "refer360/train": 13287,
    "refer360/validation.seen": 900,
    "refer360/validation.unseen": 1009,
    "refer360/test.seen": 900,
    "refer360/test.unseen": 1041,
    "arramon/train": 4267,
    "arramon/val_seen": 1065,
    "arramon/val_unseen": 1155,
    "arramon/test_unseen": 1205,
}
ROUTES = {"r4r/val_unseen": 5018}
PUBLIC_SPLIT = "touchdown/unseen_dev"
_LANGUAGE_NOTE = "Sentence patterns and phenomena are counted by rules that read the text alone: docs/language.md."
_TOUCHDOWN_NOTE = "Touchdown's vocabulary and text length are of its training and development sets together."
PAPER_NOTES: dict[str, tuple[str, ...]] = {
    "touchdown": (_TOUCHDOWN_NOTE, _LANGUAGE_NOTE, _VALIDATION_NOTE),
    "touchdown-complete": (
        _TOUCHDOWN_NOTE,
        _LANGUAGE_NOTE,
        _VALIDATION_NOTE,
        "The text is full_text, in which the two parts may overlap.",
    ),
    "sdr": (
        _TOUCHDOWN_NOTE,
        _LANGUAGE_NOTE,
        _VALIDATION_NOTE,
        "Texts are counted once for each description, not for each panorama.",
        "Where Touchdown's text says 27,575 SDR examples it should say 25,575, as in its Table 2.",
    ),
    "r2r": ("R2R's figures are those of Touchdown's Table 2, of the whole dataset.",),
    "r4r": ("Joined at up to 3 metres along the graph; the published val-unseen has 5,018 paths.",),
    "refer360": ("Refer360's text length and vocabulary are of all splits; its tokens were split at spaces.",),
    "arramon": (
        "Table 1's paths and actions fit sums over both turns, moves without the start and actions with the last.",
        "Its lengths of instructions fit neither single instructions nor sums on val_unseen.",
    ),
}


def stats(data: DataFolder = None, names: Sequence[str] = (), progress: Progress | None = None) -> list[dict[str, Any]]:
    """Return rows of dataset, statistic, value, and the paper's figure or None.

    Args:
        data: The data folder.
        names: Names DATASET/SPLIT; all available ones if empty.
        progress: Called with the name, the bytes read and the size of the file.
    """
    rows = []
    for name in names or all_dataset_names(data):
        dataset = open_dataset(name, data)
        statistics = _DatasetStatistics(dataset)
        for k, episode in enumerate(dataset, 1):
            check_goals([episode], "to count")
            statistics.add(episode)
            if progress is not None and k % PROGRESS_INTERVAL == 0:
                progress(name, *dataset.progress)
        paper_name = name.removeprefix("city/")
        paper: dict[str, Any] = {**REFER360_PAPER, **PAPER.get(paper_name.partition("/")[0], {})}
        paper |= {"episodes": EPISODES.get(paper_name), "routes": ROUTES.get(paper_name)}
        rows += [
            {"dataset": name, "statistic": statistic, "value": value, "paper": paper.get(statistic)}
            for statistic, value in statistics.figures().items()
        ]
        rows += [{"dataset": name, **row} for row in _language_rows(name, statistics.language, data)]
    return rows


def counted_splits(names: Sequence[str], rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return a sentence for each requested dataset of generated worlds that names the splits counted."""
    counted = dict.fromkeys(row["dataset"] for row in rows)
    return [
        f"{name}: counted {', '.join(split for split in counted if split.startswith(f'{name}/'))}."
        for name in names
        if name in CITY_DATASETS
    ]


def _language_rows(name: str, language: RouteTexts, data: DataFolder) -> list[dict[str, Any]]:
    """Return the language statistics of street routes, compared with real texts for generated ones."""
    real = RouteTexts()
    if name.startswith("city/") and language.routes:
        real_split = _real_touchdown_split(data)
        for episode in open_dataset(real_split, data) if real_split else ():
            real.add(episode)
    if real.routes:
        return compare_texts(language, real)
    figures = language.figures()
    return [
        {"statistic": statistic, "value": value, "paper": LANGUAGE_PAPER.get(statistic)}
        for statistic, value in figures.items()
    ]


def _real_touchdown_split(data: DataFolder) -> str | None:
    """Return an available split of Touchdown, preferably the 800 public examples."""
    try:
        splits = [name for name in dataset_names(data) if name.startswith("touchdown/")]
    except InputError:
        return None
    return min(splits, key=lambda name: (name != PUBLIC_SPLIT, name), default=None)


class _DatasetStatistics:
    """Counts over the episodes of a dataset."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self.language = RouteTexts()
        self.validation = ValidationStatistics() if _has_touchdown_format(dataset.name) else None
        self.episodes = self.legs = 0
        self.texts: set[str] = set()
        self.lengths: list[int] = []
        self.sentences: list[int] = []
        self.vocabulary: set[str] = set()
        self.routes: dict[str, tuple[str, ...]] = {}
        self.metres: list[float] = []
        self.pictures: Counter[str] = Counter()
        self.categories: dict[str, str] = {}
        self.marks: Counter[str] = Counter()
        self.turns: dict[str, list[int]] = {}

    def add(self, episode: Episode) -> None:
        self.episodes += 1
        self.legs += len(episode.legs)
        self.language.add(episode)
        if self.validation is not None:
            self.validation.add(episode.id.partition("/")[0], episode.extra)
        for key, text, sentence_count in _texts(episode):
            if key in self.texts:
                continue
            self.texts.add(key)
            text_tokens = tokens(text)
            self.vocabulary.update(text_tokens)
            self.lengths.append(len(text_tokens))
            self.sentences.append(sentence_count or len(sentences(text)))
        for leg in episode.legs:
            # The instructions of one R2R or R4R path are PATH_0, PATH_1, ...
            path = episode.id.rpartition("_")[0] or episode.id
            if isinstance(leg.goal, Reach) and path not in self.routes:
                self.routes[path] = leg.goal.route
                if self.dataset.data is not None or world_kind(episode.world).name == "city":
                    self.metres.append(route_length(self._graph(episode.world), leg.goal.route))
            elif isinstance(leg.goal, Point) and leg.goal.place is not None:
                picture = f"{episode.world}/{leg.goal.place}"
                self.pictures[picture] += 1
                if isinstance(category := episode.extra.get("img_cat"), str):
                    self.categories[picture] = category
        if "img_cat" in episode.extra and isinstance(marks := episode.extra.get("phenomena"), list):
            self.marks.update(phenomenon for phenomenon, _, _ in marks)
        if any(isinstance(leg.goal, Collect | Assemble) for leg in episode.legs):
            self._turns(episode)

    def _turns(self, episode: Episode) -> None:
        for phase, kind in (("navigation", Collect), ("assembly", Assemble)):
            legs = [leg for leg in episode.legs if isinstance(leg.goal, kind)]
            goals = [leg.goal for leg in legs if isinstance(leg.goal, Collect | Assemble)]
            for quantity, count in (
                ("words", [len(words(leg.text)) for leg in legs]),
                ("moves", [max(len(goal.path) - 1, 0) for goal in goals]),
                ("actions", [len(goal.actions) for goal in goals]),
            ):
                self.turns.setdefault(f"{phase}, {quantity}, each turn", []).extend(count)
                self.turns.setdefault(f"{phase}, {quantity}, both turns", []).append(sum(count))

    def _graph(self, world: str) -> Graph:
        family, _, scan = world.partition("/")
        if family in ("city", "town"):
            return self.dataset.world_graph(world)
        return self.dataset.matterport_graph(scan) if family == "matterport" else self.dataset.touchdown_graph()

    def figures(self) -> dict[str, float]:
        figures: dict[str, float] = {
            "episodes": self.episodes,
            "legs": self.legs,
            "skipped": len(self.dataset.skipped),
            "texts": len(self.texts),
            TOKENS_PER_TEXT: _mean(self.lengths),
            "tokens per text, max": max(self.lengths, default=0),
            "sentences per text, mean": _mean(self.sentences),
            VOCABULARY: len(self.vocabulary),
        }
        if self.routes:
            figures["routes"] = len(self.routes)
            figures["distinct routes"] = len(set(self.routes.values()))
            figures[PLACES_PER_ROUTE] = _mean(len(route) for route in self.routes.values())
        if self.metres:
            figures["metres per route, mean"] = _mean(self.metres)
        if self.pictures:
            figures["pictures"] = len(self.pictures)
            figures[EPISODES_PER_PICTURE] = _mean(self.pictures.values())
        for category, count in sorted(Counter(self.categories.values()).items()):
            figures[f"pictures of {category}, %"] = round(100 * count / len(self.categories), 1)
        for label in TABLE_8 if self.marks else ():
            figures[f"{label} per text, as written"] = round(self.marks[label] / len(self.texts), 2)
        for label, counts in self.turns.items():
            figures[f"{label}, max"] = max(counts)
            figures[f"{label}, mean"] = _mean(counts)
        return figures | (self.validation.figures() if self.validation is not None else {})


def _has_touchdown_format(name: str) -> bool:
    """Return whether the lines of a dataset have Touchdown's format."""
    return split_name(name)[0].removeprefix("city/") in FAMILIES


def _texts(episode: Episode) -> Iterable[tuple[str, str, int]]:
    """Yield the texts that a paper counts: a key that identifies the text, the text, and its sentences where given."""
    full_text = episode.extra.get("full_text")
    if len(episode.legs) == 2 and isinstance(full_text, str):
        yield episode.id, full_text, 0
        return
    # The panoramas of one SDR description are ROUTE/pre, ROUTE/main and ROUTE/post.
    description_id = episode.id.partition("/")[0] if len(episode.legs) == 1 else episode.id
    for k, leg in enumerate(episode.legs):
        yield f"{description_id} {k}", leg.text, len(leg.sentences)


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return round(sum(numbers) / len(numbers), 4) if numbers else 0.0


__all__ = ["EPISODES", "PAPER", "PAPER_NOTES", "TOKENISER", "counted_splits", "stats"]
