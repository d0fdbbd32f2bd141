"""Shortest ways on a ground: the fewest steps, then the fewest turns, until something lies within reach.

Twelve headings and steps of a metre lead to ever new spots, so states are told apart by cells of a quarter metre and
the heading; each keeps the exact spot of the cheapest way there. Costs are whole numbers, and equal ones are taken in
the order in which they were found, so that a way is the same on every machine.
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

Array = Any  # numpy's, as compiled code takes them
Point = tuple[float, float]
HEADINGS = 12
STEP_COST, TURN_COST = 10, 1
STATE_CELL_SIZE = 0.25  # metres
SEARCH_MARGIN = 12.0  # metres around start and target that an open ground is searched
TOLERANCE = 1e-6  # so far within reach, whatever the last bits of a replay
MAX_PICK_DISTANCE = (
    2.96  # metres: what lies farther, though within reach, is 3 or more away from the eyes, and no CTC-3
)
REACH_NORM = 3.1342  # a dodecagon's norm of the farthest corner of what is within reach
ACTION_NAMES = {1: FORWARD, 2: LEFT, 3: RIGHT}


def shortest_actions(
    ground: WalkableGrid, start: Point, heading: float, target: Point, others: Sequence[Point] = ()
) -> list[str] | None:
    """Actions that lead to where `target` is what one picks up, "pick" last; None where there is no way.

    Of `others` none may lie within reach and as near as the target, since the nearest is picked up.
    """
    angles = [radians(heading + TURN_DEGREES * k) for k in range(HEADINGS)]
    sines, cosines = np.array([sin(one) for one in angles]), np.array([cos(one) for one in angles])
    rest = np.array([spot[:2] for spot in others], np.float64).reshape(-1, 2)
    codes = _search(
        ground.west,
        ground.south,
        ground.side,
        ground.free,
        float(start[0]),
        float(start[1]),
        float(target[0]),
        float(target[1]),
        rest,
        sines,
        cosines,
    )
    if codes[0] < 0:
        return None
    return [*(ACTION_NAMES[int(code)] for code in codes[1:]), PICK]


def action_cost(actions: Sequence[str]) -> int:
    """What the search makes least: 10 a step and 1 a turn."""
    return STEP_COST * actions.count(FORWARD) + TURN_COST * (actions.count(LEFT) + actions.count(RIGHT))


@jit
def is_within_reach(x: float, y: float, sine: float, cosine: float, at_x: float, at_y: float, slack: float) -> bool:
    """Whether a spot lies in the pick-up rectangle, made larger by `slack` on every side."""
    ahead = (at_x - x) * sine + (at_y - y) * cosine
    aside = (at_x - x) * cosine - (at_y - y) * sine
    return -slack <= ahead <= REACH_AHEAD + slack and abs(aside) <= REACH_ASIDE + slack


@jit
def _is_picked(x: float, y: float, sine: float, cosine: float, to_x: float, to_y: float, others: Array) -> bool:
    """Whether the target is what one picks up."""
    if not is_within_reach(x, y, sine, cosine, to_x, to_y, -TOLERANCE):
        return False
    far = (to_x - x) ** 2 + (to_y - y) ** 2 + TOLERANCE
    if far > MAX_PICK_DISTANCE**2:
        return False
    for k in range(len(others)):
        near = (others[k, 0] - x) ** 2 + (others[k, 1] - y) ** 2 <= far
        if near and is_within_reach(x, y, sine, cosine, others[k, 0], others[k, 1], TOLERANCE):
            return False
    return True


@jit
def _cost_lower_bound(x: float, y: float, sines: Array, cosines: Array, way: int, to_x: float, to_y: float) -> int:
    """What is still to be paid at least: steps in the dodecagon's norm, and a turn for what is not straight ahead."""
    east, north = to_x - x, to_y - y
    # The norm is the largest share along the middles between headings, over the cosine of 15 degrees.
    most = 0.0
    for k in range(HEADINGS):
        after = (k + 1) % HEADINGS
        along = east * (sines[k] + sines[after]) + north * (cosines[k] + cosines[after])
        most = max(most, along)
    norm = most / (2.0 * 0.9330127018922193)  # the sum of two neighbours is 2 cos 15 long: cos 15 squared
    steps = max(0, ceil(norm - REACH_NORM))
    ahead = east * sines[way] + north * cosines[way]
    aside = east * cosines[way] - north * sines[way]
    turns = 0 if ahead >= 0.0 and abs(aside) <= REACH_ASIDE else 1
    return STEP_COST * steps + TURN_COST * turns


@jit
def _hash_slot(keys: Array, key: int) -> int:
    """Where a key is, or where it belongs, in a table whose size is a power of two; -1 is nobody's."""
    last = len(keys) - 1
    place = (key * 0x9E3779B97F4A7C1 >> 20) & last
    while keys[place] != -1 and keys[place] != key:
        place = (place + 1) & last
    return place


@jit
def _doubled(old: Array) -> Array:
    """Twice as long."""
    new = np.empty(2 * len(old), old.dtype)
    new[: len(old)] = old
    return new


@jit
def _search(
    west: float,
    south: float,
    side: float,
    free: Array,
    x: float,
    y: float,
    to_x: float,
    to_y: float,
    others: Array,
    sines: Array,
    cosines: Array,
) -> Array:
    """The codes of the actions of a cheapest way after a leading 0; a lone -1 where there is none."""
    none = np.full(1, -1, np.int64)
    if not is_free(west, south, side, free, x, y):
        return none
    low_x, low_y = min(x, to_x) - SEARCH_MARGIN, min(y, to_y) - SEARCH_MARGIN
    high_x, high_y = max(x, to_x) + SEARCH_MARGIN, max(y, to_y) + SEARCH_MARGIN
    # Nodes in the order in which they were found, and a table from states to nodes.
    room, slots = 1 << 14, 1 << 16
    east, north, paid = np.empty(room), np.empty(room), np.empty(room, np.int64)
    before, way, done = np.empty(room, np.int64), np.empty(room, np.int64), np.zeros(room, np.bool_)
    code, states = np.empty(room, np.int64), np.empty(room, np.int64)
    keys, nodes = np.full(slots, -1, np.int64), np.empty(slots, np.int64)
    ranks, heap, size, count = np.empty(room, np.int64), np.empty(room, np.int64), 0, 0

    # What is still to try: the start, then the three actions of the node that is left.
    node = -1
    while True:
        for action in range(4):
            if (node < 0) != (action == 0):
                continue
            if action == 0:
                at_x, at_y, turn, bill = x, y, 0, 0
            else:
                at_x, at_y, turn = east[node], north[node], way[node]
                bill = paid[node] + (STEP_COST if action == 1 else TURN_COST)
                if action == 1:
                    if not can_step(west, south, side, free, at_x, at_y, sines[turn], cosines[turn]):
                        continue
                    at_x, at_y = at_x + sines[turn], at_y + cosines[turn]
                    if free.size == 0 and not (low_x <= at_x <= high_x and low_y <= at_y <= high_y):
                        continue
                else:
                    turn = (turn + (HEADINGS - 1 if action == 2 else 1)) % HEADINGS
            column, row = floor((at_x - x) / STATE_CELL_SIZE + 0.5), floor((at_y - y) / STATE_CELL_SIZE + 0.5)
            state = ((column + (1 << 20)) * (1 << 21) + row + (1 << 20)) * HEADINGS + turn
            slot = _hash_slot(keys, state)
            if keys[slot] == state:
                known = nodes[slot]
                if paid[known] <= bill:
                    continue
                done[known] = True  # a cheaper way there was found
            if count == len(east):
                east, north, paid, before = _doubled(east), _doubled(north), _doubled(paid), _doubled(before)
                way, code, states = _doubled(way), _doubled(code), _doubled(states)
                done, ranks, heap = _doubled(done), _doubled(ranks), _doubled(heap)
                keys, nodes = np.full(2 * len(keys), -1, np.int64), np.empty(2 * len(nodes), np.int64)
                for one in range(count):  # later nodes of a state take the place of earlier ones
                    spot = _hash_slot(keys, states[one])
                    keys[spot], nodes[spot] = states[one], one
                slot = _hash_slot(keys, state)
            keys[slot], nodes[slot] = state, count
            east[count], north[count], paid[count], before[count] = at_x, at_y, bill, node
            way[count], code[count], states[count], done[count] = turn, action, state, False
            left = _cost_lower_bound(at_x, at_y, sines, cosines, turn, to_x, to_y)
            # Among equal sums the nearer one first, then the one found first.
            push(ranks, heap, size, ((bill + left) << 44) + (left << 26) + (count & ((1 << 26) - 1)), count)
            size += 1
            count += 1
        while True:
            if size == 0:
                return none
            node = heap[0]
            size -= 1
            pop_min(ranks, heap, size)
            if not done[node]:
                break
        done[node] = True
        if _is_picked(east[node], north[node], sines[way[node]], cosines[way[node]], to_x, to_y, others):
            break

    length, one = 0, node
    while one >= 0:
        length, one = length + 1, before[one]
    codes, one = np.zeros(length, np.int64), node
    for k in range(length - 1, -1, -1):
        codes[k], one = code[one], before[one]
    return codes
