"""Walks that begin together and are computed in one batch, for agents of networks that walk."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar, Protocol

import numpy as np

from bearleft.agents.agent import unsupported_leg
from bearleft.envs.game import Action
from bearleft.records import Episode
from bearleft.types import Observation


class WalkGroup(Protocol):
    """Walks that began together; those that ended are computed on and ignored."""

    def act(self, rows: Sequence[int], observations: Sequence[Observation]) -> list[Action]:
        """Return the actions of some of the walks; all of them are at the same step."""


class GroupedWalker(ABC):
    """A batch agent whose walks are computed in groups."""

    name: ClassVar[str]

    def __init__(self) -> None:
        self.worlds: list[str] = []
        self.groups: dict[int, tuple[WalkGroup, int]] = {}  # by episode: its group, and its row there

    @abstractmethod
    def open_worlds(self, worlds: Iterable[str]) -> None:
        """Make what walkers see in some worlds available, besides those that already are."""

    @abstractmethod
    def begin_group(self, worlds: Sequence[str], texts: Sequence[str]) -> WalkGroup:
        """Return walks that begin now."""

    def prepare(self, episodes: Sequence[Episode]) -> None:
        """Open the worlds of the next episodes."""
        self.open_worlds(dict.fromkeys(episode.world for episode in episodes))

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        """Begin an episode that is played alone."""
        self.begin_batch([episode], [rng])

    def act(self, observation: Observation) -> Action:
        """Return the next action of an episode that is played alone."""
        return self.act_batch([0], [observation])[0]

    def begin_batch(self, episodes: Sequence[Episode], rngs: Sequence[np.random.Generator]) -> None:
        """Begin a batch of episodes."""
        self.prepare(episodes)
        self.worlds, self.groups = [episode.world for episode in episodes], {}

    def act_batch(self, indices: Sequence[int], observations: Sequence[Observation]) -> list[Action]:
        """Return the next actions of some episodes of the batch."""
        for observation in observations:
            if observation["kind"] != "reach":
                raise unsupported_leg(self.name, observation["kind"])
        by_episode = dict(zip(indices, observations, strict=True))
        new = [k for k in indices if by_episode[k]["step"] == 0 or k not in self.groups]
        if new:
            group = self.begin_group([self.worlds[k] for k in new], [by_episode[k]["text"] for k in new])
            self.groups |= {k: (group, row) for row, k in enumerate(new)}
        actions: dict[int, Action] = {}
        for group in dict.fromkeys(self.groups[k][0] for k in indices):
            chosen = [k for k in indices if self.groups[k][0] is group]
            rows = [self.groups[k][1] for k in chosen]
            actions |= dict(zip(chosen, group.act(rows, [by_episode[k] for k in chosen]), strict=True))
        return [actions[k] for k in indices]
