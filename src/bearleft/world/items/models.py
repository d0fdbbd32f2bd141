"""What the collectibles look like: seven models in seven colours, dotted or striped, looking four ways.

All are HEIGHT high, so that they stack, and reach at most RADIUS from their middle. A model faces +y, as things do.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from bearleft.world.city.build import CLASS_BASE, expand
from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.classes import Class
from bearleft.world.city.plan import THING, UNIT, Rows
from bearleft.world.city.shapes import FIRST, SECOND, Model, ball, box, cone, cylinder
from bearleft.world.items.names import COLOURS, ITEMS, TYPES, Item, item
from bearleft.world.moves import GRID
from bearleft.world.setting import QUARTERS

HEIGHT, RADIUS = 0.9, 0.65  # metres


def book() -> Model:
    return [box((0, 0, 0.45), (0.7, 0.24, 0.9), FIRST, "cover", second=SECOND)]


def hourglass() -> Model:
    return [cone((0, 0, 0.25), 0.3, 0.4, FIRST, "glass", second=SECOND), cylinder((0, 0, 0.87), 0.35, 0.06, FIRST)]


def mug() -> Model:
    return [cylinder((0, 0, 0.45), 0.33, 0.9, FIRST, "body", second=SECOND)]


def bucket() -> Model:
    return [cone((0, 0, 0.35), 0.42, 0.7, FIRST, "body", second=SECOND, roll=180, top=0.7)]


def ball_() -> Model:
    return [ball((0, 0, 0.45), (0.9, 0.9, 0.9), FIRST, "ball", second=SECOND)]


def tv() -> Model:
    return [box((0, 0, 0.45), (1.1, 0.5, 0.9), FIRST, "case", second=SECOND)]


def bowl() -> Model:
    return [cone((0, 0, 0.45), 0.6, 0.9, FIRST, "body", second=SECOND, roll=180, top=0.4)]


MODELS: dict[str, Callable[[], Model]] = {
    "book": book, "hourglass": hourglass, "mug": mug, "bucket": bucket, "ball": ball_, "tv": tv, "bowl": bowl,
}  # fmt: skip
KINDS = tuple(Class(name, (MODELS[name],)) for name in TYPES)  # for the names of their parts


def template(name: str, facing: int = 0) -> int:
    """The number of an item's template."""
    return item(name).number * QUARTERS + facing


def template_classes() -> list[int]:
    """Per template, its class in pictures: the seven types follow after the classes of things."""
    return [CLASS_BASE + len(CLASSES) + TYPES.index(one.type) for one in ITEMS for _ in range(QUARTERS)]


def templates(ahead: float = GRID) -> list[Rows]:
    """Per template, its solids about the origin; those of facing 0 look along the heading `ahead`."""
    return [rows.copy() for rows in _templates(ahead)]


@lru_cache(maxsize=4)
def _templates(ahead: float) -> tuple[Rows, ...]:
    return tuple(rows for one in ITEMS for rows in _turned(one, ahead))


def _turned(one: Item, ahead: float) -> list[Rows]:
    """An item, looking each way."""
    kind = KINDS[TYPES.index(one.type)]
    model = kind.models[0]
    things = np.zeros(QUARTERS, THING)
    ways = np.radians(ahead + 90.0 * np.arange(QUARTERS))
    things["ux"], things["uy"] = np.rint(UNIT * np.sin(ways)), np.rint(UNIT * np.cos(ways))
    things["sx"] = things["sy"] = things["sz"] = 1000
    things["text"] = -1
    rows = expand(kind, model, things, np.zeros(QUARTERS, int), []).reshape(len(model), QUARTERS)
    for row, solid in zip(rows, model, strict=True):
        if solid.colour == FIRST:
            row["colour"] = COLOURS[one.colour]
    return [np.ascontiguousarray(rows[:, k]) for k in range(QUARTERS)]
