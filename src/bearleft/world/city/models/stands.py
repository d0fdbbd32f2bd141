"""Newsstand, fruit stand, cash machine, food truck and garage entrance; also pigeons."""

from __future__ import annotations

from typing import Any

from bearleft.world.city.models.vehicle_parts import ends, mirrors, wheels
from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, ball, box, cylinder, plate, rod, taper
from bearleft.world.render.codes import Material, Outline

TEXT = Material.TEXT


def newsstand() -> Model:
    """Return a kiosk with a wide opening, rows of papers and magazines, and NEWS above."""
    covers = ("red", "yellow", "light blue", "pink", "white", "orange")
    papers = [
        box((-1.0 + 0.4 * k, 0.86, 0.62), (0.32, 0.05, 0.42), covers[k % 6], "magazines", tilt=-18) for k in range(6)
    ]
    return [
        box((0, -0.05, 1.25), (2.8, 1.4, 2.5), FIRST, "kiosk", material=Material.PANELS, pattern=(0.7,)),
        box((0, 0.62, 1.55), (2.3, 0.1, 0.9), "black", "opening"),
        box((0, 0.78, 1.08), (2.6, 0.34, 0.06), "silver", "counter"),
        box((0, 0.72, 0.6), (2.6, 0.2, 0.8), "dark grey", "rack"),
        *papers,
        *(box((x, 0.7, 1.55), (0.5, 0.04, 0.6), colour, "magazines") for x, colour in ((-0.8, "teal"), (0.8, "red"))),
        box((0, 0.25, 2.58), (3.1, 2.2, 0.14), FIRST, "roof"),
        box((0, 1.3, 2.62), (3.0, 0.1, 0.46), FIRST, "sign", material=TEXT, second=SECOND, text="NEWS"),
        ball((0, 0.66, 1.6), (0.24, 0.2, 0.3), "skin", "seller"),
    ]


def fruit_stand() -> Model:
    """Return slanting crates of fruit and vegetables on two steps under an umbrella."""
    wares: tuple[Colour, ...] = ("orange", "red", "yellow", "green", "purple", "red", "green", "orange")
    model: Model = [
        box((0, -0.25, 0.42), (2.6, 0.7, 0.84), "brown", "table", material=Material.WOOD, pattern=(0.14,)),
        box((0, 0.3, 0.25), (2.6, 0.6, 0.5), "brown", "table", material=Material.WOOD, pattern=(0.14,)),
        cylinder((0, -0.5, 1.4), 0.03, 2.6, "silver", "pole"),
        taper(
            (0, -0.1, 2.75),
            (2.9, 1.8, 0.5),
            FIRST,
            "umbrella",
            x=0.9,
            front=0.9,
            back=0.9,
            material=Material.STRIPES,
            second=SECOND,
            pattern=(0.36,),
        ),
    ]
    for k, colour in enumerate(wares):
        x, row = -0.96 + 0.64 * (k % 4), k // 4
        at = (x, 0.3 - 0.55 * row, 0.56 + 0.34 * row)
        model += [
            box(at, (0.58, 0.5, 0.14), "tan", "crate", tilt=-14),
            ball((x, at[1], at[2] + 0.08), (0.52, 0.46, 0.26), colour, "fruit", material=Material.FOLIAGE),
        ]
    return [*model, plate((0, 0.61, 0.3), 0.9, 0.24, "white", "price", material=TEXT, second="red", text="2 FOR $3")]


def cash_machine() -> Model:
    """Return a screen, keys and slots in a coloured panel on the wall, with ATM in lit letters above."""
    return [
        box((0, 0.1, 1.2), (1.1, 0.2, 2.4), FIRST, "body"),
        box((0, 0.15, 2.16), (1.1, 0.24, 0.44), SECOND, "sign", material=TEXT, second=FIRST, text="ATM"),
        box((0, 0.2, 1.2), (0.9, 0.1, 1.1), "silver", "panel"),
        plate((-0.12, 0.27, 1.48), 0.46, 0.34, "light blue", "screen", material=Material.GLOW),
        plate((-0.12, 0.27, 1.1), 0.3, 0.24, "dark grey", "keys", Outline.LATTICE, (3.0, 4.0, 0.6)),
        plate((0.28, 0.27, 1.5), 0.18, 0.05, "black", "slot"),
        plate((0.28, 0.27, 1.2), 0.22, 0.1, "green", "slot"),
        box((0, 0.26, 0.86), (0.6, 0.1, 0.06), "black", "slot"),
    ]


def food_truck() -> Model:
    """Return a tall van with a serving window and an awning on its right, its name on the side and on the roof."""
    return [
        box((0, -0.6, 1.62), (2.2, 5.0, 2.2), FIRST, "body"),
        taper((0, 2.45, 1.0), (2.1, 1.2, 0.95), FIRST, "hood", front=0.3),
        taper((0, 2.2, 1.95), (2.05, 0.9, 1.0), "dark grey", "windshield", front=0.9, material=Material.GLASS),
        box((1.1, -0.7, 1.75), (0.06, 2.7, 0.9), "black", "window"),
        box((1.25, -0.7, 1.27), (0.4, 2.8, 0.05), "silver", "counter"),
        box(
            (1.5, -0.7, 2.42),
            (0.95, 2.9, 0.05),
            SECOND,
            "awning",
            roll=18,
            material=Material.STRIPES,
            second=FIRST,
            pattern=(0.3,),
        ),
        box((0, -0.6, 1.0), (4.4, 2.24, 0.34), FIRST, "side", yaw=90, material=TEXT, second=SECOND),
        box((-1.08, -0.6, 1.95), (0.1, 3.6, 0.9), SECOND, "menu", material=Material.MURAL, second=FIRST),
        box((0.3, -0.6, 2.95), (3.4, 0.14, 0.5), SECOND, "sign", yaw=90, material=TEXT, second=FIRST),
        cylinder((-0.5, -2.2, 2.95), 0.14, 0.5, "silver", "chimney"),
        box((0, -0.2, 0.5), (1.8, 5.6, 0.25), "rubber", "underside"),
        mirrors(2.3, 1.65, 2.5, "black"),
        *ends(3.05, -3.1, 2.1, 0.9, 1.2, 0.5, 0.2),
        *wheels(2.2, -1.9, 0.42, 2.14),
    ]


def garage_entrance() -> Model:
    """Return the entrance of a parking garage: a dark opening, a striped bar, PARKING above, a round P beside."""
    stripes: dict[str, Any] = {"material": Material.DIAGONAL, "second": "yellow", "pattern": (0.25,)}
    return [
        box((0, 0.02, 1.6), (5.0, 0.1, 3.2), "black", "opening"),
        *(box((x, 0.12, 1.6), (0.45, 0.26, 3.2), "black", "post", **stripes) for x in (-2.7, 2.7)),
        box((0, 0.14, 3.5), (6.0, 0.3, 0.75), FIRST, "sign", material=TEXT, second=SECOND, text="PARKING"),
        box((-1.9, 0.35, 0.5), (0.36, 0.36, 1.0), "yellow", "bar"),
        box(
            (0.25, 0.36, 0.95),
            (4.2, 0.08, 0.14),
            "red",
            "bar",
            material=Material.STRIPES,
            second="white",
            pattern=(0.35,),
        ),
        box(
            (0, 0.06, 2.75),
            (4.6, 0.12, 0.22),
            "yellow",
            "clearance sign",
            material=TEXT,
            second="black",
            text="CLEARANCE 6-8",
        ),
        box((0, 0.1, 0.03), (5.0, 0.3, 0.06), "concrete", "ramp"),
        cylinder((2.7, 0.45, 4.35), 0.45, 0.12, FIRST, "round sign", tilt=90),
        plate((2.7, 0.53, 4.35), 0.5, 0.62, FIRST, "round sign", material=TEXT, second=SECOND, text="P"),
        rod((2.7, 0.0, 4.35), (2.7, 0.4, 4.35), 0.05, "black", "round sign"),
    ]


def _pigeon(x: float, y: float, turn: float, pecks: bool = False) -> Model:
    """Return a pigeon that faces +x (`turn` 1) or -x (`turn` -1)."""
    head = (x + 0.16 * turn, y, 0.13 if pecks else 0.3)
    return [
        ball((x, y, 0.19), (0.36, 0.18, 0.18), FIRST, "body", roll=(12 if pecks else -20) * turn),
        ball(head, (0.11, 0.1, 0.15), "dark grey", "head"),
        box((head[0] + 0.07 * turn, y, head[2]), (0.07, 0.03, 0.025), "orange", "beak"),
        box((x - 0.2 * turn, y, 0.15), (0.22, 0.09, 0.03), "dark grey", "tail", roll=18 * turn),
        *(cylinder((x, y + side, 0.06), 0.012, 0.12, "red", "legs") for side in (-0.04, 0.04)),
    ]


def pigeons() -> Model:
    """Return four pigeons; two peck at the ground."""
    flock = ((-0.5, 0.1, 1, False), (0.05, 0.38, -1, True), (0.5, -0.02, -1, False), (-0.1, -0.32, 1, True))
    return [solid for pigeon in flock for solid in _pigeon(*pigeon)]
