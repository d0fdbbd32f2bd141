from __future__ import annotations

import numpy as np
import pytest

from bearleft.envs.look import LookGame, ceiling
from bearleft.envs.point import PointGame
from bearleft.errors import InputError
from bearleft.records import Direction, Leg, Point, Pose

SENTENCES = ("find the door", "look left", "it is there")
LEG = Leg(" ".join(SENTENCES), Point(Direction(120, 10)), SENTENCES)
START = Pose(Direction(0, 90), "picture")


def test_sentence_by_sentence() -> None:
    game = LookGame(LEG, START)
    assert game.observe()["text"] == "find the door"
    game.step(Direction(90, 0))
    game.step("next")
    assert game.observe()["text"] == "look left" and game.observe()["sentence"] == 1
    game.step("left")
    game.step("next")
    game.step("up")
    game.step("next")
    assert game.done
    done = game.trace()
    assert done.actions == ("look", "next", "left", "next", "up", "next")
    assert done.looks == (Direction(90, 0), Direction(75, 0), Direction(75, 15))
    assert done.answer == Direction(75, 15)
    with pytest.raises(InputError, match="after the end"):
        game.step("next")


def test_the_view_stops_at_the_poles_and_goes_round_sideways() -> None:
    game = LookGame(LEG, START, step=100)
    game.step("up")
    assert game.look == Direction(0, 90)
    for _ in range(3):
        game.step("down")
    assert game.look == Direction(0, -90)
    game.step("left")
    assert game.look.heading == 260
    low = LookGame(LEG, START, limit=45)
    assert low.look.pitch == 45
    low.step(Direction(3, -80))
    assert low.look == Direction(3, -45)


def test_time_runs_out() -> None:
    game = LookGame(LEG, START, horizon=2)
    game.step("down")
    game.step("down")
    assert game.done and game.trace().answer == Direction(0, 60) and game.trace().looks == ()


def test_it_begins_at_the_ceiling() -> None:
    views = [ceiling(np.random.default_rng(seed)) for seed in range(20)]
    assert {view.pitch for view in views} == {90}
    assert len({view.heading for view in views}) == 20


@pytest.mark.parametrize("wrong", [{"step": 0}, {"step": np.nan}, {"horizon": 0}, {"limit": 91}])
def test_rules_that_cannot_be(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError):
        LookGame(LEG, START, **wrong)  # type: ignore[arg-type]


def test_actions_that_are_none() -> None:
    with pytest.raises(InputError, match="left, right, up, down, next, a Direction or a Guess"):
        LookGame(LEG, START).step("forward")
    with pytest.raises(InputError, match="a Direction"):
        PointGame(LEG, START).step("left")


def test_pointing_is_one_action() -> None:
    game = PointGame(Leg("there", Point(Direction(5), "p", yaw=117)), Pose(Direction(9, 3), "p"))
    assert game.observe() == {
        "kind": "point", "text": "there", "place": "p", "heading": 9, "pitch": 3, "yaw": 117
    }  # fmt: skip
    game.step(Direction(6, 1))
    assert game.done and game.trace().answer == Direction(6, 1) and game.end.look == Direction(6, 1)
    with pytest.raises(InputError, match="after the end"):
        game.step(Direction(6, 1))
