"""Worlds of furnished rooms: "rooms/SEED" has 60, "rooms/SEED/COUNT" as many as it says."""

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


def furnish_room(seed: int, count: int, which: int) -> Room:
    """One room of a world, furnished, in its own millimetres."""
    every = room_shells(seed, count)
    return _furnish_room(
        seed, which, *(getattr(every, name)[which].item() for name in ("wide", "deep", "high", "east", "north", "main"))
    )


def _furnish_room(seed: int, which: int, wide: int, deep: int, high: int, east: int, north: int, main: int) -> Room:
    room = Room(category(which), SeededRandom(seed, which), (wide, deep, high), (east, north), main)
    frame.build_shell(room)
    FURNISH[room.kind](room)
    return room


def room_plan(seed: int, count: int = DEFAULT_ROOMS, progress: Progress | None = None) -> Plan:
    """The plan of a world of rooms: a place in each, and the things of all of them."""
    graph, every = rooms_graph(seed, count), room_shells(seed, count)
    columns = [column.tolist() for column in (every.wide, every.deep, every.high, every.east, every.north, every.main)]
    texts: dict[str, int] = {}
    things: list[tuple[int, ...]] = []
    groups = 0
    for which, (x, y, *shell) in enumerate(zip(every.x.tolist(), every.y.tolist(), *columns, strict=True)):
        if progress and which % PROGRESS_INTERVAL == 0:
            progress("rooms", which, count)
        room, first = _furnish_room(seed, which, *shell), len(things)
        for one in room.things:
            text = texts.setdefault(one.words, len(texts)) if one.words else -1
            owner = one.owner + first if one.owner >= 0 else -1
            group = one.group + groups if one.group >= 0 else -1
            things.append(
                (
                    class_index(one.name),
                    one.variant,
                    x + one.x,
                    y + one.y,
                    one.z,
                    *FACING_VECTORS[one.facing],
                    *one.stretch,
                    one.first,
                    one.second,
                    text,
                    owner,
                    group,
                    one.place,
                    -1,
                )
            )
        groups += room.groups
    rows: Rows = np.array(things, THING)
    roads, areas, buildings = (np.zeros(0, kind) for kind in (ROAD, AREA, BUILDING))
    return Plan(graph.name, seed, graph, roads, areas, buildings, rows, tuple(texts), EYE_HEIGHT, indoors=True)
