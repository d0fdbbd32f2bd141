"""The levels of training targets: a region around the target, its pixel (one cell), or the object next to it."""

from __future__ import annotations

from collections.abc import Iterable

from bearleft.errors import InputError, unknown_name
from bearleft.world.worlds import world_kind

REGION, PIXEL, OBJECT = LEVELS = ("region", "pixel", "object")


def check_level(level: str, worlds: Iterable[str] = ()) -> str:
    """Return a level that all worlds have.

    Raises:
        InputError: The level is unknown, or it is OBJECT and a world is not rendered, so its objects are unknown.
    """
    if level not in LEVELS:
        raise unknown_name("level", level, LEVELS)
    if level == OBJECT and (other := sorted({world for world in worlds if not world_kind(world).rendered_places})):
        hint = "Objects in real pictures are unknown; use the level region or pixel."
        raise InputError("worlds whose objects are known: city/..., rooms/...", ", ".join(other), "level", hint=hint)
    return level
