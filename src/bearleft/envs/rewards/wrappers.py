"""Gymnasium wrappers that give a Reach environment another reward."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.vector import VectorEnv, VectorWrapper

from bearleft.envs.gym import ReachEnv, ReachVectorEnv
from bearleft.envs.rewards.definitions import SUCCESS, Reward, find_reward
from bearleft.envs.rewards.tracking import VectorWalkTracker, WalkTracker
from bearleft.errors import InputError, format_value

Steps = tuple[Any, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]


def _shaped(reward: str | Reward) -> Reward:
    found = find_reward(reward)
    if found is None:
        hint = 'An environment that is made without reward= has "success".'
        raise InputError("a reward of distances or paths, such as fidelity", SUCCESS, "reward", hint=hint)
    return found


class WalkReward(gym.Wrapper[Any, Any, Any, Any]):
    """Replaces the reward of a Reach environment.

    A truncation, also by another wrapper such as TimeLimit, ends a walk as the horizon does.

    Args:
        env: A `ReachEnv` or one derived from it, which may have other wrappers.
        reward: The name of a reward, or your own `Reward`.

    Raises:
        InputError: The environment is not a Reach environment, or the reward is unknown.
    """

    def __init__(self, env: gym.Env[Any, Any], reward: str | Reward) -> None:
        super().__init__(env)
        if not isinstance(env.unwrapped, ReachEnv):
            hint = "WalkVectorReward wraps vector environments."
            raise InputError("a Reach environment, such as bearleft/Reach-v0", format_value(str(env)), hint=hint)
        self.walk_env = env.unwrapped
        self._tracker = WalkTracker(_shaped(reward))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode; the arguments are those of the environment."""
        result = self.env.reset(seed=seed, options=options)
        assert self.walk_env.game is not None
        self._tracker.begin(self.walk_env.episode, self.walk_env.game.graph, self.walk_env.game.place)
        return result

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take one action and return observation, the new reward, terminated, truncated and `info`."""
        observation, _, terminated, truncated, info = self.env.step(action)
        assert self.walk_env.game is not None
        reward = self._tracker.step(self.walk_env.game.place, terminated, truncated and not terminated)
        return observation, reward, terminated, truncated, info


class WalkVectorReward(VectorWrapper):
    """Replaces the rewards of a `ReachVectorEnv`.

    Args:
        env: The environment, which may have other wrappers.
        reward: The name of a reward, or your own `Reward`.

    Raises:
        InputError: The environment is not a vector of Reach environments, or the reward is unknown.
    """

    def __init__(self, env: VectorEnv[Any, Any, Any], reward: str | Reward) -> None:
        super().__init__(env)
        if not isinstance(env.unwrapped, ReachVectorEnv):
            hint = 'Make one: gym.make_vec("bearleft/Reach-v0", 512, "vector_entry_point").'
            raise InputError("a vector of Reach environments", format_value(str(env)), hint=hint)
        self.walkers = env.unwrapped.walkers
        self._tracker = VectorWalkTracker(_shaped(reward), self.walkers)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode for every walker; the arguments are those of the environment."""
        result = self.env.reset(seed=seed, options=options)
        self._tracker.begin(np.ones(self.num_envs, np.bool_))
        return result

    def step(self, actions: Any) -> Steps:
        """Take one action for every walker; those that ended at the previous step begin another episode, for 0."""
        begins = self.walkers.ended.copy()
        observation, _, terminated, truncated, info = self.env.step(actions)
        rewards = self._tracker.step(terminated, truncated & ~terminated)
        self._tracker.begin(begins)
        return observation, np.where(begins, 0.0, rewards), terminated, truncated, info
