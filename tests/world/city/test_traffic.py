from __future__ import annotations

import numpy as np
import pytest

from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.corners import Arms, has_lights, is_red, opposite_arm
from bearleft.world.city.plan import UNIT, Draft, Rows
from bearleft.world.city.roads import lay_roads
from bearleft.world.city.scene_builder import model_scene
from bearleft.world.city.streets import city_graph
from bearleft.world.city.traffic import Lanes, place_queues
from bearleft.world.render.camera import poses, view
from bearleft.world.render.codes import Ground
from bearleft.world.render.cpu import render
from bearleft.world.render.scene import Scene

from .filled import VEHICLES, corners, filled, from_roads, of


def vehicles(draft: Draft) -> Rows:
    """Those on streets; others stand in parking lots."""
    return draft.things[of(draft.things, *VEHICLES) & (draft.things["street"] >= 0)]


@pytest.mark.parametrize("seed", [0, 7])
def test_vehicles_face_the_flow(seed: int) -> None:
    draft = filled(seed)
    roads = draft.roads
    begin = np.stack([roads["x0"], roads["y0"]], axis=1).astype(float)
    way = np.stack([roads["x1"], roads["y1"]], axis=1) - begin
    length = np.linalg.norm(way, axis=1)
    seen = {1: 0, -1: 0, 0: 0}
    for one in vehicles(draft):
        ours = np.flatnonzero(roads["street"] == one["street"])
        away = np.array([one["x"], one["y"]]) - begin[ours]
        share = np.clip((away * way[ours]).sum(axis=1) / np.maximum(length[ours] ** 2, 1), 0, 1)
        nearest = int(np.argmin(np.linalg.norm(away - share[:, None] * way[ours], axis=1)))
        road, unit = roads[ours[nearest]], way[ours[nearest]] / length[ours[nearest]]
        right = float(away[nearest] @ [unit[1], -unit[0]])
        flow = int(road["flow"])
        goes = unit * (flow if flow else np.sign(right))
        assert (np.array([one["ux"], one["uy"]]) / UNIT) @ goes > 0.8, CLASSES[one["kind"]].name
        seen[flow] += 1
    assert seen[1] + seen[-1] > 20


@pytest.mark.parametrize("seed", [0, 7])
def test_vehicles_stay_on_carriageways(seed: int) -> None:
    draft = filled(seed)
    boxes = corners(vehicles(draft))
    assert len(boxes) > 80
    for corner in range(4):
        assert from_roads(draft, boxes[:, corner]).max() < 0.3


def test_lanes_lie_between_what_is_parked() -> None:
    draft = Draft(0, city_graph(0, 4, 4))
    lay_roads(draft)
    lanes, roads = Lanes(draft), draft.roads
    piece = np.arange(len(roads))
    first, last = lanes.across(piece, 0 * piece), lanes.across(piece, lanes.count - 1)
    left = np.where(roads["parking"] & 1, 2_300, 0)
    right = np.where(roads["parking"] & 2, 2_300, 0)
    assert (first - lanes.width // 2 >= left - roads["half"] - 1).all()
    assert (last + lanes.width // 2 <= roads["half"] - right + 1).all()
    both = np.flatnonzero((roads["flow"] == 0) & (roads["lanes"] > 1))
    assert (lanes.sense(both, 0 * both) == -1).all() and (lanes.sense(both, lanes.count[both] - 1) == 1).all()
    there, far, good = lanes.locate(piece, lanes.length // 2)
    assert (there[good] == piece[good]).mean() > 0.9 and (far[good] >= 0).all()


def test_lights_are_red_for_one_way_and_green_for_the_other() -> None:
    draft = Draft(0, city_graph(0, 4, 4))
    lay_roads(draft)
    arms = Arms.of(draft)
    red, far = is_red(draft, arms), opposite_arm(arms)
    straight = np.flatnonzero(far >= 0)
    assert len(straight) > 10
    assert (arms.crossing[far[straight]] == arms.crossing[straight]).all()
    across = 0
    for crossing in np.unique(arms.crossing):
        ours = np.flatnonzero(arms.crossing == crossing)
        for one in ours:
            dot = (arms.away[0][one] * arms.away[0][ours] + arms.away[1][one] * arms.away[1][ours]) / UNIT**2
            square = np.abs(dot) < 0.3
            assert (red[ours[square]] != red[one]).all()
            across += int(square.sum())
    assert across > 20


def test_lights_stand_at_lit_crossings_and_face_who_comes() -> None:
    draft = filled(0, 5, 5)
    arms = Arms.of(draft)
    lit = has_lights(draft, arms)
    lights = draft.things[of(draft.things, "traffic light")]
    assert 0.6 * (lit & arms.has_incoming).sum() <= len(lights) <= (lit & arms.has_incoming).sum()
    middle = np.stack([arms.x, arms.y], axis=1) / 1000
    for one in lights:
        near = np.linalg.norm(middle - np.array([one["x"], one["y"]]) / 1000, axis=1) < 60
        dot = (arms.away[0] * one["ux"] + arms.away[1] * one["uy"]) / UNIT**2
        assert (near & lit & arms.has_incoming & (dot > 0.99)).any()


def test_queues_wait_at_red_lights_and_stop_signs_only() -> None:
    draft = Draft(0, city_graph(0, 6, 6))
    lay_roads(draft)
    place_queues(draft)
    arms = Arms.of(draft)
    lit, red = has_lights(draft, arms), is_red(draft, arms)
    at = np.stack([arms.x, arms.y], axis=1) / 1000
    away = np.stack(arms.away, axis=1) / UNIT
    assert len(draft.things) > 20 and (lit & ~red & arms.has_incoming).any()
    for one in draft.things:
        behind = np.array([one["x"], one["y"]]) / 1000 - at
        far = (behind * away).sum(axis=1)
        aside = np.abs(behind[:, 0] * away[:, 1] - behind[:, 1] * away[:, 0])
        towards = away @ (np.array([one["ux"], one["uy"]]) / UNIT) < -0.9
        lines = np.flatnonzero((far > 0) & (aside < 9) & towards & arms.has_incoming & (arms.street == one["street"]))
        first = lines[np.argmin(far[lines])]
        assert far[first] < 60 and (red[first] or not lit[first])


def test_stop_signs_face_who_comes_and_one_way_signs_point_with_the_flow() -> None:
    draft = filled(0, 5, 5)
    things, roads = draft.things, draft.roads
    one_way = things[of(things, "one way sign")]
    assert len(one_way) > 5 and of(things, "stop sign").sum() > 3
    makers = [make.__name__ for make in CLASSES[class_index("one way sign")].variants]
    begin = np.stack([roads["x0"], roads["y0"]], axis=1).astype(float)
    way = np.stack([roads["x1"], roads["y1"]], axis=1) - begin
    for one in one_way:
        ours = np.flatnonzero(roads["street"] == one["street"])
        nearest = ours[np.argmin(np.linalg.norm(begin[ours] + way[ours] / 2 - [one["x"], one["y"]], axis=1))]
        flow = way[nearest] * int(roads["flow"][nearest])
        reader = np.array([-one["ux"], -one["uy"]], float)  # looks at the sign
        right = np.array([reader[1], -reader[0]])
        points = right if makers[one["variant"]] == "one_way_right" else -right
        assert points @ flow > 0


def test_lanes_lie_where_they_are_painted() -> None:
    """The dashes between two lanes are seen on the ground where Lanes says that one ends and the next begins."""
    draft = Draft(0, city_graph(0))
    lay_roads(draft)
    lanes, roads = Lanes(draft), draft.roads
    bare = (roads["parking"] != 3) & (roads["flow"] != 0) & (roads["lanes"] >= 2)
    piece = np.flatnonzero(bare & (lanes.length - roads["trim0"] - roads["trim1"] > 6_000))
    assert len(piece), "a street with several lanes and a kerb without parked cars"
    cone = CLASSES[class_index("traffic cone")]
    scene = Scene.make(model_scene(cone.models[0], cone, "orange", "white").solids, [0, 0], roads, draft.areas)
    middle = (roads["trim0"][piece] + lanes.length[piece] - roads["trim1"][piece]) // 2
    between = lanes.left[piece] + lanes.width[piece]
    along = (lanes.along[0][piece], lanes.along[1][piece])
    x = roads["x0"][piece] + (middle * along[0] + between * along[1]) / UNIT
    y = roads["y0"][piece] + (middle * along[1] - between * along[0]) / UNIT
    heading = np.degrees(np.arctan2(along[0], along[1]))
    eyes = np.stack([x / 1000, y / 1000, np.full(len(x), 4.0)], axis=1)
    seen = render(scene, poses(eyes, heading, -90.0), view(161, 161, 90.0)).kind == Ground.MARKING
    columns = seen[:, :, 70:91].any(axis=1)  # half a metre to either side
    dashed = columns.any(axis=1)
    assert dashed.mean() > 0.3
    offsets = [float(np.abs(np.flatnonzero(row) - 10).max()) * 0.05 for row in columns[dashed]]
    assert np.mean(np.array(offsets) < 0.1) > 0.6, "others also see an arrow, or a bend"
