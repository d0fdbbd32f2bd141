"""Shops of five kinds: clothes, groceries, books, shoes, furniture; a checkout, aisles, signs, people."""

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
    """A shop."""
    dice = room.dice
    kind = dice.one_of(SHOP_KINDS)
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
    place_plants(room, dice.between(0, 2))
    for name, often in (("trash can", 300), ("cardboard box", 400), ("vending machine", 150), ("balloons", 250)):
        if dice.chance(often):
            room.against(name, dice.between(0, 3))
    name = dice.one_of(("ceiling lamp", "ceiling lamp", "spotlight", "pendant lamp"))
    hang_lamps(
        room,
        name,
        max(2, room.wide // 3_200),
        max(2, room.deep // 3_200),
        **({"variant": 2} if name == "ceiling lamp" else {}),
    )


def place_checkout(room: Room) -> None:
    """Where one pays: near a wall, someone behind it."""
    dice = room.dice
    for wall in (room.main, room.main, *room.walls(room.main), room.main, *room.walls(room.main)):
        first = room.make("checkout counter")
        x0, _, _, x1, _, _ = bounding_box("checkout counter", first.variant)
        far = (room.span(wall) - (x1 - x0)) // 2 - 100
        near, counters = dice.between(-far * 3 // 4, far * 3 // 4), []
        for k in range(dice.between(1, 3) if first.variant == 0 else dice.between(1, 2)):
            at = near + k * (x1 - x0 + (700 if first.variant == 0 else 0))
            counter = room.against("checkout counter", wall, at, step=0, off=950, like=first) if abs(at) < far else None
            if counter is None:
                break
            counters.append(counter)
        if counters:
            dress_checkout(room, wall, make_group(room, counters))
            return


def dress_checkout(room: Room, wall: int, counters: list[Thing]) -> None:
    """What stands on counters, who stands before them, what hangs behind them."""
    dice = room.dice
    for counter in counters:
        room.about(counter, "cash register", 8, (12,))
        for name in dice.shuffled(("price sign", "vase", "shopping basket", "menu"))[:2]:
            room.about(counter, name, 3)
        if dice.chance(450):
            room.ahead(counter, "person", 450, 2, dice.between(-400, 400), variant=dice.one_of((1, 2, 3)))
    if dice.chance(600):
        name = dice.one_of(("poster", "chalkboard", "wall clock", "display screen"))
        hang_above(room, counters[0], wall, name, 500, variant=1)


def place_aisles(room: Room, name: str, way: int, gap: int, share: int = 1000) -> None:
    """Rows of shelves back to back, with ways between them."""
    dice = room.dice
    first = room.make(name)
    x0, y0, _, x1, y1, _ = bounding_box(name, first.variant)
    wide, deep = x1 - x0 + 10, y1 - y0
    length, breadth = (room.wide, room.deep) if way % 2 == 0 else (room.deep, room.wide)
    pitch = 2 * deep + 20 + gap
    lines = max((breadth - 2_400) // pitch, 1)
    many = max((length - 3_000) // wide, 1)
    broken = dice.one_of((0, 0, 3, 4))  # a way across after so many
    for j in range(lines):
        if not dice.chance(share):
            continue
        across = (2 * j + 1 - lines) * pitch // 2
        styles = [room.make(name, variant=first.variant) for _ in range(2)]
        put: tuple[list[Thing], list[Thing]] = ([], [])
        for i in range(many):
            if broken and i % (broken + 1) == broken:
                continue
            pair = []
            for side, style in zip((1, -1), styles, strict=True):
                x, y = (2 * i + 1 - many) * wide // 2, across + side * (5 - y0)
                x, y = (y, -x) if way % 2 else (x, y)
                pair.append(room.make(name, x, y, (6 * way + (0 if side == 1 else 12)) % 24, like=style))
            # No shelf shows its back.
            if all(room.free(one.box) for one in pair):
                for line, one in zip(put, pair, strict=True):
                    line.append(room.add(one))
        for line in put:
            make_group(room, line)


def place_along_walls(room: Room, names: tuple[str, ...], most: int = 6) -> None:
    """Rows of shelves or racks along the walls."""
    dice = room.dice
    for k, wall in enumerate(room.walls()):
        name = names[k % len(names)]
        variant = 0 if name == "display case" else None
        place_wall_row(room, name, wall, dice.between(2, most), 40, dice.between(-900, 900), variant=variant)


def place_display_tables(room: Room, count: int, goods: tuple[str, ...]) -> None:
    """Display tables in the open with goods and prices."""
    dice = room.dice
    first = room.make("display table")
    put = []
    for _ in range(count):
        table = room.somewhere("display table", 6 * dice.between(0, 1), margin=500, like=first)
        if table is not None:
            put.append(table)
            for name in goods:
                room.about(table, name, 3)
            room.about(table, "price sign", 5)
    make_group(room, put)


def furnish_clothes_shop(room: Room) -> None:
    """Racks, mannequins, fitting rooms, shelves of shoes and hats."""
    dice = room.dice
    for wall in room.walls():
        if place_wall_row(room, "fitting room", wall, dice.between(1, 3), 30, dice.between(-1_500, 1_500)):
            break
    place_along_walls(room, ("clothes rack", "shoe rack"), 4)
    rack = room.make("clothes rack", variant=dice.one_of((0, 1, 2)))
    x0, y0, _, x1, y1, _ = bounding_box("clothes rack", rack.variant)
    across, deep = x1 - x0 + dice.between(800, 1_200), y1 - y0 + dice.between(1_000, 1_500)
    nx, ny = (room.wide - 2_400) // across, (room.deep - 2_400) // deep
    for j in range(ny):
        spots = [((2 * i + 1 - nx) * across // 2, (2 * j + 1 - ny) * deep // 2) for i in range(nx)]
        place_row(room, "clothes rack", spots, 0, alike=False, variant=rack.variant)
    place_display_tables(room, dice.between(1, 3), ("shopping basket",))
    group = [room.somewhere("mannequin", 6 * dice.between(0, 3), margin=100) for _ in range(dice.between(3, 7))]
    make_group(room, [one for one in group if one is not None])
    room.against("hat stand", dice.between(0, 3))
    for _ in range(dice.between(1, 2)):
        room.somewhere("stool" if dice.chance(500) else "ottoman", margin=100)
    hang_on_walls(room, "mirror", dice.between(1, 2), 1_400)


def furnish_grocery(room: Room) -> None:
    """Shelves in aisles, freezers, crates of fruit, carts and baskets."""
    dice = room.dice
    place_along_walls(room, ("freezer", "store shelf", "refrigerator", "store shelf"), 6)
    place_aisles(room, "store shelf", dice.between(0, 1), dice.between(1_300, 1_800))
    crates = dice.between(4, 10)
    x, y = dice.between(-1_500, 1_500), dice.between(-1_500, 1_500)
    spots = [(x + 700 * (k % 5), y + 700 * (k // 5)) for k in range(crates)]
    place_row(room, "fruit crate", spots, 6 * dice.between(0, 3), alike=False)
    carts = place_wall_row(
        room, "shopping cart", dice.between(0, 3), dice.between(2, 4), 60, dice.between(-2_000, 2_000)
    )
    if len(carts) < 2:
        room.somewhere("shopping cart", margin=100)
    for _ in range(dice.between(1, 3)):
        room.somewhere("shopping basket")
        room.against("fruit crate", dice.between(0, 3))
    for _ in range(dice.between(1, 3)):
        room.somewhere("cardboard box", margin=40)
    room.against("wine rack", dice.between(0, 3))


def furnish_bookshop(room: Room) -> None:
    """Bookshelves along the walls and in aisles, tables with piles, places to read."""
    dice = room.dice
    place_along_walls(room, ("bookshelf",), 7)
    place_display_tables(room, dice.between(2, 4), ("book stack", "book stack", "book stack", "book stack"))
    place_aisles(room, "bookshelf", dice.between(0, 1), dice.between(1_500, 2_000), 700)
    for _ in range(dice.between(1, 3)):
        room.against("magazine rack", dice.between(0, 3))
    for _ in range(dice.between(1, 3)):
        room.somewhere("armchair", margin=150)
    if dice.chance(500):
        room.somewhere("reception desk" if dice.chance(150) else "side table", margin=100)
    room.somewhere("stool", margin=60)


def furnish_shoe_shop(room: Room) -> None:
    """Racks of shoes along the walls, tables, benches to try them on, mirrors."""
    dice = room.dice
    place_along_walls(room, ("shoe rack", "shoe rack", "display case"), 6)
    place_display_tables(room, dice.between(2, 4), ("cardboard box",))
    ottoman = room.make("ottoman")
    for k in range(dice.between(2, 4)):
        room.somewhere(
            "ottoman" if k % 2 == 0 else "bench",
            6 * dice.between(0, 3),
            margin=200,
            like=ottoman if k % 2 == 0 else None,
        )
    place_aisles(room, "shoe rack", dice.between(0, 1), dice.between(1_600, 2_200), 600)
    hang_on_walls(room, "mirror", 2, 1_400)
    boxes = [room.somewhere("cardboard box", 6 * dice.between(0, 3), margin=30) for _ in range(dice.between(2, 5))]
    make_group(room, [one for one in boxes if one is not None])
    room.against("hat stand", dice.between(0, 3))
    if dice.chance(600):
        room.somewhere("mannequin", margin=100)


def furnish_furniture_shop(room: Room) -> None:
    """Small scenes of furniture with prices, lamps and rugs on show."""
    dice = room.dice
    for name in ("sofa", "bed", "wardrobe", "dining table", "desk", "bookshelf", "cabinet", "dresser", "armchair"):
        if dice.chance(800):
            place_wall_row(
                room, name, dice.between(0, 3), dice.between(1, 3), 200, dice.between(-2_500, 2_500), alike=False
            )
    for _ in range(dice.between(4, 7)):
        rug = room.somewhere("rug", 6 * dice.between(0, 1), margin=60)
        if rug is None:
            continue
        name = dice.one_of(("armchair", "coffee table", "ottoman", "stool", "side table", "office chair"))
        x, y = (rug.box[0] + rug.box[3]) // 2, (rug.box[1] + rug.box[4]) // 2
        one = room.put(name, x, y, 6 * dice.between(0, 3), z=rug.box[5], owner=rug.number)
        if one is not None and name in ("coffee table", "side table"):
            room.about(one, dice.one_of(("vase", "table lamp", "candle")))
            room.about(one, "price sign")
    lamps_on_show = [room.somewhere("floor lamp", margin=60) for _ in range(dice.between(2, 5))]
    make_group(room, [one for one in lamps_on_show if one is not None])
    place_display_tables(room, dice.between(1, 3), ("vase", "table lamp", "pillow", "candle"))
    for name in ("chair", "armchair", "office chair", "stool", "crib", "toy box", "coat rack", "ottoman", "basket"):
        if dice.chance(600):
            row_of = [room.somewhere(name, 6 * dice.between(0, 3), margin=120)]
            for _ in range(dice.between(0, 2)):
                last = row_of[-1]
                row_of += [room.beside(last, name, 1, 250)] if last is not None else []
            make_group(room, [one for one in row_of if one is not None])
    hang_on_walls(room, "mirror", dice.between(1, 2), 1_500)


def place_people(room: Room) -> None:
    """Who buys."""
    for _ in range(room.dice.between(0, 5)):
        room.somewhere("person", margin=120, variant=room.dice.one_of((0, 1, 2, 3, 4, 5)))


def decorate_walls(room: Room, kind: str) -> None:
    """Posters, cameras, signs, shelves."""
    dice = room.dice
    for wall in room.walls()[: dice.between(1, 3)]:
        place_wall_row(
            room,
            "poster",
            wall,
            dice.between(1, 4),
            600,
            dice.between(-900, 900),
            min(2_300, room.high - 500),
            alike=False,
        )
    if kind == "furniture":
        for wall in room.walls()[:2]:
            place_wall_row(room, "painting", wall, dice.between(1, 4), 400, 0, 1_650, alike=False)
        hang_on_walls(room, "wall clock", 2, 1_900)
    for name, z, often in (
        ("security camera", room.high - 300, 800),
        ("air vent", room.high - 350, 500),
        ("fire extinguisher", 900, 600),
        ("display screen", 2_000, 350),
        ("wall clock", 2_200, 400),
        ("electrical outlet", 350, 400),
    ):
        if dice.chance(often):
            how: dict[str, Any] = {"variant": 1} if name == "display screen" else {}
            hang_on_walls(room, name, 1, z, before=120, **how)
    if dice.chance(300):
        room.corner("loudspeaker")
