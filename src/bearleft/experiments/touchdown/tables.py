"""Touchdown's tables: rows that need no pictures are measured on the available splits, others are as published.

Rows name the paper's split (`split`), its figure (`paper`), ours, and the dataset that ours was measured on; a figure
that was not measured is None. Tables 3 and 6, of language, are in `experiments/texts.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bearleft.agents.pointing_baselines import Average, Center, PointingBaseline, Uniform
from bearleft.data import load
from bearleft.data.catalog import DATASETS
from bearleft.data.worker_validation import FOUND, ValidationStatistics
from bearleft.errors import InputError
from bearleft.evaluation.evaluate import evaluate
from bearleft.experiments.rows import Row
from bearleft.experiments.texts import NAVIGATION, OVERALL, R2R, SDR, TextsByKind, texts_by_kind
from bearleft.experiments.touchdown.published import (
    COLUMNS_2,
    COLUMNS_4,
    COLUMNS_5,
    COMPLETE,
    DEV,
    MISPRINTS,
    PANORAMAS,
    PEOPLE,
    SDR_LENGTH,
    SECTION_5,
    SIZES,
    TABLE_1,
    TABLE_2,
    TABLE_4,
    TABLE_5,
    TABLE_7,
    TABLE_8,
    TEST,
    TRAIN,
    VALIDATION,
    Published,
)
from bearleft.language.analysis.statistics import OVERLAP, token_overlap
from bearleft.language.analysis.tokens import tokens
from bearleft.metrics.pointing import point_scores
from bearleft.metrics.registry import METRICS, path_scores
from bearleft.records import Episode, Leg, Point, Reach
from bearleft.runtime.store import data_folder
from bearleft.types import DataFolder, Progress
from bearleft.world.worlds import open_world

Measure = Callable[[str], Iterator[tuple[str, Mapping[str, float], str]]]  # system, metrics and remark, of a split
RANDOM_SEEDS, RANDOM_POINT_SEEDS = 10, 50  # seeds that RANDOM's rows are averaged over, walking and pointing
NEAR_HOPS = 3  # hops: an agent that stays near the start often succeeds on routes that end so close to it
TITLES = {
    "1": "Table 1: workers of each task",
    "2": "Table 2: data statistics",
    "section 5": "Section 5: splits, routes, validation",
    "4": "Table 4: SDR, with accuracy and consistency in percent",
    "5": "Table 5: navigation, horizon 50",
    "7": "Table 7: navigation from RGB images",
    "8": "Table 8: navigation from a single modality",
    "section 8": "Section 8: the complete task",
}
DERIVED = "the paper's 80.1 and 9.0 of 89.1 %: only validated texts are released"
ALL_TASKS = "the paper's is of all tasks, those of discarded texts too"
WORKERS = (
    "the paper's is the mean over 55 workers with more than 30 tasks each; ours is over all tasks of released lines"
)
REMARKS = [
    "Splits by another name than the paper's (unseen_dev) stand beside its rows, but hold other routes.",
    "RANDOM is the mean over {walks} seeds in Table 5 and over {points} in Table 4.",
    "Without a figure of ours: what is learned from pictures. On our city: --results (Table 4), --navigation-results "
    "(Tables 5, 7 and 8). Tables 3 and 6: bearleft paper texts.",
    *(f"Misprint: {misprint}" for misprint in MISPRINTS),
]


@dataclass(frozen=True)
class Release:
    """The splits of a data folder."""

    data: DataFolder
    splits: tuple[str, ...]

    @classmethod
    def open(cls, data: DataFolder = None) -> Release:
        """Return the available splits; raise InputError where there is none."""
        folder = data_folder(data)
        splits = tuple(DATASETS["touchdown"].splits(folder))
        if not splits:
            place = folder / "touchdown" / "dev.jsonl"
            raise InputError(
                f"a split of Touchdown, such as {place}", "none", hint="docs/data.md says how to lay it out."
            )
        return cls(data, splits)

    def splits_like(self, part: str) -> list[str]:
        """Return the splits that are compared with the paper's split `part`; for "", those with no counterpart."""
        if not part:
            return [split for split in self.splits if not {TRAIN, DEV, TEST} & set(split.split("_"))]
        return [split for split in self.splits if part in split.split("_")]

    def training(self, split: str) -> str:
        """Return the training split of a split; the split itself where there is none."""
        sibling = "_".join(TRAIN if word in (DEV, TEST) else word for word in split.split("_"))
        return next((name for name in (sibling, TRAIN) if name in self.splits), split)

    @property
    def all_routes(self) -> list[str]:
        """Return the paper's own splits where there are any, else all; other splits divide the same routes."""
        return [name for name in (TRAIN, DEV, TEST) if name in self.splits] or list(self.splits)

    @property
    def text_splits(self) -> list[str]:
        """Return the splits whose texts Table 2 counts: training and development where available."""
        return [split for split in self.all_routes if TEST not in split.split("_")] or self.all_routes

    @cached_property
    def texts(self) -> TextsByKind:
        """Return the texts of `text_splits`."""
        return texts_by_kind(episode for split in self.text_splits for episode in self.routes[split])

    @cached_property
    def routes(self) -> dict[str, list[Episode]]:
        """Return the navigation episodes of `all_routes`."""
        return {split: load(f"touchdown/{split}", self.data) for split in self.all_routes}


def tables(data: DataFolder = None, progress: Progress | None = None) -> list[Row]:
    """Return the rows of all tables."""
    release = Release.open(data)
    return [
        *(_row("1", "", task, "workers", workers) for task, workers in TABLE_1.items()),
        *data_table(release),
        *section_5(release),
        *sdr_table(release, progress),
        *navigation_table(release, progress),
        *_published_rows("7", TABLE_7, COLUMNS_5),
        *_published_rows("8", TABLE_8, COLUMNS_5, "printed with TC and SPD swapped"),
        *section_8(release),
    ]


def remarks() -> list[str]:
    """Return remarks for readers of the tables."""
    return [remark.format(walks=RANDOM_SEEDS, points=RANDOM_POINT_SEEDS) for remark in REMARKS]


def data_table(release: Release) -> list[Row]:
    """Return Table 2: sizes of all splits, texts of training and development."""
    kinds = {"TOUCHDOWN": (OVERALL, "touchdown-complete"), "Navigation": (NAVIGATION, "touchdown"), "SDR": (SDR, "sdr")}
    measured: dict[str, tuple[Sequence[float], tuple[str, str], str]] = {}
    for name, (kind, family) in kinds.items():
        examples = sum(len(load(f"{family}/{split}", release.data)) for split in release.all_routes)
        remarks = f"of {', '.join(release.all_routes)}", f"of {', '.join(release.text_splits)}"
        measured[name] = (examples, *_text_statistics(release.texts.get(kind, []))), remarks, family
    indoors = [f"r2r/{split}" for split in DATASETS["r2r"].splits(data_folder(release.data))]
    if indoors:
        texts = texts_by_kind(episode for name in indoors for episode in load(name, release.data)).get(R2R, [])
        splits = f"of {', '.join(name.partition('/')[2] for name in indoors)}"
        measured["R2R"] = (len(texts), *_text_statistics(texts)), (splits, splits), "r2r"
    rows = []
    for name, paper in TABLE_2.items():
        ours, (size_remark, text_remark), family = measured.get(name, ((None,) * 3, ("", ""), ""))
        for metric, published, value in zip(COLUMNS_2, paper, ours, strict=True):
            remark = size_remark if metric == COLUMNS_2[0] else text_remark
            rows.append(_row("2", "", name, metric, published, value, family, remark))
    return rows


def _text_statistics(texts: Sequence[tuple[str, ...]]) -> tuple[int, float]:
    """Return the size of the vocabulary and the mean number of tokens."""
    split = [tokens(" ".join(text)) for text in texts]
    return len({token for text in split for token in text}), float(np.mean([len(text) for text in split]))


def section_5(release: Release) -> list[Row]:
    """Return the sizes of splits, and statistics of routes and their validation."""
    rows = []
    for name, sizes in SIZES.items():
        family = "sdr" if name == "SDR" else "touchdown"
        for split, size in sizes.items():
            available = split in release.splits
            ours = len(load(f"{family}/{split}", release.data)) if available else None
            rows.append(
                _row("section 5", split, name, "examples", size, ours, f"{family}/{split}" if available else "")
            )
    validation, lengths, overlaps = ValidationStatistics(), [], []
    for episodes in release.routes.values():
        for episode in episodes:
            validation.add(episode.id, episode.extra)
            lengths.append(len(_route(episode.legs[0])))
            if isinstance(description := episode.extra.get("td_location_text"), str):
                overlaps.append(token_overlap(episode.legs[0].text, description))
    sdr_length = _text_statistics(release.texts.get(SDR, []))[1] if release.texts.get(SDR) else None
    measured = {PANORAMAS: _mean(lengths), OVERLAP: _mean(overlaps), SDR_LENGTH: sdr_length}
    of = f"of {', '.join(release.all_routes)}"
    texts_of = f"of {', '.join(release.text_splits)}"
    rows += [
        _row(
            "section 5",
            "",
            "routes and texts",
            metric,
            paper,
            measured[metric],
            "touchdown",
            texts_of if metric == SDR_LENGTH else of,
        )
        for metric, paper in SECTION_5.items()
    ]
    figures = validation.figures()
    for metric in dict.fromkeys([*figures, *VALIDATION]):
        caveat = DERIVED if "worker, %" in metric or "workers, %" in metric else ALL_TASKS
        row, _, name = metric.partition(": ")
        remark = f"{of}; {caveat}" if metric in VALIDATION else of
        rows.append(_row("section 5", "", row, name, VALIDATION.get(metric), figures.get(metric), "touchdown", remark))
    return rows


def section_8(release: Release) -> list[Row]:
    """Return the complete task: the paper's pipeline, and people by their validation tasks."""
    validation = ValidationStatistics()
    for episodes in release.routes.values():
        for episode in episodes:
            validation.add(episode.id, episode.extra)
    people = validation.figures().get(FOUND)
    pipeline = "RCONCAT and LINGUNET in a pipeline"
    return [
        _row("section 8", "", pipeline, "Found@80px", COMPLETE),
        _row("section 8", "", "people", "found, % of tasks", PEOPLE, people, "touchdown", WORKERS),
    ]


def sdr_table(release: Release, progress: Progress | None = None) -> list[Row]:
    """Return Table 4, with the three pointers that do not learn on every split but the training ones."""

    def measure(split: str) -> Iterator[tuple[str, Mapping[str, float], str]]:
        episodes, training = load(f"sdr/{split}", release.data), release.training(split)
        fitted = episodes if training == split else load(f"sdr/{training}", release.data)
        own = ", the split it is scored on" if training == split else ""
        agents: dict[str, tuple[PointingBaseline, str]] = {
            "RANDOM": (Uniform(), ""),
            "CENTER": (Center(), ""),
            "AVERAGE": (Average(fitted), f"fitted on sdr/{training}{own}"),
        }
        for done, (name, (agent, remark)) in enumerate(agents.items()):
            yield name, mean_point_scores(agent, episodes, RANDOM_POINT_SEEDS if name == "RANDOM" else 1), remark
            if progress is not None:
                progress(f"Table 4, {split}", done + 1, len(agents))

    return _measured_rows("4", TABLE_4, COLUMNS_4, release, "sdr", measure)


def mean_point_scores(agent: PointingBaseline, episodes: Sequence[Episode], repeats: int) -> dict[str, float]:
    """Return every pointing metric, as the papers print it, averaged over seeds."""
    goals = [episode.legs[-1].goal for episode in episodes]
    points = [goal for goal in goals if isinstance(goal, Point)]
    sentences = [episode.legs[-1].text for episode in episodes]
    scores: dict[str, list[float]] = {}
    for seed in range(repeats):
        agent.begin(episodes[0], np.random.default_rng(seed))
        answers = [agent.direction(goal.yaw) for goal in points]
        for name, values in point_scores(answers, points, sentences).items():
            scores.setdefault(name, []).append(METRICS[name].mean(values))
    return {name: float(np.mean(values)) for name, values in scores.items()}


def navigation_table(release: Release, progress: Progress | None = None) -> list[Row]:
    """Return Table 5, with the three walkers that do not learn on every split but the training ones, horizon 50."""
    graph = open_world("touchdown", release.data)

    def measure(split: str) -> Iterator[tuple[str, Mapping[str, float], str]]:
        routes = [_route(episode.legs[0]) for episode in load(f"touchdown/{split}", release.data)]
        references = [[graph.place_index(place) for place in route] for route in routes]
        hops = graph.hops.matrix()
        near = sum(int(hops[route[0], route[-1]]) <= NEAR_HOPS for route in references)
        remark = f"{near} of {len(routes)} routes end within {NEAR_HOPS} hops of their start"
        for name in ("STOP", "FREQUENT", "RANDOM"):
            seeds = range(RANDOM_SEEDS if name == "RANDOM" else 1)
            sums = np.zeros(len(COLUMNS_5))
            for seed in seeds:
                traces = evaluate(name.lower(), f"touchdown/{split}", seed=seed, data=release.data)
                paths = [[graph.place_index(str(place)) for place in trace.legs[0].path] for trace in traces]
                scores = path_scores(COLUMNS_5, paths, references, hops, 1)
                sums += [METRICS[column].mean(scores[column]) for column in COLUMNS_5]
                if progress is not None:
                    progress(f"Table 5, {split}, {name}", seed + 1, len(seeds))
            yield name, dict(zip(COLUMNS_5, (sums / len(seeds)).tolist(), strict=True)), remark

    return _measured_rows("5", TABLE_5, COLUMNS_5, release, "touchdown", measure)


def _measured_rows(
    table: str, published: Published, columns: Sequence[str], release: Release, family: str, measure: Measure
) -> list[Row]:
    """Return the published rows with ours, and rows of ours alone for splits that the paper does not have."""
    rows = []
    for part in (DEV, TEST, ""):
        unmeasured = dict(published.get(part, {}))
        for split in release.splits_like(part):
            for system, ours, remark in measure(split):
                paper = dict(zip(columns, published.get(part, {}).get(system, ()), strict=False))
                unmeasured.pop(system, None)
                rows += [
                    _row(table, part, system, column, paper.get(column), ours[column], f"{family}/{split}", remark)
                    for column in columns
                ]
        rows += _published_rows(table, {part: unmeasured}, columns)
    return rows


def _published_rows(table: str, published: Published, columns: Sequence[str], remark: str = "") -> list[Row]:
    """Return rows that only the paper has."""
    return [
        _row(table, split, system, column, number, remark=remark)
        for split, systems in published.items()
        for system, numbers in systems.items()
        for column, number in zip(columns, numbers, strict=True)
    ]


def _row(
    table: str,
    split: str,
    row: str,
    metric: str,
    paper: float | None,
    ours: float | None = None,
    dataset: str = "",
    remark: str = "",
) -> Row:
    value = ours if ours is None or isinstance(ours, int) else round(float(ours), 4)
    return {
        "table": table,
        "split": split,
        "row": row,
        "metric": metric,
        "paper": paper,
        "ours": value,
        "dataset": dataset if ours is not None else "",
        "remark": remark,
    }


def _mean(values: Iterable[float]) -> float | None:
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else None


def _route(leg: Leg) -> tuple[str, ...]:
    assert isinstance(leg.goal, Reach)
    return leg.goal.route


def text_lengths(data: DataFolder = None) -> dict[str, list[int]]:
    """Return Figure 5: the number of tokens of each text, for the available splits."""
    release = Release.open(data)
    indoors = [f"r2r/{split}" for split in DATASETS["r2r"].splits(data_folder(data))]
    texts = release.texts | texts_by_kind(episode for name in indoors for episode in load(name, data))
    labels = {R2R: "R2R", SDR: "Touchdown (SDR)", NAVIGATION: "Touchdown (navigation)"}
    return {
        label: [len(tokens(" ".join(text))) for text in texts[kind]] for kind, label in labels.items() if kind in texts
    }
