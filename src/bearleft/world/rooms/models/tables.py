"""Tables and desks. The part "top" is the surface for other objects; lower boards are "shelf"."""

from __future__ import annotations

from math import cos, radians, sin

from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, ball, box, cone, cylinder, rod
from bearleft.world.render.codes import Material
from bearleft.world.rooms.models.seating import legs

WOOD = Material.WOOD


def _board(width: float, depth: float, height: float, thickness: float = 0.035, colour: Colour = FIRST) -> Model:
    """Return a table top with its upper face at `height`."""
    return [
        box((0, 0, height - thickness / 2), (width, depth, thickness), colour, "top", material=WOOD, pattern=(0.13,))
    ]


def coffee_table() -> Model:
    """Return a low, long table with a shelf between its legs."""
    return [
        *legs(1.04, 0.54, 0.39, FIRST, 0.06),
        *_board(1.1, 0.6, 0.42),
        box((0, 0, 0.14), (1.0, 0.5, 0.025), FIRST, "shelf"),
    ]


def coffee_table_glass() -> Model:
    """Return a glass top on a metal frame."""
    bars = [box((0, y, 0.03), (1.0, 0.03, 0.03), SECOND, "frame") for y in (-0.26, 0.26)]
    return [
        *legs(1.02, 0.55, 0.4, SECOND, 0.03),
        *bars,
        box((0, 0, 0.41), (1.06, 0.6, 0.02), "light blue", "top", material=Material.GLASS, second="white"),
        box((0, 0, 0.4), (1.02, 0.55, 0.015), "glass", "frame"),
    ]


def coffee_table_round() -> Model:
    """Return a round table on three splayed legs."""
    feet = [
        rod((0.2 * sin(a), 0.2 * cos(a), 0.38), (0.34 * sin(a), 0.34 * cos(a), 0.008), 0.022, SECOND, "leg")
        for a in (radians(60), radians(180), radians(300))
    ]
    return [*feet, cylinder((0, 0, 0.4), 0.43, 0.04, FIRST, "top"), cylinder((0, 0, 0.37), 0.24, 0.02, SECOND, "frame")]


def dining_table() -> Model:
    """Return a table for six on four square legs."""
    apron = [box((0, y, 0.67), (1.5, 0.025, 0.09), FIRST, "apron") for y in (-0.4, 0.4)]
    sides = [box((x, 0, 0.67), (0.025, 0.8, 0.09), FIRST, "apron") for x in (-0.74, 0.74)]
    return [*legs(1.54, 0.84, 0.72, FIRST, 0.07), *apron, *sides, *_board(1.6, 0.9, 0.75)]


def dining_table_round() -> Model:
    """Return a round table on a pillar with four feet."""
    feet = [
        rod((0, 0, 0.14), (x, y, 0.03), 0.03, SECOND, "foot") for x, y in ((0.4, 0), (-0.4, 0), (0, 0.4), (0, -0.4))
    ]
    return [
        *feet,
        cylinder((0, 0, 0.4), 0.06, 0.66, SECOND, "leg"),
        cone((0, 0, 0.66), 0.2, 0.12, SECOND, "leg", top=0.3, roll=180),
        cylinder((0, 0, 0.73), 0.58, 0.04, FIRST, "top"),
    ]


def dining_table_trestle() -> Model:
    """Return a farm table on two trestles."""
    model = _board(1.9, 0.9, 0.76, 0.05)
    for x in (-0.65, 0.65):
        model += [
            rod((x, -0.36, 0.025), (x, 0.24, 0.7), 0.035, SECOND, "leg"),
            rod((x, 0.36, 0.025), (x, -0.24, 0.7), 0.035, SECOND, "leg"),
            box((x, 0, 0.68), (0.09, 0.74, 0.06), SECOND, "beam"),
        ]
    return [*model, box((0, 0, 0.36), (1.3, 0.04, 0.09), SECOND, "beam")]


def side_table() -> Model:
    """Return a small round table on a thin stem."""
    return [
        cylinder((0, 0, 0.015), 0.17, 0.03, SECOND, "base"),
        cylinder((0, 0, 0.28), 0.025, 0.54, SECOND, "leg"),
        ball((0, 0, 0.3), (0.09, 0.09, 0.09), SECOND, "knob"),
        cylinder((0, 0, 0.55), 0.24, 0.03, FIRST, "top"),
    ]


def side_table_square() -> Model:
    """Return a square table with a drawer and a shelf."""
    return [
        *legs(0.43, 0.43, 0.53, FIRST, 0.04),
        box((0, 0, 0.555), (0.48, 0.48, 0.03), FIRST, "top"),
        box((0, 0, 0.46), (0.42, 0.4, 0.14), FIRST, "body"),
        box((0, 0.205, 0.46), (0.33, 0.02, 0.11), SECOND, "drawer"),
        ball((0, 0.225, 0.46), (0.03, 0.03, 0.03), "gold", "knob"),
        box((0, 0, 0.15), (0.42, 0.42, 0.02), FIRST, "shelf"),
    ]


def side_table_tray() -> Model:
    """Return a tray with a rim on crossed legs."""
    cross = [
        rod((x, -0.19 * s, 0.02), (x, 0.19 * s, 0.52), 0.014, SECOND, "leg") for x in (-0.17, 0.17) for s in (-1, 1)
    ]
    rims = [box((0, y, 0.56), (0.5, 0.015, 0.06), FIRST, "rim") for y in (-0.19, 0.19)]
    ends = [box((x, 0, 0.56), (0.015, 0.38, 0.06), FIRST, "rim") for x in (-0.25, 0.25)]
    feet = [cylinder((0, y, 0.02), 0.014, 0.36, SECOND, "leg", roll=90) for y in (-0.19, 0.19)]
    return [*cross, *feet, box((0, 0, 0.54), (0.5, 0.38, 0.02), FIRST, "top"), *rims, *ends]


def _drawers(x: float, width: float, rows: int, front: float) -> Model:
    """Return a block of drawers below a desk's top, their faces at y = front."""
    step = 0.6 / rows
    return [
        box((x, front - 0.3, 0.36), (width, 0.58, 0.72), FIRST, "body"),
        *(
            solid
            for k in range(rows)
            for solid in (
                box((x, front, 0.1 + step * (k + 0.5)), (width - 0.03, 0.02, step - 0.02), SECOND, "drawer"),
                box((x, front + 0.02, 0.1 + step * (k + 0.5)), (0.12, 0.02, 0.02), "silver", "handle"),
            )
        ),
    ]


def desk() -> Model:
    """Return a desk with three drawers on its right and two legs on its left; its user sits at +y."""
    return [
        *_board(1.4, 0.7, 0.75),
        *_drawers(0.48, 0.4, 3, 0.32),
        *(box((-0.66, y, 0.36), (0.05, 0.05, 0.72), FIRST, "leg") for y in (-0.3, 0.3)),
        box((-0.2, -0.3, 0.5), (0.94, 0.02, 0.4), FIRST, "back panel"),
    ]


def desk_double() -> Model:
    """Return a heavy desk with drawers on both sides and a writing pad."""
    return [
        *_board(1.6, 0.8, 0.77, 0.05),
        *_drawers(0.56, 0.4, 3, 0.35),
        *_drawers(-0.56, 0.4, 3, 0.35),
        box((0, -0.3, 0.45), (0.75, 0.02, 0.6), FIRST, "back panel"),
        box((0, 0.12, 0.775), (0.6, 0.4, 0.01), "dark green", "writing pad"),
    ]


def desk_slim() -> Model:
    """Return a desk with a thin top on metal legs and a low shelf along its back."""
    return [
        *_board(1.2, 0.6, 0.74),
        *legs(1.14, 0.54, 0.71, SECOND, 0.035),
        box((0, -0.24, 0.2), (1.08, 0.03, 0.03), SECOND, "bar"),
        box((0, -0.22, 0.88), (1.2, 0.16, 0.025), FIRST, "shelf"),
        *(box((x, -0.22, 0.81), (0.025, 0.16, 0.14), FIRST, "divider") for x in (-0.58, -0.2, 0.2, 0.58)),
        box((0, 0.27, 0.67), (0.5, 0.03, 0.07), SECOND, "drawer"),
    ]


def dining_table_glass() -> Model:
    """Return a glass table on two steel hoops."""
    hoops: Model = []
    for x in (-0.5, 0.5):
        hoops += [
            box((x, 0, 0.02), (0.08, 0.7, 0.04), SECOND, "foot"),
            *(box((x, 0.3 * cos(radians(a)), 0.37), (0.06, 0.05, 0.66), SECOND, "leg") for a in (0, 180)),
            box((x, 0, 0.71), (0.08, 0.66, 0.03), SECOND, "beam"),
        ]
    pane = box((0, 0, 0.735), (1.6, 0.9, 0.02), "light blue", "top", material=Material.GLASS, second="white")
    return [*hoops, pane]
