"""Exhibition panels, reception desks and pedestals. All stand on the floor.

Their lettered fronts face +y; visitors approach a reception desk from there.
"""

from __future__ import annotations

import math

from bearleft.world.city.shapes import FIRST, SECOND, Model, ball, box, cone, cylinder, plate, rod
from bearleft.world.render.codes import Material, Outline

TEXT, GLOW = Material.TEXT, Material.GLOW


def _lines(x: float, y: float, z: float, width: float, height: float) -> Model:
    """Return a block of small print."""
    return [plate((x, y, z), width, height, "white", "text", material=Material.BANDS, second="grey", pattern=(0.04,))]


def exhibit_panel() -> Model:
    """Return a tall board on two feet with a heading, a picture and lines of print."""
    return [
        *(box((x, 0, 0.03), (0.08, 0.6, 0.06), "dark grey", "foot") for x in (-0.5, 0.5)),
        box((0, 0, 1.13), (1.2, 0.06, 2.2), "white", "panel"),
        box((0, 0.005, 2.0), (1.22, 0.07, 0.46), FIRST, "heading"),
        plate((0, 0.05, 2.0), 1.1, 0.28, FIRST, "heading", material=TEXT, second="white"),
        plate((0, 0.04, 1.35), 1.0, 0.66, SECOND, "picture"),
        plate((-0.22, 0.045, 1.28), 0.5, 0.4, "white", "picture", Outline.TRIANGLE),
        plate((0.2, 0.05, 1.22), 0.44, 0.28, "dark green", "picture", Outline.TRIANGLE),
        plate((0.3, 0.045, 1.52), 0.18, 0.18, "yellow", "picture", Outline.DISC),
        *_lines(-0.27, 0.04, 0.68, 0.46, 0.44),
        *_lines(0.27, 0.04, 0.68, 0.46, 0.44),
    ]


def folding_exhibit_panel() -> Model:
    """Return three boards in a zigzag with a bar chart, a pie chart and a heading."""
    model: Model = []
    for x, turn in ((-0.94, -16.0), (0.0, 0.0), (0.94, 16.0)):
        y = 0.135 if turn else 0.0
        model.append(box((x, y, 1.05), (0.98, 0.05, 2.1), FIRST, "panel", yaw=turn))
    bars = [
        plate((-0.22 + 0.15 * k, 0.04, 0.75 + height / 2), 0.11, height, SECOND, "chart")
        for k, height in enumerate((0.22, 0.4, 0.3, 0.56))
    ]
    return [
        *model,
        plate((0, 0.035, 1.0), 0.8, 0.8, "white", "chart"),
        *bars,
        plate((0, 0.04, 1.78), 0.88, 0.3, FIRST, "heading", material=TEXT, second="white"),
        plate((-0.93, 0.175, 1.3), 0.6, 0.6, SECOND, "chart", Outline.DISC, yaw=-16),
        plate((-0.925, 0.19, 1.3), 0.3, 0.3, "white", "chart", Outline.DISC, yaw=-16),
        plate(
            (0.93, 0.175, 1.2),
            0.7,
            1.0,
            "white",
            "text",
            yaw=16,
            material=Material.BANDS,
            second="grey",
            pattern=(0.05,),
        ),
    ]


def lit_exhibit_panel() -> Model:
    """Return a wide wall on a base with a glowing frame around the picture of a globe, and small lamps above."""
    lamps: Model = []
    for x in (-0.6, 0.6):
        lamps += [
            rod((x, 0.0, 2.38), (x, 0.3, 2.44), 0.015, "black", "arm"),
            cone((x, 0.3, 2.4), 0.07, 0.12, "black", "lamp", top=0.4),
        ]
    return [
        box((0, 0, 0.08), (2.0, 0.4, 0.16), "dark grey", "base"),
        box((0, 0, 1.27), (1.96, 0.12, 2.26), "dark grey", "panel"),
        plate((-0.4, 0.065, 1.3), 1.0, 1.3, "lamp", "frame", material=GLOW, pattern=(0.9,)),
        plate((-0.4, 0.075, 1.3), 0.92, 1.22, SECOND, "picture"),
        plate((-0.4, 0.085, 1.3), 0.66, 0.66, FIRST, "picture", Outline.DISC),
        plate((-0.4, 0.095, 1.3), 0.24, 0.64, "white", "picture", Outline.RING, (0.85,)),
        plate((-0.4, 0.095, 1.3), 0.66, 0.02, "white", "picture"),
        plate((0, 0.07, 2.16), 1.8, 0.26, "dark grey", "heading", material=TEXT, second="white"),
        *_lines(0.56, 0.07, 1.3, 0.6, 1.2),
        *lamps,
    ]


def reception_desk() -> Model:
    """Return a white desk with a raised lettered front, a screen and a bell."""
    return [
        box((0, -0.05, 0.36), (2.2, 0.7, 0.72), FIRST, "desk"),
        box((0, 0.3, 0.52), (2.3, 0.1, 1.04), FIRST, "front"),
        box((0, 0.32, 0.05), (2.32, 0.1, 0.1), "dark grey", "base"),
        box((0, 0.24, 1.07), (2.36, 0.34, 0.05), SECOND, "top"),
        box((0, -0.08, 0.74), (2.2, 0.68, 0.04), SECOND, "desk"),
        plate((0, 0.36, 0.66), 1.5, 0.26, FIRST, "sign", material=TEXT, second="black"),
        box((0.55, -0.12, 1.04), (0.5, 0.04, 0.32), "black", "screen"),
        cylinder((0.55, -0.14, 0.82), 0.03, 0.14, "black", "screen"),
        cylinder((-0.6, 0.26, 1.105), 0.06, 0.02, "black", "bell"),
        ball((-0.6, 0.26, 1.13), (0.1, 0.1, 0.09), "gold", "bell"),
        ball((-0.6, 0.26, 1.18), (0.025, 0.025, 0.025), "gold", "bell"),
    ]


def curved_reception_desk() -> Model:
    """Return a desk that curves around its clerk, with a band of light below its top and INFO on its front."""
    model: Model = []
    for k in range(5):
        turn = 26.0 * (k - 2)
        x, y = 1.1 * math.sin(math.radians(turn)), 1.1 * math.cos(math.radians(turn)) - 0.75
        model += [
            box((x, y, 0.515), (0.58, 0.12, 1.03), FIRST, "front", yaw=-turn),
            box((x * 0.97, y - 0.04, 1.06), (0.62, 0.4, 0.05), SECOND, "top", yaw=-turn),
            box(
                (x * 1.01, y + 0.01, 0.9), (0.56, 0.13, 0.04), "lamp", "light", yaw=-turn, material=GLOW, pattern=(0.9,)
            ),
        ]
    return [
        *model,
        plate((0, 0.425, 0.55), 0.5, 0.26, FIRST, "sign", material=TEXT, second="black", text="INFO"),
    ]


def stone_reception_desk() -> Model:
    """Return a block of wood slats with a stone slab at one end, a vase of flowers on it."""
    return [
        box(
            (0.25, 0, 0.58), (1.7, 0.6, 1.0), FIRST, "front", material=Material.STRIPES, second="brown", pattern=(0.05,)
        ),
        box((-0.8, 0, 0.54), (0.5, 0.7, 1.08), "limestone", "side", material=Material.STONE),
        box((0, 0, 1.1), (2.2, 0.74, 0.06), SECOND, "top"),
        box((0.25, 0, 0.04), (1.66, 0.56, 0.08), "black", "base"),
        plate((0.3, 0.31, 0.6), 1.0, 0.3, "black", "sign", material=TEXT, second="white"),
        cone((-0.75, 0, 1.24), 0.08, 0.22, "white", "vase", top=0.6),
        ball((-0.75, 0, 1.46), (0.34, 0.34, 0.26), "leaf", "flowers", material=Material.FOLIAGE),
        *(
            ball((-0.75 + x, 0.06 + y, 1.54), (0.12, 0.12, 0.11), "pink", "flowers")
            for x, y in ((-0.1, 0.0), (0.02, 0.08), (0.1, -0.06))
        ),
        box((0.6, 0.1, 1.15), (0.3, 0.2, 0.04), "white", "book"),
    ]


def pedestal() -> Model:
    """Return a plain square block with a flat top."""
    return [
        box((0, 0, 0.03), (0.38, 0.38, 0.06), "dark grey", "base"),
        box((0, 0, 0.52), (0.42, 0.42, 0.94), FIRST, "block"),
        box((0, 0, 1.0), (0.44, 0.44, 0.04), FIRST, "top"),
        plate((0, 0.222, 0.8), 0.2, 0.1, SECOND, "label"),
    ]


def round_pedestal() -> Model:
    """Return a round drum with a ring of light around its foot."""
    return [
        cylinder((0, 0, 0.04), 0.27, 0.08, "lamp", "light", material=GLOW, pattern=(0.9,)),
        cylinder((0, 0, 0.5), 0.25, 0.92, FIRST, "block"),
        cylinder((0, 0, 0.98), 0.28, 0.04, SECOND, "top"),
        plate((0, 0.252, 0.75), 0.14, 0.1, "white", "label"),
    ]


def classical_pedestal() -> Model:
    """Return a short fluted column on a square foot, with a square slab on top."""
    flutes = [
        cylinder(
            (0.15 * math.cos(math.pi * k / 5), 0.15 * math.sin(math.pi * k / 5), 0.52), 0.05, 0.68, FIRST, "column"
        )
        for k in range(10)
    ]
    return [
        *flutes,
        box((0, 0, 0.06), (0.5, 0.5, 0.12), FIRST, "base"),
        cylinder((0, 0, 0.15), 0.22, 0.07, FIRST, "base"),
        cylinder((0, 0, 0.52), 0.16, 0.7, SECOND, "column"),
        cone((0, 0, 0.9), 0.24, 0.1, FIRST, "capital", top=0.75, tilt=180),
        box((0, 0, 0.98), (0.52, 0.52, 0.06), FIRST, "top"),
    ]
