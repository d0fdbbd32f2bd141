"""The oracle of ArraMon: the best action at each step of a leg that somebody else plays.

In the city it is the first action of an A* path to the target; while the player takes the actions of the path, no new
one is searched. In the room it is the first of the fewest actions that put the item on its cell.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from bearleft.envs.arramon.vector import FORWARD, INTERACT, LEFT, RIGHT
from bearleft.world.arramon import moves
from bearleft.world.arramon.astar import XY, shortest_actions
from bearleft.world.arramon.moves import COLUMNS, ROWS, TURNS_PER_CIRCLE, cell_ahead
from bearleft.world.arramon.task_setup import MAX_STACK_HEIGHT
from bearleft.world.arramon.walkable import WalkableGrid

NONE = -1  # where no action leads to the goal
Codes = npt.NDArray[np.int8]
CODES = {moves.FORWARD: FORWARD, moves.LEFT: LEFT, moves.RIGHT: RIGHT, moves.PICK: INTERACT}
Cells = tuple[tuple[int, int], ...]


def collect_labels(
    ground: WalkableGrid,
    positions: npt.NDArray[np.float64],
    headings: npt.NDArray[np.float64],
    taken: Sequence[int],
    target: XY,
    others: Sequence[XY] = (),
) -> Codes:
    """Return the best action at each step of a walk.

    Args:
        ground: Where one can walk.
        positions: Where the player stood (t, 2).
        headings: Where it looked (t,).
        taken: The actions it took (t,).
        target: Position of the target.
        others: Positions of the other items in the city.
    """
    labels, plan = np.full(len(taken), NONE, np.int8), list[int]()
    for t, (position, heading) in enumerate(zip(positions, headings, strict=True)):
        follows = t > 0 and len(plan) > 1 and plan[0] == taken[t - 1]
        if follows:
            plan = plan[1:]
        else:
            actions = shortest_actions(ground, (position[0], position[1]), float(heading), target, others)
            plan = [CODES[action] for action in actions or ()]
        if plan:
            labels[t] = plan[0]
    return labels


def assemble_labels(cells: npt.NDArray[np.int32], stack_heights: npt.NDArray[np.int32], goal: tuple[int, int]) -> Codes:
    """Return the best action at each step in the room.

    Args:
        cells: Column, row and rotations of the player (t, 3).
        stack_heights: Numbers of items (columns, rows).
        goal: Column and row of the goal.
    """
    if stack_heights[goal] >= MAX_STACK_HEIGHT:
        return np.full(len(cells), NONE, np.int8)
    occupied = tuple((int(column), int(row)) for column, row in np.argwhere(stack_heights > 0))
    best = best_room_actions(occupied, (int(goal[0]), int(goal[1])))
    return best[cells[:, 0], cells[:, 1], cells[:, 2] % TURNS_PER_CIRCLE]


@lru_cache(maxsize=4096)
def best_room_actions(occupied: Cells, goal: tuple[int, int]) -> Codes:
    """Return the best action (columns, rows, rotations) in a room with items on some cells, NONE without any."""
    best = np.full((COLUMNS, ROWS, TURNS_PER_CIRCLE), NONE, np.int8)
    states = [(c, r, k) for c in range(COLUMNS) for r in range(ROWS) for k in range(TURNS_PER_CIRCLE)]
    before: dict[tuple[int, int, int], list[tuple[int, tuple[int, int, int]]]] = {state: [] for state in states}
    queue: deque[tuple[int, int, int]] = deque()
    for column, row, turns in states:
        ahead = cell_ahead(column, row, turns)
        if ahead == goal:
            best[column, row, turns] = INTERACT
            queue.append((column, row, turns))
        before[column, row, (turns - 1) % TURNS_PER_CIRCLE].append((LEFT, (column, row, turns)))
        before[column, row, (turns + 1) % TURNS_PER_CIRCLE].append((RIGHT, (column, row, turns)))
        if ahead is not None and 0 <= ahead[0] < COLUMNS and 0 <= ahead[1] < ROWS and ahead not in occupied:
            before[(*ahead, turns)].append((FORWARD, (column, row, turns)))
    while queue:
        for action, state in before[queue.popleft()]:
            if best[state] == NONE:
                best[state] = action
                queue.append(state)
    return best
