"""Meaning of texts on the room, and the cells that match it.

The agent stands at the door. Left, right, behind and in front are as seen from there, towards the faced wall: the brick
wall until the text turns the agent. A side is the cell next to an item. A cell matches a text if there are items that
match its phrases and make all its relations true, so a text with one cell means the same under any reading. An item not
placed on top of another goes on the floor, where nothing stands and never at the door.
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
FORWARD_STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))  # columns and rows ahead, by the faced wall
DOOR_SQUARE: Square = (DOOR[0], DOOR[2])


@dataclass(frozen=True, slots=True)
class ItemPhrase:
    """A noun phrase for an item in the room; None is what it does not mention."""

    type: str
    colour: str | None = None
    pattern: str | None = None
    wall: int | None = None  # the wall it stands against
    under: ItemPhrase | None = None  # the item on it
    on: ItemPhrase | None = None  # the item under it
    seen: Side | None = None  # on which side of the agent at the door
    two: bool = False  # "the two mugs"


@dataclass(frozen=True, slots=True)
class StackPhrase:
    """Two items, one on the other."""

    first: ItemPhrase
    second: ItemPhrase


ReferentPhrase: TypeAlias = ItemPhrase | StackPhrase


@dataclass(frozen=True, slots=True)
class OnTop:
    """On top of an item."""

    thing: ReferentPhrase


@dataclass(frozen=True, slots=True)
class OnSide:
    """On one side of an item."""

    side: Side
    thing: ReferentPhrase


@dataclass(frozen=True, slots=True)
class Near:
    """Next to an item, on any side; or diagonal to it; or in its row or column."""

    how: Literal["next", "diagonal", "line"]
    thing: ReferentPhrase


@dataclass(frozen=True, slots=True)
class Between:
    """Between two items, or an item and a wall; `other` is None for "the two mugs"."""

    thing: ReferentPhrase
    other: ReferentPhrase | int | None


@dataclass(frozen=True, slots=True)
class Against:
    """Against a wall."""

    wall: int


@dataclass(frozen=True, slots=True)
class RelativeToAgent:
    """On one side of the agent at the door; "front" is just ahead, "ahead" anywhere straight ahead."""

    side: Side | Literal["ahead"]


@dataclass(frozen=True, slots=True)
class CloserToWall:
    """Closer to a wall than an item is."""

    wall: int
    thing: ReferentPhrase


Relation: TypeAlias = OnTop | OnSide | Near | Between | Against | RelativeToAgent | CloserToWall


@dataclass(frozen=True, slots=True)
class Meaning:
    """The faced wall (0 is the brick wall, then clockwise), and the relations that hold for the cell."""

    facing: int
    relations: tuple[Relation, ...]


def matching_cells(meaning: Meaning, room_items: Sequence[RoomItem]) -> list[Cell]:
    """Return all cells that match, nearest to the door first; none without relations."""
    if not meaning.relations:
        return []
    room = Room(room_items, meaning.facing)
    squares = room.tops if any(isinstance(relation, OnTop) for relation in meaning.relations) else room.free
    for relation in meaning.relations:
        squares = squares & room.matching_squares(relation)
    return sorted(
        ((column, room.height(column, row), row) for column, row in squares),
        key=lambda cell: (_distance_to_door(cell), cell),
    )


def side_offset(facing: int, side: Side) -> Square:
    """Return the step from an item to the cell on one of its sides."""
    ahead, right = FORWARD_STEPS[facing % 4], FORWARD_STEPS[(facing + 1) % 4]
    east, north = {"behind": ahead, "front": _negate(ahead), "right": right, "left": _negate(right)}[side]
    return east, north


class Room:
    """The items of a room, seen facing a wall."""

    def __init__(self, room_items: Sequence[RoomItem], facing: int = 0) -> None:
        self.facing = facing
        self.standing = sorted(room_items, key=lambda room_item: room_item.cell)
        self.things = [(item_by_name(room_item.item), room_item.cell) for room_item in self.standing]
        self.taken = {square_of(room_item.cell) for room_item in room_items}
        self.free = frozenset(ALL_SQUARES - self.taken - {DOOR_SQUARE})
        self.tops = frozenset(position for position in self.taken if self.height(*position) <= MAX_STACK_HEIGHT)

    def height(self, column: int, row: int) -> int:
        """Return the height of the next item placed there."""
        return max((cell[1] for _, cell in self.things if square_of(cell) == (column, row)), default=0) + FLOOR

    def of(self, thing: ReferentPhrase) -> list[Cell]:
        """Return the cells of the items that a phrase may mean; for a stack, the cell of its top."""
        if isinstance(thing, StackPhrase):
            pairs = [(a, b) for a in self.of(thing.first) for b in self.of(thing.second)]
            squares = {square_of(a) for a, b in pairs if a != b and square_of(a) == square_of(b)}
            return [(column, self.height(column, row) - 1, row) for column, row in sorted(squares)]
        return [cell for item, cell in self.things if phrase_matches(thing, item) and self._stands(thing, cell)]

    def _stands(self, ref: ItemPhrase, cell: Cell) -> bool:
        """Return whether an item stands where its phrase says."""
        column, height, row = cell
        if ref.wall is not None and square_of(cell) not in squares_along_wall(ref.wall):
            return False
        if ref.under is not None and (column, height + 1, row) not in self.of(ref.under):
            return False
        if ref.seen is not None and ref.seen != self.seen(square_of(cell)):
            return False
        return ref.on is None or (column, height - 1, row) in self.of(ref.on)

    def seen(self, spot: Square) -> Side:
        """Return the side of a square for the agent at the door; in front is straight ahead."""
        east, north = side_offset(self.facing, "right")
        across = (spot[0] - DOOR_SQUARE[0]) * east + (spot[1] - DOOR_SQUARE[1]) * north
        if across:
            return "right" if across > 0 else "left"
        return "front"

    def matching_squares(self, relation: Relation) -> set[Square]:
        """Return the squares for which a relation holds."""
        if isinstance(relation, OnTop):
            # "On top of the mug" means a mug with nothing on it.
            item_cells = self.of(relation.thing)
            return {square_of(cell) for cell in item_cells if self.height(cell[0], cell[2]) == cell[1] + 1}
        if isinstance(relation, Against):
            return set(squares_along_wall(relation.wall))
        if isinstance(relation, RelativeToAgent):
            if relation.side == "ahead":
                return set(_squares_to_wall(DOOR_SQUARE, self.facing))
            # In front of the agent is the side that would be behind an item.
            side: Side = "behind" if relation.side == "front" else relation.side
            return {_add(DOOR_SQUARE, side_offset(self.facing, side))}
        positions = [square_of(cell) for cell in self.of(relation.thing)]
        if isinstance(relation, OnSide):
            return {_add(spot, side_offset(self.facing, relation.side)) for spot in positions}
        if isinstance(relation, Near):
            return {spot for other in positions for spot in ALL_SQUARES if _is_near(relation.how, spot, other)}
        if isinstance(relation, CloserToWall):
            return {
                spot
                for thing in positions
                for spot in ALL_SQUARES
                if _distance_to_wall(spot, relation.wall) < _distance_to_wall(thing, relation.wall)
            }
        if isinstance(relation.other, int):
            return {spot for thing in positions for spot in _squares_to_wall(thing, relation.other)}
        if relation.other is None:
            pairs = list(permutations(positions, 2))
        else:
            pairs = [(a, square_of(b)) for a in positions for b in self.of(relation.other)]
        return {spot for a, b in pairs for spot in _squares_between(a, b)}


ALL_SQUARES = frozenset((column, row) for column in range(COLUMNS) for row in range(ROWS))


def square_of(cell: Cell) -> Square:
    """Return a cell's column and row."""
    return cell[0], cell[2]


@lru_cache(maxsize=8)
def squares_along_wall(wall: int) -> frozenset[Square]:
    """Return the squares that touch a wall."""
    east, north = FORWARD_STEPS[wall]
    return frozenset((c, r) for c, r in ALL_SQUARES if (c + east, r + north) not in ALL_SQUARES)


def wall_index(name: str) -> int:
    """Return the index of a wall, by the heading at which the agent faces it."""
    return WALLS.index(name)


def phrase_matches(phrase: ItemPhrase, item: Item) -> bool:
    """Return whether a phrase's own words match an item."""
    return (
        phrase.type == item.type
        and (phrase.colour is None or phrase.colour == item.colour)
        and (phrase.pattern is None or phrase.pattern == item.pattern)
    )


def _is_near(how: str, spot: Square, other: Square) -> bool:
    across, along_rows = abs(spot[0] - other[0]), abs(spot[1] - other[1])
    if how == "line":
        return (across == 0) != (along_rows == 0)
    return (across, along_rows) == (1, 1) if how == "diagonal" else across + along_rows == 1


@lru_cache(maxsize=128)
def _squares_to_wall(spot: Square, wall: int) -> tuple[Square, ...]:
    """Return the squares from a position to a wall."""
    step, squares = FORWARD_STEPS[wall], []
    while (spot := _add(spot, step)) in ALL_SQUARES:
        squares.append(spot)
    return tuple(squares)


def _distance_to_wall(spot: Square, wall: int) -> int:
    """Return the number of squares between a position and a wall."""
    return len(_squares_to_wall(spot, wall))


@lru_cache(maxsize=1024)
def _squares_between(first: Square, second: Square) -> tuple[Square, ...]:
    """Return the squares between two on a row, a column or a diagonal."""
    east, north = second[0] - first[0], second[1] - first[1]
    steps = max(abs(east), abs(north))
    if steps < 2 or east % steps or north % steps:
        return ()
    return tuple((first[0] + east // steps * k, first[1] + north // steps * k) for k in range(1, steps))


def _add(spot: Square, by: Square) -> Square:
    return spot[0] + by[0], spot[1] + by[1]


def _negate(by: Square) -> Square:
    return -by[0], -by[1]


def _distance_to_door(cell: Cell) -> int:
    return abs(cell[0] - DOOR[0]) + abs(cell[2] - DOOR[2])
