"""Draws ArraMon's tasks: where one starts, what is collected and what lies around, the room, and the shortest ways.

Walks are as long as those of the released files. Distracters look like the targets: the same type in another colour,
another type in the same colour and pattern, another pattern, and in three tasks of five a twin of a target, far off:
then its name alone does not tell which is meant, the way or what it lies by does.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, cos, dist, radians, sin

import numpy as np
import numpy.typing as npt

from bearleft.data.arramon_replay import APART
from bearleft.records import Cell, Position
from bearleft.world.arramon.astar import shortest_actions
from bearleft.world.arramon.grounds import Ground
from bearleft.world.arramon.items.names import COLOURS, ITEMS, PATTERNS, TYPES, Item
from bearleft.world.arramon.moves import COLUMNS, DOOR, FLOOR, FORWARD, GRID, LYING, ROWS, STANDING, TURN, replay
from bearleft.world.arramon.room_search import height_at, room_actions
from bearleft.world.arramon.task_setup import QUARTERS, CityItem, RoomItem

Spots = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Spot = tuple[float, float]
Bounds = tuple[float, float, float, float]  # west, south, east, north
TURNS = 2
DECILES = (1, 8, 11, 15, 18, 21, 23, 26, 29, 33, 44)  # moves of the released walks
# Moves of a shortest walk, about: the metres in that direction of the streets in which it is further, so many for each
# metre across, less those that need not be walked since the target is within reach.
ACROSS, BEFORE = 0.56, 2.8
SLACK = 0.15  # of the moves that are wanted, by which a walk may differ, or by two moves
# How often a target has a twin (so that three tasks of five have one), metres between them at least, and how often the
# twin is the nearer one to where the walk starts: as often as not, so that neither is what one would guess.
TWINS, FAR, NEARER = 0.37, 12.0, 0.5
DISTRACTERS = (6, 9)  # at least, at most
MARGIN = 0.25  # metres, beside a body's radius, that keep what lies around off walls and things
BESIDE, NEAR = 0.8, 2.0  # how often something lies beside a thing that has a name, and metres to its middle at most
# Things in the room, how many pairs of them stand on one another, and how often a target cell is on top of something.
DECOYS, PAIRS, ON_TOP = 8, (0, 1, 1, 2), 1 / 3
DISTINCT, RANDOM = "distinct", "random"  # how decoys are drawn
LONGEST = 4  # moves to a cell, as in the released files
NO_PLACE, NO_WAY, OTHER_LENGTH = "starts without a target", "targets without a way", "ways of another length"
NO_CELL = "rooms without a cell to reach"


class Passed(Exception):  # noqa: N818
    """A draw that came to nothing, and the reason: no error, one draws anew."""


@dataclass(frozen=True)
class Slot:
    """A task to be drawn: its number, which becomes its mapId, and the section it lies in."""

    number: int
    section: int


@dataclass(frozen=True, eq=False)
class Field:
    """Where in a section one may stand, where something may lie, and which of those spots are beside a thing."""

    ground: Ground
    section: int
    stand: Spots
    lie: Spots
    beside: npt.NDArray[np.int64]

    @classmethod
    def of(cls, ground: Ground, section: int, bounds: Bounds, things: Spots) -> Field:
        """The field of a section; `things` are the middles of what has a name."""
        side, origin = ground.side, np.array([ground.west, ground.south])
        low = np.maximum(np.floor((np.array(bounds[:2]) - origin) / side), 0).astype(np.int64)
        high = np.maximum(np.ceil((np.array(bounds[2:]) - origin) / side), 0).astype(np.int64)
        free = ground.free[low[0] : high[0], low[1] : high[1]]
        corner = origin + low * side
        lie = np.argwhere(_shrunk(free, ceil(MARGIN / side)))
        near = np.zeros_like(free)
        reach = ceil(NEAR / side)
        for column, row in np.floor((things - corner) / side).astype(np.int64).tolist():
            near[max(column - reach, 0) : max(column + reach, 0), max(row - reach, 0) : max(row + reach, 0)] = True
        beside = np.flatnonzero(near[lie[:, 0], lie[:, 1]])
        stand, lying = ((corner + (cells + 0.5) * side).round(3) for cells in (np.argwhere(free), lie))
        return cls(ground, section, stand, lying, beside)


@dataclass(frozen=True)
class Outdoors:
    """Two walks, the second from where the first ends, each with its heading; and what lies around, targets first."""

    headings: tuple[float, ...]
    paths: tuple[tuple[Position, ...], ...]
    actions: tuple[tuple[str, ...], ...]
    lying: tuple[CityItem, ...]


@dataclass(frozen=True)
class Indoors:
    """The room before anything is placed, and for each turn a cell and the way to it."""

    standing: tuple[RoomItem, ...]
    cells: tuple[Cell, ...]
    actions: tuple[tuple[str, ...], ...]


def draw_outdoors(field: Field, lengths: Sequence[float], draw: random.Random) -> Outdoors:
    """Walks of about so many moves in a section, and what lies around; or Passed."""
    chosen = draw.sample(ITEMS, TURNS)
    if not len(field.stand):
        raise Passed(NO_PLACE)
    east, north = field.stand[draw.randrange(len(field.stand))].tolist()
    at: Position = (east, north, STANDING)
    heading = (GRID + TURN * draw.randrange(12)) % 360.0
    headings, paths, ways = [], [], []
    lying: list[CityItem] = []
    for item, moves in zip(chosen, lengths, strict=True):
        lying.append(_lying(item, _target(field, draw, at, moves, lying), draw))
        found = shortest_actions(field.ground, at[:2], heading, lying[-1].at[:2])
        if found is None:
            raise Passed(NO_WAY)
        steps = found.count(FORWARD)
        # A walk that only turns would not say its heading in a released file.
        if not steps or abs(steps - moves) > max(2.0, SLACK * moves):
            raise Passed(OTHER_LENGTH)
        path, after = replay(at, heading, found)
        headings.append(heading)
        paths.append(tuple((round(x, 9), round(y, 9), up) for x, y, up in path))
        ways.append(tuple(found))
        at, heading = paths[-1][-1], after % 360.0
    lying += _distracters(field, draw, lying, [path[0][:2] for path in paths], chosen)
    return Outdoors(tuple(headings), tuple(paths), tuple(ways), tuple(lying))


def wanted_moves(draw: random.Random) -> float:
    """A walk's length, each as often as in the released files."""
    part, rest = divmod(draw.random() * (len(DECILES) - 1), 1.0)
    low, high = DECILES[int(part)], DECILES[int(part) + 1]
    return low + rest * (high - low)


def _target(field: Field, draw: random.Random, start: Position, moves: float, lying: Sequence[CityItem]) -> Spot:
    """A spot so many moves away along the streets, and off what lies there already."""
    sine, cosine = sin(radians(GRID)), cos(radians(GRID))

    def fits(spots: Spots) -> Flags:
        east, north = spots[:, 0] - start[0], spots[:, 1] - start[1]
        along, across = np.abs(east * sine + north * cosine), np.abs(east * cosine - north * sine)
        far = np.maximum(along, across) + ACROSS * np.minimum(along, across)
        return (np.abs(far - moves - BEFORE) < 1.0) & _apart(spots, lying)

    return _spot(field, draw, fits)


def _distracters(
    field: Field, draw: random.Random, targets: Sequence[CityItem], starts: Sequence[Spot], items: Sequence[Item]
) -> list[CityItem]:
    lying = list(targets)
    for target, start, item in zip(targets, starts, items, strict=True):
        if draw.random() < TWINS:
            lying.append(_lying(item, _twin(field, draw, target, start, lying), draw))
    for _ in range(draw.randint(*DISTRACTERS) - (len(lying) - TURNS)):
        spot = _spot(field, draw, lambda spots: _apart(spots, lying))
        lying.append(_lying(_like(items, draw), spot, draw))
    return lying[TURNS:]


def _twin(field: Field, draw: random.Random, target: CityItem, start: Spot, lying: Sequence[CityItem]) -> Spot:
    """A spot far off a target, nearer to a start or not, if there is one such."""
    expected = draw.random() < NEARER

    def fits(spots: Spots) -> Flags:
        good = _off(spots, target.at, FAR) & _apart(spots, lying)
        best = good & (_off(spots, start, dist(start, target.at[:2])) != expected)
        return best if best.any() else good

    return _spot(field, draw, fits)


def _like(items: Sequence[Item], draw: random.Random) -> Item:
    """Something like one of the items, and none of them."""
    while True:
        one = draw.choice(items)
        other = (
            Item(one.pattern, draw.choice(list(COLOURS)), one.type),
            Item(one.pattern, one.colour, draw.choice(TYPES)),
            Item(draw.choice(PATTERNS), one.colour, one.type),
        )[draw.randrange(3)]
        if other not in items:
            return other


def _spot(field: Field, draw: random.Random, fits: Callable[[Spots], Flags]) -> Spot:
    """A spot that fits: mostly beside a thing that has a name, if there is one such."""
    some = [field.lie[field.beside], field.lie] if draw.random() < BESIDE else [field.lie]
    for spots in some:
        found = np.flatnonzero(fits(spots))
        if len(found):
            x, y = spots[found[draw.randrange(len(found))]].tolist()
            return x, y
    raise Passed(NO_PLACE)


def _off(spots: Spots, at: Sequence[float], metres: float) -> Flags:
    """Which spots are so far from one, at least."""
    return np.asarray(np.hypot(spots[:, 0] - at[0], spots[:, 1] - at[1]) >= metres, bool)


def _apart(spots: Spots, lying: Sequence[CityItem]) -> Flags:
    """Which spots are off all that lies there."""
    apart = np.ones(len(spots), bool)
    for one in lying:
        apart &= _off(spots, one.at, APART)
    return apart


def _lying(item: Item, spot: Spot, draw: random.Random) -> CityItem:
    return CityItem(item.name, (*spot, LYING), draw.randrange(QUARTERS))


def _shrunk(free: Flags, cells: int) -> Flags:
    """The cells all of whose neighbours are free, so many cells around."""
    found = free.copy()
    for axis in (0, 1):
        whole = np.pad(found, [(cells, cells) if one == axis else (0, 0) for one in (0, 1)])
        for shift in range(2 * cells + 1):
            part = [slice(None), slice(None)]
            part[axis] = slice(shift, shift + free.shape[axis])
            found &= whole[tuple(part)]
    return found


def draw_indoors(items: Sequence[str], draw: random.Random, decoys: str = DISTINCT) -> Indoors:
    """A room for two items, and where they go; or Passed.

    Decoys are DISTINCT, from each other and from the items, or RANDOM as in the paper: each of any type, pattern and
    colour, so that several may look alike, and like an item.
    """
    if decoys == RANDOM:
        kinds = [draw.choice(ITEMS).name for _ in range(DECOYS)]
    else:
        kinds = draw.sample([one.name for one in ITEMS if one.name not in items], DECOYS)
    pairs = draw.choice(PAIRS)
    spots = draw.sample(_spots(), DECOYS - pairs)
    spots += spots[:pairs]
    standing: list[RoomItem] = []
    for kind, (column, row) in zip(kinds, spots, strict=True):
        standing.append(RoomItem(kind, (column, height_at(standing, column, row), row)))
    before = tuple(standing)
    if _walled_in(standing):
        raise Passed(NO_CELL)
    cells, ways = [], []
    for item in items:
        cell, way = _cell(standing, draw)
        cells.append(cell)
        ways.append(tuple(way))
        standing.append(RoomItem(item, cell))
    return Indoors(before, tuple(cells), tuple(ways))


def _spots() -> list[tuple[int, int]]:
    """Columns and rows where something may stand: all but the door's."""
    return [(c, r) for c in range(COLUMNS) for r in range(ROWS) if (c, r) != (DOOR[0], DOOR[2])]


def _walled_in(standing: Sequence[RoomItem]) -> bool:
    """Whether one could not even leave the door's cell."""
    taken = {(one.cell[0], one.cell[2]) for one in standing}
    return {(DOOR[0] - 1, DOOR[2]), (DOOR[0] + 1, DOOR[2]), (DOOR[0], DOOR[2] + 1)} <= taken


def _cell(standing: Sequence[RoomItem], draw: random.Random) -> tuple[Cell, list[str]]:
    """A cell that can be reached, on the floor or on top of what stands there."""
    height = FLOOR + (draw.random() < ON_TOP)
    spots = [spot for spot in _spots() if height_at(standing, *spot) == height]
    for column, row in draw.sample(spots, len(spots)):
        cell = (column, height, row)
        way = room_actions(standing, cell)
        if way is not None and way.count(FORWARD) <= LONGEST:
            return cell, way
    raise Passed(NO_CELL)
