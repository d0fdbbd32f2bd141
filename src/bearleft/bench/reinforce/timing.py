"""Timing of walks: environment steps per second, on one device."""

from __future__ import annotations

import gc
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import torch
from torch import Tensor

from bearleft.training.cuda_graphs import WARMUP_STEPS

log = logging.getLogger(__name__)
Row = dict[str, Any]
Call = Callable[[], Tensor | int]  # walks, and returns the number of steps of walkers that had not stopped
WARMUP_CALLS, GRAPH_WARMUP_CALLS = 2, WARMUP_STEPS + 2  # the last of which replays a graph
LOOP = "loop"  # forms that begin so are peers


@dataclass
class Contender:
    """What is timed.

    Attributes:
        network: The network.
        world: Where it walks.
        form: How.
        walkers: How many walk side by side.
        make: Returns the call; it is made when its turn comes, so that only one lies on the device.
        precision: Of the network.
        cuda_graph: Whether a CUDA graph replays the call.
        rates: Steps per second of each round.
    """

    network: str
    world: str
    form: str
    walkers: int
    make: Callable[[], Call]
    precision: str = "float32"
    cuda_graph: bool = False
    rates: list[float] = field(default_factory=list)


def time_contender(contender: Contender, rounds: int, round_seconds: float, device: torch.device) -> None:
    """Warm a contender up, time it for some rounds, and free its memory."""
    call = contender.make()
    for _ in range(GRAPH_WARMUP_CALLS if contender.cuda_graph else WARMUP_CALLS):
        call()
    seconds, _ = _time(call, 1, device)
    calls = max(1, round(round_seconds / seconds))
    for _ in range(rounds):
        seconds, steps = _time(call, calls, device)
        contender.rates.append(steps / seconds)
    log.info("%s, %s, %s walkers: %.0f steps/s", contender.network, contender.form, contender.walkers, rate(contender))
    del call
    gc.collect()  # a graph and the walks that it records refer to each other
    if device.type == "cuda":
        torch.cuda.empty_cache()


def _time(call: Call, calls: int, device: torch.device) -> tuple[float, float]:
    """Return the seconds of some calls, and their steps."""
    total = torch.zeros((), dtype=torch.float64, device=device)
    synchronize(device)
    begin = time.perf_counter()
    for _ in range(calls):
        total += call()
    synchronize(device)
    return time.perf_counter() - begin, float(total)


def synchronize(device: torch.device) -> None:
    """Wait for a device."""
    if device.type == "cuda":
        torch.cuda.synchronize()


def rate(contender: Contender) -> float:
    """Return the median of steps per second."""
    return median(contender.rates)


def make_rows(contenders: Sequence[Contender], device: str) -> list[Row]:
    """Return a row for each contender that was timed, with its ratio to the fastest loop of the same network."""
    timed, rows = [contender for contender in contenders if contender.rates], []
    for contender in timed:
        loops = [rate(o) for o in timed if o.network == contender.network and o.form.startswith(LOOP)]
        rows.append(
            {
                "name": contender.network,
                "world": contender.world,
                "form": contender.form,
                "walkers": contender.walkers,
                "device": device,
                "precision": contender.precision,
                "cuda_graph": contender.cuda_graph,
                "steps_per_second": rate(contender),
                "slowest": min(contender.rates),
                "fastest": max(contender.rates),
                "x_loop": rate(contender) / max(loops) if loops else None,
            }
        )
    return rows
