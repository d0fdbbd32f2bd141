"""Rooms from above: floors and walls, and what stands in them, the higher on top; what hangs from ceilings is not."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from bearleft.geometry import Floats
from bearleft.world.city.catalog import CLASSES, number
from bearleft.world.city.palette import TABLE
from bearleft.world.city.placement import bodies
from bearleft.world.city.plan import Plan
from bearleft.world.maps.colours import INK, PAPER, mixed
from bearleft.world.maps.frame import Box, Spot
from bearleft.world.maps.free_space import Room
from bearleft.world.maps.marks import Colour, Drawing, Words
from bearleft.world.maps.objects import CROWN, corners_near, footprints, middle
from bearleft.world.render.codes import Kind

ABOVE = 2000  # millimetres: what has its origin higher hangs from the ceiling
FLOOR, WALL = (236, 226, 208), (92, 88, 84)
LAYERS = {"floor": 0, "rug": 1, "wall": 2, "person": 4, "seated person": 4}  # from below; all else is 3
NAMELESS = ("wall", "floor", "rug", "light switch", "electrical outlet")
SEATED, SHOULDERS = ("person", "seated person"), 0.24  # metres that a person takes, whatever the arms do
MOST = 0.7  # of what a model covers
NAMES = 14.0  # usual pixels in a metre from which things are named
ASIDE = (0.0, -11.0, 11.0)  # usual pixels up or down where a name may go too


@dataclass(frozen=True)
class Standing:
    """A thing that a floor plan shows."""

    thing: int
    name: str
    rectangle: Floats
    area: float
    round: bool


def standing(drawing: Drawing, plan: Plan) -> list[Standing]:
    """What is to be seen from above, the lowest first."""
    found = []
    for kind in np.unique(plan.things["kind"]):
        name = CLASSES[int(kind)].name
        which = np.flatnonzero((plan.things["kind"] == kind) & ((plan.things["z"] < ABOVE) | (name == "wall")))
        if name == "ceiling" or not len(which):
            continue
        rectangles = footprints(plan, which, CROWN)
        for k in np.flatnonzero(corners_near(drawing, rectangles)):
            first, second, third = rectangles[k][:3]
            area = float(np.hypot(*(second - first)) * np.hypot(*(third - second)))
            thing = int(which[k])
            found.append(Standing(thing, name, rectangles[k], area, is_round(int(kind), plan.things["variant"][thing])))
    heights = plan.things["z"]
    return sorted(found, key=lambda one: (LAYERS.get(one.name, 3), int(heights[one.thing]), -one.area, one.thing))


def room_around(plan: Plan, at: Spot) -> Box | None:
    """West, south, east and north of the floor under a spot; none where there is none."""
    which = np.flatnonzero(plan.things["kind"] == number("floor"))
    corners = footprints(plan, which, CROWN)
    low, high = corners.min(axis=1), corners.max(axis=1)
    for k in np.flatnonzero(((low <= at) & (at <= high)).all(axis=1)):
        return float(low[k, 0]), float(low[k, 1]), float(high[k, 0]), float(high[k, 1])
    return None


@cache
def is_round(kind: int, variant: int) -> bool:
    """Whether the widest solid of a model is round, seen from above, and most of it."""
    one = CLASSES[kind]
    widest = max(one.models[variant], key=lambda solid: solid.half[0] * solid.half[1])
    across, deep = (float(half[variant]) / 1000.0 for half in bodies(one.name, CROWN).half)
    most = widest.half[0] * widest.half[1] >= MOST * across * deep
    return most and widest.kind in (Kind.CYLINDER, Kind.CONE, Kind.ELLIPSOID) and not (widest.tilt or widest.roll)


def draw_rooms(drawing: Drawing, plan: Plan, names: bool, room: Room) -> None:
    """Every thing's footprint in its own colour, pale; large ones are named first, where there is room."""
    every = standing(drawing, plan)
    for one in every:
        fill = _colour(plan, one)
        edge, instance = mixed(fill, (40, 38, 36), 0.35), one.thing + 1
        if one.name in SEATED:
            row = plan.things[one.thing]
            at = float(row["x"]) / 1000.0, float(row["y"]) / 1000.0
            drawing.disc(one.name, at, SHOULDERS, fill, edge, 0.02, instance=instance, name=one.name)
        elif one.round:
            at, radius = middle(one.rectangle)
            drawing.disc(one.name, at, radius, fill, edge, 0.02, instance=instance, name=one.name)
        else:
            ring = [(float(x), float(y)) for x, y in one.rectangle]
            drawing.shape(one.name, [ring], fill, edge, 0.02, instance=instance, name=one.name)
    unit = drawing.frame.unit
    if not names or drawing.frame.detail < NAMES:
        return
    for one in sorted(every, key=lambda one: (-one.area, one.thing)):
        (x, y), _ = middle(one.rectangle)
        for by in ASIDE:
            at = x, y + by * unit
            words = Words(f"{one.name} name", at, one.name, 10.0 * unit, INK, PAPER, instance=one.thing + 1)
            if one.name not in NAMELESS and room.put(words):
                drawing.words(words)
                break


def _colour(plan: Plan, one: Standing) -> Colour:
    if one.name in ("floor", "wall"):
        return FLOOR if one.name == "floor" else WALL
    red, green, blue = (int(v) for v in TABLE[plan.things["first"][one.thing]])
    return mixed((red, green, blue), PAPER, 0.35)
