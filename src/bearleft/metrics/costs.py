"""The cost matrix of a path and its reference."""

from __future__ import annotations

from typing import Any

import numpy as np

from bearleft.errors import InputError
from bearleft.metrics.distances import CoordinateDistance, Distance, NodeDistances
from bearleft.metrics.path_pairs import PathPairs, pair_paths
from bearleft.metrics.ragged_paths import Floats


def cost_matrix(path: Any, reference: Any, distance: Distance) -> Floats:
    """Return the matrix of distances from point j of the path to point i of the reference at [i, j].

    Args:
        path: The path.
        reference: The reference.
        distance: The distance of two points.

    Returns:
        The distances (reference points, path points); infinite where there is no path between two points.
    """
    return pair_cost_matrix(single_pair(path, reference, distance))


def single_pair(path: Any, reference: Any, distance: Distance) -> PathPairs:
    """Return one path and its reference as a batch of one pair."""
    try:
        return pair_paths([path], [reference], distance)
    except InputError as error:
        error.field = error.field.replace("paths[0]", "path").replace("references[0]", "reference")
        raise


def pair_cost_matrix(pairs: PathPairs, k: int = 0) -> Floats:
    """Return the cost matrix of pair k."""
    path, reference = pairs.paths[k], pairs.references[k]
    if isinstance(pairs.distance, CoordinateDistance):
        squared: Floats = ((reference[:, None] - path[None]) ** 2).sum(axis=2)
        return squared if pairs.distance.squared else np.sqrt(squared)
    if isinstance(pairs.distance, NodeDistances):
        return pairs.node_distances(np.tile(path, len(reference)), np.repeat(reference, len(path))).reshape(
            -1, len(path)
        )
    begin = int((pairs.paths.lengths * pairs.references.lengths)[:k].sum())
    return pairs.function_costs[begin : begin + len(reference) * len(path)].reshape(len(reference), len(path))
