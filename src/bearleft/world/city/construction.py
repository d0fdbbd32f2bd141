"""Building sites: scaffolding along whole fronts, fences before walls, and works at the road's edge."""

from __future__ import annotations

import numpy as np

from bearleft.world.city.placement import (
    ON_ROAD,
    KerbPoints,
    Vectors,
    kerb_points,
    make_things,
    model_extents,
    new_groups,
    offset,
    reserve,
    running_index,
    variant_index,
)
from bearleft.world.city.plan import Draft
from bearleft.world.city.randomness import Integers, Stage, chance, integers, weighted_choice
from bearleft.world.city.raster import CROSSING, OVERHEAD
from bearleft.world.city.walls import AT_WALL, Walls, building_walls, is_hidden

STAGE = Stage.CONSTRUCTION
SEGMENT_LENGTH = 6_000  # of scaffolding


def place_building_sites(draft: Draft) -> None:
    """Scaffolding or fences along the fronts of some buildings."""
    if len(draft.buildings):
        seen = building_walls(draft)
        seen = seen.select((seen.side == 0) & (seen.half > 2_600) & ~is_hidden(draft, seen))
        drawn = weighted_choice(draft.seed, STAGE, seen.record["thing"], [955, 33, 12], 1)
        scaffolds(draft, seen.select(drawn == 1))
        fences(draft, seen.select(drawn == 2))


def scaffolds(draft: Draft, fronts: Walls) -> None:
    """Sheds over the sidewalk along the whole front, segment after segment, or towers against the wall."""
    shed, tower = variant_index("scaffolding", "scaffolding"), variant_index("scaffolding", "scaffolding_tower")
    kind = np.where(chance(draft.seed, STAGE, fronts.index, 720, 2), shed, tower)
    _along_walls(draft, fronts, "scaffolding", kind, SEGMENT_LENGTH)


def fences(draft: Draft, fronts: Walls) -> None:
    """Fences along the whole front."""
    kinds = model_extents("construction fence").half[0]
    kind = integers(draft.seed, STAGE, fronts.index, 0, len(kinds) - 1, 3)
    _along_walls(draft, fronts, "construction fence", kind, 2 * kinds[kind], 900)


def _along_walls(
    draft: Draft, fronts: Walls, name: str, kind: Integers, usual: Integers | int, clear: int = 150
) -> None:
    """Segments of about the usual length that fill each wall exactly, `clear` of it."""
    deep = model_extents(name).half[1][kind]
    middle = model_extents(name).middle[1][kind]
    half = fronts.half - 200
    x, y = fronts.at(0, clear + deep)
    stands = reserve(draft, x, y, *fronts.out, half, deep - 60, AT_WALL | OVERHEAD)
    fronts, kind, half, far = fronts.select(stands), kind[stands], half[stands], (clear + deep - middle)[stands]
    usual = np.broadcast_to(np.asarray(usual, np.int64), stands.shape)[stands]
    count = np.maximum((2 * half + usual // 2) // usual, 1)
    each, place = fronts.select(np.repeat(np.arange(len(fronts)), count)), running_index(count)
    length = np.repeat(2 * half // count, count)
    wide = 2 * model_extents(name).half[0][np.repeat(kind, count)]
    px, py = each.at(place * length + length // 2 - np.repeat(half, count), np.repeat(far, count))
    draft.add(
        make_things(
            draft,
            STAGE,
            name,
            px,
            py,
            *each.out,
            each.index,
            variant=np.repeat(kind, count),
            sx=length * 1000 // wide,
            owner=each.record["thing"],
            street=each.street,
            place_in_group=place,
            group=np.repeat(new_groups(draft, len(fronts)), count),
        )
    )


def place_road_works(draft: Draft) -> None:
    """Stretches of kerb closed to traffic: cones or barrels in a row, barriers at their ends, a sign, a dumpster."""
    spots = kerb_points(draft, 97_000, 41_000, 16_000)
    spots = spots.select(chance(draft.seed, STAGE, spots.index, 70, 4) & (spots.road["half"] >= 3_300))
    half = integers(draft.seed, STAGE, spots.index, 5, 9, 5) * 1_000
    x, y = spots.at(-1_350)
    stands = reserve(draft, x, y, *spots.flow, 1_250, half + 1_800, ON_ROAD | CROSSING)
    spots, half = spots.select(stands), half[stands]
    count = half // 1_000 + 1
    groups = new_groups(draft, len(spots))
    each, place = spots.select(np.repeat(np.arange(len(spots)), count)), running_index(count)
    px, py = _kerb_positions(each, place * 2_000 - np.repeat(half, count), -2_200)
    barrels = np.repeat(chance(draft.seed, STAGE, spots.index, 400, 6), count)
    for name, ours in (("traffic cone", ~barrels), ("barrel", barrels)):
        one = each.select(ours)
        draft.add(
            make_things(
                draft,
                STAGE,
                name,
                px[ours],
                py[ours],
                *one.inwards,
                one.index,
                street=one.street,
                group=np.repeat(groups, count)[ours],
                place_in_group=place[ours],
            )
        )
    narrow = [k for k, wide in enumerate(model_extents("barrier").half[0]) if wide <= 1_150]
    kind = np.array(narrow)[integers(draft.seed, STAGE, spots.index, 0, len(narrow) - 1, 7)]
    for end in (-1, 1):
        bx, by = _kerb_positions(spots, end * (half + 700), -1_300)
        draft.add(
            make_things(
                draft,
                STAGE,
                "barrier",
                bx,
                by,
                *_against_traffic(spots),
                spots.index,
                variant=kind,
                street=spots.street,
            )
        )
    sx, sy = _kerb_positions(spots, -half - 1_450, -1_300)
    draft.add(
        make_things(draft, STAGE, "road work sign", sx, sy, *_against_traffic(spots), spots.index, street=spots.street)
    )
    full = spots.select(chance(draft.seed, STAGE, spots.index, 450, 8))
    dx, dy = full.at(-900)
    closed = variant_index("dumpster", "dumpster")
    draft.add(make_things(draft, STAGE, "dumpster", dx, dy, *full.out, full.index, variant=closed, street=full.street))
    heaped = spots.select(
        ~chance(draft.seed, STAGE, spots.index, 450, 8) & chance(draft.seed, STAGE, spots.index, 700, 9)
    )
    hx, hy = _kerb_positions(heaped, 0 * heaped.x, -1_050)
    kind = np.array([variant_index("material pile", name) for name in ("pile_of_bricks", "pile_of_lumber")])
    kind = kind[integers(draft.seed, STAGE, heaped.index, 0, len(kind) - 1, 10)]
    draft.add(
        make_things(
            draft, STAGE, "material pile", hx, hy, *heaped.out, heaped.index, variant=kind, street=heaped.street
        )
    )


def _kerb_positions(spots: KerbPoints, ahead: Integers, out: int) -> Vectors:
    """Points so far ahead with the flow of traffic and so far from the kerb."""
    return offset(*spots.at(out), (ahead, spots.flow))


def _against_traffic(spots: KerbPoints) -> Vectors:
    """Towards those who come."""
    return -spots.flow[0], -spots.flow[1]
