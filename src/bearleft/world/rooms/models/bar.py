"""Bars: counters and stools. Customers stand at a counter's +y side."""

from __future__ import annotations

import math

from bearleft.world.city.shapes import FIRST, SECOND, Model, box, cone, cylinder, rod
from bearleft.world.render.codes import Material


def bar_counter() -> Model:
    """Return a counter of three metres: panelled wood, a thick top and a brass foot rail."""
    panels: Model = []
    for x in (-1.1, -0.37, 0.37, 1.1):
        panels.append(box((x, 0.25, 0.56), (0.64, 0.03, 0.72), "black", "panel"))
        panels.append(box((x, 0.27, 0.56), (0.6, 0.04, 0.68), FIRST, "panel"))
    posts = [cylinder((x, 0.36, 0.16), 0.02, 0.16, "gold", "foot rail", tilt=90) for x in (-1.2, 0, 1.2)]
    return [
        box((0, 0, 0.04), (2.9, 0.4, 0.08), "black", "base"),
        box((0, 0, 0.56), (3.0, 0.5, 0.98), FIRST, "front", material=Material.WOOD, pattern=(0.16,)),
        *panels,
        box((0, 0.04, 1.02), (3.04, 0.56, 0.06), SECOND, "moulding"),
        box((0, 0.06, 1.075), (3.14, 0.72, 0.05), "black", "top"),
        rod((-1.45, 0.43, 0.16), (1.45, 0.43, 0.16), 0.03, "gold", "foot rail"),
        *posts,
    ]


def tiled_bar_counter() -> Model:
    """Return a light counter: tiles below, a wooden top, a row of light under its edge."""
    return [
        box((0, 0, 0.05), (2.9, 0.44, 0.1), "black", "base"),
        box((0, 0, 0.57), (3.0, 0.52, 0.94), FIRST, "front", material=Material.PANELS, pattern=(0.16,)),
        box((0, 0.275, 1.02), (2.9, 0.03, 0.03), "lamp", "light", material=Material.GLOW, pattern=(0.9,)),
        box((0, 0.04, 1.07), (3.14, 0.74, 0.06), "brown", "top", material=Material.WOOD, pattern=(0.12,)),
        box((-1.54, 0.04, 0.53), (0.06, 0.74, 1.06), "brown", "side"),
        box((1.54, 0.04, 0.53), (0.06, 0.74, 1.06), "brown", "side"),
    ]


def bar_with_bottles() -> Model:
    """Return a counter with hatches, a raised shelf of bottles and glasses at its back edge."""
    bottles: Model = []
    for k, (x, colour) in enumerate(
        ((-1.2, "dark green"), (-1.0, "maroon"), (-0.8, "gold"), (0.7, "black"), (0.92, "dark green"), (1.15, "brown"))
    ):
        z = 1.34
        bottles.append(cylinder((x, -0.28, z + 0.11), 0.05, 0.22, colour, "bottle"))
        bottles.append(cylinder((x, -0.28, z + 0.27), 0.02, 0.1 + 0.02 * (k % 2), colour, "bottle"))
    return [
        box((0, 0, 0.55), (3.0, 0.5, 1.02), FIRST, "front", material=Material.STRIPES, second=SECOND, pattern=(0.3,)),
        box((0, 0, 0.03), (2.94, 0.46, 0.06), "black", "base"),
        box((0, 0.06, 1.075), (3.14, 0.72, 0.05), "brown", "top"),
        box((0, -0.28, 1.32), (2.9, 0.22, 0.04), "brown", "shelf"),
        *(box((x, -0.28, 1.2), (0.05, 0.2, 0.22), "brown", "support") for x in (-1.4, 0, 1.4)),
        *bottles,
        rod((-1.45, 0.36, 0.16), (1.45, 0.36, 0.16), 0.03, "silver", "foot rail"),
    ]


def bar_stool() -> Model:
    """Return a round padded seat on a chrome post with a foot ring."""
    ring = [
        rod(
            (0.19 * math.cos(a), 0.19 * math.sin(a), 0.28),
            (0.19 * math.cos(b), 0.19 * math.sin(b), 0.28),
            0.014,
            "silver",
            "footrest",
        )
        for a, b in ((math.pi * k / 4, math.pi * (k + 1) / 4) for k in range(8))
    ]
    return [
        cylinder((0, 0, 0.015), 0.22, 0.03, "silver", "base"),
        cone((0, 0, 0.05), 0.2, 0.05, "silver", "base", top=0.2),
        cylinder((0, 0, 0.37), 0.03, 0.66, "silver", "post"),
        *ring,
        rod((-0.19, 0, 0.28), (0.19, 0, 0.28), 0.012, "silver", "footrest"),
        cylinder((0, 0, 0.705), 0.19, 0.03, "silver", "seat"),
        cylinder((0, 0, 0.755), 0.2, 0.08, FIRST, "seat"),
    ]


def wooden_bar_stool() -> Model:
    """Return four slanted wooden legs with rungs and a round seat."""
    legs = [
        rod((x, y, 0.004), (x * 0.55, y * 0.55, 0.72), 0.022, "brown", "leg") for x in (-0.2, 0.2) for y in (-0.2, 0.2)
    ]
    return [
        *legs,
        *(rod((-0.165, y, 0.26), (0.165, y, 0.26), 0.014, "brown", "rung") for y in (-0.17, 0.17)),
        *(rod((x, -0.165, 0.34), (x, 0.165, 0.34), 0.014, "brown", "rung") for x in (-0.165, 0.165)),
        cylinder((0, 0, 0.735), 0.18, 0.04, "brown", "seat"),
        cylinder((0, 0, 0.765), 0.175, 0.04, FIRST, "seat"),
    ]


def bar_stool_with_back() -> Model:
    """Return a tall square seat with a low back on four metal legs."""
    legs = [
        rod((x, y, 0.002), (x * 0.85, y * 0.85, 0.72), 0.017, "black", "leg")
        for x in (-0.21, 0.21)
        for y in (-0.2, 0.2)
    ]
    return [
        *legs,
        rod((-0.2, 0.19, 0.26), (0.2, 0.19, 0.26), 0.014, "black", "footrest"),
        rod((-0.2, -0.19, 0.26), (0.2, -0.19, 0.26), 0.014, "black", "footrest"),
        box((0, 0, 0.755), (0.42, 0.4, 0.08), FIRST, "seat"),
        box((0, -0.19, 1.0), (0.42, 0.05, 0.24), FIRST, "backrest", tilt=8),
        rod((-0.15, -0.17, 0.76), (-0.15, -0.18, 0.96), 0.015, "black", "post"),
        rod((0.15, -0.17, 0.76), (0.15, -0.18, 0.96), 0.015, "black", "post"),
    ]
