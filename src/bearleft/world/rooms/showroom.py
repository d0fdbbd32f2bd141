"""Exhibition halls: booths of panels, desks and screens, exhibits behind ropes, visitors."""

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
    """Furnish an exhibition hall."""
    rng = room.rng
    place_columns(room)
    place_attraction(room)
    names = rng.shuffled(SIGN_TEXTS[room.kind])
    booths = 0
    for wall in (room.main_wall, *room.shuffled_walls(room.main_wall)):
        count = rng.randint(1, 3)
        spacing = room.wall_length(wall) // count
        for k in range(count):
            near = (2 * k + 1 - count) * spacing // 2 + rng.randint(-500, 500)
            booths += place_booth(room, wall, near, names[booths % len(names)])
    for _ in range(rng.randint(2, 5)):
        place_exhibit(room)
    for _ in range(rng.randint(1, 3)):
        place_island(room, names[booths % len(names)])
        booths += 1
    place_people(room)
    decorate_walls(room)
    place_plants(room, rng.randint(1, 4))
    for name, per_mille in (("trash can", 500), ("bench", 600), ("bench", 400), ("loudspeaker", 500)):
        if rng.chance(per_mille):
            room.place_against(name, rng.randint(0, 3), margin=100)
    for _ in range(rng.randint(0, 3)):
        room.place_anywhere("balloons", margin=80)
    hang_lamps_above(room)


def place_columns(room: Room) -> None:
    """Place rows of columns."""
    rng = room.rng
    nx, ny = rng.choice(((2, 2), (3, 2), (0, 0), (2, 1)))
    first = room.make("column")
    tall = bounding_box("column", first.variant)[5]
    points = [
        (room.width * (2 * i + 1 - nx) // (2 * nx), room.depth * (2 * j + 1 - ny) // (2 * ny))
        for j in range(ny)
        for i in range(nx)
    ]
    place_row(room, "column", points, 0, variant=first.variant, scale=(1_100, 1_100, (room.height - 10) * 1000 // tall))


def place_attraction(room: Room) -> None:
    """Place a car, a motorcycle or a large sculpture behind ropes."""
    rng = room.rng
    name = rng.choice(("car", "car", "motorcycle", "bicycle", "sculpture", "robot"))
    for _ in range(6):
        thing = room.place_anywhere(name, 3 * rng.randint(0, 7), margin=900)
        if thing is None:
            continue
        place_ropes(room, thing)
        return


def place_ropes(room: Room, thing: Thing) -> None:
    """Place rope barriers around a thing."""
    first = room.make("rope barrier")
    x0, y0, _, x1, y1, _ = thing.box
    placed: list[Thing] = []
    box = bounding_box("rope barrier", first.variant)
    length = box[3] - box[0]
    distance = 350
    for side in room.rng.shuffled(range(4))[: room.rng.randint(2, 4)]:
        is_horizontal = side % 2 == 0
        span = (x1 - x0 if is_horizontal else y1 - y0) + 2 * distance
        count = max(span // (length + 60), 1)
        for k in range(count):
            position = (2 * k + 1 - count) * (length + 60) // 2
            mx, my = (x0 + x1) // 2, (y0 + y1) // 2
            point = (
                (mx + position, y1 + distance),
                (x1 + distance, my + position),
                (mx + position, y0 - distance),
                (x0 - distance, my + position),
            )[side]
            if (barrier := room.place_at("rope barrier", *point, 6 * side, like=first)) is not None:
                placed.append(barrier)
    make_group(room, placed)


def place_booth(room: Room, wall: int, near: int, name: str) -> int:
    """Place a booth at a wall: panels, a desk, a banner, a screen, brochures. Return 1 if there was space, else 0."""
    rng = room.rng
    panels = place_wall_row(room, "exhibit panel", wall, rng.randint(1, 3), 20, near, text=name)
    if not panels:
        return 0
    middle = panels[len(panels) // 2]
    if rng.chance(800):
        desk = room.place_ahead(middle, "reception desk", rng.randint(800, 1_300), 0, rng.randint(-700, 700), text=name)
        if desk is not None:
            for thing in rng.shuffled(("laptop", "brochure stand", "vase", "menu", "cup"))[:2]:
                if thing == "brochure stand":
                    room.place_beside(desk, thing, rng.choice((-1, 1)), 120)
                else:
                    room.place_randomly_on(desk, thing, 4, (12,))
            if rng.chance(500):
                room.place_ahead(desk, "person", 500, 2, rng.randint(-500, 500), variant=rng.choice((1, 2, 3)))
    else:
        table = room.place_ahead(middle, "display table", 900, 0)
        if table is not None:
            room.place_randomly_on(table, "laptop")
            room.place_randomly_on(table, "computer monitor")
    for side in rng.shuffled((-1, 1)):
        side_object = rng.choice(("banner stand", "banner stand", "display screen", "potted plant", "brochure stand"))
        options: dict[str, Any] = {"variant": 0} if side_object == "display screen" else {}
        end = panels[0] if side > 0 else panels[-1]
        if side_object in ("banner stand", "display screen"):
            room.place_beside(end, side_object, side, 150, text=name, **options)
        else:
            room.place_beside(end, side_object, side, 150)
    return 1


def place_island(room: Room, name: str) -> None:
    """Place a free-standing booth: a table or desk with stools, a banner and a screen."""
    rng = room.rng
    stand_name = rng.choice(("reception desk", "display table", "display case", "dining table"))
    stand = room.place_anywhere(stand_name, 6 * rng.randint(0, 3), margin=700, text=name)
    if stand is None:
        return
    if stand_name in ("display table", "dining table"):
        room.place_randomly_on(stand, "laptop")
        room.place_randomly_on(stand, rng.choice(("computer monitor", "vase", "fruit bowl")))
        make_group(
            room, room.place_around(stand, "stool" if stand_name == "display table" else "chair", (1, 0, 1, 0), gap=120)
        )
    for side in (-1, 1):
        if rng.chance(600):
            room.place_beside(stand, rng.choice(("banner stand", "brochure stand", "magazine rack")), side, 200)
    if rng.chance(500):
        room.place_ahead(stand, "person", 450, 2, variant=rng.choice((1, 2, 3, 5)))


def place_exhibit(room: Room) -> None:
    """Place a row of pedestals with small things, or a sculpture or robot on the floor."""
    rng = room.rng
    if rng.chance(550):
        first = room.make("pedestal")
        first_pedestal = room.place_anywhere("pedestal", 6 * rng.randint(0, 3), margin=300, like=first)
        if first_pedestal is None:
            return
        pedestals = [first_pedestal]
        for _ in range(rng.randint(1, 3)):
            other = room.place_beside(pedestals[-1], "pedestal", 1, 700, like=first)
            if other is None:
                break
            pedestals.append(other)
        make_group(room, pedestals)
        for pedestal in pedestals:
            place_on_pedestal(room, pedestal)
        return
    name = rng.choice(("sculpture", "robot", "display case", "sculpture"))
    exhibit = room.place_anywhere(name, 6 * rng.randint(0, 3), margin=500)
    if exhibit is not None and rng.chance(500):
        place_ropes(room, exhibit)


def place_on_pedestal(room: Room, pedestal: Thing) -> None:
    """Place a small thing on a pedestal, scaled to fit."""
    x0, y0, x1, y1, _ = pedestal.surface
    name = room.rng.choice(("sculpture", "robot", "vase", "teddy bear", "sculpture"))
    thing = room.make(name)
    b = bounding_box(name, thing.variant)
    scale = min((x1 - x0 - 20) * 1000 // (b[3] - b[0]), (y1 - y0 - 20) * 1000 // (b[4] - b[1]))
    scale = min(scale, (room.height - pedestal.box[5] - 300) * 1000 // (b[5] - b[2]), 1_000)
    t = rotated_box(b, 0, (scale, scale, scale))
    room.place_on(
        pedestal,
        name,
        (x0 + x1 - t[0] - t[3]) // 2,
        (y0 + y1 - t[1] - t[4]) // 2,
        like=thing,
        scale=(scale, scale, scale),
    )


def place_people(room: Room) -> None:
    """Place visitors, alone or in pairs."""
    rng = room.rng
    for _ in range(rng.randint(3, 9)):
        person = room.place_anywhere(
            "person", 6 * rng.randint(0, 3), margin=150, variant=rng.choice((0, 1, 2, 3, 4, 5))
        )
        if person is not None and rng.chance(350):
            other = room.place_beside(person, "person", 1, 120, variant=rng.choice((1, 2, 3)))
            if other is not None:
                make_group(room, [person, other])


def decorate_walls(room: Room) -> None:
    """Hang screens, posters, whiteboards and safety equipment."""
    rng = room.rng
    for wall in room.shuffled_walls()[:2]:
        name = rng.choice(("poster", "display screen", "poster", "painting"))
        options: dict[str, Any] = {} if name == "painting" else {"variant": 1}
        z = 2_900 if room.height > 3_700 else 2_000
        place_wall_row(
            room, name, wall, rng.randint(2, 4), 1_500, rng.randint(-1_500, 1_500), z, alike=False, **options
        )
    if rng.chance(500):
        hang_on_walls(room, "whiteboard", 1, 1_500)
    for name, z, per_mille in (
        ("security camera", room.height - 300, 700),
        ("air vent", room.height - 400, 600),
        ("fire extinguisher", 900, 800),
        ("wall clock", 2_700, 500),
        ("electrical outlet", 350, 300),
    ):
        if rng.chance(per_mille):
            hang_on_walls(room, name, rng.randint(1, 2), z, clearance=120)


def hang_lamps_above(room: Room) -> None:
    """Hang rows of lamps or spotlights."""
    rng = room.rng
    nx, ny = rng.randint(3, 5), rng.randint(2, 4)
    hang_lamps(room, rng.choice(("spotlight", "spotlight", "ceiling lamp", "pendant lamp")), nx, ny)
