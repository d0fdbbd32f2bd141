"""Impossible walks: those that no agent can have walked, because they start elsewhere or jump between places.

A file of [start, goal] would otherwise have a success rate of 100 % and an SPL of 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bearleft.metrics.ragged_paths import Floats, Ragged
from bearleft.metrics.registry import METRICS
from bearleft.world.graphs.graph import Graph

MAX_EXPLAINED = 5  # impossible walks that a note explains
# Metrics in which a convention differs from the registry: less is better.
LESS_IS_BETTER = {("ciff", "SED")}
DEVIATIONS = ("AD", "MD")


@dataclass(frozen=True)
class ImpossibleWalks:
    """The impossible walks among the walks of one world.

    Attributes:
        indices: Their indices, in ascending order.
        jumps: Of each, the index of the place in its path that cannot be reached from the place before it; 0 if the
            walk starts at another place than its episode.
    """

    indices: npt.NDArray[np.int64]
    jumps: npt.NDArray[np.int64]

    def mask(self, count: int) -> npt.NDArray[np.bool_]:
        """Return whether each of `count` walks is impossible."""
        mask = np.zeros(count, bool)
        mask[self.indices] = True
        return mask

    def none(self) -> ImpossibleWalks:
        """Return an empty selection."""
        return ImpossibleWalks(self.indices[:0], self.jumps[:0])


def find_impossible_walks(graph: Graph, paths: Ragged, starts: npt.NDArray[np.int64]) -> ImpossibleWalks:
    """Find walks that start at another place than their episode, or move between places that are not linked.

    A repeated place is a turn. Links count in both directions, as they do for distances.

    Args:
        graph: The graph.
        paths: The places of each walk.
        starts: The place at which each walk has to start.
    """
    offsets, neighbours = graph.neighbours
    links = np.repeat(np.arange(len(graph)), np.diff(offsets)) * len(graph) + neighbours  # sorted
    points = paths.points.astype(np.int64)
    impossible = np.zeros(len(points), bool)
    moves = points[:-1] * len(graph) + points[1:]
    found = np.searchsorted(links, moves)
    linked = links[np.minimum(found, len(links) - 1)] == moves if len(links) else np.zeros(len(moves), bool)
    impossible[1:] = ~linked & (points[:-1] != points[1:])
    first = paths.starts[:-1].astype(np.int64)
    impossible[first] = points[first] != starts
    at = np.flatnonzero(impossible)
    walks = np.searchsorted(paths.starts, at, side="right") - 1
    indices, which = np.unique(walks, return_index=True)
    return ImpossibleWalks(indices, at[which] - first[indices])


def as_failures(paths: Ragged, impossible: ImpossibleWalks, starts: npt.NDArray[np.int64]) -> Ragged:
    """Return the paths with each impossible one replaced by the start of its episode alone."""
    lengths = paths.lengths.copy()
    lengths[impossible.indices] = 1
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    keep = np.ones(len(paths.points), bool)
    for k in impossible.indices:
        keep[paths.starts[k] + 1 : paths.starts[k + 1]] = False
    points = paths.points[keep]
    points[offsets[impossible.indices]] = starts[impossible.indices]
    return Ragged(points, offsets)


def failure_values(metric: str, convention: str, scores: Mapping[str, Floats], impossible: ImpossibleWalks) -> Floats:
    """Return the values of a metric in which impossible walks are failures.

    They have 0 if more is better. Other values are those of not moving; only AD and MD, which are 0 for a walk that
    never leaves the reference, are the distance from the start to the goal.

    Args:
        metric: The name of the metric.
        convention: The convention.
        scores: The values of all metrics, in which impossible walks have not moved.
        impossible: The impossible walks.
    """
    numbers = scores[metric]
    if METRICS[metric].higher_is_better and (convention, metric) not in LESS_IS_BETTER:
        numbers = numbers.copy()
        numbers[impossible.indices] = 0.0
    elif metric in DEVIATIONS:
        numbers = numbers.copy()
        numbers[impossible.indices] = scores["NE" if "NE" in scores else "SPD"][impossible.indices]
    return numbers


def explain(
    graph: Graph, paths: Ragged, starts: npt.NDArray[np.int64], impossible: ImpossibleWalks, episodes: Sequence[str]
) -> list[str]:
    """Return an explanation of each impossible walk, such as "7 (jumps from a to b)".

    Args:
        graph: The graph.
        paths: The places of all walks.
        starts: The place at which each walk has to start.
        impossible: The impossible ones among them.
        episodes: The id of the episode of each impossible walk.
    """
    explanations = []
    for k, jump, episode in zip(impossible.indices.tolist(), impossible.jumps.tolist(), episodes, strict=True):
        path = paths[k]
        place = graph.ids[path[jump]]
        if jump:
            explanations.append(f"{episode} (jumps from {graph.ids[path[jump - 1]]} to {place})")
        else:
            explanations.append(f"{episode} (starts at {place}, not at {graph.ids[starts[k]]})")
    return explanations


def impossible_note(explanations: Sequence[str], kept: bool, total: int | None = None) -> str:
    """Return the note on impossible walks.

    Args:
        explanations: The explanation of each, or of the first ones.
        kept: Whether they are scored as they are written.
        total: The number of impossible walks, if not all are explained.
    """
    count = len(explanations) if total is None else total
    scored = (
        "scored as written"
        if kept
        else "scored as failures (--keep-impossible, in Python keep_impossible=True, scores them as written)"
    )
    more = f" and {count - MAX_EXPLAINED:,} more" if count > MAX_EXPLAINED else ""
    walks = "impossible walk" if count == 1 else "impossible walks"
    return f"{count:,} {walks}, {scored}: {', '.join(explanations[:MAX_EXPLAINED])}{more}"
