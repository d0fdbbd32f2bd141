"""Shelves, tables and cases with goods. All stand on the floor; the goods face +y.

Front panes are omitted because glass is rendered opaque: a case is its frame, its boards and its back.
"""

from __future__ import annotations

from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, ball, box, cone, cylinder, plate
from bearleft.world.render.codes import Material, Outline

STRIPES = Material.STRIPES


def _packs(
    x: float, y: float, z: float, size: tuple[float, float, float], colours: tuple[Colour, Colour], width: float = 0.1
) -> Model:
    """Return a row of packets side by side, standing at z."""
    at = (x, y, z + size[2] / 2)
    return [box(at, size, colours[0], "goods", material=STRIPES, second=colours[1], pattern=(width,))]


def _gondola(heights: tuple[float, ...], height: float = 1.9) -> Model:
    """Return a back wall, two posts, and a board at each height."""
    boards = [box((0, 0.03, z - 0.02), (1.2, 0.46, 0.035), "white", "shelf") for z in heights]
    edges = [plate((0, 0.265, z - 0.02), 1.2, 0.05, FIRST, "label") for z in heights]
    return [
        box((0, 0.02, 0.05), (1.2, 0.46, 0.1), FIRST, "base"),
        box((0, -0.2, height / 2), (1.2, 0.04, height), "white", "back"),
        box((-0.61, -0.16, height / 2), (0.03, 0.1, height), FIRST, "post"),
        box((0.61, -0.16, height / 2), (0.03, 0.1, height), FIRST, "post"),
        *boards,
        *edges,
    ]


def grocery_shelf() -> Model:
    """Return four boards of packets, tins and bottles in many colours."""
    return [
        *_gondola((0.16, 0.6, 1.04, 1.48)),
        *_packs(-0.3, 0.04, 0.16, (0.56, 0.34, 0.34), ("yellow", "red")),
        *_packs(0.3, 0.02, 0.16, (0.56, 0.34, 0.28), ("blue", "white"), 0.14),
        *_packs(-0.36, 0.04, 0.6, (0.4, 0.3, 0.3), ("green", "white")),
        *_packs(0.02, 0.04, 0.6, (0.32, 0.3, 0.22), ("orange", "maroon"), 0.08),
        *_packs(0.4, 0.04, 0.6, (0.38, 0.3, 0.33), ("red", "white"), 0.13),
        *_packs(-0.3, 0.04, 1.04, (0.52, 0.28, 0.26), ("light blue", "navy"), 0.13),
        *_packs(0.3, 0.04, 1.04, (0.5, 0.28, 0.34), ("yellow", "green"), 0.1),
        *_packs(-0.38, 0.02, 1.48, (0.36, 0.28, 0.3), ("pink", "purple"), 0.12),
        *_packs(0.0, 0.02, 1.48, (0.32, 0.28, 0.22), ("white", "teal"), 0.08),
        *_packs(0.38, 0.02, 1.48, (0.36, 0.28, 0.33), ("orange", "yellow"), 0.12),
    ]


def bottle_shelf() -> Model:
    """Return two boards of large bottles above a row of boxes."""
    rows: tuple[tuple[float, tuple[Colour, ...]], ...] = (
        (0.66, ("orange", "teal", "dark green", "maroon")),
        (1.24, ("yellow", "white", "purple", "black")),
    )
    bottles: Model = []
    for z, colours in rows:
        for k, colour in enumerate(colours):
            x = -0.42 + 0.28 * k
            bottles.append(cylinder((x, 0.06, z + 0.13), 0.075, 0.26, colour, "bottle"))
            bottles.append(cone((x, 0.06, z + 0.35), 0.036, 0.2, colour, "bottle", top=0.8))
    return [
        *_gondola((0.16, 0.66, 1.24), 1.8)[:7],
        *_packs(0, 0.04, 0.16, (1.1, 0.34, 0.3), ("tan", "brown"), 0.275),
        *bottles,
    ]


def toy_shelf() -> Model:
    """Return boards with balls, a bear, blocks and boxes."""
    return [
        *_gondola((0.16, 0.66, 1.16))[:7],
        plate((0, 0.0, 1.74), 1.1, 0.26, FIRST, "sign", material=Material.TEXT, second="white", text="TOYS"),
        ball((-0.36, 0.06, 0.32), (0.32, 0.32, 0.32), "red", "ball"),
        ball((0.0, 0.06, 0.32), (0.32, 0.32, 0.32), "yellow", "ball"),
        ball((0.36, 0.06, 0.32), (0.32, 0.32, 0.32), "blue", "ball"),
        ball((-0.32, 0.06, 0.8), (0.26, 0.24, 0.28), "brown", "bear"),
        ball((-0.32, 0.1, 1.0), (0.2, 0.2, 0.2), "brown", "bear"),
        ball((-0.4, 0.08, 1.08), (0.08, 0.06, 0.08), "brown", "bear"),
        ball((-0.24, 0.08, 1.08), (0.08, 0.06, 0.08), "brown", "bear"),
        box((0.14, 0.06, 0.74), (0.17, 0.17, 0.16), "green", "block"),
        box((0.34, 0.06, 0.74), (0.17, 0.17, 0.16), "orange", "block"),
        box((0.24, 0.06, 0.9), (0.17, 0.17, 0.16), "purple", "block"),
        *_packs(-0.2, 0.04, 1.16, (0.7, 0.3, 0.32), ("pink", "white"), 0.18),
        *_packs(0.38, 0.04, 1.16, (0.32, 0.3, 0.24), ("light blue", "yellow"), 0.08),
    ]


def _legs(x: float, y: float, height: float, colour: Colour, side: float = 0.06) -> Model:
    return [box((i, j, height / 2), (side, side, height), colour, "leg") for i in (-x, x) for j in (-y, y)]


def _case(width: float, depth: float, low: float, high: float, colour: Colour) -> Model:
    """Return the four upright edges of a glass box and the frame around its top."""
    x, y, middle = width / 2 - 0.015, depth / 2 - 0.015, (low + high) / 2
    return [box((i, j, middle), (0.03, 0.03, high - low), colour, "frame") for i in (-x, x) for j in (-y, y)]


def tall_display_case() -> Model:
    """Return a glass cabinet of a man's height with goods on its boards."""
    return [
        box((0, 0, 0.12), (0.9, 0.45, 0.24), FIRST, "base"),
        *_case(0.9, 0.45, 0.24, 1.86, FIRST),
        box((0, 0, 1.9), (0.92, 0.47, 0.1), FIRST, "roof"),
        box((0, -0.21, 1.05), (0.86, 0.02, 1.62), "light blue", "glass", material=Material.GLASS),
        *(box((0, 0, z), (0.84, 0.4, 0.02), "light blue", "shelf") for z in (0.72, 1.16, 1.58)),
        box((0, 0.16, 1.84), (0.7, 0.04, 0.03), "lamp", "light", material=Material.GLOW, pattern=(0.9,)),
        cone((-0.24, 0, 0.38), 0.1, 0.28, "gold", "goods", top=0.4),
        ball((0.2, 0, 0.38), (0.28, 0.28, 0.28), "teal", "goods"),
        cylinder((-0.2, 0, 0.85), 0.09, 0.24, "maroon", "goods"),
        box((0.2, 0, 0.82), (0.24, 0.16, 0.18), "yellow", "goods"),
        ball((-0.22, 0, 1.28), (0.22, 0.22, 0.22), "orange", "goods"),
        cone((0.22, 0, 1.29), 0.11, 0.24, "purple", "goods", top=0.1),
        box((0, 0, 1.67), (0.3, 0.14, 0.16), "red", "goods"),
        box((0.36, 0.235, 1.05), (0.03, 0.03, 0.16), "silver", "handle"),
    ]


def jewellery_case() -> Model:
    """Return a low glass counter: drawers below, rings and busts on cushions above."""
    return [
        box((0, 0, 0.32), (1.4, 0.55, 0.64), FIRST, "base"),
        *(box((x, 0.28, 0.36), (0.42, 0.02, 0.4), FIRST, "drawer") for x in (-0.45, 0, 0.45)),
        *(box((x, 0.3, 0.48), (0.14, 0.03, 0.03), "gold", "handle") for x in (-0.45, 0, 0.45)),
        *_case(1.4, 0.55, 0.64, 0.97, "gold"),
        box((0, -0.26, 0.8), (1.36, 0.02, 0.3), "navy", "back"),
        box((0, 0, 0.65), (1.34, 0.5, 0.02), "navy", "shelf"),
        box((0, 0, 0.985), (1.4, 0.55, 0.03), "light blue", "top"),
        *(box((x, 0.06, 0.68), (0.22, 0.22, 0.05), "white", "cushion") for x in (-0.48, 0.48)),
        *(plate((x, 0.1, 0.77), 0.13, 0.13, "gold", "ring", Outline.RING, (0.72,)) for x in (-0.48, 0.48)),
        cone((0, 0.02, 0.77), 0.1, 0.22, "black", "bust", top=0.35),
        plate((0, 0.13, 0.78), 0.14, 0.12, "gold", "necklace", Outline.RING, (0.8,)),
    ]


def cake_case() -> Model:
    """Return a bakery case with a slanting front and cakes and pastries on two boards."""
    return [
        box((0, 0, 0.3), (1.4, 0.7, 0.6), FIRST, "base"),
        plate((0, 0.36, 0.32), 1.3, 0.3, "black", "label", material=Material.TEXT, second="white", text="CAKES"),
        box((0, -0.33, 0.98), (1.4, 0.04, 0.76), "white", "back"),
        box((0, -0.12, 1.35), (1.4, 0.46, 0.04), "silver", "top"),
        *(box((x, 0.21, 0.98), (0.03, 0.03, 0.8), "silver", "frame", tilt=18) for x in (-0.685, 0.685)),
        box((0, 0.0, 0.61), (1.36, 0.64, 0.02), "white", "shelf"),
        box((0, -0.08, 0.98), (1.34, 0.42, 0.025), "light blue", "shelf"),
        cylinder((-0.42, 0.08, 0.69), 0.17, 0.14, "brown", "cake"),
        cylinder((-0.42, 0.08, 0.77), 0.172, 0.03, "white", "cake"),
        ball((-0.42, 0.08, 0.81), (0.06, 0.06, 0.06), "red", "cherry"),
        cylinder((0.0, 0.08, 0.69), 0.17, 0.14, "pink", "cake"),
        cylinder((0.42, 0.08, 0.69), 0.17, 0.14, "yellow", "cake"),
        cylinder((0.42, 0.08, 0.77), 0.172, 0.03, "brown", "cake"),
        *(ball((-0.48 + 0.19 * k, -0.04, 1.04), (0.14, 0.16, 0.1), "gold", "pastry") for k in range(3)),
        *(cone((0.14 + 0.18 * k, -0.04, 1.05), 0.075, 0.12, "tan", "cupcake", top=0.7, tilt=180) for k in range(3)),
        *(ball((0.14 + 0.18 * k, -0.04, 1.12), (0.13, 0.13, 0.09), "pink", "cupcake") for k in range(3)),
    ]


def display_table() -> Model:
    """Return a low wooden table with piles of folded clothes."""
    piles: Model = []
    for x, y, colours in (
        (-0.45, 0.14, ("red", "navy", "white")),
        (0.0, 0.14, ("teal", "yellow", "grey")),
        (0.45, 0.14, ("white", "pink", "black")),
    ):
        for k, colour in enumerate(colours):
            piles.append(box((x, y, 0.8 + 0.06 * k), (0.32, 0.26, 0.055), colour, "clothes"))
    return [
        *_legs(0.66, 0.38, 0.72, SECOND, 0.08),
        box((0, 0, 0.745), (1.5, 0.9, 0.05), FIRST, "top"),
        box((0, 0, 0.25), (1.34, 0.76, 0.04), FIRST, "shelf"),
        *piles,
        box((0, -0.24, 0.79), (1.1, 0.3, 0.04), SECOND, "riser"),
        cylinder((0, -0.22, 0.9), 0.012, 0.2, SECOND, "sign"),
        plate((0, -0.2, 1.12), 0.6, 0.26, "white", "sign", material=Material.TEXT, second="red", text="SALE"),
    ]


def tiered_display_table() -> Model:
    """Return three round boards, smaller ones above larger ones, with boxes."""
    return [
        cylinder((0, 0, 0.6), 0.07, 1.2, SECOND, "post"),
        cylinder((0, 0, 0.03), 0.4, 0.06, SECOND, "base"),
        cylinder((0, 0, 0.42), 0.66, 0.05, FIRST, "shelf"),
        cylinder((0, 0, 0.82), 0.46, 0.05, FIRST, "shelf"),
        cylinder((0, 0, 1.22), 0.28, 0.05, FIRST, "top"),
        box((0.4, 0.3, 0.54), (0.2, 0.2, 0.2), "yellow", "goods", yaw=35),
        box((-0.1, 0.5, 0.53), (0.2, 0.2, 0.18), "red", "goods", yaw=10),
        box((-0.48, 0.15, 0.54), (0.2, 0.2, 0.2), "teal", "goods", yaw=-20),
        box((0.1, -0.48, 0.54), (0.2, 0.2, 0.2), "orange", "goods", yaw=20),
        cylinder((0.26, 0.2, 0.94), 0.07, 0.2, "purple", "goods"),
        cylinder((-0.05, 0.32, 0.94), 0.07, 0.2, "green", "goods"),
        cylinder((-0.3, 0.08, 0.94), 0.07, 0.2, "pink", "goods"),
        cylinder((0.08, -0.3, 0.94), 0.07, 0.2, "blue", "goods"),
    ]
