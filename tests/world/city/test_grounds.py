"""Medians, bike lanes, courts, parks and curb ramps: where they lie, and that pictures show them."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from bearleft.world.city.catalog import CLASSES, STREET_CLASSES, class_index
from bearleft.world.city.placement import variant_index
from bearleft.world.city.plan import Draft, Rows
from bearleft.world.city.scene_builder import CLASS_BASE, build_scene
from bearleft.world.city.street_facts import StreetFacts
from bearleft.world.city.traffic import Lanes
from bearleft.world.render.camera import panorama, poses, view
from bearleft.world.render.codes import Ground
from bearleft.world.render.cpu import render
from bearleft.world.render.scene import Scene

from .footprints import VEHICLE_CLASSES, corners, distance_to_roads, furnished_draft, has_class

NAMES = ("park", "court", "median", "bike lane", "parking lot", "curb ramp")


@cache
def city() -> Draft:
    return furnished_draft(0, 8, 12)


@cache
def city_scene() -> Scene:
    return build_scene(city().plan())


def things_of(name: str) -> Rows:
    things = city().things
    return things[has_class(things, name)]


def test_indices_of_older_classes_stay() -> None:
    """Plans and random numbers of rooms depend on the indices, so new classes come last."""
    assert class_index("fruit stand") == 101
    assert [CLASSES[k].name for k in range(len(CLASSES) - len(NAMES), len(CLASSES))] == list(NAMES)
    assert set(NAMES) <= {object_class.name for object_class in STREET_CLASSES}


@pytest.mark.slow
def test_every_variant_is_placed() -> None:
    for name in NAMES:
        variants = set(things_of(name)["variant"].tolist())
        assert variants == set(range(len(CLASSES[class_index(name)].variants))), name


@pytest.mark.parametrize(("name", "least"), [("park", 1.4), ("court", 1.4), ("curb ramp", -0.05)])
def test_flat_grounds_lie_beside_the_road(name: str, least: float) -> None:
    boxes = corners(things_of(name))
    for corner in range(4):
        assert distance_to_roads(city(), boxes[:, corner]).min() > least


def test_medians_stay_on_the_road_and_away_from_places() -> None:
    draft, medians = city(), things_of("median")
    boxes = corners(medians)
    for corner in range(4):
        assert distance_to_roads(draft, boxes[:, corner]).max() < -1.0
    ahead = np.stack([medians["ux"], medians["uy"]], axis=1) / 1e6
    away = draft.graph.positions[:, None, :2] - np.stack([medians["x"], medians["y"]], axis=1) / 1000
    along = np.abs((away * ahead).sum(axis=2)) - medians["sy"] * 5.0 / 1000
    aside = np.abs(away[:, :, 0] * ahead[:, 1] - away[:, :, 1] * ahead[:, 0]) - 0.4
    assert np.maximum(along, aside).min() > 1.2


def test_traffic_keeps_to_its_side_of_the_median() -> None:
    draft = city()
    roads, things = draft.roads, draft.things[has_class(draft.things, *VEHICLE_CLASSES)]
    middles, seen = Lanes(draft).median_across, 0
    for thing in things:
        with_median = np.flatnonzero((roads["street"] == thing["street"]) & (roads["median"] > 0))
        pieces = roads[with_median]
        if not len(pieces):
            continue
        begin = np.stack([pieces["x0"], pieces["y0"]], axis=1).astype(float)
        way = np.stack([pieces["x1"], pieces["y1"]], axis=1) - begin
        length = np.linalg.norm(way, axis=1)
        away = np.array([thing["x"], thing["y"]]) - begin
        along = (away * way).sum(axis=1) / length
        inside = np.flatnonzero((along > 0) & (along < length))
        if not len(inside):
            continue
        k = inside[0]
        aside = (away[k, 0] * way[k, 1] - away[k, 1] * way[k, 0]) / length[k]
        middle = middles[with_median[k]]
        if abs(aside) > pieces["half"][k] - 2_300:
            continue  # parked
        towards = np.sign(thing["ux"] * way[k, 0] + thing["uy"] * way[k, 1])
        assert towards == np.sign(aside - middle), (aside, middle)
        seen += 1
    assert seen > 10


def test_bike_lanes_run_between_the_kerb_and_a_median() -> None:
    lanes, medians = things_of("bike lane"), things_of("median")
    assert len(lanes) > 20
    distance = np.hypot(lanes["x"][:, None] - medians["x"], lanes["y"][:, None] - medians["y"]).min(axis=1)
    assert (distance < 1_400).all()
    kerb = distance_to_roads(city(), np.stack([lanes["x"], lanes["y"]], axis=1) / 1000)
    assert (kerb < -0.6).all() and (kerb > -0.9).all()
    vehicles = city().things[has_class(city().things, *VEHICLE_CLASSES)]
    away = np.hypot(lanes["x"][:, None] - vehicles["x"], lanes["y"][:, None] - vehicles["y"]).min(axis=1)
    assert away.min() > 1_200, "nobody parks there"


def test_hoops_stand_on_courts() -> None:
    courts = things_of("court")
    courts = courts[courts["variant"] == variant_index("court", "basketball_court")]
    boxes = corners(courts, 0.3)
    for hoop in things_of("basketball hoop"):
        at = np.array([hoop["x"], hoop["y"]]) / 1000
        k = int(np.argmin(np.hypot(courts["x"] - hoop["x"], courts["y"] - hoop["y"])))
        edges = np.roll(boxes[k], -1, axis=0) - boxes[k]
        away = at - boxes[k]
        assert (edges[:, 0] * away[:, 1] - edges[:, 1] * away[:, 0] > 0).all(), "inside all four sides"


def test_park_courts_are_fenced() -> None:
    fences = things_of("fence")
    wire = fences[fences["variant"] == variant_index("fence", "fence_of_wire")]
    for court in things_of("court"):
        around = np.hypot(wire["x"] - court["x"], wire["y"] - court["y"]) < 14_000
        assert around.sum() >= 3


def test_parks_lie_on_their_grass() -> None:
    draft, parks = city(), things_of("park")
    green = draft.areas[np.array(draft.parks)]
    green = green[green["ground"] == Ground.GRASS]
    assert len(parks) == len(green)
    assert (parks["x"] == green["x"]).all() and (parks["y"] == green["y"]).all()
    assert (parks["sx"] * 5 <= green["hx"] - 1_000).all() and (parks["sy"] * 5 <= green["hy"] - 1_000).all()


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("name", NAMES)
def test_pictures_show_them(name: str) -> None:
    draft = city()
    indices = np.flatnonzero(has_class(draft.things, name))
    indices = indices[:: max(len(indices) // 12, 1)]
    at = np.stack([draft.things["x"][indices], draft.things["y"][indices]], axis=1) / 1000
    places = [int(np.argmin(np.linalg.norm(draft.graph.positions[:, :2] - point, axis=1))) for point in at]
    eyes = draft.graph.positions[places] + [0, 0, draft.plan().eye / 1000]
    pictures = render(city_scene(), poses(eyes), panorama(512), shadows=False)
    seen = [(pictures.instance[k] == thing + 1) for k, thing in enumerate(indices.tolist())]
    assert sum(mask.sum() > 20 for mask in seen) >= 3
    for k, mask in enumerate(seen):
        assert (pictures.kind[k][mask] == CLASS_BASE + class_index(name)).all()


def test_lines_of_two_way_streets_are_at_the_median() -> None:
    draft = city()
    facts = StreetFacts.make(draft.plan())
    roads = draft.roads[facts.piece]
    is_open = (roads["trim0"] == 0) & (roads["trim1"] == 0)
    link = int(np.flatnonzero((facts.median < 0) & (roads["median"] > 0) & is_open)[0])
    a, b = (draft.graph.positions[p] for p in (draft.graph.source[link], draft.graph.target[link]))
    ahead = (b - a)[:2] / np.linalg.norm((b - a)[:2])
    side = np.arange(-6.0, 6.0, 0.05)
    points = (a + b)[:2] / 2 + side[:, None] * np.array([ahead[1], -ahead[0]])
    eyes = np.column_stack([points, np.full(len(side), 0.3)])
    pictures = render(city_scene(), poses(eyes, 0.0, -90.0), view(1, 1, 5.0), shadows=False)
    rgb = pictures.rgb[:, 0, 0].astype(int)
    is_yellow = (rgb[:, 0] > rgb[:, 2] + 40) & (pictures.kind[:, 0, 0] == Ground.MARKING)
    assert is_yellow.any() and (side[is_yellow] < -2.0).all()
