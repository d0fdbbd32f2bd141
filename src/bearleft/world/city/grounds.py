"""Ground that people name: medians and bike lanes along avenues, courts, parks, and curb ramps at crosswalks.

Medians stand on the road. On two-way avenues they separate the directions (`median` of `plan.ROAD`); on one-way avenues
they separate a bike lane from the other lanes, in place of the parking lane on the left.
"""

from __future__ import annotations

import numpy as np

from bearleft.world.city.catalog import class_index
from bearleft.world.city.corners import Arms
from bearleft.world.city.greenery import OpenAreas, park_areas, place_border
from bearleft.world.city.models.grounds import BIKE_LANE_WIDTH, COURT_LENGTH, COURT_WIDTH, LENGTH, MEDIAN_WIDTH
from bearleft.world.city.palette import colour_index
from bearleft.world.city.placement import (
    BLOCKS_IN_PARK,
    BLOCKS_ON_ROAD,
    Flags,
    make_things,
    offset,
    raster_of,
    right_of,
    road_directions,
    select_pair,
    variant_index,
)
from bearleft.world.city.plan import Draft
from bearleft.world.city.randomness import Stage, chance, integers
from bearleft.world.city.raster import BUILDING, CROSSING, ROAD, THING, WALK
from bearleft.world.city.roads import CROSSWALK_DEPTH
from bearleft.world.city.traffic import Lanes

STAGE = Stage.GROUNDS
MODEL_LENGTH = int(LENGTH * 1000)  # millimetres
MEDIAN_HALF_WIDTH = int(MEDIAN_WIDTH * 500)  # millimetres
END_GAP = 700  # millimetres between a crosswalk or crossing and a median
JOINT = 50  # millimetres between a median and the end of its piece, so that neighbours do not overlap in bends
MIN_LENGTH = 3_000  # millimetres of a median
BIKE_LANE_OFFSET = 150 + int(BIKE_LANE_WIDTH * 500)  # millimetres from the kerb to the middle of a bike lane
PARK_INSET = 1_400  # millimetres: areas of parks reach below the sidewalks around them
COURT_MARGIN = 900  # millimetres between a court and its fence
PARK_WIDTHS = (12_000, 24_000)  # millimetres of half the width above which a park has the next variant
YARD_COURT_WIDTH = 12_400  # millimetres of a court on an open lot
BEHIND_HOOP = 1_900  # millimetres of court behind the middle of a hoop's base
MODEL_COURT = (int(COURT_WIDTH * 1000), int(COURT_LENGTH * 1000))  # millimetres


def place_medians(draft: Draft) -> None:
    """Place a median on every piece of the avenues that have one, and bike lanes behind those of one-way avenues."""
    roads = draft.roads
    along, length = road_directions(roads)
    zebra = roads["zebra"].astype(np.int64)
    begin = roads["trim0"] + (zebra & 1) * CROSSWALK_DEPTH + np.where(roads["trim0"] > 0, END_GAP, JOINT)
    end = length - roads["trim1"] - (zebra >> 1) * CROSSWALK_DEPTH - np.where(roads["trim1"] > 0, END_GAP, JOINT)
    is_protected = has_protected_lane(draft)
    lanes = Lanes(draft)
    across = np.where(roads["median"] > 0, lanes.median_across, lanes.left - MEDIAN_HALF_WIDTH - 50)
    pieces = np.flatnonzero(((roads["median"] > 0) | is_protected) & (end - begin >= MIN_LENGTH))
    half = (end - begin)[pieces] // 2
    direction = select_pair(along, pieces)
    start = (roads["x0"][pieces].astype(np.int64), roads["y0"][pieces].astype(np.int64))
    at = offset(start, (begin[pieces] + half, direction), (across[pieces], right_of(direction)))
    avoid = BLOCKS_ON_ROAD | CROSSING
    is_placed = raster_of(draft).place(at, direction, (MEDIAN_HALF_WIDTH, half), avoid, THING)
    pieces, half = pieces[is_placed], half[is_placed]
    at, direction = select_pair(at, is_placed), select_pair(direction, is_placed)
    street = roads["street"][pieces].astype(np.int64)
    variants = np.array(
        [variant_index("median", name) for name in ("planted_median", "grass_median", "concrete_median")]
    )
    variant = variants[integers(draft.seed, STAGE, street, 0, len(variants) - 1, salt=3)]
    protected = is_protected[pieces]
    with_trees = protected & chance(draft.seed, STAGE, street, 400, salt=4)
    variant = np.where(with_trees, variant_index("median", "median_with_trees"), variant)
    scale = 2 * half * 1000 // MODEL_LENGTH
    draft.add(make_things(draft, STAGE, "median", at, direction, street, variant=variant, sy=scale, street=street))
    lane_across = (-roads["half"].astype(np.int64) + BIKE_LANE_OFFSET - across)[pieces]
    lane_at = offset(at, (lane_across, right_of(direction)))
    sense = roads["flow"][pieces].astype(np.int64)
    facing = (sense * direction[0], sense * direction[1])
    draft.add(
        make_things(
            draft,
            STAGE,
            "bike lane",
            select_pair(lane_at, protected),
            select_pair(facing, protected),
            street[protected],
            sy=scale[protected],
            street=street[protected],
        )
    )


def has_protected_lane(draft: Draft) -> Flags:
    """Return which road pieces have a bike lane behind a median: on the left of one-way avenues with parking there."""
    roads = draft.roads
    is_avenue = (roads["lanes"] >= 3) & (roads["flow"] != 0) & ((roads["parking"] & 1) != 0)
    return np.asarray(is_avenue & chance(draft.seed, STAGE, roads["street"], 450, salt=5), np.bool_)


def place_park_courts(draft: Draft) -> None:
    """Place a fenced court in large parks, to the left of the path."""
    parks = park_areas(draft)
    half = (MODEL_COURT[0] // 2 + COURT_MARGIN, MODEL_COURT[1] // 2 + COURT_MARGIN)
    parks = parks.select(~parks.paved & (parks.half[0] > 2 * half[0] + 3_500) & (parks.half[1] > half[1] + 2_000))
    parks = parks.select(chance(draft.seed, STAGE, parks.index, 800, salt=6))
    x, y = parks.at(-parks.half[0] + half[0] + 1_200, parks.half[1] - half[1] - 1_500)
    free = (raster_of(draft).covers((x, y), parks.facing, half) & BLOCKS_IN_PARK) == 0
    parks, x, y = parks.select(free), x[free], y[free]
    each = np.ones(len(x), np.int64)
    courts = OpenAreas(x, y, parks.facing, (half[0] * each, half[1] * each), parks.paved, parks.index)
    wire = variant_index("fence", "fence_of_wire")
    hx, hy = courts.half
    opening, first = 1_500, len(draft.things)
    for middle, ahead, reach, turn in (
        ((hx + opening) // 2, hy, (hx - opening) // 2, 0),
        (-(hx + opening) // 2, hy, (hx - opening) // 2, 0),
        (0 * hx, -hy, hx, 2),
        (hx, 0 * hy, hy - 300, 1),
        (-hx, 0 * hy, hy - 300, 3),
    ):
        place_border(draft, courts, "fence", wire, courts.at(middle, ahead), reach, turn)
    draft.things["first"][first:] = colour_index("grey")
    raster_of(draft).mark((x, y), courts.facing, (MODEL_COURT[0] // 2, MODEL_COURT[1] // 2), THING)
    variant = np.where(
        chance(draft.seed, STAGE, courts.index, 450, salt=7),
        *(variant_index("court", name) for name in ("tennis_court", "basketball_court")),
    )
    draft.add(make_things(draft, STAGE, "court", (x, y), courts.facing, courts.index, variant=variant))
    for_basketball = courts.select(variant == variant_index("court", "basketball_court"))
    for end in (-1, 1):
        ux, uy = for_basketball.facing
        at = for_basketball.at(0, -end * (MODEL_COURT[1] // 2 - 1_700))
        facing = (end * ux, end * uy)
        draft.add(make_things(draft, STAGE, "basketball hoop", at, facing, for_basketball.index))


def lay_grounds(draft: Draft) -> None:
    """Lay what is flat and lies below other things: parks, courts on open lots, curb ramps."""
    _lay_parks(draft)
    _lay_yard_courts(draft)
    _lay_curb_ramps(draft)


def _lay_parks(draft: Draft) -> None:
    """Make every green park a thing, with its path."""
    parks = park_areas(draft)
    parks = parks.select(~parks.paved)
    hx, hy = (half + 1_400 - PARK_INSET for half in parks.half)
    variant = np.searchsorted(np.array(PARK_WIDTHS), hx)
    draft.add(
        make_things(
            draft,
            STAGE,
            "park",
            (parks.x, parks.y),
            parks.facing,
            parks.index,
            variant=variant,
            sx=2 * hx * 1000 // MODEL_LENGTH,
            sy=2 * hy * 1000 // MODEL_LENGTH,
        )
    )


def _lay_yard_courts(draft: Draft) -> None:
    """Lay a basketball court between the two hoops of an open lot."""
    hoops = draft.things[(draft.things["kind"] == class_index("basketball hoop")) & (draft.things["group"] >= 0)]
    groups, first, counts = np.unique(hoops["group"], return_index=True, return_counts=True)
    first = first[counts == 2]
    groups = groups[counts == 2]
    one = hoops[first]
    other = np.array([hoops[hoops["group"] == group][1] for group in groups], hoops.dtype)
    x, y = ((one[axis].astype(np.int64) + other[axis]) // 2 for axis in ("x", "y"))
    facing = (one["ux"].astype(np.int64), one["uy"].astype(np.int64))
    dx, dy = one["x"].astype(np.int64) - other["x"], one["y"].astype(np.int64) - other["y"]
    length = np.rint(np.sqrt((dx * dx + dy * dy).astype(float))).astype(np.int64) + 2 * BEHIND_HOOP
    draft.add(
        make_things(
            draft,
            STAGE,
            "court",
            (x, y),
            facing,
            groups,
            variant=variant_index("court", "basketball_court"),
            sx=YARD_COURT_WIDTH * 1000 // MODEL_COURT[0],
            sy=length * 1000 // MODEL_COURT[1],
        )
    )


def _lay_curb_ramps(draft: Draft) -> None:
    """Lay a ramp at both ends of most crosswalks, where nothing stands; ramps of a crossing have one colour."""
    arms = Arms.of(draft)
    arms = arms.select(arms.has_crosswalk)
    for side in (-1, 1):
        subset = arms.select(chance(draft.seed, STAGE, arms.index * 2 + (side > 0), 850, salt=8))
        at = subset.beside(side, CROSSWALK_DEPTH // 2, 750)
        ux, uy = subset.across
        facing = (-side * ux, -side * uy)
        bits = raster_of(draft).covers(at, facing, (700, 550))
        is_free = ((bits & (THING | BUILDING | ROAD)) == 0) & ((bits & WALK) != 0)
        subset = subset.select(is_free)
        draft.add(
            make_things(
                draft,
                STAGE,
                "curb ramp",
                select_pair(at, is_free),
                select_pair(facing, is_free),
                subset.crossing,
                street=subset.street,
            )
        )
