"""Every class of thing that cities and rooms hold: those of the street, then those of rooms."""

from __future__ import annotations

from bearleft.errors import unknown
from bearleft.world.city.facades import PARTS as BUILDING_PARTS
from bearleft.world.city.models import bridges as spans
from bearleft.world.city.models import building_sites as sites
from bearleft.world.city.models import construction as works
from bearleft.world.city.models import (
    courts,
    fronts,
    kiosks,
    landmarks,
    park,
    people,
    signs,
    street,
    trucks,
    vehicles,
    walls,
)
from bearleft.world.city.models import plants as green
from bearleft.world.city.models import stands as trade
from bearleft.world.city.models import warning_signs as cautions
from bearleft.world.city.object_class import Class
from bearleft.world.rooms.catalog import ROOM_CLASSES

PAINTS = ("white", "black", "grey", "silver", "blue", "red", "dark grey", "green", "maroon", "navy", "tan", "teal")
CLOTHES = ("red", "blue", "white", "black", "green", "yellow", "grey", "pink", "orange", "navy", "purple", "light blue")
TROUSERS = ("navy", "black", "blue", "grey", "brown", "tan", "dark grey")
CANVAS = ("red", "green", "blue", "maroon", "black", "orange", "yellow", "purple", "teal", "navy", "white", "brown")
SIGNS = ("red", "blue", "green", "black", "yellow", "white", "orange", "purple", "maroon", "teal")
FLOWERS = ("red", "yellow", "pink", "white", "purple")
STONE = ("limestone", "concrete", "brick")
IRON = ("black", "dark green", "dark grey")


STREET_CLASSES = (
    Class("building", (), stated=BUILDING_PARTS),
    Class(
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
    Class("pedestrian signal", (signs.pedestrian_signal_hand, signs.pedestrian_signal_walk), ("black",)),
    Class("stop sign", (signs.stop_sign,), ("red",)),
    Class("yield sign", (signs.yield_sign,), ("red",)),
    Class("one way sign", (signs.one_way_left, signs.one_way_right), ("black",)),
    Class("street sign", (signs.street_name_sign, signs.street_name_blade), ("green",)),
    Class("speed limit sign", (signs.speed_limit_sign,), ("white",)),
    Class("no parking sign", (signs.no_parking_sign, signs.no_parking_sign_red), ("white",)),
    Class(
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
    Class("blank sign", (signs.blank_sign, signs.blank_sign_on_wall), ("white", "grey", "yellow", "blue")),
    Class("billboard", (signs.billboard,), SIGNS, ("white", "yellow")),
    Class("banner", (signs.banner, signs.banner_on_wall), SIGNS, ("white", "yellow", "cream")),
    Class("sandwich board", (signs.sandwich_board,), ("black", "green", "white")),
    Class(
        "fire hydrant",
        (street.fire_hydrant, street.fire_hydrant_with_posts),
        ("black", "red", "yellow", "silver"),
        ("silver", "white", "black"),
    ),
    Class("mailbox", (street.mailbox, street.relay_box), ("blue", "blue", "green")),
    Class(
        "trash can",
        (street.trash_can, street.trash_can_with_lid, street.trash_can_with_bags),
        ("dark green", "black", "silver", "grey", "blue"),
    ),
    Class("trash bags", (street.trash_bags, street.trash_bags_recycling), ("black", "black", "light blue")),
    Class(
        "bench", (street.bench, street.bench_of_concrete, courts.bench_of_metal), ("brown", "dark green", "tan"), IRON
    ),
    Class("lamp post", (street.lamp_post, street.lamp_post_with_globes, street.lamp_post_with_crook), IRON),
    Class(
        "planter",
        (street.planter, street.planter_box, street.planter_trough),
        ("concrete", "brown", "black", "maroon"),
        FLOWERS,
    ),
    Class(
        "phone booth",
        (kiosks.phone_booth, kiosks.phone_booth_hood, kiosks.phone_kiosk),
        ("silver", "blue", "red", "black"),
    ),
    Class(
        "bike rack",
        (kiosks.bike_rack, kiosks.bike_rack_with_bikes, kiosks.bike_share),
        ("silver", "black", "blue"),
        ("green", "blue", "black"),
    ),
    Class("bicycle", (kiosks.bicycle,), CLOTHES),
    Class(
        "parking meter",
        (street.parking_meter, street.parking_meter_double, street.parking_meter_station),
        ("grey", "silver", "dark grey"),
    ),
    Class(
        "newspaper box",
        (street.newspaper_box, street.newspaper_boxes),
        ("red", "blue", "yellow", "green", "orange", "maroon"),
        ("blue", "green", "orange", "black"),
    ),
    Class(
        "bollard",
        (street.bollard, street.bollard_of_iron),
        ("yellow", "black", "silver", "concrete"),
        ("white", "yellow", "red"),
    ),
    Class("bus stop", (kiosks.bus_stop, kiosks.bus_stop_pole), ("dark grey", "dark green"), SIGNS),
    Class(
        "food cart",
        (kiosks.food_cart, kiosks.food_stand),
        ("red", "blue", "yellow", "green", "orange"),
        ("yellow", "white"),
    ),
    Class(
        "cafe table",
        (kiosks.cafe_table, kiosks.umbrella_table),
        ("green", "red", "white", "black", "blue"),
        ("white", "cream"),
    ),
    Class("fire alarm box", (street.fire_alarm_box,), ("red",)),
    Class("utility box", (street.utility_box,), ("dark green", "grey", "tan")),
    Class("pole", (street.pole, street.pole_of_steel), ("brown", "grey")),
    Class("steam stack", (street.steam_chimney,), ("orange",)),
    Class("subway entrance", (kiosks.subway_entrance,), ("dark green",)),
    Class("dumpster", (street.dumpster, sites.dumpster_of_rubble), ("green", "blue", "red", "brown", "dark grey")),
    Class("traffic cone", (works.traffic_cone, works.traffic_cone_tall), ("orange",)),
    Class("barrel", (works.barrel, works.barrel_with_light), ("orange",)),
    Class(
        "barrier",
        (
            works.barrier,
            works.barrier_of_wood,
            works.barrier_of_concrete,
            works.barrier_of_plastic,
            works.barrier_of_steel,
        ),
        ("orange", "blue", "red"),
    ),
    Class("scaffolding", (works.scaffolding, works.scaffolding_tower), ("dark green", "blue", "green", "navy")),
    Class(
        "construction fence",
        (works.construction_fence, works.construction_fence_of_wire, works.construction_fence_of_plastic),
        ("blue", "green", "tan", "orange"),
    ),
    Class("road work sign", (works.road_work_sign, works.road_work_sign_closed), ("orange",)),
    Class("fence", (park.fence, park.fence_of_wood, park.fence_of_wire), ("black", "brown", "grey")),
    Class("gate", (park.park_gate,), IRON, STONE),
    Class(
        "playground",
        (park.swing_set, park.slide, park.climbing_frame),
        ("red", "blue", "yellow", "green"),
        ("yellow", "red"),
    ),
    Class("picnic table", (park.picnic_table,), ("brown", "dark green")),
    Class("drinking fountain", (park.drinking_fountain,), ("concrete", "dark green")),
    Class(
        "statue", (park.statue, park.statue_of_rider, park.statue_bust), ("teal", "dark grey", "gold", "white"), STONE
    ),
    Class("fountain", (park.fountain, park.fountain_with_jets), ("concrete", "limestone")),
    Class(
        "flower bed", (park.flower_bed, park.flower_bed_round), ("red", "yellow", "pink", "purple", "white"), FLOWERS
    ),
    Class("hedge", (green.hedge, park.hedge, park.hedge_of_bushes), ("leaf", "dark green")),
    Class("car", (vehicles.sedan, vehicles.hatchback, vehicles.suv), PAINTS),
    Class("taxi", (vehicles.taxi_sedan, vehicles.taxi_van), ("yellow",)),
    Class("police car", (vehicles.police_car,), ("white",), ("blue",)),
    Class(
        "van",
        (vehicles.delivery_van, vehicles.step_van),
        ("white", "brown", "blue", "grey", "green"),
        ("red", "blue", "black"),
    ),
    Class(
        "truck",
        (trucks.box_truck, trucks.flatbed_truck),
        ("white", "red", "blue", "green", "yellow"),
        ("red", "blue", "black"),
    ),
    Class("garbage truck", (trucks.garbage_truck,), ("white", "green")),
    Class("pickup", (vehicles.pickup,), PAINTS),
    Class("ambulance", (trucks.ambulance,), ("white",), ("red",)),
    Class("bus", (trucks.city_bus,), ("blue", "white", "light blue"), ("white", "yellow")),
    Class("school bus", (trucks.school_bus,), ("yellow",), ("black",)),
    Class("motorcycle", (vehicles.motorcycle, vehicles.scooter), ("black", "red", "blue", "light blue", "white")),
    Class(
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
    Class("cyclist", (people.cyclist,), CLOTHES, TROUSERS),
    Class("dog", (people.dog, people.small_dog), ("brown", "black", "white", "tan")),
    Class(
        "tree",
        (
            green.round_tree,
            green.tall_tree,
            green.narrow_tree,
            green.bare_tree,
            green.young_tree,
            green.conifer,
        ),
        ("leaf", "dark green", "grass", "green"),
    ),
    Class("bush", (green.bush, green.flowering_bush), ("leaf", "dark green"), ("pink", "white", "red", "yellow")),
    Class("potted plant", (green.potted_plant, green.potted_tree), ("brown", "concrete", "black", "blue")),
    Class(
        "door",
        (fronts.panel_door, fronts.stoop_door, fronts.glass_doors, fronts.arched_door, fronts.garage_door),
        ("red", "green", "black", "brown", "blue", "white", "maroon", "dark grey"),
        ("white", "limestone", "cream"),
    ),
    Class(
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
    Class("awning", (fronts.awning, fronts.striped_awning, fronts.round_awning), CANVAS, ("white", "cream", "yellow")),
    Class("canopy", (fronts.canopy,), CANVAS, ("white", "gold")),
    Class(
        "flag",
        (walls.american_flag, walls.plain_flag),
        ("red", "blue", "green", "yellow", "white", "orange"),
        ("white",),
    ),
    Class("fire escape", (walls.fire_escape,), ("black", "dark grey", "maroon", "dark green")),
    Class("wall lamp", (walls.wall_lamp,), ("black", "gold")),
    Class("air conditioner", (walls.air_conditioner,), ("beige", "grey", "white")),
    Class("window box", (walls.window_box,), ("brown", "black", "white"), ("red", "pink", "yellow", "purple")),
    Class("balcony", (walls.balcony,), ("black", "white", "concrete")),
    Class("bay window", (walls.bay_window,), ("brown", "limestone", "grey")),
    Class(
        "mural",
        (walls.mural, walls.painted_portrait),
        ("blue",),
    ),
    Class(
        "graffiti",
        (walls.graffiti, walls.bubble_graffiti),
        ("blue", "red", "black", "green", "purple"),
        ("white", "yellow"),
    ),
    Class("portico", (fronts.portico,), ("limestone", "white")),
    Class("marquee", (fronts.marquee,), ("red", "gold", "black"), ("white",)),
    Class("clock", (walls.bracket_clock,), ("dark green", "black", "gold")),
    Class("barber pole", (walls.barber_pole,), ("red",), ("white",)),
    Class(
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
    Class("tire pile", (sites.tire_pile, sites.tire_heap), ("black",)),
    Class("newsstand", (trade.newsstand,), ("green", "dark grey", "red", "blue"), ("white", "yellow")),
    Class("excavator", (sites.excavator, sites.wheel_loader), ("yellow", "orange")),
    Class("crane", (sites.tower_crane,), ("yellow", "red", "white")),
    Class("portable toilet", (sites.portable_toilet,), ("blue", "green", "teal"), ("white",)),
    Class(
        "material pile",
        (
            sites.pile_of_sand,
            sites.pile_of_dirt,
            sites.pile_of_bricks,
            sites.pile_of_lumber,
            sites.pile_of_pipes,
        ),
        ("blue",),
    ),
    Class("ladder", (sites.ladder, sites.step_ladder), ("yellow", "orange", "silver", "blue")),
    Class("pigeons", (trade.pigeons,), ("grey",)),
    Class("food truck", (trade.food_truck,), ("red", "white", "yellow", "teal", "purple"), ("white", "yellow", "red")),
    Class("atm", (trade.cash_machine,), ("blue", "red", "green", "black"), ("white", "yellow")),
    Class("basketball hoop", (courts.basketball_hoop,), ("grey", "black", "blue"), ("black", "red")),
    Class(
        "warning sign",
        (cautions.crosswalk_sign, cautions.school_sign, cautions.dead_end_sign, cautions.bike_route_sign),
        ("yellow",),
    ),
    Class("garage entrance", (trade.garage_entrance,), ("blue", "green", "red", "black"), ("white", "yellow")),
    Class("bridge", (spans.railway_bridge, spans.footbridge), ("grey", "dark green", "maroon", "blue"), ("silver",)),
    Class("manhole cover", (sites.manhole_cover,), ("dark grey",)),
    Class("fruit stand", (trade.fruit_stand,), ("green", "red", "blue", "orange"), ("white", "cream")),
)
CLASSES: tuple[Class, ...] = (*STREET_CLASSES, *ROOM_CLASSES)
_NUMBERS = {one.name: k for k, one in enumerate(CLASSES)}


def number(name: str) -> int:
    """The row of a class."""
    if name not in _NUMBERS:
        raise unknown("class of thing", name, list(_NUMBERS))
    return _NUMBERS[name]
