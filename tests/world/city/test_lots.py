from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

from bearleft.world.city import catalog, raster
from bearleft.world.city.districts import DISTRICTS, district_index, district_values
from bearleft.world.city.facades import STYLES
from bearleft.world.city.lots import MIN_DEPTH, MIN_FRONTAGE, build_lots
from bearleft.world.city.parks import lay_parks
from bearleft.world.city.plan import DIRECTION_SCALE, Draft
from bearleft.world.city.raster import CELL_SIZE
from bearleft.world.city.roads import free_kerbs, lay_roads, road_geometry
from bearleft.world.city.streets import city_graph
from bearleft.world.graphs.graph import Graph
from bearleft.world.render.codes import Ground
from bearleft.world.worlds import town_graph

Integers = npt.NDArray[np.int64]


def draft_with_buildings(graph: Graph, seed: int = 0) -> Draft:
    draft = Draft(seed, graph)
    for stage in (lay_roads, lay_parks, build_lots):
        stage(draft)
    return draft


@cache
def small_city(seed: int = 0) -> Draft:
    return draft_with_buildings(city_graph(seed, 4, 6), seed)


def count_inside(draft: Draft, x: Integers, y: Integers, margin: int = 0) -> Integers:
    """Return the number of points inside each building, reduced by `margin` on all sides; exact, by brute force."""
    counts = np.zeros(len(draft.buildings), np.int64)
    for k, building in enumerate(draft.buildings):
        thing = draft.things[building["thing"]]
        ux, uy = int(thing["ux"]), int(thing["uy"])
        near = np.flatnonzero((np.abs(x - int(thing["x"])) < 60_000) & (np.abs(y - int(thing["y"])) < 60_000))
        dx, dy = x[near] - int(thing["x"]), y[near] - int(thing["y"])
        across, ahead = np.abs(dx * uy - dy * ux), np.abs(dx * ux + dy * uy)
        counts[k] = (
            (across < (int(building["hx"]) - margin) * DIRECTION_SCALE)
            & (ahead < (int(building["hy"]) - margin) * DIRECTION_SCALE)
        ).sum()
    return counts


def covered_kerb_share(draft: Draft) -> float:
    """Return the share of kerbs with a building or a park behind the sidewalk, without those along other streets."""
    assert draft.raster is not None
    free, roads = free_kerbs(draft), draft.roads
    x, y, ux, uy, _ = road_geometry(roads)
    count = (free.end - free.start) // 1000
    segment = np.repeat(np.arange(len(count)), count)
    position = (np.arange(len(segment)) - np.repeat(np.cumsum(count) - count, count)) * 1000 + 500 + free.start[segment]
    piece, side = free.piece[segment], free.side[segment]
    bits = np.zeros(len(position), np.uint8)
    for beyond in (500, 1500, 3000):
        out = roads["half"][piece] + roads["walk"][piece] + beyond
        px = x[piece] + (ux[piece] * position + side * uy[piece] * out) // DIRECTION_SCALE
        py = y[piece] + (uy[piece] * position - side * ux[piece] * out) // DIRECTION_SCALE
        bits |= draft.raster.at(px, py)
    is_covered = (bits & (raster.BUILDING | raster.PARK)) > 0
    other = ~is_covered & ((bits & (raster.ROAD | raster.WALK)) > 0)
    return float(is_covered.sum() / (~other).sum())


def test_no_camera_is_in_a_building() -> None:
    for draft in (small_city(), draft_with_buildings(town_graph(0), 5)):
        x, y = np.rint(draft.graph.positions[:, :2] * 1000).astype(np.int64).T
        assert not count_inside(draft, x, y, margin=-500).any()


@pytest.mark.slow
def test_no_building_is_on_a_road_or_in_a_park() -> None:
    draft = small_city()
    assert draft.raster is not None
    cells = draft.raster.cells
    for bit in (raster.ROAD, raster.PARK):
        rows, columns = np.nonzero(cells & bit)
        x, y = (
            draft.raster.x0 + columns * CELL_SIZE + CELL_SIZE // 2,
            draft.raster.y0 + rows * CELL_SIZE + CELL_SIZE // 2,
        )
        subset = slice(None, None, 7)
        assert not count_inside(draft, x[subset], y[subset], margin=250).any()


def test_kerbs_are_lined_with_buildings() -> None:
    for draft in (small_city(), small_city(1), draft_with_buildings(town_graph(0))):
        assert covered_kerb_share(draft) > 0.9


def test_buildings_do_not_overlap() -> None:
    draft = small_city()
    house = draft.things[draft.buildings["thing"]]
    x, y = house["x"].astype(np.int64), house["y"].astype(np.int64)
    ux, uy = house["ux"].astype(np.int64), house["uy"].astype(np.int64)
    for across in (-1, 0, 1):
        for ahead in (-1, 0, 1):
            right, front = across * (draft.buildings["hx"] - 700), ahead * (draft.buildings["hy"] - 700)
            px, py = x + (uy * right + ux * front) // DIRECTION_SCALE, y + (-ux * right + uy * front) // DIRECTION_SCALE
            assert (count_inside(draft, px, py, margin=300) <= 1).all(), "no point is in two buildings"


def test_fronts_are_at_the_sidewalk() -> None:
    draft = small_city()
    assert draft.raster is not None
    house, rows = draft.things[draft.buildings["thing"]], draft.buildings
    ahead = rows["hy"] + 900
    x = house["x"] + house["ux"].astype(np.int64) * ahead // DIRECTION_SCALE
    y = house["y"] + house["uy"].astype(np.int64) * ahead // DIRECTION_SCALE
    assert ((draft.raster.at(x, y) & (raster.WALK | raster.ROAD)) > 0).mean() > 0.99


def test_building_records_are_valid() -> None:
    draft = small_city()
    rows, things = draft.buildings, draft.things[draft.buildings["thing"]]
    assert len(rows) > 300 and (things["kind"] == catalog.class_index("building")).all()
    assert (rows["sides"] & 1).all() and (rows["sides"] > 1).sum() > 30, "some stand at corners"
    assert (rows["style"] < len(STYLES)).all() and (rows["district"] < len(DISTRICTS)).all()
    assert (2 * rows["hx"] >= MIN_FRONTAGE * 3 // 4 - 2).all() and (2 * rows["hy"] >= MIN_DEPTH - 2).all()
    assert (rows["height"] >= rows["ground"] + rows["floor"]).all()
    assert ((rows["height"] - rows["ground"]) % rows["floor"] == 0).all()
    assert (2 * rows["hx"] // rows["bay"] >= 1).all()
    assert np.isin(rows["street"], draft.roads["street"]).all()
    lengths = np.hypot(things["ux"].astype(float), things["uy"].astype(float))
    assert np.abs(lengths - DIRECTION_SCALE).max() < 2
    assert len({tuple(row) for row in things[["first", "second"]].tolist()}) > 10


def test_parks_are_valid() -> None:
    for draft in (small_city(), draft_with_buildings(town_graph(0))):
        areas = draft.areas[draft.parks]
        assert len(areas) >= 2
        assert np.isin(areas["ground"], [Ground.GRASS, Ground.PLAZA]).all()
        assert (areas["hx"] > 4000).all() and (areas["hy"] > 4000).all()
        assert draft.raster is not None
        assert ((draft.raster.at(areas["x"], areas["y"]) & raster.PARK) > 0).all()
        assert not (draft.raster.at(areas["x"], areas["y"]) & (raster.ROAD | raster.BUILDING)).any()


def test_buildings_depend_on_the_seed() -> None:
    graph = town_graph(0)
    first, again, other = draft_with_buildings(graph, 3), draft_with_buildings(graph, 3), draft_with_buildings(graph, 4)
    assert (first.things == again.things).all() and (first.buildings == again.buildings).all()
    assert (first.areas == again.areas).all()
    assert len(first.buildings) != len(other.buildings) or (first.buildings != other.buildings).any()


def test_districts_are_large_and_balanced() -> None:
    x, y = (axis.ravel() for axis in np.meshgrid(np.arange(0, 4_000_000, 20_000), np.arange(0, 4_000_000, 20_000)))
    where = district_index(0, x, y)
    shares = np.bincount(where, minlength=len(DISTRICTS)) / len(where)
    assert (shares > 0.03).all()
    square = where.reshape(200, 200)
    assert (square[:, 1:] == square[:, :-1]).mean() > 0.93, "neighbouring points share a district"
    assert (district_index(1, x, y) != where).mean() > 0.5
    names = {style.name for style in STYLES}
    assert all(set(district.styles) <= names for district in DISTRICTS)
    assert district_values("greenery", where[:1])[0] == DISTRICTS[where[0]].greenery


@pytest.mark.parametrize("points", [[(0, 0), (0, 0)], [(0, 0), (0.4, 0)], [(0, 0), (300, 40)]])
def test_smallest_cities(points: list[tuple[float, float]]) -> None:
    where = np.array([(x, y, 0.0) for x, y in points])
    draft = draft_with_buildings(Graph.make("two", ["a", "b"], where, [0, 1], [1, 0], [0, 180]))
    assert len(draft.buildings) == len(draft.things)
    assert (len(draft.buildings) > 10) == (points[1][0] > 1)
