"""Checkout counters, registers, carts and baskets. Customers stand on the +y side."""

from __future__ import annotations

from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, ball, box, cylinder, plate, rod, taper
from bearleft.world.render.codes import Material, Outline


def _register(x: float, y: float, z: float, colour: Colour, keys: Colour = "white") -> Model:
    """Return a till: drawer, slanted keys, and a display behind them. The cashier stands at -y."""
    return [
        box((x, y, z + 0.07), (0.42, 0.42, 0.14), colour, "drawer"),
        taper((x, y, z + 0.22), (0.38, 0.36, 0.16), colour, "register", back=0.9),
        box((x, y + 0.12, z + 0.4), (0.32, 0.06, 0.22), "black", "screen"),
        plate(
            (x, y + 0.155, z + 0.42), 0.26, 0.1, "green", "display", material=Material.TEXT, second="white", text="9.99"
        ),
        plate((x, y - 0.105, z + 0.24), 0.28, 0.18, keys, "keys", Outline.LATTICE, (4, 4, 0.7), tilt=45),
    ]


def checkout_counter() -> Model:
    """Return a supermarket checkout: a black belt with goods, a till, and a lit number on a pole."""
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
        plate((0, 0.36, 0.5), 1.6, 0.2, SECOND, "front"),
    ]


def shop_counter() -> Model:
    """Return a boutique's counter: a wooden block with a till, a card machine and a bag with handles."""
    return [
        box((0, 0, 0.51), (1.5, 0.6, 0.9), FIRST, "front", material=Material.WOOD, pattern=(0.16,)),
        box((0, 0, 0.03), (1.44, 0.54, 0.06), "black", "base"),
        box((0, 0.02, 0.985), (1.6, 0.68, 0.05), SECOND, "top"),
        *_register(0.3, -0.06, 1.01, "black"),
        box((-0.05, 0.2, 1.03), (0.1, 0.16, 0.05), "dark grey", "card reader", tilt=-15),
        box((-0.48, 0.0, 1.16), (0.3, 0.14, 0.3), "pink", "bag"),
        plate((-0.48, 0.0, 1.34), 0.14, 0.16, "white", "bag", Outline.RING, (0.8,)),
        plate((0, 0.31, 0.55), 0.9, 0.24, "black", "sign", material=Material.TEXT, second="white", text="PAY HERE"),
    ]


def cash_register() -> Model:
    """Return a till with keys, a display and a drawer, a receipt coming out."""
    return [
        *_register(0, 0, 0, FIRST),
        box((0, 0.235, 0.1), (0.16, 0.04, 0.025), "black", "handle"),
        box((-0.13, 0.0, 0.33), (0.07, 0.02, 0.14), "white", "receipt", tilt=10),
        box((0, 0.215, 0.07), (0.36, 0.012, 0.09), SECOND, "drawer"),
        plate((0, 0.225, 0.055), 0.05, 0.05, "black", "lock", Outline.DISC),
    ]


def old_cash_register() -> Model:
    """Return an ornate metal register: a high back with a number, round keys, a crank and a wooden drawer."""
    keys = [
        cylinder((-0.12 + 0.08 * i, -0.2 + 0.06 * j, 0.28 + 0.05 * j), 0.024, 0.02, "white", "keys", tilt=30)
        for i in range(4)
        for j in range(2)
    ]
    return [
        box((0, 0, 0.07), (0.5, 0.46, 0.14), "brown", "drawer"),
        box((0, 0.232, 0.07), (0.44, 0.012, 0.1), "brown", "drawer"),
        box((0, 0.245, 0.08), (0.1, 0.03, 0.03), "black", "handle"),
        taper((0, -0.02, 0.26), (0.44, 0.4, 0.24), FIRST, "register", back=0.9),
        box((0, 0.1, 0.46), (0.4, 0.12, 0.2), FIRST, "register"),
        plate((0, 0.165, 0.47), 0.32, 0.12, "white", "display", material=Material.TEXT, second="black", text="$ 5.00"),
        cylinder((0, 0.1, 0.56), 0.06, 0.36, FIRST, "top", roll=90),
        *keys,
        rod((0.22, 0.0, 0.28), (0.32, 0.0, 0.28), 0.014, "black", "crank"),
        rod((0.31, 0.0, 0.28), (0.31, 0.0, 0.4), 0.014, "black", "crank"),
    ]


def tablet_register() -> Model:
    """Return a screen on a foot above a flat drawer, a card reader beside it."""
    return [
        box((0, 0, 0.05), (0.42, 0.4, 0.1), "black", "drawer"),
        box((0, 0.205, 0.05), (0.38, 0.012, 0.06), "dark grey", "drawer"),
        cylinder((0, -0.02, 0.18), 0.03, 0.18, FIRST, "foot"),
        box((0, 0.0, 0.36), (0.44, 0.04, 0.3), FIRST, "screen", tilt=-12),
        plate(
            (0, 0.028, 0.365),
            0.39,
            0.25,
            "light blue",
            "display",
            tilt=-12,
            material=Material.TEXT,
            second="navy",
            text="9.99",
        ),
        plate((0, -0.028, 0.355), 0.39, 0.25, "light blue", "display", tilt=-12),
        box((-0.32, 0.1, 0.06), (0.12, 0.2, 0.06), "dark grey", "card reader", tilt=-14),
        plate((-0.32, 0.12, 0.09), 0.08, 0.1, "silver", "keys", Outline.LATTICE, (3, 4, 0.7), tilt=76),
        box((0.3, 0.08, 0.012), (0.1, 0.18, 0.02), "white", "receipt"),
    ]


def shopping_cart() -> Model:
    """Return a wire basket on wheels, wider at the top, with a handle at the back."""
    wire = (7.0, 5.0, 0.16)
    return [
        plate((0.27, 0.0, 0.7), 0.86, 0.46, FIRST, "basket", Outline.LATTICE, (9.0, 5.0, 0.16), yaw=90),
        plate((-0.27, 0.0, 0.7), 0.86, 0.46, FIRST, "basket", Outline.LATTICE, (9.0, 5.0, 0.16), yaw=90),
        plate((0, 0.43, 0.7), 0.54, 0.46, FIRST, "basket", Outline.LATTICE, wire, tilt=-8),
        plate((0, -0.42, 0.72), 0.54, 0.5, FIRST, "basket", Outline.LATTICE, wire),
        plate((0, 0.0, 0.48), 0.54, 0.86, FIRST, "basket", Outline.LATTICE, (7.0, 9.0, 0.16), tilt=90),
        *(rod((x, -0.44, 0.94), (x, 0.46, 0.94), 0.014, "steel", "rim") for x in (-0.27, 0.27)),
        rod((-0.27, 0.46, 0.94), (0.27, 0.46, 0.94), 0.014, "steel", "rim"),
        *(rod((x, -0.42, 0.94), (x, -0.58, 1.02), 0.014, "steel", "handle") for x in (-0.27, 0.27)),
        rod((-0.29, -0.58, 1.02), (0.29, -0.58, 1.02), 0.026, SECOND, "handle"),
        *(rod((x, -0.42, 0.5), (x, -0.36, 0.12), 0.014, "steel", "frame") for x in (-0.25, 0.25)),
        *(rod((x, -0.36, 0.14), (x * 0.8, 0.4, 0.14), 0.014, "steel", "frame") for x in (-0.25, 0.25)),
        *(rod((x, -0.1, 0.48), (x, -0.36, 0.14), 0.014, "steel", "frame") for x in (-0.25, 0.25)),
        *(
            cylinder((x, y, 0.065), 0.065, 0.035, "black", "wheel", roll=90)
            for x, y in ((-0.25, -0.36), (0.25, -0.36), (-0.2, 0.4), (0.2, 0.4))
        ),
    ]


def full_shopping_cart() -> Model:
    """Return a shopping cart full of goods."""
    return [
        *(solid for solid in shopping_cart() if solid.part != "frame"),
        *(rod((x, -0.42, 0.5), (x, 0.36, 0.12), 0.014, "steel", "frame") for x in (-0.25, 0.25)),
        box((-0.1, 0.2, 0.72), (0.26, 0.3, 0.4), "tan", "goods"),
        box((0.12, -0.05, 0.66), (0.22, 0.26, 0.36), "yellow", "goods"),
        cylinder((-0.12, -0.16, 0.76), 0.07, 0.44, "green", "goods"),
        ball((0.1, 0.24, 0.8), (0.26, 0.26, 0.26), "leaf", "goods", material=Material.FOLIAGE),
    ]


def shopping_basket() -> Model:
    """Return a basket of plastic with slits and two handles folded up."""
    return [
        taper((0, 0, 0.12), (0.5, 0.34, 0.24), FIRST, "basket", x=0.14, front=0.14, back=0.14, roll=180),
        box((0, 0, 0.245), (0.56, 0.4, 0.03), FIRST, "rim"),
        box((0, 0, 0.25), (0.48, 0.32, 0.03), "black", "inside"),
        *(
            plate((0, side * 0.178, 0.13), 0.42, 0.13, "black", "slits", Outline.BARS, (9, 0.35), tilt=-side * 6)
            for side in (-1, 1)
        ),
        *(
            plate((side * 0.255, 0, 0.13), 0.24, 0.13, "black", "slits", Outline.BARS, (5, 0.35), yaw=90)
            for side in (-1, 1)
        ),
        *(rod((x, 0, 0.25), (x * 0.85, 0, 0.44), 0.014, SECOND, "handle") for x in (-0.26, 0.26)),
        rod((-0.225, 0, 0.44), (0.225, 0, 0.44), 0.018, SECOND, "handle"),
        cylinder((-0.1, 0.04, 0.3), 0.05, 0.16, "red", "goods"),
        box((0.1, -0.02, 0.3), (0.14, 0.12, 0.14), "yellow", "goods"),
    ]


def stack_of_baskets() -> Model:
    """Return five nested baskets on a foot with wheels."""
    rims = [box((0, 0, 0.34 + 0.1 * k), (0.56, 0.4, 0.035), FIRST if k % 2 else SECOND, "rim") for k in range(5)]
    bodies = [box((0, 0, 0.29 + 0.1 * k), (0.5, 0.35, 0.07), FIRST, "basket") for k in range(5)]
    return [
        box((0, 0, 0.1), (0.5, 0.36, 0.04), "dark grey", "base"),
        *(ball((x, y, 0.04), (0.08, 0.08, 0.08), "black", "wheel") for x in (-0.2, 0.2) for y in (-0.14, 0.14)),
        taper((0, 0, 0.22), (0.5, 0.34, 0.2), FIRST, "basket", x=0.14, front=0.14, back=0.14, roll=180),
        *bodies,
        *rims,
        box((0, 0, 0.742), (0.48, 0.32, 0.035), "black", "inside"),
        *(rod((x, 0.12, 0.75), (x, 0.0, 0.86), 0.014, "black", "handle") for x in (-0.24, 0.24)),
        rod((-0.24, 0.0, 0.86), (0.24, 0.0, 0.86), 0.014, "black", "handle"),
    ]
