"""The region a map shows, and what of a shape lies in it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, shown
from bearleft.geometry import Floats

Spot = tuple[float, float]
Box = tuple[float, float, float, float]  # west, south, east, north

SMALLEST, LARGEST = 16, 4096  # pixels of a side
NEAREST, FARTHEST = 0.5, 100_000.0  # metres from the middle to the nearer edge
USUAL = 900.0  # pixels of a side at which words have their usual size


@dataclass(frozen=True)
class Frame:
    """A picture of `width` x `height` pixels around (east, north), north up.

    `reach` is how many metres it shows from its middle to the nearer edge.
    """

    east: float
    north: float
    reach: float
    width: int = 1024
    height: int = 1024

    def __post_init__(self) -> None:
        if not np.isfinite([self.east, self.north]).all():
            raise InputError("a middle in metres", f"{self.east}, {self.north}", "at")
        if not NEAREST <= self.reach <= FARTHEST:
            raise InputError(f"a reach from {NEAREST:g} to {FARTHEST:g} metres", shown(self.reach), "reach")
        for side in (self.width, self.height):
            if not SMALLEST <= side <= LARGEST:
                raise InputError(f"a picture of {SMALLEST} to {LARGEST} pixels a side", shown(side), "size")

    @classmethod
    def around(cls, points: npt.ArrayLike, margin: float, width: int = 1024, height: int = 1024) -> Frame:
        """The frame that shows points, with so many metres around them."""
        where = np.asarray(points, float).reshape(-1, 2)
        low, high = where.min(axis=0), where.max(axis=0)
        east, north = (low + high) / 2
        wide, high_ = (high - low) / 2 + margin
        short = max(min(width, height), 1)
        reach = max(wide * short / max(width, 1), high_ * short / max(height, 1), NEAREST)
        return cls(float(east), float(north), float(reach), width, height)

    @cached_property
    def scale(self) -> float:
        """Pixels in a metre."""
        return min(self.width, self.height) / (2 * self.reach)

    @cached_property
    def unit(self) -> float:
        """A usual pixel in metres: what is sized for the eye grows with the picture."""
        return min(max(min(self.width, self.height) / USUAL, 0.85), 2.5) / self.scale

    @cached_property
    def detail(self) -> float:
        """Usual pixels in a metre: the larger, the more is worth showing."""
        return 1.0 / self.unit

    @cached_property
    def box(self) -> Box:
        """West, south, east and north edge in metres."""
        wide, high = self.width / self.scale / 2, self.height / self.scale / 2
        return self.east - wide, self.north - high, self.east + wide, self.north + high

    def pixels(self, points: npt.ArrayLike) -> Floats:
        """Where points (n, 2) in metres lie in the picture: x to the right, y down."""
        west, _, _, north = self.box
        return np.asarray((np.asarray(points, float) - (west, north)) * (self.scale, -self.scale), float)

    def metres(self, pixels: npt.ArrayLike) -> Floats:
        """The way back."""
        west, _, _, north = self.box
        return np.asarray(np.asarray(pixels, float) / (self.scale, -self.scale) + (west, north), float)


def grown(box: Box, by: float) -> Box:
    """A box with so many metres around it."""
    return box[0] - by, box[1] - by, box[2] + by, box[3] + by


def inside(box: Box, points: npt.ArrayLike) -> bool:
    """Whether all points lie in a box."""
    where = np.asarray(points, float).reshape(-1, 2)
    return bool((where >= box[:2]).all() and (where <= box[2:]).all())


def cut_ring(ring: Sequence[Spot], box: Box) -> list[Spot]:
    """What of a polygon lies in a box (Sutherland and Hodgman); nothing where that is no area."""
    points = list(ring)
    for axis, sign, edge in ((0, 1, box[0]), (1, 1, box[1]), (0, -1, box[2]), (1, -1, box[3])):
        kept: list[Spot] = []
        for k, now in enumerate(points):
            before = points[k - 1]
            here, there = sign * (now[axis] - edge), sign * (before[axis] - edge)
            if (here >= 0) != (there >= 0):
                share = there / (there - here)
                at = [before[0] + share * (now[0] - before[0]), before[1] + share * (now[1] - before[1])]
                at[axis] = edge
                kept.append((at[0], at[1]))
            if here >= 0:
                kept.append(now)
        points = kept
    return points if len(points) > 2 else []


def cut_course(course: Sequence[Spot], box: Box) -> list[list[Spot]]:
    """The runs of a line that lie in a box."""
    runs: list[list[Spot]] = []
    for begin, end in itertools.pairwise(course):
        first, last = 0.0, 1.0
        for axis in (0, 1):
            by = end[axis] - begin[axis]
            low, high = box[axis] - begin[axis], box[axis + 2] - begin[axis]
            if by == 0:
                if low > 0 or high < 0:
                    last = -1.0
                continue
            enter, leave = sorted((low / by, high / by))
            first, last = max(first, enter), min(last, leave)
        if first > last:
            continue
        one = begin if first == 0 else _between(begin, end, first)
        other = end if last == 1 else _between(begin, end, last)
        if runs and runs[-1][-1] == one:
            runs[-1].append(other)
        else:
            runs.append([one, other])
    return runs


def _between(begin: Spot, end: Spot, share: float) -> Spot:
    return begin[0] + share * (end[0] - begin[0]), begin[1] + share * (end[1] - begin[1])
