"""A walk as straight stretches, and what one comes by on each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bearleft.geometry import Floats, turn
from bearleft.language.arramon_navigation.scene import Scene, Spot
from bearleft.language.arramon_navigation.semantics import Bend, bearing
from bearleft.language.scene_index import Ints

BENT = 1.8  # metres off the straight line that are a turn
SHORTEST = 2.5  # metres of a stretch
ROUND, MEANT = 8.0, 60.0  # metres, degrees: two turns that are one round a corner
ASIDE = 4.5  # metres beside a stretch in which one passes things
BENDS: tuple[tuple[float, Bend], ...] = ((17.0, ""), (50.0, "slight"), (135.0, "turn"), (181.0, "around"))


def bend(angle: float) -> Bend:
    """What a turn by so many degrees is called."""
    return next(name for most, name in BENDS if abs(angle) <= most)


@dataclass(frozen=True, eq=False)
class Stretch:
    """A straight part of a walk, and the things beside it in the order of walking."""

    begin: Spot
    end: Spot
    rows: Ints
    along: Floats  # metres from the beginning to where one passes each
    aside: Floats  # metres to the right of it

    @property
    def heading(self) -> float:
        return bearing(self.begin, self.end)

    @property
    def length(self) -> float:
        return float(np.hypot(self.end[0] - self.begin[0], self.end[1] - self.begin[1]))

    @classmethod
    def of(cls, scene: Scene, spots: Floats) -> Stretch:
        """The stretch of a part of a path."""
        begin, end = spots[0], spots[-1]
        u = (end - begin) / max(float(np.hypot(*(end - begin))), 1e-9)
        off = np.column_stack([scene.east, scene.north]) - begin
        along, aside = off @ u, off[:, 0] * u[1] - off[:, 1] * u[0]
        far = float(np.hypot(*(end - begin)))
        rows = np.flatnonzero((along > 0.5) & (along < far + 2.0) & (np.abs(aside) <= ASIDE + scene.wide))
        seen = [
            bool(scene.sees(_nearest(spots, scene, int(k)), scene.east[k], scene.north[k])[0])
            and bool(scene.sees(_spot(begin), scene.east[k], scene.north[k])[0])
            for k in rows
        ]
        rows = rows[np.array(seen, bool)]
        rows = rows[np.argsort(along[rows], kind="stable")]
        return cls(_spot(begin), _spot(end), rows, along[rows], aside[rows])


def stretches(scene: Scene, path: Sequence[Sequence[float]]) -> list[Stretch]:
    """A path as straight stretches; none where it goes nowhere."""
    spots = np.array([one[:2] for one in path], float)
    if len(spots) < 2:
        return []
    kept = [0]
    for k in _knots(spots, 0, len(spots) - 1)[1:-1]:
        if np.hypot(*(spots[k] - spots[kept[-1]])) >= SHORTEST:
            kept.append(k)
    if len(kept) > 1 and np.hypot(*(spots[-1] - spots[kept[-1]])) < SHORTEST:
        kept.pop()
    kept = _rounded(spots, [*kept, len(spots) - 1])
    return [Stretch.of(scene, spots[a : b + 1]) for a, b in pairwise(kept)]


def _rounded(spots: Floats, knots: list[int]) -> list[int]:
    """Two turns to the same side soon after each other are one, round a corner."""
    at = 1
    while at + 2 < len(knots):
        a, b, c, d = (_spot(spots[k]) for k in knots[at - 1 : at + 3])
        first, second = float(turn(bearing(a, b), bearing(b, c))), float(turn(bearing(b, c), bearing(c, d)))
        near = np.hypot(c[0] - b[0], c[1] - b[1]) <= ROUND
        if near and first * second > 0 and MEANT <= abs(first + second) <= 135.0:
            knots = [*knots[:at], (knots[at] + knots[at + 1]) // 2, *knots[at + 2 :]]
        at += 1
    return knots


def _knots(spots: Floats, begin: int, end: int) -> list[int]:
    """Where a path turns: Douglas and Peucker's."""
    line = spots[end] - spots[begin]
    off = spots[begin : end + 1] - spots[begin]
    far = float(np.hypot(*line))
    away = np.abs(off[:, 0] * line[1] - off[:, 1] * line[0]) / far if far > 1e-9 else np.hypot(off[:, 0], off[:, 1])
    k = int(np.argmax(away))
    if away[k] <= BENT or end - begin < 2:
        return [begin, end]
    return [*_knots(spots, begin, begin + k)[:-1], *_knots(spots, begin + k, end)]


def _nearest(spots: Floats, scene: Scene, row: int) -> Spot:
    return _spot(spots[int(np.argmin(np.hypot(spots[:, 0] - scene.east[row], spots[:, 1] - scene.north[row])))])


def _spot(at: Floats) -> Spot:
    return float(at[0]), float(at[1])
