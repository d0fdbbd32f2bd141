"""Putting things into a bare room."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.world.rooms import extents as bodies
from bearleft.world.rooms.arrangements import offset_along_wall, place_row, place_seats, place_wall_row
from bearleft.world.rooms.extents import FACING_VECTORS, bounding_box, rotated_box, rotated_point, support_surface
from bearleft.world.rooms.placement import FLOOR_Z, Room, Thing, overlap
from bearleft.world.rooms.room_random import SeededRandom

NAMES = ("sofa", "chair", "dining table", "bookshelf", "floor lamp", "rug", "potted plant", "bed", "store shelf")


def bare(seed: int = 0, wide: int = 8_000, deep: int = 6_000) -> Room:
    room = Room("living_room", SeededRandom(seed, 0), (wide, deep, 3_000), (0, 0), 0)
    room.things += [room.make(name, z=0) for name in ("floor", "ceiling", "wall", "wall", "wall", "wall")]
    return room


def test_ways_are_unit_vectors() -> None:
    assert (
        len(FACING_VECTORS) == 24
        and FACING_VECTORS[0] == (0, 1_000_000)
        and FACING_VECTORS[6] == (1_000_000, 0)
        and FACING_VECTORS[12] == (0, -1_000_000)
    )
    for k, (x, y) in enumerate(FACING_VECTORS):
        assert abs(x * x + y * y - 10**12) < 2e6
        assert x * FACING_VECTORS[k - 1][1] - y * FACING_VECTORS[k - 1][0] > 0, "clockwise"


@given(st.integers(0, 23), st.tuples(*[st.integers(-900, 900)] * 2), st.integers(500, 2_000))
@settings(deadline=None)
def test_turned_boxes_hold_their_corners(way: int, corner: tuple[int, int], stretch: int) -> None:
    box = (min(corner[0], 0), min(corner[1], 0), 0, max(corner[0], 0), max(corner[1], 0), 500)
    around = rotated_box(box, way, (stretch, stretch, 1000))
    for x in (box[0], box[3]):
        for y in (box[1], box[4]):
            there = rotated_point(x * stretch // 1000, y * stretch // 1000, way)
            assert around[0] - 2 <= there[0] <= around[3] + 2 and around[1] - 2 <= there[1] <= around[4] + 2


def test_bodies_are_read_off_the_models() -> None:
    x0, y0, x1, y1, high = support_surface("dining table", 0)
    whole = bounding_box("dining table", 0)
    assert whole[0] <= x0 < x1 <= whole[3] and whole[1] <= y0 < y1 <= whole[4] and 700 < high <= whole[5]
    assert bodies.has_surface("sofa", 0) and not bodies.has_surface("floor lamp", 0)
    with pytest.raises(InputError, match="a top to put things on"):
        support_surface("floor lamp", 0)


@given(st.integers(0, 2**31 - 1), st.lists(st.sampled_from(NAMES), min_size=1, max_size=12))
@settings(deadline=None, max_examples=60)
def test_whatever_is_put_shares_no_room(seed: int, names: list[str]) -> None:
    room = bare(seed)
    put: list[Thing] = []
    for k, name in enumerate(names):
        how = room.rng.randint(0, 3)
        if how == 0:
            thing = room.place_against(name, k % 4)
        elif how == 1:
            thing = room.place_in_corner(name)
        elif how == 2:
            thing = room.place_anywhere(name)
        else:
            thing = room.place_at(name, room.rng.randint(-3_000, 3_000), room.rng.randint(-2_000, 2_000), 6 * (k % 4))
        if thing is not None:
            put.append(thing)
    for one, other in combinations(put, 2):
        assert not overlap(one.box, other.box)
    for one in put:
        assert one.box[0] >= -4_000 and one.box[3] <= 4_000 and one.box[1] >= -3_000 and one.box[4] <= 3_000
        assert one.box[5] < 45 or not overlap(one.box, (-700, -700, 40, 700, 700, 2_000))


@pytest.mark.parametrize("wall", range(4))
def test_backs_are_to_walls(wall: int) -> None:
    room = bare()
    sofa = room.place_against("sofa", wall, 500, variant=0)
    assert sofa is not None and abs(offset_along_wall(wall, sofa) - 500) < 120
    edge = (3_000 - sofa.box[4], 4_000 - sofa.box[3], sofa.box[1] + 3_000, sofa.box[0] + 4_000)[wall]
    assert 0 <= edge <= 25
    ux, uy = FACING_VECTORS[sofa.facing]
    assert sofa.x * ux + sofa.y * uy < 0, "it looks into the room"
    painting = room.hang("painting", wall, 1_600, 500)
    assert painting is not None and painting.owner == 2 + wall and painting.box[2] > sofa.box[5]
    assert room.place_against("wardrobe", wall, offset_along_wall(wall, painting), step=0) is None, (
        "it would hide the painting"
    )


def test_things_lie_on_tops_apart() -> None:
    room = bare()
    table = room.place_at("dining table", 2_500, 0, 6, variant=0)
    assert table is not None
    lying = [room.place_randomly_on(table, "candle") for _ in range(12)]
    put = [one for one in lying if one is not None]
    assert len(put) >= 4
    for one in put:
        assert one.owner == table.index and one.z == FLOOR_Z + support_surface("dining table", 0)[4]
        assert table.box[0] <= one.box[0] and one.box[3] <= table.box[3]
    assert not any(overlap(one.box, other.box) for one, other in combinations(put, 2))
    assert room.place_on(table, "candle", 5_000, 0) is None, "beyond the edge"
    assert room.place_on(put[0], "candle", 0, 0) is None, "nothing stands on a candle"


def test_seats_look_at_their_table() -> None:
    room = bare()
    table = room.place_at("dining table", 2_500, 0, 6, variant=0)
    assert table is not None
    chairs = place_seats(room, table, "chair", (2, 1, 2, 1))
    assert len(chairs) >= 4 and len({one.group for one in chairs}) == 1
    assert [one.place_in_group for one in chairs] == list(range(len(chairs)))
    for chair in chairs:
        ux, uy = FACING_VECTORS[chair.facing]
        assert (table.x - chair.x) * ux + (table.y - chair.y) * uy > 0
        assert (chair.variant, chair.first) == (chairs[0].variant, chairs[0].first)


def test_rows_are_groups() -> None:
    room = bare()
    lamps = place_row(room, "floor lamp", [(-3_000, y) for y in (-2_000, 0, 2_000)], 6, variant=0)
    assert [one.y for one in lamps] == [-2_000, 0, 2_000] and [one.place_in_group for one in lamps] == [0, 1, 2]
    assert len({one.group for one in lamps}) == 1 and lamps[0].group >= 0
    pictures = place_wall_row(room, "painting", 1, 3, 200, 0, 1_600)
    assert len(pictures) == 3 and pictures[0].group not in (-1, lamps[0].group)
    assert place_row(room, "stool", [(3_000, 0)], 0)[0].group == -1, "one alone is no row"


def test_hanging_lamps_hang() -> None:
    room = bare()
    lamp = room.hang_from_ceiling("chandelier", 0, 0)
    assert lamp is not None and lamp.z == 3_000 and lamp.box[5] >= 3_000 and lamp.box[2] > 2_000
    assert room.hang_from_ceiling("chandelier", 0, 0, variant=lamp.variant) is None


def test_dice_are_fair_and_the_same() -> None:
    one, other = SeededRandom(7, 3), SeededRandom(7, 3)
    drawn = [one.randint(0, 5) for _ in range(3_000)]
    assert (
        drawn == [other.randint(0, 5) for _ in range(3_000)] != [SeededRandom(7, 4).randint(0, 5) for _ in range(3_000)]
    )
    assert set(drawn) == set(range(6)) and all(400 < drawn.count(k) < 600 for k in range(6))
    assert sorted(one.shuffled(range(9))) == list(range(9))
    assert 150 < sum(one.chance(200) for _ in range(1_000)) < 250 and one.randint(5, 3) == 5
