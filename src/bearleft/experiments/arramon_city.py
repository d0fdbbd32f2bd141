"""ArraMon's tables in our own sections: baselines (2, 3), turn by turn (5), the room after perfect navigation (6)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from bearleft.agents.named import agent
from bearleft.data import load
from bearleft.envs.legs import Options
from bearleft.errors import InputError
from bearleft.evaluate.values import Values
from bearleft.experiments.arramon import RANDOM_WALK, RANDOM_WALK_SEEN, SHORTEST_PATH, means, measured
from bearleft.experiments.rows import Progress, Row, beside
from bearleft.records import Collect, Episode

Data = str | os.PathLike[str] | None
SMALL = "city/arramon/small"
AGENTS = ("random", "shortest", "follower")
READERS = ("follower",)  # who are given other texts too
TURNS = (1, 2)
IN_THE_ROOM = ("CTC-3", "rPOD", "PTC")
OTHERS = "another task's texts"
REMARKS = [
    "Our sections are not the paper's city: its figures stand beside ours for their size, not to be met.",
    "Table 6 of the paper is its Vision-and-Language model on validation seen: CTC-3 1.000, rPOD 0.539, PTC 0.382.",
]


def city_tables(
    names: Sequence[str] = (SMALL,), data: Data = None, progress: Progress | None = None, agents: Sequence[str] = AGENTS
) -> list[Row]:
    """Of each dataset and agent the rows of Tables 2 or 3 and 5, and of Table 6."""
    rows: list[Row] = []
    played = 0
    for name in names:
        episodes = tasks(name, data)
        for who in agents:
            rows += agent_rows(who, name, episodes, data)
            played += 1
            if progress is not None:
                progress(f"{who} {name}", played, len(names) * len(agents))
    return sorted(rows, key=lambda row: str(row["table"]))


def tasks(name: str, data: Data = None) -> list[Episode]:
    """The tasks of a dataset, which must be ArraMon's."""
    episodes = load(name, data)
    if not all(isinstance(episode.legs[0].goal, Collect) for episode in episodes):
        raise InputError("a dataset of ArraMon's tasks, as city/arramon/small", name)
    return episodes


def agent_rows(who: str, name: str, episodes: Sequence[Episode], data: Data = None) -> Iterator[Row]:
    """What one agent does in one dataset."""
    table = "3" if name.endswith("test_unseen") else "2"
    values = measured(agent(who, name, data), episodes)
    yield from beside(table, f"{who}, {name}", published(who, name), means(values))
    for turn in TURNS:
        yield from beside("5", f"{who}, turn {turn}, {name}", {}, means(values.of_turn(turn)))
    perfect = measured(agent(who, name, data), episodes, options=Options(perfect_navigation=True))
    yield from beside("6", f"{who}, {name}", {}, _in_the_room(perfect), "the reference navigates")
    if who in READERS:
        other = measured(agent(who, name, data), episodes, told=with_other_texts(episodes))
        yield from beside(table, f"{who} on {OTHERS}, {name}", {}, means(other), "those of the next task")


def published(who: str, name: str) -> Mapping[str, float]:
    """The paper's row for the same baseline, where it prints one."""
    if who == "random" and not name.endswith("test_unseen"):
        return RANDOM_WALK_SEEN if name.endswith("val_seen") else RANDOM_WALK
    return SHORTEST_PATH if who == "shortest" and not name.endswith("test_unseen") else {}


def with_other_texts(episodes: Sequence[Episode]) -> list[Episode]:
    """Each task with the texts of the one after it."""
    if len(episodes) < 2:
        raise InputError("at least two tasks, to swap their texts", str(len(episodes)))
    return [
        replace(episode, legs=tuple(replace(a, text=b.text) for a, b in zip(episode.legs, other.legs, strict=True)))
        for episode, other in zip(episodes, [*episodes[1:], episodes[0]], strict=True)
    ]


def _in_the_room(values: Values) -> dict[str, float]:
    found = means(values)
    return {name: found[name] for name in IN_THE_ROOM}
