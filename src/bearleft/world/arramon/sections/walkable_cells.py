"""Walkable grid of the sections: cells at which an agent collides with neither houses nor objects."""

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
from bearleft.world.city.plan import DIRECTION_SCALE, Plan

Array = Any  # NumPy arrays in compiled code
MAX_OBSTACLE_Z = 1_500  # millimetres; objects that start higher do not block agents
MARGIN = 2.0  # metres around all sections


def build_walkable_grid(plan: Plan) -> WalkableGrid:
    """Return the free cells of all sections; in each section only the largest connected component."""
    layouts = section_layouts(plan.seed)
    bounds = np.array([layout.bounds() for layout in layouts])
    west, south = (float(np.floor(edge - MARGIN)) for edge in bounds[:, :2].min(axis=0))
    east, north = (float(np.ceil(edge + MARGIN)) for edge in bounds[:, 2:].max(axis=0))
    free = np.zeros((round((east - west) / CELL_SIZE), round((north - south) / CELL_SIZE)), np.bool_)
    blocks = obstacles(plan)
    for layout in layouts:
        left, low, right, high = layout.bounds()
        columns = slice(int((left - west) / CELL_SIZE), int((right - west) / CELL_SIZE) + 1)
        rows = slice(int((low - south) / CELL_SIZE), int((high - south) / CELL_SIZE) + 1)
        window = np.zeros((columns.stop - columns.start, rows.stop - rows.start), np.bool_)
        x0, y0 = west + columns.start * CELL_SIZE, south + rows.start * CELL_SIZE
        _free_rectangle(window, x0, y0, _inner_rectangle(layout))
        near = (np.abs(blocks[:, 0] - layout.x / 1000) < 100.0) & (np.abs(blocks[:, 1] - layout.y / 1000) < 100.0)
        _block_rectangles(window, x0, y0, blocks[near], BODY_RADIUS)
        free[columns, rows] = largest_component(window)
    return WalkableGrid(west, south, CELL_SIZE, free)


def obstacles(plan: Plan) -> npt.NDArray[np.float64]:
    """Return the footprints of houses and objects in metres (n, 6): x, y, ux, uy, hx, hy."""
    house = plan.things[plan.buildings["thing"]]
    columns = [house["x"], house["y"], house["ux"], house["uy"], plan.buildings["hx"], plan.buildings["hy"]]
    rectangles_by_class = [np.stack([column.astype(np.int64) for column in columns], axis=1)]
    for kind in np.unique(plan.things["kind"]).tolist():
        if kind in (class_index("building"), class_index("banner")):  # banners hang on posts, above the agents
            continue
        things = plan.things[(plan.things["kind"] == kind) & (plan.things["z"] < MAX_OBSTACLE_Z)]
        at, facing, half = footprints(CLASSES[kind].name, things)
        rectangles_by_class.append(np.stack([*at, *facing, *half], axis=1))
    rectangles = np.concatenate(rectangles_by_class).astype(np.float64)
    return np.asarray(rectangles / np.array([1000.0, 1000.0, DIRECTION_SCALE, DIRECTION_SCALE, 1000.0, 1000.0]))


def _inner_rectangle(layout: Layout) -> npt.NDArray[np.float64]:
    """Return the rectangle between the houses around a section."""
    low, high, left, right = layout.inner
    x, y = layout.to_world((low + high) // 2, (left + right) // 2)
    direction = AHEAD[0] / DIRECTION_SCALE, AHEAD[1] / DIRECTION_SCALE
    return np.array([x / 1000, y / 1000, *direction, (right - left) / 2000, (high - low) / 2000])


@jit
def _free_rectangle(free: Array, x0: float, y0: float, rectangle: Array) -> None:
    """Mark the cells whose centres lie in a rectangle as free."""
    for i in range(free.shape[0]):
        dx = x0 + (i + 0.5) * CELL_SIZE - rectangle[0]
        for j in range(free.shape[1]):
            dy = y0 + (j + 0.5) * CELL_SIZE - rectangle[1]
            if (
                abs(dx * rectangle[3] - dy * rectangle[2]) < rectangle[4]
                and abs(dx * rectangle[2] + dy * rectangle[3]) < rectangle[5]
            ):
                free[i, j] = True


@jit
def _block_rectangles(free: Array, x0: float, y0: float, blocks: Array, radius: float) -> None:
    """Mark the cells whose centres lie closer than `radius` to a rectangle as not free."""
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
    """Return the largest 4-connected component of free cells."""
    labels = np.zeros(free.shape, np.int64)
    return np.asarray(label_components(np.ascontiguousarray(free), labels), np.bool_)


@jit
def label_components(free: Array, labels: Array) -> Array:
    """Label 4-connected components in `labels`, from 1, and return the cells of the largest."""
    stack = np.empty((free.size + 1, 2), np.int64)
    count, largest, largest_size = 0, 0, 0
    for i in range(free.shape[0]):
        for j in range(free.shape[1]):
            if not free[i, j] or labels[i, j] > 0:
                continue
            count += 1
            size, top = 0, 1
            stack[0, 0], stack[0, 1] = i, j
            labels[i, j] = count
            while top > 0:
                top -= 1
                a, b = stack[top]
                size += 1
                for p, q in ((a + 1, b), (a - 1, b), (a, b + 1), (a, b - 1)):
                    if 0 <= p < free.shape[0] and 0 <= q < free.shape[1] and free[p, q] and labels[p, q] == 0:
                        labels[p, q] = count
                        stack[top, 0], stack[top, 1] = p, q
                        top += 1
            if size > largest_size:
                largest, largest_size = count, size
    return labels == largest if largest > 0 else np.zeros(free.shape, np.bool_)
