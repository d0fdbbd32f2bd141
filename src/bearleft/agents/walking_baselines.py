"""Walkers that do not learn: Touchdown's STOP, RANDOM and FREQUENT, and ArraMon's random walk."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from bearleft.agents.agent import cannot
from bearleft.agents.pointing_baselines import Uniform
from bearleft.envs.game import Action, Observation
from bearleft.errors import InputError
from bearleft.records import Assemble, Collect, Direction, Episode
from bearleft.world.arramon.moves import PICK, PLACE

HORIZON = 50  # Touchdown's number of actions at test time
LAST = {"reach": "stop", "look": "next", "collect": PICK, "assemble": PLACE}
WALKED = ("forward", "left", "right")


class Stop:
    """Stops at once, or picks, or places; points where it looks; never turns its view."""

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        pass

    def act(self, observation: Observation) -> Action:
        if observation["kind"] in LAST:
            return LAST[observation["kind"]]
        return Direction(observation["heading"], observation["pitch"])


class Random:
    """Walks forward, left or right with equal chance until `horizon` actions; points anywhere, as Uniform does.

    Collecting and assembling it draws the number of its actions from `lengths()`, those of the dataset's references by
    kind of leg, and then picks, or places as soon as it can.
    """

    def __init__(
        self, horizon: int = HORIZON, lengths: Callable[[], Mapping[str, Sequence[int]]] | None = None
    ) -> None:
        self.horizon, self.lengths = horizon, lengths
        self.pointer = Uniform()

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        self.rng = rng
        self.pointer.begin(episode, rng)

    def act(self, observation: Observation) -> Action:
        kind, step = observation["kind"], observation.get("step", 0)
        if kind not in ("reach", "collect", "assemble"):
            return self.pointer.act(observation)
        if step == 0:
            self.actions = self._length(kind)
        if step >= self.actions and (kind != "assemble" or observation["ahead"] is not None):
            return LAST[kind]
        return WALKED[self.rng.integers(3)]

    def _length(self, kind: str) -> int:
        """How many actions come before the last."""
        if kind == "reach" or self.lengths is None:
            return self.horizon
        lengths = self.lengths()[kind]
        if not lengths:
            raise InputError(f"a dataset whose legs to {kind} have the actions of a demonstration", "none")
        return lengths[int(self.rng.integers(len(lengths)))] - 1


def reference_lengths(episodes: Sequence[Episode]) -> dict[str, list[int]]:
    """How many actions the references of ArraMon's tasks have, by kind of leg."""
    goals = [leg.goal for episode in episodes for leg in episode.legs]
    return {
        "collect": [len(goal.actions) for goal in goals if isinstance(goal, Collect) and goal.actions],
        "assemble": [len(goal.actions) for goal in goals if isinstance(goal, Assemble) and goal.actions],
    }


class Frequent:
    """Always takes the most frequent action of Touchdown's training set, forward, until `horizon` actions."""

    def __init__(self, horizon: int = HORIZON) -> None:
        self.horizon = horizon

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        pass

    def act(self, observation: Observation) -> Action:
        if observation["kind"] != "reach":
            raise cannot("frequent", observation["kind"])
        return "stop" if observation["step"] >= self.horizon else "forward"
