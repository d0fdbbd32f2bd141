"""Worlds by name, as episodes name them.

"touchdown", "matterport/SCAN", "town/SEED", "city/SEED", "city/SEED/6x9", "rooms/SEED", "rooms/SEED/600",
"sections/SEED".
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from bearleft.errors import InputError, shown
from bearleft.runtime.store import data_folder
from bearleft.world.arramon.sections.streets import sections_graph
from bearleft.world.city.streets import city_graph
from bearleft.world.city.traffic_flow import driven
from bearleft.world.graphs.graph import Graph
from bearleft.world.graphs.grid import street_grid
from bearleft.world.graphs.matterport import read_matterport
from bearleft.world.graphs.touchdown import read_street
from bearleft.world.rooms.shell import USUAL, rooms_graph

WALKED = "a world one can walk: city/SEED, sections/SEED, rooms/SEED, town/SEED, touchdown or matterport/SCAN"


def open_world(name: str, data: str | os.PathLike[str] | None = None, expected: str = WALKED) -> Graph:
    """The graph of a world; read once per process. `wanted` is what an error says for a name that is none."""
    kind, _, part = name.partition("/")
    if kind == "touchdown" and not part:
        return read_street(data_folder(data) / "touchdown", name)
    if kind == "matterport" and part and Path(part).name == part:
        return read_matterport(data_folder(data) / "r2r" / "connectivity", part)
    if kind == "town" and re.fullmatch(r"[0-9]{1,18}", part):
        return town(int(part))
    if kind == "city" and (said := re.fullmatch(r"([0-9]{1,18})(?:/([0-9]{1,9})x([0-9]{1,9}))?", part)):
        return city_streets(*(int(number) for number in said.groups() if number is not None))
    if kind == "rooms" and (said := re.fullmatch(r"([0-9]{1,18})(?:/([0-9]{1,9}))?", part)):
        return rooms_graph(int(said[1]), int(said[2] or USUAL))
    if kind == "sections" and re.fullmatch(r"[0-9]{1,18}", part):
        return sections_graph(int(part))
    raise InputError(expected, shown(name))


@lru_cache(maxsize=16)
def town(seed: int) -> Graph:
    """A generated town that is the same wherever its seed is the same."""
    return replace(street_grid(np.random.default_rng(seed)), name=f"town/{seed}")


@lru_cache(maxsize=16)
def city_streets(seed: int, *size: int) -> Graph:
    """The streets of bearleft's own city: of a size (avenues, streets) or of the usual one."""
    name = "/".join([f"city/{seed}", *(["x".join(map(str, size))] if size else [])])
    graph = city_graph(seed, *size)
    return replace(graph, name=name, yaw=driven(graph, seed))
