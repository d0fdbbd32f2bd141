"""Models of the collectibles: seven types in seven colours, dotted or striped, with four facings.

Items stack at STACK_HEIGHT; protruding parts (an antenna, a handle) end below MAX_HEIGHT. No item reaches farther than
MAX_RADIUS from its axis. Models face +y. FIRST is the item's colour, SECOND the colour of its dots and stripes, SHADE
that of its inside.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any

import numpy as np

from bearleft.world.arramon.items.names import COLOURS, ITEMS, PATTERNS, TYPES, Item, item_by_name
from bearleft.world.arramon.moves import GRID_HEADING
from bearleft.world.arramon.task_setup import FACINGS
from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.object_class import ObjectClass
from bearleft.world.city.plan import DIRECTION_SCALE, THING, Rows
from bearleft.world.city.scene_builder import CLASS_BASE, instantiate
from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, Vector, ball, box, cone, cylinder, rod, taper
from bearleft.world.render.codes import Material

STACK_HEIGHT, MAX_HEIGHT, MAX_RADIUS = 0.85, 1.12, 0.66  # metres
SHADE = 2
RGB = tuple[int, int, int]
WHITE, BLACK, DARK = (250, 250, 250), (24, 24, 30), (46, 20, 6)
# Dots and stripes: white on dark colours, black on light ones; dark brown on brown, which white would turn tan.
PATTERN_COLOURS: dict[str, RGB] = {
    "brown": DARK,
    "green": BLACK,
    "blue": WHITE,
    "red": WHITE,
    "yellow": BLACK,
    "white": BLACK,
    "purple": WHITE,
}
COVER_ANGLE = 20.0  # degrees by which each cover of a book is open
PATTERN_SPACING = 0.28  # metres between dots, and between stripes


def pattern_style(pattern: str, spacing: float = PATTERN_SPACING) -> dict[str, Any]:
    """Return the material of a patterned solid; `spacing` is the distance in metres between dots or stripes."""
    if pattern == "dotted":
        return {"material": Material.DOTS, "second": SECOND, "pattern": (spacing, 0.3 * spacing)}
    return {"material": Material.RIBBONS, "second": SECOND, "pattern": (spacing, 0.38 * spacing)}


def book(pattern: str) -> Model:
    """Return a half-open, upright book: a spine, two covers with titles, and pages.

    A cover and the spine are visible from the front.
    """
    model = [box((0, -0.31, 0.425), (0.26, 0.07, 0.85), SHADE, "spine")]
    sine, cosine = math.sin(math.radians(COVER_ANGLE)), math.cos(math.radians(COVER_ANGLE))
    for side in (-1, 1):
        # Centre of each box: distance along the cover, distance inwards from it, height.
        for along, inwards, up, size, colour, part, style in (
            (0.33, 0.0, 0.425, (0.05, 0.68, 0.85), FIRST, "cover", pattern_style(pattern)),
            (0.31, 0.075, 0.425, (0.1, 0.6, 0.79), "cream", "pages", {}),
            (0.33, -0.025, 0.425, (0.014, 0.5, 0.22), SHADE, "title", {}),
            (0.33, -0.027, 0.425, (0.018, 0.43, 0.15), "cream", "title", {}),
        ):
            at = (side * (0.1 + sine * along - cosine * inwards), -0.31 + cosine * along + sine * inwards, up)
            model.append(box(at, size, colour, part, yaw=-side * COVER_ANGLE, **style))
    return _rotated(model, -142.0)


def hourglass(pattern: str) -> Model:
    """Return an hourglass: two cones that meet at their tips, between two discs and three posts."""
    posts: list[tuple[float, float]] = [(0.36 * math.cos(a), 0.36 * math.sin(a)) for a in (0.5, 2.6, 4.7)]
    return [
        cylinder((0, 0, 0.07), 0.41, 0.14, FIRST, "base", **pattern_style(pattern, 0.21)),
        cylinder((0, 0, 0.78), 0.41, 0.14, FIRST, "lid", **pattern_style(pattern, 0.21)),
        cone((0, 0, 0.2825), 0.34, 0.285, FIRST, "glass", top=0.16, **pattern_style(pattern, 0.24)),
        cone((0, 0, 0.5675), 0.34, 0.285, FIRST, "glass", top=0.16, roll=180, **pattern_style(pattern, 0.24)),
        *(rod((x, y, 0.1), (x, y, 0.75), 0.025, FIRST, "post") for x, y in posts),
    ]


def mug(pattern: str) -> Model:
    """Return a mug: a cylinder full of coffee with a large handle."""
    return [
        cylinder((0, 0, 0.39), 0.33, 0.78, FIRST, "body", **pattern_style(pattern)),
        cylinder((0, 0, 0.81), 0.35, 0.08, FIRST, "rim"),
        cylinder((0, 0, 0.851), 0.32, 0.004, "cream", "inside"),
        cylinder((0, 0, 0.853), 0.26, 0.006, "bark", "coffee"),
        *_arc((0.27, 0, 0.42), 0.31, 0.06, (-78, 78), 4, "handle", upright=False),
    ]


def bucket(pattern: str) -> Model:
    """Return a bucket: hollow, wider at the top, with a handle over it."""
    return [
        cone((0, 0, 0.4), 0.42, 0.8, FIRST, "body", top=0.7, roll=180, **pattern_style(pattern)),
        cylinder((0, 0, 0.825), 0.45, 0.05, FIRST, "rim"),
        cylinder((0, 0, 0.851), 0.39, 0.006, SHADE, "inside"),
        *_arc((0, 0, 0.82), 0.43, 0.025, (-90, 90), 5, "handle", flat=0.62),
    ]


def sphere(pattern: str) -> Model:
    """Return a ball."""
    return [
        ball(
            (0, 0, STACK_HEIGHT / 2),
            (STACK_HEIGHT, STACK_HEIGHT, STACK_HEIGHT),
            FIRST,
            "ball",
            **pattern_style(pattern),
        )
    ]


def tv(pattern: str) -> Model:
    """Return an old TV: a case with a tube behind, a dark screen, knobs, feet and two antennas."""
    case = pattern_style(pattern, 0.19)  # so that whole dots fit around the screen
    return [
        box((0, 0.1, 0.46), (1.06, 0.36, 0.78), FIRST, "case", **case),
        taper((0, -0.23, 0.45), (0.8, 0.6, 0.3), FIRST, "tube", x=0.3, front=0.3, back=0.3, tilt=90, **case),
        box((-0.09, 0.275, 0.46), (0.59, 0.03, 0.46), "black", "frame"),
        box((-0.09, 0.285, 0.46), (0.51, 0.03, 0.38), "glass", "screen", material=Material.GLASS),
        cylinder((0.36, 0.29, 0.56), 0.06, 0.05, "silver", "knob", tilt=90),
        cylinder((0.36, 0.29, 0.36), 0.06, 0.05, "silver", "knob", tilt=90),
        box((0, 0.05, 0.035), (0.8, 0.3, 0.07), "black", "feet"),
        rod((0.05, 0, 0.84), (0.35, -0.05, 1.1), 0.02, "dark grey", "antenna"),
        rod((-0.05, 0, 0.84), (-0.35, -0.05, 1.1), 0.02, "dark grey", "antenna"),
    ]


def bowl(pattern: str) -> Model:
    """Return a bowl: wide and hollow, on a narrow foot."""
    return [
        cone((0, 0, 0.075), 0.34, 0.15, FIRST, "foot", top=0.7),
        cone(
            (0, 0, 0.28),
            0.5,
            0.28,
            FIRST,
            "body",
            top=0.5,
            roll=180,
            **pattern_style(pattern, PATTERN_SPACING * 0.5 / 0.62),
        ),
        cone((0, 0, 0.61), 0.62, 0.38, FIRST, "body", top=0.5 / 0.62, roll=180, **pattern_style(pattern)),
        cylinder((0, 0, 0.825), 0.64, 0.05, FIRST, "rim"),
        cylinder((0, 0, 0.851), 0.58, 0.006, SHADE, "inside"),
    ]


def _rotated(model: Model, degrees: float) -> Model:
    """Return a model rotated anticlockwise, seen from above."""
    sine, cosine = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
    return [
        replace(
            solid,
            at=(cosine * solid.at[0] - sine * solid.at[1], sine * solid.at[0] + cosine * solid.at[1], solid.at[2]),
            yaw=solid.yaw + degrees,
        )
        for solid in model
    ]


def _arc(
    centre: Vector,
    radius: float,
    thick: float,
    ends: tuple[float, float],
    count: int,
    part: str,
    upright: bool = True,
    flat: float = 1.0,
) -> Model:
    """Return rods along an arc in the xz plane; angles are in degrees from the top, or from +x if not upright."""
    angles = np.radians(np.linspace(*ends, count + 1))
    along, across = radius * np.sin(angles), radius * np.cos(angles) * flat
    x, z = (along, across) if upright else (across, along)
    points = [(centre[0] + float(a), centre[1], centre[2] + float(b)) for a, b in zip(x, z, strict=True)]
    joints = [ball(point, (2 * thick, 2 * thick, 2 * thick), FIRST, part) for point in points[1:-1]]
    return [rod(start, end, thick, FIRST, part) for start, end in pairwise(points)] + joints


MODELS: dict[str, Callable[[str], Model]] = {
    "book": book,
    "hourglass": hourglass,
    "mug": mug,
    "bucket": bucket,
    "ball": sphere,
    "tv": tv,
    "bowl": bowl,
}
# One class per type, so that its parts have names; its variants are dotted and striped.
ITEM_CLASSES = tuple(ObjectClass(name, tuple(partial(MODELS[name], pattern) for pattern in PATTERNS)) for name in TYPES)


def template_index(name: str, facing: int = 0) -> int:
    """Return the index of an item's template."""
    return item_by_name(name).index * FACINGS + facing


def template_classes() -> list[int]:
    """Return the class of each template in rendered pictures; the seven types follow the classes of the catalog."""
    return [CLASS_BASE + len(CLASSES) + TYPES.index(item.type) for item in ITEMS for _ in range(FACINGS)]


def templates(ahead: float = GRID_HEADING) -> list[Rows]:
    """Return the solids of each template around the origin; facing 0 has the heading `ahead`."""
    return [rows.copy() for rows in _templates(ahead)]


@lru_cache(maxsize=4)
def _templates(ahead: float) -> tuple[Rows, ...]:
    return tuple(rows for item in ITEMS for rows in _facings(item, ahead))


def _facings(item: Item, ahead: float) -> list[Rows]:
    """Return the solids of an item in each facing."""
    object_class = ITEM_CLASSES[TYPES.index(item.type)]
    model = object_class.models[PATTERNS.index(item.pattern)]
    things = np.zeros(FACINGS, THING)
    angles = np.radians(ahead + 90.0 * np.arange(FACINGS))
    things["ux"], things["uy"] = np.rint(DIRECTION_SCALE * np.sin(angles)), np.rint(DIRECTION_SCALE * np.cos(angles))
    things["sx"] = things["sy"] = things["sz"] = 1000
    things["text"] = -1
    item_colours = {
        FIRST: COLOURS[item.colour],
        SECOND: PATTERN_COLOURS[item.colour],
        SHADE: _shade(COLOURS[item.colour]),
    }
    palette_model = [
        replace(solid, colour=_palette_colour(solid.colour), second=_palette_colour(solid.second)) for solid in model
    ]
    rows = instantiate(object_class, palette_model, things, np.zeros(FACINGS, int), []).reshape(len(model), FACINGS)
    for row, solid in zip(rows, model, strict=True):
        for name, colour in (("colour", solid.colour), ("second", solid.second)):
            if isinstance(colour, int):
                row[name] = item_colours[colour]
    return [np.ascontiguousarray(rows[:, k]) for k in range(FACINGS)]


def _palette_colour(colour: Colour) -> Colour:
    """Return a colour of the palette in place of the item's own colours."""
    return FIRST if isinstance(colour, int) else colour


def _shade(colour: RGB) -> RGB:
    red, green, blue = (c * 11 // 20 for c in colour)
    return red, green, blue
