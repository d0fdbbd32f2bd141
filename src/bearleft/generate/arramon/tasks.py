"""Sampling of ArraMon tasks: start, targets, distractors, room and shortest action sequences.

Walks are as long as those of the released files. Distractors resemble the targets: the same type in another colour,
another type in the same colour and pattern, another pattern. In three tasks of five a target has a distant twin, so
that only the route or the surroundings tell which of the two is meant. Decoys are the items in the room at the start;
unlike distractors, they cannot be picked up.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, cos, dist, radians, sin

import numpy as np
import numpy.typing as npt

from bearleft.data.arramon_replay import MIN_ITEM_DISTANCE
from bearleft.generate.arramon.decoys import DISTINCT, RANDOM
from bearleft.records import Cell, Position
from bearleft.world.arramon.astar import shortest_actions
from bearleft.world.arramon.items.names import COLOURS, ITEMS, PATTERNS, TYPES, Item
from bearleft.world.arramon.moves import (
    AGENT_Z,
    COLUMNS,
    DOOR,
    FLOOR,
    FORWARD,
    GRID_HEADING,
    ITEM_Z,
    ROWS,
    TURN_DEGREES,
    replay,
)
from bearleft.world.arramon.room_search import room_actions, stack_height
from bearleft.world.arramon.task_setup import FACINGS, CityItem, RoomItem
from bearleft.world.arramon.walkable import WalkableGrid

Positions = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Position2D = tuple[float, float]
Bounds = tuple[float, float, float, float]  # west, south, east, north
TURNS = 2
WALK_LENGTH_DECILES = (1, 8, 11, 15, 18, 21, 23, 26, 29, 33, 44)  # moves of the released walks
# Moves of a shortest walk, approximately: the metres along the longer street direction, plus CROSS_FACTOR for each
# metre across, less REACH_MOVES since the target need only be within reach.
CROSS_FACTOR, REACH_MOVES = 0.56, 2.8
LENGTH_TOLERANCE = 0.15  # relative deviation from the desired moves; two moves are always allowed
# How often a target has a twin (so that three tasks of five have one), the metres between them, and how often the twin
# is nearer to the start: half of the time, so that distance gives no hint.
TWIN_RATE, MIN_TWIN_DISTANCE, NEARER_TWIN_RATE = 0.37, 12.0, 0.5
DISTRACTOR_RANGE = (6, 9)  # fewest and most
WALL_MARGIN = 0.25  # metres between items and obstacles, beside the agent's radius
BESIDE_RATE, BESIDE_DISTANCE = (
    0.8,
    2.0,
)  # how often an item lies beside a landmark, and how many metres from its centre
# Decoys in the room, the number of stacked pairs, and how often a target cell is on top of another item.
DECOY_COUNT, STACKED_PAIRS, ON_TOP_RATE = 8, (0, 1, 1, 2), 1 / 3
MAX_ROOM_MOVES = 4  # as in the released files
NO_PLACE, NO_PATH, OTHER_LENGTH = "starts without a target", "targets without a path", "paths of another length"
NO_CELL = "rooms without a reachable cell"


class DrawRejected(Exception):  # noqa: N818
    """A draw that does not give a task, with the reason; the caller draws again."""


@dataclass(frozen=True)
class TaskSpec:
    """A task to draw: its number, which becomes its mapId, and its section."""

    number: int
    section: int


@dataclass(frozen=True, eq=False)
class SectionPositions:
    """Positions of a section for agents and for items, and the indices of the latter that are beside a landmark."""

    ground: WalkableGrid
    section: int
    agent_positions: Positions
    item_positions: Positions
    beside_landmark: npt.NDArray[np.int64]

    @classmethod
    def of(cls, ground: WalkableGrid, section: int, bounds: Bounds, landmarks: Positions) -> SectionPositions:
        """Return the positions of a section; `landmarks` are the centres of things with a name."""
        side, origin = ground.cell_size, np.array([ground.west, ground.south])
        low = np.maximum(np.floor((np.array(bounds[:2]) - origin) / side), 0).astype(np.int64)
        high = np.maximum(np.ceil((np.array(bounds[2:]) - origin) / side), 0).astype(np.int64)
        free = ground.free[low[0] : high[0], low[1] : high[1]]
        corner = origin + low * side
        item_cells = np.argwhere(_shrink(free, ceil(WALL_MARGIN / side)))
        near_landmark = np.zeros_like(free)
        reach = ceil(BESIDE_DISTANCE / side)
        for column, row in np.floor((landmarks - corner) / side).astype(np.int64).tolist():
            near_landmark[
                max(column - reach, 0) : max(column + reach, 0), max(row - reach, 0) : max(row + reach, 0)
            ] = True
        beside = np.flatnonzero(near_landmark[item_cells[:, 0], item_cells[:, 1]])
        agent_positions, item_positions = (
            (corner + (cells + 0.5) * side).round(3) for cells in (np.argwhere(free), item_cells)
        )
        return cls(ground, section, agent_positions, item_positions, beside)


@dataclass(frozen=True)
class NavigationDraw:
    """Two walks, the second starting where the first ends, with their headings; and the items, targets first."""

    headings: tuple[float, ...]
    paths: tuple[tuple[Position, ...], ...]
    actions: tuple[tuple[str, ...], ...]
    city_items: tuple[CityItem, ...]


@dataclass(frozen=True)
class RoomDraw:
    """The room before anything is placed, and for each turn a cell and the actions to it."""

    room_items: tuple[RoomItem, ...]
    cells: tuple[Cell, ...]
    actions: tuple[tuple[str, ...], ...]


def draw_navigation(
    section_positions: SectionPositions, lengths: Sequence[float], rng: random.Random
) -> NavigationDraw:
    """Draw walks of about the given numbers of moves in a section, and its items.

    Raises:
        DrawRejected: The draw does not give such walks.
    """
    items = rng.sample(ITEMS, TURNS)
    if not len(section_positions.agent_positions):
        raise DrawRejected(NO_PLACE)
    east, north = section_positions.agent_positions[rng.randrange(len(section_positions.agent_positions))].tolist()
    position: Position = (east, north, AGENT_Z)
    heading = (GRID_HEADING + TURN_DEGREES * rng.randrange(12)) % 360.0
    headings, paths, action_sequences = [], [], []
    city_items: list[CityItem] = []
    for item, moves in zip(items, lengths, strict=True):
        city_items.append(_place_item(item, _draw_target(section_positions, rng, position, moves, city_items), rng))
        walk = shortest_actions(section_positions.ground, position[:2], heading, city_items[-1].at[:2])
        if walk is None:
            raise DrawRejected(NO_PATH)
        forward_moves = walk.count(FORWARD)
        # The heading of a walk that only turns could not be inferred from a released file.
        if not forward_moves or abs(forward_moves - moves) > max(2.0, LENGTH_TOLERANCE * moves):
            raise DrawRejected(OTHER_LENGTH)
        path, end_heading = replay(position, heading, walk)
        headings.append(heading)
        paths.append(tuple((round(x, 9), round(y, 9), up) for x, y, up in path))
        action_sequences.append(tuple(walk))
        position, heading = paths[-1][-1], end_heading % 360.0
    city_items += _draw_distractors(section_positions, rng, city_items, [path[0][:2] for path in paths], items)
    return NavigationDraw(tuple(headings), tuple(paths), tuple(action_sequences), tuple(city_items))


def draw_walk_length(rng: random.Random) -> float:
    """Draw the length of a walk with the distribution of the released files."""
    decile, fraction = divmod(rng.random() * (len(WALK_LENGTH_DECILES) - 1), 1.0)
    low, high = WALK_LENGTH_DECILES[int(decile)], WALK_LENGTH_DECILES[int(decile) + 1]
    return low + fraction * (high - low)


def _draw_target(
    section_positions: SectionPositions,
    rng: random.Random,
    start: Position,
    moves: float,
    city_items: Sequence[CityItem],
) -> Position2D:
    """Draw a position that is about `moves` moves away along the streets, apart from other items."""
    sine, cosine = sin(radians(GRID_HEADING)), cos(radians(GRID_HEADING))

    def fits(positions: Positions) -> Flags:
        east, north = positions[:, 0] - start[0], positions[:, 1] - start[1]
        along, across = np.abs(east * sine + north * cosine), np.abs(east * cosine - north * sine)
        distance = np.maximum(along, across) + CROSS_FACTOR * np.minimum(along, across)
        return (np.abs(distance - moves - REACH_MOVES) < 1.0) & _apart_from_items(positions, city_items)

    return _draw_position(section_positions, rng, fits)


def _draw_distractors(
    section_positions: SectionPositions,
    rng: random.Random,
    targets: Sequence[CityItem],
    starts: Sequence[Position2D],
    items: Sequence[Item],
) -> list[CityItem]:
    city_items = list(targets)
    for target, start, item in zip(targets, starts, items, strict=True):
        if rng.random() < TWIN_RATE:
            city_items.append(_place_item(item, _twin_position(section_positions, rng, target, start, city_items), rng))
    for _ in range(rng.randint(*DISTRACTOR_RANGE) - (len(city_items) - TURNS)):
        position = _draw_position(section_positions, rng, lambda positions: _apart_from_items(positions, city_items))
        city_items.append(_place_item(_similar_item(items, rng), position, rng))
    return city_items[TURNS:]


def _twin_position(
    section_positions: SectionPositions,
    rng: random.Random,
    target: CityItem,
    start: Position2D,
    city_items: Sequence[CityItem],
) -> Position2D:
    """Draw a position far from a target, nearer to the start than the target or not, if there is one."""
    nearer = rng.random() < NEARER_TWIN_RATE

    def fits(positions: Positions) -> Flags:
        valid = _at_least(positions, target.at, MIN_TWIN_DISTANCE) & _apart_from_items(positions, city_items)
        preferred = valid & (_at_least(positions, start, dist(start, target.at[:2])) != nearer)
        return preferred if preferred.any() else valid

    return _draw_position(section_positions, rng, fits)


def _similar_item(items: Sequence[Item], rng: random.Random) -> Item:
    """Draw an item that resembles one of the items and equals none of them."""
    while True:
        item = rng.choice(items)
        candidate = (
            Item(item.pattern, rng.choice(list(COLOURS)), item.type),
            Item(item.pattern, item.colour, rng.choice(TYPES)),
            Item(rng.choice(PATTERNS), item.colour, item.type),
        )[rng.randrange(3)]
        if candidate not in items:
            return candidate


def _draw_position(
    section_positions: SectionPositions, rng: random.Random, fits: Callable[[Positions], Flags]
) -> Position2D:
    """Draw a position that fits, mostly beside a landmark if there is one."""
    choices = (
        [section_positions.item_positions[section_positions.beside_landmark], section_positions.item_positions]
        if rng.random() < BESIDE_RATE
        else [section_positions.item_positions]
    )
    for positions in choices:
        fitting = np.flatnonzero(fits(positions))
        if len(fitting):
            x, y = positions[fitting[rng.randrange(len(fitting))]].tolist()
            return x, y
    raise DrawRejected(NO_PLACE)


def _at_least(positions: Positions, centre: Sequence[float], metres: float) -> Flags:
    """Return which positions are at least `metres` from a centre."""
    return np.asarray(np.hypot(positions[:, 0] - centre[0], positions[:, 1] - centre[1]) >= metres, bool)


def _apart_from_items(positions: Positions, city_items: Sequence[CityItem]) -> Flags:
    """Return which positions are apart from all items."""
    apart = np.ones(len(positions), bool)
    for item in city_items:
        apart &= _at_least(positions, item.at, MIN_ITEM_DISTANCE)
    return apart


def _place_item(item: Item, position: Position2D, rng: random.Random) -> CityItem:
    return CityItem(item.name, (*position, ITEM_Z), rng.randrange(FACINGS))


def _shrink(free: Flags, cells: int) -> Flags:
    """Return the cells whose neighbours up to `cells` away are all free."""
    shrunk = free.copy()
    for axis in (0, 1):
        padded = np.pad(shrunk, [(cells, cells) if dimension == axis else (0, 0) for dimension in (0, 1)])
        for shift in range(2 * cells + 1):
            part = [slice(None), slice(None)]
            part[axis] = slice(shift, shift + free.shape[axis])
            shrunk &= padded[tuple(part)]
    return shrunk


def draw_room(items: Sequence[str], rng: random.Random, decoys: str = DISTINCT) -> RoomDraw:
    """Draw a room for two items, and their cells.

    Args:
        items: The names of the items.
        rng: The random generator.
        decoys: DISTINCT, different from each other and from the items, or RANDOM as in the paper: of any type, pattern
            and colour, so that several may look alike, and like an item.

    Raises:
        DrawRejected: There is no reachable cell.
    """
    if decoys == RANDOM:
        names = [rng.choice(ITEMS).name for _ in range(DECOY_COUNT)]
    else:
        names = rng.sample([item.name for item in ITEMS if item.name not in items], DECOY_COUNT)
    stacked = rng.choice(STACKED_PAIRS)
    columns = rng.sample(_room_columns(), DECOY_COUNT - stacked)
    columns += columns[:stacked]
    room_items: list[RoomItem] = []
    for name, (column, row) in zip(names, columns, strict=True):
        room_items.append(RoomItem(name, (column, stack_height(room_items, column, row), row)))
    initial_items = tuple(room_items)
    if _is_door_blocked(room_items):
        raise DrawRejected(NO_CELL)
    cells, action_sequences = [], []
    for item in items:
        cell, actions = _draw_cell(room_items, rng)
        cells.append(cell)
        action_sequences.append(tuple(actions))
        room_items.append(RoomItem(item, cell))
    return RoomDraw(initial_items, tuple(cells), tuple(action_sequences))


def _room_columns() -> list[tuple[int, int]]:
    """Return the columns and rows where an item may stand: all but the door's."""
    return [(c, r) for c in range(COLUMNS) for r in range(ROWS) if (c, r) != (DOOR[0], DOOR[2])]


def _is_door_blocked(room_items: Sequence[RoomItem]) -> bool:
    """Return whether the agent could not leave the door's cell."""
    occupied = {(item.cell[0], item.cell[2]) for item in room_items}
    return {(DOOR[0] - 1, DOOR[2]), (DOOR[0] + 1, DOOR[2]), (DOOR[0], DOOR[2] + 1)} <= occupied


def _draw_cell(room_items: Sequence[RoomItem], rng: random.Random) -> tuple[Cell, list[str]]:
    """Draw a reachable cell, on the floor or on top of an item."""
    height = FLOOR + (rng.random() < ON_TOP_RATE)
    columns = [position for position in _room_columns() if stack_height(room_items, *position) == height]
    for column, row in rng.sample(columns, len(columns)):
        cell = (column, height, row)
        actions = room_actions(room_items, cell)
        if actions is not None and actions.count(FORWARD) <= MAX_ROOM_MOVES:
            return cell, actions
    raise DrawRejected(NO_CELL)
