"""Seated people, without a chair: the seat is 0.46 m high and centred on the origin.

They face +y. FIRST is the shirt or the dress, SECOND the trousers.
"""

from __future__ import annotations

from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, Solid, ball, box, cone, cylinder, rod
from bearleft.world.render.codes import SolidShape

SKIN, DARK = "skin", "dark skin"


def _legs(colour: Colour, shoe: Colour, skin: Colour | None = None) -> Model:
    """Return thighs along the seat and shins down to shoes on the floor."""
    model: Model = []
    for x in (-0.1, 0.1):
        model += [
            rod((x, -0.08, 0.55), (x, 0.38, 0.54), 0.082, colour, "leg"),
            rod((x, 0.38, 0.54), (x, 0.4, 0.07), 0.066, skin or colour, "leg"),
            ball((x, 0.38, 0.54), (0.164, 0.164, 0.164), colour, "leg"),
            box((x, 0.46, 0.045), (0.1, 0.26, 0.09), shoe, "shoe"),
        ]
    return model


def _torso(colour: Colour, width: float = 0.44) -> Solid:
    """Return a torso that is wide at the shoulders: a flattened cone upside down."""
    half = width / 2, 0.13, 0.29
    return Solid(SolidShape.CONE, (0, -0.1, 0.79), half, colour, "shirt", shape=(0.78,), roll=180, tilt=4)


def _arm(side: float, hand: tuple[float, float, float], colour: Colour, skin: Colour) -> Model:
    """Return an arm from the shoulder over the elbow to the hand."""
    elbow = (side * 0.27, 0.02, 0.76)
    end = (side * hand[0], hand[1], hand[2])
    return [
        rod((side * 0.21, -0.1, 1.03), elbow, 0.055, colour, "arm"),
        rod(elbow, end, 0.048, colour, "arm"),
        ball(end, (0.1, 0.12, 0.1), skin, "hand"),
    ]


def _face(at: tuple[float, float, float], half: tuple[float, float, float]) -> Model:
    """Return two eyes and a mouth on the front of a head."""
    (x, y, z), (width, depth, height) = at, half
    return [
        *(
            ball((x + s * 0.42 * width, y + 0.86 * depth, z + 0.12 * height), (0.034, 0.03, 0.026), "black", "eye")
            for s in (-1, 1)
        ),
        ball((x, y + 0.84 * depth, z - 0.48 * height), (0.07, 0.03, 0.018), "red", "mouth"),
    ]


def _head(skin: Colour, hair: Colour) -> Model:
    return [
        *_face((0, -0.06, 1.24), (0.095, 0.11, 0.135)),
        cylinder((0, -0.09, 1.1), 0.05, 0.1, skin, "head"),
        ball((0, -0.06, 1.24), (0.19, 0.22, 0.27), skin, "head"),
        ball((0, -0.11, 1.29), (0.22, 0.23, 0.23), hair, "hair"),
    ]


def seated_man() -> Model:
    """Return a seated man with his hands on his knees."""
    return [
        *_legs(SECOND, "black"),
        _torso(FIRST, 0.46),
        *_arm(-1, (0.13, 0.28, 0.64), FIRST, SKIN),
        *_arm(1, (0.13, 0.28, 0.64), FIRST, SKIN),
        *_head(SKIN, "brown"),
    ]


def seated_woman() -> Model:
    """Return a seated woman in a dress, her hair long, her forearms ahead as on a table."""
    return [
        *_legs(FIRST, "black", DARK),
        box((0, 0.14, 0.56), (0.4, 0.5, 0.13), FIRST, "dress"),
        _torso(FIRST, 0.4),
        *_arm(-1, (0.12, 0.3, 0.82), FIRST, DARK),
        *_arm(1, (0.12, 0.3, 0.82), FIRST, DARK),
        cylinder((0, -0.09, 1.1), 0.045, 0.1, DARK, "head"),
        ball((0, -0.06, 1.23), (0.18, 0.21, 0.26), DARK, "head"),
        *_face((0, -0.06, 1.23), (0.09, 0.105, 0.13)),
        ball((0, -0.13, 1.18), (0.26, 0.2, 0.44), "black", "hair"),
        ball((0, -0.09, 1.32), (0.21, 0.22, 0.16), "black", "hair"),
    ]


def seated_child() -> Model:
    """Return a seated child with a cap, whose legs do not reach the floor."""
    legs: Model = []
    for x in (-0.08, 0.08):
        legs += [
            rod((x, -0.06, 0.53), (x, 0.24, 0.52), 0.062, SECOND, "leg"),
            rod((x, 0.24, 0.52), (x, 0.27, 0.26), 0.05, SKIN, "leg"),
            box((x, 0.31, 0.23), (0.09, 0.2, 0.08), "white", "shoe"),
        ]
    return [
        *legs,
        Solid(SolidShape.CONE, (0, -0.06, 0.68), (0.16, 0.1, 0.19), FIRST, "shirt", shape=(0.8,), roll=180),
        rod((-0.15, -0.06, 0.84), (-0.22, 0.08, 0.62), 0.04, FIRST, "arm"),
        rod((0.15, -0.06, 0.84), (0.24, 0.0, 1.1), 0.04, FIRST, "arm"),
        ball((-0.22, 0.09, 0.6), (0.08, 0.08, 0.08), SKIN, "hand"),
        ball((0.24, 0.0, 1.13), (0.08, 0.08, 0.1), SKIN, "hand"),
        ball((0, -0.03, 1.0), (0.19, 0.21, 0.24), SKIN, "head"),
        *_face((0, -0.03, 0.99), (0.095, 0.105, 0.12)),
        ball((0, -0.07, 1.03), (0.21, 0.2, 0.2), "brown", "hair"),
        ball((0, -0.05, 1.08), (0.22, 0.24, 0.16), "red", "cap"),
        box((0, 0.09, 1.08), (0.16, 0.14, 0.02), "red", "cap"),
    ]


def seated_person_with_cup() -> Model:
    """Return a seated person with headphones who lifts a cup, the other hand on the knee."""
    return [
        *_legs(SECOND, "white"),
        _torso(FIRST),
        *_arm(-1, (0.13, 0.28, 0.64), FIRST, SKIN),
        *_arm(1, (0.16, 0.22, 0.98), FIRST, SKIN),
        *_head(SKIN, "black"),
        cone((0.14, 0.28, 1.02), 0.05, 0.12, "white", "cup", top=0.7, tilt=180),
        *(cylinder((x, -0.07, 1.25), 0.055, 0.04, "red", "headphones", roll=90) for x in (-0.115, 0.115)),
        cylinder((0, -0.09, 1.29), 0.125, 0.03, "red", "headphones", tilt=90),
    ]
