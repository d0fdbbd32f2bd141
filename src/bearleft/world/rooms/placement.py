"""Where things stand in a room: against walls, on walls, under the ceiling, on tops, around tables, in the open.

A room's own millimetres: (0, 0) is its middle, x east, y north, z up. Wall k lies to the north, east, south, west for
k = 0 to 3; along a wall one counts to the right, seen from within. Whatever is put down takes the box it lies in, so
that no two things share any room; what hangs on a wall takes some of the room before it too, so that it is seen.
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

FLOOR_Z = 10  # the floor's upper face
WALL_GAP = 20  # so far from walls stands what stands against them
CAMERA_CLEARANCE = 700  # so much is free around one's place
HEAD_HEIGHT = 2_000  # what hangs higher than this may hang over it
FLAT_HEIGHT = 40  # what is lower than this lies on the floor and blocks no way
VIEW_CLEARANCE = 450  # so much before a thing on a wall stays free
CELL_SIZE = 1_000
BEDDING_HEIGHT = 60  # what rises no more than this over a bed's mattress is lain on
BEDS = ("bed", "bunk bed", "crib")
# Nobody and no lamp stands so near before a picture.
PICTURES, PICTURE_BLOCKERS, PICTURE_CLEARANCE = ("painting", "poster"), ("person", "seated person", "floor lamp"), 1_500
MAX_OVERSHOOT = 60  # legs and lamps may end in the floor or in the ceiling


@dataclass(slots=True, eq=False)
class Thing:
    """A thing of a room. `facing` is one of bodies.WAYS; `owner` is the number of another thing of the room."""

    name: str
    variant: int
    x: int
    y: int
    z: int
    facing: int
    stretch: tuple[int, int, int]
    first: int
    second: int
    words: str
    owner: int
    group: int
    place: int
    box: Box
    number: int = -1

    def at(self, x: int, y: int, z: int | None = None) -> Thing:
        """The same elsewhere."""
        up = self.z if z is None else z
        dx, dy, dz = x - self.x, y - self.y, up - self.z
        x0, y0, z0, x1, y1, z1 = self.box
        return Thing(
            self.name,
            self.variant,
            x,
            y,
            up,
            self.facing,
            self.stretch,
            self.first,
            self.second,
            self.words,
            self.owner,
            self.group,
            self.place,
            (x0 + dx, y0 + dy, z0 + dz, x1 + dx, y1 + dy, z1 + dz),
            self.number,
        )

    @property
    def top(self) -> tuple[int, int, int, int, int]:
        """What one can put on it, in its own plane: x, y from; x, y to; how high above the room's zero."""
        x0, y0, x1, y1, high = support_surface(self.name, self.variant)
        sx, sy, sz = self.stretch
        return x0 * sx // 1000, y0 * sy // 1000, x1 * sx // 1000, y1 * sy // 1000, self.z + high * sz // 1000


class Room:
    """A room that is being furnished."""

    def __init__(
        self, kind: str, dice: SeededRandom, size: tuple[int, int, int], stand: tuple[int, int], main: int
    ) -> None:
        self.kind, self.dice, self.stand, self.main = kind, dice, stand, main
        self.wide, self.deep, self.high = size
        self.half = (self.deep // 2, self.wide // 2, self.deep // 2, self.wide // 2)  # from the middle to wall k
        self.things: list[Thing] = []
        self.groups = 0
        self.shy: set[str] = set()  # the colours of walls and floor, in which nothing would be seen
        self._viewed: list[Box] = []  # before pictures
        self._taken: dict[tuple[int, int], list[tuple[Box, int]]] = defaultdict(list)
        self.take(
            (
                stand[0] - CAMERA_CLEARANCE,
                stand[1] - CAMERA_CLEARANCE,
                FLAT_HEIGHT,
                stand[0] + CAMERA_CLEARANCE,
                stand[1] + CAMERA_CLEARANCE,
                HEAD_HEIGHT,
            )
        )

    # What is free

    def take(self, box: Box, number: int = -1) -> None:
        """Nothing else may be put there."""
        for cell in _cells(box):
            self._taken[cell].append((box, number))

    def free(self, box: Box, *but: int) -> bool:
        """Whether a box lies within the room and in nothing but the things of these numbers."""
        x0, y0, z0, x1, y1, z1 = box
        if x0 < -self.half[1] or x1 > self.half[1] or y0 < -self.half[0] or y1 > self.half[0]:
            return False
        if z0 < -MAX_OVERSHOOT or z1 > self.high + MAX_OVERSHOOT:
            return False
        for cell in _cells(box):
            for (a0, b0, c0, a1, b1, c1), whose in self._taken[cell]:
                if a0 < x1 and x0 < a1 and b0 < y1 and y0 < b1 and c0 < z1 and z0 < c1 and whose not in but:
                    return False
        return True

    def shades(self, thing: Thing) -> bool:
        """Whether a thing would stand before a picture."""
        return thing.name in PICTURE_BLOCKERS and any(overlap(thing.box, box) for box in self._viewed)

    # Making and putting down

    def make(
        self,
        name: str,
        x: int = 0,
        y: int = 0,
        facing: int = 0,
        z: int = FLOOR_Z,
        like: Thing | None = None,
        variant: int | None = None,
        stretch: tuple[int, int, int] = (1000, 1000, 1000),
        words: str = "",
        first: str = "",
        second: str = "",
        owner: int = -1,
        group: int = -1,
        place: int = 0,
    ) -> Thing:
        """A thing that stands nowhere yet: variant and colours are drawn, or those of `like`."""
        one = CLASSES[class_index(name)]
        if like is not None:
            variant, colours = like.variant, (like.first, like.second)
        else:
            variant = self.dice.between(0, len(one.variants) - 1) if variant is None else variant % len(one.variants)
            among = [name for name in one.colours if name not in self.shy] or one.colours
            drawn = colour_index(first or self.dice.one_of(among))
            seconds = [k for k in map(colour_index, one.seconds) if k != drawn] or [colour_index(one.seconds[0])]
            colours = drawn, colour_index(second) if second else self.dice.one_of(seconds)
        if not words and shows_text(name, variant):
            words = self.dice.one_of(SIGN_TEXTS.get(name) or SIGN_TEXTS[self.kind])
        x0, y0, z0, x1, y1, z1 = rotated_box(bounding_box(name, variant), facing, stretch)
        box = (x0 + x, y0 + y, z0 + z, x1 + x, y1 + y, z1 + z)
        return Thing(name, variant, x, y, z, facing, stretch, *colours, words, owner, group, place, box)

    def add(self, thing: Thing, box: Box | None = None) -> Thing:
        """Puts a thing down, whatever is there; it takes its box, or another."""
        thing.number = len(self.things)
        self.things.append(thing)
        self.take(box or thing.box, thing.number)
        return thing

    def put(self, name: str, x: int, y: int, facing: int = 0, margin: int = 0, **how: Any) -> Thing | None:
        """Puts a thing at a point, if there is room."""
        return self.drop(self.make(name, x, y, facing, **how), margin)

    def drop(self, thing: Thing, margin: int = 0, *but: int) -> Thing | None:
        """Puts a thing down where it is, if there is room."""
        fits = self.free(_expanded(thing.box, margin), *but) and not self.shades(thing)
        return self.add(thing) if fits else None

    def new_group(self) -> int:
        """A number for things that are arranged together."""
        self.groups += 1
        return self.groups - 1

    # Walls

    def span(self, wall: int) -> int:
        """How long a wall is."""
        return 2 * self.half[(wall + 1) % 4]

    def wall(self, wall: int) -> int:
        """The number of a wall's thing: they come after floor and ceiling."""
        return 2 + wall

    def on_line(self, wall: int, along: int, away: int) -> tuple[int, int]:
        """The point so far along a wall from its middle, to the right, and so far away from it."""
        out, side = self.half[wall] - away, along
        return ((side, out), (out, -side), (-side, -out), (-out, side))[wall]

    def walls(self, *but: int) -> list[int]:
        """The walls in a drawn order, without some."""
        return [wall for wall in self.dice.shuffled(range(4)) if wall not in but]

    def against(
        self,
        name: str,
        wall: int,
        near: int | None = None,
        margin: int = 0,
        clear: int = 0,
        off: int = WALL_GAP,
        step: int = 120,
        **how: Any,
    ) -> Thing | None:
        """Puts a thing with its back to a wall, as near to `near` as there is room, else anywhere along it.

        `clear`: so much is free before it. `near` alone and no other spot: step=0.
        """
        thing = self.make(name, facing=_facing_into_room(wall), **how)
        x0, y0, _, x1, _, _ = rotated_box(bounding_box(name, thing.variant), 0, thing.stretch)
        for along in self._spots(wall, near, (x1 - x0) // 2 + WALL_GAP, step):
            here = thing.at(*self.on_line(wall, along + (x0 + x1) // 2, off - y0))
            box = _expanded(here.box, margin)
            if clear:
                box = _extended_into_room(box, wall, clear)
            if self.free(_clipped(box, self)) and self.free(here.box) and not self.shades(here):
                return self.add(here)
        return None

    def hang(
        self,
        name: str,
        wall: int,
        z: int,
        near: int | None = None,
        before: int = VIEW_CLEARANCE,
        step: int = 120,
        margin: int = 30,
        **how: Any,
    ) -> Thing | None:
        """Hangs a thing on a wall, its origin z above the room's zero; nothing is to hide it."""
        thing = self.make(name, facing=_facing_into_room(wall), z=z, **{"owner": self.wall(wall), **how})
        x0, _, _, x1, _, _ = rotated_box(bounding_box(name, thing.variant), 0, thing.stretch)
        for along in self._spots(wall, near, (x1 - x0) // 2 + 50, step):
            here = thing.at(*self.on_line(wall, along + (x0 + x1) // 2, 0))
            viewed = _extended_into_room(here.box, wall, PICTURE_CLEARANCE)
            if name in PICTURES and any(
                one.name in PICTURE_BLOCKERS and overlap(one.box, viewed) for one in self.things
            ):
                continue
            # What is let into its wall a little takes no more than the room before it.
            if self.free(_clipped(_extended_into_room(_expanded(here.box, margin), wall, before), self)):
                if name in PICTURES:
                    self._viewed.append(viewed)
                return self.add(here, _extended_into_room(here.box, wall, before))
        return None

    def _spots(self, wall: int, near: int | None, edge: int, step: int) -> list[int]:
        """Points along a wall, in the order in which they are to be tried."""
        far = self.span(wall) // 2 - edge
        if far < 0:
            return []
        if near is not None:
            near = max(-far, min(far, near))
            if not step:
                return [near]
            return sorted(range(-far, far + 1, step), key=lambda along: abs(along - near)) if far else [0]
        every = [*range(-far, far + 1, step)]
        begin = self.dice.between(0, len(every) - 1)
        return every[begin:] + every[:begin]

    # The open floor, the ceiling, tops

    def somewhere(
        self, name: str, facing: int | None = None, margin: int = 0, tries: int = 12, **how: Any
    ) -> Thing | None:
        """Puts a thing anywhere on the floor."""
        way = self.dice.between(0, 23) if facing is None else facing
        thing = self.make(name, facing=way, **how)
        x0, y0, _, x1, y1, _ = thing.box
        for _ in range(tries):
            x = self.dice.between(-self.half[1] - x0 + WALL_GAP, self.half[1] - x1 - WALL_GAP)
            y = self.dice.between(-self.half[0] - y0 + WALL_GAP, self.half[0] - y1 - WALL_GAP)
            if (put := self.drop(thing.at(x, y), margin)) is not None:
                return put
        return None

    def corner(self, name: str, away: int = 60, **how: Any) -> Thing | None:
        """Puts a thing into a corner of the room, facing its middle."""
        for k in self.dice.shuffled(range(4)):
            thing = self.make(name, facing=(15, 9, 3, 21)[k], **how)
            x0, y0, _, x1, y1, _ = thing.box
            x = self.half[1] - away - x1 if k in (0, 3) else -self.half[1] + away - x0
            y = self.half[0] - away - y1 if k in (0, 1) else -self.half[0] + away - y0
            # k = 0: north-east, 1: north-west, 2: south-west, 3: south-east
            if (put := self.drop(thing.at(x, y))) is not None:
                return put
        return None

    def under_ceiling(self, name: str, x: int, y: int, facing: int = 0, **how: Any) -> Thing | None:
        """Hangs a thing from the ceiling, or a little beside, where beams are in the way."""
        thing = self.make(name, x, y, facing, z=self.high, **how)
        for away in (0, 150, -150, 300, -300, 450, -450):
            here = thing.at(x, y + away)
            # One stands below most of what hangs there.
            low = here.box[2] < HEAD_HEIGHT
            if self.free(here.box if low else (*here.box[:2], max(here.box[2], HEAD_HEIGHT), *here.box[3:])):
                return self.add(here)
        return None

    def on(self, support: Thing, name: str, x: int, y: int, turn: int = 0, **how: Any) -> Thing | None:
        """Puts a thing on another's top at a point of its own plane, if it lies on the top and nothing is there."""
        if not has_surface(support.name, support.variant):
            return None
        x0, y0, x1, y1, z = support.top
        facing = (support.facing + turn) % 24
        thing = self.make(name, facing=facing, z=z, owner=support.number, **how)
        reach = rotated_box(bounding_box(name, thing.variant), turn % 24, thing.stretch)
        if x + reach[0] < x0 or x + reach[3] > x1 or y + reach[1] < y0 or y + reach[4] > y1:
            return None
        own = (x + reach[0], y + reach[1], z + 5, x + reach[3], y + reach[4], thing.box[5])
        inside = [box[5] for box in _parts_above_surface(support) if overlap(own, box)]
        if any(high > z + (BEDDING_HEIGHT if support.name in BEDS else 0) for high in inside):
            return None
        dx, dy = rotated_point(x, y, support.facing)
        return self.drop(thing.at(support.x + dx, support.y + dy, max([z, *inside])), 0, support.number)

    def about(self, support: Thing, name: str, tries: int = 6, turns: Sequence[int] = (0,), **how: Any) -> Thing | None:
        """Puts a thing anywhere on another's top."""
        if not has_surface(support.name, support.variant):
            return None
        x0, y0, x1, y1, _ = support.top
        variant = how.pop("variant", None)
        if variant is None:
            variant = self.dice.between(0, len(CLASSES[class_index(name)].variants) - 1)
        for _ in range(tries):
            turn = self.dice.one_of(turns)
            a0, b0, _, a1, b1, _ = rotated_box(
                bounding_box(name, variant), turn % 24, how.get("stretch", (1000, 1000, 1000))
            )
            if x1 - x0 < a1 - a0 or y1 - y0 < b1 - b0:
                continue
            x, y = self.dice.between(x0 - a0, x1 - a1), self.dice.between(y0 - b0, y1 - b1)
            if (put := self.on(support, name, x, y, turn, variant=variant, **how)) is not None:
                return put
        return None

    def beside(self, one: Thing, name: str, side: int, gap: int = 40, back: bool = True, **how: Any) -> Thing | None:
        """Puts a thing to the right (1) or left (-1) of another, facing as it does, their backs (or middles) level."""
        thing = self.make(name, facing=one.facing, **how)
        a0, a1, _, a3, a4, _ = rotated_box(bounding_box(one.name, one.variant), 0, one.stretch)
        b0, b1, _, b3, b4, _ = rotated_box(bounding_box(name, thing.variant), 0, thing.stretch)
        x = a3 + gap - b0 if side > 0 else a0 - gap - b3
        y = a1 - b1 if back else (a1 + a4 - b1 - b4) // 2
        dx, dy = rotated_point(x, y, one.facing)
        return self.drop(thing.at(one.x + dx, one.y + dy))

    def ahead(
        self, one: Thing, name: str, gap: int, turn: int = 0, shift: int = 0, within: Box | None = None, **how: Any
    ) -> Thing | None:
        """Puts a thing before another, turned from its way by `turn` quarters, `shift` to its right."""
        thing = self.make(name, facing=(one.facing + 6 * turn) % 24, **how)
        a = rotated_box(bounding_box(one.name, one.variant), 0, one.stretch)
        b = rotated_box(bounding_box(name, thing.variant), 6 * turn % 24, thing.stretch)
        dx, dy = rotated_point((a[0] + a[3] - b[0] - b[3]) // 2 + shift, a[4] + gap - b[1], one.facing)
        here = thing.at(one.x + dx, one.y + dy)
        if within and (any(here.box[k] < within[k] or here.box[k + 3] > within[k + 3] for k in (0, 1))):
            return None
        return self.drop(here)

    def around(self, table: Thing, name: str, sides: Sequence[int], gap: int = 40, **how: Any) -> list[Thing]:
        """Seats around a table, all alike, facing it: how many at its front, right, back and left."""
        kept = how.pop("like", None) or self.make(name, **how)
        how.pop("variant", None)
        seats: list[Thing] = []
        a = rotated_box(bounding_box(table.name, table.variant), 0, table.stretch)
        for side, count in enumerate(sides):
            b = rotated_box(bounding_box(name, kept.variant), (6 * side + 12) % 24)
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
                seat = self.make(name, table.x + dx, table.y + dy, facing, like=kept, **how)
                if self.drop(seat) is not None:
                    seats.append(seat)
        return seats


def _cells(box: Box) -> list[tuple[int, int]]:
    x0, y0, _, x1, y1, _ = box
    return [
        (i, j) for i in range(x0 // CELL_SIZE, x1 // CELL_SIZE + 1) for j in range(y0 // CELL_SIZE, y1 // CELL_SIZE + 1)
    ]


def _expanded(box: Box, by: int) -> Box:
    return (box[0] - by, box[1] - by, box[2], box[3] + by, box[4] + by, box[5]) if by else box


def _extended_into_room(box: Box, wall: int, far: int) -> Box:
    """A box that reaches so far into the room from its wall's side."""
    x0, y0, z0, x1, y1, z1 = box
    if wall == 0:
        return x0, y0 - far, z0, x1, y1, z1
    if wall == 1:
        return x0 - far, y0, z0, x1, y1, z1
    if wall == 2:
        return x0, y0, z0, x1, y1 + far, z1
    return x0, y0, z0, x1 + far, y1, z1


def _clipped(box: Box, room: Room) -> Box:
    """What of a box lies within the room."""
    wide, deep = room.half[1], room.half[0]
    return max(box[0], -wide), max(box[1], -deep), box[2], min(box[3], wide), min(box[4], deep), box[5]


def _facing_into_room(wall: int) -> int:
    """The way into the room from a wall."""
    return 6 * ((wall + 2) % 4)


def _parts_above_surface(support: Thing) -> list[Box]:
    """The parts of a thing that are higher than its top, in its own plane: headboards, rails, taps."""
    sx, sy, sz = support.stretch
    high = support.top[4] - support.z
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
        if b[5] * sz // 1000 > high
    ]


def overlap(a: Box, b: Box) -> bool:
    """Whether two boxes share some room."""
    return all(a[k] < b[k + 3] and b[k] < a[k + 3] for k in range(3))
