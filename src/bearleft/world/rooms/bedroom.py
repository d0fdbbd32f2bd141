"""Bedrooms: a bed between nightstands, a dresser, a wardrobe, a desk, what children have."""

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
    """A bedroom."""
    dice, main = room.dice, room.main
    child = dice.chance(350)
    bed = place_bed(room, main, child)
    if dice.chance(450 if child else 200):
        room.against("crib", dice.one_of(room.walls(main)))
    for furniture in dice.shuffled((place_wardrobe, place_dresser, place_desk)):
        furniture(room)
    if child:
        place_toys(room)
    if bed is not None and dice.chance(750):
        place_rug(room)
    decorate_walls(room, main)
    place_small_furniture(room)
    fill_walls(
        room, ("bookshelf", "cabinet", "chair", "basket", "potted plant", "floor lamp", "suitcase", "ottoman"), 3
    )
    name = dice.one_of(("ceiling lamp", "ceiling lamp", "ceiling fan", "chandelier"))
    hang_lamps(room, name, 1, 1)
    if dice.chance(300):
        x, y = room.on_line(dice.between(0, 3), dice.between(-1_200, 1_200), 400)
        room.under_ceiling("hanging plant", x, y)


def place_bed(room: Room, main: int, child: bool) -> Thing | None:
    """The bed, its pillows and blanket, and a nightstand on either side."""
    dice = room.dice
    if child and dice.chance(450):
        bunk = room.against("bunk bed", main, dice.one_of((-1, 1)) * room.span(main) // 2)
        if bunk is not None:
            return bunk
    x, y = room.stand
    shift = (x, -y, -x, y)[main]
    wide = room.span(main) // 2
    near = dice.between(-wide // 4, wide // 4)
    variants = (1,) if child else (0, 3, 2, 0, 3) if room.high > 2_600 else (0, 3)
    bed = room.against("bed", main, near, variant=dice.one_of(variants))
    if bed is None:
        bed = room.against("bed", main, -shift, variant=1)
    if bed is None:
        return room.against("bed", dice.one_of(room.walls(main)), variant=1)
    x0, y0, x1, y1, _ = bed.top
    # A double bed has a cushion on either side of its middle, before the pillows it is made with.
    spots = ((x0 + x1) // 2,) if x1 - x0 < 1_300 else (x0 + (x1 - x0) // 4, x1 - (x1 - x0) // 4)
    like = room.make("pillow", variant=dice.one_of((0, 2)))
    put = [room.on(bed, "pillow", at, y0 + 620, like=like) for at in spots]
    make_group(room, [one for one in put if one is not None])
    if dice.chance(650):
        room.on(bed, "blanket", dice.one_of((0, x0 // 2, x1 // 2)), y1 - 420)
    if dice.chance(350 if not child else 800):
        room.about(bed, "teddy bear", 10, (0, 3, 21))
    stand = room.make("nightstand")
    lamp = room.make("table lamp", variant=dice.one_of((0, 2, 3)))
    tables = []
    for side in (-1, 1):
        table = room.beside(bed, "nightstand", side, 80, like=stand)
        if table is None:
            continue
        tables.append(table)
        x0, y0, x1, y1, _ = table.top
        room.on(table, "table lamp", (x0 + x1) // 2, (y0 + y1) // 2 - 20, like=lamp) or room.about(table, "candle")
        room.about(table, dice.one_of(("book stack", "cup", "candle")), 3)
    make_group(room, tables)
    if hang_above(room, bed, main, "painting", 300) is None or dice.chance(300):
        place_wall_row(room, "wall lamp", main, 2, 1_500, near, 1_650)
    return bed


def place_wardrobe(room: Room) -> None:
    """A wardrobe, wherever it fits."""
    for wall in room.walls():
        if (one := room.against("wardrobe", wall, clear=450)) is not None:
            if room.dice.chance(350):
                room.beside(one, "suitcase", room.dice.one_of((-1, 1)), 60)
            return


def place_dresser(room: Room) -> None:
    """A dresser under a mirror."""
    dice = room.dice
    for wall in room.walls():
        one = room.against("dresser", wall, clear=450)
        if one is None:
            continue
        hang_above(room, one, wall, "mirror" if dice.chance(700) else "painting", 200)
        for name in dice.shuffled(("vase", "candle", "table lamp", "book stack", "teddy bear"))[: dice.between(1, 3)]:
            room.about(one, name)
        return


def place_desk(room: Room) -> None:
    """A desk with a computer and its chair."""
    dice = room.dice
    for wall in room.walls():
        one = room.against("desk", wall, clear=700)
        if one is None:
            continue
        x0, y0, x1, y1, _ = one.top
        # One sits at its +y side and looks at the wall.
        if dice.chance(600):
            room.on(one, "laptop", (x0 + x1) // 2, (y0 + y1) // 2 + 60, 0) or room.about(one, "laptop")
        else:
            room.on(one, "computer monitor", (x0 + x1) // 2, y0 + 160, 0) or room.about(one, "computer monitor")
        for name in dice.shuffled(("table lamp", "book stack", "cup", "vase"))[: dice.between(1, 3)]:
            room.about(one, name)
        room.ahead(one, "office chair", 60, 2)
        if dice.chance(500):
            hang_above(room, one, wall, "wall shelf", 550)
        return


def place_toys(room: Room) -> None:
    """Toys."""
    dice = room.dice
    for name in ("toy box", "basket", "bookshelf"):
        if dice.chance(500):
            room.against(name, dice.one_of(room.walls()))
    for _ in range(dice.between(1, 3)):
        room.somewhere("teddy bear")


def place_rug(room: Room) -> None:
    """A rug, where there is room for one."""
    x, y = room.stand
    for share in (1000, 800, 650):
        rug = room.make("rug", stretch=(share, share, 1000))
        for dx, dy in ((0, 0), (0, 500), (500, 0), (-500, 0), (0, -500)):
            if room.drop(rug.at(x + dx, y + dy)) is not None:
                return


def decorate_walls(room: Room, main: int) -> None:
    """What hangs on the walls."""
    dice = room.dice
    for wall in room.walls(main)[: dice.between(1, 2)]:
        place_wall_row(room, "painting", wall, dice.between(1, 3), 200, dice.between(-700, 700), 1_600, alike=False)
    if dice.chance(500):
        hang_on_walls(room, "wall clock", 1, dice.between(1_750, 1_950))
    if dice.chance(350):
        hang_on_walls(room, "mirror", 1, 1_550)
    if dice.chance(500):
        for wall in room.walls()[:1]:
            shelf = room.hang("wall shelf", wall, 1_450)
            if shelf is not None:
                room.about(shelf, "book stack")
                room.about(shelf, "candle")
    if dice.chance(350):
        hang_on_walls(room, "poster", 1, 1_600, variant=dice.between(0, 1))
    if dice.chance(300):
        room.hang("air vent", dice.between(0, 3), room.high - 300, before=60)
    hang_on_walls(room, "electrical outlet", dice.between(1, 2), 350, before=60)


def place_small_furniture(room: Room) -> None:
    """An armchair, plants, baskets, a guitar, a coat rack."""
    dice = room.dice
    if dice.chance(500):
        room.corner("armchair", 100)
    place_plants(room, dice.between(0, 2))
    for name, often in (
        ("basket", 400),
        ("coat rack", 250),
        ("floor lamp", 450),
        ("ottoman", 350),
        ("stool", 150),
        ("bookshelf", 300),
    ):
        if dice.chance(often):
            room.against(name, dice.between(0, 3))
    if dice.chance(200):
        room.corner("guitar")
