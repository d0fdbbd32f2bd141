"""What things are made of: a model is a list of solids in the thing's own metres.

A thing faces +y: x is its right, y ahead, z up, and its origin stands on the ground (or touches the wall it hangs on,
y pointing out of the wall). Sizes are full sizes, `at` is the middle. A thing may be stretched along its own axes when
it is placed, so models are drawn at their usual size.

A colour is the name of one of `palette.COLOURS`, or FIRST or SECOND for the colours that each thing has of its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from bearleft.world.render.codes import Kind, Material, Outline

Vector = tuple[float, float, float]
FIRST, SECOND = 0, 1
Colour = str | int


@dataclass(frozen=True)
class Solid:
    """One solid of a model: `half` along its own axes, turned by roll (about y), tilt (about x), then yaw (about z).

    Positive yaw turns anticlockwise seen from above, positive tilt lifts the +y end, positive roll lowers the +x end.
    `shape` are the kind's parameters, `pattern` the material's; `text` is what it says (None: the thing's own text).
    """

    kind: Kind
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


def box(at: Vector, size: Vector, colour: Colour, part: str = "", **more: Any) -> Solid:
    """A box of `size` (x, y, z)."""
    return Solid(Kind.BOX, at, _half(size), colour, part, **more)


def cylinder(at: Vector, radius: float, length: float, colour: Colour, part: str = "", **more: Any) -> Solid:
    """Upright; tilt=90 lays it along y, roll=90 along x."""
    return Solid(Kind.CYLINDER, at, (radius, radius, length / 2), colour, part, **more)


def rod(start: Vector, end: Vector, radius: float, colour: Colour, part: str = "", **more: Any) -> Solid:
    """A cylinder from one point to another."""
    x, y, z = end[0] - start[0], end[1] - start[1], end[2] - start[2]
    length = math.sqrt(x * x + y * y + z * z)
    middle = (start[0] + x / 2, start[1] + y / 2, start[2] + z / 2)
    tilt = math.degrees(math.acos(z / length))
    yaw = math.degrees(math.atan2(x, -y)) if x or y else 0.0
    return cylinder(middle, radius, length, colour, part, tilt=tilt, yaw=yaw, **more)


def ball(at: Vector, size: Vector, colour: Colour, part: str = "", **more: Any) -> Solid:
    """An ellipsoid of full size (x, y, z)."""
    return Solid(Kind.ELLIPSOID, at, _half(size), colour, part, **more)


def cone(
    at: Vector, radius: float, length: float, colour: Colour, part: str = "", top: float = 0.0, **more: Any
) -> Solid:
    """Upright; `top` is the radius at the upper end as a share of `radius` (0 to 1)."""
    return Solid(Kind.CONE, at, (radius, radius, length / 2), colour, part, shape=(top,), **more)


def taper(
    at: Vector,
    size: Vector,
    colour: Colour,
    part: str = "",
    x: float = 0.0,
    front: float = 0.0,
    back: float = 0.0,
    **more: Any,
) -> Solid:
    """A box whose sides lean inwards on the way up: x (both), front (+y) and back (-y), as shares of the half size.

    front=back=1 is a gable roof, x=front=back=1 a pyramid, front=2 a wedge that is high at the back.
    """
    return Solid(Kind.TAPER, at, _half(size), colour, part, shape=(x, front, back), **more)


def plate(
    at: Vector,
    width: float,
    height: float,
    colour: Colour,
    part: str = "",
    outline: Outline = Outline.RECTANGLE,
    shape: tuple[float, ...] = (),
    **more: Any,
) -> Solid:
    """A flat sheet that faces +y (and -y): width along x, height along z; `shape` are the outline's numbers.

    RING: inner radius as a share. BARS: how many upright bars, share of the width that is bar. LATTICE: bars across,
    bars up, share that is bar.
    """
    return Solid(Kind.PLATE, at, (width / 2, 0.02, height / 2), colour, part, shape=(float(outline), *shape), **more)


def transformed(model: Model, by: Vector = (0, 0, 0), scale: float = 1.0, part: str | None = None) -> Model:
    """A model elsewhere, larger or smaller, all of it one part if named: for putting models together."""
    return [
        replace(
            one,
            at=(one.at[0] * scale + by[0], one.at[1] * scale + by[1], one.at[2] * scale + by[2]),
            half=(one.half[0] * scale, one.half[1] * scale, one.half[2] * scale),
            part=one.part if part is None else part,
        )
        for one in model
    ]
