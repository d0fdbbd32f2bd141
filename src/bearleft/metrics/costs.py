"""The table of distances of one pair, for those who want to see it."""

from __future__ import annotations

from typing import Any

import numpy as np

from bearleft.errors import InputError
from bearleft.metrics.distances import Coordinates, Distance, Nodes
from bearleft.metrics.paths import Floats
from bearleft.metrics.sweep import Pairs, pair


def costs(path: Any, reference: Any, distance: Distance) -> Floats:
    """`costs[i, j]`: from point j of the path to point i of the reference, infinite where there is no way."""
    return costs_of(single(path, reference, distance))


def single(path: Any, reference: Any, distance: Distance) -> Pairs:
    """One pair, checked."""
    try:
        return pair([path], [reference], distance)
    except InputError as error:
        error.field = error.field.replace("paths[0]", "path").replace("references[0]", "reference")
        raise


def costs_of(pairs: Pairs, k: int = 0) -> Floats:
    """The table of pair k."""
    path, reference = pairs.paths[k], pairs.references[k]
    if isinstance(pairs.distance, Coordinates):
        gap: Floats = ((reference[:, None] - path[None]) ** 2).sum(axis=2)
        return gap if pairs.distance.squared else np.sqrt(gap)
    if isinstance(pairs.distance, Nodes):
        return pairs.between(np.tile(path, len(reference)), np.repeat(reference, len(path))).reshape(-1, len(path))
    begin = int((pairs.paths.lengths * pairs.references.lengths)[:k].sum())
    return pairs.given[begin : begin + len(reference) * len(path)].reshape(len(reference), len(path))
