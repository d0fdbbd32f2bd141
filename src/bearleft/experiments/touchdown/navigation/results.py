"""Touchdown's Tables 5, 7 and 8 on a city, from saved walks, beside the published numbers.

Each function returns rows of plain values. Means are over episodes and seeds. Intervals are 95 % bootstrap intervals
over episodes, or over minimal pairs. Differences compare two systems on the same resamples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from bearleft.data import load
from bearleft.errors import InputError, format_value
from bearleft.experiments.rows import Row
from bearleft.experiments.touchdown.navigation.baselines import BASELINES, baseline_walks
from bearleft.experiments.touchdown.navigation.runs import (
    GA,
    NO_IMAGE,
    NO_TEXT,
    ORAR,
    OTHER_CITY,
    RCONCAT,
    REAL_SPLITS,
    TEST_UNSEEN,
    navigation_runs,
)
from bearleft.experiments.touchdown.navigation.saved_walks import SavedWalks
from bearleft.experiments.touchdown.navigation.scoring import COLUMNS, PAIR_COLUMNS, WalkScorer
from bearleft.experiments.touchdown.predictions import OWN_TEXTS
from bearleft.experiments.touchdown.published import (
    COLUMNS_5,
    DEV,
    ORAR_NO_IMAGE,
    TABLE_5,
    TABLE_7,
    TABLE_8,
    TEST,
)
from bearleft.experiments.touchdown.results import SystemMetrics
from bearleft.experiments.touchdown.scoring import BootstrapEstimate, mean_over_seeds, ratio
from bearleft.metrics.registry import METRICS
from bearleft.records import Episode
from bearleft.types import DataFolder

if TYPE_CHECKING:
    from bearleft.experiments.touchdown.scoring import ClusteredValues

LoadEpisodes = Callable[[str], Sequence[Episode]]
PAIRS_PREFIX = "city/pairs/"
MAIN_METRIC = "TC"
AGAINST = (RCONCAT, ORAR)
MIN_EPISODES = 20  # with a phenomenon or opening, for a row of its own
SYSTEMS = (*BASELINES, *dict.fromkeys(run.system for run in navigation_runs()))
ABLATIONS = tuple(f"{system} {part}" for system in (RCONCAT, GA) for part in (NO_TEXT, NO_IMAGE))
# Pairs (worse, better) as the paper has them.
EXPECTED_ORDER = (*product(BASELINES, ABLATIONS), *product(ABLATIONS, (RCONCAT, GA)))


class NavigationTable:
    """All systems on one split, by name and by the texts that they had."""

    def __init__(self, scorer: WalkScorer, walks: Iterable[SavedWalks]) -> None:
        self.scorer = scorer
        scores: dict[tuple[str, str], dict[int, dict[str, ClusteredValues]]] = {}
        for one in walks:
            scores.setdefault((one.system, one.texts), {})[one.seed] = scorer.metrics(one)
        self.metrics = {}
        for key, by_seed in sorted(scores.items(), key=lambda item: (_rank(item[0][0]), item[0])):
            per_seed = tuple(by_seed[seed] for seed in sorted(by_seed))
            self.metrics[key] = SystemMetrics(tuple(sorted(by_seed)), mean_over_seeds(per_seed), per_seed)
        self._estimates: dict[tuple[str, str, str], BootstrapEstimate] = {}

    def has(self, system: str, texts: str = OWN_TEXTS) -> bool:
        """Return whether there are walks of a system with such texts."""
        return (system, texts) in self.metrics

    @property
    def systems(self) -> list[str]:
        """Return the systems that had their own texts, in the order of the tables."""
        return [system for system, texts in self.metrics if texts == OWN_TEXTS]

    def estimate(self, system: str, metric: str, texts: str = OWN_TEXTS) -> BootstrapEstimate:
        """Return a metric of a system."""
        key = (system, metric, texts)
        if key not in self._estimates:
            self._estimates[key] = self.scorer.estimate(metric, self.metrics[system, texts].mean[metric])
        return self._estimates[key]


def results(
    walks: Sequence[SavedWalks],
    data: DataFolder = None,
    other_city: DataFolder = None,
    load_episodes: LoadEpisodes | None = None,
) -> list[Row]:
    """Return all rows that the walks allow.

    Args:
        walks: Saved walks, as `read_walks_folder` returns them.
        data: Folder of the datasets.
        other_city: Folder of city/touchdown in the other city.
        load_episodes: Loads a dataset by its name in the walks; by default from the two folders.

    Raises:
        InputError: A dataset is missing or is another one than was walked.
    """

    def default_load(name: str) -> Sequence[Episode]:
        if name.startswith(OTHER_CITY):
            if other_city is None:
                raise InputError(f"the folder of {name}", "none", hint="Add --other-city DIR.")
            return load(name.removeprefix(OTHER_CITY), other_city)
        if name in REAL_SPLITS:
            try:
                return load(name, data)
            except InputError:
                return load(name)
        return load(name, data)

    episodes_of = cache(load_episodes or default_load)
    rows: list[Row] = []
    tables: dict[str, NavigationTable] = {}
    for name in dict.fromkeys(one.dataset for one in walks):
        own = [one for one in walks if one.dataset == name]
        episodes = _walked(name, episodes_of(name), own)
        folder = other_city if name.startswith(OTHER_CITY) else data
        table = NavigationTable(WalkScorer(name, episodes, folder), [*baseline_walks(name, episodes, folder), *own])
        tables[name] = table
        if name.startswith(PAIRS_PREFIX):
            rows += pair_rows(table)
            continue
        rows += score_rows(table)
        is_real = name in REAL_SPLITS
        against = ("RANDOM",) if is_real else AGAINST
        rows += [row for other in against for row in difference_rows(table, other)]
        rows += [*fewer_errors_rows(table), *other_texts_rows(table)]
        rows += group_rows(table, "phenomenon")
        if not is_real:  # openings are read by the parser of generated texts
            rows += [*order_rows(table), *group_rows(table, "opening")]
    return rows + other_city_rows(tables)


def score_rows(table: NavigationTable) -> list[Row]:
    """Return every column of every system, with interval, spread over seeds, and the published number."""
    return [
        {
            **_head(table, "score", system, metric),
            **_summary(table, system, metric),
            "paper": published_number(table.scorer.name, system, metric),
        }
        for system in table.systems
        for metric in COLUMNS
    ]


def difference_rows(table: NavigationTable, against: str) -> list[Row]:
    """Return every system's difference from another on the same episodes."""
    if not table.has(against):
        return []
    rows = []
    for system in table.systems:
        for metric in COLUMNS if system != against else ():
            difference = table.estimate(system, metric) - table.estimate(against, metric)
            head = _head(table, "difference", system, metric, against)
            rows.append({**head, **_values(difference, metric), "p": round(difference.p, 4)})
    return rows


def fewer_errors_rows(table: NavigationTable, against: str = RCONCAT) -> list[Row]:
    """Return by how many percent the failed episodes of each system are fewer than those of another."""
    if not table.has(against):
        return []
    rows = []
    for system in table.systems:
        if system in (against, *BASELINES):
            continue
        remaining = ratio(_errors(table, system), _errors(table, against))
        fewer = BootstrapEstimate(100.0 * (1 - remaining.value), 100.0 * (1 - remaining.resampled))
        rows.append({**_head(table, "fewer errors", system, MAIN_METRIC, against), **_values(fewer, MAIN_METRIC)})
    return rows


def order_rows(table: NavigationTable) -> list[Row]:
    """Return how much better each system is than one that should be worse by the paper, in TC, SPD and SED.

    `value` is positive where the paper's order holds; `sure` says whether the interval is clear of 0.
    """
    rows = []
    for worse, better in EXPECTED_ORDER:
        if not (table.has(worse) and table.has(better)):
            continue
        for metric in COLUMNS_5:
            gain = table.estimate(better, metric) - table.estimate(worse, metric)
            if not METRICS[metric].higher_is_better:
                gain = BootstrapEstimate(-gain.value, -gain.resampled)
            low, high = gain.interval
            row = {**_head(table, "order", better, metric, worse), **_values(gain, metric)}
            rows.append(row | {"holds": gain.value > 0, "sure": low > 0 or high < 0})
    return rows


def other_texts_rows(table: NavigationTable) -> list[Row]:
    """Return systems with texts of other episodes, and how much better they are with their own."""
    rows = []
    for system, texts in table.metrics:
        if texts == OWN_TEXTS:
            continue
        for metric in COLUMNS_5:
            row = {**_head(table, "texts", system, metric), **_summary(table, system, metric, texts), "texts": texts}
            if table.has(system):
                gain = table.estimate(system, metric) - table.estimate(system, metric, texts)
                row |= {f"own {name}": value for name, value in _values(gain, metric).items()}
            rows.append(row)
    return rows


def pair_rows(table: NavigationTable) -> list[Row]:
    """Return minimal pairs: both texts right, and the changed one right."""
    if not len(table.scorer.pairs):
        return []
    return [
        {**_head(table, "pairs", system, metric), **_summary(table, system, metric)}
        for system in table.systems
        for metric in PAIR_COLUMNS
    ]


def group_rows(table: NavigationTable, kind: str) -> list[Row]:
    """Return TC of all learning systems on texts with each phenomenon, or with each kind of opening.

    Args:
        table: The systems on a split.
        kind: "phenomenon" or "opening".
    """
    rows = []
    groups = table.scorer.phenomena if kind == "phenomenon" else table.scorer.openings
    for name, mask in groups.items():
        if mask.sum() < MIN_EPISODES:
            continue
        for system in table.systems:
            if system in BASELINES:
                continue
            estimate = table.scorer.estimate(MAIN_METRIC, table.metrics[system, OWN_TEXTS].mean[MAIN_METRIC], mask)
            head = _head(table, kind, system, MAIN_METRIC)
            rows.append({**head, **_values(estimate, MAIN_METRIC), kind: name, "n": int(mask.sum())})
    return rows


def other_city_rows(tables: dict[str, NavigationTable]) -> list[Row]:
    """Return how much TC differs in another city from test_unseen; the two are resampled independently."""
    here, there = tables.get(TEST_UNSEEN), tables.get(f"{OTHER_CITY}{TEST_UNSEEN}")
    if here is None or there is None:
        return []
    rows = []
    for system in there.systems:
        if not here.has(system):
            continue
        difference = there.estimate(system, MAIN_METRIC) - here.estimate(system, MAIN_METRIC)
        head = _head(there, "other city", system, MAIN_METRIC, TEST_UNSEEN)
        values = {"there": _rounded(there.estimate(system, MAIN_METRIC).value, MAIN_METRIC)}
        values |= {"here": _rounded(here.estimate(system, MAIN_METRIC).value, MAIN_METRIC)}
        rows.append({**head, **_values(difference, MAIN_METRIC), **values})
    return rows


def published_number(split: str, system: str, metric: str) -> float | None:
    """Return what a paper prints for its development or test split, or None where it prints nothing."""
    part = TEST if split.rpartition("/")[2].startswith("test") else DEV
    if split in REAL_SPLITS:
        is_published = (system, metric) == (f"{ORAR} {NO_IMAGE}", MAIN_METRIC)
        return ORAR_NO_IMAGE[split.partition("/")[0]][0] if is_published else None
    if metric not in COLUMNS_5:
        return None
    name, _, suffix = system.partition(" ")
    table = TABLE_7 if suffix == "RGB" else TABLE_8 if suffix else TABLE_5
    numbers = table.get(part, {}).get(name if suffix == "RGB" else system)
    return None if numbers is None else numbers[COLUMNS_5.index(metric)]


def _walked(name: str, episodes: Sequence[Episode], walks: Iterable[SavedWalks]) -> list[Episode]:
    """Return the episodes with walks: a run may cover a part of a dataset, such as pairs at unseen places."""
    ids = {episode_id for one in walks for episode_id in one.ids}
    if unknown := ids - {episode.id for episode in episodes}:
        hint = "Name the data folder whose episodes were walked: --data DIR"
        raise InputError(f"walks of {name}'s own {len(episodes)} episodes", format_value(min(unknown)), hint=hint)
    return [episode for episode in episodes if episode.id in ids]


def _rank(system: str) -> int:
    return SYSTEMS.index(system) if system in SYSTEMS else len(SYSTEMS)


def _errors(table: NavigationTable, system: str) -> BootstrapEstimate:
    estimate = table.estimate(system, MAIN_METRIC)
    return BootstrapEstimate(100.0 - estimate.value, 100.0 - estimate.resampled)


def _head(table: NavigationTable, kind: str, system: str, metric: str, against: str = "") -> Row:
    row: Row = {"kind": kind, "split": table.scorer.name, "system": system, "metric": metric}
    return row | ({"against": against} if against else {})


def _summary(table: NavigationTable, system: str, metric: str, texts: str = OWN_TEXTS) -> Row:
    """Return a metric, its standard deviation over seeds (None of one seed), and the number of values."""
    metrics = table.metrics[system, texts]
    means = [METRICS[metric].mean(of_seed[metric].values) for of_seed in metrics.per_seed]
    spread = _rounded(float(np.std(means, ddof=1)), metric) if len(means) > 1 else None
    counts = {"seeds": len(means), "spread": spread, "n": len(metrics.mean[metric].values)}
    return _values(table.estimate(system, metric, texts), metric) | counts


def _rounded(value: float, metric: str) -> float:
    return round(value, 2 if METRICS[metric].percent or metric == "SPD" else 4)


def _values(estimate: BootstrapEstimate, metric: str) -> Row:
    """Return a value and its interval; None where it is undefined, as a ratio to no errors at all."""
    if not np.isfinite(estimate.value):
        return {"value": None, "low": None, "high": None}
    low, high = estimate.interval
    return {
        name: _rounded(value, metric)
        for name, value in zip(("value", "low", "high"), (estimate.value, low, high), strict=True)
    }
