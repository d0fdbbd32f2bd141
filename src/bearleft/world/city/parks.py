"""Parks, plazas and playgrounds: a rectangle of green or paving beside a street, or a whole block."""

from __future__ import annotations

from typing import Any

import numpy as np

from bearleft.runtime.compiled import jit
from bearleft.world.city import raster
from bearleft.world.city.plan import AREA, UNIT, Draft
from bearleft.world.city.randomness import Stage, chance, hashes, integers
from bearleft.world.city.raster import bits_under, set_bits
from bearleft.world.city.roads import free_kerbs, road_geometry
from bearleft.world.render.codes import Ground

Array = Any  # numpy's, as compiled code takes them
PARK_SPACING = 420_000  # one park in each such square, if there is room
MAX_TRIES = 24
SIDEWALK_OVERLAP = 1000  # so far a park reaches under the sidewalks around it
AVOID = raster.ROAD | raster.WALK | raster.CROSSING | raster.CAMERA | raster.PARK
MAX_PLAZA_AREA = 1_100_000_000  # a quarter of the largest plaza, in square millimetres
MIN_HALF_SIDE, MAX_HALF_SIDE = 9000, 60_000  # half the side of the smallest and the largest park


def lay_parks(draft: Draft) -> None:
    """Adds areas, marks them, and notes their numbers in draft.parks."""
    assert draft.raster is not None
    seed, free = draft.seed, free_kerbs(draft)
    x, y, ux, uy, _ = road_geometry(draft.roads)
    piece, middle = free.piece, (free.start + free.end) // 2
    roads = draft.roads[piece]
    out = roads["half"].astype(np.int64) + roads["walk"]
    # u looks from the park to the street
    fx, fy = -free.side * uy[piece], free.side * ux[piece]
    x = x[piece] + (ux[piece] * middle - fx * out) // UNIT
    y = y[piece] + (uy[piece] * middle - fy * out) // UNIT
    cell = (x // PARK_SPACING) * 1_000_003 + y // PARK_SPACING
    number = np.arange(len(piece))
    order = np.lexsort((hashes(seed, Stage.GREENERY, number, 100), cell))
    new = np.concatenate([[True], np.diff(cell[order]) != 0]) if len(order) else np.zeros(0, bool)
    group = np.cumsum(new) - 1
    within = np.arange(len(order)) - np.flatnonzero(new)[group]
    order = order[within < MAX_TRIES]
    groups = group[within < MAX_TRIES]
    size = integers(seed, Stage.GREENERY, cell[order], 14_000, 34_000, 101)
    size = np.where(chance(seed, Stage.GREENERY, cell[order], 350, 102), MAX_HALF_SIDE, size)
    rows = _grow_parks(
        draft.raster.cells, draft.raster.x0, draft.raster.y0, groups, x[order], y[order], fx[order], fy[order], size
    )
    areas = np.zeros(len(rows), AREA)
    for name, values in zip(("x", "y", "ux", "uy", "hx", "hy"), rows.T, strict=False):
        areas[name] = values
    paved = chance(seed, Stage.GREENERY, cell[order][rows[:, 6]], 350, 103) & (rows[:, 4] * rows[:, 5] < MAX_PLAZA_AREA)
    areas["ground"] = np.where(paved, Ground.PLAZA, Ground.GRASS)
    draft.parks += range(len(draft.areas), len(draft.areas) + len(areas))
    draft.areas = np.concatenate([draft.areas, areas])


@jit
def _grow_parks(
    cells: Array, x0: int, y0: int, groups: Array, x: Array, y: Array, ux: Array, uy: Array, size: Array
) -> Array:
    """For each group the first rectangle that has room, as large as its size allows: x, y, ux, uy, hx, hy, row."""
    found, rows, done = np.zeros((len(x), 7), np.int64), 0, -1
    one = np.zeros(6, np.int64)
    for k in range(len(x)):
        if groups[k] == done:
            continue
        one[2], one[3] = ux[k], uy[k]
        # left, right and back as seen from the street, in millimetres from the middle of the front
        reach = np.array([MIN_HALF_SIDE, MIN_HALF_SIDE, 2 * MIN_HALF_SIDE])
        _set_rectangle(one, x[k], y[k], ux[k], uy[k], reach)
        if bits_under(cells, x0, y0, one, AVOID) & AVOID:
            continue
        limit = np.array([size[k], size[k], 2 * size[k]])
        going = np.array([True, True, True])
        while going.any():
            for way in range(3):
                if not going[way]:
                    continue
                reach[way] += 1000
                _set_rectangle(one, x[k], y[k], ux[k], uy[k], reach)
                if reach[way] > limit[way] or bits_under(cells, x0, y0, one, AVOID) & AVOID:
                    reach[way] -= 1000
                    going[way] = False
        _set_rectangle(one, x[k], y[k], ux[k], uy[k], reach)
        set_bits(cells, x0, y0, one, raster.PARK)
        one[4] += SIDEWALK_OVERLAP
        one[5] += SIDEWALK_OVERLAP
        found[rows, :6], found[rows, 6] = one, k
        rows += 1
        done = groups[k]
    return found[:rows].copy()


@jit
def _set_rectangle(one: Array, x: int, y: int, ux: int, uy: int, reach: Array) -> None:
    """Makes the rectangle that lies `reach` around the middle of its front, half a metre behind it."""
    aside, deep = (reach[1] - reach[0]) // 2, (reach[2] + 500) // 2
    one[0] = x + (uy * aside - ux * deep) // 1_000_000
    one[1] = y + (-ux * aside - uy * deep) // 1_000_000
    one[4], one[5] = (reach[0] + reach[1]) // 2, (reach[2] - 500) // 2
