"""The ground of the sections: cells on which a body may stand, off houses and off what stands around."""

from __future__ import annotations

from math import floor
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.runtime.compiled import jit
from bearleft.world.arramon.sections.layout import AHEAD, Layout, section_layouts
from bearleft.world.arramon.walkable import BODY_RADIUS, CELL_SIZE, Flags, WalkableGrid
from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.placement import footprints
from bearleft.world.city.plan import UNIT, Plan

Array = Any  # numpy's, as compiled code takes them
MAX_OBSTACLE_Z = 1_500  # millimetres: what hangs above this is in nobody's way
MARGIN = 2.0  # metres around all sections


def build_walkable_grid(plan: Plan) -> WalkableGrid:
    """Free cells of all sections; of each only the largest piece that hangs together."""
    every = section_layouts(plan.seed)
    bounds = np.array([one.bounds() for one in every])
    west, south = (float(np.floor(edge - MARGIN)) for edge in bounds[:, :2].min(axis=0))
    east, north = (float(np.ceil(edge + MARGIN)) for edge in bounds[:, 2:].max(axis=0))
    free = np.zeros((round((east - west) / CELL_SIZE), round((north - south) / CELL_SIZE)), np.bool_)
    blocks = obstacles(plan)
    for one in every:
        left, low, right, high = one.bounds()
        columns = slice(int((left - west) / CELL_SIZE), int((right - west) / CELL_SIZE) + 1)
        rows = slice(int((low - south) / CELL_SIZE), int((high - south) / CELL_SIZE) + 1)
        window = np.zeros((columns.stop - columns.start, rows.stop - rows.start), np.bool_)
        x0, y0 = west + columns.start * CELL_SIZE, south + rows.start * CELL_SIZE
        _free_rectangle(window, x0, y0, _inside(one))
        near = (np.abs(blocks[:, 0] - one.x / 1000) < 100.0) & (np.abs(blocks[:, 1] - one.y / 1000) < 100.0)
        _block_rectangles(window, x0, y0, blocks[near], BODY_RADIUS)
        free[columns, rows] = largest_component(window)
    free.flags.writeable = False
    return WalkableGrid(west, south, CELL_SIZE, free)


def obstacles(plan: Plan) -> npt.NDArray[np.float64]:
    """The rectangles that houses and things stand on, in metres: x, y, ux, uy, hx, hy."""
    house = plan.things[plan.buildings["thing"]]
    columns = [house["x"], house["y"], house["ux"], house["uy"], plan.buildings["hx"], plan.buildings["hy"]]
    found = [np.stack([column.astype(np.int64) for column in columns], axis=1)]
    for kind in np.unique(plan.things["kind"]).tolist():
        if kind in (class_index("building"), class_index("banner")):  # banners hang on posts, over one's head
            continue
        things = plan.things[(plan.things["kind"] == kind) & (plan.things["z"] < MAX_OBSTACLE_Z)]
        found.append(np.stack(footprints(CLASSES[kind].name, things), axis=1))
    rectangles = np.concatenate(found).astype(np.float64)
    return np.asarray(rectangles / np.array([1000.0, 1000.0, UNIT, UNIT, 1000.0, 1000.0]))


def _inside(layout: Layout) -> npt.NDArray[np.float64]:
    """All between the houses around a section, as a rectangle."""
    low, high, left, right = layout.inner
    x, y = layout.at((low + high) // 2, (left + right) // 2)
    way = AHEAD[0] / UNIT, AHEAD[1] / UNIT
    return np.array([x / 1000, y / 1000, *way, (right - left) / 2000, (high - low) / 2000])


@jit
def _free_rectangle(free: Array, x0: float, y0: float, one: Array) -> None:
    """Frees the cells whose middles lie in a rectangle."""
    for i in range(free.shape[0]):
        dx = x0 + (i + 0.5) * CELL_SIZE - one[0]
        for j in range(free.shape[1]):
            dy = y0 + (j + 0.5) * CELL_SIZE - one[1]
            if abs(dx * one[3] - dy * one[2]) < one[4] and abs(dx * one[2] + dy * one[3]) < one[5]:
                free[i, j] = True


@jit
def _block_rectangles(free: Array, x0: float, y0: float, blocks: Array, radius: float) -> None:
    """Takes the cells whose middles lie closer than `radius` to a rectangle."""
    for k in range(len(blocks)):
        x, y, ux, uy, hx, hy = blocks[k]
        wide = hy * abs(ux) + hx * abs(uy) + radius
        high = hy * abs(uy) + hx * abs(ux) + radius
        for i in range(
            max(floor((x - wide - x0) / CELL_SIZE), 0), min(floor((x + wide - x0) / CELL_SIZE) + 1, free.shape[0])
        ):
            dx = x0 + (i + 0.5) * CELL_SIZE - x
            low, last = floor((y - high - y0) / CELL_SIZE), floor((y + high - y0) / CELL_SIZE)
            for j in range(max(low, 0), min(last + 1, free.shape[1])):
                dy = y0 + (j + 0.5) * CELL_SIZE - y
                across = max(abs(dx * uy - dy * ux) - hx, 0.0)
                along = max(abs(dx * ux + dy * uy) - hy, 0.0)
                if across * across + along * along < radius * radius:
                    free[i, j] = False


def largest_component(free: Flags) -> Flags:
    """The largest piece of free cells that hang together side by side."""
    piece = np.zeros(free.shape, np.int64)
    return np.asarray(label_components(np.ascontiguousarray(free), piece), np.bool_)


@jit
def label_components(free: Array, piece: Array) -> Array:
    """Numbers the pieces in `piece`, from 1, and returns the cells of the largest."""
    stack = np.empty((free.size + 1, 2), np.int64)
    count, best, most = 0, 0, 0
    for i in range(free.shape[0]):
        for j in range(free.shape[1]):
            if not free[i, j] or piece[i, j] > 0:
                continue
            count += 1
            size, top = 0, 1
            stack[0, 0], stack[0, 1] = i, j
            piece[i, j] = count
            while top > 0:
                top -= 1
                a, b = stack[top]
                size += 1
                for p, q in ((a + 1, b), (a - 1, b), (a, b + 1), (a, b - 1)):
                    if 0 <= p < free.shape[0] and 0 <= q < free.shape[1] and free[p, q] and piece[p, q] == 0:
                        piece[p, q] = count
                        stack[top, 0], stack[top, 1] = p, q
                        top += 1
            if size > most:
                best, most = count, size
    return piece == best if best > 0 else np.zeros(free.shape, np.bool_)
