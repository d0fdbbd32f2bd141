"""Worlds of furnished rooms: "rooms/SEED" has 60 rooms, "rooms/SEED/COUNT" has COUNT."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bearleft.world.city.catalog import class_index
from bearleft.world.city.plan import AREA, BUILDING, ROAD, THING, Plan, Rows
from bearleft.world.rooms import bedroom, living, restaurant, shop, showroom
from bearleft.world.rooms import walls as frame
from bearleft.world.rooms.extents import FACING_VECTORS
from bearleft.world.rooms.placement import Room
from bearleft.world.rooms.room_random import SeededRandom
from bearleft.world.rooms.shell import DEFAULT_ROOMS, EYE_HEIGHT, category, room_shells, rooms_graph

Progress = Callable[[str, int, int], None]
FURNISH: dict[str, Callable[[Room], None]] = {
    "restaurant": restaurant.furnish,
    "shop": shop.furnish,
    "expo_showroom": showroom.furnish,
    "living_room": living.furnish,
    "bedroom": bedroom.furnish,
}
PROGRESS_INTERVAL = 100  # rooms between two words of progress


def furnish_room(seed: int, count: int, index: int) -> Room:
    """Return one furnished room of a world, in its own millimetres."""
    shells = room_shells(seed, count)
    return _furnish_room(
        seed,
        index,
        *(getattr(shells, name)[index].item() for name in ("wide", "deep", "high", "east", "north", "main")),
    )


def _furnish_room(seed: int, index: int, wide: int, deep: int, high: int, east: int, north: int, main: int) -> Room:
    room = Room(category(index), SeededRandom(seed, index), (wide, deep, high), (east, north), main)
    frame.build_shell(room)
    FURNISH[room.kind](room)
    return room


def room_plan(seed: int, count: int = DEFAULT_ROOMS, progress: Progress | None = None) -> Plan:
    """Return the plan of a world of rooms: one place per room, and the things of all rooms."""
    graph, shells = rooms_graph(seed, count), room_shells(seed, count)
    columns = [
        column.tolist() for column in (shells.wide, shells.deep, shells.high, shells.east, shells.north, shells.main)
    ]
    texts: dict[str, int] = {}
    things: list[tuple[int, ...]] = []
    groups = 0
    for index, (x, y, *shell) in enumerate(zip(shells.x.tolist(), shells.y.tolist(), *columns, strict=True)):
        if progress and index % PROGRESS_INTERVAL == 0:
            progress("rooms", index, count)
        room, first = _furnish_room(seed, index, *shell), len(things)
        for thing in room.things:
            text = texts.setdefault(thing.text, len(texts)) if thing.text else -1
            owner = thing.owner + first if thing.owner >= 0 else -1
            group = thing.group + groups if thing.group >= 0 else -1
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
        groups += room.groups
    rows: Rows = np.array(things, THING)
    roads, areas, buildings = (np.zeros(0, kind) for kind in (ROAD, AREA, BUILDING))
    return Plan(graph.name, seed, graph, roads, areas, buildings, rows, tuple(texts), EYE_HEIGHT, indoors=True)
