from __future__ import annotations

import numpy as np
import pytest

from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.corners import Arms, has_lights, is_red, opposite_arm
from bearleft.world.city.plan import DIRECTION_SCALE, Draft, Rows
from bearleft.world.city.roads import lay_roads
from bearleft.world.city.scene_builder import model_scene
from bearleft.world.city.streets import city_graph
from bearleft.world.city.traffic import Lanes, place_queues
from bearleft.world.render.camera import poses, view
from bearleft.world.render.codes import Ground
from bearleft.world.render.cpu import render
from bearleft.world.render.scene import Scene

from .footprints import VEHICLE_CLASSES, corners, distance_to_roads, furnished_draft, has_class


def vehicles(draft: Draft) -> Rows:
    """Return the vehicles on streets, without those in parking lots."""
    return draft.things[has_class(draft.things, *VEHICLE_CLASSES) & (draft.things["street"] >= 0)]


@pytest.mark.parametrize("seed", [0, 7])
def test_vehicles_face_the_flow(seed: int) -> None:
    draft = furnished_draft(seed)
    roads = draft.roads
    begin = np.stack([roads["x0"], roads["y0"]], axis=1).astype(float)
    way = np.stack([roads["x1"], roads["y1"]], axis=1) - begin
    length = np.linalg.norm(way, axis=1)
    counts = {1: 0, -1: 0, 0: 0}
    for thing in vehicles(draft):
        pieces = np.flatnonzero(roads["street"] == thing["street"])
        away = np.array([thing["x"], thing["y"]]) - begin[pieces]
        share = np.clip((away * way[pieces]).sum(axis=1) / np.maximum(length[pieces] ** 2, 1), 0, 1)
        nearest = int(np.argmin(np.linalg.norm(away - share[:, None] * way[pieces], axis=1)))
        road, unit = roads[pieces[nearest]], way[pieces[nearest]] / length[pieces[nearest]]
        right = float(away[nearest] @ [unit[1], -unit[0]])
        flow = int(road["flow"])
        goes = unit * (flow if flow else np.sign(right))
        assert (np.array([thing["ux"], thing["uy"]]) / DIRECTION_SCALE) @ goes > 0.8, CLASSES[thing["kind"]].name
        counts[flow] += 1
    assert counts[1] + counts[-1] > 20


@pytest.mark.parametrize("seed", [0, 7])
def test_vehicles_stay_on_carriageways(seed: int) -> None:
    draft = furnished_draft(seed)
    boxes = corners(vehicles(draft))
    assert len(boxes) > 80
    for corner in range(4):
        assert distance_to_roads(draft, boxes[:, corner]).max() < 0.3


def test_lanes_are_between_parking_lanes() -> None:
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
    located, far, is_valid = lanes.locate(piece, lanes.length // 2)
    assert (located[is_valid] == piece[is_valid]).mean() > 0.9 and (far[is_valid] >= 0).all()


def test_crossing_streets_have_opposite_lights() -> None:
    draft = Draft(0, city_graph(0, 4, 4))
    lay_roads(draft)
    arms = Arms.of(draft)
    red, far = is_red(draft, arms), opposite_arm(arms)
    straight = np.flatnonzero(far >= 0)
    assert len(straight) > 10
    assert (arms.crossing[far[straight]] == arms.crossing[straight]).all()
    across = 0
    for crossing in np.unique(arms.crossing):
        indices = np.flatnonzero(arms.crossing == crossing)
        for arm in indices:
            dot = (
                arms.away[0][arm] * arms.away[0][indices] + arms.away[1][arm] * arms.away[1][indices]
            ) / DIRECTION_SCALE**2
            square = np.abs(dot) < 0.3
            assert (red[indices[square]] != red[arm]).all()
            across += int(square.sum())
    assert across > 20


def test_lights_face_incoming_traffic() -> None:
    draft = furnished_draft(0, 5, 5)
    arms = Arms.of(draft)
    lit = has_lights(draft, arms)
    lights = draft.things[has_class(draft.things, "traffic light")]
    assert 0.6 * (lit & arms.has_incoming).sum() <= len(lights) <= (lit & arms.has_incoming).sum()
    middle = np.stack([arms.x, arms.y], axis=1) / 1000
    for thing in lights:
        near = np.linalg.norm(middle - np.array([thing["x"], thing["y"]]) / 1000, axis=1) < 60
        dot = (arms.away[0] * thing["ux"] + arms.away[1] * thing["uy"]) / DIRECTION_SCALE**2
        assert (near & lit & arms.has_incoming & (dot > 0.99)).any()


def test_queues_are_at_red_lights_and_stop_signs_only() -> None:
    draft = Draft(0, city_graph(0, 6, 6))
    lay_roads(draft)
    place_queues(draft)
    arms = Arms.of(draft)
    lit, red = has_lights(draft, arms), is_red(draft, arms)
    at = np.stack([arms.x, arms.y], axis=1) / 1000
    away = np.stack(arms.away, axis=1) / DIRECTION_SCALE
    assert len(draft.things) > 20 and (lit & ~red & arms.has_incoming).any()
    for thing in draft.things:
        behind = np.array([thing["x"], thing["y"]]) / 1000 - at
        far = (behind * away).sum(axis=1)
        aside = np.abs(behind[:, 0] * away[:, 1] - behind[:, 1] * away[:, 0])
        towards = away @ (np.array([thing["ux"], thing["uy"]]) / DIRECTION_SCALE) < -0.9
        lines = np.flatnonzero((far > 0) & (aside < 9) & towards & arms.has_incoming & (arms.street == thing["street"]))
        first = lines[np.argmin(far[lines])]
        assert far[first] < 60 and (red[first] or not lit[first])


def test_one_way_signs_point_along_the_flow() -> None:
    draft = furnished_draft(0, 5, 5)
    things, roads = draft.things, draft.roads
    one_way = things[has_class(things, "one way sign")]
    assert len(one_way) > 5 and has_class(things, "stop sign").sum() > 3
    variants = [make.__name__ for make in CLASSES[class_index("one way sign")].variants]
    begin = np.stack([roads["x0"], roads["y0"]], axis=1).astype(float)
    way = np.stack([roads["x1"], roads["y1"]], axis=1) - begin
    for thing in one_way:
        pieces = np.flatnonzero(roads["street"] == thing["street"])
        nearest = pieces[np.argmin(np.linalg.norm(begin[pieces] + way[pieces] / 2 - [thing["x"], thing["y"]], axis=1))]
        flow = way[nearest] * int(roads["flow"][nearest])
        reader = np.array([-thing["ux"], -thing["uy"]], float)  # direction of the reader's view
        right = np.array([reader[1], -reader[0]])
        points = right if variants[thing["variant"]] == "one_way_right" else -right
        assert points @ flow > 0


@pytest.mark.slow
def test_lanes_match_the_painted_markings() -> None:
    """Rendered dashes are where Lanes has the border between two lanes."""
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
    x = roads["x0"][piece] + (middle * along[0] + between * along[1]) / DIRECTION_SCALE
    y = roads["y0"][piece] + (middle * along[1] - between * along[0]) / DIRECTION_SCALE
    heading = np.degrees(np.arctan2(along[0], along[1]))
    eyes = np.stack([x / 1000, y / 1000, np.full(len(x), 4.0)], axis=1)
    is_marking = render(scene, poses(eyes, heading, -90.0), view(161, 161, 90.0)).kind == Ground.MARKING
    columns = is_marking[:, :, 70:91].any(axis=1)  # half a metre to either side
    dashed = columns.any(axis=1)
    assert dashed.mean() > 0.3
    offsets = [float(np.abs(np.flatnonzero(row) - 10).max()) * 0.05 for row in columns[dashed]]
    assert np.mean(np.array(offsets) < 0.1) > 0.6, "the others show an arrow or a bend"
