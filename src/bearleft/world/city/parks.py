"""Parks, plazas and playgrounds: a rectangle of grass or paving beside a street, or a whole block."""

from __future__ import annotations

from typing import Any

import numpy as np

from bearleft.runtime.compiled import jit
from bearleft.world.city import raster
from bearleft.world.city.plan import AREA, DIRECTION_SCALE, Draft
from bearleft.world.city.randomness import Integers, Stage, chance, hashes, integers
from bearleft.world.city.raster import Flags, Raster, bits_under, set_bits
from bearleft.world.city.roads import free_kerbs, road_geometry
from bearleft.world.render.codes import Ground

Array = Any  # NumPy array in compiled functions
PARK_SPACING = 300_000  # millimetres; one park per square of this size, if there is space
MAX_TRIES = 24  # positions per park
SIDEWALK_OVERLAP = 1000  # millimetres that a park extends under the sidewalks around it
FRONT_GAP = 500  # millimetres between the front and the park
AVOID = raster.ROAD | raster.WALK | raster.CROSSING | raster.CAMERA | raster.PARK  # CAMERA: clearance around places
MAX_PLAZA_AREA = 1_100_000_000  # square millimetres, of a quarter of the plaza
MIN_HALF_SIDE, MAX_HALF_SIDE = 9000, 60_000  # millimetres
MAX_BLOCK_DEPTH = 220_000  # millimetres from a street to the next one behind it


def lay_parks(draft: Draft) -> None:
    """Add the areas of parks, mark them, and append their indices to draft.parks."""
    assert draft.raster is not None
    seed, kerbs = draft.seed, free_kerbs(draft)
    x, y, ux, uy, _ = road_geometry(draft.roads)
    piece, middle = kerbs.piece, (kerbs.start + kerbs.end) // 2
    roads = draft.roads[piece]
    distance = roads["half"].astype(np.int64) + roads["walk"]
    # (fx, fy) points from the park to the street.
    fx, fy = -kerbs.side * uy[piece], kerbs.side * ux[piece]
    x = x[piece] + (ux[piece] * middle - fx * distance) // DIRECTION_SCALE
    y = y[piece] + (uy[piece] * middle - fy * distance) // DIRECTION_SCALE
    inside = _has_street_behind(draft.raster, (x, y), (fx, fy))
    inside |= not inside.any()  # of a single street
    piece, x, y, fx, fy = piece[inside], x[inside], y[inside], fx[inside], fy[inside]
    cell = (x // PARK_SPACING) * 1_000_003 + y // PARK_SPACING
    index = np.arange(len(piece))
    order = np.lexsort((hashes(seed, Stage.GREENERY, index, salt=100), cell))
    is_first = np.concatenate([[True], np.diff(cell[order]) != 0]) if len(order) else np.zeros(0, bool)
    group = np.cumsum(is_first) - 1
    rank = np.arange(len(order)) - np.flatnonzero(is_first)[group]
    order = order[rank < MAX_TRIES]
    groups = group[rank < MAX_TRIES]
    size = integers(seed, Stage.GREENERY, cell[order], 14_000, 34_000, salt=101)
    size = np.where(chance(seed, Stage.GREENERY, cell[order], 350, salt=102), MAX_HALF_SIDE, size)
    rows = _grow_parks(draft.raster, groups, (x[order], y[order]), (fx[order], fy[order]), size)
    areas = np.zeros(len(rows), AREA)
    for name, values in zip(("x", "y", "ux", "uy", "hx", "hy"), rows.T, strict=False):
        areas[name] = values
    paved = chance(seed, Stage.GREENERY, cell[order][rows[:, 6]], 350, salt=103) & (
        rows[:, 4] * rows[:, 5] < MAX_PLAZA_AREA
    )
    areas["ground"] = np.where(paved, Ground.PLAZA, Ground.GRASS)
    draft.parks += range(len(draft.areas), len(draft.areas) + len(areas))
    draft.areas = np.concatenate([draft.areas, areas])


def _has_street_behind(ground: Raster, at: tuple[Integers, Integers], facing: tuple[Integers, Integers]) -> Flags:
    """Return which fronts have another street behind them: parks lie within the city, not at its edge."""
    found = np.zeros(len(at[0]), np.bool_)
    for distance in range(MIN_HALF_SIDE, MAX_BLOCK_DEPTH, 2_000):
        x, y = (axis - way * distance // DIRECTION_SCALE for axis, way in zip(at, facing, strict=True))
        bits = ground.at(x, y)
        found |= (bits != raster.ALL) & ((bits & raster.ROAD) != 0)
    return found


@jit
def _grow_parks(
    ground: Raster, groups: Array, at: tuple[Array, Array], facing: tuple[Array, Array], size: Array
) -> Array:
    """Return for each group the first rectangle with space, as large as allowed: x, y, ux, uy, hx, hy, row."""
    x, y = at
    ux, uy = facing
    parks, rows, finished_group = np.zeros((len(x), 7), np.int64), 0, -1
    rectangle = np.zeros(6, np.int64)
    for k in range(len(x)):
        if groups[k] == finished_group:
            continue
        rectangle[2], rectangle[3] = ux[k], uy[k]
        # left, right and back as seen from the street, in millimetres from the middle of the front
        reach = np.array([MIN_HALF_SIDE, MIN_HALF_SIDE, 2 * MIN_HALF_SIDE])
        _set_rectangle(rectangle, x[k], y[k], ux[k], uy[k], reach)
        if bits_under(ground, rectangle, AVOID) & AVOID:
            continue
        limit = np.array([size[k], size[k], 2 * size[k]])
        is_growing = np.array([True, True, True])
        while is_growing.any():
            for side in range(3):
                if not is_growing[side]:
                    continue
                reach[side] += 1000
                _set_rectangle(rectangle, x[k], y[k], ux[k], uy[k], reach)
                if reach[side] > limit[side] or bits_under(ground, rectangle, AVOID) & AVOID:
                    reach[side] -= 1000
                    is_growing[side] = False
        _set_rectangle(rectangle, x[k], y[k], ux[k], uy[k], reach)
        set_bits(ground, rectangle, raster.PARK)
        rectangle[4] += SIDEWALK_OVERLAP
        rectangle[5] += SIDEWALK_OVERLAP
        parks[rows, :6], parks[rows, 6] = rectangle, k
        rows += 1
        finished_group = groups[k]
    return parks[:rows].copy()


@jit
def _set_rectangle(rectangle: Array, x: int, y: int, ux: int, uy: int, reach: Array) -> None:
    """Set the rectangle that extends `reach` (left, right, back) from a front's middle, FRONT_GAP behind the front."""
    shift, back = (reach[1] - reach[0]) // 2, (reach[2] + FRONT_GAP) // 2
    rectangle[0] = x + (uy * shift - ux * back) // DIRECTION_SCALE
    rectangle[1] = y + (-ux * shift - uy * back) // DIRECTION_SCALE
    rectangle[4], rectangle[5] = (reach[0] + reach[1]) // 2, (reach[2] - FRONT_GAP) // 2
