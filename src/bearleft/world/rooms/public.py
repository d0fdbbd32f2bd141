"""Classes of things of restaurants, shops and showrooms."""

from __future__ import annotations

from bearleft.world.city.classes import Class
from bearleft.world.rooms.models import bar, checkout, clothes, dining, exhibits, fixtures, shelves

CLOTHS = ("white", "red", "cream", "green", "light blue", "maroon", "yellow")
LEATHERS = ("red", "brown", "teal", "black", "maroon", "dark green", "orange")
WOODS = ("brown", "tan", "maroon", "black")
METALS = ("silver", "dark grey", "black", "white")
CLOTHES = ("red", "blue", "white", "black", "green", "yellow", "pink", "orange", "navy", "purple", "light blue")
BRIGHT = ("red", "blue", "green", "yellow", "orange", "purple", "teal")
STONES = ("white", "limestone", "black", "grey")

PUBLIC: tuple[Class, ...] = (
    Class(
        "tablecloth table",
        (dining.round_cloth_table, dining.square_cloth_table, dining.checked_cloth_table),
        ("white", "cream", "red", "green", "blue", "maroon"),
        ("white", "gold", "red"),
    ),
    Class(
        "booth seat",
        (dining.booth_seat, dining.booth_seat_of_wood, dining.diner_booth),
        LEATHERS,
        ("white", "cream", "silver"),
    ),
    Class(
        "bar counter",
        (bar.bar_counter, bar.tiled_bar_counter, bar.bar_with_bottles),
        ("brown", "white", "dark green", "navy", "maroon"),
        ("tan", "gold", "black"),
    ),
    Class(
        "bar stool",
        (bar.bar_stool, bar.wooden_bar_stool, bar.bar_stool_with_back),
        ("red", "black", "brown", "teal", "white", "orange"),
    ),
    Class(
        "store shelf",
        (shelves.grocery_shelf, shelves.bottle_shelf, shelves.toy_shelf),
        ("grey", "blue", "red", "green", "brown"),
    ),
    Class(
        "clothes rack",
        (clothes.clothes_rack, clothes.round_clothes_rack, clothes.shirts_on_rack),
        CLOTHES,
        ("navy", "red", "grey", "green"),
    ),
    Class(
        "display case",
        (shelves.tall_display_case, shelves.jewellery_case, shelves.cake_case),
        ("black", "brown", "maroon", "white", "grey"),
    ),
    Class(
        "checkout counter",
        (checkout.checkout_counter, checkout.shop_counter),
        ("blue", "tan", "red", "green", "white", "grey"),
        ("white", "black", "yellow"),
    ),
    Class(
        "exhibit panel",
        (exhibits.exhibit_panel, exhibits.folding_exhibit_panel, exhibits.lit_exhibit_panel),
        ("blue", "red", "teal", "purple", "green", "orange"),
        ("light blue", "yellow", "navy"),
    ),
    Class(
        "reception desk",
        (exhibits.reception_desk, exhibits.curved_reception_desk, exhibits.stone_reception_desk),
        ("white", "light blue", "tan", "grey", "red"),
        ("brown", "white", "dark grey"),
    ),
    Class(
        "pedestal",
        (exhibits.pedestal, exhibits.round_pedestal, exhibits.classical_pedestal),
        ("white", "black", "limestone", "grey", "red"),
        ("silver", "gold"),
    ),
    Class(
        "pendant lamp",
        (
            fixtures.pendant_lamp,
            fixtures.globe_pendant_lamp,
            fixtures.drum_pendant_lamp,
            fixtures.bar_of_pendant_lamps,
        ),
        ("black", "gold", "red", "white", "teal", "orange"),
        ("gold", "silver"),
    ),
    Class(
        "column",
        (fixtures.column, fixtures.square_column, fixtures.brick_column),
        ("white", "limestone", "brick", "concrete", "beige"),
        ("limestone", "grey"),
    ),
    Class("display table", (shelves.display_table, shelves.tiered_display_table), WOODS, ("black", "white", "silver")),
    Class("high chair", (dining.high_chair, dining.high_chair_of_metal), ("red", "green", "blue", "yellow", "white")),
)
