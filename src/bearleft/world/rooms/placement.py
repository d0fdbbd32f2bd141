"""Placement of things in a room: on the floor, against and on walls, below the ceiling, on surfaces.

Coordinates are millimetres: (0, 0) is the centre of the room, x east, y north, z up. Walls 0 to 3 lie to the north,
east, south and west; positions along a wall grow to the right as seen from inside. Every thing occupies its bounding
box, so things never overlap. A thing on a wall also occupies some space in front of it, which keeps it visible.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.palette import colour_index
from bearleft.world.rooms.extents import (
    Box,
    bounding_box,
    has_surface,
    part_boxes,
    rotated_box,
    rotated_point,
    shows_text,
    support_surface,
)
from bearleft.world.rooms.room_random import SeededRandom
from bearleft.world.rooms.sign_texts import SIGN_TEXTS

FLOOR_Z = 10  # millimetres: upper face of the floor
WALL_GAP = 20  # millimetres between a wall and objects placed against it
CAMERA_CLEARANCE = 700  # millimetres that stay free around the viewpoint
HEAD_HEIGHT = 2_000  # millimetres; higher objects may hang above the viewpoint
FLAT_HEIGHT = 40  # millimetres; lower objects, such as rugs, block nothing
VIEW_CLEARANCE = 450  # millimetres that stay free in front of a thing on a wall
CELL_SIZE = 1_000  # millimetres, of the grid that finds overlaps
BEDDING_HEIGHT = 60  # millimetres; lower parts of a bed, such as blankets, carry things
BEDS = ("bed", "bunk bed", "crib")
# People and lamps keep this distance (millimetres) to a picture.
PICTURES, PICTURE_BLOCKERS, PICTURE_CLEARANCE = ("painting", "poster"), ("person", "seated person", "floor lamp"), 1_500
MAX_OVERSHOOT = 60  # millimetres that legs and lamps may extend into floor or ceiling


@dataclass(slots=True, eq=False)
class Thing:
    """A thing in a room. `facing` indexes extents.FACING_VECTORS; `owner` is the index of another thing of the room."""

    name: str
    variant: int
    x: int
    y: int
    z: int
    facing: int
    scale: tuple[int, int, int]
    first: int
    second: int
    text: str
    owner: int
    group: int
    place_in_group: int
    box: Box
    index: int = -1

    def moved_to(self, x: int, y: int, z: int | None = None) -> Thing:
        """Return a copy at another position."""
        new_z = self.z if z is None else z
        dx, dy, dz = x - self.x, y - self.y, new_z - self.z
        x0, y0, z0, x1, y1, z1 = self.box
        return Thing(
            self.name,
            self.variant,
            x,
            y,
            new_z,
            self.facing,
            self.scale,
            self.first,
            self.second,
            self.text,
            self.owner,
            self.group,
            self.place_in_group,
            (x0 + dx, y0 + dy, z0 + dz, x1 + dx, y1 + dy, z1 + dz),
            self.index,
        )

    @property
    def surface(self) -> tuple[int, int, int, int, int]:
        """Surface for other things, in the thing's own plane: x0, y0, x1, y1, and z in the room."""
        x0, y0, x1, y1, height = support_surface(self.name, self.variant)
        sx, sy, sz = self.scale
        return x0 * sx // 1000, y0 * sy // 1000, x1 * sx // 1000, y1 * sy // 1000, self.z + height * sz // 1000


class Room:
    """A room that is being furnished."""

    def __init__(
        self, kind: str, rng: SeededRandom, size: tuple[int, int, int], viewpoint: tuple[int, int], main_wall: int
    ) -> None:
        self.kind, self.rng, self.viewpoint, self.main_wall = kind, rng, viewpoint, main_wall
        self.width, self.depth, self.height = size
        self.half_size = (
            self.depth // 2,
            self.width // 2,
            self.depth // 2,
            self.width // 2,
        )  # from the centre to wall k
        self.things: list[Thing] = []
        self.groups = 0
        self.avoided_colours: set[str] = set()  # colours of walls and floor, against which things would be invisible
        self._picture_views: list[Box] = []  # free space in front of pictures
        self._occupied: dict[tuple[int, int], list[tuple[Box, int]]] = defaultdict(list)
        self.occupy(
            (
                viewpoint[0] - CAMERA_CLEARANCE,
                viewpoint[1] - CAMERA_CLEARANCE,
                FLAT_HEIGHT,
                viewpoint[0] + CAMERA_CLEARANCE,
                viewpoint[1] + CAMERA_CLEARANCE,
                HEAD_HEIGHT,
            )
        )

    # Free space

    def occupy(self, box: Box, index: int = -1) -> None:
        """Mark a box as occupied."""
        for cell in _cells(box):
            self._occupied[cell].append((box, index))

    def is_free(self, box: Box, *ignored: int) -> bool:
        """Return whether a box lies inside the room and overlaps nothing except the things with `ignored` indices."""
        x0, y0, z0, x1, y1, z1 = box
        if x0 < -self.half_size[1] or x1 > self.half_size[1] or y0 < -self.half_size[0] or y1 > self.half_size[0]:
            return False
        if z0 < -MAX_OVERSHOOT or z1 > self.height + MAX_OVERSHOOT:
            return False
        for cell in _cells(box):
            for (a0, b0, c0, a1, b1, c1), index in self._occupied[cell]:
                if a0 < x1 and x0 < a1 and b0 < y1 and y0 < b1 and c0 < z1 and z0 < c1 and index not in ignored:
                    return False
        return True

    def blocks_picture(self, thing: Thing) -> bool:
        """Return whether a thing would stand in front of a picture."""
        return thing.name in PICTURE_BLOCKERS and any(overlap(thing.box, box) for box in self._picture_views)

    # Creating and adding things

    def make(
        self,
        name: str,
        x: int = 0,
        y: int = 0,
        facing: int = 0,
        z: int = FLOOR_Z,
        like: Thing | None = None,
        variant: int | None = None,
        scale: tuple[int, int, int] = (1000, 1000, 1000),
        text: str = "",
        first: str = "",
        second: str = "",
        owner: int = -1,
        group: int = -1,
        place_in_group: int = 0,
    ) -> Thing:
        """Create a thing without adding it.

        Args:
            name: Name of the class.
            x: Position east, in millimetres.
            y: Position north, in millimetres.
            facing: Index into extents.FACING_VECTORS.
            z: Height of its origin.
            like: Thing whose variant and colours are copied.
            variant: Variant; None is a random one.
            scale: Scale along its own axes, per mille.
            text: Text that it shows; "" is a random one if the model shows text.
            first: First colour; "" is a random one.
            second: Second colour; "" is a random one.
            owner: Index of the thing that it is attached to, -1 for none.
            group: Index of its group, -1 for none.
            place_in_group: Position in its group.
        """
        object_class = CLASSES[class_index(name)]
        if like is not None:
            variant, colours = like.variant, (like.first, like.second)
        else:
            variant = (
                self.rng.randint(0, len(object_class.variants) - 1)
                if variant is None
                else variant % len(object_class.variants)
            )
            colour_names = [
                colour for colour in object_class.colours if colour not in self.avoided_colours
            ] or object_class.colours
            first_colour = colour_index(first or self.rng.choice(colour_names))
            second_colours = [k for k in map(colour_index, object_class.second_colours) if k != first_colour] or [
                colour_index(object_class.second_colours[0])
            ]
            colours = first_colour, colour_index(second) if second else self.rng.choice(second_colours)
        if not text and shows_text(name, variant):
            text = self.rng.choice(SIGN_TEXTS.get(name) or SIGN_TEXTS[self.kind])
        x0, y0, z0, x1, y1, z1 = rotated_box(bounding_box(name, variant), facing, scale)
        box = (x0 + x, y0 + y, z0 + z, x1 + x, y1 + y, z1 + z)
        return Thing(name, variant, x, y, z, facing, scale, *colours, text, owner, group, place_in_group, box)

    def add(self, thing: Thing, box: Box | None = None) -> Thing:
        """Add a thing without checking for free space; it occupies its box, or `box`."""
        thing.index = len(self.things)
        self.things.append(thing)
        self.occupy(box or thing.box, thing.index)
        return thing

    def place_at(self, name: str, x: int, y: int, facing: int = 0, margin: int = 0, **options: Any) -> Thing | None:
        """Place a thing at a point if there is space."""
        return self.try_add(self.make(name, x, y, facing, **options), margin)

    def try_add(self, thing: Thing, margin: int = 0, *ignored: int) -> Thing | None:
        """Add a thing where it is if there is space."""
        fits = self.is_free(_expanded(thing.box, margin), *ignored) and not self.blocks_picture(thing)
        return self.add(thing) if fits else None

    def new_group(self) -> int:
        """Return a new group index for things that are arranged together."""
        self.groups += 1
        return self.groups - 1

    # Walls

    def wall_length(self, wall: int) -> int:
        """Return the length of a wall."""
        return 2 * self.half_size[(wall + 1) % 4]

    def wall_index(self, wall: int) -> int:
        """Return the index of a wall's thing: walls follow the floor and the ceiling."""
        return 2 + wall

    def wall_point(self, wall: int, along: int, distance: int) -> tuple[int, int]:
        """Return the point `along` a wall to the right of its middle, at a `distance` from it."""
        outwards, side = self.half_size[wall] - distance, along
        return ((side, outwards), (outwards, -side), (-side, -outwards), (-outwards, side))[wall]

    def shuffled_walls(self, *excluded: int) -> list[int]:
        """Return the walls in random order, without the excluded ones."""
        return [wall for wall in self.rng.shuffled(range(4)) if wall not in excluded]

    def place_against(
        self,
        name: str,
        wall: int,
        near: int | None = None,
        margin: int = 0,
        clear: int = 0,
        wall_gap: int = WALL_GAP,
        step: int = 120,
        **options: Any,
    ) -> Thing | None:
        """Place a thing with its back to a wall, as close to `near` as possible, else anywhere along the wall.

        Args:
            name: Name of the class.
            wall: Wall, 0 to 3.
            near: Preferred position along the wall; None is a random one.
            margin: Free space required around the thing.
            clear: Free space required in front of the thing.
            wall_gap: Distance to the wall.
            step: Distance between tried positions; 0 tries `near` only.
            **options: Arguments of `make`.

        Returns:
            The thing, or None if there was no space.
        """
        thing = self.make(name, facing=_facing_into_room(wall), **options)
        x0, y0, _, x1, _, _ = rotated_box(bounding_box(name, thing.variant), 0, thing.scale)
        for along in self._wall_positions(wall, near, (x1 - x0) // 2 + WALL_GAP, step):
            candidate = thing.moved_to(*self.wall_point(wall, along + (x0 + x1) // 2, wall_gap - y0))
            box = _expanded(candidate.box, margin)
            if clear:
                box = _extended_into_room(box, wall, clear)
            if self.is_free(_clipped(box, self)) and self.is_free(candidate.box) and not self.blocks_picture(candidate):
                return self.add(candidate)
        return None

    def hang(
        self,
        name: str,
        wall: int,
        z: int,
        near: int | None = None,
        clearance: int = VIEW_CLEARANCE,
        step: int = 120,
        margin: int = 30,
        **options: Any,
    ) -> Thing | None:
        """Hang a thing on a wall where nothing hides it.

        Args:
            name: Name of the class.
            wall: Wall, 0 to 3.
            z: Height of the thing's origin.
            near: Preferred position along the wall; None is a random one.
            clearance: Space in front of the thing that stays free.
            step: Distance between tried positions; 0 tries `near` only.
            margin: Free space required around the thing.
            **options: Arguments of `make`.

        Returns:
            The thing, or None if there was no space.
        """
        thing = self.make(name, facing=_facing_into_room(wall), z=z, **{"owner": self.wall_index(wall), **options})
        x0, _, _, x1, _, _ = rotated_box(bounding_box(name, thing.variant), 0, thing.scale)
        for along in self._wall_positions(wall, near, (x1 - x0) // 2 + 50, step):
            candidate = thing.moved_to(*self.wall_point(wall, along + (x0 + x1) // 2, 0))
            view = _extended_into_room(candidate.box, wall, PICTURE_CLEARANCE)
            if name in PICTURES and any(
                thing.name in PICTURE_BLOCKERS and overlap(thing.box, view) for thing in self.things
            ):
                continue
            # Clip the box: parts of a thing may be recessed in its wall.
            if self.is_free(_clipped(_extended_into_room(_expanded(candidate.box, margin), wall, clearance), self)):
                if name in PICTURES:
                    self._picture_views.append(view)
                return self.add(candidate, _extended_into_room(candidate.box, wall, clearance))
        return None

    def _wall_positions(self, wall: int, near: int | None, edge: int, step: int) -> list[int]:
        """Return positions along a wall in the order in which they are tried."""
        limit = self.wall_length(wall) // 2 - edge
        if limit < 0:
            return []
        if near is not None:
            near = max(-limit, min(limit, near))
            if not step:
                return [near]
            return sorted(range(-limit, limit + 1, step), key=lambda along: abs(along - near)) if limit else [0]
        positions = [*range(-limit, limit + 1, step)]
        start = self.rng.randint(0, len(positions) - 1)
        return positions[start:] + positions[:start]

    # Floor, ceiling and surfaces

    def place_anywhere(
        self, name: str, facing: int | None = None, margin: int = 0, tries: int = 12, **options: Any
    ) -> Thing | None:
        """Place a thing at a random position on the floor."""
        direction = self.rng.randint(0, 23) if facing is None else facing
        thing = self.make(name, facing=direction, **options)
        x0, y0, _, x1, y1, _ = thing.box
        for _ in range(tries):
            x = self.rng.randint(-self.half_size[1] - x0 + WALL_GAP, self.half_size[1] - x1 - WALL_GAP)
            y = self.rng.randint(-self.half_size[0] - y0 + WALL_GAP, self.half_size[0] - y1 - WALL_GAP)
            if (placed := self.try_add(thing.moved_to(x, y), margin)) is not None:
                return placed
        return None

    def place_in_corner(self, name: str, away: int = 60, **options: Any) -> Thing | None:
        """Place a thing in a corner of the room, facing the centre."""
        for k in self.rng.shuffled(range(4)):
            thing = self.make(name, facing=(15, 9, 3, 21)[k], **options)
            x0, y0, _, x1, y1, _ = thing.box
            x = self.half_size[1] - away - x1 if k in (0, 3) else -self.half_size[1] + away - x0
            y = self.half_size[0] - away - y1 if k in (0, 1) else -self.half_size[0] + away - y0
            # k = 0: north-east, 1: north-west, 2: south-west, 3: south-east
            if (placed := self.try_add(thing.moved_to(x, y))) is not None:
                return placed
        return None

    def hang_from_ceiling(self, name: str, x: int, y: int, facing: int = 0, **options: Any) -> Thing | None:
        """Hang a thing from the ceiling, or slightly beside the point where beams are in the way."""
        thing = self.make(name, x, y, facing, z=self.height, **options)
        for shift in (0, 150, -150, 300, -300, 450, -450):
            candidate = thing.moved_to(x, y + shift)
            # Above the head only the space above HEAD_HEIGHT has to be free.
            low = candidate.box[2] < HEAD_HEIGHT
            if self.is_free(
                candidate.box if low else (*candidate.box[:2], max(candidate.box[2], HEAD_HEIGHT), *candidate.box[3:])
            ):
                return self.add(candidate)
        return None

    def place_on(self, support: Thing, name: str, x: int, y: int, turn: int = 0, **options: Any) -> Thing | None:
        """Place a thing on the surface of another, at a point of the support's own plane, if there is space."""
        if not has_surface(support.name, support.variant):
            return None
        x0, y0, x1, y1, z = support.surface
        facing = (support.facing + turn) % 24
        thing = self.make(name, facing=facing, z=z, owner=support.index, **options)
        reach = rotated_box(bounding_box(name, thing.variant), turn % 24, thing.scale)
        if x + reach[0] < x0 or x + reach[3] > x1 or y + reach[1] < y0 or y + reach[4] > y1:
            return None
        box_on_surface = (x + reach[0], y + reach[1], z + 5, x + reach[3], y + reach[4], thing.box[5])
        heights_below = [box[5] for box in _parts_above_surface(support) if overlap(box_on_surface, box)]
        if any(high > z + (BEDDING_HEIGHT if support.name in BEDS else 0) for high in heights_below):
            return None
        dx, dy = rotated_point(x, y, support.facing)
        return self.try_add(thing.moved_to(support.x + dx, support.y + dy, max([z, *heights_below])), 0, support.index)

    def place_randomly_on(
        self, support: Thing, name: str, tries: int = 6, turns: Sequence[int] = (0,), **options: Any
    ) -> Thing | None:
        """Place a thing at a random point on the surface of another."""
        if not has_surface(support.name, support.variant):
            return None
        x0, y0, x1, y1, _ = support.surface
        variant = options.pop("variant", None)
        if variant is None:
            variant = self.rng.randint(0, len(CLASSES[class_index(name)].variants) - 1)
        for _ in range(tries):
            turn = self.rng.choice(turns)
            a0, b0, _, a1, b1, _ = rotated_box(
                bounding_box(name, variant), turn % 24, options.get("scale", (1000, 1000, 1000))
            )
            if x1 - x0 < a1 - a0 or y1 - y0 < b1 - b0:
                continue
            x, y = self.rng.randint(x0 - a0, x1 - a1), self.rng.randint(y0 - b0, y1 - b1)
            if (placed := self.place_on(support, name, x, y, turn, variant=variant, **options)) is not None:
                return placed
        return None

    def place_beside(
        self, neighbour: Thing, name: str, side: int, gap: int = 40, back: bool = True, **options: Any
    ) -> Thing | None:
        """Place a thing to the right (1) or left (-1) of another, facing the same way, backs (or middles) aligned."""
        thing = self.make(name, facing=neighbour.facing, **options)
        a0, a1, _, a3, a4, _ = rotated_box(bounding_box(neighbour.name, neighbour.variant), 0, neighbour.scale)
        b0, b1, _, b3, b4, _ = rotated_box(bounding_box(name, thing.variant), 0, thing.scale)
        x = a3 + gap - b0 if side > 0 else a0 - gap - b3
        y = a1 - b1 if back else (a1 + a4 - b1 - b4) // 2
        dx, dy = rotated_point(x, y, neighbour.facing)
        return self.try_add(thing.moved_to(neighbour.x + dx, neighbour.y + dy))

    def place_ahead(
        self,
        neighbour: Thing,
        name: str,
        gap: int,
        turn: int = 0,
        shift: int = 0,
        within: Box | None = None,
        **options: Any,
    ) -> Thing | None:
        """Place a thing in front of another, turned by `turn` quarter turns and shifted `shift` to the right."""
        thing = self.make(name, facing=(neighbour.facing + 6 * turn) % 24, **options)
        a = rotated_box(bounding_box(neighbour.name, neighbour.variant), 0, neighbour.scale)
        b = rotated_box(bounding_box(name, thing.variant), 6 * turn % 24, thing.scale)
        dx, dy = rotated_point((a[0] + a[3] - b[0] - b[3]) // 2 + shift, a[4] + gap - b[1], neighbour.facing)
        candidate = thing.moved_to(neighbour.x + dx, neighbour.y + dy)
        if within and (any(candidate.box[k] < within[k] or candidate.box[k + 3] > within[k + 3] for k in (0, 1))):
            return None
        return self.try_add(candidate)

    def place_around(self, table: Thing, name: str, sides: Sequence[int], gap: int = 40, **options: Any) -> list[Thing]:
        """Place identical seats around a table, facing it; `sides` counts those at its front, right, back and left."""
        style = options.pop("like", None) or self.make(name, **options)
        options.pop("variant", None)
        seats: list[Thing] = []
        a = rotated_box(bounding_box(table.name, table.variant), 0, table.scale)
        for side, count in enumerate(sides):
            b = rotated_box(bounding_box(name, style.variant), (6 * side + 12) % 24)
            along = (a[0], a[3]) if side % 2 == 0 else (a[1], a[4])
            for k in range(count):
                middle = along[0] + (along[1] - along[0]) * (2 * k + 1) // (2 * count)
                if side == 0:
                    x, y = middle - (b[0] + b[3]) // 2, a[4] + gap - b[1]
                elif side == 1:
                    x, y = a[3] + gap - b[0], middle - (b[1] + b[4]) // 2
                elif side == 2:
                    x, y = middle - (b[0] + b[3]) // 2, a[1] - gap - b[4]
                else:
                    x, y = a[0] - gap - b[3], middle - (b[1] + b[4]) // 2
                dx, dy = rotated_point(x, y, table.facing)
                facing = (table.facing + 6 * side + 12) % 24
                seat = self.make(name, table.x + dx, table.y + dy, facing, like=style, **options)
                if self.try_add(seat) is not None:
                    seats.append(seat)
        return seats


def _cells(box: Box) -> list[tuple[int, int]]:
    x0, y0, _, x1, y1, _ = box
    return [
        (i, j) for i in range(x0 // CELL_SIZE, x1 // CELL_SIZE + 1) for j in range(y0 // CELL_SIZE, y1 // CELL_SIZE + 1)
    ]


def _expanded(box: Box, by: int) -> Box:
    return (box[0] - by, box[1] - by, box[2], box[3] + by, box[4] + by, box[5]) if by else box


def _extended_into_room(box: Box, wall: int, distance: int) -> Box:
    """Extend a box from its wall into the room."""
    x0, y0, z0, x1, y1, z1 = box
    if wall == 0:
        return x0, y0 - distance, z0, x1, y1, z1
    if wall == 1:
        return x0 - distance, y0, z0, x1, y1, z1
    if wall == 2:
        return x0, y0, z0, x1, y1 + distance, z1
    return x0, y0, z0, x1 + distance, y1, z1


def _clipped(box: Box, room: Room) -> Box:
    """Return the part of a box that lies inside the room."""
    half_width, half_depth = room.half_size[1], room.half_size[0]
    return (
        max(box[0], -half_width),
        max(box[1], -half_depth),
        box[2],
        min(box[3], half_width),
        min(box[4], half_depth),
        box[5],
    )


def _facing_into_room(wall: int) -> int:
    """Return the facing into the room from a wall."""
    return 6 * ((wall + 2) % 4)


def _parts_above_surface(support: Thing) -> list[Box]:
    """Return the boxes of parts above a thing's surface, in its own plane: headboards, rails, taps."""
    sx, sy, sz = support.scale
    surface_height = support.surface[4] - support.z
    return [
        (
            b[0] * sx // 1000,
            b[1] * sy // 1000,
            b[2] * sz // 1000 + support.z,
            b[3] * sx // 1000,
            b[4] * sy // 1000,
            b[5] * sz // 1000 + support.z,
        )
        for part, b in part_boxes(support.name, support.variant)
        if b[5] * sz // 1000 > surface_height
    ]


def overlap(a: Box, b: Box) -> bool:
    """Return whether two boxes overlap."""
    return all(a[k] < b[k + 3] and b[k] < a[k + 3] for k in range(3))
