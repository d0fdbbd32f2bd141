"""The grounds of ArraMon's worlds by name, and what is done on them (see `footing`)."""

from __future__ import annotations

from bearleft.errors import InputError, shown
from bearleft.world.arramon.walkable import (
    BODY_RADIUS,
    CELL_SIZE,
    UNOBSTRUCTED,
    WalkableGrid,
    can_step,
    is_free,
    step_forward,
)

__all__ = [
    "BODY_RADIUS",
    "CELL_SIZE",
    "UNOBSTRUCTED",
    "WalkableGrid",
    "can_step",
    "is_free",
    "load_walkable_grid",
    "step_forward",
]
EXPECTED_WORLDS = "a world of ArraMon: sections/SEED, or arramon/MAPID of a released file"


def load_walkable_grid(world: str) -> WalkableGrid:
    """The ground of an ArraMon world by its name."""
    kind, _, part = world.partition("/")
    if kind == "arramon" and part:
        return UNOBSTRUCTED
    if kind == "sections":
        from bearleft.world.arramon.sections.world import open_sections  # a city is much to import

        return open_sections(world).ground
    raise InputError(EXPECTED_WORLDS, shown(world))
