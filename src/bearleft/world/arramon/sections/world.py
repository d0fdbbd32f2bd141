"""Worlds of sections by name: their city, their walkable grid, and their objects as plain records."""

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
from bearleft.world.city.plan import DIRECTION_SCALE
from bearleft.world.worlds import world_kind

CACHE_SIZE = 4
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class StreetObject:
    """A street object, in metres and degrees. `index` is its index in the plan."""

    index: int
    section: int
    kind: str  # of OBJECT_KINDS
    name: str  # of its class
    colour: str  # of palette.COLOUR_NAMES
    at: tuple[float, float]  # centre of its footprint
    size: tuple[float, float]  # of its footprint: across and along its facing
    facing: float  # heading
    group: int  # shared by the objects of one row, -1 for none


@dataclass(frozen=True)
class House:
    """A building. `colour` is one of palette.COLOUR_NAMES; instructions do not mention `grey` buildings."""

    index: int
    section: int
    colour: str
    grey: bool
    at: tuple[float, float]
    size: tuple[float, float]  # width of the front, depth
    facing: float
    height: float
    storeys: int

    @cached_property
    def corners(self) -> tuple[tuple[float, float], ...]:
        """Corners of the footprint, clockwise from the right end of the front as seen from inside."""
        ux, uy = sin(radians(self.facing)), cos(radians(self.facing))
        hx, hy = self.size[0] / 2, self.size[1] / 2
        return tuple(
            (self.at[0] + a * hx * uy + b * hy * ux, self.at[1] - a * hx * ux + b * hy * uy)
            for a, b in ((1, 1), (1, -1), (-1, -1), (-1, 1))
        )


@dataclass(frozen=True)
class Crossing:
    """A crossing of three or four arms, or a bend: its centre, and the headings in which streets leave it."""

    section: int
    at: tuple[float, float]
    arms: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Sections:
    """A world of seven sections, numbered from 1."""

    name: str
    city: City
    walkable: WalkableGrid
    bounds: list[Box]  # west, south, east, north of each section

    def section_of(self, x: float, y: float) -> int:
        """Return the number of the section in which a point lies, 0 outside all."""
        for number, (west, south, east, north) in enumerate(self.bounds, 1):
            if west <= x <= east and south <= y <= north:
                return number
        return 0

    @cached_property
    def street_objects(self) -> tuple[StreetObject, ...]:
        """All street objects of OBJECT_KINDS, in the plan's order."""
        plan, street_objects = self.city.plan, []
        for index, row in enumerate(plan.things):
            if kind := object_kind(row):
                name = CLASSES[int(row["kind"])].name
                (x, y), _, (hx, hy) = footprints(name, plan.things[index : index + 1])
                at = int(x[0]) / 1000, int(y[0]) / 1000
                street_objects.append(
                    StreetObject(
                        index,
                        self.section_of(*at),
                        kind,
                        name,
                        COLOUR_NAMES[int(row["first"])],
                        at,
                        (int(hx[0]) / 500, int(hy[0]) / 500),
                        heading(row["ux"], row["uy"]),
                        int(row["group"]),
                    )
                )
        return tuple(street_objects)

    @cached_property
    def houses(self) -> tuple[House, ...]:
        """All buildings, in the plan's order."""
        plan, houses = self.city.plan, []
        for row in plan.buildings:
            thing = plan.things[int(row["thing"])]
            at, colour = (int(thing["x"]) / 1000, int(thing["y"]) / 1000), COLOUR_NAMES[int(thing["first"])]
            floors = (int(row["height"]) - int(row["ground"])) // int(row["floor"])
            houses.append(
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
        return tuple(houses)

    @cached_property
    def crossings(self) -> tuple[Crossing, ...]:
        """All crossings and bends, section by section."""
        crossings = []
        for layout in section_layouts(self.city.plan.seed):
            for node in layout.nodes():
                arms = layout.arms(node)
                if len(arms) > 2 or (len(arms) == 2 and arms[1] - arms[0] != 2):
                    x, y = layout.to_world(*layout.node_position(node))
                    crossings.append(
                        Crossing(layout.number, (x / 1000, y / 1000), tuple(heading(*DIRECTIONS[k]) for k in arms))
                    )
        return tuple(crossings)

    @cached_property
    def house_footprints(self) -> npt.NDArray[np.float64]:
        """Footprints of all buildings (n, 6): x, y, ux, uy, hx, hy in metres."""
        plan = self.city.plan
        house = plan.things[plan.buildings["thing"]]
        columns = [house["x"] / 1000, house["y"] / 1000, house["ux"] / DIRECTION_SCALE, house["uy"] / DIRECTION_SCALE]
        return np.stack([*columns, plan.buildings["hx"] / 1000, plan.buildings["hy"] / 1000], axis=1)


def heading(ux: float, uy: float) -> float:
    """Return the heading of a vector in degrees clockwise from north."""
    return degrees(atan2(float(ux), float(uy))) % 360.0


def is_visible(sections: Sections, x: npt.ArrayLike, y: npt.ArrayLike, points: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Return whether no building stands between a viewpoint and each of `points`, seen from above.

    Args:
        sections: The world.
        x: Easting of the viewpoint, or one for each point.
        y: Northing of the viewpoint, or one for each point.
        points: Points (n, 2), or rows that start with east and north. A building does not hide points inside itself.
    """
    return has_line_of_sight(x, y, points, sections.house_footprints)


@lru_cache(maxsize=CACHE_SIZE)
def open_sections(name: str) -> Sections:
    """Return the world "sections/SEED"; the worlds opened last are cached."""
    if world_kind(name).name != "sections":
        raise InputError("generated sections: sections/SEED", format_value(name))
    city = open_city(name)
    return Sections(
        name, city, build_walkable_grid(city.plan), [layout.bounds() for layout in section_layouts(city.plan.seed)]
    )
