"""What stands between the kerb and the walls: lamps, meters, benches, planters, stops, racks and the like."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bearleft.world.city import names
from bearleft.world.city.catalog import CLASSES, number
from bearleft.world.city.districts import DISTRICTS, district, usual
from bearleft.world.city.placement import (
    ON_ROAD,
    ON_WALK,
    Line,
    Spots,
    bodies,
    busy,
    directions,
    ground,
    kerb_spots,
    moved,
    new_groups,
    put,
    put_rows,
    reserve,
    right,
    rows,
    street_ends,
    variant,
    widest,
)
from bearleft.world.city.plan import Draft
from bearleft.world.city.randomness import Integers, Stage, chance, integers
from bearleft.world.city.raster import CAMERA, CROSSING, OVERHEAD
from bearleft.world.city.raster import WALK as WALKED

FURNITURE = Stage.FURNITURE
ROAD, WALK, ALONG = "road", "walk", "along"
HOOP, HOOPS = 800, 1_080  # between the hoops of a rack, and from its middle to the first bicycle


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
GUIDES = ("crosswalk_sign", "school_sign", "bike_route_sign")  # which warnings stand along streets
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


def _facing(spots: Spots, way: str) -> Line:
    return {ROAD: spots.inwards, WALK: spots.out, ALONG: (-spots.flow[0], -spots.flow[1])}[way]


def _depth(name: str, way: str) -> int:
    """How far a thing's middle lies from its edge towards the road."""
    hx, hy = widest(name)
    return hx if way == ALONG else hy


def _share(draft: Draft, spots: Spots, quiet: int, lively: int) -> Integers:
    """Of a thousand, between what is usual where it is quiet and where it is lively."""
    return np.asarray(quiet + (lively - quiet) * busy(draft, spots.x, spots.y) // 1000, np.int64)


def _some(draft: Draft, name: str, spots: Spots, quiet: int, lively: int) -> Spots:
    return spots.keep(chance(draft.seed, FURNITURE, spots.index, _share(draft, spots, quiet, lively), number(name)))


def lamps(draft: Draft) -> None:
    """Lamp posts at equal distances on alternating sides, alike along a street; banners on those of some streets."""
    spots = kerb_spots(draft, 13_000, 6_500, 2_000)
    spots = spots.keep((spots.step + (spots.side > 0)) % 2 == 0)
    x, y = spots.at(600)
    street = spots.street
    posts = put(
        draft,
        FURNITURE,
        "lamp post",
        x,
        y,
        *spots.inwards,
        street,
        ON_WALK | OVERHEAD,
        street=street,
        variant=_lamps(draft, spots.street, x, y),
    )
    hung = (posts >= 0) & chance(draft.seed, FURNITURE, street, 90, 2)
    spots, x, y, street = spots.keep(hung), x[hung], y[hung], street[hung]
    said = names.words(draft, names.BANNERS, street, 3)
    draft.add(
        rows(
            draft,
            FURNITURE,
            "banner",
            x,
            y,
            *spots.flow,
            street,
            owner=posts[hung],
            street=street,
            text=said,
            variant=variant("banner", "banner"),
        )
    )


def _lamps(draft: Draft, street: Integers, x: Integers, y: Integers) -> Integers:
    """A district's lamps, alike along a street within it."""
    where = district(draft.seed, x, y)
    drawn = integers(draft.seed, FURNITURE, street, 0, 5, 1)
    kinds = [[variant("lamp post", LAMPS[one.name][k % len(LAMPS[one.name])]) for k in range(6)] for one in DISTRICTS]
    return np.asarray(np.array(kinds)[where, drawn], np.int64)


def bus_stops(draft: Draft) -> None:
    """Shelters on wide streets, about every third of a kilometre on each side that buses pass on their right."""
    spots = kerb_spots(draft, 160_000, 47_000, 8_000)
    wide = (spots.road["lanes"] >= 2) & (spots.walk >= 2_600) & (spots.side * spots.road["flow"] >= 0)
    spots = _some(draft, "bus stop", spots.keep(wide), 250, 700)
    put(draft, FURNITURE, "bus stop", *spots.at(1_250), *spots.inwards, spots.index, street=spots.street)


def meters(draft: Draft) -> None:
    """Parking meters, one to a car, on one lively street in two."""
    spots = kerb_spots(draft, 6_500, 2_000, 3_000)
    metered = chance(draft.seed, FURNITURE, spots.street * 2 + (spots.side > 0), _share(draft, spots, 60, 520), 5)
    spots = spots.keep(metered & spots.parking)
    put(draft, FURNITURE, "parking meter", *spots.at(430), *spots.out, spots.street, street=spots.street)


def singles(draft: Draft) -> None:
    """Everything that stands alone beside the kerb."""
    for one in SINGLES:
        phase = int(integers(draft.seed, FURNITURE, number(one.name), 0, one.spacing - 1, 6))
        spots = _some(draft, one.name, kerb_spots(draft, one.spacing, phase, 1_500), one.quiet, one.lively)
        shift = integers(draft.seed, FURNITURE, spots.index, -4_000, 4_000, 7)
        x, y = spots.at(one.out + _depth(one.name, one.facing), shift)
        facing = _facing(spots, one.facing)
        kind = rows(draft, FURNITURE, one.name, x, y, *facing, spots.index)["variant"]
        if one.name == "blank sign":
            kind[:] = variant("blank sign", "blank_sign")
        elif one.name == "warning sign":
            guides = np.array([variant("warning sign", guide) for guide in GUIDES])
            kind = guides[integers(draft.seed, FURNITURE, spots.street, 0, len(guides) - 1, 16)]
        put(draft, FURNITURE, one.name, x, y, *facing, spots.index, street=spots.street, variant=kind)


def bags(draft: Draft) -> None:
    """Bags of trash, more of them where nobody cares."""
    spots = kerb_spots(draft, 29_000, 7_000, 1_500)
    share = 60 + usual("litter", district(draft.seed, spots.x, spots.y)) * 35 // 100
    spots = spots.keep(chance(draft.seed, FURNITURE, spots.index, share, number("trash bags")))
    x, y = spots.at(250 + _depth("trash bags", WALK), integers(draft.seed, FURNITURE, spots.index, -4_000, 4_000, 7))
    put(draft, FURNITURE, "trash bags", x, y, *spots.out, spots.index, street=spots.street)


def tires(draft: Draft) -> None:
    """Old tyres along the kerbs of streets with warehouses."""
    spots = kerb_spots(draft, 61_000, 27_000, 3_000)
    rough = usual("litter", district(draft.seed, spots.x, spots.y)) >= 600
    spots = spots.keep(rough & chance(draft.seed, FURNITURE, spots.index, 200, 20))
    x, y = spots.at(250 + _depth("tire pile", WALK))
    put(draft, FURNITURE, "tire pile", x, y, *spots.out, spots.index, street=spots.street)


def dead_ends(draft: Draft) -> None:
    """DEAD END, a little before where a street ends that is longer than a few houses."""
    ends = street_ends(draft)
    length = np.bincount(draft.roads["street"], directions(draft.roads)[1])
    ends = ends[length[ends[:, 5]] > 50_000]
    ux, uy = ends[:, 2], ends[:, 3]
    far = ends[:, 4] - 500 - integers(draft.seed, FURNITURE, np.arange(len(ends)), 900, 1_400, 17)
    x, y = moved(ends[:, 0], ends[:, 1], (18_000, (ux, uy)), (-far, right(ux, uy)))
    paved = (ground(draft).at(x, y) & WALKED) != 0
    kind = variant("warning sign", "dead_end_sign")
    put(
        draft,
        FURNITURE,
        "warning sign",
        x[paved],
        y[paved],
        ux[paved],
        uy[paved],
        np.flatnonzero(paved),
        variant=kind,
        street=ends[paved, 5],
    )


def poles(draft: Draft) -> None:
    """Wooden poles on one side of some quiet streets."""
    spots = kerb_spots(draft, 29_000, 9_000, 3_000)
    side = np.where(chance(draft.seed, FURNITURE, spots.street, 500, 13), 1, -1)
    some = chance(draft.seed, FURNITURE, spots.street, _share(draft, spots, 260, 0), 14) & (spots.side == side)
    spots = spots.keep(some)
    kind = variant("pole", "pole")
    put(
        draft,
        FURNITURE,
        "pole",
        *spots.at(520),
        *spots.along,
        spots.street,
        ON_WALK | OVERHEAD,
        street=spots.street,
        variant=kind,
    )


def arrangements(draft: Draft) -> None:
    """Rows of planters, benches and newspaper boxes along the kerb."""
    for name, spacing, quiet, lively, least, most, apart, alike in ROWS:
        phase = int(integers(draft.seed, FURNITURE, number(name), 0, spacing - 1, 6))
        spots = _some(draft, name, kerb_spots(draft, spacing, phase, 4_000), quiet, lively)
        count = integers(draft.seed, FURNITURE, spots.index, least, most, 8)
        back = chance(draft.seed, FURNITURE, spots.index, 500, 9)
        facing = tuple(np.where(back, *pair) for pair in zip(spots.inwards, spots.out, strict=True))
        x, y = spots.at(300 + widest(name)[1])
        kinds = len(CLASSES[number(name)].variants) if alike else 1
        put_rows(
            draft,
            FURNITURE,
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
            variant=integers(draft.seed, FURNITURE, spots.index, 0, kinds - 1, 15),
        )


def bikes(draft: Draft) -> None:
    """Bike racks along the kerb, bicycles locked to some hoops."""
    spots = _some(draft, "bike rack", kerb_spots(draft, 53_000, 11_000, 3_000), 60, 260)
    racks = rows(draft, FURNITURE, "bike rack", *spots.at(0), *spots.out, spots.index, street=spots.street)
    kind, body = racks["variant"], bodies("bike rack")
    bare = kind == variant("bike rack", "bike_rack")
    deep = np.where(bare, 1_000, body.half[1][kind])
    middle = np.where(bare, 0, body.middle[1][kind])
    wide = body.half[0][kind] + np.abs(body.middle[0][kind]) + np.where(bare, 400, 0)
    racks["x"], racks["y"] = x, y = spots.at(280 + deep - middle)
    stands = reserve(draft, *moved(x, y, (middle, spots.out)), *spots.out, wide, deep)
    spots, x, y, index = spots.keep(stands), x[stands], y[stands], spots.index[stands]
    first = draft.add(racks[stands])
    hoops = np.flatnonzero(bare[stands])
    groups = new_groups(draft, len(hoops))
    for place in range(4):
        locked = chance(draft.seed, FURNITURE, index[hoops] * 4 + place, 560, 11)
        here, group = hoops[locked], groups[locked]
        one = spots.keep(here)
        bx, by = moved(x[here], y[here], (HOOP * place - HOOPS, right(*one.out)), (100, one.out))
        turn = np.where(chance(draft.seed, FURNITURE, index[here] * 4 + place, 500, 12), 1, -1)
        draft.add(
            rows(
                draft,
                FURNITURE,
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


def on_the_road(draft: Draft) -> None:
    """At the road's edge steam stacks, and dumpsters where cars would park; lids of manholes in its lanes."""
    spots = _some(draft, "steam stack", kerb_spots(draft, 89_000, 13_000, 6_000), 5, 40)
    spots = spots.keep(spots.road["half"] > 4_000)
    put(
        draft,
        FURNITURE,
        "steam stack",
        *spots.at(-800),
        *spots.flow,
        spots.index,
        ON_ROAD | CROSSING,
        street=spots.street,
    )
    spots = _some(draft, "dumpster", kerb_spots(draft, 73_000, 29_000, 8_000), 40, 40)
    spots = spots.keep(spots.parking)
    put(
        draft,
        FURNITURE,
        "dumpster",
        *spots.at(-1_150),
        *spots.out,
        spots.index,
        ON_ROAD | CROSSING,
        street=spots.street,
    )
    spots = kerb_spots(draft, 43_000, 19_000, 3_000)
    spots = spots.keep(chance(draft.seed, FURNITURE, spots.index, 330, 18))
    across = integers(draft.seed, FURNITURE, spots.index, 3_000, 4_200, 19)
    x, y = spots.at(-np.minimum(across, spots.road["half"]))
    lids = rows(draft, FURNITURE, "manhole cover", x, y, *spots.flow, spots.index, street=spots.street)
    draft.add(lids[(ground(draft).at(x, y) & CAMERA) == 0])


def furnish(draft: Draft) -> None:
    """Everything beside the kerbs, the rarest and largest first."""
    bus_stops(draft)
    lamps(draft)
    bikes(draft)
    poles(draft)
    arrangements(draft)
    singles(draft)
    bags(draft)
    tires(draft)
    dead_ends(draft)
    meters(draft)
    on_the_road(draft)
