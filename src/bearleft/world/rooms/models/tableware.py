"""Tableware, slightly larger than life so that it is visible from a distance. z = 0 is the table's surface."""

from __future__ import annotations

from typing import Any

from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, ball, box, cone, cylinder, plate, rod, taper
from bearleft.world.render.codes import Material, Outline

TEXT, GLASS = Material.TEXT, Material.GLASS


def _dish(x: float = 0.0, radius: float = 0.165, rim: Colour = SECOND) -> Model:
    """Return a plate with a rim of another colour."""
    return [
        cone((x, 0, 0.012), radius, 0.024, FIRST, "plate", top=0.6, tilt=180),
        cylinder((x, 0, 0.0245), radius * 0.985, 0.004, rim, "rim"),
        cylinder((x, 0, 0.0265), radius * 0.9, 0.004, FIRST, "plate"),
        cylinder((x, 0, 0.0275), radius * 0.62, 0.004, "silver", "plate"),
        cylinder((x, 0, 0.0285), radius * 0.6, 0.004, FIRST, "plate"),
    ]


def dinner_plate() -> Model:
    """Return an empty plate between a fork and a knife."""
    tines = [box((0.215 + 0.014 * k, 0.07, 0.012), (0.007, 0.07, 0.006), "steel", "fork") for k in range(3)]
    return [
        *_dish(),
        *tines,
        box((0.229, 0.03, 0.012), (0.036, 0.03, 0.006), "steel", "fork"),
        box((0.229, -0.055, 0.012), (0.014, 0.15, 0.008), "steel", "fork"),
        box((-0.225, -0.07, 0.012), (0.018, 0.12, 0.01), "steel", "knife"),
        box((-0.222, 0.05, 0.012), (0.026, 0.14, 0.006), "steel", "knife"),
    ]


def plate_of_food() -> Model:
    """Return a plate with steak, potatoes and peas."""
    peas = [
        ball((0.05 + 0.028 * (k % 3), 0.05 + 0.026 * (k // 3), 0.045), (0.03, 0.03, 0.03), "leaf", "peas")
        for k in range(6)
    ]
    return [
        *_dish(),
        ball((-0.04, 0.03, 0.042), (0.15, 0.11, 0.04), "brown", "steak"),
        *peas,
        ball((0.07, -0.05, 0.05), (0.07, 0.06, 0.05), "yellow", "potato"),
        ball((0.0, -0.08, 0.05), (0.07, 0.05, 0.05), "yellow", "potato"),
    ]


def plate_of_pizza() -> Model:
    """Return a pizza with tomato and basil on a plate."""
    spots = ((0.05, 0.05), (-0.06, 0.04), (0.0, -0.07), (0.08, -0.04), (-0.09, -0.04), (-0.01, 0.1))
    leaves = ((0.0, 0.0), (0.1, 0.03), (-0.04, -0.03))
    return [
        *_dish(0, 0.19),
        cylinder((0, 0, 0.04), 0.16, 0.022, "gold", "crust"),
        cylinder((0, 0, 0.043), 0.14, 0.022, "yellow", "pizza"),
        *(cylinder((x, y, 0.046), 0.026, 0.024, "red", "tomato") for x, y in spots),
        *(ball((x, y, 0.06), (0.04, 0.026, 0.01), "leaf", "basil") for x, y in leaves),
    ]


def _bowl(radius: float = 0.125, height: float = 0.11) -> Model:
    return [
        cylinder((0, 0, 0.008), radius * 0.5, 0.016, FIRST, "foot"),
        cone((0, 0, height / 2 + 0.008), radius, height - 0.016, FIRST, "bowl", top=0.5, tilt=180),
        cylinder((0, 0, height - 0.005), radius * 1.03, 0.014, SECOND, "rim"),
    ]


def soup_bowl() -> Model:
    """Return a bowl of soup with a spoon."""
    return [
        *_bowl(),
        cylinder((0, 0, 0.1085), 0.11, 0.014, "orange", "soup"),
        rod((-0.02, 0, 0.1), (0.17, 0.06, 0.2), 0.009, "steel", "spoon"),
        ball((-0.02, 0.0, 0.12), (0.06, 0.04, 0.016), "steel", "spoon", roll=-20),
        ball((-0.05, 0.04, 0.115), (0.03, 0.02, 0.01), "leaf", "herbs"),
        ball((0.03, -0.05, 0.115), (0.03, 0.02, 0.01), "leaf", "herbs"),
    ]


def rice_bowl() -> Model:
    """Return a bowl of rice with two chopsticks across it."""
    return [
        *_bowl(),
        ball((0, 0, 0.115), (0.22, 0.22, 0.1), "white", "rice"),
        rod((-0.16, 0.0, 0.168), (0.18, 0.06, 0.172), 0.006, "brown", "chopsticks"),
        rod((-0.16, 0.04, 0.168), (0.18, 0.075, 0.172), 0.006, "brown", "chopsticks"),
    ]


def salad_bowl() -> Model:
    """Return a wide bowl of leaves and tomatoes."""
    return [
        *_bowl(0.17, 0.12),
        ball((0, 0, 0.12), (0.3, 0.3, 0.09), "grass", "salad", material=Material.FOLIAGE),
        ball((-0.06, 0.05, 0.15), (0.1, 0.08, 0.07), "leaf", "salad", material=Material.FOLIAGE),
        ball((0.07, 0.02, 0.16), (0.055, 0.055, 0.055), "red", "tomato"),
        ball((-0.01, 0.09, 0.155), (0.055, 0.055, 0.055), "red", "tomato"),
        ball((-0.04, -0.06, 0.16), (0.055, 0.055, 0.055), "red", "tomato"),
        cylinder((0.03, -0.07, 0.158), 0.035, 0.012, "white", "cucumber", tilt=20),
    ]


def coffee_cup() -> Model:
    """Return a cup of coffee on a saucer."""
    return [
        cylinder((0, 0, 0.006), 0.06, 0.012, FIRST, "saucer"),
        cone((0, 0, 0.014), 0.105, 0.014, FIRST, "saucer", top=0.6, tilt=180),
        cylinder((0, 0, 0.03), 0.035, 0.02, FIRST, "cup"),
        cone((0, 0, 0.078), 0.066, 0.082, FIRST, "cup", top=0.62, tilt=180),
        cylinder((0, 0, 0.1165), 0.057, 0.008, "brown", "coffee"),
        plate((-0.074, 0, 0.082), 0.062, 0.056, FIRST, "handle", Outline.RING, (0.62,)),
        plate((-0.074, 0.004, 0.082), 0.062, 0.056, FIRST, "handle", Outline.RING, (0.62,)),
        rod((0.03, 0.085, 0.026), (0.1, 0.03, 0.026), 0.006, "steel", "spoon"),
    ]


def mug() -> Model:
    """Return a tall mug with a band and a large handle."""
    return [
        cylinder((0, 0, 0.065), 0.055, 0.13, FIRST, "cup"),
        cylinder((0, 0, 0.08), 0.0565, 0.035, SECOND, "band"),
        cylinder((0, 0, 0.128), 0.047, 0.008, "brown", "coffee"),
        *(plate((-0.062, y, 0.068), 0.075, 0.08, FIRST, "handle", Outline.RING, (0.65,)) for y in (-0.006, 0.0, 0.006)),
    ]


def paper_cup() -> Model:
    """Return a takeaway cup with a lid and a sleeve."""
    return [
        cone((0, 0, 0.08), 0.058, 0.16, "white", "cup", top=0.7, tilt=180),
        cone((0, 0, 0.08), 0.056, 0.07, FIRST, "sleeve", top=0.86, tilt=180),
        cylinder((0, 0, 0.165), 0.062, 0.014, "black", "lid"),
        cone((0, 0, 0.178), 0.054, 0.016, "black", "lid", top=0.85),
    ]


def _stem(height: float) -> Model:
    return [
        cylinder((0, 0, 0.004), 0.05, 0.008, "silver", "foot"),
        cone((0, 0, 0.014), 0.03, 0.014, "silver", "foot", top=0.2),
        cylinder((0, 0, height / 2), 0.0065, height, "silver", "stem"),
    ]


def wine_glass() -> Model:
    """Return a round glass half full of wine."""
    return [
        *_stem(0.14),
        ball((0, 0, 0.19), (0.12, 0.12, 0.12), FIRST, "wine"),
        cone((0, 0, 0.225), 0.0585, 0.07, "light blue", "glass", top=0.8, material=GLASS),
        cylinder((0, 0, 0.259), 0.042, 0.005, "white", "rim"),
    ]


def champagne_glass() -> Model:
    """Return a tall, narrow glass."""
    return [
        *_stem(0.12),
        cone((0, 0, 0.185), 0.038, 0.13, FIRST, "wine", top=0.3, tilt=180),
        cylinder((0, 0, 0.277), 0.038, 0.055, "light blue", "glass", material=GLASS),
        cylinder((0, 0, 0.304), 0.033, 0.005, "white", "rim"),
    ]


def cocktail_glass() -> Model:
    """Return a wide cone with a drink, an olive on a stick."""
    return [
        *_stem(0.14),
        cone((0, 0, 0.175), 0.07, 0.09, FIRST, "drink", top=0.06, tilt=180),
        cone((0, 0, 0.236), 0.094, 0.032, "light blue", "glass", top=0.76, tilt=180, material=GLASS),
        cylinder((0, 0, 0.25), 0.082, 0.006, FIRST, "drink"),
        rod((0.0, 0.02, 0.24), (0.09, 0.0, 0.3), 0.004, "tan", "stick"),
        ball((0.03, 0.012, 0.262), (0.03, 0.03, 0.03), "grass", "olive"),
    ]


def wine_bottle() -> Model:
    """Return a bottle with straight sides, round shoulders, a long neck with foil, and a label."""
    return [
        cylinder((0, 0, 0.115), 0.048, 0.23, FIRST, "bottle"),
        ball((0, 0, 0.23), (0.096, 0.096, 0.09), FIRST, "bottle"),
        cylinder((0, 0, 0.31), 0.017, 0.12, FIRST, "neck"),
        cylinder((0, 0, 0.345), 0.019, 0.06, SECOND, "cap"),
        cylinder((0, 0, 0.125), 0.0487, 0.11, "cream", "label"),
        cylinder((0, 0, 0.15), 0.0492, 0.02, SECOND, "label"),
    ]


def beer_bottle() -> Model:
    """Return a short bottle with a sloping neck and a crown cap."""
    return [
        cylinder((0, 0, 0.085), 0.042, 0.17, FIRST, "bottle"),
        cone((0, 0, 0.21), 0.042, 0.08, FIRST, "neck", top=0.4),
        cylinder((0, 0, 0.27), 0.017, 0.05, FIRST, "neck"),
        cylinder((0, 0, 0.297), 0.021, 0.014, SECOND, "cap"),
        plate((0, 0.044, 0.09), 0.07, 0.09, "cream", "label", Outline.DISC),
        plate((0, 0.046, 0.09), 0.05, 0.065, SECOND, "label", Outline.DISC),
        cylinder((0, 0, 0.235), 0.031, 0.02, "cream", "label"),
    ]


def sauce_bottle() -> Model:
    """Return a squat plastic bottle with a pointed cap."""
    return [
        cylinder((0, 0, 0.1), 0.05, 0.2, FIRST, "bottle"),
        cone((0, 0, 0.215), 0.05, 0.04, FIRST, "bottle", top=0.6),
        cylinder((0, 0, 0.24), 0.032, 0.03, "white", "cap"),
        cone((0, 0, 0.285), 0.022, 0.07, "white", "cap", top=0.25),
        plate((0, 0.053, 0.11), 0.07, 0.09, "white", "label"),
    ]


def teapot() -> Model:
    """Return a round teapot with a spout, a lid and a handle."""
    return [
        cylinder((0, 0, 0.012), 0.075, 0.024, FIRST, "foot"),
        ball((0, 0, 0.1), (0.25, 0.25, 0.18), FIRST, "pot"),
        cylinder((0, 0, 0.105), 0.1262, 0.022, SECOND, "band"),
        cone((0, 0, 0.19), 0.07, 0.03, FIRST, "lid", top=0.5),
        ball((0, 0, 0.222), (0.04, 0.04, 0.045), SECOND, "knob"),
        rod((-0.1, 0, 0.08), (-0.155, 0, 0.12), 0.03, FIRST, "spout"),
        rod((-0.15, 0, 0.11), (-0.2, 0, 0.195), 0.02, FIRST, "spout"),
        *(plate((0.145, y, 0.11), 0.13, 0.13, FIRST, "handle", Outline.RING, (0.72,)) for y in (-0.008, 0, 0.008)),
    ]


def tall_teapot() -> Model:
    """Return a tall metal pot with a curved spout and a black handle."""
    return [
        cone((0, 0, 0.12), 0.11, 0.24, FIRST, "pot", top=0.62),
        cylinder((0, 0, 0.245), 0.074, 0.02, SECOND, "lid"),
        cone((0, 0, 0.27), 0.06, 0.03, FIRST, "lid", top=0.3),
        ball((0, 0, 0.3), (0.04, 0.04, 0.04), "black", "knob"),
        rod((-0.09, 0, 0.06), (-0.15, 0, 0.12), 0.02, FIRST, "spout"),
        rod((-0.15, 0, 0.115), (-0.18, 0, 0.24), 0.015, FIRST, "spout"),
        rod((0.07, 0, 0.22), (0.15, 0, 0.21), 0.014, "black", "handle"),
        rod((0.15, 0, 0.215), (0.14, 0, 0.07), 0.014, "black", "handle"),
        rod((0.09, 0, 0.06), (0.145, 0, 0.075), 0.014, "black", "handle"),
    ]


def standing_menu() -> Model:
    """Return a folded card that stands up, with MENU on both sides."""
    sign: dict[str, Any] = {"material": TEXT, "second": "white", "text": "MENU", "pattern": (0.8,)}
    lines: dict[str, Any] = {"material": Material.BANDS, "second": FIRST, "pattern": (0.016,)}
    return [
        box((0, 0.045, 0.13), (0.2, 0.006, 0.27), FIRST, "page", tilt=18),
        box((0, -0.045, 0.13), (0.2, 0.006, 0.27), FIRST, "page", tilt=-18),
        plate((0, 0.042, 0.205), 0.18, 0.07, FIRST, "title", tilt=18, **sign),
        plate((0, 0.071, 0.1), 0.15, 0.12, "white", "text", tilt=18, **lines),
        plate((0, -0.042, 0.205), 0.18, 0.07, FIRST, "title", tilt=-18, **sign),
    ]


def menu_book() -> Model:
    """Return a leather cover with MENU in gold, on a small stand."""
    return [
        box((0, -0.07, 0.09), (0.1, 0.012, 0.19), "brown", "stand", tilt=-28),
        box((0, 0.04, 0.012), (0.24, 0.03, 0.024), "brown", "stand"),
        box((0, 0.0, 0.17), (0.24, 0.02, 0.32), FIRST, "cover", tilt=15),
        plate((0, 0.005, 0.21), 0.2, 0.08, FIRST, "title", tilt=15, material=TEXT, second="gold", text="MENU"),
        plate((0, 0.035, 0.1), 0.12, 0.05, "gold", "ornament", Outline.DIAMOND, tilt=15),
    ]


def napkin_holder() -> Model:
    """Return a chrome dispenser with a protruding napkin."""
    return [
        box((0, 0, 0.1), (0.16, 0.13, 0.2), FIRST, "holder"),
        box((0, 0, 0.207), (0.17, 0.14, 0.014), FIRST, "holder"),
        box((0, 0, 0.008), (0.18, 0.15, 0.016), "black", "base"),
        plate((0, 0.067, 0.11), 0.1, 0.13, "black", "opening"),
        box((0, 0.075, 0.1), (0.085, 0.02, 0.12), "white", "napkin", tilt=-8),
        box((0.01, 0.1, 0.06), (0.08, 0.012, 0.09), "white", "napkin", tilt=30),
    ]


def wooden_napkin_holder() -> Model:
    """Return two arched boards with a fan of napkins between them."""
    fan = [box((0, -0.03 + 0.02 * k, 0.115), (0.2, 0.012, 0.17), "white", "napkin", roll=6 * (k - 1)) for k in range(4)]
    return [
        *fan,
        box((0, 0, 0.012), (0.2, 0.12, 0.024), FIRST, "base"),
        *(plate((0, y, 0.08), 0.18, 0.14, FIRST, "side", Outline.ARCH) for y in (-0.058, -0.05, 0.05, 0.058)),
    ]


def fruit_bowl() -> Model:
    """Return a wide bowl of apples, oranges, a lemon and bananas."""
    bananas = [
        rod((-0.14 + 0.09 * k, 0.07, 0.17 + dz), (-0.05 + 0.09 * k, 0.07, 0.17 + end), 0.026, "yellow", "banana")
        for k, (dz, end) in enumerate(((0.05, 0.0), (0.0, 0.0), (0.0, 0.05)))
    ]
    return [
        cylinder((0, 0, 0.012), 0.09, 0.024, FIRST, "foot"),
        cone((0, 0, 0.07), 0.21, 0.1, FIRST, "bowl", top=0.5, tilt=180),
        cylinder((0, 0, 0.12), 0.218, 0.018, SECOND, "rim"),
        ball((-0.1, -0.04, 0.165), (0.12, 0.12, 0.11), "red", "apple"),
        ball((0.02, -0.08, 0.165), (0.12, 0.12, 0.12), "orange", "orange"),
        ball((0.11, 0.0, 0.165), (0.12, 0.12, 0.11), "grass", "apple"),
        ball((0.0, 0.02, 0.22), (0.12, 0.12, 0.11), "red", "apple"),
        cylinder((0.0, 0.02, 0.28), 0.006, 0.035, "brown", "apple"),
        ball((-0.12, 0.06, 0.16), (0.12, 0.12, 0.12), "orange", "orange"),
        *bananas,
    ]


def grape_bowl() -> Model:
    """Return a footed bowl of grapes around a pear."""
    bunch = ((-0.15, 0.07), (-0.12, 0.11), (-0.09, 0.08), (-0.1, 0.14), (-0.14, 0.13), (-0.06, 0.12), (-0.12, 0.16))
    return [
        cylinder((0, 0, 0.01), 0.1, 0.02, FIRST, "foot"),
        cylinder((0, 0, 0.06), 0.02, 0.1, FIRST, "stem"),
        cone((0, 0, 0.13), 0.2, 0.06, FIRST, "bowl", top=0.4, tilt=180),
        cylinder((0, 0, 0.163), 0.205, 0.012, SECOND, "rim"),
        *(ball((x, y, 0.19 - 0.4 * (y - 0.08)), (0.055, 0.055, 0.055), "purple", "grapes") for x, y in bunch),
        ball((0.08, 0.02, 0.22), (0.13, 0.13, 0.12), "yellow", "pear"),
        ball((0.08, 0.02, 0.28), (0.075, 0.075, 0.09), "yellow", "pear"),
        cylinder((0.08, 0.02, 0.335), 0.006, 0.04, "brown", "pear"),
        ball((-0.03, -0.06, 0.22), (0.12, 0.12, 0.12), "orange", "orange"),
        ball((0.03, 0.11, 0.21), (0.12, 0.12, 0.11), "red", "apple"),
    ]


def cake_stand() -> Model:
    """Return a cake with icing and cherries on a footed plate, one slice missing in front."""
    cherries = ((0.1, -0.06), (-0.1, -0.06), (0.0, -0.12), (0.11, 0.05), (-0.11, 0.05))
    return [
        cone((0, 0, 0.015), 0.1, 0.03, FIRST, "foot", top=0.4),
        cylinder((0, 0, 0.07), 0.022, 0.12, FIRST, "stem"),
        cylinder((0, 0, 0.138), 0.22, 0.02, FIRST, "plate"),
        cylinder((0, 0, 0.205), 0.17, 0.115, "brown", "cake"),
        cylinder((0, 0, 0.262), 0.174, 0.03, SECOND, "icing"),
        cylinder((0, 0, 0.205), 0.1715, 0.02, SECOND, "icing"),
        *(ball((x, y, 0.292), (0.042, 0.042, 0.042), "red", "cherry") for x, y in cherries),
        taper((0.0, 0.14, 0.218), (0.13, 0.1, 0.12), "tan", "slice", back=1.0),
    ]


def cupcake_stand() -> Model:
    """Return a stand of two plates with cupcakes."""
    low = ((0.14, 0.05), (0.05, 0.14), (-0.09, 0.12), (-0.15, -0.02))
    high = ((0.06, 0.04), (-0.06, 0.05), (0.0, -0.07))
    model: Model = [
        cone((0, 0, 0.015), 0.1, 0.03, FIRST, "foot", top=0.3),
        cylinder((0, 0, 0.24), 0.014, 0.46, FIRST, "stem"),
        cylinder((0, 0, 0.07), 0.22, 0.016, FIRST, "plate"),
        cylinder((0, 0, 0.27), 0.14, 0.016, FIRST, "plate"),
        ball((0, 0, 0.48), (0.04, 0.04, 0.04), FIRST, "knob"),
    ]
    for z, places in ((0.078, low), (0.278, high)):
        for x, y in places:
            model.append(cone((x, y, z + 0.032), 0.046, 0.064, "brown", "cupcake", top=0.7, tilt=180))
            model.append(ball((x, y, z + 0.075), (0.1, 0.1, 0.075), SECOND, "icing"))
    return model


def serving_tray() -> Model:
    """Return a round tray with three full glasses."""
    glasses: Model = []
    for x, y, colour in ((0.0, 0.1, "gold"), (0.1, -0.06, "maroon"), (-0.1, -0.06, "orange")):
        glasses.append(cone((x, y, 0.09), 0.045, 0.13, colour, "drink", top=0.75, tilt=180))
        glasses.append(cylinder((x, y, 0.17), 0.046, 0.035, "light blue", "glass", material=GLASS))
    return [
        cylinder((0, 0, 0.012), 0.23, 0.024, FIRST, "tray"),
        cylinder((0, 0, 0.02), 0.24, 0.014, SECOND, "rim"),
        cylinder((0, 0, 0.0235), 0.222, 0.01, FIRST, "tray"),
        *glasses,
    ]


def breakfast_tray() -> Model:
    """Return a tray with handles: a cup, a croissant and a glass of juice."""
    return [
        box((0, 0, 0.015), (0.56, 0.38, 0.03), FIRST, "tray"),
        *(box((0, y, 0.035), (0.56, 0.02, 0.05), FIRST, "rim") for y in (-0.18, 0.18)),
        *(box((x, 0, 0.05), (0.02, 0.38, 0.08), FIRST, "handle") for x in (-0.28, 0.28)),
        cylinder((0.0, 0.02, 0.036), 0.1, 0.012, "white", "plate"),
        ball((0.0, 0.03, 0.068), (0.1, 0.08, 0.07), "gold", "croissant"),
        ball((0.06, 0.0, 0.062), (0.09, 0.055, 0.05), "gold", "croissant", yaw=-40),
        ball((-0.06, 0.0, 0.062), (0.09, 0.055, 0.05), "gold", "croissant", yaw=40),
        cone((-0.18, 0.06, 0.08), 0.055, 0.1, "white", "cup", top=0.65, tilt=180),
        cylinder((-0.18, 0.06, 0.127), 0.045, 0.01, "brown", "coffee"),
        cone((0.19, 0.04, 0.095), 0.042, 0.13, "orange", "juice", top=0.8, tilt=180),
        box((0.17, -0.1, 0.04), (0.12, 0.1, 0.02), "white", "napkin"),
    ]
