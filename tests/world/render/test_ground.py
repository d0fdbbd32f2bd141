"""The ground rendered from straight above: lanes, markings, crosswalks and areas lie where the plan has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bearleft.world.city.plan import AREA, ROAD
from bearleft.world.render.camera import Lens, poses
from bearleft.world.render.codes import Ground, SolidShape
from bearleft.world.render.cpu import Pictures, render
from bearleft.world.render.light import Light
from bearleft.world.render.scene import Scene
from tests.world.render.test_mesh import solids

HIGH = 100.0
HALF, WALK, KERB = 6.0, 3.0, 0.16
LENGTH = 72.0
NORTH = {"y0": -36_000, "y1": 36_000}


def road(**values: int) -> Any:
    """Return a street through the origin, 72 m long and 12 m wide between sidewalks of 3 m."""
    row = np.zeros(1, ROAD)
    row["half"], row["walk"], row["lanes"], row["street"] = int(HALF * 1000), int(WALK * 1000), 2, 1
    for name, value in values.items():
        row[name] = value
    return row


def scene(*roads: Any, areas: Any = None) -> Scene:
    """Return a scene of roads with one box far away (a scene needs a solid)."""
    rows = solids((SolidShape.BOX, ()))
    rows["centre"] = (60, 60, 1)
    return Scene.make(rows, [1, 20], np.concatenate(roads) if roads else None, areas)


def render_from_above(
    a_scene: Scene, x: float, y: float, wide: float, deep: float, pixel: float
) -> tuple[Pictures, Any, Any]:
    """Render the ground around (x, y) from above; also return the east of its columns and the north of its rows."""
    columns, rows = round(wide / pixel), round(deep / pixel)
    lens = Lens(columns, rows, float(np.degrees(2 * np.arctan(wide / 2 / HIGH))))
    pictures = render(a_scene, poses([[x, y, HIGH]], 0, -90), lens, Light(12.0, 0.0, 0.0), shadows=False)
    east = x + (np.arange(columns) + 0.5 - columns / 2) * pixel
    north = y - (np.arange(rows) + 0.5 - rows / 2) * pixel
    return pictures, east, north


def away_from(values: Any, *borders: float, by: float = 0.03) -> Any:
    """Return which values are not close to a border, where a pixel may belong to either side."""
    return (np.abs(values[:, None] - np.array(borders)) > by).all(axis=1)


@pytest.mark.parametrize("y", [-20.0, 0.4, 11.0])
def test_ground_classes_across_a_two_way_street(y: float) -> None:
    pictures, east, _ = render_from_above(scene(road(**NORTH)), 0, y, 24.0, 0.1, 0.02)
    offset = np.abs(east)
    expected = np.select(
        [np.abs(offset - 0.14) < 0.06, offset < HALF, offset < HALF + KERB, offset < HALF + WALK],
        [Ground.MARKING, Ground.ROAD, Ground.KERB, Ground.SIDEWALK],
        Ground.YARD,
    )
    clear = away_from(offset, 0.08, 0.2, HALF, HALF + KERB, HALF + WALK)
    for row in pictures.kind[0]:
        np.testing.assert_array_equal(row[clear], expected[clear])
    assert set(expected[clear].tolist()) == {1, 2, 3, 5, 8}
    # Both lines are yellow: red and green, hardly any blue.
    lines = pictures.rgb[0, 0][clear & (expected == Ground.MARKING)].astype(int)
    assert len(lines) >= 4 and (lines[:, 0] > lines[:, 2] + 80).all() and (lines[:, 1] > lines[:, 2] + 50).all()
    asphalt = pictures.rgb[0, 0][clear & (expected == Ground.ROAD)].astype(int)
    assert np.ptp(asphalt, axis=1).max() < 25
    assert (pictures.instance == 0).all() and not pictures.part.any()


def test_ground_classes_across_a_diagonal_street() -> None:
    # The same street along (3, 4): the classes are those of the straight street, rotated.
    ends = {"x0": -21_600, "y0": -28_800, "x1": 21_600, "y1": 28_800}
    pictures, east, north = render_from_above(scene(road(**ends)), 0, 0, 24.0, 24.0, 0.25)
    x, y = np.meshgrid(east, north)
    offset = np.abs(x * 0.8 - y * 0.6)
    expected = np.select([offset < HALF, offset < HALF + KERB, offset < HALF + WALK], [1, 3, 2], 8)
    clear = (offset > 0.5) & away_from(offset.ravel(), HALF, HALF + KERB, HALF + WALK, by=0.15).reshape(offset.shape)
    np.testing.assert_array_equal(pictures.kind[0][clear], expected[clear])


@pytest.mark.parametrize("zebra", [0, 1, 2, 3])
def test_crosswalks_lie_where_the_plan_has_them(zebra: int) -> None:
    a_scene = scene(road(**NORTH, zebra=zebra, trim0=10_000, trim1=8_000))
    pictures, east, north = render_from_above(a_scene, 0, 0, 16.0, 71.0, 0.1)
    along = north + LENGTH / 2
    first, last = (along > 10) & (along < 13.2), (along > LENGTH - 11.2) & (along < LENGTH - 8)
    expected = (first & bool(zebra & 1)) | (last & bool(zebra & 2))
    rows = away_from(along, 10, 13.2, LENGTH - 11.2, LENGTH - 8, by=0.1)
    columns = np.abs(east) < HALF - 0.1
    crosswalk = pictures.kind[0] == Ground.CROSSWALK
    np.testing.assert_array_equal(crosswalk[rows][:, columns], np.repeat(expected[rows, None], columns.sum(), axis=1))
    assert not crosswalk[:, np.abs(east) > HALF + 0.1].any()
    # There are no markings on crossings, beyond both ends.
    crossing = (along < 9.9) | (along > LENGTH - 7.9)
    assert not (pictures.kind[0][crossing] == Ground.MARKING).any()
    if zebra:  # light and dark bars across the street
        middle = pictures.rgb[0][expected & rows][5:-5][:, np.abs(east) < 5].mean(axis=(0, 2))
        assert np.abs(np.diff(middle > 160)).sum() >= 12 and np.ptp(middle) > 80


@pytest.mark.parametrize(("zebra", "flow"), [(1, 0), (2, 0), (1, 1), (2, 1), (1, -1), (2, -1)])
def test_stop_lines_are_on_the_side_of_traffic_towards_the_crosswalk(zebra: int, flow: int) -> None:
    a_scene = scene(road(**NORTH, zebra=zebra, trim0=10_000, trim1=8_000, flow=flow))
    pictures, east, north = render_from_above(a_scene, 0, 0, 16.0, 71.0, 0.1)
    along = north + LENGTH / 2
    line_at = 10 + 3.2 + 1.45 if zebra == 1 else LENGTH - 8 - 3.2 - 1.45
    line = pictures.kind[0][np.abs(along - line_at).argmin()] == Ground.MARKING
    approaching = 1 if zebra == 2 else -1  # cars drive on the right: east of the middle they go north, to end 1
    on_right, on_left = line[(east > 0.6) & (east < 5.4)], line[(east < -0.6) & (east > -5.4)]
    if flow == 0:
        assert on_right.all() == (approaching == 1) and on_right.any() == (approaching == 1)
        assert on_left.all() == (approaching == -1) and on_left.any() == (approaching == -1)
    else:
        assert on_right.all() == on_left.all() == (flow == approaching)
        assert on_right.any() == on_left.any() == (flow == approaching)


def marking_mask(**values: int) -> tuple[Any, Any, Any]:
    """Return the mask of markings on one street, and the east and north of its pixels."""
    pictures, east, north = render_from_above(scene(road(**values)), 0, 0, 11.0, 70.0, 0.05)
    return pictures.kind[0] == Ground.MARKING, east, north


def test_arrows_point_with_the_flow() -> None:
    with_, east, north = marking_mask(**NORTH, flow=1)
    against, _, _ = marking_mask(**NORTH, flow=-1)
    arrows = np.abs(east) > 0.5  # the dashes between the lanes have no direction
    assert (with_ == against[::-1])[:, arrows].mean() > 0.999 and (with_ != against)[:, arrows].sum() > 100
    # The street is two arrows long, so one begins in its middle: a shaft, a head that grows narrow, a point.
    lane = (east > 1.0) & (east < 4.7)
    width = [0.05 * with_[np.abs(north - y).argmin()][lane].sum() for y in (0.5, 1.7, 2.4, 2.9, 3.4)]
    assert width[0] == pytest.approx(0.24, abs=0.11) and width[1] == pytest.approx(0.24, abs=0.11)
    assert width[2] == pytest.approx(1.0, abs=0.15)
    assert width[2] > width[3] > width[4] > 0
    assert not with_[(north > 3.7) & (north < 30)][:, lane].any()
    assert not with_[(north < -0.1) & (north > -30)][:, lane].any()
    middle = east[lane][with_[np.abs(north - 2.4).argmin()][lane]].mean()
    assert middle == pytest.approx((HALF - 0.3) / 2, abs=0.1)


def test_arrows_do_not_depend_on_which_end_is_first() -> None:
    one, east, _ = marking_mask(y0=-36_000, y1=36_000, flow=1)
    other, _, _ = marking_mask(y0=36_000, y1=-36_000, flow=-1)
    arrows = np.abs(east) > 0.5
    assert (one == other)[:, arrows].mean() > 0.999 and one[:, arrows].sum() > 100


def test_two_way_streets_have_no_arrows_and_one_way_streets_no_yellow_lines() -> None:
    two_way, east, _ = marking_mask(**NORTH, flow=0)
    lane = (np.abs(east) > 0.5) & (np.abs(east) < 5)
    assert not two_way[:, lane].any() and two_way[:, ~lane].any()
    pictures, _, _ = render_from_above(scene(road(**NORTH, flow=1)), 0, 0, 11.0, 70.0, 0.1)
    rgb = pictures.rgb[0].astype(int)
    assert not (rgb[..., 0] > rgb[..., 2] + 60).any()


def test_lanes_are_separated_by_dashes_that_continue_along_a_street() -> None:
    markings, east, north = marking_mask(**NORTH, lanes=4)
    # Two lanes per direction: a dashed line in the middle of each half, none on the yellow line.
    for at in (-(HALF - 0.3) / 2, (HALF - 0.3) / 2):
        line = markings[:, np.abs(east - at).argmin()]
        assert line.mean() == pytest.approx(0.35, abs=0.06)
        dashes = ((north + LENGTH / 2) % 9) < 9 * 0.35
        assert (line == dashes).mean() > 0.98
    # A segment that begins 4 m farther along its street has its dashes 4 m earlier.
    moved, _, _ = marking_mask(**NORTH, lanes=4, along=4000)
    line = moved[:, np.abs(east - (HALF - 0.3) / 2).argmin()]
    assert (line == (((north + LENGTH / 2 + 4) % 9) < 9 * 0.35)).mean() > 0.98


def test_parking_lanes_are_marked_off() -> None:
    for parking, sides in ((1, [-1]), (2, [1]), (3, [-1, 1])):
        pictures, east, _ = render_from_above(scene(road(**NORTH, parking=parking)), 0, 5, 13.0, 0.1, 0.02)
        rgb = pictures.rgb[0].mean(axis=(0, 2))
        for side in (-1, 1):
            line = rgb[np.abs(east - side * (HALF - 2.3)).argmin()]
            beside = rgb[np.abs(east - side * (HALF - 2.0)).argmin()]
            assert (line > beside + 50) == (side in sides)


def test_crossings_have_no_lines() -> None:
    crossing = road(x0=-36_000, x1=36_000, street=2)
    pictures, east, north = render_from_above(scene(road(**NORTH), crossing), 0, 0, 30.0, 30.0, 0.1)
    x, y = np.meshgrid(east, north)
    box = (np.abs(x) < HALF - 0.1) & (np.abs(y) < HALF - 0.1)
    assert (pictures.kind[0][box] == Ground.ROAD).all()
    # The kerbs end at the crossing street's carriageway.
    for offset, other in ((x, y), (y, x)):
        inside = (np.abs(offset) < HALF - 0.1) & (np.abs(other) > HALF + 0.1)
        assert set(np.unique(pictures.kind[0][inside]).tolist()) == {Ground.ROAD, Ground.MARKING}


def area(x: int, y: int, hx: int, hy: int, ground: int, ux: int = 0, uy: int = 1_000_000) -> Any:
    row = np.zeros(1, AREA)
    row["x"], row["y"], row["hx"], row["hy"], row["ground"], row["ux"], row["uy"] = x, y, hx, hy, ground, ux, uy
    return row


@pytest.mark.parametrize("ground", [Ground.GRASS, Ground.PLAZA])
def test_areas_lie_where_the_plan_has_them(ground: Ground) -> None:
    # 4 m to either side and 8 m ahead and back of (20, 5), looking along (0.6, 0.8).
    lawn = area(20_000, 5000, 4000, 8000, int(ground), 600_000, 800_000)
    pictures, east, north = render_from_above(scene(road(**NORTH), areas=lawn), 20, 5, 26.0, 26.0, 0.2)
    x, y = np.meshgrid(east - 20, north - 5)
    along, side = np.abs(x * 0.6 + y * 0.8), np.abs(x * 0.8 - y * 0.6)
    clear = (np.abs(along - 8) > 0.2) & (np.abs(side - 4) > 0.2) & (x + 20 > HALF + WALK + 0.2)
    expected = np.where((along < 8) & (side < 4), ground, Ground.YARD)
    np.testing.assert_array_equal(pictures.kind[0][clear], expected[clear])
    if ground == Ground.GRASS:
        green = pictures.rgb[0][clear & (expected == ground)].astype(int)
        assert (green[:, 1] > green[:, 0] + 15).all() and (green[:, 1] > green[:, 2] + 30).all()


def test_streets_lie_over_areas() -> None:
    lawn = area(0, 0, 20_000, 20_000, int(Ground.GRASS))
    pictures, east, _ = render_from_above(scene(road(**NORTH), areas=lawn), 0, 3, 30.0, 0.4, 0.1)
    row = pictures.kind[0, 2]
    assert (row[np.abs(east) > HALF + WALK + 0.1] == Ground.GRASS).all()
    assert not (row[np.abs(east) < HALF + WALK - 0.1] == Ground.GRASS).any()


def test_ground_continues_beyond_the_edge_of_the_world() -> None:
    lawn = area(0, 0, 20_000, 20_000, int(Ground.GRASS))
    a_scene = scene(road(**NORTH), areas=lawn)
    west, south, east, north = a_scene.extent
    corners = [[west + 1, south + 1, 60.0], [east - 1, south + 1, 60.0], [east - 1, north - 1, 60.0]]
    pictures = render(a_scene, poses([*corners, [west + 1, north - 1, 60.0]], 0, -90), Lens(40, 40, 100.0))
    # A quarter of each picture lies inside the world, where the box may show.
    outside = np.ones((4, 40, 40), bool)
    outside[0, :20, 20:] = outside[1, :20, :20] = outside[2, 20:, :20] = outside[3, 20:, 20:] = False
    assert (pictures.kind[outside] == Ground.YARD).all() and (pictures.instance[outside] == 0).all()
    assert np.isfinite(pictures.depth).all()
    rgb = pictures.rgb[outside].astype(int)
    assert rgb.min() > 40 and np.ptp(rgb, axis=-1).max() < 40
