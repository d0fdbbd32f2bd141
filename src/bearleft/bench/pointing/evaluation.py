"""Benchmark of `bearleft eval` with trained networks: episodes per second with heat maps, against the backbone alone.

Networks have random weights, which takes the same time. The peer is the backbone with the pictures that it encodes: no
evaluation that renders its pictures can be faster. Start-up is the time until the first trace is written. The rate is
that of all traces after the first batch; where there is only one batch, start-up is included.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bearleft.agents.checkpoints import CheckpointOptions
from bearleft.agents.looking import LookAgent
from bearleft.agents.pointing import PointAgent, from_checkpoint
from bearleft.data import load, write
from bearleft.evaluation.evaluate import evaluate
from bearleft.models.backbones.registry import Backbone, load_backbone
from bearleft.models.checkpoint import PointCheckpoint
from bearleft.models.examples import Panorama
from bearleft.models.features.computed import ComputedFeatures
from bearleft.models.looking.examples import sentences_of
from bearleft.models.looking.network import LookNetwork
from bearleft.models.looking.player import LookCheckpoint
from bearleft.models.pointing.network import Shape
from bearleft.models.pointing.registry import NETWORKS, build_network
from bearleft.models.vocabulary import Vocabulary
from bearleft.records import Direction, Episode, Leg, Point, Pose
from bearleft.training.looking import LookTrainConfig
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
    overrides: dict[str, Any],
) -> list[Row]:
    """Return a row for each network on SDR and Refer360 episodes, and for the looking agent.

    Args:
        slicings: Slicings of SDR and of Refer360.
        world: The city whose panoramas are used.
        count: Episodes of each dataset.
        device: Where networks run.
        networks: Names of pointing networks.
        overrides: Settings of every network that has them.
    """
    backbone = load_backbone(BACKBONE, str(device))
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for dataset, texts, slicing in zip(DATASETS, (TEXTS, SENTENCES), slicings, strict=True):
            episodes = _episodes(world, count, texts)
            write("jsonl", episodes, folder / f"{dataset}.jsonl")
            backbone_rate = _backbone_rate(episodes, backbone, slicing, device)
            for network in networks:
                checkpoint = folder / f"{network}.pt"
                _point_checkpoint(network, episodes, backbone, slicing, overrides).save(checkpoint)
                rows.append(_time_eval(checkpoint, folder / f"{dataset}.jsonl", device, backbone_rate))
        _look_checkpoint(episodes, backbone, small=bool(overrides)).save(folder / "looking.pt")
        rows.append(_time_eval(folder / "looking.pt", folder / "refer360.jsonl", device, None))
    return rows


def _episodes(world: str, count: int, dataset: str) -> list[Episode]:
    """Return episodes in panoramas of a city, with texts of a generated dataset, each with a unique last word."""
    graph, originals = open_city(world).graph, load(dataset)
    order = np.resize(np.random.default_rng(0).permutation(len(graph)), count).tolist()
    episodes = []
    for k, place in enumerate(order):
        leg = originals[k % len(originals)].legs[-1]
        sentences = (*leg.sentences[:-1], f"{leg.sentences[-1]} {k}") if leg.sentences else ()
        yaw = 0.0 if sentences else float(graph.yaw[place])
        goal = Point(Direction(yaw), graph.ids[place], yaw)
        leg = Leg(" ".join(sentences) or f"{leg.text} {k}", goal, sentences)
        episodes.append(Episode(str(k), "bench", world, Pose(Direction(yaw), graph.ids[place]), (leg,)))
    return episodes


def _point_checkpoint(
    name: str, episodes: Sequence[Episode], backbone: Backbone, slicing: Slicing, overrides: dict[str, Any]
) -> PointCheckpoint:
    vocabulary = Vocabulary.from_texts(episode.legs[0].text for episode in episodes)
    known = {field.name for field in fields(NETWORKS[name].config)}  # type: ignore[arg-type]
    chosen = {key: value for key, value in overrides.items() if key in known}
    network = build_network(name, Shape(len(vocabulary), slicing.rows, slicing.columns, backbone.channels), **chosen)
    return PointCheckpoint(network, name, network.config, vocabulary, slicing, BACKBONE, backbone.hash)


def _look_checkpoint(episodes: Sequence[Episode], backbone: Backbone, small: bool) -> LookCheckpoint:
    vocabulary = Vocabulary.from_texts(sentence for episode in episodes for sentence in sentences_of(episode))
    train_config = LookTrainConfig(view_size=112, pool=4) if small else LookTrainConfig()
    config = train_config.network_config(len(vocabulary), backbone.channels)
    return LookCheckpoint(LookNetwork(config).eval(), vocabulary, BACKBONE, backbone.hash)


def _backbone_rate(episodes: Sequence[Episode], backbone: Backbone, slicing: Slicing, device: torch.device) -> float:
    """Return the panoramas per second that are rendered and encoded, one for each episode."""
    panoramas = [Panorama(episode.world, _place(episode), _yaw(episode)) for episode in episodes]
    features = ComputedFeatures(list(dict.fromkeys(panoramas)), backbone, slicing, device)
    indices = [features.index(panorama) for panorama in panoramas]
    batch_size = 64 if device.type == "cuda" else 8
    batches = [torch.tensor(indices[k : k + batch_size]) for k in range(0, len(indices), batch_size)]
    features(batches[0])
    _synchronize(device)
    begin = time.perf_counter()
    for k, batch in enumerate(batches[1:], 1):
        features(batch)
        if k + 1 < len(batches):
            features.prefetch(batches[k + 1])
    _synchronize(device)
    return (len(panoramas) - len(batches[0])) / (time.perf_counter() - begin)


def _place(episode: Episode) -> str:
    goal = episode.legs[0].goal
    assert isinstance(goal, Point) and goal.place is not None
    return goal.place


def _yaw(episode: Episode) -> float:
    goal = episode.legs[0].goal
    assert isinstance(goal, Point)
    return goal.yaw


def _time_eval(checkpoint: Path, dataset: Path, device: torch.device, backbone_rate: float | None) -> Row:
    """Time one run of `eval`, as the command line does it."""
    begin = time.perf_counter()
    ends: list[float] = []

    def progress(_: str, done: int, __: int) -> None:
        if done:
            ends.append(time.perf_counter())

    agent = from_checkpoint(str(checkpoint), CheckpointOptions(str(device)))
    assert isinstance(agent, PointAgent | LookAgent)
    evaluate(agent, str(dataset), checkpoint.with_suffix(f".{dataset.stem}.traces"), progress=progress)
    after_first = len(ends) - agent.batch_size
    rate = after_first / (ends[-1] - ends[0]) if after_first > 0 else len(ends) / (ends[-1] - begin)
    return {
        "name": checkpoint.stem,
        "dataset": dataset.stem,
        "episodes": len(ends),
        "batch": agent.batch_size,
        "startup_seconds": ends[0] - begin,
        "examples_per_second": rate,
        "backbone_per_second": backbone_rate,
        "ratio": None if backbone_rate is None else rate / backbone_rate,
    }


def _synchronize(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()
