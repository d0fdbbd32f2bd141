"""Straight segments of a walk, and the objects passed on each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bearleft.geometry import Floats, turn
from bearleft.language.arramon_navigation.scene import Position2D, SectionScene
from bearleft.language.arramon_navigation.semantics import TurnKind, bearing
from bearleft.language.scene_index import Ints

MAX_DEVIATION = 1.8  # metres off the straight line; more is a turn
MIN_LENGTH = 2.5  # metres of a segment
MAX_CORNER_LENGTH, MIN_CORNER_ANGLE = 8.0, 60.0  # metres, degrees: two turns around one corner
MAX_METRES_ASIDE = 4.5  # of passed objects
TURN_LIMITS: tuple[tuple[float, TurnKind], ...] = ((17.0, ""), (50.0, "slight"), (135.0, "turn"), (181.0, "around"))


def turn_kind(angle: float) -> TurnKind:
    """Return the kind of a turn by its angle."""
    return next(name for limit, name in TURN_LIMITS if abs(angle) <= limit)


@dataclass(frozen=True, eq=False)
class Segment:
    """A straight part of a walk, and the objects beside it in the order of walking."""

    begin: Position2D
    end: Position2D
    rows: Ints
    along: Floats  # metres from the beginning to each object
    aside: Floats  # metres to the right

    @property
    def heading(self) -> float:
        """The heading in degrees."""
        return bearing(self.begin, self.end)

    @property
    def length(self) -> float:
        """The length in metres."""
        return float(np.hypot(self.end[0] - self.begin[0], self.end[1] - self.begin[1]))

    @classmethod
    def of(cls, scene: SectionScene, positions: Floats) -> Segment:
        """Return the segment of a part of a path."""
        begin, end = positions[0], positions[-1]
        u = (end - begin) / max(float(np.hypot(*(end - begin))), 1e-9)
        offsets = np.column_stack([scene.east, scene.north]) - begin
        along, aside = offsets @ u, offsets[:, 0] * u[1] - offsets[:, 1] * u[0]
        length = float(np.hypot(*(end - begin)))
        rows = np.flatnonzero(
            (along > 0.5) & (along < length + 2.0) & (np.abs(aside) <= MAX_METRES_ASIDE + scene.half_width)
        )
        seen = [
            bool(scene.sees(_nearest_position(positions, scene, int(k)), scene.east[k], scene.north[k])[0])
            and bool(scene.sees(_position(begin), scene.east[k], scene.north[k])[0])
            for k in rows
        ]
        rows = rows[np.array(seen, bool)]
        rows = rows[np.argsort(along[rows], kind="stable")]
        return cls(_position(begin), _position(end), rows, along[rows], aside[rows])


def split_path(scene: SectionScene, path: Sequence[Sequence[float]]) -> list[Segment]:
    """Split a path into straight segments; none if it does not move."""
    positions = np.array([position[:2] for position in path], float)
    if len(positions) < 2:
        return []
    knots = [0]
    for k in _simplify(positions, 0, len(positions) - 1)[1:-1]:
        if np.hypot(*(positions[k] - positions[knots[-1]])) >= MIN_LENGTH:
            knots.append(k)
    if len(knots) > 1 and np.hypot(*(positions[-1] - positions[knots[-1]])) < MIN_LENGTH:
        knots.pop()
    knots = _merge_corners(positions, [*knots, len(positions) - 1])
    return [Segment.of(scene, positions[a : b + 1]) for a, b in pairwise(knots)]


def _merge_corners(positions: Floats, knots: list[int]) -> list[int]:
    """Merge two turns to the same side in short succession into one, around a corner."""
    k_corner = 1
    while k_corner + 2 < len(knots):
        a, b, c, d = (_position(positions[k]) for k in knots[k_corner - 1 : k_corner + 3])
        first, second = float(turn(bearing(a, b), bearing(b, c))), float(turn(bearing(b, c), bearing(c, d)))
        is_near = np.hypot(c[0] - b[0], c[1] - b[1]) <= MAX_CORNER_LENGTH
        if is_near and first * second > 0 and MIN_CORNER_ANGLE <= abs(first + second) <= 135.0:
            knots = [*knots[:k_corner], (knots[k_corner] + knots[k_corner + 1]) // 2, *knots[k_corner + 2 :]]
        k_corner += 1
    return knots


def _simplify(positions: Floats, begin: int, end: int) -> list[int]:
    """Return the indices where a path turns, by the Douglas-Peucker algorithm."""
    line = positions[end] - positions[begin]
    offsets = positions[begin : end + 1] - positions[begin]
    length = float(np.hypot(*line))
    deviation = (
        np.abs(offsets[:, 0] * line[1] - offsets[:, 1] * line[0]) / length
        if length > 1e-9
        else np.hypot(offsets[:, 0], offsets[:, 1])
    )
    k = int(np.argmax(deviation))
    if deviation[k] <= MAX_DEVIATION or end - begin < 2:
        return [begin, end]
    return [*_simplify(positions, begin, begin + k)[:-1], *_simplify(positions, begin + k, end)]


def _nearest_position(positions: Floats, scene: SectionScene, row: int) -> Position2D:
    return _position(
        positions[int(np.argmin(np.hypot(positions[:, 0] - scene.east[row], positions[:, 1] - scene.north[row])))]
    )


def _position(point: Floats) -> Position2D:
    return float(point[0]), float(point[1])
