"""Places of saved walks: worlds, and the places of each walk, as arrays that compress well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.experiments.systems.saved_results import Arrays
from bearleft.metrics.ragged_paths import Ragged

Ints = npt.NDArray[np.int64]
NAME = "walks"  # what they are called in messages


def ragged(rows: Sequence[npt.NDArray[np.integer]], dtype: type[np.signedinteger[Any]]) -> Ragged:
    """Return rows of different lengths as one."""
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)])
    return Ragged(np.concatenate([*rows, np.zeros(0, dtype)]).astype(dtype), starts)


def place_steps(places: Ragged) -> npt.NDArray[np.int32]:
    """Return places as differences: neighbours have numbers close to each other, so that they compress better."""
    steps: npt.NDArray[np.int32] = places.points.astype(np.int32)
    steps[1:] -= steps[:-1].copy()
    return steps


def place_fields(head: Mapping[str, Any], arrays: Arrays, lengths: Ints) -> dict[str, Any]:
    """Return the worlds, the world of each walk and the places of a file of walks.

    Args:
        head: The file's plain values.
        arrays: Its arrays.
        lengths: The number of places of each walk.

    Raises:
        InputError: A world or a place does not exist.
    """
    starts = np.concatenate([[0], np.cumsum(lengths)])
    places = Ragged(np.cumsum(arrays["place_steps"], dtype=np.int64).astype(np.int32), starts)
    indices = arrays["world_indices"].astype(np.int64)
    worlds = {str(name): int(count) for name, count in head["worlds"].items()}
    if len(indices) and not 0 <= indices.min() <= indices.max() < len(worlds):
        raise InputError(f"worlds from 0 to {len(worlds) - 1}", "others", "world_indices")
    limits = np.repeat(np.array(list(worlds.values()), np.int64)[indices], places.lengths)
    if ((places.points < 0) | (places.points >= limits)).any():
        raise InputError("places of the walks' worlds", "others", "place_steps")
    return {"worlds": worlds, "world_indices": indices, "places": places}
