"""Doors, storefronts, awnings and canopies. The origin is on the wall at the object's foot; y points out of the wall.

Awnings and the marquee hang at the height given in their docstrings; the others stand on the ground.
"""

from __future__ import annotations

from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, ball, box, cylinder, plate, rod, taper
from bearleft.world.render.codes import Material, Outline

TEXT, GLASS = Material.TEXT, Material.GLASS


def _leaf(x: float, z: float, width: float, height: float, colour: Colour) -> Model:
    """Return one leaf of a panelled door with its knob on the right."""
    return [
        box((x, 0.06, z + height / 2), (width, 0.12, height), colour, "door"),
        box((x, 0.07, z + height * 0.76), (width * 0.66, 0.12, height * 0.34), "dark grey", "window", material=GLASS),
        box((x, 0.08, z + height * 0.28), (width * 0.64, 0.12, height * 0.36), colour, "panel"),
        ball((x + width * 0.4, 0.16, z + height * 0.48), (0.09, 0.09, 0.09), "gold", "handle"),
    ]


def _shopfront(door: float, width: float = 5.0) -> Model:
    """Return glass on a low base, a door at x = `door`, and a lettered sign along the top."""
    return [
        box((0, 0.02, 1.8), (width, 0.16, 3.6), "dark grey", "frame"),
        box(
            (0, 0.04, 1.6),
            (width - 0.24, 0.18, 2.2),
            "glass",
            "window",
            material=Material.SHOP,
            second="silver",
            pattern=(1.25,),
        ),
        box((0, 0.04, 0.25), (width - 0.1, 0.22, 0.5), FIRST, "base"),
        box((door, 0.05, 1.3), (1.14, 0.24, 2.6), "silver", "door frame"),
        box((door, 0.055, 1.22), (0.94, 0.26, 2.2), "asphalt", "door", material=GLASS),
        box((door + 0.34, 0.2, 1.15), (0.04, 0.08, 0.6), "silver", "handle"),
        box((0, 0.12, 3.23), (width - 0.04, 0.26, 0.68), FIRST, "sign", material=TEXT, second=SECOND),
        box((0, 0.16, 3.62), (width + 0.06, 0.36, 0.1), FIRST, "ledge"),
    ]


def panel_door() -> Model:
    """Return a door of a house, with a window above."""
    return [
        box((0, 0.03, 1.45), (1.36, 0.1, 2.9), SECOND, "frame"),
        *_leaf(0, 0.06, 1.0, 2.1, FIRST),
        box((0, 0.05, 2.48), (1.0, 0.12, 0.42), "dark grey", "transom", material=GLASS),
        box((0, 0.12, 2.94), (1.6, 0.34, 0.12), SECOND, "lintel"),
        box((0, 0.2, 0.05), (1.5, 0.5, 0.1), "concrete", "step"),
    ]


def stoop_door() -> Model:
    """Return a brownstone's door at the top of a stoop with iron railings; SECOND is the stone."""
    steps = [box((0, (2.1 - 0.3 * k) / 2, 0.1 + 0.2 * k), (1.7, 2.1 - 0.3 * k, 0.2), SECOND, "steps") for k in range(6)]
    sides: Model = []
    for x in (-0.98, 0.98):
        sides.append(box((x, 0.35, 0.66), (0.26, 0.7, 1.32), SECOND, "stoop"))
        sides.append(taper((x, 1.4, 0.6), (0.26, 1.4, 1.2), SECOND, "stoop", front=1.75))
        sides.append(box((x, 2.18, 0.45), (0.34, 0.34, 0.9), SECOND, "post"))
        sides.append(plate((x, 1.38, 1.2), 1.9, 0.75, "black", "railing", Outline.BARS, (12, 0.16), yaw=90, roll=36))
        sides.append(rod((x, 0.55, 2.08), (x, 2.15, 0.94), 0.04, "black", "railing"))
    return [
        *steps,
        *sides,
        box((0, 0.04, 2.65), (1.7, 0.14, 2.9), SECOND, "frame"),
        *_leaf(0, 1.2, 1.1, 2.2, FIRST),
        box((0, 0.06, 3.65), (1.1, 0.14, 0.4), "dark grey", "transom", material=GLASS),
        taper((0, 0.2, 4.2), (2.0, 0.5, 0.22), SECOND, "hood", x=0.1, front=0.4),
    ]


def glass_doors() -> Model:
    """Return two leaves of glass in a metal frame, with the house's name above."""
    return [
        box((0, 0.02, 1.5), (2.3, 0.12, 3.0), FIRST, "frame"),
        box((-0.53, 0.03, 1.16), (0.98, 0.14, 2.2), "asphalt", "door", material=GLASS),
        box((0.53, 0.03, 1.16), (0.98, 0.14, 2.2), "asphalt", "door", material=GLASS),
        box((0, 0.03, 2.62), (2.04, 0.14, 0.5), FIRST, "sign", material=TEXT, second=SECOND),
        box((-0.12, 0.16, 1.1), (0.04, 0.06, 0.9), "silver", "handle"),
        box((0.12, 0.16, 1.1), (0.04, 0.06, 0.9), "silver", "handle"),
    ]


def arched_door() -> Model:
    """Return a wide wooden door under a round arch of stone."""
    return [
        plate((0, 0.1, 1.75), 2.5, 3.5, SECOND, "arch", Outline.ARCH),
        plate((0, 0.14, 1.5), 1.9, 3.0, FIRST, "door", Outline.ARCH, material=Material.WOOD, pattern=(0.24,)),
        box((0, 0.13, 1.4), (0.06, 0.08, 2.8), "black", "gap"),
        ball((-0.18, 0.2, 1.15), (0.12, 0.12, 0.12), "gold", "handle"),
        ball((0.18, 0.2, 1.15), (0.12, 0.12, 0.12), "gold", "handle"),
        box((0, 0.3, 0.08), (2.7, 0.6, 0.16), SECOND, "step"),
    ]


def garage_door() -> Model:
    """Return a rolling door wide enough for a truck."""
    return [
        box((0, 0.02, 1.75), (3.9, 0.14, 3.5), SECOND, "frame"),
        box((0, 0.03, 1.55), (3.4, 0.16, 3.1), FIRST, "garage door", material=Material.SHUTTER),
        box((0, 0.14, 3.28), (3.5, 0.36, 0.4), FIRST, "housing"),
        box((0, 0.12, 0.05), (3.4, 0.1, 0.1), "black", "bottom edge"),
        box((-1.84, 0.2, 0.5), (0.2, 0.24, 1.0), "yellow", "guard"),
        box((1.84, 0.2, 0.5), (0.2, 0.24, 1.0), "yellow", "guard"),
    ]


def storefront() -> Model:
    """Return a storefront of five metres with the door in the middle."""
    return _shopfront(0.0)


def storefront_with_side_door() -> Model:
    """Return a storefront of five metres with the door on the left."""
    return [
        *_shopfront(1.75),
        plate((-0.9, 0.16, 1.85), 0.9, 0.4, "black", "open sign", material=TEXT, second="red", text="OPEN"),
    ]


def wooden_storefront() -> Model:
    """Return an old shop: painted wood, columns, a lettered board."""
    return [
        *_shopfront(0.0)[:-2],
        box((0, 0.14, 3.2), (4.9, 0.3, 0.56), FIRST, "sign", material=TEXT, second=SECOND),
        taper((0, 0.24, 3.58), (5.2, 0.5, 0.24), FIRST, "ledge", x=0.02, front=0.6, roll=180),
        *(box((x, 0.12, 1.4), (0.24, 0.3, 2.8), FIRST, "column") for x in (-2.4, -0.8, 0.8, 2.4)),
        cylinder((-1.6, 0.34, 3.6), 0.02, 0.5, "black", "lamp", tilt=60),
        ball((-1.6, 0.56, 3.68), (0.24, 0.24, 0.2), "lamp", "lamp", material=Material.LAMP),
        cylinder((1.6, 0.34, 3.6), 0.02, 0.5, "black", "lamp", tilt=60),
        ball((1.6, 0.56, 3.68), (0.24, 0.24, 0.2), "lamp", "lamp", material=Material.LAMP),
    ]


def closed_storefront() -> Model:
    """Return a rolled-down gate under a sign."""
    return [
        box((0, 0.02, 1.8), (5.0, 0.16, 3.6), "dark grey", "frame"),
        box((0, 0.06, 1.38), (4.7, 0.18, 2.7), "silver", "gate", material=Material.SHUTTER),
        box((0, 0.2, 2.74), (4.8, 0.44, 0.2), "grey", "housing"),
        box((0, 0.12, 3.22), (4.96, 0.26, 0.7), FIRST, "sign", material=TEXT, second=SECOND),
    ]


def awning() -> Model:
    """Return slanted canvas with a lettered edge, hung 2.3 m high; its foot is the valance."""
    return [
        taper((0, 0.6, 0.47), (3.6, 1.2, 0.48), FIRST, "awning", front=1.98, material=Material.CLOTH),
        box((0, 1.18, 0.13), (3.6, 0.04, 0.26), FIRST, "valance", material=TEXT, second=SECOND),
        box((-1.79, 0.6, 0.13), (0.02, 1.2, 0.26), FIRST, "valance"),
        box((1.79, 0.6, 0.13), (0.02, 1.2, 0.26), FIRST, "valance"),
    ]


def striped_awning() -> Model:
    """Return an awning with stripes of both colours, hung 2.3 m high."""
    return [
        taper((0, 0.65, 0.5), (3.6, 1.3, 0.52), FIRST, "awning", front=1.98, material=Material.STRIPES, second=SECOND,
              pattern=(0.3,)),
        box((0, 1.28, 0.13), (3.6, 0.04, 0.26), FIRST, "valance", material=Material.STRIPES, second=SECOND,
            pattern=(0.3,)),
        box((-1.79, 0.65, 0.14), (0.02, 1.3, 0.28), FIRST, "valance"),
        box((1.79, 0.65, 0.14), (0.02, 1.3, 0.28), FIRST, "valance"),
    ]  # fmt: skip


def round_awning() -> Model:
    """Return an awning that bulges outwards, lettered on its front, hung 2.3 m high."""
    return [
        taper(
            (0, 0.5, 0.24),
            (3.4, 1.0, 0.48),
            FIRST,
            "awning",
            x=0.04,
            front=0.24,
            material=TEXT,
            second=SECOND,
            pattern=(0.7,),
        ),
        taper((0, 0.44, 0.59), (3.26, 0.88, 0.22), FIRST, "awning", x=0.12, front=0.7),
        taper((0, 0.285, 0.77), (2.87, 0.57, 0.14), FIRST, "awning", x=0.25, front=1.8),
    ]


def canopy() -> Model:
    """Return a covered way from the door to the kerb on two posts, with the house's name on its end."""
    return [
        box((0, 1.9, 2.75), (2.1, 3.8, 0.5), FIRST, "canopy", material=TEXT, second=SECOND),
        box((0, 1.9, 2.75), (3.4, 2.12, 0.5), FIRST, "canopy", yaw=90, material=TEXT, second=SECOND),
        taper((0, 1.9, 3.2), (2.1, 3.8, 0.42), FIRST, "roof", x=0.7, material=Material.CLOTH),
        cylinder((-0.98, 3.7, 1.3), 0.04, 2.6, "gold", "post"),
        cylinder((0.98, 3.7, 1.3), 0.04, 2.6, "gold", "post"),
        box((0, 1.9, 0.012), (1.5, 3.8, 0.024), "maroon", "carpet"),
    ]


def portico() -> Model:
    """Return four columns and a pediment in front of a door."""
    columns = [cylinder((x, 1.5, 3.0), 0.36, 5.0, FIRST, "column") for x in (-2.7, -0.95, 0.95, 2.7)]
    return [
        box((0, 1.2, 0.12), (7.4, 2.4, 0.24), FIRST, "steps"),
        box((0, 1.05, 0.36), (7.0, 2.1, 0.28), FIRST, "steps"),
        *columns,
        box((0, 0.05, 2.2), (2.2, 0.16, 3.4), "dark green", "door", material=Material.WOOD, pattern=(0.6,)),
        box((0, 1.0, 5.85), (6.8, 2.0, 0.75), FIRST, "frieze", material=TEXT, second="dark grey"),
        box((0, 1.05, 6.3), (7.2, 2.2, 0.18), FIRST, "cornice"),
        taper((0, 1.0, 7.0), (7.2, 2.1, 1.3), FIRST, "pediment", x=1.0),
    ]


def marquee() -> Model:
    """Return a theatre's canopy with white letter boards and an upright sign, hung 3 m high."""
    return [
        box((0, 1.25, 0.55), (6.0, 2.5, 1.1), FIRST, "marquee"),
        box((0, 1.27, 0.55), (5.4, 2.5, 0.8), "white", "letter board", material=TEXT, second="black"),
        box((0, 1.3, 0.55), (2.2, 6.04, 0.8), "white", "letter board", yaw=90, material=TEXT, second="black"),
        box((0, 1.26, 1.12), (6.1, 2.56, 0.1), "lamp", "lights", material=Material.GLOW),
        box((0, 1.26, 0.0), (6.1, 2.56, 0.1), "lamp", "lights", material=Material.GLOW),
        box((0, 0.6, 3.2), (0.5, 1.0, 4.0), FIRST, "sign"),
        *(
            box(
                (0, 0.6, 4.7 - 0.95 * k),
                (0.8, 0.54, 0.8),
                FIRST,
                "sign",
                yaw=90,
                material=TEXT,
                second=SECOND,
                text=letter,
            )
            for k, letter in enumerate("ROXY")
        ),
        box((0, 0.6, 5.3), (0.6, 1.1, 0.2), "lamp", "lights", material=Material.GLOW),
    ]
