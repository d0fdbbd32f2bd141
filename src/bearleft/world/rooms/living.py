"""Living rooms: a sofa around a table before a television or a fire, shelves, lamps, pictures, what people keep."""

from __future__ import annotations

from typing import Any

from bearleft.world.rooms.arrangements import (
    fill_walls,
    hang_above,
    hang_lamps,
    hang_on_walls,
    make_group,
    place_plants,
    place_seats,
    place_wall_row,
)
from bearleft.world.rooms.placement import Room, Thing

TABLE_ITEMS = ("vase", "candle", "book stack", "fruit bowl", "cup", "bowl", "teapot")


def furnish(room: Room) -> None:
    """A living room."""
    dice, main = room.dice, room.main
    place_focus(room, main)
    sofa = place_lounge(room)
    if sofa is None:
        room.against("sofa", (main + 2) % 4, variant=1)
    place_instruments(room)
    if dice.chance(350):
        place_dining_table(room)
    place_storage(room)
    place_reading_corner(room)
    decorate_walls(room, main)
    if dice.chance(500):
        place_plants(room, dice.between(1, 3))
    else:
        room.corner("floor lamp")
        place_plants(room, 1)
    place_small_furniture(room)
    fill_walls(
        room, ("bookshelf", "armchair", "cabinet", "potted plant", "floor lamp", "stool", "fish tank", "chair"), 4
    )
    hang_from_ceiling(room)


def place_focus(room: Room, main: int) -> None:
    """What the room looks at: a television on its stand or on the wall, or a fireplace."""
    dice = room.dice
    near = dice.between(-300, 300)
    if dice.chance(380):
        fire = room.against("fireplace", main, near, off=0)
        if fire is not None:
            hang_above(room, fire, main, dice.one_of(("painting", "mirror", "wall clock")), 200)
            for side in (-1, 1):
                if dice.chance(350):
                    room.beside(fire, dice.one_of(("basket", "floor lamp", "potted plant")), side, 120)
            return
    stand = room.against("tv stand", main, near)
    if stand is None:
        return
    if dice.chance(300):
        hang_above(room, stand, main, "television", 250, variant=1)
        room.about(stand, "vase")
        room.about(stand, "book stack")
    else:
        x0, y0, x1, y1, _ = stand.top
        for variant in (dice.one_of((0, 0, 2, 3)), 0):
            if room.on(stand, "television", (x0 + x1) // 2, (y0 + y1) // 2, variant=variant):
                break
        room.about(stand, "candle", 3)
    for side in (-1, 1):
        if dice.chance(400):
            room.beside(stand, dice.one_of(("potted plant", "floor lamp", "loudspeaker", "basket")), side, 150)


def place_lounge(room: Room) -> Thing | None:
    """Sofa, rug, table, armchairs, at the wall that is farthest from one's place."""
    dice = room.dice
    x, y = room.stand
    far = {wall: room.half[wall] - (y, x, -y, -x)[wall] for wall in range(4) if wall != room.main}
    sofa = None
    for wall in sorted(far, key=lambda one: -far[one]):
        near = (x, -y, -x, y)[wall] + dice.between(-400, 400)
        sofa = room.against(
            "sofa", wall, near, variant=dice.one_of((0, 1, 3, 0, 3) if far[wall] < 3_200 else (0, 2, 3))
        )
        if sofa is not None:
            break
    if sofa is None:
        return None
    hang_above(room, sofa, wall, "painting", 300)
    x0, y0, x1, _, _ = sofa.top
    spots = ((x0 + x1) // 2, x0 + 240, x1 - 240)[: dice.between(1, 3)]
    cushion = room.make("pillow", variant=0)
    cushions = [
        next((one for y in (140, 300, 400) if (one := room.on(sofa, "pillow", x, y0 + y, like=cushion))), None)
        for x in spots
    ]
    make_group(room, [one for one in cushions if one is not None])
    if dice.chance(250):
        room.about(sofa, dice.one_of(("teddy bear", "blanket")))
    rug = room.ahead(sofa, "rug", 40) if dice.chance(800) else None
    below: dict[str, Any] = {} if rug is None else {"z": rug.box[5], "owner": rug.number, "within": rug.box}
    table = room.ahead(sofa, "coffee table", 380, **below) or room.ahead(sofa, "coffee table", 300, variant=0, **below)
    if table is not None:
        for name in dice.shuffled(TABLE_ITEMS)[: dice.between(2, 4)]:
            room.about(table, name)
        place_seats(room, table, "armchair", (0, dice.between(0, 1), 0, dice.between(0, 1)), gap=330)
    sides = dice.shuffled((-1, 1))
    end = room.beside(sofa, "side table", sides[0], 60)
    if end is not None:
        room.about(end, "table lamp")
        room.about(end, "cup", 3)
    if dice.chance(700):
        room.beside(sofa, "floor lamp", sides[1], 60)
    elif (other := room.beside(sofa, "side table", sides[1], 60)) is not None:
        room.about(other, dice.one_of(("vase", "table lamp", "book stack")))
    return sofa


def place_dining_table(room: Room) -> None:
    """A table with chairs, where the room is large enough."""
    dice = room.dice
    for _ in range(6):
        table = room.somewhere("dining table", 6 * dice.between(0, 1), margin=560)
        if table is None:
            continue
        place_seats(room, table, "chair", (2, 1, 2, 1) if table.variant != 1 else (1, 1, 1, 1))
        for name in dice.shuffled(("fruit bowl", "vase", "candle", "teapot"))[:2]:
            room.about(table, name)
        return


def place_instruments(room: Room) -> None:
    """A piano with its stool, a guitar."""
    dice = room.dice
    if dice.chance(330):
        wall = dice.one_of(room.walls(room.main))
        piano = room.against("piano", wall, clear=500)
        if piano is not None:
            room.ahead(piano, "stool", 120, turn=2)
            hang_above(room, piano, wall, "painting", 250)
    if dice.chance(300):
        room.corner("guitar")


def place_storage(room: Room) -> None:
    """Bookshelves, cabinets with things on them."""
    dice = room.dice
    for wall in room.walls()[: dice.between(1, 2)]:
        place_wall_row(room, "bookshelf", wall, dice.between(1, 2), 30, dice.between(-1_200, 1_200))
    for wall in room.walls()[: dice.between(0, 2)]:
        cabinet = room.against("cabinet", wall, clear=300)
        if cabinet is None:
            continue
        if cabinet.box[5] < 1_300:
            for name in dice.shuffled(("vase", "table lamp", "book stack", "candle", "teddy bear"))[:3]:
                room.about(cabinet, name)
            hang_above(room, cabinet, wall, dice.one_of(("mirror", "painting", "wall clock")), 300)


def place_reading_corner(room: Room) -> None:
    """An armchair in a corner with a lamp and a stool for the feet."""
    dice = room.dice
    chair = room.corner("armchair", 120)
    if chair is not None and dice.chance(500):
        room.somewhere("ottoman", 6 * dice.between(0, 3), margin=60)


def decorate_walls(room: Room, main: int) -> None:
    """Paintings in rows, a clock, a mirror, shelves, lamps on the walls."""
    dice = room.dice
    for wall in room.walls(main)[:2]:
        near = dice.between(-800, 800)
        place_wall_row(room, "painting", wall, dice.between(1, 3), dice.between(150, 350), near, 1_600, alike=False)
    if dice.chance(600):
        hang_on_walls(room, "wall clock", 1, dice.between(1_750, 2_000))
    if dice.chance(500):
        hang_on_walls(room, "mirror", 1, 1_550)
    if dice.chance(500):
        for wall in room.walls()[:1]:
            shelf = room.hang("wall shelf", wall, 1_450)
            if shelf is not None:
                room.about(shelf, "book stack")
                room.about(shelf, dice.one_of(("vase", "candle")))
    if dice.chance(350):
        wall = dice.one_of(room.walls())
        place_wall_row(room, "wall lamp", wall, 2, dice.between(1_600, 2_200), 0, 1_650)


def place_small_furniture(room: Room) -> None:
    """What lies about: baskets, toys, a coat rack, a suitcase; outlets in the walls."""
    dice = room.dice
    for name, often in (
        ("basket", 450),
        ("toy box", 350),
        ("coat rack", 350),
        ("suitcase", 180),
        ("ottoman", 350),
        ("fish tank", 250),
    ):
        if dice.chance(often):
            thing = room.against(name, dice.between(0, 3))
            if thing is not None and name == "toy box":
                room.ahead(thing, "teddy bear", 60)
    if dice.chance(250):
        room.corner("teddy bear")
    hang_on_walls(room, "electrical outlet", dice.between(1, 3), 350, before=60)


def hang_from_ceiling(room: Room) -> None:
    """What hangs from the ceiling."""
    dice = room.dice
    name = dice.one_of(("ceiling lamp", "ceiling lamp", "chandelier", "ceiling fan"))
    hang_lamps(room, name, 1, 1)
    if dice.chance(350):
        x, y = room.on_line(dice.between(0, 3), dice.between(-1_500, 1_500), 420)
        room.under_ceiling("hanging plant", x, y)
    if dice.chance(400):
        room.hang("air vent", dice.between(0, 3), room.high - 350, before=60)
