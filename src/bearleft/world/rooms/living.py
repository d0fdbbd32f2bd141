"""Living rooms: a sofa and table in front of a television or fireplace, shelves, lamps, pictures."""

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
    """Furnish a living room."""
    rng, main_wall = room.rng, room.main_wall
    place_focus(room, main_wall)
    sofa = place_lounge(room)
    if sofa is None:
        room.place_against("sofa", (main_wall + 2) % 4, variant=1)
    place_instruments(room)
    if rng.chance(350):
        place_dining_table(room)
    place_storage(room)
    place_reading_corner(room)
    decorate_walls(room, main_wall)
    if rng.chance(500):
        place_plants(room, rng.randint(1, 3))
    else:
        room.place_in_corner("floor lamp")
        place_plants(room, 1)
    place_small_furniture(room)
    fill_walls(
        room, ("bookshelf", "armchair", "cabinet", "potted plant", "floor lamp", "stool", "fish tank", "chair"), 4
    )
    hang_from_ceiling(room)


def place_focus(room: Room, main_wall: int) -> None:
    """Place the focus of the room: a television on its stand or on the wall, or a fireplace."""
    rng = room.rng
    near = rng.randint(-300, 300)
    if rng.chance(380):
        fire = room.place_against("fireplace", main_wall, near, wall_gap=0)
        if fire is not None:
            hang_above(room, fire, main_wall, rng.choice(("painting", "mirror", "wall clock")), 200)
            for side in (-1, 1):
                if rng.chance(350):
                    room.place_beside(fire, rng.choice(("basket", "floor lamp", "potted plant")), side, 120)
            return
    stand = room.place_against("tv stand", main_wall, near)
    if stand is None:
        return
    if rng.chance(300):
        hang_above(room, stand, main_wall, "television", 250, variant=1)
        room.place_randomly_on(stand, "vase")
        room.place_randomly_on(stand, "book stack")
    else:
        x0, y0, x1, y1, _ = stand.surface
        for variant in (rng.choice((0, 0, 2, 3)), 0):
            if room.place_on(stand, "television", (x0 + x1) // 2, (y0 + y1) // 2, variant=variant):
                break
        room.place_randomly_on(stand, "candle", 3)
    for side in (-1, 1):
        if rng.chance(400):
            room.place_beside(stand, rng.choice(("potted plant", "floor lamp", "loudspeaker", "basket")), side, 150)


def place_lounge(room: Room) -> Thing | None:
    """Place sofa, rug, table and armchairs at the wall farthest from the viewpoint."""
    rng = room.rng
    x, y = room.viewpoint
    distances = {wall: room.half_size[wall] - (y, x, -y, -x)[wall] for wall in range(4) if wall != room.main_wall}
    sofa = None
    for wall in sorted(distances, key=lambda candidate: -distances[candidate]):
        near = (x, -y, -x, y)[wall] + rng.randint(-400, 400)
        sofa = room.place_against(
            "sofa", wall, near, variant=rng.choice((0, 1, 3, 0, 3) if distances[wall] < 3_200 else (0, 2, 3))
        )
        if sofa is not None:
            break
    if sofa is None:
        return None
    hang_above(room, sofa, wall, "painting", 300)
    x0, y0, x1, _, _ = sofa.surface
    positions = ((x0 + x1) // 2, x0 + 240, x1 - 240)[: rng.randint(1, 3)]
    cushion = room.make("pillow", variant=0)
    cushions = [
        next(
            (pillow for y in (140, 300, 400) if (pillow := room.place_on(sofa, "pillow", x, y0 + y, like=cushion))),
            None,
        )
        for x in positions
    ]
    make_group(room, [pillow for pillow in cushions if pillow is not None])
    if rng.chance(250):
        room.place_randomly_on(sofa, rng.choice(("teddy bear", "blanket")))
    rug = room.place_ahead(sofa, "rug", 40) if rng.chance(800) else None
    rug_options: dict[str, Any] = {} if rug is None else {"z": rug.box[5], "owner": rug.index, "within": rug.box}
    table = room.place_ahead(sofa, "coffee table", 380, **rug_options) or room.place_ahead(
        sofa, "coffee table", 300, variant=0, **rug_options
    )
    if table is not None:
        for name in rng.shuffled(TABLE_ITEMS)[: rng.randint(2, 4)]:
            room.place_randomly_on(table, name)
        place_seats(room, table, "armchair", (0, rng.randint(0, 1), 0, rng.randint(0, 1)), gap=330)
    sides = rng.shuffled((-1, 1))
    end = room.place_beside(sofa, "side table", sides[0], 60)
    if end is not None:
        room.place_randomly_on(end, "table lamp")
        room.place_randomly_on(end, "cup", 3)
    if rng.chance(700):
        room.place_beside(sofa, "floor lamp", sides[1], 60)
    elif (other := room.place_beside(sofa, "side table", sides[1], 60)) is not None:
        room.place_randomly_on(other, rng.choice(("vase", "table lamp", "book stack")))
    return sofa


def place_dining_table(room: Room) -> None:
    """Place a dining table with chairs if the room is large enough."""
    rng = room.rng
    for _ in range(6):
        table = room.place_anywhere("dining table", 6 * rng.randint(0, 1), margin=560)
        if table is None:
            continue
        place_seats(room, table, "chair", (2, 1, 2, 1) if table.variant != 1 else (1, 1, 1, 1))
        for name in rng.shuffled(("fruit bowl", "vase", "candle", "teapot"))[:2]:
            room.place_randomly_on(table, name)
        return


def place_instruments(room: Room) -> None:
    """Place a piano with its stool, and a guitar."""
    rng = room.rng
    if rng.chance(330):
        wall = rng.choice(room.shuffled_walls(room.main_wall))
        piano = room.place_against("piano", wall, clear=500)
        if piano is not None:
            room.place_ahead(piano, "stool", 120, turn=2)
            hang_above(room, piano, wall, "painting", 250)
    if rng.chance(300):
        room.place_in_corner("guitar")


def place_storage(room: Room) -> None:
    """Place bookshelves, and cabinets with things on them."""
    rng = room.rng
    for wall in room.shuffled_walls()[: rng.randint(1, 2)]:
        place_wall_row(room, "bookshelf", wall, rng.randint(1, 2), 30, rng.randint(-1_200, 1_200))
    for wall in room.shuffled_walls()[: rng.randint(0, 2)]:
        cabinet = room.place_against("cabinet", wall, clear=300)
        if cabinet is None:
            continue
        if cabinet.box[5] < 1_300:
            for name in rng.shuffled(("vase", "table lamp", "book stack", "candle", "teddy bear"))[:3]:
                room.place_randomly_on(cabinet, name)
            hang_above(room, cabinet, wall, rng.choice(("mirror", "painting", "wall clock")), 300)


def place_reading_corner(room: Room) -> None:
    """Place an armchair in a corner, with an ottoman."""
    rng = room.rng
    chair = room.place_in_corner("armchair", 120)
    if chair is not None and rng.chance(500):
        room.place_anywhere("ottoman", 6 * rng.randint(0, 3), margin=60)


def decorate_walls(room: Room, main_wall: int) -> None:
    """Hang rows of paintings, a clock, a mirror, shelves and lamps."""
    rng = room.rng
    for wall in room.shuffled_walls(main_wall)[:2]:
        near = rng.randint(-800, 800)
        place_wall_row(room, "painting", wall, rng.randint(1, 3), rng.randint(150, 350), near, 1_600, alike=False)
    if rng.chance(600):
        hang_on_walls(room, "wall clock", 1, rng.randint(1_750, 2_000))
    if rng.chance(500):
        hang_on_walls(room, "mirror", 1, 1_550)
    if rng.chance(500):
        for wall in room.shuffled_walls()[:1]:
            shelf = room.hang("wall shelf", wall, 1_450)
            if shelf is not None:
                room.place_randomly_on(shelf, "book stack")
                room.place_randomly_on(shelf, rng.choice(("vase", "candle")))
    if rng.chance(350):
        wall = rng.choice(room.shuffled_walls())
        place_wall_row(room, "wall lamp", wall, 2, rng.randint(1_600, 2_200), 0, 1_650)


def place_small_furniture(room: Room) -> None:
    """Place baskets, toys, a coat rack and a suitcase, and outlets in the walls."""
    rng = room.rng
    for name, per_mille in (
        ("basket", 450),
        ("toy box", 350),
        ("coat rack", 350),
        ("suitcase", 180),
        ("ottoman", 350),
        ("fish tank", 250),
    ):
        if rng.chance(per_mille):
            thing = room.place_against(name, rng.randint(0, 3))
            if thing is not None and name == "toy box":
                room.place_ahead(thing, "teddy bear", 60)
    if rng.chance(250):
        room.place_in_corner("teddy bear")
    hang_on_walls(room, "electrical outlet", rng.randint(1, 3), 350, clearance=60)


def hang_from_ceiling(room: Room) -> None:
    """Hang a lamp or fan, and sometimes a plant, from the ceiling."""
    rng = room.rng
    name = rng.choice(("ceiling lamp", "ceiling lamp", "chandelier", "ceiling fan"))
    hang_lamps(room, name, 1, 1)
    if rng.chance(350):
        x, y = room.wall_point(rng.randint(0, 3), rng.randint(-1_500, 1_500), 420)
        room.hang_from_ceiling("hanging plant", x, y)
    if rng.chance(400):
        room.hang("air vent", rng.randint(0, 3), room.height - 350, clearance=60)
