"""Where one may walk: a raster of free cells, and steps of one metre on it.

A free cell is one that the middle of a body may lie on, so the body's radius is taken off already. A ground without
cells is open: nothing is in the way anywhere, as in the worlds of released files, whose obstacles nobody knows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import cos, floor, radians, sin
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.runtime.compiled import jit

Array = Any  # numpy's, as compiled code takes them
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
CELL_SIZE = 0.125  # metres
BODY_RADIUS = 0.25  # of a body
SAMPLES_PER_STEP = 8  # points of a step that must be free, the last where it ends


@dataclass(frozen=True, eq=False)
class WalkableGrid:
    """`free[i, j]` is the cell from (west + i side, south + j side) on, to east and north; outside none is free."""

    west: float = 0.0
    south: float = 0.0
    side: float = CELL_SIZE
    free: Flags = field(default_factory=lambda: np.zeros((0, 0), np.bool_))

    def free_at(self, x: npt.ArrayLike, y: npt.ArrayLike) -> Flags:
        """Whether one may stand at points."""
        east, north = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(y, np.float64))
        flags = _free_at(self.west, self.south, self.side, self.free, east.ravel(), north.ravel())
        return np.asarray(flags.reshape(east.shape), np.bool_)


UNOBSTRUCTED = WalkableGrid()


def step_forward(
    ground: WalkableGrid, x: npt.ArrayLike, y: npt.ArrayLike, headings: npt.ArrayLike
) -> tuple[Floats, Floats, Flags]:
    """One step of a metre for each of many (or one): where it leads, and whether it does.

    Who would pass over a cell that is not free stays where he is.
    """
    given = np.broadcast_arrays(*(np.asarray(one, np.float64) for one in (x, y, headings)))
    shape = given[0].shape
    east, north, heading = (one.ravel() for one in given)
    to_east, to_north, went = _advance(ground.west, ground.south, ground.side, ground.free, east, north, heading)
    return to_east.reshape(shape), to_north.reshape(shape), went.reshape(shape)


@jit
def is_free(west: float, south: float, side: float, free: Array, x: float, y: float) -> bool:
    """Whether one may stand at a point."""
    if free.size == 0:
        return True
    column, row = floor((x - west) / side), floor((y - south) / side)
    return bool(0 <= column < free.shape[0] and 0 <= row < free.shape[1] and free[column, row])


@jit
def can_step(
    west: float, south: float, side: float, free: Array, x: float, y: float, sine: float, cosine: float
) -> bool:
    """Whether nothing is in the way of a step of one metre along a heading, given by its sine and cosine."""
    if free.size == 0:
        return True
    for k in range(1, SAMPLES_PER_STEP + 1):
        part = k / SAMPLES_PER_STEP
        if not is_free(west, south, side, free, x + part * sine, y + part * cosine):
            return False
    return True


@jit
def _free_at(west: float, south: float, side: float, free: Array, x: Array, y: Array) -> Array:
    flags = np.zeros(len(x), np.bool_)
    for k in range(len(x)):
        flags[k] = is_free(west, south, side, free, x[k], y[k])
    return flags


@jit
def _advance(
    west: float, south: float, side: float, free: Array, x: Array, y: Array, heading: Array
) -> tuple[Array, Array, Array]:
    to_x, to_y, went = x.copy(), y.copy(), np.zeros(len(x), np.bool_)
    for k in range(len(x)):
        sine, cosine = sin(radians(heading[k])), cos(radians(heading[k]))
        if can_step(west, south, side, free, x[k], y[k], sine, cosine):
            to_x[k], to_y[k], went[k] = x[k] + sine, y[k] + cosine, True
    return to_x, to_y, went
