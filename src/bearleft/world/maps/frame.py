"""The region that a map shows, and clipping to it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, format_value

if TYPE_CHECKING:
    from bearleft.types import Floats


XY = tuple[float, float]
Box = tuple[float, float, float, float]  # west, south, east, north

MIN_SIZE, MAX_SIZE = 16, 4096  # pixels per side
MIN_RADIUS, MAX_RADIUS = 0.5, 100_000.0  # metres from the centre to the nearer edge
REFERENCE_SIZE = 900.0  # pixels per side at which text has its nominal size


@dataclass(frozen=True)
class MapExtent:
    """The ground that a map shows, centred at (east, north) with north up, and its `width` x `height` in pixels.

    `radius` is the metres from its centre to the nearer edge.
    """

    east: float
    north: float
    radius: float
    width: int = 1024
    height: int = 1024

    def __post_init__(self) -> None:
        if not np.isfinite([self.east, self.north]).all():
            raise InputError("a centre in metres", f"{self.east}, {self.north}", "at")
        if not MIN_RADIUS <= self.radius <= MAX_RADIUS:
            expected = f"a radius from {MIN_RADIUS:g} to {MAX_RADIUS:g} metres"
            raise InputError(expected, format_value(self.radius), "radius")
        for side in (self.width, self.height):
            if not MIN_SIZE <= side <= MAX_SIZE:
                raise InputError(f"a picture of {MIN_SIZE} to {MAX_SIZE} pixels a side", format_value(side), "size")

    @classmethod
    def around(cls, points: npt.ArrayLike, margin: float, width: int = 1024, height: int = 1024) -> MapExtent:
        """Return the extent that shows points, with a margin in metres."""
        points_ = np.asarray(points, float).reshape(-1, 2)
        low, high = points_.min(axis=0), points_.max(axis=0)
        east, north = (low + high) / 2
        half_width, half_height = (high - low) / 2 + margin
        shorter_side = max(min(width, height), 1)
        radius = max(half_width * shorter_side / max(width, 1), half_height * shorter_side / max(height, 1), MIN_RADIUS)
        return cls(float(east), float(north), float(radius), width, height)

    @cached_property
    def scale(self) -> float:
        """Return pixels per metre."""
        return min(self.width, self.height) / (2 * self.radius)

    @cached_property
    def unit(self) -> float:
        """Return a reference pixel in metres: sizes for the eye grow with the picture."""
        return min(max(min(self.width, self.height) / REFERENCE_SIZE, 0.85), 2.5) / self.scale

    @cached_property
    def detail(self) -> float:
        """Return reference pixels per metre: the larger, the more details are drawn."""
        return 1.0 / self.unit

    @cached_property
    def box(self) -> Box:
        """Return the west, south, east and north edge in metres."""
        half_width, half_height = self.width / self.scale / 2, self.height / self.scale / 2
        return self.east - half_width, self.north - half_height, self.east + half_width, self.north + half_height

    def pixels(self, points: npt.ArrayLike) -> Floats:
        """Return the pixels (x to the right, y down) of points (n, 2) in metres."""
        west, _, _, north = self.box
        return np.asarray((np.asarray(points, float) - (west, north)) * (self.scale, -self.scale), float)

    def metres(self, pixels: npt.ArrayLike) -> Floats:
        """Return the points in metres of pixels."""
        west, _, _, north = self.box
        return np.asarray(np.asarray(pixels, float) / (self.scale, -self.scale) + (west, north), float)


def expand(box: Box, margin: float) -> Box:
    """Return a box grown by a margin in metres."""
    return box[0] - margin, box[1] - margin, box[2] + margin, box[3] + margin


def contains(box: Box, points: npt.ArrayLike) -> bool:
    """Return whether all points lie in a box."""
    points_ = np.asarray(points, float).reshape(-1, 2)
    return bool((points_ >= box[:2]).all() and (points_ <= box[2:]).all())


def clip_polygon(ring: Sequence[XY], box: Box) -> list[XY]:
    """Clip a polygon to a box (Sutherland and Hodgman); empty where no area is left."""
    points = list(ring)
    for axis, sign, edge in ((0, 1, box[0]), (1, 1, box[1]), (0, -1, box[2]), (1, -1, box[3])):
        kept: list[XY] = []
        for k, point in enumerate(points):
            previous = points[k - 1]
            distance, previous_distance = sign * (point[axis] - edge), sign * (previous[axis] - edge)
            if (distance >= 0) != (previous_distance >= 0):
                share = previous_distance / (previous_distance - distance)
                crossing = [
                    previous[0] + share * (point[0] - previous[0]),
                    previous[1] + share * (point[1] - previous[1]),
                ]
                crossing[axis] = edge
                kept.append((crossing[0], crossing[1]))
            if distance >= 0:
                kept.append(point)
        points = kept
    return points if len(points) > 2 else []


def clip_line(line: Sequence[XY], box: Box) -> list[list[XY]]:
    """Return the parts of a line that lie in a box."""
    runs: list[list[XY]] = []
    for begin, end in itertools.pairwise(line):
        first, last = 0.0, 1.0
        for axis in (0, 1):
            delta = end[axis] - begin[axis]
            low, high = box[axis] - begin[axis], box[axis + 2] - begin[axis]
            if delta == 0:
                if low > 0 or high < 0:
                    last = -1.0
                continue
            enter, leave = sorted((low / delta, high / delta))
            first, last = max(first, enter), min(last, leave)
        if first > last:
            continue
        start = begin if first == 0 else _interpolate(begin, end, first)
        stop = end if last == 1 else _interpolate(begin, end, last)
        if runs and runs[-1][-1] == start:
            runs[-1].append(stop)
        else:
            runs.append([start, stop])
    return runs


def _interpolate(begin: XY, end: XY, share: float) -> XY:
    return begin[0] + share * (end[0] - begin[0]), begin[1] + share * (end[1] - begin[1])
