"""Fixed equipment of a house: fireplaces, radiators, wall shelves, switches, outlets, coat racks."""

from __future__ import annotations

from math import cos, radians, sin
from typing import Any

from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, ball, box, cone, cylinder, plate, rod, transformed
from bearleft.world.render.codes import Material, Outline


def _fire(y: float, z: float) -> Model:
    """Return logs with flames over them."""
    flame: dict[str, Any] = {"material": Material.GLOW, "pattern": (1.0,)}
    return [
        *(cylinder((0, y + a, z + 0.05), 0.045, 0.46, "bark", "log", roll=90) for a in (-0.05, 0.06)),
        cylinder((0.02, y, z + 0.12), 0.04, 0.4, "brown", "log", roll=82),
        *(
            cone((x, y, z + 0.14 + h / 2), 0.07, h, "orange", "flame", top=0.05, **flame)
            for x, h in ((-0.13, 0.24), (0.02, 0.34), (0.14, 0.22))
        ),
        cone((0.02, y + 0.03, z + 0.22), 0.05, 0.2, "yellow", "flame", top=0.05, **flame),
    ]


def fireplace() -> Model:
    """Return a brick fireplace with a burning fire and a mantel."""
    brick: dict[str, Any] = {"material": Material.BRICK}
    return [
        box((0, 0.1, 0.04), (1.5, 0.7, 0.08), "grey", "hearth"),
        *(box((x, 0, 0.5), (0.34, 0.4, 1.0), FIRST, "surround", **brick) for x in (-0.53, 0.53)),
        box((0, 0, 0.86), (0.72, 0.4, 0.28), FIRST, "surround", **brick),
        box((0, -0.17, 0.4), (0.72, 0.06, 0.72), "black", "firebox"),
        box((0, 0.03, 1.04), (1.6, 0.5, 0.08), SECOND, "top"),
        *_fire(0.0, 0.08),
    ]


def fireplace_marble() -> Model:
    """Return a marble surround with pillars and a broad mantel, the opening behind a guard."""
    return [
        box((0, 0.1, 0.03), (1.5, 0.7, 0.06), "dark grey", "hearth"),
        *(box((x, 0, 0.52), (0.3, 0.34, 1.04), FIRST, "surround") for x in (-0.55, 0.55)),
        box((0, 0, 0.9), (0.8, 0.34, 0.28), FIRST, "surround"),
        box((0, -0.14, 0.4), (0.8, 0.06, 0.74), "black", "firebox"),
        *(cylinder((x, 0.19, 0.5), 0.06, 0.9, FIRST, "pillar") for x in (-0.56, 0.56)),
        box((0, 0.06, 1.07), (1.62, 0.5, 0.07), FIRST, "top"),
        *_fire(-0.02, 0.06),
        plate((0, 0.2, 0.24), 0.7, 0.34, "gold", "guard", Outline.LATTICE, (9.0, 5.0, 0.14)),
    ]


def fireplace_stove() -> Model:
    """Return an iron stove on legs with fire behind its window and a pipe upwards."""
    return [
        *(box((x, y, 0.09), (0.05, 0.05, 0.18), "black", "leg") for x in (-0.22, 0.22) for y in (-0.16, 0.16)),
        box((0, 0, 0.48), (0.56, 0.44, 0.6), FIRST, "body"),
        box((0, 0, 0.8), (0.64, 0.52, 0.04), FIRST, "top"),
        box((0, 0.225, 0.5), (0.42, 0.02, 0.42), FIRST, "door"),
        plate((0, 0.237, 0.52), 0.32, 0.28, "maroon", "window", material=Material.GLOW, pattern=(0.6,)),
        *(
            plate(
                (x, 0.239, 0.47), 0.12, h, "orange", "flame", Outline.TRIANGLE, material=Material.GLOW, pattern=(1.0,)
            )
            for x, h in ((-0.08, 0.15), (0.01, 0.2), (0.09, 0.13))
        ),
        box((-0.18, 0.25, 0.5), (0.02, 0.03, 0.12), SECOND, "handle"),
        cylinder((0, -0.08, 1.4), 0.075, 1.2, FIRST, "pipe"),
    ]


def radiator() -> Model:
    """Return a radiator on the floor by the wall: cast-iron ribs between two pipes, a valve at its foot."""
    ribs = [box((-0.45 + 0.1 * k, 0.1, 0.4), (0.07, 0.14, 0.6), FIRST, "rib") for k in range(10)]
    return [
        *ribs,
        *(cylinder((0, 0.1, z), 0.035, 1.0, FIRST, "pipe", roll=90) for z in (0.16, 0.64)),
        *(box((x, 0.1, 0.05), (0.06, 0.12, 0.1), FIRST, "foot") for x in (-0.45, 0.45)),
        rod((0.5, 0.1, 0.16), (0.6, 0.1, 0.16), 0.018, SECOND, "pipe"),
        cylinder((0.6, 0.1, 0.08), 0.018, 0.16, SECOND, "pipe"),
        cylinder((0.6, 0.1, 0.21), 0.035, 0.08, SECOND, "valve"),
    ]


def radiator_flat() -> Model:
    """Return a flat panel with grooves and a grille on top."""
    return [
        box((0, 0.07, 0.42), (1.1, 0.06, 0.56), FIRST, "panel"),
        *(box((-0.48 + 0.12 * k, 0.106, 0.42), (0.07, 0.014, 0.5), FIRST, "rib") for k in range(9)),
        plate((0, 0.1015, 0.42), 1.04, 0.5, "grey", "panel"),
        box(
            (0, 0.07, 0.71),
            (1.12, 0.1, 0.025),
            "grey",
            "grille",
            material=Material.STRIPES,
            second="white",
            pattern=(0.03,),
        ),
        *(cylinder((x, 0.06, 0.08), 0.014, 0.16, SECOND, "pipe") for x in (-0.46, 0.46)),
        cylinder((0.59, 0.07, 0.64), 0.03, 0.09, SECOND, "valve", roll=90),
    ]


def wall_shelf() -> Model:
    """Return a free board on two brackets."""
    model: Model = [box((0, 0.11, 0.05), (0.9, 0.22, 0.03), FIRST, "top")]
    for x in (-0.3, 0.3):
        model += [
            box((x, 0.01, -0.04), (0.03, 0.02, 0.16), SECOND, "bracket"),
            box((x, 0.09, 0.028), (0.03, 0.18, 0.015), SECOND, "bracket"),
            rod((x, 0.015, -0.1), (x, 0.16, 0.03), 0.01, SECOND, "bracket"),
        ]
    return model


def wall_shelf_with_books() -> Model:
    """Return two boards with books and a small plant."""
    spines: dict[str, Any] = {"material": Material.STRIPES, "pattern": (0.032,)}
    model = [
        *(box((0, 0.1, z), (0.8, 0.2, 0.025), FIRST, "shelf") for z in (-0.2, 0.14)),
        *(box((x, 0.01, -0.02), (0.02, 0.02, 0.44), SECOND, "bracket") for x in (-0.34, 0.34)),
        box((0.18, 0.09, 0.26), (0.34, 0.15, 0.21), "red", "books", second="navy", **spines),
        box((-0.12, 0.09, 0.245), (0.14, 0.15, 0.18), "yellow", "books", second="green", **spines),
        box((-0.18, 0.09, -0.08), (0.36, 0.15, 0.2), "teal", "books", second="tan", **spines),
        cone((0.2, 0.1, -0.14), 0.06, 0.1, "brick", "pot", top=0.75, roll=180),
        ball((0.2, 0.1, -0.04), (0.17, 0.16, 0.14), "leaf", "plant", material=Material.FOLIAGE),
        cylinder((-0.3, 0.1, 0.21), 0.04, 0.12, SECOND, "vase"),
    ]
    return transformed(model, (0, 0, -0.06))


def wall_shelf_cubes() -> Model:
    """Return three open boxes arranged in steps."""
    model: Model = []
    for x, z in ((0.34, 0.16), (0.0, 0.0), (-0.34, -0.16)):
        model += [
            *(box((x, 0.09, z + s * 0.14), (0.3, 0.18, 0.02), FIRST, "shelf") for s in (-1, 1)),
            *(box((x + s * 0.14, 0.09, z), (0.02, 0.18, 0.28), FIRST, "shelf") for s in (-1, 1)),
            plate((x, 0.006, z), 0.28, 0.28, SECOND, "back"),
        ]
    return [
        *model,
        ball((0.34, 0.09, 0.08), (0.12, 0.12, 0.12), "gold", "ornament"),
        box(
            (0.0, 0.08, -0.04),
            (0.14, 0.12, 0.18),
            "red",
            "books",
            material=Material.STRIPES,
            second="white",
            pattern=(0.03,),
        ),
        cylinder((-0.34, 0.09, -0.23), 0.035, 0.12, "light blue", "vase"),
    ]


def light_switch() -> Model:
    """Return a plate with one rocker and two screws."""
    return [
        box((0, 0.004, 0), (0.08, 0.008, 0.12), FIRST, "plate"),
        box((0, 0.012, 0), (0.034, 0.014, 0.066), FIRST, "rocker", tilt=7),
        plate((0, 0.0085, 0), 0.04, 0.072, "grey", "rocker"),
        *(cylinder((0, 0.009, z), 0.004, 0.004, "grey", "screw", tilt=90) for z in (-0.049, 0.049)),
    ]


def light_switch_toggle() -> Model:
    """Return a plate with two small levers side by side."""
    return [
        box((0, 0.004, 0), (0.12, 0.008, 0.12), FIRST, "plate"),
        *(plate((x, 0.0085, 0), 0.016, 0.034, "dark grey", "slot") for x in (-0.025, 0.025)),
        *(
            box((x, 0.017, z), (0.01, 0.03, 0.014), FIRST, "lever", tilt=t)
            for x, z, t in ((-0.025, 0.008, 30), (0.025, -0.008, -30))
        ),
        *(
            cylinder((x, 0.009, z), 0.004, 0.004, "grey", "screw", tilt=90)
            for x in (-0.025, 0.025)
            for z in (-0.045, 0.045)
        ),
    ]


def _socket(z: float) -> Model:
    """Return two slots and a round hole below them."""
    return [
        plate((0, 0.0095, z), 0.044, 0.044, "grey", "socket", Outline.OCTAGON),
        cylinder((0, 0.008, z), 0.02, 0.006, FIRST, "socket", tilt=90),
        *(box((x, 0.0115, z + 0.005), (0.004, 0.002, 0.013), "black", "slot") for x in (-0.008, 0.008)),
        cylinder((0, 0.0115, z - 0.01), 0.0035, 0.002, "black", "slot", tilt=90),
    ]


def electrical_outlet() -> Model:
    """Return a plate with two sockets above each other."""
    return [
        box((0, 0.004, 0), (0.08, 0.008, 0.12), FIRST, "plate"),
        *_socket(0.028),
        *_socket(-0.028),
        cylinder((0, 0.009, 0), 0.004, 0.004, "grey", "screw", tilt=90),
    ]


def electrical_outlet_plugged() -> Model:
    """Return an outlet with a plug in its lower socket and a hanging cord."""
    return [
        box((0, 0.004, 0), (0.08, 0.008, 0.12), FIRST, "plate"),
        *_socket(0.028),
        box((0, 0.025, -0.028), (0.032, 0.036, 0.034), "black", "plug"),
        rod((0, 0.04, -0.035), (0, 0.045, -0.075), 0.005, "black", "cord"),
        rod((0, 0.045, -0.075), (0.012, 0.02, -0.12), 0.005, "black", "cord"),
    ]


def _coat(x: float, y: float, z: float, colour: Colour, turn: float) -> Model:
    """Return a coat that hangs from (x, y, z)."""
    return [
        cone((x, y, z - 0.36), 0.17, 0.7, colour, "coat", top=0.42),
        rod(
            (x - 0.1 * cos(radians(turn)), y - 0.1 * sin(radians(turn)), z - 0.12),
            (x - 0.17 * cos(radians(turn)), y - 0.17 * sin(radians(turn)), z - 0.56),
            0.05,
            colour,
            "sleeve",
        ),
        rod(
            (x + 0.1 * cos(radians(turn)), y + 0.1 * sin(radians(turn)), z - 0.12),
            (x + 0.17 * cos(radians(turn)), y + 0.17 * sin(radians(turn)), z - 0.56),
            0.05,
            colour,
            "sleeve",
        ),
    ]


def coat_rack() -> Model:
    """Return a pole with hooks all around, a coat and a hat on it."""
    hooks = [
        rod((0, 0, 1.62), (0.16 * sin(radians(a)), 0.16 * cos(radians(a)), 1.72), 0.014, FIRST, "hook")
        for a in (45, 135, 225, 315)
    ]
    feet = [
        rod((0, 0, 0.16), (0.26 * sin(radians(a)), 0.26 * cos(radians(a)), 0.018), 0.018, FIRST, "foot")
        for a in (0, 90, 180, 270)
    ]
    return [
        cylinder((0, 0, 0.92), 0.025, 1.66, FIRST, "pole"),
        ball((0, 0, 1.77), (0.08, 0.08, 0.08), FIRST, "knob"),
        *hooks,
        *feet,
        *_coat(0.14, 0.1, 1.64, SECOND, 35),
        cylinder((-0.13, 0.12, 1.73), 0.15, 0.015, "tan", "hat", tilt=-30, roll=-25),
        ball((-0.14, 0.13, 1.76), (0.18, 0.18, 0.16), "tan", "hat"),
    ]


def coat_rack_bare() -> Model:
    """Return a slim pole on a round base, eight bare hooks in two rings."""
    hooks = [
        rod((0, 0, z), (r * sin(radians(a)), r * cos(radians(a)), z + 0.09), 0.013, FIRST, "hook")
        for z, r, shift in ((1.58, 0.17, 0), (1.38, 0.14, 45))
        for a in range(shift, 360 + shift, 90)
    ]
    ends = [
        ball((0.17 * sin(radians(a)), 0.17 * cos(radians(a)), 1.67), (0.045, 0.045, 0.045), SECOND, "knob")
        for a in (0, 90, 180, 270)
    ]
    return [
        cylinder((0, 0, 0.015), 0.2, 0.03, FIRST, "base"),
        cylinder((0, 0, 0.86), 0.022, 1.7, FIRST, "pole"),
        ball((0, 0, 1.73), (0.07, 0.07, 0.07), SECOND, "knob"),
        *hooks,
        *ends,
    ]
