"""Agents by name, as in `bearleft eval AGENT DATASET`."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from bearleft.agents.agent import Agent, ConcurrentAgent
from bearleft.agents.checkpoints import CheckpointOptions
from bearleft.agents.oracles import Gold, Shortest
from bearleft.agents.pipe import Pipe
from bearleft.agents.pipeline import SEPARATOR, make_pipeline, split_pipeline
from bearleft.agents.pointing import from_checkpoint, is_checkpoint
from bearleft.agents.pointing_baselines import Average, Center, Uniform
from bearleft.agents.user_file import from_file, is_agent_file
from bearleft.agents.walking_baselines import Frequent, Random, Stop, reference_lengths
from bearleft.data import load
from bearleft.errors import InputError, unknown_name
from bearleft.models import BEST
from bearleft.models.pretrained import is_pretrained, pretrained_names
from bearleft.types import DataFolder


def _random(dataset: str, data: DataFolder) -> Agent:
    # The dataset is loaded when lengths are needed first: walks on graphs need none.
    return Random(lengths=lru_cache(maxsize=1)(lambda: reference_lengths(load(dataset, data))))


def _follower(_dataset: str, data: DataFolder) -> Agent:
    # Imported late: its grammars take longer to import than most agents to play.
    from bearleft.agents.follower import Follower

    return Follower(data=data)


def _colour_blind(_dataset: str, data: DataFolder) -> Agent:
    from bearleft.agents.follower import ColourBlind

    return ColourBlind(data=data)


AGENTS: dict[str, Callable[[str, DataFolder], Agent]] = {
    "stop": lambda _dataset, _data: Stop(),
    "random": _random,
    "frequent": lambda _dataset, _data: Frequent(),
    "uniform": lambda _dataset, _data: Uniform(),
    "center": lambda _dataset, _data: Center(),
    "average": lambda dataset, data: Average(load(dataset, data)),
    "gold": lambda _dataset, data: Gold(data),
    "shortest": lambda _dataset, data: Shortest(data),
    "follower": _follower,
    "colour-blind": _colour_blind,
}


def canonical_name(name: str) -> str:
    """Return an agent's name; for a folder that `bearleft train` wrote, the path of its best checkpoint.

    Raises:
        InputError: The folder has no checkpoint, or has the name of a pretrained agent.
    """
    if (names := split_pipeline(name, os.path.exists)) is not None:
        return SEPARATOR.join(canonical_name(part) for part in names)
    if name in AGENTS or not os.path.isdir(name):
        return name
    best = Path(name) / BEST
    if is_pretrained(name) and best.is_file():
        hint = f"For your training type {os.path.join(os.curdir, name)}; or rename its folder."
        raise InputError("an agent", f"{name}, an agent that comes with bearleft, and a folder here", hint=hint)
    if is_pretrained(name):
        return name
    if not best.is_file():
        hint = f"bearleft train NETWORK DATASET -o {name} writes {BEST} there when its first epoch is over."
        raise InputError(
            f"an agent, or a training's folder with {BEST}", f"a folder without {BEST}", file=name, hint=hint
        )
    return str(best)


def model_name(agent: str) -> str:
    """Return the name of the model of an agent "llm:MODEL".

    Raises:
        InputError: There is none.
    """
    name = agent.removeprefix("llm:").strip()
    if not name:
        raise InputError("the name of a model after llm:", "none", hint="Type, for example: llm:gpt-4o-mini")
    return name


def open_agent(name: str, dataset: str, data: DataFolder = None) -> Agent | ConcurrentAgent:
    """Return the agent of a name, as `make_agent` does, or of `llm:MODEL`.

    The endpoint and the key of a language model are in the environment; its answers are not stored.

    Args:
        name: The name.
        dataset: The dataset that will be played.
        data: Folder of the datasets.

    Raises:
        InputError: There is no such agent, or it cannot be loaded.
    """
    if not name.startswith("llm:"):
        return make_agent(name, dataset, data)
    from bearleft.agents.llm.agent import LanguageModelAgent
    from bearleft.agents.llm.client import OpenAIModel

    model = OpenAIModel.from_environment()
    return LanguageModelAgent(model_name(name), model, url=model.url, data=data)


def make_agent(name: str, dataset: str, data: DataFolder = None, options: CheckpointOptions | None = None) -> Agent:
    """Return the agent of a name.

    Args:
        name: A key of `AGENTS`; a pretrained agent; `average:DATASET`, fitted on another split; `CHECKPOINT.pt` or its
            folder; `FILE.py[:CLASS]`; `pipe:COMMAND`; or `WALKER+POINTER`, of which the first one plays walks.
        dataset: The dataset that will be played, on which some baselines are fitted.
        data: Folder of the datasets.
        options: Options of checkpoints; by default those that need no option.

    Raises:
        InputError: There is no such agent, or it cannot be loaded.
    """
    name = canonical_name(name)
    options = options or CheckpointOptions(data=data)
    if (names := split_pipeline(name, os.path.exists)) is not None:
        walker, pointer = (make_agent(part, dataset, data, options) for part in names)
        return make_pipeline(walker, pointer)
    if name.startswith("pipe:"):
        if not name.removeprefix("pipe:").strip():
            raise InputError("a command after pipe:", "none", hint="Type, for example: pipe:'python3 my_agent.py'")
        return Pipe(name.removeprefix("pipe:"))
    if is_agent_file(name):
        return from_file(name)
    if is_checkpoint(name):
        return from_checkpoint(name, options)
    if name.startswith("average:"):
        return Average(load(name.removeprefix("average:"), data))
    if name not in AGENTS:
        error = unknown_name("agent", name, [*AGENTS, *pretrained_names()])
        file = f"Did you mean {name}.py?" if Path(f"{name}.py").is_file() else error.hint
        raise InputError(error.expected, error.got, hint=f"{file} Or FILE.py for your own, or pipe:COMMAND.")
    return AGENTS[name](dataset, data)
