"""A clothes shop: racks, mannequins, hats, shoes, fitting rooms. All stand on the floor; FIRST is what is sold."""

from __future__ import annotations

import math

from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, ball, box, cylinder, plate, rod, taper
from bearleft.world.render.codes import Outline


def _garment(x: float, y: float, top: float, length: float, colour: Colour, turn: float = 0.0) -> Model:
    """One that hangs across a rail: its shoulders slope and its body falls; turn=0 hangs in the plane of y and z."""
    return [
        taper((x, y, top - 0.07), (0.055, 0.46, 0.14), colour, "clothes", front=0.75, back=0.75, yaw=turn),
        taper((x, y, top - 0.14 - length / 2), (0.06, 0.46, length), colour, "clothes", x=0.1, yaw=turn),
    ]


def _shirt(x: float, y: float, top: float, colour: Colour) -> Model:
    """A shirt on a hanger that shows its front."""
    return [
        taper((x, y, top - 0.3), (0.44, 0.1, 0.6), colour, "shirt", x=0.12),
        rod((x - 0.19, y, top - 0.04), (x - 0.34, y, top - 0.3), 0.07, colour, "sleeve"),
        rod((x + 0.19, y, top - 0.04), (x + 0.34, y, top - 0.3), 0.07, colour, "sleeve"),
        plate((x, y + 0.055, top - 0.04), 0.14, 0.12, "white", "collar", Outline.YIELD),
        rod((x, y, top), (x, y, top + 0.12), 0.01, "silver", "hanger"),
    ]


def clothes_rack() -> Model:
    """A rail on wheels with shirts and coats of many colours side by side."""
    hung = (
        (FIRST, 0.7), (SECOND, 0.62), ("white", 0.66), (FIRST, 0.95), ("teal", 0.62), ("yellow", 0.7), (SECOND, 0.9),
        ("pink", 0.6),
    )  # fmt: skip
    garments = [
        one for k, (colour, length) in enumerate(hung) for one in _garment(-0.55 + 0.155 * k, 0, 1.42, length, colour)
    ]
    ends: Model = []
    for x in (-0.72, 0.72):
        ends += [
            cylinder((x, 0, 0.8), 0.018, 1.42, "silver", "post"),
            box((x, 0, 0.09), (0.04, 0.5, 0.03), "silver", "foot"),
        ]
    return [
        *garments,
        *ends,
        rod((-0.74, 0, 1.5), (0.74, 0, 1.5), 0.018, "silver", "rail"),
        *(ball((x, y, 0.04), (0.07, 0.07, 0.08), "black", "wheel") for x in (-0.72, 0.72) for y in (-0.22, 0.22)),
    ]


def round_clothes_rack() -> Model:
    """A ring of clothes around a post."""
    colours: tuple[Colour, ...] = (FIRST, "white", SECOND, FIRST, "yellow", SECOND)
    model: Model = [
        cylinder((0, 0, 0.02), 0.3, 0.04, "silver", "base"),
        cylinder((0, 0, 0.7), 0.025, 1.36, "silver", "post"),
        cylinder((0, 0, 1.36), 0.5, 0.025, "silver", "rail"),
        ball((0, 0, 1.42), (0.1, 0.1, 0.1), "silver", "knob"),
    ]
    for k in range(10):
        turn = 36.0 * k
        x, y = 0.42 * math.cos(math.radians(turn)), 0.42 * math.sin(math.radians(turn))
        model += _garment(x, y, 1.32, 0.5 + 0.08 * (k % 3), colours[k % 6], turn + 90)
    return model


def shirts_on_rack() -> Model:
    """Three shirts that show their fronts on a rail between two posts, shoes and boxes on the board below."""
    return [
        *_shirt(-0.62, 0.06, 1.5, FIRST),
        *_shirt(0, 0.1, 1.5, SECOND),
        *_shirt(0.62, 0.06, 1.5, FIRST),
        rod((-1.0, 0.06, 1.62), (1.0, 0.06, 1.62), 0.018, "black", "rail"),
        *(box((x, 0, 0.84), (0.05, 0.05, 1.68), "black", "post") for x in (-1.0, 1.0)),
        *(box((x, 0, 0.02), (0.06, 0.5, 0.04), "black", "foot") for x in (-1.0, 1.0)),
        box((0, 0.02, 0.3), (1.96, 0.36, 0.04), "brown", "shelf"),
        box((-0.6, 0.02, 0.4), (0.36, 0.3, 0.16), "white", "box"),
        box((0.5, 0.02, 0.4), (0.36, 0.3, 0.16), "tan", "box"),
    ]
