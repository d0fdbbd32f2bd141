"""Floor, ceiling, walls, doors and windows of a room."""

from __future__ import annotations

from bearleft.world.city.palette import COLOUR_NAMES
from bearleft.world.rooms.arrangements import offset_along_wall
from bearleft.world.rooms.extents import bounding_box, part_boxes
from bearleft.world.rooms.placement import FLAT_HEIGHT, FLOOR_Z, Room, Thing

DOOR_CLEARANCE = 950  # millimetres that stay free in front of a door
WINDOW_CLEARANCE = 260  # millimetres
SILL_HEIGHT = 900  # millimetres
HOMES = ("living_room", "bedroom")
CARPET, BORDERED_CARPET = 3, 5  # variants of floors
CARPET_COLOURS = ("maroon", "navy", "grey", "dark grey", "beige", "tan")
LIGHT_COLOURS = ("white", "cream", "beige", "light blue", "tan", "grey")

# Variants without a pattern. A room does not have both a plain floor and a plain ceiling.
PLAIN_FLOORS, PLAIN_CEILINGS = (CARPET,), (0,)
GLASS_DOORS = (1, 3, 4)  # variants
WINDOW_SHAPES = 3  # each has three variants with different views
# Per category: variants of walls, floors and ceilings.
STYLES: dict[str, tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]] = {
    "restaurant": ((0, 0, 2, 3, 4, 5), (0, 0, 1, 1, 2, 5, 4), (0, 1, 2, 3)),
    "shop": ((0, 0, 3, 4, 0), (0, 0, 1, 2, 2, 4), (0, 1, 1, 3)),
    "expo_showroom": ((0, 0, 0, 5), (0, 2, 2, 3, 5, 4), (0, 1, 1, 3)),
    "living_room": ((0, 0, 1, 5, 3), (0, 0, 5, 2), (0, 2, 2, 3, 3)),
    "bedroom": ((0, 0, 1, 5), (0, 0, 3, 5), (0, 2, 2, 3, 3)),
}


def build_shell(room: Room) -> None:
    """Add floor, ceiling, walls, doors and windows to a room."""
    rng = room.rng
    walls, floors, ceilings = STYLES[room.kind]
    floor_size = room.width, room.depth
    floor_variant = rng.choice(floors)
    carpet_colour = rng.choice(CARPET_COLOURS) if floor_variant in (CARPET, BORDERED_CARPET) else ""
    if floor_variant in PLAIN_FLOORS:
        ceilings = tuple(variant for variant in ceilings if variant not in PLAIN_CEILINGS)
    floor = room.make("floor", variant=floor_variant, z=0, scale=(*floor_size, 1000), first=carpet_colour)
    ceiling = room.make("ceiling", variant=rng.choice(ceilings), z=room.height, scale=(*floor_size, 1000))
    room.things += [floor, ceiling]
    for part, box in part_boxes("ceiling", ceiling.variant):
        if part == "beam":
            y0, y1 = box[1] * room.depth // 1000, box[4] * room.depth // 1000
            room.occupy((-room.width // 2, y0, room.height + box[2], room.width // 2, y1, room.height))
    plain = room.make("wall", variant=rng.choice(walls), first=rng.choice(LIGHT_COLOURS), z=0)
    accent = room.make("wall", variant=rng.choice(walls), z=0)
    main_style = accent if rng.chance(450) else plain
    group = room.new_group()
    thickness = -bounding_box("wall", 0)[1]
    for wall in range(4):
        length = room.wall_length(wall) + (2 * thickness if wall % 2 == 0 else 0)
        wall_thing = room.make(
            "wall",
            *room.wall_point(wall, 0, 0),
            6 * ((wall + 2) % 4),
            0,
            like=main_style if wall == room.main_wall else plain,
            scale=(length, 1000, room.height),
            group=group,
            place_in_group=wall,
        )
        room.things.append(wall_thing)
    for k, thing in enumerate(room.things):
        thing.index = k
    _add_doors(room)
    _add_windows(room)
    room.avoided_colours = {COLOUR_NAMES[colour] for colour in (floor.first, plain.first)}


def _add_doors(room: Room) -> None:
    """Add doors with light switches and exit signs."""
    rng, home = room.rng, room.kind in HOMES
    walls = room.shuffled_walls(room.main_wall) if home else room.shuffled_walls()
    like: Thing | None = None
    for k in range(1 if home and rng.chance(650) else 2):
        variant = 2 if not home and k == 0 else rng.choice(GLASS_DOORS) if rng.chance(500) else 0
        wall = walls[k % len(walls)]
        span = room.wall_length(wall)
        # In homes doors are near a corner, which leaves a long free wall.
        near = rng.randint(span // 4, span // 2) * rng.choice((-1, 1)) if home else rng.randint(-span // 3, span // 3)
        options = {"like": like} if like is not None and home else {"variant": variant}
        door = room.place_against(
            "room door", wall, near, wall_gap=0, clear=DOOR_CLEARANCE, owner=room.wall_index(wall), **options
        )
        if door is None:
            continue
        like = door
        x0, y0, _, x1, y1, z1 = door.box
        clearance = DOOR_CLEARANCE
        reach = (
            (x0, y0 - clearance, x1, y1),
            (x0 - clearance, y0, x1, y1),
            (x0, y0, x1, y1 + clearance),
            (x0, y0, x1 + clearance, y1),
        )[wall]
        room.occupy((*reach[:2], FLAT_HEIGHT, *reach[2:], z1))
        side = 1 if near < 0 else -1
        along = offset_along_wall(wall, door)
        half = (bounding_box("room door", door.variant)[3] - bounding_box("room door", door.variant)[0]) // 2
        for direction in (side, -side):
            if room.hang("light switch", wall, 1_150, along + direction * (half + 140), 60, 0):
                break
        if not home:
            room.hang("exit sign", wall, z1 + 220, along, 200, 0)


def _add_windows(room: Room) -> None:
    """Add rows of identical, evenly spaced windows."""
    rng, home = room.rng, room.kind in HOMES
    max_walls = {"restaurant": 3, "shop": 2, "expo_showroom": 1, "living_room": 2, "bedroom": 2}[room.kind]
    walls = room.shuffled_walls(room.main_wall)[: rng.randint(0 if room.kind == "expo_showroom" else 1, max_walls)]
    shape = rng.randint(0, WINDOW_SHAPES - 1)
    variant = shape + WINDOW_SHAPES * rng.randint(0, 2)
    width_scale = 1000 if home else rng.choice((1000, 1300, 1600))
    height_scale = 1000 if home or shape == 1 else rng.choice((1000, 1250))
    like = room.make("room window", variant=variant)
    x0, _, z0, x1, _, z1 = bounding_box("room window", variant)
    span = (x1 - x0) * width_scale // 1000
    z = min(SILL_HEIGHT - z0 * height_scale // 1000, room.height - 120 - z1 * height_scale // 1000)
    like_curtain: Thing | None = None
    for wall in walls:
        length = room.wall_length(wall)
        count = min(rng.randint(1, 2 if home else 5), (length - 600) // (span + 500))
        if count < 1:
            continue
        group = room.new_group() if count > 1 else -1
        shift = rng.randint(-length // 10, length // 10) if count == 1 else 0
        spacing = min(length // count, span + rng.randint(500, 1_400))
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
                scale=(width_scale, 1000, height_scale),
                group=group,
                place_in_group=k,
            )
            if window is None or not home:
                continue
            if k == 0:
                like_curtain = room.make("curtain", variant=rng.choice((0, 0, 2, 2, 1))) if rng.chance(650) else None
            if like_curtain is not None:
                _hang_curtain(room, wall, near, window, like_curtain)
            elif rng.chance(600):
                room.hang("radiator", wall, FLOOR_Z, near, 60, 0, margin=0)


def _hang_curtain(room: Room, wall: int, near: int, window: Thing, like: Thing) -> None:
    """Hang a curtain in front of a window: beside the sill, or in front of it if closed."""
    _, _, _, half, depth, _ = bounding_box("room window", window.variant)
    inner = min(box[0] for part, box in part_boxes("curtain", like.variant) if part == "right panel" and box[2] < 500)
    is_closed = inner < 100
    width_scale = 1000 if is_closed else max(1000, (half + 15) * 1000 // inner)
    frame = max(box[4] for part, box in part_boxes("room window", window.variant) if part == "frame")
    distance = (depth if is_closed else frame) + 10
    x, y = room.wall_point(wall, near, distance)
    curtain = room.make(
        "curtain", x, y, 6 * ((wall + 2) % 4), like=like, scale=(width_scale, 1000, 1000), owner=window.index
    )
    room.try_add(curtain, 0, window.index)
