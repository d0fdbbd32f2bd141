"""Columns and pendant lamps of public rooms. Lamps hang below the ceiling, which is z = 0."""

from __future__ import annotations

from bearleft.world.city.shapes import FIRST, SECOND, Model, ball, box, cone, cylinder
from bearleft.world.render.codes import Material

GLOW = Material.GLOW


def pendant_lamp() -> Model:
    """Return a bell-shaped metal shade on a long cord."""
    return [
        cylinder((0, 0, -0.02), 0.06, 0.04, "black", "rose"),
        cylinder((0, 0, -0.4), 0.01, 0.74, "black", "cord"),
        cylinder((0, 0, -0.78), 0.04, 0.08, SECOND, "cap"),
        cone((0, 0, -0.89), 0.2, 0.2, FIRST, "shade", top=0.25),
        cylinder((0, 0, -1.0), 0.205, 0.03, FIRST, "shade"),
        ball((0, 0, -1.0), (0.16, 0.16, 0.16), "lamp", "bulb", material=GLOW, pattern=(1.0,)),
    ]


def globe_pendant_lamp() -> Model:
    """Return a bright globe in a coloured cap."""
    return [
        cylinder((0, 0, -0.02), 0.06, 0.04, FIRST, "rose"),
        cylinder((0, 0, -0.38), 0.012, 0.7, FIRST, "cord"),
        cone((0, 0, -0.75), 0.1, 0.1, FIRST, "cap", top=0.4),
        ball((0, 0, -0.93), (0.34, 0.34, 0.34), "lamp", "bulb", material=GLOW, pattern=(0.9,)),
    ]


def drum_pendant_lamp() -> Model:
    """Return a wide drum of cloth that is lit from inside."""
    return [
        cylinder((0, 0, -0.02), 0.07, 0.04, "silver", "rose"),
        cylinder((0, 0, -0.32), 0.01, 0.6, "silver", "cord"),
        cylinder((0, 0, -0.74), 0.28, 0.26, FIRST, "shade"),
        cylinder((0, 0, -0.62), 0.285, 0.025, SECOND, "trim"),
        cylinder((0, 0, -0.86), 0.285, 0.025, SECOND, "trim"),
        ball((0, 0, -0.87), (0.46, 0.46, 0.14), "lamp", "light", material=GLOW, pattern=(1.0,)),
    ]


def bar_of_pendant_lamps() -> Model:
    """Return three small shades in a row under a bar."""
    model: Model = [box((0, 0, -0.02), (1.0, 0.08, 0.04), "black", "rose")]
    for x in (-0.42, 0, 0.42):
        model += [
            cylinder((x, 0, -0.35), 0.008, 0.64, "black", "cord"),
            cone((x, 0, -0.75), 0.13, 0.18, FIRST, "shade", top=0.3),
            ball((x, 0, -0.85), (0.13, 0.13, 0.13), "lamp", "bulb", material=GLOW, pattern=(1.0,)),
        ]
    return model


def column() -> Model:
    """Return a round column of 3 m with a base and a capital."""
    return [
        box((0, 0, 0.1), (0.6, 0.6, 0.2), SECOND, "base"),
        cylinder((0, 0, 0.26), 0.27, 0.12, SECOND, "base"),
        cylinder((0, 0, 1.5), 0.22, 2.5, FIRST, "shaft"),
        cylinder((0, 0, 2.66), 0.25, 0.06, SECOND, "capital"),
        cone((0, 0, 2.77), 0.3, 0.2, SECOND, "capital", top=0.74, tilt=180),
        box((0, 0, 2.93), (0.64, 0.64, 0.14), SECOND, "capital"),
    ]


def square_column() -> Model:
    """Return a square column of 3 m with panels and a skirting."""
    return [
        box((0, 0, 1.5), (0.44, 0.44, 3.0), FIRST, "shaft"),
        box((0, 0, 0.08), (0.5, 0.5, 0.16), SECOND, "base"),
        box((0, 0, 2.94), (0.52, 0.52, 0.12), SECOND, "capital"),
        box((0, 0, 2.84), (0.48, 0.48, 0.08), SECOND, "capital"),
        box((0, 0, 1.0), (0.46, 0.46, 0.05), SECOND, "rail"),
    ]


def brick_column() -> Model:
    """Return a brick column of 3 m with an iron band."""
    return [
        box((0, 0, 1.5), (0.5, 0.5, 3.0), FIRST, "shaft", material=Material.BRICK),
        box((0, 0, 0.12), (0.56, 0.56, 0.24), "concrete", "base"),
        box((0, 0, 2.2), (0.53, 0.53, 0.08), "black", "band"),
        box((0, 0, 2.94), (0.58, 0.58, 0.12), "concrete", "capital"),
    ]
