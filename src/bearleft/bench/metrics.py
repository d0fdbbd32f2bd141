"""Dynamic time warping of many pairs of 40-point series, against the libraries that people use and plain Python.

All compute the exact value in float64, with the squared difference as the cost: the one cost that all of them have.
Each is used in its fastest documented form for a batch: ours and plain Python take pairs, the libraries compute the
same pairs as the matrix between two sets of series.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bearleft.bench.harness import Benchmark, Contender, Inputs, Result, run

SERIES, POINTS = 45, 40
PEERS = str(Path(__file__).with_name("peers.py"))
REQUIREMENTS = ("aeon>=1.0", "dtaidistance>=2.3.13", "tslearn>=0.6.3", "scipy>=1.11")


def inputs() -> Inputs:
    """Two sets of random walks; the batch is every one of the first with every one of the second."""
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=(2, SERIES, POINTS)).cumsum(axis=2)
    return {"one": one, "other": other}


def ours(given: Inputs) -> Callable[[], Any]:
    """bearleft's `dtw.batch`."""
    from bearleft.metrics import SQUARED, dtw

    one = np.repeat(given["one"], len(given["other"]), axis=0)
    other = np.tile(given["other"], (len(given["one"]), 1))
    return lambda: dtw.batch(one, other, SQUARED)


def plain(given: Inputs) -> Callable[[], Any]:
    """Algorithm 1 of the nDTW paper as it stands there, with Python's lists and floats."""

    def dtw(path: list[float], reference: list[float]) -> float:
        c = [[math.inf] * (len(path) + 1) for _ in range(len(reference) + 1)]
        c[0][0] = 0.0
        for i in range(1, len(reference) + 1):
            for j in range(1, len(path) + 1):
                cost = (reference[i - 1] - path[j - 1]) ** 2
                c[i][j] = cost + min(c[i - 1][j], c[i][j - 1], c[i - 1][j - 1])
        return c[-1][-1]

    one, other = given["one"].tolist(), given["other"].tolist()
    return lambda: [dtw(path, reference) for path in one for reference in other]


BENCHMARK = Benchmark(
    f"dtw {POINTS}x{POINTS} batch",
    inputs,
    Contender("bearleft", f"{__name__}:ours"),
    (
        Contender("aeon", f"{PEERS}:aeon", apart=True, note="dtw_pairwise_distance"),
        Contender("dtaidistance", f"{PEERS}:dtaidistance", apart=True, note="distance_matrix_fast"),
        Contender("tslearn", f"{PEERS}:tslearn", apart=True, note="cdist_dtw"),
        Contender("plain python", f"{__name__}:plain", note="Algorithm 1 of the nDTW paper"),
    ),
    REQUIREMENTS,
)


def metrics(rounds: int = 9) -> Result:
    """`bearleft bench metrics`."""
    result = run(BENCHMARK, rounds)
    pairs = SERIES * SERIES
    for row in result.rows:
        row["pairs"] = pairs
    result.remarks.insert(1, f"A call is {pairs:,} pairs; the cost is the squared difference.")
    return result
