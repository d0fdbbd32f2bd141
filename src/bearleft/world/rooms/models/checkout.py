"""Where one pays and what one carries goods in: counters, registers, carts, baskets. Customers come to the +y side."""

from __future__ import annotations

from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, ball, box, cylinder, plate, taper
from bearleft.world.render.codes import Material, Outline


def _register(x: float, y: float, z: float, colour: Colour, keys: Colour = "white") -> Model:
    """A till: drawer, slanted keys, a display that stands up behind them. It is served from -y."""
    return [
        box((x, y, z + 0.07), (0.42, 0.42, 0.14), colour, "drawer"),
        taper((x, y, z + 0.22), (0.38, 0.36, 0.16), colour, "register", back=0.9),
        box((x, y + 0.12, z + 0.4), (0.32, 0.06, 0.22), "black", "screen"),
        plate((x, y + 0.155, z + 0.42), 0.26, 0.1, "green", "display", material=Material.TEXT, second="white",
              text="9.99"),
        plate((x, y - 0.105, z + 0.24), 0.28, 0.18, keys, "keys", Outline.LATTICE, (4, 4, 0.7), tilt=45),
    ]  # fmt: skip


def checkout_counter() -> Model:
    """A supermarket's: a black belt with goods on it, a till, and a lit number on a pole."""
    return [
        box((0, 0, 0.42), (2.4, 0.7, 0.84), FIRST, "front"),
        box((0, 0, 0.05), (2.42, 0.72, 0.1), "dark grey", "base"),
        box((0, 0, 0.86), (2.44, 0.74, 0.04), "silver", "top"),
        box((0.45, 0.04, 0.885), (1.3, 0.5, 0.02), "black", "belt"),
        *_register(-0.55, -0.1, 0.88, "dark grey"),
        cylinder((-0.95, -0.25, 1.4), 0.025, 1.04, "silver", "pole"),
        box((-0.95, -0.25, 2.0), (0.3, 0.14, 0.3), FIRST, "sign", material=Material.TEXT, second="white", text="3"),
        box((0.2, 0.04, 0.98), (0.14, 0.1, 0.18), "red", "goods"),
        cylinder((0.5, 0.08, 1.01), 0.05, 0.24, "green", "goods"),
        box((0.78, 0.02, 0.96), (0.2, 0.14, 0.14), "yellow", "goods"),
        ball((0.98, 0.08, 0.95), (0.11, 0.11, 0.11), "orange", "goods"),
        plate((0, 0.36, 0.5), 1.6, 0.2, SECOND, "stripe"),
    ]


def shop_counter() -> Model:
    """A boutique's: a wooden block with a till, a small card machine and a bag with handles."""
    return [
        box((0, 0, 0.48), (1.5, 0.6, 0.96), FIRST, "front", material=Material.WOOD, pattern=(0.16,)),
        box((0, 0, 0.03), (1.44, 0.54, 0.06), "black", "base"),
        box((0, 0.02, 0.985), (1.6, 0.68, 0.05), SECOND, "top"),
        *_register(0.3, -0.06, 1.01, "black"),
        box((-0.05, 0.2, 1.03), (0.1, 0.16, 0.05), "dark grey", "card reader", tilt=-15),
        box((-0.48, 0.0, 1.16), (0.3, 0.14, 0.3), "pink", "bag"),
        plate((-0.48, 0.0, 1.34), 0.14, 0.16, "white", "bag", Outline.RING, (0.8,)),
        plate((0, 0.31, 0.55), 0.9, 0.24, SECOND, "sign", material=Material.TEXT, second=FIRST, text="PAY HERE"),
    ]
