"""Side-by-side timings against named peers: `bench("metrics")`."""

from __future__ import annotations

import os
from collections.abc import Callable

from bearleft.bench.arramon import arramon
from bearleft.bench.asking import asking
from bearleft.bench.distances import distances
from bearleft.bench.evaluation import evaluation
from bearleft.bench.metrics import metrics
from bearleft.bench.render import rendering
from bearleft.bench.rounds import Result
from bearleft.bench.stepping import stepping
from bearleft.bench.views import views
from bearleft.errors import unknown

Data = str | os.PathLike[str] | None
BENCHES: dict[str, Callable[[int, Data], Result]] = {
    "metrics": lambda rounds, _: metrics(rounds),
    "stepping": lambda rounds, _: stepping(rounds),
    "distances": lambda rounds, _: distances(rounds),
    "eval": evaluation,
    "render": lambda rounds, _: rendering(rounds),
    "views": lambda rounds, _: views(rounds),
    "asking": lambda rounds, _: asking(rounds),
    "arramon": lambda rounds, _: arramon(rounds),
}


def bench(name: str, rounds: int = 9, data: Data = None) -> Result:
    """Times one of BENCHES; only "eval" looks for real data."""
    if name not in BENCHES:
        raise unknown("benchmark", name, BENCHES)
    return BENCHES[name](rounds, data)
