"""Street furniture between the kerb and the walls: lamps, meters, benches, planters, bus stops, racks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bearleft.world.city import names
from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.districts import DISTRICTS, district_index, district_values
from bearleft.world.city.placement import (
    BLOCKS_ON_ROAD,
    BLOCKS_ON_SIDEWALK,
    KerbPoints,
    RowLayout,
    Vectors,
    kerb_points,
    liveliness,
    make_things,
    max_half_size,
    model_extents,
    new_groups,
    offset,
    place_rows,
    place_things,
    raster_of,
    reserve,
    right_of,
    road_directions,
    select_pair,
    street_ends,
    variant_index,
)
from bearleft.world.city.plan import Draft
from bearleft.world.city.randomness import Integers, Stage, chance, integers
from bearleft.world.city.raster import CAMERA, CROSSING, OVERHEAD, WALK

STAGE = Stage.FURNITURE
TO_ROAD, TO_WALK, ALONG = "road", "walk", "along"  # directions that objects face
HOOP_SPACING = 800  # millimetres between the hoops of a bike rack
FIRST_HOOP_OFFSET = 1_080  # millimetres from the rack's centre to the first bicycle


@dataclass(frozen=True)
class Single:
    """A class placed singly every `spacing`, with per mille probabilities for quiet and lively streets."""

    name: str
    spacing: int
    quiet: int
    lively: int
    out: int  # millimetres from the kerb to its nearest edge
    facing: str


SINGLES = (
    Single("fire hydrant", 61_000, 700, 700, 250, TO_ROAD),
    Single("subway entrance", 97_000, 4, 30, 500, ALONG),
    Single("food cart", 43_000, 6, 90, 250, TO_WALK),
    Single("newsstand", 79_000, 6, 170, 300, TO_WALK),
    Single("phone booth", 71_000, 50, 160, 250, TO_WALK),
    Single("mailbox", 83_000, 150, 260, 250, TO_WALK),
    Single("fire alarm box", 127_000, 300, 300, 250, TO_WALK),
    Single("blank sign", 89_000, 90, 90, 250, ALONG),
    Single("utility box", 67_000, 130, 130, 250, TO_WALK),
    Single("trash can", 47_000, 130, 480, 250, TO_WALK),
    Single("no parking sign", 37_000, 260, 420, 250, ALONG),
    Single("speed limit sign", 113_000, 330, 330, 250, ALONG),
    Single("warning sign", 71_000, 330, 260, 250, ALONG),
    Single("pigeons", 59_000, 40, 130, 900, TO_WALK),
)
STREET_WARNINGS = ("crosswalk_sign", "school_sign", "bike_route_sign")  # variants placed along streets
LAMPS = {  # lamp variants by district; repeated ones are more frequent
    "downtown": ("lamp_post", "lamp_post", "lamp_post_with_crook"),
    "brownstones": ("lamp_post_with_crook", "lamp_post_with_globes", "lamp_post_with_globes"),
    "warehouses": ("lamp_post",),
    "shopping": ("lamp_post_with_globes", "lamp_post_with_crook", "lamp_post"),
    "residential": ("lamp_post", "lamp_post_with_crook"),
    "village": ("lamp_post_with_globes", "lamp_post_with_crook"),
}
ROWS = (  # name, spacing, quiet, lively, min_count, max_count, distance, alike
    ("planter", 41_000, 60, 150, 2, 5, 1800, True),
    ("bench", 59_000, 40, 130, 1, 3, 2300, True),
    ("newspaper box", 79_000, 20, 180, 2, 5, 560, False),
)


def _facing(points: KerbPoints, facing: str) -> Vectors:
    return {TO_ROAD: points.inwards, TO_WALK: points.out, ALONG: (-points.flow[0], -points.flow[1])}[facing]


def _half_depth(name: str, facing: str) -> int:
    """Return the distance from a thing's centre to its edge towards the road."""
    hx, hy = max_half_size(name)
    return hx if facing == ALONG else hy


def _per_mille(draft: Draft, points: KerbPoints, quiet: int, lively: int) -> Integers:
    """Interpolate between the probabilities of quiet and lively streets."""
    return np.asarray(quiet + (lively - quiet) * liveliness(draft, points.x, points.y) // 1000, np.int64)


def _sample_points(draft: Draft, name: str, points: KerbPoints, quiet: int, lively: int) -> KerbPoints:
    return points.select(
        chance(draft.seed, STAGE, points.index, _per_mille(draft, points, quiet, lively), salt=class_index(name))
    )


def place_lamps(draft: Draft) -> None:
    """Place lamp posts at equal distances on alternating sides, uniform along a street; some streets have banners."""
    points = kerb_points(draft, 13_000, phase=6_500, edge=2_000)
    points = points.select((points.step + (points.side > 0)) % 2 == 0)
    at = points.at(600)
    street = points.street
    posts = place_things(
        draft,
        STAGE,
        "lamp post",
        at,
        points.inwards,
        street,
        BLOCKS_ON_SIDEWALK | OVERHEAD,
        street=street,
        variant=_lamp_variants(draft, points.street, at),
    )
    has_banner = (posts >= 0) & chance(draft.seed, STAGE, street, 90, salt=2)
    points, street = points.select(has_banner), street[has_banner]
    text = names.choose_texts(draft, names.BANNERS, street, 3)
    draft.add(
        make_things(
            draft,
            STAGE,
            "banner",
            select_pair(at, has_banner),
            points.flow,
            street,
            owner=posts[has_banner],
            street=street,
            text=text,
            variant=variant_index("banner", "banner"),
        )
    )


def _lamp_variants(draft: Draft, street: Integers, at: Vectors) -> Integers:
    """Return a district's lamp variants, uniform along a street within it."""
    districts = district_index(draft.seed, *at)
    choice = integers(draft.seed, STAGE, street, 0, 5, salt=1)
    variants = [
        [variant_index("lamp post", LAMPS[district.name][k % len(LAMPS[district.name])]) for k in range(6)]
        for district in DISTRICTS
    ]
    return np.asarray(np.array(variants)[districts, choice], np.int64)


def place_bus_stops(draft: Draft) -> None:
    """Place shelters on wide streets, about every 330 metres, on kerbs to the right of traffic."""
    points = kerb_points(draft, 160_000, phase=47_000, edge=8_000)
    is_suitable = (
        (points.road["lanes"] >= 2) & (points.sidewalk_width >= 2_600) & (points.side * points.road["flow"] >= 0)
    )
    points = _sample_points(draft, "bus stop", points.select(is_suitable), 250, 700)
    place_things(draft, STAGE, "bus stop", points.at(1_250), points.inwards, points.index, street=points.street)


def place_meters(draft: Draft) -> None:
    """Place parking meters, one per car, on half of the lively streets."""
    points = kerb_points(draft, 6_500, phase=2_000, edge=3_000)
    has_meters = chance(
        draft.seed, STAGE, points.street * 2 + (points.side > 0), _per_mille(draft, points, 60, 520), salt=5
    )
    points = points.select(has_meters & points.has_parking)
    place_things(draft, STAGE, "parking meter", points.at(430), points.out, points.street, street=points.street)


def place_singles(draft: Draft) -> None:
    """Place all single objects beside the kerb."""
    for single in SINGLES:
        phase = int(integers(draft.seed, STAGE, class_index(single.name), 0, single.spacing - 1, salt=6))
        points = _sample_points(
            draft, single.name, kerb_points(draft, single.spacing, phase=phase, edge=1_500), single.quiet, single.lively
        )
        shift = integers(draft.seed, STAGE, points.index, -4_000, 4_000, salt=7)
        at = points.at(single.out + _half_depth(single.name, single.facing), shift)
        facing = _facing(points, single.facing)
        variant = make_things(draft, STAGE, single.name, at, facing, points.index)["variant"]
        if single.name == "blank sign":
            variant[:] = variant_index("blank sign", "blank_sign")
        elif single.name == "warning sign":
            warnings = np.array([variant_index("warning sign", model) for model in STREET_WARNINGS])
            variant = warnings[integers(draft.seed, STAGE, points.street, 0, len(warnings) - 1, salt=16)]
        place_things(draft, STAGE, single.name, at, facing, points.index, street=points.street, variant=variant)


def place_trash_bags(draft: Draft) -> None:
    """Place bags of trash, more of them in districts with litter."""
    points = kerb_points(draft, 29_000, phase=7_000, edge=1_500)
    per_mille = 60 + district_values("litter", district_index(draft.seed, points.x, points.y)) * 35 // 100
    points = points.select(chance(draft.seed, STAGE, points.index, per_mille, salt=class_index("trash bags")))
    at = points.at(
        250 + _half_depth("trash bags", TO_WALK), integers(draft.seed, STAGE, points.index, -4_000, 4_000, salt=7)
    )
    place_things(draft, STAGE, "trash bags", at, points.out, points.index, street=points.street)


def place_tires(draft: Draft) -> None:
    """Place old tyres along the kerbs of streets with warehouses."""
    points = kerb_points(draft, 61_000, phase=27_000, edge=3_000)
    is_littered = district_values("litter", district_index(draft.seed, points.x, points.y)) >= 600
    points = points.select(is_littered & chance(draft.seed, STAGE, points.index, 200, salt=20))
    at = points.at(250 + _half_depth("tire pile", TO_WALK))
    place_things(draft, STAGE, "tire pile", at, points.out, points.index, street=points.street)


def place_dead_end_signs(draft: Draft) -> None:
    """Place DEAD END signs shortly before the ends of longer streets."""
    ends = street_ends(draft)
    length = np.bincount(draft.roads["street"], road_directions(draft.roads)[1])
    ends = ends[length[ends[:, 5]] > 50_000]
    back = (ends[:, 2], ends[:, 3])
    distance = ends[:, 4] - 500 - integers(draft.seed, STAGE, np.arange(len(ends)), 900, 1_400, salt=17)
    at = offset((ends[:, 0], ends[:, 1]), (18_000, back), (-distance, right_of(back)))
    on_sidewalk = (raster_of(draft).at(*at) & WALK) != 0
    variant = variant_index("warning sign", "dead_end_sign")
    place_things(
        draft,
        STAGE,
        "warning sign",
        select_pair(at, on_sidewalk),
        select_pair(back, on_sidewalk),
        np.flatnonzero(on_sidewalk),
        variant=variant,
        street=ends[on_sidewalk, 5],
    )


def place_poles(draft: Draft) -> None:
    """Place wooden poles on one side of some quiet streets."""
    points = kerb_points(draft, 29_000, phase=9_000, edge=3_000)
    side = np.where(chance(draft.seed, STAGE, points.street, 500, salt=13), 1, -1)
    mask = chance(draft.seed, STAGE, points.street, _per_mille(draft, points, 260, 0), salt=14) & (points.side == side)
    points = points.select(mask)
    variant = variant_index("pole", "pole")
    place_things(
        draft,
        STAGE,
        "pole",
        points.at(520),
        points.along,
        points.street,
        BLOCKS_ON_SIDEWALK | OVERHEAD,
        street=points.street,
        variant=variant,
    )


def place_furniture_rows(draft: Draft) -> None:
    """Place rows of planters, benches and newspaper boxes along the kerb."""
    for name, spacing, quiet, lively, min_count, max_count, distance, alike in ROWS:
        phase = int(integers(draft.seed, STAGE, class_index(name), 0, spacing - 1, salt=6))
        points = _sample_points(draft, name, kerb_points(draft, spacing, phase=phase, edge=4_000), quiet, lively)
        count = integers(draft.seed, STAGE, points.index, min_count, max_count, salt=8)
        faces_road = chance(draft.seed, STAGE, points.index, 500, salt=9)
        ux, uy = (np.where(faces_road, *pair) for pair in zip(points.inwards, points.out, strict=True))
        variants = len(CLASSES[class_index(name)].variants) if alike else 1
        place_rows(
            draft,
            STAGE,
            name,
            points.at(300 + max_half_size(name)[1]),
            (ux, uy),
            points.index,
            RowLayout(count, distance, alike),
            street=points.street,
            variant=integers(draft.seed, STAGE, points.index, 0, variants - 1, salt=15),
        )


def place_bikes(draft: Draft) -> None:
    """Place bike racks along the kerb, with bicycles locked to some hoops."""
    points = _sample_points(draft, "bike rack", kerb_points(draft, 53_000, phase=11_000, edge=3_000), 60, 260)
    racks = make_things(draft, STAGE, "bike rack", points.at(0), points.out, points.index, street=points.street)
    variant, extents = racks["variant"], model_extents("bike rack")
    has_hoops = variant == variant_index("bike rack", "bike_rack")
    half_depth = np.where(has_hoops, 1_000, extents.half[1][variant])
    middle = np.where(has_hoops, 0, extents.middle[1][variant])
    half_width = extents.half[0][variant] + np.abs(extents.middle[0][variant]) + np.where(has_hoops, 400, 0)
    racks["x"], racks["y"] = at = points.at(280 + half_depth - middle)
    is_placed = reserve(draft, offset(at, (middle, points.out)), points.out, (half_width, half_depth))
    points, at, index = points.select(is_placed), select_pair(at, is_placed), points.index[is_placed]
    first = draft.add(racks[is_placed])
    hoops = np.flatnonzero(has_hoops[is_placed])
    groups = new_groups(draft, len(hoops))
    for place in range(4):
        has_bike = chance(draft.seed, STAGE, index[hoops] * 4 + place, 560, salt=11)
        racks_used, group = hoops[has_bike], groups[has_bike]
        subset = points.select(racks_used)
        bike_at = offset(
            select_pair(at, racks_used),
            (HOOP_SPACING * place - FIRST_HOOP_OFFSET, right_of(subset.out)),
            (100, subset.out),
        )
        turn = np.where(chance(draft.seed, STAGE, index[racks_used] * 4 + place, 500, salt=12), 1, -1)
        draft.add(
            make_things(
                draft,
                STAGE,
                "bicycle",
                bike_at,
                (turn * subset.out[0], turn * subset.out[1]),
                index[racks_used] * 4 + place,
                owner=first + racks_used,
                group=group,
                place_in_group=place,
                street=subset.street,
            )
        )


def place_on_road(draft: Draft) -> None:
    """Place steam stacks and dumpsters at the road's edge, and manhole covers in its lanes."""
    points = _sample_points(draft, "steam stack", kerb_points(draft, 89_000, phase=13_000, edge=6_000), 5, 40)
    points = points.select(points.road["half"] > 4_000)
    place_things(
        draft,
        STAGE,
        "steam stack",
        points.at(-800),
        points.flow,
        points.index,
        BLOCKS_ON_ROAD | CROSSING,
        street=points.street,
    )
    points = _sample_points(draft, "dumpster", kerb_points(draft, 73_000, phase=29_000, edge=8_000), 40, 40)
    points = points.select(points.has_parking)
    place_things(
        draft,
        STAGE,
        "dumpster",
        points.at(-1_150),
        points.out,
        points.index,
        BLOCKS_ON_ROAD | CROSSING,
        street=points.street,
    )
    points = kerb_points(draft, 43_000, phase=19_000, edge=3_000)
    points = points.select(chance(draft.seed, STAGE, points.index, 330, salt=18))
    across = integers(draft.seed, STAGE, points.index, 3_000, 4_200, salt=19)
    at = points.at(-np.minimum(across, points.road["half"]))
    covers = make_things(draft, STAGE, "manhole cover", at, points.flow, points.index, street=points.street)
    draft.add(covers[(raster_of(draft).at(*at) & CAMERA) == 0])


def place_furniture(draft: Draft) -> None:
    """Place all street furniture, rare and large objects first."""
    place_bus_stops(draft)
    place_lamps(draft)
    place_bikes(draft)
    place_poles(draft)
    place_furniture_rows(draft)
    place_singles(draft)
    place_trash_bags(draft)
    place_tires(draft)
    place_dead_end_signs(draft)
    place_meters(draft)
    place_on_road(draft)
