"""Contents of screens: a football match, the news, a desktop, or a dark screen; distinct from all paintings."""

from __future__ import annotations

from typing import Any

from bearleft.world.city.shapes import Model, box, plate
from bearleft.world.render.codes import Material, Outline

LIT: dict[str, Any] = {"material": Material.GLOW, "pattern": (0.5,)}


def match(y: float, z: float, width: float, height: float) -> Model:
    """Return a football field from above with players of two teams.

    Args:
        y: Position of the screen along y.
        z: Height of its centre.
        width: Width of the screen.
        height: Height of the screen.
    """
    players = [
        plate(
            (x * width, y + 0.003, z + up * height), height * 0.06, height * 0.1, colour, "screen", Outline.DISC, **LIT
        )
        for x, up, colour in ((0.3, 0.15, "red"), (0.12, -0.2, "red"), (-0.16, 0.2, "blue"), (-0.3, -0.1, "blue"))
    ]
    return [
        plate((0, y, z), width, height, "green", "screen", material=Material.STRIPES, second="grass", pattern=(0.12,)),
        plate((0, y + 0.001, z), width * 0.012, height, "white", "screen", **LIT),
        plate((0, y + 0.001, z), height * 0.36, height * 0.36, "white", "screen", Outline.RING, (0.92,), **LIT),
        *(
            plate((x * width, y + 0.001, z), width * 0.012, height * 0.5, "white", "screen", **LIT)
            for x in (-0.38, 0.38)
        ),
        *players,
        plate(
            (width * 0.34, y + 0.003, z + height * 0.4),
            width * 0.26,
            height * 0.13,
            "navy",
            "screen",
            material=Material.TEXT,
            second="white",
            text="2 : 1",
        ),
    ]


def news(y: float, z: float, width: float, height: float) -> Model:
    """Return a newsreader, with letters on a red band below; arguments as in `match`."""
    return [
        plate((0, y, z), width, height, "navy", "screen", **LIT),
        plate((-width * 0.24, y + 0.001, z + height * 0.14), width * 0.4, height * 0.5, "teal", "screen", **LIT),
        plate(
            (width * 0.22, y + 0.001, z - height * 0.12),
            width * 0.26,
            height * 0.3,
            "black",
            "screen",
            Outline.ARCH,
            **LIT,
        ),
        plate(
            (width * 0.22, y + 0.002, z + height * 0.16),
            height * 0.26,
            height * 0.34,
            "skin",
            "screen",
            Outline.DISC,
            **LIT,
        ),
        plate(
            (0, y + 0.003, z - height * 0.36),
            width,
            height * 0.28,
            "red",
            "screen",
            material=Material.TEXT,
            second="white",
            text="NEWS",
        ),
    ]


def desktop(y: float, z: float, width: float, height: float) -> Model:
    """Return a table of figures beside a chart, and a task bar below; arguments as in `match`."""
    return [
        plate((0, y, z), width, height, "blue", "screen", **LIT),
        plate((width * 0.22, y + 0.001, z + height * 0.06), width * 0.44, height * 0.7, "white", "screen",
              material=Material.BANDS, second="silver", pattern=(0.02,)),
        *(plate((width * x, y + 0.001, z - height * (0.26 - share / 2)), width * 0.06, height * share, "orange",
                "screen", **LIT) for x, share in ((-0.1, 0.3), (-0.2, 0.5), (-0.3, 0.2), (-0.4, 0.4))),
        plate((0, y + 0.001, z - height * 0.45), width, height * 0.1, "black", "screen"),
    ]  # fmt: skip


def off(y: float, z: float, width: float, height: float) -> Model:
    """Return a dark screen with a streak of light; arguments as in `match`."""
    return [
        plate((0, y, z), width, height, "black", "screen"),
        box((width * 0.2, y + 0.001, z), (width * 0.06, 0.001, height * 0.8), "dark grey", "screen", roll=30),
    ]
