"""Yellow and green signs that warn or guide: crosswalk ahead, school, dead end, bike route. They face +y."""

from __future__ import annotations

from typing import Any

from bearleft.world.city.shapes import Colour, Model, cylinder, plate
from bearleft.world.render.codes import Material, Outline

POST = 2.7
FACE = 2.2  # metres: height of a sign's centre


def _words(text: str, letters: Colour) -> dict[str, Any]:
    return {"material": Material.TEXT, "second": letters, "text": text, "pattern": (0.92,)}


def _diamond() -> Model:
    return [
        cylinder((0, 0, POST / 2), 0.04, POST, "steel", "pole"),
        plate((0, 0.05, FACE), 1.1, 1.1, "steel", "back", Outline.DIAMOND),
        plate((0, 0.065, FACE), 1.1, 1.1, "black", "border", Outline.DIAMOND),
        plate((0, 0.08, FACE), 1.02, 1.02, "yellow", "sign", Outline.DIAMOND),
    ]


def _walker(x: float, z: float, size: float) -> Model:
    """Return a black walking figure."""

    def patch(dx: float, dz: float, width: float, height: float, **options: Any) -> Model:
        at = (x + dx * size, 0.095, z + dz * size)
        return [plate(at, width * size, height * size, "black", "figure", **options)]

    return [
        *patch(0, 0.24, 0.13, 0.13, outline=Outline.DISC),
        *patch(0, 0.07, 0.13, 0.22),
        *patch(0.08, -0.15, 0.07, 0.28, roll=-24),
        *patch(-0.08, -0.15, 0.07, 0.28, roll=24),
        *patch(0, 0.09, 0.36, 0.06, roll=30),
    ]


def crosswalk_sign() -> Model:
    """Return a yellow diamond with a walking figure."""
    return [*_diamond(), *_walker(0, FACE, 1.15)]


def school_sign() -> Model:
    """Return a yellow diamond with two walking figures, and SCHOOL on a plate below."""
    return [
        *_diamond(),
        *_walker(-0.16, FACE + 0.03, 0.85),
        *_walker(0.2, FACE - 0.05, 0.6),
        plate((0, 0.07, 1.5), 0.8, 0.26, "yellow", "sign", **_words("SCHOOL", "black")),
        plate((0, 0.055, 1.5), 0.84, 0.3, "black", "border"),
    ]


def dead_end_sign() -> Model:
    """Return a yellow diamond lettered DEAD END."""
    return [
        *_diamond(),
        plate((0, 0.095, FACE + 0.11), 0.6, 0.19, "yellow", "letters", **_words("DEAD", "black")),
        plate((0, 0.095, FACE - 0.12), 0.5, 0.19, "yellow", "letters", **_words("END", "black")),
    ]


def bike_route_sign() -> Model:
    """Return a green board with a white bicycle and BIKE ROUTE."""
    wheels = [
        plate((x, 0.09, FACE + 0.06), 0.26, 0.26, "white", "bicycle", Outline.RING, (0.74,)) for x in (-0.17, 0.17)
    ]
    return [
        cylinder((0, 0, POST / 2), 0.04, POST, "steel", "pole"),
        plate((0, 0.05, FACE), 0.8, 0.8, "steel", "back"),
        plate((0, 0.065, FACE), 0.8, 0.8, "white", "border"),
        plate((0, 0.078, FACE), 0.75, 0.75, "green", "sign"),
        *wheels,
        plate((0, 0.09, FACE + 0.16), 0.24, 0.035, "white", "bicycle"),
        plate((-0.08, 0.09, FACE + 0.12), 0.2, 0.03, "white", "bicycle", roll=55),
        plate((0.12, 0.09, FACE + 0.14), 0.2, 0.03, "white", "bicycle", roll=-55),
        plate((0, 0.09, FACE - 0.22), 0.7, 0.18, "green", "letters", **_words("BIKE ROUTE", "white")),
    ]
