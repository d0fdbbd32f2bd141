"""Refer360's three levels of an answer: the object next to it, the region it lies in, the spot itself.

All three are asked of the same answer, a direction. PIXEL: within 40, 80 or 120 pixels, or 11 degrees. REGION: in the
same of the eight slices, or in the same of the fixed views, 30 degrees a side. OBJECT: next to the same thing: rays go
out around the answer and around the target, ring by ring, until one meets a thing; walls, floors and ceilings of rooms,
the ground and the sky are none. Things are known in our own cities and rooms only: real pictures have regions and
spots.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bearleft.geometry import turn
from bearleft.metrics.pointing import (
    a_40px,
    a_80px,
    a_120px,
    acc_11deg,
    degrees,
    direction_distances,
    dist,
    dist_degrees,
)
from bearleft.models.examples import examples, point_leg
from bearleft.models.pointing.objects import OURS, Ints, next_to
from bearleft.records import Direction, Episode
from bearleft.world.slices import SLICES, TURN

Floats = npt.NDArray[np.float64]
PIXEL, REGION, OBJECT = "pixel", "region", "object"
SLICE, VIEW, THING, KIND = "Slice", "View@30deg", "Object", "Class"
LEVELS = {
    **dict.fromkeys((acc_11deg.name, dist_degrees.name, a_40px.name, a_80px.name, a_120px.name, dist.name), PIXEL),
    **dict.fromkeys((SLICE, VIEW), REGION),
    **dict.fromkeys((THING, KIND), OBJECT),
}
LENGTHS = (dist_degrees.name, dist.name)  # all others are shares, in percent
FIXED = 30.0  # degrees a side of a fixed view


def measures(episodes: Sequence[Episode], answers: Sequence[Direction]) -> dict[str, Floats]:
    """Every measure of every answer, shares as 0 or 1; objects only where all worlds are ours."""
    goals = [point_leg(episode)[1] for episode in episodes]
    away, apart = direction_distances(answers, goals), degrees(answers, goals)
    found = {
        acc_11deg.name: acc_11deg(apart),
        dist_degrees.name: dist_degrees(apart),
        a_40px.name: a_40px(away),
        a_80px.name: a_80px(away),
        a_120px.name: a_120px(away),
        dist.name: dist(away),
    }
    yaws = np.array([goal.yaw for goal in goals])
    expected = [goal.direction for goal in goals]
    for name, region in ((SLICE, slices), (VIEW, views)):
        found[name] = (region(answers, yaws) == region(expected, yaws)).astype(np.float64)
    if all(episode.world.startswith(OURS) for episode in episodes):
        near, goal = nearest(episodes, answers), nearest(episodes, expected)
        found |= {name: (near[:, k] == goal[:, k]).astype(np.float64) for k, name in enumerate((THING, KIND))}
    return found


def slices(directions: Sequence[Direction], yaws: Floats) -> Ints:
    """Which of the eight slices directions lie in."""
    aside = turn(yaws, [one.heading for one in directions]) + 180.0
    return np.minimum(aside // TURN, SLICES - 1).astype(np.int64)


def views(directions: Sequence[Direction], yaws: Floats) -> Ints:
    """Which of the fixed views, row by row from below."""
    aside = (turn(yaws, [one.heading for one in directions]) + 180.0) // FIXED
    up = np.minimum((np.array([one.pitch for one in directions]) + 90.0) // FIXED, 180.0 // FIXED - 1)
    return (up * (360.0 / FIXED) + aside).astype(np.int64)


def nearest(episodes: Sequence[Episode], directions: Sequence[Direction]) -> Ints:
    """(n, 2): instance and class of the thing next to each direction; NOTHING where there is none within 30 degrees."""
    return next_to(examples(episodes), directions)
