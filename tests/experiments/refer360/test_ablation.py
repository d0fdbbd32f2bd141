"""Table 7 in a city."""

from __future__ import annotations

import pytest

from bearleft.experiments.refer360.ablation import PUBLISHED, ablation, city_sequences
from bearleft.records import Point
from tests.language.referring.refer_scene import scene
from tests.sizes import sized

SIZE = sized(18, 30)  # sequences


@pytest.mark.slow
def test_error_decreases_with_more_sentences() -> None:
    episodes = list(city_sequences(scene(), SIZE, 3))
    assert len(episodes) > 0.9 * SIZE
    for episode in episodes:
        goal = episode.legs[0].goal
        assert isinstance(goal, Point) and len(goal.views) == len(episode.legs[0].sentences)
        assert episode.start.look.pitch == 90.0 and goal.views[-1] == goal.direction
    rows = ablation(scene(), episodes)
    ours = {(row["row"], row["metric"]): row["ours"] for row in rows}
    paper = {(row["row"], row["metric"]): row["paper"] for row in rows}
    accuracies, distances = ([ours[part, metric] for part in PUBLISHED] for metric in ("Acc@11deg", "Dist-deg"))
    assert accuracies == sorted(accuracies) and distances == sorted(distances, reverse=True)
    assert accuracies[-1] > 88 and paper["last sentence", "Acc@11deg"] == 37.0
    assert list(city_sequences(scene(), 5, 3)) != list(city_sequences(scene(), 5, 4))
