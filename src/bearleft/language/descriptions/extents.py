"""How large things are, each measured along its own axes: what lies beside, before, above or on what."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from bearleft.geometry import Floats
from bearleft.language.scene_index import SceneIndex
from bearleft.world.city.plan import UNIT

Ints = npt.NDArray[np.int64]
LONG = 1.7  # so much longer than deep, and a thing is said to be long: its left and right are its ends


@dataclass(frozen=True, eq=False)
class Extents:
    """Boxes of all things of a plan, by their numbers (instance - 1): along their right, ahead and upwards."""

    origin: Floats  # (n, 2) east and north of what `low` and `high` are measured from
    right: Floats  # (n, 2) unit vectors
    ahead: Floats  # (n, 2)
    low: Floats  # (n, 3) along right, ahead, up
    high: Floats  # (n, 3)

    @cached_property
    def half(self) -> Floats:
        """Half sizes (n, 3)."""
        return (self.high - self.low) / 2

    def middle(self, thing: Ints) -> Floats:
        """East, north and up of the middles of things."""
        mid = (self.low[thing] + self.high[thing]) / 2
        flat = self.origin[thing] + mid[:, :1] * self.right[thing] + mid[:, 1:2] * self.ahead[thing]
        return np.column_stack([flat, mid[:, 2]])

    def own(self, thing: Ints, where: Floats) -> Floats:
        """Points (..., 2) in the frames of things, along right and ahead; both are broadcast."""
        off = where - self.origin[thing]
        return np.stack([(off * self.right[thing]).sum(-1), (off * self.ahead[thing]).sum(-1)], axis=-1)

    def outside(self, thing: Ints, where: Floats) -> Floats:
        """How far points lie outside of things' footprints, in metres; 0 inside."""
        own = self.own(thing, where)
        off = np.maximum(np.maximum(self.low[thing][..., :2] - own, own - self.high[thing][..., :2]), 0.0)
        return np.asarray(np.hypot(off[..., 0], off[..., 1]), float)

    def axis(self, thing: int, eye: Floats) -> tuple[Floats, float, float]:
        """The way across a thing as seen from an eye, left to right: a unit vector and where it begins and ends.

        Of a long thing this is its length; of any other, the way across the view. The last two are along the vector
        from the origin of the plan.
        """
        half = self.half[thing]
        corners = self._corners(thing)
        towards = corners.mean(axis=0) - eye[:2]
        across = np.array([towards[1], -towards[0]]) / max(float(np.hypot(*towards)), 1e-9)
        if half[0] > LONG * half[1] or half[1] > LONG * half[0]:
            along = self.right[thing] if half[0] > half[1] else self.ahead[thing]
            across = along if float(along @ across) >= 0 else -along
        reach = corners @ across
        return across, float(reach.min()), float(reach.max())

    def _corners(self, thing: int) -> Floats:
        low, high = self.low[thing], self.high[thing]
        ends = [(x, y) for x in (low[0], high[0]) for y in (low[1], high[1])]
        return np.array([self.origin[thing] + x * self.right[thing] + y * self.ahead[thing] for x, y in ends])


_KNOWN: WeakKeyDictionary[SceneIndex, Extents] = WeakKeyDictionary()


def extents(scene: SceneIndex) -> Extents:
    """The boxes of a city's things; measured once."""
    if scene not in _KNOWN:
        _KNOWN[scene] = _measure(scene)
    return _KNOWN[scene]


def _measure(scene: SceneIndex) -> Extents:
    things, solids = scene.plan.things, scene.city.scene.solids
    solids = solids[solids["instance"] > 0]
    thing = solids["instance"].astype(np.int64) - 1
    ahead = np.column_stack([things["ux"], things["uy"]]) / UNIT
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
    return Extents(origin, right, ahead, low, high)
