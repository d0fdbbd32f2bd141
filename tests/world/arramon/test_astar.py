"""Shortest ways on a ground: against a plain Dijkstra over exact spots, and replayed step by step."""

from __future__ import annotations

import heapq
from itertools import count
from math import cos, radians, sin

import numpy as np
import pytest

from bearleft.world.arramon.astar import action_cost, shortest_actions
from bearleft.world.arramon.moves import GRID_HEADING, TURN_DEGREES, is_in_reach
from bearleft.world.arramon.walkable import UNOBSTRUCTED, WalkableGrid, step_forward
from tests.world.arramon.test_walkable import scattered, slow_step

Spot = tuple[float, float]


def picks(x: float, y: float, heading: float, target: Spot, others: list[Spot]) -> bool:
    """Whether the target is the nearest within reach, as the game has it, and less than 3 metres away in space."""
    here = (x, y, 0.0)
    near = [spot for spot in [target, *others] if is_in_reach(here, heading, (*spot, 0.0))]
    close = (target[0] - x) ** 2 + (target[1] - y) ** 2 < 2.96**2
    return close and target in near and min(near, key=lambda spot: (spot[0] - x) ** 2 + (spot[1] - y) ** 2) == target


def slow_cost(
    ground: WalkableGrid, start: Spot, heading: float, target: Spot, others: list[Spot], most: int
) -> int | None:
    """Dijkstra over exact spots (to a tenth of a millimetre), nothing but the rules; None beyond `most`."""
    order = count()
    heap = [(0, next(order), start[0], start[1], 0)]
    seen = set()
    while heap:
        paid, _, x, y, way = heapq.heappop(heap)
        state = round(x * 1e4), round(y * 1e4), way
        if state in seen:
            continue
        seen.add(state)
        if picks(x, y, heading + TURN_DEGREES * way, target, others):
            return paid
        to_x, to_y, went = slow_step(ground, x, y, heading + TURN_DEGREES * way)
        if went and paid + 10 <= most:
            heapq.heappush(heap, (paid + 10, next(order), to_x, to_y, way))
        if paid < most:
            heapq.heappush(heap, (paid + 1, next(order), x, y, (way + 1) % 12))
            heapq.heappush(heap, (paid + 1, next(order), x, y, (way - 1) % 12))
    return None


def drawn(ground: WalkableGrid, rng: np.random.Generator, size: float) -> Spot:
    """A free spot."""
    while True:
        x, y = ground.west + rng.uniform(0, size), ground.south + rng.uniform(0, size)
        if ground.free_at(x, y):
            return float(x), float(y)


def ahead(far: float) -> Spot:
    """So far along GRID from the origin."""
    return far * sin(radians(GRID_HEADING)), far * cos(radians(GRID_HEADING))


def check_walk(
    ground: WalkableGrid, start: Spot, heading: float, target: Spot, others: list[Spot], actions: list[str]
) -> None:
    """No step is stopped, and what one picks up at the end is the target."""
    assert actions[-1] == "pick" and "pick" not in actions[:-1]
    x, y = start
    for action in actions[:-1]:
        if action == "forward":
            east, north, went = step_forward(ground, x, y, heading)
            assert went
            x, y = float(east), float(north)
        else:
            heading += TURN_DEGREES if action == "right" else -TURN_DEGREES
    assert picks(x, y, heading, target, others)


@pytest.mark.parametrize("seed", range(4))
def test_cost_is_that_of_the_slow_version(seed: int) -> None:
    ground, rng = scattered(seed, 56, 14), np.random.default_rng(seed)
    found = 0
    for _ in range(6):
        start, target = drawn(ground, rng, 7.0), drawn(ground, rng, 7.0)
        heading = GRID_HEADING + TURN_DEGREES * int(rng.integers(12))
        others = [drawn(ground, rng, 7.0) for _ in range(2)]
        actions = shortest_actions(ground, start, heading, target, others)
        slow = slow_cost(ground, start, heading, target, others, 58)
        if actions is None:
            assert slow is None
            continue
        check_walk(ground, start, heading, target, others, actions)
        if slow is None:
            assert action_cost(actions) > 58
            continue
        found += 1
        # Spots within a quarter of a metre count as one, which may cost a turn or a step, never save one.
        assert slow <= action_cost(actions) <= slow + 11
    assert found >= 4


def test_most_ways_are_the_cheapest_of_all() -> None:
    ground, rng = scattered(9, 56, 12), np.random.default_rng(9)
    over = []
    for _ in range(12):
        start, target = drawn(ground, rng, 7.0), drawn(ground, rng, 7.0)
        actions = shortest_actions(ground, start, GRID_HEADING, target)
        slow = slow_cost(ground, start, GRID_HEADING, target, [], 58)
        if actions and slow is not None:
            over.append(action_cost(actions) - slow)
    assert len(over) >= 8 and sum(one == 0 for one in over) >= 0.8 * len(over)


def test_open_ground_is_walked_straight() -> None:
    target = ahead(11.8)
    assert shortest_actions(UNOBSTRUCTED, (0.0, 0.0), GRID_HEADING, target) == ["forward"] * 9 + ["pick"]
    behind = shortest_actions(UNOBSTRUCTED, (0.0, 0.0), GRID_HEADING + 180.0, target)
    assert behind is not None and action_cost(behind) == 96 and len(set(behind[:6])) == 1
    assert shortest_actions(UNOBSTRUCTED, ahead(9.0), GRID_HEADING, target) == ["pick"]


def test_wall_is_walked_around() -> None:
    free = np.ones((160, 160), np.bool_)
    free[80:88, :120] = False
    ground = WalkableGrid(free=free)
    actions = shortest_actions(ground, (8.0, 3.0), GRID_HEADING, (14.0, 3.0))
    assert actions is not None and actions.count("forward") > 20
    check_walk(ground, (8.0, 3.0), GRID_HEADING, (14.0, 3.0), [], actions)
    assert shortest_actions(ground, (8.0, 3.0), GRID_HEADING, (14.0, 3.0)) == actions
    free[80:88] = False
    assert shortest_actions(WalkableGrid(free=free), (8.0, 3.0), GRID_HEADING, (17.0, 3.0)) is None
    assert (
        shortest_actions(WalkableGrid(free=free), (10.5, 3.0), GRID_HEADING, (3.0, 3.0)) is None
    )  # one cannot stand there


def test_what_lies_nearer_is_gone_around() -> None:
    target, before = ahead(5.8), ahead(5.0)
    straight = shortest_actions(UNOBSTRUCTED, (0.0, 0.0), GRID_HEADING, target)
    around = shortest_actions(UNOBSTRUCTED, (0.0, 0.0), GRID_HEADING, target, [before])
    assert straight == ["forward"] * 3 + ["pick"]
    assert around is not None and action_cost(around) > 30
    check_walk(UNOBSTRUCTED, (0.0, 0.0), GRID_HEADING, target, [before], around)
    assert (
        shortest_actions(UNOBSTRUCTED, (0.0, 0.0), GRID_HEADING, target, [target]) is None
    )  # never the nearer of two at one spot
