"""What the Gymnasium environments of single agents share: episodes, the record of what was played, and its measures."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import gymnasium as gym

from bearleft.envs.game import Observation
from bearleft.envs.legs import EnvOptions
from bearleft.envs.measures import EpisodeMeasures
from bearleft.envs.spaces import EpisodeSampler
from bearleft.records import Episode, LegTrace
from bearleft.world.graphs.graph import Graph

ActionType = TypeVar("ActionType")
Info = dict[str, Any]


class EpisodeEnv(gym.Env[Observation, ActionType]):
    """An environment that plays episodes of a dataset.

    At the end of an episode `info` has `success` and `measures`: the metrics that `bearleft score` reports for this
    episode, by name, rates from 0 to 1. `success` is whether `success_metric` is 1.
    """

    success_metric: ClassVar[str]
    episodes: EpisodeSampler
    episode: Episode
    graphs: Mapping[str, Graph] = {}  # of each world with walks along links

    @property
    def episode_queue(self) -> list[dict[str, Any]]:
        """The options of the next resets, such as {"episode": id}; when it is empty, episodes are drawn."""
        return self.episodes.queue

    @episode_queue.setter
    def episode_queue(self, options: list[dict[str, Any]]) -> None:
        self.episodes.queue = list(options)

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

    def reset_options(self) -> list[dict[str, Any]]:
        """Return the options of the resets that play each episode once, in the order of the dataset."""
        return [{"episode": episode.id} for episode in self.episodes.all]

    @cached_property
    def _measures(self) -> EpisodeMeasures:
        return EpisodeMeasures(self.graphs)

    def _final_info(self) -> Info:
        """Return `success` and `measures` of the episode that has ended."""
        (measures,) = self._measures.compute([self.episode], [self.played_legs()])
        return {"success": measures.get(self.success_metric) == 1.0, "measures": measures}
