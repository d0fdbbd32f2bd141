"""Buildings, shoulder to shoulder along both sides of every street, here and there an alley, a yard or a garden."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bearleft.runtime.compiled import jit
from bearleft.world.city import raster
from bearleft.world.city.catalog import class_index
from bearleft.world.city.districts import DISTRICTS, district_index, district_values
from bearleft.world.city.facades import STYLES, Windows
from bearleft.world.city.palette import colour_index
from bearleft.world.city.plan import AREA, BUILDING, THING, UNIT, Draft, Rows
from bearleft.world.city.randomness import Integers, Stage, chance, integers, weighted_choice
from bearleft.world.city.raster import bits_under, set_bits
from bearleft.world.city.roads import road_geometry
from bearleft.world.render.codes import Ground

Array = Any  # numpy's, as compiled code takes them
FRONT_STEP = 500  # fronts are walked in steps of this length
FRONT_INSET = 300  # a front stands so far inside the sidewalk's edge, lest bare ground shows between them
SIDEWALK_STRIP = 1100  # of a building that may stand on its own sidewalk, where that is crooked
WALL_OVERLAP = 200  # walls that stand at a slight angle to each other may meet, lest one sees through between them
MIN_DEPTH = 5500  # no building is less deep
MIN_FRONTAGE = 4500  # or has less frontage
AVOID = raster.ROAD | raster.WALK | raster.CROSSING | raster.CAMERA | raster.BUILDING | raster.PARK
AVOID_IN_FRONT = raster.ROAD | raster.CROSSING | raster.CAMERA | raster.BUILDING | raster.PARK
SMOOTHING_WINDOWS = (32, 16, 8, 4, 2)  # windows, in steps, over which a crooked street is straightened
MAX_SHIFT = 700  # but it is not moved further than this
MAX_LOW_FLOORS = 8  # floors; what is higher is built as a tower
TOWER_STYLE_WEIGHTS = {
    "limestone apartment": 10,
    "glass office tower": 25,
    "concrete slab": 15,
    "panel office": 20,
    "art-deco tower": 20,
    "white-brick apartment": 10,
}
HIGH_FLOOR_STYLES = [k for k, style in enumerate(STYLES) if style.windows == Windows.INDUSTRIAL]  # with high floors
STREET_DISTANCE = 2500  # a side sees a street that lies so close to it


@dataclass(frozen=True, eq=False)
class Fronts:
    """Points along the outer edges of sidewalks, front by front, one every STEP."""

    first: Integers  # where each front begins, and one more
    x: Integers
    y: Integers
    nx: Integers  # away from the street
    ny: Integers
    street: Integers


def build_lots(draft: Draft) -> None:
    """Adds buildings and their things, the areas of yards and gardens, and marks them."""
    build_along_fronts(draft, trace_fronts(draft.roads))


def build_along_fronts(draft: Draft, fronts: Fronts) -> None:
    """Buildings wherever there is room behind some fronts."""
    assert draft.raster is not None
    seed, where = draft.seed, _districts(draft.seed, fronts)
    index = np.arange(len(where)) + (len(draft.buildings) << 20)
    low, high = (np.array([one.widths[k] for one in DISTRICTS])[where] * 1000 for k in (0, 1))
    width = integers(seed, Stage.LOTS, index, low, high)
    depth = integers(seed, Stage.LOTS, index, 10_000, 21_000, 1)
    kind = weighted_choice(seed, Stage.LOTS, index, [33, 42, 25], 2)  # alley, yard, garden
    gap = np.where(chance(seed, Stage.LOTS, index, district_values("gaps", where), 3), kind + 1, 0) * (
        len(draft.buildings) == 0
    )
    built, open_ground = _place_buildings(
        draft.raster.cells,
        draft.raster.x0,
        draft.raster.y0,
        fronts.first,
        fronts.x,
        fronts.y,
        fronts.nx,
        fronts.ny,
        width,
        depth,
        gap,
    )
    _add_areas(draft, open_ground)
    _add_buildings(draft, built, where[built[:, 6]], fronts.street[built[:, 6]])


def _districts(seed: int, fronts: Fronts) -> Integers:
    """The district of each point, asked every ten metres."""
    some = np.arange(0, len(fronts.x), 20)
    return np.repeat(district_index(seed, fronts.x[some], fronts.y[some]), 20)[: len(fronts.x)]


def trace_fronts(roads: Rows) -> Fronts:
    """The outer edges of all sidewalks, straightened a little, each street's left and right side in turn."""
    x, y, ux, uy, length = road_geometry(roads)
    order = np.lexsort((roads["along"], roads["street"]))
    order = order[length[order] >= 2 * FRONT_STEP]
    if not len(order):
        none = np.zeros(0, np.int64)
        return Fronts(np.zeros(1, np.int64), none, none, none, none, none)
    roads, x, y, ux, uy, length = roads[order], x[order], y[order], ux[order], uy[order], length[order]
    apart = np.abs(roads["x0"][1:] - roads["x1"][:-1]) + np.abs(roads["y0"][1:] - roads["y1"][:-1])
    new = (np.diff(roads["street"]) != 0) | (apart > 12_000)
    steps = np.maximum(length // FRONT_STEP, 1)
    piece = np.repeat(np.arange(len(order)), steps)
    on = (np.arange(len(piece)) - np.repeat(np.cumsum(steps) - steps, steps)) * FRONT_STEP + FRONT_STEP // 2
    px, py = x[piece] + ux[piece] * on // UNIT, y[piece] + uy[piece] * on // UNIT
    line = np.concatenate([[0], np.cumsum(new)])[piece]
    first = np.searchsorted(line, np.arange(line[-1] + 2))
    sx, sy, dx, dy = _straightened(px, py, first)
    out = (roads["half"].astype(np.int64) + roads["walk"] - FRONT_INSET)[piece]
    sides = []
    for nx, ny in ((-dy, dx), (dy, -dx)):
        sides.append((sx + nx * out // UNIT, sy + ny * out // UNIT, nx, ny, roads["street"][piece].astype(np.int64)))
    ex, ey, nx, ny, street = (np.concatenate(pair) for pair in zip(*sides, strict=True))
    wide = np.concatenate([out, out])
    begin = np.concatenate([first[:-1], first + len(px)])
    changes = np.flatnonzero(np.diff(wide) != 0) + 1
    return Fronts(np.union1d(begin, changes), ex, ey, nx, ny, street)


@jit
def _straightened(px: Array, py: Array, first: Array) -> tuple[Array, Array, Array, Array]:
    """Points averaged along their line as far as that moves them little, and directions there."""
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
            one, other = max(i - 12, begin), min(i + 12, end - 1)
            ex, ey = float(sx[other] - sx[one]), float(sy[other] - sy[one])
            far = max(np.sqrt(ex * ex + ey * ey), 1.0)
            dx[i], dy[i] = round(ex / far * UNIT), round(ey / far * UNIT)
    return sx, sy, dx, dy


@jit
def _is_clear(cells: Array, x0: int, y0: int, one: Array, x: int, y: int, nx: int, ny: int, depth: int) -> bool:
    """Whether the ground is free `depth` behind a point of a front, as wide as `one` says; a strip may be sidewalk."""
    one[2], one[3] = -nx, -ny
    one[5] = SIDEWALK_STRIP // 2
    one[0], one[1] = x + nx * one[5] // UNIT, y + ny * one[5] // UNIT
    if bits_under(cells, x0, y0, one, AVOID_IN_FRONT) & AVOID_IN_FRONT:
        return False
    one[5] = (depth - SIDEWALK_STRIP) // 2
    one[0], one[1] = x + nx * (SIDEWALK_STRIP + one[5]) // UNIT, y + ny * (SIDEWALK_STRIP + one[5]) // UNIT
    return not bits_under(cells, x0, y0, one, AVOID) & AVOID


@jit
def _has_room(cells: Array, x0: int, y0: int, one: Array, x: int, y: int, nx: int, ny: int) -> bool:
    """Whether a building could stand at a point of a front: a slice one step wide."""
    one[4] = FRONT_STEP // 2
    return _is_clear(cells, x0, y0, one, x, y, nx, ny, MIN_DEPTH)


@jit
def _fits(
    cells: Array, x0: int, y0: int, one: Array, ax: int, ay: int, bx: int, by: int, depth: int, left: bool
) -> bool:
    """Whether a building fits behind the chord from a to b; `one` becomes its rectangle. `left`: it lies left of it."""
    ex, ey = float(bx - ax), float(by - ay)
    far = max(np.sqrt(ex * ex + ey * ey), 1.0)
    ux, uy = round(ex / far * UNIT), round(ey / far * UNIT)
    nx, ny = (-uy, ux) if left else (uy, -ux)
    if far < MIN_FRONTAGE * 3 // 4:
        return False
    one[4] = int(far) // 2 - WALL_OVERLAP
    mx, my = (ax + bx) // 2, (ay + by) // 2
    free = _is_clear(cells, x0, y0, one, mx, my, nx, ny, depth)
    one[4], one[5] = int(far) // 2, depth // 2
    one[0], one[1] = mx + nx * one[5] // UNIT, my + ny * one[5] // UNIT
    return free


@jit
def _place_buildings(
    cells: Array,
    x0: int,
    y0: int,
    first: Array,
    x: Array,
    y: Array,
    nx: Array,
    ny: Array,
    width: Array,
    depth: Array,
    gap: Array,
) -> tuple[Array, Array]:
    """Buildings (rectangle, point of the front), and open ground between them (rectangle, 2 a yard, 3 a garden)."""
    built, rows = np.zeros((1024, 7), np.int64), 0
    ground, plots = np.zeros((256, 7), np.int64), 0
    one = np.zeros(6, np.int64)
    for k in range(len(first) - 1):
        i = first[k]
        while i < first[k + 1]:
            if not _has_room(cells, x0, y0, one, x[i], y[i], nx[i], ny[i]):
                i += 1
                continue
            end = i + 1
            while end < first[k + 1] and _has_room(cells, x0, y0, one, x[end], y[end], nx[end], ny[end]):
                end += 1
            begin, at = i, i
            i = end
            while end - at > MIN_FRONTAGE // FRONT_STEP:
                if gap[at] > 0 and at > begin and end - at > 54:
                    wide = 7 if gap[at] == 1 else (44 if gap[at] == 2 else 30)
                    back = 17_000 if gap[at] == 2 else 14_000
                    if gap[at] > 1:
                        left = nx[at] * (y[at + wide] - y[at]) < ny[at] * (x[at + wide] - x[at])
                        if _fits(cells, x0, y0, one, x[at], y[at], x[at + wide], y[at + wide], back, left):
                            set_bits(cells, x0, y0, one, raster.PARK)
                            if plots == len(ground):
                                ground = np.concatenate((ground, np.zeros_like(ground)))
                            ground[plots, :6], ground[plots, 6] = one, gap[at]
                            plots += 1
                    at += wide
                    continue
                wide = width[at] // FRONT_STEP
                if end - at - wide < MIN_FRONTAGE // FRONT_STEP + 3 or end - at < 2 * MIN_FRONTAGE // FRONT_STEP:
                    wide = end - at
                if wide > 72:
                    wide = (wide + 1) // 2
                stands = False
                to = min(at + wide, end - 1)
                while to - at >= MIN_FRONTAGE // FRONT_STEP and not stands:
                    left = nx[at] * (y[to] - y[at]) < ny[at] * (x[to] - x[at])
                    deep = depth[at]
                    while deep >= MIN_DEPTH and not stands:
                        stands = _fits(cells, x0, y0, one, x[at], y[at], x[to], y[to], deep, left)
                        deep -= 1500
                    if not stands:
                        to = at + (to - at) * 2 // 3
                if not stands:
                    at += 1
                    continue
                set_bits(cells, x0, y0, one, raster.BUILDING)
                if rows == len(built):
                    built = np.concatenate((built, np.zeros_like(built)))
                built[rows, :6], built[rows, 6] = one, at
                rows += 1
                at = to
    return built[:rows].copy(), ground[:plots].copy()


def _add_areas(draft: Draft, ground: Array) -> None:
    """Yards and gardens; a garden is a small park."""
    areas = np.zeros(len(ground), AREA)
    for name, values in zip(("x", "y", "ux", "uy", "hx", "hy"), ground.T, strict=False):
        areas[name] = values
    garden = ground[:, 6] == 3
    areas["ground"] = np.where(garden, Ground.GRASS, Ground.YARD)
    draft.parks += (len(draft.areas) + np.flatnonzero(garden)).tolist()
    draft.areas = np.concatenate([draft.areas, areas])


def _add_buildings(draft: Draft, built: Array, where: Integers, street: Integers) -> None:
    """Height, floors, style and colours by district."""
    assert draft.raster is not None
    seed, index = draft.seed, np.arange(len(built)) + len(draft.buildings)
    rows, things = np.zeros(len(built), BUILDING), np.zeros(len(built), THING)
    low, high = (np.array([one.floors[k] for one in DISTRICTS])[where] for k in (0, 1))
    spread = integers(seed, Stage.BUILDINGS, index, 0, high - low, 1) + integers(
        seed, Stage.BUILDINGS, index, 0, high - low, 2
    )
    floors = low + spread // 2
    large = (built[:, 4] > 5000) & (built[:, 5] > 5000)
    tower = chance(seed, Stage.BUILDINGS, index, district_values("towers", where), 3) & large
    floors = np.where(
        tower, integers(seed, Stage.BUILDINGS, index, high + 2, district_values("tallest", where), 4), floors
    )
    style = _styles(seed, index, where, floors)
    rows["floor"] = integers(seed, Stage.BUILDINGS, index, 29, 34, 5) * 100 + np.isin(style, HIGH_FLOOR_STYLES) * 600
    rows["ground"] = integers(seed, Stage.BUILDINGS, index, 36, 46, 6) * 100 + (floors > 6) * 600
    rows["height"] = rows["ground"] + floors * rows["floor"]
    bays = np.maximum((2 * built[:, 4]) // integers(seed, Stage.BUILDINGS, index, 17, 36, 7) // 100, 1)
    rows["bay"] = 2 * built[:, 4] // bays
    rows["hx"], rows["hy"], rows["style"], rows["district"] = built[:, 4], built[:, 5], style, where
    rows["street"], rows["sides"] = street, _sides(draft, built)
    for name, column in (("x", 0), ("y", 1), ("ux", 2), ("uy", 3)):
        things[name] = built[:, column]
    things["kind"], things["street"] = class_index("building"), street
    things["sx"] = things["sy"] = things["sz"] = 1000
    for name in ("text", "owner", "group"):
        things[name] = -1
    walls, trims = _colours(seed, index, style)
    things["first"], things["second"] = walls, trims
    rows["thing"] = draft.add(things) + np.arange(len(built))
    draft.buildings = np.concatenate([draft.buildings, rows])


def _sides(draft: Draft, built: Array) -> Array:
    """Which sides see a street or a park close by."""
    assert draft.raster is not None
    x, y, ux, uy, hx, hy = built[:, :6].T
    seen = np.ones(len(built), np.int64)
    for side, (ax, ay, away, wide) in enumerate(((uy, -ux, hx, hy), (-ux, -uy, hy, hx), (-uy, ux, hx, hy)), 1):
        far = away + STREET_DISTANCE // 2
        bits = draft.raster.covers(x + ax * far // UNIT, y + ay * far // UNIT, ax, ay, wide - 600, STREET_DISTANCE // 2)
        seen |= ((bits & (raster.ROAD | raster.WALK | raster.PARK)) != 0).astype(np.int64) << side
    return seen


def _styles(seed: int, index: Integers, where: Integers, floors: Integers) -> Integers:
    """A row of STYLES for each building: what its district likes, or if it is too high for that, a tower's."""
    names = [style.name for style in STYLES]
    sums = np.array([[one.styles.get(name, 0) for name in names] for one in DISTRICTS], np.int64).cumsum(axis=1)[where]
    style = (integers(seed, Stage.BUILDINGS, index, 0, sums[:, -1] - 1)[:, None] >= sums).sum(axis=1)
    tall = np.array([name in TOWER_STYLE_WEIGHTS for name in names])
    weights = [TOWER_STYLE_WEIGHTS.get(name, 0) for name in names]
    return np.where(
        (floors > MAX_LOW_FLOORS) & ~tall[style], weighted_choice(seed, Stage.BUILDINGS, index, weights, 8), style
    )


def _colours(seed: int, index: Integers, style: Integers) -> tuple[Integers, Integers]:
    """Of walls and of what frames their windows."""
    drawn = []
    for draw, table in ((9, [one.walls for one in STYLES]), (10, [one.trims for one in STYLES])):
        size, most = np.array([len(names) for names in table]), max(len(names) for names in table)
        padded = np.array([[colour_index(names[k % len(names)]) for k in range(most)] for names in table])
        drawn.append(padded[style, integers(seed, Stage.BUILDINGS, index, 0, size[style] - 1, draw)])
    return drawn[0], drawn[1]
