"""The city on the real streets: camera clearance, continuous carriageways, lanes and crossings.

Needs the real street graph (see the fixture real_data).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from bearleft.world.city import raster
from bearleft.world.city.catalog import CLASSES, STREET_CLASSES
from bearleft.world.city.lots import build_lots
from bearleft.world.city.plan import DIRECTION_SCALE, Draft, Plan
from bearleft.world.city.roads import (
    CROSSWALK_DEPTH,
    LANE_WIDTH,
    PARKING_WIDTH,
    crossing_arms,
    lay_roads,
    road_geometry,
)
from bearleft.world.city.scene_builder import plan_solids
from bearleft.world.city.stages import STAGES
from bearleft.world.render.codes import Ground
from bearleft.world.render.ground import ground
from bearleft.world.render.scene import SOLID, Arrays, Scene
from bearleft.world.worlds import open_world

from .camera_distances import camera_positions, inside_and_nearest
from .test_lots import covered_kerb_share
from .test_roads import check_roads

Floats = npt.NDArray[np.float64]
CARRIAGEWAY = (Ground.ROAD, Ground.MARKING, Ground.CROSSWALK)


def continued(draft: Draft, stages: Sequence[Callable[[Draft], None]]) -> Draft:
    """Return a copy of a draft after more stages."""
    copy = deepcopy(draft, {id(draft.graph): draft.graph})
    for stage in stages:
        stage(copy)
    return copy


@cache
def draft_with_roads(data: Path) -> Draft:
    assert STAGES[0] is lay_roads
    return continued(Draft(0, open_world("touchdown", data)), STAGES[:1])


@cache
def draft_with_lots(data: Path) -> Draft:
    return continued(draft_with_roads(data), STAGES[1 : STAGES.index(build_lots) + 1])


@cache
def full_plan(data: Path) -> Plan:
    return continued(draft_with_lots(data), STAGES[STAGES.index(build_lots) + 1 :]).plan()


@cache
def ground_arrays(data: Path) -> Arrays:
    """Return the arrays of a scene with the roads and nothing else."""
    solid = np.zeros(1, SOLID)
    solid["matrix"] = np.eye(3)
    return Scene.make(solid, [0, 0], draft_with_roads(data).roads).arrays


def classes_at(data: Path, points: Floats) -> npt.NDArray[np.int64]:
    """Return the class of the ground at points, in metres."""
    arrays, near = ground_arrays(data), np.float32(0.01)
    return np.array([ground(arrays, x, y, near)[3] for x, y in points.astype(np.float32)])


@pytest.mark.slow
def test_no_camera_is_inside_or_close_to_a_solid(real_data: Path) -> None:
    plan = full_plan(real_data)
    inside, nearest = inside_and_nearest(plan_solids(plan)[0], camera_positions(plan.graph), 0.5)
    assert len(plan.graph) == 29_641
    assert len(inside) == 0
    assert nearest.min() >= 0.5


@pytest.mark.slow
def test_every_part_of_the_city_has_things(real_data: Path) -> None:
    plan = full_plan(real_data)
    counts = np.bincount(plan.things["kind"], minlength=len(CLASSES))
    assert not [object_class.name for object_class in STREET_CLASSES if not counts[CLASSES.index(object_class)]]
    cells = np.unique(np.floor(plan.graph.positions[:, :2] / 100).astype(int), axis=0)
    things = np.unique(np.floor(np.stack([plan.things["x"], plan.things["y"]], axis=1) / 100_000).astype(int), axis=0)
    cells_with_things = {tuple(cell) for cell in things.tolist()}
    assert all(tuple(cell) in cells_with_things for cell in cells.tolist()), "every hectare with a place has things"


@pytest.mark.slow
def test_places_are_on_carriageways(real_data: Path) -> None:
    draft = draft_with_roads(real_data)
    classes = classes_at(real_data, draft.graph.positions[:, :2])
    assert np.isin(classes, CARRIAGEWAY).mean() > 0.99


def test_carriageways_have_no_gaps(real_data: Path) -> None:
    """Every metre of every link is on a road."""
    draft = draft_with_roads(real_data)
    assert draft.raster is not None
    graph = draft.graph
    begin, vector = graph.positions[graph.source], graph.positions[graph.target] - graph.positions[graph.source]
    steps = np.ceil(np.linalg.norm(vector, axis=1)).astype(int) + 1
    link = np.repeat(np.arange(len(steps)), steps)
    share = (np.arange(len(link)) - np.repeat(np.cumsum(steps) - steps, steps)) / (steps[link] - 1 + (steps[link] == 1))
    points = begin[link] + vector[link] * share[:, None]
    bits = draft.raster.at(*np.rint(points[:, :2] * 1000).astype(np.int64).T)
    assert ((bits & raster.ROAD) > 0).all()


def test_streets_continue_from_piece_to_piece(real_data: Path) -> None:
    roads = draft_with_roads(real_data).roads
    length = road_geometry(roads)[4]
    begins: dict[tuple[int, int, int], list[int]] = {}
    for k, key in enumerate(zip(roads["street"].tolist(), roads["x0"].tolist(), roads["y0"].tolist(), strict=True)):
        begins.setdefault(key, []).append(k)
    ends = zip(roads["street"].tolist(), roads["x1"].tolist(), roads["y1"].tolist(), strict=True)
    joints = np.array([(k, piece_after) for k, key in enumerate(ends) for piece_after in begins.get(key, [])])
    piece_before, piece_after = joints.T
    assert len(joints) > 0.94 * len(roads)
    gap = roads["along"][piece_before] + length[piece_before] - roads["along"][piece_after]
    assert (np.abs(gap) <= 3).mean() > 0.995, "dashes continue"
    free = roads["trim0"].astype(int) + roads["trim1"] + 2 < length  # not wholly within a crossing
    piece_before, piece_after = joints[free[piece_before] & free[piece_after]].T
    assert len(piece_before) > 0.75 * len(joints)
    for name in ("half", "flow", "lanes", "parking", "walk"):
        assert (roads[name][piece_before] != roads[name][piece_after]).mean() < 0.001, name


def test_lanes_fit_between_the_kerbs(real_data: Path) -> None:
    roads = draft_with_roads(real_data).roads
    parking_lanes = ((roads["parking"] & 1) + (roads["parking"] >> 1)).astype(int)
    assert (roads["lanes"].astype(int) * LANE_WIDTH + parking_lanes * PARKING_WIDTH <= 2 * roads["half"]).all()
    assert (roads["lanes"][roads["flow"] == 0] % 2 == 0).all()
    one_way = roads["flow"] != 0
    assert 0.5 < one_way.mean() < 0.95
    assert (roads["lanes"] >= 3).mean() > 0.1 and (roads["lanes"] <= 2).mean() > 0.4


def test_crosswalks_are_at_crossings(real_data: Path) -> None:
    draft = draft_with_roads(real_data)
    roads, arms = draft.roads, crossing_arms(draft)
    x, y, ux, uy, length = road_geometry(roads)
    crossings = np.unique(arms["crossing"])
    assert 1000 < len(crossings) < 1400
    assert np.bincount(arms["crossing"])[crossings].min() >= 3
    total, on_crosswalk = 0, 0
    for end in (0, 1):
        piece = np.flatnonzero(roads["zebra"] >> end & 1)
        assert np.isin(piece, arms["piece"][arms["end"] == end]).all(), "each belongs to an arm"
        trim = roads[f"trim{end}"][piece].astype(int) + CROSSWALK_DEPTH // 2
        along = trim if end == 0 else length[piece] - trim
        for share in (-0.8, 0.0, 0.8):
            sideways = roads["half"][piece] * share
            east = x[piece] + (ux[piece] * along + uy[piece] * sideways) / DIRECTION_SCALE
            north = y[piece] + (uy[piece] * along - ux[piece] * sideways) / DIRECTION_SCALE
            classes = classes_at(real_data, np.stack([east, north], axis=1) / 1000)
            assert np.isin(classes, CARRIAGEWAY).all()
            total, on_crosswalk = total + len(classes), on_crosswalk + int((classes == Ground.CROSSWALK).sum())
    assert total > 3 * 3500
    assert on_crosswalk / total > 0.95


def test_roads_are_consistent(real_data: Path) -> None:
    draft = draft_with_roads(real_data)
    check_roads(draft)
    assert 30_000 < len(draft.roads) < 30_661
    assert 1000 < len(set(crossing_arms(draft)["crossing"])) < 1400


@pytest.mark.slow  # on generated streets: test_lots.py
def test_buildings_line_the_streets(real_data: Path) -> None:
    draft = draft_with_lots(real_data)
    assert 15_000 < len(draft.buildings) < 32_000
    assert len(draft.parks) > 50
    assert covered_kerb_share(draft) > 0.9
    x, y = np.rint(draft.graph.positions[:, :2] * 1000).astype(np.int64).T
    assert draft.raster is not None
    assert not (draft.raster.at(x, y) & raster.BUILDING).any()
