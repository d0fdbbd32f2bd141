"""What the Gymnasium environments of single agents share: episodes, the record of what was played, and its measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import gymnasium as gym
import numpy as np

from bearleft.envs.game import Observation
from bearleft.envs.legs import EnvOptions, episode_generators
from bearleft.envs.measures import EpisodeMeasures
from bearleft.envs.spaces import EpisodeSampler
from bearleft.records import Episode, LegTrace, Reach
from bearleft.world.graphs.graph import Graph

ActionType = TypeVar("ActionType")
Info = dict[str, Any]


@dataclass(frozen=True)
class EpisodePlan:
    """What an environment can play.

    Attributes:
        dataset: The name of the dataset and split.
        sha256: The hash of the dataset file; empty for a list of episodes.
        rules: The rules of its games.
        walks: Whether the dataset has Reach legs.
        resets: The options of the resets that play everything once, in the order of the dataset, by the id of the
            episode and the number of legs that its trace then has.
    """

    dataset: str
    sha256: str
    rules: EnvOptions
    walks: bool
    resets: dict[tuple[str, int], dict[str, Any]]


class QueuedEpisodes:
    """Gives an environment, single or vectorized, a queue of the episodes to play next."""

    episodes: EpisodeSampler

    @property
    def episode_queue(self) -> list[dict[str, Any]]:
        """The options of the next episodes, such as {"episode": id}; when it is empty, episodes are drawn."""
        return self.episodes.queue

    @episode_queue.setter
    def episode_queue(self, options: list[dict[str, Any]]) -> None:
        self.episodes.queue = list(options)


class EpisodeEnv(QueuedEpisodes, gym.Env[Observation, ActionType]):
    """An environment that plays episodes of a dataset.

    At the end of an episode `info` has `success` and `measures`: the metrics that `bearleft score` reports for this
    episode, by name, rates from 0 to 1. `success` is whether the first of `success_metrics` that it has is 1.
    """

    success_metrics: ClassVar[tuple[str, ...]]
    episode: Episode
    graphs: Mapping[str, Graph] = {}  # of each world with walks along links

    @property
    def rules(self) -> EnvOptions:
        """The rules of its games, as `bearleft eval` has them."""
        raise NotImplementedError

    def played_legs(self) -> tuple[LegTrace, ...]:
        """Return what was done in each leg of the current episode so far."""
        raise NotImplementedError

    def played(self) -> tuple[str, tuple[LegTrace, ...]]:
        """Return the id of the current episode, and what was done in each leg so far."""
        return self.episode.id, self.played_legs()

    def plan(self) -> EpisodePlan:
        """Return the episodes and the rules, to record what is played."""
        walks = any(isinstance(leg.goal, Reach) for episode in self.episodes.all for leg in episode.legs)
        return EpisodePlan(self.episodes.name, self.episodes.sha256, self.rules, walks, self._resets())

    def _resets(self) -> dict[tuple[str, int], dict[str, Any]]:
        return {(episode.id, 1): {"episode": episode.id} for episode in self.episodes.all}

    def _start_rng(self, options: dict[str, Any]) -> np.random.Generator:
        """Return the generator of an episode's start: that of `bearleft eval` if a recorder set the seed."""
        return episode_generators(options["seed"], self.episode.id)[0] if "seed" in options else self.np_random

    @cached_property
    def _measures(self) -> EpisodeMeasures:
        return EpisodeMeasures(self.graphs)

    def final_info(self) -> Info:
        """Return `success` and `measures` of the episode that has ended."""
        (measures,) = self._measures.compute([self.episode], [self.played_legs()])
        success = next((measures[name] for name in self.success_metrics if name in measures), 0.0)
        return {"success": success == 1.0, "measures": measures}
