"""Touchdown's Table 4 on a city, from saved predictions, beside the published numbers.

Each function returns rows of plain values. Means are over episodes and seeds. Intervals are 95 % bootstrap intervals in
which panoramas of one text are drawn together. Differences and ratios compare two systems on the same resamples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from bearleft.data import load
from bearleft.errors import InputError, format_value
from bearleft.experiments.rows import Row
from bearleft.experiments.touchdown.predictions import OWN_TEXTS, SavedPredictions, baselines
from bearleft.experiments.touchdown.published import TABLE_4
from bearleft.experiments.touchdown.scoring import (
    COLUMNS,
    PAIR_COLUMNS,
    BootstrapEstimate,
    ClusteredValues,
    SplitScorer,
    mean_over_seeds,
    ratio,
)
from bearleft.records import Episode
from bearleft.types import DataFolder

if TYPE_CHECKING:
    from bearleft.types import Floats

LoadEpisodes = Callable[[str], Sequence[Episode]]
BASELINE, OURS, TEXT_BLIND = "LINGUNET", "BEARING", "UNET"
MAIN_METRIC = "A@80px"
MIN_EPISODES = 20  # with a phenomenon, for a row of its own
PAIRS_PREFIX = "city/pairs/"


@dataclass(frozen=True)
class SystemMetrics:
    """Metrics of one system on one split: the mean over seeds, and those of each seed."""

    seeds: tuple[int, ...]
    mean: dict[str, ClusteredValues]
    per_seed: tuple[dict[str, ClusteredValues], ...]


class ResultTable:
    """All systems on one split, by name and by the texts that they had."""

    def __init__(self, scorer: SplitScorer, predictions: Iterable[SavedPredictions]) -> None:
        self.scorer = scorer
        distances: dict[tuple[str, str], dict[int, Floats]] = {}
        for prediction in predictions:
            by_seed = distances.setdefault((prediction.system, prediction.texts), {})
            by_seed[prediction.seed] = scorer.distances(prediction)
        self.metrics = {
            key: self._system_metrics(dict(sorted(by_seed.items())))
            for key, by_seed in sorted(distances.items(), key=lambda item: (_rank(item[0][0]), item[0]))
        }
        self._estimates: dict[tuple[str, str, str], BootstrapEstimate] = {}

    def _system_metrics(self, distances: Mapping[int, Floats]) -> SystemMetrics:
        per_seed = []
        for of_seed in distances.values():
            pairs = self.scorer.pair_metrics(of_seed) if len(self.scorer.pairs) else {}
            per_seed.append({**self.scorer.metrics(of_seed), **pairs})
        return SystemMetrics(tuple(distances), mean_over_seeds(per_seed), tuple(per_seed))

    def has(self, system: str, texts: str = OWN_TEXTS) -> bool:
        """Return whether there are predictions of a system with such texts."""
        return (system, texts) in self.metrics

    @property
    def systems(self) -> list[str]:
        """Return the systems that had their own texts, in the order of the paper's table."""
        return [system for system, texts in self.metrics if texts == OWN_TEXTS]

    def estimate(self, system: str, metric: str, texts: str = OWN_TEXTS) -> BootstrapEstimate:
        """Return a metric of a system, in percent or pixels."""
        key = (system, metric, texts)
        if key not in self._estimates:
            estimate = self.scorer.estimate(self.metrics[system, texts].mean[metric])
            self._estimates[key] = _scaled(estimate, _scale(metric))
        return self._estimates[key]

    def gain(self, system: str, metric: str, texts: str) -> BootstrapEstimate:
        """Return how much better a system is with its own texts, over the seeds that have both."""
        own, other = self.metrics[system, OWN_TEXTS], self.metrics[system, texts]
        common = [seed for seed in own.seeds if seed in other.seeds]
        means = []
        for of_texts in (own, other):
            chosen = [
                metrics
                for seed, metrics in zip(of_texts.seeds, of_texts.per_seed, strict=True)
                if seed in common or not common
            ]
            means.append(self.scorer.estimate(mean_over_seeds(chosen)[metric]))
        return _scaled(means[0] - means[1], _scale(metric))

    def errors(self, system: str, metric: str) -> BootstrapEstimate:
        """Return what is missing from 100 %."""
        estimate = self.estimate(system, metric)
        return BootstrapEstimate(100.0 - estimate.value, 100.0 - estimate.resampled)


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
        scorer = SplitScorer(name, _answered(name, episodes, predictions))
        table = ResultTable(
            scorer, [*not_learnt, *(prediction for prediction in predictions if prediction.dataset == name)]
        )
        rows += [*score_rows(table), *difference_rows(table, against), *fewer_errors_rows(table, ours, against)]
        rows += [*phenomenon_rows(table, ours, against), *other_texts_rows(table), *reversal_rows(table)]
    kinds = [name for name in names if name.startswith(PAIRS_PREFIX)]
    return rows + pair_rows({name: episodes_of(name) for name in kinds}, predictions, ours, against)


def score_rows(table: ResultTable) -> list[Row]:
    """Return Table 4: every column of every system, with interval, spread over seeds, and the published number."""
    rows = []
    for system in table.systems:
        for metric in COLUMNS:
            paper = published_number(table.scorer.name, system, metric)
            rows.append({**_head(table, "score", system, metric), **_summary(table, system, metric), "paper": paper})
    return rows


def difference_rows(table: ResultTable, against: str = BASELINE) -> list[Row]:
    """Return every system's difference from another on the same episodes."""
    if not table.has(against):
        return []
    rows = []
    for system in table.systems:
        for metric in COLUMNS if system != against else ():
            difference = table.estimate(system, metric) - table.estimate(against, metric)
            head = _head(table, "difference", system, metric, against)
            rows.append({**head, **_values(difference), "p": round(difference.p, 4)})
    return rows


def fewer_errors_rows(table: ResultTable, ours: str = OURS, against: str = BASELINE) -> list[Row]:
    """Return by how many percent the errors of one system are fewer than those of another."""
    if not (table.has(ours) and table.has(against)):
        return []
    rows = []
    for metric in ("A@40px", MAIN_METRIC, "A@120px"):
        remaining = ratio(table.errors(ours, metric), table.errors(against, metric))
        fewer = BootstrapEstimate(100.0 * (1 - remaining.value), 100.0 * (1 - remaining.resampled))
        rows.append({**_head(table, "fewer errors", ours, metric, against), **_values(fewer)})
    return rows


def phenomenon_rows(table: ResultTable, ours: str = OURS, against: str = BASELINE) -> list[Row]:
    """Return A@80px on texts with each phenomenon, for the systems compared, and the difference of the first two."""
    rows = []
    for phenomenon, mask in table.scorer.phenomena.items():
        if mask.sum() < MIN_EPISODES:
            continue
        estimates = {
            system: _scaled(table.scorer.estimate(table.metrics[system, OWN_TEXTS].mean[MAIN_METRIC], mask), 100.0)
            for system in (against, ours, TEXT_BLIND)
            if table.has(system)
        }
        tail = {"phenomenon": phenomenon, "n": int(mask.sum())}
        rows += [
            {**_head(table, "phenomenon", system, MAIN_METRIC), **_values(estimate), **tail}
            for system, estimate in estimates.items()
        ]
        if ours in estimates and against in estimates:
            difference = estimates[ours] - estimates[against]
            head = _head(table, "phenomenon difference", ours, MAIN_METRIC, against)
            rows.append({**head, **_values(difference), **tail})
    return rows


def other_texts_rows(table: ResultTable) -> list[Row]:
    """Return systems with texts other than their own, and how much better they are with their own."""
    rows = []
    for system, texts in table.metrics:
        if texts == OWN_TEXTS:
            continue
        for metric in ("A@40px", MAIN_METRIC, "A@120px", "Dist"):
            row = {**_head(table, "texts", system, metric), **_summary(table, system, metric, texts), "texts": texts}
            if table.has(system):
                row |= {f"own {name}": value for name, value in _values(table.gain(system, metric, texts)).items()}
            rows.append(row)
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
            head = _head(table, "reversal", worse, metric, better)
            row = {**head, **_values(difference), "sure": difference.interval[0] > 0}
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
    answered = {name: _answered(name, episodes, predictions) for name, episodes in kinds.items()}
    groups = {name.removeprefix(PAIRS_PREFIX): [name] for name in answered}
    groups |= {"all": list(answered)} if len(answered) > 1 else {}
    for group, names in groups.items():
        scorer = SplitScorer(f"{PAIRS_PREFIX}{group}", [episode for name in names for episode in answered[name]])
        table = ResultTable(scorer, concatenate(predictions, names))
        for system in table.systems:
            rows += [
                {**_head(table, "pairs", system, metric), **_summary(table, system, metric)} for metric in PAIR_COLUMNS
            ]
        if table.has(ours) and table.has(against):
            for metric in PAIR_COLUMNS:
                remaining = ratio(table.errors(ours, metric), table.errors(against, metric))
                rows.append({**_head(table, "errors left", ours, metric, against), **_values(remaining, 3)})
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


def _answered(name: str, episodes: Sequence[Episode], predictions: Iterable[SavedPredictions]) -> list[Episode]:
    """Return the episodes with predictions: a run may cover a part of a dataset, such as pairs at unseen places."""
    ids = {episode_id for prediction in predictions if prediction.dataset == name for episode_id in prediction.ids}
    if unknown := ids - {episode.id for episode in episodes}:
        hint = "Name the data folder whose examples were asked: --data DIR"
        raise InputError(
            f"answers to {name}'s own {len(episodes)} episodes", format_value(min(unknown)), "ids", hint=hint
        )
    return [episode for episode in episodes if episode.id in ids]


def _training_episodes(name: str, episodes: Sequence[Episode], load_episodes: LoadEpisodes) -> Sequence[Episode]:
    """Return the training split of a split's dataset, or the split itself where there is none."""
    try:
        return load_episodes(f"{name.rpartition('/')[0]}/train")
    except InputError:
        return episodes


def _rank(system: str) -> int:
    names = list(TABLE_4["dev"])
    return names.index(system) if system in names else len(names)


def _scale(metric: str) -> float:
    return 1.0 if metric == "Dist" else 100.0


def _scaled(estimate: BootstrapEstimate, scale: float) -> BootstrapEstimate:
    return BootstrapEstimate(scale * estimate.value, scale * estimate.resampled)


def _head(table: ResultTable, kind: str, system: str, metric: str, against: str = "") -> Row:
    row: Row = {"kind": kind, "split": table.scorer.name, "system": system, "metric": metric}
    return row | ({"against": against} if against else {})


def _summary(table: ResultTable, system: str, metric: str, texts: str = OWN_TEXTS) -> Row:
    """Return a metric, its standard deviation over seeds (None of one seed), and the number of values."""
    metrics = table.metrics[system, texts]
    means = [_scale(metric) * float(of_seed[metric].values.mean()) for of_seed in metrics.per_seed]
    spread = round(float(np.std(means, ddof=1)), 2) if len(means) > 1 else None
    counts = {"seeds": len(means), "spread": spread, "n": len(metrics.mean[metric].values)}
    return _values(table.estimate(system, metric, texts)) | counts


def _values(estimate: BootstrapEstimate, digits: int = 2) -> Row:
    """Return a value and its interval; None where it is undefined, as a ratio to no errors at all."""
    if not np.isfinite(estimate.value):
        return {"value": None, "low": None, "high": None}
    low, high = estimate.interval
    return {"value": round(estimate.value, digits), "low": round(low, digits), "high": round(high, digits)}
