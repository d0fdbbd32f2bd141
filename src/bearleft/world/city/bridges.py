"""Bridges over streets, from one house to the one across: railways on stone piers, closed walks of glass."""

from __future__ import annotations

import numpy as np

from bearleft.world.city.placement import Flags, Spots, ground, kerb_spots, moved, places, reserve, right, rows, variant
from bearleft.world.city.plan import UNIT, Draft
from bearleft.world.city.randomness import Integers, Stage, chance
from bearleft.world.city.raster import OVERHEAD
from bearleft.world.city.walls import AT_WALL, Walls

SPAN = 20_000  # a bridge's model is so long
BROAD = {"railway_bridge": 2_600, "footbridge": 1_600}  # half as far along the street
LEAST = {"railway_bridge": 9_000, "footbridge": 13_000}  # how high the houses must be
PIER = 450  # half a pier
EDGE = 2_800  # from its middle to the end of a house's front


def span_streets(draft: Draft) -> None:
    """Bridges where houses face each other across a street; to be done before anything hangs on their walls."""
    if not len(draft.buildings):
        return
    spots = kerb_spots(draft, 71_000, 33_000, 16_000)
    spots = spots.keep((spots.side > 0) & chance(draft.seed, Stage.WORKS, spots.index, 260, 20))
    x, y = spots.at(-spots.road["half"].astype(np.int64))
    near, far = _walls(draft, x, y, spots), _walls(draft, x, y, spots, -1)
    rails = chance(draft.seed, Stage.WORKS, spots.index, 550, 21)
    for name, ours in (("railway_bridge", rails), ("footbridge", ~rails)):
        stands = ours & (near[0] > 0) & (far[0] > 0)
        stands &= np.minimum(near[1], far[1]) >= LEAST[name]
        some, reach = spots.keep(stands), (near[0][stands], far[0][stands])
        mx, my = moved(x[stands], y[stands], ((reach[0] - reach[1]) // 2, some.out))
        half = (reach[0] + reach[1]) // 2
        if name == "railway_bridge":
            free = np.ones(len(some), np.bool_)
            for side in (-1, 1):
                px, py = moved(mx, my, (side * (half - PIER * half * 2 // SPAN), some.out))
                free &= reserve(draft, px, py, *some.along, PIER + 100, BROAD[name], AT_WALL)
            some, mx, my, half = some.keep(free), mx[free], my[free], half[free]
        ground(draft).mark(mx, my, *some.along, half, BROAD[name] + 900, OVERHEAD)
        draft.add(
            rows(
                draft,
                Stage.WORKS,
                "bridge",
                mx,
                my,
                *some.along,
                some.index,
                street=some.street,
                variant=variant("bridge", name),
                sx=2 * half * 1000 // SPAN,
            )
        )


def _walls(draft: Draft, x: Integers, y: Integers, spots: Spots, side: int = 1) -> tuple[Integers, Integers]:
    """How far from the middle of a street a front stands on one side of it, 0 for none, and how high it is."""
    away, high = np.zeros(len(x), np.int64), np.zeros(len(x), np.int64)
    house = draft.things[draft.buildings["thing"]]
    hx, hy = draft.buildings["hx"].astype(np.int64), draft.buildings["hy"].astype(np.int64)
    cx, cy, ux, uy = (house[name].astype(np.int64) for name in ("x", "y", "ux", "uy"))
    wide = (spots.road["half"].astype(np.int64) + spots.walk) * side
    px, py = moved(x, y, (wide + side * 500, spots.out))
    for k in range(len(x)):
        dx, dy = px[k] - cx, py[k] - cy
        across, ahead = (dx * uy - dy * ux) // UNIT, (dx * ux + dy * uy) // UNIT
        found = np.flatnonzero((np.abs(across) < hx - EDGE) & (np.abs(ahead) < hy))
        for one in found[:1]:
            out = (side * int(spots.out[0][k]), side * int(spots.out[1][k]))
            towards = -(out[0] * int(ux[one]) + out[1] * int(uy[one])) // UNIT
            before = ((int(x[k]) - int(cx[one])) * int(ux[one]) + (int(y[k]) - int(cy[one])) * int(uy[one])) // UNIT
            if towards > UNIT * 99 // 100:
                away[k] = (before - int(hy[one])) * UNIT // towards
                high[k] = draft.buildings["height"][one]
    return away, high


def under_bridges(draft: Draft, seen: Walls) -> Flags:
    """Whether a bridge meets a wall."""
    count = np.maximum(2 * (seen.half - 300) // 1_000, 1)
    which, place = np.repeat(np.arange(len(seen)), count), places(count)
    each = seen.keep(which)
    across = place * 1_000 - (np.repeat(count, count) - 1) * 500
    x, y = moved(each.x, each.y, (across, right(*each.out)), (600, each.out))
    met = (ground(draft).at(x, y) & OVERHEAD) != 0
    return np.asarray(np.bincount(which, met, len(seen)) > 0, np.bool_)
