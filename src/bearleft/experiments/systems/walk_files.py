"""Files of walks to learn from: reading 100,000 episodes takes a minute, reading these files a second.

They hold all that training reads of the walks but the pictures, so that they can be copied to another machine instead
of the datasets.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.models.walking.examples import WalkExamples
from bearleft.models.walking.sightings import Sightings
from bearleft.runtime.store import atomic_write, file_lock

FORMAT = 2  # of the files; others are written again
SUFFIX = ".npz"


def cached_walks(key: Sequence[Any], folder: Path, build: Callable[[], WalkExamples]) -> WalkExamples:
    """Return walks, from a file in `folder` if they were built before.

    Args:
        key: Plain values that the walks depend on, such as the hash of the dataset.
        folder: Folder of the files, which are named by the hash of the key.
        build: Returns the walks.
    """
    text = json.dumps([FORMAT, *key])
    file = folder / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}{SUFFIX}"
    with file_lock(file):
        if file.exists() and (walks := read_walks_file(file)) is not None:
            return walks
        walks = build()
        _write(file, walks)
    return walks


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


def read_walks_file(file: Path) -> WalkExamples | None:
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
    """Return the arrays of sightings; most boxes are empty."""
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
