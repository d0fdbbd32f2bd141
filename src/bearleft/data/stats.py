"""A dataset in figures, with the papers' own beside them: sizes, text lengths, vocabulary, routes, ArraMon's Table 1.

Tokens are those of `tokens.TOKENISER`. The papers' figures are of whole datasets, or of training and development
together, so a split's own may differ; `REMARKS` says what else is to be known of them.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from bearleft.data.catalog import CITY, open_dataset, split_name
from bearleft.data.catalog import names as names_of
from bearleft.data.check import OFTEN, Progress, every
from bearleft.data.dataset import Dataset
from bearleft.data.loaders.r4r import length
from bearleft.data.worker_validation import FORMATS, Validation
from bearleft.data.worker_validation import PAPER as OF_VALIDATION
from bearleft.data.worker_validation import REMARK as _VALIDATION
from bearleft.errors import InputError
from bearleft.language.analysis.statistics import PAPER as OF_LANGUAGE
from bearleft.language.analysis.statistics import Language, beside
from bearleft.language.analysis.tokens import TOKENISER, sentences, tokens, words
from bearleft.records import Assemble, Collect, Episode, Point, Reach

if TYPE_CHECKING:
    from bearleft.world.graphs.graph import Graph

LENGTH, VOCABULARY = "tokens per text, mean", "vocabulary"
PLACES, PER_PICTURE = "places per route, mean", "episodes per picture, mean"
OUTDOORS = ("street", "plaza_courtyard")
INDOORS = ("restaurant", "shop", "expo_showroom", "living_room", "bedroom")
# What is marked in texts of cities, by the names of Refer360's Table 8.
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
    "touchdown": {LENGTH: 89.6, VOCABULARY: 4999, PLACES: 35.2, **OF_VALIDATION},
    "touchdown-complete": {LENGTH: 108.0, VOCABULARY: 5625, PLACES: 35.2, **OF_VALIDATION},
    "sdr": {LENGTH: 29.7, VOCABULARY: 3419, **OF_VALIDATION},
    "r2r": {LENGTH: 29.3, VOCABULARY: 3156, PLACES: 6.0},
    "refer360": {LENGTH: 43.8, VOCABULARY: 11220, PER_PICTURE: 8.57},
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
# Of Refer360, where files say so: Table 2's pictures, and Table 8.
OF_REFER: dict[str, float] = {
    **{f"pictures of {name}, %": 12.5 for name in OUTDOORS + INDOORS[1:]},
    f"pictures of {INDOORS[0]}, %": 25.0,
    **{f"{what} per text, as written": mean for what, mean in TABLE_8.items()},
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
PUBLIC = "touchdown/unseen_dev"
_LANGUAGE = "Sentence patterns and phenomena are counted by rules that read the text alone: docs/language.md."
_TOUCHDOWN = "Touchdown's vocabulary and text length are of its training and development sets together."
REMARKS: dict[str, tuple[str, ...]] = {
    "touchdown": (_TOUCHDOWN, _LANGUAGE, _VALIDATION),
    "touchdown-complete": (
        _TOUCHDOWN,
        _LANGUAGE,
        _VALIDATION,
        "The text is full_text, in which the two parts may overlap.",
    ),
    "sdr": (
        _TOUCHDOWN,
        _LANGUAGE,
        _VALIDATION,
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


def stats(
    data: str | os.PathLike[str] | None = None, names: Sequence[str] = (), progress: Progress | None = None
) -> list[dict[str, Any]]:
    """Rows of dataset, statistic, value, and the paper's figure or None; of the named datasets, or all there are."""
    rows = []
    for name in names or every(data):
        dataset = open_dataset(name, data)
        counted = _Counted(dataset)
        for k, episode in enumerate(dataset, 1):
            counted.add(episode)
            if progress is not None and k % OFTEN == 0:
                progress(name, *dataset.progress)
        asked_as = name.removeprefix("city/")
        paper: dict[str, Any] = {**OF_REFER, **PAPER.get(asked_as.partition("/")[0], {})}
        paper |= {"episodes": EPISODES.get(asked_as), "routes": ROUTES.get(asked_as)}
        rows += [
            {"dataset": name, "statistic": statistic, "value": value, "paper": paper.get(statistic)}
            for statistic, value in counted.figures().items()
        ]
        rows += [{"dataset": name, **row} for row in _said(name, counted.language, data)]
    return rows


def note(names: Sequence[str], rows: Sequence[dict[str, Any]]) -> list[str]:
    """What was counted of each family of cities that was asked for."""
    counted = dict.fromkeys(row["dataset"] for row in rows)
    return [
        f"{name}: counted {', '.join(one for one in counted if one.startswith(f'{name}/'))}."
        for name in names
        if name in CITY
    ]


def _said(name: str, language: Language, data: str | os.PathLike[str] | None) -> list[dict[str, Any]]:
    """The language of street routes; that of our own cities beside real texts, where there are any."""
    real = Language()
    if name.startswith("city/") and language.routes:
        there = _real(data)
        for episode in open_dataset(there, data) if there else ():
            real.add(episode)
    if real.routes:
        return beside(language, real)
    figures = language.figures()
    return [{"statistic": what, "value": value, "paper": OF_LANGUAGE.get(what)} for what, value in figures.items()]


def _real(data: str | os.PathLike[str] | None) -> str | None:
    """A split of Touchdown itself that is there, the 800 public examples before others."""
    try:
        there = [name for name in names_of(data) if name.startswith("touchdown/")]
    except InputError:
        return None
    return min(there, key=lambda name: (name != PUBLIC, name), default=None)


class _Counted:
    """What is counted of episodes while they pass."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self.language = Language()
        self.validation = Validation() if _as_touchdown(dataset.name) else None
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
        for key, text, parts in _texts(episode):
            if key in self.texts:
                continue
            self.texts.add(key)
            found = tokens(text)
            self.vocabulary.update(found)
            self.lengths.append(len(found))
            self.sentences.append(parts or len(sentences(text)))
        for leg in episode.legs:
            # The instructions of one R2R or R4R path are PATH_0, PATH_1, ...
            path = episode.id.rpartition("_")[0] or episode.id
            if isinstance(leg.goal, Reach) and path not in self.routes:
                self.routes[path] = leg.goal.route
                if self.dataset.data is not None or episode.world.startswith("city/"):
                    self.metres.append(length(self._graph(episode.world), leg.goal.route))
            elif isinstance(leg.goal, Point) and leg.goal.place is not None:
                picture = f"{episode.world}/{leg.goal.place}"
                self.pictures[picture] += 1
                if isinstance(category := episode.extra.get("img_cat"), str):
                    self.categories[picture] = category
        if "img_cat" in episode.extra and isinstance(marks := episode.extra.get("phenomena"), list):
            self.marks.update(what for what, _, _ in marks)
        if any(isinstance(leg.goal, Collect | Assemble) for leg in episode.legs):
            self._turns(episode)

    def _turns(self, episode: Episode) -> None:
        for phase, kind in (("navigation", Collect), ("assembly", Assemble)):
            legs = [leg for leg in episode.legs if isinstance(leg.goal, kind)]
            goals = [leg.goal for leg in legs if isinstance(leg.goal, Collect | Assemble)]
            for what, count in (
                ("words", [len(words(leg.text)) for leg in legs]),
                ("moves", [max(len(goal.path) - 1, 0) for goal in goals]),
                ("actions", [len(goal.actions) for goal in goals]),
            ):
                self.turns.setdefault(f"{phase}, {what}, each turn", []).extend(count)
                self.turns.setdefault(f"{phase}, {what}, both turns", []).append(sum(count))

    def _graph(self, world: str) -> Graph:
        family, _, scan = world.partition("/")
        if family == "city":
            return self.dataset.world(world)
        return self.dataset.building(scan) if family == "matterport" else self.dataset.street()

    def figures(self) -> dict[str, float]:
        figures: dict[str, float] = {
            "episodes": self.episodes,
            "legs": self.legs,
            "left out": len(self.dataset.left_out),
            "texts": len(self.texts),
            LENGTH: _mean(self.lengths),
            "tokens per text, max": max(self.lengths, default=0),
            "sentences per text, mean": _mean(self.sentences),
            VOCABULARY: len(self.vocabulary),
        }
        if self.routes:
            figures["routes"] = len(self.routes)
            figures["distinct routes"] = len(set(self.routes.values()))
            figures[PLACES] = _mean(len(route) for route in self.routes.values())
        if self.metres:
            figures["metres per route, mean"] = _mean(self.metres)
        if self.pictures:
            figures["pictures"] = len(self.pictures)
            figures[PER_PICTURE] = _mean(self.pictures.values())
        for category, count in sorted(Counter(self.categories.values()).items()):
            figures[f"pictures of {category}, %"] = round(100 * count / len(self.categories), 1)
        for what in TABLE_8 if self.marks else ():
            figures[f"{what} per text, as written"] = round(self.marks[what] / len(self.texts), 2)
        for what, counts in self.turns.items():
            figures[f"{what}, max"] = max(counts)
            figures[f"{what}, mean"] = _mean(counts)
        return figures | (self.validation.figures() if self.validation is not None else {})


def _as_touchdown(name: str) -> bool:
    """Return whether a dataset's lines are Touchdown's, a city's included."""
    return split_name(name)[0].removeprefix("city/") in FORMATS


def _texts(episode: Episode) -> Iterable[tuple[str, str, int]]:
    """The texts that a paper counts: what makes one the same as another, the text, sentences where they are given."""
    whole = episode.extra.get("full_text")
    if len(episode.legs) == 2 and isinstance(whole, str):
        yield episode.id, whole, 0
        return
    # The panoramas of one SDR description are ROUTE/pre, ROUTE/main and ROUTE/post.
    described = episode.id.partition("/")[0] if len(episode.legs) == 1 else episode.id
    for k, leg in enumerate(episode.legs):
        yield f"{described} {k}", leg.text, len(leg.sentences)


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return round(sum(found) / len(found), 4) if found else 0.0


__all__ = ["EPISODES", "PAPER", "REMARKS", "TOKENISER", "note", "stats"]
