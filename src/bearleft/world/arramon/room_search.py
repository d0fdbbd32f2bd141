"""Shortest action sequence that places an item on a cell of ArraMon's room, by breadth-first search from the door.

The agent turns by 30 degrees, steps only along columns and rows, and neither through walls nor onto occupied cells. An
item on the door's own cell does not stop the agent from leaving, but from returning.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from bearleft.records import Cell
from bearleft.world.arramon.moves import (
    DOOR,
    FLOOR,
    FORWARD,
    LEFT,
    PLACE,
    RIGHT,
    TURNS_PER_CIRCLE,
    cell_ahead,
    is_inside_room,
)
from bearleft.world.arramon.task_setup import MAX_STACK_HEIGHT, RoomItem

State = tuple[int, int, int]  # column, row, turns clockwise


def stack_height(room_items: Sequence[RoomItem], column: int, row: int) -> int:
    """Return the height that an item placed on a column and row would have: 1 on the floor."""
    return FLOOR + max(
        (item.cell[1] for item in room_items if (item.cell[0], item.cell[2]) == (column, row)), default=0
    )


def room_actions(room_items: Sequence[RoomItem], cell: Cell) -> list[str] | None:
    """Return the fewest actions that place an item on a cell, "place" last.

    Args:
        room_items: Items in the room.
        cell: The cell; its height is ignored, the stack on it decides.

    Returns:
        The actions, or None if the cell cannot be reached or its stack is full.
    """
    goal = cell[0], cell[2]
    if stack_height(room_items, *goal) > MAX_STACK_HEIGHT:
        return None
    occupied = {(item.cell[0], item.cell[2]) for item in room_items}
    start: State = (DOOR[0], DOOR[2], 0)
    parents: dict[State, tuple[State, str] | None] = {start: None}
    queue = deque([start])
    while queue:
        state = queue.popleft()
        ahead = cell_ahead(*state)
        if ahead == goal:
            return [*_actions_to(parents, state), PLACE]
        for action, successor in _successors(state, ahead, occupied):
            if successor not in parents:
                parents[successor] = state, action
                queue.append(successor)
    return None


def _successors(state: State, ahead: tuple[int, int] | None, occupied: set[tuple[int, int]]) -> list[tuple[str, State]]:
    column, row, turns = state
    steps = [
        (LEFT, (column, row, (turns - 1) % TURNS_PER_CIRCLE)),
        (RIGHT, (column, row, (turns + 1) % TURNS_PER_CIRCLE)),
    ]
    if ahead is not None and ahead not in occupied and is_inside_room((ahead[0], FLOOR, ahead[1])):
        steps.insert(0, (FORWARD, (*ahead, turns)))
    return steps


def _actions_to(parents: dict[State, tuple[State, str] | None], state: State) -> list[str]:
    actions: list[str] = []
    while (step := parents[state]) is not None:
        state, action = step
        actions.append(action)
    return actions[::-1]
