"""Tasks of ArraMon as they are drawn: walks, what lies around, the room."""

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
    total_turn,
)
from bearleft.world.arramon.room_search import room_actions, stack_height
from bearleft.world.arramon.task_setup import RoomItem
from bearleft.world.arramon.walkable import WalkableGrid, step_forward

NAMES = [one.name for one in ITEMS]
THINGS = np.array([(x, y) for x in range(3, 40, 6) for y in range(3, 40, 6)], float)
BOUNDS = (0.0, 0.0, 40.0, 40.0)


@pytest.fixture(scope="module")
def field() -> SectionPositions:
    """Streets of 8 m every 14, with a thing here and there."""
    side = 0.25
    free = np.zeros((240, 240), bool)
    at = (np.arange(240) + 0.5) * side
    free[(at % 14) < 8] = True
    free[:, (at % 14) < 8] = True
    for x, y in THINGS:
        free[int((x - 0.5) / side) : int((x + 0.5) / side), int((y - 0.5) / side) : int((y + 0.5) / side)] = False
    return SectionPositions.of(WalkableGrid(0.0, 0.0, side, free), 3, BOUNDS, THINGS)


@pytest.fixture(scope="module")
def drawn(field: SectionPositions) -> list[NavigationDraw]:
    found = []
    for k in range(60):
        for tried in range(200):
            draw = random.Random(f"{k} {tried}")
            try:
                found.append(draw_navigation(field, [4 + k % 20, 14], draw))
                break
            except DrawRejected:
                continue
    assert len(found) == 60
    return found


def test_fields_keep_off_what_is_not_free(field: SectionPositions) -> None:
    assert field.ground.free_at(*field.agent_positions.T).all() and len(field.item_positions) < len(
        field.agent_positions
    )
    assert (field.agent_positions < 40).all() and len(field.beside_landmark)
    # A margin more all around.
    for east, north in ((0.25, 0), (-0.25, 0), (0, 0.25), (0, -0.25), (0.25, 0.25)):
        inner = ((field.item_positions > 0.5) & (field.item_positions < 59)).all(axis=1)
        assert field.ground.free_at(field.item_positions[inner, 0] + east, field.item_positions[inner, 1] + north).all()
    near = np.abs(field.item_positions[field.beside_landmark][:, None] - THINGS).max(axis=2).min(axis=1)
    assert near.max() <= tasks.BESIDE_DISTANCE + 0.25


def test_walks_are_shortest_and_end_at_their_targets(field: SectionPositions, drawn: list[NavigationDraw]) -> None:
    for one in drawn:
        at, heading = one.paths[0][0], one.headings[0]
        assert (heading - GRID_HEADING) % 30 == pytest.approx(0, abs=1e-9) or (
            heading - GRID_HEADING
        ) % 30 == pytest.approx(30)
        for turn in range(2):
            target, actions = one.city_items[turn], one.actions[turn]
            assert one.paths[turn][0] == at and one.headings[turn] == pytest.approx(heading % 360)
            path, heading = replay(at, heading, actions)
            assert len(path) == len(one.paths[turn]) > 1
            assert max(map(dist, path, one.paths[turn])) < 1e-6
            assert is_in_reach(one.paths[turn][-1], heading, target.at)
            # What else lies there would not change the way.
            others = [other.at[:2] for other in one.city_items[turn:] if other != target]
            known = shortest_actions(field.ground, at[:2], one.headings[turn], target.at[:2], others)
            assert known == list(actions)
            at = one.paths[turn][-1]


def test_walks_stay_on_free_ground(field: SectionPositions, drawn: list[NavigationDraw]) -> None:
    for one in drawn[:20]:
        for path, heading, actions in zip(one.paths, one.headings, one.actions, strict=True):
            spot = path[0][:2]
            for k, action in enumerate(actions):
                if action == FORWARD:
                    x, y, moved = step_forward(field.ground, *spot, heading + total_turn(actions[:k]))
                    assert moved
                    spot = float(x), float(y)


def test_walks_have_the_wanted_lengths(drawn: list[NavigationDraw]) -> None:
    for k, one in enumerate(drawn):
        for expected, path in zip((4 + k % 20, 14), one.paths, strict=True):
            assert abs(len(path) - 1 - expected) <= max(2, tasks.LENGTH_TOLERANCE * expected)
    lengths = [draw_walk_length(random.Random(k)) for k in range(4000)]
    assert np.percentile(lengths, range(10, 100, 10)) == pytest.approx(tasks.WALK_LENGTH_DECILES[1:-1], abs=0.8)
    assert np.mean(lengths) == pytest.approx(20.7, abs=0.8)


def test_what_lies_around_is_like_the_targets_and_apart(field: SectionPositions, drawn: list[NavigationDraw]) -> None:
    twins = 0
    spots = {tuple(spot) for spot in field.item_positions.tolist()}
    alike: Counter[str] = Counter()
    for one in drawn:
        targets, rest = one.city_items[:2], one.city_items[2:]
        assert tasks.DISTRACTER_RANGE[0] <= len(rest) <= tasks.DISTRACTER_RANGE[1]
        assert targets[0].item != targets[1].item
        for first, second in combinations(one.city_items, 2):
            assert dist(first.at, second.at) >= MIN_ITEM_DISTANCE
        assert all(lying.at[:2] in spots for lying in one.city_items)
        for other in rest:
            for target in targets:
                if other.item == target.item:
                    twins += 1
                    assert dist(other.at, target.at) >= tasks.MIN_TWIN_DISTANCE
            a, b = item_by_name(other.item), [item_by_name(target.item) for target in targets]
            same = [(a.type == t.type) + (a.colour == t.colour) + (a.pattern == t.pattern) for t in b]
            assert max(same) >= 2
            for t in b:
                alike["colour"] += (a.type, a.pattern) == (t.type, t.pattern) and a.colour != t.colour
                alike["type"] += (a.colour, a.pattern) == (t.colour, t.pattern) and a.type != t.type
                alike["pattern"] += (a.colour, a.type) == (t.colour, t.type) and a.pattern != t.pattern
    assert 30 <= twins <= 60 and min(alike.values()) > 60
    assert {lying.facing for one in drawn for lying in one.city_items} == {0, 1, 2, 3}


def test_a_name_alone_does_not_tell_a_target_from_its_twin(drawn: list[NavigationDraw]) -> None:
    nearer = [
        dist(path[0][:2], other.at[:2]) < dist(path[0][:2], target.at[:2])
        for one in drawn
        for path, target in zip(one.paths, one.city_items[:2], strict=True)
        for other in one.city_items[2:]
        if other.item == target.item
    ]
    assert 0.2 < np.mean(nearer) < 0.7  # walks are short here: often no spot nearer than the target is far off it
    twins = [
        any(other.item in (one.city_items[0].item, one.city_items[1].item) for other in one.city_items[2:])
        for one in drawn
    ]
    assert np.mean(twins) == pytest.approx(0.6, abs=0.2)


def test_a_section_without_ground_is_passed_over() -> None:
    nothing = SectionPositions.of(
        WalkableGrid(0.0, 0.0, 0.25, np.zeros((20, 20), bool)), 1, (0.0, 0.0, 5.0, 5.0), THINGS
    )
    with pytest.raises(DrawRejected, match=tasks.NO_PLACE):
        draw_navigation(nothing, [5, 5], random.Random(0))
    # Too small for walks of this length; and two halves without a way from one to the other.
    free = np.ones((40, 40), bool)
    small = SectionPositions.of(WalkableGrid(0.0, 0.0, 0.25, free), 1, (0.0, 0.0, 10.0, 10.0), THINGS)
    with pytest.raises(DrawRejected, match=tasks.NO_PLACE):
        draw_navigation(small, [40, 40], random.Random(0))
    free[:, 18:22] = False
    halves = SectionPositions.of(WalkableGrid(0.0, 0.0, 0.25, free), 1, (0.0, 0.0, 10.0, 10.0), np.zeros((0, 2)))
    reasons = set()
    for k in range(30):
        with pytest.raises(DrawRejected) as passed:
            draw_navigation(halves, [7, 7], random.Random(k))
        reasons.add(str(passed.value))
    assert tasks.NO_PATH in reasons


def test_decoys_may_look_alike() -> None:
    """As in the paper, where each has a random pattern and colour; the default keeps them apart, and is as before."""
    alike = like_an_item = 0
    for k in range(200):
        items = random.Random(k).sample(NAMES, 2)
        try:
            room = draw_room(items, random.Random(f"room {k}"), RANDOM)
        except DrawRejected:
            continue
        found = [one.item for one in room.room_items]
        assert len(found) == tasks.DECOY_COUNT and set(found) <= set(NAMES)
        alike += len(set(found)) < len(found)
        like_an_item += bool(set(found) & set(items))
    # Eight draws from 98: two alike in a quarter of the rooms, one like an item in a sixth.
    assert 25 < alike < 80 and 12 < like_an_item < 60


def test_rooms() -> None:
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
        standing = list(room.room_items)
        assert len({one.item for one in standing} | set(items)) == tasks.DECOY_COUNT + 2
        for one in standing:
            column, height, row = one.cell
            assert (column, row) != (DOOR[0], DOOR[2]) and 0 <= column < COLUMNS and 0 <= row < ROWS
            assert height in (1, 2)
            assert height == 1 or any(other.cell == (column, 1, row) for other in standing)
        for name, cell, actions in zip(items, room.cells, room.actions, strict=True):
            heights[cell[1]] += 1
            path, before = replay_room(actions)
            assert before is not None and (before[0], before[2]) == (cell[0], cell[2])
            assert not {(c, r) for c, _, r in path} & {(one.cell[0], one.cell[2]) for one in standing}
            assert stack_height(standing, cell[0], cell[2]) == cell[1]
            standing.append(RoomItem(name, cell))
    assert rooms > 270
    assert heights[2] / sum(heights.values()) == pytest.approx(1 / 3, abs=0.06) and set(heights) == {1, 2}


CELLS = st.tuples(st.integers(0, COLUMNS - 1), st.integers(0, ROWS - 1))


@given(st.lists(CELLS, max_size=14), CELLS)
@settings(deadline=None, max_examples=60)
def test_ways_in_the_room(taken: list[tuple[int, int]], goal: tuple[int, int]) -> None:
    """Against a search over cells and quarters, whose steps cost what their turns do."""
    standing: list[RoomItem] = []
    for column, row in taken:
        if stack_height(standing, column, row) <= 4:
            standing.append(RoomItem(NAMES[0], (column, stack_height(standing, column, row), row)))
    full = stack_height(standing, *goal) > 4
    actions = room_actions(standing, (goal[0], 1, goal[1]))
    stands = {(one.cell[0], one.cell[2]) for one in standing}
    cost = {(DOOR[0], DOOR[2], 0): 0}
    for _ in range(80):
        for (column, row, quarter), paid in list(cost.items()):
            after = [(column, row, (quarter + 1) % 4, 3), (column, row, (quarter - 1) % 4, 3)]
            front = cell_ahead(column, row, 3 * quarter)
            assert front is not None
            if front not in stands and 0 <= front[0] < COLUMNS and 0 <= front[1] < ROWS:
                after.append((*front, quarter, 1))
            for c, r, q, price in after:
                if paid + price < cost.get((c, r, q), 999):
                    cost[c, r, q] = paid + price
    least = min((paid for (c, r, q), paid in cost.items() if cell_ahead(c, r, 3 * q) == goal), default=None)
    if actions is None:
        assert full or least is None
    else:
        assert not full and least == len(actions) - 1 and actions[-1] == "place"
        path, before = replay_room(actions)
        assert before is not None and (before[0], before[2]) == goal
        assert not {(c, r) for c, _, r in path[1:]} & stands


def test_one_leaves_an_occupied_door_but_does_not_return() -> None:
    standing = [RoomItem(NAMES[0], DOOR)]
    assert room_actions(standing, (2, 1, 2)) == ["forward", "place"]
    assert room_actions(standing, DOOR) == ["forward", *["left"] * 6, "place"]
    assert room_actions([RoomItem(NAMES[k], (2, k, 1)) for k in range(1, 5)], (2, 1, 1)) is None
