"""Benchmark of dynamic time warping on many pairs of 40-point series, against libraries and plain Python.

All compute the exact value in float64 with the squared difference as cost, the one cost that all of them support. Each
is used in its fastest documented form for a batch: ours and plain Python take pairs, the libraries compute the same
pairs as the matrix between two sets of series.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bearleft.bench.harness import Benchmark, BenchResult, Contender, Inputs, run

SERIES, POINTS = 45, 40
PEERS = str(Path(__file__).with_name("peers.py"))
REQUIREMENTS = ("aeon>=1.0", "dtaidistance>=2.3.13", "tslearn>=0.6.3", "scipy>=1.11")


def make_inputs() -> Inputs:
    """Return two sets of random walks; the batch pairs each of the first with each of the second."""
    rng = np.random.default_rng(0)
    paths, references = rng.normal(size=(2, SERIES, POINTS)).cumsum(axis=2)
    return {"paths": paths, "references": references}


def ours(inputs: Inputs) -> Callable[[], Any]:
    """Compute with `dtw.batch`."""
    from bearleft.metrics import SQUARED, dtw

    paths = np.repeat(inputs["paths"], len(inputs["references"]), axis=0)
    references = np.tile(inputs["references"], (len(inputs["paths"]), 1))
    return lambda: dtw.batch(paths, references, SQUARED)


def plain(inputs: Inputs) -> Callable[[], Any]:
    """Compute Algorithm 1 of the nDTW paper with Python's lists and floats."""

    def dtw(path: list[float], reference: list[float]) -> float:
        c = [[math.inf] * (len(path) + 1) for _ in range(len(reference) + 1)]
        c[0][0] = 0.0
        for i in range(1, len(reference) + 1):
            for j in range(1, len(path) + 1):
                cost = (reference[i - 1] - path[j - 1]) ** 2
                c[i][j] = cost + min(c[i - 1][j], c[i][j - 1], c[i - 1][j - 1])
        return c[-1][-1]

    paths, references = inputs["paths"].tolist(), inputs["references"].tolist()
    return lambda: [dtw(path, reference) for path in paths for reference in references]


BENCHMARK = Benchmark(
    f"dtw {POINTS}x{POINTS} batch",
    make_inputs,
    Contender("bearleft", f"{__name__}:ours"),
    (
        Contender("aeon", f"{PEERS}:aeon", in_peer_environment=True, note="dtw_pairwise_distance"),
        Contender("dtaidistance", f"{PEERS}:dtaidistance", in_peer_environment=True, note="distance_matrix_fast"),
        Contender("tslearn", f"{PEERS}:tslearn", in_peer_environment=True, note="cdist_dtw"),
        Contender("plain python", f"{__name__}:plain", note="Algorithm 1 of the nDTW paper"),
    ),
    REQUIREMENTS,
)


def metrics(rounds: int = 9) -> BenchResult:
    """Run `bearleft bench metrics`."""
    result = run(BENCHMARK, rounds)
    pairs = SERIES * SERIES
    for row in result.rows:
        row["pairs"] = pairs
    result.remarks.insert(1, f"A call is {pairs:,} pairs; the cost is the squared difference.")
    return result
