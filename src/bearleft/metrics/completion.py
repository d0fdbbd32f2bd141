"""Success: SR, OSR, TC, and the fraction of correct decisions along a route: KPA."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.metrics.distances import Distance, NodeDistances, as_distance
from bearleft.metrics.kernels import NEEDS_GOAL
from bearleft.metrics.metric import NDTW_PAPER, TOUCHDOWN_PAPER, Metric, PathMeasurements, PathMetric
from bearleft.metrics.path_pairs import pair_paths
from bearleft.metrics.ragged_paths import Array, Floats, Paths
from bearleft.runtime.compiled import jit

MAX_GOAL_HOPS = 1.0  # TC: the goal itself or a neighbour of it

sr = PathMetric(
    "SR",
    higher_is_better=True,
    unit="%",
    paper=NDTW_PAPER,
    definition="Success rate: 1 if NE is at most the threshold, else 0.",
    percent=True,
    binary=True,
    formula=lambda measurements: measurements.success.astype(np.float64),
    needs=NEEDS_GOAL,
    needs_threshold=True,
)
osr = PathMetric(
    "OSR",
    higher_is_better=True,
    unit="%",
    paper=NDTW_PAPER,
    definition="Oracle success rate: 1 if ONE is at most the threshold, else 0.",
    percent=True,
    binary=True,
    formula=lambda measurements: (measurements.nearest <= measurements.threshold).astype(np.float64),
    needs=NEEDS_GOAL,
    needs_threshold=True,
)
tc = PathMetric(
    "TC",
    higher_is_better=True,
    unit="%",
    paper=TOUCHDOWN_PAPER,
    definition="Task completion: 1 if the walk ends at the goal or at a neighbour of it, else 0; wants hop distances.",
    percent=True,
    binary=True,
    formula=lambda measurements: (measurements.end <= MAX_GOAL_HOPS).astype(np.float64),
    needs=NEEDS_GOAL,
)


@jit
def _count_key_moves(
    path: Any, path_starts: Any, route: Any, route_starts: Any, junction: Any, correct: Any, key_moves: Any
) -> None:
    """Count the key moves of each route, and those that the path makes too."""
    for k in range(len(correct)):
        correct[k], key_moves[k] = 0, 0
        for i in range(route_starts[k], route_starts[k + 1] - 1):
            if i > route_starts[k] and not junction[route[i]]:
                continue
            key_moves[k] += 1
            for j in range(path_starts[k], path_starts[k + 1] - 1):
                if path[j] == route[i] and path[j + 1] == route[i + 1]:
                    correct[k] += 1
                    break


class KeyPointAccuracy(Metric):
    """KPA of VELMA: key points are the first move, the move out of each junction on the route, and the stop.

    A move is correct if the walk makes it too (from the same place to the same place); the stop is correct if TC is 1.
    """

    def __call__(self, path: Any, reference: Any, hops: Distance, junctions: npt.ArrayLike) -> float:
        """Return the fraction of correct key points of one walk; see `batch`."""
        return float(self.batch([path], [reference], hops, junctions)[0])

    def batch(self, paths: Paths, references: Paths, hops: Distance, junctions: npt.ArrayLike) -> Floats:
        """Return the fraction of correct key points of each walk.

        Args:
            paths: The paths, as node indices.
            references: The route of each path.
            hops: The distances between nodes in hops.
            junctions: Whether each node is a junction: it has more than two neighbours.

        Raises:
            InputError: The distance is not between nodes, or there is not a boolean for each node.
        """
        kind = as_distance(hops)
        if not isinstance(kind, NodeDistances):
            raise InputError("a matrix of hops between nodes", type(hops).__name__, "hops")
        junction: Array = np.asarray(junctions)
        if junction.shape != (kind.count,) or junction.dtype != np.bool_:
            got = f"{junction.dtype} of shape {junction.shape}"
            raise InputError(f"true or false for each of {kind.count} nodes", got, "junctions")
        pairs = pair_paths(paths, references, kind)
        stopped = PathMeasurements(pairs, NEEDS_GOAL, None).end <= MAX_GOAL_HOPS
        walks, routes = pairs.paths.without_repeats(), pairs.references.without_repeats()
        correct, key_moves = np.empty(len(pairs), np.int64), np.empty(len(pairs), np.int64)
        _count_key_moves(walks.points, walks.starts, routes.points, routes.starts, junction, correct, key_moves)
        return (correct + stopped) / (key_moves + 1)


kpa = KeyPointAccuracy(
    "KPA",
    higher_is_better=True,
    unit="%",
    paper="Schumann et al. 2024",
    definition="Key point accuracy: how many of the first move, the moves out of junctions and the stop are right.",
    percent=True,
)
