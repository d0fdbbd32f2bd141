"""Trucks, buses and the ambulance. They drive towards +y; FIRST is their paint."""

from __future__ import annotations

from bearleft.world.city.models.vehicle_parts import cabin, ends, hull, lettered, mirrors, wheels
from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, box, taper
from bearleft.world.render.codes import Material


def _truck_cab(front: float, back: float, paint: Colour) -> Model:
    """Return an upright cab over the front axle."""
    return [
        hull((0.55, 1.45), (back, front), (back, front), (2.2, 2.2), paint, "cab"),
        hull((1.45, 2.5), (back, front), (back, front - 0.35), (2.2, 2.0), paint, "cab"),
        hull(
            (1.48, 2.3),
            (back + 0.9, front + 0.005),
            (back + 0.9, front - 0.27),
            (2.0, 1.86),
            "dark grey",
            "windshield",
            Material.GLASS,
        ),
        hull(
            (1.45, 2.22),
            (front - 1.1, front - 0.2),
            (front - 1.05, front - 0.42),
            (2.22, 2.07),
            "dark grey",
            "window",
            Material.GLASS,
        ),
        box((0, front - 0.1, 0.98), (2.1, 0.26, 0.2), "white", "headlight"),
        box((0, front - 0.08, 1.0), (1.3, 0.26, 0.42), "black", "grille"),
        box((0, front - 0.05, 0.6), (2.24, 0.3, 0.28), "silver", "bumper"),
        box((0, front - 0.25, 1.85), (2.66, 0.08, 0.4), "black", "mirror"),
    ]


def box_truck() -> Model:
    """Return a cab and a large white box with a name on its sides."""
    return [
        *_truck_cab(3.5, 1.75, FIRST),
        box((0, -1.0, 2.15), (2.44, 5.3, 2.5), "white", "box"),
        box((0, -1.0, 3.42), (2.48, 5.34, 0.08), "silver", "roof"),
        lettered(-1.0, 2.35, 4.6, 2.46, 1.1, "white", "side", SECOND),
        box((0, -3.66, 2.1), (2.1, 0.05, 2.2), "silver", "back door", material=Material.SHUTTER),
        box((0, -3.62, 0.78), (2.3, 0.16, 0.2), "red", "tail light"),
        box((0, -3.64, 0.78), (1.5, 0.18, 0.24), "black", "bumper"),
        box((0, -0.3, 0.72), (1.1, 6.4, 0.4), "rubber", "frame"),
        *wheels(2.65, -2.2, 0.48, 2.36),
    ]


def flatbed_truck() -> Model:
    """Return a truck with an open bed and stakes."""
    return [
        *_truck_cab(3.5, 1.75, FIRST),
        box((0, -1.0, 1.1), (2.4, 5.2, 0.14), "brown", "bed", material=Material.WOOD, pattern=(0.2,)),
        box((-1.17, -1.0, 1.55), (0.06, 5.2, 0.8), SECOND, "side", material=Material.WOOD, pattern=(0.28,)),
        box((1.17, -1.0, 1.55), (0.06, 5.2, 0.8), SECOND, "side", material=Material.WOOD, pattern=(0.28,)),
        box((0, -3.57, 1.55), (2.38, 0.06, 0.8), SECOND, "tailgate", material=Material.WOOD, pattern=(0.28,)),
        box((0, 1.57, 1.75), (2.38, 0.08, 1.3), "dark grey", "headboard"),
        box((0, -3.62, 0.8), (2.3, 0.12, 0.2), "red", "tail light"),
        box((0, -0.3, 0.78), (1.1, 6.4, 0.4), "rubber", "frame"),
        *wheels(2.65, -2.2, 0.48, 2.36),
    ]


def garbage_truck() -> Model:
    """Return a truck with a rounded hopper and a slanted tail."""
    return [
        *_truck_cab(3.9, 2.2, FIRST),
        box((0, -0.3, 1.95), (2.4, 4.5, 1.9), FIRST, "hopper"),
        taper((0, -0.3, 3.05), (2.4, 4.5, 0.3), FIRST, "roof", x=0.2),
        lettered(-0.3, 2.2, 3.8, 2.48, 0.7, "white", "side", "dark green", "SANITATION"),
        box((-0.0, 0.6, 1.95), (2.46, 0.1, 1.95), "silver", "rib"),
        box((-0.0, -1.4, 1.95), (2.46, 0.1, 1.95), "silver", "rib"),
        hull((1.3, 3.3), (-4.1, -2.5), (-3.3, -2.5), (2.36, 2.36), FIRST, "tail"),
        hull((0.85, 1.3), (-4.15, -2.5), (-4.1, -2.5), (2.36, 2.34), "dark grey", "tail"),
        box((0, -3.98, 1.75), (1.9, 0.5, 0.7), "black", "opening", tilt=-22),
        box(
            (0, -4.1, 1.05),
            (2.3, 0.16, 0.2),
            "orange",
            "bumper",
            material=Material.DIAGONAL,
            second="white",
            pattern=(0.16,),
        ),
        box((0, 0.2, 0.75), (1.1, 7.2, 0.4), "rubber", "frame"),
        *wheels(3.0, -2.0, 0.48, 2.36),
    ]


def ambulance() -> Model:
    """Return a white box behind a van's nose, with an orange stripe and lights on top."""
    return [
        hull((0.45, 1.3), (-0.3, 3.1), (-0.3, 2.95), (2.0, 1.96), "white", "hood"),
        *(
            solid
            for solid in cabin((1.2, 2.2), (-0.2, 2.25), (0.1, 1.35), (1.92, 1.7), 0.7, "white")
            if solid.part != "rear window"
        ),  # the box hides the rear window
        box((0, -1.45, 1.72), (2.3, 3.3, 2.15), "white", "box"),
        box((0, -1.45, 1.35), (2.33, 3.33, 0.34), "orange", "stripe"),
        lettered(-1.45, 2.1, 2.8, 2.33, 0.46, "white", "side", "red", "AMBULANCE"),
        box((0, -3.1, 1.75), (1.5, 0.05, 1.1), "dark grey", "back door", material=Material.GLASS),
        box((0, 0.18, 2.66), (2.1, 0.2, 0.2), "red", "siren", material=Material.GLOW),
        box((0, -3.1, 2.66), (2.1, 0.12, 0.2), "red", "siren", material=Material.GLOW),
        box((0, 0, 0.5), (1.86, 5.9, 0.3), "rubber", "underside"),
        mirrors(1.6, 1.5, 2.4, "black"),
        *ends(3.12, -3.12, 2.0, 0.86, 1.1, 0.5, 0.2, "white"),
        *wheels(2.15, -1.75, 0.42, 2.12),
    ]


def city_bus() -> Model:
    """Return a bus of twelve metres: a band of windows, its route above the windshield, two doors on the right."""
    return [
        box((0, 0, 0.92), (2.55, 12.1, 1.15), FIRST, "body"),
        box((0, 0, 1.95), (2.53, 12.06, 1.0), "black", "window", material=Material.GLASS, second="dark grey",
            pattern=(1.45, 2.0)),
        box((0, 0, 2.72), (2.55, 12.1, 0.56), FIRST, "roof"),
        taper((0, 0, 3.08), (2.5, 12.0, 0.18), FIRST, "roof", x=0.16, front=0.03, back=0.03),
        box((0, 0, 1.24), (2.57, 12.12, 0.14), SECOND, "stripe"),
        box((0, 5.98, 1.8), (2.35, 0.2, 1.3), "dark grey", "windshield", material=Material.GLASS),
        box((0, 6.0, 2.72), (1.8, 0.2, 0.36), "black", "route sign", material=Material.TEXT, second="orange"),
        lettered(2.0, 2.72, 2.0, 2.58, 0.32, "black", "route sign", "orange"),
        box((0.7, 4.9, 1.44), (1.2, 1.25, 2.1), "black", "front door", material=Material.GLASS, second="silver",
            pattern=(0.62, 3.0)),
        box((0.7, -1.0, 1.44), (1.2, 1.3, 2.1), "black", "back door", material=Material.GLASS, second="silver",
            pattern=(0.65, 3.0)),
        box((0, 6.02, 0.72), (2.3, 0.12, 0.2), "white", "headlight"),
        box((0, 6.03, 0.74), (1.5, 0.12, 0.3), FIRST, "front"),
        box((0, -6.02, 1.1), (2.4, 0.12, 0.3), "red", "tail light"),
        box((0, -6.04, 1.1), (1.7, 0.12, 0.7), "dark grey", "engine cover", material=Material.SHUTTER),
        box((0, 0, 0.42), (2.5, 12.3, 0.26), "black", "bumper"),
        box((0, 5.9, 2.2), (3.0, 0.1, 0.36), "black", "mirror"),
        *wheels(3.3, -3.1, 0.5, 2.58),
    ]  # fmt: skip


def school_bus() -> Model:
    """Return a yellow bus with a long hood and black lines along its sides."""
    return [
        box((0, -0.9, 1.45), (2.4, 8.2, 1.5), "yellow", "body"),
        box((0, -0.9, 2.3), (2.38, 8.16, 0.7), "black", "window", material=Material.GLASS, second="yellow",
            pattern=(0.9, 2.0)),
        box((0, -0.9, 2.72), (2.4, 8.2, 0.3), "yellow", "roof"),
        taper((0, -0.9, 2.97), (2.4, 8.2, 0.22), "yellow", "roof", x=0.3, front=0.03, back=0.03),
        hull((0.6, 1.75), (3.0, 4.75), (3.0, 4.55), (2.2, 1.7), "yellow", "hood"),
        box((0, 3.2, 2.15), (2.2, 0.06, 0.75), "dark grey", "windshield", material=Material.GLASS),
        box((0, 3.22, 2.78), (1.7, 0.08, 0.24), "yellow", "sign", material=Material.TEXT, second="black",
            text="SCHOOL BUS"),
        box((0, -0.9, 1.76), (2.42, 8.22, 0.07), "black", "stripe"),
        box((0, -0.9, 1.0), (2.42, 8.22, 0.07), "black", "stripe"),
        lettered(-0.9, 1.4, 5.0, 2.43, 0.46, "yellow", "side", "black", "SCHOOL BUS"),
        box((0.7, 2.6, 1.5), (1.04, 0.8, 1.6), "black", "door", material=Material.GLASS, second="yellow",
            pattern=(0.4, 3.0)),
        box((-1.28, 1.9, 1.45), (0.06, 0.45, 0.45), "red", "stop sign"),
        box((0, 4.7, 1.1), (2.0, 0.14, 0.24), "white", "headlight"),
        box((0, 4.72, 1.1), (1.2, 0.16, 0.5), "black", "grille"),
        box((0, -0.1, 0.6), (2.3, 10.0, 0.2), "black", "bumper"),
        box((0, -4.99, 2.0), (1.6, 0.06, 0.8), "dark grey", "rear window", material=Material.GLASS),
        box((0, -4.98, 1.3), (2.2, 0.08, 0.2), "red", "tail light"),
        *wheels(3.7, -2.9, 0.48, 2.3),
    ]  # fmt: skip
