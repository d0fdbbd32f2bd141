"""Large objects on sidewalks: phone booths, bus stops, food carts, cafe tables, bicycles, subway entrances."""

from __future__ import annotations

from typing import Any

from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, ball, box, cone, cylinder, plate, rod, transformed
from bearleft.world.render.codes import Material, Outline


def phone_booth() -> Model:
    """Return a booth of glass, open ahead, with PHONE over the door and the telephone inside."""
    posts = [box((x, y, 1.1), (0.08, 0.08, 2.2), FIRST, "frame") for x in (-0.42, 0.42) for y in (-0.42, 0.42)]
    pane: dict[str, Any] = {"material": Material.GLASS, "second": FIRST, "pattern": (0.0, 0.7)}
    return [
        *posts,
        box((0, 0, 0.03), (0.94, 0.94, 0.06), "concrete", "base"),
        box((0, 0, 2.3), (0.98, 0.98, 0.22), FIRST, "roof"),
        plate((0, 0.5, 2.3), 0.9, 0.2, "white", "sign", material=Material.TEXT, second=FIRST, text="PHONE"),
        plate((0, -0.42, 1.15), 0.8, 2.1, "glass", "glass", **pane),
        plate((-0.42, 0, 1.15), 0.8, 2.1, "glass", "glass", yaw=90, **pane),
        plate((0.42, 0, 1.15), 0.8, 2.1, "glass", "glass", yaw=90, **pane),
        box((0, -0.3, 1.35), (0.36, 0.16, 0.6), "black", "phone"),
        box((0.08, -0.2, 1.42), (0.16, 0.05, 0.24), "silver", "keys"),
        box((-0.11, -0.18, 1.4), (0.06, 0.08, 0.3), "grey", "handset"),
    ]


def phone_booth_hood() -> Model:
    """Return a pay phone under a half hood on a post, PHONE on its sides."""
    sign: dict[str, Any] = {"material": Material.TEXT, "second": "white", "text": "PHONE"}
    return [
        box((0, -0.12, 0.5), (0.24, 0.2, 1.0), "dark grey", "post"),
        box((0, -0.24, 1.55), (0.8, 0.06, 1.1), "silver", "hood"),
        box((-0.4, 0.02, 1.5), (0.05, 0.58, 1.2), "silver", "hood"),
        box((0.4, 0.02, 1.5), (0.05, 0.58, 1.2), "silver", "hood"),
        box((0, 0.02, 2.17), (0.86, 0.6, 0.2), FIRST, "sign", **sign),
        plate((-0.44, 0.02, 1.75), 0.54, 0.22, FIRST, "sign", yaw=90, **sign),
        plate((0.44, 0.02, 1.75), 0.54, 0.22, FIRST, "sign", yaw=90, **sign),
        box((0, -0.12, 1.45), (0.36, 0.16, 0.6), "black", "phone"),
        box((0.08, -0.02, 1.52), (0.16, 0.05, 0.24), "silver", "keys"),
        box((-0.11, 0.0, 1.5), (0.06, 0.08, 0.3), "dark grey", "handset"),
    ]


def phone_kiosk() -> Model:
    """Return a slim tall pillar with a bright screen on either side and a small phone in its edge."""
    return [
        box((0, 0, 0.06), (0.9, 0.36, 0.12), "dark grey", "base"),
        box((0, 0, 1.5), (0.84, 0.26, 2.9), "dark grey", "body"),
        plate((0, 0.15, 1.85), 0.74, 1.4, FIRST, "screen", material=Material.GLOW),
        plate((0, -0.15, 1.85), 0.74, 1.4, FIRST, "screen", material=Material.GLOW),
        plate((0, 0.165, 2.15), 0.66, 0.3, FIRST, "screen", material=Material.TEXT, second="white", text="WIFI"),
        plate((0, 0.165, 1.6), 0.5, 0.5, SECOND, "screen", Outline.DISC),
        box((0.43, 0, 1.15), (0.03, 0.18, 0.4), "black", "phone"),
        plate((0, 0.15, 0.85), 0.74, 0.16, "dark grey", "label", material=Material.TEXT, text="FREE CALLS"),
    ]


def _hoop(x: float, colour: Colour) -> Model:
    return [
        cylinder((x, -0.33, 0.34), 0.032, 0.68, colour, "hoop"),
        cylinder((x, 0.33, 0.34), 0.032, 0.68, colour, "hoop"),
        rod((x, -0.33, 0.68), (x, -0.17, 0.86), 0.032, colour, "hoop"),
        rod((x, 0.33, 0.68), (x, 0.17, 0.86), 0.032, colour, "hoop"),
        cylinder((x, 0, 0.86), 0.032, 0.36, colour, "hoop", tilt=90),
    ]


def bike_rack() -> Model:
    """Return four steel hoops in a row."""
    return [solid for k in range(4) for solid in _hoop(-1.2 + 0.8 * k, FIRST)]


def _wheel(y: float, part: str) -> Model:
    """Return a wheel of two rings that lean apart, so that it has some width when seen end-on."""
    return [plate((0, y, 0.34), 0.68, 0.68, "rubber", part, Outline.RING, (0.84,), yaw=90 + lean) for lean in (-3, 3)]


def _bicycle(colour: Colour) -> Model:
    crank, seat, head = (0.0, -0.08, 0.3), (0.0, -0.24, 0.8), (0.0, 0.34, 0.82)
    return [
        *_wheel(0.52, "front wheel"),
        *_wheel(-0.52, "back wheel"),
        rod(crank, seat, 0.026, colour, "frame"),
        rod(crank, (0, 0.36, 0.74), 0.028, colour, "frame"),
        rod((0, -0.22, 0.76), head, 0.026, colour, "frame"),
        rod((0, -0.52, 0.34), crank, 0.02, colour, "frame"),
        rod((0, -0.52, 0.34), (0, -0.22, 0.74), 0.02, colour, "frame"),
        rod((0, 0.52, 0.34), (0, 0.31, 0.96), 0.026, colour, "frame"),
        cylinder((0, -0.25, 0.86), 0.02, 0.16, "silver", "saddle", tilt=17),
        ball((0, -0.27, 0.95), (0.17, 0.32, 0.1), "black", "saddle"),
        cylinder((0, 0.33, 1.0), 0.022, 0.56, "black", "handlebar", roll=90),
        plate((0.03, -0.08, 0.3), 0.2, 0.2, "silver", "pedal", Outline.RING, (0.6,), yaw=90),
        box((0, -0.08, 0.3), (0.34, 0.09, 0.04), "black", "pedal", tilt=30),
    ]


def bicycle() -> Model:
    """Return a bicycle that stands upright and faces +y: two wheels, a diamond frame, a saddle, a handlebar."""
    return _bicycle(FIRST)


def bike_rack_with_bikes() -> Model:
    """Return two hoops with a bicycle at each."""
    left = transformed(_bicycle(SECOND), (-0.38, 0.1, 0), part="bicycle")
    right = transformed(_bicycle("red"), (0.62, -0.1, 0), part="bicycle")
    return _hoop(-0.5, FIRST) + _hoop(0.5, FIRST) + left + right


def bike_share() -> Model:
    """Return three rental bicycles in their docks, and the pay station."""
    docks: Model = []
    for x in (-0.7, 0.0, 0.7):
        docks += [
            *(
                plate((x, y, 0.32), 0.62, 0.62, "rubber", "wheel", Outline.RING, (0.82,), yaw=90)
                for y in (-0.05, -1.05)
            ),
            box((x, -0.5, 0.42), (0.06, 0.62, 0.14), FIRST, "bicycle", tilt=12),
            box((x, -0.1, 0.8), (0.3, 0.24, 0.22), FIRST, "basket"),
            cylinder((x, -0.1, 1.02), 0.025, 0.56, "black", "handlebar", roll=90),
            rod((x, -0.72, 0.42), (x, -0.8, 0.88), 0.025, "silver", "bicycle"),
            ball((x, -0.82, 0.92), (0.2, 0.3, 0.1), "black", "saddle"),
            plate((x, -1.1, 0.45), 0.7, 0.4, FIRST, "bicycle", Outline.TRIANGLE, yaw=90),
            box((x, 0.4, 0.4), (0.14, 0.26, 0.8), "silver", "dock"),
        ]
    return [
        *docks,
        box((0, 0.4, 0.03), (2.6, 0.5, 0.06), "dark grey", "base"),
        box((1.5, 0.4, 1.1), (0.46, 0.22, 2.2), FIRST, "pay station"),
        plate((1.5, 0.53, 1.4), 0.3, 0.3, "light blue", "pay station", material=Material.GLOW),
    ]


def bus_stop() -> Model:
    """Return a shelter: glass behind a bench, a flat roof, and an advertisement at one end."""
    posts = [box((x, y, 1.25), (0.09, 0.09, 2.5), FIRST, "frame") for x in (-1.95, 1.95) for y in (-0.6, 0.55)]
    pane: dict[str, Any] = {"material": Material.GLASS, "second": FIRST}
    return [
        *posts,
        box((0, 0.05, 2.56), (4.3, 1.6, 0.14), "silver", "roof"),
        box((0, 0.86, 2.56), (2.4, 0.04, 0.3), "blue", "sign", material=Material.TEXT, text="BUS STOP"),
        plate((0, -0.6, 1.35), 3.8, 2.1, "glass", "glass", pattern=(1.27, 0.0), **pane),
        plate((1.95, -0.02, 1.35), 1.1, 2.1, "glass", "glass", yaw=90, **pane),
        box((-1.95, -0.02, 1.25), (0.16, 1.1, 2.1), "dark grey", "advertisement"),
        plate((-1.85, -0.02, 1.3), 0.98, 1.8, FIRST, "advertisement", yaw=90, second=SECOND, material=Material.MURAL),
        plate((-2.05, -0.02, 1.3), 0.98, 1.8, FIRST, "advertisement", yaw=90, second=SECOND, material=Material.MURAL),
        box((0.2, -0.25, 0.46), (2.4, 0.42, 0.06), "brown", "bench", material=Material.WOOD, pattern=(0.1,)),
        box((-0.7, -0.25, 0.22), (0.08, 0.36, 0.44), "dark grey", "bench"),
        box((1.1, -0.25, 0.22), (0.08, 0.36, 0.44), "dark grey", "bench"),
    ]


def bus_stop_pole() -> Model:
    """Return a pole with a round blue bus sign and a timetable box below."""
    return [
        cylinder((0, 0, 1.6), 0.045, 3.2, FIRST, "pole"),
        cylinder((0, 0.07, 2.85), 0.34, 0.05, "blue", "sign", tilt=90),
        plate((0, 0.11, 2.85), 0.52, 0.24, "blue", "sign", material=Material.TEXT, text="BUS"),
        box((0, 0.07, 2.35), (0.5, 0.04, 0.26), "white", "sign", material=Material.TEXT, second="blue"),
        box((0, 0.05, 1.45), (0.22, 0.12, 0.7), FIRST, "timetable"),
        plate(
            (0, 0.12, 1.45), 0.17, 0.62, "white", "timetable", material=Material.BANDS, second="grey", pattern=(0.05,)
        ),
    ]


def _umbrella(z: float, radius: float) -> Model:
    stripes: dict[str, Any] = {"material": Material.STRIPES, "second": SECOND, "pattern": (radius * 0.5236,)}
    return [
        cone((0, 0, z), radius, radius * 0.42, FIRST, "umbrella", top=0.06, **stripes),
        cylinder((0, 0, z - radius * 0.26), radius, radius * 0.1, FIRST, "umbrella", **stripes),
    ]


def food_cart() -> Model:
    """Return a hot dog cart: a steel box on two wheels under a striped umbrella."""
    return [
        box((0, 0, 0.72), (1.7, 0.85, 0.72), "silver", "cart"),
        box((0, 0, 1.11), (1.86, 1.0, 0.06), "steel", "counter"),
        box((0.35, -0.1, 1.24), (0.7, 0.5, 0.2), "silver", "grill"),
        plate((0, 0.44, 0.76), 1.4, 0.34, "yellow", "sign", material=Material.TEXT, second="red", text="HOT DOGS"),
        *(cylinder((-0.6, y, 0.3), 0.3, 0.07, "rubber", "wheel", tilt=90) for y in (-0.47, 0.47)),
        cylinder((0.7, 0, 0.18), 0.05, 0.36, "dark grey", "leg"),
        cylinder((0, 0, 1.7), 0.03, 1.2, "silver", "pole"),
        *_umbrella(2.42, 1.15),
        cylinder((-0.6, 0.3, 1.26), 0.05, 0.24, "red", "bottle"),
        cylinder((-0.44, 0.3, 1.26), 0.05, 0.24, "yellow", "bottle"),
        rod((0.86, 0, 0.95), (1.2, 0, 0.95), 0.03, "steel", "handle"),
    ]


def food_stand() -> Model:
    """Return a large closed cart with a serving window under an awning and its name on top."""
    return [
        box((0, 0, 1.3), (3.0, 1.7, 1.9), "silver", "cart"),
        box((0, 0.9, 1.6), (2.2, 0.06, 0.8), "black", "window"),
        box((0, 1.02, 1.17), (2.5, 0.36, 0.06), "steel", "counter"),
        box(
            (0, 1.25, 2.12),
            (2.7, 0.95, 0.05),
            FIRST,
            "awning",
            tilt=-18,
            material=Material.STRIPES,
            second=SECOND,
            pattern=(0.27,),
        ),
        box((0, 0.7, 2.5), (2.9, 0.12, 0.5), FIRST, "sign", material=Material.TEXT, second=SECOND),
        plate((0, 0.87, 0.75), 2.6, 0.5, "lamp", "menu", material=Material.CHECKS, second=FIRST, pattern=(0.25,)),
        *(cylinder((x, 0, 0.32), 0.32, 1.66, "rubber", "wheel", tilt=90) for x in (-0.9, 0.9)),
        box((-1.7, 0, 0.45), (0.5, 0.1, 0.1), "dark grey", "hitch"),
        cylinder((1.0, -0.3, 2.5), 0.1, 0.5, "steel", "chimney"),
    ]


def _chair(x: float, turn: float) -> Model:
    """Return a cafe chair beside a table at x, facing +x (`turn` 1) or -x (`turn` -1)."""
    return [
        box((x, 0, 0.45), (0.42, 0.42, 0.05), "dark grey", "chair"),
        box((x - 0.2 * turn, 0, 0.7), (0.04, 0.42, 0.46), "dark grey", "chair"),
        *(
            rod((x + a, b, 0), (x + a, b, 0.44), 0.025, "dark grey", "chair")
            for a in (-0.18, 0.18)
            for b in (-0.18, 0.18)
        ),
    ]


def cafe_table() -> Model:
    """Return a round table between two chairs."""
    return [
        cylinder((0, 0, 0.02), 0.26, 0.04, "dark grey", "base"),
        cylinder((0, 0, 0.38), 0.04, 0.72, "dark grey", "leg"),
        cylinder((0, 0, 0.75), 0.42, 0.05, FIRST, "table"),
        *_chair(-0.72, 1),
        *_chair(0.72, -1),
    ]


def umbrella_table() -> Model:
    """Return a cafe table and its chairs under a large umbrella."""
    table = [solid for solid in cafe_table() if solid.part != "table"]
    top = cylinder((0, 0, 0.75), 0.45, 0.05, "white", "table")
    return [*table, top, cylinder((0, 0, 1.5), 0.035, 1.5, "brown", "pole"), *_umbrella(2.35, 1.3)]


def subway_entrance() -> Model:
    """Return green railings around descending stairs, two green globes at the entrance, and a sign SUBWAY above."""
    rail: dict[str, Any] = {"outline": Outline.BARS, "shape": (22.0, 0.3)}
    steps: dict[str, Any] = {"material": Material.BANDS, "second": "black", "pattern": (0.28,)}
    posts = [cylinder((x, y, 0.55), 0.06, 1.1, FIRST, "railing") for x in (-0.95, 0.95) for y in (-1.7, 0.0)]
    rails = [box((x, 0, 1.05), (0.07, 3.4, 0.07), FIRST, "railing") for x in (-0.95, 0.95)]
    bars = [plate((x, 0, 0.53), 3.4, 1.0, FIRST, "railing", yaw=90, **rail) for x in (-0.95, 0.95)]
    lamps = [cylinder((x, 1.7, 1.1), 0.08, 2.2, FIRST, "post") for x in (-0.95, 0.95)]
    globes = [ball((x, 1.7, 2.38), (0.44, 0.44, 0.44), "green", "globe", material=Material.GLOW) for x in (-0.95, 0.95)]
    return [
        *posts,
        *rails,
        *bars,
        *lamps,
        *globes,
        plate((0, -1.7, 0.53), 1.9, 1.0, FIRST, "railing", Outline.BARS, (12.0, 0.3)),
        box((0, -1.7, 1.05), (1.9, 0.07, 0.07), FIRST, "railing"),
        box((0, 0, 0.08), (2.05, 3.5, 0.16), "concrete", "base"),
        box((0, 0.05, 0.1), (1.6, 3.42, 0.14), "grey", "stairs", **steps),
        box((0, 1.7, 1.88), (1.76, 0.1, 0.4), "black", "sign", material=Material.TEXT, text="SUBWAY"),
    ]
