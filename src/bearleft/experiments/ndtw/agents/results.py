"""Table 2 of trained agents, from saved walks, beside the published numbers.

Metrics are those of `experiments.ndtw.tables`: the convention `ndtw-paper`, in metres, with a threshold of 3 m. Means
are over instructions and seeds. Intervals are 95 % bootstrap intervals in which whole buildings are resampled: the
instructions of a path are not independent, nor are the paths of R4R, which are joined from the same ones of R2R. Splits
of fewer than MIN_BUILDINGS buildings are resampled by reference paths. The intervals are for the trained agents as they
are; `spread`, the standard deviation over seeds, says how much they differ.

Random agents are measured as in `tables.random_scores`, and have no interval.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from bearleft.data import load
from bearleft.errors import InputError
from bearleft.experiments.ndtw.agents.runs import AGENTS, FIDELITY, GOAL
from bearleft.experiments.ndtw.agents.saved_walks import AgentWalks
from bearleft.experiments.ndtw.tables import COLUMNS, PUBLISHED, RANDOM, random_scores, reference_paths
from bearleft.experiments.rows import Row
from bearleft.experiments.systems.bootstrap import ClusteredValues
from bearleft.experiments.systems.saved_results import OWN_TEXTS, episodes_with_results
from bearleft.experiments.systems.saved_walks import NAME
from bearleft.experiments.systems.scoring import PathScorer
from bearleft.experiments.systems.table import LoadEpisodes, SystemTable, difference_rows, score_rows
from bearleft.records import Episode, Reach
from bearleft.types import DataFolder, Progress

CONVENTION = "ndtw-paper"
MIN_BUILDINGS = 8  # of a split, to resample buildings
PERCENT = 100.0
BUILDINGS, PATHS = "buildings", "reference paths"  # what is resampled


def building_key(episode: Episode) -> Hashable:
    """Return the building of an episode."""
    return episode.world


def path_key(episode: Episode) -> Hashable:
    """Return the reference path of an episode, which its instructions share."""
    goal = episode.legs[0].goal
    return episode.world, goal.route if isinstance(goal, Reach) else episode.id


def open_scorer(name: str, episodes: Sequence[Episode], data: DataFolder = None) -> PathScorer:
    """Return the scorer of a split under the paper's convention; clusters are buildings, if there are enough."""
    buildings = len({episode.world for episode in episodes})
    key = building_key if buildings >= MIN_BUILDINGS else path_key
    return PathScorer(name, episodes, CONVENTION, COLUMNS, key, data)


class AgentTable(SystemTable[PathScorer, AgentWalks]):
    """All agents on one split."""

    order, columns = AGENTS, COLUMNS

    def measure(self, saved: AgentWalks) -> dict[str, ClusteredValues]:
        """Return the values of all metrics of saved walks."""
        return self.scorer.metrics(saved)

    def scale(self, metric: str) -> float:
        """Return 100: all metrics are printed as percentages."""
        return PERCENT

    def published(self, system: str, metric: str) -> float | None:
        """Return what Table 2 prints."""
        return published_number(self.scorer.name, system, metric)

    def seed_differences(self, system: str, metric: str, against: str) -> list[float]:
        """Return the differences between two agents of the same seed, for each seed that both have."""
        own, other = self.metrics[system, OWN_TEXTS], self.metrics[against, OWN_TEXTS]
        by_seed = dict(zip(other.seeds, other.per_seed, strict=True))
        return [
            PERCENT * float((values[metric].values - by_seed[seed][metric].values).mean())
            for seed, values in zip(own.seeds, own.per_seed, strict=True)
            if seed in by_seed
        ]


def results(
    walks: Sequence[AgentWalks],
    data: DataFolder = None,
    random_walks: int = 1_000_000,
    seed: int = 0,
    progress: Progress | None = None,
    load_episodes: LoadEpisodes | None = None,
) -> list[Row]:
    """Return all rows that the walks allow: scores of each agent, and differences from the goal-oriented one.

    Args:
        walks: Saved walks, as `read_walks_folder` returns them.
        data: Folder of R2R.
        random_walks: Walks of the random agent on each split.
        seed: Seed of the random walks.
        progress: Called with the splits done.
        load_episodes: Loads a dataset by its name in the walks; by default from the data folder.

    Raises:
        InputError: A dataset is missing or is another one than was walked.
    """
    if random_walks < 1:
        raise InputError("at least one walk", str(random_walks), "walks")
    names = list(dict.fromkeys(one.dataset for one in walks))
    order = [dataset for dataset, _ in PUBLISHED.values()]
    names.sort(key=lambda name: (order.index(name) if name in order else len(order), name))
    rows: list[Row] = []
    for k, name in enumerate(names):
        if progress:
            progress(name, k, len(names))
        own = [one for one in walks if one.dataset == name]
        episodes = load_episodes(name) if load_episodes else load(name, data)
        table = AgentTable(open_scorer(name, episodes_with_results(name, episodes, own, NAME), data), own)
        rows += [*random_rows(name, data, random_walks, seed), *agent_rows(table)]
    if progress:
        progress("scored", len(names), len(names))
    return rows


def agent_rows(table: AgentTable) -> list[Row]:
    """Return the scores of all agents, and how much each differs from the goal-oriented one on the same episodes.

    `sure` says whether the interval of a difference is clear of 0; `spread` is its standard deviation over the seeds
    that both agents have, None of one seed.
    """
    count = int(table.scorer.clusters.max()) + 1
    clusters = {"clusters": count, "resampled": BUILDINGS if count == len(table.scorer.graphs) else PATHS}
    rows = [row | clusters for row in score_rows(table)]
    for row in difference_rows(table, GOAL):
        system, metric = row["system"], row["metric"]
        by_seed = table.seed_differences(system, metric, GOAL)
        spread = round(float(np.std(by_seed, ddof=1)), table.digits(metric)) if len(by_seed) > 1 else None
        paper = [table.published(name, metric) for name in (system, GOAL)]
        printed = None if paper[0] is None or paper[1] is None else round(paper[0] - paper[1], 1)
        sure = {"sure": row["low"] > 0 or row["high"] < 0, "seeds": len(by_seed), "spread": spread, "paper": printed}
        rows.append(row | sure | clusters)
    return rows


def random_rows(name: str, data: DataFolder, walks: int, seed: int) -> list[Row]:
    """Return the scores of the random agent on the reference paths of a split."""
    scores = random_scores(reference_paths(name, data), walks, seed)
    no_interval = {"low": None, "high": None, "seeds": 1, "spread": None, "n": walks}
    return [
        {
            "kind": "score",
            "split": name,
            "system": RANDOM,
            "metric": metric,
            "value": round(PERCENT * scores[metric], 2),
            **no_interval,
            "paper": published_number(name, RANDOM, metric),
            "clusters": None,
            "resampled": "",
        }
        for metric in COLUMNS
    ]


def published_number(split: str, system: str, metric: str) -> float | None:
    """Return what Table 2 prints for a split, or None where it prints nothing."""
    for dataset, agents in PUBLISHED.values():
        if dataset == split and system in agents:
            return agents[system][COLUMNS.index(metric)]
    return None


def is_comparison(row: Row) -> bool:
    """Return whether a row is the paper's own comparison: the fidelity-oriented agent less the goal-oriented one."""
    return row["kind"] == "difference" and (row["system"], row["against"]) == (FIDELITY, GOAL)
