"""Colours of maps."""

from __future__ import annotations

from bearleft.world.maps.shapes import Colour

SIDEWALK, KERB, ROADWAY = (226, 223, 215), (196, 193, 185), (255, 255, 255)
ZEBRA, LANE, CENTRE, ARROW = (196, 199, 206), (214, 216, 222), (243, 205, 110), (146, 158, 182)
GRASS, PLAZA, YARD = (204, 226, 181), (238, 224, 197), (233, 230, 221)
WATER, WATER_EDGE = (154, 200, 232), (104, 160, 204)
TREE, TREE_EDGE, HEDGE = (142, 188, 118), (110, 160, 90), (150, 190, 124)
FLOWERS, PLAY = (226, 160, 178), (232, 170, 92)
THING, THING_EDGE = (188, 182, 172), (150, 144, 134)
LANDMARK, LANDMARK_EDGE = (178, 118, 160), (120, 62, 106)
BUS, SUBWAY = (38, 104, 190), (20, 110, 70)
INK, STREET_INK, SHOP_INK, PARK_INK, PAPER = (52, 52, 56), (84, 86, 92), (142, 88, 44), (62, 118, 54), (255, 255, 255)
# Low and high buildings of each of districts.DISTRICTS.
DISTRICT: tuple[tuple[Colour, Colour], ...] = (
    ((208, 216, 226), (138, 154, 178)),  # downtown
    ((232, 208, 192), (186, 140, 118)),  # brownstones
    ((220, 212, 200), (164, 150, 132)),  # warehouses
    ((238, 216, 182), (206, 164, 104)),  # shopping
    ((226, 220, 210), (170, 162, 152)),  # residential
    ((234, 212, 208), (194, 148, 144)),  # village
)
HIGH = 75.0  # metres, at which a building is darkest
# Colours of routes, in order.
ROUTES: tuple[Colour, ...] = (
    (31, 95, 191),
    (224, 112, 16),
    (16, 138, 92),
    (176, 42, 120),
    (120, 84, 40),
    (96, 70, 190),
)
TARGET, CONE = (206, 30, 54), (64, 132, 220)


def blend(first: Colour, second: Colour, share: float) -> Colour:
    """Return a colour between two."""
    a, b, c = (round(x + (y - x) * share) for x, y in zip(first, second, strict=True))
    return a, b, c
