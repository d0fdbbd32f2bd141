"""The shell of a room as things: floor, ceiling, walls, doors and windows, and what belongs to them."""

from __future__ import annotations

from bearleft.world.city.palette import COLOUR_NAMES
from bearleft.world.rooms.arrangements import offset_along_wall as how_far
from bearleft.world.rooms.extents import bounding_box, part_boxes
from bearleft.world.rooms.placement import FLAT_HEIGHT, FLOOR_Z, Room, Thing

DOOR_CLEARANCE = 950  # so much before a door stays free
WINDOW_CLEARANCE = 260
SILL_HEIGHT = 900
HOMES = ("living_room", "bedroom")
CARPET, BORDERED, CARPET_COLOURS = 3, 5, ("maroon", "navy", "grey", "dark grey", "beige", "tan")  # floors of cloth
LIGHT_COLOURS = ("white", "cream", "beige", "light blue", "tan", "grey")

# What is of one colour all over. Under or over it the other has a pattern: no room is bare above and below.
PLAIN_FLOORS, PLAIN_CEILINGS = (CARPET,), (0,)
GLASS_DOORS = (1, 3, 4)
WINDOW_SHAPES = 3  # of windows; each with three views outside
# Per category: variants of walls, of floors and of ceilings, by their numbers in the catalogue.
STYLES: dict[str, tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]] = {
    "restaurant": ((0, 0, 2, 3, 4, 5), (0, 0, 1, 1, 2, 5, 4), (0, 1, 2, 3)),
    "shop": ((0, 0, 3, 4, 0), (0, 0, 1, 2, 2, 4), (0, 1, 1, 3)),
    "expo_showroom": ((0, 0, 0, 5), (0, 2, 2, 3, 5, 4), (0, 1, 1, 3)),
    "living_room": ((0, 0, 1, 5, 3), (0, 0, 5, 2), (0, 2, 2, 3, 3)),
    "bedroom": ((0, 0, 1, 5), (0, 0, 3, 5), (0, 2, 2, 3, 3)),
}


def build_shell(room: Room) -> None:
    """Floor, ceiling, walls, doors and windows."""
    dice = room.dice
    walls, floors, ceilings = STYLES[room.kind]
    whole = room.wide, room.deep
    below = dice.one_of(floors)
    cloth = dice.one_of(CARPET_COLOURS) if below in (CARPET, BORDERED) else ""
    if below in PLAIN_FLOORS:
        ceilings = tuple(one for one in ceilings if one not in PLAIN_CEILINGS)
    floor = room.make("floor", variant=below, z=0, stretch=(*whole, 1000), first=cloth)
    ceiling = room.make("ceiling", variant=dice.one_of(ceilings), z=room.high, stretch=(*whole, 1000))
    room.things += [floor, ceiling]
    for part, box in part_boxes("ceiling", ceiling.variant):
        if part == "beam":
            y0, y1 = box[1] * room.deep // 1000, box[4] * room.deep // 1000
            room.take((-room.wide // 2, y0, room.high + box[2], room.wide // 2, y1, room.high))
    usual = room.make("wall", variant=dice.one_of(walls), first=dice.one_of(LIGHT_COLOURS), z=0)
    accent = room.make("wall", variant=dice.one_of(walls), z=0)
    other = accent if dice.chance(450) else usual
    group = room.new_group()
    thick = -bounding_box("wall", 0)[1]
    for wall in range(4):
        long = room.span(wall) + (2 * thick if wall % 2 == 0 else 0)
        one = room.make(
            "wall",
            *room.on_line(wall, 0, 0),
            6 * ((wall + 2) % 4),
            0,
            like=other if wall == room.main else usual,
            stretch=(long, 1000, room.high),
            group=group,
            place=wall,
        )
        room.things.append(one)
    for k, thing in enumerate(room.things):
        thing.number = k
    _doors(room)
    _windows(room)
    room.shy = {COLOUR_NAMES[one] for one in (floor.first, usual.first)}


def _doors(room: Room) -> None:
    dice, home = room.dice, room.kind in HOMES
    walls = room.walls(room.main) if home else room.walls()
    like: Thing | None = None
    for k in range(1 if home and dice.chance(650) else 2):
        variant = 2 if not home and k == 0 else dice.one_of(GLASS_DOORS) if dice.chance(500) else 0
        wall = walls[k % len(walls)]
        span = room.span(wall)
        # At home near a corner, elsewhere anywhere: the rest of the wall stays whole.
        near = (
            dice.between(span // 4, span // 2) * dice.one_of((-1, 1)) if home else dice.between(-span // 3, span // 3)
        )
        how = {"like": like} if like is not None and home else {"variant": variant}
        door = room.against("room door", wall, near, off=0, clear=DOOR_CLEARANCE, owner=room.wall(wall), **how)
        if door is None:
            continue
        like = door
        x0, y0, _, x1, y1, z1 = door.box
        far = DOOR_CLEARANCE
        reach = ((x0, y0 - far, x1, y1), (x0 - far, y0, x1, y1), (x0, y0, x1, y1 + far), (x0, y0, x1 + far, y1))[wall]
        room.take((*reach[:2], FLAT_HEIGHT, *reach[2:], z1))
        side = 1 if near < 0 else -1
        along = how_far(wall, door)
        half = (bounding_box("room door", door.variant)[3] - bounding_box("room door", door.variant)[0]) // 2
        for way in (side, -side):
            if room.hang("light switch", wall, 1_150, along + way * (half + 140), 60, 0):
                break
        if not home:
            room.hang("exit sign", wall, z1 + 220, along, 200, 0)


def _windows(room: Room) -> None:
    """Rows of windows, evenly spaced, alike."""
    dice, home = room.dice, room.kind in HOMES
    most = {"restaurant": 3, "shop": 2, "expo_showroom": 1, "living_room": 2, "bedroom": 2}[room.kind]
    walls = room.walls(room.main)[: dice.between(0 if room.kind == "expo_showroom" else 1, most)]
    shape = dice.between(0, WINDOW_SHAPES - 1)
    variant = shape + WINDOW_SHAPES * dice.between(0, 2)
    wide = 1000 if home else dice.one_of((1000, 1300, 1600))
    tall = 1000 if home or shape == 1 else dice.one_of((1000, 1250))
    like = room.make("room window", variant=variant)
    x0, _, z0, x1, _, z1 = bounding_box("room window", variant)
    span = (x1 - x0) * wide // 1000
    z = min(SILL_HEIGHT - z0 * tall // 1000, room.high - 120 - z1 * tall // 1000)
    like_curtain: Thing | None = None
    for wall in walls:
        length = room.span(wall)
        count = min(dice.between(1, 2 if home else 5), (length - 600) // (span + 500))
        if count < 1:
            continue
        group = room.new_group() if count > 1 else -1
        shift = dice.between(-length // 10, length // 10) if count == 1 else 0
        spacing = min(length // count, span + dice.between(500, 1_400))
        for k in range(count):
            near = (2 * k + 1 - count) * spacing // 2 + shift
            window = room.hang(
                "room window",
                wall,
                z,
                near,
                WINDOW_CLEARANCE,
                0,
                like=like,
                stretch=(wide, 1000, tall),
                group=group,
                place=k,
            )
            if window is None or not home:
                continue
            if k == 0:
                like_curtain = room.make("curtain", variant=dice.one_of((0, 0, 2, 2, 1))) if dice.chance(650) else None
            if like_curtain is not None:
                _curtain(room, wall, near, window, like_curtain)
            elif dice.chance(600):
                room.hang("radiator", wall, FLOOR_Z, near, 60, 0, margin=0)


def _curtain(room: Room, wall: int, near: int, window: Thing, like: Thing) -> None:
    """A curtain before a window: its panels clear of the sill, or before it where they are drawn."""
    _, _, _, half, out, _ = bounding_box("room window", window.variant)
    inner = min(box[0] for part, box in part_boxes("curtain", like.variant) if part == "right panel" and box[2] < 500)
    drawn = inner < 100
    wide = 1000 if drawn else max(1000, (half + 15) * 1000 // inner)
    frame = max(box[4] for part, box in part_boxes("room window", window.variant) if part == "frame")
    away = (out if drawn else frame) + 10
    x, y = room.on_line(wall, near, away)
    curtain = room.make(
        "curtain", x, y, 6 * ((wall + 2) % 4), like=like, stretch=(wide, 1000, 1000), owner=window.number
    )
    room.drop(curtain, 0, window.number)
