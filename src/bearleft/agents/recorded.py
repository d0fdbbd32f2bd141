"""The agent that repeats recorded actions, such as those of a network that played in a vector environment."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bearleft.envs.game import Action, Observation
from bearleft.errors import InputError
from bearleft.records import Episode


class Recorded:
    """Repeat the actions of one episode, leg by leg."""

    def __init__(self, actions: Sequence[Sequence[str]]) -> None:
        self.actions = actions

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        """Begin the episode."""
        if len(self.actions) != len(episode.legs):
            raise InputError(f"actions of {len(episode.legs)} legs", str(len(self.actions)))

    def act(self, observation: Observation) -> Action:
        """Return the next action."""
        actions = self.actions[observation["leg"]]
        if observation["step"] >= len(actions):
            raise InputError("recorded actions that end their leg", "fewer", f"legs[{observation['leg']}]")
        return actions[observation["step"]]
