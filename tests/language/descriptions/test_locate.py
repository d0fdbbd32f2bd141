"""Tests of relation scores and of locating spots in a scene."""

from __future__ import annotations

import numpy as np
import pytest

from bearleft.geometry import turn, vector_angles
from bearleft.language.descriptions.extents import extents
from bearleft.language.descriptions.locate import locate_spot, locate_target, part_numbers, pixel_distance, view_object
from bearleft.language.descriptions.semantics import (
    SIDES,
    Meaning,
    Ref,
    Relation,
    Scorer,
    Selector,
    Spot,
    Viewpoint,
    ground_distance,
    order_key,
    relation_score,
)
from bearleft.language.lexicon.lexicon import names_of
from bearleft.language.noun_phrases import chunk
from bearleft.language.scene_index import SceneIndex
from bearleft.records import Direction
from bearleft.world.city.catalog import class_index
from tests.language.descriptions.point_scene import small_scene

PLACES = (20, 45, 77, 100)


@pytest.fixture(scope="module")
def scene() -> SceneIndex:
    return small_scene()


def viewpoint_at(scene: SceneIndex, place: int) -> Viewpoint:
    return Viewpoint(scene, scene.at(place), float(scene.city.graph.yaw[place]))


def no_anchor(_: int) -> int:
    return 0


def ref(words: str) -> Ref:
    return Ref(chunk(words)[1][0])


def test_hydrants_stand_on_the_ground_and_have_plausible_extents(scene: SceneIndex) -> None:
    boxes = extents(scene)
    hydrants = np.flatnonzero(scene.plan.things["kind"] == class_index("fire hydrant"))
    assert (boxes.half[hydrants, 2] > 0.3).all()
    assert (boxes.half[hydrants] < 1.0).all()
    assert np.allclose(boxes.low[hydrants, 2], 0, atol=0.05)
    middles = boxes.middle(hydrants)
    assert (boxes.footprint_distance(hydrants, middles[:, :2]) == 0).all()
    assert np.allclose(boxes.footprint_distance(hydrants, middles[:, :2] + 10.0), np.hypot(10, 10), atol=1.0)


def test_left_and_right_are_opposite_and_near_is_mutual(scene: SceneIndex) -> None:
    for place in PLACES:
        viewpoint = viewpoint_at(scene, place)
        rows = np.arange(min(len(viewpoint.visible), 60))
        left, right = (relation_score(viewpoint, relation, rows, rows) for relation in ("left", "right"))
        assert np.allclose(left, right.T)
        near = relation_score(viewpoint, "near", rows, rows)
        assert np.allclose(near, near.T)
        assert (near <= 0).all()
        assert not ((left > -1) & (right > -1)).any()
        assert np.allclose(ground_distance(viewpoint, rows, rows), ground_distance(viewpoint, rows, rows).T)


def test_above_and_below_are_transposed_as_on_and_has(scene: SceneIndex) -> None:
    for place in PLACES:
        viewpoint = viewpoint_at(scene, place)
        rows = np.arange(len(viewpoint.visible))
        assert np.allclose(
            relation_score(viewpoint, "above", rows, rows), relation_score(viewpoint, "below", rows, rows).T
        )
        on = relation_score(viewpoint, "on", rows, rows)
        assert np.array_equal(on, relation_score(viewpoint, "has", rows, rows).T)
        for i, j in np.argwhere(on == 0)[:20]:
            assert scene.plan.things["owner"][viewpoint.visible.instance[i] - 1] == viewpoint.visible.instance[j] - 1


def test_sides_are_relative_to_the_heading(scene: SceneIndex) -> None:
    for place in PLACES:
        viewpoint = viewpoint_at(scene, place)
        for side, (middle, half) in SIDES.items():
            meaning = Meaning((Ref(chunk("a tree")[1][0], side=side),))
            row, _ = Scorer(viewpoint, meaning).best(0)
            if row < 0:
                continue
            angle = abs(float(turn(viewpoint.heading + middle, viewpoint.visible.heading[row])))
            rows = Scorer(viewpoint, meaning).fitting(0)
            others = np.abs(turn(viewpoint.heading + middle, viewpoint.visible.heading[rows]))
            assert angle <= half + 2 or (others > half).all()  # the nearer of two may lie a little aside


def test_order_from_the_left_is_the_reverse_of_that_from_the_right(scene: SceneIndex) -> None:
    for place in PLACES:
        viewpoint = viewpoint_at(scene, place)
        rows = np.flatnonzero(np.abs(turn(viewpoint.heading, viewpoint.visible.heading)) < 60)
        left, right = (order_key(viewpoint.visible, rows, side) for side in ("left", "right"))
        assert np.array_equal(np.argsort(left), np.argsort(-right))
        meaning = Meaning((Ref(chunk("a door")[1][0], pick=Selector("near", 1)),))
        row, _ = Scorer(viewpoint, meaning).best(0)
        if row >= 0:
            doors = Scorer(viewpoint, meaning).fitting(0)
            assert viewpoint.visible.nearest[row] <= viewpoint.visible.nearest[doors].min() + 30


def test_anchors_narrow_down_the_object(scene: SceneIndex) -> None:
    checked = 0
    for place in range(0, len(scene.city.graph), 3):
        viewpoint = viewpoint_at(scene, place)
        for words, other in (("a trash can", "a tree"), ("a door", "an awning"), ("a sign", "a lamp post")):
            meaning = Meaning((ref(words), ref(other)), (Relation("near", 0, (1,)),))
            scorer = Scorer(viewpoint, meaning)
            row, margin = scorer.best(0)
            anchor, _ = scorer.best(1)
            if row >= 0 and anchor >= 0 and margin > 3 and scorer.scores(0)[1].max() > -3:
                assert ground_distance(viewpoint, np.array([row]), scorer.fitting(1)).min() < 6
                checked += 1
    assert checked > 5


def test_counts_distinguish_buildings(scene: SceneIndex) -> None:
    checked = 0
    for place in range(len(scene.city.graph)):
        viewpoint = viewpoint_at(scene, place)
        meaning = Meaning((ref("a building"), ref("two awnings")), (Relation("has", 0, (1,)),))
        scorer = Scorer(viewpoint, meaning)
        row, margin = scorer.best(0)
        if row < 0 or margin < 3 or scorer.scores(0)[1].max() < -2:
            continue
        awnings = scorer.fitting(1)
        has_awnings = relation_score(viewpoint, "has", np.array([row]), awnings)[0] > -1
        assert has_awnings.sum() == 2
        checked += 1
    assert checked


def test_positions_are_ordered_across_and_up(scene: SceneIndex) -> None:
    checked = 0
    for place in range(0, len(scene.city.graph), 2):
        viewpoint = viewpoint_at(scene, place)
        visible = viewpoint.visible
        wide = np.flatnonzero(
            (visible.kind == class_index("storefront")) & (visible.width > 15) & (visible.hidden < 0.2)
        )
        for row in wide[:3]:
            instance = int(visible.instance[row])
            across = [
                locate_spot(viewpoint, Spot(0, across=x), instance, no_anchor) for x in (0.05, 0.3, 0.5, 0.7, 0.95)
            ]
            turns = [float(turn(visible.left[row], direction.heading)) for direction in across if direction]
            assert turns == sorted(turns)
            low, high = (locate_spot(viewpoint, Spot(0, up=x), instance, no_anchor) for x in (0.05, 0.95))
            assert low is not None
            assert high is not None
            assert low.pitch < high.pitch
            checked += 1
    assert checked


def test_part_spots_lie_on_the_part(scene: SceneIndex) -> None:
    kind = class_index("lamp post")
    assert part_numbers(kind, "pole")
    assert part_numbers(kind, "elbow") == ()
    for place in PLACES:
        viewpoint = viewpoint_at(scene, place)
        for row in np.flatnonzero((viewpoint.visible.kind == kind) & (viewpoint.visible.share > 3e-4))[:3]:
            view = view_object(scene, place, int(viewpoint.visible.instance[row]))
            direction = locate_spot(viewpoint, Spot(0, "pole"), int(viewpoint.visible.instance[row]), no_anchor)
            assert direction is not None
            hit = int(np.argmin(np.abs(turn(direction.heading, view.heading)) + np.abs(direction.pitch - view.pitch)))
            if np.isin(view.part & 0xFF, part_numbers(kind, "pole")).any():
                assert int(view.part[hit]) & 0xFF in part_numbers(kind, "pole")


def test_missing_objects_are_not_located(scene: SceneIndex) -> None:
    viewpoint = viewpoint_at(scene, 20)
    assert locate_target(Meaning((ref("a lighthouse"),), (), Spot(0)), scene, 20, viewpoint.heading) is None
    assert locate_target(Meaning((ref("a tree"),)), scene, 20, viewpoint.heading) is None


def test_pixel_distance_wraps_around() -> None:
    assert pixel_distance(Direction(10, 0), Direction(46, 0)) == pytest.approx(371.2)
    assert pixel_distance(Direction(350, 0), Direction(10, 9)) == pytest.approx(np.hypot(206.22, 40.0), abs=0.01)


def test_every_class_has_a_name(scene: SceneIndex) -> None:
    kinds = np.unique(scene.plan.things["kind"])
    assert all(names_of(int(kind), 0) for kind in kinds)


def test_windows_are_ranked_from_left_to_right(scene: SceneIndex) -> None:
    counted = 0
    for place in PLACES:
        visible = scene.at(place)
        eye = scene.city.poses([place])[0, :3].astype(float)
        for row in np.flatnonzero((visible.kind == 0) & (visible.share > 0.01)):
            windows = view_object(scene, place, int(visible.instance[row])).windows
            heading, _ = vector_angles(windows.middle - eye)
            angle = turn(float(visible.heading[row]), heading)
            for floor in np.unique(windows.floor):
                row_windows = np.flatnonzero(windows.floor == floor)
                ordered = row_windows[np.argsort(angle[row_windows], kind="stable")]
                assert windows.rank_left[ordered].tolist() == list(range(1, len(row_windows) + 1))
                assert (windows.rank_left[row_windows] + windows.rank_right[row_windows] == len(row_windows) + 1).all()
                counted += len(row_windows) > 2
            # Each window is listed once: the middles of two are more than half a metre apart.
            distances = np.linalg.norm(windows.middle[:, None] - windows.middle[None], axis=2)
            assert (distances[~np.eye(len(distances), dtype=bool)] > 0.5).all()
    assert counted > 10
