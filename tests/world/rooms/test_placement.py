"""Placement of things in an empty room."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.world.rooms.arrangements import offset_along_wall, place_row, place_seats, place_wall_row
from bearleft.world.rooms.extents import (
    FACING_VECTORS,
    bounding_box,
    has_surface,
    rotated_box,
    rotated_point,
    support_surface,
)
from bearleft.world.rooms.placement import FLOOR_Z, Room, Thing, overlap
from bearleft.world.rooms.room_random import SeededRandom
from tests.sizes import sized

NAMES = ("sofa", "chair", "dining table", "bookshelf", "floor lamp", "rug", "potted plant", "bed", "store shelf")


def empty_room(seed: int = 0, width: int = 8_000, depth: int = 6_000) -> Room:
    room = Room("living_room", SeededRandom(seed, 0), (width, depth, 3_000), (0, 0), 0)
    room.things += [room.make(name, z=0) for name in ("floor", "ceiling", "wall", "wall", "wall", "wall")]
    return room


def test_facing_vectors_are_unit_vectors() -> None:
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
def test_rotated_boxes_contain_their_corners(facing: int, corner: tuple[int, int], scale: int) -> None:
    box = (min(corner[0], 0), min(corner[1], 0), 0, max(corner[0], 0), max(corner[1], 0), 500)
    rotated = rotated_box(box, facing, (scale, scale, 1000))
    for x in (box[0], box[3]):
        for y in (box[1], box[4]):
            point = rotated_point(x * scale // 1000, y * scale // 1000, facing)
            assert rotated[0] - 2 <= point[0] <= rotated[3] + 2 and rotated[1] - 2 <= point[1] <= rotated[4] + 2


def test_extents_come_from_the_models() -> None:
    x0, y0, x1, y1, high = support_surface("dining table", 0)
    whole = bounding_box("dining table", 0)
    assert whole[0] <= x0 < x1 <= whole[3] and whole[1] <= y0 < y1 <= whole[4] and 700 < high <= whole[5]
    assert has_surface("sofa", 0) and not has_surface("floor lamp", 0)
    with pytest.raises(InputError, match="a surface to put things on"):
        support_surface("floor lamp", 0)


@given(st.integers(0, 2**31 - 1), st.lists(st.sampled_from(NAMES), min_size=1, max_size=12))
@settings(deadline=None, max_examples=sized(15, 60))
def test_placed_things_do_not_overlap(seed: int, names: list[str]) -> None:
    room = empty_room(seed)
    placed: list[Thing] = []
    for k, name in enumerate(names):
        method = room.rng.randint(0, 3)
        if method == 0:
            thing = room.place_against(name, k % 4)
        elif method == 1:
            thing = room.place_in_corner(name)
        elif method == 2:
            thing = room.place_anywhere(name)
        else:
            thing = room.place_at(name, room.rng.randint(-3_000, 3_000), room.rng.randint(-2_000, 2_000), 6 * (k % 4))
        if thing is not None:
            placed.append(thing)
    for thing, other in combinations(placed, 2):
        assert not overlap(thing.box, other.box)
    for thing in placed:
        assert thing.box[0] >= -4_000 and thing.box[3] <= 4_000 and thing.box[1] >= -3_000 and thing.box[4] <= 3_000
        assert thing.box[5] < 45 or not overlap(thing.box, (-700, -700, 40, 700, 700, 2_000))


@pytest.mark.parametrize("wall", range(4))
def test_place_against_wall(wall: int) -> None:
    room = empty_room()
    sofa = room.place_against("sofa", wall, 500, variant=0)
    assert sofa is not None and abs(offset_along_wall(wall, sofa) - 500) < 120
    edge = (3_000 - sofa.box[4], 4_000 - sofa.box[3], sofa.box[1] + 3_000, sofa.box[0] + 4_000)[wall]
    assert 0 <= edge <= 25
    ux, uy = FACING_VECTORS[sofa.facing]
    assert sofa.x * ux + sofa.y * uy < 0, "it faces into the room"
    painting = room.hang("painting", wall, 1_600, 500)
    assert painting is not None and painting.owner == 2 + wall and painting.box[2] > sofa.box[5]
    assert room.place_against("wardrobe", wall, offset_along_wall(wall, painting), step=0) is None, (
        "it would hide the painting"
    )


def test_things_on_a_surface_do_not_overlap() -> None:
    room = empty_room()
    table = room.place_at("dining table", 2_500, 0, 6, variant=0)
    assert table is not None
    candidates = [room.place_randomly_on(table, "candle") for _ in range(12)]
    placed = [thing for thing in candidates if thing is not None]
    assert len(placed) >= 4
    for thing in placed:
        assert thing.owner == table.index and thing.z == FLOOR_Z + support_surface("dining table", 0)[4]
        assert table.box[0] <= thing.box[0] and thing.box[3] <= table.box[3]
    assert not any(overlap(thing.box, other.box) for thing, other in combinations(placed, 2))
    assert room.place_on(table, "candle", 5_000, 0) is None, "beyond the edge"
    assert room.place_on(placed[0], "candle", 0, 0) is None, "nothing stands on a candle"


def test_seats_face_their_table() -> None:
    room = empty_room()
    table = room.place_at("dining table", 2_500, 0, 6, variant=0)
    assert table is not None
    chairs = place_seats(room, table, "chair", (2, 1, 2, 1))
    assert len(chairs) >= 4 and len({thing.group for thing in chairs}) == 1
    assert [thing.place_in_group for thing in chairs] == list(range(len(chairs)))
    for chair in chairs:
        ux, uy = FACING_VECTORS[chair.facing]
        assert (table.x - chair.x) * ux + (table.y - chair.y) * uy > 0
        assert (chair.variant, chair.first) == (chairs[0].variant, chairs[0].first)


def test_rows_are_groups() -> None:
    room = empty_room()
    lamps = place_row(room, "floor lamp", [(-3_000, y) for y in (-2_000, 0, 2_000)], 6, variant=0)
    assert [thing.y for thing in lamps] == [-2_000, 0, 2_000] and [thing.place_in_group for thing in lamps] == [0, 1, 2]
    assert len({thing.group for thing in lamps}) == 1 and lamps[0].group >= 0
    pictures = place_wall_row(room, "painting", 1, 3, 200, 0, 1_600)
    assert len(pictures) == 3 and pictures[0].group not in (-1, lamps[0].group)
    assert place_row(room, "stool", [(3_000, 0)], 0)[0].group == -1, "a single thing has no group"


def test_hang_from_ceiling() -> None:
    room = empty_room()
    lamp = room.hang_from_ceiling("chandelier", 0, 0)
    assert lamp is not None and lamp.z == 3_000 and lamp.box[5] >= 3_000 and lamp.box[2] > 2_000
    assert room.hang_from_ceiling("chandelier", 0, 0, variant=lamp.variant) is None


def test_seeded_random_is_uniform_and_deterministic() -> None:
    rng, other = SeededRandom(7, 3), SeededRandom(7, 3)
    numbers = [rng.randint(0, 5) for _ in range(3_000)]
    assert (
        numbers
        == [other.randint(0, 5) for _ in range(3_000)]
        != [SeededRandom(7, 4).randint(0, 5) for _ in range(3_000)]
    )
    assert set(numbers) == set(range(6)) and all(400 < numbers.count(k) < 600 for k in range(6))
    assert sorted(rng.shuffled(range(9))) == list(range(9))
    assert 150 < sum(rng.chance(200) for _ in range(1_000)) < 250 and rng.randint(5, 3) == 5
