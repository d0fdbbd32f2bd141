"""Building sites: scaffolding along fronts, fences in front of walls, and road works."""

from __future__ import annotations

import numpy as np

from bearleft.world.city.placement import (
    BLOCKS_ON_ROAD,
    KerbPoints,
    Vectors,
    kerb_points,
    make_things,
    model_extents,
    new_groups,
    offset,
    reserve,
    running_index,
    select_pair,
    variant_index,
)
from bearleft.world.city.plan import Draft
from bearleft.world.city.randomness import Integers, Stage, chance, integers, weighted_choice
from bearleft.world.city.raster import CROSSING, OVERHEAD
from bearleft.world.city.walls import AT_WALL, Walls, building_walls, is_hidden

STAGE = Stage.CONSTRUCTION
SEGMENT_LENGTH = 6_000  # millimetres of scaffolding


def place_building_sites(draft: Draft) -> None:
    """Place scaffolding or fences along the fronts of some buildings."""
    if len(draft.buildings):
        fronts = building_walls(draft)
        fronts = fronts.select((fronts.side == 0) & (fronts.half > 2_600) & ~is_hidden(draft, fronts))
        kind = weighted_choice(draft.seed, STAGE, fronts.record["thing"], [905, 83, 12], salt=1)
        place_scaffolds(draft, fronts.select(kind == 1))
        place_fences(draft, fronts.select(kind == 2))


def place_scaffolds(draft: Draft, fronts: Walls) -> None:
    """Place sheds over the sidewalk along whole fronts, segment by segment, or towers against the wall."""
    shed, tower = variant_index("scaffolding", "scaffolding"), variant_index("scaffolding", "scaffolding_tower")
    variant = np.where(chance(draft.seed, STAGE, fronts.index, 720, salt=2), shed, tower)
    _fill_walls(draft, fronts, "scaffolding", variant, SEGMENT_LENGTH)


def place_fences(draft: Draft, fronts: Walls) -> None:
    """Place fences along whole fronts."""
    kinds = model_extents("construction fence").half[0]
    kind = integers(draft.seed, STAGE, fronts.index, 0, len(kinds) - 1, salt=3)
    _fill_walls(draft, fronts, "construction fence", kind, 2 * kinds[kind], 900)


def _fill_walls(
    draft: Draft,
    fronts: Walls,
    name: str,
    variant: Integers,
    segment_length: Integers | int,
    distance_to_wall: int = 150,
) -> None:
    """Fill each wall exactly with segments of about the usual length, at `distance_to_wall`."""
    half_depth = model_extents(name).half[1][variant]
    middle = model_extents(name).middle[1][variant]
    half = fronts.half - 200
    at = fronts.at(0, distance_to_wall + half_depth)
    is_placed = reserve(draft, at, fronts.out, (half, half_depth - 60), AT_WALL | OVERHEAD)
    fronts, variant, half, distance = (
        fronts.select(is_placed),
        variant[is_placed],
        half[is_placed],
        (distance_to_wall + half_depth - middle)[is_placed],
    )
    segment_length = np.broadcast_to(np.asarray(segment_length, np.int64), is_placed.shape)[is_placed]
    count = np.maximum((2 * half + segment_length // 2) // segment_length, 1)
    segments, place = fronts.select(np.repeat(np.arange(len(fronts)), count)), running_index(count)
    length = np.repeat(2 * half // count, count)
    model_width = 2 * model_extents(name).half[0][np.repeat(variant, count)]
    positions = segments.at(place * length + length // 2 - np.repeat(half, count), np.repeat(distance, count))
    draft.add(
        make_things(
            draft,
            STAGE,
            name,
            positions,
            segments.out,
            segments.index,
            variant=np.repeat(variant, count),
            sx=length * 1000 // model_width,
            owner=segments.record["thing"],
            street=segments.street,
            place_in_group=place,
            group=np.repeat(new_groups(draft, len(fronts)), count),
        )
    )


def place_road_works(draft: Draft) -> None:
    """Close stretches of kerb: cones or barrels in a row, barriers at the ends, a sign, a dumpster."""
    points = kerb_points(draft, 97_000, phase=41_000, edge=16_000)
    points = points.select(chance(draft.seed, STAGE, points.index, 70, salt=4) & (points.road["half"] >= 3_300))
    half = integers(draft.seed, STAGE, points.index, 5, 9, salt=5) * 1_000
    is_placed = reserve(draft, points.at(-1_350), points.flow, (1_250, half + 1_800), BLOCKS_ON_ROAD | CROSSING)
    points, half = points.select(is_placed), half[is_placed]
    count = half // 1_000 + 1
    groups = new_groups(draft, len(points))
    repeated, place = points.select(np.repeat(np.arange(len(points)), count)), running_index(count)
    positions = _kerb_positions(repeated, place * 2_000 - np.repeat(half, count), -2_200)
    barrels = np.repeat(chance(draft.seed, STAGE, points.index, 400, salt=6), count)
    for name, mask in (("traffic cone", ~barrels), ("barrel", barrels)):
        subset = repeated.select(mask)
        draft.add(
            make_things(
                draft,
                STAGE,
                name,
                select_pair(positions, mask),
                subset.inwards,
                subset.index,
                street=subset.street,
                group=np.repeat(groups, count)[mask],
                place_in_group=place[mask],
            )
        )
    narrow = [k for k, wide in enumerate(model_extents("barrier").half[0]) if wide <= 1_150]
    variant = np.array(narrow)[integers(draft.seed, STAGE, points.index, 0, len(narrow) - 1, salt=7)]
    for end in (-1, 1):
        draft.add(
            make_things(
                draft,
                STAGE,
                "barrier",
                _kerb_positions(points, end * (half + 700), -1_300),
                _against_traffic(points),
                points.index,
                variant=variant,
                street=points.street,
            )
        )
    at = _kerb_positions(points, -half - 1_450, -1_300)
    draft.add(
        make_things(draft, STAGE, "road work sign", at, _against_traffic(points), points.index, street=points.street)
    )
    with_dumpster = points.select(chance(draft.seed, STAGE, points.index, 450, salt=8))
    closed = variant_index("dumpster", "dumpster")
    draft.add(
        make_things(
            draft,
            STAGE,
            "dumpster",
            with_dumpster.at(-900),
            with_dumpster.out,
            with_dumpster.index,
            variant=closed,
            street=with_dumpster.street,
        )
    )
    with_pile = points.select(
        ~chance(draft.seed, STAGE, points.index, 450, salt=8) & chance(draft.seed, STAGE, points.index, 700, salt=9)
    )
    variant = np.array([variant_index("material pile", name) for name in ("pile_of_bricks", "pile_of_lumber")])
    variant = variant[integers(draft.seed, STAGE, with_pile.index, 0, len(variant) - 1, salt=10)]
    draft.add(
        make_things(
            draft,
            STAGE,
            "material pile",
            _kerb_positions(with_pile, 0 * with_pile.x, -1_050),
            with_pile.out,
            with_pile.index,
            variant=variant,
            street=with_pile.street,
        )
    )


def _kerb_positions(points: KerbPoints, ahead: Integers, out: int) -> Vectors:
    """Return points `ahead` in the direction of traffic and `out` from the kerb."""
    return offset(points.at(out), (ahead, points.flow))


def _against_traffic(points: KerbPoints) -> Vectors:
    """Return the direction towards oncoming traffic."""
    return -points.flow[0], -points.flow[1]
