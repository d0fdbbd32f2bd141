"""ArraMon's tables and figures on any split of its tasks, released or ours.

Table 1 (lengths), Tables 2 and 3 (baselines), 5 (turn by turn) and 6 (the room after perfect navigation), each with the
published rows; Figures 5 (common words), 6 (lengths) and 9 (rPOD). The released files hold no obstacles, distractors or
decoys, so walks are free and nothing but the targets can be picked up. A random walk draws the number of its actions
from the reference lengths of the split, independently of the task, and each action uniformly from forward, left and
right; then it picks, or places as soon as it can.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from bearleft.agents.agent import Agent
from bearleft.agents.registry import make_agent
from bearleft.data import load, stats
from bearleft.data.stats import PAPER as PUBLISHED_STATISTICS
from bearleft.envs.legs import EnvOptions
from bearleft.errors import InputError
from bearleft.evaluation.play import play
from bearleft.experiments.arramon.changed_texts import with_other_texts
from bearleft.experiments.arramon.published import (
    METRICS,
    ROOM_METRICS,
    published,
    published_rows,
    split_of,
    table_of,
)
from bearleft.experiments.rows import Row, comparison_rows, statistics_rows
from bearleft.experiments.texts import available_datasets
from bearleft.language.analysis.tokens import words
from bearleft.metrics.assembly import rpod
from bearleft.metrics.trace_columns import ColumnBuilder, EpisodeIndex
from bearleft.metrics.trace_values import MetricValues, compute_values
from bearleft.records import Assemble, Collect, Episode, Leg, Trace
from bearleft.types import DataFolder, Progress

REAL_SPLIT = "arramon/val_unseen"
SMALL_SPLIT = "city/arramon/small"
RANDOM_SEEDS = 5
AGENTS = ("random", "shortest", "follower")
TEXT_READERS = ("follower",)  # agents that read texts of generated sections only; they play with other texts, too
TURNS = (1, 2)
OTHER_TEXTS = "another task's texts"
MAX_CELLS = 10  # cells; Figure 9's distances
MAX_LENGTH = 125  # words or moves; where Figure 6 is cut
# Figure 5 leaves out stop words and the words of target objects.
STOP_WORDS = (
    "a an and are as at be by for from has have in into is it its of off on onto or so that the then there this to will"
    " with you your"
)
OBJECT_WORDS = "book hourglass mug bucket ball tv bowl dotted striped"
REMARKS = [
    "Random walk: its length is drawn from the split's reference lengths; the paper does not say how it was chosen.",
    "The paper walked among buildings; the released files have none, so a walk there is never stopped by one.",
    "Our sections are not the paper's city: its figures stand beside ours for their size, not to be met.",
    "rPOD and PTC count as collected who picked the right object up or ended within 3 units of it, as Table 2 does; a"
    " placing that never happened scores 0.",
    "Table 1's figures are of the whole dataset, sums over both turns. Rows without ours are the paper's own models.",
]


def default_names(data: DataFolder = None) -> list[str]:
    """Return the default splits: the real one where it is available, and the small generated one."""
    return [*available_datasets((REAL_SPLIT,), data), SMALL_SPLIT]


def tables(
    names: Sequence[str] = (), data: DataFolder = None, progress: Progress | None = None, agents: Sequence[str] = AGENTS
) -> list[Row]:
    """Return the rows of all tables for each split, sorted by table: ours with the paper's, then published ones."""
    splits = list(names or default_names(data))
    loaded = {name: tasks(name, data) for name in splits}
    rows: list[Row] = []
    played, total = 0, sum(len(playable_agents(episodes, agents)) for episodes in loaded.values())
    for name, episodes in loaded.items():
        rows += length_table(name, data)
        for agent_name in playable_agents(episodes, agents):
            rows += agent_rows(agent_name, name, episodes, data)
            played += 1
            if progress is not None:
                progress(f"{agent_name} {name}", played, total)
    for split in dict.fromkeys(map(split_of, splits)):
        rows += published_rows(split)
    return sorted(rows, key=lambda row: str(row["table"]))


def tasks(name: str, data: DataFolder = None) -> list[Episode]:
    """Return the tasks of a dataset; raise InputError where it is not one of ArraMon's."""
    episodes = load(name, data)
    if not all(isinstance(episode.legs[0].goal, Collect) for episode in episodes):
        raise InputError("a dataset of ArraMon's tasks, as city/arramon/small", name)
    return episodes


def is_released(episodes: Sequence[Episode]) -> bool:
    """Return whether tasks come from a released file, which holds no other objects."""
    return not any("setting" in episode.extra for episode in episodes)


def playable_agents(episodes: Sequence[Episode], agents: Sequence[str] = AGENTS) -> list[str]:
    """Return the agents that can play these tasks: rules cannot read texts of the released city."""
    return [name for name in agents if name not in TEXT_READERS or not is_released(episodes)]


def length_table(name: str, data: DataFolder = None) -> list[Row]:
    """Return the rows of Table 1."""
    paper = PUBLISHED_STATISTICS["arramon"]
    counts = [row | {"paper": row["paper"] or paper.get(row["statistic"])} for row in stats(data, [name])]
    return statistics_rows("1", counts, "sums over both turns; the paper's are of the whole dataset")


def agent_rows(agent_name: str, name: str, episodes: Sequence[Episode], data: DataFolder = None) -> Iterator[Row]:
    """Yield the rows of one agent on one split: Table 2 or 3, Table 5, and Table 6.

    On released tasks, rows of random walks are means over several seeds.
    """
    table, seeds = table_of(name), RANDOM_SEEDS if agent_name == "random" and is_released(episodes) else 1
    remark = f"mean of {seeds} seeds" if seeds > 1 else ""
    if agent_name == "shortest" and is_released(episodes):
        remark = "the recorded paths"
    runs = [evaluate(make_agent(agent_name, name, data), episodes, seed) for seed in range(seeds)]
    yield from comparison_rows(
        table, f"{agent_name}, {name}", published(agent_name, name), _mean_of_runs(map(metric_means, runs)), remark
    )
    for turn in TURNS:
        by_turn = _mean_of_runs(metric_means(values.of_turn(turn)) for values in runs)
        yield from comparison_rows("5", f"{agent_name}, turn {turn}, {name}", {}, by_turn, remark)
    options = EnvOptions(perfect_navigation=True)
    perfect = [
        metric_means(evaluate(make_agent(agent_name, name, data), episodes, seed, options)) for seed in range(seeds)
    ]
    room = {metric: value for metric, value in _mean_of_runs(perfect).items() if metric in ROOM_METRICS}
    yield from comparison_rows("6", f"{agent_name}, {name}", {}, room, "the reference navigates")
    if agent_name in TEXT_READERS:
        other = evaluate(make_agent(agent_name, name, data), episodes, played=with_other_texts(episodes))
        yield from comparison_rows(
            table, f"{agent_name} on {OTHER_TEXTS}, {name}", {}, metric_means(other), "those of the next task"
        )


def evaluate(
    agent: Agent,
    episodes: Sequence[Episode],
    seed: int = 0,
    options: EnvOptions | None = None,
    played: Sequence[Episode] | None = None,
) -> MetricValues:
    """Play tasks and return their metrics; `played` are the same tasks with other texts for the agent."""
    builder = ColumnBuilder(EpisodeIndex.build("tasks", "", episodes, {}))
    for episode in played or episodes:
        legs = play(agent, episode, seed, options=options)
        builder.add(Trace(episode.id, "tasks", "agent", legs, seed).to_json())
    return compute_values(builder.build(), episodes, {})


def metric_means(values: MetricValues) -> dict[str, float]:
    """Return the mean of each metric over all turns, as Table 2 prints it."""
    return {name: float(values.by_metric[name].numbers.mean()) for name in METRICS}


def _mean_of_runs(scores: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of several runs, metric by metric."""
    runs = list(scores)
    return {name: float(np.mean([run[name] for run in runs])) for name in METRICS}


def rpod_curve() -> tuple[list[float], list[float]]:
    """Return Figure 9: rPOD over the Manhattan distance between the cell of an object and its goal."""
    distances = [float(cells) for cells in range(MAX_CELLS + 1)]
    return distances, rpod(distances, [True] * len(distances)).tolist()


def lengths(name: str = REAL_SPLIT, data: DataFolder = None) -> dict[str, dict[str, list[int]]]:
    """Return Figure 6: words of instructions and moves of paths by phase, summed over both turns as in Table 1."""
    episodes = tasks(name, data)
    phases: dict[str, type[Collect] | type[Assemble]] = {"navigation": Collect, "assembly": Assemble}
    return {
        "instructions": {
            phase: _sums(episodes, kind, lambda leg: len(words(leg.text))) for phase, kind in phases.items()
        },
        "paths": {phase: _sums(episodes, kind, _moves) for phase, kind in phases.items()},
    }


def _sums(episodes: Sequence[Episode], kind: type[Collect] | type[Assemble], count: Callable[[Leg], int]) -> list[int]:
    return [sum(count(leg) for leg in episode.legs if isinstance(leg.goal, kind)) for episode in episodes]


def _moves(leg: Leg) -> int:
    assert isinstance(leg.goal, Collect | Assemble)
    return max(len(leg.goal.path) - 1, 0)


def common_words(name: str = REAL_SPLIT, data: DataFolder = None, count: int = 25) -> dict[str, int]:
    """Return Figure 5: the most common words, without stop words and the words of target objects."""
    excluded = {*STOP_WORDS.split(), *OBJECT_WORDS.split()}
    counts: Counter[str] = Counter()
    for episode in tasks(name, data):
        for leg in episode.legs:
            counts.update(word for word in words(leg.text) if word not in excluded)
    return dict(counts.most_common(count))
