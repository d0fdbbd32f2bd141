"""ArraMon's actions: steps of 1 metre and turns of 30 degrees in the city, steps between cells in the room, and reach.

A position is (east, north, up) in metres (ArraMon's units); a cell is (column, height, row). The agent enters the room
at DOOR with heading 0, which faces higher rows. Cells on the floor have height 1, stacked ones
more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import cos, radians, sin

from bearleft.records import Cell, Position

GRID_HEADING = 28.79325  # degrees; all headings in the city are this plus multiples of TURN_DEGREES
TURN_DEGREES, ROOM_CELL_SIZE = 30.0, 1.5  # degrees; metres from cell to cell
TURNS_PER_CIRCLE = 12
DOOR: Cell = (2, 1, 0)
COLUMNS, ROWS, FLOOR = 5, 4, 1
REACH_AHEAD, REACH_ASIDE = 3.0, 0.5  # metres: the pick-up rectangle
AGENT_Z, ITEM_Z = 0.525, 0.06  # heights of the agent and of items in the released files
FORWARD, LEFT, RIGHT, PICK, PLACE = "forward", "left", "right", "pick", "place"


def replay(start: Position, heading: float, actions: Iterable[str]) -> tuple[list[Position], float]:
    """Return the positions visited by navigation actions, the start first, and the final heading.

    Obstacles are ignored.
    """
    east, north, up = start
    path = [start]
    for action in actions:
        if action == FORWARD:
            east, north = east + sin(radians(heading)), north + cos(radians(heading))
            path.append((east, north, up))
        elif action in (LEFT, RIGHT):
            heading += TURN_DEGREES if action == RIGHT else -TURN_DEGREES
    return path, heading


def replay_room(actions: Iterable[str]) -> tuple[list[Cell], Cell | None]:
    """Return the cells visited by assembly actions, and the cell ahead at the end.

    The cell ahead is None if the final heading is no multiple of 90 degrees. Obstacles are ignored.
    """
    column, height, row = DOOR
    path, turns = [DOOR], 0
    for action in actions:
        if action in (LEFT, RIGHT):
            turns += 1 if action == RIGHT else -1
        elif action == FORWARD and (ahead := cell_ahead(column, row, turns)) is not None:
            column, row = ahead
            path.append((column, height, row))
    last = cell_ahead(column, row, turns)
    return path, None if last is None else (last[0], height, last[1])


def cell_ahead(column: int, row: int, turns: int) -> tuple[int, int] | None:
    """Return the column and row ahead after a number of clockwise turns; they may lie outside the room.

    None if the heading is no multiple of 90 degrees.
    """
    if turns % 3:
        return None
    quarter = turns // 3 % 4
    return column + (0, 1, 0, -1)[quarter], row + (1, 0, -1, 0)[quarter]


def total_rotation(actions: Sequence[str]) -> float:
    """Return the sum of the rotations of actions in degrees, clockwise positive."""
    return TURN_DEGREES * (actions.count(RIGHT) - actions.count(LEFT))


def is_in_reach(position: Position, heading: float, item: Position) -> bool:
    """Return whether an item's centre lies in the pick-up rectangle: 3 metres ahead, half a metre to each side."""
    east, north = item[0] - position[0], item[1] - position[1]
    sine, cosine = sin(radians(heading)), cos(radians(heading))
    return 0 <= east * sine + north * cosine <= REACH_AHEAD and abs(east * cosine - north * sine) <= REACH_ASIDE


def is_inside_room(cell: Cell) -> bool:
    """Return whether a cell lies in the room."""
    return 0 <= cell[0] < COLUMNS and 0 <= cell[2] < ROWS
