"""ArraMon's tables and figures on any split of its tasks, released or ours.

Table 1 (lengths), Tables 2 and 3 (baselines), 5 (turn by turn) and 6 (the room after perfect navigation), each with the
published rows; Figures 5 (common words), 6 (lengths) and 9 (rPOD). The released files hold no obstacles, distracters or
decoys, so walks are free and nothing but the targets can be picked up. A random walk draws the number of its actions
from the reference lengths of the split, independently of the task, and each action uniformly from forward, left and
right; then it picks, or places as soon as it can.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from bearleft.agents.agent import Agent
from bearleft.agents.registry import agent
from bearleft.data import load, stats
from bearleft.data.stats import PAPER as LENGTHS
from bearleft.envs.legs import Options
from bearleft.errors import InputError
from bearleft.evaluate.columns import Asked, Builder
from bearleft.evaluate.measures import PAPER, Values, values_of
from bearleft.evaluate.play import play
from bearleft.experiments.arramon.published import (
    IN_THE_ROOM,
    NAMES,
    published,
    published_rows,
    split_of,
    table_of,
)
from bearleft.experiments.rows import Progress, Row, beside, statistics
from bearleft.experiments.texts import those_there
from bearleft.language.analysis.tokens import words
from bearleft.metrics.assembly import rpod
from bearleft.records import Assemble, Collect, Episode, Leg, Trace

Data = str | os.PathLike[str] | None
SPLIT = "arramon/val_unseen"
SMALL = "city/arramon/small"
SEEDS = 5
AGENTS = ("random", "shortest", "follower")
READERS = ("follower",)  # who read texts of our own sections only, and are given other texts too
TURNS = (1, 2)
OTHERS = "another task's texts"
FARTHEST = 10  # cells; Figure 9's distances
LONGEST = 125  # words or moves; where Figure 6 is cut
# The words that Figure 5 leaves out beside target objects: those that carry no meaning of their own.
STOP_WORDS = (
    "a an and are as at be by for from has have in into is it its of off on onto or so that the then there this to will"
    " with you your"
)
OBJECTS = "book hourglass mug bucket ball tv bowl dotted striped"
REMARKS = [
    "Random walk: its length is drawn from the split's reference lengths; the paper does not say how it was chosen.",
    "The paper walked among buildings; the released files have none, so a walk there is never stopped by one.",
    "Our sections are not the paper's city: its figures stand beside ours for their size, not to be met.",
    "rPOD and PTC count as collected who picked the right object up or ended within 3 units of it, as Table 2 does; a"
    " placing that never happened scores 0.",
    "Table 1's figures are of the whole dataset, sums over both turns. Rows without ours are the paper's own models.",
]


def default_names(data: Data = None) -> list[str]:
    """Return the splits that are tabulated unless others are named: the real one, if it is there, and our small one."""
    return [*those_there((SPLIT,), data), SMALL]


def tables(
    names: Sequence[str] = (), data: Data = None, progress: Progress | None = None, agents: Sequence[str] = AGENTS
) -> list[Row]:
    """Return the rows of all tables for each split, sorted by table: ours beside the paper's, then published ones."""
    chosen = list(names or default_names(data))
    loaded = {name: tasks(name, data) for name in chosen}
    rows: list[Row] = []
    played, total = 0, sum(len(players(episodes, agents)) for episodes in loaded.values())
    for name, episodes in loaded.items():
        rows += length_table(name, data)
        for who in players(episodes, agents):
            rows += agent_rows(who, name, episodes, data)
            played += 1
            if progress is not None:
                progress(f"{who} {name}", played, total)
    for split in dict.fromkeys(map(split_of, chosen)):
        rows += published_rows(split)
    return sorted(rows, key=lambda row: str(row["table"]))


def tasks(name: str, data: Data = None) -> list[Episode]:
    """Return the tasks of a dataset, which must be ArraMon's."""
    episodes = load(name, data)
    if not all(isinstance(episode.legs[0].goal, Collect) for episode in episodes):
        raise InputError("a dataset of ArraMon's tasks, as city/arramon/small", name)
    return episodes


def is_released(episodes: Sequence[Episode]) -> bool:
    """Return whether tasks come from a released file, without what lies around."""
    return not any("setting" in episode.extra for episode in episodes)


def players(episodes: Sequence[Episode], agents: Sequence[str] = AGENTS) -> list[str]:
    """Return those of some agents that can play these tasks: nobody reads texts of the released city by rules."""
    return [who for who in agents if who not in READERS or not is_released(episodes)]


def length_table(name: str, data: Data = None) -> list[Row]:
    """Return the rows of Table 1."""
    paper = LENGTHS["arramon"]
    counted = [row | {"paper": row["paper"] or paper.get(row["statistic"])} for row in stats(data, [name])]
    return statistics("1", counted, "sums over both turns; the paper's are of the whole dataset")


def agent_rows(who: str, name: str, episodes: Sequence[Episode], data: Data = None) -> Iterator[Row]:
    """Yield what one agent does in one split: Table 2 or 3, Table 5, and Table 6.

    On released tasks random walks are means of several seeds.
    """
    table, seeds = table_of(name), SEEDS if who == "random" and is_released(episodes) else 1
    remark = f"mean of {seeds} seeds" if seeds > 1 else ""
    if who == "shortest" and is_released(episodes):
        remark = "the recorded paths"
    found = [measured(agent(who, name, data), episodes, seed) for seed in range(seeds)]
    yield from beside(table, f"{who}, {name}", published(who, name), _mean(map(means, found)), remark)
    for turn in TURNS:
        by_turn = _mean(means(values.of_turn(turn)) for values in found)
        yield from beside("5", f"{who}, turn {turn}, {name}", {}, by_turn, remark)
    options = Options(perfect_navigation=True)
    perfect = [means(measured(agent(who, name, data), episodes, seed, options)) for seed in range(seeds)]
    room = {metric: value for metric, value in _mean(perfect).items() if metric in IN_THE_ROOM}
    yield from beside("6", f"{who}, {name}", {}, room, "the reference navigates")
    if who in READERS:
        other = measured(agent(who, name, data), episodes, told=with_other_texts(episodes))
        yield from beside(table, f"{who} on {OTHERS}, {name}", {}, means(other), "those of the next task")


def with_other_texts(episodes: Sequence[Episode]) -> list[Episode]:
    """Return each task with the texts of the one after it."""
    if len(episodes) < 2:
        raise InputError("at least two tasks, to swap their texts", str(len(episodes)))
    return [
        replace(episode, legs=tuple(replace(a, text=b.text) for a, b in zip(episode.legs, other.legs, strict=True)))
        for episode, other in zip(episodes, [*episodes[1:], episodes[0]], strict=True)
    ]


def measured(
    agent: Agent,
    episodes: Sequence[Episode],
    seed: int = 0,
    options: Options | None = None,
    told: Sequence[Episode] | None = None,
) -> Values:
    """What an agent does in tasks, measured; `told` are the same tasks with the texts that it gets instead."""
    builder = Builder(Asked.of("tasks", "", episodes, {}))
    for episode in told or episodes:
        legs = play(agent, episode, seed, options=options)
        builder.add(Trace(episode.id, "tasks", "agent", legs, seed).to_json())
    return values_of(builder.pack(), episodes, {}, PAPER)


def means(values: Values) -> dict[str, float]:
    """Means over all turns, as Table 2 prints them."""
    return {name: float(values.by_metric[name][0].mean()) for name in NAMES}


def _mean(scores: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of several runs, measure by measure."""
    found = list(scores)
    return {name: float(np.mean([one[name] for one in found])) for name in NAMES}


def rpod_curve() -> tuple[list[float], list[float]]:
    """Figure 9: rPOD over the Manhattan distance between where something was put and where it should be."""
    away = [float(cells) for cells in range(FARTHEST + 1)]
    return away, rpod(away, [True] * len(away)).tolist()


def lengths(name: str = SPLIT, data: Data = None) -> dict[str, dict[str, list[int]]]:
    """Figure 6: words of instructions and moves of paths by phase, both turns of a task together, as in Table 1."""
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


def common_words(name: str = SPLIT, data: Data = None, count: int = 25) -> dict[str, int]:
    """Figure 5: the most common words, without stop words and the words of target objects."""
    left_out = {*STOP_WORDS.split(), *OBJECTS.split()}
    found: Counter[str] = Counter()
    for episode in tasks(name, data):
        for leg in episode.legs:
            found.update(word for word in words(leg.text) if word not in left_out)
    return dict(found.most_common(count))
