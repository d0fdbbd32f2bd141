"""What fronts are put together from: leaves of doors, shop windows, slanted poles."""

from __future__ import annotations

from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, ball, box, rod
from bearleft.world.render.codes import Material

TEXT, GLASS = Material.TEXT, Material.GLASS


def leaf(x: float, z: float, width: float, height: float, colour: Colour) -> Model:
    """One leaf of a panelled door, its knob on the right."""
    return [
        box((x, 0.06, z + height / 2), (width, 0.12, height), colour, "door"),
        box((x, 0.07, z + height * 0.76), (width * 0.66, 0.12, height * 0.34), "dark grey", "window", material=GLASS),
        box((x, 0.08, z + height * 0.28), (width * 0.64, 0.12, height * 0.36), colour, "panel"),
        ball((x + width * 0.4, 0.16, z + height * 0.48), (0.09, 0.09, 0.09), "gold", "handle"),
    ]


def shopfront(door: float, width: float = 5.0) -> Model:
    """Glass on a low base, a door at x = `door`, a lettered sign along the top."""
    return [
        box((0, 0.02, 1.8), (width, 0.16, 3.6), "dark grey", "frame"),
        box((0, 0.04, 1.6), (width - 0.24, 0.18, 2.2), "glass", "window", material=Material.SHOP,
            second="silver", pattern=(1.25,)),
        box((0, 0.04, 0.25), (width - 0.1, 0.22, 0.5), FIRST, "base"),
        box((door, 0.05, 1.3), (1.14, 0.24, 2.6), "silver", "door frame"),
        box((door, 0.055, 1.22), (0.94, 0.26, 2.2), "glass", "door", material=GLASS),
        box((door + 0.34, 0.2, 1.15), (0.04, 0.08, 0.6), "silver", "handle"),
        box((0, 0.12, 3.18), (width - 0.04, 0.26, 0.76), FIRST, "sign", material=TEXT, second=SECOND),
        box((0, 0.16, 3.62), (width + 0.06, 0.36, 0.1), FIRST, "ledge"),
    ]  # fmt: skip


def flagpole() -> Model:
    return [
        rod((0, 0, 0.3), (0, 1.9, 2.2), 0.035, "silver", "pole"),
        ball((0, 1.93, 2.23), (0.14, 0.14, 0.14), "gold", "tip"),
        box((0, 0.05, 0.3), (0.2, 0.14, 0.3), "black", "bracket"),
    ]
