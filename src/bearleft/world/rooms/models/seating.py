"""Seats: sofas, armchairs, chairs, stools, ottomans, office chairs. The backrest is at -y."""

from __future__ import annotations

from itertools import pairwise
from math import cos, radians, sin

from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, ball, box, cylinder, rod, taper
from bearleft.world.render.codes import Material

CLOTH = Material.CLOTH


def legs(width: float, depth: float, height: float, colour: Colour, thickness: float = 0.05, y: float = 0.0) -> Model:
    """Return four square legs under the corners of a rectangle.

    Args:
        width: Width of the rectangle.
        depth: Depth of the rectangle.
        height: Height of the legs.
        colour: Colour.
        thickness: Thickness of a leg.
        y: Centre of the rectangle along y.
    """
    x, ahead = (width - thickness) / 2, (depth - thickness) / 2
    return [
        box((a, y + b, height / 2), (thickness, thickness, height), colour, "leg")
        for a in (-x, x)
        for b in (-ahead, ahead)
    ]


def _upholstered(width: float, seats: int, depth: float = 0.9) -> Model:
    """Return a body on short feet with armrests, and a seat and a back cushion for each seat."""
    inner = (width - 0.4) / seats
    model: Model = [
        *legs(width - 0.1, depth - 0.1, 0.08, "brown", 0.06),
        box((0, 0.02, 0.19), (width - 0.06, depth - 0.04, 0.22), FIRST, "base"),
        box((0, -depth / 2 + 0.1, 0.5), (width - 0.06, 0.2, 0.66), FIRST, "backrest", material=CLOTH),
    ]
    for side, x in (("right armrest", width / 2 - 0.1), ("left armrest", 0.1 - width / 2)):
        model += [
            box((x, 0.02, 0.34), (0.2, depth - 0.04, 0.52), FIRST, side),
            cylinder((x, 0.02, 0.6), 0.1, depth - 0.04, FIRST, side, tilt=90),
        ]
    for k in range(seats):
        x = (k - (seats - 1) / 2) * inner
        model += [
            box((x, 0.09, 0.375), (inner - 0.015, depth - 0.26, 0.16), FIRST, "seat", material=CLOTH),
            box((x, -depth / 2 + 0.27, 0.64), (inner - 0.02, 0.16, 0.4), FIRST, "cushion", tilt=10, material=CLOTH),
        ]
    return model


def sofa() -> Model:
    """Return a sofa for three with rolled armrests and two throw pillows."""
    pillows = [
        box((x, -0.02, 0.6), (0.38, 0.13, 0.36), SECOND, "pillow", tilt=24, roll=roll)
        for x, roll in ((0.66, 8), (-0.66, -8))
    ]
    return [*_upholstered(2.1, 3), *pillows]


def sofa_for_two() -> Model:
    """Return a sofa for two."""
    return _upholstered(1.5, 2)


def sofa_corner() -> Model:
    """Return a sofa with a chaise longue on its left."""
    return [
        *legs(2.4, 0.86, 0.08, "black", 0.06),
        box((0, 0, 0.2), (2.5, 0.94, 0.24), FIRST, "base"),
        box((0, -0.37, 0.5), (2.5, 0.2, 0.62), FIRST, "backrest", material=CLOTH),
        box((1.15, 0, 0.4), (0.2, 0.94, 0.44), FIRST, "right armrest"),
        box((-1.15, 0.3, 0.4), (0.2, 1.54, 0.44), FIRST, "left armrest"),
        box((-0.75, 0.76, 0.2), (1.0, 0.6, 0.24), FIRST, "base"),
        box((-0.68, 0.39, 0.4), (0.74, 1.32, 0.16), FIRST, "long seat", material=CLOTH),
        *(box((x, 0.1, 0.4), (0.66, 0.72, 0.16), FIRST, "seat", material=CLOTH) for x in (0.04, 0.71)),
        *(
            box((x, -0.2, 0.65), (0.66, 0.16, 0.38), FIRST, "cushion", tilt=10, material=CLOTH)
            for x in (-0.68, 0.02, 0.71)
        ),
        box((0.72, -0.04, 0.62), (0.38, 0.13, 0.36), SECOND, "pillow", tilt=24, roll=-10),
        *(box((x, 1.0, 0.04), (0.06, 0.06, 0.08), "black", "leg") for x in (-0.3, -1.15)),
    ]


def sofa_wooden() -> Model:
    """Return a low sofa with a wooden frame, open arms, and three seat and three back cushions."""
    return [
        *legs(2.0, 0.84, 0.18, "brown", 0.06),
        box((0, 0.02, 0.23), (1.92, 0.82, 0.1), "brown", "base", material=Material.WOOD, pattern=(0.2,)),
        *(box((x, 0.02, 0.56), (0.09, 0.86, 0.05), "brown", side) for x, side in _arms(0.98)),
        *(box((x, y, 0.38), (0.06, 0.06, 0.34), "brown", side) for x, side in _arms(0.98) for y in (-0.34, 0.38)),
        *(box((x, 0.06, 0.36), (0.6, 0.74, 0.16), FIRST, "seat") for x in (-0.62, 0, 0.62)),
        *(box((x, -0.33, 0.6), (0.6, 0.16, 0.46), FIRST, "backrest", tilt=12) for x in (-0.62, 0, 0.62)),
    ]


def _arms(x: float) -> tuple[tuple[float, str], tuple[float, str]]:
    return (x, "right armrest"), (-x, "left armrest")


def armchair() -> Model:
    """Return an armchair with a pillow."""
    return [*_upholstered(1.0, 1), box((0, -0.04, 0.58), (0.42, 0.13, 0.36), SECOND, "pillow", tilt=22)]


def armchair_wing() -> Model:
    """Return an armchair with a high back and wings, on turned legs."""
    return [
        *legs(0.64, 0.66, 0.22, "brown", 0.055),
        box((0, 0.02, 0.29), (0.72, 0.72, 0.16), FIRST, "base"),
        box((0, 0.06, 0.43), (0.52, 0.62, 0.14), SECOND, "seat", material=CLOTH),
        box((0, -0.31, 0.76), (0.72, 0.14, 0.86), FIRST, "backrest", tilt=6, material=CLOTH),
        *(box((x, 0.03, 0.48), (0.12, 0.68, 0.26), FIRST, side) for x, side in _arms(0.34)),
        *(cylinder((x, 0.03, 0.61), 0.07, 0.68, FIRST, side, tilt=90) for x, side in _arms(0.34)),
        *(taper((x, -0.2, 0.92), (0.1, 0.3, 0.56), FIRST, "wing", front=0.7) for x in (-0.35, 0.35)),
    ]


def armchair_round() -> Model:
    """Return a tub chair on splayed legs."""
    back = [
        box((0.36 * sin(radians(a)), -0.36 * cos(radians(a)) + 0.05, 0.56), (0.25, 0.09, 0.44), FIRST, part, yaw=a)
        for a, part in (
            (-105, "left armrest"),
            (-70, "left armrest"),
            (-35, "backrest"),
            (0, "backrest"),
            (35, "backrest"),
            (70, "right armrest"),
            (105, "right armrest"),
        )
    ]
    feet = [
        rod((x * 0.7, y * 0.7 + 0.05, 0.26), (x, y + 0.05, 0.01), 0.02, "tan", "leg")
        for x in (-0.32, 0.32)
        for y in (-0.3, 0.3)
    ]
    return [
        *feet,
        cylinder((0, 0.05, 0.3), 0.38, 0.12, FIRST, "base"),
        cylinder((0, 0.07, 0.4), 0.32, 0.12, SECOND, "seat"),
        *back,
    ]


def chair() -> Model:
    """Return a wooden chair with a ladder back."""
    posts = [box((x, -0.19, 0.47), (0.04, 0.04, 0.94), FIRST, "leg") for x in (-0.19, 0.19)]
    fronts = [box((x, 0.19, 0.22), (0.04, 0.04, 0.44), FIRST, "leg") for x in (-0.19, 0.19)]
    rungs = [box((0, y, z), (0.36, 0.02, 0.03), FIRST, "rung") for y, z in ((0.19, 0.22), (-0.19, 0.16))]
    slats = [box((0, -0.19, z), (0.36, 0.02, 0.07), FIRST, "backrest") for z in (0.6, 0.74, 0.88)]
    return [*posts, *fronts, *rungs, *slats, box((0, 0, 0.455), (0.44, 0.44, 0.035), FIRST, "seat")]


def chair_padded() -> Model:
    """Return a dining chair with a padded seat and a tall padded back."""
    return [
        *legs(0.44, 0.44, 0.42, "brown", 0.045),
        box((0, 0, 0.45), (0.48, 0.48, 0.1), FIRST, "seat", material=CLOTH),
        box((0, -0.23, 0.74), (0.46, 0.08, 0.54), FIRST, "backrest", tilt=6, material=CLOTH),
    ]


def chair_shell() -> Model:
    """Return a curved shell of plastic on splayed wooden legs."""
    feet = [
        rod((x * 0.6, y * 0.6, 0.42), (x, y, 0.006), 0.018, "sandstone", "leg")
        for x in (-0.22, 0.22)
        for y in (-0.22, 0.22)
    ]
    return [
        *feet,
        box((0, 0, 0.4), (0.3, 0.3, 0.02), "black", "frame"),
        ball((0, 0.02, 0.44), (0.5, 0.48, 0.07), FIRST, "seat"),
        ball((0, -0.23, 0.64), (0.46, 0.07, 0.42), FIRST, "backrest", tilt=12),
        *(box((x, -0.12, 0.5), (0.03, 0.26, 0.12), FIRST, "seat", tilt=-18, yaw=x * -40) for x in (-0.2, 0.2)),
    ]


def chair_cross() -> Model:
    """Return a bentwood cafe chair: a round seat, and a hoop with a cross as its back."""
    hoop = [(-0.19, 0.46), (-0.2, 0.74), (-0.12, 0.88), (0.12, 0.88), (0.2, 0.74), (0.19, 0.46)]
    back = [rod((a, -0.18, b), (c, -0.18, d), 0.018, FIRST, "backrest") for (a, b), (c, d) in pairwise(hoop)]
    feet = [rod((x * 0.8, y * 0.8, 0.44), (x, y, 0.004), 0.019, FIRST, "leg") for x in (-0.2, 0.2) for y in (-0.2, 0.2)]
    return [
        *feet,
        *back,
        rod((-0.18, -0.18, 0.5), (0.16, -0.18, 0.84), 0.013, FIRST, "backrest"),
        rod((0.18, -0.18, 0.5), (-0.16, -0.18, 0.84), 0.013, FIRST, "backrest"),
        cylinder((0, 0, 0.45), 0.22, 0.03, SECOND, "seat"),
        cylinder((0, 0, 0.43), 0.23, 0.02, FIRST, "frame"),
    ]


def stool() -> Model:
    """Return a stool: three splayed legs under a round seat."""
    feet = [
        rod((0.1 * sin(a), 0.1 * cos(a), 0.43), (0.19 * sin(a), 0.19 * cos(a), 0.005), 0.02, SECOND, "leg")
        for a in (radians(60), radians(180), radians(300))
    ]
    return [
        *feet,
        cylinder((0, 0, 0.445), 0.18, 0.04, FIRST, "seat"),
        cylinder((0, 0, 0.2), 0.14, 0.02, SECOND, "ring"),
    ]


def stool_square() -> Model:
    """Return a square seat on four legs with rungs."""
    rungs = [box((0, y, 0.16), (0.3, 0.025, 0.03), FIRST, "rung") for y in (-0.15, 0.15)]
    sides = [box((x, 0, 0.22), (0.025, 0.3, 0.03), FIRST, "rung") for x in (-0.15, 0.15)]
    return [*legs(0.36, 0.36, 0.44, FIRST, 0.04), *rungs, *sides, box((0, 0, 0.46), (0.38, 0.38, 0.04), FIRST, "seat")]


def ottoman() -> Model:
    """Return a padded box on short feet, with a button in its middle."""
    return [
        *legs(0.6, 0.5, 0.1, "brown", 0.05),
        box((0, 0, 0.21), (0.7, 0.56, 0.22), FIRST, "body", material=CLOTH),
        box((0, 0, 0.37), (0.72, 0.58, 0.1), FIRST, "seat"),
        box((0, 0, 0.325), (0.725, 0.585, 0.012), SECOND, "piping"),
        ball((0, 0, 0.42), (0.06, 0.06, 0.02), SECOND, "button"),
    ]


def ottoman_round() -> Model:
    """Return a round pouf of two colours."""
    return [
        cylinder((0, 0, 0.02), 0.24, 0.04, "black", "foot"),
        cylinder((0, 0, 0.22), 0.3, 0.3, FIRST, "body", material=Material.STRIPES, second=SECOND, pattern=(0.1571,)),
        ball((0, 0, 0.36), (0.6, 0.6, 0.14), FIRST, "seat"),
        ball((0, 0, 0.43), (0.09, 0.09, 0.03), SECOND, "button"),
    ]


def office_chair() -> Model:
    """Return a swivel chair: five spokes with castors, a gas spring, armrests, a curved back."""
    spokes: Model = []
    for k in range(5):
        a = radians(72 * k)
        spokes += [
            rod((0, 0, 0.12), (0.3 * sin(a), 0.3 * cos(a), 0.075), 0.022, "dark grey", "spoke"),
            ball((0.3 * sin(a), 0.3 * cos(a), 0.035), (0.07, 0.07, 0.07), "black", "castor"),
        ]
    return [
        *spokes,
        cylinder((0, 0, 0.26), 0.03, 0.3, "silver", "post"),
        box((0, 0.02, 0.47), (0.5, 0.48, 0.09), FIRST, "seat"),
        rod((0, -0.22, 0.44), (0, -0.3, 0.72), 0.03, "dark grey", "bracket"),
        box((0, -0.28, 0.85), (0.46, 0.08, 0.56), FIRST, "backrest", tilt=8),
        *(box((x, -0.02, 0.69), (0.06, 0.28, 0.04), "black", side) for x, side in _arms(0.28)),
        *(box((x, -0.04, 0.58), (0.03, 0.05, 0.22), "dark grey", side) for x, side in _arms(0.28)),
    ]


def office_chair_mesh() -> Model:
    """Return an office chair with a net back and a headrest."""
    plain = [solid for solid in office_chair() if solid.part not in ("backrest", "castor")]
    castors = [solid for solid in office_chair() if solid.part == "castor"]
    return [
        *plain,
        *castors,
        box(
            (0, -0.27, 0.82),
            (0.44, 0.03, 0.5),
            FIRST,
            "backrest",
            tilt=8,
            material=Material.CHECKS,
            second="dark grey",
            pattern=(0.03,),
        ),
        *(box((x, -0.27, 0.82), (0.03, 0.05, 0.54), "black", "frame", tilt=8) for x in (-0.23, 0.23)),
        box((0, -0.31, 1.16), (0.28, 0.07, 0.14), FIRST, "headrest"),
        box((0, -0.33, 1.08), (0.04, 0.03, 0.1), "dark grey", "bracket"),
    ]


def office_chair_executive() -> Model:
    """Return an office chair with a high back padded in three rolls."""
    plain = [solid for solid in office_chair() if solid.part not in ("backrest", "seat")]
    rolls = [
        box((0, -0.27 - 0.03 * k, 0.68 + 0.21 * k), (0.54, 0.13, 0.2), FIRST, "backrest", tilt=8) for k in range(3)
    ]
    return [*plain, *rolls, box((0, 0.02, 0.48), (0.56, 0.52, 0.14), FIRST, "seat")]


def stool_step() -> Model:
    """Return a step stool with two treads."""
    return [
        *(box((x, -0.02, 0.21), (0.03, 0.36, 0.42), FIRST, "side") for x in (-0.19, 0.19)),
        box((0, 0.13, 0.2), (0.38, 0.2, 0.03), SECOND, "step"),
        box((0, -0.08, 0.43), (0.44, 0.28, 0.03), SECOND, "seat"),
    ]
