"""Object classes of restaurants, shops and showrooms."""

from __future__ import annotations

from bearleft.world.city.object_class import ObjectClass
from bearleft.world.rooms.models import (
    bar,
    checkout,
    clothes,
    dining,
    exhibits,
    fixtures,
    goods,
    kitchen,
    mounted,
    seated_people,
    shelves,
    showroom,
    tableware,
)

LEATHERS = ("red", "navy", "teal", "black", "maroon", "dark green", "orange")
WOODS = ("brown", "tan", "maroon", "black")
CLOTHES = ("red", "blue", "white", "black", "green", "yellow", "pink", "orange", "navy", "purple", "light blue")
TROUSERS = ("navy", "black", "blue", "grey", "brown", "tan", "dark grey")
BRIGHT = ("red", "blue", "green", "orange", "purple", "teal", "maroon")
CHINA = ("white", "cream", "light blue", "teal", "yellow", "pink")
MACHINES = ("white", "silver", "black", "red")
STONES = ("white", "limestone", "gold", "black")

PUBLIC_CLASSES: tuple[ObjectClass, ...] = (
    ObjectClass(
        "tablecloth table",
        (dining.round_cloth_table, dining.square_cloth_table, dining.checked_cloth_table),
        ("white", "cream", "red", "green", "blue", "maroon"),
        ("white", "gold", "red"),
    ),
    ObjectClass(
        "booth seat",
        (dining.booth_seat, dining.booth_seat_of_wood, dining.diner_booth),
        LEATHERS,
        ("white", "cream", "silver"),
    ),
    ObjectClass(
        "bar counter",
        (bar.bar_counter, bar.tiled_bar_counter, bar.bar_with_bottles),
        ("brown", "white", "dark green", "navy", "maroon"),
        ("tan", "gold", "black"),
    ),
    ObjectClass(
        "bar stool",
        (bar.bar_stool, bar.wooden_bar_stool, bar.bar_stool_with_back),
        ("red", "black", "brown", "teal", "white", "orange"),
    ),
    ObjectClass(
        "store shelf",
        (shelves.grocery_shelf, shelves.bottle_shelf, shelves.toy_shelf),
        ("grey", "blue", "red", "green", "brown"),
    ),
    ObjectClass(
        "clothes rack",
        (clothes.clothes_rack, clothes.round_clothes_rack, clothes.shirts_on_rack),
        CLOTHES,
        ("navy", "red", "grey", "green"),
    ),
    ObjectClass(
        "display case",
        (shelves.tall_display_case, shelves.jewellery_case, shelves.cake_case),
        ("black", "brown", "maroon", "white", "grey"),
    ),
    ObjectClass(
        "checkout counter",
        (checkout.checkout_counter, checkout.shop_counter),
        ("blue", "tan", "red", "green", "grey"),
        ("white", "black", "yellow"),
    ),
    ObjectClass(
        "exhibit panel",
        (exhibits.exhibit_panel, exhibits.folding_exhibit_panel, exhibits.lit_exhibit_panel),
        ("blue", "red", "teal", "purple", "green", "orange"),
        ("light blue", "yellow", "navy"),
    ),
    ObjectClass(
        "reception desk",
        (exhibits.reception_desk, exhibits.curved_reception_desk, exhibits.stone_reception_desk),
        ("white", "light blue", "tan", "grey", "red"),
        ("brown", "white", "dark grey"),
    ),
    ObjectClass(
        "pedestal",
        (exhibits.pedestal, exhibits.round_pedestal, exhibits.classical_pedestal),
        ("white", "black", "limestone", "grey", "red"),
        ("silver", "gold"),
    ),
    ObjectClass(
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
    ObjectClass(
        "column",
        (fixtures.column, fixtures.square_column, fixtures.brick_column),
        ("white", "limestone", "brick", "concrete", "beige"),
        ("limestone", "grey"),
    ),
    ObjectClass(
        "display table", (shelves.display_table, shelves.tiered_display_table), WOODS, ("black", "white", "silver")
    ),
    ObjectClass(
        "high chair",
        (dining.high_chair, dining.high_chair_of_metal),
        ("red", "green", "blue", "yellow", "white"),
        ("white", "tan"),
    ),
    ObjectClass(
        "plate",
        (tableware.dinner_plate, tableware.plate_of_food, tableware.plate_of_pizza),
        ("white", "cream", "light blue"),
        ("blue", "gold", "red", "green"),
    ),
    ObjectClass(
        "bowl", (tableware.soup_bowl, tableware.rice_bowl, tableware.salad_bowl), CHINA, ("white", "blue", "red")
    ),
    ObjectClass(
        "cup", (tableware.coffee_cup, tableware.mug, tableware.paper_cup), (*CHINA, "red", "green"), ("white", "red")
    ),
    ObjectClass(
        "wine glass",
        (tableware.wine_glass, tableware.champagne_glass, tableware.cocktail_glass),
        ("maroon", "gold", "pink", "yellow"),
    ),
    ObjectClass(
        "bottle",
        (tableware.wine_bottle, tableware.beer_bottle, tableware.sauce_bottle),
        ("dark green", "brown", "red", "maroon", "yellow", "teal"),
        ("red", "gold", "black"),
    ),
    ObjectClass(
        "teapot",
        (tableware.teapot, tableware.tall_teapot),
        ("white", "silver", "teal", "red", "brown", "light blue"),
        ("gold", "blue", "black"),
    ),
    ObjectClass(
        "menu", (tableware.standing_menu, tableware.menu_book), ("red", "maroon", "black", "dark green", "navy")
    ),
    ObjectClass(
        "napkin holder",
        (tableware.napkin_holder, tableware.wooden_napkin_holder),
        ("silver", "brown", "red", "black"),
    ),
    ObjectClass(
        "fruit bowl",
        (tableware.fruit_bowl, tableware.grape_bowl),
        ("brown", "silver", "white", "teal"),
        ("gold", "white", "blue"),
    ),
    ObjectClass(
        "cake stand",
        (tableware.cake_stand, tableware.cupcake_stand),
        ("white", "silver", "light blue", "gold"),
        ("pink", "white", "cream", "yellow"),
    ),
    ObjectClass(
        "serving tray",
        (tableware.serving_tray, tableware.breakfast_tray),
        ("silver", "brown", "black", "red"),
        ("dark grey", "gold"),
    ),
    ObjectClass(
        "coffee machine",
        (kitchen.coffee_machine, kitchen.drip_coffee_machine),
        ("red", "black", "silver", "navy", "teal"),
    ),
    ObjectClass("beer tap", (kitchen.beer_tap, kitchen.single_beer_tap), BRIGHT, ("black", "gold")),
    ObjectClass(
        "wine rack",
        (kitchen.wine_rack, kitchen.small_wine_rack),
        ("dark green", "maroon", "black"),
        ("maroon", "gold", "dark green"),
    ),
    ObjectClass(
        "refrigerator",
        (kitchen.refrigerator, kitchen.steel_refrigerator, kitchen.drinks_refrigerator),
        ("light blue", "silver", "red", "blue", "teal", "black"),
    ),
    ObjectClass("oven", (kitchen.oven, kitchen.pizza_oven), ("silver", "cream", "black", "brick", "red")),
    ObjectClass(
        "sink",
        (kitchen.sink, kitchen.wash_basin),
        ("tan", "white", "grey", "brown", "teal"),
        ("white", "black", "silver"),
    ),
    ObjectClass("microwave", (kitchen.microwave,), MACHINES),
    ObjectClass(
        "cash register",
        (checkout.cash_register, checkout.old_cash_register, checkout.tablet_register),
        ("dark grey", "gold", "white", "black", "maroon"),
        ("silver", "black"),
    ),
    ObjectClass(
        "mannequin",
        (clothes.mannequin, clothes.mannequin_in_dress, clothes.tailors_dummy),
        ("blue", "red", "tan", "black", "green", "yellow", "pink", "purple"),
        TROUSERS,
    ),
    ObjectClass(
        "fitting room", (clothes.fitting_room, clothes.fitting_room_with_door), (*BRIGHT, "tan"), ("beige", "grey")
    ),
    ObjectClass(
        "shoe rack",
        (goods.shoe_rack, goods.boot_shelf),
        ("red", "brown", "black", "blue", "pink"),
        ("blue", "black", "green"),
    ),
    ObjectClass("hat stand", (clothes.hat_stand, clothes.table_of_hats), CLOTHES, ("maroon", "navy", "green", "white")),
    ObjectClass(
        "shopping cart",
        (checkout.shopping_cart, checkout.full_shopping_cart),
        ("silver", "dark grey", "red", "blue"),
        ("red", "blue", "green", "orange"),
    ),
    ObjectClass(
        "shopping basket",
        (checkout.shopping_basket, checkout.stack_of_baskets),
        ("red", "blue", "green", "orange", "purple"),
        ("dark grey", "silver"),
    ),
    ObjectClass("price sign", (goods.price_sign, goods.sale_sign), ("yellow", "white", "orange", "pink")),
    ObjectClass(
        "cardboard box", (goods.cardboard_box, goods.stack_of_boxes), ("tan", "sandstone", "white"), ("brown", "beige")
    ),
    ObjectClass(
        "fruit crate",
        (goods.fruit_crate, goods.sloping_fruit_stand),
        ("red", "orange", "grass", "yellow", "purple"),
        ("grass", "red", "yellow"),
    ),
    ObjectClass("freezer", (goods.freezer, goods.upright_freezer), ("white", "light blue", "pink", "silver")),
    ObjectClass(
        "vending machine", (goods.vending_machine, goods.drinks_machine), ("red", "blue", "dark grey", "green", "navy")
    ),
    ObjectClass("magazine rack", (goods.magazine_rack, goods.magazine_stand), ("brown", "silver", "black", "tan")),
    ObjectClass("chalkboard", (mounted.chalkboard, mounted.special_chalkboard), ("brown", "tan", "red", "green")),
    ObjectClass("whiteboard", (mounted.whiteboard,), ("blue", "green", "purple")),
    ObjectClass(
        "poster",
        (mounted.poster, mounted.film_poster, mounted.sale_poster),
        ("orange", "teal", "red", "blue", "purple", "green"),
        ("navy", "dark green", "maroon"),
    ),
    ObjectClass(
        "banner stand",
        (showroom.banner_stand, showroom.feather_banner),
        BRIGHT,
        ("yellow", "light blue", "pink"),
    ),
    ObjectClass(
        "brochure stand",
        (showroom.brochure_stand, showroom.brochure_table),
        BRIGHT,
        ("light blue", "pink", "yellow"),
    ),
    ObjectClass(
        "display screen",
        (showroom.display_screen, showroom.wall_screen),
        ("blue", "purple", "teal", "red", "green"),
        ("yellow", "light blue", "pink"),
    ),
    ObjectClass("spotlight", (mounted.spotlight, mounted.stage_spotlight), ("black", "dark grey", "silver")),
    ObjectClass(
        "robot",
        (showroom.robot, showroom.box_robot, showroom.robot_arm),
        ("white", "silver", "orange", "blue", "red", "yellow"),
    ),
    ObjectClass(
        "sculpture",
        (showroom.sculpture, showroom.bust, showroom.stacked_sculpture),
        ("gold", "white", "red", "black", "blue", "limestone"),
        ("dark grey", "limestone", "yellow"),
    ),
    ObjectClass(
        "rope barrier", (showroom.rope_barrier, showroom.belt_barrier), ("red", "blue", "maroon", "navy", "purple")
    ),
    ObjectClass("balloons", (showroom.balloons, showroom.balloon_column), BRIGHT, ("white", "pink", "light blue")),
    ObjectClass("loudspeaker", (showroom.loudspeaker, showroom.loudspeaker_on_tripod), ("black", "brown", "white")),
    ObjectClass("fire extinguisher", (mounted.fire_extinguisher,), ("red",)),
    ObjectClass("exit sign", (mounted.exit_sign, mounted.exit_sign_on_arm), ("green", "red")),
    ObjectClass("security camera", (mounted.security_camera, mounted.dome_camera), ("white", "silver", "dark grey")),
    ObjectClass("air vent", (mounted.air_vent, mounted.long_air_vent), ("white", "silver", "beige")),
    ObjectClass(
        "seated person",
        (
            seated_people.seated_man,
            seated_people.seated_woman,
            seated_people.seated_child,
            seated_people.seated_person_with_cup,
        ),
        CLOTHES,
        TROUSERS,
    ),
)
