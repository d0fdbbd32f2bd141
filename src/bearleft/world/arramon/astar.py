"""A* on a walkable grid: the fewest steps, then the fewest turns, until an item is within reach.

Twelve headings and steps of one metre lead to ever new positions, so states are discretised into cells of a quarter
metre and headings; each state keeps the exact position of its cheapest path. Costs are integers, and ties are broken by
the order of discovery, so that paths are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, cos, floor, radians, sin
from typing import Any

import numpy as np

from bearleft.runtime.compiled import jit
from bearleft.world.arramon.moves import FORWARD, LEFT, PICK, REACH_AHEAD, REACH_ASIDE, RIGHT, TURN_DEGREES
from bearleft.world.arramon.walkable import WalkableGrid, can_step, is_free
from bearleft.world.graphs.heap import pop_min, push

Array = Any  # NumPy arrays in compiled code
XY = tuple[float, float]  # metres east and north
HEADINGS = 12
STEP_COST, TURN_COST = 10, 1
STATE_CELL_SIZE = 0.25  # metres
SEARCH_MARGIN = 12.0  # metres around start and target that are searched on an unobstructed grid
TOLERANCE = 1e-6  # metres; keeps targets within reach despite rounding errors of a replay
MAX_PICK_DISTANCE = 2.96  # metres; a farther item within reach is 3 m or more from the eyes and fails CTC-3
REACH_NORM = 3.1342  # dodecagon norm of the farthest corner of the pick-up rectangle
ACTION_NAMES = {1: FORWARD, 2: LEFT, 3: RIGHT}


def shortest_actions(
    grid: WalkableGrid, start: XY, heading: float, target: XY, others: Sequence[XY] = ()
) -> list[str] | None:
    """Return the cheapest actions that end with picking up `target`, "pick" last.

    Args:
        grid: The walkable grid.
        start: Position of the agent.
        heading: Heading of the agent in degrees.
        target: Position of the item.
        others: Positions of other items. None of them may be in reach and as near as the target at the end, since
            "pick" takes the nearest item.

    Returns:
        The actions, or None if there is no path.
    """
    angles = [radians(heading + TURN_DEGREES * k) for k in range(HEADINGS)]
    sines, cosines = np.array([sin(angle) for angle in angles]), np.array([cos(angle) for angle in angles])
    other_points = np.array([point[:2] for point in others], np.float64).reshape(-1, 2)
    codes = _search(
        grid.west,
        grid.south,
        grid.cell_size,
        grid.free,
        float(start[0]),
        float(start[1]),
        float(target[0]),
        float(target[1]),
        other_points,
        sines,
        cosines,
    )
    if codes[0] < 0:
        return None
    return [*(ACTION_NAMES[int(code)] for code in codes[1:]), PICK]


def action_cost(actions: Sequence[str]) -> int:
    """Return the cost that the search minimises: 10 per step and 1 per turn."""
    return STEP_COST * actions.count(FORWARD) + TURN_COST * (actions.count(LEFT) + actions.count(RIGHT))


@jit
def is_within_reach(x: float, y: float, sine: float, cosine: float, item_x: float, item_y: float, slack: float) -> bool:
    """Return whether a point lies in the pick-up rectangle, enlarged by `slack` on every side."""
    ahead = (item_x - x) * sine + (item_y - y) * cosine
    aside = (item_x - x) * cosine - (item_y - y) * sine
    return -slack <= ahead <= REACH_AHEAD + slack and abs(aside) <= REACH_ASIDE + slack


@jit
def _is_picked(x: float, y: float, sine: float, cosine: float, to_x: float, to_y: float, others: Array) -> bool:
    """Return whether "pick" would take the target."""
    if not is_within_reach(x, y, sine, cosine, to_x, to_y, -TOLERANCE):
        return False
    target_distance = (to_x - x) ** 2 + (to_y - y) ** 2 + TOLERANCE
    if target_distance > MAX_PICK_DISTANCE**2:
        return False
    for k in range(len(others)):
        is_nearer = (others[k, 0] - x) ** 2 + (others[k, 1] - y) ** 2 <= target_distance
        if is_nearer and is_within_reach(x, y, sine, cosine, others[k, 0], others[k, 1], TOLERANCE):
            return False
    return True


@jit
def _cost_lower_bound(x: float, y: float, sines: Array, cosines: Array, heading: int, to_x: float, to_y: float) -> int:
    """Return a lower bound of the remaining cost: steps in the dodecagon norm, and a turn if the target is aside."""
    east, north = to_x - x, to_y - y
    # The norm is the largest projection onto the bisectors of adjacent headings, over the cosine of 15 degrees.
    largest = 0.0
    for k in range(HEADINGS):
        following = (k + 1) % HEADINGS
        along = east * (sines[k] + sines[following]) + north * (cosines[k] + cosines[following])
        largest = max(largest, along)
    norm = largest / (
        2.0 * 0.9330127018922193
    )  # the sum of two adjacent unit vectors has length 2 cos 15: cos 15 squared
    steps = max(0, ceil(norm - REACH_NORM))
    ahead = east * sines[heading] + north * cosines[heading]
    aside = east * cosines[heading] - north * sines[heading]
    turns = 0 if ahead >= 0.0 and abs(aside) <= REACH_ASIDE else 1
    return STEP_COST * steps + TURN_COST * turns


@jit
def _hash_slot(keys: Array, key: int) -> int:
    """Return the slot of a key, or the free slot (-1) it belongs to, in a table whose size is a power of two."""
    mask = len(keys) - 1
    slot = (key * 0x9E3779B97F4A7C1 >> 20) & mask
    while keys[slot] != -1 and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@jit
def _doubled(array: Array) -> Array:
    """Return a copy of twice the length."""
    doubled = np.empty(2 * len(array), array.dtype)
    doubled[: len(array)] = array
    return doubled


@jit
def _search(
    west: float,
    south: float,
    cell_size: float,
    free: Array,
    x: float,
    y: float,
    to_x: float,
    to_y: float,
    others: Array,
    sines: Array,
    cosines: Array,
) -> Array:
    """Return the codes of the cheapest actions after a leading 0, or a single -1 if there is no path."""
    no_path = np.full(1, -1, np.int64)
    if not is_free(west, south, cell_size, free, x, y):
        return no_path
    low_x, low_y = min(x, to_x) - SEARCH_MARGIN, min(y, to_y) - SEARCH_MARGIN
    high_x, high_y = max(x, to_x) + SEARCH_MARGIN, max(y, to_y) + SEARCH_MARGIN
    # Nodes in order of discovery, and a hash table from states to nodes.
    capacity, slots = 1 << 14, 1 << 16
    east, north, costs = np.empty(capacity), np.empty(capacity), np.empty(capacity, np.int64)
    parents, turns, done = np.empty(capacity, np.int64), np.empty(capacity, np.int64), np.zeros(capacity, np.bool_)
    actions, states = np.empty(capacity, np.int64), np.empty(capacity, np.int64)
    keys, nodes = np.full(slots, -1, np.int64), np.empty(slots, np.int64)
    ranks, heap, size, count = np.empty(capacity, np.int64), np.empty(capacity, np.int64), 0, 0

    # Expand the start (action 0), then the three actions of each node taken from the heap.
    node = -1
    while True:
        for action in range(4):
            if (node < 0) != (action == 0):
                continue
            if action == 0:
                at_x, at_y, heading, cost = x, y, 0, 0
            else:
                at_x, at_y, heading = east[node], north[node], turns[node]
                cost = costs[node] + (STEP_COST if action == 1 else TURN_COST)
                if action == 1:
                    if not can_step(west, south, cell_size, free, at_x, at_y, sines[heading], cosines[heading]):
                        continue
                    at_x, at_y = at_x + sines[heading], at_y + cosines[heading]
                    if free.size == 0 and not (low_x <= at_x <= high_x and low_y <= at_y <= high_y):
                        continue
                else:
                    heading = (heading + (HEADINGS - 1 if action == 2 else 1)) % HEADINGS
            column, row = floor((at_x - x) / STATE_CELL_SIZE + 0.5), floor((at_y - y) / STATE_CELL_SIZE + 0.5)
            state = ((column + (1 << 20)) * (1 << 21) + row + (1 << 20)) * HEADINGS + heading
            slot = _hash_slot(keys, state)
            if keys[slot] == state:
                old_node = nodes[slot]
                if costs[old_node] <= cost:
                    continue
                done[old_node] = True  # a cheaper path to this state was found
            if count == len(east):
                east, north, costs, parents = _doubled(east), _doubled(north), _doubled(costs), _doubled(parents)
                turns, actions, states = _doubled(turns), _doubled(actions), _doubled(states)
                done, ranks, heap = _doubled(done), _doubled(ranks), _doubled(heap)
                keys, nodes = np.full(2 * len(keys), -1, np.int64), np.empty(2 * len(nodes), np.int64)
                for k in range(count):  # later nodes of a state replace earlier ones
                    new_slot = _hash_slot(keys, states[k])
                    keys[new_slot], nodes[new_slot] = states[k], k
                slot = _hash_slot(keys, state)
            keys[slot], nodes[slot] = state, count
            east[count], north[count], costs[count], parents[count] = at_x, at_y, cost, node
            turns[count], actions[count], states[count], done[count] = heading, action, state, False
            remaining = _cost_lower_bound(at_x, at_y, sines, cosines, heading, to_x, to_y)
            # Ties go to the node with the smaller remaining cost, then to the one found first.
            push(ranks, heap, size, ((cost + remaining) << 44) + (remaining << 26) + (count & ((1 << 26) - 1)), count)
            size += 1
            count += 1
        while True:
            if size == 0:
                return no_path
            node = heap[0]
            size -= 1
            pop_min(ranks, heap, size)
            if not done[node]:
                break
        done[node] = True
        if _is_picked(east[node], north[node], sines[turns[node]], cosines[turns[node]], to_x, to_y, others):
            break

    length, current = 0, node
    while current >= 0:
        length, current = length + 1, parents[current]
    codes, current = np.zeros(length, np.int64), node
    for k in range(length - 1, -1, -1):
        codes[k], current = actions[current], parents[current]
    return codes
