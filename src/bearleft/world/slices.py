"""Eight perspective slices of a panorama, and their map of cells (Touchdown, appendix D).

Slices of 460 x 800 pixels and 45 degrees are placed side by side; the panorama's `yaw` lies between the fourth and the
fifth. A cell has 8 x 8 pixels: 58 x 100 cells in a slice, 464 x 100 in total. Cells are mapped to directions by the
slices' perspective projection. With `released=True` rows are linear in pitch, as in Touchdown's code, over the whole
sphere. The paper's slices show pitches up to 34 degrees at every heading, and 36 in their middle columns; `tall` slices
are twice as high and show 53 degrees at every heading.

This module holds sizes and mappings only. `world/pictures.py` cuts slices from stored panoramas, and
`models/features/computed.py` renders or cuts them and encodes them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, unknown_name
from bearleft.world.render.camera import Lens, view

SLICE_COUNT = 8
SLICE_DEGREES = 360.0 / SLICE_COUNT
CELL_SIZE = 8  # pixels
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Slicing:
    """Size of slices and mapping of cells; smaller slices show the same directions with fewer cells."""

    width: int = 460
    height: int = 800
    released: bool = False  # rows and columns are linear in pitch and heading

    def __post_init__(self) -> None:
        for name, value in (("width", self.width), ("height", self.height)):
            if not CELL_SIZE <= value <= 8192:
                raise InputError(f"a slice of {CELL_SIZE} to 8192 pixels", str(value), name)

    @property
    def slice_columns(self) -> int:
        """Columns of cells in one slice."""
        return -(-self.width // CELL_SIZE)

    @property
    def rows(self) -> int:
        """Rows of the map of cells."""
        return -(-self.height // CELL_SIZE)

    @property
    def columns(self) -> int:
        """Columns of the map of cells, over all slices."""
        return SLICE_COUNT * self.slice_columns

    @property
    def lens(self) -> Lens:
        """Lens of a slice."""
        return view(self.width, self.height, SLICE_DEGREES)

    @property
    def focal_length(self) -> float:
        """Focal length in pixels."""
        return self.width / 2 / float(np.tan(np.radians(SLICE_DEGREES / 2)))

    @property
    def max_pitch(self) -> float:
        """Highest pitch in degrees that slices show at every heading; they show more in their middle columns."""
        corner = np.hypot(self.width / 2, self.focal_length)
        return float(np.degrees(np.arctan2(self.height / 2, corner)))

    @property
    def name(self) -> str:
        """Name in SLICINGS, or the size in pixels."""
        for name, slicing in SLICINGS.items():
            if slicing == self:
                return name
        return f"{self.width}x{self.height}" + (" released" if self.released else "")

    def headings(self, yaw: npt.ArrayLike) -> Floats:
        """Return the headings of the slices of panoramas, from left to right: (..., 8)."""
        middle = np.asarray(yaw, np.float64)[..., None]
        return (middle - 180.0 + SLICE_DEGREES / 2 + SLICE_DEGREES * np.arange(SLICE_COUNT)) % 360.0

    def to_directions(self, rows: npt.ArrayLike, columns: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Return the directions of points in the map of cells; row r + 0.5 is the middle of a cell.

        Args:
            rows: Rows, with fractions.
            columns: Columns, with fractions.

        Returns:
            Headings relative to the yaw (-180 to 180) and pitches, in degrees.
        """
        row, column = np.asarray(rows, np.float64), np.asarray(columns, np.float64)
        if self.released:
            return column / self.columns * 360.0 - 180.0, 90.0 - row / self.rows * 180.0
        slice_index = np.clip(np.floor(column / self.slice_columns), 0, SLICE_COUNT - 1)
        x = np.minimum((column - slice_index * self.slice_columns) * CELL_SIZE, self.width) - self.width / 2
        y = self.height / 2 - row * CELL_SIZE
        heading = -180.0 + SLICE_DEGREES * (slice_index + 0.5) + np.degrees(np.arctan2(x, self.focal_length))
        return heading, np.degrees(np.arctan2(y, np.hypot(x, self.focal_length)))

    def to_cells(self, heading: npt.ArrayLike, pitch: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Return the rows and columns, with fractions, of directions; rows may lie outside the map.

        Args:
            heading: Headings relative to the yaw, in degrees.
            pitch: Pitches in degrees.
        """
        from_left = (np.asarray(heading, np.float64) + 180.0) % 360.0
        pitches = np.asarray(pitch, np.float64)
        if self.released:
            return (90.0 - pitches) / 180.0 * self.rows, from_left / 360.0 * self.columns
        slice_index = np.minimum(np.floor(from_left / SLICE_DEGREES), SLICE_COUNT - 1)
        x = self.focal_length * np.tan(np.radians(from_left - SLICE_DEGREES * (slice_index + 0.5)))
        y = np.hypot(x, self.focal_length) * np.tan(np.radians(np.clip(pitches, -89.9, 89.9)))
        return (self.height / 2 - y) / CELL_SIZE, slice_index * self.slice_columns + (x + self.width / 2) / CELL_SIZE

    def has_cell(self, heading: npt.ArrayLike, pitch: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Return whether directions have a cell. With `released` all do, including those that no slice shows."""
        row, _ = self.to_cells(heading, pitch)
        return (row >= 0) & (row < self.rows)

    def is_visible(self, heading: npt.ArrayLike, pitch: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Return whether directions lie in the slices' pictures, with or without `released`."""
        return replace(self, released=False).has_cell(heading, pitch)


PAPER = Slicing()
RELEASED = Slicing(released=True)
TALL = Slicing(height=1600)
SLICINGS = {"paper": PAPER, "released": RELEASED, "tall": TALL}
MIN_TALL_PITCH = 50.0  # degrees that tall slices of any size must show at every heading
REFER360_PREFIXES = ("refer360/", "city/refer360/")  # datasets with targets at pitches up to 45 degrees, some beyond


def default_slicing(datasets: Iterable[str]) -> Slicing:
    """Return the default slicing of datasets: TALL if one of them is Refer360, else PAPER."""
    return TALL if any(name.startswith(REFER360_PREFIXES) for name in datasets) else PAPER


def get_slicing(name: str, size: tuple[int, int] | None = None) -> Slicing:
    """Return the slicing with a name of SLICINGS.

    Args:
        name: "paper", "released" or "tall".
        size: Width and height of slices in pixels, if not the default.

    Raises:
        InputError: The name is unknown, or `tall` slices of this size would show less than 50 degrees of pitch.
    """
    if name not in SLICINGS:
        raise unknown_name("slicing", name, SLICINGS)
    slicing = SLICINGS[name]
    if size is None:
        return slicing
    sized = replace(slicing, width=size[0], height=size[1])
    if slicing is TALL and sized.max_pitch < MIN_TALL_PITCH:
        min_height = 2 * np.hypot(sized.width / 2, sized.focal_length) * np.tan(np.radians(MIN_TALL_PITCH))
        got = f"{sized.width}x{sized.height}, which show {sized.max_pitch:.1f}"
        hint = f"Type --size {sized.width}x{int(np.ceil(min_height / CELL_SIZE)) * CELL_SIZE}"
        raise InputError(f"tall slices that show {MIN_TALL_PITCH:g} degrees of pitch", got, "size", hint=hint)
    return sized
