"""Tests of the sampling of ArraMon tasks: walks, distractors and rooms."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations
from math import dist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.data.arramon_replay import MIN_ITEM_DISTANCE
from bearleft.generate.arramon import tasks
from bearleft.generate.arramon.decoys import RANDOM
from bearleft.generate.arramon.tasks import (
    DrawRejected,
    NavigationDraw,
    SectionPositions,
    draw_navigation,
    draw_room,
    draw_walk_length,
)
from bearleft.world.arramon.astar import shortest_actions
from bearleft.world.arramon.items.names import ITEMS, item_by_name
from bearleft.world.arramon.moves import (
    COLUMNS,
    DOOR,
    FORWARD,
    GRID_HEADING,
    ROWS,
    cell_ahead,
    is_in_reach,
    replay,
    replay_room,
    total_rotation,
)
from bearleft.world.arramon.room_search import room_actions, stack_height
from bearleft.world.arramon.task_setup import RoomItem
from bearleft.world.arramon.walkable import WalkableGrid, step_forward
from tests.sizes import sized

NAMES = [item.name for item in ITEMS]
LANDMARKS = np.array([(x, y) for x in range(3, 40, 6) for y in range(3, 40, 6)], float)
BOUNDS = (0.0, 0.0, 40.0, 40.0)


@pytest.fixture(scope="module")
def positions() -> SectionPositions:
    """Return the positions of a section with streets of 8 m every 14 m, and obstacles."""
    side = 0.25
    free = np.zeros((240, 240), bool)
    centres = (np.arange(240) + 0.5) * side
    free[(centres % 14) < 8] = True
    free[:, (centres % 14) < 8] = True
    for x, y in LANDMARKS:
        free[int((x - 0.5) / side) : int((x + 0.5) / side), int((y - 0.5) / side) : int((y + 0.5) / side)] = False
    return SectionPositions.of(WalkableGrid(0.0, 0.0, side, free), 3, BOUNDS, LANDMARKS)


@pytest.fixture(scope="module")
def navigation_draws(positions: SectionPositions) -> list[NavigationDraw]:
    draws = []
    for k in range(60):
        for attempt in range(200):
            rng = random.Random(f"{k} {attempt}")
            try:
                draws.append(draw_navigation(positions, [4 + k % 20, 14], rng))
                break
            except DrawRejected:
                continue
    assert len(draws) == 60
    return draws


def test_section_positions_are_free(positions: SectionPositions) -> None:
    assert positions.ground.free_at(*positions.agent_positions.T).all() and len(positions.item_positions) < len(
        positions.agent_positions
    )
    assert (positions.agent_positions < 40).all() and len(positions.beside_landmark)
    # Items have a margin on all sides.
    for east, north in ((0.25, 0), (-0.25, 0), (0, 0.25), (0, -0.25), (0.25, 0.25)):
        inner = ((positions.item_positions > 0.5) & (positions.item_positions < 59)).all(axis=1)
        assert positions.ground.free_at(
            positions.item_positions[inner, 0] + east, positions.item_positions[inner, 1] + north
        ).all()
    distances = np.abs(positions.item_positions[positions.beside_landmark][:, None] - LANDMARKS).max(axis=2).min(axis=1)
    assert distances.max() <= tasks.BESIDE_DISTANCE + 0.25


@pytest.mark.slow
def test_walks_are_shortest_and_end_at_their_targets(
    positions: SectionPositions, navigation_draws: list[NavigationDraw]
) -> None:
    for draw in navigation_draws:
        position, heading = draw.paths[0][0], draw.headings[0]
        assert (heading - GRID_HEADING) % 30 == pytest.approx(0, abs=1e-9) or (
            heading - GRID_HEADING
        ) % 30 == pytest.approx(30)
        for turn in range(2):
            target, actions = draw.city_items[turn], draw.actions[turn]
            assert draw.paths[turn][0] == position and draw.headings[turn] == pytest.approx(heading % 360)
            path, heading = replay(position, heading, actions)
            assert len(path) == len(draw.paths[turn]) > 1
            assert max(map(dist, path, draw.paths[turn])) < 1e-6
            assert is_in_reach(draw.paths[turn][-1], heading, target.at)
            # Other items do not change the shortest walk.
            others = [other.at[:2] for other in draw.city_items[turn:] if other != target]
            expected = shortest_actions(positions.ground, position[:2], draw.headings[turn], target.at[:2], others)
            assert expected == list(actions)
            position = draw.paths[turn][-1]


def test_walks_stay_on_free_ground(positions: SectionPositions, navigation_draws: list[NavigationDraw]) -> None:
    for draw in navigation_draws[:20]:
        for path, heading, actions in zip(draw.paths, draw.headings, draw.actions, strict=True):
            position = path[0][:2]
            for k, action in enumerate(actions):
                if action == FORWARD:
                    x, y, moved = step_forward(positions.ground, *position, heading + total_rotation(actions[:k]))
                    assert moved
                    position = float(x), float(y)


def test_walks_have_the_requested_lengths(navigation_draws: list[NavigationDraw]) -> None:
    for k, draw in enumerate(navigation_draws):
        for expected, path in zip((4 + k % 20, 14), draw.paths, strict=True):
            assert abs(len(path) - 1 - expected) <= max(2, tasks.LENGTH_TOLERANCE * expected)
    lengths = [draw_walk_length(random.Random(k)) for k in range(4000)]
    assert np.percentile(lengths, range(10, 100, 10)) == pytest.approx(tasks.WALK_LENGTH_DECILES[1:-1], abs=0.8)
    assert np.mean(lengths) == pytest.approx(20.7, abs=0.8)


def test_distractors_resemble_targets_and_keep_their_distance(
    positions: SectionPositions, navigation_draws: list[NavigationDraw]
) -> None:
    twins = 0
    allowed = {tuple(position) for position in positions.item_positions.tolist()}
    similar: Counter[str] = Counter()
    for draw in navigation_draws:
        targets, distractors = draw.city_items[:2], draw.city_items[2:]
        assert tasks.DISTRACTOR_RANGE[0] <= len(distractors) <= tasks.DISTRACTOR_RANGE[1]
        assert targets[0].item != targets[1].item
        for first, second in combinations(draw.city_items, 2):
            assert dist(first.at, second.at) >= MIN_ITEM_DISTANCE
        assert all(item.at[:2] in allowed for item in draw.city_items)
        for other in distractors:
            for target in targets:
                if other.item == target.item:
                    twins += 1
                    assert dist(other.at, target.at) >= tasks.MIN_TWIN_DISTANCE
            a, b = item_by_name(other.item), [item_by_name(target.item) for target in targets]
            same = [(a.type == t.type) + (a.colour == t.colour) + (a.pattern == t.pattern) for t in b]
            assert max(same) >= 2
            for t in b:
                similar["colour"] += (a.type, a.pattern) == (t.type, t.pattern) and a.colour != t.colour
                similar["type"] += (a.colour, a.pattern) == (t.colour, t.pattern) and a.type != t.type
                similar["pattern"] += (a.colour, a.type) == (t.colour, t.type) and a.pattern != t.pattern
    assert 30 <= twins <= 60 and min(similar.values()) > 60
    assert {item.facing for draw in navigation_draws for item in draw.city_items} == {0, 1, 2, 3}


def test_distance_does_not_distinguish_a_target_from_its_twin(navigation_draws: list[NavigationDraw]) -> None:
    nearer = [
        dist(path[0][:2], other.at[:2]) < dist(path[0][:2], target.at[:2])
        for draw in navigation_draws
        for path, target in zip(draw.paths, draw.city_items[:2], strict=True)
        for other in draw.city_items[2:]
        if other.item == target.item
    ]
    assert 0.2 < np.mean(nearer) < 0.7  # walks are short: often no position is nearer than the target and far from it
    twins = [
        any(other.item in (draw.city_items[0].item, draw.city_items[1].item) for other in draw.city_items[2:])
        for draw in navigation_draws
    ]
    assert np.mean(twins) == pytest.approx(0.6, abs=0.2)


def test_impossible_draws_are_rejected() -> None:
    blocked_section = SectionPositions.of(
        WalkableGrid(0.0, 0.0, 0.25, np.zeros((20, 20), bool)), 1, (0.0, 0.0, 5.0, 5.0), LANDMARKS
    )
    with pytest.raises(DrawRejected, match=tasks.NO_PLACE):
        draw_navigation(blocked_section, [5, 5], random.Random(0))
    # A section too small for walks of this length, and one of two halves without a path between them.
    free = np.ones((40, 40), bool)
    small_section = SectionPositions.of(WalkableGrid(0.0, 0.0, 0.25, free), 1, (0.0, 0.0, 10.0, 10.0), LANDMARKS)
    with pytest.raises(DrawRejected, match=tasks.NO_PLACE):
        draw_navigation(small_section, [40, 40], random.Random(0))
    free[:, 18:22] = False
    divided_section = SectionPositions.of(
        WalkableGrid(0.0, 0.0, 0.25, free), 1, (0.0, 0.0, 10.0, 10.0), np.zeros((0, 2))
    )
    reasons = set()
    for k in range(30):
        with pytest.raises(DrawRejected) as caught:
            draw_navigation(divided_section, [7, 7], random.Random(k))
        reasons.add(str(caught.value))
    assert tasks.NO_PATH in reasons


def test_random_decoys_may_look_alike() -> None:
    """With RANDOM, decoys have random patterns and colours, as in the paper."""
    repeated = like_an_item = 0
    for k in range(200):
        items = random.Random(k).sample(NAMES, 2)
        try:
            room = draw_room(items, random.Random(f"room {k}"), RANDOM)
        except DrawRejected:
            continue
        names = [decoy.item for decoy in room.room_items]
        assert len(names) == tasks.DECOY_COUNT and set(names) <= set(NAMES)
        repeated += len(set(names)) < len(names)
        like_an_item += bool(set(names) & set(items))
    # Eight draws from 98: two are alike in a quarter of the rooms, and one equals an item in a sixth.
    assert 25 < repeated < 80 and 12 < like_an_item < 60


def test_drawn_rooms() -> None:
    heights: Counter[int] = Counter()
    rooms = 0
    for k in range(300):
        items = random.Random(k).sample(NAMES, 2)
        try:
            room = draw_room(items, random.Random(f"room {k}"))
        except DrawRejected:
            continue
        rooms += 1
        assert len(room.room_items) == tasks.DECOY_COUNT
        room_items = list(room.room_items)
        assert len({item.item for item in room_items} | set(items)) == tasks.DECOY_COUNT + 2
        for item in room_items:
            column, height, row = item.cell
            assert (column, row) != (DOOR[0], DOOR[2]) and 0 <= column < COLUMNS and 0 <= row < ROWS
            assert height in (1, 2)
            assert height == 1 or any(other.cell == (column, 1, row) for other in room_items)
        for name, cell, actions in zip(items, room.cells, room.actions, strict=True):
            heights[cell[1]] += 1
            path, cell_in_front = replay_room(actions)
            assert cell_in_front is not None and (cell_in_front[0], cell_in_front[2]) == (cell[0], cell[2])
            assert not {(c, r) for c, _, r in path} & {(item.cell[0], item.cell[2]) for item in room_items}
            assert stack_height(room_items, cell[0], cell[2]) == cell[1]
            room_items.append(RoomItem(name, cell))
    assert rooms > 270
    assert heights[2] / sum(heights.values()) == pytest.approx(1 / 3, abs=0.06) and set(heights) == {1, 2}


CELLS = st.tuples(st.integers(0, COLUMNS - 1), st.integers(0, ROWS - 1))


@given(st.lists(CELLS, max_size=14), CELLS)
@settings(deadline=None, max_examples=sized(15, 60))
def test_room_actions_are_shortest(stacks: list[tuple[int, int]], goal: tuple[int, int]) -> None:
    """Compare with Bellman-Ford over cells and quarter turns, where a quarter costs three turns."""
    room_items: list[RoomItem] = []
    for column, row in stacks:
        if stack_height(room_items, column, row) <= 4:
            room_items.append(RoomItem(NAMES[0], (column, stack_height(room_items, column, row), row)))
    full = stack_height(room_items, *goal) > 4
    actions = room_actions(room_items, (goal[0], 1, goal[1]))
    occupied = {(item.cell[0], item.cell[2]) for item in room_items}
    cost = {(DOOR[0], DOOR[2], 0): 0}
    for _ in range(80):
        for (column, row, quarter), total in list(cost.items()):
            successors = [(column, row, (quarter + 1) % 4, 3), (column, row, (quarter - 1) % 4, 3)]
            next_cell = cell_ahead(column, row, 3 * quarter)
            assert next_cell is not None
            if next_cell not in occupied and 0 <= next_cell[0] < COLUMNS and 0 <= next_cell[1] < ROWS:
                successors.append((*next_cell, quarter, 1))
            for c, r, q, step_cost in successors:
                if total + step_cost < cost.get((c, r, q), 999):
                    cost[c, r, q] = total + step_cost
    min_cost = min((total for (c, r, q), total in cost.items() if cell_ahead(c, r, 3 * q) == goal), default=None)
    if actions is None:
        assert full or min_cost is None
    else:
        assert not full and min_cost == len(actions) - 1 and actions[-1] == "place"
        path, cell_in_front = replay_room(actions)
        assert cell_in_front is not None and (cell_in_front[0], cell_in_front[2]) == goal
        assert not {(c, r) for c, _, r in path[1:]} & occupied


def test_occupied_door_can_be_left_but_not_entered() -> None:
    room_items = [RoomItem(NAMES[0], DOOR)]
    assert room_actions(room_items, (2, 1, 2)) == ["forward", "place"]
    assert room_actions(room_items, DOOR) == ["forward", *["left"] * 6, "place"]
    assert room_actions([RoomItem(NAMES[k], (2, k, 1)) for k in range(1, 5)], (2, 1, 1)) is None
