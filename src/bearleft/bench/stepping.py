"""Benchmark of 4,096 walkers in a town of Touchdown's size: the transition table against a plain dictionary."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bearleft.bench.dict_navigator import DictionaryNavigator
from bearleft.bench.harness import Benchmark, BenchResult, Contender, Inputs, run
from bearleft.world.graphs.graph import Graph
from bearleft.world.graphs.grid import street_grid
from bearleft.world.graphs.transitions import ACTIONS, transitions

WALKERS, STEPS = 4096, 8
Workload = tuple[Callable[[], Any], Callable[[Any], Any]]


def large_town() -> Graph:
    """Return a town of about the size of Touchdown's graph: 29,554 places against 29,641."""
    return street_grid(np.random.default_rng(0), avenues=40, streets=58)


def make_inputs() -> Inputs:
    """Return starts and actions of the walkers: forward half of the time, never a stop."""
    rng = np.random.default_rng(1)
    town = large_town()
    actions = rng.choice(3, size=(STEPS, WALKERS), p=[0.5, 0.25, 0.25])
    return {"links": rng.integers(len(town.source), size=WALKERS).astype(np.int32), "actions": actions}


def ours(inputs: Inputs) -> Workload:
    """Step all walkers at once with `Transitions.step`."""
    table = transitions(large_town())
    states = inputs["links"].copy()
    actions = list(inputs["actions"])

    def work() -> Any:
        for chosen in actions:
            table.step(states, chosen, out=states)
        return states

    return work, lambda states: np.stack([table.place[states], table.heading[states]])


def plain(inputs: Inputs) -> Workload:
    """Step one walker after another through `{place: {heading: place}}`."""
    town = large_town()
    navigator = DictionaryNavigator(town)
    links = inputs["links"]
    walkers = [(town.ids[town.source[k]], float(town.heading[k])) for k in links]
    actions = [[ACTIONS[k] for k in row] for row in inputs["actions"]]

    def work() -> Any:
        for chosen in actions:
            walkers[:] = [
                navigator.step(place, heading, action) for (place, heading), action in zip(walkers, chosen, strict=True)
            ]
        return walkers

    return work, lambda ends: np.stack(
        [[town.index_by_id[place] for place, _ in ends], [heading for _, heading in ends]]
    )


BENCHMARK = Benchmark(
    f"{WALKERS} walkers",
    make_inputs,
    Contender("bearleft", f"{__name__}:ours"),
    (Contender("plain dictionary", f"{__name__}:plain", note="a navigator over nested dictionaries"),),
    precision="int32",
    tolerance=0.0,
)


def stepping(rounds: int = 9) -> BenchResult:
    """Run `bearleft bench stepping`."""
    result = run(BENCHMARK, rounds)
    for row in result.rows:
        row["steps_per_second"] = round(WALKERS * STEPS / row["ours"])
    places = len(large_town())
    result.remarks.insert(1, f"A call is {STEPS} steps of {WALKERS:,} walkers in a town of {places:,} places.")
    return result
