"""Hops and metres from one place to all others in a town of Touchdown's size, against scipy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bearleft.bench.harness import Benchmark, Contender, Inputs, Result, run
from bearleft.bench.metrics import REQUIREMENTS
from bearleft.bench.stepping import large_town

PEERS = str(Path(__file__).with_name("peers.py"))
SOURCE = 12_345


def inputs() -> Inputs:
    """The town's neighbours as scipy's compressed rows."""
    town = large_town()
    first, near = town.neighbours
    here = np.repeat(np.arange(len(town)), np.diff(first))
    metres = np.linalg.norm(town.positions[here] - town.positions[near], axis=1)
    return {"first": first, "near": near, "metres": metres}


def ours(_: Inputs) -> Callable[[], Any]:
    """`graph.hops.rows`, one place a call."""
    town = large_town()
    return lambda: town.hops.rows([SOURCE])[0]


def ours_in_metres(_: Inputs) -> Callable[[], Any]:
    """`graph.metres.rows`, one place a call."""
    town = large_town()
    return lambda: town.metres.rows([SOURCE])[0]


HOPS = Benchmark(
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


METRES = Benchmark(
    "metres",
    inputs,
    Contender("bearleft", f"{__name__}:ours_in_metres"),
    (Contender("scipy dijkstra", f"{PEERS}:dijkstra_in_metres", apart=True, note="weighted by length"),),
    REQUIREMENTS,
)


def distances(rounds: int = 9) -> Result:
    """`bearleft bench distances`."""
    hops, metres = run(HOPS, rounds), run(METRES, rounds)
    about = f"A call is all distances from one of {len(large_town()):,} places."
    return Result(hops.rows + metres.rows, [about, *dict.fromkeys(hops.remarks + metres.remarks)])
