"""Buildings side by side along both sides of every street, with occasional alleys, yards and gardens."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from bearleft.runtime.compiled import jit
from bearleft.world.city import raster
from bearleft.world.city.catalog import class_index
from bearleft.world.city.districts import DISTRICTS, district_index, district_values
from bearleft.world.city.facades import STYLES, Windows
from bearleft.world.city.palette import colour_index
from bearleft.world.city.plan import AREA, BUILDING, DIRECTION_SCALE, THING, Draft, Rows
from bearleft.world.city.randomness import Integers, Stage, chance, integers, weighted_choice
from bearleft.world.city.raster import Raster, bits_under, set_bits
from bearleft.world.city.roads import road_geometry
from bearleft.world.render.codes import Ground

Array = Any  # NumPy array in compiled functions
Point = tuple[int, int]  # or a direction
FRONTAGE_STEP = 500  # millimetres between points of a frontage
FRONTAGE_INSET = 300  # millimetres that a frontage overlaps the sidewalk, so that no bare ground shows between them
SIDEWALK_STRIP = 1100  # millimetres of depth by which a building may overlap a crooked sidewalk
WALL_OVERLAP = 200  # millimetres that walls at a slight angle may overlap, so that no gap shows between them
MIN_DEPTH = 5500  # millimetres
MIN_FRONTAGE = 4500  # millimetres
AVOID = raster.ROAD | raster.WALK | raster.CROSSING | raster.CAMERA | raster.BUILDING | raster.PARK
AVOID_IN_FRONT = raster.ROAD | raster.CROSSING | raster.CAMERA | raster.BUILDING | raster.PARK
SMOOTHING_WINDOWS = (32, 16, 8, 4, 2)  # steps; the largest that moves a point by at most MAX_SHIFT is used
MAX_SHIFT = 700  # millimetres
MAX_LOW_FLOORS = 8  # higher buildings have a style of TOWER_STYLE_WEIGHTS
TOWER_STYLE_WEIGHTS = {
    "limestone apartment": 10,
    "glass office tower": 25,
    "concrete slab": 15,
    "panel office": 20,
    "art-deco tower": 20,
    "white-brick apartment": 10,
}
HIGH_FLOOR_STYLES = [k for k, style in enumerate(STYLES) if style.windows == Windows.INDUSTRIAL]  # indices into STYLES
STREET_DISTANCE = 2500  # millimetres; a side this close to a street faces it


class Frontages(NamedTuple):
    """Points along the outer edges of sidewalks, frontage by frontage, one every FRONTAGE_STEP.

    A NamedTuple can be passed to compiled functions.
    """

    first: Integers  # index of the first point of each frontage, and the number of points
    x: Integers
    y: Integers
    nx: Integers  # direction away from the street
    ny: Integers
    street: Integers


def build_lots(draft: Draft) -> None:
    """Add buildings and their things, and the areas of yards and gardens, and mark them in the raster."""
    build_along_frontages(draft, trace_frontages(draft.roads))


def build_along_frontages(draft: Draft, frontages: Frontages) -> None:
    """Add buildings wherever there is space behind frontages."""
    assert draft.raster is not None
    seed, districts = draft.seed, _point_districts(draft.seed, frontages)
    index = np.arange(len(districts)) + (len(draft.buildings) << 20)
    low, high = (np.array([district.widths[k] for district in DISTRICTS])[districts] * 1000 for k in (0, 1))
    width = integers(seed, Stage.LOTS, index, low, high)
    depth = integers(seed, Stage.LOTS, index, 10_000, 21_000, salt=1)
    kind = weighted_choice(seed, Stage.LOTS, index, [33, 42, 25], salt=2)  # alley, yard, garden
    gap = np.where(chance(seed, Stage.LOTS, index, district_values("gaps", districts), salt=3), kind + 1, 0) * (
        len(draft.buildings) == 0
    )
    rectangles, open_ground = _place_buildings(draft.raster, frontages, width, depth, gap)
    _add_areas(draft, open_ground)
    _add_buildings(draft, rectangles, districts[rectangles[:, 6]], frontages.street[rectangles[:, 6]])


def _point_districts(seed: int, frontages: Frontages) -> Integers:
    """Return the district of each point, sampled every ten metres."""
    samples = np.arange(0, len(frontages.x), 20)
    return np.repeat(district_index(seed, frontages.x[samples], frontages.y[samples]), 20)[: len(frontages.x)]


def trace_frontages(roads: Rows) -> Frontages:
    """Return the slightly straightened outer edges of all sidewalks, left and right side of each street."""
    x, y, ux, uy, length = road_geometry(roads)
    order = np.lexsort((roads["along"], roads["street"]))
    order = order[length[order] >= 2 * FRONTAGE_STEP]
    if not len(order):
        empty = np.zeros(0, np.int64)
        return Frontages(np.zeros(1, np.int64), empty, empty, empty, empty, empty)
    roads, x, y, ux, uy, length = roads[order], x[order], y[order], ux[order], uy[order], length[order]
    jump = np.abs(roads["x0"][1:] - roads["x1"][:-1]) + np.abs(roads["y0"][1:] - roads["y1"][:-1])
    is_new = (np.diff(roads["street"]) != 0) | (jump > 12_000)
    steps = np.maximum(length // FRONTAGE_STEP, 1)
    piece = np.repeat(np.arange(len(order)), steps)
    position = (np.arange(len(piece)) - np.repeat(np.cumsum(steps) - steps, steps)) * FRONTAGE_STEP + FRONTAGE_STEP // 2
    px, py = x[piece] + ux[piece] * position // DIRECTION_SCALE, y[piece] + uy[piece] * position // DIRECTION_SCALE
    line = np.concatenate([[0], np.cumsum(is_new)])[piece]
    first = np.searchsorted(line, np.arange(line[-1] + 2))
    sx, sy, dx, dy = _straightened(px, py, first)
    offset = (roads["half"].astype(np.int64) + roads["walk"] - FRONTAGE_INSET)[piece]
    sides = []
    for nx, ny in ((-dy, dx), (dy, -dx)):
        sides.append(
            (
                sx + nx * offset // DIRECTION_SCALE,
                sy + ny * offset // DIRECTION_SCALE,
                nx,
                ny,
                roads["street"][piece].astype(np.int64),
            )
        )
    ex, ey, nx, ny, street = (np.concatenate(pair) for pair in zip(*sides, strict=True))
    offsets = np.concatenate([offset, offset])
    begin = np.concatenate([first[:-1], first + len(px)])
    changes = np.flatnonzero(np.diff(offsets) != 0) + 1
    return Frontages(np.union1d(begin, changes), ex, ey, nx, ny, street)


@jit
def _straightened(px: Array, py: Array, first: Array) -> tuple[Array, Array, Array, Array]:
    """Return points smoothed along their line (by at most MAX_SHIFT), and the directions there."""
    sx, sy = px.copy(), py.copy()
    dx, dy = np.zeros_like(px), np.zeros_like(py)
    for k in range(len(first) - 1):
        begin, end = first[k], first[k + 1]
        sums_x, sums_y = np.zeros(end - begin + 1, np.int64), np.zeros(end - begin + 1, np.int64)
        for i in range(end - begin):
            sums_x[i + 1], sums_y[i + 1] = sums_x[i] + px[begin + i], sums_y[i] + py[begin + i]
        for i in range(end - begin):
            for window in SMOOTHING_WINDOWS:
                reach = min(window, i, end - begin - 1 - i)
                count = 2 * reach + 1
                mx = (sums_x[i + reach + 1] - sums_x[i - reach]) // count
                my = (sums_y[i + reach + 1] - sums_y[i - reach]) // count
                if abs(mx - px[begin + i]) + abs(my - py[begin + i]) <= MAX_SHIFT:
                    sx[begin + i], sy[begin + i] = mx, my
                    break
        for i in range(begin, end):
            first_point, last_point = max(i - 12, begin), min(i + 12, end - 1)
            ex, ey = float(sx[last_point] - sx[first_point]), float(sy[last_point] - sy[first_point])
            distance = max(np.sqrt(ex * ex + ey * ey), 1.0)
            dx[i], dy[i] = round(ex / distance * DIRECTION_SCALE), round(ey / distance * DIRECTION_SCALE)
    return sx, sy, dx, dy


@jit
def _is_clear(ground: Raster, rectangle: Array, at: Point, inwards: Point, depth: int) -> bool:
    """Return whether the ground is free up to `depth` behind a point of a front; a strip may overlap the sidewalk."""
    x, y = at
    nx, ny = inwards
    rectangle[2], rectangle[3] = -nx, -ny
    rectangle[5] = SIDEWALK_STRIP // 2
    rectangle[0], rectangle[1] = x + nx * rectangle[5] // DIRECTION_SCALE, y + ny * rectangle[5] // DIRECTION_SCALE
    if bits_under(ground, rectangle, AVOID_IN_FRONT) & AVOID_IN_FRONT:
        return False
    rectangle[5] = (depth - SIDEWALK_STRIP) // 2
    rectangle[0], rectangle[1] = (
        x + nx * (SIDEWALK_STRIP + rectangle[5]) // DIRECTION_SCALE,
        y + ny * (SIDEWALK_STRIP + rectangle[5]) // DIRECTION_SCALE,
    )
    return not bits_under(ground, rectangle, AVOID) & AVOID


@jit
def _has_room(ground: Raster, rectangle: Array, frontages: Frontages, point: int) -> bool:
    """Return whether a building could stand at a point of a front, tested for a slice of one step."""
    rectangle[4] = FRONTAGE_STEP // 2
    at, inwards = (frontages.x[point], frontages.y[point]), (frontages.nx[point], frontages.ny[point])
    return _is_clear(ground, rectangle, at, inwards, MIN_DEPTH)


@jit
def _fits(ground: Raster, rectangle: Array, frontages: Frontages, ends: tuple[int, int], depth: int) -> bool:
    """Return whether a building fits behind the chord between two points of a front, and set `rectangle`."""
    a, b = ends
    ax, ay, bx, by = frontages.x[a], frontages.y[a], frontages.x[b], frontages.y[b]
    is_left = frontages.nx[a] * (by - ay) < frontages.ny[a] * (bx - ax)  # the building is on the chord's left side
    ex, ey = float(bx - ax), float(by - ay)
    length = max(np.sqrt(ex * ex + ey * ey), 1.0)
    ux, uy = round(ex / length * DIRECTION_SCALE), round(ey / length * DIRECTION_SCALE)
    nx, ny = (-uy, ux) if is_left else (uy, -ux)
    if length < MIN_FRONTAGE * 3 // 4:
        return False
    rectangle[4] = int(length) // 2 - WALL_OVERLAP
    mx, my = (ax + bx) // 2, (ay + by) // 2
    free = _is_clear(ground, rectangle, (mx, my), (nx, ny), depth)
    rectangle[4], rectangle[5] = int(length) // 2, depth // 2
    rectangle[0], rectangle[1] = mx + nx * rectangle[5] // DIRECTION_SCALE, my + ny * rectangle[5] // DIRECTION_SCALE
    return free


@jit
def _place_buildings(
    ground: Raster, frontages: Frontages, width: Array, depth: Array, gap: Array
) -> tuple[Array, Array]:
    """Return buildings (rectangle, front point) and open ground between them (rectangle, 2 a yard or 3 a garden)."""
    buildings, rows = np.zeros((1024, 7), np.int64), 0
    open_ground, plots = np.zeros((256, 7), np.int64), 0
    rectangle, first = np.zeros(6, np.int64), frontages.first
    for k in range(len(first) - 1):
        i = first[k]
        while i < first[k + 1]:
            if not _has_room(ground, rectangle, frontages, i):
                i += 1
                continue
            end = i + 1
            while end < first[k + 1] and _has_room(ground, rectangle, frontages, end):
                end += 1
            begin, position = i, i
            i = end
            while end - position > MIN_FRONTAGE // FRONTAGE_STEP:
                if gap[position] > 0 and position > begin and end - position > 54:
                    steps = 7 if gap[position] == 1 else (44 if gap[position] == 2 else 30)
                    back = 17_000 if gap[position] == 2 else 14_000
                    if gap[position] > 1 and _fits(ground, rectangle, frontages, (position, position + steps), back):
                        set_bits(ground, rectangle, raster.PARK)
                        if plots == len(open_ground):
                            open_ground = np.concatenate((open_ground, np.zeros_like(open_ground)))
                        open_ground[plots, :6], open_ground[plots, 6] = rectangle, gap[position]
                        plots += 1
                    position += steps
                    continue
                steps = width[position] // FRONTAGE_STEP
                if (
                    end - position - steps < MIN_FRONTAGE // FRONTAGE_STEP + 3
                    or end - position < 2 * MIN_FRONTAGE // FRONTAGE_STEP
                ):
                    steps = end - position
                if steps > 72:
                    steps = (steps + 1) // 2
                is_placed = False
                last = min(position + steps, end - 1)
                while last - position >= MIN_FRONTAGE // FRONTAGE_STEP and not is_placed:
                    tried_depth = depth[position]
                    while tried_depth >= MIN_DEPTH and not is_placed:
                        is_placed = _fits(ground, rectangle, frontages, (position, last), tried_depth)
                        tried_depth -= 1500
                    if not is_placed:
                        last = position + (last - position) * 2 // 3
                if not is_placed:
                    position += 1
                    continue
                set_bits(ground, rectangle, raster.BUILDING)
                if rows == len(buildings):
                    buildings = np.concatenate((buildings, np.zeros_like(buildings)))
                buildings[rows, :6], buildings[rows, 6] = rectangle, position
                rows += 1
                position = last
    return buildings[:rows].copy(), open_ground[:plots].copy()


def _add_areas(draft: Draft, rectangles: Array) -> None:
    """Add yards and gardens; a garden is a small park."""
    areas = np.zeros(len(rectangles), AREA)
    for name, values in zip(("x", "y", "ux", "uy", "hx", "hy"), rectangles.T, strict=False):
        areas[name] = values
    garden = rectangles[:, 6] == 3
    areas["ground"] = np.where(garden, Ground.GRASS, Ground.YARD)
    draft.parks += (len(draft.areas) + np.flatnonzero(garden)).tolist()
    draft.areas = np.concatenate([draft.areas, areas])


def _add_buildings(draft: Draft, rectangles: Array, districts: Integers, street: Integers) -> None:
    """Add buildings with height, floors, style and colours by district."""
    assert draft.raster is not None
    seed, index = draft.seed, np.arange(len(rectangles)) + len(draft.buildings)
    rows, things = np.zeros(len(rectangles), BUILDING), np.zeros(len(rectangles), THING)
    low, high = (np.array([district.floors[k] for district in DISTRICTS])[districts] for k in (0, 1))
    spread = integers(seed, Stage.BUILDINGS, index, 0, high - low, salt=1) + integers(
        seed, Stage.BUILDINGS, index, 0, high - low, salt=2
    )
    floors = low + spread // 2
    large = (rectangles[:, 4] > 5000) & (rectangles[:, 5] > 5000)
    is_tower = chance(seed, Stage.BUILDINGS, index, district_values("towers", districts), salt=3) & large
    floors = np.where(
        is_tower,
        integers(seed, Stage.BUILDINGS, index, high + 2, district_values("tallest", districts), salt=4),
        floors,
    )
    style = _styles(seed, index, districts, floors)
    rows["floor"] = (
        integers(seed, Stage.BUILDINGS, index, 29, 34, salt=5) * 100 + np.isin(style, HIGH_FLOOR_STYLES) * 600
    )
    rows["ground"] = integers(seed, Stage.BUILDINGS, index, 36, 46, salt=6) * 100 + (floors > 6) * 600
    rows["height"] = rows["ground"] + floors * rows["floor"]
    bays = np.maximum((2 * rectangles[:, 4]) // integers(seed, Stage.BUILDINGS, index, 17, 36, salt=7) // 100, 1)
    rows["bay"] = 2 * rectangles[:, 4] // bays
    rows["hx"], rows["hy"], rows["style"], rows["district"] = rectangles[:, 4], rectangles[:, 5], style, districts
    rows["street"], rows["sides"] = street, _street_sides(draft, rectangles)
    for name, column in (("x", 0), ("y", 1), ("ux", 2), ("uy", 3)):
        things[name] = rectangles[:, column]
    things["kind"], things["street"] = class_index("building"), street
    things["sx"] = things["sy"] = things["sz"] = 1000
    for name in ("text", "owner", "group"):
        things[name] = -1
    walls, trims = _colours(seed, index, style)
    things["first"], things["second"] = walls, trims
    rows["thing"] = draft.add(things) + np.arange(len(rectangles))
    draft.buildings = np.concatenate([draft.buildings, rows])


def _street_sides(draft: Draft, rectangles: Array) -> Array:
    """Return bits of the sides that are close to a street or a park."""
    assert draft.raster is not None
    x, y, ux, uy, hx, hy = rectangles[:, :6].T
    visible = np.ones(len(rectangles), np.int64)
    for side, (ax, ay, away, wide) in enumerate(((uy, -ux, hx, hy), (-ux, -uy, hy, hx), (-uy, ux, hx, hy)), 1):
        distance = away + STREET_DISTANCE // 2
        bits = draft.raster.covers(
            (x + ax * distance // DIRECTION_SCALE, y + ay * distance // DIRECTION_SCALE),
            (ax, ay),
            (wide - 600, STREET_DISTANCE // 2),
        )
        visible |= ((bits & (raster.ROAD | raster.WALK | raster.PARK)) != 0).astype(np.int64) << side
    return visible


def _styles(seed: int, index: Integers, districts: Integers, floors: Integers) -> Integers:
    """Return an index into STYLES for each building: a style of its district, or of a tower if it is too high."""
    names = [style.name for style in STYLES]
    sums = np.array([[district.styles.get(name, 0) for name in names] for district in DISTRICTS], np.int64).cumsum(
        axis=1
    )[districts]
    style = (integers(seed, Stage.BUILDINGS, index, 0, sums[:, -1] - 1)[:, None] >= sums).sum(axis=1)
    is_tower_style = np.array([name in TOWER_STYLE_WEIGHTS for name in names])
    weights = [TOWER_STYLE_WEIGHTS.get(name, 0) for name in names]
    return np.where(
        (floors > MAX_LOW_FLOORS) & ~is_tower_style[style],
        weighted_choice(seed, Stage.BUILDINGS, index, weights, salt=8),
        style,
    )


def _colours(seed: int, index: Integers, style: Integers) -> tuple[Integers, Integers]:
    """Return the colours of walls and window frames."""
    colours = []
    for salt, table in ((9, [facade.walls for facade in STYLES]), (10, [facade.trims for facade in STYLES])):
        size, max_length = np.array([len(names) for names in table]), max(len(names) for names in table)
        padded = np.array([[colour_index(names[k % len(names)]) for k in range(max_length)] for names in table])
        colours.append(padded[style, integers(seed, Stage.BUILDINGS, index, 0, size[style] - 1, salt=salt)])
    return colours[0], colours[1]
