"""Directions, pixels and distances on the sphere; all functions accept numbers and arrays.

Vectors are east, north, up. An equirectangular image of `width` x `height` pixels has heading `yaw` in its middle
column and the horizon in its middle row; x grows to the right (clockwise), y down. Pixel coordinates are continuous:
the image spans [0, width] x [0, height], and the centre of the first pixel is (0.5, 0.5).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, format_value
from bearleft.records import Direction

Floats = npt.NDArray[np.float64]
EARTH_RADIUS = 6_371_008.8  # metres, the mean radius


def turn(start: npt.ArrayLike, end: npt.ArrayLike) -> Floats:
    """Return the signed turn from heading `start` to heading `end` in [-180, 180); positive is clockwise."""
    clockwise: Floats = (np.asarray(end, float) - np.asarray(start, float) + 180.0) % 360.0
    return clockwise - 180.0


def unit_vectors(heading: npt.ArrayLike, pitch: npt.ArrayLike) -> Floats:
    """Return unit vectors (..., 3) of directions in degrees."""
    azimuth, elevation = np.radians(np.asarray(heading, float)), np.radians(np.asarray(pitch, float))
    azimuth, elevation = np.broadcast_arrays(azimuth, elevation)
    return np.stack(
        [np.sin(azimuth) * np.cos(elevation), np.cos(azimuth) * np.cos(elevation), np.sin(elevation)], axis=-1
    )


def vector_angles(vectors: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Return the headings in [0, 360) and the pitches of vectors of any length; vertical ones have heading 0."""
    v = np.asarray(vectors, float)
    horizontal = np.hypot(v[..., 0], v[..., 1])
    heading = np.degrees(np.arctan2(v[..., 0], v[..., 1])) % 360.0
    heading = np.where((heading == 360.0) | (horizontal == 0.0), 0.0, heading)
    return heading, np.degrees(np.arctan2(v[..., 2], horizontal))


def angular_distance(
    heading: npt.ArrayLike, pitch: npt.ArrayLike, other_heading: npt.ArrayLike, other_pitch: npt.ArrayLike
) -> Floats:
    """Return the degrees between directions along the great circle."""
    a, b = np.radians(np.asarray(pitch, float)), np.radians(np.asarray(other_pitch, float))
    difference = np.radians(np.asarray(heading, float) - np.asarray(other_heading, float))
    # The haversine keeps its precision for small angles, where an arc cosine loses half its digits.
    h = np.sin((a - b) / 2) ** 2 + np.cos(a) * np.cos(b) * np.sin(difference / 2) ** 2
    degrees: Floats = np.degrees(2 * np.arcsin(np.sqrt(np.clip(h, 0.0, 1.0))))
    return degrees


def angle_between(first: Direction, second: Direction) -> float:
    """Return the degrees between two directions along the great circle."""
    return float(angular_distance(first.heading, first.pitch, second.heading, second.pitch))


def to_equirectangular(
    heading: npt.ArrayLike, pitch: npt.ArrayLike, width: float, height: float, yaw: npt.ArrayLike = 0.0
) -> tuple[Floats, Floats]:
    """Return the pixels (x, y) of directions in an equirectangular image.

    Args:
        heading: Headings in degrees.
        pitch: Pitches in degrees.
        width: The width of the image; x is in [0, width).
        height: The height of the image.
        yaw: The heading of the middle column.
    """
    x = (turn(yaw, heading) / 360.0 + 0.5) * width
    return x, (90.0 - np.asarray(pitch, float)) / 180.0 * height


def from_equirectangular(
    x: npt.ArrayLike, y: npt.ArrayLike, width: float, height: float, yaw: npt.ArrayLike = 0.0
) -> tuple[Floats, Floats]:
    """Return the headings and pitches of pixels of an equirectangular image.

    Args:
        x: Columns.
        y: Rows.
        width: The width of the image.
        height: The height of the image.
        yaw: The heading of the middle column.
    """
    heading = (np.asarray(yaw, float) + 360.0 * (np.asarray(x, float) / width - 0.5)) % 360.0
    return np.where(heading == 360.0, 0.0, heading), 90.0 - 180.0 * np.asarray(y, float) / height


@dataclass(frozen=True)
class View:
    """A perspective camera.

    Attributes:
        look: The direction of the optical axis.
        width: The width of the image in pixels.
        height: The height of the image in pixels.
        fov: The horizontal field of view in degrees.
        roll: The clockwise rotation about the optical axis in degrees.
    """

    look: Direction
    width: int
    height: int
    fov: float = 90.0
    roll: float = 0.0

    def __post_init__(self) -> None:
        if not 0 < self.fov < 180:
            raise InputError("a field of view between 0 and 180 degrees", format_value(self.fov), "fov")
        if self.width < 1 or self.height < 1:
            raise InputError("a picture of at least 1 x 1 pixels", f"{self.width} x {self.height}", "width")

    @property
    def focal(self) -> float:
        """Return the focal length in pixels."""
        return float(self.width / 2 / np.tan(np.radians(self.fov) / 2))

    @property
    def axes(self) -> Floats:
        """Return the world vectors of the image's axes as rows: right, down, ahead."""
        ahead = unit_vectors(self.look.heading, self.look.pitch)
        level = unit_vectors(self.look.heading + 90.0, 0.0)
        down = np.cross(ahead, level)
        c, s = np.cos(np.radians(self.roll)), np.sin(np.radians(self.roll))
        # A camera rolled clockwise has its right-hand side lowered.
        return np.stack([c * level + s * down, c * down - s * level, ahead])

    def pixel(self, heading: npt.ArrayLike, pitch: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Return the pixels (x, y) of directions; NaN for directions behind the camera."""
        right, down, ahead = np.moveaxis(unit_vectors(heading, pitch) @ self.axes.T, -1, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = np.where(ahead > 1e-12, self.focal / ahead, np.nan)
            return self.width / 2 + right * scale, self.height / 2 + down * scale

    def direction(self, x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Return the headings and pitches of pixels."""
        x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
        rays = np.stack([x - self.width / 2, y - self.height / 2, np.full(x.shape, self.focal)], axis=-1)
        return vector_angles(rays @ self.axes)

    def sees(self, heading: npt.ArrayLike, pitch: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Return whether directions fall inside the image."""
        x, y = self.pixel(heading, pitch)
        with np.errstate(invalid="ignore"):
            return (x >= 0) & (x <= self.width) & (y >= 0) & (y <= self.height)


def from_lat_lng(latitude: npt.ArrayLike, longitude: npt.ArrayLike, origin: tuple[float, float]) -> Floats:
    """Return positions (n, 3) in metres east and north of `origin`, up 0; accurate over the extent of a city.

    Args:
        latitude: Latitudes in degrees.
        longitude: Longitudes in degrees.
        origin: The latitude and longitude of the local origin.
    """
    lat, lng = np.asarray(latitude, float), np.asarray(longitude, float)
    north = EARTH_RADIUS * np.radians(lat - origin[0])
    east = EARTH_RADIUS * np.cos(np.radians(origin[0])) * np.radians(lng - origin[1])
    return np.stack([east, north, np.zeros_like(east)], axis=-1)


def to_lat_lng(positions: npt.ArrayLike, origin: tuple[float, float]) -> tuple[Floats, Floats]:
    """Return the latitudes and longitudes of local positions: the inverse of `from_lat_lng`."""
    p = np.asarray(positions, float)
    lat = origin[0] + np.degrees(p[..., 1] / EARTH_RADIUS)
    lng = origin[1] + np.degrees(p[..., 0] / (EARTH_RADIUS * np.cos(np.radians(origin[0]))))
    return lat, lng
