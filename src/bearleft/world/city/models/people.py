"""People and dogs. They face and walk towards +y; FIRST is the shirt, SECOND the trousers or the skirt."""

from __future__ import annotations

from bearleft.world.city.shapes import (
    FIRST,
    SECOND,
    Colour,
    Model,
    Solid,
    ball,
    box,
    cone,
    cylinder,
    plate,
    rod,
    taper,
    transformed,
)
from bearleft.world.render.codes import Material, Outline, SolidShape

SKIN, DARK = "skin", "dark skin"


def _head(skin: Colour, hair: Colour, z: float = 1.62) -> Model:
    return [
        ball((0, 0.02, z), (0.19, 0.22, 0.27), skin, "head"),
        ball((0, -0.03, z + 0.05), (0.22, 0.23, 0.23), hair, "hair"),
    ]


def _torso(colour: Colour, low: float = 0.86, high: float = 1.48, width: float = 0.44) -> Solid:
    """Return a torso that is wide at the shoulders: a flattened cone upside down."""
    half = width / 2, 0.135, (high - low) / 2
    return Solid(SolidShape.CONE, (0, 0, (low + high) / 2), half, colour, "shirt", shape=(0.76,), roll=180)


def _arm(side: float, hand: float, forward: float, colour: Colour, skin: Colour) -> Model:
    """Return an arm from the shoulder to a hand at the height `hand`, `forward` ahead."""
    return [
        rod((side * 0.22, 0, 1.42), (side * 0.29, forward, hand), 0.056, colour, "arm"),
        ball((side * 0.29, forward * 1.06, hand - 0.04), (0.09, 0.1, 0.13), skin, "hand"),
    ]


def _leg(side: float, forward: float, colour: Colour, shoe: Colour, hip: float = 0.92) -> Model:
    return [
        rod((side * 0.095, 0, hip), (side * 0.095, forward, 0.06), 0.085, colour, "leg"),
        box((side * 0.095, forward + 0.06, 0.05), (0.1, 0.27, 0.1), shoe, "shoe"),
    ]


def _walking(skin: Colour, sleeve: Colour, shoe: Colour = "black") -> Model:
    return [
        *_leg(-1, 0.3, SECOND, shoe),
        *_leg(1, -0.28, SECOND, shoe),
        *_arm(-1, 0.92, -0.22, sleeve, skin),
        *_arm(1, 0.94, 0.24, sleeve, skin),
    ]


def _standing(skin: Colour, sleeve: Colour, shoe: Colour = "black") -> Model:
    return [
        *_leg(-1, 0.0, SECOND, shoe),
        *_leg(1, 0.0, SECOND, shoe),
        *_arm(-1, 0.86, 0.04, sleeve, skin),
        *_arm(1, 0.86, 0.04, sleeve, skin),
    ]


def man_walking() -> Model:
    """Return a walking man in a shirt and trousers."""
    return [*_walking(SKIN, FIRST), _torso(FIRST), *_head(SKIN, "brown")]


def man_standing() -> Model:
    """Return a standing man with a cap."""
    return [
        *_standing(DARK, FIRST, "white"),
        _torso(FIRST, width=0.48),
        ball((0, 0.02, 1.62), (0.19, 0.22, 0.27), DARK, "head"),
        ball((0, 0.0, 1.7), (0.23, 0.25, 0.2), SECOND, "cap"),
        box((0, 0.15, 1.69), (0.19, 0.2, 0.025), SECOND, "cap"),
    ]


def woman_in_dress() -> Model:
    """Return a woman with long hair and a wide skirt."""
    return [
        *_leg(-1, 0.2, SKIN, "black", 0.7),
        *_leg(1, -0.18, SKIN, "black", 0.7),
        cone((0, 0, 0.78), 0.34, 0.6, FIRST, "dress", top=0.4),
        _torso(FIRST, 1.0, 1.44, 0.38),
        *_arm(-1, 0.94, -0.18, SKIN, SKIN),
        *_arm(1, 0.94, 0.2, SKIN, SKIN),
        ball((0, 0.02, 1.58), (0.18, 0.21, 0.26), SKIN, "head"),
        ball((0, -0.07, 1.5), (0.25, 0.2, 0.48), "brown", "hair"),
        box((0.33, 0.1, 0.78), (0.1, 0.28, 0.22), SECOND, "bag"),
    ]


def woman_in_skirt() -> Model:
    """Return a woman in a blouse and a skirt, her hair tied up."""
    return [
        *_leg(-1, 0.24, DARK, "black", 0.8),
        *_leg(1, -0.22, DARK, "black", 0.8),
        cone((0, 0, 0.76), 0.25, 0.44, SECOND, "skirt", top=0.72),
        _torso(FIRST, 0.94, 1.44, 0.4),
        *_arm(-1, 0.92, 0.2, FIRST, DARK),
        *_arm(1, 0.92, -0.2, FIRST, DARK),
        *_head(DARK, "black", 1.58),
        ball((0, -0.1, 1.76), (0.14, 0.14, 0.14), "black", "hair"),
    ]


def child() -> Model:
    """Return a child with a balloon on a string."""
    body = [*_walking(SKIN, FIRST, "white"), _torso(FIRST)]
    return [
        *transformed(body, scale=0.64),
        ball((0, 0.02, 1.06), (0.18, 0.2, 0.23), SKIN, "head"),
        ball((0, -0.02, 1.1), (0.2, 0.21, 0.19), "gold", "hair"),
        rod((0.19, 0.16, 0.6), (0.24, 0.16, 1.5), 0.008, "white", "string"),
        ball((0.24, 0.16, 1.66), (0.28, 0.28, 0.34), "red", "balloon"),
    ]


def person_with_backpack() -> Model:
    """Return a walking person with a backpack."""
    return [
        *_walking(SKIN, FIRST, "brown"),
        _torso(FIRST),
        *_head(SKIN, "black"),
        box((0, -0.26, 1.22), (0.34, 0.24, 0.5), "orange", "backpack"),
        box((0, -0.4, 1.12), (0.26, 0.08, 0.24), "orange", "backpack"),
    ]


def person_with_umbrella() -> Model:
    """Return a person under an open umbrella of the FIRST colour."""
    return [
        *_leg(-1, 0.26, "dark grey", "black"),
        *_leg(1, -0.24, "dark grey", "black"),
        _torso(SECOND),
        *_head(SKIN, "brown"),
        *_arm(-1, 0.92, -0.2, SECOND, SKIN),
        rod((0.22, 0, 1.42), (0.27, 0.12, 1.16), 0.056, SECOND, "arm"),
        rod((0.27, 0.12, 1.16), (0.2, 0.28, 1.3), 0.05, SECOND, "arm"),
        cylinder((0.16, 0.22, 1.64), 0.014, 0.95, "dark grey", "handle"),
        cone((0.14, 0.14, 2.0), 0.64, 0.16, FIRST, "umbrella", top=0.72),
        cone((0.14, 0.14, 2.14), 0.46, 0.14, FIRST, "umbrella", top=0.05),
        cylinder((0.14, 0.14, 2.24), 0.012, 0.1, "black", "umbrella"),
    ]


def person_in_coat() -> Model:
    """Return a person in a long coat and a hat with a brim."""
    return [
        *_leg(-1, 0.22, "dark grey", "black", 0.6),
        *_leg(1, -0.2, "dark grey", "black", 0.6),
        cone((0, 0, 0.76), 0.27, 0.76, FIRST, "coat", top=0.7),
        _torso(FIRST, 0.98, 1.48, 0.46),
        *_arm(-1, 0.9, 0.16, FIRST, SKIN),
        *_arm(1, 0.9, -0.16, FIRST, SKIN),
        ball((0, 0.02, 1.6), (0.19, 0.22, 0.27), SKIN, "head"),
        cylinder((0, 0.01, 1.69), 0.2, 0.025, SECOND, "hat"),
        cylinder((0, 0.01, 1.76), 0.12, 0.14, SECOND, "hat"),
        box((-0.3, 0.2, 0.66), (0.09, 0.4, 0.28), "brown", "briefcase"),
    ]


def _cycle_wheel(y: float, part: str) -> Model:
    """Return a wheel: a ring seen from the side, a rim seen from the front."""
    return [
        plate((0, y, 0.34), 0.68, 0.68, "rubber", part, Outline.RING, (0.87,), yaw=90),
        box((0, y, 0.34), (0.04, 0.02, 0.66), "dark grey", part),
        box((0, y, 0.34), (0.02, 0.6, 0.02), "dark grey", part),
    ]


def cyclist() -> Model:
    """Return a person on a bicycle, with a helmet."""
    return [
        *_cycle_wheel(0.56, "front wheel"),
        *_cycle_wheel(-0.5, "back wheel"),
        rod((0, -0.02, 0.3), (0, 0.38, 0.8), 0.025, SECOND, "frame"),
        rod((0, -0.18, 0.82), (0, 0.38, 0.8), 0.025, SECOND, "frame"),
        rod((0, -0.2, 0.92), (0, -0.02, 0.3), 0.025, SECOND, "frame"),
        rod((0, 0.34, 1.0), (0, 0.56, 0.34), 0.025, SECOND, "fork"),
        cylinder((0, 0.36, 1.02), 0.02, 0.54, "black", "handlebar", roll=90),
        box((0, -0.22, 0.95), (0.18, 0.28, 0.07), "black", "seat"),
        rod((-0.1, -0.2, 0.98), (-0.12, 0.2, 0.72), 0.085, "navy", "leg"),
        rod((-0.12, 0.2, 0.74), (-0.12, 0.08, 0.22), 0.07, "navy", "leg"),
        rod((0.1, -0.2, 0.98), (0.12, 0.24, 0.86), 0.085, "navy", "leg"),
        rod((0.12, 0.24, 0.88), (0.12, 0.04, 0.48), 0.07, "navy", "leg"),
        taper((0, -0.02, 1.26), (0.42, 0.26, 0.62), FIRST, "shirt", x=0.2, roll=180, tilt=-26),
        rod((-0.21, 0.12, 1.46), (-0.24, 0.36, 1.06), 0.05, FIRST, "arm"),
        rod((0.21, 0.12, 1.46), (0.24, 0.36, 1.06), 0.05, FIRST, "arm"),
        ball((0, 0.2, 1.66), (0.19, 0.22, 0.26), SKIN, "head"),
        ball((0, 0.18, 1.74), (0.23, 0.3, 0.18), "white", "helmet"),
    ]


def _paws(colour: Colour, x: float, front: float, back: float, height: float, radius: float) -> Model:
    return [cylinder((side, y, height / 2), radius, height, colour, "leg") for side in (-x, x) for y in (front, back)]


def dog() -> Model:
    """Return a dog of knee height with a collar."""
    return [
        *_paws(FIRST, 0.09, 0.24, -0.26, 0.36, 0.04),
        ball((0, 0, 0.42), (0.26, 0.78, 0.28), FIRST, "body"),
        rod((0, 0.28, 0.44), (0, 0.42, 0.62), 0.085, FIRST, "neck"),
        cylinder((0, 0.37, 0.56), 0.1, 0.05, "red", "collar", tilt=-38),
        ball((0, 0.46, 0.68), (0.19, 0.24, 0.19), FIRST, "head"),
        ball((0, 0.6, 0.65), (0.1, 0.2, 0.1), "black", "nose"),
        ball((-0.08, 0.42, 0.76), (0.05, 0.1, 0.16), "black", "ear"),
        ball((0.08, 0.42, 0.76), (0.05, 0.1, 0.16), "black", "ear"),
        rod((0, -0.36, 0.46), (0, -0.58, 0.68), 0.03, FIRST, "tail"),
    ]


def small_dog() -> Model:
    """Return a small woolly dog."""
    return [
        *_paws(FIRST, 0.07, 0.13, -0.14, 0.16, 0.035),
        ball((0, 0, 0.24), (0.24, 0.5, 0.24), FIRST, "body", material=Material.FOLIAGE),
        ball((0, 0.24, 0.4), (0.2, 0.2, 0.2), FIRST, "head", material=Material.FOLIAGE),
        ball((0, 0.35, 0.38), (0.08, 0.1, 0.08), "black", "nose"),
        ball((-0.1, 0.22, 0.4), (0.06, 0.1, 0.16), "dark grey", "ear"),
        ball((0.1, 0.22, 0.4), (0.06, 0.1, 0.16), "dark grey", "ear"),
        ball((0, -0.25, 0.36), (0.1, 0.1, 0.14), FIRST, "tail"),
    ]
