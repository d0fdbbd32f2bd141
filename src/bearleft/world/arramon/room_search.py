"""The shortest way to a cell of ArraMon's room: actions from the door until one stands before it, and "place".

One turns by 30 degrees, steps only along columns and rows, and neither through walls nor onto a cell with something on
it. What stands on the door's own cell keeps nobody in, but nobody returns there.
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


def stack_height(standing: Sequence[RoomItem], column: int, row: int) -> int:
    """The height of the cell that a thing put onto a column and row would have: 1 on the floor."""
    return FLOOR + max((one.cell[1] for one in standing if (one.cell[0], one.cell[2]) == (column, row)), default=0)


def room_actions(standing: Sequence[RoomItem], cell: Cell) -> list[str] | None:
    """The fewest actions that put something onto a cell, or None where there is no way or no room on top.

    The cell's height is not asked for: it is what stands there that says it.
    """
    goal = cell[0], cell[2]
    if stack_height(standing, *goal) > MAX_STACK_HEIGHT:
        return None
    taken = {(one.cell[0], one.cell[2]) for one in standing}
    start: State = (DOOR[0], DOOR[2], 0)
    got: dict[State, tuple[State, str] | None] = {start: None}
    waiting = deque([start])
    while waiting:
        state = waiting.popleft()
        before = cell_ahead(*state)
        if before == goal:
            return [*_actions_to(got, state), PLACE]
        for action, follower in _successors(state, before, taken):
            if follower not in got:
                got[follower] = state, action
                waiting.append(follower)
    return None


def _successors(state: State, before: tuple[int, int] | None, taken: set[tuple[int, int]]) -> list[tuple[str, State]]:
    column, row, turns = state
    steps = [
        (LEFT, (column, row, (turns - 1) % TURNS_PER_CIRCLE)),
        (RIGHT, (column, row, (turns + 1) % TURNS_PER_CIRCLE)),
    ]
    if before is not None and before not in taken and is_inside_room((before[0], FLOOR, before[1])):
        steps.insert(0, (FORWARD, (*before, turns)))
    return steps


def _actions_to(got: dict[State, tuple[State, str] | None], state: State) -> list[str]:
    actions: list[str] = []
    while (step := got[state]) is not None:
        state, action = step
        actions.append(action)
    return actions[::-1]
