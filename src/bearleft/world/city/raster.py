"""What lies where on the city's ground, in cells of a quarter of a metre: asked before anything is put down.

A rectangle is (x, y, ux, uy, hx, hy): its middle, the direction it faces (length plan.UNIT), half its width across that
direction and half its length along it, all in millimetres. It covers the cells whose middles lie inside it, so
rectangles that only touch share no cell; halves below THIN count as THIN, so that nothing is too small to be noticed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.runtime.compiled import jit

ROAD, WALK, CROSSING, CAMERA, BUILDING, THING, PARK, OVERHEAD = 1, 2, 4, 8, 16, 32, 64, 128
ALL = 255
CELL_SIZE = 250
MIN_HALF_SIZE = 180
MAX_CELLS = 2**31  # cells

Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]


@dataclass(eq=False)
class Raster:
    """One byte of bits per cell, `cells[row, column]`; its lower left corner is (x0, y0)."""

    x0: int
    y0: int
    cells: Bytes

    @classmethod
    def over(cls, x: npt.ArrayLike, y: npt.ArrayLike, margin: int = 80_000) -> Raster:
        """An empty raster of everything within `margin` millimetres of the points' bounding box."""
        xs, ys = np.asarray(x, np.int64), np.asarray(y, np.int64)
        x0, y0 = int(xs.min()) - margin, int(ys.min()) - margin
        columns, rows = (int(xs.max()) + margin - x0) // CELL_SIZE + 1, (int(ys.max()) + margin - y0) // CELL_SIZE + 1
        if columns * rows > MAX_CELLS:
            expected = f"a city of at most {MAX_CELLS * CELL_SIZE * CELL_SIZE / 1e12:.0f} square kilometres"
            raise InputError(expected, f"{columns * CELL_SIZE / 1e6:.1f} x {rows * CELL_SIZE / 1e6:.1f} km")
        return cls(x0, y0, np.zeros((rows, columns), np.uint8))

    def mark(
        self,
        x: npt.ArrayLike,
        y: npt.ArrayLike,
        ux: npt.ArrayLike,
        uy: npt.ArrayLike,
        hx: npt.ArrayLike,
        hy: npt.ArrayLike,
        bit: int,
    ) -> None:
        """Sets `bit` under every rectangle."""
        _mark(self.cells, self.x0, self.y0, _columns(x, y, ux, uy, hx, hy), np.uint8(bit))

    def covers(
        self,
        x: npt.ArrayLike,
        y: npt.ArrayLike,
        ux: npt.ArrayLike,
        uy: npt.ArrayLike,
        hx: npt.ArrayLike,
        hy: npt.ArrayLike,
    ) -> Bytes:
        """All bits that lie under each rectangle; ALL where it reaches beyond the raster."""
        return _covers(self.cells, self.x0, self.y0, _columns(x, y, ux, uy, hx, hy))

    def place(
        self,
        x: npt.ArrayLike,
        y: npt.ArrayLike,
        ux: npt.ArrayLike,
        uy: npt.ArrayLike,
        hx: npt.ArrayLike,
        hy: npt.ArrayLike,
        avoid: int,
        bit: int,
    ) -> Flags:
        """One after another: where nothing of `avoid` lies under a rectangle, it is marked with `bit` and True."""
        rectangles = _columns(x, y, ux, uy, hx, hy)
        return _place(self.cells, self.x0, self.y0, rectangles, np.uint8(avoid), np.uint8(bit))

    def disc(self, x: npt.ArrayLike, y: npt.ArrayLike, radius: npt.ArrayLike, bit: int) -> None:
        """Sets `bit` within `radius` of every point."""
        _disc(self.cells, self.x0, self.y0, _columns(x, y, radius), np.uint8(bit))

    def at(self, x: npt.ArrayLike, y: npt.ArrayLike) -> Bytes:
        """The bits of the cell at each point; ALL outside."""
        column, row = (np.asarray(x, np.int64) - self.x0) // CELL_SIZE, (np.asarray(y, np.int64) - self.y0) // CELL_SIZE
        rows, columns = self.cells.shape
        inside = (column >= 0) & (column < columns) & (row >= 0) & (row < rows)
        bits = self.cells[np.where(inside, row, 0), np.where(inside, column, 0)]
        return np.asarray(np.where(inside, bits, ALL), np.uint8)


def _columns(*values: npt.ArrayLike) -> Integers:
    """One row per rectangle; single numbers hold for all."""
    columns = np.broadcast_arrays(*(np.asarray(value, np.int64) for value in values))
    return np.ascontiguousarray(np.stack([np.atleast_1d(column) for column in columns], axis=-1))


@jit
def _bounds(x0: int, y0: int, one: Integers) -> tuple[int, int, int, int]:
    """First and last column and row that a rectangle may touch."""
    hx, hy = max(one[4], MIN_HALF_SIZE), max(one[5], MIN_HALF_SIZE)
    wide = (hy * abs(one[2]) + hx * abs(one[3])) // 1_000_000 + 1
    high = (hy * abs(one[3]) + hx * abs(one[2])) // 1_000_000 + 1
    x, y = one[0] - x0, one[1] - y0
    return (x - wide) // CELL_SIZE, (x + wide) // CELL_SIZE, (y - high) // CELL_SIZE, (y + high) // CELL_SIZE


@jit
def bits_under(cells: Bytes, x0: int, y0: int, one: Integers, stop: int | np.uint8) -> int:
    """The bits under a rectangle; no further once one of `stop` is found."""
    left, right, low, high = _bounds(x0, y0, one)
    if left < 0 or low < 0 or right >= cells.shape[1] or high >= cells.shape[0]:
        return ALL
    ux, uy = one[2], one[3]
    across, ahead = max(one[4], MIN_HALF_SIZE) * 1_000_000, max(one[5], MIN_HALF_SIZE) * 1_000_000
    bits = 0
    for row in range(low, high + 1):
        dy = y0 + row * CELL_SIZE + CELL_SIZE // 2 - one[1]
        for column in range(left, right + 1):
            dx = x0 + column * CELL_SIZE + CELL_SIZE // 2 - one[0]
            if abs(dx * uy - dy * ux) < across and abs(dx * ux + dy * uy) < ahead:
                bits |= int(cells[row, column])
                if bits & stop:
                    return bits
    return bits


@jit
def set_bits(cells: Bytes, x0: int, y0: int, one: Integers, bit: int | np.uint8) -> None:
    """Sets a bit under a rectangle, as far as it lies inside."""
    left, right, low, high = _bounds(x0, y0, one)
    left, low = max(left, 0), max(low, 0)
    right, high = min(right, cells.shape[1] - 1), min(high, cells.shape[0] - 1)
    ux, uy = one[2], one[3]
    across, ahead = max(one[4], MIN_HALF_SIZE) * 1_000_000, max(one[5], MIN_HALF_SIZE) * 1_000_000
    for row in range(low, high + 1):
        dy = y0 + row * CELL_SIZE + CELL_SIZE // 2 - one[1]
        for column in range(left, right + 1):
            dx = x0 + column * CELL_SIZE + CELL_SIZE // 2 - one[0]
            if abs(dx * uy - dy * ux) < across and abs(dx * ux + dy * uy) < ahead:
                cells[row, column] |= np.uint8(bit)


@jit
def _mark(cells: Bytes, x0: int, y0: int, rectangles: Integers, bit: np.uint8) -> None:
    for k in range(len(rectangles)):
        set_bits(cells, x0, y0, rectangles[k], bit)


@jit
def _covers(cells: Bytes, x0: int, y0: int, rectangles: Integers) -> Bytes:
    found = np.zeros(len(rectangles), np.uint8)
    for k in range(len(rectangles)):
        found[k] = bits_under(cells, x0, y0, rectangles[k], 0)
    return found


@jit
def _place(cells: Bytes, x0: int, y0: int, rectangles: Integers, avoid: np.uint8, bit: np.uint8) -> Flags:
    stands = np.zeros(len(rectangles), np.bool_)
    for k in range(len(rectangles)):
        if not bits_under(cells, x0, y0, rectangles[k], avoid) & avoid:
            set_bits(cells, x0, y0, rectangles[k], bit)
            stands[k] = True
    return stands


@jit
def _disc(cells: Bytes, x0: int, y0: int, discs: Integers, bit: np.uint8) -> None:
    for k in range(len(discs)):
        x, y, radius = discs[k]
        for row in range(
            max((y - radius - y0) // CELL_SIZE, 0), min((y + radius - y0) // CELL_SIZE + 1, cells.shape[0])
        ):
            dy = y0 + row * CELL_SIZE + CELL_SIZE // 2 - y
            for column in range(
                max((x - radius - x0) // CELL_SIZE, 0), min((x + radius - x0) // CELL_SIZE + 1, cells.shape[1])
            ):
                dx = x0 + column * CELL_SIZE + CELL_SIZE // 2 - x
                if dx * dx + dy * dy < radius * radius:
                    cells[row, column] |= np.uint8(bit)
