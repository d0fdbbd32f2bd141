"""Touchdown's Tables 5, 7 and 8 on a city, from saved walks, beside the published numbers.

Each function returns rows of plain values. Means are over episodes and seeds. Intervals are 95 % bootstrap intervals
over episodes, or over minimal pairs. Differences compare two systems on the same resamples.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product

from bearleft.data import load
from bearleft.errors import InputError
from bearleft.experiments.rows import Row
from bearleft.experiments.systems.bootstrap import ClusteredValues
from bearleft.experiments.systems.saved_results import episodes_with_results
from bearleft.experiments.systems.saved_walks import NAME
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
from bearleft.experiments.touchdown.navigation.baselines import BASELINES, baseline_walks
from bearleft.experiments.touchdown.navigation.endings import ENDINGS
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
from bearleft.experiments.touchdown.published import (
    COLUMNS_5,
    DEV,
    ORAR_NO_IMAGE,
    TABLE_5,
    TABLE_7,
    TABLE_8,
    TEST,
)
from bearleft.metrics.registry import METRICS
from bearleft.records import Episode
from bearleft.types import DataFolder

MAIN_METRIC = "TC"
AGAINST = (RCONCAT, ORAR)
SYSTEMS = (*BASELINES, *dict.fromkeys(run.system for run in navigation_runs()))
ABLATIONS = tuple(f"{system} {part}" for system in (RCONCAT, GA) for part in (NO_TEXT, NO_IMAGE))
# Pairs (worse, better) as the paper has them.
EXPECTED_ORDER = (*product(BASELINES, ABLATIONS), *product(ABLATIONS, (RCONCAT, GA)))


class NavigationTable(SystemTable[WalkScorer, SavedWalks]):
    """All walking systems on one split, by name and by the texts that they had."""

    order, columns = SYSTEMS, COLUMNS

    def measure(self, saved: SavedWalks) -> dict[str, ClusteredValues]:
        """Return the values of all metrics of saved walks."""
        return self.scorer.metrics(saved)

    def scale(self, metric: str) -> float:
        """Return 100 for rates, else 1."""
        return 100.0 if metric in ENDINGS else METRICS[metric].scale

    def published(self, system: str, metric: str) -> float | None:
        """Return what Tables 5, 7 and 8 print."""
        return published_number(self.scorer.name, system, metric)

    def digits(self, metric: str) -> int:
        """Return how many decimals a metric's values have in rows."""
        return 2 if metric in (*ENDINGS, "SPD") or METRICS[metric].percent else 4


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
        episodes = episodes_with_results(name, episodes_of(name), own, NAME)
        folder = other_city if name.startswith(OTHER_CITY) else data
        table = NavigationTable(WalkScorer(name, episodes, folder), [*baseline_walks(name, episodes, folder), *own])
        tables[name] = table
        if name.startswith(PAIRS_PREFIX):
            rows += metric_rows(table, "pairs", PAIR_COLUMNS) if len(table.scorer.pairs) else []
            continue
        rows += score_rows(table)
        is_real = name in REAL_SPLITS
        against = ("RANDOM",) if is_real else AGAINST
        rows += [row for other in against for row in difference_rows(table, other)]
        rows += [*fewer_errors_rows(table), *other_texts_rows(table, COLUMNS_5)]
        rows += [*metric_rows(table, "ending", ENDINGS), *group_rows(table, "phenomenon")]
        if not is_real:  # openings are read by the parser of generated texts
            rows += [*order_rows(table), *group_rows(table, "opening")]
    return rows + other_city_rows(tables)


def fewer_errors_rows(table: NavigationTable, against: str = RCONCAT) -> list[Row]:
    """Return by how many percent the failed episodes of each system are fewer than those of another."""
    if not table.has(against):
        return []
    systems = [system for system in table.systems if system not in (against, *BASELINES)]
    return [fewer_errors_row(table, system, MAIN_METRIC, against) for system in systems]


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
                gain = -gain
            low, high = gain.interval
            row = {**head(table, "order", better, metric, worse), **values(gain, table.digits(metric))}
            rows.append(row | {"holds": gain.value > 0, "sure": low > 0 or high < 0})
    return rows


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
            estimate = table.estimate_group(system, MAIN_METRIC, mask)
            row = {**head(table, kind, system, MAIN_METRIC), **values(estimate, table.digits(MAIN_METRIC))}
            rows.append(row | {kind: name, "n": int(mask.sum())})
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
        digits, estimates = there.digits(MAIN_METRIC), [one.estimate(system, MAIN_METRIC) for one in (there, here)]
        row = head(there, "other city", system, MAIN_METRIC, TEST_UNSEEN)
        row |= values(estimates[0] - estimates[1], digits)
        both = zip(("there", "here"), estimates, strict=True)
        rows.append(row | {name: round(estimate.value, digits) for name, estimate in both})
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
