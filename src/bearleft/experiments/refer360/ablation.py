"""Refer360's Table 7 in a city: accuracy of reading only the last sentences of a sequence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from bearleft.experiments.refer360.tables import TABLE_7
from bearleft.experiments.rows import Row, comparison_rows
from bearleft.language.referring.parse import follow_sentences
from bearleft.language.referring.write import write_sequence
from bearleft.language.scene_index import SceneIndex
from bearleft.metrics.pointing import acc_11deg, degrees, dist_degrees
from bearleft.records import Direction, Episode, Leg, Point, Pose
from bearleft.world.targets import random_targets

SENTENCE_COUNTS = {"last sentence": 1, "last 2 sentences": 2, "all sentences": None}
PUBLISHED = {row.lower(): numbers for row, numbers in TABLE_7.items()}


def ablation(scenes: SceneIndex, episodes: Iterable[Episode]) -> list[Row]:
    """Return Table 7 in a city, for the rule-based parser, which knows the true scene."""
    sequences = list(episodes)
    goals = [episode.legs[0].goal for episode in sequences]
    points = [goal for goal in goals if isinstance(goal, Point)]
    rows = []
    for part, count in SENTENCE_COUNTS.items():
        answers = []
        for episode in sequences:
            sentences = episode.legs[0].sentences[-count:] if count else episode.legs[0].sentences
            place = scenes.city.graph.place_index(str(episode.start.place))
            answers.append(follow_sentences(sentences, scenes, place, episode.start.look)[-1])
        angles = degrees(answers, points)
        ours = {"Acc@11deg": acc_11deg.mean(acc_11deg(angles)), "Dist-deg": dist_degrees.mean(angles)}
        remark = f"{len(sequences)} sequences of {scenes.city.graph.name}"
        rows += comparison_rows("7", part, PUBLISHED[part], ours, remark)
    return rows


def city_sequences(scenes: SceneIndex, count: int, seed: int = 0) -> Iterator[Episode]:
    """Yield sequences to targets anywhere at random places of a city; targets that cannot be described are skipped."""
    graph, rng = scenes.city.graph, np.random.default_rng(seed)
    places = rng.integers(0, len(graph), count)
    headings = rng.uniform(0, 360, count)
    for number, target in enumerate(random_targets(scenes.city, places, seed)):
        described = write_sequence(scenes, target, seed, number)
        if described is not None:
            sentences = tuple(sentence.text.string for sentence in described)
            start = Pose(Direction(float(headings[number]), 90.0), graph.ids[target.place])
            views = tuple(sentence.view for sentence in described)
            goal = Point(target.direction, graph.ids[target.place], views=views)
            leg = Leg(" ".join(sentences), goal, sentences)
            yield Episode(str(number), "city/refer360", graph.name, start, (leg,))
