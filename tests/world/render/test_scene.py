"""`Scene.make` turns solids, roads, areas and lamps into the arrays that kernels read."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numba
import numpy as np
import pytest

from bearleft.errors import InputError
from bearleft.world.city.plan import AREA, ROAD
from bearleft.world.render.codes import Ground, SolidShape
from bearleft.world.render.font import NUMBER
from bearleft.world.render.scene import CELL, LAMP_REACH, LARGE_HALF, MARGIN, SOLID, Scene
from tests.world.render.test_mesh import ALL, scattered, solids
from tests.world.render.test_raycast import zoo


def boxes(*rows: tuple[tuple[float, float, float], float, int]) -> Any:
    """Return cubes from tuples of centre, half side and instance."""
    result = solids(*[(SolidShape.BOX, ())] * len(rows))
    for row, (centre, half, instance) in zip(result, rows, strict=True):
        row["centre"], row["matrix"], row["size"], row["instance"] = centre, np.eye(3) * half, half, instance
    return result


def items_by_cell(first: Any, item: Any) -> list[set[int]]:
    return [set(item[a:b].tolist()) for a, b in pairwise(first)]


def boxes_by_cell(scene: Scene, low: Any, high: Any) -> list[set[int]]:
    """Return for each cell the set of upright boxes that overlap it."""
    west, south, side, across, along, _ = (float(x) for x in scene.arrays.grid)
    cells: list[set[int]] = []
    for gx in range(int(across)):
        for gy in range(int(along)):
            x, y = west + gx * side, south + gy * side
            overlaps = (low[:, 0] < x + side) & (high[:, 0] >= x) & (low[:, 1] < y + side) & (high[:, 1] >= y)
            cells.append(set(np.flatnonzero(overlaps).tolist()))
    return cells


def test_scene_needs_a_solid() -> None:
    with pytest.raises(InputError, match="at least one solid"):
        Scene.make(np.zeros(0, SOLID), [1])


def test_extent_covers_all_solids_and_a_margin() -> None:
    scene = Scene.make(boxes(((0, 0, 1), 1, 1), ((100, 40, 1), 2, 2)), [1, 20, 21])
    west, south, east, north = scene.extent
    assert west == pytest.approx(-1 - MARGIN) and south == pytest.approx(-1 - MARGIN)
    assert 102 + MARGIN <= east < 102 + MARGIN + CELL and 42 + MARGIN <= north < 42 + MARGIN + CELL
    assert scene.arrays.grid[5] == pytest.approx(4.0)  # the highest top and a metre


def test_roads_and_areas_widen_the_extent() -> None:
    road, area = np.zeros(1, ROAD), np.zeros(1, AREA)
    road["x1"], road["half"], road["walk"] = 200_000, 6000, 3000
    area["y"], area["uy"], area["hx"], area["hy"], area["ground"] = 90_000, 1_000_000, 5000, 10_000, Ground.GRASS
    west, south, east, north = Scene.make(boxes(((0, 0, 1), 1, 1)), [1, 20], road, area).extent
    assert (west, south) == pytest.approx((-9 - MARGIN, -9 - MARGIN))
    assert 209 + MARGIN <= east < 209 + MARGIN + CELL and 100 + MARGIN <= north < 100 + MARGIN + CELL


def test_small_solids_of_an_instance_form_one_item_and_large_ones_separate_items() -> None:
    rows = boxes(
        ((0, 0, 1), 0.3, 2), ((50, 0, 3), 3.0, 1), ((1, 0, 1), 0.4, 2), ((52, 0, 1), 0.5, 1), ((0, 2, 1), 5.0, 2)
    )
    arrays = Scene.make(rows, [1, 20, 21]).arrays
    count = np.diff(arrays.item_first.astype(int))
    assert count.tolist() == [1, 1, 1, 2]  # thing 1: large, small; thing 2: large, two small ones together
    np.testing.assert_allclose(arrays.bound[3], [-0.3, -0.4, 0.6, 1.4, 0.4, 1.4], atol=1e-6)
    np.testing.assert_allclose(arrays.bound[0], [47, -3, 0, 53, 3, 6], atol=1e-6)


def test_an_item_is_in_every_cell_that_it_touches() -> None:
    for seed in range(3):
        scene = zoo(seed, 30.0)
        a = scene.arrays
        assert items_by_cell(a.cell_first, a.cell_item) == boxes_by_cell(scene, a.bound[:, :2], a.bound[:, 3:5])
        np.testing.assert_array_equal(a.box, a.bound[a.cell_item])


def test_bounds_hold_all_corners_of_their_solids() -> None:
    scene = Scene.make(scattered(solids(*ALL * 3), 5, 20.0), np.full(len(ALL) * 3 + 1, 20))
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    rows = scene.solids
    points = rows["centre"][:, None] + np.einsum("nij,kj->nki", rows["matrix"], corners)
    first = scene.arrays.item_first.astype(int)
    for k, (begin, end) in enumerate(pairwise(first)):
        low, high = points[begin:end].min(axis=(0, 1)), points[begin:end].max(axis=(0, 1))
        np.testing.assert_allclose(scene.arrays.bound[k], [*low, *high], atol=1e-4)
        assert len(set(rows["instance"][begin:end].tolist())) == 1


def test_cells_hold_large_items_first_and_low_items_before_high() -> None:
    a = zoo(2, 20.0).arrays
    sides = np.array([(row[3:] - row[:3]).max() / 2 for row in a.bound])
    is_single = np.diff(a.item_first.astype(int)) == 1
    assert (a.cell_small >= a.cell_first[:-1]).all() and (a.cell_small <= a.cell_first[1:]).all()
    for cell in range(len(a.top)):
        begin, small, end = int(a.cell_first[cell]), int(a.cell_small[cell]), int(a.cell_first[cell + 1])
        for items, column in ((a.cell_item[begin:small], 1), (a.cell_item[small:end], 2)):
            assert (np.diff(a.bound[items, 2]) >= 0).all()
            assert a.top[cell, column] == (max(-1, a.bound[items, 5].max()) if len(items) else -1)
        assert a.top[cell, 0] == a.top[cell, 1:].max()
        assert (sides[a.cell_item[begin:small]] > LARGE_HALF - 1e-4).all() and is_single[a.cell_item[begin:small]].all()


def test_inverse_maps_lead_from_the_world_to_the_unit_solid() -> None:
    scene = Scene.make(scattered(solids(*ALL), 6, 30.0), np.full(len(ALL) + 1, 20))
    rng = np.random.default_rng(1)
    inside = rng.uniform(-1, 1, (len(ALL), 3))
    world = scene.solids["centre"] + np.einsum("nij,nj->ni", scene.solids["matrix"], inside)
    m = scene.arrays.solid
    back = np.einsum("nij,nj->ni", m[:, :9].reshape(-1, 3, 3), world - m[:, 9:12])
    np.testing.assert_allclose(back, inside, atol=1e-4)
    np.testing.assert_array_equal(m[:, 12:], scene.solids["shape"])


def test_colours_are_stored_as_linear_light() -> None:
    rows = boxes(((0, 0, 1), 1, 1))
    rows["colour"], rows["second"], rows["pattern"] = (0, 255, 51), (102, 0, 0), (1, 2, 3, 4)
    paint = Scene.make(rows, [1, 20]).arrays.paint[0]
    np.testing.assert_allclose(paint, [0, 1, 0.04, 0.16, 0, 0, 1, 1, 1, 1, 2, 3, 4], atol=1e-6)


def test_lamps_are_in_the_cells_that_they_light() -> None:
    lamps = np.array([[0, 0, 6], [30, 10, 6.0]])
    scene = Scene.make(boxes(((0, 0, 1), 1, 1)), [1, 20], lamps=lamps)
    a = scene.arrays
    assert items_by_cell(a.lamp_first, a.lamp_item) == boxes_by_cell(scene, lamps - LAMP_REACH, lamps + LAMP_REACH)


def test_roads_are_converted_to_metres() -> None:
    road = np.zeros(1, ROAD)
    for name, value in {"x0": 1000, "y0": 2000, "x1": 4000, "y1": 6000, "half": 3500, "walk": 2500}.items():
        road[name] = value
    road["along"], road["trim0"], road["trim1"], road["zebra"], road["flow"], road["street"] = 70, 80, 90, 3, -1, 12
    road["median"] = 1
    row = Scene.make(boxes(((0, 0, 1), 1, 1)), [1, 20], road).arrays.road[0]
    expected = [1, 2, 0.6, 0.8, 5, 3.5, 2.5, 0.07, 0.08, 0.09, 3, 0, -1, 0, 12, 1]
    np.testing.assert_allclose(row, expected, atol=1e-6)


def test_texts_keep_their_order() -> None:
    arrays = Scene.make(boxes(((0, 0, 1), 1, 1)), [1, 20], texts=["A", "BB"]).arrays
    assert arrays.text[0, :2].tolist() == [1, NUMBER["A"]] and arrays.text[1, :3].tolist() == [2, *[NUMBER["B"]] * 2]


def test_all_scenes_have_the_same_numba_types() -> None:
    road, area = np.zeros(2, ROAD), np.zeros(3, AREA)
    road["x1"], area["hx"], area["hy"], area["uy"] = 9000, 1000, 1000, 1_000_000
    bare = Scene.make(boxes(((0, 0, 1), 1, 1)), [1, 20])
    full = Scene.make(
        scattered(solids(*ALL), 1, 10.0), np.full(99, 20, np.int64), road, area, ["HI"], [[1.0, 2.0, 3.0]]
    )
    typeof: Any = numba.typeof
    assert typeof(bare.arrays) == typeof(full.arrays) == typeof(zoo(1).arrays)
