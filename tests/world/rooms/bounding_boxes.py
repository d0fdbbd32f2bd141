"""Bounding boxes of the things of a plan, computed from the scene, independently of placement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.plan import Plan
from bearleft.world.city.scene_builder import build_scene
from bearleft.world.render.codes import SolidShape

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ThingBoxes:
    """Bounding boxes in metres: `low` and `high` of every thing, and of every solid sorted by thing."""

    plan: Plan
    low: Floats
    high: Floats
    solid_low: Floats
    solid_high: Floats
    first: npt.NDArray[np.int_]  # first solid of each thing

    def name(self, thing: int) -> str:
        return CLASSES[int(self.plan.things["kind"][thing])].name

    def names(self) -> list[str]:
        return [CLASSES[int(kind)].name for kind in self.plan.things["kind"]]

    def solids(self, thing: int) -> tuple[Floats, Floats]:
        """Return the boxes of a thing's solids."""
        part = slice(self.first[thing], self.first[thing + 1])
        return self.solid_low[part], self.solid_high[part]

    def overlaps(self, first_thing: int, second_thing: int, depth: float) -> bool:
        """Return whether boxes of two things' solids overlap by more than `depth`."""
        a, b = self.solids(first_thing)
        c, d = self.solids(second_thing)
        overlap = np.minimum(b[:, None], d[None]) - np.maximum(a[:, None], c[None])
        return bool((overlap > depth).all(axis=2).any())


def thing_boxes(plan: Plan) -> ThingBoxes:
    """Return the boxes of a plan's things."""
    solids = build_scene(plan).solids
    matrix = np.array(solids["matrix"], float)
    matrix[solids["kind"] == SolidShape.PLATE, :, 1] = 0.0  # plates are flat
    reach = np.abs(matrix).sum(axis=2)
    thing = solids["instance"] - 1
    order = np.argsort(thing, kind="stable")
    low, high = (solids["centre"] - reach)[order], (solids["centre"] + reach)[order]
    first = np.searchsorted(thing[order], np.arange(len(plan.things) + 1))
    return ThingBoxes(
        plan, np.minimum.reduceat(low, first[:-1]), np.maximum.reduceat(high, first[:-1]), low, high, first
    )


def room_of(plan: Plan, spacing: float = 30.0) -> npt.NDArray[np.int_]:
    """Return the index of the room of each thing."""
    at = np.column_stack([plan.things["x"], plan.things["y"]]) / 1000.0
    cells = np.rint(at / spacing).astype(int)
    places = np.rint(plan.graph.positions[:, :2] / spacing).astype(int)
    index = {tuple(place): k for k, place in enumerate(places.tolist())}
    return np.array([index[tuple(cell)] for cell in cells.tolist()])
