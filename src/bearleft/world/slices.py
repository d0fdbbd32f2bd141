"""Eight perspective slices around a place, and the cells that a network makes of them (Touchdown, appendix D).

Slices of 460 x 800 pixels and 45 degrees stand side by side, the panorama's `yaw` between the fourth and the fifth. A
cell is 8 pixels a side: 58 x 100 in a slice, 464 x 100 in all. Cells become directions through the slices' projection;
`released` is the papers' own reckoning instead, in which rows are linear in pitch over the whole sphere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.world.render.camera import Lens, view

SLICES = 8
TURN = 360.0 / SLICES
CELL = 8  # pixels of a slice
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Slicing:
    """How large slices are; smaller ones see the same directions with fewer cells."""

    width: int = 460
    height: int = 800
    released: bool = False  # rows and columns as shares of the equirectangular picture

    def __post_init__(self) -> None:
        for name, value in (("width", self.width), ("height", self.height)):
            if not CELL <= value <= 8192:
                raise InputError(f"a slice of {CELL} to 8192 pixels", str(value), name)

    @property
    def across(self) -> int:
        """Cells across one slice."""
        return -(-self.width // CELL)

    @property
    def rows(self) -> int:
        return -(-self.height // CELL)

    @property
    def columns(self) -> int:
        return SLICES * self.across

    @property
    def lens(self) -> Lens:
        """What takes a slice's picture."""
        return view(self.width, self.height, TURN)

    @property
    def focal(self) -> float:
        """Pixels from the eye to the picture."""
        return self.width / 2 / float(np.tan(np.radians(TURN / 2)))

    def headings(self, yaw: npt.ArrayLike) -> Floats:
        """Where slices of panoramas look, from left to right: (..., 8)."""
        middle = np.asarray(yaw, np.float64)[..., None]
        return (middle - 180.0 + TURN / 2 + TURN * np.arange(SLICES)) % 360.0

    def directions(self, rows: npt.ArrayLike, columns: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Heading from the yaw (-180 to 180) and pitch of spots in the map of cells; r + 0.5 is a cell's middle."""
        row, column = np.asarray(rows, np.float64), np.asarray(columns, np.float64)
        if self.released:
            return column / self.columns * 360.0 - 180.0, 90.0 - row / self.rows * 180.0
        which = np.clip(np.floor(column / self.across), 0, SLICES - 1)
        x = np.minimum((column - which * self.across) * CELL, self.width) - self.width / 2
        y = self.height / 2 - row * CELL
        heading = -180.0 + TURN * (which + 0.5) + np.degrees(np.arctan2(x, self.focal))
        return heading, np.degrees(np.arctan2(y, np.hypot(x, self.focal)))

    def cells(self, heading: npt.ArrayLike, pitch: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Rows and columns, with fractions, of directions (heading from the yaw); rows may lie outside the map."""
        around = (np.asarray(heading, np.float64) + 180.0) % 360.0
        up = np.asarray(pitch, np.float64)
        if self.released:
            return (90.0 - up) / 180.0 * self.rows, around / 360.0 * self.columns
        which = np.minimum(np.floor(around / TURN), SLICES - 1)
        x = self.focal * np.tan(np.radians(around - TURN * (which + 0.5)))
        y = np.hypot(x, self.focal) * np.tan(np.radians(np.clip(up, -89.9, 89.9)))
        return (self.height / 2 - y) / CELL, which * self.across + (x + self.width / 2) / CELL

    def inside(self, heading: npt.ArrayLike, pitch: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Whether directions lie in the slices."""
        row, _ = self.cells(heading, pitch)
        return (row >= 0) & (row < self.rows)


PAPER = Slicing()
