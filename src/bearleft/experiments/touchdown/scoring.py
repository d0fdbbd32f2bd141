"""Metrics of predictions on one split, with cluster bootstrap: panoramas that share a text are drawn together."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, format_value
from bearleft.experiments.touchdown.predictions import SavedPredictions
from bearleft.language.analysis.phenomena import refer360_spans, touchdown_spans
from bearleft.metrics.minimal_pairs import both_correct, changed_correct
from bearleft.metrics.pointing import a_40px, a_80px, a_120px, c_40px, c_80px, c_120px, dist, pixel_distances, pixels
from bearleft.models.examples import build_examples, point_leg
from bearleft.records import Episode

if TYPE_CHECKING:
    from bearleft.types import Floats

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
RESAMPLES = 1000
CONFIDENCE = 0.95
ACCURACIES, CONSISTENCIES = (a_40px, a_80px, a_120px), (c_40px, c_80px, c_120px)
COLUMNS = ("A@40px", "C@40px", "A@80px", "C@80px", "A@120px", "C@120px", "Dist")
PAIR_COLUMNS = ("Pairs@40px", "Changed@40px", "Pairs@80px", "Changed@80px")
DESCRIPTION_KEY = "td_location_text"  # phenomena of the target description in Touchdown's lines


@dataclass(frozen=True)
class ClusteredValues:
    """Values of a metric, and the number of the cluster that each belongs to."""

    values: Floats
    clusters: Ints


@dataclass(frozen=True)
class BootstrapEstimate:
    """A statistic and its value in every bootstrap resample."""

    value: float
    resampled: Floats

    @property
    def interval(self) -> tuple[float, float]:
        """Return the 95 % confidence interval; it always contains `value`."""
        low, high = np.nanquantile(self.resampled, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
        return min(float(low), self.value), max(float(high), self.value)

    @property
    def p(self) -> float:
        """Return the two-sided p-value of the statistic being 0; the observed sample counts as one resample."""
        wrong_side = min(int((self.resampled <= 0).sum()), int((self.resampled >= 0).sum()))
        return min(1.0, 2 * (wrong_side + 1) / (len(self.resampled) + 1))

    def __sub__(self, other: BootstrapEstimate) -> BootstrapEstimate:
        return BootstrapEstimate(self.value - other.value, self.resampled - other.resampled)


def ratio(numerator: BootstrapEstimate, denominator: BootstrapEstimate) -> BootstrapEstimate:
    """Return the ratio of two estimates on the same resamples; nan where the denominator is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        resampled = np.where(denominator.resampled == 0, np.nan, numerator.resampled / denominator.resampled)
    value = numerator.value / denominator.value if denominator.value else float("nan")
    return BootstrapEstimate(value, resampled)


class SplitScorer:
    """Scores predictions on the episodes of one or several datasets; all systems share the same resamples."""

    def __init__(self, name: str, episodes: Sequence[Episode], seed: int = 0, resamples: int = RESAMPLES) -> None:
        if not episodes:
            raise InputError("a split with episodes", "none", name)
        self.name, self.episodes = name, list(episodes)
        inputs = build_examples(self.episodes)
        self.ids = inputs.ids
        self.texts = inputs.texts
        self.targets = _to_pixels(inputs.targets)
        numbers: dict[Hashable, int] = {}
        self.clusters = np.array(
            [numbers.setdefault(cluster_key(episode), len(numbers)) for episode in self.episodes], np.int64
        )
        count = len(numbers)
        rng = np.random.default_rng([seed, count])
        self.weights = rng.multinomial(count, np.full(count, 1 / count), size=resamples).astype(float)

    def __len__(self) -> int:
        return len(self.ids)

    def distances(self, predictions: SavedPredictions) -> Floats:
        """Return the error of each episode's prediction in the papers' pixels."""
        order = {episode_id: k for k, episode_id in enumerate(predictions.ids)}
        missing = [episode_id for episode_id in self.ids if episode_id not in order]
        if missing:
            system = f"{predictions.system}, seed {predictions.seed}"
            raise InputError(
                f"answers to all {len(self)} of {self.name}",
                f"{len(missing)} missing: {format_value(missing[0])}",
                system,
            )
        directions = predictions.directions[[order[episode_id] for episode_id in self.ids]]
        return pixel_distances(_to_pixels(directions), self.targets)

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
        original, changed = self.pairs.T
        values = {}
        for accuracy in (a_40px, a_80px):
            right = accuracy(distances).astype(bool)
            for metric in (both_correct, changed_correct):
                name = f"{metric.name}@{accuracy.radius:g}px"
                values[name] = ClusteredValues(metric(right[original], right[changed]), self.clusters[original])
        return values

    @cached_property
    def pairs(self) -> Ints:
        """Return (pairs, 2) indices of the episodes of the original and of the changed text."""
        halves: dict[Hashable, dict[bool, int]] = {}
        for k, episode in enumerate(self.episodes):
            if "pair" in episode.extra:
                halves.setdefault(cluster_key(episode), {})[bool(episode.extra["changed"])] = k
        complete = [(half[False], half[True]) for half in halves.values() if len(half) == 2]
        return np.array(complete, np.int64).reshape(-1, 2)

    @cached_property
    def phenomena(self) -> dict[str, Bools]:
        """Return a mask over episodes for each phenomenon, the most frequent first."""
        by_episode = [phenomena_of(episode) for episode in self.episodes]
        counts: dict[str, int] = {}
        for phenomena in by_episode:
            for phenomenon in phenomena:
                counts[phenomenon] = counts.get(phenomenon, 0) + 1
        return {
            phenomenon: np.array([phenomenon in phenomena for phenomena in by_episode])
            for phenomenon in sorted(counts, key=lambda name: (-counts[name], name))
        }

    def estimate(self, metric: ClusteredValues, mask: Bools | None = None) -> BootstrapEstimate:
        """Return the mean of a metric's values, or of those under a mask, with its value in every resample."""
        values, clusters = metric.values, metric.clusters
        if mask is not None:
            values, clusters = values[mask], clusters[mask]
        count = self.weights.shape[1]
        sums, sizes = np.bincount(clusters, values, count), np.bincount(clusters, minlength=count).astype(float)
        with np.errstate(invalid="ignore"):  # a small group may be missing from a resample
            return BootstrapEstimate(float(values.mean()), (self.weights @ sums) / (self.weights @ sizes))


def _to_pixels(directions: Floats) -> Floats:
    """Return (n, 2) columns and rows of headings relative to the yaw, and pitches."""
    heading, pitch = directions.T
    return np.column_stack(pixels(heading, pitch, np.zeros(len(directions))))


def mean_over_seeds(per_seed: Sequence[Mapping[str, ClusteredValues]]) -> dict[str, ClusteredValues]:
    """Return each metric's values averaged over seeds."""
    return {
        name: ClusteredValues(np.mean([metrics[name].values for metrics in per_seed], axis=0), first.clusters)
        for name, first in per_seed[0].items()
    }


def cluster_key(episode: Episode) -> Hashable:
    """Return the key of what is resampled together: panoramas of one text, or both texts of a minimal pair."""
    extra = episode.extra
    return (extra.get("kind"), extra["pair"]) if "pair" in extra else point_leg(episode)[0]


def phenomena_of(episode: Episode) -> set[str]:
    """Return the phenomena of the description: the annotated ones, or those that rules find."""
    text, _ = point_leg(episode)
    annotated = episode.extra.get("phenomena")
    if isinstance(annotated, Mapping):
        annotated = annotated.get(DESCRIPTION_KEY)
    if isinstance(annotated, list):
        return {str(mark[0]) for mark in annotated}
    sentences = next((leg.sentences for leg in episode.legs if leg.text == text), ())
    return {phenomenon for phenomenon, _, _ in (refer360_spans(sentences) if sentences else touchdown_spans(text))}
