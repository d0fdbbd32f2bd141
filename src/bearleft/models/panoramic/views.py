"""Features of a user's own Matterport pictures, from the tab-separated file that programs for Room-to-Room read.

A row has the fields scanId, viewpointId, image_w, image_h, vfov and features: base64 of float32, one vector for each of
36 views. Views are 30 degrees apart: 12 headings, clockwise from north, at the elevations -30, 0 and 30 degrees.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from bearleft.errors import InputError, format_value
from bearleft.geometry import angular_distance
from bearleft.models.walking.states import PlaceIndex
from bearleft.runtime.store import existing_file

VIEW_COUNT, HEADING_COUNT, VIEW_STEP = 36, 12, 30.0
FIELDS = ("scanId", "viewpointId", "image_w", "image_h", "vfov", "features")


def view_angles(views: Any) -> tuple[Any, Any]:
    """Return heading and elevation of views in degrees, of an array or a tensor of their numbers."""
    return views % HEADING_COUNT * VIEW_STEP, (views // HEADING_COUNT - 1) * VIEW_STEP


@dataclass(frozen=True, eq=False)
class PanoramaViews:
    """Features of all views at the places of some worlds."""

    features: Tensor  # (p, VIEW_COUNT, dim) float16
    hash: str  # of the rows that they were read from

    @property
    def dim(self) -> int:
        """Size of the features of a view."""
        return self.features.shape[-1]


def read_views(file: str | os.PathLike[str], places: PlaceIndex, device: torch.device) -> PanoramaViews:
    """Read the features of all places.

    Args:
        file: The tab-separated file.
        places: The places; viewpoints of other buildings are skipped.
        device: Where the features are kept.

    Raises:
        InputError: The file is missing or malformed, or lacks a place.
    """
    path = existing_file(file, "a file of features of Matterport views")
    numbers = {
        (graph.name.partition("/")[2], place): places.offsets[graph.name] + k
        for graph in places.graphs
        for k, place in enumerate(graph.ids)
    }
    found: npt.NDArray[np.float16] | None = None
    missing, digest = set(numbers.values()), hashlib.sha256()
    with open(path, encoding="ascii", errors="replace") as stream:
        for line, text in enumerate(stream, 1):
            try:
                row = text.rstrip("\n").split("\t")
                if len(row) != len(FIELDS):
                    raise InputError(f"{len(FIELDS)} fields separated by tabs: {', '.join(FIELDS)}", str(len(row)))
                number = numbers.get((row[0], row[1]))
                if number is None:
                    continue
                values = _decode(row[-1])
                if found is None:
                    found = np.zeros((len(places), *values.shape), np.float16)
                if values.shape != found.shape[1:]:
                    expected = f"{found.shape[2]} values for each view, as in the rows before"
                    raise InputError(expected, str(values.shape[1]), "features")
            except InputError as error:
                raise error.at(file=f"{path}, line {line}") from None
            found[number] = values
            missing.discard(number)
            digest.update(text.encode())
    if found is None or missing:
        graph = next(graph for graph in places.graphs if places.offsets[graph.name] + len(graph) > min(missing))
        lacking = graph.ids[min(missing) - places.offsets[graph.name]]
        got = f"none of {len(missing):,}, such as {lacking} of {graph.name}"
        raise InputError(f"features of all {len(places):,} places", got, file=str(path))
    return PanoramaViews(torch.from_numpy(found).to(device), digest.hexdigest())


def _decode(text: str) -> npt.NDArray[np.float32]:
    """Return the features (VIEW_COUNT, dim) of a row."""
    expected = f"base64 of float32, as many for each of {VIEW_COUNT} views"
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InputError(expected, format_value(str(error)), "features") from None
    if not data or len(data) % (4 * VIEW_COUNT):
        raise InputError(expected, f"{len(data):,} bytes", "features")
    values = np.frombuffer(data, "<f4").reshape(VIEW_COUNT, -1)
    if not (np.abs(values) <= np.finfo(np.float16).max).all():
        raise InputError("finite features", "NaN, infinity, or a number that float16 cannot hold", "features")
    return values


def nearest_view(headings: npt.ArrayLike, elevations: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return the views that are nearest to directions in degrees."""
    heading, elevation = np.asarray(headings, float)[..., None], np.asarray(elevations, float)[..., None]
    nearest: npt.NDArray[np.int64] = angular_distance(heading, elevation, *view_angles(np.arange(VIEW_COUNT))).argmin(
        -1
    )
    return nearest
