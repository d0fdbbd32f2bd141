"""Walkable ground: a grid of free cells, and steps of one metre on it.

A cell is free if the centre of an agent may lie on it; the agent's radius is already subtracted. A grid without cells
is unobstructed everywhere, as in the worlds of the released files, whose obstacles are unknown.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import cos, floor, radians, sin
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.runtime.compiled import jit

Array = Any  # NumPy arrays in compiled code
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
CELL_SIZE = 0.125  # metres
BODY_RADIUS = 0.25  # metres
SAMPLES_PER_STEP = 8  # points along a step that must be free; the last one is its end


@dataclass(frozen=True, eq=False)
class WalkableGrid:
    """A grid of free cells.

    The south-west corner of cell `free[i, j]` is (west + i * cell_size, south + j * cell_size), in metres. Nothing
    outside the grid is free, unless the grid has no cells at all. `free` is a read-only view of the given array: code
    is compiled for one type of arrays only.
    """

    west: float = 0.0
    south: float = 0.0
    cell_size: float = CELL_SIZE
    free: Flags = field(default_factory=lambda: np.zeros((0, 0), np.bool_))

    def __post_init__(self) -> None:
        free = self.free.view()
        free.flags.writeable = False
        object.__setattr__(self, "free", free)

    def free_at(self, x: npt.ArrayLike, y: npt.ArrayLike) -> Flags:
        """Return whether an agent may stand at each of the points (x, y)."""
        east, north = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(y, np.float64))
        flags = _free_at(self.west, self.south, self.cell_size, self.free, east.ravel(), north.ravel())
        return np.asarray(flags.reshape(east.shape), np.bool_)


UNOBSTRUCTED = WalkableGrid()


def step_forward(
    grid: WalkableGrid, x: npt.ArrayLike, y: npt.ArrayLike, headings: npt.ArrayLike
) -> tuple[Floats, Floats, Flags]:
    """Move agents one metre ahead; an agent that would cross a cell that is not free stays where it is.

    Args:
        grid: The walkable grid.
        x: Eastings of the agents in metres; scalars and arrays are broadcast.
        y: Northings.
        headings: Headings in degrees.

    Returns:
        Eastings and northings after the step, and whether each agent moved.
    """
    arrays = np.broadcast_arrays(*(np.asarray(values, np.float64) for values in (x, y, headings)))
    shape = arrays[0].shape
    east, north, heading = (array.ravel() for array in arrays)
    to_east, to_north, moved = _advance(grid.west, grid.south, grid.cell_size, grid.free, east, north, heading)
    return to_east.reshape(shape), to_north.reshape(shape), moved.reshape(shape)


@jit
def is_free(west: float, south: float, cell_size: float, free: Array, x: float, y: float) -> bool:
    """Return whether an agent may stand at a point."""
    if free.size == 0:
        return True
    column, row = floor((x - west) / cell_size), floor((y - south) / cell_size)
    return bool(0 <= column < free.shape[0] and 0 <= row < free.shape[1] and free[column, row])


@jit
def can_step(
    west: float, south: float, cell_size: float, free: Array, x: float, y: float, sine: float, cosine: float
) -> bool:
    """Return whether a step of one metre is free; the heading is given by its sine and cosine."""
    if free.size == 0:
        return True
    for k in range(1, SAMPLES_PER_STEP + 1):
        fraction = k / SAMPLES_PER_STEP
        if not is_free(west, south, cell_size, free, x + fraction * sine, y + fraction * cosine):
            return False
    return True


@jit
def _free_at(west: float, south: float, cell_size: float, free: Array, x: Array, y: Array) -> Array:
    flags = np.zeros(len(x), np.bool_)
    for k in range(len(x)):
        flags[k] = is_free(west, south, cell_size, free, x[k], y[k])
    return flags


@jit
def _advance(
    west: float, south: float, cell_size: float, free: Array, x: Array, y: Array, heading: Array
) -> tuple[Array, Array, Array]:
    to_x, to_y, moved = x.copy(), y.copy(), np.zeros(len(x), np.bool_)
    for k in range(len(x)):
        sine, cosine = sin(radians(heading[k])), cos(radians(heading[k]))
        if can_step(west, south, cell_size, free, x[k], y[k], sine, cosine):
            to_x[k], to_y[k], moved[k] = x[k] + sine, y[k] + cosine, True
    return to_x, to_y, moved
