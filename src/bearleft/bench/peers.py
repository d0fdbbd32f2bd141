"""Peers of the metrics and distances benchmarks, each in its fastest documented form.

The file runs in the peers' environment, so nothing of bearleft is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

SOURCE = 12_345  # as in `distances`
Workload = tuple[Callable[[], Any], Callable[[Any], Any]]


def aeon(inputs: dict[str, Any]) -> Workload:
    """Compute `aeon.distances.dtw_pairwise_distance` between two collections."""
    from aeon.distances import dtw_pairwise_distance

    paths, references = inputs["paths"][:, None], inputs["references"][:, None]
    return lambda: dtw_pairwise_distance(paths, references, n_jobs=1), np.ravel


def dtaidistance(inputs: dict[str, Any]) -> Workload:
    """Compute `dtaidistance.dtw.distance_matrix_fast` of the block between two sets; it takes the root in the end."""
    from dtaidistance import dtw

    count = len(inputs["paths"])
    both = np.concatenate([inputs["paths"], inputs["references"]])
    block = ((0, count), (count, 2 * count))
    return lambda: dtw.distance_matrix_fast(both, block=block, compact=True, parallel=False), np.square


def tslearn(inputs: dict[str, Any]) -> Workload:
    """Compute `tslearn.metrics.cdist_dtw` between two sets; it takes the root in the end."""
    from tslearn.metrics import cdist_dtw

    paths, references = inputs["paths"][:, :, None], inputs["references"][:, :, None]
    return lambda: cdist_dtw(paths, references, n_jobs=1), lambda roots: np.ravel(roots) ** 2


def _sparse(inputs: dict[str, Any]) -> Any:
    from scipy.sparse import csr_matrix

    count = len(inputs["first"]) - 1
    return csr_matrix((np.ones(len(inputs["near"])), inputs["near"], inputs["first"]), shape=(count, count))


def dijkstra(inputs: dict[str, Any]) -> Callable[[], Any]:
    """Compute `scipy.sparse.csgraph.dijkstra` with links of length 1."""
    from scipy.sparse.csgraph import dijkstra

    graph = _sparse(inputs)
    source: Any = SOURCE
    return lambda: dijkstra(graph, unweighted=True, indices=source)


def dijkstra_in_metres(inputs: dict[str, Any]) -> Callable[[], Any]:
    """Compute `scipy.sparse.csgraph.dijkstra` with links in metres."""
    from scipy.sparse.csgraph import dijkstra

    graph = _sparse(inputs)
    graph.data = inputs["metres"]
    source: Any = SOURCE
    return lambda: dijkstra(graph, indices=source)


def breadth_first_order(inputs: dict[str, Any]) -> Callable[[], Any]:
    """Compute `scipy.sparse.csgraph.breadth_first_order` without predecessors."""
    from scipy.sparse.csgraph import breadth_first_order

    graph = _sparse(inputs)
    return lambda: breadth_first_order(graph, SOURCE, return_predecessors=False)
