"""Arrangements shared by several room categories: rows, set tables, wall decoration."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from bearleft.world.city.palette import colour_index
from bearleft.world.rooms.extents import bounding_box, rotated_box
from bearleft.world.rooms.placement import Room, Thing

PANEL_VARIANT = 2  # variant of the ceiling lamp that is a light panel
MAX_MENUS = 2  # per table
MAX_HANGING_Z = 2_050  # millimetres, for the origin of things above others


def place_row(
    room: Room,
    name: str,
    points: Iterable[tuple[int, int]],
    facing: int,
    alike: bool = True,
    margin: int = 0,
    **options: Any,
) -> list[Thing]:
    """Place things at points where there is space, as one group.

    Args:
        room: Room.
        name: Name of the class.
        points: Positions.
        facing: Index into extents.FACING_VECTORS.
        alike: Whether all have the same colours.
        margin: Free space required around each thing.
        **options: Arguments of `Room.make`.
    """
    first = room.make(name, **options)
    options = {key: value for key, value in options.items() if key not in ("variant", "first", "second")}
    placed = []
    for x, y in points:
        style_options = {"like": first} if alike else {"variant": first.variant}
        if (thing := room.place_at(name, x, y, facing, margin, **style_options, **options)) is not None:
            placed.append(thing)
    return make_group(room, placed)


def make_group(room: Room, things: list[Thing]) -> list[Thing]:
    """Put things into one group, in their order; a single thing stays without a group."""
    if len(things) > 1:
        group = room.new_group()
        for place, thing in enumerate(things):
            thing.group, thing.place_in_group = group, place
    return things


def place_wall_row(
    room: Room,
    name: str,
    wall: int,
    count: int,
    gap: int,
    near: int = 0,
    z: int | None = None,
    alike: bool = True,
    **options: Any,
) -> list[Thing]:
    """Place a row along a wall, as one group.

    Args:
        room: Room.
        name: Name of the class.
        wall: Wall, 0 to 3.
        count: Number of things; those without space are omitted.
        gap: Distance between neighbours.
        near: Centre of the row along the wall.
        z: Height of things that hang on the wall; None places them on the floor.
        alike: Whether all have the same colours.
        **options: Arguments of `Room.make`.
    """
    first = room.make(name, **options)
    x0, _, _, x1, _, _ = rotated_box(bounding_box(name, first.variant), 0, first.scale)
    spacing = x1 - x0 + gap
    options = {key: value for key, value in options.items() if key not in ("variant", "first", "second")}
    placed = []
    for k in range(count):
        along = near + (2 * k + 1 - count) * spacing // 2
        if abs(along) + (x1 - x0) // 2 + 50 > room.wall_length(wall) // 2:
            continue
        style_options = {"like": first} if alike else {"variant": first.variant}
        if z is None:
            thing = room.place_against(name, wall, along, step=0, **style_options, **options)
        else:
            thing = room.hang(name, wall, z, along, step=0, margin=0, **style_options, **options)
        if thing is not None:
            placed.append(thing)
    return make_group(room, placed)


def place_seats(room: Room, table: Thing, name: str, sides: Sequence[int], **options: Any) -> list[Thing]:
    """Place seats around a table as one group."""
    return make_group(room, room.place_around(table, name, sides, **options))


def set_table(room: Room, table: Thing, seats: Sequence[Thing], names: Sequence[str]) -> None:
    """Place things on a table in front of each seat."""
    x0, y0, x1, y1, _ = table.surface
    styles = {name: room.make(name) for name in names}
    for k, seat in enumerate(seats):
        side = ((seat.facing - table.facing) // 6 + 2) % 4  # 0 front, 1 right, 2 back, 3 left
        dx, dy = seat.x - table.x, seat.y - table.y
        along = _to_local(dx, dy, table.facing)[0 if side % 2 == 0 else 1]
        depth = 0
        for name, style in styles.items():
            if name == "menu" and k >= MAX_MENUS:
                continue
            half = max(abs(part) for part in bounding_box(name, style.variant)[:2])
            shift = 0 if depth == 0 else room.rng.choice((-120, 120))
            # A seated person may occupy the edge: try farther from it.
            for farther in (0, 150, 300):
                distance = depth + half + 15 + farther
                point = (
                    (along + shift, y1 - distance),
                    (x1 - distance, along + shift),
                    (along - shift, y0 + distance),
                    (x0 + distance, along - shift),
                )[side]
                if room.place_on(table, name, *point, 6 * side, like=style) is not None:
                    depth += 2 * half if depth == 0 else 0
                    break


def _to_local(x: int, y: int, facing: int) -> tuple[int, int]:
    """Convert a vector of the room to the plane of a thing that faces along an axis."""
    return ((x, y), (-y, x), (-x, -y), (y, -x))[facing // 6]


def hang_on_walls(
    room: Room, name: str, count: int, z: int, walls: Sequence[int] | None = None, **options: Any
) -> list[Thing]:
    """Hang `count` things on walls."""
    selected = (list(walls) if walls is not None else room.shuffled_walls())[:count]
    hung = [room.hang(name, wall, z, **options) for wall in selected]
    return [thing for thing in hung if thing is not None]


def hang_above(room: Room, below: Thing, wall: int, name: str, gap: int = 250, **options: Any) -> Thing | None:
    """Hang a thing on a wall above another one that stands against it."""
    thing = room.make(name, **options)
    low = rotated_box(bounding_box(name, thing.variant), 0, thing.scale)[2]
    options = {key: value for key, value in options.items() if key not in ("variant", "first", "second")}
    z = max(below.box[5] + gap - low, 1_500 if low < -50 else 0)
    if z > MAX_HANGING_Z:
        return None
    return room.hang(name, wall, z, offset_along_wall(wall, below), step=0, like=thing, **options)


def offset_along_wall(wall: int, thing: Thing) -> int:
    """Return the position of a thing along a wall."""
    x, y = (thing.box[0] + thing.box[3]) // 2, (thing.box[1] + thing.box[4]) // 2
    return (x, -y, -x, y)[wall]


def place_plants(room: Room, count: int) -> None:
    """Place potted plants in corners."""
    for _ in range(count):
        room.place_in_corner("potted plant")


def hang_lamps(room: Room, name: str, columns: int, rows: int, min_z: int = 0, **options: Any) -> list[Thing]:
    """Hang a grid of identical lamps from the ceiling, stretched to end at height `min_z` if given."""
    first = room.make(name, **options)
    # Light panels and lamps in grids are white.
    if name == "ceiling lamp" and (first.variant == PANEL_VARIANT or columns * rows > 1):
        first.first = colour_index("lamp")
    length = -bounding_box(name, first.variant)[2]
    scale = (1000, 1000, max(600, min(1_700, (room.height - min_z) * 1000 // length)) if min_z else 1000)
    hung = []
    for j in range(rows):
        for i in range(columns):
            x = room.width * (2 * i + 1 - columns) // (2 * columns)
            y = room.depth * (2 * j + 1 - rows) // (2 * rows)
            if (thing := room.hang_from_ceiling(name, x, y, like=first, scale=scale)) is not None:
                hung.append(thing)
    return make_group(room, hung)


def fill_walls(room: Room, names: Sequence[str], count: int, clear: int = 150) -> None:
    """Place `count` more things along bare walls."""
    for name in room.rng.shuffled(names)[:count]:
        for wall in room.shuffled_walls()[:2]:
            if room.place_against(name, wall, margin=40, clear=clear) is not None:
                break
