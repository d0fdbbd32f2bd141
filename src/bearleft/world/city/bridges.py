"""Bridges over streets, from house to house: railway bridges on stone piers, and glass footbridges."""

from __future__ import annotations

import numpy as np

from bearleft.world.city.placement import (
    Flags,
    KerbPoints,
    Vectors,
    kerb_points,
    make_things,
    offset,
    raster_of,
    reserve,
    right_of,
    running_index,
    select_pair,
    variant_index,
)
from bearleft.world.city.plan import DIRECTION_SCALE, Draft
from bearleft.world.city.randomness import Integers, Stage, chance
from bearleft.world.city.raster import OVERHEAD
from bearleft.world.city.walls import AT_WALL, Walls

MODEL_LENGTH = 20_000  # length of a bridge's model, in millimetres
HALF_WIDTHS = {"railway_bridge": 2_600, "footbridge": 1_600}  # half the extents along the street
MIN_BUILDING_HEIGHTS = {"railway_bridge": 9_000, "footbridge": 13_000}  # of the houses it connects
PIER_HALF_SIZE = 450  # of a pier
EDGE_DISTANCE = 2_800  # minimum distance from a bridge's centre line to the end of a house's front


def place_bridges(draft: Draft) -> None:
    """Place bridges where houses face each other across a street; run before objects are hung on their walls."""
    if not len(draft.buildings):
        return
    points = kerb_points(draft, 71_000, phase=33_000, edge=16_000)
    points = points.select((points.side > 0) & chance(draft.seed, Stage.CONSTRUCTION, points.index, 420, salt=20))
    middle = points.at(-points.road["half"].astype(np.int64))
    near, far = _facing_walls(draft, middle, points), _facing_walls(draft, middle, points, -1)
    is_railway = chance(draft.seed, Stage.CONSTRUCTION, points.index, 550, salt=21)
    for name, of_kind in (("railway_bridge", is_railway), ("footbridge", ~is_railway)):
        is_possible = of_kind & (near[0] > 0) & (far[0] > 0)
        is_possible &= np.minimum(near[1], far[1]) >= MIN_BUILDING_HEIGHTS[name]
        subset, reach = points.select(is_possible), (near[0][is_possible], far[0][is_possible])
        at = offset(select_pair(middle, is_possible), ((reach[0] - reach[1]) // 2, subset.out))
        half = (reach[0] + reach[1]) // 2
        if name == "railway_bridge":
            is_free = np.ones(len(subset), np.bool_)
            for side in (-1, 1):
                pier = offset(at, (side * (half - PIER_HALF_SIZE * half * 2 // MODEL_LENGTH), subset.out))
                is_free &= reserve(draft, pier, subset.along, (PIER_HALF_SIZE + 100, HALF_WIDTHS[name]), AT_WALL)
            subset, at, half = subset.select(is_free), select_pair(at, is_free), half[is_free]
        raster_of(draft).mark(at, subset.along, (half, HALF_WIDTHS[name] + 900), OVERHEAD)
        draft.add(
            make_things(
                draft,
                Stage.CONSTRUCTION,
                "bridge",
                at,
                subset.along,
                subset.index,
                street=subset.street,
                variant=variant_index("bridge", name),
                sx=2 * half * 1000 // MODEL_LENGTH,
            )
        )


def _facing_walls(draft: Draft, middle: Vectors, points: KerbPoints, side: int = 1) -> tuple[Integers, Integers]:
    """Return the distance from the middle of a street to the front on one side, 0 if there is none, and its height."""
    x, y = middle
    distance, height = np.zeros(len(x), np.int64), np.zeros(len(x), np.int64)
    house = draft.things[draft.buildings["thing"]]
    hx, hy = draft.buildings["hx"].astype(np.int64), draft.buildings["hy"].astype(np.int64)
    cx, cy, ux, uy = (house[name].astype(np.int64) for name in ("x", "y", "ux", "uy"))
    offset_to_front = (points.road["half"].astype(np.int64) + points.sidewalk_width) * side
    px, py = offset(middle, (offset_to_front + side * 500, points.out))
    for k in range(len(x)):
        dx, dy = px[k] - cx, py[k] - cy
        across, ahead = (dx * uy - dy * ux) // DIRECTION_SCALE, (dx * ux + dy * uy) // DIRECTION_SCALE
        houses = np.flatnonzero((np.abs(across) < hx - EDGE_DISTANCE) & (np.abs(ahead) < hy))
        for house_index in houses[:1]:
            outwards = (side * int(points.out[0][k]), side * int(points.out[1][k]))
            towards = -(outwards[0] * int(ux[house_index]) + outwards[1] * int(uy[house_index])) // DIRECTION_SCALE
            depth = (
                (int(x[k]) - int(cx[house_index])) * int(ux[house_index])
                + (int(y[k]) - int(cy[house_index])) * int(uy[house_index])
            ) // DIRECTION_SCALE
            if towards > DIRECTION_SCALE * 99 // 100:
                distance[k] = (depth - int(hy[house_index])) * DIRECTION_SCALE // towards
                height[k] = draft.buildings["height"][house_index]
    return distance, height


def meets_bridge(draft: Draft, walls: Walls) -> Flags:
    """Return whether a bridge touches each wall."""
    count = np.maximum(2 * (walls.half - 300) // 1_000, 1)
    wall, place = np.repeat(np.arange(len(walls)), count), running_index(count)
    repeated = walls.select(wall)
    across = place * 1_000 - (np.repeat(count, count) - 1) * 500
    x, y = offset((repeated.x, repeated.y), (across, right_of(repeated.out)), (600, repeated.out))
    is_overhead = (raster_of(draft).at(x, y) & OVERHEAD) != 0
    return np.asarray(np.bincount(wall, is_overhead, len(walls)) > 0, np.bool_)
