"""The rewards, each a function of what is known of a batch of walks before and after a step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from bearleft.envs.rewards.progress import (
    COVERAGE,
    DTW,
    Array,
    DistanceTable,
    Progress,
    Walks,
    advance_walks,
    array_module,
    start_walks,
)
from bearleft.errors import InputError, format_value, unknown_name

SUCCESS = "success"  # computed by the environments themselves: it needs no distances
STREETVIEW_STEP = -0.2
RELEASED_COMPLETION = 4.0


@dataclass(frozen=True)
class Transition:
    """One step of a batch of walks; arrays have one value for each.

    Attributes:
        before: What was known before the step.
        after: What is known after it.
        stopped: Which walkers stopped with it.
        timed_out: Which walks the horizon ended with it.
        threshold: The distance within which the goal is reached.
    """

    before: Progress
    after: Progress
    stopped: Array
    timed_out: Array
    threshold: float

    @property
    def array_module(self) -> ModuleType:
        """Numpy or torch, as the arrays are."""
        return array_module(self.stopped)

    @property
    def ended(self) -> Array:
        """Which walks ended with this step."""
        return self.stopped | self.timed_out

    @property
    def success(self) -> Array:
        """Which walkers stopped within the threshold of the goal."""
        return self.stopped & (self.after.goal_distance <= self.threshold)

    @property
    def at_goal(self) -> Array:
        """Which walkers are at the goal itself."""
        return self.after.goal_distance == 0

    @property
    def approach(self) -> Array:
        """How much closer the goal is now."""
        return self.before.goal_distance - self.after.goal_distance

    @property
    def completion(self) -> Array:
        """The fidelity-oriented reward at the end: 1 - distance / threshold for a success, else 0."""
        return self.where(self.success, 1.0 - self.after.goal_distance / self.threshold, 0.0)

    def where(self, condition: Array, yes: Any, no: Any) -> Array:
        """Return `yes` where a condition holds, else `no`."""
        return self.array_module.where(condition, yes, no)


@dataclass(frozen=True)
class Reward:
    """A reward of walks.

    Attributes:
        name: Its name.
        formula: The rewards of a step.
        tracks: What is updated at each step: DTW or COVERAGE; nothing for a reward of distances to the goal alone.
    """

    name: str
    formula: Callable[[Transition], Array]
    tracks: str = ""


def _goal(step: Transition) -> Array:
    return step.approach + step.where(step.success, 1.0, step.where(step.ended, -1.0, 0.0))


def _distance_to_goal(step: Transition) -> Array:
    completion = step.where(step.at_goal, RELEASED_COMPLETION, -RELEASED_COMPLETION)
    return step.where(step.ended, completion, step.array_module.clip(step.approach, -1.0, 1.0))


def _streetview(step: Transition) -> Array:
    return step.where(step.stopped, step.where(step.at_goal, 1.0, -1.0), step.approach + STREETVIEW_STEP)


REWARDS = {
    reward.name: reward
    for reward in (
        Reward("goal", _goal),
        Reward("fidelity", lambda step: step.after.ndtw - step.before.ndtw + step.completion, DTW),
        Reward("sdtw", lambda step: step.after.sdtw - step.before.sdtw, DTW),
        Reward("cls", lambda step: step.after.cls - step.before.cls + step.completion, COVERAGE),
        Reward("distance_to_goal", _distance_to_goal),
        Reward("dense_dtw", lambda step: step.where(step.stopped, 0.0, step.before.dtw - step.after.dtw), DTW),
        Reward("streetview", _streetview),
    )
}
REWARD_NAMES = (SUCCESS, *REWARDS)


def find_reward(reward: str | Reward) -> Reward | None:
    """Return a reward by its name, None for "success", or your own as it is; raise InputError with the choices."""
    if isinstance(reward, Reward) or reward == SUCCESS:
        return reward if isinstance(reward, Reward) else None
    if not isinstance(reward, str):
        raise InputError("the name of a reward, or a Reward", format_value(reward), "reward")
    if reward not in REWARDS:
        raise unknown_name("reward", reward, REWARD_NAMES)
    return REWARDS[reward]


class WalkRewards:
    """A reward of batches of walks in some worlds.

    Args:
        reward: The reward.
        table: The distances in these worlds.
    """

    def __init__(self, reward: Reward, table: DistanceTable) -> None:
        self.reward, self.table = reward, table

    def start(self, world: Array, place: Array, routes: Array, sizes: Array) -> Walks:
        """Return walks that begin at places; the arguments are fields of `Walks`."""
        return start_walks(self.table, self.reward.tracks, world, place, routes, sizes)

    def step(self, walks: Walks, place: Array, stopped: Array, timed_out: Array) -> tuple[Walks, Array]:
        """Return the walks after one action, and its rewards (n,).

        Args:
            walks: The walks before.
            place: Where the walkers are now (n,).
            stopped: Which walkers stopped with this action (n,).
            timed_out: Which walks the horizon ended with it (n,).
        """
        after = advance_walks(self.table, self.reward.tracks, walks, place)
        progress = Progress(self.table, walks), Progress(self.table, after)
        return after, self.reward.formula(Transition(*progress, stopped, timed_out, self.table.threshold))
