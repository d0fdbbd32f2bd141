"""Cars, taxis, vans and two-wheelers. They drive towards +y; FIRST is their paint."""

from __future__ import annotations

from bearleft.world.city.models.vehicle_parts import cabin, car_body, ends, hull, lettered, mirrors, wheels
from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, ball, box, cylinder
from bearleft.world.render.codes import Material


def _sedan(paint: Colour) -> Model:
    return [
        *car_body(2.35, -2.35, 1.84, 0.28, 0.86, 0.1, paint),
        hull((0.82, 0.96), (0.5, 2.24), (0.5, 1.35), (1.66, 1.4), paint, "hood"),
        hull((0.82, 0.99), (-2.31, -0.9), (-2.2, -0.9), (1.68, 1.5), paint, "trunk"),
        *cabin((0.9, 1.46), (-1.72, 0.98), (-1.08, 0.22), (1.68, 1.2), -0.3, paint),
        mirrors(0.62, 1.0, 2.04, paint),
        *ends(2.35, -2.35, 1.84, 0.66, 0.86, paint=paint),
        *wheels(1.42, -1.4, 0.34, 1.86),
    ]


def sedan() -> Model:
    """Return a car with a trunk."""
    return _sedan(FIRST)


def hatchback() -> Model:
    """Return a small car with a steep back."""
    return [
        *car_body(1.98, -1.98, 1.76, 0.28, 0.88, 0.14, FIRST),
        hull((0.84, 1.0), (0.6, 1.8), (0.6, 1.1), (1.56, 1.36), FIRST, "hood"),
        *cabin((0.9, 1.52), (-1.96, 1.05), (-1.6, 0.3), (1.66, 1.24), -0.15),
        mirrors(0.66, 1.04, 1.98),
        *ends(1.98, -1.98, 1.76, 0.7, 0.7),
        *wheels(1.25, -1.25, 0.32, 1.78),
    ]


def suv() -> Model:
    """Return a tall car, boxy at the back, with rails on its roof."""
    return [
        *car_body(2.4, -2.4, 1.96, 0.38, 1.06, 0.1, FIRST),
        hull((1.02, 1.2), (0.6, 2.26), (0.6, 1.7), (1.8, 1.6), FIRST, "hood"),
        *cabin((1.1, 1.8), (-2.36, 1.1), (-2.08, 0.45), (1.84, 1.46), -0.25),
        box((-0.6, -0.85, 1.82), (0.06, 2.0, 0.07), "black", "roof rack"),
        box((0.6, -0.85, 1.82), (0.06, 2.0, 0.07), "black", "roof rack"),
        mirrors(0.75, 1.24, 2.2, "black"),
        *ends(2.4, -2.4, 1.96, 0.84, 0.96, 0.5, 0.17),
        *wheels(1.5, -1.45, 0.4, 1.98),
    ]


def _roof_light(z: float, y: float) -> Model:
    return [
        box((0, y, z), (0.6, 0.26, 0.22), "lamp", "roof light", material=Material.TEXT, second="black", text="TAXI"),
    ]


def taxi_sedan() -> Model:
    """Return a yellow cab."""
    return [
        *_sedan("yellow"),
        *_roof_light(1.57, -0.35),
        lettered(-0.35, 0.64, 1.9, 1.85, 0.2, "yellow", "door", "black", "NYC TAXI"),
    ]


def taxi_van() -> Model:
    """Return a tall yellow cab with a checkered band."""
    return [
        *car_body(2.3, -2.3, 1.9, 0.34, 1.0, 0.2, "yellow"),
        hull((0.96, 1.12), (0.7, 2.1), (0.7, 1.5), (1.72, 1.5), "yellow", "hood"),
        *cabin((1.02, 1.84), (-2.26, 1.35), (-2.05, 0.6), (1.84, 1.5), -0.2, "yellow"),
        *_roof_light(1.95, -0.5),
        box(
            (0, -0.5, 0.78),
            (1.915, 2.6, 0.2),
            "yellow",
            "checkered band",
            material=Material.CHECKS,
            second="black",
            pattern=(0.1,),
        ),
        mirrors(0.9, 1.16, 2.14, "black"),
        *ends(2.3, -2.3, 1.9, 0.78, 0.8, 0.46, paint="yellow"),
        *wheels(1.4, -1.4, 0.36, 1.92),
    ]


def police_car() -> Model:
    """Return a white car with a blue stripe and red and blue lights on its roof."""
    return [
        *_sedan("white"),
        box((-0.33, -0.4, 1.53), (0.62, 0.28, 0.15), "red", "siren", material=Material.GLOW),
        box((0.33, -0.4, 1.53), (0.62, 0.28, 0.15), "blue", "siren", material=Material.GLOW),
        lettered(-0.3, 0.64, 2.0, 1.86, 0.3, "white", "door", "blue", "POLICE"),
        box((0, -0.05, 0.44), (1.86, 4.3, 0.08), "blue", "stripe"),
    ]


def delivery_van() -> Model:
    """Return a tall van without windows at the back; its sides are lettered."""
    return [
        hull((0.4, 1.25), (-2.75, 2.75), (-2.75, 2.5), (2.0, 1.96), FIRST, "body"),
        hull((1.2, 2.55), (-2.74, 2.15), (-2.7, 1.1), (1.96, 1.76), FIRST, "roof"),
        hull((1.3, 2.2), (0.8, 2.12), (0.8, 1.42), (1.72, 1.6), "dark grey", "windshield", Material.GLASS),
        hull((1.3, 2.08), (0.75, 1.85), (0.75, 1.24), (1.985, 1.85), "dark grey", "window", Material.GLASS),
        lettered(-1.1, 1.55, 3.0, 1.99, 0.6, FIRST, "side", SECOND),
        box((0, -2.74, 1.75), (1.5, 0.06, 0.6), "dark grey", "rear window", material=Material.GLASS),
        box((0, 0, 0.42), (1.86, 5.3, 0.24), "rubber", "underside"),
        mirrors(1.75, 1.5, 2.3, "black"),
        *ends(2.75, -2.75, 2.0, 0.92, 1.0, 0.5, 0.2),
        *wheels(1.85, -1.7, 0.38, 2.02),
    ]


def step_van() -> Model:
    """Return a boxy parcel van with a short nose and a flat windshield."""
    return [
        box((0, -0.45, 1.75), (2.2, 5.1, 2.3), FIRST, "body"),
        box((0, -0.45, 2.93), (2.1, 5.0, 0.1), "white", "roof"),
        hull((0.5, 1.35), (2.0, 2.95), (2.0, 2.75), (2.0, 1.8), FIRST, "hood"),
        box((0, 2.1, 2.1), (2.0, 0.06, 0.95), "dark grey", "windshield", material=Material.GLASS),
        box((0, 1.55, 1.95), (2.22, 0.8, 1.15), "dark grey", "window", material=Material.GLASS),
        lettered(-0.9, 2.0, 3.4, 2.22, 0.8, FIRST, "side", SECOND),
        box((0, -3.0, 1.7), (1.5, 0.04, 1.8), "silver", "back door", material=Material.SHUTTER),
        box((0, -0.1, 0.56), (2.0, 5.7, 0.24), "rubber", "underside"),
        *ends(2.95, -3.0, 2.0, 0.9, 1.1, 0.56, 0.2),
        *wheels(2.15, -1.9, 0.42, 2.2),
    ]


def pickup() -> Model:
    """Return a pickup: an open bed behind the cab."""
    return [
        *car_body(2.75, -2.75, 1.98, 0.42, 0.98, 0.08, FIRST),
        hull((0.94, 1.16), (0.8, 2.64), (0.8, 2.2), (1.84, 1.68), FIRST, "hood"),
        *cabin((1.0, 1.82), (-0.75, 1.35), (-0.55, 0.6), (1.84, 1.46), 0.2),
        box((-0.94, -1.76, 1.1), (0.08, 1.9, 0.3), FIRST, "bed"),
        box((0.94, -1.76, 1.1), (0.08, 1.9, 0.3), FIRST, "bed"),
        box((0, -2.7, 1.1), (1.9, 0.08, 0.3), FIRST, "tailgate"),
        box((0, -1.74, 0.985), (1.78, 1.84, 0.03), "black", "bed"),
        mirrors(1.0, 1.2, 2.26, "black"),
        *ends(2.75, -2.75, 1.98, 0.82, 1.2, 0.54, 0.2),
        *wheels(1.75, -1.7, 0.41, 2.0),
    ]


def _tyre(y: float, radius: float, width: float, part: str) -> Model:
    return [
        cylinder((0, y, radius), radius, width, "rubber", part, roll=90),
        cylinder((0, y, radius), radius * 0.62, width + 0.02, "silver", part, roll=90),
    ]


def motorcycle() -> Model:
    """Return a motorcycle: two wide wheels, a tank, a long seat."""
    return [
        *_tyre(0.75, 0.33, 0.13, "front wheel"),
        *_tyre(-0.7, 0.33, 0.17, "back wheel"),
        box((0, 0.02, 0.46), (0.3, 0.62, 0.34), "dark grey", "engine"),
        ball((0, 0.22, 0.84), (0.34, 0.66, 0.3), FIRST, "tank"),
        ball((0, -0.38, 0.8), (0.3, 0.84, 0.2), "black", "seat"),
        box((0, -0.74, 0.7), (0.2, 0.5, 0.08), FIRST, "fender", tilt=-18),
        box((0, 0.63, 0.72), (0.2, 0.07, 0.86), "silver", "fork", tilt=22),
        cylinder((0, 0.42, 1.1), 0.025, 0.8, "black", "handlebar", roll=90),
        ball((0, 0.66, 0.96), (0.22, 0.2, 0.22), "lamp", "headlight"),
        cylinder((0.2, -0.5, 0.36), 0.05, 0.9, "silver", "exhaust", tilt=84),
        box((0, -0.98, 0.74), (0.16, 0.05, 0.1), "red", "tail light"),
        box((-0.14, -0.02, 0.14), (0.05, 0.05, 0.3), "black", "kickstand", roll=25),
    ]


def scooter() -> Model:
    """Return a scooter: small wheels, a leg shield, a round tail."""
    return [
        *_tyre(0.62, 0.23, 0.11, "front wheel"),
        *_tyre(-0.55, 0.23, 0.12, "back wheel"),
        ball((0, -0.5, 0.52), (0.42, 0.9, 0.52), FIRST, "body"),
        box((0, 0.08, 0.26), (0.34, 0.7, 0.09), FIRST, "floor"),
        box((0, 0.44, 0.58), (0.44, 0.07, 0.74), FIRST, "leg shield", tilt=16),
        ball((0, 0.62, 0.38), (0.2, 0.5, 0.3), FIRST, "fender"),
        ball((0, -0.4, 0.8), (0.32, 0.78, 0.16), "black", "seat"),
        cylinder((0, 0.34, 1.0), 0.022, 0.68, "black", "handlebar", roll=90),
        ball((0, 0.4, 1.0), (0.24, 0.24, 0.2), FIRST, "headlight"),
        ball((0, 0.5, 1.0), (0.15, 0.08, 0.15), "lamp", "headlight"),
        box((0, -0.93, 0.58), (0.14, 0.05, 0.1), "red", "tail light"),
    ]
