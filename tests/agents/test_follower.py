from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bearleft.agents import follower
from bearleft.agents.follower import Follower
from bearleft.agents.registry import make_agent
from bearleft.data import load
from bearleft.errors import InputError
from bearleft.evaluation.play import play
from bearleft.geometry import to_equirectangular
from bearleft.records import Direction, Episode, Leg, Point, Pose, Reach
from tests.language.instructions.street_scene import instructed_routes, scene_and_paths

WORLD = "city/3/3x3"


@pytest.fixture(autouse=True)
def small_scene(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table of the tests in place of the one in the cache."""
    monkeypatch.setattr(follower, "open_scene_index", lambda _: scene_and_paths()[0])


def _episodes() -> list[Episode]:
    _, ways = scene_and_paths()
    ids = ways.graph.ids
    return [
        Episode(
            id=str(k),
            dataset="test",
            world=WORLD,
            start=Pose(Direction(0.0), ids[route[0]]),
            legs=(Leg(text.string, Reach(tuple(ids[place] for place in route))),),
        )
        for k, (route, text) in enumerate(instructed_routes())
        if text is not None
    ]


def test_walks_to_the_goal_by_the_text() -> None:
    episodes = _episodes()
    reached = []
    for episode in episodes:
        (done,) = play(make_agent("follower", "test"), episode)
        assert done.actions[-1] == "stop"
        reached.append(done.path[-1] == episode.legs[0].goal.route[-1])  # type: ignore[union-attr]
    assert np.mean(reached) >= 0.95


def test_goal_is_not_read() -> None:
    one, other = _episodes()[:2]
    swapped = replace(one, id="x", extra={}, legs=(replace(one.legs[0], goal=other.legs[0].goal),))
    assert play(Follower(), one)[0].actions == play(Follower(), swapped)[0].actions


def test_other_worlds_raise() -> None:
    with pytest.raises(InputError, match="can play"):
        play(Follower(), load("town/dev")[0])


def test_point_answer_has_a_heatmap() -> None:
    _, ways = scene_and_paths()
    warm, spread = [], []
    for place in ways.graph.ids[:20]:
        leg = Leg("There is a tree. Touchdown is in the middle of the tree.", Point(Direction(0.0), place, 40.0))
        (done,) = play(Follower(), Episode(place, "test", WORLD, Pose(Direction(0.0), place), (leg,)))
        if done.heat is None:
            assert done.answer == Direction(0.0)
            continue
        assert isinstance(done.answer, Direction)
        x, y = to_equirectangular(done.answer.heading, done.answer.pitch, done.heat.width, done.heat.height, 40.0)
        values = np.frombuffer(done.heat.values, np.uint8).reshape(done.heat.height, done.heat.width)
        warm.append(values[int(y), int(x)])
        spread.append(np.count_nonzero(values) / values.size)
    assert len(warm) >= 10 and np.median(warm) > 128
    assert np.median(spread) < 0.5
