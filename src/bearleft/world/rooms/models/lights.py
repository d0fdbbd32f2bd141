"""Lamps: floor lamps, table lamps, ceiling lamps (the ceiling is z = 0), and candles."""

from __future__ import annotations

from itertools import pairwise
from math import cos, radians, sin
from typing import Any

from bearleft.world.city.shapes import FIRST, SECOND, Model, ball, box, cone, cylinder, plate, rod
from bearleft.world.render.codes import Material

SHADE: dict[str, Any] = {"material": Material.GLOW, "pattern": (0.45,)}
BULB: dict[str, Any] = {"material": Material.GLOW, "pattern": (1.0,)}


def floor_lamp() -> Model:
    """Return a cloth shade on a tall pole."""
    return [
        cylinder((0, 0, 0.015), 0.16, 0.03, SECOND, "base"),
        cylinder((0, 0, 0.68), 0.015, 1.3, SECOND, "pole"),
        cone((0, 0, 1.43), 0.23, 0.3, FIRST, "shade", top=0.65, **SHADE),
        cylinder((0, 0, 1.275), 0.228, 0.012, SECOND, "rim"),
        ball((0, 0, 1.6), (0.03, 0.03, 0.04), SECOND, "knob"),
    ]


def floor_lamp_arc() -> Model:
    """Return a long arc from a block of stone that carries a dome over a sofa."""
    points = [(0.0, 0.1), (0.0, 1.1), (0.12, 1.5), (0.38, 1.78), (0.7, 1.86), (1.0, 1.74)]
    arc = [rod((0, a, b), (0, c, d), 0.016, SECOND, "arm") for (a, b), (c, d) in pairwise(points)]
    return [
        box((0, 0, 0.05), (0.3, 0.3, 0.1), "white", "base"),
        *arc,
        cylinder((0, 1.0, 1.7), 0.03, 0.1, SECOND, "socket"),
        cone((0, 1.0, 1.6), 0.22, 0.16, FIRST, "shade", top=0.35),
        ball((0, 1.0, 1.53), (0.16, 0.16, 0.1), "lamp", "bulb", **BULB),
    ]


def floor_lamp_tripod() -> Model:
    """Return a drum-shaped shade on three wooden legs."""
    feet = [
        rod((0, 0, 1.16), (0.3 * sin(radians(a)), 0.3 * cos(radians(a)), 0.005), 0.018, SECOND, "leg")
        for a in (60, 180, 300)
    ]
    return [
        *feet,
        cylinder((0, 0, 1.17), 0.05, 0.06, SECOND, "hub"),
        cylinder((0, 0, 1.4), 0.25, 0.34, FIRST, "shade", **SHADE),
    ]


def floor_lamp_reading() -> Model:
    """Return a thin pole with two swivelling heads."""
    model: Model = [
        cylinder((0, 0, 0.015), 0.14, 0.03, SECOND, "base"),
        cylinder((0, 0, 0.8), 0.014, 1.6, SECOND, "pole"),
    ]
    for z, y, x in ((1.55, 0.22, 0.1), (1.2, 0.2, -0.12)):
        model += [
            rod((0, 0, z), (x, y, z + 0.06), 0.01, SECOND, "arm"),
            cone((x, y + 0.03, z), 0.09, 0.15, FIRST, "shade", top=0.4, tilt=30),
            ball((x, y + 0.06, z - 0.06), (0.11, 0.11, 0.05), "lamp", "bulb", tilt=30, **BULB),
        ]
    return model


def table_lamp() -> Model:
    """Return a round body of glazed clay under a shade."""
    return [
        cylinder((0, 0, 0.01), 0.07, 0.02, "brown", "base"),
        ball((0, 0, 0.13), (0.2, 0.2, 0.22), SECOND, "body"),
        cylinder((0, 0, 0.26), 0.02, 0.08, "gold", "neck"),
        cone((0, 0, 0.4), 0.18, 0.22, FIRST, "shade", top=0.6, **SHADE),
        ball((0, 0, 0.52), (0.024, 0.024, 0.03), "gold", "knob"),
    ]


def table_lamp_desk() -> Model:
    """Return a jointed arm with a metal head that points down and ahead."""
    return [
        cylinder((0, -0.1, 0.015), 0.1, 0.03, SECOND, "base"),
        rod((0, -0.1, 0.03), (0, -0.18, 0.26), 0.011, SECOND, "arm"),
        ball((0, -0.18, 0.26), (0.035, 0.035, 0.035), SECOND, "joint"),
        rod((0, -0.18, 0.26), (0, 0.1, 0.44), 0.011, SECOND, "arm"),
        cone((0, 0.14, 0.4), 0.1, 0.15, FIRST, "shade", top=0.3, tilt=25),
        ball((0, 0.17, 0.335), (0.13, 0.13, 0.06), "lamp", "bulb", tilt=25, **BULB),
    ]


def table_lamp_globe() -> Model:
    """Return a glowing ball on a short foot."""
    return [
        cylinder((0, 0, 0.02), 0.08, 0.04, SECOND, "base"),
        cylinder((0, 0, 0.07), 0.03, 0.08, SECOND, "neck"),
        ball((0, 0, 0.22), (0.24, 0.24, 0.24), FIRST, "shade", **SHADE),
        plate((0, 0.082, 0.02), 0.02, 0.02, "gold", "switch"),
    ]


def table_lamp_column() -> Model:
    """Return a slim column under a drum-shaped shade, with a pull cord."""
    return [
        box((0, 0, 0.012), (0.14, 0.14, 0.024), SECOND, "base"),
        cylinder((0, 0, 0.17), 0.02, 0.3, SECOND, "body"),
        cylinder((0, 0, 0.4), 0.14, 0.2, FIRST, "shade", **SHADE),
        rod((0.07, 0.05, 0.3), (0.07, 0.05, 0.2), 0.004, "gold", "cord"),
        ball((0.07, 0.05, 0.19), (0.02, 0.02, 0.02), "gold", "cord"),
    ]


def ceiling_lamp() -> Model:
    """Return a glass bowl close to the ceiling."""
    return [
        cylinder((0, 0, -0.02), 0.17, 0.04, SECOND, "mount"),
        ball((0, 0, -0.08), (0.42, 0.42, 0.16), FIRST, "shade", **BULB),
        cylinder((0, 0, -0.08), 0.215, 0.02, SECOND, "rim"),
        ball((0, 0, -0.165), (0.035, 0.035, 0.035), SECOND, "knob"),
    ]


def ceiling_lamp_hanging() -> Model:
    """Return a wide shade on a cord."""
    return [
        cylinder((0, 0, -0.015), 0.06, 0.03, SECOND, "mount"),
        cylinder((0, 0, -0.25), 0.008, 0.48, "black", "cord"),
        cylinder((0, 0, -0.49), 0.03, 0.08, SECOND, "socket"),
        cone((0, 0, -0.62), 0.26, 0.2, FIRST, "shade", top=0.15, material=Material.GLOW, pattern=(0.2,)),
        ball((0, 0, -0.73), (0.2, 0.2, 0.12), "lamp", "bulb", **BULB),
    ]


def ceiling_lamp_panel() -> Model:
    """Return a flat square light in a frame."""
    return [
        box((0, 0, -0.02), (0.66, 0.66, 0.04), SECOND, "frame"),
        box((0, 0, -0.035), (0.58, 0.58, 0.03), FIRST, "shade", **BULB),
        *(box((x, 0, -0.05), (0.02, 0.58, 0.012), SECOND, "bar") for x in (-0.1, 0.1)),
    ]


def ceiling_lamp_lantern() -> Model:
    """Return a paper lantern: a large ball with ribs, on a cord."""
    ribs = [
        cylinder((0, 0, -0.52 + z), (0.0484 - z * z) ** 0.5 + 0.003, 0.006, "grey", "rib")
        for z in (-0.15, -0.075, 0, 0.075, 0.15)
    ]
    return [
        cylinder((0, 0, -0.012), 0.05, 0.024, "white", "mount"),
        cylinder((0, 0, -0.16), 0.006, 0.3, SECOND, "cord"),
        ball((0, 0, -0.52), (0.44, 0.44, 0.44), FIRST, "shade", **SHADE),
        *ribs,
    ]


def _arms(count: int, radius: float, z: float) -> list[tuple[float, float, float]]:
    """Return the end points of `count` arms around the centre."""
    return [(radius * sin(radians(360 * k / count)), radius * cos(radians(360 * k / count)), z) for k in range(count)]


def chandelier() -> Model:
    """Return six arms with candles around a stem."""
    model: Model = [
        cylinder((0, 0, -0.02), 0.08, 0.04, FIRST, "mount"),
        cylinder((0, 0, -0.25), 0.012, 0.46, FIRST, "chain"),
        ball((0, 0, -0.58), (0.14, 0.14, 0.3), FIRST, "stem"),
        ball((0, 0, -0.76), (0.08, 0.08, 0.08), FIRST, "stem"),
    ]
    for x, y, z in _arms(6, 0.4, -0.6):
        model += [
            rod((0, 0, -0.68), (x, y, z), 0.014, FIRST, "arm"),
            cylinder((x, y, z + 0.07), 0.016, 0.12, "white", "candle"),
            ball((x, y, z + 0.16), (0.045, 0.045, 0.08), "lamp", "bulb", **BULB),
        ]
    return model


def chandelier_crystal() -> Model:
    """Return rings of glass drops, each smaller than the one above."""
    rings = [cylinder((0, 0, z), r, 0.03, FIRST, "ring") for z, r in ((-0.4, 0.34), (-0.58, 0.22))]
    drops = [
        ball((x, y, z - 0.07), (0.06, 0.06, 0.12), "light blue", "crystal", **SHADE) for x, y, z in _arms(8, 0.32, -0.4)
    ]
    inner = [
        ball((x, y, z - 0.07), (0.06, 0.06, 0.12), "light blue", "crystal", **SHADE) for x, y, z in _arms(5, 0.2, -0.58)
    ]
    return [
        cylinder((0, 0, -0.02), 0.09, 0.04, FIRST, "mount"),
        cylinder((0, 0, -0.2), 0.012, 0.36, FIRST, "chain"),
        cone((0, 0, -0.3), 0.18, 0.18, "lamp", "bulb", top=0.2, **BULB),
        *rings,
        *drops,
        *inner,
        ball((0, 0, -0.74), (0.11, 0.11, 0.14), "light blue", "crystal", **SHADE),
    ]


def chandelier_wheel() -> Model:
    """Return a ring of wooden beams on chains, with candles."""
    ends = _arms(8, 0.42, -0.6)
    ring = [rod(a, b, 0.025, SECOND, "ring") for a, b in pairwise([*ends, ends[0]])]
    chains = [rod((0, 0, -0.08), end, 0.007, FIRST, "chain") for end in _arms(4, 0.42, -0.58)]
    bulbs = [ball((x, y, -0.5), (0.06, 0.06, 0.12), "lamp", "bulb", **BULB) for x, y, _ in ends]
    return [cylinder((0, 0, -0.04), 0.06, 0.08, FIRST, "mount"), *ring, *chains, *bulbs]


def ceiling_fan() -> Model:
    """Return four wooden blades below a motor, with a lamp under it."""
    blades = [
        box((0.36 * sin(radians(a)), 0.36 * cos(radians(a)), -0.28), (0.14, 0.5, 0.012), FIRST, "blade", yaw=-a)
        for a in (20, 110, 200, 290)
    ]
    irons = [
        rod((0, 0, -0.28), (0.16 * sin(radians(a)), 0.16 * cos(radians(a)), -0.28), 0.014, SECOND, "motor")
        for a in (20, 110, 200, 290)
    ]
    return [
        cylinder((0, 0, -0.02), 0.07, 0.04, SECOND, "mount"),
        cylinder((0, 0, -0.12), 0.016, 0.18, SECOND, "rod"),
        cylinder((0, 0, -0.26), 0.11, 0.12, SECOND, "motor"),
        *blades,
        *irons,
        ball((0, 0, -0.35), (0.2, 0.2, 0.14), "lamp", "bulb", **BULB),
    ]


def ceiling_fan_five() -> Model:
    """Return five blades close to the ceiling, without a lamp, with a pull chain."""
    blades = [
        box((0.34 * sin(radians(a)), 0.34 * cos(radians(a)), -0.15), (0.13, 0.48, 0.012), FIRST, "blade", yaw=-a)
        for a in (0, 72, 144, 216, 288)
    ]
    return [
        cylinder((0, 0, -0.05), 0.1, 0.1, SECOND, "mount"),
        cylinder((0, 0, -0.15), 0.13, 0.1, SECOND, "motor"),
        *blades,
        ball((0, 0, -0.2), (0.16, 0.16, 0.06), SECOND, "motor"),
        rod((0.05, 0, -0.2), (0.05, 0, -0.42), 0.004, "gold", "chain"),
        ball((0.05, 0, -0.43), (0.025, 0.025, 0.035), "gold", "chain"),
    ]


def candle() -> Model:
    """Return a tall candle in a holder with a handle."""
    return [
        cylinder((0, 0, 0.008), 0.06, 0.016, SECOND, "holder"),
        cylinder((0, 0, 0.025), 0.022, 0.03, SECOND, "holder"),
        cylinder((0, 0, 0.12), 0.014, 0.17, FIRST, "wax"),
        cylinder((0, 0, 0.21), 0.002, 0.015, "black", "wick"),
        ball((0, 0, 0.228), (0.016, 0.016, 0.04), "yellow", "flame", **BULB),
    ]


def candle_pillar() -> Model:
    """Return a thick candle on a plate."""
    return [
        cylinder((0, 0, 0.008), 0.08, 0.016, SECOND, "plate"),
        cylinder((0, 0, 0.075), 0.042, 0.12, FIRST, "wax"),
        cylinder((0, 0, 0.14), 0.003, 0.02, "black", "wick"),
        ball((0, 0, 0.162), (0.022, 0.022, 0.05), "yellow", "flame", **BULB),
    ]


def candle_triple() -> Model:
    """Return a candlestick with three arms."""
    model: Model = [
        cylinder((0, 0, 0.01), 0.07, 0.02, SECOND, "holder"),
        cylinder((0, 0, 0.12), 0.012, 0.22, SECOND, "holder"),
        cylinder((0, 0, 0.2), 0.009, 0.22, SECOND, "holder", roll=90),
    ]
    for x, z in ((-0.11, 0.22), (0, 0.25), (0.11, 0.22)):
        model += [
            cone((x, 0, z), 0.026, 0.03, SECOND, "holder", top=0.5, roll=180),
            cylinder((x, 0, z + 0.08), 0.012, 0.14, FIRST, "wax"),
            ball((x, 0, z + 0.17), (0.016, 0.016, 0.04), "yellow", "flame", **BULB),
        ]
    return model
