"""Tests that hold for every registered environment."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from bearleft.data import load
from bearleft.envs.arramon.gym import ArraMonEnv
from bearleft.envs.gym import LookEnv, PointEnv, ReachEnv, ReachVectorEnv
from bearleft.envs.reach import actions_along
from bearleft.errors import InputError
from bearleft.records import Point, Reach
from bearleft.world.graphs.transitions import ACTIONS
from bearleft.world.worlds import open_world

IDS = ["bearleft/Reach-v0", "bearleft/Point-v0", "bearleft/Look-v0", "bearleft/Collect-v0"]
ENV_CONFIGS: list[dict[str, Any]] = [
    *({"id": name} for name in IDS),
    {"id": IDS[2], "continuous": True},
    # A random action may be an impossible "place".
    *({"id": f"bearleft/{name}-v0", "raise_on_invalid": False} for name in ("ArraMon", "Assemble")),
]


@pytest.fixture(params=ENV_CONFIGS, ids=str)
def env(request: pytest.FixtureRequest) -> gym.Env[Any, Any]:
    return gym.make(**request.param)


def play_randomly(env: gym.Env[Any, Any], seed: int) -> list[Any]:
    steps: list[Any] = [env.reset(seed=seed)]
    env.action_space.seed(seed)
    done = False
    while not done:
        step = env.step(env.action_space.sample())
        steps.append(step)
        done = step[2] or step[3]
    return steps


def test_env_passes_check_env(env: gym.Env[Any, Any]) -> None:
    with warnings.catch_warnings():
        # Headings are not scaled to [-1, 1], and an action is a direction: both on purpose.
        warnings.filterwarnings("ignore", message=".*(normalized|symmetric).*")
        check_env(env.unwrapped, skip_render_check=True)


def test_same_seed_gives_same_episode(env: gym.Env[Any, Any]) -> None:
    first, second = play_randomly(env, 3), play_randomly(env, 3)
    assert repr(first) == repr(second)
    assert repr(play_randomly(env, 4)) != repr(first)


def test_env_pickles(env: gym.Env[Any, Any]) -> None:
    copy = pickle.loads(pickle.dumps(env.unwrapped))
    assert repr(copy.reset(seed=1)) == repr(env.unwrapped.reset(seed=1))


def test_reset_to_a_chosen_episode(env: gym.Env[Any, Any]) -> None:
    expected = env.unwrapped.episodes.all[7].id  # type: ignore[attr-defined]
    _, info = env.reset(options={"episode": expected})
    assert info["episode"] == expected
    with pytest.raises(InputError, match="the id of an episode"):
        env.reset(options={"episode": "no such"})
    with pytest.raises(InputError, match=r'field options: expected a reset\'s option: episode.*, got "epsiode"'):
        env.reset(options={"epsiode": expected})


def test_step_before_reset() -> None:
    envs: list[gym.Env[Any, Any]] = [ReachEnv(), PointEnv(), LookEnv(), ArraMonEnv()]
    for env in envs:
        with pytest.raises(InputError, match="a reset before"):
            env.step(env.action_space.sample())


def test_oracle_is_rewarded() -> None:
    reward: Any
    reach, point = ReachEnv(), PointEnv()
    look, continuous_look = LookEnv(), LookEnv(continuous=True)
    graph = open_world("town/0")
    for episode in load("town/dev")[:10]:
        reach.reset(options={"episode": episode.id})
        goal = episode.legs[0].goal
        assert isinstance(goal, Reach)
        for action in actions_along(graph, episode.start, goal.route):
            *_, reward, terminated, truncated, _ = reach.step(np.int64(ACTIONS.index(action)))
        assert (reward, terminated, truncated) == (1.0, True, False)
    pointing: list[gym.Env[Any, Any]] = [point, look, continuous_look]
    for env in pointing:
        for episode in load("town/point" if env is point else "town/look")[:10]:
            env.reset(options={"episode": episode.id})
            target = episode.legs[0].goal
            assert isinstance(target, Point)
            answer = np.array([target.direction.heading, target.direction.pitch])
            if env is point:
                *_, reward, terminated, _, _ = env.step(answer)
            elif env is continuous_look:
                for _ in range(3):
                    *_, reward, terminated, _, _ = env.step(np.append(answer, 1.0))
            else:
                for _ in range(3):
                    *_, reward, terminated, _, _ = env.step(np.int64(4))
                assert (reward, terminated) == (0.0, True)
                continue
            assert (reward, terminated) == (1.0, True)


def test_time_limit_truncates() -> None:
    env = ReachEnv(horizon=3)
    env.reset(seed=0)
    ends = [env.step(np.int64(1))[2:4] for _ in range(3)]
    assert ends == [(False, False), (False, False), (False, True)]


@pytest.mark.slow
def test_vector_equals_single() -> None:
    """Play the same episodes and actions in both, until each has ended."""
    rng = np.random.default_rng(2)
    names = [str(k) for k in rng.integers(100, size=64)]
    vector_env = ReachVectorEnv(64, horizon=30)
    singles = [ReachEnv(horizon=30) for _ in names]
    observation, _ = vector_env.reset(seed=0, options={"episode": names})
    observations = [env.reset(options={"episode": name})[0] for env, name in zip(singles, names, strict=True)]
    ended = np.zeros(64, bool)
    for step in range(30):
        for k in np.flatnonzero(~ended):
            for key, value in observations[k].items():
                np.testing.assert_array_equal(observation[key][k], value, err_msg=f"{key} of {k} at step {step}")
        actions = rng.choice(4, size=64, p=[0.5, 0.23, 0.23, 0.04])
        observation, reward, terminated, truncated, _ = vector_env.step(actions)
        for k in np.flatnonzero(~ended):
            observations[k], *results, _ = singles[k].step(actions[k])
            assert results == [reward[k], terminated[k], truncated[k]]
        ended |= terminated | truncated
    assert ended.all()


def test_thousands_of_envs_are_reset_at_the_next_step() -> None:
    env = gym.make_vec("bearleft/Reach-v0", num_envs=4096, vectorization_mode="vector_entry_point", horizon=5)
    observation, _ = env.reset(seed=1)
    assert len(observation["text"]) == 4096
    for step in range(1, 13):
        observation, reward, terminated, truncated, _ = env.step(np.zeros(4096, np.int64))
        assert truncated.all() == (step in (5, 11))
        assert not terminated.any() and not reward.any()
        np.testing.assert_allclose(observation["progress"][:, 0], {6: 0.0, 12: 0.0}.get(step, (step % 6) / 5))
    env.close()


@pytest.mark.parametrize("action", [9, -1, 1.5, "forward", None])
def test_invalid_actions(env: gym.Env[Any, Any], action: Any) -> None:
    env.reset(seed=0)
    with pytest.raises(InputError, match="an action of"):
        env.unwrapped.step(action)


def test_invalid_arguments() -> None:
    for kind in (ReachEnv, LookEnv):
        with pytest.raises(InputError, match="a horizon of at least 1"):
            kind(horizon=0)
    vector_env = ReachVectorEnv(2)
    with pytest.raises(InputError, match="2 actions from 0 to 3"):
        vector_env.step(np.array([0, 4]))
    with pytest.raises(InputError, match='a reset\'s option: episode, got "epsiode"'):
        vector_env.reset(options={"epsiode": ["0", "1"]})
    with pytest.raises(InputError, match="at least one walker"):
        ReachVectorEnv(0)
    with pytest.raises(InputError, match="first leg is to reach"):
        ReachEnv("town/point")
