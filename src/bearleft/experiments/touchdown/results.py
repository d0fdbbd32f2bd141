"""Touchdown's Table 4 on a city, from saved predictions, beside the published numbers.

Each function returns rows of plain values. Means are over episodes and seeds. Intervals are 95 % bootstrap intervals in
which panoramas of one text are drawn together. Differences and ratios compare two systems on the same resamples.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations

import numpy as np

from bearleft.data import load
from bearleft.errors import InputError
from bearleft.experiments.rows import Row
from bearleft.experiments.systems.bootstrap import ClusteredValues, ratio
from bearleft.experiments.systems.saved_results import episodes_with_results
from bearleft.experiments.systems.table import (
    MIN_EPISODES,
    PAIRS_PREFIX,
    LoadEpisodes,
    SystemTable,
    difference_rows,
    fewer_errors_row,
    head,
    metric_rows,
    other_texts_rows,
    score_rows,
    values,
)
from bearleft.experiments.touchdown.predictions import NAME, SavedPredictions, baselines
from bearleft.experiments.touchdown.published import TABLE_4
from bearleft.experiments.touchdown.scoring import COLUMNS, PAIR_COLUMNS, SplitScorer
from bearleft.records import Episode
from bearleft.types import DataFolder

BASELINE, OURS, TEXT_BLIND = "LINGUNET", "BEARING", "UNET"
MAIN_METRIC = "A@80px"
ERROR_METRICS = ("A@40px", MAIN_METRIC, "A@120px")


class ResultTable(SystemTable[SplitScorer, SavedPredictions]):
    """Table 4: all systems on one split, by name and by the texts that they had."""

    order, columns = tuple(TABLE_4["dev"]), COLUMNS

    def measure(self, saved: SavedPredictions) -> dict[str, ClusteredValues]:
        """Return the values of all columns and, of minimal pairs, of their metrics."""
        distances = self.scorer.distances(saved)
        pairs = self.scorer.pair_metrics(distances) if len(self.scorer.pairs) else {}
        return {**self.scorer.metrics(distances), **pairs}

    def scale(self, metric: str) -> float:
        """Return 1 for distances in pixels, else 100."""
        return 1.0 if metric == "Dist" else 100.0

    def published(self, system: str, metric: str) -> float | None:
        """Return what Table 4 prints."""
        return published_number(self.scorer.name, system, metric)


def results(
    predictions: Sequence[SavedPredictions],
    data: DataFolder = None,
    ours: str = OURS,
    against: str = BASELINE,
    load_episodes: LoadEpisodes | None = None,
) -> list[Row]:
    """Return all rows that the predictions allow.

    Args:
        predictions: Saved predictions, as `read_folder` returns them.
        data: Data folder of the datasets.
        ours: The system that is compared with `against`.
        against: The system that every other is compared with.
        load_episodes: Loads a dataset by name; by default, `bearleft.load` with `data`.
    """
    # One training split serves several others.
    episodes_of = cache(load_episodes or (lambda name: load(name, data)))
    rows: list[Row] = []
    names = list(dict.fromkeys(prediction.dataset for prediction in predictions))
    for name in (name for name in names if not name.startswith(PAIRS_PREFIX)):
        episodes = episodes_of(name)
        not_learnt = baselines(name, episodes, _training_episodes(name, episodes, episodes_of))
        scorer = SplitScorer(name, episodes_with_results(name, episodes, predictions, NAME))
        table = ResultTable(
            scorer, [*not_learnt, *(prediction for prediction in predictions if prediction.dataset == name)]
        )
        rows += [*score_rows(table), *difference_rows(table, against), *fewer_errors_rows(table, ours, against)]
        rows += [*phenomenon_rows(table, ours, against), *other_texts_rows(table, (*ERROR_METRICS, "Dist"))]
        rows += reversal_rows(table)
    kinds = [name for name in names if name.startswith(PAIRS_PREFIX)]
    return rows + pair_rows({name: episodes_of(name) for name in kinds}, predictions, ours, against)


def fewer_errors_rows(table: ResultTable, ours: str = OURS, against: str = BASELINE) -> list[Row]:
    """Return by how many percent the errors of one system are fewer than those of another."""
    if not (table.has(ours) and table.has(against)):
        return []
    return [fewer_errors_row(table, ours, metric, against) for metric in ERROR_METRICS]


def phenomenon_rows(table: ResultTable, ours: str = OURS, against: str = BASELINE) -> list[Row]:
    """Return A@80px on texts with each phenomenon, for the systems compared, and the difference of the first two."""
    rows = []
    for phenomenon, mask in table.scorer.phenomena.items():
        if mask.sum() < MIN_EPISODES:
            continue
        estimates = {
            system: table.estimate_group(system, MAIN_METRIC, mask)
            for system in (against, ours, TEXT_BLIND)
            if table.has(system)
        }
        tail = {"phenomenon": phenomenon, "n": int(mask.sum())}
        rows += [
            {**head(table, "phenomenon", system, MAIN_METRIC), **values(estimate), **tail}
            for system, estimate in estimates.items()
        ]
        if ours in estimates and against in estimates:
            difference = estimates[ours] - estimates[against]
            row = head(table, "phenomenon difference", ours, MAIN_METRIC, against)
            rows.append({**row, **values(difference), **tail})
    return rows


def reversal_rows(table: ResultTable, metric: str = MAIN_METRIC) -> list[Row]:
    """Return pairs of systems in the opposite order of the paper's, and whether the interval is clear of 0."""
    rows = []
    for above, below in combinations(table.systems, 2):
        first, second = (published_number(table.scorer.name, system, metric) for system in (above, below))
        if first is None or second is None or first == second:
            continue
        better, worse = (above, below) if first > second else (below, above)
        difference = table.estimate(worse, metric) - table.estimate(better, metric)
        if difference.value > 0:
            row = {**head(table, "reversal", worse, metric, better), **values(difference)}
            row |= {"sure": difference.interval[0] > 0}
            rows.append(row | {"paper": -round(abs(first - second), 2)})
    return rows


def pair_rows(
    kinds: Mapping[str, Sequence[Episode]],
    predictions: Sequence[SavedPredictions],
    ours: str = OURS,
    against: str = BASELINE,
) -> list[Row]:
    """Return minimal pairs by kind and in total: both texts right, the changed one right, the ratio of errors."""
    if not kinds:
        return []
    rows = []
    answered = {name: episodes_with_results(name, episodes, predictions, NAME) for name, episodes in kinds.items()}
    groups = {name.removeprefix(PAIRS_PREFIX): [name] for name in answered}
    groups |= {"all": list(answered)} if len(answered) > 1 else {}
    for group, names in groups.items():
        scorer = SplitScorer(f"{PAIRS_PREFIX}{group}", [episode for name in names for episode in answered[name]])
        table = ResultTable(scorer, concatenate(predictions, names))
        rows += metric_rows(table, "pairs", PAIR_COLUMNS)
        if table.has(ours) and table.has(against):
            for metric in PAIR_COLUMNS:
                remaining = ratio(table.errors(ours, metric), table.errors(against, metric))
                rows.append({**head(table, "errors left", ours, metric, against), **values(remaining, 3)})
    return rows


def concatenate(predictions: Sequence[SavedPredictions], names: Sequence[str]) -> list[SavedPredictions]:
    """Return predictions on several datasets as one, for the systems and seeds that have all of them."""
    groups: dict[tuple[str, str, int], dict[str, SavedPredictions]] = {}
    for prediction in predictions:
        if prediction.dataset in names:
            group = groups.setdefault((prediction.system, prediction.texts, prediction.seed), {})
            group[prediction.dataset] = prediction
    concatenated = []
    for (system, texts, seed), group in groups.items():
        if len(group) == len(names):
            ids = tuple(episode_id for name in names for episode_id in group[name].ids)
            directions = np.concatenate([group[name].directions for name in names])
            concatenated.append(SavedPredictions(system, ", ".join(names), seed, ids, directions, texts=texts))
    return concatenated


def published_number(split: str, system: str, metric: str) -> float | None:
    """Return what the paper prints for its development or test split, or None where it prints nothing."""
    numbers = TABLE_4["test" if split.rpartition("/")[2].startswith("test") else "dev"].get(system)
    return None if numbers is None or metric not in COLUMNS else numbers[COLUMNS.index(metric)]


def _training_episodes(name: str, episodes: Sequence[Episode], load_episodes: LoadEpisodes) -> Sequence[Episode]:
    """Return the training split of a split's dataset, or the split itself where there is none."""
    try:
        return load_episodes(f"{name.rpartition('/')[0]}/train")
    except InputError:
        return episodes
