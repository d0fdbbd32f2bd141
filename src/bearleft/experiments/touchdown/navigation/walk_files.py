"""Files of walks to learn from: reading 100,000 episodes takes a minute, reading these files a second.

They hold all that training reads of the walks but the pictures, so that they can be copied to another machine instead
of the datasets.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.data import open_dataset
from bearleft.errors import InputError
from bearleft.models.walking.examples import WalkExamples, build_walks
from bearleft.models.walking.sightings import Sightings, concatenate_sightings
from bearleft.records import Episode
from bearleft.runtime.store import atomic_write, file_lock
from bearleft.types import DataFolder

FORMAT = 2  # of the files; others are written again
SUFFIX = ".npz"


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
    key = json.dumps([FORMAT, dataset.sha256, horizon, sightings])
    file = folder / f"{hashlib.sha256(key.encode()).hexdigest()[:16]}{SUFFIX}"
    with file_lock(file):
        if file.exists() and (walks := _read(file)) is not None:
            return walks
        walks = build_walks(list(dataset), horizon, data, sightings=sightings, device=device)
        _write(file, walks)
    return walks


def _read_named(file: Path, horizon: int) -> WalkExamples:
    """Return the walks of a file that the user named."""
    walks = _read(file)
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


def _write(file: Path, walks: WalkExamples) -> None:
    """Write walks; names of worlds and places are written once."""
    worlds, places = _Numbers(), _Numbers()
    world_indices = worlds.of(walks.worlds)
    start_places = places.of(start[1] for start in walks.starts)
    routes = places.of(place for route in walks.routes for place in route)
    file.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(file, "wb") as stream:
        arrays: dict[str, Any] = {
            "ids": _text(walks.ids),
            "texts": _text(walks.texts),
            "worlds": _text(list(worlds.numbers)),
            "places": _text(list(places.numbers)),
            "world_indices": world_indices,
            "start_places": start_places,
            "headings": np.array([start[2] for start in walks.starts], np.float64),
            "actions": walks.actions.astype(np.int8),
            "routes": routes,
            "route_lengths": np.array([len(route) for route in walks.routes], np.int32),
        }
        np.savez(stream, **arrays, **_pack_sightings(walks.sightings))


def _read(file: Path) -> WalkExamples | None:
    """Return the walks of a file; None if it is damaged."""
    try:
        with open(file, "rb") as stream, np.load(stream, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        ids, texts, world_names, place_names = (
            json.loads(arrays[name].tobytes().decode()) for name in ("ids", "texts", "worlds", "places")
        )
        worlds = tuple(world_names[k] for k in arrays["world_indices"].tolist())
        places = [place_names[k] for k in arrays["routes"].tolist()]
        ends = np.cumsum(arrays["route_lengths"]).tolist()
        starts = zip(worlds, arrays["start_places"].tolist(), arrays["headings"].tolist(), strict=True)
        return WalkExamples(
            tuple(ids),
            tuple(texts),
            worlds,
            tuple((world, place_names[place], heading) for world, place, heading in starts),
            arrays["actions"].astype(np.int64),
            tuple(tuple(places[begin:end]) for begin, end in zip([0, *ends[:-1]], ends, strict=True)),
            _unpack_sightings(arrays),
        )
    except (OSError, EOFError, ValueError, KeyError, IndexError, MemoryError):
        return None


def _pack_sightings(sightings: Sightings | None) -> dict[str, Any]:
    """Return the arrays of sightings; few boxes are not empty."""
    if sightings is None:
        return {}
    index = np.flatnonzero(sightings.boxes)
    return {
        "mention_ends": sightings.ends,
        "box_shape": np.array(sightings.boxes.shape),
        "box_index": index,
        "boxes": sightings.boxes.reshape(-1)[index],
    }


def _unpack_sightings(arrays: Mapping[str, npt.NDArray[Any]]) -> Sightings | None:
    if "mention_ends" not in arrays:
        return None
    boxes = np.zeros(arrays["box_shape"], np.int16)
    boxes.reshape(-1)[arrays["box_index"]] = arrays["boxes"]
    return Sightings(arrays["mention_ends"], boxes)


class _Numbers:
    """Numbers of names, in the order of their first occurrence."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def of(self, names: Iterable[str]) -> npt.NDArray[np.int32]:
        """Return the numbers of names."""
        return np.array([self.numbers.setdefault(name, len(self.numbers)) for name in names], np.int32)


def _text(values: Sequence[str]) -> npt.NDArray[np.uint8]:
    return np.frombuffer(json.dumps(list(values)).encode(), np.uint8)
