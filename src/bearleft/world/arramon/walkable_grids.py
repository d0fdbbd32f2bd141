"""Walkable grids of ArraMon's worlds, by the world's name."""

from __future__ import annotations

from bearleft.errors import InputError, format_value
from bearleft.world.arramon.walkable import UNOBSTRUCTED, WalkableGrid

EXPECTED_WORLDS = "a world of ArraMon: sections/SEED, or arramon/MAPID of a released file"


def load_walkable_grid(world: str) -> WalkableGrid:
    """Return the walkable grid of an ArraMon world.

    Args:
        world: "sections/SEED" for a generated world, or "arramon/MAPID" for a world of the released files, whose
            obstacles are unknown and whose grid is therefore unobstructed.

    Raises:
        InputError: The name is not that of an ArraMon world.
    """
    kind, _, part = world.partition("/")
    if kind == "arramon" and part:
        return UNOBSTRUCTED
    if kind == "sections":
        from bearleft.world.arramon.sections.world import open_sections  # slow to import: it loads the city's modules

        return open_sections(world).walkable
    raise InputError(EXPECTED_WORLDS, format_value(world))
