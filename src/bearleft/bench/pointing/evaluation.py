"""Evaluation of trained networks: episodes a second of `bearleft eval`, with heat maps kept, beside the backbone's own.

Networks have random weights, which takes the same time. The peer is the backbone alone, with the pictures it reads: no
evaluation that renders its pictures can be faster. Start-up is the time until the first trace is written; the rate is
that of all traces after the first batch; where there is one batch only, start-up is counted.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bearleft.agents.checkpoints import Seeing
from bearleft.agents.looking import Looking
from bearleft.agents.pointing import Neural, from_checkpoint
from bearleft.data import load, write
from bearleft.evaluate.run import run
from bearleft.models.backbones.registry import Trunk
from bearleft.models.backbones.registry import trunk as open_trunk
from bearleft.models.checkpoint import Pointer, save
from bearleft.models.examples import Panorama
from bearleft.models.features.computed import Made
from bearleft.models.looking.examples import sentences_of
from bearleft.models.looking.network import Looker
from bearleft.models.looking.player import Finder
from bearleft.models.pointing.network import Shape
from bearleft.models.pointing.registry import NETWORKS, network
from bearleft.models.vocabulary import Vocabulary
from bearleft.records import Direction, Episode, Leg, Point, Pose
from bearleft.training.looking import Recipe as LookRecipe
from bearleft.world.city.city import open_city
from bearleft.world.slices import Slicing

Row = dict[str, Any]
TEXTS, SENTENCES = "city/sdr/small", "city/refer360/small"
DATASETS = "sdr", "refer360"
BACKBONE = "city"


def evaluation(
    slicings: Sequence[Slicing],
    world: str,
    count: int,
    device: torch.device,
    networks: Sequence[str],
    changes: dict[str, Any],
) -> list[Row]:
    """Return a row for each network on SDR and Refer360 episodes, and for the agent that turns its view.

    `slicings` are those of SDR and of Refer360.
    """
    backbone = open_trunk(BACKBONE, str(device))
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for dataset, texts, slicing in zip(DATASETS, (TEXTS, SENTENCES), slicings, strict=True):
            episodes = _episodes(world, count, texts)
            write("jsonl", episodes, folder / f"{dataset}.jsonl")
            alone = _backbone_rate(episodes, backbone, slicing, device)
            for one in networks:
                save(folder / f"{one}.pt", _pointer(one, episodes, backbone, slicing, changes))
                rows.append(_timed(folder / f"{one}.pt", folder / f"{dataset}.jsonl", device, alone))
        _finder(episodes, backbone, changes).save(folder / "looking.pt")
        rows.append(_timed(folder / "looking.pt", folder / "refer360.jsonl", device, None))
    return rows


def _episodes(world: str, count: int, dataset: str) -> list[Episode]:
    """Episodes in panoramas of a city, with texts of a dataset of ours, each made another by its last word."""
    graph, told = open_city(world).graph, load(dataset)
    order = np.resize(np.random.default_rng(0).permutation(len(graph)), count).tolist()
    found = []
    for k, place in enumerate(order):
        leg = told[k % len(told)].legs[-1]
        sentences = (*leg.sentences[:-1], f"{leg.sentences[-1]} {k}") if leg.sentences else ()
        yaw = 0.0 if sentences else float(graph.yaw[place])
        goal = Point(Direction(yaw), graph.ids[place], yaw)
        leg = Leg(" ".join(sentences) or f"{leg.text} {k}", goal, sentences)
        found.append(Episode(str(k), "bench", world, Pose(Direction(yaw), graph.ids[place]), (leg,)))
    return found


def _pointer(
    name: str, episodes: Sequence[Episode], backbone: Trunk, slicing: Slicing, changes: dict[str, Any]
) -> Pointer:
    words = Vocabulary.of(episode.legs[0].text for episode in episodes)
    known = {field.name for field in fields(NETWORKS[name].config)}  # type: ignore[arg-type]
    some = {key: value for key, value in changes.items() if key in known}
    made = network(name, Shape(len(words), slicing.rows, slicing.columns, backbone.channels), **some)
    return Pointer(made, name, made.config, words, slicing, BACKBONE, backbone.hash)


def _finder(episodes: Sequence[Episode], backbone: Trunk, changes: dict[str, Any]) -> Finder:
    words = Vocabulary.of(sentence for episode in episodes for sentence in sentences_of(episode))
    recipe = replace(LookRecipe(), side=112, pool=4) if changes else LookRecipe()
    config = recipe.config(len(words), backbone.channels)
    return Finder(Looker(config).eval(), words, BACKBONE, backbone.hash)


def _backbone_rate(episodes: Sequence[Episode], backbone: Trunk, slicing: Slicing, device: torch.device) -> float:
    """Panoramas a second that are rendered and read, each example's own."""
    seen = [Panorama(one.world, _place(one), _yaw(one)) for one in episodes]
    known = list(dict.fromkeys(seen))
    features = Made(known, backbone, slicing, device)
    numbers = [features.number(one) for one in seen]
    size = 64 if device.type == "cuda" else 8
    groups = [torch.tensor(numbers[k : k + size]) for k in range(0, len(numbers), size)]
    features(groups[0])
    _wait(device)
    begin = time.perf_counter()
    for k, group in enumerate(groups[1:], 1):
        features(group)
        if k + 1 < len(groups):
            features.begin(groups[k + 1])
    _wait(device)
    return (len(seen) - len(groups[0])) / (time.perf_counter() - begin)


def _place(episode: Episode) -> str:
    goal = episode.legs[0].goal
    assert isinstance(goal, Point) and goal.place is not None
    return goal.place


def _yaw(episode: Episode) -> float:
    goal = episode.legs[0].goal
    assert isinstance(goal, Point)
    return goal.yaw


def _timed(checkpoint: Path, dataset: Path, device: torch.device, backbone: float | None) -> Row:
    """One run of `eval`, as the command line does it."""
    begin = time.perf_counter()
    ends: list[float] = []

    def progress(_: str, done: int, __: int) -> None:
        if done:
            ends.append(time.perf_counter())

    agent = from_checkpoint(str(checkpoint), Seeing(str(device)))
    assert isinstance(agent, Neural | Looking)
    run(agent, str(dataset), checkpoint.with_suffix(f".{dataset.stem}.traces"), progress=progress)
    later = len(ends) - agent.batch_size
    rate = later / (ends[-1] - ends[0]) if later > 0 else len(ends) / (ends[-1] - begin)
    return {
        "name": checkpoint.stem,
        "dataset": dataset.stem,
        "episodes": len(ends),
        "batch": agent.batch_size,
        "startup_seconds": ends[0] - begin,
        "examples_per_second": rate,
        "backbone_per_second": backbone,
        "ratio": None if backbone is None else rate / backbone,
    }


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()


def table(rows: Sequence[Row]) -> str:
    """Rows to read where there is nothing to draw tables with."""
    lines = ["examples/s  backbone/s  ratio  start-up s  episodes  batch  dataset   name"]
    for row in rows:
        alone = "         -      -"
        if row["backbone_per_second"] is not None:
            alone = f"{row['backbone_per_second']:10,.1f}  {row['ratio']:5.2f}"
        lines.append(
            f"{row['examples_per_second']:10,.1f}  {alone}  {row['startup_seconds']:10.1f}  {row['episodes']:8d}"
            f"  {row['batch']:5d}  {row['dataset']:8}  {row['name']}"
        )
    return "\n".join(lines)
