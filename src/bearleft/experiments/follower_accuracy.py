"""Accuracy of the rule-based follower on a city's texts, with each episode's own text and with another's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bearleft.agents.follower import Follower
from bearleft.data import load
from bearleft.errors import InputError
from bearleft.evaluation.play import play
from bearleft.experiments.rows import Row
from bearleft.metrics.completion import MAX_GOAL_HOPS
from bearleft.metrics.pointing import pixel_distance
from bearleft.metrics.statistics import bootstrap
from bearleft.records import Direction, Episode, LegTrace, Point, Reach
from bearleft.types import DataFolder, Progress
from bearleft.world.worlds import open_world

MAX_PIXELS = 40.0


def follower_accuracy(
    names: Sequence[str],
    seed: int = 0,
    data: DataFolder = None,
    progress: Progress | None = None,
    city: int | None = None,
) -> list[Row]:
    """Return two rows for each dataset: how often the follower ends at the goal or a neighbour (TC), or within 40 px.

    The second row gives it the text of a random episode with another text. Episodes without an answer count as wrong.

    Args:
        names: Names of datasets.
        seed: Seed of the other texts.
        data: Folder of the datasets.
        progress: Called with a label, the work done and the total.
        city: Seed of the city on streets without buildings.

    Raises:
        InputError: If a dataset's episodes have several legs, or legs other than walking or pointing.
    """
    rows = []
    for name in names:
        episodes = load(name, data)
        if not all(len(episode.legs) == 1 and isinstance(episode.legs[0].goal, Reach | Point) for episode in episodes):
            raise InputError("a dataset of one leg, to walk or to point", name)
        swapped = _with_other_texts(episodes, seed)
        follower = Follower(city, data)
        results: dict[str, list[float]] = {"its own": [], "another's": []}
        for k, (episode, other) in enumerate(zip(episodes, swapped, strict=True)):
            for texts, episode_with_text in (("its own", episode), ("another's", other)):
                results[texts].append(_is_right(episode, play(follower, episode_with_text, seed, data)[0], data))
            if progress and k % 20 == 0:
                progress(name, k, len(episodes))
        metric = "TC" if isinstance(episodes[0].legs[0].goal, Reach) else "A@40px"
        for texts, successes in results.items():
            interval = bootstrap(100.0 * np.array(successes), np.random.default_rng(seed))
            rows.append(
                {
                    "dataset": name,
                    "text": texts,
                    "metric": metric,
                    "value": round(100.0 * float(np.mean(successes)), 2),
                    "low": round(interval.low, 2),
                    "high": round(interval.high, 2),
                    "n": len(successes),
                }
            )
    return rows


def _with_other_texts(episodes: Sequence[Episode], seed: int) -> list[Episode]:
    """Return the episodes, each with the text of a random episode whose text differs."""
    rng = np.random.default_rng([seed, len(episodes)])
    if len({episode.legs[0].text for episode in episodes}) < 2:
        raise InputError("episodes with different texts", f"{len(episodes)} with one text")
    swapped = []
    for episode in episodes:
        leg = episode.legs[0]
        while (other := episodes[int(rng.integers(len(episodes)))].legs[0]).text == leg.text:
            pass
        swapped.append(replace(episode, legs=(replace(leg, text=other.text, sentences=other.sentences),)))
    return swapped


def _is_right(episode: Episode, trace: LegTrace, data: DataFolder) -> float:
    goal = episode.legs[0].goal
    if isinstance(goal, Reach):
        graph = open_world(episode.world, data)
        end = graph.place_index(str(trace.path[-1]))
        return float(graph.hops.between(end, graph.place_index(goal.route[-1])) <= MAX_GOAL_HOPS)
    assert isinstance(goal, Point)
    return float(isinstance(trace.answer, Direction) and pixel_distance(trace.answer, goal) < MAX_PIXELS)
