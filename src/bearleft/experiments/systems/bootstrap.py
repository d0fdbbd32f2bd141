"""Cluster bootstrap of metrics on one split: all systems share the resamples, so that differences are paired."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, format_value
from bearleft.experiments.systems.saved_results import SavedResult
from bearleft.metrics.minimal_pairs import both_correct, changed_correct
from bearleft.records import Episode

if TYPE_CHECKING:
    from bearleft.types import Floats

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
RESAMPLES = 1000
CONFIDENCE = 0.95


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

    def __neg__(self) -> BootstrapEstimate:
        return BootstrapEstimate(-self.value, -self.resampled)


def ratio(numerator: BootstrapEstimate, denominator: BootstrapEstimate) -> BootstrapEstimate:
    """Return the ratio of two estimates on the same resamples; nan where the denominator is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        resampled = np.where(denominator.resampled == 0, np.nan, numerator.resampled / denominator.resampled)
    value = numerator.value / denominator.value if denominator.value else float("nan")
    return BootstrapEstimate(value, resampled)


def mean_over_seeds(per_seed: Sequence[Mapping[str, ClusteredValues]]) -> dict[str, ClusteredValues]:
    """Return each metric's values averaged over seeds."""
    return {
        name: ClusteredValues(np.mean([metrics[name].values for metrics in per_seed], axis=0), first.clusters)
        for name, first in per_seed[0].items()
    }


class EpisodeBootstrap:
    """Episodes of one split in clusters, and the resamples of these clusters.

    Args:
        name: Name of the split.
        episodes: The episodes.
        cluster_key: Returns the key of what is resampled together.
        seed: Seed of the resamples.
        resamples: Number of resamples.
        independent: Whether splits of other names are drawn independently.
    """

    def __init__(
        self,
        name: str,
        episodes: Sequence[Episode],
        cluster_key: Callable[[Episode], Hashable],
        seed: int = 0,
        resamples: int = RESAMPLES,
        independent: bool = False,
    ) -> None:
        if not episodes:
            raise InputError("a split with episodes", "none", name)
        self.name, self.episodes = name, list(episodes)
        self.ids = tuple(episode.id for episode in self.episodes)
        numbers: dict[Hashable, int] = {}
        self.clusters: Ints = np.array(
            [numbers.setdefault(cluster_key(episode), len(numbers)) for episode in self.episodes], np.int64
        )
        count = len(numbers)
        rng = np.random.default_rng([seed, count, *(name.encode() if independent else b"")])
        self.weights = rng.multinomial(count, np.full(count, 1 / count), size=resamples).astype(float)

    def __len__(self) -> int:
        return len(self.ids)

    def rows_of(self, saved: SavedResult, name: str) -> Ints:
        """Return the row of each episode in saved results, which are called `name`.

        Raises:
            InputError: An episode is missing.
        """
        rows = {episode_id: k for k, episode_id in enumerate(saved.ids)}
        if missing := [episode_id for episode_id in self.ids if episode_id not in rows]:
            got = f"{len(missing)} missing: {format_value(missing[0])}"
            who = f"{saved.system}, seed {saved.seed}"
            raise InputError(f"{name} of all {len(self)} episodes of {self.name}", got, who)
        return np.array([rows[episode_id] for episode_id in self.ids], np.int64)

    @cached_property
    def pairs(self) -> Ints:
        """Indices (pairs, 2) of the episodes of the original and of the changed text."""
        halves: dict[Hashable, dict[bool, int]] = {}
        for k, episode in enumerate(self.episodes):
            if (key := pair_key(episode)) is not None:
                halves.setdefault(key, {})[bool(episode.extra["changed"])] = k
        complete = [(half[False], half[True]) for half in halves.values() if len(half) == 2]
        return np.array(complete, np.int64).reshape(-1, 2)

    def pair_values(self, right: Bools, suffix: str = "") -> dict[str, ClusteredValues]:
        """Return, for minimal pairs, whether both texts and whether the changed one were right.

        Args:
            right: Whether each episode was right.
            suffix: What follows the names of the metrics.
        """
        original, changed = self.pairs.T
        return {
            f"{metric.name}{suffix}": ClusteredValues(metric(right[original], right[changed]), self.clusters[original])
            for metric in (both_correct, changed_correct)
        }

    def group_masks(self, groups_of: Callable[[Episode], set[str]]) -> dict[str, Bools]:
        """Return a mask over episodes for each group, the most frequent first."""
        by_episode = [groups_of(episode) for episode in self.episodes]
        names = {name for groups in by_episode for name in groups}
        masks = {name: np.array([name in groups for groups in by_episode]) for name in names}
        return dict(sorted(masks.items(), key=lambda item: (-int(item[1].sum()), item[0])))

    def estimate(self, metric: ClusteredValues, mask: Bools | None = None, scale: float = 1.0) -> BootstrapEstimate:
        """Return the mean of a metric's values, or of those under a mask, with its value in every resample.

        Args:
            metric: The values.
            mask: Which of them count; all by default.
            scale: The factor of the mean: 100 for percent.
        """
        values, clusters = metric.values, metric.clusters
        if mask is not None:
            values, clusters = values[mask], clusters[mask]
        count = self.weights.shape[1]
        sums, sizes = np.bincount(clusters, values, count), np.bincount(clusters, minlength=count).astype(float)
        with np.errstate(invalid="ignore"):  # a small group may be missing from a resample
            resampled = (self.weights @ sums) / (self.weights @ sizes)
        return BootstrapEstimate(scale * float(values.mean()), scale * resampled)


def pair_key(episode: Episode) -> tuple[Any, Any] | None:
    """Return the key of a minimal pair, which both of its texts share; None for other episodes."""
    return (episode.extra.get("kind"), episode.extra["pair"]) if "pair" in episode.extra else None


def annotated_phenomena(episode: Episode, key: str) -> set[str] | None:
    """Return the annotated phenomena of an episode, or those under a key if several texts are annotated."""
    annotated: Any = episode.extra.get("phenomena")
    if isinstance(annotated, Mapping):
        annotated = annotated.get(key)
    return {str(mark[0]) for mark in annotated} if isinstance(annotated, list) else None
