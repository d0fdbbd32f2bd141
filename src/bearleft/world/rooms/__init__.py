"""Furnished rooms: restaurants, shops, showrooms, living rooms and bedrooms. Names are imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.world.rooms.catalog import ROOM_CLASSES as ROOM_CLASSES
    from bearleft.world.rooms.placement import Room as Room
    from bearleft.world.rooms.placement import Thing as Thing
    from bearleft.world.rooms.room_random import SeededRandom as SeededRandom
    from bearleft.world.rooms.shell import CATEGORIES as CATEGORIES
    from bearleft.world.rooms.shell import RoomShells as RoomShells
    from bearleft.world.rooms.shell import category as category
    from bearleft.world.rooms.shell import room_shells as room_shells
    from bearleft.world.rooms.shell import rooms_graph as rooms_graph
    from bearleft.world.rooms.world import furnish_room as furnish_room
    from bearleft.world.rooms.world import room_plan as room_plan

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "CATEGORIES": "bearleft.world.rooms.shell",
    "ROOM_CLASSES": "bearleft.world.rooms.catalog",
    "Room": "bearleft.world.rooms.placement",
    "RoomShells": "bearleft.world.rooms.shell",
    "SeededRandom": "bearleft.world.rooms.room_random",
    "Thing": "bearleft.world.rooms.placement",
    "category": "bearleft.world.rooms.shell",
    "furnish_room": "bearleft.world.rooms.world",
    "room_plan": "bearleft.world.rooms.world",
    "room_shells": "bearleft.world.rooms.shell",
    "rooms_graph": "bearleft.world.rooms.shell",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
