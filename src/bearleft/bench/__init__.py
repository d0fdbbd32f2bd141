"""Side-by-side timings against named peers: `bench("metrics")`."""

from __future__ import annotations

from collections.abc import Callable

from bearleft.bench.distances import distances
from bearleft.bench.metrics import metrics
from bearleft.bench.rounds import Result
from bearleft.bench.stepping import stepping
from bearleft.errors import unknown

BENCHES: dict[str, Callable[[int], Result]] = {"metrics": metrics, "stepping": stepping, "distances": distances}


def bench(name: str, rounds: int = 9) -> Result:
    """Times one of BENCHES."""
    if name not in BENCHES:
        raise unknown("benchmark", name, BENCHES)
    return BENCHES[name](rounds)
