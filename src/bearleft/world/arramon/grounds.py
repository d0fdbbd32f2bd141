"""The grounds of ArraMon's worlds by name, and what is done on them (see `footing`)."""

from __future__ import annotations

from bearleft.errors import InputError, shown
from bearleft.world.arramon.walkable import CELL, OPEN, RADIUS, Ground, advance, is_free, may_step

__all__ = ["CELL", "OPEN", "RADIUS", "Ground", "advance", "is_free", "may_step", "open_ground"]
WORLDS = "a world of ArraMon: sections/SEED, or arramon/MAPID of a released file"


def open_ground(world: str) -> Ground:
    """The ground of an ArraMon world by its name."""
    kind, _, part = world.partition("/")
    if kind == "arramon" and part:
        return OPEN
    if kind == "sections":
        from bearleft.world.arramon.sections.world import open_sections  # a city is much to import

        return open_sections(world).ground
    raise InputError(WORLDS, shown(world))
