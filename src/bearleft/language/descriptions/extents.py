"""Bounding boxes of objects along their own axes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from bearleft.language.scene_index import SceneIndex
from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.plan import DIRECTION_SCALE

if TYPE_CHECKING:
    from bearleft.types import Floats

Ints = npt.NDArray[np.int64]
# Objects on a foot much smaller than themselves: distances are measured to the foot.
FOOTED_KINDS = np.array([class_.name in ("tree", "lamp post", "pole", "traffic light") for class_ in CLASSES])
FOOT_RADIUS = 0.4  # metres
MIN_ELONGATION = 1.7  # ratio of length to depth from which the left and right of an object are its ends


@dataclass(frozen=True, eq=False)
class Extents:
    """Bounding boxes of all objects of a plan, indexed by instance - 1, along right, ahead and up."""

    origin: Floats  # (n, 2) east and north of the origin of `low` and `high`
    right: Floats  # (n, 2) unit vectors
    ahead: Floats  # (n, 2)
    low: Floats  # (n, 3) along right, ahead, up
    high: Floats  # (n, 3)
    footed: npt.NDArray[np.bool_]  # (n) whether an object stands on a foot much smaller than itself

    @cached_property
    def half(self) -> Floats:
        """Half sizes (n, 3)."""
        return (self.high - self.low) / 2

    @cached_property
    def footprints(self) -> tuple[Floats, Floats]:
        """Lowest and highest coordinates (n, 2) along right and ahead."""
        return np.ascontiguousarray(self.low[:, :2]), np.ascontiguousarray(self.high[:, :2])

    @cached_property
    def centres(self) -> Floats:
        """East, north and up of the centres (n, 3)."""
        mid = (self.low + self.high) / 2
        flat = self.origin + mid[:, :1] * self.right + mid[:, 1:2] * self.ahead
        return np.column_stack([flat, mid[:, 2]])

    @cached_property
    def ground_points(self) -> Floats:
        """East and north of the points (n, 2) that distances are measured to: the foot of an object, or its centre."""
        return np.where(self.footed[:, None], self.origin, self.centres[:, :2])

    @cached_property
    def radius(self) -> Floats:
        """Distance in metres from the ground point to the outside of the object (n)."""
        return np.where(self.footed, FOOT_RADIUS, np.minimum(self.half[:, 0], self.half[:, 1]))

    def middle(self, thing: Ints) -> Floats:
        """Return east, north and up of the centres of objects."""
        return self.centres[thing]

    def to_local(self, thing: Ints, points: Floats) -> Floats:
        """Return points (..., 2) in the frames of objects, along right and ahead; both are broadcast."""
        offset = points - self.origin[thing]
        east, north = offset[..., 0], offset[..., 1]
        local = np.empty(offset.shape)
        for axis, unit in enumerate((self.right[thing], self.ahead[thing])):
            local[..., axis] = east * unit[..., 0] + north * unit[..., 1]
        return local

    def footprint_distance(self, thing: Ints, points: Floats) -> Floats:
        """Return the distance of points from the footprints of objects in metres, 0 inside."""
        local = self.to_local(thing, points)
        low, high = self.footprints
        offset = np.maximum(np.maximum(low[thing] - local, local - high[thing]), 0.0)
        return np.asarray(np.hypot(offset[..., 0], offset[..., 1]), float)

    def axis(self, thing: int, eye: Floats) -> tuple[Floats, float, float]:
        """Return the axis across an object from left to right as seen from an eye, and its begin and end.

        The axis is a unit vector: the length of a long object, else the direction across the view. Begin and end are
        measured along the axis from the origin of the plan.
        """
        half = self.half[thing]
        corners = self._corners(thing)
        towards = corners.mean(axis=0) - eye[:2]
        across = np.array([towards[1], -towards[0]]) / max(float(np.hypot(*towards)), 1e-9)
        if half[0] > MIN_ELONGATION * half[1] or half[1] > MIN_ELONGATION * half[0]:
            along = self.right[thing] if half[0] > half[1] else self.ahead[thing]
            across = along if float(along @ across) >= 0 else -along
        reach = corners @ across
        return across, float(reach.min()), float(reach.max())

    def _corners(self, thing: int) -> Floats:
        low, high = self.low[thing], self.high[thing]
        ends = [(x, y) for x in (low[0], high[0]) for y in (low[1], high[1])]
        return np.array([self.origin[thing] + x * self.right[thing] + y * self.ahead[thing] for x, y in ends])


_CACHE: WeakKeyDictionary[SceneIndex, Extents] = WeakKeyDictionary()


def extents(scene: SceneIndex) -> Extents:
    """Return the bounding boxes of a scene's objects; they are cached."""
    if scene not in _CACHE:
        _CACHE[scene] = _measure_extents(scene)
    return _CACHE[scene]


def _measure_extents(scene: SceneIndex) -> Extents:
    things, solids = scene.plan.things, scene.city.scene.solids
    solids = solids[solids["instance"] > 0]
    thing = solids["instance"].astype(np.int64) - 1
    ahead = np.column_stack([things["ux"], things["uy"]]) / DIRECTION_SCALE
    right = np.column_stack([ahead[:, 1], -ahead[:, 0]])
    origin = np.column_stack([things["x"], things["y"]]) / 1000.0
    axes = np.zeros((len(things), 3, 3))
    axes[:, 0, :2], axes[:, 1, :2], axes[:, 2, 2] = right, ahead, 1.0
    off = solids["centre"].astype(float)
    off[:, :2] -= origin[thing]
    middle = np.einsum("nij,nj->ni", axes[thing], off)
    reach = np.abs(np.einsum("nij,njk->nik", axes[thing], solids["matrix"].astype(float))).sum(axis=2)
    low, high = np.full((len(things), 3), np.inf), np.full((len(things), 3), -np.inf)
    np.minimum.at(low, thing, middle - reach)
    np.maximum.at(high, thing, middle + reach)
    empty = ~np.isfinite(low)
    low[empty] = high[empty] = 0.0
    return Extents(origin, right, ahead, low, high, FOOTED_KINDS[things["kind"]])
