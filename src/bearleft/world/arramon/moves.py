"""ArraMon's moves: steps of 1 and turns of 30 degrees in the city, cells in the room, and what lies within reach.

A position is (east, north, up) in units, which are metres here; a cell is (column, height, row). One enters the room at
DOOR and looks along the rows: heading 0. Cells on the floor have height 1, those on top of something more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import cos, radians, sin

from bearleft.records import Cell, Position

GRID_HEADING = (
    28.79325  # degrees; headings in the city are this and multiples of TURN, in the released files and in ours
)
TURN_DEGREES, ROOM_CELL_SIZE = 30.0, 1.5  # degrees; units from cell to cell
TURNS_PER_CIRCLE = 12  # turns that lead round once
DOOR: Cell = (2, 1, 0)
COLUMNS, ROWS, FLOOR = 5, 4, 1
REACH_AHEAD, REACH_ASIDE = 3.0, 0.5
AGENT_Z, ITEM_Z = 0.525, 0.06  # how high the released files write one who walks, and what lies on the ground
FORWARD, LEFT, RIGHT, PICK, PLACE = "forward", "left", "right", "pick", "place"


def replay(start: Position, heading: float, actions: Iterable[str]) -> tuple[list[Position], float]:
    """The positions that navigation actions lead to, the start first, and the heading at the end."""
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
    """The cells that assembly actions lead to, and the cell ahead at the end; None where one stands askew."""
    column, height, row = DOOR
    path, turns = [DOOR], 0
    for action in actions:
        if action in (LEFT, RIGHT):
            turns += 1 if action == RIGHT else -1
        elif action == FORWARD and (there := cell_ahead(column, row, turns)) is not None:
            column, row = there
            path.append((column, height, row))
    last = cell_ahead(column, row, turns)
    return path, None if last is None else (last[0], height, last[1])


def cell_ahead(column: int, row: int, turns: int) -> tuple[int, int] | None:
    """The column and row before one who has turned clockwise so often; may lie outside, None for one who is askew."""
    if turns % 3:
        return None
    quarter = turns // 3 % 4
    return column + (0, 1, 0, -1)[quarter], row + (1, 0, -1, 0)[quarter]


def total_turn(actions: Sequence[str]) -> float:
    """Degrees clockwise that actions turn."""
    return TURN_DEGREES * (actions.count(RIGHT) - actions.count(LEFT))


def is_in_reach(position: Position, heading: float, at: Position) -> bool:
    """Whether an object's centre lies in the pick-up rectangle: 3 units ahead, half a unit to each side."""
    east, north = at[0] - position[0], at[1] - position[1]
    sine, cosine = sin(radians(heading)), cos(radians(heading))
    return 0 <= east * sine + north * cosine <= REACH_AHEAD and abs(east * cosine - north * sine) <= REACH_ASIDE


def is_inside_room(cell: Cell) -> bool:
    """Whether a cell lies in the room."""
    return 0 <= cell[0] < COLUMNS and 0 <= cell[2] < ROWS
