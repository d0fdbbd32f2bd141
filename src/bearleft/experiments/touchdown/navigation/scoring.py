"""Metrics of saved walks on one split under the convention `paper`, with a bootstrap that all systems share."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property

import numpy as np

from bearleft.errors import InputError
from bearleft.experiments.touchdown.bootstrap import (
    RESAMPLES,
    Bools,
    ClusteredValues,
    EpisodeBootstrap,
    Ints,
    annotated_phenomena,
    pair_key,
)
from bearleft.experiments.touchdown.navigation.saved_walks import NAME, SavedWalks
from bearleft.language.analysis.phenomena import touchdown_spans
from bearleft.language.instructions.parse import parse_frames
from bearleft.language.instructions.semantics import IDLE_FRAMES, START_FRAMES
from bearleft.metrics.conventions import score_walks
from bearleft.metrics.minimal_pairs import both_correct, changed_correct
from bearleft.metrics.ragged_paths import Floats, Ragged
from bearleft.metrics.walks import Walks
from bearleft.records import Episode, Reach
from bearleft.types import DataFolder
from bearleft.world.worlds import open_world

COLUMNS = ("TC", "SPD", "SED", "nDTW", "SDTW", "CLS", "KPA")
PAIR_COLUMNS = (both_correct.name, changed_correct.name)
TEXT_KEY = "navigation_text"  # phenomena of the instruction in Touchdown's lines
OPENINGS = {
    "flow": "traffic",
    "against": "traffic",
    "facing crossing": "crossing",
    "leaving crossing": "crossing",
    "side": "landmark",
    "two sides": "landmark",
    "ahead": "landmark",
    "behind": "landmark",
}
OPENING_LENGTH = 250  # characters of a text in which its opening ends
SEVERAL_OPENINGS, NO_OPENING = "several kinds", "none of these"


class WalkScorer(EpisodeBootstrap):
    """Scores walks in the episodes of one split; all systems share the same resamples.

    Args:
        name: Name of the split.
        episodes: The episodes, each of which begins with a walk.
        data: Folder of the graphs.
        seed: Seed of the bootstrap.
        resamples: Number of resamples.
    """

    def __init__(
        self,
        name: str,
        episodes: Sequence[Episode],
        data: DataFolder = None,
        seed: int = 0,
        resamples: int = RESAMPLES,
    ) -> None:
        super().__init__(name, episodes, cluster_key, seed, resamples, independent=True)
        self.worlds = tuple(episode.world for episode in self.episodes)
        self.graphs = {world: open_world(world, data) for world in dict.fromkeys(self.worlds)}
        self.routes = [self._route(episode) for episode in self.episodes]

    def _route(self, episode: Episode) -> Ints:
        goal, graph = episode.legs[0].goal, self.graphs[episode.world]
        if not isinstance(goal, Reach):
            raise InputError("episodes that begin with a walk", f"{episode.id}, which does not", self.name)
        return np.array([graph.place_index(place) for place in goal.route], np.int64)

    def scores(self, walks: SavedWalks) -> dict[str, Floats]:
        """Return the value of each metric for each episode, as `bearleft score` computes it for traces.

        Raises:
            InputError: An episode was not walked, or walks are of another world.
        """
        chosen = self.rows_of(walks, NAME)
        names = list(walks.worlds)
        scores = {name: np.zeros(len(self)) for name in COLUMNS}
        for world, graph in self.graphs.items():
            own = np.array([k for k, other in enumerate(self.worlds) if other == world], np.int64)
            if any(names[k] != world for k in walks.world_indices[chosen[own]]) or walks.worlds[world] != len(graph):
                who = f"{walks.system}, seed {walks.seed}"
                raise InputError(f"walks in {world} with {len(graph):,} places", "in another world", who)
            values = score_walks(self._walks(world, own, walks.places.take(chosen[own])), "paper")
            for name in COLUMNS:
                scores[name][own] = values[name]
        return scores

    def _walks(self, world: str, indices: Ints, paths: Ragged) -> Walks:
        """Return walks for the convention `paper`, which reads places and routes only."""
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

    def metrics(self, walks: SavedWalks) -> dict[str, ClusteredValues]:
        """Return every column for each episode and, of minimal pairs, whether both or the changed one were right."""
        scores = self.scores(walks)
        values = {name: ClusteredValues(scores[name], self.clusters) for name in COLUMNS}
        return values | (self.pair_values(scores["TC"] > 0) if len(self.pairs) else {})

    @cached_property
    def phenomena(self) -> dict[str, Bools]:
        """A mask over episodes for each phenomenon of their texts, the most frequent first."""
        return self.group_masks(phenomena_of)

    @cached_property
    def openings(self) -> dict[str, Bools]:
        """A mask over episodes for each kind of opening, the most frequent first."""
        return self.group_masks(lambda episode: {opening_of(episode.legs[0].text)})


def cluster_key(episode: Episode) -> Hashable:
    """Return the key of what is resampled together: an episode, or both texts of a minimal pair."""
    return pair_key(episode) or episode.id


def phenomena_of(episode: Episode) -> set[str]:
    """Return the phenomena of the instruction: the annotated ones, or those that rules find."""
    if (annotated := annotated_phenomena(episode, TEXT_KEY)) is not None:
        return annotated
    return {phenomenon for phenomenon, _, _ in touchdown_spans(episode.legs[0].text)}


def opening_of(text: str) -> str:
    """Return by what an instruction tells the first direction: traffic, a landmark, a crossing, or several of them."""
    kinds = []
    for frame in parse_frames(text[:OPENING_LENGTH]):
        if frame.name not in START_FRAMES | IDLE_FRAMES:
            break
        if frame.name in OPENINGS:
            kinds.append(OPENINGS[frame.name])
    if len(set(kinds)) > 1:
        return SEVERAL_OPENINGS
    return kinds[0] if kinds else NO_OPENING
