"""Whether the goal was reached: SR, OSR, TC, and how many decisions on the way were right: KPA."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.metrics.distances import Distance, Nodes, distance_of
from bearleft.metrics.kernels import GOAL
from bearleft.metrics.metric import NDTW_PAPER, TOUCHDOWN_PAPER, Measured, Metric, PathMetric
from bearleft.metrics.paths import Array, Floats, Paths
from bearleft.metrics.sweep import pair
from bearleft.runtime.compiled import jit

NEIGHBOUR = 1.0  # hops: the goal itself or a place next to it

sr = PathMetric(
    "SR",
    up=True,
    unit="%",
    paper=NDTW_PAPER,
    definition="Success rate: 1 if NE is at most the threshold, else 0.",
    percent=True,
    formula=lambda measured: measured.success.astype(np.float64),
    needs=GOAL,
    thresholded=True,
)
osr = PathMetric(
    "OSR",
    up=True,
    unit="%",
    paper=NDTW_PAPER,
    definition="Oracle success rate: 1 if ONE is at most the threshold, else 0.",
    percent=True,
    formula=lambda measured: (measured.nearest <= measured.threshold).astype(np.float64),
    needs=GOAL,
    thresholded=True,
)
tc = PathMetric(
    "TC",
    up=True,
    unit="%",
    paper=TOUCHDOWN_PAPER,
    definition="Task completion: 1 if the walk ends at the goal or at a neighbour of it, else 0; wants hop distances.",
    percent=True,
    formula=lambda measured: (measured.end <= NEIGHBOUR).astype(np.float64),
    needs=GOAL,
)


@jit
def _right_moves(
    path: Any, path_starts: Any, route: Any, route_starts: Any, junction: Any, right: Any, key: Any
) -> None:
    """Counts the key moves of each route, and those that the path makes too."""
    for k in range(len(right)):
        right[k], key[k] = 0, 0
        for i in range(route_starts[k], route_starts[k + 1] - 1):
            if i > route_starts[k] and not junction[route[i]]:
                continue
            key[k] += 1
            for j in range(path_starts[k], path_starts[k + 1] - 1):
                if path[j] == route[i] and path[j + 1] == route[i + 1]:
                    right[k] += 1
                    break


class KeyPointAccuracy(Metric):
    """KPA of VELMA: key points are the first move, the move out of each junction on the route, and where to stop.

    A move is right if the walk makes it too (leaves the same place towards the same place); the stop is right if TC is.
    `junctions[node]` says whether a place is one: it has more than two neighbours.
    """

    def __call__(self, path: Any, reference: Any, hops: Distance, junctions: npt.ArrayLike) -> float:
        """The share of right key points of one walk."""
        return float(self.batch([path], [reference], hops, junctions)[0])

    def batch(self, paths: Paths, references: Paths, hops: Distance, junctions: npt.ArrayLike) -> Floats:
        """The share of right key points of each walk."""
        kind = distance_of(hops)
        if not isinstance(kind, Nodes):
            raise InputError("a matrix of hops between nodes", type(hops).__name__, "hops")
        junction: Array = np.asarray(junctions)
        if junction.shape != (kind.count,) or junction.dtype != np.bool_:
            got = f"{junction.dtype} of shape {junction.shape}"
            raise InputError(f"true or false for each of {kind.count} nodes", got, "junctions")
        pairs = pair(paths, references, kind)
        stopped = Measured(pairs, GOAL, None).end <= NEIGHBOUR
        walks, routes = pairs.paths.without_repeats(), pairs.references.without_repeats()
        right, key = np.empty(len(pairs), np.int64), np.empty(len(pairs), np.int64)
        _right_moves(walks.points, walks.starts, routes.points, routes.starts, junction, right, key)
        return (right + stopped) / (key + 1)


kpa = KeyPointAccuracy(
    "KPA",
    up=True,
    unit="%",
    paper="Schumann et al. 2024",
    definition="Key point accuracy: how many of the first move, the moves out of junctions and the stop are right.",
    percent=True,
)
