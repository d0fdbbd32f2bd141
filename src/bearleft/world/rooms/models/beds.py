"""Beds and bedding. The headboard is at -y, the foot at +y."""

from __future__ import annotations

from math import cos, radians, sin

from bearleft.world.city.shapes import FIRST, SECOND, Model, Vector, ball, box, cylinder, plate, rod, taper
from bearleft.world.render.codes import Material, Outline
from bearleft.world.rooms.models.seating import legs

CLOTH = Material.CLOTH


def _bedding(width: float, height: float, pillows: int) -> Model:
    """Return a mattress with its upper face at `height`, a blanket with its edge turned down, and pillows."""
    xs = (0.0,) if pillows == 1 else (-width / 4, width / 4)
    return [
        box((0, 0, height - 0.11), (width, 1.96, 0.22), "white", "mattress"),
        box((0, 0.3, height - 0.09), (width + 0.05, 1.4, 0.24), FIRST, "blanket", material=CLOTH),
        box((0, -0.32, height - 0.085), (width + 0.055, 0.24, 0.25), "white", "sheet"),
        *(
            ball(
                (x, -0.72, height + 0.06),
                (min(0.68, width / 2.05 if pillows > 1 else width * 0.8), 0.46, 0.2),
                "white",
                "pillow",
            )
            for x in xs
        ),
    ]


def bed() -> Model:
    """Return a double bed with a panelled headboard and a low footboard."""
    return [
        *legs(1.6, 2.0, 0.22, SECOND, 0.08),
        box((0, 0, 0.26), (1.64, 2.06, 0.14), SECOND, "frame"),
        box((0, -1.06, 0.56), (1.72, 0.08, 1.12), SECOND, "headboard"),
        *(
            box((x, -1.015, 0.8), (0.46, 0.02, 0.42), SECOND, "headboard", material=Material.PANELS, pattern=(0.46,))
            for x in (-0.54, 0, 0.54)
        ),
        box((0, 1.05, 0.3), (1.72, 0.06, 0.36), SECOND, "footboard"),
        *_bedding(1.58, 0.54, 2),
    ]


def bed_single() -> Model:
    """Return a single bed with a headboard of slats."""
    slats = [box((x, -1.04, 0.66), (0.05, 0.03, 0.5), SECOND, "headboard") for x in (-0.3, -0.15, 0, 0.15, 0.3)]
    return [
        *legs(0.9, 2.0, 0.24, SECOND, 0.07),
        box((0, 0, 0.27), (0.94, 2.04, 0.12), SECOND, "frame"),
        *(box((x, -1.04, 0.48), (0.07, 0.07, 0.96), SECOND, "headboard") for x in (-0.44, 0.44)),
        box((0, -1.04, 0.92), (0.94, 0.05, 0.1), SECOND, "headboard"),
        *slats,
        *_bedding(0.9, 0.52, 1),
    ]


def bed_canopy() -> Model:
    """Return a bed with four posts that carry a canopy of cloth."""
    posts = [box((x, y, 1.05), (0.08, 0.08, 2.1), SECOND, "post") for x in (-0.84, 0.84) for y in (-1.04, 1.04)]
    rails = [box((x, 0, 2.07), (0.06, 2.1, 0.06), SECOND, "canopy") for x in (-0.84, 0.84)]
    return [
        *posts,
        *rails,
        box((0, 0, 2.12), (1.78, 2.18, 0.05), FIRST, "canopy", material=CLOTH),
        *(box((0, y, 2.0), (1.68, 0.04, 0.2), FIRST, "canopy", material=CLOTH) for y in (-1.05, 1.05)),
        *(box((x, 0, 2.0), (0.04, 2.1, 0.2), FIRST, "canopy", material=CLOTH) for x in (-0.85, 0.85)),
        box((0, 0, 0.26), (1.64, 2.06, 0.14), SECOND, "frame"),
        box((0, -1.04, 0.6), (1.6, 0.06, 0.9), SECOND, "headboard"),
        *_bedding(1.58, 0.54, 2),
    ]


def bed_upholstered() -> Model:
    """Return a platform bed with a headboard padded in squares and a throw across the foot."""
    return [
        *legs(1.6, 2.0, 0.12, "black", 0.08),
        box((0, 0, 0.22), (1.74, 2.12, 0.22), SECOND, "frame", material=CLOTH),
        box((0, -1.08, 0.62), (1.8, 0.14, 1.0), SECOND, "headboard", material=Material.PANELS, pattern=(0.3,)),
        *_bedding(1.58, 0.52, 2),
        box(
            (0, 0.66, 0.45),
            (1.66, 0.5, 0.2),
            "grey",
            "throw",
            material=Material.STRIPES,
            second="white",
            pattern=(0.12,),
        ),
        *(ball((x, -0.5, 0.64), (0.44, 0.2, 0.3), FIRST, "pillow", tilt=-50) for x in (-0.26, 0.26)),
    ]


def bunk_bed() -> Model:
    """Return two beds above each other, with a ladder at the foot and a rail on top."""
    posts = [box((x, y, 0.85), (0.07, 0.07, 1.7), SECOND, "post") for x in (-0.47, 0.47) for y in (-1.0, 1.0)]
    model: Model = list(posts)
    for z, name in ((0.36, "lower bed"), (1.26, "upper bed")):
        model += [
            box((0, 0, z - 0.06), (0.94, 2.0, 0.12), SECOND, "frame"),
            box((0, 0, z + 0.07), (0.88, 1.92, 0.15), "white", "mattress"),
            box((0, 0.3, z + 0.08), (0.9, 1.34, 0.16), FIRST, name, material=CLOTH),
            ball((0, -0.7, z + 0.18), (0.6, 0.36, 0.14), "white", "pillow"),
        ]
    rungs = [box((0.55, 0.68, z), (0.03, 0.4, 0.04), SECOND, "ladder") for z in (0.3, 0.58, 0.86, 1.14, 1.42)]
    rails = [box((0.55, y, 0.8), (0.045, 0.045, 1.6), SECOND, "ladder") for y in (0.48, 0.88)]
    guard = [
        box((0.47, -0.25, 1.56), (0.03, 1.44, 0.07), SECOND, "rail"),
        box((-0.47, 0, 1.56), (0.03, 1.94, 0.07), SECOND, "rail"),
    ]
    return [*model, *rungs, *rails, *guard]


def bunk_bed_loft() -> Model:
    """Return a loft bed over a desk, with a ladder beside it."""
    posts = [box((x, y, 0.9), (0.07, 0.07, 1.8), SECOND, "post") for x in (-0.47, 0.47) for y in (-1.0, 1.0)]
    rungs = [box((0.55, 0.72, z), (0.03, 0.34, 0.04), SECOND, "ladder") for z in (0.3, 0.6, 0.9, 1.2)]
    rails = [box((0.55, y, 0.75), (0.045, 0.045, 1.5), SECOND, "ladder") for y in (0.55, 0.9)]
    return [
        *posts,
        *rungs,
        *rails,
        box((0, 0, 1.36), (0.94, 2.0, 0.14), SECOND, "frame"),
        box((0, 0, 1.5), (0.88, 1.92, 0.16), "white", "mattress"),
        box((0, 0.3, 1.51), (0.9, 1.34, 0.17), FIRST, "upper bed", material=CLOTH),
        ball((0, -0.7, 1.62), (0.6, 0.36, 0.14), "white", "pillow"),
        box((0.47, -0.2, 1.74), (0.03, 1.5, 0.07), SECOND, "rail"),
        box((-0.12, -0.3, 0.72), (0.64, 1.3, 0.03), SECOND, "desk"),
        box((-0.42, -0.3, 0.45), (0.03, 1.3, 0.52), SECOND, "desk"),
    ]


def crib() -> Model:
    """Return a cot with bars all around, a small mattress and a pillow."""
    posts = [box((x, y, 0.48), (0.05, 0.05, 0.96), FIRST, "post") for x in (-0.64, 0.64) for y in (-0.34, 0.34)]
    rails = [box((0, y, z), (1.26, 0.035, 0.05), FIRST, "rail") for y in (-0.34, 0.34) for z in (0.28, 0.92)]
    ends = [box((x, 0, z), (0.035, 0.66, 0.05), FIRST, "rail") for x in (-0.64, 0.64) for z in (0.28, 0.92)]
    bars = [plate((0, y, 0.6), 1.24, 0.62, FIRST, "bars", Outline.BARS, (13.0, 0.28)) for y in (-0.34, 0.34)]
    sides = [plate((x, 0, 0.6), 0.64, 0.62, FIRST, "bars", Outline.BARS, (7.0, 0.28), yaw=90) for x in (-0.64, 0.64)]
    return [
        *posts,
        *rails,
        *ends,
        *bars,
        *sides,
        box((0, 0, 0.37), (1.22, 0.64, 0.14), "white", "mattress"),
        box((-0.2, 0, 0.42), (0.8, 0.65, 0.08), SECOND, "blanket", material=CLOTH),
        ball((0.42, 0, 0.47), (0.28, 0.4, 0.1), "white", "pillow"),
    ]


def crib_mobile() -> Model:
    """Return a cot with a panelled head and a mobile of stars over it."""
    stars = [
        ball((0.3 + 0.2 * sin(radians(120 * k)), 0.16 * cos(radians(120 * k)), 1.36), (0.1, 0.1, 0.1), colour, "mobile")
        for k, colour in enumerate(("yellow", "red", "light blue"))
    ]
    ring = cylinder((0.3, 0, 1.4), 0.21, 0.012, "white", "mobile")
    body = [solid for solid in crib() if not (solid.part == "bars" and solid.yaw)]
    return [
        *body[:-3],
        *(box((x, 0, 0.58), (0.04, 0.64, 0.72), FIRST, "end board") for x in (-0.64, 0.64)),
        *body[-3:],
        rod((0.64, 0, 0.94), (0.64, 0, 1.52), 0.014, FIRST, "mobile"),
        rod((0.64, 0, 1.51), (0.26, 0, 1.51), 0.012, FIRST, "mobile"),
        ring,
        *stars,
    ]


def _cushion(at: Vector, size: Vector, tilt: float) -> Model:
    """Return a plump cushion, each face of two slopes; tilt 0 lies flat, -90 stands with its face to +y."""
    model: Model = []
    for part, way in (("front", 1), ("back", -1)):
        for share, off, lean in ((1.0, 0.125, 0.16), (0.84, 0.375, 0.6)):
            away = way * off * size[2]
            middle = (at[0], at[1] - sin(radians(tilt)) * away, at[2] + cos(radians(tilt)) * away)
            slab = (size[0] * share, size[1] * share, size[2] / 4)
            turn = tilt if way > 0 else tilt + 180
            model += [taper(middle, slab, FIRST, part, x=lean, front=lean, back=lean, tilt=turn, material=CLOTH)]
    return model


def pillow() -> Model:
    """Return a square cushion that stands and leans back, with a tassel at each corner and a button."""
    lean = radians(72)
    tassels = [
        ball((x, -z * cos(lean), 0.213 + z * sin(lean)), (0.06, 0.05, 0.06), SECOND, "tassel")
        for x in (-0.2, 0.2)
        for z in (-0.18, 0.2)
    ]
    button = ball((0, 0.098, 0.247), (0.05, 0.05, 0.024), SECOND, "button", tilt=-72)
    return [*_cushion((0, 0, 0.215), (0.42, 0.42, 0.2), -72), *tassels, button]


def pillow_lying() -> Model:
    """Return a bed pillow that lies flat, with piping around it."""
    return [
        *_cushion((0, 0, 0.075), (0.64, 0.42, 0.15), 0),
        box((0, 0, 0.075), (0.65, 0.43, 0.014), SECOND, "piping"),
    ]


def pillow_bolster() -> Model:
    """Return a bolster with buttons at its ends."""
    return [
        cylinder(
            (0, 0, 0.1), 0.1, 0.5, FIRST, "roll", roll=90, material=Material.BANDS, second=SECOND, pattern=(0.08,)
        ),
        *(ball((x, 0, 0.1), (0.06, 0.18, 0.18), FIRST, "end") for x in (-0.25, 0.25)),
        *(ball((x, 0, 0.1), (0.03, 0.05, 0.05), SECOND, "button") for x in (-0.28, 0.28)),
    ]


def blanket() -> Model:
    """Return a striped blanket with a fringe, folded in four layers."""
    layers = [
        box(
            (0, 0.005 * (k % 2), 0.022 + 0.04 * k),
            (0.58, 0.44, 0.036),
            FIRST,
            "fold",
            material=Material.STRIPES,
            second=SECOND,
            pattern=(0.1,),
        )
        for k in range(4)
    ]
    edges = [
        cylinder(
            (0, 0.22, 0.042 + 0.08 * k),
            0.038,
            0.58,
            FIRST,
            "edge",
            roll=90,
            material=Material.BANDS,
            second=SECOND,
            pattern=(0.1,),
        )
        for k in range(2)
    ]
    return [*layers, *edges]


def blanket_rolled() -> Model:
    """Return a blanket rolled up and tied with two straps."""
    return [
        cylinder((0, 0, 0.12), 0.12, 0.56, FIRST, "roll", roll=90, material=CLOTH),
        *(cylinder((x, 0, 0.12), 0.085, 0.004, SECOND, "end", roll=90) for x in (-0.281, 0.281)),
        *(cylinder((x, 0, 0.12), 0.05, 0.006, FIRST, "end", roll=90) for x in (-0.282, 0.282)),
        *(cylinder((x, 0, 0.124), 0.124, 0.03, SECOND, "strap", roll=90) for x in (-0.14, 0.14)),
    ]
