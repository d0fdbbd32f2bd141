"""Relations and spots: what words mean in a scene that is known."""

from __future__ import annotations

import numpy as np
import pytest

from bearleft.geometry import angles, turn
from bearleft.language.descriptions.extents import extents
from bearleft.language.descriptions.locate import look, part_numbers, pixels, point, spot_on
from bearleft.language.descriptions.semantics import (
    SIDES,
    Link,
    Meaning,
    Pick,
    Ref,
    Scorer,
    Spot,
    Stand,
    bond,
    gap,
    order_key,
)
from bearleft.language.lexicon.lexicon import names_of
from bearleft.language.noun_phrases import chunk
from bearleft.language.scene_index import SceneIndex
from bearleft.records import Direction
from bearleft.world.city.catalog import number
from tests.language.descriptions.point_scene import small_around

PLACES = (20, 45, 77, 100)


@pytest.fixture(scope="module")
def scene() -> SceneIndex:
    return small_around()


def stand_at(scene: SceneIndex, place: int) -> Stand:
    return Stand(scene, scene.at(place), float(scene.city.graph.yaw[place]))


def nothing(_: int) -> int:
    return 0


def ref(words: str) -> Ref:
    return Ref(chunk(words)[1][0])


def test_boxes_hold_the_things(scene: SceneIndex) -> None:
    ex = extents(scene)
    hydrants = np.flatnonzero(scene.plan.things["kind"] == number("fire hydrant"))
    assert (ex.half[hydrants, 2] > 0.3).all()
    assert (ex.half[hydrants] < 1.0).all()
    assert np.allclose(ex.low[hydrants, 2], 0, atol=0.05)
    where = ex.middle(hydrants)
    assert (ex.outside(hydrants, where[:, :2]) == 0).all()
    assert np.allclose(ex.outside(hydrants, where[:, :2] + 10.0), np.hypot(10, 10), atol=1.0)


def test_left_and_right_are_opposite_and_near_is_mutual(scene: SceneIndex) -> None:
    for place in PLACES:
        stand = stand_at(scene, place)
        rows = np.arange(min(len(stand.sight), 60))
        left, right = (bond(stand, what, rows, rows) for what in ("left", "right"))
        assert np.allclose(left, right.T)
        near = bond(stand, "near", rows, rows)
        assert np.allclose(near, near.T)
        assert (near <= 0).all()
        assert not ((left > -1) & (right > -1)).any()
        assert np.allclose(gap(stand, rows, rows), gap(stand, rows, rows).T)


def test_above_is_below_turned_round_and_owners_have_what_is_on_them(scene: SceneIndex) -> None:
    for place in PLACES:
        stand = stand_at(scene, place)
        rows = np.arange(len(stand.sight))
        assert np.allclose(bond(stand, "above", rows, rows), bond(stand, "below", rows, rows).T)
        on = bond(stand, "on", rows, rows)
        assert np.array_equal(on, bond(stand, "has", rows, rows).T)
        for i, j in np.argwhere(on == 0)[:20]:
            assert scene.plan.things["owner"][stand.sight.instance[i] - 1] == stand.sight.instance[j] - 1


def test_sides_follow_the_view(scene: SceneIndex) -> None:
    for place in PLACES:
        stand = stand_at(scene, place)
        for side, (middle, half) in SIDES.items():
            meaning = Meaning((Ref(chunk("a tree")[1][0], side=side),))
            row, _ = Scorer(stand, meaning).best(0)
            if row < 0:
                continue
            off = abs(float(turn(stand.heading + middle, stand.sight.heading[row])))
            rows = Scorer(stand, meaning).fitting(0)
            others = np.abs(turn(stand.heading + middle, stand.sight.heading[rows]))
            assert off <= half + 2 or (others > half).all()  # the nearer of two may lie a little aside


def test_the_first_from_the_left_is_the_last_from_the_right(scene: SceneIndex) -> None:
    for place in PLACES:
        stand = stand_at(scene, place)
        rows = np.flatnonzero(np.abs(turn(stand.heading, stand.sight.heading)) < 60)
        left, right = (order_key(stand.sight, rows, by) for by in ("left", "right"))
        assert np.array_equal(np.argsort(left), np.argsort(-right))
        meaning = Meaning((Ref(chunk("a door")[1][0], pick=Pick("near", 1)),))
        row, _ = Scorer(stand, meaning).best(0)
        if row >= 0:
            doors = Scorer(stand, meaning).fitting(0)
            assert stand.sight.nearest[row] <= stand.sight.nearest[doors].min() + 30


def test_what_is_said_of_an_anchor_tells_of_the_thing(scene: SceneIndex) -> None:
    told = 0
    for place in range(0, len(scene.city.graph), 3):
        stand = stand_at(scene, place)
        for words, other in (("a trash can", "a tree"), ("a door", "an awning"), ("a sign", "a lamp post")):
            meaning = Meaning((ref(words), ref(other)), (Link("near", 0, (1,)),))
            scorer = Scorer(stand, meaning)
            row, margin = scorer.best(0)
            anchor, _ = scorer.best(1)
            if row >= 0 and anchor >= 0 and margin > 3 and scorer.scores(0)[1].max() > -3:
                assert gap(stand, np.array([row]), scorer.fitting(1)).min() < 6
                told += 1
    assert told > 5


def test_a_count_tells_houses_apart(scene: SceneIndex) -> None:
    checked = 0
    for place in range(len(scene.city.graph)):
        stand = stand_at(scene, place)
        meaning = Meaning((ref("a building"), ref("two awnings")), (Link("has", 0, (1,)),))
        scorer = Scorer(stand, meaning)
        row, margin = scorer.best(0)
        if row < 0 or margin < 3 or scorer.scores(0)[1].max() < -2:
            continue
        awnings = scorer.fitting(1)
        own = bond(stand, "has", np.array([row]), awnings)[0] > -1
        assert own.sum() == 2
        checked += 1
    assert checked


def test_words_of_place_lie_where_they_say(scene: SceneIndex) -> None:
    checked = 0
    for place in range(0, len(scene.city.graph), 2):
        stand = stand_at(scene, place)
        sight = stand.sight
        wide = np.flatnonzero((sight.kind == number("storefront")) & (sight.width > 15) & (sight.hidden < 0.2))
        for row in wide[:3]:
            instance = int(sight.instance[row])
            across = [spot_on(stand, Spot(0, across=x), instance, nothing) for x in (0.05, 0.3, 0.5, 0.7, 0.95)]
            turns = [float(turn(sight.left[row], way.heading)) for way in across if way]
            assert turns == sorted(turns)
            low, high = (spot_on(stand, Spot(0, up=x), instance, nothing) for x in (0.05, 0.95))
            assert low is not None
            assert high is not None
            assert low.pitch < high.pitch
            checked += 1
    assert checked


def test_parts_are_met_where_they_are(scene: SceneIndex) -> None:
    kind = number("lamp post")
    assert part_numbers(kind, "pole")
    assert part_numbers(kind, "elbow") == ()
    for place in PLACES:
        stand = stand_at(scene, place)
        for row in np.flatnonzero((stand.sight.kind == kind) & (stand.sight.share > 3e-4))[:3]:
            seen = look(scene, place, int(stand.sight.instance[row]))
            way = spot_on(stand, Spot(0, "pole"), int(stand.sight.instance[row]), nothing)
            assert way is not None
            hit = int(np.argmin(np.abs(turn(way.heading, seen.heading)) + np.abs(way.pitch - seen.pitch)))
            if np.isin(seen.part & 0xFF, part_numbers(kind, "pole")).any():
                assert int(seen.part[hit]) & 0xFF in part_numbers(kind, "pole")


def test_what_is_not_there_is_not_found(scene: SceneIndex) -> None:
    stand = stand_at(scene, 20)
    assert point(Meaning((ref("a lighthouse"),), (), Spot(0)), scene, 20, stand.heading) is None
    assert point(Meaning((ref("a tree"),)), scene, 20, stand.heading) is None


def test_pixels_are_touchdowns() -> None:
    assert pixels(Direction(10, 0), Direction(46, 0)) == pytest.approx(371.2)
    assert pixels(Direction(350, 0), Direction(10, 9)) == pytest.approx(np.hypot(206.22, 40.0), abs=0.01)


def test_every_class_has_a_name(scene: SceneIndex) -> None:
    kinds = np.unique(scene.plan.things["kind"])
    assert all(names_of(int(kind), 0) for kind in kinds)


def test_windows_are_counted_as_they_are_seen_from_left_to_right(scene: SceneIndex) -> None:
    counted = 0
    for place in PLACES:
        sight = scene.at(place)
        eye = scene.city.poses([place])[0, :3].astype(float)
        for row in np.flatnonzero((sight.kind == 0) & (sight.share > 0.01)):
            panes = look(scene, place, int(sight.instance[row])).panes
            heading, _ = angles(panes.middle - eye)
            off = turn(float(sight.heading[row]), heading)
            for floor in np.unique(panes.floor):
                some = np.flatnonzero(panes.floor == floor)
                ordered = some[np.argsort(off[some], kind="stable")]
                assert panes.rank_left[ordered].tolist() == list(range(1, len(some) + 1))
                assert (panes.rank_left[some] + panes.rank_right[some] == len(some) + 1).all()
                counted += len(some) > 2
            # One window is one row: the middles of two are never within half a metre.
            apart = np.linalg.norm(panes.middle[:, None] - panes.middle[None], axis=2)
            assert (apart[~np.eye(len(apart), dtype=bool)] > 0.5).all()
    assert counted > 10
