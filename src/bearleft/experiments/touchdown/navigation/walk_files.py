"""Walks to learn from: of several datasets, with the texts of others, and of minimal pairs at unseen places."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bearleft.data import open_dataset
from bearleft.errors import InputError
from bearleft.experiments.systems.walk_files import SUFFIX, cached_walks, read_walks_file
from bearleft.models.walking.examples import WalkExamples, build_walks
from bearleft.models.walking.sightings import concatenate_sightings
from bearleft.records import Episode
from bearleft.types import DataFolder


def load_walks(
    name: str, horizon: int, folder: Path, data: DataFolder = None, sightings: bool = False, device: str = "cpu"
) -> WalkExamples:
    """Return the walks of a dataset, from a file in `folder` if it was read before.

    Args:
        name: DATASET/SPLIT, a file of episodes, or a file of walks, which ends in .npz.
        horizon: The number of actions after which references are cut.
        folder: Folder of the files, which are named by the hash of the dataset.
        data: Folder of the datasets.
        sightings: Whether sightings of mentioned objects are found, too.
        device: "cpu" or "cuda", for visibility tables that they need and that are not there yet.

    Raises:
        InputError: There is no such dataset, or a file of walks is damaged or has another horizon.
    """
    if name.endswith(SUFFIX):
        return _read_named(Path(name), horizon)
    dataset = open_dataset(name, data)
    return cached_walks(
        [dataset.sha256, horizon, sightings],
        folder,
        lambda: build_walks(list(dataset), horizon, data, sightings=sightings, device=device),
    )


def _read_named(file: Path, horizon: int) -> WalkExamples:
    """Return the walks of a file that the user named."""
    walks = read_walks_file(file)
    if walks is None:
        hint = "`bearleft paper touchdown --train-navigation RUNS` writes such files into RUNS/examples."
        raise InputError("a file of walks", "none, or a damaged one", file=str(file), hint=hint)
    if walks.actions.shape[1] != horizon:
        raise InputError(f"walks of up to {horizon} actions", f"up to {walks.actions.shape[1]}", file=str(file))
    return walks


def load_all_walks(
    names: Sequence[str],
    horizon: int,
    folder: Path,
    data: DataFolder = None,
    limit: int | None = None,
    sightings: bool = False,
    device: str = "cpu",
) -> WalkExamples:
    """Return the walks of several datasets as `load_walks` does, or `limit` of them, drawn from all."""
    walks = concatenate_walks([load_walks(name, horizon, folder, data, sightings, device) for name in names])
    if limit is None or limit >= len(walks):
        return walks
    return walks.subset(np.sort(np.random.default_rng(0).permutation(len(walks))[:limit]))


def concatenate_walks(parts: Sequence[WalkExamples]) -> WalkExamples:
    """Return the walks of several datasets as one."""
    if not parts:
        raise InputError("at least one dataset of walks", "none", "datasets")
    if len(parts) == 1:
        return parts[0]

    def join(name: str) -> tuple[Any, ...]:
        return tuple(value for part in parts for value in getattr(part, name))

    return WalkExamples(
        join("ids"),
        join("texts"),
        join("worlds"),
        join("starts"),
        np.concatenate([part.actions for part in parts]),
        join("routes"),
        concatenate_sightings([part.sightings for part in parts], [len(part) for part in parts]),
    )


def unseen_pairs(episodes: Sequence[Episode], training: WalkExamples, limit: int) -> list[Episode]:
    """Return the first minimal pairs of which no route passes a place of a training walk's route."""
    seen = {(world, place) for world, route in zip(training.worlds, training.routes, strict=True) for place in route}
    halves: dict[Any, list[Episode]] = {}
    for episode in episodes:
        halves.setdefault(episode.extra["pair"], []).append(episode)
    complete = [pair for pair in halves.values() if len(pair) == 2]
    unseen = [pair for pair in complete if not any(key in seen for episode in pair for key in _places(episode))]
    return [episode for pair in unseen[:limit] for episode in pair]


def _places(episode: Episode) -> list[tuple[str, str]]:
    return [(episode.world, place) for place in getattr(episode.legs[0].goal, "route", ())]


def other_texts(walks: WalkExamples, seed: int = 0) -> WalkExamples:
    """Return the same walks, each with the text of another one."""
    if len(walks) < 2:
        raise InputError("at least two walks, to exchange their texts", str(len(walks)))
    order = np.random.default_rng([seed, 6]).permutation(len(walks))
    texts = list(walks.texts)
    for k, other in zip(order, np.roll(order, 1), strict=True):
        texts[k] = walks.texts[other]
    return walks.with_texts(texts)
