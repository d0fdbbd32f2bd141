"""Goods and their containers: boxes, crates, freezers, vending machines, shoes, magazines; fronts face +y.

All stand on the floor except the price sign, which stands on a table (z = 0).
"""

from __future__ import annotations

from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, ball, box, cone, cylinder, plate, rod
from bearleft.world.render.codes import Material, Outline

TEXT, STRIPES, WOOD = Material.TEXT, Material.STRIPES, Material.WOOD


def cardboard_box() -> Model:
    """Return an open box with its four flaps spread."""
    return [
        box((0, 0, 0.19), (0.56, 0.44, 0.38), FIRST, "box"),
        box((0, 0, 0.375), (0.52, 0.4, 0.02), "brown", "inside"),
        box((0, 0.3, 0.42), (0.54, 0.2, 0.012), FIRST, "flap", tilt=28),
        box((0, -0.28, 0.44), (0.54, 0.2, 0.012), FIRST, "flap", tilt=-45),
        box((0.35, 0, 0.43), (0.2, 0.42, 0.012), FIRST, "flap", roll=-35),
        box((-0.35, 0, 0.43), (0.2, 0.42, 0.012), FIRST, "flap", roll=35),
        plate((0.12, 0.223, 0.22), 0.18, 0.12, "white", "label"),
    ]


def _carton(x: float, y: float, z: float, size: tuple[float, float, float], turn: float = 0.0) -> Model:
    """Return a closed box with tape along its top and down its front."""
    _, depth, height = size
    return [
        box((x, y, z + height / 2), size, FIRST, "box", yaw=turn),
        box((x, y, z + height / 2 + 0.002), (0.07, depth + 0.006, height + 0.004), SECOND, "tape", yaw=turn),
    ]


def stack_of_boxes() -> Model:
    """Return three closed boxes, one on top of two."""
    return [
        *_carton(-0.29, 0, 0, (0.52, 0.42, 0.4)),
        *_carton(0.28, 0.02, 0, (0.5, 0.44, 0.34), 6),
        *_carton(-0.2, 0, 0.404, (0.46, 0.36, 0.3), -12),
        plate((-0.42, 0.216, 0.2), 0.16, 0.14, "white", "label"),
    ]


def _fruit(colour: Colour, part: str, size: float = 0.12) -> Model:
    places = ((-0.17, 0.1), (0.0, 0.11), (0.17, 0.1), (-0.17, -0.06), (0.0, -0.05), (0.17, -0.06))
    top = ((-0.09, 0.03), (0.09, 0.04))
    return [
        *(ball((x, y, 0.25), (size * 1.35, size * 1.3, size * 1.25), colour, part) for x, y in places),
        *(ball((x, y, 0.34), (size * 1.35, size * 1.3, size * 1.25), colour, part) for x, y in top),
    ]


def _crate() -> Model:
    """Return a wooden box of slats, open above."""
    slats: Model = []
    for z in (0.08, 0.21):
        slats += [
            box((0, 0.21, z), (0.58, 0.02, 0.1), "tan", "slat"),
            box((0, -0.21, z), (0.58, 0.02, 0.1), "tan", "slat"),
            box((0.29, 0, z), (0.02, 0.42, 0.1), "tan", "slat"),
            box((-0.29, 0, z), (0.02, 0.42, 0.1), "tan", "slat"),
        ]
    posts = [box((x, y, 0.14), (0.05, 0.05, 0.28), "brown", "post") for x in (-0.26, 0.26) for y in (-0.18, 0.18)]
    return [*slats, *posts, box((0, 0, 0.1), (0.54, 0.38, 0.18), "brown", "inside")]


def fruit_crate() -> Model:
    """Return a crate full of round fruit of the FIRST colour."""
    return [*_crate(), *_fruit(FIRST, "fruit")]


def sloping_fruit_stand() -> Model:
    """Return three trays on a slanting stand, each with a different fruit, and a price."""
    model: Model = []
    fruits: tuple[tuple[float, Colour], ...] = ((-0.5, FIRST), (0.0, SECOND), (0.5, "orange"))
    for x, colour in fruits:
        model.append(box((x, 0, 0.62), (0.46, 0.66, 0.12), "tan", "crate", tilt=-22, material=WOOD, pattern=(0.06,)))
        for k in range(4):
            i, j = (k % 2 - 0.5) * 0.2, (k // 2 - 0.5) * 0.28
            model.append(ball((x + i, j, 0.69 - 0.4 * j), (0.2, 0.2, 0.18), colour, "fruit"))
        model.append(plate((x, 0.34, 0.56), 0.24, 0.14, "white", "price", material=TEXT, second="black", text="2.99"))
    return [
        *model,
        *(box((x, 0.2, 0.22), (0.06, 0.06, 0.44), "brown", "leg") for x in (-0.66, 0.66)),
        *(box((x, -0.24, 0.32), (0.06, 0.06, 0.64), "brown", "leg") for x in (-0.66, 0.66)),
        box((0, 0, 0.5), (1.5, 0.6, 0.04), "brown", "board", tilt=-22),
    ]


def freezer() -> Model:
    """Return a chest with sliding panes on top and ICE CREAM on its front."""
    return [
        box((0, 0, 0.06), (1.3, 0.6, 0.12), "dark grey", "base"),
        box((0, 0, 0.46), (1.36, 0.68, 0.72), FIRST, "body"),
        plate((0, 0.345, 0.5), 1.2, 0.3, FIRST, "sign", material=TEXT, second="navy", text="ICE CREAM"),
        box((0, 0, 0.84), (1.4, 0.72, 0.06), "silver", "frame"),
        box((0.33, 0, 0.872), (0.62, 0.6, 0.02), "light blue", "lid", material=Material.GLASS),
        box((-0.33, 0, 0.878), (0.62, 0.6, 0.02), "light blue", "lid", material=Material.GLASS),
        box((0.58, 0, 0.89), (0.04, 0.3, 0.03), "black", "handle"),
        box((-0.08, 0, 0.9), (0.04, 0.3, 0.03), "black", "handle"),
        plate((0.52, 0.35, 0.2), 0.16, 0.14, "dark grey", "vent", Outline.LATTICE, (1, 5, 0.5)),
    ]


def upright_freezer() -> Model:
    """Return two tall doors with windows, frozen goods behind them, FROZEN above."""
    windows: Model = []
    for x in (-0.34, 0.34):
        windows += [
            box((x, 0.33, 0.96), (0.64, 0.05, 1.5), "dark grey", "door"),
            plate(
                (x, 0.36, 0.98),
                0.52,
                1.34,
                "light blue",
                "window",
                material=Material.BANDS,
                second="white",
                pattern=(0.27,),
            ),
            box((x * 0.22, 0.38, 1.0), (0.03, 0.05, 0.6), "silver", "handle"),
        ]
        for k, colour in enumerate(("red", "green", "yellow", "blue")):
            z = 0.42 + 0.3 * k
            windows.append(
                plate((x, 0.365, z), 0.44, 0.16, colour, "goods", material=STRIPES, second="white", pattern=(0.11,))
            )
    return [
        box((0, 0, 1.0), (1.4, 0.64, 2.0), FIRST, "body"),
        box((0, 0.02, 0.06), (1.42, 0.66, 0.12), "black", "base"),
        *windows,
        plate((0, 0.335, 1.86), 1.2, 0.22, FIRST, "sign", material=TEXT, second="navy", text="FROZEN"),
    ]


def _machine() -> Model:
    """Return the case of a vending machine with its keypad and delivery flap."""
    return [
        box((0, 0, 0.05), (0.9, 0.7, 0.1), "black", "base"),
        box((0, 0, 0.97), (0.95, 0.76, 1.74), FIRST, "body"),
        plate((0.1, 0.39, 1.12), 0.66, 1.1, "black", "window"),
        plate((-0.34, 0.39, 1.36), 0.16, 0.1, "black", "display", material=TEXT, second="green", text="1.50"),
        plate((-0.34, 0.39, 1.16), 0.14, 0.2, "silver", "keys", Outline.LATTICE, (3, 4, 0.72)),
        plate((-0.34, 0.39, 0.94), 0.05, 0.12, "black", "slot"),
        box((0.1, 0.39, 0.36), (0.6, 0.03, 0.2), "dark grey", "flap"),
    ]


def vending_machine() -> Model:
    """Return a snack machine: rows of bright bags behind the pane."""
    rows: Model = []
    for z, first, second in ((0.74, "red", "yellow"), (1.0, "orange", "blue"), (1.26, "green", "pink")):
        rows.append(plate((0.1, 0.4, z - 0.09), 0.64, 0.02, "silver", "shelf"))
        rows += [plate((-0.11 + 0.14 * k, 0.405, z), 0.11, 0.16, (first, second)[k % 2], "snack") for k in range(4)]
    return [
        *_machine(),
        *rows,
        plate((0, 0.39, 1.75), 0.85, 0.12, FIRST, "sign", material=TEXT, second="white", text="SNACKS"),
    ]


def drinks_machine() -> Model:
    """Return a drinks machine: bottles and cans behind the pane, DRINKS above."""
    colours = ("red", "green", "orange", "light blue")
    places = [(-0.12 + 0.145 * k, colour) for k, colour in enumerate(colours)]
    return [
        *_machine(),
        *(plate((0.1, 0.4, z), 0.64, 0.02, "silver", "shelf") for z in (0.67, 1.09)),
        *(cylinder((x, 0.39, 0.79), 0.055, 0.22, colour, "can") for x, colour in places),
        *(cylinder((x, 0.39, 1.22), 0.05, 0.24, colour, "bottle") for x, colour in reversed(places)),
        *(cylinder((x, 0.39, 1.38), 0.022, 0.08, "white", "bottle") for x, _ in places),
        plate((0, 0.39, 1.75), 0.85, 0.12, FIRST, "sign", material=TEXT, second="white", text="DRINKS"),
    ]


def _shoe(x: float, y: float, z: float, colour: Colour) -> Model:
    return [
        box((x, y + 0.02, z + 0.015), (0.11, 0.3, 0.03), "white", "shoe"),
        ball((x, y + 0.07, z + 0.04), (0.11, 0.2, 0.09), colour, "shoe"),
        box((x, y - 0.06, z + 0.07), (0.1, 0.13, 0.1), colour, "shoe"),
    ]


def shoe_rack() -> Model:
    """Return three slanting boards with pairs of shoes, their toes ahead."""
    shoes: Model = []
    colours: tuple[Colour, ...] = (FIRST, SECOND, FIRST)
    for z, colour in zip((0.16, 0.5, 0.84), colours, strict=True):
        for x in (-0.24, -0.1) if z != 0.5 else (0.1, 0.24):
            shoes += _shoe(x, 0.02, z, colour)
    return [
        *shoes,
        *(box((0, 0, z - 0.02), (0.8, 0.36, 0.03), "tan", "shelf") for z in (0.16, 0.5, 0.84)),
        *(box((x, 0, 0.5), (0.04, 0.36, 1.0), "tan", "side") for x in (-0.42, 0.42)),
    ]


def boot_shelf() -> Model:
    """Return a step of boards with tall boots and low shoes."""
    boots: Model = []
    for x in (-0.32, -0.16):
        boots += [
            cylinder((x, -0.06, 0.5 + 0.17), 0.055, 0.34, FIRST, "boot"),
            box((x, 0.0, 0.54), (0.1, 0.26, 0.08), FIRST, "boot"),
            box((x, 0.0, 0.51), (0.11, 0.27, 0.02), "black", "boot"),
        ]
    return [
        *boots,
        *_shoe(0.16, -0.02, 0.5, SECOND),
        *_shoe(0.32, -0.02, 0.5, SECOND),
        box((0, 0, 0.48), (0.96, 0.4, 0.04), "white", "shelf"),
        box((0, 0.02, 0.02), (0.96, 0.44, 0.04), "white", "shelf"),
        *(box((x, 0, 0.25), (0.04, 0.4, 0.5), "white", "side") for x in (-0.46, 0.46)),
        box((-0.2, 0.04, 0.1), (0.34, 0.26, 0.12), "orange", "box"),
        box((0.22, 0.04, 0.1), (0.34, 0.26, 0.12), "tan", "box"),
        box((-0.18, 0.04, 0.22), (0.34, 0.26, 0.12), "navy", "box"),
    ]


def price_sign() -> Model:
    """Return a card in a small foot with a price."""
    return [
        box((0, 0, 0.012), (0.2, 0.1, 0.024), "black", "foot"),
        cylinder((0, 0, 0.09), 0.01, 0.16, "silver", "post"),
        box((0, 0, 0.25), (0.3, 0.014, 0.2), FIRST, "card"),
        plate((0, 0.01, 0.25), 0.28, 0.14, FIRST, "price", material=TEXT, second="black", text="9.99"),
    ]


def sale_sign() -> Model:
    """Return a round card with SALE on it."""
    return [
        cylinder((0, 0, 0.012), 0.08, 0.024, "black", "foot"),
        cylinder((0, 0, 0.09), 0.01, 0.16, "silver", "post"),
        cylinder((0, 0, 0.29), 0.15, 0.014, "red", "card", tilt=90),
        plate((0, 0.012, 0.32), 0.25, 0.09, "red", "price", material=TEXT, second="white", text="SALE"),
        plate((0, 0.012, 0.24), 0.17, 0.06, FIRST, "price", material=TEXT, second="black", text="- 50"),
    ]


def magazine_rack() -> Model:
    """Return wooden steps of magazines with their covers ahead."""
    covers: Model = []
    colours = (("red", "yellow", "light blue"), ("pink", "white", "green"), ("orange", "navy", "purple"))
    for k, row in enumerate(colours):
        y, z = 0.16 - 0.14 * k, 0.38 + 0.36 * k
        covers += [
            box((-0.3 + 0.3 * i, y, z), (0.24, 0.02, 0.32), colour, "magazine", tilt=12) for i, colour in enumerate(row)
        ]
        covers.append(box((0, y + 0.03, z - 0.15), (0.98, 0.12, 0.12), FIRST, "shelf"))
    titles = [
        plate(
            (-0.3 + 0.3 * i, 0.162 - 0.14 * k, 0.48 + 0.36 * k),
            0.2,
            0.07,
            "black",
            "title",
            tilt=12,
            material=TEXT,
            second="white",
            text=text,
        )
        for k, i, text in ((0, 0, "STYLE"), (0, 2, "HOME"), (1, 1, "NEWS"), (2, 0, "FOOD"), (2, 2, "CARS"))
    ]
    return [
        *covers,
        *titles,
        *(box((x, 0.0, 0.62), (0.03, 0.5, 1.24), FIRST, "side") for x in (-0.5, 0.5)),
        box((0, -0.23, 0.62), (1.0, 0.03, 1.24), FIRST, "back"),
    ]


def magazine_stand() -> Model:
    """Return a revolving stand with pockets of magazines on four sides."""
    sides: Model = []
    colours = (("red", "yellow"), ("teal", "pink"), ("navy", "orange"), ("green", "white"))
    for (dx, dy, turn), pair in zip(((0, 1, 0), (1, 0, 90), (0, -1, 180), (-1, 0, 270)), colours, strict=True):
        for z, colour in zip((0.7, 1.2), pair, strict=True):
            sides.append(box((0.18 * dx, 0.18 * dy, z), (0.32, 0.02, 0.42), colour, "magazine", yaw=turn))
        sides += [box((0.2 * dx, 0.2 * dy, z), (0.38, 0.05, 0.1), FIRST, "pocket", yaw=turn) for z in (0.5, 1.0)]
    return [
        *sides,
        cylinder((0, 0, 0.02), 0.26, 0.04, FIRST, "base"),
        cylinder((0, 0, 0.75), 0.025, 1.5, FIRST, "post"),
        rod((0, 0, 1.5), (0, 0, 1.56), 0.012, FIRST, "post"),
        box((0, 0, 1.64), (0.44, 0.02, 0.16), "white", "sign", material=TEXT, second="black", text="PRESS"),
        cone((0, 0, 1.74), 0.03, 0.04, FIRST, "post"),
    ]
