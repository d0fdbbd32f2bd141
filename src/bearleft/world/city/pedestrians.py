"""People: walking alone or in groups, waiting at crossings, crossing, walking dogs."""

from __future__ import annotations

import numpy as np

from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.corners import Arms, has_lights, is_red
from bearleft.world.city.placement import (
    ON_ROAD,
    ON_WALK,
    Vectors,
    kerb_points,
    liveliness,
    make_things,
    new_groups,
    offset,
    place_things,
    reserve,
    right_of,
    running_index,
)
from bearleft.world.city.plan import UNIT, Draft
from bearleft.world.city.randomness import Integers, Stage, chance, integers
from bearleft.world.city.roads import CROSSWALK_DEPTH

STAGE = Stage.PEOPLE
# Small turns whose sines and cosines are whole numbers of millionths.
TURNS = np.array([(UNIT, 0), (960_000, 280_000), (960_000, -280_000), (800_000, 600_000), (800_000, -600_000)])


def rotated(way: Vectors, turn: Integers) -> Vectors:
    """A direction a little to the left or to the right."""
    cosine, sine = TURNS[turn, 0], TURNS[turn, 1]
    return (way[0] * cosine - way[1] * sine) // UNIT, (way[0] * sine + way[1] * cosine) // UNIT


def _walking_variant(draft: Draft, index: Integers) -> Integers:
    """A drawn variant of those who are on their feet."""
    makers = CLASSES[class_index("person")].variants
    up = np.array([k for k, make in enumerate(makers) if "sitting" not in make.__name__])
    return up[integers(draft.seed, STAGE, index, 0, len(up) - 1, 1)]


def place_pedestrians(draft: Draft) -> None:
    """Everyone in the city."""
    place_at_crossings(draft)
    place_groups(draft)
    place_dog_walkers(draft)
    place_walkers(draft)


def place_walkers(draft: Draft) -> None:
    """People on their way along the sidewalk, more of them where it is lively."""
    spots = kerb_points(draft, 4_300, 900)
    lively = liveliness(draft, spots.x, spots.y) + 40 * spots.road["lanes"]
    spots = spots.select(chance(draft.seed, STAGE, spots.index, 40 + lively * 340 // 1000, 2))
    room = np.maximum(spots.walk - 700, 700)
    x, y = spots.at(
        integers(draft.seed, STAGE, spots.index, 700, room, 3),
        integers(draft.seed, STAGE, spots.index, -1_400, 1_400, 4),
    )
    sense = np.where(chance(draft.seed, STAGE, spots.index, 500, 5), 1, -1)
    turn = integers(draft.seed, STAGE, spots.index, 0, len(TURNS) - 1, 6)
    way = rotated((sense * spots.along[0], sense * spots.along[1]), turn)
    place_things(
        draft,
        STAGE,
        "person",
        x,
        y,
        *way,
        spots.index,
        ON_WALK,
        street=spots.street,
        variant=_walking_variant(draft, spots.index),
    )


def place_groups(draft: Draft) -> None:
    """Two or three side by side."""
    spots = kerb_points(draft, 23_000, 5_000)
    spots = spots.select(
        chance(draft.seed, STAGE, spots.index, 30 + liveliness(draft, spots.x, spots.y) * 240 // 1000, 7)
    )
    count = np.minimum(integers(draft.seed, STAGE, spots.index, 2, 3, 8), np.maximum((spots.walk - 500) // 900, 1))
    spots, count = spots.select(count > 1), count[count > 1]
    sense = np.where(chance(draft.seed, STAGE, spots.index, 500, 9), 1, -1)
    x, y = spots.at(spots.walk // 2)
    _place_row(draft, x, y, (sense * spots.along[0], sense * spots.along[1]), spots.index, count, spots.street)


def _place_row(
    draft: Draft, x: Integers, y: Integers, way: Vectors, index: Integers, count: Integers, street: Integers
) -> None:
    """People side by side as one group."""
    apart = 850
    reach = (count - 1) * apart // 2
    stands = reserve(draft, x, y, *way, reach + 420, 500)
    which = np.repeat(np.flatnonzero(stands), count[stands])
    place = running_index(count[stands])
    px, py = offset(x[which], y[which], (place * apart - reach[which], right_of(way[0][which], way[1][which])))
    key = index[which] * 8 + place
    groups = np.repeat(new_groups(draft, int(stands.sum())), count[stands])
    draft.add(
        make_things(
            draft,
            STAGE,
            "person",
            px,
            py,
            way[0][which],
            way[1][which],
            key,
            group=groups,
            place_in_group=place,
            street=street[which],
            variant=_narrow_variant(draft, key),
        )
    )


def _narrow_variant(draft: Draft, index: Integers) -> Integers:
    """A drawn variant of those who need no room for an umbrella."""
    makers = CLASSES[class_index("person")].variants
    up = np.array([k for k, make in enumerate(makers) if not {"sitting", "umbrella"} & set(make.__name__.split("_"))])
    return up[integers(draft.seed, STAGE, index, 0, len(up) - 1, 10)]


def place_dog_walkers(draft: Draft) -> None:
    """A dog ahead of its owner."""
    spots = kerb_points(draft, 71_000, 31_000)
    spots = spots.select(chance(draft.seed, STAGE, spots.index, 110, 11))
    sense = np.where(chance(draft.seed, STAGE, spots.index, 500, 12), 1, -1)
    way = (sense * spots.along[0], sense * spots.along[1])
    x, y = spots.at(spots.walk // 2)
    stands = reserve(draft, x, y, *way, 450, 1_300)
    spots, x, y, way = spots.select(stands), x[stands], y[stands], (way[0][stands], way[1][stands])
    key, groups = spots.index * 8 + 5, new_groups(draft, len(spots))
    owner = draft.add(
        make_things(
            draft,
            STAGE,
            "person",
            *offset(x, y, (-700, way)),
            *way,
            key,
            street=spots.street,
            variant=_narrow_variant(draft, key),
            group=groups,
            place_in_group=0,
        )
    )
    draft.add(
        make_things(
            draft,
            STAGE,
            "dog",
            *offset(x, y, (600, way)),
            *way,
            key,
            street=spots.street,
            group=groups,
            place_in_group=1,
            owner=owner + np.arange(len(spots)),
        )
    )


def place_at_crossings(draft: Draft) -> None:
    """People who wait at the kerb, and people on crosswalks where those who drive have to wait."""
    arms = Arms.of(draft)
    walk = (~has_lights(draft, arms) | is_red(draft, arms))[arms.zebra]
    arms = arms.select(arms.zebra)
    for side in (-1, 1):
        key = arms.index * 4 + (side > 0)
        some = arms.select(chance(draft.seed, STAGE, key, 60 + arms.liveliness(draft) * 4 // 10, 13))
        key = some.index * 4 + (side > 0)
        count = integers(draft.seed, STAGE, key, 1, 3, 14)
        x, y = some.beside(side, CROSSWALK_DEPTH // 2, 900)
        way = (-side * some.across[0], -side * some.across[1])
        _place_row(draft, x, y, way, key, count, some.street)
    for lane in range(3):
        key = arms.index * 4 + lane
        some = arms.select(walk & chance(draft.seed, STAGE, key, 40 + arms.liveliness(draft) * 3 // 10, 15))
        key = some.index * 4 + lane
        half = some.road["half"].astype(np.int64) - 600
        across = integers(draft.seed, STAGE, key, -half, half, 16)
        x, y = offset(some.x, some.y, (lane * 900 + CROSSWALK_DEPTH // 2 - 900, some.away), (across, some.across))
        sense = np.where(chance(draft.seed, STAGE, key, 500, 17), 1, -1)
        place_things(
            draft,
            STAGE,
            "person",
            x,
            y,
            sense * some.across[0],
            sense * some.across[1],
            key,
            ON_ROAD,
            street=some.street,
            variant=_walking_variant(draft, key),
        )
