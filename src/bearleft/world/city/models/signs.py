"""Traffic lights and signs. Their faces point to +y.

The mast arm of a traffic light extends to +x, over the road of the traffic that it faces.
The origin of a sign on a wall is the middle of its lower edge, on the wall.
"""

from __future__ import annotations

from typing import Any

from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, ball, box, cone, cylinder, plate, rod, taper
from bearleft.world.render.codes import Material, Outline

LENSES = (  # part, colours when lit and when not, and how brightly the light shines
    ("red light", "red", "maroon", 1.6),
    ("yellow light", "yellow", "brown", 1.2),
    ("green light", "green", "dark green", 4.0),
)
SHINING: dict[str, Any] = {"material": Material.GLOW, "pattern": (1.2,)}


def _lettered(text: str | None, letters: Colour, fill: float = 0.7) -> dict[str, Any]:
    return {"material": Material.TEXT, "second": letters, "text": text, "pattern": (fill,)}


def _head(x: float, y: float, z: float, lit: int) -> Model:
    """Return three lenses under visors, one of them lit (0 red, 1 yellow, 2 green)."""
    lights: Model = []
    for k, (part, bright, dull, strength) in enumerate(LENSES):
        height = z + 0.36 * (1 - k)
        shine = {"material": Material.GLOW, "pattern": (strength,)} if k == lit else {}
        lights += [
            cylinder((x, y + 0.13, height), 0.145, 0.05, bright if k == lit else dull, part, tilt=90, **shine),
            taper((x, y + 0.2, height + 0.15), (0.34, 0.26, 0.05), FIRST, "visor", x=0.3),
        ]
    return [box((x, y, z), (0.38, 0.24, 1.12), FIRST, "housing"), *lights]


def _traffic_light(lit: int) -> Model:
    return [
        taper((0, 0, 0.3), (0.5, 0.5, 0.6), "steel", "base", x=0.4, front=0.4, back=0.4),
        cone((0, 0, 3.2), 0.13, 6.0, "steel", "pole", top=0.75),
        rod((0, 0, 5.3), (5.6, 0, 5.6), 0.075, "steel", "arm"),
        rod((0, 0, 6.15), (3.0, 0, 5.5), 0.03, "steel", "arm"),
        *_head(5.3, 0.2, 5.35, lit),
        *_head(0.0, 0.28, 3.1, lit),
    ]


def traffic_light_red() -> Model:
    """Return a pole with a light and a mast arm that holds another over the road; red."""
    return _traffic_light(0)


def traffic_light_yellow() -> Model:
    """Return the light with a mast arm; yellow."""
    return _traffic_light(1)


def traffic_light_green() -> Model:
    """Return the light with a mast arm; green."""
    return _traffic_light(2)


def _pole_light(lit: int) -> Model:
    return [
        taper((0, 0, 0.25), (0.44, 0.44, 0.5), "steel", "base", x=0.4, front=0.4, back=0.4),
        cylinder((0, 0, 1.7), 0.08, 2.9, "steel", "pole"),
        *_head(0, 0, 3.6, lit),
        ball((0, 0, 4.2), (0.2, 0.2, 0.16), "steel", "top"),
    ]


def traffic_light_on_pole_red() -> Model:
    """Return a light on top of a pole; red."""
    return _pole_light(0)


def traffic_light_on_pole_green() -> Model:
    """Return a light on top of a pole; green."""
    return _pole_light(2)


def _pedestrian_box() -> Model:
    return [
        cylinder((0, 0, 1.6), 0.07, 3.2, "steel", "pole"),
        box((0, 0.2, 2.75), (0.5, 0.22, 0.52), FIRST, "housing"),
        plate((0, 0.32, 2.75), 0.43, 0.45, "black", "signal"),
        taper((0, 0.4, 3.02), (0.52, 0.24, 0.05), FIRST, "visor", x=0.2),
    ]


def pedestrian_signal_hand() -> Model:
    """Return a box on a pole with the orange hand (do not walk)."""
    fingers = [plate((0.09 - 0.06 * k, 0.34, 2.85), 0.045, 0.17, "orange", "hand", **SHINING) for k in range(4)]
    return [
        *_pedestrian_box(),
        *fingers,
        plate((0, 0.34, 2.68), 0.225, 0.18, "orange", "hand", **SHINING),
        plate((-0.14, 0.34, 2.7), 0.05, 0.16, "orange", "hand", roll=-35, **SHINING),
    ]


def pedestrian_signal_walk() -> Model:
    """Return a box on a pole with the white walking man."""
    man: dict[str, Any] = {"part": "walking man", **SHINING}
    return [
        *_pedestrian_box(),
        plate((0, 0.34, 2.91), 0.085, 0.085, "white", outline=Outline.DISC, **man),
        plate((0, 0.34, 2.78), 0.09, 0.17, "white", **man),
        plate((0.05, 0.34, 2.64), 0.05, 0.2, "white", roll=-24, **man),
        plate((-0.05, 0.34, 2.64), 0.05, 0.2, "white", roll=24, **man),
        plate((0, 0.34, 2.79), 0.25, 0.04, "white", roll=28, **man),
    ]


def _post(height: float) -> Model:
    return [cylinder((0, 0, height / 2), 0.04, height, "steel", "pole")]


def _layers(z: float, size: float, outline: Outline, colours: tuple[Colour, Colour], border: float) -> Model:
    """Return a flat sign in front of its post: a grey back, a border, and its face."""
    return [
        plate((0, 0.05, z), size, size, "steel", "back", outline),
        plate((0, 0.065, z), size, size, colours[0], "border", outline),
        plate((0, 0.08, z), size * border, size * border, colours[1], "sign", outline),
    ]


def stop_sign() -> Model:
    """Return a red octagon lettered STOP."""
    return [
        *_post(2.5),
        *_layers(2.3, 0.8, Outline.OCTAGON, ("white", "red"), 0.92),
        plate((0, 0.095, 2.3), 0.66, 0.3, "red", "letters", **_lettered("STOP", "white", 0.95)),
    ]


def yield_sign() -> Model:
    """Return a white triangle with a red border, point down."""
    return [
        *_post(2.5),
        *_layers(2.3, 0.9, Outline.YIELD, ("red", "red"), 0.96),
        plate((0, 0.095, 2.34), 0.6, 0.6, "white", "sign", Outline.YIELD),
        plate((0, 0.11, 2.54), 0.42, 0.13, "white", "letters", **_lettered("YIELD", "red", 0.9)),
    ]


def _arrow_plate(turn: int) -> Model:
    """Return ONE WAY in a white arrow on black; `turn` 1 points to +x, the reader's left."""
    return [
        *_post(2.9),
        box((0, 0.06, 2.6), (1.1, 0.03, 0.38), "steel", "back"),
        plate((0, 0.08, 2.6), 1.1, 0.38, "black", "sign"),
        plate((-0.135 * turn, 0.09, 2.6), 0.72, 0.18, "white", "arrow", **_lettered("ONE WAY", "black", 0.72)),
        plate((0.37 * turn, 0.09, 2.6), 0.34, 0.24, "white", "arrow", Outline.TRIANGLE, roll=90 * turn),
    ]


def one_way_left() -> Model:
    """Return a one-way sign that points to the reader's left."""
    return _arrow_plate(1)


def one_way_right() -> Model:
    """Return a one-way sign that points to the reader's right."""
    return _arrow_plate(-1)


def street_name_sign() -> Model:
    """Return a green blade with a street's name on top of a pole."""
    return [
        *_post(2.87),
        box((0, 0, 3.0), (1.3, 0.05, 0.3), FIRST, "sign", **_lettered(None, "white")),
        cylinder((0, 0, 3.18), 0.06, 0.08, "steel", "top"),
    ]


def street_name_blade() -> Model:
    """Return a single blade, placed on a pole across another one."""
    return [
        box((0, 0, 3.32), (1.3, 0.05, 0.3), FIRST, "sign", **_lettered(None, "white")),
        cylinder((0, 0, 3.16), 0.04, 0.1, "steel", "bracket"),
    ]


def speed_limit_sign() -> Model:
    """Return a white sign: SPEED, LIMIT and 25 above each other."""
    return [
        *_post(2.6),
        box((0, 0.055, 2.25), (0.64, 0.03, 0.82), "black", "border"),
        plate((0, 0.08, 2.25), 0.6, 0.78, "white", "sign"),
        plate((0, 0.095, 2.54), 0.52, 0.15, "white", "letters", **_lettered("SPEED", "black", 0.95)),
        plate((0, 0.095, 2.36), 0.52, 0.15, "white", "letters", **_lettered("LIMIT", "black", 0.95)),
        plate((0, 0.095, 2.07), 0.52, 0.34, "white", "number", **_lettered("25", "black", 0.95)),
    ]


def no_parking_sign() -> Model:
    """Return a white sign with a black P in a red ring with a red bar."""
    return [
        *_post(2.6),
        box((0, 0.055, 2.2), (0.62, 0.03, 0.82), "white", "sign"),
        plate((0, 0.085, 2.3), 0.25, 0.35, "white", "letters", **_lettered("P", "black", 1.0)),
        plate((0, 0.1, 2.3), 0.54, 0.54, "red", "ring", Outline.RING, (0.76,)),
        plate((0, 0.115, 2.3), 0.48, 0.06, "red", "bar", roll=-45),
        plate((0, 0.085, 1.9), 0.57, 0.15, "red", "letters", **_lettered("ANYTIME", "white", 0.8)),
    ]


def no_parking_sign_red() -> Model:
    """Return a red sign with white letters: NO PARKING, and an arrow below."""
    return [
        *_post(2.6),
        box((0, 0.055, 2.2), (0.62, 0.03, 0.82), "red", "sign"),
        plate((0, 0.085, 2.49), 0.5, 0.19, "red", "letters", **_lettered("NO", "white", 0.95)),
        plate((0, 0.085, 2.26), 0.59, 0.19, "red", "letters", **_lettered("PARKING", "white", 0.95)),
        plate((0, 0.085, 2.0), 0.28, 0.06, "white", "arrow"),
        *(plate((0.18 * k, 0.085, 2.0), 0.17, 0.15, "white", "arrow", Outline.TRIANGLE, roll=90 * k) for k in (-1, 1)),
    ]


def blade_sign() -> Model:
    """Return a lettered sign that projects from a wall, readable from along the sidewalk."""
    return [
        box((0, 0.75, 0.35), (1.2, 0.1, 0.7), FIRST, "sign", yaw=90, **_lettered(None, SECOND, 0.6)),
        cylinder((0, 0.68, 0.78), 0.03, 1.36, "black", "bracket", tilt=90),
        box((0, 0.02, 0.5), (0.14, 0.04, 0.7), "black", "bracket"),
    ]


def blade_sign_tall() -> Model:
    """Return a tall lettered sign that projects from a wall; its letters run downwards."""
    return [
        box((0, 0.6, 1.5), (3.0, 0.16, 0.7), FIRST, "sign", yaw=90, roll=90, **_lettered(None, SECOND, 0.75)),
        box((0, 0.15, 2.4), (0.06, 0.3, 0.06), "black", "bracket"),
        box((0, 0.15, 0.6), (0.06, 0.3, 0.06), "black", "bracket"),
    ]


def blade_sign_round() -> Model:
    """Return a round sign that hangs out from a wall."""
    return [
        cylinder((0, 0.6, 0.42), 0.42, 0.1, FIRST, "sign", yaw=90, tilt=90),
        *(plate((x, 0.6, 0.42), 0.7, 0.22, FIRST, "sign", yaw=90, **_lettered(None, SECOND)) for x in (-0.065, 0.065)),
        cylinder((0, 0.5, 0.88), 0.03, 1.0, "black", "bracket", tilt=90),
    ]


def sign_board() -> Model:
    """Return a lettered board over a shop, flat on the wall."""
    return [
        box((0, 0.06, 0.4), (4.0, 0.12, 0.8), SECOND, "border"),
        box((0, 0.09, 0.4), (3.86, 0.12, 0.66), FIRST, "sign", **_lettered(None, SECOND)),
    ]


def sign_board_lit() -> Model:
    """Return a lettered box that glows, with three lamps above."""
    lamps = [rod((x, 0.0, 0.95), (x, 0.4, 1.05), 0.025, "black", "lamp") for x in (-1.4, 0.0, 1.4)]
    shades = [cone((x, 0.42, 1.0), 0.12, 0.14, "black", "lamp", top=0.4) for x in (-1.4, 0.0, 1.4)]
    return [box((0, 0.12, 0.42), (4.0, 0.24, 0.84), FIRST, "sign", **_lettered(None, SECOND)), *lamps, *shades]


def blank_sign() -> Model:
    """Return a sign without letters on a pole."""
    return [*_post(2.5), box((0, 0.055, 2.15), (0.6, 0.03, 0.8), FIRST, "sign")]


def blank_sign_on_wall() -> Model:
    """Return a board without letters on a wall."""
    return [
        box((0, 0.05, 0.4), (2.4, 0.1, 0.8), "dark grey", "border"),
        box((0, 0.07, 0.4), (2.28, 0.1, 0.68), FIRST, "sign"),
    ]


def billboard() -> Model:
    """Return a large lettered board on two posts with a catwalk and lamps."""
    posts = [box((x, -0.25, 2.4), (0.24, 0.24, 4.8), "dark grey", "post") for x in (-2.0, 2.0)]
    lamps = [rod((x, 0.1, 1.75), (x, 1.0, 1.9), 0.035, "dark grey", "lamp") for x in (-2.0, 0.0, 2.0)]
    return [
        *posts,
        *lamps,
        box((0, 0, 3.5), (6.4, 0.3, 3.2), "dark grey", "border"),
        box((0, 0.03, 3.5), (6.1, 0.3, 2.9), FIRST, "picture", second=SECOND, material=Material.MURAL),
        box((0, 0.06, 2.75), (6.1, 0.3, 1.0), FIRST, "letters", **_lettered(None, SECOND)),
        box((0, 0.4, 1.72), (6.4, 0.7, 0.08), "dark grey", "catwalk"),
    ]


def banner() -> Model:
    """Return a long cloth beside a lamp post; its origin is the post's foot."""
    arms = [cylinder((0.4, 0, z), 0.025, 0.7, "black", "bracket", roll=90) for z in (3.0, 4.95)]
    return [
        *arms,
        plate((0.44, 0, 3.98), 0.62, 1.9, FIRST, "cloth", material=Material.CLOTH),
        *(plate((0.44, y, 4.72), 0.62, 0.26, SECOND, "stripe", material=Material.CLOTH) for y in (-0.02, 0.02)),
        *(plate((0.44, y, 3.8), 1.5, 0.5, FIRST, "letters", roll=90, **_lettered(None, SECOND)) for y in (-0.02, 0.02)),
    ]


def banner_on_wall() -> Model:
    """Return a long cloth that hangs flat on a wall."""
    return [
        plate((0, 0.12, 1.5), 1.0, 3.0, FIRST, "cloth", material=Material.CLOTH),
        plate((0, 0.14, 1.5), 3.0, 1.0, FIRST, "letters", roll=90, **_lettered(None, SECOND, 0.6)),
        cylinder((0, 0.12, 3.0), 0.03, 1.1, "black", "bracket", roll=90),
        box((0, 0.06, 2.98), (0.06, 0.12, 0.06), "black", "bracket"),
    ]


def sandwich_board() -> Model:
    """Return two boards that lean against each other on the sidewalk, with the menu on black."""
    boards: Model = []
    for side, tilt in ((1, 12), (-1, -12)):
        boards += [
            box((0, 0.13 * side, 0.52), (0.66, 0.04, 1.06), FIRST, "frame", tilt=tilt),
            box((0, 0.145 * side, 0.54), (0.56, 0.04, 0.9), "black", "board", tilt=tilt),
            plate((0, 0.125 * side, 0.76), 0.52, 0.2, "black", "letters", tilt=tilt, **_lettered(None, "white", 0.8)),
            plate(
                (0, 0.18 * side, 0.5),
                0.4,
                0.24,
                "black",
                "letters",
                tilt=tilt,
                material=Material.BANDS,
                pattern=(0.05,),
            ),
        ]
    return boards
