"""Objects of building sites and yards: machines, a crane, piles, tyres, ladders, a dumpster."""

from __future__ import annotations

from typing import Any

from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, ball, box, cone, cylinder, plate, rod, taper
from bearleft.world.render.codes import Material, Outline

SLANTED: dict[str, Any] = {"material": Material.DIAGONAL, "second": "black", "pattern": (0.15,)}


def _track(x: float) -> Model:
    """Return a crawler track: flat above and below, round at its ends."""
    ends = [cylinder((x, y, 0.42), 0.42, 0.55, "rubber", "track", roll=90) for y in (-1.3, 1.3)]
    hubs = [cylinder((x, y, 0.42), 0.22, 0.6, "grey", "track", roll=90) for y in (-1.3, 1.3)]
    return [box((x, 0, 0.42), (0.55, 2.6, 0.84), "rubber", "track"), *ends, *hubs]


def excavator() -> Model:
    """Return a cab and an engine on crawler tracks, the bent arm with a toothed bucket on the ground ahead."""
    return [
        *_track(-1.0),
        *_track(1.0),
        cylinder((0, 0, 0.95), 0.7, 0.3, "dark grey", "base"),
        box((0, -0.35, 1.35), (2.5, 2.9, 0.6), FIRST, "body"),
        taper((0, -1.1, 1.95), (2.4, 1.4, 0.7), FIRST, "body", x=0.12, back=0.4),
        box(
            (-0.75, 0.55, 2.15),
            (0.95, 1.3, 1.3),
            "dark grey",
            "cab",
            material=Material.GLASS,
            second=FIRST,
            pattern=(0.9, 1.2),
        ),
        box((-0.75, 0.55, 2.85), (1.05, 1.4, 0.12), FIRST, "cab"),
        cylinder((0.7, -1.2, 2.5), 0.08, 0.6, "black", "exhaust"),
        rod((0.25, 0.7, 1.6), (0.25, 2.5, 3.7), 0.2, FIRST, "arm"),
        rod((0.25, 2.4, 3.75), (0.25, 4.4, 2.5), 0.17, FIRST, "arm"),
        rod((0.25, 4.4, 2.7), (0.25, 3.9, 1.0), 0.13, FIRST, "arm"),
        rod((0.25, 1.2, 1.5), (0.25, 2.2, 3.0), 0.07, "silver", "arm"),
        taper((0.25, 3.75, 0.55), (1.1, 0.9, 0.8), "dark grey", "bucket", back=0.8, roll=180),
        *(box((x, 3.35, 0.2), (0.12, 0.2, 0.3), "silver", "bucket") for x in (-0.15, 0.25, 0.65)),
    ]


def wheel_loader() -> Model:
    """Return a high cab over four large wheels, a wide bucket on two arms ahead."""
    axles: Model = []
    for y in (-1.35, 1.25):
        axles += [
            cylinder((0, y, 0.75), 0.75, 2.4, "rubber", "wheel", roll=90),
            cylinder((0, y, 0.75), 0.36, 2.44, FIRST, "wheel", roll=90),
        ]
    return [
        *axles,
        box((0, -1.6, 1.45), (1.5, 2.0, 1.0), FIRST, "body"),
        box((0, -1.2, 1.0), (1.2, 3.4, 0.5), "dark grey", "base"),
        box(
            (0, -0.1, 2.3),
            (1.4, 1.4, 1.4),
            "dark grey",
            "cab",
            material=Material.GLASS,
            second=FIRST,
            pattern=(1.3, 1.3),
        ),
        box((0, -0.1, 3.05), (1.55, 1.6, 0.14), FIRST, "cab"),
        box((0, -0.1, 1.45), (1.45, 1.5, 0.5), FIRST, "body"),
        *(rod((x, 0.5, 1.7), (x, 2.9, 0.6), 0.12, FIRST, "arm") for x in (-0.45, 0.45)),
        taper((0, 3.2, 0.55), (2.7, 1.0, 1.0), "dark grey", "bucket", front=-0.3, back=0.9, roll=180),
        cylinder((0.5, -1.8, 2.3), 0.08, 0.7, "black", "exhaust"),
    ]


def tower_crane() -> Model:
    """Return a lattice mast 30 m high with a cab, a jib to +y with a hook, and a counter-jib with its weight."""
    lattice: dict[str, Any] = {"outline": Outline.LATTICE}
    mast = [box((x, y, 15.0), (0.14, 0.14, 30.0), FIRST, "mast") for x in (-0.75, 0.75) for y in (-0.75, 0.75)]
    webs = [plate((0, y, 15.0), 1.5, 30.0, FIRST, "mast", shape=(1.0, 20.0, 0.09), **lattice) for y in (-0.75, 0.75)]
    sides = [
        plate((x, 0, 15.0), 1.5, 30.0, FIRST, "mast", shape=(1.0, 20.0, 0.09), yaw=90, **lattice) for x in (-0.75, 0.75)
    ]
    return [
        box((0, 0, 0.3), (3.4, 3.4, 0.6), "concrete", "base"),
        *mast,
        *webs,
        *sides,
        box(
            (0.9, 0.9, 30.9), (1.2, 1.6, 1.8), "white", "cab", material=Material.GLASS, second=FIRST, pattern=(1.2, 1.8)
        ),
        cone((0, 0, 33.0), 0.9, 6.0, FIRST, "top", top=0.15),
        *(box((x, 10.0, 30.4), (0.14, 26.0, 0.14), FIRST, "jib") for x in (-0.5, 0.5)),
        plate((0.5, 10.0, 31.0), 26.0, 1.2, FIRST, "jib", shape=(24.0, 1.0, 0.16), yaw=90, **lattice),
        box((0, 10.0, 31.6), (0.16, 26.0, 0.16), FIRST, "jib"),
        rod((0, 0.2, 35.8), (0, 17.0, 31.7), 0.06, "black", "rope"),
        rod((0, -0.2, 35.8), (0, -7.0, 31.2), 0.06, "black", "rope"),
        box((0, -4.5, 30.4), (1.4, 7.0, 0.4), FIRST, "counter jib"),
        box((0, -6.8, 29.6), (1.8, 2.2, 2.4), "concrete", "weight"),
        rod((0, 16.0, 30.3), (0, 16.0, 13.0), 0.05, "black", "rope"),
        box((0, 16.0, 12.6), (0.6, 0.6, 0.9), "yellow", "hook", **SLANTED),
    ]


def portable_toilet() -> Model:
    """Return a plastic cabin with a door, a vent in it and a white roof."""
    return [
        box((0, 0, 0.08), (1.2, 1.2, 0.16), "dark grey", "base"),
        box((0, 0, 1.15), (1.12, 1.12, 2.0), FIRST, "cabin", material=Material.PANELS, pattern=(0.37,)),
        box((0, 0.57, 1.12), (0.84, 0.04, 1.9), FIRST, "door"),
        *(box((x, 0.58, 1.12), (0.05, 0.05, 1.94), SECOND, "door") for x in (-0.44, 0.44)),
        plate((0, 0.6, 1.84), 0.5, 0.2, "black", "vent", Outline.LATTICE, (1.0, 4.0, 0.5)),
        plate((0, 0.6, 1.5), 0.62, 0.22, "white", "sign", material=Material.TEXT, second="blue", text="TOILET"),
        box((0.3, 0.6, 1.1), (0.08, 0.06, 0.18), "black", "handle"),
        taper((0, 0, 2.25), (1.24, 1.24, 0.24), "white", "roof", x=0.5, front=0.5, back=0.5),
        cylinder((-0.35, -0.35, 2.4), 0.05, 0.4, "black", "pipe"),
    ]


def _heap(colour: Colour, part: str) -> Model:
    return [
        cone((0, 0, 0.65), 1.5, 1.3, colour, part, top=0.06),
        cone((0.9, 0.35, 0.42), 1.0, 0.84, colour, part, top=0.08),
        cone((-0.85, -0.25, 0.36), 1.05, 0.72, colour, part, top=0.08),
    ]


def pile_of_sand() -> Model:
    """Return a heap of sand with a shovel in it."""
    return [
        *_heap("tan", "sand"),
        rod((-0.2, 0.5, 0.6), (-0.75, 1.0, 1.75), 0.03, "brown", "shovel"),
        box((-0.78, 1.03, 1.8), (0.22, 0.06, 0.06), FIRST, "shovel"),
    ]


def pile_of_dirt() -> Model:
    """Return a heap of brown earth with stones in it."""
    stones = ((0.7, 1.0, 0.1), (-1.2, 0.6, 0.12), (0.2, 1.15, 0.12), (1.7, 0.2, 0.1), (-0.1, 0.75, 0.6))
    return [*_heap("brown", "dirt"), *(ball((x, y, z), (0.4, 0.34, 0.3), "grey", "stone") for x, y, z in stones)]


def pile_of_bricks() -> Model:
    """Return bricks stacked on a wooden pallet, a few of them loose on top."""
    return [
        box((0, 0, 0.07), (1.3, 1.1, 0.14), "tan", "pallet", material=Material.WOOD, pattern=(0.12,)),
        box((0, 0, 0.6), (1.2, 1.0, 0.92), "brick", "bricks", material=Material.BRICK, second="cream"),
        box((-0.2, 0.1, 1.14), (0.7, 0.6, 0.16), "brick", "bricks", material=Material.BRICK, second="cream"),
        *(box((x, 0, 0.6), (0.05, 1.02, 0.95), FIRST, "strap") for x in (-0.3, 0.3)),
    ]


def pile_of_lumber() -> Model:
    """Return long boards stacked crosswise on two beams."""
    wood: dict[str, Any] = {"material": Material.WOOD, "pattern": (0.16,)}
    return [
        *(box((x, 0, 0.08), (0.16, 1.2, 0.16), "brown", "beam") for x in (-1.1, 1.1)),
        box((0, 0, 0.34), (3.4, 1.1, 0.36), "tan", "boards", **wood),
        box((0.15, 0.05, 0.6), (3.2, 0.9, 0.16), "beige", "boards", **wood),
        box((-0.1, -0.1, 0.76), (3.3, 0.6, 0.16), "tan", "boards", **wood),
        *(box((x, 0, 0.36), (0.06, 1.14, 0.42), FIRST, "strap") for x in (-0.9, 0.9)),
    ]


def pile_of_pipes() -> Model:
    """Return six pipes in a triangle, open at their ends, wedges at the sides."""
    rows = [(-0.62, 0.3), (0.0, 0.3), (0.62, 0.3), (-0.31, 0.83), (0.31, 0.83), (0.0, 1.36)]
    pipes = [cylinder((0, y, z), 0.3, 3.2, "concrete", "pipe", roll=90) for y, z in rows]
    holes = [cylinder((0, y, z), 0.22, 3.22, "black", "opening", roll=90) for y, z in rows]
    return [*pipes, *holes, *(box((x, 0, 0.06), (0.14, 2.1, 0.12), FIRST, "beam") for x in (-1.2, 1.2))]


def _tyre(x: float, y: float, z: float, size: float = 0.36, **options: Any) -> Model:
    return [
        cylinder((x, y, z), size, 0.2, "rubber", "tire", **options),
        cylinder((x, y, z), size * 0.86, 0.23, "dark grey", "tire", **options),
        cylinder((x, y, z), size * 0.52, 0.25, FIRST, "hole", **options),
    ]


def tire_pile() -> Model:
    """Return two stacks of old tyres and one that leans against them."""
    left = [solid for k in range(4) for solid in _tyre(-0.38, 0.02 * (-1) ** k, 0.11 + 0.22 * k)]
    right = [solid for k in range(2) for solid in _tyre(0.4, 0.03 * (-1) ** k, 0.11 + 0.22 * k)]
    return [*left, *right, *_tyre(0.15, 0.5, 0.35, tilt=72)]


def tire_heap() -> Model:
    """Return a heap of tyres."""
    flat = ((-0.75, 0.0), (0.0, 0.35), (0.75, 0.05), (0.0, -0.42))
    leaning = ((-0.38, 0.12, 0.34, 16), (0.4, 0.1, 0.34, -14), (0.02, -0.02, 0.58, 6))
    ground = [solid for x, y in flat for solid in _tyre(x, y, 0.11)]
    return ground + [solid for x, y, z, roll in leaning for solid in _tyre(x, y, z, roll=roll, tilt=roll / 2)]


def ladder() -> Model:
    """Return a ladder that leans against the wall behind it."""
    return [
        *(rod((x, 1.1, 0.0), (x, 0.06, 4.2), 0.04, FIRST, "rail") for x in (-0.24, 0.24)),
        *(
            cylinder((0, 1.1 - 1.04 * k / 11, 4.2 * k / 11), 0.025, 0.48, "silver", "rung", roll=90)
            for k in range(1, 11)
        ),
    ]


def step_ladder() -> Model:
    """Return two ladders joined at the top, with broad steps in front and a can of paint on the upper one."""
    return [
        *(rod((x, 0.5, 0.0), (x, 0.0, 1.9), 0.035, FIRST, "rail") for x in (-0.26, 0.26)),
        *(rod((x, -0.55, 0.0), (x, -0.02, 1.9), 0.03, FIRST, "rail") for x in (-0.26, 0.26)),
        *(box((0, 0.5 - 0.5 * z / 1.9, z), (0.5, 0.12, 0.035), "silver", "step") for z in (0.38, 0.76, 1.14, 1.52)),
        box((0, 0, 1.92), (0.6, 0.28, 0.06), FIRST, "top"),
        cylinder((0.1, 0, 2.06), 0.1, 0.22, "white", "paint can"),
    ]


def dumpster_of_rubble() -> Model:
    """Return a long open container with slanting ends and ribs, full of rubble."""
    ribs = [box((x, y, 0.72), (0.09, 0.06, 1.1), FIRST, "rib") for x in (-1.3, -0.45, 0.45, 1.3) for y in (-0.82, 0.82)]
    rubble = ((-1.1, 0.1), (-0.35, -0.2), (0.4, 0.2), (1.1, -0.1))
    return [
        taper((0, 0, 0.7), (3.2, 1.6, 1.2), FIRST, "body", x=-0.12),
        *ribs,
        box((0, 0, 1.28), (3.66, 1.74, 0.1), FIRST, "rim"),
        box((0, 0, 1.31), (3.4, 1.5, 0.08), "dark grey", "rubble"),
        *(ball((x, y, 1.34), (0.95, 0.9, 0.55), "concrete", "rubble") for x, y in rubble),
        box((0.6, 0.1, 1.6), (1.6, 0.16, 0.06), "tan", "rubble", roll=-22, yaw=30),
        *(box((x, 0, 0.06), (0.2, 1.4, 0.12), "black", "base") for x in (-1.1, 1.1)),
        plate((0, 0.86, 0.85), 0.8, 0.3, "white", "label", material=Material.TEXT, second="black", text="HAULING"),
    ]


def manhole_cover() -> Model:
    """Return a round iron lid in the road, with a pattern of squares."""
    return [
        cylinder((0, 0, 0.006), 0.42, 0.012, "black", "rim"),
        cylinder((0, 0, 0.01), 0.37, 0.012, FIRST, "lid", material=Material.CHECKS, second="black", pattern=(0.09,)),
    ]
