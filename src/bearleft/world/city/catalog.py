"""All object classes, of streets and of rooms. Plans refer to a class by its index in CLASSES."""

from __future__ import annotations

from bearleft.errors import unknown_name
from bearleft.world.city.facades import PARTS as BUILDING_PARTS
from bearleft.world.city.models import (
    bridges,
    building_sites,
    construction,
    courts,
    fronts,
    grounds,
    kiosks,
    landmarks,
    park,
    people,
    plants,
    signs,
    stands,
    street,
    trucks,
    vehicles,
    walls,
    warning_signs,
)
from bearleft.world.city.object_class import ObjectClass
from bearleft.world.rooms.catalog import ROOM_CLASSES

PAINTS = ("white", "black", "grey", "silver", "blue", "red", "dark grey", "green", "maroon", "navy", "tan", "teal")
CLOTHES = ("red", "blue", "white", "black", "green", "yellow", "grey", "pink", "orange", "navy", "purple", "light blue")
TROUSERS = ("navy", "black", "blue", "grey", "brown", "tan", "dark grey")
CANVAS = ("red", "green", "blue", "maroon", "black", "orange", "yellow", "purple", "teal", "navy", "white", "brown")
SIGNS = ("red", "blue", "green", "black", "yellow", "white", "orange", "purple", "maroon", "teal")
FLOWERS = ("red", "yellow", "pink", "white", "purple")
STONE = ("limestone", "concrete", "brick")
IRON = ("black", "dark green", "dark grey")


_FIRST_STREET_CLASSES = (
    ObjectClass("building", (), declared_parts=BUILDING_PARTS),
    ObjectClass(
        "traffic light",
        (
            signs.traffic_light_red,
            signs.traffic_light_yellow,
            signs.traffic_light_green,
            signs.traffic_light_on_pole_red,
            signs.traffic_light_on_pole_green,
        ),
        ("dark green", "black", "yellow"),
    ),
    ObjectClass("pedestrian signal", (signs.pedestrian_signal_hand, signs.pedestrian_signal_walk), ("black",)),
    ObjectClass("stop sign", (signs.stop_sign,), ("red",)),
    ObjectClass("yield sign", (signs.yield_sign,), ("red",)),
    ObjectClass("one way sign", (signs.one_way_left, signs.one_way_right), ("black",)),
    ObjectClass("street sign", (signs.street_name_sign, signs.street_name_blade), ("green",)),
    ObjectClass("speed limit sign", (signs.speed_limit_sign,), ("white",)),
    ObjectClass("no parking sign", (signs.no_parking_sign, signs.no_parking_sign_red), ("white",)),
    ObjectClass(
        "lettered sign",
        (
            signs.blade_sign,
            signs.blade_sign_tall,
            signs.blade_sign_round,
            signs.sign_board,
            signs.sign_board_lit,
        ),
        SIGNS,
        ("white", "yellow", "cream"),
    ),
    ObjectClass("blank sign", (signs.blank_sign, signs.blank_sign_on_wall), ("white", "grey", "yellow", "blue")),
    ObjectClass("billboard", (signs.billboard,), SIGNS, ("white", "yellow")),
    ObjectClass("banner", (signs.banner, signs.banner_on_wall), SIGNS, ("white", "yellow", "cream")),
    ObjectClass("sandwich board", (signs.sandwich_board,), ("black", "green", "white")),
    ObjectClass(
        "fire hydrant",
        (street.fire_hydrant, street.fire_hydrant_with_posts),
        ("black", "red", "yellow", "silver"),
        ("silver", "white", "black"),
    ),
    ObjectClass("mailbox", (street.mailbox, street.relay_box), ("blue", "blue", "green")),
    ObjectClass(
        "trash can",
        (street.trash_can, street.trash_can_with_lid, street.trash_can_with_bags),
        ("dark green", "black", "silver", "grey", "blue"),
    ),
    ObjectClass("trash bags", (street.trash_bags, street.trash_bags_recycling), ("black", "black", "light blue")),
    ObjectClass(
        "bench", (street.bench, street.bench_of_concrete, courts.bench_of_metal), ("brown", "dark green", "tan"), IRON
    ),
    ObjectClass("lamp post", (street.lamp_post, street.lamp_post_with_globes, street.lamp_post_with_crook), IRON),
    ObjectClass(
        "planter",
        (street.planter, street.planter_box, street.planter_trough),
        ("concrete", "brown", "black", "maroon"),
        FLOWERS,
    ),
    ObjectClass(
        "phone booth",
        (kiosks.phone_booth, kiosks.phone_booth_hood, kiosks.phone_kiosk),
        ("silver", "blue", "red", "black"),
    ),
    ObjectClass(
        "bike rack",
        (kiosks.bike_rack, kiosks.bike_rack_with_bikes, kiosks.bike_share),
        ("silver", "black", "blue"),
        ("green", "blue", "black"),
    ),
    ObjectClass("bicycle", (kiosks.bicycle,), CLOTHES),
    ObjectClass(
        "parking meter",
        (street.parking_meter, street.parking_meter_double, street.parking_meter_station),
        ("grey", "silver", "dark grey"),
    ),
    ObjectClass(
        "newspaper box",
        (street.newspaper_box, street.newspaper_boxes),
        ("red", "blue", "yellow", "green", "orange", "maroon"),
        ("blue", "green", "orange", "black"),
    ),
    ObjectClass(
        "bollard",
        (street.bollard, street.bollard_of_iron),
        ("yellow", "black", "silver", "concrete"),
        ("white", "yellow", "red"),
    ),
    ObjectClass("bus stop", (kiosks.bus_stop, kiosks.bus_stop_pole), ("dark grey", "dark green"), SIGNS),
    ObjectClass(
        "food cart",
        (kiosks.food_cart, kiosks.food_stand),
        ("red", "blue", "yellow", "green", "orange"),
        ("yellow", "white"),
    ),
    ObjectClass(
        "cafe table",
        (kiosks.cafe_table, kiosks.umbrella_table),
        ("green", "red", "white", "black", "blue"),
        ("white", "cream"),
    ),
    ObjectClass("fire alarm box", (street.fire_alarm_box,), ("red",)),
    ObjectClass("utility box", (street.utility_box,), ("dark green", "grey", "tan")),
    ObjectClass("pole", (street.pole, street.pole_of_steel), ("brown", "grey")),
    ObjectClass("steam stack", (street.steam_chimney,), ("orange",)),
    ObjectClass("subway entrance", (kiosks.subway_entrance,), ("dark green",)),
    ObjectClass(
        "dumpster", (street.dumpster, building_sites.dumpster_of_rubble), ("green", "blue", "red", "brown", "dark grey")
    ),
    ObjectClass("traffic cone", (construction.traffic_cone, construction.traffic_cone_tall), ("orange",)),
    ObjectClass("barrel", (construction.barrel, construction.barrel_with_light), ("orange",)),
    ObjectClass(
        "barrier",
        (
            construction.barrier,
            construction.barrier_of_wood,
            construction.barrier_of_concrete,
            construction.barrier_of_plastic,
            construction.barrier_of_steel,
        ),
        ("orange", "blue", "red"),
    ),
    ObjectClass(
        "scaffolding",
        (construction.scaffolding, construction.scaffolding_tower),
        ("dark green", "blue", "green", "navy"),
    ),
    ObjectClass(
        "construction fence",
        (
            construction.construction_fence,
            construction.construction_fence_of_wire,
            construction.construction_fence_of_plastic,
        ),
        ("blue", "green", "tan", "orange"),
    ),
    ObjectClass("road work sign", (construction.road_work_sign, construction.road_work_sign_closed), ("orange",)),
    ObjectClass("fence", (park.fence, park.fence_of_wood, park.fence_of_wire), ("black", "brown", "grey")),
    ObjectClass("gate", (park.park_gate,), IRON, STONE),
    ObjectClass(
        "playground",
        (park.swing_set, park.slide, park.climbing_frame),
        ("red", "blue", "yellow", "green"),
        ("yellow", "red"),
    ),
    ObjectClass("picnic table", (park.picnic_table,), ("brown", "dark green")),
    ObjectClass("drinking fountain", (park.drinking_fountain,), ("concrete", "dark green")),
    ObjectClass(
        "statue", (park.statue, park.statue_of_rider, park.statue_bust), ("teal", "dark grey", "gold", "white"), STONE
    ),
    ObjectClass("fountain", (park.fountain, park.fountain_with_jets), ("concrete", "limestone")),
    ObjectClass(
        "flower bed", (park.flower_bed, park.flower_bed_round), ("red", "yellow", "pink", "purple", "white"), FLOWERS
    ),
    ObjectClass("hedge", (plants.hedge, park.hedge, park.hedge_of_bushes), ("leaf", "dark green")),
    ObjectClass("car", (vehicles.sedan, vehicles.hatchback, vehicles.suv), PAINTS),
    ObjectClass("taxi", (vehicles.taxi_sedan, vehicles.taxi_van), ("yellow",)),
    ObjectClass("police car", (vehicles.police_car,), ("white",), ("blue",)),
    ObjectClass(
        "van",
        (vehicles.delivery_van, vehicles.step_van),
        ("white", "brown", "blue", "grey", "green"),
        ("red", "blue", "black"),
    ),
    ObjectClass(
        "truck",
        (trucks.box_truck, trucks.flatbed_truck),
        ("white", "red", "blue", "green", "yellow"),
        ("red", "blue", "black"),
    ),
    ObjectClass("garbage truck", (trucks.garbage_truck,), ("white", "green")),
    ObjectClass("pickup", (vehicles.pickup,), PAINTS),
    ObjectClass("ambulance", (trucks.ambulance,), ("white",), ("red",)),
    ObjectClass("bus", (trucks.city_bus,), ("blue", "white", "light blue"), ("white", "yellow")),
    ObjectClass("school bus", (trucks.school_bus,), ("yellow",), ("black",)),
    ObjectClass("motorcycle", (vehicles.motorcycle, vehicles.scooter), ("black", "red", "blue", "light blue", "white")),
    ObjectClass(
        "person",
        (
            people.man_walking,
            people.man_standing,
            people.woman_in_dress,
            people.woman_in_skirt,
            people.child,
            people.person_with_backpack,
            people.person_with_umbrella,
            people.person_in_coat,
        ),
        CLOTHES,
        TROUSERS,
    ),
    ObjectClass("cyclist", (people.cyclist,), CLOTHES, TROUSERS),
    ObjectClass("dog", (people.dog, people.small_dog), ("brown", "black", "white", "tan")),
    ObjectClass(
        "tree",
        (
            plants.round_tree,
            plants.tall_tree,
            plants.narrow_tree,
            plants.bare_tree,
            plants.young_tree,
            plants.conifer,
        ),
        ("leaf", "dark green", "grass", "green"),
    ),
    ObjectClass(
        "bush", (plants.bush, plants.flowering_bush), ("leaf", "dark green"), ("pink", "white", "red", "yellow")
    ),
    ObjectClass("potted plant", (plants.potted_plant, plants.potted_tree), ("brown", "concrete", "black", "blue")),
    ObjectClass(
        "door",
        (fronts.panel_door, fronts.stoop_door, fronts.glass_doors, fronts.arched_door, fronts.garage_door),
        ("red", "green", "black", "brown", "blue", "white", "maroon", "dark grey"),
        ("white", "limestone", "cream"),
    ),
    ObjectClass(
        "storefront",
        (
            fronts.storefront,
            fronts.storefront_with_side_door,
            fronts.wooden_storefront,
            fronts.closed_storefront,
        ),
        SIGNS,
        ("white", "yellow", "cream"),
    ),
    ObjectClass(
        "awning", (fronts.awning, fronts.striped_awning, fronts.round_awning), CANVAS, ("white", "cream", "yellow")
    ),
    ObjectClass("canopy", (fronts.canopy,), CANVAS, ("white", "gold")),
    ObjectClass(
        "flag",
        (walls.american_flag, walls.plain_flag),
        ("red", "blue", "green", "yellow", "white", "orange"),
        ("white",),
    ),
    ObjectClass("fire escape", (walls.fire_escape,), ("black", "dark grey", "maroon", "dark green")),
    ObjectClass("wall lamp", (walls.wall_lamp,), ("black", "gold")),
    ObjectClass("air conditioner", (walls.air_conditioner,), ("beige", "grey", "white")),
    ObjectClass("window box", (walls.window_box,), ("brown", "black", "white"), ("red", "pink", "yellow", "purple")),
    ObjectClass("balcony", (walls.balcony,), ("black", "white", "concrete")),
    ObjectClass("bay window", (walls.bay_window,), ("brown", "limestone", "grey")),
    ObjectClass(
        "mural",
        (walls.mural, walls.painted_portrait),
        ("blue",),
    ),
    ObjectClass(
        "graffiti",
        (walls.graffiti, walls.bubble_graffiti),
        ("blue", "red", "black", "green", "purple"),
        ("white", "yellow"),
    ),
    ObjectClass("portico", (fronts.portico,), ("limestone", "white")),
    ObjectClass("marquee", (fronts.marquee,), ("red", "gold", "black"), ("white",)),
    ObjectClass("clock", (walls.bracket_clock,), ("dark green", "black", "gold")),
    ObjectClass("barber pole", (walls.barber_pole,), ("red",), ("white",)),
    ObjectClass(
        "landmark",
        (
            landmarks.clock_tower,
            landmarks.church,
            landmarks.obelisk,
            landmarks.triumphal_arch,
            landmarks.globe,
            landmarks.street_clock,
            landmarks.water_tower,
            landmarks.glass_pyramid,
            landmarks.red_cube,
            landmarks.bandstand,
            landmarks.equestrian_monument,
            landmarks.chimney_stack,
            landmarks.carousel,
            landmarks.lighthouse,
            landmarks.dinosaur,
        ),
    ),
    ObjectClass("tire pile", (building_sites.tire_pile, building_sites.tire_heap), ("black",)),
    ObjectClass("newsstand", (stands.newsstand,), ("green", "dark grey", "red", "blue"), ("white", "yellow")),
    ObjectClass("excavator", (building_sites.excavator, building_sites.wheel_loader), ("yellow", "orange")),
    ObjectClass("crane", (building_sites.tower_crane,), ("yellow", "red", "white")),
    ObjectClass("portable toilet", (building_sites.portable_toilet,), ("blue", "green", "teal"), ("white",)),
    ObjectClass(
        "material pile",
        (
            building_sites.pile_of_sand,
            building_sites.pile_of_dirt,
            building_sites.pile_of_bricks,
            building_sites.pile_of_lumber,
            building_sites.pile_of_pipes,
        ),
        ("blue",),
    ),
    ObjectClass("ladder", (building_sites.ladder, building_sites.step_ladder), ("yellow", "orange", "silver", "blue")),
    ObjectClass("pigeons", (stands.pigeons,), ("grey",)),
    ObjectClass(
        "food truck", (stands.food_truck,), ("red", "white", "yellow", "teal", "purple"), ("white", "yellow", "red")
    ),
    ObjectClass("atm", (stands.cash_machine,), ("blue", "red", "green", "black"), ("white", "yellow")),
    ObjectClass("basketball hoop", (courts.basketball_hoop,), ("grey", "black", "blue"), ("black", "red")),
    ObjectClass(
        "warning sign",
        (
            warning_signs.crosswalk_sign,
            warning_signs.school_sign,
            warning_signs.dead_end_sign,
            warning_signs.bike_route_sign,
        ),
        ("yellow",),
    ),
    ObjectClass("garage entrance", (stands.garage_entrance,), ("blue", "green", "red", "black"), ("white", "yellow")),
    ObjectClass(
        "bridge", (bridges.railway_bridge, bridges.footbridge), ("grey", "dark green", "maroon", "blue"), ("silver",)
    ),
    ObjectClass("manhole cover", (building_sites.manhole_cover,), ("dark grey",)),
    ObjectClass("fruit stand", (stands.fruit_stand,), ("green", "red", "blue", "orange"), ("white", "cream")),
)
# Added later: an index, once given, stays with its class, because plans and random numbers depend on it.
_LATER_STREET_CLASSES = (
    ObjectClass("park", (grounds.small_park, grounds.park, grounds.large_park), ("grass",)),
    ObjectClass(
        "court",
        (grounds.basketball_court, grounds.tennis_court),
        ("green", "blue", "maroon", "dark grey", "dark green"),
        ("red", "blue", "teal", "tan", "green"),
    ),
    ObjectClass(
        "median",
        (grounds.planted_median, grounds.grass_median, grounds.median_with_trees, grounds.concrete_median),
        ("leaf", "dark green"),
        FLOWERS,
    ),
    ObjectClass("bike lane", (grounds.bike_lane,), ("green",)),
    ObjectClass("parking lot", (grounds.parking_lot,), ("dark grey",)),
    ObjectClass("curb ramp", (grounds.curb_ramp,), ("yellow", "red", "grey")),
)
STREET_CLASSES = (*_FIRST_STREET_CLASSES, *_LATER_STREET_CLASSES)
CLASSES: tuple[ObjectClass, ...] = (*_FIRST_STREET_CLASSES, *ROOM_CLASSES, *_LATER_STREET_CLASSES)
_CLASS_INDICES = {object_class.name: k for k, object_class in enumerate(CLASSES)}


def class_index(name: str) -> int:
    """Return the index of a class.

    Raises:
        InputError: There is no such class.
    """
    if name not in _CLASS_INDICES:
        raise unknown_name("class of thing", name, list(_CLASS_INDICES))
    return _CLASS_INDICES[name]
