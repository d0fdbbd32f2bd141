"""Bridges over streets, 20 m long; a bridge is stretched along x when it is placed.

x runs across the street from wall to wall; traffic passes below along y.
"""

from __future__ import annotations

from typing import Any

from bearleft.world.city.shapes import FIRST, SECOND, Model, box, plate, taper
from bearleft.world.render.codes import Material, Outline

SPAN = 20.0


def railway_bridge() -> Model:
    """Return riveted girders on two stone piers at the walls, with rails on top and CLEARANCE on the side."""
    ribs: dict[str, Any] = {"material": Material.PANELS, "pattern": (0.65,)}
    return [
        *(
            box((x, 0, 2.5), (0.9, 5.0, 5.0), "limestone", "pier", material=Material.STONE, pattern=(0.5,))
            for x in (-9.5, 9.5)
        ),
        *(box((0, y, 5.75), (SPAN, 0.3, 1.5), FIRST, "girder") for y in (-2.2, 2.2)),
        *(plate((0, y, 5.75), SPAN, 1.3, FIRST, "girder", **ribs) for y in (-2.37, 2.37)),
        *(box((0, y, 6.55), (SPAN, 0.5, 0.12), FIRST, "girder") for y in (-2.2, 2.2)),
        box((0, 0, 5.2), (SPAN, 4.3, 0.3), "dark grey", "deck"),
        *(box((0, y, 5.5), (SPAN, 0.1, 0.16), "steel", "rail") for y in (-0.75, 0.75)),
        *(plate((0, y, 7.1), SPAN, 1.0, FIRST, "railing", Outline.BARS, (60.0, 0.2)) for y in (-2.2, 2.2)),
        *(box((0, y, 7.6), (SPAN, 0.08, 0.08), FIRST, "railing") for y in (-2.2, 2.2)),
        *(
            box(
                (0, y, 5.75),
                (3.0, 0.06, 0.5),
                "yellow",
                "sign",
                material=Material.TEXT,
                second="black",
                text="CLEARANCE 16-0",
            )
            for y in (-2.42, 2.42)
        ),
    ]


def footbridge() -> Model:
    """Return a closed walk of glass and steel from one house to the other, two floors above the street."""
    return [
        box((0, 0, 6.0), (SPAN, 3.0, 0.4), FIRST, "deck"),
        box(
            (0, 0, 7.4), (SPAN, 2.8, 2.5), "glass", "glass", material=Material.GLASS, second=FIRST, pattern=(1.6, 1.25)
        ),
        box((0, 0, 8.75), (SPAN, 3.1, 0.3), FIRST, "roof"),
        taper((0, 0, 9.0), (SPAN, 2.6, 0.3), SECOND, "roof", front=0.5, back=0.5),
        *(box((x, 0, 7.4), (0.3, 3.0, 2.8), FIRST, "frame") for x in (-5.0, 0.0, 5.0)),
    ]
