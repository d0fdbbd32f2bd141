from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st

import bearleft.envs.gym  # noqa: F401  (registers)
from bearleft import evaluate, score
from bearleft.envs.legs import EnvOptions
from bearleft.envs.look import LookGame, initial_view
from bearleft.envs.point import PointGame
from bearleft.errors import InputError
from bearleft.geometry import angle_between
from bearleft.metrics.milestones import sentence_ends
from bearleft.records import Direction, Leg, Point, Pose
from tests.sizes import sized

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
    game = LookGame(LEG, START, turn_degrees=100)
    game.step("up")
    assert game.look == Direction(0, 90)
    for _ in range(3):
        game.step("down")
    assert game.look == Direction(0, -90)
    game.step("left")
    assert game.look.heading == 260
    low = LookGame(LEG, START, max_pitch=45)
    assert low.look.pitch == 45
    low.step(Direction(3, -80))
    assert low.look == Direction(3, -45)


def test_game_ends_at_the_horizon() -> None:
    game = LookGame(LEG, START, horizon=2)
    game.step("down")
    game.step("down")
    assert game.done and game.trace().answer == Direction(0, 60) and game.trace().looks == ()


def test_first_view_is_the_ceiling() -> None:
    views = [initial_view(np.random.default_rng(seed)) for seed in range(20)]
    assert {view.pitch for view in views} == {90}
    assert len({view.heading for view in views}) == 20


@pytest.mark.parametrize("wrong", [{"turn_degrees": 0}, {"turn_degrees": np.nan}, {"horizon": 0}, {"max_pitch": 91}])
def test_invalid_options(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError):
        LookGame(LEG, START, **wrong)  # type: ignore[arg-type]


def test_invalid_actions() -> None:
    with pytest.raises(InputError, match="left, right, up, down, next, a Direction or a Prediction"):
        LookGame(LEG, START).step("forward")
    with pytest.raises(InputError, match="a Direction"):
        PointGame(LEG, START).step("left")


def test_pointing_is_one_action() -> None:
    game = PointGame(Leg("there", Point(Direction(5), "p", yaw=117)), Pose(Direction(9, 3), "p"))
    assert game.observe() == {"kind": "point", "text": "there", "place": "p", "heading": 9, "pitch": 3, "yaw": 117}
    game.step(Direction(6, 1))
    assert game.done and game.trace().answer == Direction(6, 1) and game.end.look == Direction(6, 1)
    with pytest.raises(InputError, match="after the end"):
        game.step(Direction(6, 1))


VIEWS = (Direction(100, 0), Direction(40, -20), Direction(118, 8))
RECORDED = Leg(" ".join(SENTENCES), Point(Direction(120, 10), views=VIEWS), SENTENCES)


def test_the_next_sentence_only_at_the_milestone() -> None:
    game = LookGame(RECORDED, START, interactive=True)
    assert game.observe()["refused"] is False
    game.step(Direction(112, 0))  # 12 degrees away
    game.step("next")
    assert game.observe()["text"] == "find the door" and game.observe()["refused"] is True
    game.step(Direction(110, 0))
    assert game.observe()["refused"] is False
    game.step("next")
    assert game.observe()["text"] == "look left"
    game.step(VIEWS[1])
    game.step("next")
    game.step("next")  # the last sentence has no milestone to reach
    assert game.done
    done = game.trace()
    assert done.actions == ("look", "refused", "look", "next", "look", "next", "next")
    assert done.looks == (Direction(110, 0), VIEWS[1], VIEWS[1]) == sentence_ends(done)


def test_interactive_games_end_at_the_horizon_and_without_views_refuse_nothing() -> None:
    game = LookGame(RECORDED, START, horizon=3, interactive=True)
    for _ in range(3):
        game.step("next")
    assert game.done and game.trace().actions == ("refused",) * 3
    assert game.trace().looks == () == sentence_ends(game.trace()) and game.trace().answer == START.look
    free = LookGame(LEG, START, interactive=True)
    for _ in range(3):
        free.step("next")
    assert free.done and free.trace().actions == ("next",) * 3
    assert "refused" not in LookGame(LEG, START).observe()


@settings(deadline=None, max_examples=sized(12, 50))
@given(
    st.sampled_from([5.0, 15.0, 22.5, 30.0, 45.0, 90.0]),
    st.floats(0, 359.9),
    st.lists(
        st.sampled_from(["left", "right", "up", "down"]) | st.builds(Direction, st.floats(0, 359), st.floats(-90, 90))
    ),
)
def test_a_lattice_has_fixed_views_alone(spacing: float, yaw: float, actions: list[str | Direction]) -> None:
    game = LookGame(LEG, Pose(Direction(yaw, 90), "picture"), lattice=spacing)
    fixed = [
        Direction(h * spacing, p * spacing - 90)
        for h in range(round(360 / spacing))
        for p in range(round(180 / spacing) + 1)
    ]
    for action in actions:
        before = game.look
        game.step(action)
        assert game.look in fixed and game.observe()["turn_degrees"] == spacing
        if isinstance(action, Direction):  # no fixed view is nearer by heading and pitch
            assert abs((game.look.heading - action.heading + 180) % 360 - 180) <= spacing / 2 + 1e-9
            assert abs(game.look.pitch - action.pitch) <= spacing / 2 + 1e-9
        else:
            assert angle_between(game.look, before) <= spacing + 1e-9


def test_a_lattice_points_between_its_views_at_the_end_only() -> None:
    game = LookGame(RECORDED, START, lattice=30, interactive=True)
    game.step(Direction(95, 4))
    assert game.look == Direction(90, 0) and game.reached()
    game.step("next")
    game.step(VIEWS[1])
    # 21 degrees away from the milestone, and yet the fixed view that is nearest to it.
    assert game.look == Direction(30, -30) and angle_between(game.look, VIEWS[1]) > 11
    game.step("next")
    game.step(Direction(121, 9))
    game.step("next")
    assert game.done and game.trace().answer == Direction(121, 9)


@pytest.mark.parametrize("spacing", [0.0, -30.0, 40.0, 91.0, float("nan")])
def test_invalid_lattices(spacing: float) -> None:
    with pytest.raises(InputError, match="divides 90"):
        LookGame(LEG, START, lattice=spacing)
    with pytest.raises(InputError, match="divides 90"):
        EnvOptions(look_lattice=spacing)


def test_either_a_step_or_a_lattice() -> None:
    with pytest.raises(InputError, match="both"):
        EnvOptions(look_step=5, look_lattice=30)
    with pytest.raises(InputError, match="a max_pitch on the lattice"):
        LookGame(LEG, START, max_pitch=45, lattice=30)


def test_interactive_env_on_a_lattice() -> None:
    env: Any = gym.make("bearleft/Look-v0", dataset="town/look", lattice=30.0, interactive=True)
    check_env(env.unwrapped, skip_render_check=True)
    observation, _ = env.reset(seed=1)
    assert observation["look"][0] % 30 == 0 and observation["look"][1] == 90
    observation, *_ = env.step(4)
    assert (observation["refused"], observation["sentence"]) == (1, 0)
    observation, *_ = env.step(3)
    assert observation["look"][1] == 60 and observation["refused"] == 0
    steps: Any = gym.make("bearleft/Look-v0", dataset="town/look", turn_degrees=5.0)
    steps.reset(seed=1)
    assert steps.step(3)[0]["look"][1] == 85 and "refused" not in steps.observation_space.spaces


@pytest.mark.parametrize("options", [EnvOptions(interactive=True), EnvOptions(interactive=True, look_lattice=30)])
def test_gold_passes_every_milestone(options: EnvOptions, tmp_path: Path) -> None:
    traces = evaluate("gold", "city/refer360/small", tmp_path / "gold.jsonl", options=options)
    assert not any("refused" in trace.legs[0].actions for trace in traces)
    assert all("interactive=1" in trace.agent for trace in traces)
    rows = {row["metric"]: row["value"] for row in score(tmp_path / "gold.jsonl").rows}
    assert rows["Acc@11deg"] == 100
    if options.look_lattice is None:
        assert rows["Milestone@11deg"] == 100


def test_direction_turns_the_view_when_next_is_refused() -> None:
    """Otherwise a baseline would ask in vain up to the horizon, and the ceiling be its answer."""
    for trace in evaluate("center", "city/refer360/small", options=EnvOptions(interactive=True), limit=3):
        (leg,) = trace.legs
        assert "look" in leg.actions and leg.answer == Direction(0.0, 0.0)


def test_interactive_needs_recorded_views() -> None:
    with pytest.raises(InputError, match="recorded views"):
        evaluate("gold", "town/point", options=EnvOptions(interactive=True))


def test_rules_keep_asking_where_they_are_refused() -> None:
    traces = evaluate("colour-blind", "city/refer360/small", options=EnvOptions(interactive=True, look_horizon=12))
    refused = [trace.legs[0].actions for trace in traces if "refused" in trace.legs[0].actions]
    assert refused and all(set(actions[actions.index("refused") :]) == {"refused"} for actions in refused)
