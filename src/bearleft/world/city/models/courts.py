"""A basketball hoop and a metal bench."""

from __future__ import annotations

from typing import Any

from bearleft.world.city.shapes import FIRST, SECOND, Model, box, cylinder, plate, rod
from bearleft.world.render.codes import Material, Outline


def basketball_hoop() -> Model:
    """Return a backboard with a square on a bent pole and a hoop with its net; it faces the court."""
    return [
        cylinder((0, -1.2, 1.6), 0.09, 3.2, FIRST, "pole"),
        rod((0, -1.2, 3.15), (0, -0.2, 3.45), 0.07, FIRST, "pole"),
        box((0, -0.12, 3.5), (1.8, 0.06, 1.1), "white", "backboard"),
        plate((0, -0.015, 3.35), 0.6, 0.46, SECOND, "square"),
        plate((0, 0.0, 3.35), 0.5, 0.36, "white", "backboard"),
        box((0, -0.07, 3.5), (1.84, 0.04, 1.14), SECOND, "border"),
        box((0, -0.05, 3.5), (1.72, 0.04, 1.02), "white", "backboard"),
        plate((0, 0.24, 3.05), 0.56, 0.5, "orange", "hoop", Outline.RING, (0.8,), tilt=90),
        *(box((0, y, 3.05), (0.5, 0.04, 0.06), "orange", "hoop") for y in (0.0, 0.48)),
        *(box((x, 0.24, 3.05), (0.04, 0.5, 0.06), "orange", "hoop") for x in (-0.26, 0.26)),
        *(plate((0, y, 2.82), 0.42, 0.4, "white", "net", Outline.LATTICE, (6.0, 5.0, 0.2)) for y in (0.06, 0.42)),
        box((0, -1.2, 0.1), (0.6, 0.6, 0.2), "concrete", "base"),
    ]


def bench_of_metal() -> Model:
    """Return a bench of perforated steel, curved at the back, with arm rests."""
    mesh: dict[str, Any] = {"material": Material.STRIPES, "second": "grey", "pattern": (0.03,)}
    return [
        box((0, 0.02, 0.44), (1.8, 0.46, 0.04), SECOND, "seat", **mesh),
        box((0, -0.26, 0.72), (1.8, 0.04, 0.5), SECOND, "back", tilt=12, **mesh),
        cylinder((0, -0.33, 0.98), 0.035, 1.84, SECOND, "back", roll=90),
        *(box((x, 0.02, 0.62), (0.06, 0.5, 0.05), SECOND, "arm rest") for x in (-0.92, 0.92)),
        *(box((x, y, 0.3), (0.06, 0.06, 0.6), SECOND, "legs") for x in (-0.92, 0.92) for y in (-0.2, 0.24)),
    ]
