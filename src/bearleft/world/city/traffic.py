"""Vehicles: queues at crossings, buses at stops, parked cars, moving traffic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bearleft.world.city.catalog import class_index
from bearleft.world.city.corners import Arms, has_lights, is_red
from bearleft.world.city.names import MENUS, choose_texts
from bearleft.world.city.placement import (
    BLOCKS_ON_ROAD,
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
    select_pair,
    select_rows,
)
from bearleft.world.city.plan import Draft
from bearleft.world.city.randomness import Integers, Stage, chance, integers, weighted_choice
from bearleft.world.city.raster import CROSSING, ROAD
from bearleft.world.city.roads import MEDIAN_STRIP_WIDTH, PARKING_WIDTH

STAGE = Stage.TRAFFIC
BLOCKS_ON_LANE = BLOCKS_ON_ROAD | CROSSING
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
OUTER_LANE_WEIGHTS = {
    **MOVING_WEIGHTS,
    "bus": 120,
    "school bus": 25,
    "truck": 170,
    "garbage truck": 25,
}  # weights in lanes away from the middle
LONG_VEHICLES = ("bus", "school bus", "truck", "garbage truck")
GUTTER_WIDTH = 300  # millimetres between the kerb and the nearest lane where there is no parking lane
STOP_GAP = 1_500  # millimetres between a crossing and the first bumper
QUEUE_SPACING, QUEUE_TRIES = 2_500, 3  # millimetres between two tries along a queue, and tries per vehicle


def place_traffic(draft: Draft) -> None:
    """Place all vehicles: waiting ones first, then parked, then moving ones."""
    place_buses_at_stops(draft)
    place_queues(draft)
    place_food_trucks(draft)
    place_parked(draft)
    place_moving(draft)
    place_cyclists(draft)


@dataclass(frozen=True, eq=False)
class VehiclePositions:
    """Positions for vehicles on the road, in columns."""

    at: Vectors  # centres of the vehicles, or points that their sides touch: see `_place_vehicles`
    facing: Vectors
    index: Integers  # unique, for random numbers
    street: Integers
    is_narrow: Flags  # whether the street is too narrow for long vehicles


def _place_vehicles(
    draft: Draft,
    weights: dict[str, int],
    positions: VehiclePositions,
    inwards: Vectors | None = None,
    text: Integers | None = None,
) -> None:
    """Place vehicles of random classes on the road, longest first; long ones avoid narrow streets.

    The points are the vehicles' centres, or, with the direction `inwards`, the points where their sides face the kerb.
    """
    kind = weighted_choice(draft.seed, STAGE, positions.index, list(weights.values()), salt=1)
    for class_number, name in enumerate(weights):
        mask = kind == class_number
        if name in LONG_VEHICLES:
            mask &= ~positions.is_narrow
        subset = select_rows(positions, mask)
        at = subset.at
        if inwards is not None:
            at = offset(at, (max_half_size(name)[0], select_pair(inwards, mask)))
        things = make_things(draft, STAGE, name, at, subset.facing, subset.index, street=subset.street)
        if text is not None:
            things["text"] = text[mask]
        rectangles = footprints(name, things)
        fits = on_carriageway(draft, *rectangles)
        is_placed = np.zeros(len(things), np.bool_)
        at, facing, half = (select_pair(pair, fits) for pair in rectangles)
        is_placed[fits] = reserve(draft, at, facing, half, BLOCKS_ON_LANE)
        draft.add(things[is_placed])


def on_carriageway(draft: Draft, at: Vectors, facing: Vectors, half: Vectors) -> Flags:
    """Return whether all corners of rectangles lie on roads."""
    fits = np.ones(len(at[0]), np.bool_)
    for across in (-1, 1):
        for ahead in (-1, 1):
            corner = offset(at, (across * half[0], right_of(facing)), (ahead * half[1], facing))
            fits &= (raster_of(draft).at(*corner) & ROAD) != 0
    return fits


def place_buses_at_stops(draft: Draft) -> None:
    """Place a bus beside two of five bus stops."""
    stops = np.flatnonzero(draft.things["kind"] == class_index("bus stop"))
    stops = stops[chance(draft.seed, STAGE, stops, 400, salt=2)]
    stop = draft.things[stops]
    facing = (stop["ux"].astype(np.int64), stop["uy"].astype(np.int64))
    distance = 1_250 + 350 + max_half_size("bus")[0]
    at = offset((stop["x"].astype(np.int64), stop["y"].astype(np.int64)), (distance, facing))
    street = stop["street"].astype(np.int64)
    positions = VehiclePositions(at, right_of(facing), stops, street, np.zeros(len(stops), np.bool_))
    _place_vehicles(draft, {"bus": 1}, positions)


def place_food_trucks(draft: Draft) -> None:
    """Place food trucks at lively kerbs, with their windows towards the sidewalk."""
    points = kerb_points(draft, 67_000, phase=23_000, edge=9_000)
    points = points.select(points.has_parking & (points.side * points.road["flow"] >= 0))
    points = points.select(
        chance(draft.seed, STAGE, points.index, liveliness(draft, points.x, points.y) * 110 // 1000, salt=12)
    )
    right_hand = (points.flow[0] * points.out[1] - points.flow[1] * points.out[0]) < 0
    points = points.select(np.asarray(right_hand, np.bool_))
    at = points.at(-max_half_size("food truck")[0] - 150)
    positions = VehiclePositions(at, points.flow, points.index, points.street, points.side == 0)
    _place_vehicles(draft, {"food truck": 1}, positions, text=choose_texts(draft, MENUS, points.index, 61))


def place_parked(draft: Draft) -> None:
    """Place parked vehicles along the kerbs with gaps; some streets are fuller than others."""
    points = kerb_points(draft, 6_300, phase=1_000, edge=2_800)
    points = points.select(points.has_parking)
    per_mille = integers(draft.seed, STAGE, points.street, 480, 860, salt=3)
    points = points.select(chance(draft.seed, STAGE, points.index, per_mille, salt=4))
    gap = integers(draft.seed, STAGE, points.index, 120, 280, salt=5)
    shift = integers(draft.seed, STAGE, points.index, -250, 250, salt=6)
    is_narrow = np.asarray(points.road["half"] < 3_500, np.bool_)
    positions = VehiclePositions(points.at(-gap, shift), points.flow, points.index * 2, points.street, is_narrow)
    _place_vehicles(draft, PARKED_WEIGHTS, positions, points.inwards)


class Lanes:
    """Lanes of moving traffic of every road piece."""

    def __init__(self, draft: Draft) -> None:
        self.roads = roads = draft.roads
        self.along, self.length = road_directions(roads)
        left = -roads["half"].astype(np.int64) + np.where(roads["parking"] & 1, PARKING_WIDTH, GUTTER_WIDTH)
        self.left, edge = (
            left,
            roads["half"].astype(np.int64) - np.where(roads["parking"] & 2, PARKING_WIDTH, GUTTER_WIDTH),
        )
        self.count = np.maximum(roads["lanes"].astype(np.int64), 1)
        self.median = roads["median"].astype(np.int64)
        self.width = (edge - left - np.where(self.median > 0, MEDIAN_STRIP_WIDTH, 0)) // self.count

    def across(self, piece: Integers, lane: Integers) -> Integers:
        """Return how far to the right of the middle a lane lies."""
        median = self.median[piece]
        shift = np.where((median > 0) & (lane >= median), MEDIAN_STRIP_WIDTH, 0)
        return np.asarray(self.left[piece] + (2 * lane + 1) * self.width[piece] // 2 + shift, np.int64)

    @property
    def median_across(self) -> Integers:
        """How far to the right of the middle of each piece its median lies, if it has one."""
        return np.asarray(self.left + self.median * self.width + MEDIAN_STRIP_WIDTH // 2, np.int64)

    def sense(self, piece: Integers, lane: Integers) -> Integers:
        """Return 1 for lanes from end 0 to end 1, -1 for the opposite direction."""
        flow = self.roads["flow"][piece].astype(np.int64)
        median = self.median[piece]
        is_right = np.where(median > 0, lane >= median, 2 * lane + 1 > self.count[piece])
        return np.where(flow != 0, flow, np.where(is_right, 1, -1))

    def locate(self, piece: Integers, distance: Integers) -> tuple[Integers, Integers, Flags]:
        """Return the piece at a distance along a street from a piece's start, the position on it, and if it exists."""
        start, street = self.roads["along"].astype(np.int64), self.roads["street"].astype(np.int64)
        key = street * 2**32 + start
        order = np.argsort(key, kind="stable")
        position = start[piece] + distance
        pieces = order[np.maximum(np.searchsorted(key[order], street[piece] * 2**32 + position, side="right") - 1, 0)]
        along = position - start[pieces]
        return pieces, along, (street[pieces] == street[piece]) & (along >= 0) & (along <= self.length[pieces])

    def at(self, piece: Integers, lane: Integers, distance: Integers) -> tuple[Vectors, Vectors]:
        """Return a point in a lane and the direction of traffic there."""
        along = select_pair(self.along, piece)
        start = (self.roads["x0"][piece].astype(np.int64), self.roads["y0"][piece].astype(np.int64))
        sense = self.sense(piece, lane)
        return (
            offset(start, (distance, along), (self.across(piece, lane), right_of(along))),
            (sense * along[0], sense * along[1]),
        )


def place_queues(draft: Draft) -> None:
    """Place vehicles waiting at red lights, one behind another in every lane, and single ones at stop signs."""
    lanes, arms = Lanes(draft), Arms.of(draft)
    has_light, is_red_light = has_lights(draft, arms), is_red(draft, arms)
    has_queue = arms.has_incoming & (is_red_light | ~has_light)
    arms, has_light = arms.select(has_queue), has_light[has_queue]
    count = lanes.count[arms.piece]
    arm, lane = np.repeat(np.arange(len(arms)), count), running_index(count)
    sense = np.where(arms.end == 1, 1, -1)
    same = lanes.sense(arms.piece[arm], lane) == sense[arm]
    arm, lane = arm[same], lane[same]
    index = arms.index[arm] * 16 + lane
    max_length = np.where(has_light, 1 + arms.liveliness(draft) // 220, 0)[arm]
    waiting = integers(draft.seed, STAGE, index, 0, max_length, salt=8) + (
        ~has_light[arm] & chance(draft.seed, STAGE, index, 300, salt=7)
    )
    waiting *= QUEUE_TRIES  # some tries fail because a camera is in the way
    place = running_index(waiting)
    arm, lane, index = (np.repeat(column, waiting) for column in (arm, lane, index))
    piece, sense = arms.piece[arm], sense[arm]
    trim = np.where(sense > 0, draft.roads["trim1"][piece], draft.roads["trim0"][piece])
    line = np.where(sense > 0, lanes.length[piece] - trim, trim)
    pieces, distance, is_valid = lanes.locate(piece, line - sense * (STOP_GAP + 2_450 + place * QUEUE_SPACING))
    is_valid &= (lane < lanes.count[pieces]) & (lanes.sense(pieces, lane) == sense)
    pieces, lane, distance, key = pieces[is_valid], lane[is_valid], distance[is_valid], (index * 32 + place)[is_valid]
    street = draft.roads["street"][pieces].astype(np.int64)
    positions = VehiclePositions(*lanes.at(pieces, lane, distance), key * 4 + 1, street, distance < 0)
    weights = {name: weight for name, weight in MOVING_WEIGHTS.items() if name not in LONG_VEHICLES}
    _place_vehicles(draft, weights, positions)


def place_moving(draft: Draft) -> None:
    """Place moving vehicles, each in the middle of its lane."""
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
    activity = liveliness(draft, roads["x0"][piece].astype(np.int64), roads["y0"][piece].astype(np.int64))
    is_used = chance(draft.seed, STAGE, index, 80 + activity * 150 // 1000, salt=9)
    piece, lane, slot, index = piece[is_used], lane[is_used], slot[is_used], index[is_used]
    shift = integers(draft.seed, STAGE, index, -1_000, 1_000, salt=10)
    distance = (first[piece] + slot) * spacing - start[piece] + shift
    outer = np.abs(lanes.across(piece, lane)) > 2_900
    is_short = ~outer & (lanes.length[piece] < 14_000)  # midway between two cameras there is space
    distance = np.where(is_short, lanes.length[piece] // 2 + shift // 8, distance)
    street = roads["street"][piece].astype(np.int64)
    positions = VehiclePositions(*lanes.at(piece, lane, distance), index * 4 + 2, street, ~outer)
    for weights, mask in ((OUTER_LANE_WEIGHTS, outer), (MOVING_WEIGHTS, ~outer)):
        _place_vehicles(draft, weights, select_rows(positions, mask))


def place_cyclists(draft: Draft) -> None:
    """Place cyclists between the lanes and parked cars."""
    points = kerb_points(draft, 31_000, phase=17_000, edge=1_000)
    points = points.select(
        chance(draft.seed, STAGE, points.index, 40 + liveliness(draft, points.x, points.y) // 10, salt=11)
    )
    points = points.select(points.side * points.road["flow"] >= 0)
    at = points.at(-np.where(points.has_parking, PARKING_WIDTH + 500, 700))
    positions = VehiclePositions(at, points.flow, points.index, points.street, points.side == 0)
    _place_vehicles(draft, {"cyclist": 1}, positions)
