"""Metrics of walks on one split under a scoring convention, with a bootstrap that all systems share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Protocol

import numpy as np

from bearleft.errors import InputError
from bearleft.experiments.systems.bootstrap import RESAMPLES, ClusteredValues, EpisodeBootstrap, Ints
from bearleft.experiments.systems.saved_results import SavedResult
from bearleft.experiments.systems.saved_walks import NAME
from bearleft.metrics.conventions import score_walks
from bearleft.metrics.ragged_paths import Floats, Ragged
from bearleft.metrics.walks import Walks
from bearleft.records import Episode, Reach
from bearleft.types import DataFolder
from bearleft.world.worlds import open_world


class SavedPaths(SavedResult, Protocol):
    """Walks of one system, trained with one seed, on one split."""

    @property
    def worlds(self) -> Mapping[str, int]:
        """Return the worlds of the walks, each once, with the number of their places."""

    @property
    def world_indices(self) -> Ints:
        """Return the index in `worlds` of each walk."""

    @property
    def places(self) -> Ragged:
        """Return the places of each walk, the start first, as indices of the world's graph."""


class PathScorer(EpisodeBootstrap):
    """Scores walks in the episodes of one split; all systems share the same resamples.

    Args:
        name: Name of the split.
        episodes: The episodes, each of which begins with a walk.
        convention: Name of the scoring convention, one that reads places and routes only.
        columns: Names of the metrics.
        cluster_key: Returns the key of what is resampled together.
        data: Folder of the graphs.
        seed: Seed of the bootstrap.
        resamples: Number of resamples.
    """

    def __init__(
        self,
        name: str,
        episodes: Sequence[Episode],
        convention: str,
        columns: Sequence[str],
        cluster_key: Callable[[Episode], Hashable],
        data: DataFolder = None,
        seed: int = 0,
        resamples: int = RESAMPLES,
    ) -> None:
        super().__init__(name, episodes, cluster_key, seed, resamples, independent=True)
        self.convention, self.columns = convention, tuple(columns)
        self.worlds = tuple(episode.world for episode in self.episodes)
        self.graphs = {world: open_world(world, data) for world in dict.fromkeys(self.worlds)}
        self.routes = [self._route(episode) for episode in self.episodes]

    def _route(self, episode: Episode) -> Ints:
        goal, graph = episode.legs[0].goal, self.graphs[episode.world]
        if not isinstance(goal, Reach):
            raise InputError("episodes that begin with a walk", f"{episode.id}, which does not", self.name)
        return np.array([graph.place_index(place) for place in goal.route], np.int64)

    def scores(self, walks: SavedPaths) -> dict[str, Floats]:
        """Return the value of each metric for each episode, as `bearleft score` computes it for traces.

        Raises:
            InputError: An episode was not walked, or walks are of another world.
        """
        chosen = self.rows_of(walks, NAME)
        names = list(walks.worlds)
        scores = {name: np.zeros(len(self)) for name in self.columns}
        for world, graph in self.graphs.items():
            own = np.array([k for k, other in enumerate(self.worlds) if other == world], np.int64)
            if any(names[k] != world for k in walks.world_indices[chosen[own]]) or walks.worlds[world] != len(graph):
                who = f"{walks.system}, seed {walks.seed}"
                raise InputError(f"walks in {world} with {len(graph):,} places", "in another world", who)
            values = score_walks(self._walks(world, own, walks.places.take(chosen[own])), self.convention)
            for name in self.columns:
                scores[name][own] = values[name]
        return scores

    def _walks(self, world: str, indices: Ints, paths: Ragged) -> Walks:
        """Return walks for a convention that reads places and routes only."""
        routes = [self.routes[k] for k in indices]
        starts = np.concatenate([[0], np.cumsum([len(route) for route in routes])])
        references = Ragged(np.concatenate(routes).astype(np.int32), starts)
        count = len(indices)
        return Walks(
            self.graphs[world],
            paths,
            references,
            references,
            np.zeros(count),
            np.ones(count, np.bool_),
            (frozenset(),) * count,
        )

    def metrics(self, walks: SavedPaths) -> dict[str, ClusteredValues]:
        """Return every column for each episode."""
        return {name: ClusteredValues(values, self.clusters) for name, values in self.scores(walks).items()}
