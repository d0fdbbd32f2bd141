"""Worlds of furnished rooms: "rooms/SEED" has 60 rooms, "rooms/SEED/COUNT" has COUNT."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bearleft.types import Progress
from bearleft.world.city.catalog import class_index
from bearleft.world.city.plan import AREA, BUILDING, ROAD, THING, Plan, Rows
from bearleft.world.rooms import bedroom, living, restaurant, shop, showroom, walls
from bearleft.world.rooms.extents import FACING_VECTORS
from bearleft.world.rooms.placement import Room
from bearleft.world.rooms.room_random import SeededRandom
from bearleft.world.rooms.shell import DEFAULT_ROOMS, EYE_HEIGHT, category, room_shells, rooms_graph

FURNISH: dict[str, Callable[[Room], None]] = {
    "restaurant": restaurant.furnish,
    "shop": shop.furnish,
    "expo_showroom": showroom.furnish,
    "living_room": living.furnish,
    "bedroom": bedroom.furnish,
}
PROGRESS_INTERVAL = 100  # rooms between two progress reports


def furnish_room(seed: int, count: int, index: int) -> Room:
    """Return one furnished room of a world; coordinates are millimetres relative to its centre.

    Args:
        seed: Seed of the world.
        count: Number of rooms of the world.
        index: Index of the room.
    """
    shells = room_shells(seed, count)
    return _furnish_room(
        seed,
        index,
        *(getattr(shells, name)[index].item() for name in ("width", "depth", "height", "east", "north", "main_wall")),
    )


def _furnish_room(
    seed: int, index: int, width: int, depth: int, height: int, east: int, north: int, main_wall: int
) -> Room:
    room = Room(category(index), SeededRandom(seed, index), (width, depth, height), (east, north), main_wall)
    walls.build_shell(room)
    FURNISH[room.kind](room)
    return room


def room_plan(seed: int, count: int = DEFAULT_ROOMS, progress: Progress | None = None) -> Plan:
    """Return the plan of a world of rooms: one place per room, and the things of all rooms.

    Args:
        seed: Seed of the world.
        count: Number of rooms.
        progress: Called with "rooms", the number of furnished rooms, and `count`.
    """
    graph, shells = rooms_graph(seed, count), room_shells(seed, count)
    columns = [
        column.tolist()
        for column in (shells.width, shells.depth, shells.height, shells.east, shells.north, shells.main_wall)
    ]
    texts: dict[str, int] = {}
    things: list[tuple[int, ...]] = []
    group_count = 0
    for index, (x, y, *shell) in enumerate(zip(shells.x.tolist(), shells.y.tolist(), *columns, strict=True)):
        if progress and index % PROGRESS_INTERVAL == 0:
            progress("rooms", index, count)
        room, first_index = _furnish_room(seed, index, *shell), len(things)
        for thing in room.things:
            text = texts.setdefault(thing.text, len(texts)) if thing.text else -1
            owner = thing.owner + first_index if thing.owner >= 0 else -1
            group = thing.group + group_count if thing.group >= 0 else -1
            things.append(
                (
                    class_index(thing.name),
                    thing.variant,
                    x + thing.x,
                    y + thing.y,
                    thing.z,
                    *FACING_VECTORS[thing.facing],
                    *thing.scale,
                    thing.first,
                    thing.second,
                    text,
                    owner,
                    group,
                    thing.place_in_group,
                    -1,
                )
            )
        group_count += room.groups
    rows: Rows = np.array(things, THING)
    roads, areas, buildings = (np.zeros(0, kind) for kind in (ROAD, AREA, BUILDING))
    return Plan(graph.name, seed, graph, roads, areas, buildings, rows, tuple(texts), EYE_HEIGHT, indoors=True)
