"""Hops from one place to all others in a town of Touchdown's size, against scipy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from bearleft.bench.metrics import REQUIREMENTS
from bearleft.bench.rounds import Benchmark, Contender, Inputs, Result, run
from bearleft.bench.stepping import large_town

PEERS = str(Path(__file__).with_name("peers.py"))
SOURCE = 12_345


def inputs() -> Inputs:
    """The town's neighbours as scipy's compressed rows."""
    first, near = large_town().neighbours
    return {"first": first, "near": near}


def ours(_: Inputs) -> Callable[[], Any]:
    """`graph.hops.rows`, one place a call."""
    town = large_town()
    return lambda: town.hops.rows([SOURCE])[0]


BENCHMARK = Benchmark(
    "bfs",
    inputs,
    Contender("bearleft", f"{__name__}:ours"),
    (
        Contender("scipy dijkstra", f"{PEERS}:dijkstra", apart=True, note="unweighted"),
        Contender(
            "scipy breadth_first_order",
            f"{PEERS}:breadth_first_order",
            apart=True,
            agrees=False,
            note="gives an order, no distances",
        ),
    ),
    REQUIREMENTS,
    precision="int16 (scipy dijkstra float64)",
    tolerance=0.0,
)


def distances(rounds: int = 9) -> Result:
    """`bearleft bench distances`."""
    result = run(BENCHMARK, rounds)
    result.remarks.insert(1, f"A call is all distances from one of {len(large_town()):,} places.")
    return result
