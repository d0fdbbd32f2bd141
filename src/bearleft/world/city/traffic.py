"""Vehicles: queues at crossings, buses at stops, cars along kerbs, and what moves with the flow of traffic."""

from __future__ import annotations

import numpy as np

from bearleft.world.city.catalog import class_index
from bearleft.world.city.corners import Arms, has_lights, is_red
from bearleft.world.city.names import MENUS, choose_texts
from bearleft.world.city.placement import (
    ON_ROAD,
    Flags,
    Vectors,
    footprints,
    kerb_points,
    liveliness,
    make_things,
    max_half_size,
    offset,
    raster_of,
    reserve,
    right_of,
    road_directions,
    running_index,
)
from bearleft.world.city.plan import Draft
from bearleft.world.city.randomness import Integers, Stage, chance, integers, weighted_choice
from bearleft.world.city.raster import CROSSING, ROAD
from bearleft.world.city.roads import PARKING_WIDTH

STAGE = Stage.TRAFFIC
ON_LANE = ON_ROAD | CROSSING
PARKED_WEIGHTS = {
    "school bus": 4,
    "truck": 25,
    "garbage truck": 4,
    "ambulance": 4,
    "van": 90,
    "pickup": 75,
    "police car": 14,
    "taxi": 55,
    "car": 660,
    "motorcycle": 45,
}
MOVING_WEIGHTS = {
    "bus": 35,
    "school bus": 9,
    "truck": 55,
    "garbage truck": 8,
    "ambulance": 6,
    "van": 95,
    "pickup": 60,
    "police car": 16,
    "taxi": 230,
    "car": 470,
    "motorcycle": 25,
}
OUTER_LANE = {
    **MOVING_WEIGHTS,
    "bus": 120,
    "school bus": 25,
    "truck": 170,
    "garbage truck": 25,
}  # in lanes away from the middle
LONG_VEHICLES = ("bus", "school bus", "truck", "garbage truck")
GUTTER_WIDTH = 300  # between the kerb and the nearest lane, where nobody parks: as lanes are painted
STOP_GAP = 1_500  # between a crossing and the first bumper
QUEUE_SPACING, QUEUE_TRIES = 2_500, 3  # along a queue a car is tried so far behind the last try, so often for one


def place_traffic(draft: Draft) -> None:
    """All vehicles: what waits first, then what is parked, then what moves."""
    place_buses_at_stops(draft)
    place_queues(draft)
    place_food_trucks(draft)
    place_parked(draft)
    place_moving(draft)
    place_cyclists(draft)


def _place_vehicles(
    draft: Draft,
    kinds: dict[str, int],
    x: Integers,
    y: Integers,
    way: Vectors,
    index: Integers,
    street: Integers,
    narrow: Flags,
    inwards: Vectors | None = None,
    text: Integers | None = None,
) -> None:
    """Puts vehicles of drawn classes on the road, the longest first; long ones keep out of narrow streets.

    The points are their middles, or, with the way `inwards`, where the sides they turn to the kerb are.
    """
    drawn = weighted_choice(draft.seed, STAGE, index, list(kinds.values()), 1)
    for which, name in enumerate(kinds):
        ours = drawn == which
        if name in LONG_VEHICLES:
            ours &= ~narrow
        ax, ay = x[ours], y[ours]
        if inwards is not None:
            ax, ay = offset(ax, ay, (max_half_size(name)[0], (inwards[0][ours], inwards[1][ours])))
        things = make_things(draft, STAGE, name, ax, ay, way[0][ours], way[1][ours], index[ours], street=street[ours])
        if text is not None:
            things["text"] = text[ours]
        under = footprints(name, things)
        fits = on_carriageway(draft, *under)
        stands = np.zeros(len(things), np.bool_)
        x_, y_, ux, uy, hx, hy = (column[fits] for column in under)
        stands[fits] = reserve(draft, x_, y_, ux, uy, hx, hy, ON_LANE)
        draft.add(things[stands])


def on_carriageway(
    draft: Draft, x: Integers, y: Integers, ux: Integers, uy: Integers, hx: Integers, hy: Integers
) -> Flags:
    """Whether all corners of rectangles lie on roads."""
    fits = np.ones(len(x), np.bool_)
    for across in (-1, 1):
        for ahead in (-1, 1):
            corner = offset(x, y, (across * hx, right_of(ux, uy)), (ahead * hy, (ux, uy)))
            fits &= (raster_of(draft).at(*corner) & ROAD) != 0
    return fits


def place_buses_at_stops(draft: Draft) -> None:
    """A bus beside two of five bus stops."""
    stops = np.flatnonzero(draft.things["kind"] == class_index("bus stop"))
    stops = stops[chance(draft.seed, STAGE, stops, 400, 2)]
    stop = draft.things[stops]
    ux, uy = stop["ux"].astype(np.int64), stop["uy"].astype(np.int64)
    far = 1_250 + 350 + max_half_size("bus")[0]
    x, y = offset(stop["x"].astype(np.int64), stop["y"].astype(np.int64), (far, (ux, uy)))
    street = stop["street"].astype(np.int64)
    _place_vehicles(draft, {"bus": 1}, x, y, (uy, -ux), stops, street, np.zeros(len(stops), np.bool_))


def place_food_trucks(draft: Draft) -> None:
    """Parked where it is lively, their windows towards the sidewalk."""
    spots = kerb_points(draft, 67_000, 23_000, 9_000)
    spots = spots.select(spots.parking & (spots.side * spots.road["flow"] >= 0))
    spots = spots.select(chance(draft.seed, STAGE, spots.index, liveliness(draft, spots.x, spots.y) * 110 // 1000, 12))
    right_hand = (spots.flow[0] * spots.out[1] - spots.flow[1] * spots.out[0]) < 0
    spots = spots.select(np.asarray(right_hand, np.bool_))
    x, y = spots.at(-max_half_size("food truck")[0] - 150)
    text = choose_texts(draft, MENUS, spots.index, 61)
    _place_vehicles(draft, {"food truck": 1}, x, y, spots.flow, spots.index, spots.street, spots.side == 0, text=text)


def place_parked(draft: Draft) -> None:
    """Vehicles along the kerbs, as close as people park them, with gaps; some streets are fuller than others."""
    spots = kerb_points(draft, 6_300, 1_000, 2_800)
    spots = spots.select(spots.parking)
    full = integers(draft.seed, STAGE, spots.street, 480, 860, 3)
    spots = spots.select(chance(draft.seed, STAGE, spots.index, full, 4))
    inside = integers(draft.seed, STAGE, spots.index, 120, 280, 5)
    shift = integers(draft.seed, STAGE, spots.index, -250, 250, 6)
    x, y = spots.at(-inside, shift)
    narrow = np.asarray(spots.road["half"] < 3_500, np.bool_)
    _place_vehicles(draft, PARKED_WEIGHTS, x, y, spots.flow, spots.index * 2, spots.street, narrow, spots.inwards)


class Lanes:
    """The lanes of moving traffic of every piece of road, by their places across it."""

    def __init__(self, draft: Draft) -> None:
        self.roads = roads = draft.roads
        self.along, self.length = road_directions(roads)
        left = -roads["half"].astype(np.int64) + np.where(roads["parking"] & 1, PARKING_WIDTH, GUTTER_WIDTH)
        self.left, edge = (
            left,
            roads["half"].astype(np.int64) - np.where(roads["parking"] & 2, PARKING_WIDTH, GUTTER_WIDTH),
        )
        self.count = np.maximum(roads["lanes"].astype(np.int64), 1)
        self.width = (edge - left) // self.count

    def across(self, piece: Integers, lane: Integers) -> Integers:
        """How far to the right of the middle a lane lies."""
        return np.asarray(self.left[piece] + (2 * lane + 1) * self.width[piece] // 2, np.int64)

    def sense(self, piece: Integers, lane: Integers) -> Integers:
        """1: from end 0 to end 1, -1: the other way."""
        flow = self.roads["flow"][piece].astype(np.int64)
        return np.where(flow != 0, flow, np.where(2 * lane + 1 > self.count[piece], 1, -1))

    def further(self, piece: Integers, far: Integers) -> tuple[Integers, Integers, Flags]:
        """The piece of a street so far from the beginning of one of its pieces, how far along it, if there is one."""
        start, street = self.roads["along"].astype(np.int64), self.roads["street"].astype(np.int64)
        key = street * 2**32 + start
        order = np.argsort(key, kind="stable")
        spot = start[piece] + far
        found = order[np.maximum(np.searchsorted(key[order], street[piece] * 2**32 + spot, side="right") - 1, 0)]
        along = spot - start[found]
        return found, along, (street[found] == street[piece]) & (along >= 0) & (along <= self.length[found])

    def at(self, piece: Integers, lane: Integers, far: Integers) -> tuple[Integers, Integers, Vectors]:
        """A point in a lane, and the way traffic goes there."""
        along = (self.along[0][piece], self.along[1][piece])
        x, y = self.roads["x0"][piece].astype(np.int64), self.roads["y0"][piece].astype(np.int64)
        x, y = offset(x, y, (far, along), (self.across(piece, lane), right_of(*along)))
        sense = self.sense(piece, lane)
        return x, y, (sense * along[0], sense * along[1])


def place_queues(draft: Draft) -> None:
    """Vehicles that wait at red lights, one behind another in every lane, and single ones at stop signs."""
    lanes, arms = Lanes(draft), Arms.of(draft)
    lit, red = has_lights(draft, arms), is_red(draft, arms)
    kept = arms.comes & (red | ~lit)
    arms, lit = arms.select(kept), lit[kept]
    count = lanes.count[arms.piece]
    which, lane = np.repeat(np.arange(len(arms)), count), running_index(count)
    sense = np.where(arms.end == 1, 1, -1)
    same = lanes.sense(arms.piece[which], lane) == sense[which]
    which, lane = which[same], lane[same]
    index = arms.index[which] * 16 + lane
    most = np.where(lit, 1 + arms.liveliness(draft) // 220, 0)[which]
    waiting = integers(draft.seed, STAGE, index, 0, most, 8) + (~lit[which] & chance(draft.seed, STAGE, index, 300, 7))
    waiting *= QUEUE_TRIES  # cameras stand in the way of some
    place = running_index(waiting)
    which, lane, index = (np.repeat(column, waiting) for column in (which, lane, index))
    piece, sense = arms.piece[which], sense[which]
    trim = np.where(sense > 0, draft.roads["trim1"][piece], draft.roads["trim0"][piece])
    line = np.where(sense > 0, lanes.length[piece] - trim, trim)
    there, far, good = lanes.further(piece, line - sense * (STOP_GAP + 2_450 + place * QUEUE_SPACING))
    good &= (lane < lanes.count[there]) & (lanes.sense(there, lane) == sense)
    there, lane, far, key = there[good], lane[good], far[good], (index * 32 + place)[good]
    x, y, way = lanes.at(there, lane, far)
    small = {name: often for name, often in MOVING_WEIGHTS.items() if name not in LONG_VEHICLES}
    _place_vehicles(draft, small, x, y, way, key * 4 + 1, draft.roads["street"][there].astype(np.int64), far < 0)


def place_moving(draft: Draft) -> None:
    """Vehicles on their way, each in the middle of its lane."""
    lanes = Lanes(draft)
    roads = draft.roads
    spacing = 9_000
    start = roads["along"].astype(np.int64)
    first = -(-start // spacing)
    slots = np.maximum((start + lanes.length - 1) // spacing - first + 1, 0) * (roads["lanes"] > 0)
    each = slots * lanes.count
    piece = np.repeat(np.arange(len(roads)), each)
    slot, lane = np.divmod(running_index(each), np.maximum(lanes.count[piece], 1))
    index = (roads["street"][piece].astype(np.int64) * 2**20 + first[piece] + slot) * 16 + lane
    lively = liveliness(draft, roads["x0"][piece].astype(np.int64), roads["y0"][piece].astype(np.int64))
    goes = chance(draft.seed, STAGE, index, 80 + lively * 150 // 1000, 9)
    piece, lane, slot, index = piece[goes], lane[goes], slot[goes], index[goes]
    shift = integers(draft.seed, STAGE, index, -1_000, 1_000, 10)
    far = (first[piece] + slot) * spacing - start[piece] + shift
    outer = np.abs(lanes.across(piece, lane)) > 2_900
    between = ~outer & (lanes.length[piece] < 14_000)  # there is room midway between two cameras
    far = np.where(between, lanes.length[piece] // 2 + shift // 8, far)
    x, y, way = lanes.at(piece, lane, far)
    street = roads["street"][piece].astype(np.int64)
    for kinds, ours in ((OUTER_LANE, outer), (MOVING_WEIGHTS, ~outer)):
        turned = (way[0][ours], way[1][ours])
        _place_vehicles(draft, kinds, x[ours], y[ours], turned, index[ours] * 4 + 2, street[ours], (~outer)[ours])


def place_cyclists(draft: Draft) -> None:
    """People on bicycles between the lanes and what is parked."""
    spots = kerb_points(draft, 31_000, 17_000, 1_000)
    spots = spots.select(chance(draft.seed, STAGE, spots.index, 40 + liveliness(draft, spots.x, spots.y) // 10, 11))
    spots = spots.select(spots.side * spots.road["flow"] >= 0)
    x, y = spots.at(-np.where(spots.parking, PARKING_WIDTH + 500, 700))
    _place_vehicles(draft, {"cyclist": 1}, x, y, spots.flow, spots.index, spots.street, spots.side == 0)
