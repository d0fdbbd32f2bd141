"""Worlds of sections by name: their city, their ground, and what stands around there as plain records."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import atan2, cos, degrees, radians, sin

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, format_value
from bearleft.world.arramon.sections.layout import DIRECTIONS, section_layouts
from bearleft.world.arramon.sections.line_of_sight import has_line_of_sight
from bearleft.world.arramon.sections.object_kinds import object_kind
from bearleft.world.arramon.sections.themes import GREYS
from bearleft.world.arramon.sections.walkable_cells import build_walkable_grid
from bearleft.world.arramon.walkable import WalkableGrid
from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.city import City, open_city
from bearleft.world.city.palette import COLOUR_NAMES
from bearleft.world.city.placement import footprints
from bearleft.world.city.plan import UNIT
from bearleft.world.worlds import world_kind

CACHE_SIZE = 4
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class StreetObject:
    """A street object of one of KINDS. `index` is its number in the plan; metres and degrees."""

    index: int
    section: int
    kind: str  # of KINDS
    name: str  # of its class
    colour: str  # of palette.NAMES
    at: tuple[float, float]  # the middle of what it stands on
    size: tuple[float, float]  # of that: across, along its facing
    facing: float  # heading
    group: int  # things put down as one row share it, -1 for none


@dataclass(frozen=True)
class House:
    """A building. `colour` is of palette.NAMES; plain `grey` ones are not worth naming."""

    index: int
    section: int
    colour: str
    grey: bool
    at: tuple[float, float]
    size: tuple[float, float]  # its front, its depth
    facing: float
    height: float
    storeys: int

    @cached_property
    def corners(self) -> tuple[tuple[float, float], ...]:
        """Of its footprint, clockwise from the front's right as seen from within."""
        ux, uy = sin(radians(self.facing)), cos(radians(self.facing))
        hx, hy = self.size[0] / 2, self.size[1] / 2
        return tuple(
            (self.at[0] + a * hx * uy + b * hy * ux, self.at[1] - a * hx * ux + b * hy * uy)
            for a, b in ((1, 1), (1, -1), (-1, -1), (-1, 1))
        )


@dataclass(frozen=True)
class Crossing:
    """Where three or four arms meet, or a street bends: its middle, and the headings in which streets leave it."""

    section: int
    at: tuple[float, float]
    arms: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Sections:
    """A world of seven sections, numbered from 1."""

    name: str
    city: City
    ground: WalkableGrid
    bounds: list[Box]  # west, south, east, north of each

    def section_of(self, x: float, y: float) -> int:
        """The section in which a point lies, 0 outside all."""
        for number, (west, south, east, north) in enumerate(self.bounds, 1):
            if west <= x <= east and south <= y <= north:
                return number
        return 0

    @cached_property
    def things(self) -> tuple[StreetObject, ...]:
        """All street objects of KINDS, in the plan's order."""
        plan, found = self.city.plan, []
        for index, row in enumerate(plan.things):
            if kind := object_kind(row):
                name = CLASSES[int(row["kind"])].name
                x, y, _, _, hx, hy = (int(one[0]) for one in footprints(name, plan.things[index : index + 1]))
                at = x / 1000, y / 1000
                found.append(
                    StreetObject(
                        index,
                        self.section_of(*at),
                        kind,
                        name,
                        COLOUR_NAMES[int(row["first"])],
                        at,
                        (hx / 500, hy / 500),
                        heading(row["ux"], row["uy"]),
                        int(row["group"]),
                    )
                )
        return tuple(found)

    @cached_property
    def houses(self) -> tuple[House, ...]:
        """All buildings, in the plan's order."""
        plan, found = self.city.plan, []
        for row in plan.buildings:
            thing = plan.things[int(row["thing"])]
            at, colour = (int(thing["x"]) / 1000, int(thing["y"]) / 1000), COLOUR_NAMES[int(thing["first"])]
            floors = (int(row["height"]) - int(row["ground"])) // int(row["floor"])
            found.append(
                House(
                    int(row["thing"]),
                    self.section_of(*at),
                    colour,
                    colour in GREYS,
                    at,
                    (int(row["hx"]) / 500, int(row["hy"]) / 500),
                    heading(thing["ux"], thing["uy"]),
                    int(row["height"]) / 1000,
                    floors + 1,
                )
            )
        return tuple(found)

    @cached_property
    def crossings(self) -> tuple[Crossing, ...]:
        """All places where streets meet or bend, section by section."""
        found = []
        for layout in section_layouts(self.city.plan.seed):
            for node in layout.nodes():
                arms = layout.arms(node)
                if len(arms) > 2 or (len(arms) == 2 and arms[1] - arms[0] != 2):
                    x, y = layout.at(*layout.node(node))
                    found.append(
                        Crossing(layout.number, (x / 1000, y / 1000), tuple(heading(*DIRECTIONS[k]) for k in arms))
                    )
        return tuple(found)

    @cached_property
    def walls(self) -> npt.NDArray[np.float64]:
        """The footprints of all buildings: x, y, ux, uy, hx, hy in metres."""
        plan = self.city.plan
        house = plan.things[plan.buildings["thing"]]
        columns = [house["x"] / 1000, house["y"] / 1000, house["ux"] / UNIT, house["uy"] / UNIT]
        return np.stack([*columns, plan.buildings["hx"] / 1000, plan.buildings["hy"] / 1000], axis=1)


def heading(ux: float, uy: float) -> float:
    """Degrees clockwise from north of a direction."""
    return degrees(atan2(float(ux), float(uy))) % 360.0


def is_visible(sections: Sections, x: npt.ArrayLike, y: npt.ArrayLike, points: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Whether no building stands between a point (or one for each) and each of many points, seen from above.

    The building that holds a point does not hide it, so the middle of a house may be asked for.
    """
    return has_line_of_sight(x, y, points, sections.walls)


@lru_cache(maxsize=CACHE_SIZE)
def open_sections(name: str) -> Sections:
    """The world "sections/SEED"."""
    if world_kind(name).name != "sections":
        raise InputError("generated sections: sections/SEED", format_value(name))
    city = open_city(name)
    return Sections(
        name, city, build_walkable_grid(city.plan), [one.bounds() for one in section_layouts(city.plan.seed)]
    )
