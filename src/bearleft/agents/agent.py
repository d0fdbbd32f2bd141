"""What an agent is. Two methods are enough; nothing has to be inherited."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from bearleft.envs.game import Action, Observation
from bearleft.errors import InputError
from bearleft.records import Episode


class Agent(Protocol):
    """Plays one episode after another; `rng` is seeded by the run's seed and the episode, so order does not matter."""

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        """Called before the first action of every episode."""

    def act(self, observation: Observation) -> Action:
        """The next action: a word of the game's, a Direction, or a Guess (a Direction with a heat map)."""


@runtime_checkable
class BatchAgent(Protocol):
    """Plays `batch_size` episodes side by side, so that a network reads them in one batch."""

    batch_size: int

    def begin_batch(self, episodes: Sequence[Episode], rngs: Sequence[np.random.Generator]) -> None:
        """Called before the first action of a batch of episodes."""

    def act_batch(self, indices: Sequence[int], observations: Sequence[Observation]) -> Sequence[Action]:
        """The next actions of those episodes of the batch that are still played, each by its index."""


def cannot(agent: str, kind: str) -> InputError:
    """The error for a leg that an agent has no way to play."""
    hint = "bearleft eval --help says who plays what."
    return InputError(f"a leg that the agent {agent} can play", f"one of kind {kind}", hint=hint)
