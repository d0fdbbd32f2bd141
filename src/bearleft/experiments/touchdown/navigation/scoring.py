"""Metrics of saved walks on one split under the convention `paper`, with a bootstrap that all systems share."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property

from bearleft.experiments.systems.bootstrap import (
    RESAMPLES,
    Bools,
    ClusteredValues,
    annotated_phenomena,
    pair_key,
)
from bearleft.experiments.systems.saved_walks import NAME
from bearleft.experiments.systems.scoring import PathScorer, SavedPaths
from bearleft.experiments.touchdown.navigation.endings import ending_values
from bearleft.language.analysis.phenomena import touchdown_spans
from bearleft.language.instructions.parse import parse_frames
from bearleft.language.instructions.semantics import IDLE_FRAMES, START_FRAMES
from bearleft.metrics.minimal_pairs import both_correct, changed_correct
from bearleft.records import Episode
from bearleft.types import DataFolder

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


class WalkScorer(PathScorer):
    """Scores walks in the episodes of one split under the convention `paper`, and groups episodes by their texts.

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
        super().__init__(name, episodes, "paper", COLUMNS, cluster_key, data, seed, resamples)

    def metrics(self, walks: SavedPaths) -> dict[str, ClusteredValues]:
        """Return for each episode every column and each of ENDINGS, and of minimal pairs which texts were followed."""
        values, paths = super().metrics(walks), walks.places.take(self.rows_of(walks, NAME))
        by_ending = ending_values([paths[k] for k in range(len(self))], self.routes, values["TC"].values > 0)
        values |= {ending: ClusteredValues(ended, self.clusters) for ending, ended in by_ending.items()}
        return values | (self.pair_values(values["TC"].values > 0) if len(self.pairs) else {})

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
