"""Building sites: scaffolding along whole fronts, fences before walls, and works at the road's edge."""

from __future__ import annotations

import numpy as np

from bearleft.world.city.placement import (
    ON_ROAD,
    Line,
    Spots,
    bodies,
    kerb_spots,
    moved,
    new_groups,
    places,
    reserve,
    rows,
    variant,
)
from bearleft.world.city.plan import Draft
from bearleft.world.city.randomness import Integers, Stage, chance, integers, one_of
from bearleft.world.city.raster import CROSSING, OVERHEAD
from bearleft.world.city.walls import AT_WALL, Walls, hidden, walls

WORKS = Stage.WORKS
SEGMENT = 6_000  # of scaffolding


def build_sites(draft: Draft) -> None:
    """Scaffolding or fences along the fronts of some buildings."""
    if len(draft.buildings):
        seen = walls(draft)
        seen = seen.keep((seen.side == 0) & (seen.half > 2_600) & ~hidden(draft, seen))
        drawn = one_of(draft.seed, WORKS, seen.record["thing"], [955, 33, 12], 1)
        scaffolds(draft, seen.keep(drawn == 1))
        fences(draft, seen.keep(drawn == 2))


def scaffolds(draft: Draft, fronts: Walls) -> None:
    """Sheds over the sidewalk along the whole front, segment after segment, or towers against the wall."""
    shed, tower = variant("scaffolding", "scaffolding"), variant("scaffolding", "scaffolding_tower")
    kind = np.where(chance(draft.seed, WORKS, fronts.index, 720, 2), shed, tower)
    _along_walls(draft, fronts, "scaffolding", kind, SEGMENT)


def fences(draft: Draft, fronts: Walls) -> None:
    """Fences along the whole front."""
    kinds = bodies("construction fence").half[0]
    kind = integers(draft.seed, WORKS, fronts.index, 0, len(kinds) - 1, 3)
    _along_walls(draft, fronts, "construction fence", kind, 2 * kinds[kind], 900)


def _along_walls(
    draft: Draft, fronts: Walls, name: str, kind: Integers, usual: Integers | int, clear: int = 150
) -> None:
    """Segments of about the usual length that fill each wall exactly, `clear` of it."""
    deep = bodies(name).half[1][kind]
    middle = bodies(name).middle[1][kind]
    half = fronts.half - 200
    x, y = fronts.at(0, clear + deep)
    stands = reserve(draft, x, y, *fronts.out, half, deep - 60, AT_WALL | OVERHEAD)
    fronts, kind, half, far = fronts.keep(stands), kind[stands], half[stands], (clear + deep - middle)[stands]
    usual = np.broadcast_to(np.asarray(usual, np.int64), stands.shape)[stands]
    count = np.maximum((2 * half + usual // 2) // usual, 1)
    each, place = fronts.keep(np.repeat(np.arange(len(fronts)), count)), places(count)
    length = np.repeat(2 * half // count, count)
    wide = 2 * bodies(name).half[0][np.repeat(kind, count)]
    px, py = each.at(place * length + length // 2 - np.repeat(half, count), np.repeat(far, count))
    draft.add(
        rows(
            draft,
            WORKS,
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


def road_works(draft: Draft) -> None:
    """Stretches of kerb closed to traffic: cones or barrels in a row, barriers at their ends, a sign, a dumpster."""
    spots = kerb_spots(draft, 97_000, 41_000, 16_000)
    spots = spots.keep(chance(draft.seed, WORKS, spots.index, 70, 4) & (spots.road["half"] >= 3_300))
    half = integers(draft.seed, WORKS, spots.index, 5, 9, 5) * 1_000
    x, y = spots.at(-1_350)
    stands = reserve(draft, x, y, *spots.flow, 1_250, half + 1_800, ON_ROAD | CROSSING)
    spots, half = spots.keep(stands), half[stands]
    count = half // 1_000 + 1
    groups = new_groups(draft, len(spots))
    each, place = spots.keep(np.repeat(np.arange(len(spots)), count)), places(count)
    px, py = _within(each, place * 2_000 - np.repeat(half, count), -2_200)
    barrels = np.repeat(chance(draft.seed, WORKS, spots.index, 400, 6), count)
    for name, ours in (("traffic cone", ~barrels), ("barrel", barrels)):
        one = each.keep(ours)
        draft.add(
            rows(
                draft,
                WORKS,
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
    narrow = [k for k, wide in enumerate(bodies("barrier").half[0]) if wide <= 1_150]
    kind = np.array(narrow)[integers(draft.seed, WORKS, spots.index, 0, len(narrow) - 1, 7)]
    for end in (-1, 1):
        bx, by = _within(spots, end * (half + 700), -1_300)
        draft.add(rows(draft, WORKS, "barrier", bx, by, *_back(spots), spots.index, variant=kind, street=spots.street))
    sx, sy = _within(spots, -half - 1_450, -1_300)
    draft.add(rows(draft, WORKS, "road work sign", sx, sy, *_back(spots), spots.index, street=spots.street))
    full = spots.keep(chance(draft.seed, WORKS, spots.index, 450, 8))
    dx, dy = full.at(-900)
    closed = variant("dumpster", "dumpster")
    draft.add(rows(draft, WORKS, "dumpster", dx, dy, *full.out, full.index, variant=closed, street=full.street))
    heaped = spots.keep(
        ~chance(draft.seed, WORKS, spots.index, 450, 8) & chance(draft.seed, WORKS, spots.index, 700, 9)
    )
    hx, hy = _within(heaped, 0 * heaped.x, -1_050)
    kind = np.array([variant("material pile", name) for name in ("pile_of_bricks", "pile_of_lumber")])
    kind = kind[integers(draft.seed, WORKS, heaped.index, 0, len(kind) - 1, 10)]
    draft.add(
        rows(draft, WORKS, "material pile", hx, hy, *heaped.out, heaped.index, variant=kind, street=heaped.street)
    )


def _within(spots: Spots, ahead: Integers, out: int) -> Line:
    """Points so far ahead with the flow of traffic and so far from the kerb."""
    return moved(*spots.at(out), (ahead, spots.flow))


def _back(spots: Spots) -> Line:
    """Towards those who come."""
    return -spots.flow[0], -spots.flow[1]
