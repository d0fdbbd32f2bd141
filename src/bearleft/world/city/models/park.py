"""Objects of parks and playgrounds: fences and gates, swings and slides, statues, fountains, hedges."""

from __future__ import annotations

from typing import Any

from bearleft.world.city.shapes import (
    FIRST,
    SECOND,
    Colour,
    Model,
    ball,
    box,
    cone,
    cylinder,
    plate,
    rod,
    taper,
    transformed,
)
from bearleft.world.render.codes import Material, Outline

LEAVES: dict[str, Any] = {"material": Material.FOLIAGE}


def fence() -> Model:
    """Return a fence of iron pickets between posts, 3 m long."""
    return [
        plate((0, 0, 0.62), 3.0, 1.16, FIRST, "bars", Outline.BARS, (16.0, 0.3)),
        box((0, 0, 1.05), (3.0, 0.05, 0.05), FIRST, "rail"),
        box((0, 0, 0.2), (3.0, 0.05, 0.05), FIRST, "rail"),
        *(box((x, 0, 0.65), (0.08, 0.08, 1.3), FIRST, "post") for x in (-1.46, 1.46)),
        *(ball((x, 0, 1.35), (0.14, 0.14, 0.14), FIRST, "post") for x in (-1.46, 1.46)),
    ]


def fence_of_wood() -> Model:
    """Return a fence of upright boards on two rails, 3 m long."""
    return [
        plate((0, 0.04, 0.68), 3.0, 1.2, FIRST, "boards", Outline.BARS, (14.0, 0.8)),
        box((0, 0, 1.0), (3.0, 0.06, 0.1), FIRST, "rail"),
        box((0, 0, 0.35), (3.0, 0.06, 0.1), FIRST, "rail"),
        *(box((x, -0.02, 0.68), (0.11, 0.11, 1.36), FIRST, "post") for x in (-1.44, 1.44)),
    ]


def fence_of_wire() -> Model:
    """Return a chain-link fence as around a ball court, 3 m long and high."""
    return [
        plate((0, 0, 1.5), 3.0, 2.9, FIRST, "wire", Outline.LATTICE, (18.0, 17.0, 0.18)),
        *(cylinder((0, 0, z), 0.03, 3.0, FIRST, "rail", roll=90) for z in (0.06, 1.5, 2.96)),
        *(cylinder((x, 0, 1.5), 0.045, 3.0, FIRST, "post") for x in (-1.48, 1.48)),
    ]


def _swing(x: float) -> Model:
    return [
        *(rod((x + a, 0, 0.5), (x + a, 0, 2.35), 0.018, "dark grey", "chain") for a in (-0.2, 0.2)),
        box((x, 0, 0.5), (0.48, 0.2, 0.05), SECOND, "seat"),
    ]


def swing_set() -> Model:
    """Return two swings that hang from a bar between slanting legs."""
    legs = [rod((x, y, 0), (x, 0, 2.4), 0.05, FIRST, "leg") for x in (-1.7, 1.7) for y in (-0.9, 0.9)]
    return [*legs, cylinder((0, 0, 2.4), 0.055, 3.5, FIRST, "bar", roll=90), *_swing(-0.75), *_swing(0.75)]


def slide() -> Model:
    """Return a tower with a roof, a ladder behind and a chute ahead."""
    posts = [box((x, y, 1.25), (0.1, 0.1, 2.5), FIRST, "post") for x in (-0.5, 0.5) for y in (-1.9, -0.9)]
    sides = [box((x, 0.3, 0.95), (0.06, 2.72, 0.26), SECOND, "slide", tilt=-30) for x in (-0.33, 0.33)]
    return [
        *posts,
        *sides,
        box((0, 0.3, 0.84), (0.66, 2.72, 0.06), SECOND, "slide", tilt=-30),
        box((0, 1.62, 0.2), (0.66, 0.5, 0.06), SECOND, "slide"),
        box((0, -1.4, 1.5), (1.1, 1.1, 0.08), FIRST, "platform"),
        taper((0, -1.4, 2.8), (1.4, 1.4, 0.6), SECOND, "roof", x=1, front=1, back=1),
        *(plate((x, -1.4, 1.85), 0.9, 0.6, FIRST, "railing", Outline.BARS, (6.0, 0.3), yaw=90) for x in (-0.5, 0.5)),
        plate((0, -2.15, 0.75), 0.6, 1.6, FIRST, "ladder", Outline.LATTICE, (2.0, 5.0, 0.22), tilt=-14),
    ]


def climbing_frame() -> Model:
    """Return a dome of bars to climb on."""
    around = [(1.0, 0.0), (0.5, 0.87), (-0.5, 0.87), (-1.0, 0.0), (-0.5, -0.87), (0.5, -0.87)]
    bars: Model = []
    for (x, y), (u, v) in zip(around, around[1:] + around[:1], strict=True):
        bars += [
            rod((1.5 * x, 1.5 * y, 0), (1.15 * x, 1.15 * y, 1.0), 0.04, FIRST, "bar"),
            rod((1.15 * x, 1.15 * y, 1.0), (0.0, 0.0, 1.6), 0.04, FIRST, "bar"),
            rod((1.15 * x, 1.15 * y, 1.0), (1.15 * u, 1.15 * v, 1.0), 0.04, SECOND, "bar"),
        ]
    return [*bars, ball((0, 0, 1.6), (0.2, 0.2, 0.2), SECOND, "top")]


def picnic_table() -> Model:
    """Return a wooden table with a bench on either side."""
    boards: dict[str, Any] = {"material": Material.WOOD, "pattern": (0.14,)}
    legs = [rod((x, y, 0), (x, -0.45 * y, 0.74), 0.045, FIRST, "leg") for x in (-0.65, 0.65) for y in (-0.7, 0.7)]
    return [
        box((0, 0, 0.76), (1.9, 0.76, 0.06), FIRST, "table", **boards),
        *(box((0, y, 0.46), (1.9, 0.28, 0.06), FIRST, "seat", **boards) for y in (-0.72, 0.72)),
        *(box((x, 0, 0.41), (0.08, 1.5, 0.06), FIRST, "leg") for x in (-0.65, 0.65)),
        *legs,
    ]


def drinking_fountain() -> Model:
    """Return a bowl on a pillar with a spout and a step in front."""
    return [
        cylinder((0, 0, 0.05), 0.26, 0.1, FIRST, "base"),
        cone((0, 0, 0.45), 0.17, 0.8, FIRST, "pillar", top=0.75),
        cone((0, 0.04, 0.9), 0.3, 0.18, FIRST, "bowl", top=0.5, tilt=180),
        cylinder((0, 0.04, 0.985), 0.25, 0.03, "light blue", "water"),
        rod((0, -0.16, 0.95), (0, -0.1, 1.14), 0.025, "silver", "spout"),
        rod((0, -0.1, 1.14), (0, 0.02, 1.12), 0.025, "silver", "spout"),
        box((0.2, 0.24, 0.9), (0.07, 0.08, 0.05), "silver", "button"),
        box((0, 0.5, 0.08), (0.4, 0.3, 0.16), "concrete", "step"),
    ]


def _pedestal(width: float, depth: float, height: float) -> Model:
    return [
        box((0, 0, 0.12), (width + 0.4, depth + 0.4, 0.24), SECOND, "base"),
        box((0, 0, height / 2), (width, depth, height), SECOND, "pedestal"),
        box((0, 0, height - 0.06), (width + 0.16, depth + 0.16, 0.12), SECOND, "pedestal"),
        plate(
            (0, depth / 2 + 0.02, height * 0.55),
            width * 0.7,
            0.3,
            "gold",
            "plaque",
            material=Material.TEXT,
            second="black",
        ),
    ]


def _torso(y: float, z: float, size: float) -> Model:
    """Return the upper half of a metal figure, from the hips up."""
    arm = 0.07 * size
    return transformed(
        [
            taper((0, 0, 0.3), (0.5, 0.3, 0.66), FIRST, "figure", x=-0.12, front=0.1, back=0.1),
            ball((0, 0, 0.62), (0.6, 0.32, 0.22), FIRST, "figure"),
            cylinder((0, 0, 0.72), 0.08, 0.16, FIRST, "head"),
            ball((0, 0.01, 0.88), (0.25, 0.28, 0.32), FIRST, "head"),
            rod((-0.3, 0, 0.6), (-0.38, 0.1, 0.15), arm / size, FIRST, "arm"),
        ],
        (0, y, z),
        size,
    )


def statue() -> Model:
    """Return a bronze figure on a pedestal, one arm raised."""
    return [
        *_pedestal(1.1, 1.1, 1.6),
        *_torso(0, 2.55, 1.15),
        taper((0, -0.02, 2.42), (0.72, 0.44, 0.6), FIRST, "figure", x=0.2, front=0.15, back=0.15),
        rod((-0.15, 0, 2.5), (-0.17, -0.1, 1.66), 0.13, FIRST, "leg"),
        rod((0.15, 0, 2.5), (0.17, 0.2, 1.66), 0.13, FIRST, "leg"),
        rod((0.34, 0, 3.25), (0.55, 0.3, 3.75), 0.08, FIRST, "arm"),
        box((0, 0.05, 1.64), (0.8, 0.8, 0.08), FIRST, "figure"),
    ]


def statue_of_rider() -> Model:
    """Return a bronze rider on a walking horse, on a high pedestal."""
    horse = [
        rod((-0.2, 0.62, 2.9), (-0.2, 0.72, 2.0), 0.1, FIRST, "horse"),
        rod((0.2, 0.62, 2.95), (0.2, 1.1, 2.72), 0.1, FIRST, "horse"),
        rod((0.2, 1.1, 2.72), (0.2, 1.0, 2.3), 0.08, FIRST, "horse"),
        rod((-0.2, -0.66, 2.9), (-0.2, -0.8, 2.0), 0.1, FIRST, "horse"),
        rod((0.2, -0.66, 2.9), (0.2, -0.5, 2.0), 0.1, FIRST, "horse"),
        ball((0, -0.05, 3.12), (0.66, 2.0, 0.76), FIRST, "horse"),
        ball((0, 0.9, 3.42), (0.4, 0.56, 1.05), FIRST, "horse", tilt=-36),
        ball((0, 1.33, 3.68), (0.26, 0.72, 0.3), FIRST, "horse", tilt=-42),
        cone((0, 1.1, 3.92), 0.08, 0.2, FIRST, "horse"),
        rod((0, -0.95, 3.3), (0, -1.25, 2.5), 0.08, FIRST, "horse"),
    ]
    return [
        *_pedestal(1.1, 2.4, 2.0),
        *horse,
        *(rod((x, 0.05, 3.4), (1.15 * x, 0.3, 2.75), 0.1, FIRST, "rider") for x in (-0.36, 0.36)),
        *transformed(_torso(0, 3.4, 1.0), part="rider"),
        rod((0.3, 0, 4.0), (0.5, 0.42, 4.4), 0.07, FIRST, "rider"),
    ]


def statue_bust() -> Model:
    """Return a head and shoulders on a slender pillar."""
    return [
        *_pedestal(0.6, 0.5, 1.4),
        taper((0, 0, 1.62), (0.36, 0.28, 0.44), FIRST, "shoulders", x=-0.85),
        ball((0, 0, 1.83), (0.7, 0.34, 0.26), FIRST, "shoulders"),
        cylinder((0, 0, 2.0), 0.09, 0.2, FIRST, "head"),
        ball((0, 0.02, 2.2), (0.28, 0.32, 0.38), FIRST, "head"),
        ball((0, 0.19, 2.18), (0.06, 0.1, 0.1), FIRST, "head"),
    ]


def fountain() -> Model:
    """Return a wide round basin, an overflowing bowl above it, and a jet on top."""
    rim = (
        (0.94, 0.0),
        (0.66, 0.66),
        (0.0, 0.94),
        (-0.66, 0.66),
        (-0.94, 0.0),
        (-0.66, -0.66),
        (0.0, -0.94),
        (0.66, -0.66),
    )
    return [
        cylinder((0, 0, 0.25), 2.5, 0.5, FIRST, "basin", material=Material.STONE, pattern=(0.25,)),
        cylinder((0, 0, 0.53), 2.6, 0.1, FIRST, "rim"),
        cylinder((0, 0, 0.56), 2.3, 0.1, "light blue", "water"),
        cone((0, 0, 1.0), 0.4, 0.9, FIRST, "pillar", top=0.55),
        cone((0, 0, 1.6), 1.0, 0.4, FIRST, "bowl", top=0.25, tilt=180),
        cylinder((0, 0, 1.79), 0.9, 0.04, "light blue", "water"),
        *(cylinder((1.06 * x, 1.06 * y, 1.18), 0.04, 1.24, "white", "water") for x, y in rim),
        cone((0, 0, 2.0), 0.2, 0.4, FIRST, "pillar", top=0.5),
        cone((0, 0, 2.3), 0.42, 0.24, FIRST, "bowl", top=0.25, tilt=180),
        ball((0, 0, 2.6), (0.24, 0.24, 1.1), "white", "jet"),
        ball((0, 0, 2.45), (0.6, 0.6, 0.2), "white", "jet"),
    ]


def fountain_with_jets() -> Model:
    """Return a low round pool with a high jet in the middle and four small ones around."""
    return [
        cylinder((0, 0, 0.2), 2.5, 0.4, FIRST, "rim"),
        cylinder((0, 0, 0.24), 2.2, 0.36, "light blue", "water"),
        ball((0, 0, 0.55), (1.0, 1.0, 0.5), "white", "jet"),
        ball((0, 0, 1.4), (0.4, 0.4, 2.6), "white", "jet"),
        *(ball((x, y, 0.7), (0.22, 0.22, 1.2), "white", "jet") for x in (-1.1, 1.1) for y in (-1.1, 1.1)),
    ]


def flower_bed() -> Model:
    """Return rows of flowers in two colours within a stone border."""
    flowers: Model = []
    for row, y in enumerate((-0.45, 0.0, 0.45)):
        colour: Colour = SECOND if row == 1 else FIRST
        flowers += [
            ball((-1.05 + 0.42 * k + 0.1 * (row % 2), y, 0.42), (0.3, 0.3, 0.24), colour, "flowers") for k in range(6)
        ]
    return [
        box((0, 0, 0.11), (3.0, 1.6, 0.22), "limestone", "border"),
        box((0, 0, 0.2), (2.76, 1.36, 0.3), "leaf", "leaves", **LEAVES),
        *flowers,
    ]


def flower_bed_round() -> Model:
    """Return a round bed with a bush in the middle."""
    ring = [(0.8, 0.0), (0.4, 0.7), (-0.4, 0.7), (-0.8, 0.0), (-0.4, -0.7), (0.4, -0.7)]
    return [
        cylinder((0, 0, 0.1), 1.3, 0.2, "limestone", "border"),
        ball((0, 0, 0.2), (2.4, 2.4, 0.42), "leaf", "leaves", **LEAVES),
        ball((0, 0, 0.6), (0.9, 0.9, 0.86), "leaf", "bush", **LEAVES),
        *(ball((0.5 * x, 0.5 * y, 0.78), (0.2, 0.2, 0.18), SECOND, "flowers") for x, y in ring[::2]),
        ball((0, 0, 1.02), (0.24, 0.24, 0.18), SECOND, "flowers"),
        *(ball((x, y, 0.42), (0.46, 0.46, 0.3), FIRST, "flowers") for x, y in ring),
    ]


def hedge() -> Model:
    """Return a clipped hedge, 3 m long."""
    return [
        taper((0, 0, 0.55), (3.0, 0.8, 1.1), FIRST, "hedge", x=0.02, front=0.12, back=0.12, **LEAVES),
    ]


def hedge_of_bushes() -> Model:
    """Return four round bushes in a row."""
    return [
        ball((-1.14 + 0.76 * k, 0, 0.53), (0.98, 0.9, 1.04 + 0.08 * (k % 2)), FIRST, "bush", **LEAVES) for k in range(4)
    ]


def park_gate() -> Model:
    """Return two stone pillars with balls on top, open iron leaves, and the park's name above."""
    pillars: Model = []
    for x in (-1.9, 1.9):
        pillars += [
            box((x, 0, 1.25), (0.6, 0.6, 2.5), SECOND, "pillar", material=Material.STONE, pattern=(0.4,)),
            box((x, 0, 2.56), (0.76, 0.76, 0.14), SECOND, "pillar"),
            ball((x, 0, 2.86), (0.5, 0.5, 0.5), SECOND, "pillar"),
        ]
    leaves: Model = []
    for x, turn in ((-1.28, -60.0), (1.28, 60.0)):
        leaves += [
            plate((x, -0.6, 1.0), 1.5, 1.9, FIRST, "gate", Outline.BARS, (9.0, 0.26), yaw=turn),
            box((x, -0.6, 1.88), (1.5, 0.06, 0.07), FIRST, "gate", yaw=turn),
            box((x, -0.6, 0.2), (1.5, 0.06, 0.07), FIRST, "gate", yaw=turn),
        ]
    return [
        *pillars,
        *leaves,
        *(cylinder((0, 0, z), 0.035, 3.4, FIRST, "arch", roll=90) for z in (2.9, 3.5)),
        box((0, 0, 3.2), (3.0, 0.08, 0.5), FIRST, "sign", material=Material.TEXT, second="gold"),
        *(rod((x, 0, 2.9), (0.82 * x, 0, 3.5), 0.035, FIRST, "arch") for x in (-1.7, 1.7)),
    ]
