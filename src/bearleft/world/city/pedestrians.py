"""Pedestrians: walking alone or in groups, waiting at crossings, crossing, walking dogs."""

from __future__ import annotations

import numpy as np

from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.corners import Arms, has_lights, is_red
from bearleft.world.city.placement import (
    BLOCKS_ON_ROAD,
    BLOCKS_ON_SIDEWALK,
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
    select_pair,
)
from bearleft.world.city.plan import DIRECTION_SCALE, Draft
from bearleft.world.city.randomness import Integers, Stage, chance, integers
from bearleft.world.city.roads import CROSSWALK_DEPTH

STAGE = Stage.PEOPLE
# Cosine and sine of small rotations, in millionths.
TURNS = np.array(
    [(DIRECTION_SCALE, 0), (960_000, 280_000), (960_000, -280_000), (800_000, 600_000), (800_000, -600_000)]
)


def rotated(direction: Vectors, turn: Integers) -> Vectors:
    """Return directions turned slightly to the left or right."""
    cosine, sine = TURNS[turn, 0], TURNS[turn, 1]
    return (direction[0] * cosine - direction[1] * sine) // DIRECTION_SCALE, (
        direction[0] * sine + direction[1] * cosine
    ) // DIRECTION_SCALE


def _walking_variant(draft: Draft, index: Integers) -> Integers:
    """Return a random variant of standing or walking people."""
    makers = CLASSES[class_index("person")].variants
    upright = np.array([k for k, make in enumerate(makers) if "sitting" not in make.__name__])
    return upright[integers(draft.seed, STAGE, index, 0, len(upright) - 1, salt=1)]


def place_pedestrians(draft: Draft) -> None:
    """Place all pedestrians."""
    place_at_crossings(draft)
    place_groups(draft)
    place_dog_walkers(draft)
    place_walkers(draft)


def place_walkers(draft: Draft) -> None:
    """Place people along the sidewalk, more of them where it is lively."""
    points = kerb_points(draft, 4_300, phase=900)
    activity = liveliness(draft, points.x, points.y) + 40 * points.road["lanes"]
    points = points.select(chance(draft.seed, STAGE, points.index, 40 + activity * 340 // 1000, salt=2))
    max_distance = np.maximum(points.sidewalk_width - 700, 700)
    at = points.at(
        integers(draft.seed, STAGE, points.index, 700, max_distance, salt=3),
        integers(draft.seed, STAGE, points.index, -1_400, 1_400, salt=4),
    )
    sense = np.where(chance(draft.seed, STAGE, points.index, 500, salt=5), 1, -1)
    turn = integers(draft.seed, STAGE, points.index, 0, len(TURNS) - 1, salt=6)
    direction = rotated((sense * points.along[0], sense * points.along[1]), turn)
    place_things(
        draft,
        STAGE,
        "person",
        at,
        direction,
        points.index,
        BLOCKS_ON_SIDEWALK,
        street=points.street,
        variant=_walking_variant(draft, points.index),
    )


def place_groups(draft: Draft) -> None:
    """Place groups of two or three people side by side."""
    points = kerb_points(draft, 23_000, phase=5_000)
    points = points.select(
        chance(draft.seed, STAGE, points.index, 30 + liveliness(draft, points.x, points.y) * 240 // 1000, salt=7)
    )
    count = np.minimum(
        integers(draft.seed, STAGE, points.index, 2, 3, salt=8), np.maximum((points.sidewalk_width - 500) // 900, 1)
    )
    points, count = points.select(count > 1), count[count > 1]
    sense = np.where(chance(draft.seed, STAGE, points.index, 500, salt=9), 1, -1)
    at = points.at(points.sidewalk_width // 2)
    _place_row(draft, at, (sense * points.along[0], sense * points.along[1]), points.index, count, points.street)


def _place_row(
    draft: Draft, at: Vectors, direction: Vectors, index: Integers, count: Integers, street: Integers
) -> None:
    """Place people side by side as one group."""
    spacing = 850
    reach = (count - 1) * spacing // 2
    is_placed = reserve(draft, at, direction, (reach + 420, 500))
    row = np.repeat(np.flatnonzero(is_placed), count[is_placed])
    place = running_index(count[is_placed])
    direction = select_pair(direction, row)
    positions = offset(select_pair(at, row), (place * spacing - reach[row], right_of(direction)))
    key = index[row] * 8 + place
    groups = np.repeat(new_groups(draft, int(is_placed.sum())), count[is_placed])
    draft.add(
        make_things(
            draft,
            STAGE,
            "person",
            positions,
            direction,
            key,
            group=groups,
            place_in_group=place,
            street=street[row],
            variant=_narrow_variant(draft, key),
        )
    )


def _narrow_variant(draft: Draft, index: Integers) -> Integers:
    """Return a random variant of people without an umbrella."""
    makers = CLASSES[class_index("person")].variants
    upright = np.array(
        [k for k, make in enumerate(makers) if not {"sitting", "umbrella"} & set(make.__name__.split("_"))]
    )
    return upright[integers(draft.seed, STAGE, index, 0, len(upright) - 1, salt=10)]


def place_dog_walkers(draft: Draft) -> None:
    """Place dogs ahead of their owners."""
    points = kerb_points(draft, 71_000, phase=31_000)
    points = points.select(chance(draft.seed, STAGE, points.index, 110, salt=11))
    sense = np.where(chance(draft.seed, STAGE, points.index, 500, salt=12), 1, -1)
    direction = (sense * points.along[0], sense * points.along[1])
    at = points.at(points.sidewalk_width // 2)
    is_placed = reserve(draft, at, direction, (450, 1_300))
    points, at, direction = points.select(is_placed), select_pair(at, is_placed), select_pair(direction, is_placed)
    key, groups = points.index * 8 + 5, new_groups(draft, len(points))
    owner = draft.add(
        make_things(
            draft,
            STAGE,
            "person",
            offset(at, (-700, direction)),
            direction,
            key,
            street=points.street,
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
            offset(at, (600, direction)),
            direction,
            key,
            street=points.street,
            group=groups,
            place_in_group=1,
            owner=owner + np.arange(len(points)),
        )
    )


def place_at_crossings(draft: Draft) -> None:
    """Place people who wait at the kerb, and people on crosswalks where cars have a red light or no light."""
    arms = Arms.of(draft)
    may_walk = (~has_lights(draft, arms) | is_red(draft, arms))[arms.has_crosswalk]
    arms = arms.select(arms.has_crosswalk)
    for side in (-1, 1):
        key = arms.index * 4 + (side > 0)
        subset = arms.select(chance(draft.seed, STAGE, key, 60 + arms.liveliness(draft) * 4 // 10, salt=13))
        key = subset.index * 4 + (side > 0)
        count = integers(draft.seed, STAGE, key, 1, 3, salt=14)
        at = subset.beside(side, CROSSWALK_DEPTH // 2, 900)
        direction = (-side * subset.across[0], -side * subset.across[1])
        _place_row(draft, at, direction, key, count, subset.street)
    for lane in range(3):
        key = arms.index * 4 + lane
        subset = arms.select(may_walk & chance(draft.seed, STAGE, key, 40 + arms.liveliness(draft) * 3 // 10, salt=15))
        key = subset.index * 4 + lane
        half = subset.road["half"].astype(np.int64) - 600
        across = integers(draft.seed, STAGE, key, -half, half, salt=16)
        at = offset(
            (subset.x, subset.y), (lane * 900 + CROSSWALK_DEPTH // 2 - 900, subset.away), (across, subset.across)
        )
        sense = np.where(chance(draft.seed, STAGE, key, 500, salt=17), 1, -1)
        place_things(
            draft,
            STAGE,
            "person",
            at,
            (sense * subset.across[0], sense * subset.across[1]),
            key,
            BLOCKS_ON_ROAD,
            street=subset.street,
            variant=_walking_variant(draft, key),
        )
