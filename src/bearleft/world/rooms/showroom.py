"""Halls of fairs: booths of panels, desks and screens, things on show behind ropes, people who look."""

from __future__ import annotations

from typing import Any

from bearleft.world.rooms.arrangements import (
    hang_lamps,
    hang_on_walls,
    make_group,
    place_plants,
    place_row,
    place_wall_row,
)
from bearleft.world.rooms.extents import bounding_box, rotated_box
from bearleft.world.rooms.placement import Room, Thing
from bearleft.world.rooms.sign_texts import SIGN_TEXTS


def furnish(room: Room) -> None:
    """A hall."""
    dice = room.dice
    place_columns(room)
    place_attraction(room)
    names = dice.shuffled(SIGN_TEXTS[room.kind])
    stands = 0
    for wall in (room.main, *room.walls(room.main)):
        count = dice.between(1, 3)
        spacing = room.span(wall) // count
        for k in range(count):
            near = (2 * k + 1 - count) * spacing // 2 + dice.between(-500, 500)
            stands += place_booth(room, wall, near, names[stands % len(names)])
    for _ in range(dice.between(2, 5)):
        place_exhibit(room)
    for _ in range(dice.between(1, 3)):
        place_island(room, names[stands % len(names)])
        stands += 1
    place_people(room)
    decorate_walls(room)
    place_plants(room, dice.between(1, 4))
    for name, often in (("trash can", 500), ("bench", 600), ("bench", 400), ("loudspeaker", 500)):
        if dice.chance(often):
            room.against(name, dice.between(0, 3), margin=100)
    for _ in range(dice.between(0, 3)):
        room.somewhere("balloons", margin=80)
    hang_lamps_above(room)


def place_columns(room: Room) -> None:
    """Rows of columns."""
    dice = room.dice
    nx, ny = dice.one_of(((2, 2), (3, 2), (0, 0), (2, 1)))
    first = room.make("column")
    tall = bounding_box("column", first.variant)[5]
    spots = [
        (room.wide * (2 * i + 1 - nx) // (2 * nx), room.deep * (2 * j + 1 - ny) // (2 * ny))
        for j in range(ny)
        for i in range(nx)
    ]
    place_row(room, "column", spots, 0, variant=first.variant, stretch=(1_100, 1_100, (room.high - 10) * 1000 // tall))


def place_attraction(room: Room) -> None:
    """A car, a motorcycle or a large sculpture on a carpet behind ropes."""
    dice = room.dice
    name = dice.one_of(("car", "car", "motorcycle", "bicycle", "sculpture", "robot"))
    for _ in range(6):
        thing = room.somewhere(name, 3 * dice.between(0, 7), margin=900)
        if thing is None:
            continue
        place_ropes(room, thing)
        return


def place_ropes(room: Room, thing: Thing) -> None:
    """Rope barriers around a thing."""
    first = room.make("rope barrier")
    x0, y0, _, x1, y1, _ = thing.box
    put: list[Thing] = []
    wide = bounding_box("rope barrier", first.variant)
    long = wide[3] - wide[0]
    far = 350
    for side in room.dice.shuffled(range(4))[: room.dice.between(2, 4)]:
        flat = side % 2 == 0
        span = (x1 - x0 if flat else y1 - y0) + 2 * far
        count = max(span // (long + 60), 1)
        for k in range(count):
            at = (2 * k + 1 - count) * (long + 60) // 2
            mx, my = (x0 + x1) // 2, (y0 + y1) // 2
            spot = ((mx + at, y1 + far), (x1 + far, my + at), (mx + at, y0 - far), (x0 - far, my + at))[side]
            if (one := room.put("rope barrier", *spot, 6 * side, like=first)) is not None:
                put.append(one)
    make_group(room, put)


def place_booth(room: Room, wall: int, near: int, name: str) -> int:
    """A stand at a wall: panels behind, a desk before them, a banner, a screen, brochures; 1 if there is one."""
    dice = room.dice
    panels = place_wall_row(room, "exhibit panel", wall, dice.between(1, 3), 20, near, words=name)
    if not panels:
        return 0
    middle = panels[len(panels) // 2]
    if dice.chance(800):
        desk = room.ahead(middle, "reception desk", dice.between(800, 1_300), 0, dice.between(-700, 700), words=name)
        if desk is not None:
            for thing in dice.shuffled(("laptop", "brochure stand", "vase", "menu", "cup"))[:2]:
                if thing == "brochure stand":
                    room.beside(desk, thing, dice.one_of((-1, 1)), 120)
                else:
                    room.about(desk, thing, 4, (12,))
            if dice.chance(500):
                room.ahead(desk, "person", 500, 2, dice.between(-500, 500), variant=dice.one_of((1, 2, 3)))
    else:
        table = room.ahead(middle, "display table", 900, 0)
        if table is not None:
            room.about(table, "laptop")
            room.about(table, "computer monitor")
    for side in dice.shuffled((-1, 1)):
        what = dice.one_of(("banner stand", "banner stand", "display screen", "potted plant", "brochure stand"))
        how: dict[str, Any] = {"variant": 0} if what == "display screen" else {}
        end = panels[0] if side > 0 else panels[-1]
        if what in ("banner stand", "display screen"):
            room.beside(end, what, side, 150, words=name, **how)
        else:
            room.beside(end, what, side, 150)
    return 1


def place_island(room: Room, name: str) -> None:
    """A stand in the open: a table or a desk with stools, a banner, a screen beside it."""
    dice = room.dice
    what = dice.one_of(("reception desk", "display table", "display case", "dining table"))
    one = room.somewhere(what, 6 * dice.between(0, 3), margin=700, words=name)
    if one is None:
        return
    if what in ("display table", "dining table"):
        room.about(one, "laptop")
        room.about(one, dice.one_of(("computer monitor", "vase", "fruit bowl")))
        make_group(room, room.around(one, "stool" if what == "display table" else "chair", (1, 0, 1, 0), gap=120))
    for side in (-1, 1):
        if dice.chance(600):
            room.beside(one, dice.one_of(("banner stand", "brochure stand", "magazine rack")), side, 200)
    if dice.chance(500):
        room.ahead(one, "person", 450, 2, variant=dice.one_of((1, 2, 3, 5)))


def place_exhibit(room: Room) -> None:
    """Pedestals in a row, each with a small thing on it, or a sculpture or robot on the floor between ropes."""
    dice = room.dice
    if dice.chance(550):
        first = room.make("pedestal")
        spot = room.somewhere("pedestal", 6 * dice.between(0, 3), margin=300, like=first)
        if spot is None:
            return
        put = [spot]
        for _ in range(dice.between(1, 3)):
            other = room.beside(put[-1], "pedestal", 1, 700, like=first)
            if other is None:
                break
            put.append(other)
        make_group(room, put)
        for pedestal in put:
            place_on_pedestal(room, pedestal)
        return
    name = dice.one_of(("sculpture", "robot", "display case", "sculpture"))
    one = room.somewhere(name, 6 * dice.between(0, 3), margin=500)
    if one is not None and dice.chance(500):
        place_ropes(room, one)


def place_on_pedestal(room: Room, one: Thing) -> None:
    """A vase, a small sculpture or robot, as large as the pedestal bears."""
    x0, y0, x1, y1, _ = one.top
    name = room.dice.one_of(("sculpture", "robot", "vase", "teddy bear", "sculpture"))
    thing = room.make(name)
    b = bounding_box(name, thing.variant)
    share = min((x1 - x0 - 20) * 1000 // (b[3] - b[0]), (y1 - y0 - 20) * 1000 // (b[4] - b[1]))
    share = min(share, (room.high - one.box[5] - 300) * 1000 // (b[5] - b[2]), 1_000)
    t = rotated_box(b, 0, (share, share, share))
    room.on(
        one, name, (x0 + x1 - t[0] - t[3]) // 2, (y0 + y1 - t[1] - t[4]) // 2, like=thing, stretch=(share, share, share)
    )


def place_people(room: Room) -> None:
    """Who looks, alone or in pairs."""
    dice = room.dice
    for _ in range(dice.between(3, 9)):
        one = room.somewhere("person", 6 * dice.between(0, 3), margin=150, variant=dice.one_of((0, 1, 2, 3, 4, 5)))
        if one is not None and dice.chance(350):
            other = room.beside(one, "person", 1, 120, variant=dice.one_of((1, 2, 3)))
            if other is not None:
                make_group(room, [one, other])


def decorate_walls(room: Room) -> None:
    """Screens, posters, whiteboards, what halls must have."""
    dice = room.dice
    for wall in room.walls()[:2]:
        name = dice.one_of(("poster", "display screen", "poster", "painting"))
        how: dict[str, Any] = {} if name == "painting" else {"variant": 1}
        z = 2_900 if room.high > 3_700 else 2_000
        place_wall_row(room, name, wall, dice.between(2, 4), 1_500, dice.between(-1_500, 1_500), z, alike=False, **how)
    if dice.chance(500):
        hang_on_walls(room, "whiteboard", 1, 1_500)
    for name, z, often in (
        ("security camera", room.high - 300, 700),
        ("air vent", room.high - 400, 600),
        ("fire extinguisher", 900, 800),
        ("wall clock", 2_700, 500),
        ("electrical outlet", 350, 300),
    ):
        if dice.chance(often):
            hang_on_walls(room, name, dice.between(1, 2), z, before=120)


def hang_lamps_above(room: Room) -> None:
    """Rows of lamps, spotlights."""
    dice = room.dice
    nx, ny = dice.between(3, 5), dice.between(2, 4)
    hang_lamps(room, dice.one_of(("spotlight", "spotlight", "ceiling lamp", "pendant lamp")), nx, ny)
