"""Walking baselines: Touchdown's STOP, RANDOM and FREQUENT, and ArraMon's random walk."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from bearleft.agents.agent import unsupported_leg
from bearleft.agents.pointing_baselines import Uniform
from bearleft.envs.game import Action, Observation
from bearleft.errors import InputError
from bearleft.records import Assemble, Collect, Direction, Episode
from bearleft.world.arramon.moves import PICK, PLACE

HORIZON = 50  # actions; Touchdown's limit at test time
FINAL_ACTION = {"reach": "stop", "look": "next", "collect": PICK, "assemble": PLACE}
MOVES = ("forward", "left", "right")


class Stop:
    """End every leg at once: stop, pick or place; point straight ahead."""

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        """Do nothing: every episode is played alike."""

    def act(self, observation: Observation) -> Action:
        """Return the next action."""
        if observation["kind"] in FINAL_ACTION:
            return FINAL_ACTION[observation["kind"]]
        return Direction(observation["heading"], observation["pitch"])


class Random:
    """Move forward, left or right with equal probability for `horizon` actions; point as `Uniform` does.

    In ArraMon's legs the number of actions is drawn from the lengths of the dataset's references; then the agent picks,
    or places as soon as it can.

    Args:
        horizon: The number of actions before "stop".
        lengths: Returns the lengths of references by kind of leg, as `reference_lengths` does; by default the horizon
            is used there too.
    """

    def __init__(
        self, horizon: int = HORIZON, lengths: Callable[[], Mapping[str, Sequence[int]]] | None = None
    ) -> None:
        self.horizon, self.lengths = horizon, lengths
        self.pointer = Uniform()

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        """Begin an episode."""
        self.rng = rng
        self.pointer.begin(episode, rng)

    def act(self, observation: Observation) -> Action:
        """Return the next action."""
        kind, step = observation["kind"], observation.get("step", 0)
        if kind not in ("reach", "collect", "assemble"):
            return self.pointer.act(observation)
        if step == 0:
            self.actions = self._length(kind)
        if step >= self.actions and (kind != "assemble" or observation["ahead"] is not None):
            return FINAL_ACTION[kind]
        return MOVES[self.rng.integers(3)]

    def _length(self, kind: str) -> int:
        """Return the number of actions before the final one."""
        if kind == "reach" or self.lengths is None:
            return self.horizon
        lengths = self.lengths()[kind]
        if not lengths:
            raise InputError(f"a dataset whose {kind} legs have the actions of a demonstration", "none")
        return lengths[int(self.rng.integers(len(lengths)))] - 1


def reference_lengths(episodes: Sequence[Episode]) -> dict[str, list[int]]:
    """Return the numbers of actions of the references of ArraMon's legs, by kind of leg."""
    goals = [leg.goal for episode in episodes for leg in episode.legs]
    return {
        "collect": [len(goal.actions) for goal in goals if isinstance(goal, Collect) and goal.actions],
        "assemble": [len(goal.actions) for goal in goals if isinstance(goal, Assemble) and goal.actions],
    }


class Frequent:
    """Repeat the most frequent action of Touchdown's training set, "forward", `horizon` times, then stop."""

    def __init__(self, horizon: int = HORIZON) -> None:
        self.horizon = horizon

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        """Do nothing: every episode is played alike."""

    def act(self, observation: Observation) -> Action:
        """Return the next action."""
        if observation["kind"] != "reach":
            raise unsupported_leg("frequent", observation["kind"])
        return "stop" if observation["step"] >= self.horizon else "forward"
