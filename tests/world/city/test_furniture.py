from __future__ import annotations

import numpy as np
import pytest

from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.districts import district_index
from bearleft.world.city.placement import (
    GAP,
    RowLayout,
    kerb_points,
    model_extents,
    place_rows,
    place_things,
    running_index,
)
from bearleft.world.city.plan import Draft
from bearleft.world.city.randomness import Stage
from bearleft.world.city.roads import lay_roads
from bearleft.world.city.stages import STAGES
from bearleft.world.city.streets import city_graph
from bearleft.world.graphs.graph import Graph

from .footprints import (
    ROAD_CLASSES,
    are_disjoint,
    corners,
    distance_to_roads,
    furnished_draft,
    has_class,
    model_reach,
    standing_things,
)

SEEDS = (0, 7)


@pytest.mark.parametrize("seed", SEEDS)
def test_footprints_do_not_overlap(seed: int) -> None:
    draft = furnished_draft(seed)
    indices = standing_things(draft)
    things = draft.things[indices]
    boxes = corners(things, 0.02)
    low, high = boxes.min(axis=1), boxes.max(axis=1)
    owner = things["owner"]
    compared = 0
    for k in range(len(things)):
        near = (low[k] < high[k + 1 :]).all(axis=1) & (high[k] > low[k + 1 :]).all(axis=1)
        for other in np.flatnonzero(near) + k + 1:
            if owner[k] == indices[other] or owner[other] == indices[k]:
                continue
            compared += 1
            names = [CLASSES[things["kind"][index]].name for index in (k, other)]
            assert are_disjoint(boxes[k], boxes[other]), f"{names[0]} and {names[1]} near {things[['x', 'y']][k]}"
    assert compared > 20


@pytest.mark.parametrize("seed", SEEDS)
def test_no_thing_is_in_a_building(seed: int) -> None:
    draft = furnished_draft(seed)
    things = draft.things[standing_things(draft)]
    boxes = corners(things, 0.02)
    houses = draft.things[draft.buildings["thing"]]
    ahead = np.stack([houses["ux"], houses["uy"]], axis=1) / 1e6
    aside = np.stack([ahead[:, 1], -ahead[:, 0]], axis=1)
    at = np.stack([houses["x"], houses["y"]], axis=1) / 1000
    for corner in range(4):
        distance = boxes[:, None, corner] - at
        inside = (np.abs((distance * aside).sum(axis=2)) < draft.buildings["hx"] / 1000) & (
            np.abs((distance * ahead).sum(axis=2)) < draft.buildings["hy"] / 1000
        )
        wrong = np.flatnonzero(inside.any(axis=1))
        assert not len(wrong), {CLASSES[kind].name for kind in things["kind"][wrong]}


@pytest.mark.parametrize("seed", SEEDS)
def test_carriageways_are_free_of_other_things(seed: int) -> None:
    draft = furnished_draft(seed)
    things = draft.things[standing_things(draft)]
    things = things[~has_class(things, *ROAD_CLASSES)]
    for corner in range(4):
        distance = distance_to_roads(draft, corners(things)[:, corner])
        worst = int(np.argmin(distance))
        assert distance[worst] > -0.1, CLASSES[things["kind"][worst]].name


@pytest.mark.parametrize("seed", SEEDS)
def test_cameras_have_clearance(seed: int) -> None:
    draft = furnished_draft(seed)
    things = draft.things[standing_things(draft)]
    boxes = corners(things)
    cameras = draft.graph.positions[:, :2]
    sides = boxes[:, [1, 3]] - boxes[:, [0]]
    for camera in cameras:
        share = ((camera - boxes[:, 0])[:, None] * sides).sum(axis=2) / np.maximum((sides * sides).sum(axis=2), 1e-9)
        nearest = boxes[:, 0] + (np.clip(share, 0, 1)[:, :, None] * sides).sum(axis=1)
        distance = np.linalg.norm(nearest - camera, axis=1)
        assert distance.min() > 1.1, CLASSES[things["kind"][int(np.argmin(distance))]].name


def test_rows_are_evenly_spaced() -> None:
    things = furnished_draft().things
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
        subset = things[has_class(things, name) & (things["group"] >= 0)]
        for group in np.unique(subset["group"]):
            row = subset[subset["group"] == group]
            row = row[np.argsort(row["place_in_group"], kind="stable")]
            if (name == "bench" and (row["street"] < 0).all()) or len(row) < 2:
                continue  # benches along a park's path are on both sides of it
            at = np.stack([row["x"], row["y"]], axis=1).astype(float)
            steps = np.linalg.norm(np.diff(at, axis=0), axis=1)
            assert (row["place_in_group"] == np.arange(len(row))).all()
            assert np.ptp(steps) <= 4 and steps.min() > 400, name
            first_step, whole = at[1] - at[0], at[-1] - at[0]
            assert abs(first_step[0] * whole[1] - first_step[1] * whole[0]) <= 10 * np.linalg.norm(whole)
            rows += 1
    assert rows >= 8


def test_lamps_are_uniform_along_a_street() -> None:
    draft = Draft(3, city_graph(3, 2, 2))
    lay_roads(draft)
    points = kerb_points(draft, 13_000)
    for side in (-1, 1):
        for piece in np.unique(points.piece):
            step = points.step[(points.side == side) & (points.piece == piece)]
            assert (np.diff(step) == 1).all()
    things = furnished_draft().things
    lamps = things[has_class(things, "lamp post") & (things["street"] >= 0)]
    assert len(lamps) > 20
    where = district_index(0, lamps["x"], lamps["y"])
    for street in np.unique(lamps["street"]):
        for name in np.unique(where):
            assert len(np.unique(lamps["variant"][(lamps["street"] == street) & (where == name)])) <= 1


def test_kerb_points_are_between_crossings() -> None:
    draft = Draft(0, city_graph(0, 3, 3))
    lay_roads(draft)
    points = kerb_points(draft, 7_000, phase=500, edge=1_000)
    road = points.road
    middle = np.stack([road["x0"], road["y0"]], axis=1).astype(float)
    distance = np.stack([points.x, points.y], axis=1) - middle
    far = (distance * np.stack(points.along, axis=1)).sum(axis=1) / 1e6
    out = (distance * np.stack(points.out, axis=1)).sum(axis=1) / 1e6
    assert np.abs(out - road["half"]).max() < 5
    assert (far >= road["trim0"] - 5).all()
    length = np.hypot(road["x1"] - road["x0"], road["y1"] - road["y0"])
    assert (far <= length - road["trim1"] + 5).all()
    assert np.abs((road["along"] + far - 500) % 7_000).max() <= 7_000


def test_occupied_ground_is_not_reused() -> None:
    draft = Draft(0, city_graph(0, 2, 2))
    lay_roads(draft)
    points = kerb_points(draft, 20_000, phase=9_000, edge=6_000)
    at = points.at(900)
    first = place_things(draft, Stage.FURNITURE, "mailbox", at, points.out, points.index)
    again = place_things(draft, Stage.FURNITURE, "mailbox", at, points.out, points.index)
    assert (first >= 0).sum() > 5 and (again < 0).all()
    assert (draft.things["kind"] == class_index("mailbox")).all() and len(draft.things) == (first >= 0).sum()
    groups = place_rows(draft, Stage.FURNITURE, "bollard", at, points.out, points.index, RowLayout(3, 1_500))
    assert (groups[first >= 0] == -1).all()


def test_extents_contain_the_models() -> None:
    for name in ("car", "trash can", "bench", "dumpster", "tree", "bike rack", "landmark"):
        extents = model_extents(name)
        for variant in range(len(extents.half[0])):
            left, right, back, front = model_reach(class_index(name), variant)
            for axis, (low, high) in enumerate(((left, right), (back, front))):
                middle, half = extents.middle[axis][variant] / 1000, extents.half[axis][variant] / 1000
                assert middle - half <= low + 1e-3 and high - 1e-3 <= middle + half
                assert 2 * half <= high - low + 0.04
    assert GAP >= 250 / 2**0.5


def test_running_index() -> None:
    assert running_index(np.array([3, 0, 2])).tolist() == [0, 1, 2, 0, 1]
    assert running_index(np.zeros(0, np.int64)).tolist() == []


def test_same_seed_same_things() -> None:
    again = furnished_draft.__wrapped__(0)
    assert (again.things == furnished_draft(0).things).all() and again.texts == furnished_draft(0).texts
    other = furnished_draft(7)
    assert len(other.things) != len(again.things) or (other.things != again.things).any()


def test_cameras_are_surrounded_by_things() -> None:
    draft = furnished_draft()
    at = np.stack([draft.things["x"], draft.things["y"]], axis=1) / 1000
    counts = [(np.linalg.norm(at - camera, axis=1) < 40).sum() for camera in draft.graph.positions[:, :2]]
    assert np.mean(counts) > 60 and min(counts) > 15
    assert len(np.unique(draft.things["kind"])) > 45


@pytest.mark.slow
def test_landmarks_differ_until_all_are_used() -> None:
    draft = furnished_draft(1, 12, 12)
    landmarks = draft.things[has_class(draft.things, "landmark")]
    assert len(landmarks) >= 3
    assert len(np.unique(landmarks["variant"])) == min(len(landmarks), len(CLASSES[class_index("landmark")].variants))


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(("count", "step"), [(2, 0.0), (2, 1.0), (2, 10.0), (9, 10.0), (3, 200.0)])
def test_smallest_graphs_are_furnished(count: int, step: float) -> None:
    first = np.arange(count - 1)
    where = [(0.0, step * k, 0.0) for k in range(count)]
    source, target = np.concatenate([first, first + 1]), np.concatenate([first + 1, first])
    graph = Graph.make("line", [str(k) for k in range(count)], where, source, target, np.where(target > source, 0, 180))
    draft = Draft(1, graph)
    for stage in STAGES:
        stage(draft)
    assert len(draft.things) > 100 or step < 5
