"""Every registered environment, by the same checks."""

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
KINDS: list[dict[str, Any]] = [
    *({"id": name} for name in IDS),
    {"id": IDS[2], "continuous": True},
    # What is drawn at random may be a placing that is not possible.
    *({"id": f"bearleft/{name}-v0", "refuse": False} for name in ("ArraMon", "Assemble")),
]


@pytest.fixture(params=KINDS, ids=str)
def env(request: pytest.FixtureRequest) -> gym.Env[Any, Any]:
    return gym.make(**request.param)


def play(env: gym.Env[Any, Any], seed: int) -> list[Any]:
    seen: list[Any] = [env.reset(seed=seed)]
    env.action_space.seed(seed)
    done = False
    while not done:
        step = env.step(env.action_space.sample())
        seen.append(step)
        done = step[2] or step[3]
    return seen


def test_gymnasiums_own_check(env: gym.Env[Any, Any]) -> None:
    with warnings.catch_warnings():
        # Headings are not scaled to [-1, 1], and an action is a direction: both on purpose.
        warnings.filterwarnings("ignore", message=".*(normalized|symmetric).*")
        check_env(env.unwrapped, skip_render_check=True)


def test_the_same_seed_plays_the_same(env: gym.Env[Any, Any]) -> None:
    one, other = play(env, 3), play(env, 3)
    assert repr(one) == repr(other)
    assert repr(play(env, 4)) != repr(one)


def test_it_pickles(env: gym.Env[Any, Any]) -> None:
    copy = pickle.loads(pickle.dumps(env.unwrapped))
    assert repr(copy.reset(seed=1)) == repr(env.unwrapped.reset(seed=1))


def test_an_episode_can_be_asked_for(env: gym.Env[Any, Any]) -> None:
    expected = env.unwrapped.episodes.all[7].id  # type: ignore[attr-defined]
    _, about = env.reset(options={"episode": expected})
    assert about["episode"] == expected
    with pytest.raises(InputError, match="the id of an episode"):
        env.reset(options={"episode": "no such"})
    with pytest.raises(InputError, match=r'field options: expected a reset\'s option: episode.*, got "epsiode"'):
        env.reset(options={"epsiode": expected})


def test_a_step_before_the_reset() -> None:
    every: list[gym.Env[Any, Any]] = [ReachEnv(), PointEnv(), LookEnv(), ArraMonEnv()]
    for made in every:
        with pytest.raises(InputError, match="a reset before"):
            made.step(made.action_space.sample())


def test_the_oracle_is_rewarded() -> None:
    reward: Any
    reach, point = ReachEnv(), PointEnv()
    look, turned = LookEnv(), LookEnv(continuous=True)
    graph = open_world("town/0")
    for episode in load("town/dev")[:10]:
        reach.reset(options={"episode": episode.id})
        goal = episode.legs[0].goal
        assert isinstance(goal, Reach)
        for action in actions_along(graph, episode.start, goal.route):
            *_, reward, terminated, truncated, _ = reach.step(np.int64(ACTIONS.index(action)))
        assert (reward, terminated, truncated) == (1.0, True, False)
    pointing: list[gym.Env[Any, Any]] = [point, look, turned]
    for env in pointing:
        for episode in load("town/point" if env is point else "town/look")[:10]:
            env.reset(options={"episode": episode.id})
            target = episode.legs[0].goal
            assert isinstance(target, Point)
            there = np.array([target.direction.heading, target.direction.pitch])
            if env is point:
                *_, reward, terminated, _, _ = env.step(there)
            elif env is turned:
                for _ in range(3):
                    *_, reward, terminated, _, _ = env.step(np.append(there, 1.0))
            else:
                for _ in range(3):
                    *_, reward, terminated, _, _ = env.step(np.int64(4))
                assert (reward, terminated) == (0.0, True)
                continue
            assert (reward, terminated) == (1.0, True)


def test_time_outs_are_truncations() -> None:
    env = ReachEnv(horizon=3)
    env.reset(seed=0)
    ends = [env.step(np.int64(1))[2:4] for _ in range(3)]
    assert ends == [(False, False), (False, False), (False, True)]


def test_vector_equals_single() -> None:
    """The same episodes and actions, one by one and all at once, until each has ended."""
    rng = np.random.default_rng(2)
    names = [str(k) for k in rng.integers(100, size=64)]
    many = ReachVectorEnv(64, horizon=30)
    singles = [ReachEnv(horizon=30) for _ in names]
    seen, _ = many.reset(seed=0, options={"episode": names})
    alone = [env.reset(options={"episode": name})[0] for env, name in zip(singles, names, strict=True)]
    ended = np.zeros(64, bool)
    for step in range(30):
        for k in np.flatnonzero(~ended):
            for key, value in alone[k].items():
                np.testing.assert_array_equal(seen[key][k], value, err_msg=f"{key} of {k} at step {step}")
        actions = rng.choice(4, size=64, p=[0.5, 0.23, 0.23, 0.04])
        seen, reward, terminated, truncated, _ = many.step(actions)
        for k in np.flatnonzero(~ended):
            alone[k], *results, _ = singles[k].step(actions[k])
            assert results == [reward[k], terminated[k], truncated[k]]
        ended |= terminated | truncated
    assert ended.all()


def test_thousands_walk_and_begin_again() -> None:
    env = gym.make_vec("bearleft/Reach-v0", num_envs=4096, vectorization_mode="vector_entry_point", horizon=5)
    seen, _ = env.reset(seed=1)
    assert len(seen["text"]) == 4096
    for step in range(1, 13):
        seen, reward, terminated, truncated, _ = env.step(np.zeros(4096, np.int64))
        assert truncated.all() == (step in (5, 11))
        assert not terminated.any() and not reward.any()
        np.testing.assert_allclose(seen["progress"][:, 0], {6: 0.0, 12: 0.0}.get(step, (step % 6) / 5))
    env.close()


@pytest.mark.parametrize("action", [9, -1, 1.5, "forward", None])
def test_what_is_no_action(env: gym.Env[Any, Any], action: Any) -> None:
    env.reset(seed=0)
    with pytest.raises(InputError, match="an action of"):
        env.unwrapped.step(action)


def test_wrong_numbers() -> None:
    for kind in (ReachEnv, LookEnv):
        with pytest.raises(InputError, match="a horizon of at least 1"):
            kind(horizon=0)
    many = ReachVectorEnv(2)
    with pytest.raises(InputError, match="2 actions from 0 to 3"):
        many.step(np.array([0, 4]))
    with pytest.raises(InputError, match='a reset\'s option: episode, got "epsiode"'):
        many.reset(options={"epsiode": ["0", "1"]})
    with pytest.raises(InputError, match="at least one walker"):
        ReachVectorEnv(0)
    with pytest.raises(InputError, match="first leg is to reach"):
        ReachEnv("town/point")
