"""Occupancy raster of the city's ground, in cells of a quarter of a metre.

A rectangle has a centre `at`, a direction `facing` (of length plan.DIRECTION_SCALE), and `half`: half its width across
that direction and half its length along it, in millimetres. Compiled functions take it as a row (x, y, ux, uy, hx, hy).
It covers the cells whose centres lie inside it, so rectangles that only touch share no cell. Half sizes below
MIN_HALF_SIZE count as MIN_HALF_SIZE.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.runtime.compiled import jit

# Bits of a cell: what covers it. WALK is sidewalk, CAMERA the clearance around places, from which panoramas are taken,
# and OVERHEAD a bridge.
ROAD, WALK, CROSSING, CAMERA, BUILDING, THING, PARK, OVERHEAD = 1, 2, 4, 8, 16, 32, 64, 128
ALL = 255
CELL_SIZE = 250  # millimetres
MIN_HALF_SIZE = 180  # millimetres
MAX_CELLS = 2**31

Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]
# Points or directions (east, north), or half sizes (width, length); each a column or a number, which is broadcast.
Pair = tuple[npt.ArrayLike, npt.ArrayLike]


class Raster(NamedTuple):
    """One byte of bits per cell, `cells[row, column]`; the lower left corner is (x0, y0).

    A NamedTuple can be passed to compiled functions.
    """

    x0: int
    y0: int
    cells: Bytes

    @classmethod
    def covering(cls, x: npt.ArrayLike, y: npt.ArrayLike, margin: int = 80_000) -> Raster:
        """Return an empty raster of everything within `margin` millimetres of the points' bounding box."""
        xs, ys = np.asarray(x, np.int64), np.asarray(y, np.int64)
        x0, y0 = int(xs.min()) - margin, int(ys.min()) - margin
        columns, rows = (int(xs.max()) + margin - x0) // CELL_SIZE + 1, (int(ys.max()) + margin - y0) // CELL_SIZE + 1
        if columns * rows > MAX_CELLS:
            expected = f"a city of at most {MAX_CELLS * CELL_SIZE * CELL_SIZE / 1e12:.0f} square kilometres"
            raise InputError(expected, f"{columns * CELL_SIZE / 1e6:.1f} x {rows * CELL_SIZE / 1e6:.1f} km")
        return cls(x0, y0, np.zeros((rows, columns), np.uint8))

    def mark(self, at: Pair, facing: Pair, half: Pair, bit: int) -> None:
        """Set `bit` under every rectangle."""
        _mark(self, _columns(*at, *facing, *half), np.uint8(bit))

    def covers(self, at: Pair, facing: Pair, half: Pair) -> Bytes:
        """Return all bits under each rectangle; ALL where it extends beyond the raster."""
        return _covers(self, _columns(*at, *facing, *half))

    def place(self, at: Pair, facing: Pair, half: Pair, avoid: int, bit: int) -> Flags:
        """Mark each rectangle in turn with `bit` if nothing in `avoid` is under it; return which were marked."""
        rectangles = _columns(*at, *facing, *half)
        return _place(self, rectangles, np.uint8(avoid), np.uint8(bit))

    def mark_disc(self, x: npt.ArrayLike, y: npt.ArrayLike, radius: npt.ArrayLike, bit: int) -> None:
        """Set `bit` within `radius` of every point."""
        _disc(self, _columns(x, y, radius), np.uint8(bit))

    def at(self, x: npt.ArrayLike, y: npt.ArrayLike) -> Bytes:
        """Return the bits of the cell at each point; ALL outside."""
        column, row = (np.asarray(x, np.int64) - self.x0) // CELL_SIZE, (np.asarray(y, np.int64) - self.y0) // CELL_SIZE
        rows, columns = self.cells.shape
        inside = (column >= 0) & (column < columns) & (row >= 0) & (row < rows)
        bits = self.cells[np.where(inside, row, 0), np.where(inside, column, 0)]
        return np.asarray(np.where(inside, bits, ALL), np.uint8)


def _columns(*values: npt.ArrayLike) -> Integers:
    """Stack columns into one row per rectangle; scalars are broadcast."""
    columns = np.broadcast_arrays(*(np.asarray(value, np.int64) for value in values))
    return np.ascontiguousarray(np.stack([np.atleast_1d(column) for column in columns], axis=-1))


@jit
def _bounds(ground: Raster, rectangle: Integers) -> tuple[int, int, int, int]:
    """Return the first and last column and row that a rectangle may touch."""
    hx, hy = max(rectangle[4], MIN_HALF_SIZE), max(rectangle[5], MIN_HALF_SIZE)
    half_width = (hy * abs(rectangle[2]) + hx * abs(rectangle[3])) // 1_000_000 + 1
    half_height = (hy * abs(rectangle[3]) + hx * abs(rectangle[2])) // 1_000_000 + 1
    x, y = rectangle[0] - ground.x0, rectangle[1] - ground.y0
    return (
        (x - half_width) // CELL_SIZE,
        (x + half_width) // CELL_SIZE,
        (y - half_height) // CELL_SIZE,
        (y + half_height) // CELL_SIZE,
    )


@jit
def bits_under(ground: Raster, rectangle: Integers, stop: int | np.uint8) -> int:
    """Return the bits under a rectangle; stop early once a bit of `stop` is found."""
    left, right, low, high = _bounds(ground, rectangle)
    if left < 0 or low < 0 or right >= ground.cells.shape[1] or high >= ground.cells.shape[0]:
        return ALL
    ux, uy = rectangle[2], rectangle[3]
    across, ahead = max(rectangle[4], MIN_HALF_SIZE) * 1_000_000, max(rectangle[5], MIN_HALF_SIZE) * 1_000_000
    bits = 0
    for row in range(low, high + 1):
        dy = ground.y0 + row * CELL_SIZE + CELL_SIZE // 2 - rectangle[1]
        for column in range(left, right + 1):
            dx = ground.x0 + column * CELL_SIZE + CELL_SIZE // 2 - rectangle[0]
            if abs(dx * uy - dy * ux) < across and abs(dx * ux + dy * uy) < ahead:
                bits |= int(ground.cells[row, column])
                if bits & stop:
                    return bits
    return bits


@jit
def set_bits(ground: Raster, rectangle: Integers, bit: int | np.uint8) -> None:
    """Set a bit under the part of a rectangle that lies inside the raster."""
    left, right, low, high = _bounds(ground, rectangle)
    left, low = max(left, 0), max(low, 0)
    right, high = min(right, ground.cells.shape[1] - 1), min(high, ground.cells.shape[0] - 1)
    ux, uy = rectangle[2], rectangle[3]
    across, ahead = max(rectangle[4], MIN_HALF_SIZE) * 1_000_000, max(rectangle[5], MIN_HALF_SIZE) * 1_000_000
    for row in range(low, high + 1):
        dy = ground.y0 + row * CELL_SIZE + CELL_SIZE // 2 - rectangle[1]
        for column in range(left, right + 1):
            dx = ground.x0 + column * CELL_SIZE + CELL_SIZE // 2 - rectangle[0]
            if abs(dx * uy - dy * ux) < across and abs(dx * ux + dy * uy) < ahead:
                ground.cells[row, column] |= np.uint8(bit)


@jit
def _mark(ground: Raster, rectangles: Integers, bit: np.uint8) -> None:
    for k in range(len(rectangles)):
        set_bits(ground, rectangles[k], bit)


@jit
def _covers(ground: Raster, rectangles: Integers) -> Bytes:
    bits = np.zeros(len(rectangles), np.uint8)
    for k in range(len(rectangles)):
        bits[k] = bits_under(ground, rectangles[k], 0)
    return bits


@jit
def _place(ground: Raster, rectangles: Integers, avoid: np.uint8, bit: np.uint8) -> Flags:
    is_placed = np.zeros(len(rectangles), np.bool_)
    for k in range(len(rectangles)):
        if not bits_under(ground, rectangles[k], avoid) & avoid:
            set_bits(ground, rectangles[k], bit)
            is_placed[k] = True
    return is_placed


@jit
def _disc(ground: Raster, discs: Integers, bit: np.uint8) -> None:
    for k in range(len(discs)):
        x, y, radius = discs[k]
        low, high = (y - radius - ground.y0) // CELL_SIZE, (y + radius - ground.y0) // CELL_SIZE
        left, right = (x - radius - ground.x0) // CELL_SIZE, (x + radius - ground.x0) // CELL_SIZE
        for row in range(max(low, 0), min(high + 1, ground.cells.shape[0])):
            dy = ground.y0 + row * CELL_SIZE + CELL_SIZE // 2 - y
            for column in range(max(left, 0), min(right + 1, ground.cells.shape[1])):
                dx = ground.x0 + column * CELL_SIZE + CELL_SIZE // 2 - x
                if dx * dx + dy * dy < radius * radius:
                    ground.cells[row, column] |= np.uint8(bit)
