"""Whether texts of a city say enough: the rule-based follower with each episode's own text, and with another's."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bearleft.agents.follower import Follower
from bearleft.data import load
from bearleft.errors import InputError
from bearleft.evaluate.play import play
from bearleft.experiments.rows import Progress, Row
from bearleft.metrics.completion import NEIGHBOUR
from bearleft.metrics.pointing import pixel_distance
from bearleft.metrics.statistics import bootstrap
from bearleft.records import Direction, Episode, LegTrace, Point, Reach
from bearleft.world.worlds import open_world

NEAR = 40.0  # pixels
Data = str | os.PathLike[str] | None


def following(names: Sequence[str], seed: int = 0, data: Data = None, progress: Progress | None = None) -> list[Row]:
    """Of each dataset two rows: how often the follower ends at the goal or a neighbour (TC), or points within 40 px.

    The other's text is that of an episode with another text, drawn at random. Nothing is left out: who cannot answer
    is wrong.
    """
    rows = []
    for name in names:
        episodes = load(name, data)
        if not all(len(one.legs) == 1 and isinstance(one.legs[0].goal, Reach | Point) for one in episodes):
            raise InputError("a dataset of one leg, to walk or to point", name)
        others = _others(episodes, seed)
        measured: dict[str, list[float]] = {"its own": [], "another's": []}
        for k, (episode, other) in enumerate(zip(episodes, others, strict=True)):
            for whose, asked in (("its own", episode), ("another's", other)):
                measured[whose].append(_right(episode, play(Follower(), asked, seed, data)[0], data))
            if progress and k % 20 == 0:
                progress(name, k, len(episodes))
        metric = "TC" if isinstance(episodes[0].legs[0].goal, Reach) else "A@40px"
        for whose, right in measured.items():
            interval = bootstrap(100.0 * np.array(right), np.random.default_rng(seed))
            rows.append(
                {
                    "dataset": name,
                    "text": whose,
                    "metric": metric,
                    "value": round(100.0 * float(np.mean(right)), 2),
                    "low": round(interval.low, 2),
                    "high": round(interval.high, 2),
                    "n": len(right),
                }
            )
    return rows


def _others(episodes: Sequence[Episode], seed: int) -> list[Episode]:
    """The episodes, each with the text of another that says something else."""
    rng = np.random.default_rng([seed, len(episodes)])
    if len({one.legs[0].text for one in episodes}) < 2:
        raise InputError("episodes with different texts", f"{len(episodes)} with one text")
    found = []
    for episode in episodes:
        leg = episode.legs[0]
        while (other := episodes[int(rng.integers(len(episodes)))].legs[0]).text == leg.text:
            pass
        found.append(replace(episode, legs=(replace(leg, text=other.text, sentences=other.sentences),)))
    return found


def _right(episode: Episode, done: LegTrace, data: Data) -> float:
    goal = episode.legs[0].goal
    if isinstance(goal, Reach):
        graph = open_world(episode.world, data)
        end = graph.number(str(done.path[-1]))
        return float(graph.hops.between(end, graph.number(goal.route[-1])) <= NEIGHBOUR)
    assert isinstance(goal, Point)
    return float(isinstance(done.answer, Direction) and pixel_distance(done.answer, goal) < NEAR)
