"""Kitchen and bar appliances; fronts face +y.

Refrigerators, ovens, sinks and wine racks stand on the floor; coffee machines, microwaves and beer taps on a counter,
whose surface is z = 0.
"""

from __future__ import annotations

from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, ball, box, cone, cylinder, plate, rod
from bearleft.world.render.codes import Material, Outline

GLASS, GLOW, TEXT = Material.GLASS, Material.GLOW, Material.TEXT


def refrigerator() -> Model:
    """Return a refrigerator with two doors, the freezer's above, each with a long handle."""
    return [
        box((0, 0, 0.03), (0.66, 0.6, 0.06), "black", "base"),
        box((0, -0.02, 0.92), (0.7, 0.62, 1.74), FIRST, "body"),
        box((0, 0.32, 0.6), (0.69, 0.06, 1.08), FIRST, "door"),
        box((0, 0.32, 1.48), (0.69, 0.06, 0.6), FIRST, "freezer door"),
        box((0.28, 0.38, 0.86), (0.03, 0.05, 0.46), "steel", "handle"),
        box((0.28, 0.38, 1.36), (0.03, 0.05, 0.28), "steel", "handle"),
        plate((0, 0.335, 1.16), 0.69, 0.03, "black", "gap"),
        plate((-0.12, 0.36, 1.6), 0.14, 0.1, "yellow", "note"),
        plate((-0.2, 0.36, 1.42), 0.1, 0.12, "pink", "note"),
    ]


def steel_refrigerator() -> Model:
    """Return a refrigerator with two tall doors, a drawer below and a dispenser in one door."""
    return [
        box((0, -0.02, 0.9), (0.92, 0.66, 1.8), "dark grey", "body"),
        box((-0.232, 0.33, 1.18), (0.45, 0.06, 1.2), FIRST, "door"),
        box((0.232, 0.33, 1.18), (0.45, 0.06, 1.2), FIRST, "door"),
        box((0, 0.33, 0.31), (0.915, 0.06, 0.5), FIRST, "drawer"),
        box((-0.05, 0.39, 1.1), (0.03, 0.05, 0.7), "dark grey", "handle"),
        box((0.05, 0.39, 1.1), (0.03, 0.05, 0.7), "dark grey", "handle"),
        box((0, 0.39, 0.48), (0.6, 0.05, 0.03), "dark grey", "handle"),
        plate((0.25, 0.365, 1.3), 0.22, 0.34, "black", "dispenser"),
        plate((0.25, 0.37, 1.4), 0.14, 0.07, "light blue", "display", material=GLOW, pattern=(0.6,)),
    ]


def drinks_refrigerator() -> Model:
    """Return a lit shop refrigerator: bottles and cans behind a glass door, a sign above."""
    rows: Model = []
    for z, colours in ((0.32, ("red", "white")), (0.7, ("green", "yellow")), (1.08, ("orange", "blue"))):
        rows.append(box((0, 0.05, z - 0.02), (0.62, 0.5, 0.02), "silver", "shelf"))
        rows.append(
            box(
                (0, 0.12, z + 0.12),
                (0.6, 0.3, 0.24),
                colours[0],
                "drinks",
                material=Material.STRIPES,
                second=colours[1],
                pattern=(0.1,),
            )
        )
        rows.append(box((0, 0.12, z + 0.255), (0.6, 0.24, 0.03), "black", "drinks"))
    return [
        box((0, -0.02, 0.14), (0.72, 0.62, 0.28), FIRST, "base"),
        box((0, -0.3, 0.95), (0.72, 0.06, 1.4), "white", "back"),
        *(box((x, -0.02, 0.9), (0.05, 0.62, 1.3), FIRST, "side") for x in (-0.335, 0.335)),
        box((0, -0.02, 1.68), (0.72, 0.62, 0.36), FIRST, "roof"),
        plate((0, 0.3, 1.68), 0.66, 0.24, FIRST, "sign", material=TEXT, second="white", text="COLD DRINKS"),
        *rows,
        box((-0.3, 0.31, 0.89), (0.04, 0.03, 1.2), "silver", "door"),
        box((0.3, 0.31, 0.89), (0.04, 0.03, 1.2), "silver", "door"),
        box((0.3, 0.35, 0.9), (0.03, 0.05, 0.4), "black", "handle"),
    ]


def oven() -> Model:
    """Return a stove: four burners, knobs, a door with a window."""
    burners = [cylinder((x, y, 0.925), 0.09, 0.02, "black", "burner") for x in (-0.15, 0.15) for y in (-0.14, 0.14)]
    rings = [cylinder((x, y, 0.93), 0.05, 0.02, "dark grey", "burner") for x in (-0.15, 0.15) for y in (-0.14, 0.14)]
    return [
        box((0, -0.01, 0.45), (0.62, 0.58, 0.9), FIRST, "body"),
        box((0, 0, 0.905), (0.64, 0.62, 0.025), "silver", "top"),
        box((0, -0.29, 1.0), (0.64, 0.04, 0.2), FIRST, "panel"),
        *burners,
        *rings,
        *(cylinder((-0.24 + 0.12 * k, 0.3, 0.83), 0.03, 0.05, "black", "knob", tilt=90) for k in range(5)),
        box((0, 0.29, 0.48), (0.58, 0.04, 0.5), FIRST, "door"),
        plate((0, 0.315, 0.46), 0.42, 0.26, "black", "window"),
        box((0, 0.34, 0.68), (0.5, 0.03, 0.03), "silver", "handle"),
        plate((0, 0.29, 0.12), 0.56, 0.14, "dark grey", "drawer"),
    ]


def pizza_oven() -> Model:
    """Return a brick dome on a stand with fire in its arched mouth and a chimney."""
    return [
        box((0, 0, 0.42), (1.3, 1.1, 0.84), "brick", "base", material=Material.BRICK),
        box((0, 0.02, 0.87), (1.4, 1.2, 0.08), "concrete", "top"),
        ball((0, -0.06, 0.9), (1.24, 1.04, 1.2), FIRST, "dome"),
        box((0, 0.36, 1.08), (0.62, 0.36, 0.36), FIRST, "arch"),
        cylinder((0, 0.36, 1.24), 0.31, 0.36, FIRST, "arch", tilt=90),
        plate((0, 0.545, 1.1), 0.42, 0.4, "black", "mouth", Outline.ARCH),
        plate((0.02, 0.55, 1.02), 0.3, 0.24, "orange", "fire", Outline.TRIANGLE, material=GLOW, pattern=(0.9,)),
        plate((-0.06, 0.555, 0.99), 0.16, 0.18, "yellow", "fire", Outline.TRIANGLE, material=GLOW, pattern=(0.9,)),
        cylinder((0, 0.1, 1.68), 0.1, 0.6, "dark grey", "chimney"),
    ]


def sink() -> Model:
    """Return a cabinet with two doors under a basin with a tap."""
    return [
        box((0, 0, 0.42), (0.9, 0.52, 0.84), FIRST, "cabinet"),
        *(box((x, 0.27, 0.44), (0.41, 0.02, 0.7), FIRST, "door") for x in (-0.215, 0.215)),
        *(box((x, 0.295, 0.66), (0.03, 0.03, 0.14), "silver", "handle") for x in (-0.06, 0.06)),
        box((0, 0, 0.06), (0.92, 0.53, 0.04), "black", "gap"),
        box((0, 0, 0.86), (0.94, 0.58, 0.04), SECOND, "top"),
        box((0, 0.03, 0.876), (0.56, 0.38, 0.02), "silver", "basin"),
        box((0, 0.03, 0.88), (0.5, 0.32, 0.02), "dark grey", "basin"),
        cylinder((0, -0.22, 1.02), 0.022, 0.3, "steel", "tap"),
        rod((0, -0.22, 1.17), (0, -0.02, 1.19), 0.02, "steel", "tap"),
        rod((0, -0.02, 1.2), (0, -0.01, 1.1), 0.018, "steel", "tap"),
        *(cylinder((x, -0.22, 0.92), 0.03, 0.08, "steel", "tap") for x in (-0.14, 0.14)),
    ]


def wash_basin() -> Model:
    """Return a round white basin on a foot, with a tap."""
    return [
        cone((0, -0.04, 0.36), 0.14, 0.72, FIRST, "foot", top=0.7),
        cone((0, 0, 0.79), 0.29, 0.16, FIRST, "basin", top=0.55, tilt=180),
        cylinder((0, 0, 0.87), 0.3, 0.03, FIRST, "basin"),
        cylinder((0, 0.02, 0.872), 0.24, 0.03, "silver", "basin"),
        cylinder((0, 0.02, 0.874), 0.21, 0.03, "grey", "basin"),
        box((0, -0.24, 0.84), (0.5, 0.14, 0.1), FIRST, "basin"),
        cylinder((0, -0.22, 0.96), 0.025, 0.16, "steel", "tap"),
        rod((0, -0.22, 1.02), (0, -0.06, 1.0), 0.02, "steel", "tap"),
        rod((0, -0.22, 1.05), (0.0, -0.16, 1.1), 0.014, "steel", "tap"),
    ]


def microwave() -> Model:
    """Return a microwave: a door with a dark window, keys and a display beside it."""
    return [
        box((0, 0, 0.17), (0.56, 0.38, 0.31), FIRST, "body"),
        *(box((x, 0, 0.01), (0.06, 0.3, 0.02), "black", "foot") for x in (-0.2, 0.2)),
        box((0.08, 0.2, 0.17), (0.38, 0.03, 0.29), "black", "door"),
        plate((0.09, 0.217, 0.17), 0.28, 0.19, "dark grey", "window"),
        box((-0.09, 0.225, 0.17), (0.025, 0.03, 0.24), "silver", "handle"),
        plate((-0.195, 0.195, 0.27), 0.13, 0.06, "black", "display", material=TEXT, second="green", text="12.30"),
        plate((-0.195, 0.195, 0.15), 0.12, 0.13, "dark grey", "keys", Outline.LATTICE, (3, 4, 0.7)),
        cylinder((-0.195, 0.2, 0.055), 0.025, 0.02, "silver", "knob", tilt=90),
    ]


def _portafilter(x: float) -> Model:
    return [
        cylinder((x, 0.18, 0.3), 0.045, 0.06, "dark grey", "group"),
        rod((x, 0.2, 0.27), (x, 0.34, 0.25), 0.018, "black", "handle"),
        cone((x, 0.18, 0.12), 0.036, 0.06, "white", "cup", top=0.7, tilt=180),
    ]


def coffee_machine() -> Model:
    """Return an espresso machine with two groups, cups on top, and a steam pipe."""
    cups = [cone((-0.2 + 0.13 * k, -0.04, 0.57), 0.045, 0.06, "white", "cup", top=0.7, tilt=180) for k in range(4)]
    return [
        box((0, -0.02, 0.06), (0.7, 0.46, 0.1), "steel", "base"),
        box((0, 0.12, 0.085), (0.6, 0.24, 0.02), "black", "tray"),
        box((0, -0.12, 0.26), (0.68, 0.22, 0.34), "steel", "body"),
        box((0, -0.02, 0.44), (0.7, 0.42, 0.16), FIRST, "body"),
        plate((0, 0.195, 0.44), 0.22, 0.1, "white", "gauge", Outline.DISC),
        plate((0, 0.2, 0.445), 0.02, 0.06, "red", "gauge"),
        box((0, -0.02, 0.53), (0.7, 0.42, 0.02), "silver", "top"),
        *cups,
        *_portafilter(-0.16),
        *_portafilter(0.16),
        rod((-0.31, 0.16, 0.38), (-0.33, 0.24, 0.14), 0.01, "silver", "pipe"),
        rod((0.31, 0.16, 0.38), (0.33, 0.24, 0.14), 0.01, "silver", "pipe"),
    ]


def drip_coffee_machine() -> Model:
    """Return a filter coffee machine: a pot on a hot plate under the filter."""
    return [
        box((0, 0, 0.025), (0.28, 0.34, 0.05), FIRST, "base"),
        box((0, -0.12, 0.24), (0.28, 0.1, 0.42), FIRST, "body"),
        box((0, 0.0, 0.43), (0.28, 0.34, 0.14), FIRST, "body"),
        cone((0, 0.05, 0.34), 0.1, 0.06, "black", "filter", top=0.6, tilt=180),
        cone((0, 0.05, 0.13), 0.11, 0.14, "brown", "coffee", top=0.9),
        cone((0, 0.05, 0.235), 0.1, 0.08, "light blue", "pot", top=0.7, material=GLASS),
        cylinder((0, 0.05, 0.285), 0.075, 0.025, "black", "lid"),
        box((-0.13, 0.12, 0.17), (0.03, 0.05, 0.18), "black", "handle"),
        cylinder((0.08, 0.175, 0.43), 0.02, 0.02, "red", "button", tilt=90),
        plate((-0.04, 0.175, 0.44), 0.1, 0.05, "light blue", "display"),
    ]


def beer_tap() -> Model:
    """Return a chrome tower with three tall handles over a drip tray with a full glass."""
    handles: tuple[Colour, ...] = (FIRST, SECOND, FIRST)
    taps: Model = []
    for x, colour in zip((-0.17, 0.0, 0.17), handles, strict=True):
        taps += [
            rod((x, 0.02, 0.36), (x, 0.16, 0.36), 0.018, "dark grey", "tap"),
            rod((x, 0.16, 0.37), (x, 0.17, 0.27), 0.015, "dark grey", "tap"),
            cone((x, 0.14, 0.5), 0.036, 0.24, colour, "handle", top=0.45, tilt=180),
        ]
    return [
        box((0, 0.08, 0.015), (0.56, 0.36, 0.03), "dark grey", "tray"),
        *(cylinder((x, 0, 0.18), 0.045, 0.32, "silver", "tower") for x in (-0.17, 0.17)),
        cylinder((0, 0, 0.36), 0.07, 0.58, "silver", "tower", roll=90),
        *taps,
        cone((0, 0.17, 0.11), 0.05, 0.16, "gold", "beer", top=0.8, tilt=180),
        cylinder((0, 0.17, 0.2), 0.05, 0.03, "white", "foam"),
    ]


def single_beer_tap() -> Model:
    """Return one brass column with a badge, a swan neck and one handle."""
    return [
        cylinder((0, 0, 0.02), 0.1, 0.04, "gold", "base"),
        cylinder((0, 0, 0.22), 0.05, 0.4, "gold", "tower"),
        ball((0, 0, 0.43), (0.13, 0.13, 0.13), "gold", "tower"),
        rod((0, 0.03, 0.38), (0, 0.16, 0.36), 0.02, "gold", "tap"),
        rod((0, 0.16, 0.37), (0, 0.17, 0.27), 0.016, "gold", "tap"),
        cone((0, 0.13, 0.5), 0.036, 0.22, "black", "handle", top=0.5, tilt=180),
        plate((0, 0.07, 0.22), 0.13, 0.17, FIRST, "badge", Outline.DISC),
        plate((0, 0.075, 0.22), 0.1, 0.05, FIRST, "badge", material=TEXT, second="white", text="BEER"),
    ]


def wine_rack() -> Model:
    """Return a tall rack of boards with bottles lying on them, necks ahead."""
    bottles: Model = []
    for k, z in enumerate((0.19, 0.55, 0.91)):
        for x in (-0.4, 0.0, 0.4):
            colour = SECOND if x == 0.4 * (k - 1) else FIRST
            bottles.append(rod((x, -0.1, z), (x, 0.14, z), 0.085, colour, "bottle"))
            bottles.append(rod((x, 0.14, z), (x, 0.28, z), 0.034, colour, "bottle"))
    return [
        *bottles,
        box((0, -0.14, 0.64), (1.24, 0.03, 1.28), "brown", "back"),
        *(box((x, 0.02, 0.64), (0.05, 0.34, 1.28), "brown", "side") for x in (-0.62, 0.62)),
        *(box((0, 0.02, z), (1.2, 0.32, 0.04), "tan", "shelf") for z in (0.08, 0.44, 0.8)),
        box((0, 0.02, 1.27), (1.3, 0.38, 0.05), "brown", "top"),
    ]


def small_wine_rack() -> Model:
    """Return a low iron rack with two rows of bottles, necks ahead."""
    model: Model = []
    for z in (0.22, 0.52):
        for x in (-0.3, 0.0, 0.3):
            model.append(rod((x, -0.2, z), (x, 0.08, z), 0.07, FIRST, "bottle"))
            model.append(rod((x, 0.08, z), (x, 0.26, z), 0.026, FIRST, "bottle"))
        for y in (-0.12, 0.12):
            model.append(rod((-0.46, y, z - 0.075), (0.46, y, z - 0.075), 0.014, "black", "frame"))
    posts = [cylinder((x, y, 0.36), 0.018, 0.72, "black", "frame") for x in (-0.46, 0.46) for y in (-0.12, 0.12)]
    return [*model, *posts, box((0, 0, 0.72), (0.98, 0.4, 0.03), "brown", "top")]
