"""The peers of the benchmarks, each in its fastest documented form.

Run by file in the peers' own environment, so nothing of bearleft is imported here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

SOURCE = 12_345  # as in `distances`
Work = tuple[Callable[[], Any], Callable[[Any], Any]]


def aeon(given: dict[str, Any]) -> Work:
    """`aeon.distances.dtw_pairwise_distance` between two collections."""
    from aeon.distances import dtw_pairwise_distance

    one, other = given["one"][:, None], given["other"][:, None]
    return lambda: dtw_pairwise_distance(one, other, n_jobs=1), np.ravel


def dtaidistance(given: dict[str, Any]) -> Work:
    """`dtaidistance.dtw.distance_matrix_fast` of the block between two sets; it takes the root in the end."""
    from dtaidistance import dtw

    count = len(given["one"])
    both = np.concatenate([given["one"], given["other"]])
    block = ((0, count), (count, 2 * count))
    return lambda: dtw.distance_matrix_fast(both, block=block, compact=True, parallel=False), np.square


def tslearn(given: dict[str, Any]) -> Work:
    """`tslearn.metrics.cdist_dtw` between two sets; it takes the root in the end."""
    from tslearn.metrics import cdist_dtw

    one, other = given["one"][:, :, None], given["other"][:, :, None]
    return lambda: cdist_dtw(one, other, n_jobs=1), lambda found: np.ravel(found) ** 2


def _sparse(given: dict[str, Any]) -> Any:
    from scipy.sparse import csr_matrix

    count = len(given["first"]) - 1
    return csr_matrix((np.ones(len(given["near"])), given["near"], given["first"]), shape=(count, count))


def dijkstra(given: dict[str, Any]) -> Callable[[], Any]:
    """`scipy.sparse.csgraph.dijkstra`, every link of length 1."""
    from scipy.sparse.csgraph import dijkstra

    graph = _sparse(given)
    source: Any = SOURCE
    return lambda: dijkstra(graph, unweighted=True, indices=source)


def dijkstra_in_metres(given: dict[str, Any]) -> Callable[[], Any]:
    """`scipy.sparse.csgraph.dijkstra`, every link of its own length."""
    from scipy.sparse.csgraph import dijkstra

    graph = _sparse(given)
    graph.data = given["metres"]
    source: Any = SOURCE
    return lambda: dijkstra(graph, indices=source)


def breadth_first_order(given: dict[str, Any]) -> Callable[[], Any]:
    """`scipy.sparse.csgraph.breadth_first_order`, without predecessors."""
    from scipy.sparse.csgraph import breadth_first_order

    graph = _sparse(given)
    return lambda: breadth_first_order(graph, SOURCE, return_predecessors=False)
