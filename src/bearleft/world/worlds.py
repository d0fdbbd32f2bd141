"""Worlds by name, and the kinds of worlds there are.

Episodes name their world: "city/0", "rooms/3/600", "touchdown". The first part of a name says the kind. `WORLD_KINDS`
holds one record for each kind; `world_kind(name)` returns it, and code asks the record what can be done in the world
instead of comparing names. A name of no known form, such as "my-photos", is that of a world of one's own: places
without links, whose pictures are in an album.

"town/SEED" is a generated street grid: places and links, without buildings and pictures of its own. "city/SEED" is a
generated city with streets, buildings, objects and rendered pictures. A kind of world that can be rendered is also
opened by `open_city` in `world/city/city.py`; docs/extending.md has an example of each.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bearleft.errors import InputError, format_value
from bearleft.runtime.store import data_folder
from bearleft.types import DataFolder

if TYPE_CHECKING:  # graphs are imported when a world is opened: their kernels take long to load
    from bearleft.world.graphs.graph import Graph

EXPECTED_WORLDS = (
    "a world with places and links: city/SEED, sections/SEED, rooms/SEED, town/SEED, touchdown or matterport/SCAN"
)
SEED_PATTERN = "[0-9]{1,18}"
COUNT_PATTERN = "[0-9]{1,9}"


def open_world(name: str, data: DataFolder = None, expected: str = EXPECTED_WORLDS) -> Graph:
    """Return the graph of a world; it is read once per process.

    Args:
        name: The world's name, such as "city/0" or "touchdown".
        data: The folder of real datasets, for worlds that are read from files.
        expected: What the error message asks for if the name is wrong.

    Raises:
        InputError: The name is not that of a world with a graph.
    """
    kind = world_kind(name)
    if kind.open_graph is None or not kind.matches(name):
        raise InputError(expected, format_value(name))
    return kind.open_graph(name, data)


@lru_cache(maxsize=16)
def town_graph(seed: int) -> Graph:
    """Return the street grid of a town: places and links without buildings, the same for the same seed."""
    from bearleft.world.graphs.grid import street_grid

    return replace(street_grid(np.random.default_rng(seed)), name=f"town/{seed}")


@lru_cache(maxsize=16)
def city_streets(seed: int, *size: int) -> Graph:
    """Return the street graph of a generated city; `size` is (avenues, streets), or nothing for the default."""
    from bearleft.world.city.streets import city_graph
    from bearleft.world.city.traffic_flow import driving_headings

    name = "/".join([f"city/{seed}", *(["x".join(map(str, size))] if size else [])])
    graph = city_graph(seed, *size)
    return replace(graph, name=name, yaw=driving_headings(graph, seed))


def _numbers(name: str) -> list[int]:
    """Return the numbers of a world's name, such as the seed and the size."""
    return [int(digits) for digits in re.findall("[0-9]+", name)]


def _open_touchdown(name: str, data: DataFolder) -> Graph:
    from bearleft.world.graphs.touchdown import read_street_graph, street_graph_folder

    return read_street_graph(street_graph_folder(data), name)


def _open_matterport(name: str, data: DataFolder) -> Graph:
    from bearleft.world.graphs.matterport import read_matterport

    return read_matterport(data_folder(data) / "r2r" / "connectivity", Path(name).name)


def _open_town(name: str, _data: DataFolder) -> Graph:
    return town_graph(*_numbers(name))


def _open_city(name: str, _data: DataFolder) -> Graph:
    return city_streets(*_numbers(name))


def _open_rooms(name: str, _data: DataFolder) -> Graph:
    from bearleft.world.rooms.shell import DEFAULT_ROOMS, rooms_graph

    seed, *count = _numbers(name)
    return rooms_graph(seed, *(count or [DEFAULT_ROOMS]))


def _open_sections(name: str, _data: DataFolder) -> Graph:
    from bearleft.world.arramon.sections.streets import sections_graph

    return sections_graph(*_numbers(name))


@dataclass(frozen=True)
class WorldKind:
    """A kind of world: what its names look like, and what can be done in its worlds."""

    name: str  # first part of the names of its worlds
    pattern: str  # regular expression of the whole name
    open_graph: Callable[[str, DataFolder], Graph] | None = None  # None if places are not linked
    photographed: bool = False  # a real place; its pictures are photographs in albums
    generated: bool = False  # bearleft generates the world, no files are needed
    rendered: bool = False  # the world has a scene of its own
    buildable: bool = False  # a graph of streets without a scene; a city of any seed can be built on them
    indoors: bool = False
    free_movement: bool = False  # agents walk freely, as in ArraMon, instead of from place to place
    from_release: bool = False  # known from the walks of a released file alone, without scene and obstacles
    distance: str = "hops"  # unit in which the papers measure walks: "hops" or "metres"

    def matches(self, name: str) -> bool:
        """Return whether `name` is a well-formed name of this kind."""
        return re.fullmatch(self.pattern, name) is not None

    @property
    def has_graph(self) -> bool:
        """Whether the world has places with links between them."""
        return self.open_graph is not None

    @property
    def renderable(self) -> bool:
        """Whether pictures can be rendered, of its own scene or of a city on its streets."""
        return self.rendered or self.buildable

    @property
    def rendered_places(self) -> bool:
        """Whether its own scene is seen from the places of its graph."""
        return self.rendered and not self.free_movement


WORLD_KINDS = (
    WorldKind("touchdown", "touchdown", _open_touchdown, photographed=True, buildable=True),
    WorldKind(
        "matterport",
        "matterport/[^/.][^/]*",
        _open_matterport,
        photographed=True,
        indoors=True,
        distance="metres",
    ),
    WorldKind("town", f"town/{SEED_PATTERN}", _open_town, generated=True, buildable=True),
    WorldKind(
        "city", f"city/{SEED_PATTERN}(/{COUNT_PATTERN}x{COUNT_PATTERN})?", _open_city, generated=True, rendered=True
    ),
    WorldKind(
        "rooms", f"rooms/{SEED_PATTERN}(/{COUNT_PATTERN})?", _open_rooms, generated=True, rendered=True, indoors=True
    ),
    WorldKind(
        "sections", f"sections/{SEED_PATTERN}", _open_sections, generated=True, rendered=True, free_movement=True
    ),
    WorldKind("refer360", "refer360", photographed=True),
    WorldKind("arramon", "arramon/.+", free_movement=True, from_release=True),
)
_BY_NAME = {kind.name: kind for kind in WORLD_KINDS}
_OWN_PHOTOGRAPHS = WorldKind("", "(?!)", photographed=True)  # worlds of all other names


def world_kind(name: str) -> WorldKind:
    """Return the kind of a world by its name.

    A name of no known form ("my-photos", "rooms/kitchen") is that of photographs at places without links; `open_world`
    raises an error for it.
    """
    kind = _BY_NAME.get(name.partition("/")[0])
    return kind if kind is not None and kind.matches(name) else _OWN_PHOTOGRAPHS


def is_world_of(kind: str, name: str) -> bool:
    """Return whether `name` is a well-formed name of a world of a kind."""
    return name.partition("/")[0] == kind and _BY_NAME[kind].matches(name)
