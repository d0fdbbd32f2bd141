"""Wrappers give a Reach environment the rewards that it has by its own option."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.wrappers import TimeLimit

from bearleft.data import load
from bearleft.envs.gym import PointEnv, ReachEnv, ReachVectorEnv
from bearleft.envs.reach import actions_along
from bearleft.envs.rewards import REWARDS, Reward
from bearleft.envs.rewards.wrappers import WalkReward, WalkVectorReward
from bearleft.errors import InputError
from bearleft.records import Episode, Reach
from bearleft.world.graphs.transitions import ACTIONS
from bearleft.world.worlds import open_world

GRAPH = open_world("town/0")
EPISODES = load("town/dev")[:6]


def gold_actions(episode: Episode) -> list[int]:
    goal = episode.legs[0].goal
    assert isinstance(goal, Reach)
    return [ACTIONS.index(action) for action in actions_along(GRAPH, episode.start, goal.route)]


@pytest.mark.parametrize("name", REWARDS)
def test_a_wrapped_environment_has_the_rewards_of_its_option(name: str) -> None:
    wrapped = WalkReward(ReachEnv(EPISODES, horizon=9), name)
    own = ReachEnv(EPISODES, horizon=9, reward=name)
    rng = np.random.default_rng(0)
    for episode in EPISODES:
        options = {"episode": episode.id}
        wrapped.reset(options=options)
        own.reset(options=options)
        ended = False
        while not ended:
            action = np.int64(rng.choice(4, p=[0.6, 0.15, 0.15, 0.1]))
            _, reward, *_ = wrapped.step(action)
            _, expected, terminated, truncated, _ = own.step(action)
            assert reward == expected
            ended = terminated or truncated


@pytest.mark.parametrize("name", REWARDS)
def test_a_wrapped_vector_environment_has_the_rewards_of_its_option(name: str) -> None:
    """Walkers reach the goals of their first episodes, and stray in the next ones."""
    wrapped = WalkVectorReward(ReachVectorEnv(3, EPISODES), name)
    own = ReachVectorEnv(3, EPISODES, reward=name)
    first = {"episode": [episode.id for episode in EPISODES[:3]]}
    wrapped.reset(seed=1, options=first)
    own.reset(seed=1, options=first)
    rng = np.random.default_rng(0)
    gold = [gold_actions(episode) for episode in EPISODES[:3]]
    steps = max(map(len, gold)) + 20
    rewarded = np.zeros(3, np.int64)
    for time in range(steps):
        strays = rng.choice(4, size=3, p=[0.6, 0.15, 0.15, 0.1])
        actions = [walk[time] if time < len(walk) else stray for walk, stray in zip(gold, strays, strict=True)]
        rewards, expected = wrapped.step(actions)[1], own.step(np.array(actions))[1]
        np.testing.assert_array_equal(rewards, expected)
        rewarded += rewards != 0
    assert (rewarded > 0).all()


def test_a_time_limit_ends_a_walk_as_the_horizon_does() -> None:
    env = WalkReward(TimeLimit(ReachEnv(EPISODES), 2), "goal")
    env.reset(options={"episode": EPISODES[0].id})
    assert env.step(np.int64(1))[1:4] == (0.0, False, False)
    assert env.step(np.int64(1))[1:4] == (-1.0, False, True)


def test_a_reward_of_your_own() -> None:
    per_step = Reward("steps", lambda step: step.where(step.success, 10.0, -1.0))
    made: list[Any] = [WalkReward(gym.make("bearleft/Reach-v0", dataset="town/dev"), per_step)]
    made.append(gym.make("bearleft/Reach-v0", dataset="town/dev", reward=per_step))
    for env in made:
        env.reset(seed=0)
        assert [env.step(np.int64(action))[1] for action in (1, 2, 3)] == [-1.0, -1.0, -1.0]


def test_errors_say_what_can_be_wrapped() -> None:
    with pytest.raises(InputError, match=r"a Reach environment, such as bearleft/Reach-v0, got .*PointEnv"):
        WalkReward(PointEnv("town/point"), "goal")
    with pytest.raises(InputError, match="a vector of Reach environments, got"):
        WalkVectorReward(gym.make_vec("bearleft/Point-v0", 2, "sync", dataset="town/point"), "goal")
    with pytest.raises(InputError, match=r'reward, got "godl".*Did you mean goal\?'):
        WalkReward(ReachEnv(EPISODES), "godl")
    with pytest.raises(InputError, match="a reward of distances or paths, such as fidelity, got success"):
        WalkReward(ReachEnv(EPISODES), "success")
    with pytest.raises(InputError, match="the name of a reward, or a Reward, got 3"):
        ReachEnv(EPISODES, reward=3)  # type: ignore[arg-type]
