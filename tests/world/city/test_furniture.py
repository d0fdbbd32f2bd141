from __future__ import annotations

import numpy as np
import pytest

from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.districts import district_index
from bearleft.world.city.placement import GAP, kerb_points, model_extents, place_rows, place_things, running_index
from bearleft.world.city.plan import Draft
from bearleft.world.city.randomness import Stage
from bearleft.world.city.roads import lay_roads
from bearleft.world.city.stages import STAGES
from bearleft.world.city.streets import city_graph
from bearleft.world.graphs.graph import Graph

from .filled import ON_ROADS, apart, corners, filled, from_roads, of, reach, standing

SEEDS = (0, 7)


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_overlaps(seed: int) -> None:
    draft = filled(seed)
    numbers = standing(draft)
    things = draft.things[numbers]
    boxes = corners(things, 0.02)
    low, high = boxes.min(axis=1), boxes.max(axis=1)
    owner = things["owner"]
    compared = 0
    for k in range(len(things)):
        near = (low[k] < high[k + 1 :]).all(axis=1) & (high[k] > low[k + 1 :]).all(axis=1)
        for other in np.flatnonzero(near) + k + 1:
            if owner[k] == numbers[other] or owner[other] == numbers[k]:
                continue
            compared += 1
            names = [CLASSES[things["kind"][one]].name for one in (k, other)]
            assert apart(boxes[k], boxes[other]), f"{names[0]} and {names[1]} near {things[['x', 'y']][k]}"
    assert compared > 20


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_stands_in_a_building(seed: int) -> None:
    draft = filled(seed)
    things = draft.things[standing(draft)]
    boxes = corners(things, 0.02)
    houses = draft.things[draft.buildings["thing"]]
    ahead = np.stack([houses["ux"], houses["uy"]], axis=1) / 1e6
    aside = np.stack([ahead[:, 1], -ahead[:, 0]], axis=1)
    at = np.stack([houses["x"], houses["y"]], axis=1) / 1000
    for corner in range(4):
        away = boxes[:, None, corner] - at
        inside = (np.abs((away * aside).sum(axis=2)) < draft.buildings["hx"] / 1000) & (
            np.abs((away * ahead).sum(axis=2)) < draft.buildings["hy"] / 1000
        )
        wrong = np.flatnonzero(inside.any(axis=1))
        assert not len(wrong), {CLASSES[kind].name for kind in things["kind"][wrong]}


@pytest.mark.parametrize("seed", SEEDS)
def test_only_what_belongs_there_stands_on_a_carriageway(seed: int) -> None:
    draft = filled(seed)
    things = draft.things[standing(draft)]
    things = things[~of(things, *ON_ROADS)]
    for corner in range(4):
        away = from_roads(draft, corners(things)[:, corner])
        worst = int(np.argmin(away))
        assert away[worst] > -0.1, CLASSES[things["kind"][worst]].name


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_stands_close_to_a_camera(seed: int) -> None:
    draft = filled(seed)
    things = draft.things[standing(draft)]
    boxes = corners(things)
    cameras = draft.graph.positions[:, :2]
    sides = boxes[:, [1, 3]] - boxes[:, [0]]
    for camera in cameras:
        share = ((camera - boxes[:, 0])[:, None] * sides).sum(axis=2) / np.maximum((sides * sides).sum(axis=2), 1e-9)
        nearest = boxes[:, 0] + (np.clip(share, 0, 1)[:, :, None] * sides).sum(axis=1)
        away = np.linalg.norm(nearest - camera, axis=1)
        assert away.min() > 1.1, CLASSES[things["kind"][int(np.argmin(away))]].name


def test_rows_are_evenly_spaced() -> None:
    things = filled().things
    rows = 0
    for name in (
        "planter",
        "bench",
        "newspaper box",
        "bollard",
        "cafe table",
        "picnic table",
        "traffic cone",
        "barrel",
    ):
        ours = things[of(things, name) & (things["group"] >= 0)]
        for group in np.unique(ours["group"]):
            row = ours[ours["group"] == group]
            row = row[np.argsort(row["place_in_group"], kind="stable")]
            if (name == "bench" and (row["street"] < 0).all()) or len(row) < 2:
                continue  # benches along a park's path stand on both sides of it
            at = np.stack([row["x"], row["y"]], axis=1).astype(float)
            steps = np.linalg.norm(np.diff(at, axis=0), axis=1)
            assert (row["place_in_group"] == np.arange(len(row))).all()
            assert np.ptp(steps) <= 4 and steps.min() > 400, name
            one, whole = at[1] - at[0], at[-1] - at[0]
            assert abs(one[0] * whole[1] - one[1] * whole[0]) <= 10 * np.linalg.norm(whole)
            rows += 1
    assert rows >= 8


def test_lamps_follow_each_other_at_equal_distances_on_alternating_sides() -> None:
    draft = Draft(3, city_graph(3, 2, 2))
    lay_roads(draft)
    spots = kerb_points(draft, 13_000)
    for side in (-1, 1):
        for piece in np.unique(spots.piece):
            step = spots.step[(spots.side == side) & (spots.piece == piece)]
            assert (np.diff(step) == 1).all()
    things = filled().things
    lamps = things[of(things, "lamp post") & (things["street"] >= 0)]
    assert len(lamps) > 20
    where = district_index(0, lamps["x"], lamps["y"])
    for street in np.unique(lamps["street"]):
        for name in np.unique(where):
            assert len(np.unique(lamps["variant"][(lamps["street"] == street) & (where == name)])) <= 1


def test_spots_lie_on_kerbs_between_crossings() -> None:
    draft = Draft(0, city_graph(0, 3, 3))
    lay_roads(draft)
    spots = kerb_points(draft, 7_000, 500, 1_000)
    road = spots.road
    middle = np.stack([road["x0"], road["y0"]], axis=1).astype(float)
    away = np.stack([spots.x, spots.y], axis=1) - middle
    far = (away * np.stack(spots.along, axis=1)).sum(axis=1) / 1e6
    out = (away * np.stack(spots.out, axis=1)).sum(axis=1) / 1e6
    assert np.abs(out - road["half"]).max() < 5
    assert (far >= road["trim0"] - 5).all()
    length = np.hypot(road["x1"] - road["x0"], road["y1"] - road["y0"])
    assert (far <= length - road["trim1"] + 5).all()
    assert np.abs((road["along"] + far - 500) % 7_000).max() <= 7_000


def test_a_second_thing_finds_no_room_where_the_first_stands() -> None:
    draft = Draft(0, city_graph(0, 2, 2))
    lay_roads(draft)
    spots = kerb_points(draft, 20_000, 9_000, 6_000)
    x, y = spots.at(900)
    first = place_things(draft, Stage.FURNITURE, "mailbox", x, y, *spots.out, spots.index)
    again = place_things(draft, Stage.FURNITURE, "mailbox", x, y, *spots.out, spots.index)
    assert (first >= 0).sum() > 5 and (again < 0).all()
    assert (draft.things["kind"] == class_index("mailbox")).all() and len(draft.things) == (first >= 0).sum()
    groups = place_rows(draft, Stage.FURNITURE, "bollard", x, y, *spots.out, spots.index, 3, 1_500)
    assert (groups[first >= 0] == -1).all()


def test_bodies_hold_the_models() -> None:
    for name in ("car", "trash can", "bench", "dumpster", "tree", "bike rack", "landmark"):
        body = model_extents(name)
        for variant in range(len(body.half[0])):
            left, right, back, front = reach(class_index(name), variant)
            for axis, (low, high) in enumerate(((left, right), (back, front))):
                middle, half = body.middle[axis][variant] / 1000, body.half[axis][variant] / 1000
                assert middle - half <= low + 1e-3 and high - 1e-3 <= middle + half
                assert 2 * half <= high - low + 0.04
    assert GAP >= 250 / 2**0.5


def test_places_count_within_rows() -> None:
    assert running_index(np.array([3, 0, 2])).tolist() == [0, 1, 2, 0, 1]
    assert running_index(np.zeros(0, np.int64)).tolist() == []


def test_the_same_seed_makes_the_same_rows() -> None:
    again = filled.__wrapped__(0)
    assert (again.things == filled(0).things).all() and again.texts == filled(0).texts
    other = filled(7)
    assert len(other.things) != len(again.things) or (other.things != again.things).any()


def test_the_surroundings_of_a_camera_are_full() -> None:
    draft = filled()
    at = np.stack([draft.things["x"], draft.things["y"]], axis=1) / 1000
    counts = [(np.linalg.norm(at - one, axis=1) < 40).sum() for one in draft.graph.positions[:, :2]]
    assert np.mean(counts) > 60 and min(counts) > 15
    assert len(np.unique(draft.things["kind"])) > 45


def test_landmarks_differ_until_all_are_used() -> None:
    draft = filled(1, 12, 12)
    marks = draft.things[of(draft.things, "landmark")]
    assert len(marks) >= 3
    assert len(np.unique(marks["variant"])) == min(len(marks), len(CLASSES[class_index("landmark")].variants))


@pytest.mark.parametrize(("count", "step"), [(2, 0.0), (2, 1.0), (2, 10.0), (9, 10.0), (3, 200.0)])
def test_the_smallest_graphs_are_filled_too(count: int, step: float) -> None:
    one = np.arange(count - 1)
    where = [(0.0, step * k, 0.0) for k in range(count)]
    source, target = np.concatenate([one, one + 1]), np.concatenate([one + 1, one])
    graph = Graph.make("line", [str(k) for k in range(count)], where, source, target, np.where(target > source, 0, 180))
    draft = Draft(1, graph)
    for stage in STAGES:
        stage(draft)
    assert len(draft.things) > 100 or step < 5
