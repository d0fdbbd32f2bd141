"""Screens, musical instruments, toys, luggage and fish tanks."""

from __future__ import annotations

from math import radians, sin
from typing import Any

from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, ball, box, cone, cylinder, plate, rod
from bearleft.world.render.codes import Material, Outline
from bearleft.world.rooms.models import screen_contents as programmes
from bearleft.world.rooms.models.screen_contents import LIT


def television() -> Model:
    """Return a flat screen on a foot."""
    return [
        box((0, 0, 0.015), (0.5, 0.24, 0.03), FIRST, "stand"),
        box((0, -0.03, 0.07), (0.1, 0.04, 0.1), FIRST, "stand"),
        box((0, 0, 0.42), (1.12, 0.05, 0.66), FIRST, "frame"),
        *programmes.match(0.027, 0.43, 1.07, 0.6),
        box((0, 0.027, 0.105), (0.03, 0.006, 0.012), "red", "light", **LIT),
    ]


def television_on_wall() -> Model:
    """Return a large flat screen on the wall."""
    return [
        box((0, 0.02, 0), (0.4, 0.04, 0.3), "dark grey", "mount"),
        box((0, 0.055, 0), (1.4, 0.04, 0.82), FIRST, "frame"),
        *programmes.news(0.0765, 0.005, 1.35, 0.76),
        box((0, 0.076, -0.395), (0.03, 0.006, 0.012), "red", "light", **LIT),
    ]


def television_off() -> Model:
    """Return a flat screen on two feet, switched off."""
    return [
        *(box((x, 0, 0.02), (0.05, 0.24, 0.04), FIRST, "stand") for x in (-0.4, 0.4)),
        box((0, 0, 0.38), (1.12, 0.05, 0.68), FIRST, "frame"),
        *programmes.off(0.027, 0.39, 1.07, 0.61),
    ]


def television_old() -> Model:
    """Return an old television: a deep wooden set with a bulging screen, knobs and two aerials."""
    return [
        *(box((x, y, 0.015), (0.05, 0.05, 0.03), "black", "foot") for x in (-0.25, 0.25) for y in (-0.16, 0.16)),
        box((0, 0, 0.25), (0.64, 0.44, 0.44), "brown", "case", material=Material.WOOD, pattern=(0.11,)),
        box((0.08, 0.222, 0.26), (0.44, 0.01, 0.36), "black", "frame"),
        ball((0.08, 0.22, 0.26), (0.4, 0.06, 0.32), "blue", "screen", **LIT),
        *(cylinder((-0.23, 0.235, z), 0.03, 0.03, "silver", "knob", tilt=90) for z in (0.37, 0.28)),
        plate((-0.23, 0.222, 0.15), 0.1, 0.12, "black", "loudspeaker", Outline.BARS, (6.0, 0.5)),
        *(rod((0, -0.05, 0.47), (x, -0.05, 0.78), 0.006, "silver", "antenna") for x in (-0.22, 0.22)),
    ]


def laptop() -> Model:
    """Return an open laptop, its screen leaning back; its user sits at +y."""
    return [
        box((0, 0.02, 0.01), (0.34, 0.24, 0.018), FIRST, "base"),
        box((0, -0.01, 0.02), (0.29, 0.11, 0.003), "black", "keyboard", material=Material.PANELS, pattern=(0.024,)),
        box((0, 0.09, 0.02), (0.1, 0.06, 0.003), "grey", "touchpad"),
        box((0, -0.15, 0.125), (0.34, 0.012, 0.23), FIRST, "lid", tilt=16),
        plate((0, -0.1425, 0.127), 0.32, 0.2, SECOND, "screen", tilt=16, **LIT),
        plate((0.04, -0.1425, 0.13), 0.16, 0.1, "white", "screen", tilt=16, **LIT),
        cylinder((0, -0.11, 0.018), 0.009, 0.28, "black", "hinge", roll=90),
    ]


def laptop_closed() -> Model:
    """Return a closed laptop with a round emblem on its lid."""
    return [
        box((0, 0, 0.007), (0.34, 0.24, 0.012), FIRST, "base"),
        box((0, 0, 0.019), (0.34, 0.24, 0.01), FIRST, "lid"),
        box((0, 0, 0.0135), (0.335, 0.236, 0.003), "black", "gap"),
        cylinder((0, 0, 0.0245), 0.03, 0.003, SECOND, "emblem"),
        cylinder((0, -0.115, 0.014), 0.007, 0.26, "black", "hinge", roll=90),
    ]


def computer_monitor() -> Model:
    """Return a screen on a stand, with windows of text on it, and a keyboard ahead."""
    return [
        box((0, -0.06, 0.01), (0.24, 0.18, 0.02), FIRST, "stand"),
        box((0, -0.09, 0.12), (0.06, 0.03, 0.22), FIRST, "stand"),
        box((0, -0.06, 0.34), (0.58, 0.03, 0.36), FIRST, "frame"),
        plate((0, -0.043, 0.345), 0.55, 0.32, SECOND, "screen", **LIT),
        plate(
            (0.08, -0.042, 0.36), 0.32, 0.2, "white", "screen", material=Material.BANDS, second="grey", pattern=(0.02,)
        ),
        plate((-0.18, -0.042, 0.33), 0.12, 0.14, "yellow", "screen", **LIT),
        box((0, 0.16, 0.012), (0.42, 0.13, 0.02), "dark grey", "keyboard"),
        box((0, 0.16, 0.023), (0.4, 0.11, 0.003), "black", "keyboard", material=Material.PANELS, pattern=(0.03,)),
        ball((-0.3, 0.16, 0.015), (0.06, 0.1, 0.03), "black", "mouse"),
    ]


def computer_monitor_wide() -> Model:
    """Return a wide screen on a thin foot with a table and a chart."""
    return [
        cylinder((0, -0.04, 0.008), 0.12, 0.016, FIRST, "stand"),
        cylinder((0, -0.06, 0.1), 0.018, 0.18, FIRST, "stand"),
        box((0, -0.03, 0.33), (0.84, 0.03, 0.36), FIRST, "frame"),
        *programmes.desktop(-0.012, 0.335, 0.81, 0.32),
    ]


def _guitar_stand() -> Model:
    return [
        *(
            rod((0, -0.06, 0.3), (x, y, 0.01), 0.012, "black", "stand")
            for x, y in ((0.2, 0.12), (-0.2, 0.12), (0, -0.24))
        ),
        *(rod((x, -0.04, 0.13), (x, 0.1, 0.13), 0.012, "black", "stand") for x in (-0.1, 0.1)),
    ]


def _neck(z: float, long: float) -> Model:
    """Return neck, frets, head and pegs, upwards from the body."""
    return [
        box((0, 0.04, z + long / 2), (0.055, 0.03, long), "bark", "neck"),
        plate((0, 0.057, z + long / 2), 0.05, long, "silver", "strings", Outline.BARS, (6.0, 0.16)),
        box((0, 0.035, z + long + 0.08), (0.085, 0.025, 0.17), "black", "head"),
        *(box((0, 0.035, z + long + h), (0.13, 0.015, 0.02), "silver", "pegs") for h in (0.04, 0.08, 0.12)),
    ]


def guitar() -> Model:
    """Return an acoustic guitar on its stand: a round body with a hole under the strings."""
    return [
        *_guitar_stand(),
        cylinder((0, 0.03, 0.33), 0.2, 0.1, FIRST, "body", tilt=90),
        cylinder((0, 0.03, 0.5), 0.13, 0.098, FIRST, "body", tilt=90),
        cylinder((0, 0.03, 0.6), 0.148, 0.1, FIRST, "body", tilt=90),
        cylinder((0, 0.081, 0.49), 0.055, 0.003, "black", "sound hole", tilt=90),
        box((0, 0.084, 0.3), (0.13, 0.012, 0.03), "black", "bridge"),
        plate((0, 0.087, 0.49), 0.05, 0.4, "silver", "strings", Outline.BARS, (6.0, 0.16)),
        *_neck(0.72, 0.3),
    ]


def guitar_electric() -> Model:
    """Return an electric guitar: a flat body with two horns, a pick guard, pickups and knobs."""
    return [
        *_guitar_stand(),
        cylinder((0, 0.03, 0.3), 0.175, 0.045, FIRST, "body", tilt=90),
        cylinder((0, 0.03, 0.44), 0.13, 0.044, FIRST, "body", tilt=90),
        *(
            ball((x, 0.03, z), (0.12, 0.045, 0.26), FIRST, "body", roll=r)
            for x, z, r in ((0.105, 0.53, 12), (-0.1, 0.51, -12))
        ),
        plate((-0.02, 0.054, 0.4), 0.2, 0.24, SECOND, "pick guard", Outline.OCTAGON),
        *(box((0, 0.056, z), (0.08, 0.01, 0.03), "black", "pickup") for z in (0.36, 0.47)),
        *(cylinder((-0.08, 0.06, z), 0.016, 0.02, "gold", "knob", tilt=90) for z in (0.22, 0.28)),
        plate((0, 0.064, 0.42), 0.045, 0.3, "silver", "strings", Outline.BARS, (6.0, 0.16)),
        *_neck(0.55, 0.44),
    ]


def _keys(y: float, z: float, width: float) -> Model:
    """Return white keys with black keys on them."""
    return [
        box((0, y, z), (width, 0.15, 0.02), "white", "keys", material=Material.PANELS, pattern=(0.15,)),
        plate((0, y - 0.03, z + 0.013), width, 0.09, "black", "keys", Outline.BARS, (width / 0.04, 0.45), tilt=90),
    ]


def piano() -> Model:
    """Return an upright piano with sheet music on its stand."""
    return [
        box((0, -0.12, 0.6), (1.46, 0.34, 1.18), FIRST, "body"),
        box((0, -0.11, 1.205), (1.5, 0.38, 0.03), FIRST, "top"),
        box((0, 0.16, 0.66), (1.46, 0.32, 0.06), FIRST, "keyboard"),
        *_keys(0.2, 0.7, 1.26),
        *(box((x, 0.18, 0.72), (0.08, 0.3, 0.12), FIRST, "keyboard") for x in (-0.69, 0.69)),
        box((0, 0.09, 0.74), (1.3, 0.06, 0.05), FIRST, "fallboard"),
        *(box((x, 0.27, 0.32), (0.07, 0.07, 0.64), FIRST, "leg") for x in (-0.68, 0.68)),
        box((0, 0.09, 0.9), (0.7, 0.02, 0.26), FIRST, "music stand", tilt=14),
        *(
            plate(
                (x, 0.115, 0.92),
                0.2,
                0.26,
                "white",
                "sheet music",
                tilt=14,
                material=Material.BANDS,
                second="grey",
                pattern=(0.035,),
            )
            for x in (-0.11, 0.11)
        ),
        *(box((x, 0.09, 0.08), (0.05, 0.14, 0.015), "gold", "pedal") for x in (-0.1, 0, 0.1)),
        box((0, 0.0, 0.03), (1.46, 0.3, 0.06), FIRST, "foot"),
    ]


def piano_grand() -> Model:
    """Return a grand piano with its lid up; the keys are at +y."""
    body: Model = [
        box((0, 0.35, 0.86), (1.46, 0.7, 0.26), FIRST, "body"),
        box((0.27, -0.25, 0.86), (0.92, 0.6, 0.26), FIRST, "body"),
        cylinder((0.27, -0.55, 0.86), 0.46, 0.26, FIRST, "body"),
        cylinder((-0.26, 0.02, 0.86), 0.47, 0.258, FIRST, "body"),
        box(
            (0.12, -0.2, 0.985),
            (0.9, 0.9, 0.015),
            "gold",
            "strings",
            material=Material.STRIPES,
            second="brown",
            pattern=(0.04,),
        ),
    ]
    legs = [cone((x, y, 0.37), 0.075, 0.74, FIRST, "leg", top=0.5, roll=180) for x, y in _feet()]
    return [
        *body,
        *legs,
        box((0, 0.78, 0.8), (1.46, 0.18, 0.1), FIRST, "keyboard"),
        *_keys(0.78, 0.862, 1.26),
        *(box((x, 0.78, 0.88), (0.09, 0.19, 0.2), FIRST, "keyboard") for x in (-0.685, 0.685)),
        box((0.22, -0.2, 1.34), (0.03, 1.3, 1.0), FIRST, "lid", roll=-42),
        rod((-0.4, 0.3, 0.98), (-0.06, 0.2, 1.58), 0.014, "gold", "prop"),
        box((0, 0.52, 1.12), (0.7, 0.02, 0.24), FIRST, "music stand", tilt=14),
        *(rod((x, 0.45, 0.75), (x, 0.5, 0.05), 0.012, "gold", "pedal") for x in (-0.06, 0.06)),
        box((0, 0.5, 0.05), (0.22, 0.14, 0.03), "gold", "pedal"),
    ]


def _feet() -> tuple[tuple[float, float], ...]:
    return (-0.6, 0.6), (0.6, 0.6), (0.27, -0.7)


def _head(z: float) -> Model:
    """Return a bear's head centred at z, facing +y."""
    return [
        ball((0, 0.01, z), (0.25, 0.22, 0.225), FIRST, "head"),
        *(ball((x, 0.0, z + 0.1), (0.095, 0.05, 0.095), FIRST, "ear") for x in (-0.095, 0.095)),
        *(ball((x, 0.02, z + 0.1), (0.058, 0.03, 0.058), "tan", "ear") for x in (-0.095, 0.095)),
        ball((0, 0.105, z - 0.03), (0.12, 0.09, 0.09), "tan", "snout"),
        ball((0, 0.147, z - 0.008), (0.045, 0.025, 0.032), "black", "nose"),
        *(ball((x, 0.104, z + 0.03), (0.03, 0.02, 0.034), "black", "eye") for x in (-0.052, 0.052)),
    ]


def _bow(z: float) -> Model:
    """Return a bow under the chin."""
    return [
        *(cone((x, 0.115, z), 0.034, 0.075, SECOND, "bow", top=0.25, roll=r) for x, r in ((0.04, -90), (-0.04, 90))),
        ball((0, 0.118, z), (0.03, 0.03, 0.034), SECOND, "bow"),
    ]


def teddy_bear() -> Model:
    """Return a sitting teddy bear, legs ahead, arms slightly open."""
    limbs: Model = []
    for side, s in (("right", 1), ("left", -1)):
        limbs += [
            ball((0.155 * s, 0.045, 0.2), (0.1, 0.11, 0.2), FIRST, f"{side} arm", roll=-34 * s, tilt=24),
            ball((0.105 * s, 0.15, 0.062), (0.115, 0.24, 0.12), FIRST, f"{side} leg", yaw=-18 * s),
            ball((0.14 * s, 0.25, 0.072), (0.085, 0.05, 0.1), "tan", f"{side} paw", yaw=-18 * s),
        ]
    return [
        ball((0, 0, 0.15), (0.27, 0.23, 0.3), FIRST, "body"),
        ball((0, 0.065, 0.15), (0.18, 0.12, 0.2), "tan", "belly"),
        *limbs,
        *_head(0.365),
        *_bow(0.262),
    ]


def teddy_bear_waving() -> Model:
    """Return a standing teddy bear that lifts its left arm."""
    return [
        ball((0, 0, 0.23), (0.25, 0.2, 0.27), FIRST, "body"),
        ball((0, 0.058, 0.22), (0.16, 0.1, 0.18), "tan", "belly"),
        ball((0.15, 0.02, 0.24), (0.095, 0.1, 0.19), FIRST, "right arm", roll=-38),
        ball((-0.165, 0.02, 0.36), (0.095, 0.1, 0.2), FIRST, "left arm", roll=-42),
        ball((-0.215, 0.05, 0.42), (0.06, 0.05, 0.06), "tan", "left paw"),
        *(
            ball((0.075 * s, 0.02, 0.09), (0.12, 0.14, 0.18), FIRST, part)
            for s, part in ((1, "right leg"), (-1, "left leg"))
        ),
        *(
            ball((0.078 * s, 0.05, 0.03), (0.11, 0.16, 0.06), "tan", part)
            for s, part in ((1, "right paw"), (-1, "left paw"))
        ),
        *_head(0.45),
        *_bow(0.345),
    ]


def suitcase() -> Model:
    """Return a hard case on wheels with ribs and a handle pulled out."""
    return [
        box((0, 0, 0.35), (0.42, 0.25, 0.58), FIRST, "case"),
        *(
            box((x, 0, 0.35), (0.025, 0.262, 0.59), FIRST, "rib", material=Material.SHUTTER, pattern=(0.7,))
            for x in (-0.14, -0.05, 0.05, 0.14)
        ),
        box((0, 0, 0.35), (0.426, 0.02, 0.586), "black", "seam"),
        *(cylinder((x, y, 0.03), 0.03, 0.03, "black", "wheel", roll=90) for x in (-0.17, 0.17) for y in (-0.09, 0.09)),
        *(rod((x, -0.1, 0.62), (x, -0.1, 0.98), 0.009, "silver", "handle") for x in (-0.09, 0.09)),
        box((0, -0.1, 0.985), (0.22, 0.03, 0.03), "black", "handle"),
        box((0, 0.0, 0.655), (0.14, 0.03, 0.02), "black", "grip"),
    ]


def suitcase_old() -> Model:
    """Return an old leather suitcase standing on its edge: straps, corners and a handle on top."""
    corners = [box((x, 0, z), (0.08, 0.195, 0.08), SECOND, "corner") for x in (-0.275, 0.275) for z in (0.045, 0.375)]
    return [
        box((0, 0, 0.21), (0.62, 0.18, 0.42), FIRST, "case"),
        *corners,
        *(box((x, 0, 0.215), (0.045, 0.19, 0.43), SECOND, "strap") for x in (-0.16, 0.16)),
        *(box((x, 0.1, 0.3), (0.06, 0.012, 0.05), "gold", "buckle") for x in (-0.16, 0.16)),
        *(box((x, 0, 0.445), (0.025, 0.03, 0.05), SECOND, "handle") for x in (-0.07, 0.07)),
        box((0, 0, 0.475), (0.17, 0.035, 0.025), SECOND, "handle"),
    ]


def suitcase_open() -> Model:
    """Return a suitcase that lies open on the floor, with folded clothes in it."""
    return [
        box((0, 0.05, 0.02), (0.66, 0.44, 0.02), SECOND, "lining"),
        *(box((0, y, 0.07), (0.68, 0.02, 0.14), FIRST, "case") for y in (-0.17, 0.27)),
        *(box((x, 0.05, 0.07), (0.02, 0.44, 0.14), FIRST, "case") for x in (-0.33, 0.33)),
        box((0, -0.24, 0.32), (0.68, 0.1, 0.44), FIRST, "lid", tilt=12),
        box((0, -0.185, 0.33), (0.6, 0.02, 0.37), SECOND, "lining", tilt=12),
        *(
            box(
                (x, 0.05, z), (0.26, 0.34, 0.08), c, "clothes", material=Material.BANDS, second="white", pattern=(0.03,)
            )
            for x, z, c in ((-0.16, 0.08, "blue"), (0.15, 0.08, "red"), (-0.15, 0.155, "green"))
        ),
        box((0, 0.285, 0.08), (0.14, 0.02, 0.03), "black", "handle"),
    ]


def _fish(x: float, y: float, z: float, colour: Colour, ahead: int) -> Model:
    return [
        ball((x, y, z), (0.09, 0.03, 0.05), colour, "fish"),
        plate((x - 0.055 * ahead, y, z), 0.05, 0.05, colour, "fish", Outline.DIAMOND),
    ]


def fish_tank() -> Model:
    """Return an aquarium on a cabinet: lit water, gravel, plants and fish."""
    water: dict[str, Any] = {"material": Material.GLOW, "pattern": (0.35,)}
    return [
        box((0, 0, 0.35), (0.9, 0.4, 0.7), FIRST, "cabinet"),
        *(box((x, 0.205, 0.35), (0.42, 0.015, 0.62), FIRST, "door") for x in (-0.22, 0.22)),
        *(box((x, 0.22, 0.42), (0.015, 0.02, 0.12), "silver", "handle") for x in (-0.03, 0.03)),
        box((0, 0, 0.95), (0.86, 0.34, 0.46), "light blue", "water", **water),
        box((0, 0, 0.74), (0.865, 0.345, 0.07), SECOND, "gravel"),
        *(box((x, y, 0.95), (0.02, 0.02, 0.5), "black", "frame") for x in (-0.43, 0.43) for y in (-0.17, 0.17)),
        box((0, 0, 1.21), (0.9, 0.38, 0.05), "black", "hood"),
        *(
            cone((x, 0.176, 0.86), 0.03, h, "green", "weed", top=0.1)
            for x, h in ((-0.33, 0.24), (-0.27, 0.16), (0.34, 0.28))
        ),
        *_fish(0.14, 0.178, 1.04, "orange", 1),
        *_fish(-0.1, 0.178, 0.95, "yellow", -1),
        *_fish(0.2, 0.178, 0.87, "red", -1),
    ]


def fish_bowl() -> Model:
    """Return a round bowl on a small table, with a goldfish."""
    glass: dict[str, Any] = {"material": Material.GLOW, "pattern": (0.3,)}
    return [
        *(
            rod(
                (0.1 * sin(radians(a)), 0.1 * sin(radians(a + 90)), 0.56),
                (0.2 * sin(radians(a)), 0.2 * sin(radians(a + 90)), 0.005),
                0.018,
                FIRST,
                "leg",
            )
            for a in (60, 180, 300)
        ),
        cylinder((0, 0, 0.57), 0.22, 0.03, FIRST, "table"),
        ball((0, 0, 0.73), (0.34, 0.34, 0.3), "light blue", "water", **glass),
        ball((0, 0, 0.64), (0.28, 0.28, 0.13), SECOND, "gravel"),
        cylinder((0, 0, 0.87), 0.11, 0.02, "white", "rim"),
        ball((0.02, 0.15, 0.75), (0.12, 0.07, 0.07), "orange", "fish"),
        plate((-0.06, 0.168, 0.75), 0.07, 0.08, "orange", "fish", Outline.DIAMOND),
        cone((0.11, 0.13, 0.72), 0.02, 0.16, "green", "weed", top=0.1),
    ]
