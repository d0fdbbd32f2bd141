"""What a text on the room says, and which cells fit it.

One stands at the door. Left, right, behind and in front are as seen from there, towards the wall one faces: the brick
wall until the text turns one. A side is the cell next to a thing. A cell fits a text where there are things that
fit its phrases and make all its relations true, so a text with one cell means the same however it is taken.
What is not said to be on top of something is placed on the floor, where nothing stands and never at the door.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import Literal, TypeAlias

from bearleft.records import Cell
from bearleft.world.arramon.items.names import Item, item_by_name
from bearleft.world.arramon.moves import COLUMNS, DOOR, FLOOR, ROWS
from bearleft.world.arramon.room import WALLS
from bearleft.world.arramon.task_setup import MAX_STACK_HEIGHT, RoomItem

Square: TypeAlias = tuple[int, int]  # column, row
Side = Literal["left", "right", "front", "behind"]
SIDES: tuple[Side, ...] = ("left", "right", "front", "behind")
AHEAD = ((0, 1), (1, 0), (0, -1), (-1, 0))  # columns and rows ahead, by the wall one faces
AT_DOOR: Square = (DOOR[0], DOOR[2])


@dataclass(frozen=True, slots=True)
class Ref:
    """A noun phrase for something that stands in the room; None is what it does not say."""

    type: str
    colour: str | None = None
    pattern: str | None = None
    wall: int | None = None  # the wall it stands against
    under: Ref | None = None  # what stands on it
    on: Ref | None = None  # what it stands on
    seen: Side | None = None  # on which side of who stands at the door
    two: bool = False  # "the two mugs"


@dataclass(frozen=True, slots=True)
class Stack:
    """Two things, one on the other."""

    first: Ref
    second: Ref


Thing: TypeAlias = Ref | Stack


@dataclass(frozen=True, slots=True)
class On:
    """On top of a thing."""

    thing: Thing


@dataclass(frozen=True, slots=True)
class By:
    """On one side of a thing."""

    side: Side
    thing: Thing


@dataclass(frozen=True, slots=True)
class Near:
    """Next to a thing, on any side; or touching it at an angle; or on its row or column."""

    how: Literal["next", "diagonal", "line"]
    thing: Thing


@dataclass(frozen=True, slots=True)
class Between:
    """Between two things, or a thing and a wall; `other` is None for "the two mugs"."""

    thing: Thing
    other: Thing | int | None


@dataclass(frozen=True, slots=True)
class Against:
    """Against a wall."""

    wall: int


@dataclass(frozen=True, slots=True)
class Me:
    """On one side of who stands at the door; "front" is just ahead, "ahead" anywhere straight ahead."""

    side: Side | Literal["ahead"]


@dataclass(frozen=True, slots=True)
class Closer:
    """Closer to a wall than a thing is."""

    wall: int
    thing: Thing


Relation: TypeAlias = On | By | Near | Between | Against | Me | Closer


@dataclass(frozen=True, slots=True)
class Meaning:
    """The wall one faces (0 is the brick wall, then clockwise), and what is all to be true of the cell."""

    facing: int
    relations: tuple[Relation, ...]


def cells(meaning: Meaning, standing: Sequence[RoomItem]) -> list[Cell]:
    """All cells that fit, those near the door first; none where nothing is said."""
    if not meaning.relations:
        return []
    room = Room(standing, meaning.facing)
    squares = room.tops if any(isinstance(one, On) for one in meaning.relations) else room.free
    for relation in meaning.relations:
        squares = squares & room.fits(relation)
    return sorted(((c, room.height(c, r), r) for c, r in squares), key=lambda cell: (_far(cell), cell))


def shift(facing: int, side: Side) -> Square:
    """From a thing to the cell on one of its sides."""
    ahead, right = AHEAD[facing % 4], AHEAD[(facing + 1) % 4]
    east, north = {"behind": ahead, "front": _minus(ahead), "right": right, "left": _minus(right)}[side]
    return east, north


class Room:
    """What stands where, and the wall one faces."""

    def __init__(self, standing: Sequence[RoomItem], facing: int = 0) -> None:
        self.facing = facing
        self.standing = sorted(standing, key=lambda one: one.cell)
        self.things = [(item_by_name(one.item), one.cell) for one in self.standing]
        self.taken = {square(one.cell) for one in standing}
        self.free = frozenset(SQUARES - self.taken - {AT_DOOR})
        self.tops = frozenset(spot for spot in self.taken if self.height(*spot) <= MAX_STACK_HEIGHT)

    def height(self, column: int, row: int) -> int:
        """The height of what is placed there next."""
        return max((cell[1] for _, cell in self.things if square(cell) == (column, row)), default=0) + FLOOR

    def of(self, thing: Thing) -> list[Cell]:
        """The cells of what a phrase may mean: of a stack, that of its top."""
        if isinstance(thing, Stack):
            pairs = [(a, b) for a in self.of(thing.first) for b in self.of(thing.second)]
            both = {square(a) for a, b in pairs if a != b and square(a) == square(b)}
            return [(column, self.height(column, row) - 1, row) for column, row in sorted(both)]
        return [cell for one, cell in self.things if fits(thing, one) and self._stands(thing, cell)]

    def _stands(self, ref: Ref, cell: Cell) -> bool:
        """Whether a thing stands where its phrase says it does."""
        column, height, row = cell
        if ref.wall is not None and square(cell) not in along(ref.wall):
            return False
        if ref.under is not None and (column, height + 1, row) not in self.of(ref.under):
            return False
        if ref.seen is not None and ref.seen != self.seen(square(cell)):
            return False
        return ref.on is None or (column, height - 1, row) in self.of(ref.on)

    def seen(self, spot: Square) -> Side:
        """On which side a square is to who stands at the door: in front is straight ahead."""
        east, north = shift(self.facing, "right")
        across = (spot[0] - AT_DOOR[0]) * east + (spot[1] - AT_DOOR[1]) * north
        if across:
            return "right" if across > 0 else "left"
        return "front"

    def fits(self, relation: Relation) -> set[Square]:
        """The squares of which a relation is true."""
        if isinstance(relation, On):
            # Who says "on top of the mug" means a mug with nothing on it.
            found = self.of(relation.thing)
            return {square(cell) for cell in found if self.height(cell[0], cell[2]) == cell[1] + 1}
        if isinstance(relation, Against):
            return set(along(relation.wall))
        if isinstance(relation, Me):
            if relation.side == "ahead":
                return set(_towards(AT_DOOR, self.facing))
            # What is in front of me is where something behind me would be, were I a thing.
            side: Side = "behind" if relation.side == "front" else relation.side
            return {_plus(AT_DOOR, shift(self.facing, side))}
        at = [square(cell) for cell in self.of(relation.thing)]
        if isinstance(relation, By):
            return {_plus(spot, shift(self.facing, relation.side)) for spot in at}
        if isinstance(relation, Near):
            return {spot for other in at for spot in SQUARES if _near(relation.how, spot, other)}
        if isinstance(relation, Closer):
            return {spot for thing in at for spot in SQUARES if _off(spot, relation.wall) < _off(thing, relation.wall)}
        if isinstance(relation.other, int):
            return {spot for thing in at for spot in _towards(thing, relation.other)}
        if relation.other is None:
            pairs = list(permutations(at, 2))
        else:
            pairs = [(a, square(b)) for a in at for b in self.of(relation.other)]
        return {spot for a, b in pairs for spot in _middle(a, b)}


SQUARES = frozenset((column, row) for column in range(COLUMNS) for row in range(ROWS))


def square(cell: Cell) -> Square:
    """A cell's column and row."""
    return cell[0], cell[2]


@lru_cache(maxsize=8)
def along(wall: int) -> frozenset[Square]:
    """The squares that touch a wall."""
    east, north = AHEAD[wall]
    return frozenset((c, r) for c, r in SQUARES if (c + east, r + north) not in SQUARES)


def wall_number(name: str) -> int:
    """The number of a wall, by the heading at which one faces it."""
    return WALLS.index(name)


def fits(ref: Ref, one: Item) -> bool:
    """Whether a phrase's own words fit a thing."""
    return (
        ref.type == one.type
        and (ref.colour is None or ref.colour == one.colour)
        and (ref.pattern is None or ref.pattern == one.pattern)
    )


def _near(how: str, spot: Square, other: Square) -> bool:
    across, along_rows = abs(spot[0] - other[0]), abs(spot[1] - other[1])
    if how == "line":
        return (across == 0) != (along_rows == 0)
    return (across, along_rows) == (1, 1) if how == "diagonal" else across + along_rows == 1


@lru_cache(maxsize=128)
def _towards(spot: Square, wall: int) -> tuple[Square, ...]:
    """The squares from a thing to a wall."""
    step, found = AHEAD[wall], []
    while (spot := _plus(spot, step)) in SQUARES:
        found.append(spot)
    return tuple(found)


def _off(spot: Square, wall: int) -> int:
    """How many squares lie between one and a wall."""
    return len(_towards(spot, wall))


@lru_cache(maxsize=1024)
def _middle(first: Square, second: Square) -> tuple[Square, ...]:
    """The squares between two on a row, a column or a diagonal."""
    east, north = second[0] - first[0], second[1] - first[1]
    steps = max(abs(east), abs(north))
    if steps < 2 or east % steps or north % steps:
        return ()
    return tuple((first[0] + east // steps * k, first[1] + north // steps * k) for k in range(1, steps))


def _plus(spot: Square, by: Square) -> Square:
    return spot[0] + by[0], spot[1] + by[1]


def _minus(by: Square) -> Square:
    return -by[0], -by[1]


def _far(cell: Cell) -> int:
    return abs(cell[0] - DOOR[0]) + abs(cell[2] - DOOR[2])
