"""Rooms from above: floors, walls and objects, the higher on top, without what hangs from the ceiling."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.palette import RGB_TABLE
from bearleft.world.city.placement import model_extents
from bearleft.world.city.plan import Plan
from bearleft.world.maps.colours import INK, PAPER, blend
from bearleft.world.maps.frame import XY, Box
from bearleft.world.maps.free_space import FreeSpace
from bearleft.world.maps.objects import WHOLE_MODEL, centre_and_radius, corners_near, footprints
from bearleft.world.maps.shapes import Colour, Drawing, Words
from bearleft.world.render.codes import SolidShape

if TYPE_CHECKING:
    from bearleft.types import Floats


MAX_HEIGHT = 2000  # millimetres: objects with a higher origin hang from the ceiling
FLOOR, WALL = (236, 226, 208), (92, 88, 84)
LAYERS = {"floor": 0, "rug": 1, "wall": 2, "person": 4, "seated person": 4}  # from bottom to top; all others are 3
UNNAMED = ("wall", "floor", "rug", "light switch", "electrical outlet")
PEOPLE, PERSON_RADIUS = ("person", "seated person"), 0.24  # metres
MIN_ROUND_SHARE = 0.7  # of a model's footprint
NAME_DETAIL = 14.0  # reference pixels per metre from which things are named
NAME_OFFSETS = (0.0, -11.0, 11.0)  # reference pixels up or down, in the order tried


@dataclass(frozen=True)
class RoomObject:
    """An object that a floor plan shows."""

    index: int
    name: str
    rectangle: Floats
    area: float
    round: bool


def visible_objects(drawing: Drawing, plan: Plan) -> list[RoomObject]:
    """Return the objects visible from above, the lowest first."""
    objects = []
    for kind in np.unique(plan.things["kind"]):
        name = CLASSES[int(kind)].name
        indices = np.flatnonzero((plan.things["kind"] == kind) & ((plan.things["z"] < MAX_HEIGHT) | (name == "wall")))
        if name == "ceiling" or not len(indices):
            continue
        rectangles = footprints(plan, indices, WHOLE_MODEL)
        for k in np.flatnonzero(corners_near(drawing, rectangles)):
            first, second, third = rectangles[k][:3]
            area = float(np.hypot(*(second - first)) * np.hypot(*(third - second)))
            index = int(indices[k])
            objects.append(
                RoomObject(index, name, rectangles[k], area, is_round(int(kind), plan.things["variant"][index]))
            )
    heights = plan.things["z"]
    return sorted(
        objects,
        key=lambda room_object: (
            LAYERS.get(room_object.name, 3),
            int(heights[room_object.index]),
            -room_object.area,
            room_object.index,
        ),
    )


def room_around(plan: Plan, at: XY) -> Box | None:
    """Return west, south, east and north of the floor under a point; None where there is none."""
    indices = np.flatnonzero(plan.things["kind"] == class_index("floor"))
    corners = footprints(plan, indices, WHOLE_MODEL)
    low, high = corners.min(axis=1), corners.max(axis=1)
    for k in np.flatnonzero(((low <= at) & (at <= high)).all(axis=1)):
        return float(low[k, 0]), float(low[k, 1]), float(high[k, 0]), float(high[k, 1])
    return None


@cache
def is_round(kind: int, variant: int) -> bool:
    """Return whether the widest solid of a model is round from above, and most of its footprint."""
    object_class = CLASSES[kind]
    widest = max(object_class.models[variant], key=lambda solid: solid.half[0] * solid.half[1])
    across, deep = (float(half[variant]) / 1000.0 for half in model_extents(object_class.name, WHOLE_MODEL).half)
    dominant = widest.half[0] * widest.half[1] >= MIN_ROUND_SHARE * across * deep
    return (
        dominant
        and widest.kind in (SolidShape.CYLINDER, SolidShape.CONE, SolidShape.ELLIPSOID)
        and not (widest.tilt or widest.roll)
    )


def draw_rooms(drawing: Drawing, plan: Plan, names: bool, free_space: FreeSpace) -> None:
    """Draw the footprint of every object in a pale shade of its colour; label large ones first."""
    objects = visible_objects(drawing, plan)
    for room_object in objects:
        fill = _colour(plan, room_object)
        edge, instance = blend(fill, (40, 38, 36), 0.35), room_object.index + 1
        if room_object.name in PEOPLE:
            row = plan.things[room_object.index]
            at = float(row["x"]) / 1000.0, float(row["y"]) / 1000.0
            drawing.disc(
                room_object.name, at, PERSON_RADIUS, fill, edge, 0.02, instance=instance, name=room_object.name
            )
        elif room_object.round:
            at, radius = centre_and_radius(room_object.rectangle)
            drawing.disc(room_object.name, at, radius, fill, edge, 0.02, instance=instance, name=room_object.name)
        else:
            ring = [(float(x), float(y)) for x, y in room_object.rectangle]
            drawing.polygon(room_object.name, [ring], fill, edge, 0.02, instance=instance, name=room_object.name)
    unit = drawing.frame.unit
    if not names or drawing.frame.detail < NAME_DETAIL:
        return
    for room_object in sorted(objects, key=lambda room_object: (-room_object.area, room_object.index)):
        (x, y), _ = centre_and_radius(room_object.rectangle)
        for offset in NAME_OFFSETS:
            at = x, y + offset * unit
            words = Words(
                f"{room_object.name} name",
                at,
                room_object.name,
                10.0 * unit,
                INK,
                PAPER,
                instance=room_object.index + 1,
            )
            if room_object.name not in UNNAMED and free_space.try_place(words):
                drawing.words(words)
                break


def _colour(plan: Plan, room_object: RoomObject) -> Colour:
    if room_object.name in ("floor", "wall"):
        return FLOOR if room_object.name == "floor" else WALL
    red, green, blue = (int(v) for v in RGB_TABLE[plan.things["first"][room_object.index]])
    return blend((red, green, blue), PAPER, 0.35)
