"""Decoration of rooms: curtains, rugs, pictures, mirrors, clocks, vases, baskets, hanging plants."""

from __future__ import annotations

from math import cos, radians, sin
from typing import Any

from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, ball, box, cone, cylinder, plate, rod, taper
from bearleft.world.render.codes import Material, Outline

ROD = 2.3  # metres: height of a curtain rod


def _rod(half: float) -> Model:
    """Return a curtain rod with a ball at either end, held off the wall."""
    return [
        cylinder((0, 0.09, ROD), 0.016, 2 * half, SECOND, "rod", roll=90),
        *(ball((x, 0.09, ROD), (0.07, 0.07, 0.07), SECOND, "rod") for x in (-half, half)),
        *(box((x * 0.97, 0.045, ROD), (0.02, 0.09, 0.02), SECOND, "rod") for x in (-half, half)),
    ]


def _folds(first: float, last: float, count: int, part: str) -> Model:
    """Return round folds of cloth side by side from x = first to last, almost to the floor."""
    step = (last - first) / count
    return [
        cylinder((first + step * (k + 0.5), 0.08 + 0.012 * (-1) ** k, 1.15), abs(step) * 0.62, 2.26, FIRST, part)
        for k in range(count)
    ]


def curtain() -> Model:
    """Return two curtain panels drawn aside."""
    return [*_folds(0.62, 1.02, 5, "right panel"), *_folds(-1.02, -0.62, 5, "left panel"), *_rod(1.12)]


def curtain_closed() -> Model:
    """Return two curtain panels drawn shut."""
    return [*_folds(0.0, 0.98, 9, "right panel"), *_folds(-0.98, 0.0, 9, "left panel"), *_rod(1.08)]


def curtain_tied() -> Model:
    """Return two curtain panels tied back under a valance."""
    model: Model = []
    for side, s in (("right panel", 1), ("left panel", -1)):
        for k in range(3):
            top, tie, foot = s * (0.5 + 0.2 * k), s * (0.86 + 0.05 * k), s * (0.76 + 0.1 * k)
            model += [
                rod((top, 0.1, 2.2), (tie, 0.1, 1.0), 0.062, FIRST, side),
                rod((tie, 0.1, 1.0), (foot, 0.1, 0.04), 0.05, FIRST, side),
            ]
        model += [box((s * 0.91, 0.1, 1.0), (0.28, 0.14, 0.07), SECOND, "tie")]
    fringe = box((0, 0.165, 2.09), (2.2, 0.012, 0.05), SECOND, "valance")
    return [*model, box((0, 0.09, 2.23), (2.2, 0.16, 0.24), FIRST, "valance", material=Material.CLOTH), fringe]


def rug() -> Model:
    """Return a woven rug: a wide border, a field of diamonds, fringes at the ends."""
    fringe: dict[str, Any] = {"material": Material.BANDS, "second": "cream", "pattern": (0.03,)}
    diamonds = [box((x, 0, 0.011), (0.36, 0.36, 0.022), SECOND, "diamond", yaw=45) for x in (-0.55, 0, 0.55)]
    cores = [box((x, 0, 0.012), (0.18, 0.18, 0.024), FIRST, "diamond", yaw=45) for x in (-0.55, 0, 0.55)]
    return [
        box((0, 0, 0.008), (2.0, 1.4, 0.016), FIRST, "border"),
        box((0, 0, 0.009), (1.76, 1.16, 0.018), SECOND, "border"),
        box((0, 0, 0.01), (1.66, 1.06, 0.02), FIRST, "field"),
        *diamonds,
        *cores,
        *(box((x, 0, 0.006), (0.08, 1.4, 0.012), "tan", "fringe", **fringe) for x in (-1.04, 1.04)),
    ]


def rug_round() -> Model:
    """Return a round rug with rings of two colours."""
    return [
        cylinder((0, 0, 0.008 + 0.001 * k), 0.9 - 0.22 * k, 0.016 + 0.002 * k, FIRST if k % 2 == 0 else SECOND, part)
        for k, part in enumerate(("border", "ring", "ring", "middle"))
    ]


def rug_striped() -> Model:
    """Return a rug with broad stripes across and fringes at the ends."""
    stripes: dict[str, Any] = {"material": Material.STRIPES, "second": SECOND, "pattern": (0.15,)}
    return [
        box((0, 0, 0.009), (1.95, 1.2, 0.018), FIRST, "field", **stripes),
        *(box((0, y, 0.01), (1.95, 0.06, 0.02), SECOND, "border") for y in (-0.57, 0.57)),
        *(box((x, 0, 0.006), (0.07, 1.2, 0.012), "cream", "fringe") for x in (-1.0, 1.0)),
    ]


def rug_checked() -> Model:
    """Return a rug with a chequered field in a plain border."""
    checks: dict[str, Any] = {"material": Material.CHECKS, "second": SECOND, "pattern": (0.25,)}
    return [
        box((0, 0, 0.008), (1.8, 1.8, 0.016), FIRST, "border"),
        box((0, 0, 0.01), (1.5, 1.5, 0.02), FIRST, "field", **checks),
        *(box((0, y, 0.011), (1.54, 0.03, 0.022), SECOND, "trim") for y in (-0.76, 0.76)),
        *(box((x, 0, 0.011), (0.03, 1.54, 0.022), SECOND, "trim") for x in (-0.76, 0.76)),
    ]


def _picture_frame(width: float, height: float, colour: Colour, edge: float = 0.06) -> Model:
    """Return four bars around a picture whose centre is z = 0."""
    return [
        *(
            box((0, 0.025, z), (width + 2 * edge, 0.05, edge), colour, "frame")
            for z in (-(height + edge) / 2, (height + edge) / 2)
        ),
        *(box((x, 0.025, 0), (edge, 0.05, height), colour, "frame") for x in (-(width + edge) / 2, (width + edge) / 2)),
    ]


def painting() -> Model:
    """Return a landscape painting: mountains and a sun over a meadow."""
    return [
        *_picture_frame(0.9, 0.6, FIRST),
        plate((0, 0.015, 0), 0.9, 0.6, "light blue", "picture"),
        plate((-0.28, 0.017, 0.18), 0.13, 0.13, "yellow", "picture", Outline.DISC),
        plate((0.14, 0.018, 0.0), 0.5, 0.36, "purple", "picture", Outline.TRIANGLE),
        plate((-0.1, 0.019, -0.04), 0.44, 0.26, "grey", "picture", Outline.TRIANGLE),
        plate((0, 0.02, -0.2), 0.9, 0.2, "grass", "picture"),
        plate((0.3, 0.022, -0.12), 0.12, 0.2, "dark green", "picture", Outline.TRIANGLE),
    ]


def painting_portrait() -> Model:
    """Return an upright portrait."""
    return [
        *_picture_frame(0.5, 0.66, FIRST),
        plate((0, 0.015, 0), 0.5, 0.66, "maroon", "picture"),
        plate((0, 0.017, -0.22), 0.4, 0.24, "navy", "picture", Outline.ARCH),
        plate((0, 0.018, -0.11), 0.09, 0.12, "skin", "picture"),
        plate((0, 0.019, 0.08), 0.25, 0.3, "brown", "picture", Outline.DISC),
        plate((0, 0.02, 0.03), 0.19, 0.26, "skin", "picture", Outline.DISC),
        *(plate((x, 0.022, 0.06), 0.03, 0.02, "black", "picture", Outline.DISC) for x in (-0.04, 0.04)),
        plate((0, 0.022, -0.04), 0.07, 0.018, "red", "picture", Outline.DISC),
    ]


def painting_abstract() -> Model:
    """Return an abstract painting: blocks of colour between black lines."""
    return [
        *_picture_frame(0.7, 0.7, FIRST, 0.04),
        plate((0, 0.015, 0), 0.7, 0.7, "white", "picture"),
        plate((0.2, 0.017, 0.18), 0.3, 0.34, "red", "picture"),
        plate((-0.22, 0.017, -0.22), 0.26, 0.26, "blue", "picture"),
        plate((0.25, 0.017, -0.26), 0.2, 0.18, "yellow", "picture"),
        *(plate((x, 0.019, 0), 0.02, 0.7, "black", "picture") for x in (0.04, -0.08)),
        *(plate((0, 0.019, z), 0.7, 0.02, "black", "picture") for z in (0.0, -0.16)),
    ]


def painting_flowers() -> Model:
    """Return a painting of a vase of flowers on a table."""
    flowers = [
        plate((x, 0.021, z), 0.13, 0.13, colour, "picture", Outline.DISC)
        for x, z, colour in ((-0.12, 0.12, "red"), (0.02, 0.2, "yellow"), (0.14, 0.1, "pink"), (0.0, 0.06, "white"))
    ]
    return [
        *_picture_frame(0.56, 0.66, FIRST),
        plate((0, 0.015, 0), 0.56, 0.66, "cream", "picture"),
        plate((0, 0.017, -0.25), 0.56, 0.16, "brown", "picture"),
        plate((0, 0.019, 0.08), 0.34, 0.28, "leaf", "picture", Outline.OCTAGON),
        *flowers,
        plate((0, 0.022, -0.14), 0.18, 0.24, "teal", "picture", Outline.ARCH, roll=180),
    ]


def _glints(y: float, size: float) -> Model:
    """Return two slanting streaks that make a silver sheet look like a mirror."""
    return [
        box((x * size, y, 0.05 * size), (0.06 * size * width, 0.002, 0.62 * size), "steel", "glass", roll=32)
        for x, width in ((-0.14, 1.0), (0.02, 0.4))
    ]


def mirror() -> Model:
    """Return an upright mirror in a broad frame."""
    pane = plate((0, 0.02, 0), 0.6, 1.0, "silver", "glass")
    return [*_picture_frame(0.6, 1.0, FIRST), pane, *_glints(0.023, 0.8)]


def mirror_round() -> Model:
    """Return a round mirror."""
    return [
        cylinder((0, 0.015, 0), 0.4, 0.03, FIRST, "frame", tilt=90),
        plate((0, 0.033, 0), 0.7, 0.7, "silver", "glass", Outline.DISC),
        *_glints(0.036, 0.6),
    ]


def mirror_arched() -> Model:
    """Return a tall mirror with a round top."""
    return [
        plate((0, 0.012, 0), 0.7, 1.24, FIRST, "frame", Outline.ARCH),
        box((0, 0.015, -0.6), (0.7, 0.03, 0.05), FIRST, "frame"),
        plate((0, 0.018, 0), 0.6, 1.14, "silver", "glass", Outline.ARCH),
        *_glints(0.022, 0.8),
    ]


def _dial(y: float, z: float, radius: float, ink: Colour) -> Model:
    """Return twelve marks and two hands that show ten past ten."""
    model: Model = []
    for k in range(12):
        a = radians(30 * k)
        x, up = radius * 0.82 * sin(a), radius * 0.82 * cos(a)
        size = (0.035 * radius / 0.16, 0.006, 0.014) if k % 3 else (0.05 * radius / 0.16, 0.006, 0.02)
        model += [box((-x, y, z + up), size, ink, "dial", roll=90 - 30 * k)]
    for turn, long, width in ((-55, 0.5, 0.016), (62, 0.72, 0.012)):
        a = radians(turn)
        at = (-radius * long / 2 * sin(a), y + 0.006, z + radius * long / 2 * cos(a))
        model += [box(at, (width, 0.006, radius * long), ink, "hand", roll=-turn)]
    return [*model, cylinder((0, y + 0.008, z), 0.012, 0.012, ink, "hand", tilt=90)]


def wall_clock() -> Model:
    """Return a clock with a round face in a rim."""
    return [
        cylinder((0, 0.02, 0), 0.18, 0.04, FIRST, "rim", tilt=90),
        cylinder((0, 0.022, 0), 0.16, 0.042, SECOND, "face", tilt=90),
        *_dial(0.045, 0, 0.16, "black"),
    ]


def wall_clock_square() -> Model:
    """Return a clock with a square face in a frame."""
    return [
        box((0, 0.018, 0), (0.34, 0.036, 0.34), FIRST, "rim"),
        box((0, 0.02, 0), (0.3, 0.038, 0.3), SECOND, "face"),
        *_dial(0.041, 0, 0.15, "black"),
    ]


def wall_clock_pendulum() -> Model:
    """Return a clock in a wooden case with a gable, a dial and a pendulum below it."""
    return [
        box((0, 0.05, -0.06), (0.3, 0.1, 0.6), FIRST, "case"),
        taper((0, 0.05, 0.3), (0.36, 0.1, 0.12), FIRST, "gable", x=1.0),
        cylinder((0, 0.1, 0.07), 0.12, 0.02, SECOND, "face", tilt=90),
        *_dial(0.112, 0.07, 0.11, "black"),
        plate((0, 0.102, -0.22), 0.18, 0.24, "black", "window"),
        rod((0, 0.104, -0.11), (0.02, 0.104, -0.27), 0.006, "gold", "pendulum"),
        cylinder((0.022, 0.106, -0.28), 0.035, 0.01, "gold", "pendulum", tilt=90),
    ]


def _blooms(z: float, spread: float) -> Model:
    """Return five flowers on stalks, from (0, 0, z) upwards."""
    model: Model = []
    for x, y, up in ((0, 0, 0.3), (0.7, 0.2, 0.22), (-0.7, 0.1, 0.24), (0.2, -0.7, 0.26), (-0.2, 0.8, 0.17)):
        end = (x * spread, y * spread, z + up)
        model += [rod((0, 0, z - 0.04), end, 0.005, "leaf", "stalk"), ball(end, (0.075, 0.075, 0.06), SECOND, "flower")]
    return model


def vase() -> Model:
    """Return a bellied vase with a bunch of flowers."""
    return [
        cylinder((0, 0, 0.01), 0.05, 0.02, FIRST, "foot"),
        ball((0, 0, 0.12), (0.18, 0.18, 0.22), FIRST, "body"),
        cone((0, 0, 0.24), 0.05, 0.08, FIRST, "neck", top=0.6, roll=180),
        *_blooms(0.27, 0.11),
    ]


def vase_tall() -> Model:
    """Return a slim vase with tulips."""
    tulips: Model = []
    for x, y, up in ((0.03, 0.02, 0.58), (-0.06, 0.03, 0.52), (0.0, -0.05, 0.54)):
        tulips += [
            rod((0, 0, 0.3), (x, y, up), 0.005, "leaf", "stalk"),
            ball((x, y, up + 0.03), (0.05, 0.05, 0.08), SECOND, "flower"),
        ]
    return [
        cone((0, 0, 0.17), 0.05, 0.34, FIRST, "body", top=0.55, roll=180),
        cylinder((0, 0, 0.008), 0.045, 0.016, FIRST, "foot"),
        cylinder((0, 0, 0.335), 0.054, 0.012, FIRST, "rim"),
        *tulips,
        *(ball((x, 0.01, 0.42), (0.03, 0.02, 0.2), "leaf", "leaf", roll=r) for x, r in ((0.05, 22), (-0.05, -22))),
    ]


def vase_amphora() -> Model:
    """Return an empty jar with two handles and painted bands."""
    return [
        cylinder((0, 0, 0.015), 0.06, 0.03, FIRST, "foot"),
        ball((0, 0, 0.17), (0.24, 0.24, 0.3), FIRST, "body"),
        cylinder((0, 0, 0.17), 0.1215, 0.03, SECOND, "band"),
        *(cylinder((0, 0, z), 0.112, 0.012, SECOND, "band") for z in (0.12, 0.22)),
        cylinder((0, 0, 0.33), 0.045, 0.1, FIRST, "neck"),
        cylinder((0, 0, 0.38), 0.062, 0.02, FIRST, "rim"),
        *(rod((0.04 * s, 0, 0.36), (0.11 * s, 0, 0.35), 0.011, FIRST, "handle") for s in (-1, 1)),
        *(rod((0.11 * s, 0, 0.355), (0.1 * s, 0, 0.22), 0.011, FIRST, "handle") for s in (-1, 1)),
    ]


def basket() -> Model:
    """Return a round wicker basket with a blanket that hangs over its rim."""
    weave: dict[str, Any] = {"material": Material.CHECKS, "second": "sandstone", "pattern": (0.045,)}
    return [
        cone((0, 0, 0.17), 0.25, 0.34, FIRST, "body", top=0.78, roll=180, **weave),
        cylinder((0, 0, 0.34), 0.262, 0.03, FIRST, "rim"),
        *(
            rod((0.24 * s, y, 0.34), (0.27 * s, y * 0.4, 0.45), 0.014, FIRST, "handle")
            for s in (-1, 1)
            for y in (-0.08, 0.08)
        ),
        *(cylinder((0.27 * s, 0, 0.45), 0.014, 0.09, FIRST, "handle", tilt=90) for s in (-1, 1)),
        ball((0, 0, 0.35), (0.44, 0.44, 0.16), SECOND, "blanket", material=Material.CLOTH),
        box((0.06, 0.24, 0.28), (0.2, 0.03, 0.17), SECOND, "blanket", tilt=-6),
    ]


def basket_laundry() -> Model:
    """Return a tall square basket with a lid and rope handles."""
    weave: dict[str, Any] = {"material": Material.CHECKS, "second": "sandstone", "pattern": (0.022,)}
    return [
        box((0, 0, 0.27), (0.4, 0.34, 0.54), FIRST, "body", **weave),
        box((0, 0, 0.56), (0.43, 0.37, 0.05), FIRST, "lid"),
        box((0, 0.19, 0.56), (0.06, 0.02, 0.05), "brown", "clasp"),
        *(rod((x, -0.05, 0.42), (x * 1.06, 0.05, 0.42), 0.014, "brown", "handle") for x in (-0.21, 0.21)),
        box((0.08, 0.18, 0.47), (0.14, 0.03, 0.13), SECOND, "clothes"),
    ]


def hanging_plant() -> Model:
    """Return a pot on three cords with a trailing plant."""
    trails = [
        ball(
            (0.15 * sin(radians(a)), 0.15 * cos(radians(a)), -0.72 - d),
            (0.1, 0.1, 0.34 + d),
            "leaf",
            "leaves",
            material=Material.FOLIAGE,
        )
        for a, d in ((10, 0.06), (85, 0.0), (150, 0.1), (215, 0.02), (290, 0.08))
    ]
    return [
        cylinder((0, 0, -0.01), 0.03, 0.02, "grey", "hook"),
        *(
            rod((0, 0, -0.01), (0.14 * sin(radians(a)), 0.14 * cos(radians(a)), -0.6), 0.005, SECOND, "cord")
            for a in (0, 120, 240)
        ),
        cone((0, 0, -0.68), 0.15, 0.18, FIRST, "pot", top=0.7, roll=180),
        ball((0, 0, -0.57), (0.36, 0.36, 0.2), "leaf", "leaves", material=Material.FOLIAGE),
        *trails,
    ]


def hanging_plant_fern() -> Model:
    """Return a bowl with fronds that arch out on all sides."""
    fronds = [
        ball(
            (0.2 * sin(radians(a)), 0.2 * cos(radians(a)), -0.52 - 0.04 * (a % 80) / 80),
            (0.09, 0.36, 0.05),
            "grass",
            "leaves",
            yaw=-a,
            tilt=-32,
            material=Material.FOLIAGE,
        )
        for a in range(0, 360, 40)
    ]
    return [
        cylinder((0, 0, -0.01), 0.03, 0.02, "grey", "hook"),
        cylinder((0, 0, -0.24), 0.006, 0.46, SECOND, "cord"),
        ball((0, 0, -0.58), (0.3, 0.3, 0.24), FIRST, "pot"),
        *fronds,
        *(
            ball((x, y, -0.42), (0.06, 0.06, 0.26), "grass", "leaves", roll=x * 300, material=Material.FOLIAGE)
            for x, y in ((0.06, 0.02), (-0.06, -0.02))
        ),
    ]
