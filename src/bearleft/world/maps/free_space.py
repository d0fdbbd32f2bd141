"""Occupied space of a map, so that labels do not overlap."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bearleft.world.maps.frame import XY, Box, contains
from bearleft.world.maps.shapes import Words

if TYPE_CHECKING:
    from bearleft.types import Floats


class FreeSpace:
    """Occupied discs and boxes; a text is a chain of discs along its line."""

    def __init__(self, box: Box) -> None:
        self.box = box
        self._discs = np.zeros((256, 3))
        self._count = 0
        self._boxes: list[Box] = []

    def is_free(self, discs: Floats) -> bool:
        """Return whether discs (rows of east, north, radius) overlap nothing."""
        for west, south, east, north in self._boxes:
            dx = np.maximum(np.maximum(west - discs[:, 0], discs[:, 0] - east), 0)
            dy = np.maximum(np.maximum(south - discs[:, 1], discs[:, 1] - north), 0)
            if (np.hypot(dx, dy) < discs[:, 2]).any():
                return False
        occupied = self._discs[: self._count]
        offsets = discs[:, None, :2] - occupied[None, :, :2]
        radii = discs[:, None, 2] + occupied[None, :, 2]
        return not bool(((offsets**2).sum(axis=2) < radii**2).any())

    def occupy(self, discs: Floats) -> None:
        """Mark discs as occupied."""
        while self._count + len(discs) > len(self._discs):
            self._discs = np.concatenate([self._discs, np.zeros_like(self._discs)])
        self._discs[self._count : self._count + len(discs)] = discs
        self._count += len(discs)

    def occupy_box(self, box: Box) -> None:
        """Mark a rectangle as occupied."""
        self._boxes.append(box)

    def occupy_line(self, points: Sequence[XY], radius: float) -> None:
        """Mark a line as occupied."""
        for (x0, y0), (x1, y1) in itertools.pairwise(points):
            steps = max(math.ceil(math.hypot(x1 - x0, y1 - y0) / (2 * radius)), 1)
            share = np.linspace(0, 1, steps + 1)
            self.occupy(np.column_stack([x0 + share * (x1 - x0), y0 + share * (y1 - y0), np.full(steps + 1, radius)]))

    def fits(self, words: Words) -> bool:
        """Return whether a text lies in the picture and overlaps nothing."""
        return contains(self.box, words.corners) and self.is_free(covering_discs(words))

    def try_place(self, words: Words) -> bool:
        """Occupy the space of a text if it is free; return whether it was."""
        if not self.fits(words):
            return False
        self.occupy(covering_discs(words))
        return True


def covering_discs(words: Words) -> Floats:
    """Return discs that cover a text, with a small margin."""
    radius = words.size * 0.62
    half = max(words.length / 2 - radius * 0.5, 0.0)
    count = max(math.ceil(half / radius) + 1, 2)
    along = np.linspace(-half, half, count)
    radians = math.radians(words.angle)
    return np.column_stack(
        [words.at[0] + along * math.cos(radians), words.at[1] - along * math.sin(radians), np.full(count, radius)]
    )
