"""Restaurants: tables in rows or scattered, booths along a wall, a bar, people."""

from __future__ import annotations

from bearleft.world.rooms.arrangements import (
    hang_lamps,
    hang_on_walls,
    make_group,
    place_plants,
    place_row,
    place_seats,
    place_wall_row,
    set_table,
)
from bearleft.world.rooms.extents import bounding_box, rotated_box
from bearleft.world.rooms.placement import Room, Thing, overlap

SEATING = ("chair", "booth seat", "dining table", "tablecloth table")
SHELL_THINGS = 6  # floor, ceiling and walls are the first things of a room
BAR_DISTANCE = 1_250  # millimetres between a bar and the wall behind it


def furnish(room: Room) -> None:
    """Furnish a restaurant."""
    rng, main_wall = room.rng, room.main_wall
    kind = rng.choice(("bar", "bar", "counter", "kitchen"))
    place_bar(room, main_wall, kind)
    sides = room.shuffled_walls(main_wall)
    if rng.chance(700):
        place_booths(room, sides[0])
    if rng.chance(400):
        place_columns(room)
    tables = place_tables(room)
    decorate_walls(room, main_wall)
    for name, per_mille in (("high chair", 350), ("coat rack", 300), ("trash can", 250), ("vending machine", 120)):
        if rng.chance(per_mille):
            room.place_against(name, rng.choice(sides), clear=200)
    place_plants(room, rng.randint(1, 3))
    if rng.chance(300):
        wall = rng.choice(sides)
        room.place_against("wine rack", wall)
    hang_lights(room, tables)


def place_bar(room: Room, main_wall: int, kind: str) -> None:
    """Place a counter along the main wall, with stools in front and shelves behind."""
    rng = room.rng
    first = room.make("bar counter")
    x0, _, _, x1, _, _ = bounding_box("bar counter", first.variant)
    count = max(1, min(rng.randint(1, 3), (room.wall_length(main_wall) - 1_800) // (x1 - x0)))
    near = rng.randint(-600, 600) if room.wall_length(main_wall) > 9_000 else 0
    counters: list[Thing] = []
    for k in range(count):
        along = near + (2 * k + 1 - count) * (x1 - x0) // 2
        counter = room.place_against("bar counter", main_wall, along, step=0, wall_gap=BAR_DISTANCE, like=first)
        if counter is not None:
            counters.append(counter)
    make_group(room, counters)
    behind = {
        "bar": ("wine rack", "refrigerator", "store shelf", "sink"),
        "counter": ("refrigerator", "display case", "oven", "store shelf"),
        "kitchen": ("oven", "refrigerator", "sink", "oven"),
    }[kind]
    for name in rng.shuffled(behind)[: rng.randint(2, 4)]:
        options = {"variant": 1} if name == "store shelf" else {"variant": 0} if name == "display case" else {}
        room.place_against(name, main_wall, near + rng.randint(-2_200, 2_200), margin=20, **options)
    room.hang("chalkboard", main_wall, 1_900, near + rng.randint(-1_500, 1_500))
    stool = room.make("bar stool")
    for counter in counters:
        set_bar(room, counter, kind)
        positions = (-1_100, -380, 380, 1_100) if rng.chance(600) else (-900, 0, 900)
        placed = [room.place_ahead(counter, "bar stool", 60, 2, position, like=stool) for position in positions]
        make_group(room, [thing for thing in placed if thing is not None])
    if rng.chance(600) and counters:
        low = min(2_050, room.height - 500)
        tall = -bounding_box("pendant lamp", 0)[2]
        like = room.make("pendant lamp", variant=rng.randint(0, 2))
        scale = (1000, 1000, max(500, min(1_600, (room.height - low) * 1000 // tall)))
        placed = [
            room.hang_from_ceiling("pendant lamp", counter.x, counter.y, like=like, scale=scale) for counter in counters
        ]
        make_group(room, [thing for thing in placed if thing is not None])


def set_bar(room: Room, counter: Thing, kind: str) -> None:
    """Place things on a bar."""
    rng = room.rng
    on_bar = ("beer tap", "cash register", "bottle", "bottle", "wine glass", "napkin holder", "serving tray", "bottle")
    on_counter = ("coffee machine", "cash register", "cake stand", "cup", "cup", "fruit bowl", "napkin holder")
    on_pass = ("microwave", "serving tray", "plate", "bowl", "cash register", "teapot", "cup")
    names = {"bar": on_bar, "counter": on_counter, "kitchen": on_pass}[kind]
    for name in rng.shuffled(names)[: rng.randint(3, 6)]:
        # The staff behind the bar operates the machines.
        turn = 12 if name in ("cash register", "beer tap", "coffee machine") else 0
        room.place_randomly_on(counter, name, 6, (turn,))


def place_booths(room: Room, wall: int) -> None:
    """Place tables between facing benches, side by side along a wall."""
    rng = room.rng
    bench = room.make("booth seat")
    table = room.make("dining table", variant=rng.choice((0, 2)), scale=(760, 760, 1000))
    b = bounding_box("booth seat", bench.variant)
    t = rotated_box(bounding_box("dining table", table.variant), 6, table.scale)
    deep, wide, reach = b[4] - b[1], t[3] - t[0], (b[3] - b[0]) // 2
    unit = 2 * deep + wide + 120
    count = min(rng.randint(2, 5), (room.wall_length(wall) - 700) // unit)
    start = rng.randint(-1, 1) * max((room.wall_length(wall) - 500 - count * unit) // 2, 0)
    group, menus = room.new_group(), room.make("menu")
    for k in range(count):
        middle = start + (2 * k + 1 - count) * unit // 2
        x, y = room.wall_point(wall, middle, reach + 80)
        direction = 6 * ((wall + 1) % 4)  # along the wall, to the right
        placed_table = room.make(
            "dining table", x, y, (direction + 6) % 24, like=table, scale=table.scale, group=group, place_in_group=k
        )
        if room.try_add(placed_table) is None:
            continue
        for side in (0, 2):
            room.place_around(
                placed_table, "booth seat", (1, 0, 0, 0) if side == 0 else (0, 0, 1, 0), gap=30, like=bench
            )
        for name in rng.shuffled(("candle", "vase", "napkin holder", "cup", "bottle"))[: rng.randint(1, 3)]:
            room.place_randomly_on(placed_table, name)
        if rng.chance(600):
            room.place_randomly_on(placed_table, "menu", like=menus)


def place_columns(room: Room) -> None:
    """Place two or four columns."""
    rng = room.rng
    x, y = room.width // 4, room.depth // 4
    points = ((-x, 0), (x, 0)) if rng.chance(500) else ((-x, -y), (x, -y), (-x, y), (x, y))
    first = room.make("column")
    tall = bounding_box("column", first.variant)[5]
    place_row(room, "column", points, 0, variant=first.variant, scale=(900, 900, (room.height - 10) * 1000 // tall))


def place_tables(room: Room) -> list[Thing]:
    """Place tables with chairs, in rows or scattered, all set alike."""
    rng = room.rng
    name = "tablecloth table" if rng.chance(650) else "dining table"
    table = room.make(name, variant=rng.choice((0, 3)) if name == "dining table" and rng.chance(500) else None)
    x0, y0, _, x1, y1, _ = bounding_box(name, table.variant)
    chair = room.make("chair")
    is_long = x1 - x0 > 1_300
    sides = (2, 0, 2, 0) if is_long else rng.choice(((1, 1, 1, 1), (1, 0, 1, 0), (1, 1, 1, 1)))
    seat = bounding_box("chair", chair.variant)
    room_for_two = 2 * (seat[4] - seat[1] + 40)
    across = x1 - x0 + (room_for_two if sides[1] else 150) + rng.randint(250, 550)
    deep = y1 - y0 + room_for_two + rng.randint(250, 500)
    settings = rng.choice(
        (("plate", "wine glass"), ("plate", "cup"), ("plate", "wine glass"), ("bowl", "cup"), ("cup", "menu"))
    )
    middle = rng.choice(("candle", "vase", "bottle", "napkin holder", "fruit bowl"))
    turn = 6 * rng.randint(0, 1)
    if turn:
        across, deep = deep, across
    scattered = rng.chance(300)
    tables: list[Thing] = []
    max_tables = rng.randint(10, 25)
    nx, ny = room.width // across, room.depth // deep
    for j in range(ny):
        row_tables = []
        for i in range(nx):
            x = (2 * i + 1 - nx) * across // 2
            y = (2 * j + 1 - ny) * deep // 2
            if scattered:
                x, y = x + rng.randint(-250, 250), y + rng.randint(-250, 250)
            if len(tables) >= max_tables:
                break
            placed_table = room.place_at(name, x, y, turn, 380, like=table)
            if placed_table is not None:
                tables.append(placed_table)
                row_tables.append(placed_table)
        make_group(room, row_tables)
    for _ in range(40):
        if len(tables) >= min(max_tables, 12):
            break
        placed_table = room.place_anywhere(name, turn, 420, 2, like=table)
        if placed_table is not None:
            tables.append(placed_table)
    x, y = room.viewpoint
    tables.sort(key=lambda placed: abs(placed.x - x) + abs(placed.y - y))
    seats_by_table = [place_seats(room, placed_table, "chair", sides, like=chair) for placed_table in tables]
    place_people(room)
    for k, (placed_table, seats) in enumerate(zip(tables, seats_by_table, strict=True)):
        # Objects on tables far from the viewpoint are too small to recognize.
        if k < 12:
            set_table(room, placed_table, seats, settings)
        room.place_randomly_on(placed_table, middle, 4)
    return tables


def place_people(room: Room) -> None:
    """Place seated and standing people."""
    rng = room.rng
    chairs = [thing for thing in room.things if thing.name in ("chair", "booth seat")]
    for chair in rng.shuffled(chairs)[: rng.randint(0, min(9, len(chairs) // 3))]:
        seat_person(room, chair)
    for _ in range(rng.randint(0, 2)):
        room.place_anywhere("person", margin=150, variant=rng.choice((1, 2, 3)))


def seat_person(room: Room, chair: Thing) -> None:
    """Seat a person on a chair."""
    person = room.make("seated person", chair.x, chair.y, chair.facing, chair.z, owner=chair.index)
    is_blocked = any(
        thing.name not in SEATING and overlap(person.box, thing.box) for thing in room.things[SHELL_THINGS:]
    )
    if not is_blocked and not room.blocks_picture(person) and room.is_free(person.box, *range(len(room.things))):
        room.add(person)


def decorate_walls(room: Room, main_wall: int) -> None:
    """Hang pictures, boards and lamps."""
    rng = room.rng
    for wall in room.shuffled_walls(main_wall)[:2]:
        name = rng.choice(("painting", "painting", "poster", "mirror"))
        count, gap, near = rng.randint(1, 5), rng.randint(500, 900), rng.randint(-900, 900)
        variant = rng.randint(0, 1)
        place_wall_row(room, name, wall, count, gap, near, 1_650, name == "mirror", variant=variant)
    if rng.chance(500):
        hang_on_walls(room, "chalkboard", 1, 1_600, room.shuffled_walls(main_wall))
    if rng.chance(600):
        place_wall_row(
            room, "wall lamp", rng.choice(room.shuffled_walls(main_wall)), rng.randint(2, 4), 1_800, 0, 1_900
        )
    if rng.chance(600):
        hang_on_walls(room, "wall clock", 1, 2_100)
    if rng.chance(400):
        hang_on_walls(room, "television", 1, 2_000, variant=1)
    for name, z, per_mille in (
        ("fire extinguisher", 900, 500),
        ("loudspeaker", 2_300, 0),
        ("security camera", room.height - 350, 350),
        ("air vent", room.height - 400, 500),
        ("electrical outlet", 350, 500),
    ):
        if rng.chance(per_mille):
            hang_on_walls(room, name, 1, z, clearance=100)


def hang_lights(room: Room, tables: list[Thing]) -> None:
    """Hang lamps above the tables or across the ceiling, and hanging plants."""
    rng = room.rng
    if rng.chance(600) and tables:
        like = room.make("pendant lamp", variant=rng.randint(0, 2))
        tall = -bounding_box("pendant lamp", like.variant)[2]
        low = rng.randint(2_020, 2_250)
        scale = (1000, 1000, max(500, min(1_700, (room.height - low) * 1000 // tall)))
        hung = [room.hang_from_ceiling("pendant lamp", table.x, table.y, like=like, scale=scale) for table in tables]
        make_group(room, [lamp for lamp in hung if lamp is not None])
    else:
        name = rng.choice(("ceiling lamp", "chandelier", "ceiling fan", "spotlight", "pendant lamp"))
        hang_lamps(room, name, max(2, room.width // 3_800), max(1, room.depth // 3_800))
    if rng.chance(350):
        for wall in room.shuffled_walls()[:2]:
            room.hang_from_ceiling("hanging plant", *room.wall_point(wall, rng.randint(-3_000, 3_000), 420))
