"""Bedrooms: a bed between nightstands, a dresser, a wardrobe, a desk, toys."""

from __future__ import annotations

from bearleft.world.rooms.arrangements import (
    fill_walls,
    hang_above,
    hang_lamps,
    hang_on_walls,
    make_group,
    place_plants,
    place_wall_row,
)
from bearleft.world.rooms.placement import Room, Thing


def furnish(room: Room) -> None:
    """Furnish a bedroom."""
    rng, main_wall = room.rng, room.main_wall
    has_child = rng.chance(350)
    bed = place_bed(room, main_wall, has_child)
    if rng.chance(450 if has_child else 200):
        room.place_against("crib", rng.choice(room.shuffled_walls(main_wall)))
    for place_furniture in rng.shuffled((place_wardrobe, place_dresser, place_desk)):
        place_furniture(room)
    if has_child:
        place_toys(room)
    if bed is not None and rng.chance(750):
        place_rug(room)
    decorate_walls(room, main_wall)
    place_small_furniture(room)
    fill_walls(
        room, ("bookshelf", "cabinet", "chair", "basket", "potted plant", "floor lamp", "suitcase", "ottoman"), 3
    )
    name = rng.choice(("ceiling lamp", "ceiling lamp", "ceiling fan", "chandelier"))
    hang_lamps(room, name, 1, 1)
    if rng.chance(300):
        x, y = room.wall_point(rng.randint(0, 3), rng.randint(-1_200, 1_200), 400)
        room.hang_from_ceiling("hanging plant", x, y)


def place_bed(room: Room, main_wall: int, has_child: bool) -> Thing | None:
    """Place the bed with pillows and blanket, and a nightstand on either side."""
    rng = room.rng
    if has_child and rng.chance(450):
        bunk = room.place_against("bunk bed", main_wall, rng.choice((-1, 1)) * room.wall_length(main_wall) // 2)
        if bunk is not None:
            return bunk
    x, y = room.viewpoint
    shift = (x, -y, -x, y)[main_wall]
    half_length = room.wall_length(main_wall) // 2
    near = rng.randint(-half_length // 4, half_length // 4)
    variants = (1,) if has_child else (0, 3, 2, 0, 3) if room.height > 2_600 else (0, 3)
    bed = room.place_against("bed", main_wall, near, variant=rng.choice(variants))
    if bed is None:
        bed = room.place_against("bed", main_wall, -shift, variant=1)
    if bed is None:
        return room.place_against("bed", rng.choice(room.shuffled_walls(main_wall)), variant=1)
    x0, y0, x1, y1, _ = bed.surface
    # A double bed has a cushion on each half, in front of its own pillows.
    positions = ((x0 + x1) // 2,) if x1 - x0 < 1_300 else (x0 + (x1 - x0) // 4, x1 - (x1 - x0) // 4)
    like = room.make("pillow", variant=rng.choice((0, 2)))
    placed = [room.place_on(bed, "pillow", position, y0 + 620, like=like) for position in positions]
    make_group(room, [thing for thing in placed if thing is not None])
    if rng.chance(650):
        room.place_on(bed, "blanket", rng.choice((0, x0 // 2, x1 // 2)), y1 - 420)
    if rng.chance(350 if not has_child else 800):
        room.place_randomly_on(bed, "teddy bear", 10, (0, 3, 21))
    stand = room.make("nightstand")
    lamp = room.make("table lamp", variant=rng.choice((0, 2, 3)))
    tables = []
    for side in (-1, 1):
        table = room.place_beside(bed, "nightstand", side, 80, like=stand)
        if table is None:
            continue
        tables.append(table)
        x0, y0, x1, y1, _ = table.surface
        room.place_on(table, "table lamp", (x0 + x1) // 2, (y0 + y1) // 2 - 20, like=lamp) or room.place_randomly_on(
            table, "candle"
        )
        room.place_randomly_on(table, rng.choice(("book stack", "cup", "candle")), 3)
    make_group(room, tables)
    if hang_above(room, bed, main_wall, "painting", 300) is None or rng.chance(300):
        place_wall_row(room, "wall lamp", main_wall, 2, 1_500, near, 1_650)
    return bed


def place_wardrobe(room: Room) -> None:
    """Place a wardrobe where it fits."""
    for wall in room.shuffled_walls():
        if (wardrobe := room.place_against("wardrobe", wall, clear=450)) is not None:
            if room.rng.chance(350):
                room.place_beside(wardrobe, "suitcase", room.rng.choice((-1, 1)), 60)
            return


def place_dresser(room: Room) -> None:
    """Place a dresser under a mirror."""
    rng = room.rng
    for wall in room.shuffled_walls():
        dresser = room.place_against("dresser", wall, clear=450)
        if dresser is None:
            continue
        hang_above(room, dresser, wall, "mirror" if rng.chance(700) else "painting", 200)
        for name in rng.shuffled(("vase", "candle", "table lamp", "book stack", "teddy bear"))[: rng.randint(1, 3)]:
            room.place_randomly_on(dresser, name)
        return


def place_desk(room: Room) -> None:
    """Place a desk with a computer and a chair."""
    rng = room.rng
    for wall in room.shuffled_walls():
        desk = room.place_against("desk", wall, clear=700)
        if desk is None:
            continue
        x0, y0, x1, y1, _ = desk.surface
        # The chair is at +y and faces the wall.
        if rng.chance(600):
            room.place_on(desk, "laptop", (x0 + x1) // 2, (y0 + y1) // 2 + 60, 0) or room.place_randomly_on(
                desk, "laptop"
            )
        else:
            room.place_on(desk, "computer monitor", (x0 + x1) // 2, y0 + 160, 0) or room.place_randomly_on(
                desk, "computer monitor"
            )
        for name in rng.shuffled(("table lamp", "book stack", "cup", "vase"))[: rng.randint(1, 3)]:
            room.place_randomly_on(desk, name)
        room.place_ahead(desk, "office chair", 60, 2)
        if rng.chance(500):
            hang_above(room, desk, wall, "wall shelf", 550)
        return


def place_toys(room: Room) -> None:
    """Place toys."""
    rng = room.rng
    for name in ("toy box", "basket", "bookshelf"):
        if rng.chance(500):
            room.place_against(name, rng.choice(room.shuffled_walls()))
    for _ in range(rng.randint(1, 3)):
        room.place_anywhere("teddy bear")


def place_rug(room: Room) -> None:
    """Place a rug where there is space."""
    x, y = room.viewpoint
    for share in (1000, 800, 650):
        rug = room.make("rug", scale=(share, share, 1000))
        for dx, dy in ((0, 0), (0, 500), (500, 0), (-500, 0), (0, -500)):
            if room.try_add(rug.moved_to(x + dx, y + dy)) is not None:
                return


def decorate_walls(room: Room, main_wall: int) -> None:
    """Hang pictures, clocks, mirrors and shelves."""
    rng = room.rng
    for wall in room.shuffled_walls(main_wall)[: rng.randint(1, 2)]:
        place_wall_row(room, "painting", wall, rng.randint(1, 3), 200, rng.randint(-700, 700), 1_600, alike=False)
    if rng.chance(500):
        hang_on_walls(room, "wall clock", 1, rng.randint(1_750, 1_950))
    if rng.chance(350):
        hang_on_walls(room, "mirror", 1, 1_550)
    if rng.chance(500):
        for wall in room.shuffled_walls()[:1]:
            shelf = room.hang("wall shelf", wall, 1_450)
            if shelf is not None:
                room.place_randomly_on(shelf, "book stack")
                room.place_randomly_on(shelf, "candle")
    if rng.chance(350):
        hang_on_walls(room, "poster", 1, 1_600, variant=rng.randint(0, 1))
    if rng.chance(300):
        room.hang("air vent", rng.randint(0, 3), room.height - 300, clearance=60)
    hang_on_walls(room, "electrical outlet", rng.randint(1, 2), 350, clearance=60)


def place_small_furniture(room: Room) -> None:
    """Place an armchair, plants, baskets, a guitar and a coat rack."""
    rng = room.rng
    if rng.chance(500):
        room.place_in_corner("armchair", 100)
    place_plants(room, rng.randint(0, 2))
    for name, per_mille in (
        ("basket", 400),
        ("coat rack", 250),
        ("floor lamp", 450),
        ("ottoman", 350),
        ("stool", 150),
        ("bookshelf", 300),
    ):
        if rng.chance(per_mille):
            room.place_against(name, rng.randint(0, 3))
    if rng.chance(200):
        room.place_in_corner("guitar")
