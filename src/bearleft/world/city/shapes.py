"""Solids and models: a model is a list of solids, in metres.

A thing faces +y: x is its right, y ahead, z up. Its origin is on the ground, or on the wall it hangs on with y pointing
out of the wall. Sizes are full sizes, `at` is the centre. Things may be stretched along their own axes when they are
placed; models have their natural size.

A colour is a name in `palette.COLOURS`, or FIRST or SECOND for the two colours of each thing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from bearleft.world.render.codes import Material, Outline, SolidShape

Vector = tuple[float, float, float]
FIRST, SECOND = 0, 1
Colour = str | int


@dataclass(frozen=True)
class Solid:
    """One solid of a model: half sizes along its axes, rotated by roll (about y), tilt (about x), then yaw (about z).

    Positive yaw turns anticlockwise seen from above, positive tilt lifts the +y end, positive roll lowers the +x end.
    `shape` holds the kind's parameters, `pattern` the material's; `text` is what it shows (None: the thing's own text).
    """

    kind: SolidShape
    at: Vector
    half: Vector
    colour: Colour
    part: str = ""
    yaw: float = 0.0
    tilt: float = 0.0
    roll: float = 0.0
    shape: tuple[float, ...] = ()
    material: Material = Material.PLAIN
    second: Colour = "white"
    pattern: tuple[float, ...] = ()
    text: str | None = None


Model = list[Solid]


def _half(size: Vector) -> Vector:
    return size[0] / 2, size[1] / 2, size[2] / 2


def box(at: Vector, size: Vector, colour: Colour, part: str = "", **options: Any) -> Solid:
    """Return a box of `size` (x, y, z)."""
    return Solid(SolidShape.BOX, at, _half(size), colour, part, **options)


def cylinder(at: Vector, radius: float, length: float, colour: Colour, part: str = "", **options: Any) -> Solid:
    """Return an upright cylinder; tilt=90 lays it along y, roll=90 along x."""
    return Solid(SolidShape.CYLINDER, at, (radius, radius, length / 2), colour, part, **options)


def rod(start: Vector, end: Vector, radius: float, colour: Colour, part: str = "", **options: Any) -> Solid:
    """Return a cylinder from one point to another."""
    x, y, z = end[0] - start[0], end[1] - start[1], end[2] - start[2]
    length = math.sqrt(x * x + y * y + z * z)
    middle = (start[0] + x / 2, start[1] + y / 2, start[2] + z / 2)
    tilt = math.degrees(math.acos(z / length))
    yaw = math.degrees(math.atan2(x, -y)) if x or y else 0.0
    return cylinder(middle, radius, length, colour, part, tilt=tilt, yaw=yaw, **options)


def ball(at: Vector, size: Vector, colour: Colour, part: str = "", **options: Any) -> Solid:
    """Return an ellipsoid of full size (x, y, z)."""
    return Solid(SolidShape.ELLIPSOID, at, _half(size), colour, part, **options)


def cone(
    at: Vector, radius: float, length: float, colour: Colour, part: str = "", top: float = 0.0, **options: Any
) -> Solid:
    """Return an upright cone; `top` is the radius at the upper end relative to `radius` (0 to 1)."""
    return Solid(SolidShape.CONE, at, (radius, radius, length / 2), colour, part, shape=(top,), **options)


def taper(
    at: Vector,
    size: Vector,
    colour: Colour,
    part: str = "",
    x: float = 0.0,
    front: float = 0.0,
    back: float = 0.0,
    **options: Any,
) -> Solid:
    """Return a box whose sides lean inwards: x (both), front (+y) and back (-y), as fractions of the half size.

    front=back=1 is a gable roof, x=front=back=1 a pyramid, front=2 a wedge that is high at the back.
    """
    return Solid(SolidShape.TAPER, at, _half(size), colour, part, shape=(x, front, back), **options)


def plate(
    at: Vector,
    width: float,
    height: float,
    colour: Colour,
    part: str = "",
    outline: Outline = Outline.RECTANGLE,
    shape: tuple[float, ...] = (),
    **options: Any,
) -> Solid:
    """Return a flat sheet that faces +y and -y: width along x, height along z.

    `shape` holds the outline's parameters. RING: inner radius as a fraction. BARS: number of upright bars, fraction
    of the width that they cover. LATTICE: bars across, bars up, fraction that they cover.
    """
    return Solid(
        SolidShape.PLATE, at, (width / 2, 0.02, height / 2), colour, part, shape=(float(outline), *shape), **options
    )


def transformed(model: Model, by: Vector = (0, 0, 0), scale: float = 1.0, part: str | None = None) -> Model:
    """Return a model moved and scaled; `part` names all its solids, if given."""
    return [
        replace(
            solid,
            at=(solid.at[0] * scale + by[0], solid.at[1] * scale + by[1], solid.at[2] * scale + by[2]),
            half=(solid.half[0] * scale, solid.half[1] * scale, solid.half[2] * scale),
            part=solid.part if part is None else part,
        )
        for solid in model
    ]
