"""Rooms from above: floors and walls, and what stands in them, the higher on top; what hangs from ceilings is not."""

from __future__ import annotations

import numpy as np

from bearleft.geometry import Floats
from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.palette import TABLE
from bearleft.world.city.plan import Plan
from bearleft.world.mapping.colours import INK, PAPER, mixed
from bearleft.world.mapping.drawing import Colour, Drawing, Words
from bearleft.world.mapping.frame import Spot
from bearleft.world.mapping.room import Room
from bearleft.world.mapping.things import CROWN, corners_near, footprints

ABOVE = 2000  # millimetres: what has its origin higher hangs from the ceiling
FLOOR, WALL = (236, 226, 208), (92, 88, 84)
BESIDES = ("wall", "ceiling", "floor", "rug", "light switch", "electrical outlet")  # without a name of their own
NAMES = 14.0  # usual pixels in a metre from which things are named


def draw_rooms(drawing: Drawing, plan: Plan) -> None:
    """Every thing's footprint in its own colour, pale."""
    found: list[tuple[tuple[int, int, float], int, Floats]] = []
    for kind in np.unique(plan.things["kind"]):
        name = CLASSES[int(kind)].name
        which = np.flatnonzero((plan.things["kind"] == kind) & ((plan.things["z"] < ABOVE) | (name == "wall")))
        if name == "ceiling" or not len(which):
            continue
        rectangles = footprints(plan, which, CROWN)
        for k in np.flatnonzero(corners_near(drawing, rectangles)):
            first, second, third = rectangles[k][:3]
            area = float(np.hypot(*(second - first)) * np.hypot(*(third - second)))
            layer = {"floor": 0, "rug": 1, "wall": 2}.get(name, 3)
            found.append(((layer, int(plan.things["z"][which[k]]), -area), int(which[k]), rectangles[k]))
    for _, thing, rectangle in sorted(found, key=lambda row: (row[0], row[1])):
        name = CLASSES[int(plan.things["kind"][thing])].name
        ring = [(float(x), float(y)) for x, y in rectangle]
        fill = _colour(plan, thing, name)
        drawing.shape(
            name, [ring], fill, mixed(fill, (40, 38, 36), 0.35), 0.02, instance=thing + 1, name=name
        )  # fmt: skip


def _colour(plan: Plan, thing: int, name: str) -> Colour:
    if name in ("floor", "wall"):
        return FLOOR if name == "floor" else WALL
    red, green, blue = (int(v) for v in TABLE[plan.things["first"][thing]])
    return mixed((red, green, blue), PAPER, 0.35)


def name_rooms(drawing: Drawing, plan: Plan, room: Room) -> None:
    """The classes of things, where they are large enough to be read."""
    unit = drawing.frame.unit
    if drawing.frame.detail < NAMES:
        return
    for kind in np.unique(plan.things["kind"]):
        name = CLASSES[int(kind)].name
        if name in BESIDES:
            continue
        for thing in np.flatnonzero((plan.things["kind"] == kind) & (plan.things["z"] < ABOVE)):
            at: Spot = float(plan.things["x"][thing]) / 1000.0, float(plan.things["y"][thing]) / 1000.0
            words = Words(f"{name} name", at, name, 10.0 * unit, INK, PAPER, instance=int(thing) + 1)
            if room.put(words):
                drawing.words(words)
