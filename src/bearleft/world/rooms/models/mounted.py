"""Objects on the walls and ceilings of public rooms.

On a wall y points out of it and z = 0 is the object's middle height; for spotlights z = 0 is the ceiling.
"""

from __future__ import annotations

from bearleft.world.city.shapes import FIRST, SECOND, Model, ball, box, cone, cylinder, plate, rod
from bearleft.world.render.codes import Material, Outline

TEXT, GLOW = Material.TEXT, Material.GLOW


def chalkboard() -> Model:
    """Return a black board in a wooden frame with a menu, chalk on its ledge."""
    lines = [
        plate((x, 0.045, z), width, 0.016, "white", "writing")
        for x, z, width in ((0.08, 0.06, 0.62), (0.14, -0.06, 0.5), (0.05, -0.18, 0.68), (0.16, -0.3, 0.46))
    ]
    prices = [plate((-0.4, 0.045, z), 0.12, 0.03, "yellow", "writing") for z in (0.06, -0.06, -0.18, -0.3)]
    return [
        box((0, 0.02, 0), (1.2, 0.04, 0.94), FIRST, "frame"),
        box((0, 0.025, 0), (1.08, 0.036, 0.82), "black", "board"),
        plate((0, 0.045, 0.26), 0.8, 0.16, "black", "writing", material=TEXT, second="white", text="MENU"),
        *lines,
        *prices,
        box((0, 0.06, -0.46), (1.0, 0.08, 0.03), FIRST, "ledge"),
        cylinder((0.2, 0.07, -0.435), 0.012, 0.1, "white", "chalk", roll=90),
    ]


def special_chalkboard() -> Model:
    """Return a tall, narrow chalkboard with an arched top and a drawing of a cup."""
    return [
        plate((0, 0.01, 0), 0.74, 1.1, FIRST, "frame", Outline.ARCH),
        plate((0, 0.02, 0), 0.74, 1.1, FIRST, "frame", Outline.ARCH),
        plate((0, 0.03, 0), 0.64, 1.0, "black", "board", Outline.ARCH),
        plate((0, 0.04, 0.22), 0.5, 0.14, "black", "writing", material=TEXT, second="yellow", text="TODAY"),
        plate((0, 0.04, -0.02), 0.26, 0.2, "white", "drawing", Outline.YIELD),
        plate((-0.13, 0.04, 0.01), 0.12, 0.12, "white", "drawing", Outline.RING, (0.7,)),
        plate((0, 0.04, -0.13), 0.34, 0.02, "white", "drawing"),
        plate((0, 0.04, -0.26), 0.56, 0.1, "black", "writing", material=TEXT, second="white", text="COFFEE"),
        plate((0, 0.04, -0.4), 0.4, 0.1, "black", "writing", material=TEXT, second="pink", text="$ 3"),
    ]


def whiteboard() -> Model:
    """Return a white board in a thin frame with boxes, arrows and words, pens on its ledge."""
    return [
        box((0, 0.012, 0), (1.84, 0.024, 1.1), "silver", "frame"),
        box((0, 0.018, 0), (1.76, 0.024, 1.02), "white", "board"),
        plate((0.4, 0.034, 0.32), 0.8, 0.16, "white", "writing", material=TEXT, second=FIRST, text="PLAN"),
        plate((0.5, 0.034, -0.05), 0.4, 0.26, FIRST, "drawing", Outline.RECTANGLE),
        plate((0.5, 0.038, -0.05), 0.36, 0.22, "white", "drawing"),
        plate((0.1, 0.034, -0.05), 0.3, 0.02, "black", "drawing"),
        plate((-0.06, 0.034, -0.05), 0.08, 0.1, "black", "drawing", Outline.TRIANGLE, roll=-90),
        plate((-0.34, 0.034, -0.05), 0.36, 0.36, "red", "drawing", Outline.RING, (0.9,)),
        *(plate((-0.4, 0.034, z), 0.6, 0.02, FIRST, "writing") for z in (0.36, 0.28)),
        box((0, 0.06, -0.56), (1.2, 0.09, 0.025), "silver", "ledge"),
        *(
            cylinder((x, 0.07, -0.535), 0.014, 0.13, colour, "pen", roll=90)
            for x, colour in ((-0.3, "red"), (-0.12, "blue"), (0.06, "green"))
        ),
        box((0.4, 0.07, -0.525), (0.16, 0.06, 0.05), "black", "eraser"),
    ]


def poster() -> Model:
    """Return a poster: a sunset over hills, a title below."""
    return [
        plate((0, 0.01, 0), 0.7, 1.0, "white", "paper"),
        plate((0, 0.014, 0.1), 0.62, 0.7, FIRST, "picture"),
        plate((0.06, 0.018, 0.16), 0.32, 0.32, "yellow", "sun", Outline.DISC),
        plate((0.1, 0.022, -0.1), 0.42, 0.3, SECOND, "hill", Outline.TRIANGLE),
        plate((-0.12, 0.026, -0.14), 0.38, 0.22, "black", "hill", Outline.TRIANGLE),
        plate((0, 0.014, -0.37), 0.6, 0.14, "white", "title", material=TEXT, second="black"),
    ]


def film_poster() -> Model:
    """Return a dark poster with a profile made of discs and large letters above."""
    return [
        plate((0, 0.01, 0), 0.7, 1.0, "black", "paper"),
        plate((0, 0.014, -0.05), 0.5, 0.6, FIRST, "face", Outline.DISC),
        plate((0.1, 0.018, 0.04), 0.12, 0.07, "white", "eye", Outline.DISC),
        plate((-0.1, 0.018, 0.04), 0.12, 0.07, "white", "eye", Outline.DISC),
        plate((0.1, 0.022, 0.04), 0.05, 0.06, "black", "eye", Outline.DISC),
        plate((-0.1, 0.022, 0.04), 0.05, 0.06, "black", "eye", Outline.DISC),
        plate((0, 0.018, -0.18), 0.24, 0.08, "maroon", "mouth", Outline.DISC),
        plate((0, 0.014, 0.39), 0.64, 0.15, "black", "title", material=TEXT, second="white"),
        plate((0, 0.014, -0.43), 0.5, 0.06, "black", "title", material=Material.BANDS, second="grey", pattern=(0.02,)),
    ]


def sale_poster() -> Model:
    """Return a poster with SALE in large letters and a burst of colour behind it."""
    return [
        plate((0, 0.01, 0), 0.8, 1.0, FIRST, "paper"),
        plate((0, 0.014, 0.06), 0.72, 0.72, "yellow", "star", Outline.DIAMOND),
        plate((0, 0.014, 0.06), 0.52, 0.52, "yellow", "star"),
        plate((0, 0.02, 0.06), 0.6, 0.24, "yellow", "letters", material=TEXT, second="black", text="SALE"),
        plate((0, 0.014, -0.39), 0.6, 0.13, FIRST, "letters", material=TEXT, second="white", text="TODAY"),
    ]


def fire_extinguisher() -> Model:
    """Return a red bottle on a bracket, with hose and handle."""
    return [
        box((0, 0.02, 0.04), (0.14, 0.04, 0.3), "dark grey", "bracket"),
        cylinder((0, 0.11, -0.05), 0.09, 0.44, FIRST, "bottle"),
        ball((0, 0.11, 0.17), (0.18, 0.18, 0.14), FIRST, "bottle"),
        cylinder((0, 0.11, -0.275), 0.085, 0.03, "black", "foot"),
        cylinder((0, 0.11, 0.25), 0.03, 0.07, "silver", "valve"),
        box((0, 0.15, 0.3), (0.03, 0.16, 0.02), "black", "handle", tilt=12),
        box((0, 0.15, 0.26), (0.03, 0.14, 0.02), "black", "handle", tilt=-8),
        cylinder((-0.03, 0.12, 0.25), 0.025, 0.03, "white", "gauge", roll=90),
        rod((0.03, 0.12, 0.26), (0.12, 0.14, 0.16), 0.014, "black", "hose"),
        rod((0.12, 0.14, 0.16), (0.12, 0.14, -0.08), 0.014, "black", "hose"),
        cone((0.12, 0.14, -0.13), 0.03, 0.12, "black", "nozzle", top=0.45),
        plate((0, 0.205, -0.03), 0.1, 0.16, "white", "label"),
        plate((0, 0.208, 0.0), 0.09, 0.05, "white", "label", material=TEXT, second="red", text="FIRE"),
    ]


def exit_sign() -> Model:
    """Return a lit box flat on the wall, lettered EXIT."""
    return [
        box((0, 0.035, 0), (0.62, 0.07, 0.26), "white", "case"),
        plate((0, 0.074, 0), 0.58, 0.22, FIRST, "sign", material=GLOW, pattern=(0.5,)),
        plate((0, 0.08, 0), 0.54, 0.2, FIRST, "letters", material=TEXT, second="white", text="EXIT"),
        box((0, 0.03, -0.14), (0.3, 0.05, 0.02), "lamp", "lamp", material=GLOW, pattern=(0.9,)),
    ]


def exit_sign_on_arm() -> Model:
    """Return a lit sheet under a bar that projects from the wall, with EXIT and an arrow on its front."""
    return [
        box((0, 0.02, 0.12), (0.2, 0.04, 0.1), "silver", "bracket"),
        rod((0, 0.02, 0.13), (0, 0.16, 0.13), 0.015, "silver", "bracket"),
        box((0, 0.16, 0.13), (0.7, 0.05, 0.05), "silver", "bar"),
        box((0, 0.16, -0.02), (0.68, 0.02, 0.26), FIRST, "sign"),
        plate((0.1, 0.175, -0.02), 0.42, 0.2, FIRST, "letters", material=TEXT, second="white", text="EXIT"),
        plate((-0.2, 0.175, -0.02), 0.12, 0.04, "white", "arrow"),
        plate((-0.28, 0.175, -0.02), 0.13, 0.09, "white", "arrow", Outline.TRIANGLE, roll=-90),
    ]


def security_camera() -> Model:
    """Return a long case with a lens, on an arm from the wall."""
    return [
        cylinder((0, 0.015, 0.05), 0.07, 0.03, FIRST, "bracket", tilt=90),
        rod((0, 0.02, 0.05), (0, 0.16, 0.0), 0.022, FIRST, "arm"),
        box((0, 0.24, 0.0), (0.13, 0.34, 0.12), FIRST, "camera", tilt=-14),
        box((0, 0.26, 0.07), (0.16, 0.4, 0.02), FIRST, "hood", tilt=-14),
        cylinder((0, 0.42, -0.04), 0.05, 0.05, "black", "lens", tilt=76),
        cylinder((0, 0.44, -0.045), 0.03, 0.03, "glass", "lens", tilt=76),
        ball((0.045, 0.41, 0.0), (0.02, 0.02, 0.02), "red", "light", material=GLOW, pattern=(1.0,)),
    ]


def dome_camera() -> Model:
    """Return a dark half globe under a round cap on a wall arm."""
    return [
        box((0, 0.015, 0.06), (0.14, 0.03, 0.16), FIRST, "bracket"),
        rod((0, 0.02, 0.1), (0, 0.18, 0.1), 0.03, FIRST, "arm"),
        cone((0, 0.2, 0.08), 0.13, 0.08, FIRST, "hood", top=0.5),
        cylinder((0, 0.2, 0.02), 0.13, 0.06, FIRST, "hood"),
        ball((0, 0.2, -0.01), (0.22, 0.22, 0.22), "black", "lens"),
        ball((0.03, 0.28, -0.06), (0.05, 0.05, 0.05), "glass", "lens"),
    ]


def air_vent() -> Model:
    """Return a grille of slanting slats in a frame."""
    slats = [box((0, 0.026, -0.15 + 0.06 * k), (0.66, 0.05, 0.012), FIRST, "slat", tilt=-35) for k in range(6)]
    return [
        box((0, 0.006, 0), (0.7, 0.012, 0.38), "black", "opening"),
        *slats,
        *(box((0, 0.026, z), (0.78, 0.05, 0.05), FIRST, "frame") for z in (-0.21, 0.21)),
        *(box((x, 0.026, 0), (0.05, 0.05, 0.46), FIRST, "frame") for x in (-0.365, 0.365)),
    ]


def long_air_vent() -> Model:
    """Return a wide, low vent with upright bars and screws at its corners."""
    return [
        box((0, 0.02, 0), (1.1, 0.04, 0.26), FIRST, "frame"),
        plate((0, 0.042, 0), 1.0, 0.17, "black", "opening"),
        plate((0, 0.05, 0), 1.0, 0.17, FIRST, "slat", Outline.BARS, (20, 0.4)),
        box((0, 0.05, 0), (1.0, 0.02, 0.015), FIRST, "slat"),
        *(ball((x, 0.042, z), (0.025, 0.015, 0.025), "steel", "screw") for x in (-0.525, 0.525) for z in (-0.1, 0.1)),
    ]


def spotlight() -> Model:
    """Return three lamps on a rail below the ceiling, pointing down and ahead."""
    model: Model = [box((0, 0, -0.02), (1.3, 0.06, 0.04), FIRST, "rail")]
    for x, turn in ((-0.45, -20.0), (0.0, 0.0), (0.45, 20.0)):
        model += [
            cylinder((x, 0, -0.09), 0.014, 0.12, FIRST, "arm"),
            cylinder((x, 0.04, -0.19), 0.075, 0.24, FIRST, "lamp", tilt=125, yaw=turn),
            cylinder(
                (x - 0.0036 * turn, 0.135, -0.256),
                0.066,
                0.02,
                "lamp",
                "light",
                tilt=125,
                yaw=turn,
                material=GLOW,
                pattern=(1.0,),
            ),
        ]
    return model


def stage_spotlight() -> Model:
    """Return a large lamp in a fork, pointing down and ahead between two flaps."""
    return [
        cylinder((0, 0, -0.04), 0.05, 0.08, "silver", "clamp"),
        box((0, 0, -0.09), (0.48, 0.06, 0.03), "silver", "fork"),
        *(box((x, 0, -0.24), (0.025, 0.06, 0.32), "silver", "fork") for x in (-0.23, 0.23)),
        cylinder((0, 0.0, -0.36), 0.17, 0.36, FIRST, "lamp", tilt=115),
        cylinder((0, 0.17, -0.44), 0.2, 0.04, FIRST, "lamp", tilt=115),
        cylinder((0, 0.188, -0.449), 0.17, 0.02, "lamp", "light", tilt=115, material=GLOW, pattern=(1.0,)),
        box((0.24, 0.27, -0.49), (0.012, 0.2, 0.3), FIRST, "flap", tilt=-25, yaw=-22),
        box((-0.24, 0.27, -0.49), (0.012, 0.2, 0.3), FIRST, "flap", tilt=-25, yaw=22),
    ]
