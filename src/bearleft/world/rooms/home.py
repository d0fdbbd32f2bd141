"""Classes of things of homes: walls, furniture, lamps, what lies about."""

from __future__ import annotations

from bearleft.world.city.classes import Class
from bearleft.world.rooms.models import beds, lights, seating, shell, tables

PAINT = ("white", "cream", "beige", "light blue", "tan", "grey", "teal", "pink", "maroon", "green", "navy")
GROUND = ("brown", "tan", "sandstone", "grey", "beige", "dark grey", "maroon", "navy", "white")

FABRIC = ("grey", "beige", "navy", "red", "dark green", "brown", "teal", "yellow", "light blue", "maroon", "white")
CUSHIONS = ("cream", "orange", "teal", "yellow", "red", "light blue", "pink")
TIMBER = ("brown", "tan", "white", "sandstone", "black", "grey")
METAL = ("black", "silver", "gold", "white", "brown")
SHADES = ("cream", "white", "beige", "yellow", "light blue", "pink", "red", "orange")

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
    Class("sofa", (seating.sofa, seating.sofa_for_two, seating.sofa_corner, seating.sofa_leather), FABRIC, CUSHIONS),
    Class("armchair", (seating.armchair, seating.armchair_wing, seating.armchair_round), FABRIC, CUSHIONS),
    Class(
        "chair",
        (seating.chair, seating.chair_padded, seating.chair_shell, seating.chair_cross),
        ("brown", "red", "white", "black", "tan", "light blue", "yellow", "dark green"),
        ("tan", "cream", "brown"),
    ),
    Class(
        "stool",
        (seating.stool, seating.stool_square, seating.stool_step),
        ("tan", "red", "white", "brown"),
        ("brown", "black", "white"),
    ),
    Class("ottoman", (seating.ottoman, seating.ottoman_round), FABRIC, CUSHIONS),
    Class(
        "coffee table",
        (tables.coffee_table, tables.coffee_table_glass, tables.coffee_table_round),
        TIMBER,
        ("black", "silver", "brown"),
    ),
    Class(
        "dining table",
        (tables.dining_table, tables.dining_table_round, tables.dining_table_trestle, tables.dining_table_glass),
        TIMBER,
        ("black", "brown", "white"),
    ),
    Class(
        "side table",
        (tables.side_table, tables.side_table_square, tables.side_table_tray),
        TIMBER,
        ("black", "brown", "white"),
    ),
    Class("desk", (tables.desk, tables.desk_double, tables.desk_slim), TIMBER, ("white", "black", "tan")),
    Class(
        "office chair",
        (seating.office_chair, seating.office_chair_mesh, seating.office_chair_executive),
        ("black", "blue", "grey", "red", "brown", "green"),
    ),
    Class(
        "bed",
        (beds.bed, beds.bed_single, beds.bed_canopy, beds.bed_upholstered),
        FABRIC,
        ("brown", "white", "tan", "black", "grey"),
    ),
    Class(
        "bunk bed",
        (beds.bunk_bed, beds.bunk_bed_loft),
        ("blue", "red", "green", "yellow", "light blue", "pink"),
        ("tan", "white", "brown", "grey"),
    ),
    Class("crib", (beds.crib, beds.crib_mobile), ("white", "tan", "brown", "grey"), ("light blue", "pink", "yellow")),
    Class(
        "floor lamp",
        (lights.floor_lamp, lights.floor_lamp_arc, lights.floor_lamp_tripod, lights.floor_lamp_reading),
        SHADES,
        METAL,
    ),
    Class(
        "table lamp",
        (lights.table_lamp, lights.table_lamp_desk, lights.table_lamp_globe, lights.table_lamp_column),
        SHADES,
        ("teal", "black", "gold", "white", "maroon", "navy"),
    ),
    Class(
        "ceiling lamp",
        (lights.ceiling_lamp, lights.ceiling_lamp_hanging, lights.ceiling_lamp_panel, lights.ceiling_lamp_lantern),
        ("white", "cream", "lamp", "orange", "red"),
        ("silver", "gold", "white", "black"),
    ),
    Class(
        "chandelier",
        (lights.chandelier, lights.chandelier_crystal, lights.chandelier_wheel),
        ("gold", "black", "silver"),
        ("brown", "black"),
    ),
    Class(
        "ceiling fan",
        (lights.ceiling_fan, lights.ceiling_fan_five),
        ("brown", "white", "tan", "black"),
        ("gold", "silver", "white"),
    ),
    Class(
        "pillow",
        (beds.pillow, beds.pillow_lying, beds.pillow_bolster),
        ("red", "white", "yellow", "blue", "teal", "pink", "orange", "grey"),
        ("white", "cream", "navy"),
    ),
    Class(
        "blanket",
        (beds.blanket, beds.blanket_rolled),
        ("red", "blue", "green", "orange", "grey", "pink", "purple"),
        ("cream", "white", "yellow"),
    ),
    Class(
        "candle",
        (lights.candle, lights.candle_pillar, lights.candle_triple),
        ("white", "red", "cream", "green", "blue"),
        ("gold", "silver", "black"),
    ),
)
