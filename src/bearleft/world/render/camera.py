"""Cameras: poses, lenses and projections."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, format_value
from bearleft.runtime.json_fields import is_integer, is_number
from bearleft.world.render.shading import PANORAMA, VIEW

MAX_SIZE = 16384  # pixels per side
Floats32 = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Lens:
    """Size and projection of a picture: `fov` degrees across, or None for an equirectangular panorama."""

    width: int
    height: int
    fov: float | None = 90.0

    def __post_init__(self) -> None:
        for name, value in (("width", self.width), ("height", self.height)):
            if not is_integer(value) or not 1 <= value <= MAX_SIZE:
                raise InputError(f"a {name} from 1 to {MAX_SIZE} pixels", format_value(value), name)
        if self.fov is not None and not (is_number(self.fov) and 0 < self.fov < 180):
            raise InputError("a field of view between 0 and 180 degrees", format_value(self.fov), "fov")

    @property
    def code(self) -> int:
        """Return the kernels' code of the projection."""
        return PANORAMA if self.fov is None else VIEW

    @property
    def pixel(self) -> float:
        """Return the angle of a pixel at the centre of the picture, in radians."""
        if self.fov is None:
            return 2 * np.pi / self.width
        return float(2 * np.tan(np.radians(self.fov) / 2) / self.width)


def view(width: int, height: int, fov: float = 90.0) -> Lens:
    """Return the lens of a perspective picture."""
    return Lens(width, height, fov)


def panorama(width: int, height: int | None = None) -> Lens:
    """Return the lens of an equirectangular picture, by default half as high as wide; the heading is in its centre."""
    return Lens(width, width // 2 if height is None else height, None)


def poses(
    positions: npt.ArrayLike, headings: npt.ArrayLike = 0.0, pitches: npt.ArrayLike = 0.0, rolls: npt.ArrayLike = 0.0
) -> Floats32:
    """Return rows of east, north, up (metres), heading, pitch, roll (degrees)."""
    points = np.asarray(positions, np.float64).reshape(-1, 3)
    rows = np.empty((len(points), 6), np.float32)
    rows[:, :3] = points
    for column, angles in enumerate((headings, pitches, rolls), 3):
        rows[:, column] = np.asarray(angles, np.float64)
    return rows


def cube(position_: npt.ArrayLike, heading: float = 0.0) -> Floats32:
    """Return six poses at one position for a square lens of 90 degrees: ahead, right, back, left, up, down."""
    position = np.asarray(position_, np.float64).reshape(3)
    cube_headings, pitches = np.array([0, 90, 180, 270, 0, 0]) + heading, np.array([0, 0, 0, 0, 90, -90])
    return poses(np.tile(position, (6, 1)), cube_headings, pitches)


def cameras(pose_rows: npt.ArrayLike, lens: Lens) -> Floats32:
    """Return the kernels' form of poses: position, and world vectors right, down and ahead (times focal length)."""
    rows = np.asarray(pose_rows, np.float64)
    if rows.ndim != 2 or rows.shape[1] != 6:
        raise InputError("poses as rows of east, north, up, heading, pitch, roll", f"an array of shape {rows.shape}")
    if not np.isfinite(rows).all():
        raise InputError("finite poses", "NaN or infinity")
    heading, pitch, roll = np.radians(rows[:, 3:]).T
    zero = np.zeros(len(rows))
    ahead = np.column_stack([np.sin(heading) * np.cos(pitch), np.cos(heading) * np.cos(pitch), np.sin(pitch)])
    level = np.column_stack([np.cos(heading), -np.sin(heading), zero])
    down = np.cross(ahead, level)
    c, s = np.cos(roll)[:, None], np.sin(roll)[:, None]
    focal = 1.0 if lens.fov is None else lens.width / 2 / np.tan(np.radians(lens.fov) / 2)
    # The batched form of `geometry.View.axes`.
    return np.column_stack([rows[:, :3], c * level + s * down, c * down - s * level, focal * ahead]).astype(np.float32)
