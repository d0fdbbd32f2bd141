"""Metrics of predictions on one split; in the bootstrap, panoramas that share a text are drawn together."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bearleft.experiments.systems.bootstrap import (
    RESAMPLES,
    Bools,
    ClusteredValues,
    EpisodeBootstrap,
    annotated_phenomena,
    pair_key,
)
from bearleft.experiments.touchdown.predictions import NAME, SavedPredictions
from bearleft.language.analysis.phenomena import refer360_spans, touchdown_spans
from bearleft.metrics.pointing import a_40px, a_80px, a_120px, c_40px, c_80px, c_120px, dist, pixel_distances, pixels
from bearleft.models.examples import build_examples, point_leg
from bearleft.records import Episode

if TYPE_CHECKING:
    from bearleft.types import Floats

ACCURACIES, CONSISTENCIES = (a_40px, a_80px, a_120px), (c_40px, c_80px, c_120px)
COLUMNS = ("A@40px", "C@40px", "A@80px", "C@80px", "A@120px", "C@120px", "Dist")
PAIR_COLUMNS = ("Pairs@40px", "Changed@40px", "Pairs@80px", "Changed@80px")
DESCRIPTION_KEY = "td_location_text"  # phenomena of the target description in Touchdown's lines


class SplitScorer(EpisodeBootstrap):
    """Scores predictions on the episodes of one or several datasets; all systems share the same resamples."""

    def __init__(self, name: str, episodes: Sequence[Episode], seed: int = 0, resamples: int = RESAMPLES) -> None:
        super().__init__(name, episodes, cluster_key, seed, resamples)
        inputs = build_examples(self.episodes)
        self.texts, self.targets = inputs.texts, _to_pixels(inputs.targets)

    def distances(self, predictions: SavedPredictions) -> Floats:
        """Return the error of each episode's prediction in the papers' pixels."""
        return pixel_distances(_to_pixels(predictions.directions[self.rows_of(predictions, NAME)]), self.targets)

    def metrics(self, distances: Floats) -> dict[str, ClusteredValues]:
        """Return every column of Table 4: a value for each episode, or for each text (C@)."""
        first: dict[str, int] = {}
        for text, cluster in zip(self.texts, self.clusters, strict=True):
            first.setdefault(text, cluster)
        by_text = np.array(list(first.values()), np.int64)
        values = {metric.name: ClusteredValues(metric(distances), self.clusters) for metric in ACCURACIES}
        values |= {metric.name: ClusteredValues(metric(distances, self.texts), by_text) for metric in CONSISTENCIES}
        return {**values, dist.name: ClusteredValues(dist(distances), self.clusters)}

    def pair_metrics(self, distances: Floats) -> dict[str, ClusteredValues]:
        """Return, for minimal pairs, whether both texts and whether the changed one were right at 40 and 80 px."""
        values: dict[str, ClusteredValues] = {}
        for accuracy in (a_40px, a_80px):
            values |= self.pair_values(accuracy(distances).astype(bool), f"@{accuracy.radius:g}px")
        return values

    @cached_property
    def phenomena(self) -> dict[str, Bools]:
        """Return a mask over episodes for each phenomenon, the most frequent first."""
        return self.group_masks(phenomena_of)


def _to_pixels(directions: Floats) -> Floats:
    """Return (n, 2) columns and rows of headings relative to the yaw, and pitches."""
    heading, pitch = directions.T
    return np.column_stack(pixels(heading, pitch, np.zeros(len(directions))))


def cluster_key(episode: Episode) -> Hashable:
    """Return the key of what is resampled together: panoramas of one text, or both texts of a minimal pair."""
    return pair_key(episode) or point_leg(episode)[0]


def phenomena_of(episode: Episode) -> set[str]:
    """Return the phenomena of the description: the annotated ones, or those that rules find."""
    text, _ = point_leg(episode)
    if (annotated := annotated_phenomena(episode, DESCRIPTION_KEY)) is not None:
        return annotated
    sentences = next((leg.sentences for leg in episode.legs if leg.text == text), ())
    return {phenomenon for phenomenon, _, _ in (refer360_spans(sentences) if sentences else touchdown_spans(text))}
