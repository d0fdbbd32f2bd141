"""Bounding boxes of models in whole millimetres, computed from their solids."""

from __future__ import annotations

from functools import cache
from math import ceil, floor

import numpy as np

from bearleft.errors import InputError
from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.plan import DIRECTION_SCALE
from bearleft.world.city.scene_builder import rotation
from bearleft.world.city.shapes import Solid
from bearleft.world.render.codes import Material, SolidShape

Box = tuple[int, int, int, int, int, int]  # x0, y0, z0, x1, y1, z1
SURFACE_PARTS = ("top", "mattress", "seat")  # parts that carry other things: the first of these that a model has
TOLERANCE_MM = 0.01  # larger than the rounding error of sines, so that it does not change a box

_QUADRANT = (
    (0, 1_000_000),
    (258_819, 965_926),
    (500_000, 866_025),
    (707_107, 707_107),
    (866_025, 500_000),
    (965_926, 258_819),
)
# Directions that a thing may face: 24 steps of 15 degrees, clockwise from north.
FACING_VECTORS: tuple[tuple[int, int], ...] = (
    *_QUADRANT,
    *((y, -x) for x, y in _QUADRANT),
    *((-x, -y) for x, y in _QUADRANT),
    *((-y, x) for x, y in _QUADRANT),
)


def _solid_box(solid: Solid) -> Box:
    reach = np.abs(rotation(solid) * np.array(solid.half)).sum(axis=1) * 1000.0
    if solid.kind == SolidShape.PLATE:  # a plate is flat whatever its second half size
        turned = np.abs(rotation(solid) * np.array((solid.half[0], 0.0, solid.half[2]))).sum(axis=1)
        reach = turned * 1000.0
    low = [floor(1000.0 * at - far + TOLERANCE_MM) for at, far in zip(solid.at, reach.tolist(), strict=True)]
    high = [ceil(1000.0 * at + far - TOLERANCE_MM) for at, far in zip(solid.at, reach.tolist(), strict=True)]
    return low[0], low[1], low[2], high[0], high[1], high[2]


@cache
def part_boxes(name: str, variant: int) -> tuple[tuple[str, Box], ...]:
    """Return the parts of a model and their bounding boxes."""
    return tuple((solid.part, _solid_box(solid)) for solid in CLASSES[class_index(name)].models[variant])


@cache
def bounding_box(name: str, variant: int) -> Box:
    """Return the bounding box of a whole model."""
    boxes = [box for _, box in part_boxes(name, variant)]
    low, high = ([f(box[axis] for box in boxes) for axis in range(6)] for f in (min, max))
    return low[0], low[1], low[2], high[3], high[4], high[5]


@cache
def support_surface(name: str, variant: int) -> tuple[int, int, int, int, int]:
    """Return the surface that things can be placed on: x0, y0, x1, y1 and its height.

    For a round surface it is the inscribed square.

    Raises:
        InputError: The model has no such surface.
    """
    parts = {part for part, _ in part_boxes(name, variant)}
    surface_part = next((part for part in SURFACE_PARTS if part in parts), "top")
    tops = [
        (box, solid)
        for (part, box), solid in zip(
            part_boxes(name, variant), CLASSES[class_index(name)].models[variant], strict=True
        )
        if part == surface_part
    ]
    if not tops:
        raise InputError("a thing with a surface to put things on", name)
    high = max(box[5] for box, _ in tops)
    level = [(box, solid) for box, solid in tops if box[5] > high - 25]
    if surface_part != "top" and len(level) > 1:  # several cushions side by side form one surface
        boxes = [box for box, _ in level]
        low, far = ([f(box[axis] for box in boxes) for axis in range(5)] for f in (min, max))
        return low[0], low[1], far[3], far[4], high
    # With a second cloth on the first, things stand on the widest one.
    (x0, y0, _, x1, y1, _), solid = max(level, key=lambda top: (top[0][3] - top[0][0]) * (top[0][4] - top[0][1]))
    if solid.kind in (SolidShape.CYLINDER, SolidShape.ELLIPSOID, SolidShape.CONE) or solid.yaw % 90:
        dx, dy = (x1 - x0) * 147 // 1000, (y1 - y0) * 147 // 1000
        x0, x1, y0, y1 = x0 + dx, x1 - dx, y0 + dy, y1 - dy
    return x0, y0, x1, y1, high


@cache
def has_surface(name: str, variant: int) -> bool:
    """Return whether things can be placed on a model."""
    return any(part in SURFACE_PARTS for part, _ in part_boxes(name, variant))


@cache
def shows_text(name: str, variant: int) -> bool:
    """Return whether a model shows the text of its thing."""
    return any(s.material == Material.TEXT and s.text is None for s in CLASSES[class_index(name)].models[variant])


def rotated_box(box: Box, facing: int, scale: tuple[int, int, int] = (1000, 1000, 1000)) -> Box:
    """Return the bounding box of a box after scaling it (per mille) and turning it to one of FACING_VECTORS."""
    sx, sy, sz = scale
    x0, x1, y0, y1 = box[0] * sx // 1000, -(-box[3] * sx // 1000), box[1] * sy // 1000, -(-box[4] * sy // 1000)
    z0, z1 = box[2] * sz // 1000, -(-box[5] * sz // 1000)
    quarter, rest = divmod(facing, 6)
    if not rest:
        if quarter == 0:
            return x0, y0, z0, x1, y1, z1
        if quarter == 1:
            return y0, -x1, z0, y1, -x0, z1
        if quarter == 2:
            return -x1, -y1, z0, -x0, -y0, z1
        return -y1, x0, z0, -y0, x1, z1
    ux, uy = FACING_VECTORS[facing]
    xs = [x * uy + y * ux for x in (x0, x1) for y in (y0, y1)]
    ys = [y * uy - x * ux for x in (x0, x1) for y in (y0, y1)]
    return (
        min(xs) // DIRECTION_SCALE,
        min(ys) // DIRECTION_SCALE,
        z0,
        -(-max(xs) // DIRECTION_SCALE),
        -(-max(ys) // DIRECTION_SCALE),
        z1,
    )


def rotated_point(x: int, y: int, facing: int) -> tuple[int, int]:
    """Rotate a point of a thing's own plane to the room's axes, relative to the thing's origin."""
    ux, uy = FACING_VECTORS[facing]
    return (x * uy + y * ux) // DIRECTION_SCALE, (y * uy - x * ux) // DIRECTION_SCALE
