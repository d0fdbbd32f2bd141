"""Ground that people name: parks, ball courts, medians, bike lanes and curb ramps.

Models are 10 m long where they are stretched to fit; they lie flat, a few centimetres above the ground.
"""

from __future__ import annotations

from typing import Any

from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, Solid, Vector, ball, box, cylinder, plate
from bearleft.world.render.codes import Material, Outline

LENGTH = 10.0  # metres of a park, a median and a bike lane along y
COURT_WIDTH, COURT_LENGTH = 12.0, 18.0  # metres
MEDIAN_WIDTH = 0.8  # metres
BIKE_LANE_WIDTH = 1.2  # metres
GRASS: dict[str, Any] = {"material": Material.FOLIAGE}
LINE_WIDTH = 0.1  # metres of painted lines
PAINT = 0.05  # metres above the ground


def _park(path_share: float) -> Model:
    """Return two lawns with a path between them that takes a share of the width."""
    path, lawn = LENGTH * path_share, LENGTH * (1 - path_share) / 2
    return [
        *(box((side * (path + lawn) / 2, 0, 0.015), (lawn, LENGTH, 0.03), FIRST, "grass", **GRASS) for side in (-1, 1)),
        box((0, 0, 0.01), (path, LENGTH, 0.02), "sandstone", "path", material=Material.PANELS, pattern=(1.0,)),
    ]


def small_park() -> Model:
    """Return a small park."""
    return _park(0.16)


def park() -> Model:
    """Return a park."""
    return _park(0.08)


def large_park() -> Model:
    """Return a large park."""
    return _park(0.035)


def _line(x: float, y: float, width: float, length: float) -> Solid:
    """Return a painted line on a court."""
    return box((x, y, PAINT / 2), (width, length, PAINT), "white", "line")


def _lines(half_width: float, half_length: float, middle: float = 0.0) -> Model:
    """Return the four painted sides of a rectangle around (0, middle)."""
    return [
        *(_line(x, middle, LINE_WIDTH, 2 * half_length) for x in (-half_width, half_width)),
        *(_line(0, middle + y, 2 * half_width, LINE_WIDTH) for y in (-half_length, half_length)),
    ]


def basketball_court() -> Model:
    """Return painted ground with a border, a centre circle and a key at either end."""
    half_width, half_length = COURT_WIDTH / 2 - 0.5, COURT_LENGTH / 2 - 0.6
    keys: Model = []
    for end in (-1, 1):
        middle = end * (half_length - 2.4)
        keys += [
            box((0, middle, 0.02), (4.0, 4.8, 0.04), SECOND, "key"),
            *_lines(2.0, 2.4, middle),
            plate((0, end * (half_length - 4.8), 0.045), 3.6, 3.6, "white", "line", Outline.RING, (0.94,), tilt=90),
        ]
    return [
        box((0, 0, 0.015), (COURT_WIDTH, COURT_LENGTH, 0.03), FIRST, "surface"),
        *_lines(half_width, half_length),
        _line(0, 0, 2 * half_width, LINE_WIDTH),
        plate((0, 0, 0.045), 3.6, 3.6, "white", "line", Outline.RING, (0.94,), tilt=90),
        *keys,
    ]


def tennis_court() -> Model:
    """Return painted ground with the lines of a tennis court and a net across the middle."""
    return [
        box((0, 0, 0.015), (COURT_WIDTH, COURT_LENGTH, 0.03), FIRST, "surface"),
        box((0, 0, 0.02), (8.0, 14.0, 0.04), SECOND, "key"),
        *_lines(4.0, 7.0),
        *(_line(x, 0, LINE_WIDTH, 14.0) for x in (-3.0, 3.0)),
        *(_line(0, y, 6.0, LINE_WIDTH) for y in (-3.8, 3.8)),
        _line(0, 0, LINE_WIDTH, 7.6),
        plate((0, 0, 0.5), 9.0, 0.9, "black", "net", Outline.LATTICE, (60.0, 7.0, 0.3)),
        box((0, 0, 0.97), (9.0, 0.05, 0.08), "white", "net"),
        *(cylinder((x, 0, 0.53), 0.06, 1.06, "dark green", "post") for x in (-4.5, 4.5)),
    ]


def parking_lot() -> Model:
    """Return asphalt with painted bays at the front and at the back."""
    bays = [box((-4.4 + 1.1 * k, y, 0.02), (0.05, 2.6, 0.04), "white", "line") for k in range(9) for y in (-3.6, 3.6)]
    return [box((0, 0, 0.015), (LENGTH, LENGTH, 0.03), FIRST, "surface"), *bays]


def _curb(colour: Colour = "concrete") -> Solid:
    return box((0, 0, 0.1), (MEDIAN_WIDTH, LENGTH, 0.2), colour, "curb")


def _leaves(at: Vector, size: Vector) -> Solid:
    return ball(at, size, FIRST, "plants", **GRASS)


def planted_median() -> Model:
    """Return a strip of earth in a low curb with bushes and flowers."""
    bushes = [_leaves((0, -4.2 + 1.4 * k, 0.42), (0.66, 1.2, 0.7 if k % 2 else 0.5)) for k in range(7)]
    flowers = [ball((0.16 * (-1) ** k, -3.5 + 1.4 * k, 0.36), (0.3, 0.3, 0.26), SECOND, "flowers") for k in range(6)]
    return [_curb(), box((0, 0, 0.12), (0.6, LENGTH - 0.3, 0.22), "bark", "soil"), *bushes, *flowers]


def grass_median() -> Model:
    """Return a strip of grass in a low curb."""
    return [_curb(), box((0, 0, 0.13), (0.6, LENGTH - 0.3, 0.24), FIRST, "grass", **GRASS)]


def median_with_trees() -> Model:
    """Return a strip of grass in a low curb with two slim trees."""
    trees: Model = []
    for y in (-2.5, 2.5):
        trees += [
            cylinder((0, y, 1.2), 0.08, 2.2, "bark", "trunk"),
            ball((0, y, 3.5), (1.3, 1.5, 2.8), FIRST, "plants", **GRASS),
        ]
    return [*grass_median(), *trees]


def concrete_median() -> Model:
    """Return a strip of bare concrete."""
    return [
        _curb(),
        box((0, 0, 0.13), (0.6, LENGTH - 0.3, 0.22), "concrete", "concrete", material=Material.PANELS, pattern=(0.6,)),
    ]


def bike_lane() -> Model:
    """Return a painted lane with a bicycle and an arrowhead in white."""
    wheels = [plate((0, y, 0.02), 0.62, 0.62, "white", "symbol", Outline.RING, (0.74,), tilt=90) for y in (-0.9, 0.0)]
    arrow = [
        box((x, 1.1, 0.01), (0.12, 0.8, 0.02), "white", "symbol", yaw=yaw) for x, yaw in ((-0.22, -40), (0.22, 40))
    ]
    return [
        box((0, 0, 0.006), (BIKE_LANE_WIDTH, LENGTH, 0.012), FIRST, "lane"),
        *wheels,
        box((0, -0.45, 0.01), (0.1, 0.9, 0.02), "white", "symbol"),
        *arrow,
    ]


def curb_ramp() -> Model:
    """Return a sloped piece of sidewalk with a bumpy plate towards the road."""
    bumps: dict[str, Any] = {"material": Material.DOTS, "second": "dark grey", "pattern": (0.1, 0.025)}
    return [
        box((0, -0.15, 0.01), (1.5, 1.3, 0.02), "limestone", "slope"),
        box((0, 0.18, 0.015), (1.3, 0.6, 0.03), FIRST, "bumps", **bumps),
    ]
