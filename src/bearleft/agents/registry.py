"""Agents by name, as `bearleft eval` takes them."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from bearleft.agents.agent import Agent
from bearleft.agents.checkpoints import CheckpointOptions
from bearleft.agents.follower import ColourBlind, Follower
from bearleft.agents.oracles import Gold, Shortest
from bearleft.agents.pipe import Pipe
from bearleft.agents.pointing import from_checkpoint, is_checkpoint
from bearleft.agents.pointing_baselines import Average, Center, Uniform
from bearleft.agents.user_file import from_file, is_file
from bearleft.agents.walking_baselines import Frequent, Random, Stop, reference_lengths
from bearleft.data import load
from bearleft.errors import InputError, unknown
from bearleft.models import BEST

Data = str | os.PathLike[str] | None


def _random(dataset: str, data: Data) -> Agent:
    # The dataset is read where lengths are asked for first: walks on graphs need none.
    return Random(lengths=lru_cache(maxsize=1)(lambda: reference_lengths(load(dataset, data))))


AGENTS: dict[str, Callable[[str, Data], Agent]] = {
    "stop": lambda _dataset, _data: Stop(),
    "random": _random,
    "frequent": lambda _dataset, _data: Frequent(),
    "uniform": lambda _dataset, _data: Uniform(),
    "center": lambda _dataset, _data: Center(),
    "average": lambda dataset, data: Average(load(dataset, data)),
    "gold": lambda _dataset, data: Gold(data),
    "shortest": lambda _dataset, data: Shortest(data),
    "follower": lambda _dataset, _data: Follower(),
    "colour-blind": lambda _dataset, _data: ColourBlind(),
}


def meant(name: str) -> str:
    """The name of an agent; that of a folder which `bearleft train` filled is that of its result."""
    if name in AGENTS or not os.path.isdir(name):
        return name
    best = Path(name) / BEST
    if not best.is_file():
        hint = f"bearleft train NETWORK DATASET -o {name} writes {BEST} there when its first epoch is over."
        raise InputError(f"an agent, or a training's folder with {BEST}", "a folder without", file=name, hint=hint)
    return str(best)


def agent(name: str, dataset: str, data: Data = None) -> Agent:
    """One of AGENTS, `average:DATASET` (of another split), `CHECKPOINT.pt` or its folder, `FILE.py[:CLASS]`, or
    `pipe:COMMAND`.
    """
    name = meant(name)
    if name.startswith("pipe:"):
        if not name.removeprefix("pipe:").strip():
            raise InputError("a command after pipe:", "none", hint="Type, for example: pipe:'python3 my_agent.py'")
        return Pipe(name.removeprefix("pipe:"))
    if is_file(name):
        return from_file(name)
    if is_checkpoint(name):
        return from_checkpoint(name, CheckpointOptions(data=data))
    if name.startswith("average:"):
        return Average(load(name.removeprefix("average:"), data))
    if name not in AGENTS:
        error = unknown("agent", name, AGENTS)
        file = f"Did you mean {name}.py?" if Path(f"{name}.py").is_file() else error.hint
        raise InputError(error.expected, error.got, hint=f"{file} Or FILE.py for your own, or pipe:COMMAND.")
    return AGENTS[name](dataset, data)
