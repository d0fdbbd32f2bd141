from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bearleft.agents import follower
from bearleft.agents.follower import Follower
from bearleft.agents.named import agent
from bearleft.data import load
from bearleft.errors import InputError
from bearleft.evaluate.play import play
from bearleft.records import Direction, Episode, Leg, Pose, Reach
from tests.data.wording.walking.street_scene import scene, told

WORLD = "city/3/3x3"


@pytest.fixture(autouse=True)
def small_scene(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table of the tests in place of the one in the cache."""
    monkeypatch.setattr(follower, "open_around", lambda _: scene()[0])


def _episodes() -> list[Episode]:
    _, ways = scene()
    ids = ways.graph.ids
    return [
        Episode(
            id=str(k), dataset="test", world=WORLD, start=Pose(Direction(0.0), ids[route[0]]),
            legs=(Leg(text.string, Reach(tuple(ids[place] for place in route))),),
        )
        for k, (route, text) in enumerate(told())
        if text is not None
    ]  # fmt: skip


def test_walks_to_the_goal_by_the_text() -> None:
    episodes = _episodes()
    reached = []
    for episode in episodes:
        (done,) = play(agent("follower", "test"), episode)
        assert done.actions[-1] == "stop"
        reached.append(done.path[-1] == episode.legs[0].goal.route[-1])  # type: ignore[union-attr]
    assert np.mean(reached) >= 0.95


def test_the_goal_is_not_looked_at() -> None:
    one, other = _episodes()[:2]
    swapped = replace(one, id="x", extra={}, legs=(replace(one.legs[0], goal=other.legs[0].goal),))
    assert play(Follower(), one)[0].actions == play(Follower(), swapped)[0].actions


def test_says_what_world_it_needs() -> None:
    with pytest.raises(InputError, match="can play"):
        play(Follower(), load("town/dev")[0])
