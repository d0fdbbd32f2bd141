"""Objects of showrooms: banners, brochures, screens, robots, sculptures, ropes, balloons, loudspeakers.

All stand on the floor with their fronts to +y, except the wall screen, which hangs on a wall.
"""

from __future__ import annotations

import math
from itertools import pairwise

from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, ball, box, cone, cylinder, plate, rod, taper
from bearleft.world.render.codes import Material, Outline

TEXT, GLOW = Material.TEXT, Material.GLOW


def banner_stand() -> Model:
    """Return a roll-up banner on a metal base, with letters and a picture."""
    return [
        box((0, 0, 0.05), (0.9, 0.2, 0.1), "silver", "base"),
        box((0, 0, 1.06), (0.85, 0.02, 1.94), FIRST, "banner"),
        box((0, 0, 2.04), (0.88, 0.04, 0.04), "silver", "bar"),
        plate((0, 0.02, 1.76), 0.78, 0.22, FIRST, "heading", material=TEXT, second="white"),
        plate((0, 0.02, 1.22), 0.6, 0.6, SECOND, "picture", Outline.DISC),
        plate((0, 0.025, 1.22), 0.36, 0.36, "white", "picture", Outline.DISC),
        plate((0, 0.02, 0.6), 0.66, 0.4, FIRST, "text", material=Material.BANDS, second="white", pattern=(0.06,)),
        rod((0, -0.06, 0.1), (0, -0.03, 2.0), 0.012, "silver", "pole"),
    ]


def feather_banner() -> Model:
    """Return a tall bowed flag on a foot."""
    curve = [(-0.26, 0.3), (-0.26, 1.4), (-0.22, 2.1), (-0.06, 2.45), (0.18, 2.5)]
    pole = [rod((a, 0, b), (c, 0, d), 0.014, "silver", "pole") for (a, b), (c, d) in pairwise(curve)]
    return [
        box((-0.26, 0, 0.03), (0.6, 0.1, 0.06), "dark grey", "base", yaw=45),
        box((-0.26, 0, 0.03), (0.6, 0.1, 0.06), "dark grey", "base", yaw=-45),
        rod((-0.26, 0, 0.05), (-0.26, 0, 0.35), 0.02, "silver", "pole"),
        *pole,
        box((0.02, 0, 1.12), (0.54, 0.012, 1.5), FIRST, "banner"),
        taper((0.02, 0, 2.17), (0.54, 0.012, 0.62), FIRST, "banner", x=0.55),
        plate((0.02, 0.012, 1.2), 1.3, 0.34, FIRST, "letters", roll=-90, material=TEXT, second="white"),
        plate((0.02, 0.012, 2.08), 0.26, 0.26, SECOND, "picture", Outline.DISC),
    ]


def brochure_stand() -> Model:
    """Return a pole with three slanting pockets full of leaflets."""
    pockets: Model = []
    pairs: tuple[tuple[Colour, Colour], ...] = ((FIRST, "yellow"), ("white", SECOND), (SECOND, "green"))
    for k, colours in enumerate(pairs):
        z = 0.62 + 0.36 * k
        for x, colour in zip((-0.13, 0.13), colours, strict=True):
            pockets.append(box((x, 0.06, z), (0.2, 0.03, 0.3), colour, "brochure", tilt=14))
            pockets.append(plate((x, 0.07, z + 0.08), 0.16, 0.03, "black", "brochure", tilt=14))
        pockets.append(box((0, 0.11, z - 0.1), (0.5, 0.03, 0.12), "silver", "pocket", tilt=14))
    return [
        box((0, 0, 0.02), (0.5, 0.4, 0.04), "dark grey", "base"),
        cylinder((0, -0.03, 0.84), 0.025, 1.64, "silver", "pole"),
        *pockets,
        box((0, 0, 1.74), (0.46, 0.02, 0.16), FIRST, "sign", material=TEXT, second="white", text="INFO"),
    ]


def brochure_table() -> Model:
    """Return a slanting desk on a foot, leaflets in two rows on it."""
    leaves: Model = []
    colours: tuple[Colour, ...] = (FIRST, "white", "yellow", SECOND, FIRST, "green")
    for k, colour in enumerate(colours):
        x, row = -0.25 + 0.25 * (k % 3), k // 3
        leaves.append(box((x, 0.13 - 0.24 * row, 1.035 + 0.14 * row), (0.19, 0.2, 0.04), colour, "brochure", tilt=-30))
    return [
        box((0, -0.02, 0.02), (0.6, 0.46, 0.04), "dark grey", "base"),
        box((0, -0.02, 0.52), (0.12, 0.1, 0.98), "dark grey", "post"),
        box((0, 0.0, 1.06), (0.84, 0.54, 0.04), "silver", "desk", tilt=-30),
        box((0, 0.24, 0.96), (0.84, 0.04, 0.08), "silver", "ledge", tilt=-30),
        *leaves,
    ]


def _shown(y: float, z: float, width: float) -> Model:
    """Return the contents of a screen: a bright background, a bar chart and a heading."""
    height = width * 0.56
    bars = [
        plate(
            (width * (0.3 - 0.14 * k), y + 0.006, z - height * (0.36 - share / 2)),
            width * 0.09,
            height * share,
            SECOND,
            "screen",
            material=GLOW,
            pattern=(0.7,),
        )
        for k, share in enumerate((0.2, 0.34, 0.28, 0.46))
    ]
    return [
        plate((0, y, z), width, height, FIRST, "screen", material=GLOW, pattern=(0.6,)),
        plate(
            (0, y + 0.006, z + height * 0.3), width * 0.8, height * 0.24, FIRST, "screen", material=TEXT, second="white"
        ),
        *bars,
    ]


def display_screen() -> Model:
    """Return a wide screen on a stand with wheels."""
    return [
        *(rod((x, -0.36, 0.03), (x, 0.36, 0.03), 0.03, "dark grey", "foot") for x in (-0.36, 0.36)),
        *(rod((x, 0, 0.04), (x * 0.6, 0, 1.5), 0.03, "dark grey", "stand") for x in (-0.36, 0.36)),
        box((0, 0.02, 0.7), (0.6, 0.34, 0.03), "dark grey", "shelf"),
        box((0, 0.06, 1.48), (1.3, 0.06, 0.78), "black", "frame"),
        *_shown(0.095, 1.48, 1.22),
    ]


def wall_screen() -> Model:
    """Return a wide screen on a wall, with its centre at z = 0."""
    return [
        box((0, 0.03, 0), (0.4, 0.06, 0.3), "dark grey", "bracket"),
        box((0, 0.08, 0), (1.5, 0.05, 0.88), "black", "frame"),
        *_shown(0.11, 0, 1.42),
    ]


def robot() -> Model:
    """Return a robot with a round head, two lit eyes, a screen on its chest, arms and wheels."""
    return [
        cylinder((0, 0, 0.08), 0.28, 0.12, "dark grey", "base"),
        *(cylinder((x, 0.0, 0.09), 0.09, 0.06, "black", "wheel", roll=90) for x in (-0.29, 0.29)),
        cone((0, 0, 0.36), 0.24, 0.46, FIRST, "body", top=0.7),
        ball((0, 0, 0.78), (0.46, 0.38, 0.56), FIRST, "body"),
        box((0, 0.15, 0.8), (0.26, 0.12, 0.22), "black", "screen"),
        plate((0, 0.215, 0.8), 0.22, 0.18, "light blue", "screen", material=GLOW, pattern=(0.8,)),
        cylinder((0, 0, 1.08), 0.06, 0.1, "dark grey", "neck"),
        ball((0, 0, 1.26), (0.42, 0.34, 0.32), FIRST, "head"),
        ball((0, 0.08, 1.26), (0.34, 0.22, 0.2), "black", "face"),
        *(
            ball((x, 0.18, 1.28), (0.07, 0.04, 0.08), "light blue", "eye", material=GLOW, pattern=(1.0,))
            for x in (-0.08, 0.08)
        ),
        *(ball((x, 0, 0.94), (0.13, 0.13, 0.13), "dark grey", "arm") for x in (-0.26, 0.26)),
        *(rod((x, 0, 0.94), (x * 1.2, 0.06, 0.7), 0.04, FIRST, "arm") for x in (-0.27, 0.27)),
        *(rod((x * 1.2, 0.06, 0.7), (x * 1.1, 0.26, 0.66), 0.036, FIRST, "arm") for x in (-0.27, 0.27)),
        *(ball((x * 1.1, 0.28, 0.66), (0.1, 0.1, 0.1), "dark grey", "hand") for x in (-0.27, 0.27)),
        rod((0, 0, 1.4), (0, 0, 1.52), 0.008, "dark grey", "antenna"),
        ball((0, 0, 1.53), (0.05, 0.05, 0.05), "red", "antenna"),
    ]


def box_robot() -> Model:
    """Return a tin robot made of boxes, with a grille as its mouth, knobs on its chest and claws."""
    return [
        *(box((x, 0, 0.32), (0.14, 0.16, 0.56), "steel", "leg") for x in (-0.13, 0.13)),
        *(box((x, 0.05, 0.05), (0.2, 0.32, 0.1), FIRST, "foot") for x in (-0.13, 0.13)),
        box((0, 0, 0.88), (0.54, 0.34, 0.6), FIRST, "body"),
        plate((0, 0.175, 0.94), 0.34, 0.26, "black", "panel"),
        *(
            cylinder((x, 0.19, 0.98), 0.035, 0.03, colour, "button", tilt=90)
            for x, colour in ((-0.1, "red"), (0.0, "yellow"), (0.1, "green"))
        ),
        plate((0, 0.18, 0.88), 0.26, 0.06, "white", "panel"),
        cylinder((0, 0, 1.22), 0.08, 0.1, "steel", "neck"),
        box((0, 0, 1.44), (0.36, 0.32, 0.36), FIRST, "head"),
        *(
            cylinder((x, 0.165, 1.5), 0.055, 0.03, "yellow", "eye", tilt=90, material=GLOW, pattern=(0.9,))
            for x in (-0.09, 0.09)
        ),
        plate((0, 0.165, 1.35), 0.22, 0.07, "black", "mouth", Outline.LATTICE, (6, 1, 0.4)),
        *(cylinder((x, 0, 1.46), 0.05, 0.06, "steel", "head", roll=90) for x in (-0.21, 0.21)),
        rod((0, 0, 1.62), (0, 0, 1.76), 0.012, "steel", "antenna"),
        ball((0, 0, 1.78), (0.07, 0.07, 0.07), "red", "antenna"),
        *(rod((x, 0, 1.1), (x * 1.25, 0.02, 0.74), 0.06, "steel", "arm") for x in (-0.32, 0.32)),
        *(ball((x * 1.25, 0.04, 0.68), (0.14, 0.14, 0.14), FIRST, "hand") for x in (-0.32, 0.32)),
    ]


def robot_arm() -> Model:
    """Return an industrial robot arm with joints and a gripper on a striped base."""
    return [
        box((0, 0, 0.1), (0.8, 0.8, 0.2), "yellow", "base", material=Material.DIAGONAL, second="black", pattern=(0.1,)),
        cylinder((0, 0, 0.34), 0.22, 0.3, "dark grey", "base"),
        cylinder((0, 0, 0.6), 0.17, 0.34, FIRST, "joint", roll=90),
        rod((0, 0, 0.6), (-0.12, -0.1, 1.4), 0.11, FIRST, "arm"),
        cylinder((-0.12, -0.1, 1.42), 0.14, 0.3, "dark grey", "joint", roll=90),
        rod((-0.12, -0.1, 1.44), (0.3, 0.44, 1.6), 0.085, FIRST, "arm"),
        ball((0.3, 0.44, 1.6), (0.22, 0.22, 0.22), "dark grey", "joint"),
        rod((0.3, 0.44, 1.6), (0.34, 0.52, 1.32), 0.06, FIRST, "arm"),
        box((0.35, 0.53, 1.28), (0.24, 0.1, 0.06), "dark grey", "gripper"),
        *(box((x, 0.53, 1.19), (0.04, 0.08, 0.16), "steel", "gripper") for x in (0.26, 0.44)),
        rod((0.1, 0.06, 0.5), (0.0, -0.2, 1.36), 0.02, "black", "cable"),
    ]


def sculpture() -> Model:
    """Return interlocking metal rings on a block of stone."""
    rings = [
        plate((x, y, z), size, size, FIRST, "ring", Outline.RING, (0.8,), yaw=turn, roll=lean)
        for x, y, z, size, turn, lean in (
            (0, 0, 1.2, 1.0, 10, 0),
            (0, 0.02, 1.2, 1.02, 12, 0),
            (0, 0, 1.4, 0.8, 75, 0),
            (0, 0.02, 1.4, 0.82, 77, 0),
        )
    ]
    return [
        box((0, 0, 0.34), (0.6, 0.6, 0.68), SECOND, "base"),
        plate((0, 0.31, 0.4), 0.26, 0.12, "gold", "label"),
        *rings,
        ball((0, 0, 1.05), (0.34, 0.34, 0.34), FIRST, "ball"),
    ]


def bust() -> Model:
    """Return a head and shoulders of stone on a column."""
    return [
        box((0, 0, 0.05), (0.5, 0.5, 0.1), SECOND, "base"),
        cylinder((0, 0, 0.52), 0.17, 0.86, SECOND, "base"),
        box((0, 0, 0.98), (0.46, 0.46, 0.08), SECOND, "base"),
        cone((0, 0, 1.06), 0.13, 0.1, FIRST, "foot", top=0.7),
        ball((0, 0, 1.22), (0.54, 0.3, 0.32), FIRST, "shoulders"),
        cylinder((0, 0, 1.4), 0.075, 0.16, FIRST, "neck"),
        ball((0, 0.02, 1.58), (0.24, 0.28, 0.34), FIRST, "head"),
        ball((0, -0.03, 1.66), (0.27, 0.28, 0.24), FIRST, "hair"),
        taper((0, 0.17, 1.56), (0.05, 0.06, 0.09), FIRST, "nose", front=1.0),
        *(ball((x, 0.145, 1.61), (0.05, 0.03, 0.025), "dark grey", "eye") for x in (-0.055, 0.055)),
        ball((0, 0.13, 1.49), (0.1, 0.05, 0.025), "dark grey", "mouth"),
    ]


def stacked_sculpture() -> Model:
    """Return coloured cubes and a ball, balanced on their corners."""
    return [
        cylinder((0, 0, 0.05), 0.45, 0.1, "dark grey", "base"),
        box((0, 0, 0.36), (0.52, 0.52, 0.52), FIRST, "cube", yaw=20),
        box((0.04, 0, 0.86), (0.42, 0.42, 0.42), SECOND, "cube", yaw=50, roll=14),
        ball((0.02, 0, 1.24), (0.4, 0.4, 0.4), FIRST, "ball"),
        cone((0.02, 0, 1.66), 0.2, 0.5, SECOND, "cone"),
    ]


def _post(x: float, colour: Colour) -> Model:
    return [
        cylinder((x, 0, 0.015), 0.16, 0.03, colour, "base"),
        cone((x, 0, 0.05), 0.14, 0.04, colour, "base", top=0.3),
        cylinder((x, 0, 0.5), 0.025, 0.94, colour, "post"),
    ]


def rope_barrier() -> Model:
    """Return two brass posts with a thick, sagging rope between them."""
    places = [(-0.7 + 0.2 * k, 0.86 - 0.24 * math.sin(math.pi * k / 7)) for k in range(8)]
    rope = [rod((a, 0, b), (c, 0, d), 0.028, FIRST, "rope") for (a, b), (c, d) in pairwise(places)]
    return [
        *_post(-0.75, "gold"),
        *_post(0.75, "gold"),
        *(ball((x, 0, 1.0), (0.1, 0.1, 0.1), "gold", "knob") for x in (-0.75, 0.75)),
        *(cylinder((x, 0, 0.86), 0.04, 0.05, "gold", "ring") for x in (-0.75, 0.75)),
        *rope,
    ]


def belt_barrier() -> Model:
    """Return two dark posts with a flat belt between them."""
    return [
        *_post(-0.75, "black"),
        *_post(0.75, "black"),
        *(cylinder((x, 0, 0.94), 0.04, 0.14, "black", "head") for x in (-0.75, 0.75)),
        box((0, 0, 0.94), (1.46, 0.012, 0.07), FIRST, "belt"),
    ]


def _balloon(x: float, y: float, z: float, colour: Colour, foot: float) -> Model:
    return [
        ball((x, y, z), (0.3, 0.3, 0.36), colour, "balloon"),
        cone((x, y, z - 0.19), 0.03, 0.04, colour, "balloon", top=0.3),
        rod((0, 0, foot), (x, y, z - 0.2), 0.006, "white", "string"),
    ]


def balloons() -> Model:
    """Return six balloons on strings, tied to a weight on the floor."""
    places: tuple[tuple[float, float, float, Colour], ...] = (
        (-0.24, 0.04, 1.6, FIRST),
        (0.24, 0.06, 1.56, SECOND),
        (0.0, 0.18, 1.78, "yellow"),
        (-0.14, -0.14, 1.92, SECOND),
        (0.18, -0.1, 1.9, FIRST),
        (0.02, 0.1, 1.42, "green"),
    )
    return [
        box((0, 0, 0.08), (0.16, 0.16, 0.16), FIRST, "weight"),
        box((0, 0, 0.083), (0.165, 0.04, 0.165), "gold", "weight"),
        *(solid for place in places for solid in _balloon(*place, 0.16)),
    ]


def balloon_column() -> Model:
    """Return a pillar of balloons in two colours, a large one on top."""
    model: Model = [
        cylinder((0, 0, 0.03), 0.2, 0.06, "dark grey", "base"),
        cylinder((0, 0, 0.8), 0.012, 1.5, "white", "pole"),
    ]
    for k in range(5):
        for i in range(3):
            turn = 2 * math.pi * (i / 3 + k / 6)
            x, y = 0.13 * math.cos(turn), 0.13 * math.sin(turn)
            model.append(ball((x, y, 0.2 + 0.25 * k), (0.27, 0.27, 0.27), SECOND if k % 2 else FIRST, "balloon"))
    return [*model, ball((0, 0, 1.58), (0.42, 0.42, 0.48), "yellow", "balloon")]


def _cone_of_speaker(y: float, z: float, radius: float) -> Model:
    return [
        cylinder((0, y, z), radius, 0.03, "dark grey", "cone", tilt=90),
        cylinder((0, y + 0.006, z), radius * 0.84, 0.03, "black", "cone", tilt=90),
        cylinder((0, y + 0.014, z), radius * 0.34, 0.03, "grey", "cone", tilt=90),
    ]


def loudspeaker() -> Model:
    """Return a tall box with two large cones and a small one."""
    return [
        box((0, 0, 0.02), (0.42, 0.4, 0.04), "black", "base"),
        box((0, 0, 0.58), (0.38, 0.36, 1.08), FIRST, "box"),
        *_cone_of_speaker(0.18, 0.3, 0.15),
        *_cone_of_speaker(0.18, 0.66, 0.15),
        *_cone_of_speaker(0.18, 0.95, 0.07),
    ]


def loudspeaker_on_tripod() -> Model:
    """Return a box with a cone and a horn, on a pole with three feet."""
    ends = ((0, 0.42), (-0.36, -0.21), (0.36, -0.21))
    return [
        *(rod((0, 0, 0.5), (x, y, 0.02), 0.018, "black", "foot") for x, y in ends),
        cylinder((0, 0, 0.75), 0.022, 1.0, "black", "pole"),
        taper((0, 0, 1.55), (0.4, 0.36, 0.66), FIRST, "box", back=0.3),
        *_cone_of_speaker(0.18, 1.43, 0.15),
        box((0, 0.18, 1.74), (0.28, 0.03, 0.14), "black", "horn"),
        plate((0, 0.2, 1.74), 0.1, 0.08, "grey", "horn"),
        box((0.205, 0, 1.6), (0.02, 0.14, 0.05), "black", "handle"),
        box((-0.195, 0, 1.6), (0.02, 0.14, 0.05), "black", "handle"),
    ]
