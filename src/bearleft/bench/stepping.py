"""4,096 walkers taking steps through a town of Touchdown's size: the transition table against a plain dictionary."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bearleft.bench.dict_navigator import DictionaryNavigator
from bearleft.bench.harness import Benchmark, Contender, Inputs, Result, run
from bearleft.world.graphs.graph import Graph
from bearleft.world.graphs.grid import street_grid
from bearleft.world.graphs.transitions import ACTIONS, transitions

WALKERS, STEPS = 4096, 8
Work = tuple[Callable[[], Any], Callable[[Any], Any]]


def large_town() -> Graph:
    """About as many places as Touchdown's graph has, 29,554 against 29,641."""
    return street_grid(np.random.default_rng(0), avenues=40, streets=58)


def inputs() -> Inputs:
    """Where the walkers begin and what they do: as often forward as anything else, never a stop."""
    rng = np.random.default_rng(1)
    town = large_town()
    actions = rng.choice(3, size=(STEPS, WALKERS), p=[0.5, 0.25, 0.25])
    return {"links": rng.integers(len(town.source), size=WALKERS).astype(np.int32), "actions": actions}


def ours(given: Inputs) -> Work:
    """`Transitions.step`, all walkers at once."""
    table = transitions(large_town())
    states = given["links"].copy()
    actions = list(given["actions"])

    def work() -> Any:
        for chosen in actions:
            table.step(states, chosen, out=states)
        return states

    return work, lambda states: np.stack([table.place[states], table.heading[states]])


def plain(given: Inputs) -> Work:
    """One walker after another through `{place: {heading: place}}`."""
    town = large_town()
    navigator = DictionaryNavigator(town)
    links = given["links"]
    walkers = [(town.ids[town.source[k]], float(town.heading[k])) for k in links]
    actions = [[ACTIONS[k] for k in row] for row in given["actions"]]

    def work() -> Any:
        for chosen in actions:
            walkers[:] = [
                navigator.step(place, heading, action) for (place, heading), action in zip(walkers, chosen, strict=True)
            ]
        return walkers

    return work, lambda found: np.stack([[town.index[place] for place, _ in found], [h for _, h in found]])


BENCHMARK = Benchmark(
    f"{WALKERS} walkers",
    inputs,
    Contender("bearleft", f"{__name__}:ours"),
    (Contender("plain dictionary", f"{__name__}:plain", note="a navigator over nested dictionaries"),),
    precision="int32",
    tolerance=0.0,
)


def stepping(rounds: int = 9) -> Result:
    """`bearleft bench stepping`."""
    result = run(BENCHMARK, rounds)
    for row in result.rows:
        row["steps_per_second"] = round(WALKERS * STEPS / row["ours"])
    places = len(large_town())
    result.remarks.insert(1, f"A call is {STEPS} steps of {WALKERS:,} walkers in a town of {places:,} places.")
    return result
