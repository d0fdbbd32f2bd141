"""The peers of the metrics benchmark, each in its fastest documented form for a batch.

Run by file in the peers' own environment, so nothing of bearleft is imported here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

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
