"""Eight perspective slices around a place, and the cells that a network makes of them (Touchdown, appendix D).

Slices of 460 x 800 pixels and 45 degrees stand side by side, the panorama's `yaw` between the fourth and the fifth. A
cell is 8 pixels a side: 58 x 100 in a slice, 464 x 100 in all. Cells become directions through the slices' projection;
`released` is the papers' own reckoning instead, in which rows are linear in pitch over the whole sphere. The paper's
slices end at a pitch of about 36 degrees; `tall` ones are twice as high and reach 53 degrees at every heading.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, unknown
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

    @property
    def reach(self) -> float:
        """The highest pitch that slices show at every heading, in degrees; they show more in their middles."""
        corner = np.hypot(self.width / 2, self.focal)
        return float(np.degrees(np.arctan2(self.height / 2, corner)))

    @property
    def name(self) -> str:
        """One of SLICINGS, or the size in pixels."""
        for name, known in SLICINGS.items():
            if known == self:
                return name
        return f"{self.width}x{self.height}" + (" released" if self.released else "")

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
        """Whether directions have a cell. Under `released` all do, also those that no slice shows."""
        row, _ = self.cells(heading, pitch)
        return (row >= 0) & (row < self.rows)

    def shows(self, heading: npt.ArrayLike, pitch: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Whether directions lie in the pictures, however cells are reckoned."""
        return replace(self, released=False).inside(heading, pitch)


PAPER = Slicing()
RELEASED = Slicing(released=True)
TALL = Slicing(height=1600)
SLICINGS = {"paper": PAPER, "released": RELEASED, "tall": TALL}
TALL_REACH = 50.0  # degrees that slices of any size must show to be called tall
REFER360 = ("refer360/", "city/refer360/")  # datasets whose targets lie anywhere up to 45 degrees, and some beyond


def default_slicing(datasets: Iterable[str]) -> Slicing:
    """Return the slicing that datasets get unless another is named: TALL if one of them is Refer360, else PAPER."""
    return TALL if any(name.startswith(REFER360) for name in datasets) else PAPER


def slicing_named(name: str, size: tuple[int, int] | None = None) -> Slicing:
    """Return one of SLICINGS, with slices of another size in pixels if `size` (width, height) is given.

    Raise InputError for an unknown name, or if `tall` slices of this size would show less than 50 degrees of pitch.
    """
    if name not in SLICINGS:
        raise unknown("slicing", name, SLICINGS)
    slicing = SLICINGS[name]
    if size is None:
        return slicing
    sized = replace(slicing, width=size[0], height=size[1])
    if slicing is TALL and sized.reach < TALL_REACH:
        lowest = 2 * np.hypot(sized.width / 2, sized.focal) * np.tan(np.radians(TALL_REACH))
        got = f"{sized.width}x{sized.height}, which reaches {sized.reach:.1f}"
        hint = f"Type --size {sized.width}x{int(np.ceil(lowest / CELL)) * CELL}"
        raise InputError(f"tall slices that reach {TALL_REACH:g} degrees of pitch", got, "size", hint=hint)
    return sized
