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
    """Use the small scene of the tests instead of the cached one."""
    monkeypatch.setattr(follower, "open_scene_index", lambda *_: scene_and_paths()[0])


def make_episodes() -> list[Episode]:
    _, paths = scene_and_paths()
    ids = paths.graph.ids
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


def test_follower_reaches_the_goal_by_the_text() -> None:
    episodes = make_episodes()
    reached = []
    for episode in episodes:
        (leg_trace,) = play(make_agent("follower", "test"), episode)
        assert leg_trace.actions[-1] == "stop"
        reached.append(leg_trace.path[-1] == episode.legs[0].goal.route[-1])  # type: ignore[union-attr]
    assert np.mean(reached) >= 0.95


def test_goal_is_not_read() -> None:
    episode, other_episode = make_episodes()[:2]
    swapped = replace(episode, id="x", extra={}, legs=(replace(episode.legs[0], goal=other_episode.legs[0].goal),))
    assert play(Follower(), episode)[0].actions == play(Follower(), swapped)[0].actions


def test_worlds_without_a_scene_raise() -> None:
    with pytest.raises(InputError, match="can play"):
        play(Follower(), load("town/dev")[0])


def test_point_answer_has_a_heatmap() -> None:
    _, paths = scene_and_paths()
    values_at_answer, hot_shares = [], []
    for place in paths.graph.ids[:20]:
        leg = Leg("There is a tree. Touchdown is in the middle of the tree.", Point(Direction(0.0), place, 40.0))
        (leg_trace,) = play(Follower(), Episode(place, "test", WORLD, Pose(Direction(0.0), place), (leg,)))
        if leg_trace.heat is None:
            assert leg_trace.answer == Direction(0.0)
            continue
        assert isinstance(leg_trace.answer, Direction)
        x, y = to_equirectangular(
            leg_trace.answer.heading, leg_trace.answer.pitch, leg_trace.heat.width, leg_trace.heat.height, 40.0
        )
        values = np.frombuffer(leg_trace.heat.values, np.uint8).reshape(leg_trace.heat.height, leg_trace.heat.width)
        values_at_answer.append(values[int(y), int(x)])
        hot_shares.append(np.count_nonzero(values) / values.size)
    assert len(values_at_answer) >= 10 and np.median(values_at_answer) > 128
    assert np.median(hot_shares) < 0.5
