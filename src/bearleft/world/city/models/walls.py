"""Objects on walls: flags, fire escapes, lamps, murals. The origin is on the wall at the object's foot.

y points out of the wall. Murals and graffiti begin at the ground; the docstrings of the others give their height.
"""

from __future__ import annotations

from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, ball, box, cone, cylinder, plate, rod, taper
from bearleft.world.render.codes import Material, Outline

TEXT, GLASS = Material.TEXT, Material.GLASS
STOREY = 3.3


def _flagpole() -> Model:
    return [
        rod((0, 0, 0.3), (0, 1.9, 2.2), 0.035, "silver", "pole"),
        ball((0, 1.93, 2.23), (0.14, 0.14, 0.14), "gold", "tip"),
        box((0, 0.05, 0.3), (0.2, 0.14, 0.3), "black", "bracket"),
    ]


def american_flag() -> Model:
    """Return the American flag on a slanted pole, hung 4 m high or more."""
    return [
        *_flagpole(),
        box(
            (0, 1.7, 1.1),
            (0.03, 1.5, 1.1),
            "red",
            "flag",
            tilt=45,
            material=Material.STRIPES,
            second="white",
            pattern=(0.115,),
        ),
        box((0, 1.84, 1.74), (0.04, 0.8, 0.5), "navy", "flag", tilt=45),
    ]


def plain_flag() -> Model:
    """Return a flag of two colours on a slanted pole, hung 4 m high or more."""
    return [
        *_flagpole(),
        box((0, 1.7, 1.1), (0.03, 1.5, 1.1), FIRST, "flag", tilt=45, material=Material.CLOTH),
        box((0, 1.7, 1.1), (0.04, 0.5, 1.1), SECOND, "flag", tilt=45),
    ]


def fire_escape() -> Model:
    """Return three platforms with railings and slanted ladders; the lowest is at the origin, with a hanging ladder."""
    model: Model = []
    for k in range(3):
        z = k * STOREY
        model.append(box((0, 0.55, z), (3.6, 1.1, 0.09), FIRST, "platform"))
        model.append(plate((0, 1.09, z + 0.48), 3.6, 0.95, FIRST, "railing", Outline.BARS, (19, 0.2)))
        model.append(plate((-1.79, 0.55, z + 0.48), 1.1, 0.95, FIRST, "railing", Outline.BARS, (6, 0.2), yaw=90))
        model.append(plate((1.79, 0.55, z + 0.48), 1.1, 0.95, FIRST, "railing", Outline.BARS, (6, 0.2), yaw=90))
        model.append(box((0, 1.09, z + 0.96), (3.64, 0.06, 0.06), FIRST, "railing"))
    for k, side in ((0, 1), (1, -1)):
        z = k * STOREY
        for y in (0.35, 0.85):
            model.append(rod((-1.15 * side, y, z), (1.15 * side, y, z + STOREY), 0.045, FIRST, "ladder"))
        model.append(
            plate(
                (0, 0.6, z + STOREY / 2),
                0.5,
                4.02,
                FIRST,
                "ladder",
                Outline.LATTICE,
                (1, 14, 0.24),
                yaw=90,
                tilt=34.9 * side,
            )
        )
    model.append(plate((-1.3, 1.0, -0.1), 0.45, 2.6, FIRST, "hanging ladder", Outline.LATTICE, (1, 9, 0.2)))
    return model


def wall_lamp() -> Model:
    """Return a lantern on a curved arm, hung 2.2 m high or more."""
    return [
        box((0, 0.03, 0.3), (0.16, 0.06, 0.4), FIRST, "bracket"),
        rod((0, 0.03, 0.4), (0, 0.32, 0.62), 0.02, FIRST, "arm"),
        cone((0, 0.32, 0.56), 0.17, 0.12, FIRST, "cap", top=0.2),
        cone((0, 0.32, 0.34), 0.1, 0.34, "lamp", "lamp", top=1.0, material=Material.LAMP),
        cylinder((0, 0.32, 0.15), 0.11, 0.05, FIRST, "base"),
    ]


def air_conditioner() -> Model:
    """Return a box that projects from a window, its foot on the sill."""
    return [
        box((0, 0.22, 0.23), (0.68, 0.5, 0.44), FIRST, "air conditioner"),
        box((0, 0.46, 0.23), (0.58, 0.06, 0.34), "dark grey", "grille", material=Material.SHUTTER),
        box((0, 0.2, 0.01), (0.5, 0.4, 0.03), "black", "support"),
    ]


def window_box() -> Model:
    """Return flowers on a windowsill."""
    return [
        box((0, 0.16, 0.12), (1.1, 0.28, 0.24), FIRST, "box"),
        ball((0, 0.17, 0.28), (1.14, 0.4, 0.34), "leaf", "leaves", material=Material.FOLIAGE),
        *(
            ball((x, 0.25 + 0.06 * (k % 2), 0.36 + 0.07 * (k % 3)), (0.17, 0.17, 0.15), SECOND, "flowers")
            for k, x in enumerate((-0.45, -0.27, -0.1, 0.08, 0.26, 0.43))
        ),
    ]


def balcony() -> Model:
    """Return a slab with iron bars around it and a glass door, its floor at the foot."""
    return [
        box((0, 0.6, 0.08), (2.8, 1.2, 0.16), "concrete", "floor"),
        box((0, 0.02, 1.26), (1.5, 0.1, 2.2), "glass", "door", material=GLASS, second="white", pattern=(0.75, 3.0)),
        plate((0, 1.17, 0.65), 2.76, 1.0, FIRST, "railing", Outline.BARS, (18, 0.22)),
        plate((-1.37, 0.6, 0.65), 1.16, 1.0, FIRST, "railing", Outline.BARS, (8, 0.22), yaw=90),
        plate((1.37, 0.6, 0.65), 1.16, 1.0, FIRST, "railing", Outline.BARS, (8, 0.22), yaw=90),
        box((0, 1.17, 1.16), (2.8, 0.08, 0.07), FIRST, "railing"),
        box((0.95, 0.85, 0.3), (0.5, 0.3, 0.28), "brick", "pot"),
        ball((0.95, 0.85, 0.62), (0.6, 0.5, 0.5), "leaf", "plant", material=Material.FOLIAGE),
    ]


def bay_window() -> Model:
    """Return a window that projects from the wall, its foot at its lower edge."""
    return [
        taper((0, 0.25, 0.15), (2.2, 0.5, 0.3), SECOND, "base", x=0.35, front=0.9, roll=180),
        box((0, 0.4, 0.5), (2.2, 0.8, 0.5), FIRST, "panel"),
        box((0, 0.38, 1.5), (2.1, 0.76, 1.7), "glass", "window", material=GLASS, second=FIRST, pattern=(0.7, 0.85)),
        box((0, 0.42, 2.45), (2.3, 0.86, 0.24), FIRST, "panel"),
        taper((0, 0.43, 2.7), (2.3, 0.86, 0.3), SECOND, "roof", x=0.3, front=1.2),
    ]


def mural() -> Model:
    """Return a mural."""
    return [
        plate((0, 0.03, 2.6), 6.0, 5.2, FIRST, "mural", material=Material.MURAL, second=SECOND),
    ]


def painted_portrait() -> Model:
    """Return a mural of a face."""

    def patch(x: float, z: float, width: float, height: float, colour: Colour, part: str, depth: float) -> Model:
        return [plate((x, depth, z), width, height, colour, part, Outline.DISC)]

    return [
        plate((0, 0.03, 2.6), 5.0, 5.2, FIRST, "mural", material=Material.MURAL, second=SECOND),
        *patch(0, 2.9, 3.4, 4.2, "black", "hair", 0.05),
        *patch(0, 2.6, 2.5, 3.4, "sandstone", "face", 0.07),
        *patch(-0.5, 2.95, 0.62, 0.36, "white", "eye", 0.09),
        *patch(0.5, 2.95, 0.62, 0.36, "white", "eye", 0.09),
        *patch(-0.5, 2.95, 0.26, 0.34, "teal", "eye", 0.11),
        *patch(0.5, 2.95, 0.26, 0.34, "teal", "eye", 0.11),
        plate((0, 0.09, 2.5), 0.4, 0.7, "brick", "nose", Outline.TRIANGLE),
        *patch(0, 1.75, 0.95, 0.34, "red", "mouth", 0.09),
    ]


def graffiti() -> Model:
    """Return sprayed letters on a cloud of colour."""
    return [
        plate((0, 0.025, 1.15), 3.2, 1.75, SECOND, "graffiti", Outline.DISC),
        plate((-0.75, 0.03, 1.05), 1.5, 1.3, FIRST, "graffiti", Outline.DISC),
        plate((0.0, 0.035, 1.25), 1.6, 1.5, FIRST, "graffiti", Outline.DISC),
        plate((0.8, 0.03, 1.1), 1.5, 1.3, FIRST, "graffiti", Outline.DISC),
        plate((0, 0.05, 1.15), 2.3, 0.85, FIRST, "letters", roll=-5, material=TEXT, second=SECOND, pattern=(0.95,)),
    ]


def bubble_graffiti() -> Model:
    """Return fat letters, each in a bubble of its own colour."""
    bubbles = (
        ("O", -1.1, "pink", -12),
        ("K", -0.38, "light blue", 8),
        ("E", 0.36, "yellow", -6),
        ("Z", 1.08, "orange", 10),
    )
    model: Model = [plate((0, 0.028, 1.12), 3.3, 1.3, "black", "graffiti", Outline.DISC)]
    for k, (letter, x, paint, turn) in enumerate(bubbles):
        model.append(
            plate(
                (x, 0.04 + 0.005 * k, 1.12 + 0.08 * (k % 2)),
                0.95,
                1.05,
                paint,
                "letters",
                Outline.DISC,
                roll=turn,
                material=TEXT,
                second="black",
                text=letter,
                pattern=(0.66,),
            )
        )
    return model


def bracket_clock() -> Model:
    """Return a round clock at right angles to the wall, hung 3.5 m high."""
    return [
        rod((0, 0, 0.55), (0, 0.35, 0.55), 0.04, FIRST, "bracket"),
        rod((0, 0, 1.15), (0, 0.55, 1.02), 0.03, FIRST, "bracket"),
        cylinder((0, 0.8, 0.55), 0.52, 0.26, FIRST, "case", roll=90),
        cylinder((0, 0.8, 0.55), 0.45, 0.29, "white", "face", roll=90),
        box((0, 0.8, 0.7), (0.31, 0.04, 0.34), "black", "hand"),
        box((0, 0.9, 0.55), (0.31, 0.26, 0.05), "black", "hand"),
    ]


def barber_pole() -> Model:
    """Return slanted stripes of red, white and blue in a glass cylinder, hung 1.4 m high."""
    return [
        box((0, 0.06, 0.45), (0.12, 0.12, 0.5), "silver", "bracket"),
        cylinder(
            (0, 0.2, 0.45), 0.11, 0.66, "red", "pole", material=Material.DIAGONAL, second="white", pattern=(0.08,)
        ),
        cylinder((0, 0.2, 0.06), 0.14, 0.14, "blue", "base"),
        cylinder((0, 0.2, 0.84), 0.14, 0.14, "blue", "cap"),
        ball((0, 0.2, 0.98), (0.22, 0.22, 0.22), "lamp", "lamp", material=Material.LAMP),
    ]
