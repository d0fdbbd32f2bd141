"""Parts of vehicles: hulls, wheels, windows, lights."""

from __future__ import annotations

from bearleft.world.city.shapes import FIRST, Colour, Model, Solid, box, cylinder, taper
from bearleft.world.render.codes import Material

Span = tuple[float, float]


def hull(
    z: Span, below: Span, above: Span, widths: Span, colour: Colour, part: str, material: Material = Material.PLAIN
) -> Solid:
    """Return a tapered box.

    Args:
        z: Heights of its lower and upper face.
        below: Back and front end of the lower face.
        above: Back and front end of the upper face.
        widths: Widths of the lower and upper face.
        colour: Colour.
        part: Name of the part.
        material: Material.
    """
    half, middle = (below[1] - below[0]) / 2, (below[0] + below[1]) / 2
    return taper(
        (0, middle, (z[0] + z[1]) / 2),
        (widths[0], 2 * half, z[1] - z[0]),
        colour,
        part,
        x=1 - widths[1] / widths[0],
        front=(below[1] - above[1]) / half,
        back=(above[0] - below[0]) / half,
        material=material,
    )


def _axle(y: float, radius: float, width: float, part: str) -> Model:
    """Return both wheels of an axle as one roller; the part between them is never visible."""
    return [
        cylinder((0, y, radius), radius, width, "rubber", part, roll=90),
        cylinder((0, y, radius), radius * 0.58, width + 0.03, "silver", part, roll=90),
    ]


def wheels(front: float, back: float, radius: float, width: float) -> Model:
    """Return two axles with wheels at y = `front` and y = `back`."""
    return [*_axle(front, radius, width, "front wheel"), *_axle(back, radius, width, "back wheel")]


def cabin(z: Span, below: Span, above: Span, widths: Span, pillar: float, paint: Colour = FIRST) -> Model:
    """Return a cabin: roof and pillars in the body's colour, glass all around.

    Args:
        z: Heights of its lower and upper face.
        below: Back and front end of the lower face.
        above: Back and front end of the upper face.
        widths: Widths of the lower and upper face.
        pillar: Position of the middle pillars along y.
        paint: Colour of roof and pillars.
    """
    low, high = z
    lean_back, lean_front = (above[0] - below[0]) / (high - low), (below[1] - above[1]) / (high - low)
    lean_side = (widths[0] - widths[1]) / (high - low)
    top, sill = high - 0.09, low - 0.02

    def at(height: float, inset: float) -> Span:
        rise = height - low
        return below[0] + lean_back * rise + inset, below[1] - lean_front * rise - inset

    def width(height: float, extra: float) -> float:
        return widths[0] - lean_side * (height - low) + extra

    middle = (below[0] + below[1]) / 2
    glass = Material.GLASS
    front = (middle, at(sill, -0.015)[1]), (middle, at(top, -0.015)[1])
    back = (at(sill, -0.015)[0], middle), (at(top, -0.015)[0], middle)
    slim = width(sill, -0.18), width(top, -0.18)
    side = width(sill, 0.02), width(top, 0.02)
    return [
        hull(z, below, above, widths, paint, "roof"),
        hull((sill, top), *front, slim, "dark grey", "windshield", glass),
        hull((sill, top), *back, slim, "dark grey", "rear window", glass),
        hull((sill, top), at(sill, 0.16), at(top, 0.1), side, "dark grey", "window", glass),
        hull(
            (sill, top),
            (pillar - 0.05, pillar + 0.05),
            (pillar - 0.05, pillar + 0.05),
            (side[0] + 0.01, side[1] + 0.01),
            paint,
            "pillar",
        ),
    ]


def ends(
    front: float,
    back: float,
    width: float,
    lights: float,
    grille: float,
    bumper: float = 0.4,
    light_height: float = 0.15,
    paint: Colour = FIRST,
) -> Model:
    """Return lights, grille, bumpers and both licence plates.

    Args:
        front: Front end of the body.
        back: Back end of the body.
        width: Width of the body.
        lights: Height of the lights.
        grille: Width of the grille.
        bumper: Height of the bumpers.
        light_height: Height of the light units.
        paint: Colour of the trunk.
    """
    return [
        box((0, front - 0.12, lights), (width - 0.08, 0.3, light_height), "white", "headlight"),
        box((0, front - 0.1, lights - 0.01), (grille, 0.3, light_height + 0.03), "black", "grille"),
        box((0, back + 0.1, lights + 0.04), (width - 0.04, 0.26, light_height), "red", "tail light"),
        box((0, back + 0.09, lights + 0.04), (width * 0.58, 0.26, light_height + 0.02), paint, "trunk"),
        box((0, (front + back) / 2, bumper), (width - 0.1, front - back + 0.14, 0.13), "dark grey", "bumper"),
        box((0, (front + back) / 2, bumper + 0.13), (0.42, front - back + 0.12, 0.16), "cream", "license plate"),
    ]


def car_body(front: float, back: float, width: float, low: float, belt: float, nose: float, paint: Colour) -> Model:
    """Return the body up to the windows, dark below the doors."""
    return [
        hull((low, belt), (back, front), (back + 0.06, front - nose), (width, width - 0.12), paint, "body"),
        box((0, (front + back) / 2, low - 0.02), (width - 0.16, front - back - 0.3, 0.22), "rubber", "underside"),
    ]


def lettered(
    y: float,
    z: float,
    length: float,
    width: float,
    height: float,
    paint: Colour,
    part: str,
    ink: Colour,
    text: str | None = None,
) -> Solid:
    """Return lettering on both sides of a vehicle: a box across it whose lettered faces point sideways."""
    size = length, width, height
    return box((0, y, z), size, paint, part, yaw=90, material=Material.TEXT, second=ink, text=text)


def mirrors(y: float, z: float, width: float, colour: Colour = FIRST) -> Solid:
    """Return both side mirrors as one box across the vehicle."""
    return box((0, y, z), (width, 0.12, 0.13), colour, "mirror")
