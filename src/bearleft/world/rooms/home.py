"""Classes of things of homes: walls, furniture, lamps, what lies about."""

from __future__ import annotations

from bearleft.world.city.classes import Class
from bearleft.world.rooms.models import shell

PAINT = ("white", "cream", "beige", "light blue", "tan", "grey", "teal", "pink", "maroon", "green", "navy")
GROUND = ("brown", "tan", "sandstone", "grey", "beige", "dark grey", "maroon", "navy", "white")

HOME: tuple[Class, ...] = (
    Class(
        "wall",
        (
            shell.wall_plain,
            shell.wall_striped,
            shell.wall_brick,
            shell.wall_wood,
            shell.wall_tiled,
            shell.wall_two_tone,
        ),
        PAINT,
        ("cream", "white", "beige", "tan"),
    ),
    Class(
        "floor",
        (shell.floor_boards, shell.floor_checked, shell.floor_tiled, shell.floor_carpet, shell.floor_stone),
        GROUND,
        ("white", "cream", "black"),
    ),
    Class("ceiling", (shell.ceiling_plain, shell.ceiling_panels, shell.ceiling_beams), ("white", "cream")),
    Class(
        "room door",
        (shell.room_door_panel, shell.room_door_glass, shell.room_door_double),
        ("white", "brown", "sandstone", "cream", "dark green", "grey"),
        ("white", "brown", "cream"),
    ),
    Class(
        "room window",
        (shell.room_window, shell.room_window_sash, shell.room_window_barred),
        ("white", "brown", "dark grey", "cream"),
    ),
)
