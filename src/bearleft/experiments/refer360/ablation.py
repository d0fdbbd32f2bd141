"""Refer360's Table 7 in a city: how much of a sequence one must read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from bearleft.experiments.refer360.tables import TABLE_7
from bearleft.experiments.rows import Row, beside
from bearleft.language.referring.parse import look
from bearleft.language.referring.write import refer
from bearleft.language.scene_index import SceneIndex
from bearleft.metrics.pointing import acc_11deg, degrees, dist_degrees
from bearleft.records import Direction, Episode, Leg, Point, Pose
from bearleft.world.targets import anywhere

PARTS = {"last sentence": 1, "last 2 sentences": 2, "all sentences": None}
PUBLISHED = {row.lower(): figures for row, figures in TABLE_7.items()}


def ablation(scene: SceneIndex, episodes: Iterable[Episode]) -> list[Row]:
    """Table 7 in a city: how near one comes who reads only the last sentences, by rules and in the true scene."""
    asked = list(episodes)
    goals = [episode.legs[0].goal for episode in asked]
    points = [goal for goal in goals if isinstance(goal, Point)]
    rows = []
    for part, count in PARTS.items():
        answers = []
        for episode in asked:
            sentences = episode.legs[0].sentences[-count:] if count else episode.legs[0].sentences
            place = scene.city.graph.number(str(episode.start.place))
            answers.append(look(sentences, scene, place, episode.start.look)[-1])
        away = degrees(answers, points)
        ours = {"Acc@11deg": acc_11deg.mean(acc_11deg(away)), "Dist-deg": dist_degrees.mean(away)}
        rows += beside("7", part, PUBLISHED[part], ours, f"{len(asked)} sequences of {scene.city.graph.name}")
    return rows


def city_sequences(scene: SceneIndex, count: int, seed: int = 0) -> Iterator[Episode]:
    """Sequences to targets anywhere at random places of a city, none left out but those that cannot be told."""
    graph, rng = scene.city.graph, np.random.default_rng(seed)
    places = rng.integers(0, len(graph), count)
    starts = rng.uniform(0, 360, count)
    for number, target in enumerate(anywhere(scene.city, places, seed)):
        told = refer(scene, target, seed, number)
        if told is not None:
            said = tuple(sentence.text.string for sentence in told)
            start = Pose(Direction(float(starts[number]), 90.0), graph.ids[target.place])
            goal = Point(target.direction, graph.ids[target.place], views=tuple(sentence.view for sentence in told))
            yield Episode(str(number), "city/refer360", graph.name, start, (Leg(" ".join(said), goal, said),))
