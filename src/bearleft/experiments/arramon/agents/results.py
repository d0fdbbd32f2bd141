"""Tables 2, 3, 5 and 6 of trained agents, from saved plays, beside the published numbers.

Metrics are the paper's convention: an object counts as collected that was picked up or came within 3 units, and a
placing that never happened scores 0. Means are over turns, tasks and seeds; intervals are 95 % bootstrap intervals in
which whole tasks are resampled, both turns of a task together. `spread` is the standard deviation over seeds.

Rows of kind "perfect navigation" are Table 6: the reference walks, the agent assembles. On the real texts of
arramon/val_unseen blind agents assemble so too; the paper's L/O, which is printed beside them, also had to walk. Rows
of kind "changed texts" are of agents that got another task's texts, or texts without some words, with what they lose:
the same agent's score with its own texts less that, on the same tasks and seeds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bearleft.data import load
from bearleft.evaluation.recorded import score_codes
from bearleft.experiments.arramon.agents.runs import CASCADE, LO, PERFECT, REAL_SPLIT, SYSTEMS, VL, parse_mode
from bearleft.experiments.arramon.agents.saved_plays import NAME, SavedPlays
from bearleft.experiments.arramon.published import (
    METRICS,
    ROOM_METRICS,
    SEEN,
    TABLE_2,
    TABLE_3,
    TABLE_5,
    TABLE_6,
    TEST,
    UNSEEN,
    split_of,
)
from bearleft.experiments.rows import Row
from bearleft.experiments.systems.bootstrap import ClusteredValues, EpisodeBootstrap
from bearleft.experiments.systems.saved_results import episodes_with_results
from bearleft.experiments.systems.table import (
    LoadEpisodes,
    SystemTable,
    difference_rows,
    head,
    score_rows,
    summary,
    values,
)
from bearleft.types import DataFolder, Progress

TURNS = (1, 2)
DIGITS = 4
HUMANS = ("H/W", "H/E")
CHANGED = "changed texts"


class AgentTable(SystemTable[EpisodeBootstrap, SavedPlays]):
    """All agents on one split."""

    order, columns = SYSTEMS, METRICS

    def measure(self, saved: SavedPlays) -> dict[str, ClusteredValues]:
        """Return the values of all metrics of saved plays, over both turns and of each of them."""
        scorer = self.scorer
        scored = score_codes(scorer.episodes, saved.codes[scorer.rows_of(saved, NAME)], saved.options)
        by_turn = {turn: scored.of_turn(turn).by_metric for turn in TURNS}
        out = {}
        for metric in METRICS:
            turns = [np.asarray(by_turn[turn][metric].numbers, float) for turn in TURNS]
            out[metric] = ClusteredValues(np.concatenate(turns), np.tile(scorer.clusters, len(TURNS)))
            out |= {
                turn_metric(metric, turn): ClusteredValues(numbers, scorer.clusters)
                for turn, numbers in zip(TURNS, turns, strict=True)
            }
        return out

    def scale(self, metric: str) -> float:
        """Return 1: the paper prints shares."""
        return 1.0

    def digits(self, metric: str) -> int:
        """Return how many decimals a metric's values have in rows."""
        return DIGITS

    def published(self, system: str, metric: str) -> float | None:
        """Return what Table 2 or 3 prints."""
        split = split_of(self.scorer.name)
        rows = TABLE_3 if split == TEST else TABLE_2.get(split, {})
        return rows.get(system, {}).get(metric)


def turn_metric(metric: str, turn: int) -> str:
    """Return the name of a metric of one turn."""
    return f"{metric}, turn {turn}"


def results(
    plays: Sequence[SavedPlays],
    data: DataFolder = None,
    progress: Progress | None = None,
    load_episodes: LoadEpisodes | None = None,
) -> list[Row]:
    """Return all rows that the plays allow.

    Args:
        plays: Saved plays, as `read_plays_folder` returns them.
        data: Folder of the datasets.
        progress: Called with the splits done.
        load_episodes: Loads a dataset by its name in the plays; by default from the data folder.

    Raises:
        InputError: A dataset is missing or is another one than was played.
    """
    order = (SEEN, UNSEEN, TEST)
    names = sorted(
        {one.dataset for one in plays}, key=lambda name: (name == REAL_SPLIT, order.index(_place(name)), name)
    )
    rows: list[Row] = []
    for k, name in enumerate(names):
        if progress:
            progress(name, k, len(names))
        own = [one for one in plays if one.dataset == name]
        episodes = load_episodes(name) if load_episodes else load(name, data)
        played = episodes_with_results(name, episodes, own, NAME)
        table = AgentTable(EpisodeBootstrap(name, played, lambda episode: episode.id), own)
        rows += [*score_rows(table), *turn_rows(table), *perfect_rows(table), *difference_rows(table, VL)]
        rows += changed_rows(table)
        rows += human_rows(name) if name != REAL_SPLIT else []
    if progress:
        progress("scored", len(names), len(names))
    return rows


def _place(name: str) -> str:
    return split_of(name) or SEEN


def turn_rows(table: AgentTable) -> list[Row]:
    """Return Table 5: every metric turn by turn."""
    published = TABLE_5.get(split_of(table.scorer.name), {})
    return [
        {
            **head(table, "turn", system, turn_metric(metric, turn)),
            **summary(table, system, turn_metric(metric, turn)),
            "paper": published.get(f"{system}, turn {turn}", {}).get(metric),
        }
        for system in table.systems
        for turn in TURNS
        for metric in METRICS
    ]


def perfect_rows(table: AgentTable) -> list[Row]:
    """Return Table 6: assembly after perfect navigation; on real texts beside the paper's L/O, which walked itself."""
    name = table.scorer.name
    rows = []
    for system, mode in table.metrics:
        if mode != PERFECT:
            continue
        paper = TABLE_6.get(split_of(name), {}).get(system, {})
        if name == REAL_SPLIT:
            paper = TABLE_2[UNSEEN][LO] if system.endswith(LO) else {}
        kind = "real texts" if name == REAL_SPLIT else "perfect navigation"
        for metric in ROOM_METRICS:
            row = {**head(table, kind, system, metric), **summary(table, system, metric, PERFECT)}
            rows.append(row | {"paper": paper.get(metric)})
    return rows


def changed_rows(table: AgentTable) -> list[Row]:
    """Return agents with changed texts, and what they lose by that, in whole tasks and in the room alone."""
    rows = []
    for system, mode in table.metrics:
        change, perfect = parse_mode(mode)
        if not change:
            continue
        own = PERFECT if perfect else CASCADE
        for metric in ROOM_METRICS if perfect else METRICS:
            row = {**head(table, CHANGED, system, metric), **summary(table, system, metric, mode)}
            row |= {"texts": change, "perfect navigation": perfect}
            if table.has(system, own):
                lost = values(table.estimate(system, metric, own) - table.estimate(system, metric, mode), DIGITS)
                row |= {f"lost {name}": value for name, value in lost.items()}
            rows.append(row)
    return rows


def human_rows(name: str) -> list[Row]:
    """Return the paper's rows of people; nobody was measured here."""
    split = split_of(name)
    printed = TABLE_3 if split == TEST else TABLE_2.get(split, {})
    return [
        {"kind": "score", "split": name, "system": people, "metric": metric, "value": None, "paper": value}
        for people in HUMANS
        for metric, value in printed.get(people, {}).items()
    ]
