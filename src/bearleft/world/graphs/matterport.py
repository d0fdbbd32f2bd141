"""Matterport3D buildings of R2R: one connectivity file per building lists viewpoints and unobstructed pairs."""

from __future__ import annotations

import json
import os
from functools import lru_cache
from pathlib import Path

import numpy as np

from bearleft.errors import InputError, format_value
from bearleft.geometry import vector_angles
from bearleft.runtime.json_fields import Fields, items, numbers
from bearleft.runtime.store import existing_file
from bearleft.world.graphs.graph import Graph

SUFFIX = "_connectivity.json"


def read_matterport(folder: str | os.PathLike[str], scan: str) -> Graph:
    """Return the graph of one building: viewpoints that are `included`, linked if the way is unobstructed.

    Args:
        folder: Folder with the files SCAN_connectivity.json.
        scan: Id of the building.

    Raises:
        InputError: The file is missing or malformed.
    """
    path = existing_file(Path(folder) / f"{scan}{SUFFIX}", f"the graph of building {scan}")
    return _read(str(path), scan, path.stat().st_mtime_ns)


def list_scans(folder: str | os.PathLike[str]) -> list[str]:
    """Return the ids of the buildings in a folder."""
    return sorted(path.name.removesuffix(SUFFIX) for path in Path(folder).glob(f"*{SUFFIX}"))


@lru_cache(maxsize=128)
def _read(path: str, scan: str, _state: int) -> Graph:
    try:
        with open(path, encoding="utf-8") as stream:
            rows = items(json.load(stream), nonempty=True)
        return _graph(rows, scan)
    except InputError as error:
        raise error.at(file=path) from None
    except (ValueError, RecursionError) as error:
        raise InputError("a JSON list of viewpoints", format_value(str(error)), file=path) from None


def _graph(rows: list[object], scan: str) -> Graph:
    ids, positions, included, unobstructed = [], [], [], []
    for k, value in enumerate(rows):
        row = Fields(value, f"[{k}]")
        ids.append(row.nonempty_text("image_id"))
        pose = numbers(row["pose"], row.name("pose"), 16)
        positions.append((pose[3], pose[7], pose[11]))
        included.append(_boolean(row["included"], row.name("included")))
        flags = items(row["unobstructed"], row.name("unobstructed"), len(rows))
        unobstructed.append([_boolean(flag, row.name("unobstructed")) for flag in flags])
    indices = np.flatnonzero(included)
    points = np.array(positions)[indices]
    source, target = np.nonzero(np.array(unobstructed)[np.ix_(indices, indices)])
    source, target = source[source != target], target[source != target]
    heading, _ = vector_angles(points[target] - points[source])
    return Graph.make(f"matterport/{scan}", [ids[k] for k in indices], points, source, target, heading)


def _boolean(value: object, field: str) -> bool:
    if not isinstance(value, bool):
        raise InputError("true or false", format_value(value), field)
    return value
