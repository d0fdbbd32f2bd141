"""Benchmark of distances from one place to all others in a town of Touchdown's size, against scipy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bearleft.bench.harness import Benchmark, BenchResult, Contender, Inputs, run
from bearleft.bench.metrics import REQUIREMENTS
from bearleft.bench.stepping import large_town

PEERS = str(Path(__file__).with_name("peers.py"))
SOURCE = 12_345


def make_inputs() -> Inputs:
    """Return the town's neighbours as compressed sparse rows."""
    town = large_town()
    first, neighbours = town.neighbours
    source = np.repeat(np.arange(len(town)), np.diff(first))
    metres = np.linalg.norm(town.positions[source] - town.positions[neighbours], axis=1)
    return {"first": first, "near": neighbours, "metres": metres}


def ours(_: Inputs) -> Callable[[], Any]:
    """Compute hops with `graph.hops.rows`, one place per call."""
    town = large_town()
    return lambda: town.hops.rows([SOURCE])[0]


def ours_in_metres(_: Inputs) -> Callable[[], Any]:
    """Compute metres with `graph.metres.rows`, one place per call."""
    town = large_town()
    return lambda: town.metres.rows([SOURCE])[0]


HOPS = Benchmark(
    "bfs",
    make_inputs,
    Contender("bearleft", f"{__name__}:ours"),
    (
        Contender("scipy dijkstra", f"{PEERS}:dijkstra", in_peer_environment=True, note="unweighted"),
        Contender(
            "scipy breadth_first_order",
            f"{PEERS}:breadth_first_order",
            in_peer_environment=True,
            comparable=False,
            note="gives an order, no distances",
        ),
    ),
    REQUIREMENTS,
    precision="int16 (scipy dijkstra float64)",
    tolerance=0.0,
)


METRES = Benchmark(
    "metres",
    make_inputs,
    Contender("bearleft", f"{__name__}:ours_in_metres"),
    (Contender("scipy dijkstra", f"{PEERS}:dijkstra_in_metres", in_peer_environment=True, note="weighted by length"),),
    REQUIREMENTS,
)


def distances(rounds: int = 9) -> BenchResult:
    """Run `bearleft bench distances`."""
    hops, metres = run(HOPS, rounds), run(METRES, rounds)
    remark = f"A call is all distances from one of {len(large_town()):,} places."
    return BenchResult(hops.rows + metres.rows, [remark, *dict.fromkeys(hops.remarks + metres.remarks)])
