"""Colours by name. A thing's colours are indices into COLOUR_NAMES."""

from __future__ import annotations

import numpy as np

RGB = tuple[int, int, int]

COLOURS: dict[str, RGB] = {
    "red": (190, 32, 32),
    "blue": (34, 70, 160),
    "green": (30, 112, 58),
    "yellow": (236, 190, 30),
    "orange": (235, 110, 25),
    "white": (236, 236, 232),
    "black": (28, 28, 30),
    "grey": (132, 134, 136),
    "silver": (186, 190, 194),
    "brown": (104, 66, 40),
    "tan": (200, 176, 136),
    "beige": (220, 206, 176),
    "pink": (226, 138, 160),
    "purple": (104, 54, 128),
    "maroon": (110, 26, 34),
    "navy": (22, 32, 74),
    "teal": (24, 122, 124),
    "light blue": (128, 178, 220),
    "dark green": (18, 66, 40),
    "dark grey": (72, 74, 78),
    "gold": (196, 150, 50),
    "cream": (240, 228, 198),
    "brick": (142, 66, 48),
    "sandstone": (186, 152, 112),
    "limestone": (206, 200, 184),
    "concrete": (160, 158, 152),
    "glass": (74, 100, 118),
    "skin": (214, 168, 138),
    "dark skin": (112, 74, 52),
    "asphalt": (58, 58, 60),
    "grass": (78, 120, 52),
    "leaf": (58, 104, 40),
    "bark": (84, 64, 46),
    "rubber": (24, 24, 25),
    "steel": (150, 154, 158),
    "lamp": (255, 236, 190),
}
COLOUR_NAMES: tuple[str, ...] = tuple(COLOURS)
RGB_TABLE = np.array(list(COLOURS.values()), np.uint8)


def colour_index(name: str) -> int:
    """Return the index of a colour."""
    return COLOUR_NAMES.index(name)
