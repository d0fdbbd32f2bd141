"""R2R's indoor worlds: one connectivity file per building says which viewpoints see each other without an obstacle."""

from __future__ import annotations

import json
import os
from functools import lru_cache
from pathlib import Path

import numpy as np

from bearleft.errors import InputError, shown
from bearleft.geometry import angles
from bearleft.runtime.json_fields import Fields, items, numbers
from bearleft.runtime.store import existing_file
from bearleft.world.graphs.graph import Graph

SUFFIX = "_connectivity.json"


def read_matterport(folder: str | os.PathLike[str], scan: str) -> Graph:
    """The graph of one building: `included` viewpoints, linked where the way is unobstructed."""
    path = existing_file(Path(folder) / f"{scan}{SUFFIX}", f"the graph of building {scan}")
    return _read(str(path), scan, path.stat().st_mtime_ns)


def scans(folder: str | os.PathLike[str]) -> list[str]:
    """The buildings of a folder."""
    return sorted(path.name.removesuffix(SUFFIX) for path in Path(folder).glob(f"*{SUFFIX}"))


@lru_cache(maxsize=128)
def _read(path: str, scan: str, _state: int) -> Graph:
    try:
        with open(path, encoding="utf-8") as stream:
            rows = items(json.load(stream), some=True)
        return _graph(rows, scan)
    except InputError as error:
        raise error.at(file=path) from None
    except (ValueError, RecursionError) as error:
        raise InputError("a JSON list of viewpoints", shown(str(error)), file=path) from None


def _graph(rows: list[object], scan: str) -> Graph:
    ids, positions, included, clear = [], [], [], []
    for k, value in enumerate(rows):
        row = Fields(value, f"[{k}]")
        ids.append(row.some_text("image_id"))
        pose = numbers(row["pose"], row.name("pose"), 16)
        positions.append((pose[3], pose[7], pose[11]))
        included.append(_truth(row["included"], row.name("included")))
        sees = items(row["unobstructed"], row.name("unobstructed"), len(rows))
        clear.append([_truth(seen, row.name("unobstructed")) for seen in sees])
    kept = np.flatnonzero(included)
    where = np.array(positions)[kept]
    source, target = np.nonzero(np.array(clear)[np.ix_(kept, kept)])
    source, target = source[source != target], target[source != target]
    heading, _ = angles(where[target] - where[source])
    return Graph.make(f"matterport/{scan}", [ids[k] for k in kept], where, source, target, heading)


def _truth(value: object, field: str) -> bool:
    if not isinstance(value, bool):
        raise InputError("true or false", shown(value), field)
    return value
