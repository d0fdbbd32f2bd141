"""Open lots, bridges, garages, the skyline, districts and landmarks."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from bearleft.world.city.bridges import place_bridges
from bearleft.world.city.catalog import CLASSES, STREET_CLASSES, class_index
from bearleft.world.city.districts import DISTRICTS, district_index
from bearleft.world.city.landmarks import landmark_of
from bearleft.world.city.placement import variant_index
from bearleft.world.city.plan import Draft
from bearleft.world.city.skyline import fill_skyline
from bearleft.world.city.stages import STAGES
from bearleft.world.city.streets import city_graph
from bearleft.world.city.yards import fill_yards, yard_areas

from .footprints import Floats, corners, furnished_draft, has_class


@cache
def large_city() -> Draft:
    return furnished_draft(0, 9, 9)


def is_in_building(points: Floats, draft: Draft) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return whether points (n x 2, metres) are at least half a metre inside a building."""
    houses = draft.things[draft.buildings["thing"]]
    ahead = np.stack([houses["ux"], houses["uy"]], axis=1) / 1e6
    aside = np.stack([ahead[:, 1], -ahead[:, 0]], axis=1)
    away = points[:, None] - np.stack([houses["x"], houses["y"]], axis=1) / 1000
    inside = (np.abs((away * aside).sum(axis=2)) < draft.buildings["hx"] / 1000 - 0.5) & (
        np.abs((away * ahead).sum(axis=2)) < draft.buildings["hy"] / 1000 - 0.5
    )
    return np.asarray(inside.any(axis=1))


@pytest.mark.slow
def test_every_open_lot_is_filled() -> None:
    draft = Draft(0, city_graph(0, 9, 9))
    for stage in STAGES[: STAGES.index(fill_yards)]:
        stage(draft)
    lots, before = yard_areas(draft), len(draft.things)
    assert len(lots) >= 5
    fill_yards(draft)
    new = draft.things[before:]
    for k in range(len(lots)):
        dx, dy = new["x"] - lots.x[k], new["y"] - lots.y[k]
        assert (np.hypot(dx, dy) < 16_000).sum() >= 3, k
    names = {CLASSES[kind].name for kind in np.unique(new["kind"])}
    assert {"excavator", "portable toilet", "material pile", "construction fence", "fence", "car"} <= names


@pytest.mark.slow
def test_building_sites_are_complete_and_cranes_clear_the_roofs() -> None:
    draft = large_city()
    things = draft.things
    machines = things[has_class(things, "excavator")]
    assert len(machines) >= 2
    for thing in machines:
        near = things[np.hypot(things["x"] - thing["x"], things["y"] - thing["y"]) < 16_000]
        assert {"portable toilet", "material pile"} & {CLASSES[kind].name for kind in near["kind"]}
    houses = things[draft.buildings["thing"]]
    for thing in things[has_class(things, "crane")]:
        near = np.hypot(houses["x"] - thing["x"], houses["y"] - thing["y"]) < 30_000
        assert draft.buildings["height"][near].max() < 30_000 * int(thing["sz"]) // 1000


def test_bridges_span_from_wall_to_wall() -> None:
    draft = large_city()
    things = draft.things
    bridges = things[has_class(things, "bridge")]
    assert len(bridges) >= 3 and set(bridges["variant"].tolist()) == {0, 1}
    half = bridges["sx"] * 10.0 / 1000
    aside = np.stack([bridges["uy"], -bridges["ux"]], axis=1) / 1e6
    middle = np.stack([bridges["x"], bridges["y"]], axis=1) / 1000
    for side in (-1, 1):
        assert is_in_building(middle + aside * (side * (half + 1.2))[:, None], draft).all(), "a wall stands at its end"
        assert not is_in_building(middle + aside * (side * (half - 1.0))[:, None], draft).any(), "but it ends there"
    tall = things[has_class(things, "tree", "lamp post", "pole")]
    boxes = corners(bridges)
    low, high = boxes.min(axis=1), boxes.max(axis=1)
    at = np.stack([tall["x"], tall["y"]], axis=1)[:, None] / 1000
    centre = (low + high) / 2
    ahead = np.stack([bridges["ux"], bridges["uy"]], axis=1) / 1e6
    away = at - centre
    under = (np.abs((away * aside).sum(axis=2)) < half) & (np.abs((away * ahead).sum(axis=2)) < 2.4)
    assert not under.any(), "no tree or lamp grows through it"


def test_no_wall_objects_where_a_bridge_meets_a_wall() -> None:
    draft = large_city()
    bridges = draft.things[has_class(draft.things, "bridge")]
    hung = draft.things[has_class(draft.things, "fire escape", "flag", "storefront", "awning")]
    half = bridges["sx"] * 10
    for sign in (-1, 1):
        ex, ey = bridges["x"] + sign * half * (bridges["uy"] / 1e6), bridges["y"] - sign * half * (bridges["ux"] / 1e6)
        away = np.hypot(hung["x"][:, None] - ex, hung["y"][:, None] - ey)
        assert away.min() > 1_500


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("seed", [0, 3])
def test_skyline_closes_street_ends(seed: int) -> None:
    graph = city_graph(seed, 5, 5)
    before, after = Draft(seed, graph), Draft(seed, graph)
    for stage in STAGES[: STAGES.index(fill_skyline)]:
        stage(before)
        stage(after)
    fill_skyline(after)
    old, new = before.buildings, after.buildings
    assert (new[: len(old)] == old).all() and len(new) > len(old)
    # From the four corners of the city most views out along a street end at a house within 45 m.
    where = graph.positions[:, :2]
    middle = where.mean(axis=0)
    for place in [int(np.argmax((where - middle) @ way)) for way in ([1, 0], [-1, 0], [0, 1], [0, -1])]:
        out = np.radians(graph.heading[graph.source == place][:, None] + 180 + np.arange(-12, 13, 2)).ravel()
        rays = where[place] + np.stack([np.sin(out), np.cos(out)], 1)[:, None] * np.arange(8, 45, 0.5)[:, None]
        is_blocked = [is_in_building(ray, after).any() for ray in rays]
        assert np.mean(is_blocked) > 0.6, graph.ids[place]


def test_skyline_and_bridges_need_buildings() -> None:
    draft = Draft(0, city_graph(0, 2, 2))
    STAGES[0](draft)
    fill_skyline(draft)
    place_bridges(draft)
    assert not len(draft.buildings) and not len(draft.things)


def test_nothing_blocks_garages() -> None:
    draft = large_city()
    things = draft.things
    garages = things[has_class(things, "garage entrance")]
    assert len(garages) >= 5
    for thing in garages:
        same = things[(things["owner"] == thing["owner"]) & (things["z"] < 3_000)]
        same = same[(same["ux"] == thing["ux"]) & (same["uy"] == thing["uy"])]
        away = np.hypot(same["x"] - thing["x"], same["y"] - thing["y"])
        assert (away > 2_900).sum() >= len(same) - 1, {CLASSES[kind].name for kind in same["kind"]}


def test_districts_have_similar_shares() -> None:
    for seed in (0, 1, 5):
        x, y = (axis.ravel() for axis in np.meshgrid(np.arange(0, 2_400_000, 50_000), np.arange(0, 2_400_000, 50_000)))
        share = np.bincount(district_index(seed, x, y), minlength=len(DISTRICTS)) / len(x)
        assert (share > 0.07).all() and (share < 0.3).all()


def test_landmarks_do_not_repeat_nearby() -> None:
    kinds = np.array([[landmark_of(3, column, row) for row in range(-9, 10)] for column in range(-9, 10)])
    assert len(np.unique(kinds)) == len(STREET_CLASSES[class_index("landmark")].variants)
    for column in range(-4, 5):
        for row in range(-4, 5):
            if (column, row) > (0, 0) and np.hypot(column, row) < 4:
                assert (np.roll(kinds, (column, row), (0, 1))[4:-4, 4:-4] != kinds[4:-4, 4:-4]).all()


def test_warning_signs_are_placed() -> None:
    things = large_city().things
    signs = things[has_class(things, "warning sign")]
    assert set(signs["variant"].tolist()) >= {variant_index("warning sign", "crosswalk_sign")}
    assert len(signs) > 20
