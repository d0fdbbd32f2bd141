"""Object classes of homes: walls, furniture, lamps and small things."""

from __future__ import annotations

from bearleft.world.city.object_class import ObjectClass
from bearleft.world.rooms.models import beds, decor, house, leisure, lights, seating, shell, storage, tables

PAINT = ("white", "cream", "beige", "light blue", "tan", "grey", "teal", "pink", "maroon", "green", "navy")
GROUND = ("brown", "tan", "sandstone", "grey", "beige", "dark grey", "maroon", "navy", "white")

FABRIC = ("grey", "beige", "navy", "red", "dark green", "brown", "teal", "yellow", "light blue", "maroon", "white")
CUSHIONS = ("cream", "orange", "teal", "yellow", "red", "light blue", "pink")
TIMBER = ("brown", "tan", "white", "sandstone", "black", "grey")
FRONTS = ("brown", "white", "tan", "cream", "light blue")
METAL = ("black", "silver", "gold", "white", "brown")
SHADES = ("cream", "white", "beige", "yellow", "light blue", "pink", "red", "orange")

HOME_CLASSES: tuple[ObjectClass, ...] = (
    ObjectClass(
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
    ObjectClass(
        "floor",
        (
            shell.floor_boards,
            shell.floor_checked,
            shell.floor_tiled,
            shell.floor_carpet,
            shell.floor_stone,
            shell.floor_carpet_bordered,
        ),
        GROUND,
        ("white", "cream", "black"),
    ),
    ObjectClass(
        "ceiling",
        (shell.ceiling_plain, shell.ceiling_panels, shell.ceiling_beams, shell.ceiling_boards),
        ("white", "cream"),
    ),
    ObjectClass(
        "room door",
        (
            shell.room_door_panel,
            shell.room_door_glass,
            shell.room_door_double,
            shell.room_door_garden,
            shell.room_door_dusk,
        ),
        ("white", "brown", "sandstone", "cream", "dark green", "grey"),
        ("white", "brown", "cream"),
    ),
    ObjectClass(
        "room window",
        (
            shell.room_window,
            shell.room_window_sash,
            shell.room_window_barred,
            shell.room_window_street,
            shell.room_window_sash_street,
            shell.room_window_barred_street,
            shell.room_window_dusk,
            shell.room_window_sash_dusk,
            shell.room_window_barred_dusk,
        ),
        ("white", "brown", "dark grey", "cream"),
    ),
    ObjectClass(
        "sofa", (seating.sofa, seating.sofa_for_two, seating.sofa_corner, seating.sofa_wooden), FABRIC, CUSHIONS
    ),
    ObjectClass("armchair", (seating.armchair, seating.armchair_wing, seating.armchair_round), FABRIC, CUSHIONS),
    ObjectClass(
        "chair",
        (seating.chair, seating.chair_padded, seating.chair_shell, seating.chair_cross),
        ("brown", "red", "white", "black", "tan", "light blue", "yellow", "dark green"),
        ("tan", "cream", "brown"),
    ),
    ObjectClass(
        "stool",
        (seating.stool, seating.stool_square, seating.stool_step),
        ("tan", "red", "white", "brown"),
        ("brown", "black", "white"),
    ),
    ObjectClass("ottoman", (seating.ottoman, seating.ottoman_round), FABRIC, CUSHIONS),
    ObjectClass(
        "coffee table",
        (tables.coffee_table, tables.coffee_table_glass, tables.coffee_table_round),
        TIMBER,
        ("black", "silver", "brown"),
    ),
    ObjectClass(
        "dining table",
        (tables.dining_table, tables.dining_table_round, tables.dining_table_trestle, tables.dining_table_glass),
        TIMBER,
        ("black", "brown", "white"),
    ),
    ObjectClass(
        "side table",
        (tables.side_table, tables.side_table_square, tables.side_table_tray),
        TIMBER,
        ("black", "brown", "white"),
    ),
    ObjectClass("desk", (tables.desk, tables.desk_double, tables.desk_slim), TIMBER, ("white", "black", "tan")),
    ObjectClass(
        "office chair",
        (seating.office_chair, seating.office_chair_mesh, seating.office_chair_executive),
        ("black", "blue", "grey", "red", "brown", "green"),
    ),
    ObjectClass(
        "bed",
        (beds.bed, beds.bed_single, beds.bed_canopy, beds.bed_upholstered),
        FABRIC,
        ("brown", "white", "tan", "black", "grey"),
    ),
    ObjectClass(
        "bunk bed",
        (beds.bunk_bed, beds.bunk_bed_loft),
        ("blue", "red", "green", "yellow", "light blue", "pink"),
        ("tan", "white", "brown", "grey"),
    ),
    ObjectClass(
        "crib", (beds.crib, beds.crib_mobile), ("white", "tan", "brown", "grey"), ("light blue", "pink", "yellow")
    ),
    ObjectClass(
        "floor lamp",
        (lights.floor_lamp, lights.floor_lamp_arc, lights.floor_lamp_tripod, lights.floor_lamp_reading),
        SHADES,
        METAL,
    ),
    ObjectClass(
        "table lamp",
        (lights.table_lamp, lights.table_lamp_desk, lights.table_lamp_globe, lights.table_lamp_column),
        SHADES,
        ("teal", "black", "gold", "white", "maroon", "navy"),
    ),
    ObjectClass(
        "ceiling lamp",
        (lights.ceiling_lamp, lights.ceiling_lamp_hanging, lights.ceiling_lamp_panel, lights.ceiling_lamp_lantern),
        ("white", "cream", "lamp", "orange", "red"),
        ("silver", "gold", "white", "black"),
    ),
    ObjectClass(
        "chandelier",
        (lights.chandelier, lights.chandelier_crystal, lights.chandelier_wheel),
        ("gold", "black", "silver"),
        ("brown", "black"),
    ),
    ObjectClass(
        "ceiling fan",
        (lights.ceiling_fan, lights.ceiling_fan_five),
        ("brown", "white", "tan", "black"),
        ("gold", "silver", "white"),
    ),
    ObjectClass(
        "pillow",
        (beds.pillow, beds.pillow_lying, beds.pillow_bolster),
        ("red", "white", "yellow", "blue", "teal", "pink", "orange", "grey"),
        ("white", "cream", "navy"),
    ),
    ObjectClass(
        "blanket",
        (beds.blanket, beds.blanket_rolled),
        ("red", "blue", "green", "orange", "grey", "pink", "purple"),
        ("cream", "white", "yellow"),
    ),
    ObjectClass(
        "candle",
        (lights.candle, lights.candle_pillar, lights.candle_triple),
        ("white", "red", "cream", "green", "blue"),
        ("gold", "silver", "black"),
    ),
    ObjectClass(
        "curtain",
        (decor.curtain, decor.curtain_closed, decor.curtain_tied),
        ("red", "beige", "blue", "green", "white", "maroon", "teal", "yellow", "grey"),
        ("gold", "brown", "black"),
    ),
    ObjectClass(
        "rug",
        (decor.rug, decor.rug_round, decor.rug_striped, decor.rug_checked),
        ("red", "blue", "maroon", "dark green", "grey", "teal", "orange", "navy"),
        ("cream", "tan", "white", "gold"),
    ),
    ObjectClass("nightstand", (storage.nightstand, storage.nightstand_open), TIMBER, FRONTS),
    ObjectClass("dresser", (storage.dresser, storage.dresser_with_mirror, storage.dresser_tall), TIMBER, FRONTS),
    ObjectClass("wardrobe", (storage.wardrobe, storage.wardrobe_with_mirror, storage.wardrobe_open), TIMBER, FRONTS),
    ObjectClass(
        "bookshelf",
        (storage.bookshelf, storage.bookshelf_ladder, storage.bookshelf_low),
        TIMBER,
        ("gold", "teal", "red"),
    ),
    ObjectClass(
        "book stack",
        (storage.book_stack, storage.book_open, storage.book_row),
        ("red", "blue", "green", "orange", "purple"),
        ("yellow", "white", "maroon"),
    ),
    ObjectClass("cabinet", (storage.cabinet, storage.cabinet_china, storage.cabinet_filing), TIMBER, FRONTS),
    ObjectClass(
        "television",
        (leisure.television, leisure.television_on_wall, leisure.television_old, leisure.television_off),
        ("black", "dark grey"),
    ),
    ObjectClass(
        "tv stand",
        (storage.tv_stand, storage.tv_stand_glass),
        ("brown", "black", "white", "tan"),
        ("tan", "silver", "white"),
    ),
    ObjectClass(
        "fireplace",
        (house.fireplace, house.fireplace_marble, house.fireplace_stove),
        ("brick", "white", "black", "limestone", "grey"),
        ("brown", "white", "gold"),
    ),
    ObjectClass(
        "painting",
        (decor.painting, decor.painting_portrait, decor.painting_abstract, decor.painting_flowers),
        ("gold", "brown", "black", "white"),
    ),
    ObjectClass(
        "mirror", (decor.mirror, decor.mirror_round, decor.mirror_arched), ("gold", "brown", "black", "white", "silver")
    ),
    ObjectClass(
        "wall clock",
        (decor.wall_clock, decor.wall_clock_square, decor.wall_clock_pendulum),
        ("black", "red", "brown", "blue", "silver", "gold"),
        ("white", "cream"),
    ),
    ObjectClass(
        "vase",
        (decor.vase, decor.vase_tall, decor.vase_amphora),
        ("blue", "white", "brick", "teal", "green", "light blue"),
        ("red", "yellow", "pink", "orange", "purple"),
    ),
    ObjectClass(
        "teddy bear",
        (leisure.teddy_bear, leisure.teddy_bear_waving),
        ("brown", "brown", "sandstone", "bark"),
        ("red", "blue", "green"),
    ),
    ObjectClass(
        "laptop",
        (leisure.laptop, leisure.laptop_closed),
        ("silver", "dark grey", "white", "black"),
        ("light blue", "blue", "teal"),
    ),
    ObjectClass(
        "computer monitor",
        (leisure.computer_monitor, leisure.computer_monitor_wide),
        ("black", "silver", "white"),
        ("blue", "light blue", "teal"),
    ),
    ObjectClass(
        "guitar",
        (leisure.guitar, leisure.guitar_electric),
        ("orange", "red", "tan", "brown", "blue", "black"),
        ("white", "cream"),
    ),
    ObjectClass("piano", (leisure.piano, leisure.piano_grand), ("brown", "black", "white", "maroon")),
    ObjectClass(
        "radiator",
        (house.radiator, house.radiator_flat),
        ("white", "silver", "cream", "grey"),
        ("gold", "dark grey"),
    ),
    ObjectClass(
        "wall shelf",
        (house.wall_shelf, house.wall_shelf_with_books, house.wall_shelf_cubes),
        TIMBER,
        ("black", "gold", "white"),
    ),
    ObjectClass(
        "basket",
        (decor.basket, decor.basket_laundry),
        ("tan", "brown", "beige"),
        ("red", "white", "light blue", "teal"),
    ),
    ObjectClass(
        "fish tank",
        (leisure.fish_tank, leisure.fish_bowl),
        ("brown", "black", "white", "tan"),
        ("sandstone", "pink", "white"),
    ),
    ObjectClass(
        "hanging plant",
        (decor.hanging_plant, decor.hanging_plant_fern),
        ("white", "brick", "teal", "yellow", "black"),
        ("tan", "black", "white"),
    ),
    ObjectClass("light switch", (house.light_switch, house.light_switch_toggle), ("white", "cream", "black", "silver")),
    ObjectClass(
        "electrical outlet",
        (house.electrical_outlet, house.electrical_outlet_plugged),
        ("white", "cream", "grey"),
    ),
    ObjectClass(
        "coat rack",
        (house.coat_rack, house.coat_rack_bare),
        ("brown", "black", "white", "tan"),
        ("red", "navy", "green", "grey", "gold"),
    ),
    ObjectClass(
        "suitcase",
        (leisure.suitcase, leisure.suitcase_old, leisure.suitcase_open),
        ("blue", "brown", "red", "black", "teal", "yellow"),
        ("tan", "black", "cream"),
    ),
    ObjectClass(
        "toy box",
        (storage.toy_box, storage.toy_box_crate),
        ("blue", "red", "tan", "white", "green"),
        ("yellow", "pink", "light blue"),
    ),
)
