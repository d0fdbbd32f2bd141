"""Side-by-side timings against named peers: `bench("metrics")`."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from bearleft.bench.harness import Result
from bearleft.errors import InputError, shown, unknown
from bearleft.runtime.extras import needs_torch

Data = str | os.PathLike[str] | None
Bench = Callable[[int, Data], Result]
POINTING = "pointing"


def benches() -> dict[str, Bench]:
    """All but `pointing`, by name; imported here, since each contender's process imports this file for one of them."""
    from bearleft.bench.arramon.bench import arramon
    from bearleft.bench.distances import distances
    from bearleft.bench.evaluation import evaluation
    from bearleft.bench.generation import asking
    from bearleft.bench.metrics import metrics
    from bearleft.bench.render.bench import rendering
    from bearleft.bench.stepping import stepping
    from bearleft.bench.views.bench import views

    return {
        "metrics": lambda rounds, _: metrics(rounds),
        "stepping": lambda rounds, _: stepping(rounds),
        "distances": lambda rounds, _: distances(rounds),
        "eval": evaluation,
        "render": lambda rounds, _: rendering(rounds),
        "views": lambda rounds, _: views(rounds),
        "asking": lambda rounds, _: asking(rounds),
        "arramon": lambda rounds, _: arramon(rounds),
    }


def bench(name: str, rounds: int = 9, data: Data = None, device: str | None = None, only: Sequence[str] = ()) -> Result:
    """Times one of them; only "eval" looks for real data, and only "pointing" takes a device and parts."""
    known = benches()
    if name != POINTING and name not in known:
        raise unknown("benchmark", name, (*known, POINTING))
    if device is not None and name != POINTING:
        raise InputError("a device for pointing only", shown(name), "device")
    if only and name != POINTING:
        raise InputError("parts of pointing only", shown(name), "only")
    return _pointing(rounds, device, only) if name == POINTING else known[name](rounds, data)


def _pointing(rounds: int, device: str | None, only: Sequence[str]) -> Result:
    needs_torch()
    from bearleft.bench.pointing.bench import pointing  # torch, which the others need not have

    return pointing(rounds, device, only=only)
