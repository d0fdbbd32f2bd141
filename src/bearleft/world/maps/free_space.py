"""What of a map is taken already, so that words do not lie on each other."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from bearleft.geometry import Floats
from bearleft.world.maps.frame import Box, Spot, inside
from bearleft.world.maps.marks import Words


class Room:
    """Discs and boxes that are taken; words are chains of discs along their line."""

    def __init__(self, box: Box) -> None:
        self.box = box
        self._discs = np.zeros((256, 3))
        self._count = 0
        self._boxes: list[Box] = []

    def free(self, discs: Floats) -> bool:
        """Whether discs (rows of east, north, radius) lie in the picture and on nothing."""
        for west, south, east, north in self._boxes:
            dx = np.maximum(np.maximum(west - discs[:, 0], discs[:, 0] - east), 0)
            dy = np.maximum(np.maximum(south - discs[:, 1], discs[:, 1] - north), 0)
            if (np.hypot(dx, dy) < discs[:, 2]).any():
                return False
        there = self._discs[: self._count]
        apart = discs[:, None, :2] - there[None, :, :2]
        close = discs[:, None, 2] + there[None, :, 2]
        return not bool(((apart**2).sum(axis=2) < close**2).any())

    def take(self, discs: Floats) -> None:
        """Nothing shall lie here any more."""
        while self._count + len(discs) > len(self._discs):
            self._discs = np.concatenate([self._discs, np.zeros_like(self._discs)])
        self._discs[self._count : self._count + len(discs)] = discs
        self._count += len(discs)

    def take_box(self, box: Box) -> None:
        """The same for a rectangle."""
        self._boxes.append(box)

    def take_line(self, points: Sequence[Spot], radius: float) -> None:
        """The same for a line."""
        for (x0, y0), (x1, y1) in itertools.pairwise(points):
            steps = max(math.ceil(math.hypot(x1 - x0, y1 - y0) / (2 * radius)), 1)
            share = np.linspace(0, 1, steps + 1)
            self.take(np.column_stack([x0 + share * (x1 - x0), y0 + share * (y1 - y0), np.full(steps + 1, radius)]))

    def fits(self, words: Words) -> bool:
        """Whether words lie in the picture and on nothing."""
        return inside(self.box, words.corners) and self.free(covered(words))

    def put(self, words: Words) -> bool:
        """Takes the room of words if it is free."""
        if not self.fits(words):
            return False
        self.take(covered(words))
        return True


def covered(words: Words) -> Floats:
    """Discs that cover words, with a little room around them."""
    radius = words.size * 0.62
    half = max(words.length / 2 - radius * 0.5, 0.0)
    count = max(math.ceil(half / radius) + 1, 2)
    along = np.linspace(-half, half, count)
    turned = math.radians(words.angle)
    return np.column_stack(
        [words.at[0] + along * math.cos(turned), words.at[1] - along * math.sin(turned), np.full(count, radius)]
    )
