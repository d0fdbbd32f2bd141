"""Dining furniture: tables with cloths, booths, high chairs. All stand on the floor; tables are 0.75 m high."""

from __future__ import annotations

import math

from bearleft.world.city.shapes import FIRST, SECOND, Model, ball, box, cone, cylinder, rod, taper
from bearleft.world.render.codes import Material

CLOTH, WOOD = Material.CLOTH, Material.WOOD


def round_cloth_table() -> Model:
    """Return a round table with a cloth that falls almost to the floor."""
    folds: Model = []
    for k in range(10):
        turn = 2 * math.pi * k / 10
        x, y = math.cos(turn), math.sin(turn)
        folds.append(cone((0.5 * x, 0.5 * y, 0.4), 0.13, 0.64, FIRST, "cloth", top=0.25))
    return [
        *folds,
        cylinder((0, 0, 0.02), 0.3, 0.04, "brown", "base"),
        cone((0, 0, 0.41), 0.57, 0.66, FIRST, "cloth", top=0.91, material=CLOTH),
        cylinder((0, 0, 0.74), 0.53, 0.02, FIRST, "top"),
        cylinder((0, 0, 0.7415), 0.3, 0.021, SECOND, "top"),
    ]


def square_cloth_table() -> Model:
    """Return a square table under a short cloth with hanging corners and a second cloth across it."""
    legs = [box((x, y, 0.36), (0.07, 0.07, 0.72), "brown", "leg") for x in (-0.38, 0.38) for y in (-0.38, 0.38)]
    corners = [
        cone((x, y, 0.5), 0.1, 0.46, FIRST, "cloth", top=0.1, tilt=180) for x in (-0.43, 0.43) for y in (-0.43, 0.43)
    ]
    return [
        *legs,
        *corners,
        taper((0, 0, 0.61), (0.98, 0.98, 0.26), FIRST, "cloth", x=0.06, front=0.06, back=0.06, material=CLOTH),
        box((0, 0, 0.74), (0.94, 0.94, 0.02), FIRST, "top"),
        box((0, 0, 0.741), (0.64, 0.64, 0.022), SECOND, "top", yaw=45),
    ]


def checked_cloth_table() -> Model:
    """Return a trattoria table: a chequered cloth on a wooden top over an iron foot."""
    check = {"material": Material.CHECKS, "second": SECOND, "pattern": (0.08,)}
    feet = [box((0, 0, 0.03), (0.62, 0.08, 0.06), "black", "base", yaw=yaw) for yaw in (45, 135)]
    return [
        *feet,
        cylinder((0, 0, 0.36), 0.05, 0.68, "black", "leg"),
        box((0, 0, 0.71), (0.84, 0.84, 0.04), "brown", "table"),
        box((0, 0, 0.74), (0.88, 0.88, 0.02), FIRST, "top", **check),
        box((0, 0.437, 0.63), (0.88, 0.014, 0.22), FIRST, "cloth", **check),
        box((0, -0.437, 0.63), (0.88, 0.014, 0.22), FIRST, "cloth", **check),
        box((0.437, 0, 0.63), (0.014, 0.88, 0.22), FIRST, "cloth", **check),
        box((-0.437, 0, 0.63), (0.014, 0.88, 0.22), FIRST, "cloth", **check),
    ]


def booth_seat() -> Model:
    """Return a padded bench for two, its high back sewn in upright channels."""
    channels = [cylinder((-0.56 + 0.16 * k, -0.2, 0.76), 0.08, 0.56, FIRST, "backrest", tilt=6) for k in range(8)]
    return [
        *channels,
        box((0, 0, 0.15), (1.26, 0.56, 0.3), "brown", "base", material=WOOD),
        box((0, 0.04, 0.38), (1.3, 0.6, 0.16), FIRST, "seat"),
        cylinder((0, 0.33, 0.385), 0.075, 1.3, FIRST, "seat", roll=90),
        box((0, -0.29, 0.55), (1.3, 0.08, 1.1), "brown", "back"),
        box((0, -0.26, 1.11), (1.34, 0.18, 0.06), "brown", "rail"),
    ]


def booth_seat_of_wood() -> Model:
    """Return a bench of wood with tall panelled ends, cushions on seat and back."""
    ends = [box((x, 0, 0.56), (0.06, 0.66, 1.12), "brown", "side") for x in (-0.65, 0.65)]
    knobs = [ball((x, -0.28, 1.16), (0.11, 0.11, 0.13), "brown", "knob") for x in (-0.65, 0.65)]
    pads = [box((x, -0.2, 0.74), (0.58, 0.1, 0.42), FIRST, "backrest", tilt=7) for x in (-0.31, 0.31)]
    return [
        *ends,
        *knobs,
        *pads,
        box((0, -0.28, 0.58), (1.26, 0.06, 1.08), "brown", "back", material=WOOD, pattern=(0.2,)),
        box((0, 0.02, 0.36), (1.26, 0.6, 0.06), "brown", "bench"),
        box((0, 0.26, 0.18), (1.26, 0.04, 0.32), "brown", "bench"),
        box((-0.31, 0.04, 0.425), (0.6, 0.56, 0.08), FIRST, "seat"),
        box((0.31, 0.04, 0.425), (0.6, 0.56, 0.08), FIRST, "seat"),
    ]


def diner_booth() -> Model:
    """Return a diner bench in two shiny colours with a rolled back and chrome edges."""
    return [
        box((0, -0.02, 0.13), (1.24, 0.5, 0.26), "black", "base"),
        box((0, 0.02, 0.29), (1.32, 0.62, 0.05), "silver", "trim"),
        box((0, 0.02, 0.385), (1.3, 0.6, 0.15), FIRST, "seat"),
        box((0, 0.02, 0.39), (0.46, 0.64, 0.152), SECOND, "seat"),
        box((0, -0.24, 0.72), (1.3, 0.14, 0.64), FIRST, "backrest", tilt=5),
        box((0, -0.235, 0.72), (0.46, 0.15, 0.64), SECOND, "backrest", tilt=5),
        cylinder((0, -0.26, 1.03), 0.1, 1.3, FIRST, "backrest", roll=90),
        cylinder((-0.66, -0.26, 1.03), 0.07, 0.03, "silver", "trim", roll=90),
        cylinder((0.66, -0.26, 1.03), 0.07, 0.03, "silver", "trim", roll=90),
        box((0, -0.32, 0.6), (1.32, 0.04, 0.86), "silver", "back"),
    ]


def high_chair() -> Model:
    """Return a small child's chair on long slanted legs, with a tray."""
    legs = [
        rod((x, y, 0.006), (x * 0.62, y * 0.62, 0.56), 0.022, "tan", "leg")
        for x in (-0.27, 0.27)
        for y in (-0.26, 0.26)
    ]
    return [
        *legs,
        rod((-0.23, 0.22, 0.2), (0.23, 0.22, 0.2), 0.016, "tan", "footrest"),
        box((0, 0, 0.57), (0.38, 0.36, 0.06), FIRST, "seat"),
        box((0, -0.17, 0.82), (0.36, 0.05, 0.46), FIRST, "backrest", tilt=6),
        rod((-0.18, -0.16, 0.76), (-0.18, 0.2, 0.76), 0.02, "tan", "armrest"),
        rod((0.18, -0.16, 0.76), (0.18, 0.2, 0.76), 0.02, "tan", "armrest"),
        box((0, 0.24, 0.79), (0.5, 0.28, 0.03), "white", "top"),
        box((0, 0.375, 0.805), (0.5, 0.02, 0.05), "white", "tray"),
        cylinder((0, 0.12, 0.68), 0.015, 0.2, "tan", "bar"),
    ]


def high_chair_of_metal() -> Model:
    """Return a restaurant high chair: four straight legs with rungs and a bucket seat."""
    legs = [
        rod((x, y, 0.002), (x * 0.85, y * 0.85, 0.78), 0.02, "silver", "leg")
        for x in (-0.25, 0.25)
        for y in (-0.24, 0.24)
    ]
    return [
        *legs,
        box((0, 0.22, 0.24), (0.44, 0.1, 0.03), FIRST, "footrest"),
        box((0, 0, 0.54), (0.42, 0.4, 0.08), FIRST, "seat"),
        box((0, -0.2, 0.76), (0.42, 0.06, 0.52), FIRST, "backrest"),
        box((-0.2, 0, 0.68), (0.05, 0.4, 0.26), FIRST, "side"),
        box((0.2, 0, 0.68), (0.05, 0.4, 0.26), FIRST, "side"),
        box((0, 0.26, 0.82), (0.56, 0.3, 0.04), SECOND, "top"),
    ]
