"""Objects of clothes shops: racks, mannequins, hats, fitting rooms. All stand on the floor; FIRST colours the goods."""

from __future__ import annotations

import math

from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, ball, box, cone, cylinder, plate, rod, taper
from bearleft.world.render.codes import Material, Outline


def _garment(x: float, y: float, top: float, length: float, colour: Colour, turn: float = 0.0) -> Model:
    """Return a garment that hangs across a rail; turn=0 is the plane of y and z."""
    return [
        taper((x, y, top - 0.07), (0.055, 0.46, 0.14), colour, "clothes", front=0.75, back=0.75, yaw=turn),
        taper((x, y, top - 0.14 - length / 2), (0.06, 0.46, length), colour, "clothes", x=0.1, yaw=turn),
    ]


def _shirt(x: float, y: float, top: float, colour: Colour) -> Model:
    """Return a shirt on a hanger, front side visible."""
    return [
        taper((x, y, top - 0.3), (0.44, 0.1, 0.6), colour, "shirt", x=0.12),
        rod((x - 0.19, y, top - 0.04), (x - 0.34, y, top - 0.3), 0.07, colour, "sleeve"),
        rod((x + 0.19, y, top - 0.04), (x + 0.34, y, top - 0.3), 0.07, colour, "sleeve"),
        plate((x, y + 0.055, top - 0.04), 0.14, 0.12, "white", "collar", Outline.YIELD),
        rod((x, y, top), (x, y, top + 0.12), 0.01, "silver", "hanger"),
    ]


def clothes_rack() -> Model:
    """Return a rail on wheels with shirts and coats of many colours side by side."""
    hung: tuple[tuple[Colour, float], ...] = (
        (FIRST, 0.7),
        (SECOND, 0.62),
        ("white", 0.66),
        (FIRST, 0.95),
        ("teal", 0.62),
        ("yellow", 0.7),
        (SECOND, 0.9),
        ("pink", 0.6),
    )
    garments = [
        solid
        for k, (colour, length) in enumerate(hung)
        for solid in _garment(-0.55 + 0.155 * k, 0, 1.42, length, colour)
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
    """Return a ring of clothes around a post."""
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
    """Return three shirts, front side visible, on a rail between two posts, with shoes and boxes below."""
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


def _stand(z: float) -> Model:
    return [
        cylinder((0, 0, 0.015), 0.2, 0.03, "silver", "base"),
        cylinder((0, -0.04, z / 2), 0.015, z, "silver", "pole"),
    ]


def mannequin() -> Model:
    """Return a mannequin with a bare white head in a shirt and trousers, one hand on the hip."""
    return [
        *_stand(0.9),
        *(rod((x * 0.8, 0, 0.88), (x * 1.1, 0.02 * x, 0.1), 0.078, SECOND, "trousers") for x in (-0.11, 0.11)),
        *(box((x * 1.1, 0.04, 0.07), (0.09, 0.24, 0.08), "white", "foot") for x in (-0.11, 0.11)),
        cone((0, 0, 1.14), 0.2, 0.58, FIRST, "shirt", top=0.78, tilt=180),
        rod((0.2, 0, 1.38), (0.36, -0.04, 1.14), 0.055, FIRST, "sleeve"),
        rod((0.36, -0.04, 1.14), (0.2, 0.06, 0.94), 0.042, "white", "arm"),
        rod((-0.2, 0, 1.38), (-0.27, 0.02, 1.1), 0.055, FIRST, "sleeve"),
        rod((-0.27, 0.02, 1.1), (-0.3, 0.08, 0.82), 0.042, "white", "arm"),
        cylinder((0, 0, 1.47), 0.05, 0.12, "white", "neck"),
        ball((0, 0.01, 1.62), (0.17, 0.2, 0.26), "white", "head"),
    ]


def mannequin_in_dress() -> Model:
    """Return a mannequin with white head and arms in a wide dress with a belt."""
    return [
        *_stand(0.6),
        *(rod((x, 0, 0.62), (x, 0.02, 0.06), 0.05, "white", "leg") for x in (-0.08, 0.08)),
        *(box((x, 0.05, 0.05), (0.08, 0.2, 0.05), "white", "foot") for x in (-0.08, 0.08)),
        cone((0, 0, 0.76), 0.36, 0.6, FIRST, "dress", top=0.42, material=Material.CLOTH),
        cone((0, 0, 1.24), 0.18, 0.38, FIRST, "dress", top=0.78, tilt=180),
        cylinder((0, 0, 1.06), 0.152, 0.06, SECOND, "belt"),
        rod((0.18, 0, 1.4), (0.3, 0.04, 0.9), 0.042, "white", "arm"),
        rod((-0.18, 0, 1.4), (-0.34, 0.1, 1.14), 0.042, "white", "arm"),
        rod((-0.34, 0.1, 1.14), (-0.26, 0.26, 1.3), 0.038, "white", "arm"),
        cylinder((0, 0, 1.48), 0.045, 0.12, "white", "neck"),
        ball((0, 0.01, 1.62), (0.16, 0.19, 0.25), "white", "head"),
    ]


def tailors_dummy() -> Model:
    """Return a torso without head and arms on a wooden tripod, a scarf around its neck."""
    ends = ((0, 1), (-0.9, -0.5), (0.9, -0.5))
    feet = [rod((0, 0, 0.3), (0.24 * x, 0.24 * y, 0.02), 0.02, "brown", "foot") for x, y in ends]
    return [
        *feet,
        cylinder((0, 0, 0.5), 0.025, 0.7, "brown", "pole"),
        cone((0, 0, 0.94), 0.21, 0.24, FIRST, "torso", top=0.68),
        cone((0, 0, 1.2), 0.21, 0.3, FIRST, "torso", top=0.68, tilt=180),
        ball((0, 0.0, 1.36), (0.42, 0.26, 0.14), FIRST, "torso"),
        cone((0, 0, 1.44), 0.08, 0.14, FIRST, "neck", top=0.7),
        ball((0, 0, 1.53), (0.1, 0.1, 0.08), "brown", "knob"),
        cylinder((0, 0, 1.43), 0.1, 0.06, SECOND, "scarf"),
        box((0.08, 0.15, 1.22), (0.09, 0.04, 0.4), SECOND, "scarf", roll=5, tilt=-8),
    ]


def _hat(x: float, y: float, z: float, colour: Colour, band: Colour) -> Model:
    return [
        cylinder((x, y, z), 0.2, 0.02, colour, "hat"),
        cone((x, y, z + 0.08), 0.12, 0.14, colour, "hat", top=0.85),
        cylinder((x, y, z + 0.025), 0.123, 0.035, band, "band"),
    ]


def hat_stand() -> Model:
    """Return a pole with arms that carry hats with brims."""
    arms: Model = []
    for k, (x, y, z) in enumerate(((0.3, 0.05, 1.3), (-0.3, 0.05, 1.12), (0.0, 0.3, 0.86))):
        arms.append(rod((0, 0, z - 0.08), (x, y, z), 0.012, "black", "arm"))
        arms += _hat(x, y, z, (FIRST, SECOND, "tan")[k], "black")
    return [
        cylinder((0, 0, 0.02), 0.24, 0.04, "black", "base"),
        cylinder((0, 0, 0.78), 0.02, 1.52, "black", "pole"),
        *arms,
        *_hat(0, 0, 1.56, FIRST, "black"),
    ]


def table_of_hats() -> Model:
    """Return two faceless heads on posts, in a straw hat and a cap."""
    model: Model = [box((0, 0, 0.02), (0.8, 0.36, 0.04), "brown", "base")]
    for x, height in ((-0.22, 1.24), (0.22, 1.02)):
        model += [
            cylinder((x, 0, height / 2), 0.02, height, "black", "pole"),
            cone((x, 0, height - 0.04), 0.1, 0.1, "white", "head", top=0.5),
            ball((x, 0.02, height + 0.14), (0.19, 0.23, 0.28), "white", "head"),
        ]
    return [
        *model,
        *_hat(-0.22, 0.01, 1.44, FIRST, SECOND),
        ball((0.22, 0.01, 1.22), (0.23, 0.26, 0.2), SECOND, "cap"),
        box((0.22, 0.17, 1.21), (0.18, 0.16, 0.02), SECOND, "cap"),
    ]


def fitting_room() -> Model:
    """Return a booth with a half-drawn curtain, a mirror and a stool inside."""
    folds = [cylinder((0.44 - 0.1 * k, 0.5 + 0.02 * (k % 2), 1.04), 0.06, 1.74, FIRST, "curtain") for k in range(6)]
    return [
        *(box((x, 0, 1.05), (0.05, 1.1, 2.1), SECOND, "wall") for x in (-0.56, 0.56)),
        box((0, -0.54, 1.05), (1.12, 0.04, 2.1), SECOND, "wall"),
        box((0, 0.5, 2.16), (1.2, 0.12, 0.24), SECOND, "sign"),
        plate(
            (0, 0.565, 2.16), 1.1, 0.18, "black", "sign", material=Material.TEXT, second="white", text="FITTING ROOM"
        ),
        rod((-0.56, 0.5, 1.96), (0.56, 0.5, 1.96), 0.02, "silver", "rail"),
        *folds,
        box((-0.2, -0.5, 1.1), (0.5, 0.03, 1.5), "silver", "mirror frame"),
        plate((-0.2, -0.48, 1.1), 0.42, 1.42, "silver", "mirror"),
        cylinder((-0.25, -0.2, 0.42), 0.18, 0.06, "brown", "stool"),
        cylinder((-0.25, -0.2, 0.2), 0.04, 0.4, "brown", "stool"),
    ]


def fitting_room_with_door() -> Model:
    """Return a booth with a slatted swing door, a gap below it, and the number 1 above."""
    return [
        *(box((x, 0, 1.05), (0.06, 1.1, 2.1), SECOND, "wall") for x in (-0.56, 0.56)),
        box((0, -0.54, 1.05), (1.12, 0.04, 2.1), SECOND, "wall"),
        box((0, 0.5, 2.05), (1.18, 0.1, 0.3), SECOND, "sign"),
        plate((0, 0.56, 2.05), 0.24, 0.2, "black", "sign", material=Material.TEXT, second="white", text="1"),
        *(
            box((x, 0.5, 1.05), (0.5, 0.05, 1.4), FIRST, "door", material=Material.SHUTTER, pattern=(0.1,))
            for x in (-0.265, 0.265)
        ),
        *(box((x, 0.54, 1.1), (0.03, 0.04, 0.14), "silver", "handle") for x in (-0.06, 0.06)),
    ]
