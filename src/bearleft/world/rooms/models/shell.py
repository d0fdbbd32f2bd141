"""The shell of a room: walls, floors and ceilings of one metre that are stretched to size, doors and windows.

A wall's inner face is y = 0 and looks to +y; what hangs on it begins there. A floor's upper face is z = 0.01, a
ceiling's lower face z = 0. Patterns are in metres, so a stretched wall has more bricks, not wider ones.
"""

from __future__ import annotations

from typing import Any

from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, ball, box, cylinder, plate
from bearleft.world.render.codes import Material

BRIGHT = (0.75,)  # how much a window shines
LIT: dict[str, Any] = {"material": Material.GLOW, "pattern": (0.32,)}  # plaster that lamps throw their light on


def _wall(colour: Colour, skirting: Colour = "white", **more: Any) -> Model:
    """A slab with a skirting board, which is a share of the wall's height."""
    return [
        box((0, -0.05, 0.5), (1, 0.1, 1), colour, "wall", **more),
        box((0, 0.006, 0.019), (1, 0.012, 0.038), skirting, "baseboard"),
    ]


def wall_plain() -> Model:
    """One colour of paint."""
    return _wall(FIRST)


def wall_striped() -> Model:
    """Wallpaper with upright stripes."""
    return _wall(FIRST, material=Material.STRIPES, second=SECOND, pattern=(0.14,))


def wall_brick() -> Model:
    """Bare brick."""
    return _wall("brick", "dark grey", material=Material.BRICK)


def wall_wood() -> Model:
    """Upright boards."""
    return _wall("sandstone", "brown", roll=90, material=Material.WOOD, pattern=(0.16,))


def wall_tiled() -> Model:
    """Square tiles."""
    return _wall(FIRST, "grey", material=Material.PANELS, pattern=(0.3,))


def wall_two_tone() -> Model:
    """One colour below, another above, and a rail between them."""
    return [
        box((0, -0.05, 0.19), (1, 0.1, 0.38), SECOND, "lower wall"),
        box((0, -0.05, 0.69), (1, 0.1, 0.62), FIRST, "wall"),
        box((0, 0.005, 0.38), (1, 0.01, 0.02), "white", "rail"),
        box((0, 0.006, 0.019), (1, 0.012, 0.038), "white", "baseboard"),
    ]


def _floor(colour: Colour, **more: Any) -> Model:
    return [box((0, 0, 0.005), (1, 1, 0.01), colour, "floor", **more)]


def floor_boards() -> Model:
    """Boards of wood."""
    return _floor(FIRST, material=Material.WOOD, pattern=(0.14,))


def floor_checked() -> Model:
    """Tiles of two colours."""
    return _floor(FIRST, material=Material.CHECKS, second=SECOND, pattern=(0.4,))


def floor_tiled() -> Model:
    """Tiles of one colour."""
    return _floor(FIRST, material=Material.PANELS, pattern=(0.5,))


def floor_carpet() -> Model:
    """Wall-to-wall carpet, of one colour."""
    return _floor(FIRST)


def floor_stone() -> Model:
    """Flagstones."""
    return _floor("limestone", material=Material.STONE, pattern=(0.45,))


def ceiling_plain() -> Model:
    """Plaster."""
    return [box((0, 0, 0.05), (1, 1, 0.1), FIRST, "ceiling", **LIT)]


def ceiling_panels() -> Model:
    """Square panels, as in offices."""
    return [box((0, 0, 0.05), (1, 1, 0.1), FIRST, "ceiling", material=Material.PANELS, pattern=(0.6,))]


def ceiling_beams() -> Model:
    """Plaster between beams of wood."""
    beams = [box((0, -0.4 + 0.2 * k, -0.05), (1, 0.028, 0.1), "brown", "beam") for k in range(5)]
    return [box((0, 0, 0.05), (1, 1, 0.1), FIRST, "ceiling", **LIT), *beams]


def _frame(width: float, height: float, colour: Colour) -> Model:
    """The frame around a door."""
    side = width / 2 + 0.035
    return [
        box((-side, 0.03, height / 2 + 0.035), (0.07, 0.06, height + 0.07), colour, "frame"),
        box((side, 0.03, height / 2 + 0.035), (0.07, 0.06, height + 0.07), colour, "frame"),
        box((0, 0.03, height + 0.035), (width, 0.06, 0.07), colour, "frame"),
    ]


def _handle(x: float) -> Model:
    """A round plate and a lever that points to the door's middle."""
    inwards = -0.06 if x > 0 else 0.06
    return [
        box((x, 0.045, 1.02), (0.04, 0.014, 0.18), "gold", "handle"),
        box((x + inwards, 0.085, 1.04), (0.15, 0.024, 0.024), "gold", "handle"),
        cylinder((x, 0.065, 1.04), 0.012, 0.05, "gold", "handle", tilt=90),
    ]


def room_door_panel() -> Model:
    """A leaf with four sunk panels."""
    places = [(x, z, high) for x in (-0.19, 0.19) for z, high in ((0.5, 0.66), (1.48, 0.82))]
    edges = [plate((x, 0.0425, z), 0.32, high + 0.04, "grey", "panel") for x, z, high in places]
    raised = [box((x, 0.044, z), (0.28, 0.01, high), FIRST, "panel") for x, z, high in places]
    leaf = box((0, 0.021, 1.025), (0.9, 0.042, 2.05), FIRST, "leaf")
    return [leaf, *edges, *raised, *_frame(0.9, 2.05, SECOND), *_handle(0.38)]


def room_door_glass() -> Model:
    """A leaf with a large pane of frosted glass in bars."""
    bars = [box((0, 0.05, z), (0.6, 0.016, 0.03), FIRST, "bar") for z in (0.85, 1.25, 1.6)]
    return [
        box((0, 0.021, 1.025), (0.9, 0.042, 2.05), FIRST, "leaf"),
        plate((0, 0.044, 1.22), 0.6, 1.46, "light blue", "glass", material=Material.GLOW, pattern=(0.35,)),
        *bars,
        box((0, 0.05, 1.22), (0.03, 0.016, 1.46), FIRST, "bar"),
        *_frame(0.9, 2.05, SECOND),
        *_handle(0.38),
    ]


def room_door_double() -> Model:
    """Two leaves that meet in the middle, a tall panel in each."""
    model: Model = []
    for side, x in (("left leaf", 0.4), ("right leaf", -0.4)):
        model += [
            box((x, 0.021, 1.025), (0.788, 0.042, 2.05), FIRST, side),
            plate((x, 0.0425, 0.5), 0.54, 0.7, "grey", "panel"),
            plate((x, 0.0425, 1.45), 0.54, 0.9, "grey", "panel"),
            box((x, 0.044, 0.5), (0.5, 0.01, 0.66), FIRST, "panel"),
            box((x, 0.044, 1.45), (0.5, 0.01, 0.86), FIRST, "panel"),
            ball((x * 0.16, 0.07, 1.02), (0.06, 0.06, 0.06), "gold", "handle"),
        ]
    return [*model, box((0, 0.015, 1.025), (0.012, 0.03, 2.05), "black", "gap"), *_frame(1.6, 2.05, SECOND)]


def _window(width: float, height: float, columns: int, rows: int) -> Model:
    """Day outside: sky over a hedge, behind a frame and bars; a sill below."""
    shine: dict[str, Any] = {"material": Material.GLOW, "pattern": BRIGHT}
    low, top = -height / 2, height / 2
    across = [width * (k / columns - 0.5) for k in range(1, columns)]
    up = [low + height * k / rows for k in range(1, rows)]
    edge = 0.07
    return [
        plate((0, 0.012, low + height * 0.66), width, height * 0.68, "light blue", "glass", **shine),
        plate((0, 0.012, low + height * 0.2), width, height * 0.24, "leaf", "glass", **shine),
        plate((0, 0.012, low + height * 0.04), width, height * 0.08, "grass", "glass", **shine),
        *(box((x, 0.03, 0), (0.045, 0.05, height), FIRST, "bar") for x in across),
        *(box((0, 0.03, z), (width, 0.04, 0.04), FIRST, "bar") for z in up),
        *(box((x, 0.035, 0), (edge, 0.07, height + edge * 2), FIRST, "frame")
          for x in (-width / 2 - edge / 2, width / 2 + edge / 2)),
        *(box((0, 0.035, z), (width, 0.07, edge), FIRST, "frame") for z in (low - edge / 2, top + edge / 2)),
        box((0, 0.1, low - edge - 0.015), (width + 0.3, 0.2, 0.035), FIRST, "sill"),
    ]  # fmt: skip


def room_window() -> Model:
    """Two wings side by side."""
    return _window(1.26, 1.16, 2, 1)


def room_window_sash() -> Model:
    """A taller window whose lower half slides up."""
    return _window(0.9, 1.4, 1, 2)


def room_window_barred() -> Model:
    """Twelve small panes."""
    return _window(1.26, 1.16, 4, 3)
