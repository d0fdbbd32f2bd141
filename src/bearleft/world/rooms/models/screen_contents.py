"""Contents of screens: a football match, the news, a desktop, or a dark screen; distinct from all paintings."""

from __future__ import annotations

from typing import Any

from bearleft.world.city.shapes import Model, box, plate
from bearleft.world.render.codes import Material, Outline

LIT: dict[str, Any] = {"material": Material.GLOW, "pattern": (0.5,)}


def match(y: float, z: float, wide: float, high: float) -> Model:
    """Return a football field from above with players of two teams.

    Args:
        y: Position of the screen along y.
        z: Height of its centre.
        wide: Width of the screen.
        high: Height of the screen.
    """
    players = [
        plate((x * wide, y + 0.003, z + up * high), high * 0.06, high * 0.1, colour, "screen", Outline.DISC, **LIT)
        for x, up, colour in ((0.3, 0.15, "red"), (0.12, -0.2, "red"), (-0.16, 0.2, "blue"), (-0.3, -0.1, "blue"))
    ]
    return [
        plate((0, y, z), wide, high, "green", "screen", material=Material.STRIPES, second="grass", pattern=(0.12,)),
        plate((0, y + 0.001, z), wide * 0.012, high, "white", "screen", **LIT),
        plate((0, y + 0.001, z), high * 0.36, high * 0.36, "white", "screen", Outline.RING, (0.92,), **LIT),
        *(plate((x * wide, y + 0.001, z), wide * 0.012, high * 0.5, "white", "screen", **LIT) for x in (-0.38, 0.38)),
        *players,
        plate(
            (wide * 0.34, y + 0.003, z + high * 0.4),
            wide * 0.26,
            high * 0.13,
            "navy",
            "screen",
            material=Material.TEXT,
            second="white",
            text="2 : 1",
        ),
    ]


def news(y: float, z: float, wide: float, high: float) -> Model:
    """Return a newsreader, with letters on a red band below; arguments as in `match`."""
    return [
        plate((0, y, z), wide, high, "navy", "screen", **LIT),
        plate((-wide * 0.24, y + 0.001, z + high * 0.14), wide * 0.4, high * 0.5, "teal", "screen", **LIT),
        plate(
            (wide * 0.22, y + 0.001, z - high * 0.12), wide * 0.26, high * 0.3, "black", "screen", Outline.ARCH, **LIT
        ),
        plate(
            (wide * 0.22, y + 0.002, z + high * 0.16), high * 0.26, high * 0.34, "skin", "screen", Outline.DISC, **LIT
        ),
        plate(
            (0, y + 0.003, z - high * 0.36),
            wide,
            high * 0.28,
            "red",
            "screen",
            material=Material.TEXT,
            second="white",
            text="NEWS",
        ),
    ]


def desktop(y: float, z: float, wide: float, high: float) -> Model:
    """Return a table of figures beside a chart, and a task bar below; arguments as in `match`."""
    return [
        plate((0, y, z), wide, high, "blue", "screen", **LIT),
        plate((wide * 0.22, y + 0.001, z + high * 0.06), wide * 0.44, high * 0.7, "white", "screen",
              material=Material.BANDS, second="silver", pattern=(0.02,)),
        *(plate((wide * x, y + 0.001, z - high * (0.26 - share / 2)), wide * 0.06, high * share, "orange", "screen",
                **LIT) for x, share in ((-0.1, 0.3), (-0.2, 0.5), (-0.3, 0.2), (-0.4, 0.4))),
        plate((0, y + 0.001, z - high * 0.45), wide, high * 0.1, "black", "screen"),
    ]  # fmt: skip


def off(y: float, z: float, wide: float, high: float) -> Model:
    """Return a dark screen with a streak of light; arguments as in `match`."""
    return [
        plate((0, y, z), wide, high, "black", "screen"),
        box((wide * 0.2, y + 0.001, z), (wide * 0.06, 0.001, high * 0.8), "dark grey", "screen", roll=30),
    ]
