"""Refer360's three levels of an answer: the nearest object, the region, and the pixel.

All three are computed from the same answer, a direction. PIXEL: within 40, 80 or 120 pixels, or 11 degrees. REGION: in
the same one of the eight slices, or of the fixed views of 30 degrees a side. OBJECT: next to the same object. Rays are
cast in rings around the answer and around the target until one hits an object; walls, floors and ceilings of rooms, the
ground and the sky do not count. Objects are known in generated cities and rooms only; on real pictures the object
metrics are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

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
from bearleft.models.examples import build_examples, point_leg
from bearleft.models.pointing.objects import Ints
from bearleft.models.pointing.objects import nearest_objects as nearest_objects_of_examples
from bearleft.records import Direction, Episode
from bearleft.world.slices import SLICE_COUNT, SLICE_DEGREES
from bearleft.world.worlds import world_kind

if TYPE_CHECKING:
    from bearleft.types import Floats

PIXEL, REGION, OBJECT = "pixel", "region", "object"
SAME_SLICE, SAME_VIEW, SAME_OBJECT, SAME_CLASS = "Slice", "View@30deg", "Object", "Class"
LEVEL_OF_METRIC = {
    **dict.fromkeys((acc_11deg.name, dist_degrees.name, a_40px.name, a_80px.name, a_120px.name, dist.name), PIXEL),
    **dict.fromkeys((SAME_SLICE, SAME_VIEW), REGION),
    **dict.fromkeys((SAME_OBJECT, SAME_CLASS), OBJECT),
}
DISTANCE_METRICS = (dist_degrees.name, dist.name)  # all others are shares, in percent
VIEW_SIZE = 30.0  # degrees a side of a fixed view


def level_metrics(episodes: Sequence[Episode], answers: Sequence[Direction]) -> dict[str, Floats]:
    """Return every metric of every answer, shares as 0 or 1; object metrics only where all worlds are generated."""
    goals = [point_leg(episode)[1] for episode in episodes]
    distances, angles = direction_distances(answers, goals), degrees(answers, goals)
    metrics = {
        acc_11deg.name: acc_11deg(angles),
        dist_degrees.name: dist_degrees(angles),
        a_40px.name: a_40px(distances),
        a_80px.name: a_80px(distances),
        a_120px.name: a_120px(distances),
        dist.name: dist(distances),
    }
    yaws = np.array([goal.yaw for goal in goals])
    targets = [goal.direction for goal in goals]
    for name, indices in ((SAME_SLICE, slice_indices), (SAME_VIEW, view_indices)):
        metrics[name] = (indices(answers, yaws) == indices(targets, yaws)).astype(np.float64)
    if all(world_kind(episode.world).rendered_places for episode in episodes):
        of_answers, of_targets = nearest_objects(episodes, answers), nearest_objects(episodes, targets)
        metrics |= {
            name: (of_answers[:, k] == of_targets[:, k]).astype(np.float64)
            for k, name in enumerate((SAME_OBJECT, SAME_CLASS))
        }
    return metrics


def slice_indices(directions: Sequence[Direction], yaws: Floats) -> Ints:
    """Return which of the eight slices each direction lies in."""
    degrees_right = turn(yaws, [direction.heading for direction in directions]) + 180.0
    return np.minimum(degrees_right // SLICE_DEGREES, SLICE_COUNT - 1).astype(np.int64)


def view_indices(directions: Sequence[Direction], yaws: Floats) -> Ints:
    """Return which of the fixed views each direction lies in, row by row from below."""
    column = (turn(yaws, [direction.heading for direction in directions]) + 180.0) // VIEW_SIZE
    pitches = np.array([direction.pitch for direction in directions])
    row = np.minimum((pitches + 90.0) // VIEW_SIZE, 180.0 // VIEW_SIZE - 1)
    return (row * (360.0 / VIEW_SIZE) + column).astype(np.int64)


def nearest_objects(episodes: Sequence[Episode], directions: Sequence[Direction]) -> Ints:
    """Return (n, 2) instance and class of the object nearest to each direction; NOTHING beyond 30 degrees."""
    return nearest_objects_of_examples(build_examples(episodes), directions)
