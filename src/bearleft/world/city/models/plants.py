"""Trees, bushes and plants."""

from __future__ import annotations

from bearleft.world.city.shapes import (
    FIRST,
    SECOND,
    Colour,
    Model,
    Solid,
    Vector,
    ball,
    box,
    cone,
    cylinder,
    rod,
    taper,
)
from bearleft.world.render.codes import Material

LEAVES = Material.FOLIAGE


def _leaves(at: Vector, size: Vector, colour: Colour = FIRST, part: str = "crown") -> Solid:
    return ball(at, size, colour, part, material=LEAVES)


def _pit() -> Model:
    """Return a tree pit: earth in a low stone frame in the sidewalk."""
    return [
        box((0, 0, 0.03), (1.5, 1.5, 0.06), "concrete", "tree pit"),
        box((0, 0, 0.035), (1.34, 1.34, 0.06), "bark", "tree pit"),
    ]


def round_tree() -> Model:
    """Return a street tree with a wide crown."""
    return [
        *_pit(),
        cone((0, 0, 1.7), 0.19, 3.4, "bark", "trunk", top=0.7),
        rod((0, 0, 2.5), (0.9, 0.3, 4.2), 0.08, "bark", "branch"),
        rod((0, 0, 2.7), (-0.8, -0.3, 4.2), 0.08, "bark", "branch"),
        _leaves((0.0, 0.1, 5.6), (3.8, 3.6, 3.2)),
        _leaves((1.15, 0.35, 4.7), (2.9, 2.7, 2.3)),
        _leaves((-1.1, -0.3, 4.75), (3.0, 2.8, 2.4)),
        _leaves((0.1, -1.05, 4.5), (2.5, 2.3, 2.0)),
        _leaves((-0.15, 1.1, 4.6), (2.5, 2.3, 2.0)),
    ]


def tall_tree() -> Model:
    """Return an old tree with a high, long crown."""
    return [
        *_pit(),
        cone((0, 0, 2.4), 0.28, 4.8, "bark", "trunk", top=0.7),
        rod((0, 0, 3.4), (1.2, -0.4, 5.8), 0.11, "bark", "branch"),
        rod((0, 0, 3.8), (-1.1, 0.5, 6.0), 0.11, "bark", "branch"),
        _leaves((0.1, 0.0, 8.6), (4.2, 4.0, 4.0)),
        _leaves((1.3, -0.4, 6.9), (3.6, 3.4, 2.9)),
        _leaves((-1.3, 0.5, 7.1), (3.6, 3.4, 3.1)),
        _leaves((0.2, 1.3, 6.4), (3.0, 2.8, 2.3)),
        _leaves((-0.2, -1.3, 6.5), (3.0, 2.8, 2.4)),
    ]


def narrow_tree() -> Model:
    """Return a tree with a slim, upright crown."""
    return [
        *_pit(),
        cylinder((0, 0, 1.1), 0.12, 2.2, "bark", "trunk"),
        _leaves((0, 0, 4.4), (1.9, 1.9, 5.2)),
        _leaves((0.15, 0.1, 3.0), (2.1, 2.1, 2.6)),
        _leaves((-0.1, -0.05, 6.0), (1.3, 1.3, 3.0)),
    ]


def bare_tree() -> Model:
    """Return a tree without leaves."""
    fork = ((1.4, 0.5, 4.3), (-1.4, 0.3, 4.5), (0.2, -1.3, 4.6), (-0.2, 1.3, 4.8))
    twigs: Model = []
    for x, y, z in fork:
        twigs.append(rod((0, 0, 2.6), (x, y, z), 0.075, "bark", "branch"))
        twigs.append(rod((x * 0.75, y * 0.75, z - 0.5), (x * 1.9, y * 1.6, z + 0.5), 0.035, "bark", "twig"))
        twigs.append(rod((x, y, z), (x * 1.1 - y * 0.8, y * 1.1 + x * 0.8, z + 1.3), 0.035, "bark", "twig"))
    return [
        *_pit(),
        cone((0, 0, 1.5), 0.19, 3.0, "bark", "trunk", top=0.65),
        rod((0, 0, 2.9), (0.1, 0.1, 6.6), 0.07, "bark", "branch"),
        *twigs,
    ]


def young_tree() -> Model:
    """Return a freshly planted tree between two stakes."""
    return [
        *_pit(),
        cylinder((0, 0, 1.2), 0.045, 2.4, "bark", "trunk"),
        cylinder((-0.4, 0, 0.85), 0.04, 1.7, "tan", "stake"),
        cylinder((0.4, 0, 0.85), 0.04, 1.7, "tan", "stake"),
        box((0, 0, 1.5), (0.82, 0.02, 0.06), "black", "strap"),
        _leaves((0, 0, 2.9), (1.4, 1.3, 1.5)),
        _leaves((0.3, 0.1, 2.4), (0.9, 0.9, 0.8)),
        _leaves((-0.25, -0.1, 2.5), (0.9, 0.9, 0.8)),
    ]


def conifer() -> Model:
    """Return a fir: three cones on a trunk."""
    return [
        cylinder((0, 0, 0.5), 0.16, 1.0, "bark", "trunk"),
        cone((0, 0, 1.9), 1.7, 2.4, FIRST, "branches", material=LEAVES, top=0.2),
        cone((0, 0, 3.3), 1.35, 2.2, FIRST, "branches", material=LEAVES, top=0.15),
        cone((0, 0, 4.8), 0.95, 2.4, FIRST, "top", material=LEAVES),
    ]


def bush() -> Model:
    """Return a bush of knee to hip height."""
    return [
        _leaves((0, 0, 0.5), (1.3, 1.2, 1.05), part="leaves"),
        _leaves((0.45, 0.15, 0.38), (0.9, 0.9, 0.8), part="leaves"),
        _leaves((-0.4, -0.1, 0.4), (1.0, 0.9, 0.8), part="leaves"),
    ]


def hedge() -> Model:
    """Return a clipped hedge, 2 m long."""
    return [box((0, 0, 0.5), (2.0, 0.6, 1.0), FIRST, "leaves", material=LEAVES)]


def flowering_bush() -> Model:
    """Return a low bush full of blossoms."""
    return [
        _leaves((0, 0, 0.38), (1.2, 1.1, 0.8), FIRST, "leaves"),
        *(
            ball((x, y, z), (0.22, 0.22, 0.2), SECOND, "flowers")
            for x, y, z in (
                (0.1, 0.1, 0.78),
                (0.42, 0.05, 0.58),
                (-0.35, 0.2, 0.62),
                (0.0, 0.46, 0.55),
                (-0.15, -0.35, 0.66),
                (0.3, -0.36, 0.52),
                (0.36, 0.36, 0.42),
                (-0.5, -0.12, 0.45),
            )
        ),
    ]


def potted_plant() -> Model:
    """Return a round bush in a terracotta pot."""
    return [
        taper((0, 0, 0.2), (0.5, 0.5, 0.4), FIRST, "pot", x=0.25, front=0.25, back=0.25, roll=180),
        box((0, 0, 0.39), (0.54, 0.54, 0.07), FIRST, "rim"),
        _leaves((0, 0, 0.78), (0.72, 0.72, 0.8), "leaf", "leaves"),
    ]


def potted_tree() -> Model:
    """Return a clipped ball on a stem in a square tub."""
    return [
        box((0, 0, 0.25), (0.55, 0.55, 0.5), FIRST, "pot"),
        cylinder((0, 0, 0.8), 0.035, 0.7, "bark", "trunk"),
        _leaves((0, 0, 1.4), (0.8, 0.8, 0.8), "leaf", "leaves"),
    ]
