"""Small arrangements that several categories of rooms share: rows, laid tables, what hangs on walls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from bearleft.world.city.palette import colour_index
from bearleft.world.rooms.extents import bounding_box, rotated_box
from bearleft.world.rooms.placement import Room, Thing

PANEL_VARIANT = 2  # the ceiling lamp that is a panel of light
MAX_MENUS = 2  # on a table
MAX_HANGING_Z = 2_050  # millimetres: the middle of a picture over something hangs no higher


def place_row(
    room: Room,
    name: str,
    spots: Iterable[tuple[int, int]],
    facing: int,
    alike: bool = True,
    margin: int = 0,
    **how: Any,
) -> list[Thing]:
    """Things at points, those for which there is room: one group, all alike unless said."""
    first = room.make(name, **how)
    how = {key: value for key, value in how.items() if key not in ("variant", "first", "second")}
    put = []
    for x, y in spots:
        own = {"like": first} if alike else {"variant": first.variant}
        if (thing := room.put(name, x, y, facing, margin, **own, **how)) is not None:
            put.append(thing)
    return make_group(room, put)


def make_group(room: Room, things: list[Thing]) -> list[Thing]:
    """Makes things one group, in their order; one alone is none."""
    if len(things) > 1:
        group = room.new_group()
        for place, thing in enumerate(things):
            thing.group, thing.place = group, place
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
    **how: Any,
) -> list[Thing]:
    """A row along a wall around a point of it, on the floor or hanging z high."""
    first = room.make(name, **how)
    x0, _, _, x1, _, _ = rotated_box(bounding_box(name, first.variant), 0, first.stretch)
    spacing = x1 - x0 + gap
    how = {key: value for key, value in how.items() if key not in ("variant", "first", "second")}
    put = []
    for k in range(count):
        along = near + (2 * k + 1 - count) * spacing // 2
        if abs(along) + (x1 - x0) // 2 + 50 > room.span(wall) // 2:
            continue
        own = {"like": first} if alike else {"variant": first.variant}
        if z is None:
            thing = room.against(name, wall, along, step=0, **own, **how)
        else:
            thing = room.hang(name, wall, z, along, step=0, margin=0, **own, **how)
        if thing is not None:
            put.append(thing)
    return make_group(room, put)


def place_seats(room: Room, table: Thing, name: str, sides: Sequence[int], **how: Any) -> list[Thing]:
    """Seats around a table, one group."""
    return make_group(room, room.around(table, name, sides, **how))


def set_table(room: Room, table: Thing, seated: Sequence[Thing], things: Sequence[str]) -> None:
    """Things before each seat at a table, on the table."""
    x0, y0, x1, y1, _ = table.top
    styles = {name: room.make(name) for name in things}
    for k, seat in enumerate(seated):
        side = ((seat.facing - table.facing) // 6 + 2) % 4  # 0 front, 1 right, 2 back, 3 left
        dx, dy = seat.x - table.x, seat.y - table.y
        along = _to_local(dx, dy, table.facing)[0 if side % 2 == 0 else 1]
        depth = 0
        for name, style in styles.items():
            if name == "menu" and k >= MAX_MENUS:
                continue
            half = max(abs(part) for part in bounding_box(name, style.variant)[:2])
            shift = 0 if depth == 0 else room.dice.one_of((-120, 120))
            # Before people who sit there things stand a little farther off.
            for farther in (0, 150, 300):
                away = depth + half + 15 + farther
                spot = (
                    (along + shift, y1 - away),
                    (x1 - away, along + shift),
                    (along - shift, y0 + away),
                    (x0 + away, along - shift),
                )[side]
                if room.on(table, name, *spot, 6 * side, like=style) is not None:
                    depth += 2 * half if depth == 0 else 0
                    break


def _to_local(x: int, y: int, facing: int) -> tuple[int, int]:
    """A point of the room's plane in the plane of a thing that faces a quarter's way."""
    return ((x, y), (-y, x), (-x, -y), (y, -x))[facing // 6]


def hang_on_walls(
    room: Room, name: str, count: int, z: int, walls: Sequence[int] | None = None, **how: Any
) -> list[Thing]:
    """So many things on walls, wherever they are seen."""
    chosen = (list(walls) if walls is not None else room.walls())[:count]
    put = [room.hang(name, wall, z, **how) for wall in chosen]
    return [one for one in put if one is not None]


def hang_above(room: Room, below: Thing, wall: int, name: str, gap: int = 250, **how: Any) -> Thing | None:
    """Hangs a thing on a wall above another that stands at it."""
    thing = room.make(name, **how)
    low = rotated_box(bounding_box(name, thing.variant), 0, thing.stretch)[2]
    how = {key: value for key, value in how.items() if key not in ("variant", "first", "second")}
    z = max(below.box[5] + gap - low, 1_500 if low < -50 else 0)
    if z > MAX_HANGING_Z:
        return None
    return room.hang(name, wall, z, offset_along_wall(wall, below), step=0, like=thing, **how)


def offset_along_wall(wall: int, thing: Thing) -> int:
    """How far along a wall a thing is."""
    x, y = (thing.box[0] + thing.box[3]) // 2, (thing.box[1] + thing.box[4]) // 2
    return (x, -y, -x, y)[wall]


def place_plants(room: Room, count: int) -> None:
    """Potted plants in corners."""
    for _ in range(count):
        room.corner("potted plant")


def hang_lamps(room: Room, name: str, across: int, deep: int, low: int = 0, **how: Any) -> list[Thing]:
    """A grid of lamps under the ceiling, all alike; stretched so that they hang `low` above the floor, if said."""
    first = room.make(name, **how)
    # Panels of light shine white, as do the lamps of halls.
    if name == "ceiling lamp" and (first.variant == PANEL_VARIANT or across * deep > 1):
        first.first = colour_index("lamp")
    tall = -bounding_box(name, first.variant)[2]
    stretch = (1000, 1000, max(600, min(1_700, (room.high - low) * 1000 // tall)) if low else 1000)
    put = []
    for j in range(deep):
        for i in range(across):
            x = room.wide * (2 * i + 1 - across) // (2 * across)
            y = room.deep * (2 * j + 1 - deep) // (2 * deep)
            if (thing := room.under_ceiling(name, x, y, like=first, stretch=stretch)) is not None:
                put.append(thing)
    return make_group(room, put)


def fill_walls(room: Room, names: Sequence[str], count: int, clear: int = 150) -> None:
    """So many more things along the walls, where walls are bare."""
    for name in room.dice.shuffled(names)[:count]:
        for wall in room.walls()[:2]:
            if room.against(name, wall, margin=40, clear=clear) is not None:
                break
