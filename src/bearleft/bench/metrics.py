"""Benchmarks of dynamic time warping: many pairs of 40-point series, and the gain in nDTW by the 50th step of walks.

The first is against libraries and plain Python. All compute the exact value in float64 with the squared difference as
cost, the one cost that all of them support. Each is used in its fastest documented form for a batch: ours and plain
Python take pairs, the libraries compute the same pairs as the matrix between two sets of series.

The second is the reward `fidelity`, which is updated step by step, against nDTW of the whole paths by `ndtw.batch`,
ours, too, and by plain Python.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bearleft.bench.harness import Benchmark, BenchResult, Contender, Inputs, run

SERIES, POINTS = 45, 40
WALKS, STEPS, PLACES, THRESHOLD = 1024, 50, 400, 3.0
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


def _plain_dtw(path: list[Any], reference: list[Any], distance: Callable[[Any, Any], float]) -> float:
    """Compute Algorithm 1 of the nDTW paper with Python's lists and floats."""
    c = [[math.inf] * (len(path) + 1) for _ in range(len(reference) + 1)]
    c[0][0] = 0.0
    for i in range(1, len(reference) + 1):
        for j in range(1, len(path) + 1):
            c[i][j] = distance(reference[i - 1], path[j - 1]) + min(c[i - 1][j], c[i][j - 1], c[i - 1][j - 1])
    return c[-1][-1]


def plain(inputs: Inputs) -> Callable[[], Any]:
    """Compute with plain Python."""
    paths, references = inputs["paths"].tolist(), inputs["references"].tolist()
    return lambda: [
        _plain_dtw(path, reference, lambda a, b: (a - b) ** 2) for path in paths for reference in references
    ]


def make_walks() -> Inputs:
    """Return random walks and references of STEPS places, the distances of places, and nDTW before the last step."""
    from bearleft.metrics import ndtw

    rng = np.random.default_rng(0)
    points = rng.normal(size=(PLACES, 2)) * 10.0
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    # No place twice in a row: a walker who stays is not rewarded.
    paths, references = rng.integers(1, PLACES, size=(2, WALKS, STEPS)).cumsum(axis=2) % PLACES
    before = ndtw.batch(paths[:, :-1], references, distances, THRESHOLD)
    return {"distances": distances, "paths": paths, "references": references, "before": before}


def incremental(inputs: Inputs) -> Callable[[], Any]:
    """Compute the reward of the last step from the row of the step before."""
    from bearleft.envs.rewards import REWARDS, DistanceTable, WalkRewards

    zero = np.zeros(1, np.int64)
    table = DistanceTable(inputs["distances"].reshape(-1), zero, zero + PLACES, THRESHOLD)
    rewards = WalkRewards(REWARDS["fidelity"], table)
    paths, sizes, nobody = inputs["paths"], np.full(WALKS, STEPS), np.zeros(WALKS, np.bool_)
    walks = rewards.start(np.zeros(WALKS, np.int64), paths[:, 0], inputs["references"], sizes)
    for time in range(1, STEPS - 1):
        walks, _ = rewards.step(walks, paths[:, time], nobody, nobody)
    last = np.ascontiguousarray(paths[:, -1])
    return lambda: rewards.step(walks, last, nobody, nobody)[1]


def recomputed(inputs: Inputs) -> Callable[[], Any]:
    """Compute nDTW of the whole paths with `ndtw.batch`."""
    from bearleft.metrics import ndtw

    paths, references, distances = inputs["paths"], inputs["references"], inputs["distances"]
    return lambda: ndtw.batch(paths, references, distances, THRESHOLD) - inputs["before"]


def recomputed_plainly(inputs: Inputs) -> Callable[[], Any]:
    """Compute nDTW of the whole paths with plain Python."""
    paths, references, distances = (inputs[name].tolist() for name in ("paths", "references", "distances"))

    def work() -> Any:
        dtw = [
            _plain_dtw(path, route, lambda a, b: distances[a][b]) for path, route in zip(paths, references, strict=True)
        ]
        return np.exp(-np.array(dtw) / (STEPS * THRESHOLD)) - inputs["before"]

    return work


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


GAIN_BENCHMARK = Benchmark(
    f"nDTW gain at step {STEPS}",
    make_walks,
    Contender("bearleft", f"{__name__}:incremental"),
    (
        Contender("whole paths", f"{__name__}:recomputed", note="ndtw.batch of bearleft"),
        Contender("plain python", f"{__name__}:recomputed_plainly", note="Algorithm 1 of the nDTW paper"),
    ),
)


def metrics(rounds: int = 9) -> BenchResult:
    """Run `bearleft bench metrics`."""
    result, gain = run(BENCHMARK, rounds), run(GAIN_BENCHMARK, rounds)
    pairs = SERIES * SERIES
    for row in result.rows:
        row["pairs"] = pairs
    for row in gain.rows:
        row["pairs"] = WALKS
    result.remarks.insert(1, f"A call is {pairs:,} pairs; the cost is the squared difference.")
    gain.remarks.insert(1, f"A call is one step of {WALKS:,} walkers, with references of {STEPS} places.")
    return BenchResult(result.rows + gain.rows, result.remarks + gain.remarks)
