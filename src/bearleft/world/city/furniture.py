"""What stands between the kerb and the walls: lamps, meters, benches, planters, stops, racks and the like."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bearleft.world.city import names
from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.districts import DISTRICTS, district_index, district_values
from bearleft.world.city.placement import (
    ON_ROAD,
    ON_WALK,
    KerbPoints,
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
    street_ends,
    variant_index,
)
from bearleft.world.city.plan import Draft
from bearleft.world.city.randomness import Integers, Stage, chance, integers
from bearleft.world.city.raster import CAMERA, CROSSING, OVERHEAD
from bearleft.world.city.raster import WALK as WALKED

STAGE = Stage.FURNITURE
ROAD, WALK, ALONG = "road", "walk", "along"
HOOP_SPACING, FIRST_HOOP_OFFSET = 800, 1_080  # between the hoops of a rack, and from its middle to the first bicycle


@dataclass(frozen=True)
class Single:
    """What stands alone: asked every `spacing`, for so many of a thousand where it is quiet and where it is lively."""

    name: str
    spacing: int
    quiet: int
    lively: int
    out: int  # from the kerb to its nearest edge
    facing: str


SINGLES = (
    Single("fire hydrant", 61_000, 700, 700, 250, ROAD),
    Single("subway entrance", 97_000, 4, 30, 500, ALONG),
    Single("food cart", 43_000, 6, 90, 250, WALK),
    Single("newsstand", 79_000, 6, 170, 300, WALK),
    Single("phone booth", 71_000, 50, 160, 250, WALK),
    Single("mailbox", 83_000, 150, 260, 250, WALK),
    Single("fire alarm box", 127_000, 300, 300, 250, WALK),
    Single("blank sign", 89_000, 90, 90, 250, ALONG),
    Single("utility box", 67_000, 130, 130, 250, WALK),
    Single("trash can", 47_000, 130, 480, 250, WALK),
    Single("no parking sign", 37_000, 260, 420, 250, ALONG),
    Single("speed limit sign", 113_000, 330, 330, 250, ALONG),
    Single("warning sign", 71_000, 330, 260, 250, ALONG),
    Single("pigeons", 59_000, 40, 130, 900, WALK),
)
STREET_WARNINGS = ("crosswalk_sign", "school_sign", "bike_route_sign")  # which warnings stand along streets
LAMPS = {  # which lamps a district has, as often as they are named
    "downtown": ("lamp_post", "lamp_post", "lamp_post_with_crook"),
    "brownstones": ("lamp_post_with_crook", "lamp_post_with_globes", "lamp_post_with_globes"),
    "warehouses": ("lamp_post",),
    "shopping": ("lamp_post_with_globes", "lamp_post_with_crook", "lamp_post"),
    "residential": ("lamp_post", "lamp_post_with_crook"),
    "village": ("lamp_post_with_globes", "lamp_post_with_crook"),
}
ROWS = (  # name, spacing, quiet, lively, least and most in a row, distance in it, alike
    ("planter", 41_000, 60, 150, 2, 5, 1800, True),
    ("bench", 59_000, 40, 130, 1, 3, 2300, True),
    ("newspaper box", 79_000, 20, 180, 2, 5, 560, False),
)


def _facing(spots: KerbPoints, way: str) -> Vectors:
    return {ROAD: spots.inwards, WALK: spots.out, ALONG: (-spots.flow[0], -spots.flow[1])}[way]


def _half_depth(name: str, way: str) -> int:
    """How far a thing's middle lies from its edge towards the road."""
    hx, hy = max_half_size(name)
    return hx if way == ALONG else hy


def _per_mille(draft: Draft, spots: KerbPoints, quiet: int, lively: int) -> Integers:
    """Of a thousand, between what is usual where it is quiet and where it is lively."""
    return np.asarray(quiet + (lively - quiet) * liveliness(draft, spots.x, spots.y) // 1000, np.int64)


def _sample_points(draft: Draft, name: str, spots: KerbPoints, quiet: int, lively: int) -> KerbPoints:
    return spots.select(
        chance(draft.seed, STAGE, spots.index, _per_mille(draft, spots, quiet, lively), class_index(name))
    )


def place_lamps(draft: Draft) -> None:
    """Lamp posts at equal distances on alternating sides, alike along a street; banners on those of some streets."""
    spots = kerb_points(draft, 13_000, 6_500, 2_000)
    spots = spots.select((spots.step + (spots.side > 0)) % 2 == 0)
    x, y = spots.at(600)
    street = spots.street
    posts = place_things(
        draft,
        STAGE,
        "lamp post",
        x,
        y,
        *spots.inwards,
        street,
        ON_WALK | OVERHEAD,
        street=street,
        variant=_lamp_variants(draft, spots.street, x, y),
    )
    hung = (posts >= 0) & chance(draft.seed, STAGE, street, 90, 2)
    spots, x, y, street = spots.select(hung), x[hung], y[hung], street[hung]
    said = names.choose_texts(draft, names.BANNERS, street, 3)
    draft.add(
        make_things(
            draft,
            STAGE,
            "banner",
            x,
            y,
            *spots.flow,
            street,
            owner=posts[hung],
            street=street,
            text=said,
            variant=variant_index("banner", "banner"),
        )
    )


def _lamp_variants(draft: Draft, street: Integers, x: Integers, y: Integers) -> Integers:
    """A district's lamps, alike along a street within it."""
    where = district_index(draft.seed, x, y)
    drawn = integers(draft.seed, STAGE, street, 0, 5, 1)
    kinds = [
        [variant_index("lamp post", LAMPS[one.name][k % len(LAMPS[one.name])]) for k in range(6)] for one in DISTRICTS
    ]
    return np.asarray(np.array(kinds)[where, drawn], np.int64)


def place_bus_stops(draft: Draft) -> None:
    """Shelters on wide streets, about every third of a kilometre on each side that buses pass on their right."""
    spots = kerb_points(draft, 160_000, 47_000, 8_000)
    wide = (spots.road["lanes"] >= 2) & (spots.walk >= 2_600) & (spots.side * spots.road["flow"] >= 0)
    spots = _sample_points(draft, "bus stop", spots.select(wide), 250, 700)
    place_things(draft, STAGE, "bus stop", *spots.at(1_250), *spots.inwards, spots.index, street=spots.street)


def place_meters(draft: Draft) -> None:
    """Parking meters, one to a car, on one lively street in two."""
    spots = kerb_points(draft, 6_500, 2_000, 3_000)
    metered = chance(draft.seed, STAGE, spots.street * 2 + (spots.side > 0), _per_mille(draft, spots, 60, 520), 5)
    spots = spots.select(metered & spots.parking)
    place_things(draft, STAGE, "parking meter", *spots.at(430), *spots.out, spots.street, street=spots.street)


def place_singles(draft: Draft) -> None:
    """Everything that stands alone beside the kerb."""
    for one in SINGLES:
        phase = int(integers(draft.seed, STAGE, class_index(one.name), 0, one.spacing - 1, 6))
        spots = _sample_points(draft, one.name, kerb_points(draft, one.spacing, phase, 1_500), one.quiet, one.lively)
        shift = integers(draft.seed, STAGE, spots.index, -4_000, 4_000, 7)
        x, y = spots.at(one.out + _half_depth(one.name, one.facing), shift)
        facing = _facing(spots, one.facing)
        kind = make_things(draft, STAGE, one.name, x, y, *facing, spots.index)["variant"]
        if one.name == "blank sign":
            kind[:] = variant_index("blank sign", "blank_sign")
        elif one.name == "warning sign":
            guides = np.array([variant_index("warning sign", guide) for guide in STREET_WARNINGS])
            kind = guides[integers(draft.seed, STAGE, spots.street, 0, len(guides) - 1, 16)]
        place_things(draft, STAGE, one.name, x, y, *facing, spots.index, street=spots.street, variant=kind)


def place_trash_bags(draft: Draft) -> None:
    """Bags of trash, more of them where nobody cares."""
    spots = kerb_points(draft, 29_000, 7_000, 1_500)
    share = 60 + district_values("litter", district_index(draft.seed, spots.x, spots.y)) * 35 // 100
    spots = spots.select(chance(draft.seed, STAGE, spots.index, share, class_index("trash bags")))
    x, y = spots.at(250 + _half_depth("trash bags", WALK), integers(draft.seed, STAGE, spots.index, -4_000, 4_000, 7))
    place_things(draft, STAGE, "trash bags", x, y, *spots.out, spots.index, street=spots.street)


def place_tires(draft: Draft) -> None:
    """Old tyres along the kerbs of streets with warehouses."""
    spots = kerb_points(draft, 61_000, 27_000, 3_000)
    rough = district_values("litter", district_index(draft.seed, spots.x, spots.y)) >= 600
    spots = spots.select(rough & chance(draft.seed, STAGE, spots.index, 200, 20))
    x, y = spots.at(250 + _half_depth("tire pile", WALK))
    place_things(draft, STAGE, "tire pile", x, y, *spots.out, spots.index, street=spots.street)


def place_dead_end_signs(draft: Draft) -> None:
    """DEAD END, a little before where a street ends that is longer than a few houses."""
    ends = street_ends(draft)
    length = np.bincount(draft.roads["street"], road_directions(draft.roads)[1])
    ends = ends[length[ends[:, 5]] > 50_000]
    ux, uy = ends[:, 2], ends[:, 3]
    far = ends[:, 4] - 500 - integers(draft.seed, STAGE, np.arange(len(ends)), 900, 1_400, 17)
    x, y = offset(ends[:, 0], ends[:, 1], (18_000, (ux, uy)), (-far, right_of(ux, uy)))
    paved = (raster_of(draft).at(x, y) & WALKED) != 0
    kind = variant_index("warning sign", "dead_end_sign")
    place_things(
        draft,
        STAGE,
        "warning sign",
        x[paved],
        y[paved],
        ux[paved],
        uy[paved],
        np.flatnonzero(paved),
        variant=kind,
        street=ends[paved, 5],
    )


def place_poles(draft: Draft) -> None:
    """Wooden poles on one side of some quiet streets."""
    spots = kerb_points(draft, 29_000, 9_000, 3_000)
    side = np.where(chance(draft.seed, STAGE, spots.street, 500, 13), 1, -1)
    some = chance(draft.seed, STAGE, spots.street, _per_mille(draft, spots, 260, 0), 14) & (spots.side == side)
    spots = spots.select(some)
    kind = variant_index("pole", "pole")
    place_things(
        draft,
        STAGE,
        "pole",
        *spots.at(520),
        *spots.along,
        spots.street,
        ON_WALK | OVERHEAD,
        street=spots.street,
        variant=kind,
    )


def place_furniture_rows(draft: Draft) -> None:
    """Rows of planters, benches and newspaper boxes along the kerb."""
    for name, spacing, quiet, lively, least, most, apart, alike in ROWS:
        phase = int(integers(draft.seed, STAGE, class_index(name), 0, spacing - 1, 6))
        spots = _sample_points(draft, name, kerb_points(draft, spacing, phase, 4_000), quiet, lively)
        count = integers(draft.seed, STAGE, spots.index, least, most, 8)
        back = chance(draft.seed, STAGE, spots.index, 500, 9)
        facing = tuple(np.where(back, *pair) for pair in zip(spots.inwards, spots.out, strict=True))
        x, y = spots.at(300 + max_half_size(name)[1])
        kinds = len(CLASSES[class_index(name)].variants) if alike else 1
        place_rows(
            draft,
            STAGE,
            name,
            x,
            y,
            facing[0],
            facing[1],
            spots.index,
            count,
            apart,
            alike=alike,
            street=spots.street,
            variant=integers(draft.seed, STAGE, spots.index, 0, kinds - 1, 15),
        )


def place_bikes(draft: Draft) -> None:
    """Bike racks along the kerb, bicycles locked to some hoops."""
    spots = _sample_points(draft, "bike rack", kerb_points(draft, 53_000, 11_000, 3_000), 60, 260)
    racks = make_things(draft, STAGE, "bike rack", *spots.at(0), *spots.out, spots.index, street=spots.street)
    kind, body = racks["variant"], model_extents("bike rack")
    bare = kind == variant_index("bike rack", "bike_rack")
    deep = np.where(bare, 1_000, body.half[1][kind])
    middle = np.where(bare, 0, body.middle[1][kind])
    wide = body.half[0][kind] + np.abs(body.middle[0][kind]) + np.where(bare, 400, 0)
    racks["x"], racks["y"] = x, y = spots.at(280 + deep - middle)
    stands = reserve(draft, *offset(x, y, (middle, spots.out)), *spots.out, wide, deep)
    spots, x, y, index = spots.select(stands), x[stands], y[stands], spots.index[stands]
    first = draft.add(racks[stands])
    hoops = np.flatnonzero(bare[stands])
    groups = new_groups(draft, len(hoops))
    for place in range(4):
        locked = chance(draft.seed, STAGE, index[hoops] * 4 + place, 560, 11)
        here, group = hoops[locked], groups[locked]
        one = spots.select(here)
        bx, by = offset(
            x[here], y[here], (HOOP_SPACING * place - FIRST_HOOP_OFFSET, right_of(*one.out)), (100, one.out)
        )
        turn = np.where(chance(draft.seed, STAGE, index[here] * 4 + place, 500, 12), 1, -1)
        draft.add(
            make_things(
                draft,
                STAGE,
                "bicycle",
                bx,
                by,
                turn * one.out[0],
                turn * one.out[1],
                index[here] * 4 + place,
                owner=first + here,
                group=group,
                place_in_group=place,
                street=one.street,
            )
        )


def place_on_road(draft: Draft) -> None:
    """At the road's edge steam stacks, and dumpsters where cars would park; lids of manholes in its lanes."""
    spots = _sample_points(draft, "steam stack", kerb_points(draft, 89_000, 13_000, 6_000), 5, 40)
    spots = spots.select(spots.road["half"] > 4_000)
    place_things(
        draft,
        STAGE,
        "steam stack",
        *spots.at(-800),
        *spots.flow,
        spots.index,
        ON_ROAD | CROSSING,
        street=spots.street,
    )
    spots = _sample_points(draft, "dumpster", kerb_points(draft, 73_000, 29_000, 8_000), 40, 40)
    spots = spots.select(spots.parking)
    place_things(
        draft,
        STAGE,
        "dumpster",
        *spots.at(-1_150),
        *spots.out,
        spots.index,
        ON_ROAD | CROSSING,
        street=spots.street,
    )
    spots = kerb_points(draft, 43_000, 19_000, 3_000)
    spots = spots.select(chance(draft.seed, STAGE, spots.index, 330, 18))
    across = integers(draft.seed, STAGE, spots.index, 3_000, 4_200, 19)
    x, y = spots.at(-np.minimum(across, spots.road["half"]))
    lids = make_things(draft, STAGE, "manhole cover", x, y, *spots.flow, spots.index, street=spots.street)
    draft.add(lids[(raster_of(draft).at(x, y) & CAMERA) == 0])


def place_furniture(draft: Draft) -> None:
    """Everything beside the kerbs, the rarest and largest first."""
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
