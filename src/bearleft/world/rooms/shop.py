"""Shops of five kinds: clothes, groceries, books, shoes, furniture; with a checkout, aisles, signs and people."""

from __future__ import annotations

from typing import Any

from bearleft.world.rooms.arrangements import (
    hang_above,
    hang_lamps,
    hang_on_walls,
    make_group,
    place_plants,
    place_row,
    place_wall_row,
)
from bearleft.world.rooms.extents import bounding_box
from bearleft.world.rooms.placement import Room, Thing

SHOP_KINDS = ("clothes", "groceries", "books", "shoes", "furniture")


def furnish(room: Room) -> None:
    """Furnish a shop."""
    rng = room.rng
    kind = rng.choice(SHOP_KINDS)
    place_checkout(room)
    {
        "clothes": furnish_clothes_shop,
        "groceries": furnish_grocery,
        "books": furnish_bookshop,
        "shoes": furnish_shoe_shop,
        "furniture": furnish_furniture_shop,
    }[kind](room)
    place_people(room)
    decorate_walls(room, kind)
    place_plants(room, rng.randint(0, 2))
    for name, per_mille in (("trash can", 300), ("cardboard box", 400), ("vending machine", 150), ("balloons", 250)):
        if rng.chance(per_mille):
            room.place_against(name, rng.randint(0, 3))
    name = rng.choice(("ceiling lamp", "ceiling lamp", "spotlight", "pendant lamp"))
    hang_lamps(
        room,
        name,
        max(2, room.width // 3_200),
        max(2, room.depth // 3_200),
        **({"variant": 2} if name == "ceiling lamp" else {}),
    )


def place_checkout(room: Room) -> None:
    """Place checkout counters near a wall."""
    rng = room.rng
    for wall in (
        room.main_wall,
        room.main_wall,
        *room.shuffled_walls(room.main_wall),
        room.main_wall,
        *room.shuffled_walls(room.main_wall),
    ):
        first = room.make("checkout counter")
        x0, _, _, x1, _, _ = bounding_box("checkout counter", first.variant)
        limit = (room.wall_length(wall) - (x1 - x0)) // 2 - 100
        near, counters = rng.randint(-limit * 3 // 4, limit * 3 // 4), []
        for k in range(rng.randint(1, 3) if first.variant == 0 else rng.randint(1, 2)):
            position = near + k * (x1 - x0 + (700 if first.variant == 0 else 0))
            counter = (
                room.place_against("checkout counter", wall, position, step=0, wall_gap=950, like=first)
                if abs(position) < limit
                else None
            )
            if counter is None:
                break
            counters.append(counter)
        if counters:
            fill_checkout(room, wall, make_group(room, counters))
            return


def fill_checkout(room: Room, wall: int, counters: list[Thing]) -> None:
    """Place things on the counters, customers in front and decoration behind."""
    rng = room.rng
    for counter in counters:
        room.place_randomly_on(counter, "cash register", 8, (12,))
        for name in rng.shuffled(("price sign", "vase", "shopping basket", "menu"))[:2]:
            room.place_randomly_on(counter, name, 3)
        if rng.chance(450):
            room.place_ahead(counter, "person", 450, 2, rng.randint(-400, 400), variant=rng.choice((1, 2, 3)))
    if rng.chance(600):
        name = rng.choice(("poster", "chalkboard", "wall clock", "display screen"))
        hang_above(room, counters[0], wall, name, 500, variant=1)


def place_aisles(room: Room, name: str, direction: int, gap: int, per_mille: int = 1000) -> None:
    """Place rows of shelves back to back, with aisles between them."""
    rng = room.rng
    first = room.make(name)
    x0, y0, _, x1, y1, _ = bounding_box(name, first.variant)
    wide, deep = x1 - x0 + 10, y1 - y0
    length, breadth = (room.width, room.depth) if direction % 2 == 0 else (room.depth, room.width)
    pitch = 2 * deep + 20 + gap
    lines = max((breadth - 2_400) // pitch, 1)
    columns = max((length - 3_000) // wide, 1)
    gap_interval = rng.choice((0, 0, 3, 4))  # shelves between two gaps in an aisle, 0 for no gaps
    for j in range(lines):
        if not rng.chance(per_mille):
            continue
        across = (2 * j + 1 - lines) * pitch // 2
        styles = [room.make(name, variant=first.variant) for _ in range(2)]
        placed: tuple[list[Thing], list[Thing]] = ([], [])
        for i in range(columns):
            if gap_interval and i % (gap_interval + 1) == gap_interval:
                continue
            pair = []
            for side, style in zip((1, -1), styles, strict=True):
                x, y = (2 * i + 1 - columns) * wide // 2, across + side * (5 - y0)
                x, y = (y, -x) if direction % 2 else (x, y)
                pair.append(room.make(name, x, y, (6 * direction + (0 if side == 1 else 12)) % 24, like=style))
            # Both shelves of a pair or none: the back of a shelf stays hidden.
            if all(room.is_free(shelf.box) for shelf in pair):
                for shelves, shelf in zip(placed, pair, strict=True):
                    shelves.append(room.add(shelf))
        for shelves in placed:
            make_group(room, shelves)


def place_along_walls(room: Room, names: tuple[str, ...], max_count: int = 6) -> None:
    """Place rows of shelves or racks along the walls."""
    rng = room.rng
    for k, wall in enumerate(room.shuffled_walls()):
        name = names[k % len(names)]
        variant = 0 if name == "display case" else None
        place_wall_row(room, name, wall, rng.randint(2, max_count), 40, rng.randint(-900, 900), variant=variant)


def place_display_tables(room: Room, count: int, goods: tuple[str, ...]) -> None:
    """Place display tables with goods and prices."""
    rng = room.rng
    first = room.make("display table")
    placed = []
    for _ in range(count):
        table = room.place_anywhere("display table", 6 * rng.randint(0, 1), margin=500, like=first)
        if table is not None:
            placed.append(table)
            for name in goods:
                room.place_randomly_on(table, name, 3)
            room.place_randomly_on(table, "price sign", 5)
    make_group(room, placed)


def furnish_clothes_shop(room: Room) -> None:
    """Place racks, mannequins, fitting rooms, shelves of shoes and hats."""
    rng = room.rng
    for wall in room.shuffled_walls():
        if place_wall_row(room, "fitting room", wall, rng.randint(1, 3), 30, rng.randint(-1_500, 1_500)):
            break
    place_along_walls(room, ("clothes rack", "shoe rack"), 4)
    rack = room.make("clothes rack", variant=rng.choice((0, 1, 2)))
    x0, y0, _, x1, y1, _ = bounding_box("clothes rack", rack.variant)
    across, deep = x1 - x0 + rng.randint(800, 1_200), y1 - y0 + rng.randint(1_000, 1_500)
    nx, ny = (room.width - 2_400) // across, (room.depth - 2_400) // deep
    for j in range(ny):
        points = [((2 * i + 1 - nx) * across // 2, (2 * j + 1 - ny) * deep // 2) for i in range(nx)]
        place_row(room, "clothes rack", points, 0, alike=False, variant=rack.variant)
    place_display_tables(room, rng.randint(1, 3), ("shopping basket",))
    mannequins = [room.place_anywhere("mannequin", 6 * rng.randint(0, 3), margin=100) for _ in range(rng.randint(3, 7))]
    make_group(room, [mannequin for mannequin in mannequins if mannequin is not None])
    room.place_against("hat stand", rng.randint(0, 3))
    for _ in range(rng.randint(1, 2)):
        room.place_anywhere("stool" if rng.chance(500) else "ottoman", margin=100)
    hang_on_walls(room, "mirror", rng.randint(1, 2), 1_400)


def furnish_grocery(room: Room) -> None:
    """Place shelves in aisles, freezers, crates of fruit, carts and baskets."""
    rng = room.rng
    place_along_walls(room, ("freezer", "store shelf", "refrigerator", "store shelf"), 6)
    place_aisles(room, "store shelf", rng.randint(0, 1), rng.randint(1_300, 1_800))
    crates = rng.randint(4, 10)
    x, y = rng.randint(-1_500, 1_500), rng.randint(-1_500, 1_500)
    points = [(x + 700 * (k % 5), y + 700 * (k // 5)) for k in range(crates)]
    place_row(room, "fruit crate", points, 6 * rng.randint(0, 3), alike=False)
    carts = place_wall_row(room, "shopping cart", rng.randint(0, 3), rng.randint(2, 4), 60, rng.randint(-2_000, 2_000))
    if len(carts) < 2:
        room.place_anywhere("shopping cart", margin=100)
    for _ in range(rng.randint(1, 3)):
        room.place_anywhere("shopping basket")
        room.place_against("fruit crate", rng.randint(0, 3))
    for _ in range(rng.randint(1, 3)):
        room.place_anywhere("cardboard box", margin=40)
    room.place_against("wine rack", rng.randint(0, 3))


def furnish_bookshop(room: Room) -> None:
    """Place bookshelves along the walls and in aisles, tables with piles, and armchairs."""
    rng = room.rng
    place_along_walls(room, ("bookshelf",), 7)
    place_display_tables(room, rng.randint(2, 4), ("book stack", "book stack", "book stack", "book stack"))
    place_aisles(room, "bookshelf", rng.randint(0, 1), rng.randint(1_500, 2_000), 700)
    for _ in range(rng.randint(1, 3)):
        room.place_against("magazine rack", rng.randint(0, 3))
    for _ in range(rng.randint(1, 3)):
        room.place_anywhere("armchair", margin=150)
    if rng.chance(500):
        room.place_anywhere("reception desk" if rng.chance(150) else "side table", margin=100)
    room.place_anywhere("stool", margin=60)


def furnish_shoe_shop(room: Room) -> None:
    """Place racks of shoes along the walls, tables, benches and mirrors."""
    rng = room.rng
    place_along_walls(room, ("shoe rack", "shoe rack", "display case"), 6)
    place_display_tables(room, rng.randint(2, 4), ("cardboard box",))
    ottoman = room.make("ottoman")
    for k in range(rng.randint(2, 4)):
        room.place_anywhere(
            "ottoman" if k % 2 == 0 else "bench",
            6 * rng.randint(0, 3),
            margin=200,
            like=ottoman if k % 2 == 0 else None,
        )
    place_aisles(room, "shoe rack", rng.randint(0, 1), rng.randint(1_600, 2_200), 600)
    hang_on_walls(room, "mirror", 2, 1_400)
    boxes = [room.place_anywhere("cardboard box", 6 * rng.randint(0, 3), margin=30) for _ in range(rng.randint(2, 5))]
    make_group(room, [box for box in boxes if box is not None])
    room.place_against("hat stand", rng.randint(0, 3))
    if rng.chance(600):
        room.place_anywhere("mannequin", margin=100)


def furnish_furniture_shop(room: Room) -> None:
    """Place small scenes of furniture with prices, lamps and rugs."""
    rng = room.rng
    for name in ("sofa", "bed", "wardrobe", "dining table", "desk", "bookshelf", "cabinet", "dresser", "armchair"):
        if rng.chance(800):
            place_wall_row(
                room, name, rng.randint(0, 3), rng.randint(1, 3), 200, rng.randint(-2_500, 2_500), alike=False
            )
    for _ in range(rng.randint(4, 7)):
        rug = room.place_anywhere("rug", 6 * rng.randint(0, 1), margin=60)
        if rug is None:
            continue
        name = rng.choice(("armchair", "coffee table", "ottoman", "stool", "side table", "office chair"))
        x, y = (rug.box[0] + rug.box[3]) // 2, (rug.box[1] + rug.box[4]) // 2
        thing = room.place_at(name, x, y, 6 * rng.randint(0, 3), z=rug.box[5], owner=rug.index)
        if thing is not None and name in ("coffee table", "side table"):
            room.place_randomly_on(thing, rng.choice(("vase", "table lamp", "candle")))
            room.place_randomly_on(thing, "price sign")
    lamps_on_show = [room.place_anywhere("floor lamp", margin=60) for _ in range(rng.randint(2, 5))]
    make_group(room, [thing for thing in lamps_on_show if thing is not None])
    place_display_tables(room, rng.randint(1, 3), ("vase", "table lamp", "pillow", "candle"))
    for name in ("chair", "armchair", "office chair", "stool", "crib", "toy box", "coat rack", "ottoman", "basket"):
        if rng.chance(600):
            row_things = [room.place_anywhere(name, 6 * rng.randint(0, 3), margin=120)]
            for _ in range(rng.randint(0, 2)):
                last = row_things[-1]
                row_things += [room.place_beside(last, name, 1, 250)] if last is not None else []
            make_group(room, [thing for thing in row_things if thing is not None])
    hang_on_walls(room, "mirror", rng.randint(1, 2), 1_500)


def place_people(room: Room) -> None:
    """Place customers."""
    for _ in range(room.rng.randint(0, 5)):
        room.place_anywhere("person", margin=120, variant=room.rng.choice((0, 1, 2, 3, 4, 5)))


def decorate_walls(room: Room, kind: str) -> None:
    """Hang posters, cameras, signs and shelves."""
    rng = room.rng
    for wall in room.shuffled_walls()[: rng.randint(1, 3)]:
        place_wall_row(
            room,
            "poster",
            wall,
            rng.randint(1, 4),
            600,
            rng.randint(-900, 900),
            min(2_300, room.height - 500),
            alike=False,
        )
    if kind == "furniture":
        for wall in room.shuffled_walls()[:2]:
            place_wall_row(room, "painting", wall, rng.randint(1, 4), 400, 0, 1_650, alike=False)
        hang_on_walls(room, "wall clock", 2, 1_900)
    for name, z, per_mille in (
        ("security camera", room.height - 300, 800),
        ("air vent", room.height - 350, 500),
        ("fire extinguisher", 900, 600),
        ("display screen", 2_000, 350),
        ("wall clock", 2_200, 400),
        ("electrical outlet", 350, 400),
    ):
        if rng.chance(per_mille):
            options: dict[str, Any] = {"variant": 1} if name == "display screen" else {}
            hang_on_walls(room, name, 1, z, clearance=120, **options)
    if rng.chance(300):
        room.place_in_corner("loudspeaker")
