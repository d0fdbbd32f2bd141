"""The shell of a room: walls, floors and ceilings of one metre that are stretched to size, doors and windows.

The inner face of a wall is y = 0 and points to +y; objects hang there. The upper face of a floor is z = 0.01, the
lower face of a ceiling z = 0. Patterns are in metres, so a stretched wall has more bricks, not wider ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, ball, box, cylinder, plate
from bearleft.world.render.codes import Material, Outline

SHINE: dict[str, Any] = {"material": Material.GLOW, "pattern": (0.75,)}  # the view through a window
LIT: dict[str, Any] = {"material": Material.GLOW, "pattern": (0.32,)}  # plaster lit by lamps


def _wall(colour: Colour, skirting: Colour = "white", **options: Any) -> Model:
    """Return a slab with a skirting board whose height is a fraction of the wall's."""
    return [
        box((0, -0.05, 0.5), (1, 0.1, 1), colour, "wall", **options),
        box((0, 0.006, 0.019), (1, 0.012, 0.038), skirting, "baseboard"),
    ]


def wall_plain() -> Model:
    """Return a wall painted in one colour."""
    return _wall(FIRST)


def wall_striped() -> Model:
    """Return a wall with striped wallpaper."""
    return _wall(FIRST, material=Material.STRIPES, second=SECOND, pattern=(0.14,))


def wall_brick() -> Model:
    """Return a wall of bare brick."""
    return _wall("brick", "dark grey", material=Material.BRICK)


def wall_wood() -> Model:
    """Return a wall of upright boards."""
    return _wall("sandstone", "brown", roll=90, material=Material.WOOD, pattern=(0.16,))


def wall_tiled() -> Model:
    """Return a wall of square tiles."""
    return _wall(FIRST, "grey", material=Material.PANELS, pattern=(0.3,))


def wall_two_tone() -> Model:
    """Return a wall with one colour below, another above, and a rail between them."""
    return [
        box((0, -0.05, 0.19), (1, 0.1, 0.38), SECOND, "lower wall"),
        box((0, -0.05, 0.69), (1, 0.1, 0.62), FIRST, "wall"),
        box((0, 0.005, 0.38), (1, 0.01, 0.02), "white", "rail"),
        box((0, 0.006, 0.019), (1, 0.012, 0.038), "white", "baseboard"),
    ]


def _floor(colour: Colour, **options: Any) -> Model:
    return [box((0, 0, 0.005), (1, 1, 0.01), colour, "floor", **options)]


def floor_boards() -> Model:
    """Return a floor of wooden boards."""
    return _floor(FIRST, material=Material.WOOD, pattern=(0.14,))


def floor_checked() -> Model:
    """Return a floor of tiles in two colours."""
    return _floor(FIRST, material=Material.CHECKS, second=SECOND, pattern=(0.4,))


def floor_tiled() -> Model:
    """Return a floor of tiles in one colour."""
    return _floor(FIRST, material=Material.PANELS, pattern=(0.5,))


def floor_carpet() -> Model:
    """Return a wall-to-wall carpet in one colour."""
    return _floor(FIRST)


def floor_carpet_bordered() -> Model:
    """Return carpet tiles with a broad band around them and a plain margin along the walls."""
    return [
        box((0, 0, 0.004), (1, 1, 0.008), FIRST, "floor"),
        box((0, 0, 0.0045), (0.88, 0.88, 0.009), SECOND, "border"),
        box((0, 0, 0.005), (0.83, 0.83, 0.01), FIRST, "field", material=Material.PANELS, pattern=(0.5,)),
    ]


def floor_stone() -> Model:
    """Return a floor of flagstones."""
    return _floor("limestone", material=Material.STONE, pattern=(0.45,))


def ceiling_plain() -> Model:
    """Return a plaster ceiling."""
    return [box((0, 0, 0.05), (1, 1, 0.1), FIRST, "ceiling", **LIT)]


def ceiling_panels() -> Model:
    """Return a ceiling of square panels, as in offices."""
    return [box((0, 0, 0.05), (1, 1, 0.1), FIRST, "ceiling", material=Material.PANELS, pattern=(0.6,))]


def ceiling_beams() -> Model:
    """Return a plaster ceiling with wooden beams."""
    beams = [box((0, -0.4 + 0.2 * k, -0.05), (1, 0.028, 0.1), "brown", "beam") for k in range(5)]
    return [box((0, 0, 0.05), (1, 1, 0.1), FIRST, "ceiling", **LIT), *beams]


def ceiling_boards() -> Model:
    """Return a ceiling of painted boards."""
    return [box((0, 0, 0.05), (1, 1, 0.1), FIRST, "ceiling", material=Material.WOOD, pattern=(0.3,))]


def _frame(width: float, height: float, colour: Colour) -> Model:
    """Return the frame around a door."""
    side = width / 2 + 0.035
    return [
        box((-side, 0.03, height / 2 + 0.035), (0.07, 0.06, height + 0.07), colour, "frame"),
        box((side, 0.03, height / 2 + 0.035), (0.07, 0.06, height + 0.07), colour, "frame"),
        box((0, 0.03, height + 0.035), (width, 0.06, 0.07), colour, "frame"),
    ]


def _handle(x: float) -> Model:
    """Return a round plate and a lever that points to the middle of the door."""
    inwards = -0.06 if x > 0 else 0.06
    return [
        box((x, 0.045, 1.02), (0.04, 0.014, 0.18), "gold", "handle"),
        box((x + inwards, 0.085, 1.04), (0.15, 0.024, 0.024), "gold", "handle"),
        cylinder((x, 0.065, 1.04), 0.012, 0.05, "gold", "handle", tilt=90),
    ]


def room_door_panel() -> Model:
    """Return a door with four sunk panels."""
    places = [(x, z, height) for x in (-0.19, 0.19) for z, height in ((0.5, 0.66), (1.48, 0.82))]
    edges = [plate((x, 0.0425, z), 0.32, height + 0.04, "grey", "panel") for x, z, height in places]
    raised = [box((x, 0.044, z), (0.28, 0.01, height), FIRST, "panel") for x, z, height in places]
    leaf = box((0, 0.021, 1.025), (0.9, 0.042, 2.05), FIRST, "leaf")
    return [leaf, *edges, *raised, *_frame(0.9, 2.05, SECOND), *_handle(0.38)]


def _glazed(panes: Model) -> Model:
    """Return a door leaf with a large pane divided by bars."""
    bars = [box((0, 0.05, z), (0.6, 0.016, 0.03), FIRST, "bar") for z in (0.85, 1.25, 1.6)]
    return [
        box((0, 0.021, 1.025), (0.9, 0.042, 2.05), FIRST, "leaf"),
        *panes,
        *bars,
        box((0, 0.05, 1.22), (0.03, 0.016, 1.46), FIRST, "bar"),
        *_frame(0.9, 2.05, SECOND),
        *_handle(0.38),
    ]


def room_door_glass() -> Model:
    """Return a door of frosted glass."""
    return _glazed([plate((0, 0.044, 1.22), 0.6, 1.46, "light blue", "glass", material=Material.GLOW, pattern=(0.35,))])


def room_door_garden() -> Model:
    """Return a door of clear glass with a lawn and a path outside."""
    return _glazed(
        [
            plate((0, 0.043, 1.6), 0.6, 0.7, "cream", "glass", **SHINE),
            plate((0, 0.043, 0.87), 0.6, 0.76, "grass", "glass", **SHINE),
            plate((0, 0.044, 0.87), 0.3, 0.76, "limestone", "glass", Outline.TRIANGLE, **SHINE),
        ]
    )


def room_door_dusk() -> Model:
    """Return a door of clear glass with dusk and a lamp outside."""
    return _glazed(
        [
            plate((0, 0.043, 1.22), 0.6, 1.46, "navy", "glass", **SHINE),
            plate((0.14, 0.044, 1.5), 0.12, 0.12, "lamp", "glass", Outline.DISC, **SHINE),
        ]
    )


def room_door_double() -> Model:
    """Return a double door with a tall panel in each leaf."""
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


def _hedge(width: float, height: float) -> Model:
    """Return a view by day: sky over a hedge."""
    low = -height / 2
    return [
        plate((0, 0.012, low + height * 0.66), width, height * 0.68, "light blue", "glass", **SHINE),
        plate((0, 0.012, low + height * 0.2), width, height * 0.24, "leaf", "glass", **SHINE),
        plate((0, 0.012, low + height * 0.04), width, height * 0.08, "grass", "glass", **SHINE),
    ]


def _houses(width: float, height: float) -> Model:
    """Return a view of a street: two houses with windows under a white sky."""
    low = -height / 2
    return [
        plate((0, 0.012, low + height * 0.55), width, height * 0.9, "cream", "glass", **SHINE),
        plate((-width * 0.22, 0.0125, low + height * 0.42), width * 0.5, height * 0.64, "brick", "glass", **SHINE),
        plate((width * 0.27, 0.0125, low + height * 0.34), width * 0.46, height * 0.48, "sandstone", "glass", **SHINE),
        *(
            plate((width * x, 0.013, low + height * z), width * 0.09, height * 0.14, "navy", "glass", **SHINE)
            for x, z in ((-0.34, 0.56), (-0.12, 0.56), (-0.34, 0.28), (-0.12, 0.28), (0.18, 0.4), (0.36, 0.4))
        ),
        plate((0, 0.0135, low + height * 0.05), width, height * 0.1, "dark grey", "glass", **SHINE),
    ]


def _dusk(width: float, height: float) -> Model:
    """Return a view at dusk: a dark blue sky with a moon over black trees, and a strip of orange."""
    low = -height / 2
    return [
        plate((0, 0.012, low + height * 0.66), width, height * 0.68, "navy", "glass", **SHINE),
        plate((0, 0.012, low + height * 0.26), width, height * 0.12, "orange", "glass", **SHINE),
        plate((0, 0.012, low + height * 0.1), width, height * 0.2, "black", "glass"),
        plate(
            (width * 0.24, 0.0125, low + height * 0.78),
            height * 0.12,
            height * 0.12,
            "lamp",
            "glass",
            Outline.DISC,
            **SHINE,
        ),
        *(
            plate(
                (width * x, 0.0125, low + height * 0.28), width * 0.2, height * 0.36, "black", "glass", Outline.TRIANGLE
            )
            for x in (-0.3, -0.14, 0.34)
        ),
    ]


Outside = Callable[[float, float], Model]


def _window(width: float, height: float, columns: int, rows: int, outside: Outside) -> Model:
    """Return a window: the view outside behind a frame and bars, and a sill below."""
    low, top = -height / 2, height / 2
    across = [width * (k / columns - 0.5) for k in range(1, columns)]
    up = [low + height * k / rows for k in range(1, rows)]
    edge = 0.07
    return [
        *outside(width, height),
        *(box((x, 0.03, 0), (0.045, 0.05, height), FIRST, "bar") for x in across),
        *(box((0, 0.03, z), (width, 0.04, 0.04), FIRST, "bar") for z in up),
        *(
            box((x, 0.035, 0), (edge, 0.07, height + edge * 2), FIRST, "frame")
            for x in (-width / 2 - edge / 2, width / 2 + edge / 2)
        ),
        *(box((0, 0.035, z), (width, 0.07, edge), FIRST, "frame") for z in (low - edge / 2, top + edge / 2)),
        box((0, 0.1, low - edge - 0.015), (width + 0.3, 0.2, 0.035), FIRST, "sill"),
    ]


def room_window() -> Model:
    """Return a window with two wings."""
    return _window(1.26, 1.16, 2, 1, _hedge)


def room_window_sash() -> Model:
    """Return a tall sash window."""
    return _window(0.9, 1.4, 1, 2, _hedge)


def room_window_barred() -> Model:
    """Return a window with twelve small panes."""
    return _window(1.26, 1.16, 4, 3, _hedge)


def room_window_street() -> Model:
    """Return a window with two wings onto a street."""
    return _window(1.26, 1.16, 2, 1, _houses)


def room_window_sash_street() -> Model:
    """Return a tall sash window onto a street."""
    return _window(0.9, 1.4, 1, 2, _houses)


def room_window_barred_street() -> Model:
    """Return a window with twelve small panes onto a street."""
    return _window(1.26, 1.16, 4, 3, _houses)


def room_window_dusk() -> Model:
    """Return a window with two wings at dusk."""
    return _window(1.26, 1.16, 2, 1, _dusk)


def room_window_sash_dusk() -> Model:
    """Return a tall sash window at dusk."""
    return _window(0.9, 1.4, 1, 2, _dusk)


def room_window_barred_dusk() -> Model:
    """Return a window with twelve small panes at dusk."""
    return _window(1.26, 1.16, 4, 3, _dusk)
