"""Systems on one split, as means over seeds with bootstrap intervals, and the rows that all tables of them have."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from bearleft.experiments.rows import Row
from bearleft.experiments.systems.bootstrap import (
    Bools,
    BootstrapEstimate,
    ClusteredValues,
    EpisodeBootstrap,
    mean_over_seeds,
    ratio,
)
from bearleft.experiments.systems.saved_results import OWN_TEXTS, SavedResult
from bearleft.records import Episode

ScorerT = TypeVar("ScorerT", bound=EpisodeBootstrap)
SavedT = TypeVar("SavedT", bound=SavedResult)
LoadEpisodes = Callable[[str], Sequence[Episode]]
MIN_EPISODES = 20  # in a group, for a row of its own
PAIRS_PREFIX = "city/pairs/"


@dataclass(frozen=True)
class SystemMetrics:
    """Metrics of one system on one split: the mean over seeds, and those of each seed."""

    seeds: tuple[int, ...]
    mean: dict[str, ClusteredValues]
    per_seed: tuple[dict[str, ClusteredValues], ...]


class SystemTable(ABC, Generic[ScorerT, SavedT]):
    """All systems on one split, by name and by the texts that they had.

    Args:
        scorer: Scores the systems' results.
        saved: The results, of any number of seeds.
    """

    order: ClassVar[Sequence[str]]  # of systems; others follow by name
    columns: ClassVar[Sequence[str]]  # metrics of the table

    def __init__(self, scorer: ScorerT, saved: Iterable[SavedT]) -> None:
        self.scorer = scorer
        measured: dict[tuple[str, str], dict[int, dict[str, ClusteredValues]]] = {}
        for one in saved:
            measured.setdefault((one.system, one.texts), {})[one.seed] = self.measure(one)
        self.metrics: dict[tuple[str, str], SystemMetrics] = {}
        for key, by_seed in sorted(measured.items(), key=lambda item: (self._rank(item[0][0]), item[0])):
            seeds = tuple(sorted(by_seed))
            per_seed = tuple(by_seed[seed] for seed in seeds)
            self.metrics[key] = SystemMetrics(seeds, mean_over_seeds(per_seed), per_seed)
        self._estimates: dict[tuple[str, str, str], BootstrapEstimate] = {}

    @abstractmethod
    def measure(self, saved: SavedT) -> dict[str, ClusteredValues]:
        """Return the values of all metrics of saved results."""

    @abstractmethod
    def scale(self, metric: str) -> float:
        """Return the factor of printed values: 100 for a rate, else 1."""

    @abstractmethod
    def published(self, system: str, metric: str) -> float | None:
        """Return what the paper prints for the split, or None where it prints nothing."""

    def digits(self, metric: str) -> int:
        """Return how many decimals a metric's values have in rows."""
        return 2

    def _rank(self, system: str) -> int:
        return self.order.index(system) if system in self.order else len(self.order)

    def has(self, system: str, texts: str = OWN_TEXTS) -> bool:
        """Return whether there are results of a system with such texts."""
        return (system, texts) in self.metrics

    @property
    def systems(self) -> list[str]:
        """Return the systems that had their own texts, in the order of the table."""
        return [system for system, texts in self.metrics if texts == OWN_TEXTS]

    def estimate(self, system: str, metric: str, texts: str = OWN_TEXTS) -> BootstrapEstimate:
        """Return a metric of a system as it is printed."""
        key = (system, metric, texts)
        if key not in self._estimates:
            values = self.metrics[system, texts].mean[metric]
            self._estimates[key] = self.scorer.estimate(values, scale=self.scale(metric))
        return self._estimates[key]

    def estimate_group(self, system: str, metric: str, mask: Bools) -> BootstrapEstimate:
        """Return a metric of a system on some of the episodes."""
        return self.scorer.estimate(self.metrics[system, OWN_TEXTS].mean[metric], mask, self.scale(metric))

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
            means.append(self.scorer.estimate(mean_over_seeds(chosen)[metric], scale=self.scale(metric)))
        return means[0] - means[1]

    def errors(self, system: str, metric: str) -> BootstrapEstimate:
        """Return what is missing from 100 %."""
        estimate = self.estimate(system, metric)
        return BootstrapEstimate(100.0 - estimate.value, 100.0 - estimate.resampled)


AnyTable = SystemTable[Any, Any]


def score_rows(table: AnyTable) -> list[Row]:
    """Return every column of every system, with interval, spread over seeds, and the published number."""
    rows = metric_rows(table, "score", table.columns)
    return [row | {"paper": table.published(row["system"], row["metric"])} for row in rows]


def metric_rows(table: AnyTable, kind: str, metrics: Sequence[str]) -> list[Row]:
    """Return metrics of every system, with interval and spread over seeds."""
    return [
        {**head(table, kind, system, metric), **summary(table, system, metric)}
        for system in table.systems
        for metric in metrics
    ]


def difference_rows(table: AnyTable, against: str) -> list[Row]:
    """Return every system's difference from another on the same episodes."""
    if not table.has(against):
        return []
    rows = []
    for system in table.systems:
        for metric in table.columns if system != against else ():
            difference = table.estimate(system, metric) - table.estimate(against, metric)
            row = {**head(table, "difference", system, metric, against), **values(difference, table.digits(metric))}
            rows.append(row | {"p": round(difference.p, 4)})
    return rows


def fewer_errors_row(table: AnyTable, system: str, metric: str, against: str) -> Row:
    """Return by how many percent the errors of one system are fewer than those of another."""
    remaining = ratio(table.errors(system, metric), table.errors(against, metric))
    fewer = BootstrapEstimate(100.0 * (1 - remaining.value), 100.0 * (1 - remaining.resampled))
    return {**head(table, "fewer errors", system, metric, against), **values(fewer, table.digits(metric))}


def other_texts_rows(table: AnyTable, metrics: Sequence[str]) -> list[Row]:
    """Return systems with texts other than their own, and how much better they are with their own."""
    rows = []
    for system, texts in table.metrics:
        if texts == OWN_TEXTS:
            continue
        for metric in metrics:
            row = {**head(table, "texts", system, metric), **summary(table, system, metric, texts), "texts": texts}
            if table.has(system):
                gain = values(table.gain(system, metric, texts), table.digits(metric))
                row |= {f"own {name}": value for name, value in gain.items()}
            rows.append(row)
    return rows


def head(table: AnyTable, kind: str, system: str, metric: str, against: str = "") -> Row:
    """Return the beginning of a row."""
    row: Row = {"kind": kind, "split": table.scorer.name, "system": system, "metric": metric}
    return row | ({"against": against} if against else {})


def summary(table: AnyTable, system: str, metric: str, texts: str = OWN_TEXTS) -> Row:
    """Return a metric, its standard deviation over seeds (None of one seed), and the number of values."""
    metrics, digits = table.metrics[system, texts], table.digits(metric)
    means = [table.scale(metric) * float(of_seed[metric].values.mean()) for of_seed in metrics.per_seed]
    spread = round(float(np.std(means, ddof=1)), digits) if len(means) > 1 else None
    counts = {"seeds": len(means), "spread": spread, "n": len(metrics.mean[metric].values)}
    return values(table.estimate(system, metric, texts), digits) | counts


def values(estimate: BootstrapEstimate, digits: int = 2) -> Row:
    """Return a value and its interval; None where it is undefined, as a ratio to no errors at all."""
    if not np.isfinite(estimate.value):
        return {"value": None, "low": None, "high": None}
    low, high = estimate.interval
    return {"value": round(estimate.value, digits), "low": round(low, digits), "high": round(high, digits)}
