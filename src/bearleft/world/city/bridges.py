"""Bridges over streets, from one house to the one across: railways on stone piers, closed walks of glass."""

from __future__ import annotations

import numpy as np

from bearleft.world.city.placement import (
    Flags,
    KerbPoints,
    kerb_points,
    make_things,
    offset,
    raster_of,
    reserve,
    right_of,
    running_index,
    variant_index,
)
from bearleft.world.city.plan import UNIT, Draft
from bearleft.world.city.randomness import Integers, Stage, chance
from bearleft.world.city.raster import OVERHEAD
from bearleft.world.city.walls import AT_WALL, Walls

MODEL_LENGTH = 20_000  # a bridge's model is so long
HALF_WIDTHS = {"railway_bridge": 2_600, "footbridge": 1_600}  # half as far along the street
MIN_BUILDING_HEIGHTS = {"railway_bridge": 9_000, "footbridge": 13_000}  # how high the houses must be
PIER_HALF_SIZE = 450  # half a pier
EDGE_DISTANCE = 2_800  # from its middle to the end of a house's front


def place_bridges(draft: Draft) -> None:
    """Bridges where houses face each other across a street; to be done before anything hangs on their walls."""
    if not len(draft.buildings):
        return
    spots = kerb_points(draft, 71_000, 33_000, 16_000)
    spots = spots.select((spots.side > 0) & chance(draft.seed, Stage.CONSTRUCTION, spots.index, 260, 20))
    x, y = spots.at(-spots.road["half"].astype(np.int64))
    near, far = _facing_walls(draft, x, y, spots), _facing_walls(draft, x, y, spots, -1)
    rails = chance(draft.seed, Stage.CONSTRUCTION, spots.index, 550, 21)
    for name, ours in (("railway_bridge", rails), ("footbridge", ~rails)):
        stands = ours & (near[0] > 0) & (far[0] > 0)
        stands &= np.minimum(near[1], far[1]) >= MIN_BUILDING_HEIGHTS[name]
        some, reach = spots.select(stands), (near[0][stands], far[0][stands])
        mx, my = offset(x[stands], y[stands], ((reach[0] - reach[1]) // 2, some.out))
        half = (reach[0] + reach[1]) // 2
        if name == "railway_bridge":
            free = np.ones(len(some), np.bool_)
            for side in (-1, 1):
                px, py = offset(mx, my, (side * (half - PIER_HALF_SIZE * half * 2 // MODEL_LENGTH), some.out))
                free &= reserve(draft, px, py, *some.along, PIER_HALF_SIZE + 100, HALF_WIDTHS[name], AT_WALL)
            some, mx, my, half = some.select(free), mx[free], my[free], half[free]
        raster_of(draft).mark(mx, my, *some.along, half, HALF_WIDTHS[name] + 900, OVERHEAD)
        draft.add(
            make_things(
                draft,
                Stage.CONSTRUCTION,
                "bridge",
                mx,
                my,
                *some.along,
                some.index,
                street=some.street,
                variant=variant_index("bridge", name),
                sx=2 * half * 1000 // MODEL_LENGTH,
            )
        )


def _facing_walls(
    draft: Draft, x: Integers, y: Integers, spots: KerbPoints, side: int = 1
) -> tuple[Integers, Integers]:
    """How far from the middle of a street a front stands on one side of it, 0 for none, and how high it is."""
    away, high = np.zeros(len(x), np.int64), np.zeros(len(x), np.int64)
    house = draft.things[draft.buildings["thing"]]
    hx, hy = draft.buildings["hx"].astype(np.int64), draft.buildings["hy"].astype(np.int64)
    cx, cy, ux, uy = (house[name].astype(np.int64) for name in ("x", "y", "ux", "uy"))
    wide = (spots.road["half"].astype(np.int64) + spots.walk) * side
    px, py = offset(x, y, (wide + side * 500, spots.out))
    for k in range(len(x)):
        dx, dy = px[k] - cx, py[k] - cy
        across, ahead = (dx * uy - dy * ux) // UNIT, (dx * ux + dy * uy) // UNIT
        found = np.flatnonzero((np.abs(across) < hx - EDGE_DISTANCE) & (np.abs(ahead) < hy))
        for one in found[:1]:
            out = (side * int(spots.out[0][k]), side * int(spots.out[1][k]))
            towards = -(out[0] * int(ux[one]) + out[1] * int(uy[one])) // UNIT
            before = ((int(x[k]) - int(cx[one])) * int(ux[one]) + (int(y[k]) - int(cy[one])) * int(uy[one])) // UNIT
            if towards > UNIT * 99 // 100:
                away[k] = (before - int(hy[one])) * UNIT // towards
                high[k] = draft.buildings["height"][one]
    return away, high


def meets_bridge(draft: Draft, seen: Walls) -> Flags:
    """Whether a bridge meets a wall."""
    count = np.maximum(2 * (seen.half - 300) // 1_000, 1)
    which, place = np.repeat(np.arange(len(seen)), count), running_index(count)
    each = seen.select(which)
    across = place * 1_000 - (np.repeat(count, count) - 1) * 500
    x, y = offset(each.x, each.y, (across, right_of(*each.out)), (600, each.out))
    met = (raster_of(draft).at(x, y) & OVERHEAD) != 0
    return np.asarray(np.bincount(which, met, len(seen)) > 0, np.bool_)
