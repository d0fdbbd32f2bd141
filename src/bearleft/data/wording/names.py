"""What people call the things of the city: every name with what it may denote.

A name is truthful both ways: each thing it denotes may be called so by a stranger who sees it, and each thing a
stranger would call so is denoted, so that a name that fits one thing of a scene alone finds it.
"""

from __future__ import annotations

from typing import NamedTuple

Denoted = tuple[tuple[str, tuple[int, ...] | None], ...]


class Name(NamedTuple):
    """A name, its plural, and what it denotes: classes with which of their variants (None: all).

    The variant of a building is its style. A `mass` name takes no "a" and has no other plural: "scaffolding", "doors".
    """

    one: str
    many: str
    of: Denoted
    mass: bool = False


IRREGULAR = {
    "person": "people", "man": "men", "woman": "women", "child": "children", "bus": "buses", "bench": "benches",
    "box": "boxes", "bush": "bushes", "church": "churches", "arch": "arches",
    "lady": "ladies", "business": "businesses",
    "balcony": "balconies", "canopy": "canopies", "puppy": "puppies",
}  # fmt: skip


def plural(one: str) -> str:
    """The plural of a noun or of a compound that ends with one."""
    rest, space, last = one.rpartition(" ")
    for end, ends in IRREGULAR.items():
        if last == end or (last.endswith(end) and end in ("man", "box")):
            return rest + space + last[: len(last) - len(end)] + ends
    return one + "s"


def _names(spoken: str, *of: str | tuple[str, tuple[int, ...]], mass: bool = False) -> list[Name]:
    """Names that denote the same: `spoken` are their singulars with commas between."""
    denoted: Denoted = tuple((one, None) if isinstance(one, str) else one for one in of)
    return [Name(one, one if mass else plural(one), denoted, mass) for one in spoken.split(", ")]


def _some(spoken: str, *of: str | tuple[str, tuple[int, ...]]) -> list[Name]:
    """Names without "a"."""
    return _names(spoken, *of, mass=True)


_BUILDINGS = [
    *_names("building", "building", ("landmark", (0, 1))),
    *_names("apartment building, apartment house", ("building", (0, 1, 2, 4, 9, 10, 11))),
    *_names("office building", ("building", (3, 4, 7))),
    *_names("glass building, glass tower", ("building", (3,))),
    *_names("brownstone", ("building", (1,))),
    *_names("warehouse", ("building", (8,))),
    *_names("industrial building, loft building", ("building", (5, 8))),
    *_names("brick building", ("building", (0, 1, 8, 10, 11))),
    *_names("stone building", ("building", (2, 9)), ("landmark", (1,))),
    *_names("concrete building", ("building", (4,))),
    *_names("house, rowhouse", ("building", (1, 6))),
    *_names("door", "door"),
    *_names("doorway", ("door", (0, 1, 2, 3))),
    *_names("entrance, entryway", ("door", (0, 1, 2, 3)), "portico", "subway entrance", "gate"),
    *_names("front door", ("door", (0, 1))),
    *_names("stoop", ("door", (1,))),
    *_some("stairs, steps", ("door", (1,)), "portico", "subway entrance"),
    *_some("front steps", ("door", (1,)), "portico"),
    *_some("double doors", ("door", (2, 3))),
    *_names("glass door", ("door", (2,))),
    *_names("arched door, arched doorway, wooden door", ("door", (3,))),
    *_names("garage door, garage, roll-up door", ("door", (4,))),
    *_names("store, shop, storefront, business", "storefront"),
    *_names("store front, shop front", "storefront"),
    *_names("store window, shop window", ("storefront", (0, 1, 2))),
    *_names("closed store, closed shop, shuttered store", ("storefront", (3,))),
    *_names("security gate, metal shutter", ("storefront", (3,))),
    *_names("awning", "awning", "canopy"),
    *_names("striped awning", ("awning", (1,))),
    *_names("rounded awning, round awning", ("awning", (2,))),
    *_names("canopy", "canopy", "awning", "marquee"),
    *_names("entrance canopy, entrance awning, long awning", "canopy"),
    *_names("marquee, theater marquee, movie theater sign, theater sign", "marquee"),
    *_names("theater, movie theater", "marquee"),
    *_names("portico, bank entrance, columned entrance", "portico"),
    *_some("columns, pillars", "portico"),
    *_names("fire escape", "fire escape"),
    *_some("fire escape stairs, fire stairs", "fire escape"),
    *_names("wall lamp, wall lantern", "wall lamp"),
    *_names("lantern", "wall lamp", ("lamp post", (1, 2))),
    *_names("air conditioner, air conditioning unit, window unit, ac unit", "air conditioner"),
    *_names("window box, flower box, window planter", "window box"),
    *_names("balcony, apartment balcony", "balcony"),
    *_names("bay window, window bay", "bay window"),
    *_names("mural, wall mural, painted wall, wall painting", "mural"),
    *_names("portrait, painted face", ("mural", (1,))),
    *_some("graffiti", "graffiti"),
    *_names("graffiti tag", "graffiti"),
    *_names("barber pole, barber shop pole", "barber pole"),
    *_names("clock", "clock", ("landmark", (5,))),
    *_names("hanging clock, wall clock, round clock", "clock"),
    *_names("flag", "flag"),
    *_names("american flag, us flag", ("flag", (0,))),
    *_names("flagpole", "flag"),
]

_SIGNS = [
    *_names("traffic light, traffic signal, stoplight, stop light", "traffic light"),
    *_names("traffic light pole, stoplight pole", "traffic light"),
    *_names("pedestrian signal, crosswalk signal, pedestrian light, walk signal, walk sign", "pedestrian signal"),
    *_names("stop sign", "stop sign"),
    *_names("yield sign", "yield sign"),
    *_names("triangle sign", "yield sign"),
    *_names("one way sign, one-way sign", "one way sign"),
    *_names("arrow sign", "one way sign", ("no parking sign", (1,))),
    *_names("street sign, street name sign, road sign", "street sign"),
    *_names("speed limit sign, speed sign", "speed limit sign"),
    *_names("no parking sign, parking sign", "no parking sign"),
    *_names(
        "sign", "stop sign", "yield sign", "one way sign", "street sign", "speed limit sign", "no parking sign",
        "lettered sign", "blank sign", "billboard", "banner", "sandwich board", "road work sign", "marquee",
        ("bus stop", (1,)),
    ),
    *_names(
        "traffic sign", "stop sign", "yield sign", "one way sign", "speed limit sign", "no parking sign",
        "road work sign", "street sign",
    ),
    *_names("store sign, shop sign, business sign", "lettered sign"),
    *_names("hanging sign, projecting sign", ("lettered sign", (0, 1, 2))),
    *_names("vertical sign, tall sign", ("lettered sign", (1,)), "banner"),
    *_names("round sign, circular sign", ("lettered sign", (2,)), ("bus stop", (1,))),
    *_names("sign board, signboard", ("lettered sign", (3, 4)), "sandwich board"),
    *_names("wall sign", ("lettered sign", (3, 4)), ("blank sign", (1,))),
    *_names("lighted sign", ("lettered sign", (4,)), "marquee"),
    *_names("blank sign, empty sign, plain sign", "blank sign"),
    *_names("billboard, big billboard", "billboard"),
    *_names("banner, vertical banner", "banner"),
    *_names("lamp post banner, street banner", ("banner", (0,))),
    *_names("sandwich board, sidewalk sign, a-frame sign, menu board", "sandwich board"),
    *_names("road work sign, construction sign", "road work sign"),
    *_names("diamond sign, diamond-shaped sign", ("road work sign", (0,))),
    *_names("sidewalk closed sign", ("road work sign", (1,))),
]  # fmt: skip

_FURNITURE = [
    *_names("fire hydrant, hydrant", "fire hydrant"),
    *_names("mailbox, mail box, postal box", "mailbox"),
    *_names("trash can, garbage can, trash bin, trashcan, garbage bin", "trash can"),
    *_names("waste basket, trash basket", ("trash can", (0, 2))),
    *_some("trash bags, garbage bags, trash, garbage", "trash bags"),
    *_names("trash pile, garbage pile", "trash bags"),
    *_names("dumpster, trash container, garbage container", "dumpster"),
    *_names("bench", "bench"),
    *_names("park bench, wooden bench", ("bench", (0,))),
    *_names("backless bench", ("bench", (1,))),
    *_names("lamp post, lamppost, street lamp, street light, streetlight", "lamp post"),
    *_names("light post, light pole", "lamp post"),
    *_names("lamp", "lamp post", "wall lamp"),
    *_names("globe lamp, double lamp", ("lamp post", (1,))),
    *_names("planter, flower pot", "planter", "potted plant"),
    *_names("planter box", ("planter", (1, 2))),
    *_names("flower planter", ("planter", (0, 2))),
    *_names("phone booth, telephone booth, pay phone, payphone, telephone", "phone booth"),
    *_names("glass phone booth", ("phone booth", (0,))),
    *_names("kiosk, wifi kiosk, digital kiosk", ("phone booth", (2,))),
    *_names("bike rack, bicycle rack", "bike rack"),
    *_some("rental bikes, bike rentals", ("bike rack", (2,))),
    *_names("bike rental station, bike share station, bike station", ("bike rack", (2,))),
    *_names("bike, bicycle", "bicycle", "cyclist"),
    *_names("parking meter, meter", "parking meter"),
    *_names("double parking meter", ("parking meter", (1,))),
    *_names("newspaper box, newspaper stand, newspaper dispenser, news box", "newspaper box"),
    *_names("bollard", "bollard"),
    *_names("bus stop", "bus stop"),
    *_names("bus shelter", ("bus stop", (0,))),
    *_names("bus stop sign, bus sign", ("bus stop", (1,))),
    *_names("food cart, food stand, food vendor", "food cart"),
    *_names("hot dog cart, hot dog stand", ("food cart", (0,))),
    *_names("food truck", ("food cart", (1,))),
    *_names("umbrella", ("food cart", (0,)), ("cafe table", (1,)), ("person", (6,))),
    *_names("striped umbrella", ("food cart", (0,)), ("cafe table", (1,))),
    *_names("table", "cafe table", "picnic table"),
    *_names("cafe table, outdoor table", "cafe table"),
    *_some("chairs, outdoor seating", "cafe table"),
    *_names("umbrella table, table umbrella", ("cafe table", (1,))),
    *_names("fire alarm box, call box, fire call box, emergency box", "fire alarm box"),
    *_names("utility box, electrical box, utility cabinet, electric box", "utility box"),
    *_names("metal box", "utility box", "mailbox", "newspaper box", "dumpster", "fire alarm box"),
    *_names("box", "utility box", "mailbox", "newspaper box", "fire alarm box"),
    *_names("pole", "pole", "lamp post", "traffic light", "pedestrian signal", ("bus stop", (1,)), "barber pole"),
    *_names("metal pole", ("pole", (1,)), "lamp post", "traffic light", "pedestrian signal", ("bus stop", (1,))),
    *_names("utility pole, telephone pole, power pole, wooden pole", ("pole", (0,))),
    *_names("post", "bollard", "pole", "lamp post"),
    *_names("steam stack, steam pipe, steam vent, smoke stack", "steam stack"),
    *_names("chimney", "steam stack", ("landmark", (11,))),
    *_names("subway entrance, subway station, subway stop, subway", "subway entrance"),
]

_WORKS = [
    *_names("traffic cone, cone, safety cone, construction cone", "traffic cone"),
    *_names("tall cone", ("traffic cone", (1,))),
    *_names("barrel, traffic barrel, construction barrel, traffic drum", "barrel"),
    *_names("barrier", "barrier"),
    *_names("traffic barrier, construction barrier", ("barrier", (0, 1, 2, 3))),
    *_names("barricade", ("barrier", (0, 1, 3, 4))),
    *_names("sawhorse", ("barrier", (0, 1))),
    *_names("police barricade, police barrier", ("barrier", (1,))),
    *_names("concrete barrier, jersey barrier, concrete block", ("barrier", (2,))),
    *_names("plastic barrier", ("barrier", (3,))),
    *_names("metal barrier, crowd barrier, metal barricade", ("barrier", (4,))),
    *_some("scaffolding", "scaffolding"),
    *_names("scaffold", "scaffolding"),
    *_names("sidewalk shed, covered walkway", ("scaffolding", (0,))),
    *_some("construction", "scaffolding", "construction fence", "barrier", "barrel", "traffic cone", "road work sign"),
    *_names("construction zone, construction site", "scaffolding", "construction fence"),
    *_names("fence", "fence", "construction fence", ("barrier", (4,))),
    *_some("fencing", "fence", "construction fence", ("barrier", (4,))),
    *_names("construction fence, construction wall", "construction fence"),
    *_names("plywood wall, plywood fence, wooden wall", ("construction fence", (0,))),
    *_names("chain link fence, chain-link fence, wire fence", ("construction fence", (1,)), ("fence", (2,))),
    *_names("plastic fence, mesh fence", ("construction fence", (2,))),
]

_PARK = [
    *_names("iron fence, metal fence", ("fence", (0,))),
    *_names("wooden fence, wood fence", ("fence", (1,))),
    *_names("gate", "gate", ("storefront", (3,))),
    *_names("park gate, iron gate, park entrance", "gate"),
    *_names("playground", "playground"),
    *_some("playground equipment", "playground"),
    *_names("swing set, swing", ("playground", (0,))),
    *_names("slide, playground slide", ("playground", (1,))),
    *_names("climbing frame, jungle gym, climbing dome", ("playground", (2,))),
    *_names("picnic table, picnic bench, wooden table", "picnic table"),
    *_names("drinking fountain, water fountain", "drinking fountain"),
    *_names("fountain", "fountain", "drinking fountain"),
    *_names("large fountain, stone fountain, round fountain", "fountain"),
    *_names("statue", "statue", ("landmark", (10, 14))),
    *_names("bronze statue, small statue", "statue"),
    *_names("bust, bust statue", ("statue", (2,))),
    *_names("horse statue, equestrian statue", ("statue", (1,)), ("landmark", (10,))),
    *_names("sculpture", "statue", ("landmark", (4, 8, 10, 14))),
    *_names("monument", "statue", ("landmark", (2, 3, 10))),
    *_names("flower bed, flowerbed, flower garden", "flower bed"),
    *_some("flowers", "flower bed", ("planter", (0, 2)), "window box", ("bush", (1,))),
    *_names("hedge", "hedge"),
    *_names("clipped hedge", ("hedge", (0, 1))),
    *_names("tree", "tree", ("potted plant", (1,))),
    *_names("leafy tree", ("tree", (0, 1, 2, 4))),
    *_names("big tree, large tree", ("tree", (0, 1))),
    *_names("bare tree, leafless tree, dead tree", ("tree", (3,))),
    *_names("small tree, young tree", ("tree", (4,)), ("potted plant", (1,))),
    *_names("pine tree, evergreen tree, christmas tree", ("tree", (5,))),
    *_names("bush, shrub", "bush", ("hedge", (2,)), ("potted plant", (0,))),
    *_names("flowering bush, flower bush", ("bush", (1,))),
    *_names("plant", "potted plant", "planter", "bush", "window box"),
    *_names("potted plant", "potted plant", "planter"),
    *_names("pot, plant pot", "potted plant", "planter"),
    *_names("potted tree", ("potted plant", (1,)), ("planter", (1,))),
]

_MOVING = [
    *_names("car", "car", "taxi", "police car"),
    *_names("sedan", ("car", (0,)), ("taxi", (0,)), "police car"),
    *_names("hatchback, small car", ("car", (1,))),
    *_names("suv", ("car", (2,))),
    *_names("taxi, taxi cab, cab, yellow cab", "taxi"),
    *_names("taxi van", ("taxi", (1,))),
    *_names("police car, cop car, police cruiser", "police car"),
    *_names("van", "van", ("taxi", (1,))),
    *_names("delivery van", "van"),
    *_names("delivery truck", ("van", (1,)), ("truck", (0,))),
    *_names("truck", "truck", "garbage truck", "pickup", ("van", (1,)), ("food cart", (1,))),
    *_names("box truck, moving truck", ("truck", (0,))),
    *_names("flatbed truck, flatbed", ("truck", (1,))),
    *_names("garbage truck, trash truck, sanitation truck", "garbage truck"),
    *_names("pickup, pickup truck, pick-up truck", "pickup"),
    *_names("ambulance", "ambulance"),
    *_names("emergency vehicle", "ambulance", "police car"),
    *_names("bus", "bus", "school bus"),
    *_names("city bus", "bus"),
    *_names("school bus", "school bus"),
    *_names("motorcycle, motorbike", "motorcycle"),
    *_names("scooter, moped", ("motorcycle", (1,))),
    *_names(
        "vehicle", "car", "taxi", "police car", "van", "truck", "garbage truck", "pickup", "ambulance", "bus",
        "school bus", "motorcycle",
    ),
    *_names("person", "person", "cyclist"),
    *_names("pedestrian", "person"),
    *_names("man, guy", ("person", (0, 1, 5, 6, 7)), "cyclist"),
    *_names("woman, lady", ("person", (2, 3))),
    *_names("child, kid", ("person", (4,))),
    *_names("cyclist, bicyclist, bike rider", "cyclist"),
    *_names("dog", "dog"),
    *_names("big dog", ("dog", (0,))),
    *_names("small dog, puppy", ("dog", (1,))),
]  # fmt: skip

_LANDMARKS = [
    *_names("clock tower, bell tower", ("landmark", (0,))),
    *_names("church, chapel", ("landmark", (1,))),
    *_names("obelisk, stone needle", ("landmark", (2,))),
    *_names("arch, triumphal arch, stone arch, archway", ("landmark", (3,))),
    *_names("globe, giant globe, globe sculpture", ("landmark", (4,))),
    *_names("street clock, sidewalk clock", ("landmark", (5,))),
    *_names("water tower, water tank", ("landmark", (6,))),
    *_names("glass pyramid, pyramid", ("landmark", (7,))),
    *_names("cube, cube sculpture, giant cube", ("landmark", (8,))),
    *_names("bandstand, gazebo, pavilion", ("landmark", (9,))),
    *_names("equestrian monument, horse monument", ("landmark", (10,))),
    *_names("smokestack, brick chimney, tall chimney", ("landmark", (11,))),
    *_names("carousel, merry-go-round", ("landmark", (12,))),
    *_names("lighthouse, light house", ("landmark", (13,))),
    *_names("dinosaur, dinosaur statue, dinosaur sculpture", ("landmark", (14,))),
]

NAMES: tuple[Name, ...] = tuple(_BUILDINGS + _SIGNS + _FURNITURE + _WORKS + _PARK + _MOVING + _LANDMARKS)
