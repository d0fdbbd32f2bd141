"""Restaurants: tables in rows or scattered, booths along a wall, a bar, guests."""

from __future__ import annotations

from bearleft.world.rooms.arrangements import (
    hang_lamps,
    hang_on_walls,
    make_group,
    place_plants,
    place_row,
    place_seats,
    place_wall_row,
)
from bearleft.world.rooms.arrangements import set_table as lay
from bearleft.world.rooms.extents import bounding_box, rotated_box
from bearleft.world.rooms.placement import Room, Thing, overlap

SEATING = ("chair", "booth seat", "dining table", "tablecloth table")
SHELL_THINGS = 6  # floor, ceiling and walls come first
BAR_DISTANCE = 1_250  # between a bar and the wall behind it


def furnish(room: Room) -> None:
    """A restaurant."""
    dice, main = room.dice, room.main
    kind = dice.one_of(("bar", "bar", "counter", "kitchen"))
    place_bar(room, main, kind)
    sides = room.walls(main)
    if dice.chance(700):
        place_booths(room, sides[0])
    if dice.chance(400):
        place_columns(room)
    tables = place_tables(room)
    decorate_walls(room, main)
    for name, often in (("high chair", 350), ("coat rack", 300), ("trash can", 250), ("vending machine", 120)):
        if dice.chance(often):
            room.against(name, dice.one_of(sides), clear=200)
    place_plants(room, dice.between(1, 3))
    if dice.chance(300):
        wall = dice.one_of(sides)
        room.against("wine rack", wall)
    hang_lights(room, tables)


def place_bar(room: Room, main: int, kind: str) -> None:
    """A counter along the main wall with stools before it and shelves behind it."""
    dice = room.dice
    first = room.make("bar counter")
    x0, _, _, x1, _, _ = bounding_box("bar counter", first.variant)
    count = max(1, min(dice.between(1, 3), (room.span(main) - 1_800) // (x1 - x0)))
    near = dice.between(-600, 600) if room.span(main) > 9_000 else 0
    counters: list[Thing] = []
    for k in range(count):
        along = near + (2 * k + 1 - count) * (x1 - x0) // 2
        counter = room.against("bar counter", main, along, step=0, off=BAR_DISTANCE, like=first)
        if counter is not None:
            counters.append(counter)
    make_group(room, counters)
    behind = {
        "bar": ("wine rack", "refrigerator", "store shelf", "sink"),
        "counter": ("refrigerator", "display case", "oven", "store shelf"),
        "kitchen": ("oven", "refrigerator", "sink", "oven"),
    }[kind]
    for name in dice.shuffled(behind)[: dice.between(2, 4)]:
        how = {"variant": 1} if name == "store shelf" else {"variant": 0} if name == "display case" else {}
        room.against(name, main, near + dice.between(-2_200, 2_200), margin=20, **how)
    room.hang("chalkboard", main, 1_900, near + dice.between(-1_500, 1_500))
    stool = room.make("bar stool")
    for counter in counters:
        set_bar(room, counter, kind)
        spots = (-1_100, -380, 380, 1_100) if dice.chance(600) else (-900, 0, 900)
        put = [room.ahead(counter, "bar stool", 60, 2, at, like=stool) for at in spots]
        make_group(room, [one for one in put if one is not None])
    if dice.chance(600) and counters:
        low = min(2_050, room.high - 500)
        tall = -bounding_box("pendant lamp", 0)[2]
        like = room.make("pendant lamp", variant=dice.between(0, 2))
        stretch = (1000, 1000, max(500, min(1_600, (room.high - low) * 1000 // tall)))
        put = [room.under_ceiling("pendant lamp", one.x, one.y, like=like, stretch=stretch) for one in counters]
        make_group(room, [one for one in put if one is not None])


def set_bar(room: Room, counter: Thing, kind: str) -> None:
    """What stands on a bar."""
    dice = room.dice
    on_bar = ("beer tap", "cash register", "bottle", "bottle", "wine glass", "napkin holder", "serving tray", "bottle")
    on_counter = ("coffee machine", "cash register", "cake stand", "cup", "cup", "fruit bowl", "napkin holder")
    on_pass = ("microwave", "serving tray", "plate", "bowl", "cash register", "teapot", "cup")
    names = {"bar": on_bar, "counter": on_counter, "kitchen": on_pass}[kind]
    for name in dice.shuffled(names)[: dice.between(3, 6)]:
        # Machines are worked from behind.
        turn = 12 if name in ("cash register", "beer tap", "coffee machine") else 0
        room.about(counter, name, 6, (turn,))


def place_booths(room: Room, wall: int) -> None:
    """Tables between facing benches, side by side along a wall."""
    dice = room.dice
    bench = room.make("booth seat")
    table = room.make("dining table", variant=dice.one_of((0, 2)), stretch=(760, 760, 1000))
    b = bounding_box("booth seat", bench.variant)
    t = rotated_box(bounding_box("dining table", table.variant), 6, table.stretch)
    deep, wide, reach = b[4] - b[1], t[3] - t[0], (b[3] - b[0]) // 2
    unit = 2 * deep + wide + 120
    count = min(dice.between(2, 5), (room.span(wall) - 700) // unit)
    start = dice.between(-1, 1) * max((room.span(wall) - 500 - count * unit) // 2, 0)
    group, menus = room.new_group(), room.make("menu")
    for k in range(count):
        middle = start + (2 * k + 1 - count) * unit // 2
        x, y = room.on_line(wall, middle, reach + 80)
        way = 6 * ((wall + 1) % 4)  # to the right, along the wall
        one = room.make("dining table", x, y, (way + 6) % 24, like=table, stretch=table.stretch, group=group, place=k)
        if room.drop(one) is None:
            continue
        for side in (0, 2):
            room.around(one, "booth seat", (1, 0, 0, 0) if side == 0 else (0, 0, 1, 0), gap=30, like=bench)
        for name in dice.shuffled(("candle", "vase", "napkin holder", "cup", "bottle"))[: dice.between(1, 3)]:
            room.about(one, name)
        if dice.chance(600):
            room.about(one, "menu", like=menus)


def place_columns(room: Room) -> None:
    """Two or four columns that bear the ceiling."""
    dice = room.dice
    x, y = room.wide // 4, room.deep // 4
    spots = ((-x, 0), (x, 0)) if dice.chance(500) else ((-x, -y), (x, -y), (-x, y), (x, y))
    first = room.make("column")
    tall = bounding_box("column", first.variant)[5]
    place_row(room, "column", spots, 0, variant=first.variant, stretch=(900, 900, (room.high - 10) * 1000 // tall))


def place_tables(room: Room) -> list[Thing]:
    """Tables with chairs, in rows or scattered, laid alike."""
    dice = room.dice
    name = "tablecloth table" if dice.chance(650) else "dining table"
    table = room.make(name, variant=dice.one_of((0, 3)) if name == "dining table" and dice.chance(500) else None)
    x0, y0, _, x1, y1, _ = bounding_box(name, table.variant)
    chair = room.make("chair")
    long = x1 - x0 > 1_300
    sides = (2, 0, 2, 0) if long else dice.one_of(((1, 1, 1, 1), (1, 0, 1, 0), (1, 1, 1, 1)))
    seat = bounding_box("chair", chair.variant)
    room_for_two = 2 * (seat[4] - seat[1] + 40)
    across = x1 - x0 + (room_for_two if sides[1] else 150) + dice.between(250, 550)
    deep = y1 - y0 + room_for_two + dice.between(250, 500)
    things = dice.one_of(
        (("plate", "wine glass"), ("plate", "cup"), ("plate", "wine glass"), ("bowl", "cup"), ("cup", "menu"))
    )
    middle = dice.one_of(("candle", "vase", "bottle", "napkin holder", "fruit bowl"))
    turn = 6 * dice.between(0, 1)
    if turn:
        across, deep = deep, across
    scattered = dice.chance(300)
    put: list[Thing] = []
    most = dice.between(10, 25)
    nx, ny = room.wide // across, room.deep // deep
    for j in range(ny):
        line = []
        for i in range(nx):
            x = (2 * i + 1 - nx) * across // 2
            y = (2 * j + 1 - ny) * deep // 2
            if scattered:
                x, y = x + dice.between(-250, 250), y + dice.between(-250, 250)
            if len(put) >= most:
                break
            one = room.put(name, x, y, turn, 380, like=table)
            if one is not None:
                put.append(one)
                line.append(one)
        make_group(room, line)
    for _ in range(40):
        if len(put) >= min(most, 12):
            break
        one = room.somewhere(name, turn, 420, 2, like=table)
        if one is not None:
            put.append(one)
    x, y = room.stand
    put.sort(key=lambda one: abs(one.x - x) + abs(one.y - y))
    taken = [place_seats(room, one, "chair", sides, like=chair) for one in put]
    place_guests(room)
    for k, (one, seated) in enumerate(zip(put, taken, strict=True)):
        # What lies on tables far away is too small to be told.
        if k < 12:
            lay(room, one, seated, things)
        room.about(one, middle, 4)
    return put


def place_guests(room: Room) -> None:
    """People on chairs."""
    dice = room.dice
    chairs = [one for one in room.things if one.name in ("chair", "booth seat")]
    for chair in dice.shuffled(chairs)[: dice.between(0, min(9, len(chairs) // 3))]:
        seat_person(room, chair)
    for _ in range(dice.between(0, 2)):
        room.somewhere("person", margin=150, variant=dice.one_of((1, 2, 3)))


def seat_person(room: Room, chair: Thing) -> None:
    """Someone on a chair, over its seat."""
    one = room.make("seated person", chair.x, chair.y, chair.facing, chair.z, owner=chair.number)
    met = any(thing.name not in SEATING and overlap(one.box, thing.box) for thing in room.things[SHELL_THINGS:])
    if not met and not room.shades(one) and room.free(one.box, *range(len(room.things))):
        room.add(one)


def decorate_walls(room: Room, main: int) -> None:
    """Pictures, boards and lamps."""
    dice = room.dice
    for wall in room.walls(main)[:2]:
        name = dice.one_of(("painting", "painting", "poster", "mirror"))
        count, gap, near = dice.between(1, 5), dice.between(500, 900), dice.between(-900, 900)
        variant = dice.between(0, 1)
        place_wall_row(room, name, wall, count, gap, near, 1_650, name == "mirror", variant=variant)
    if dice.chance(500):
        hang_on_walls(room, "chalkboard", 1, 1_600, room.walls(main))
    if dice.chance(600):
        place_wall_row(room, "wall lamp", dice.one_of(room.walls(main)), dice.between(2, 4), 1_800, 0, 1_900)
    if dice.chance(600):
        hang_on_walls(room, "wall clock", 1, 2_100)
    if dice.chance(400):
        hang_on_walls(room, "television", 1, 2_000, variant=1)
    for name, z, often in (
        ("fire extinguisher", 900, 500),
        ("loudspeaker", 2_300, 0),
        ("security camera", room.high - 350, 350),
        ("air vent", room.high - 400, 500),
        ("electrical outlet", 350, 500),
    ):
        if dice.chance(often):
            hang_on_walls(room, name, 1, z, before=100)


def hang_lights(room: Room, tables: list[Thing]) -> None:
    """Lamps over the tables, or all over the ceiling; plants that hang."""
    dice = room.dice
    if dice.chance(600) and tables:
        like = room.make("pendant lamp", variant=dice.between(0, 2))
        tall = -bounding_box("pendant lamp", like.variant)[2]
        low = dice.between(2_020, 2_250)
        stretch = (1000, 1000, max(500, min(1_700, (room.high - low) * 1000 // tall)))
        put = [room.under_ceiling("pendant lamp", one.x, one.y, like=like, stretch=stretch) for one in tables]
        make_group(room, [one for one in put if one is not None])
    else:
        name = dice.one_of(("ceiling lamp", "chandelier", "ceiling fan", "spotlight", "pendant lamp"))
        hang_lamps(room, name, max(2, room.wide // 3_800), max(1, room.deep // 3_800))
    if dice.chance(350):
        for wall in room.walls()[:2]:
            room.under_ceiling("hanging plant", *room.on_line(wall, dice.between(-3_000, 3_000), 420))
