"""Facts about streets that directions mention: lanes, medians, bike lanes, parked cars, crosswalks, curves, forks.

Facts about a street are columns with one value per link of the city's graph, as a walker sees them who goes along that
link: side -1 is left, 1 right, 0 neither. `StreetFacts.make` computes them from the plan, so they are true in pictures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bearleft.geometry import turn
from bearleft.world.city.catalog import class_index
from bearleft.world.city.palette import COLOUR_NAMES
from bearleft.world.city.placement import model_extents
from bearleft.world.city.plan import Plan
from bearleft.world.city.randomness import Integers
from bearleft.world.city.roads import PARKING_WIDTH, road_geometry
from bearleft.world.city.traffic_flow import road_pieces
from bearleft.world.graphs.graph import Graph

Flags = npt.NDArray[np.bool_]
FORK_ANGLE = 35.0  # degrees from straight ahead within which two links form a fork
CURVE_ANGLE = 25.0  # degrees that a street turns in a curve
CURVE_LENGTH = 60.0  # metres of street within which it does
PARKED_CLASSES = ("car", "taxi", "police car", "van", "truck", "garbage truck", "pickup", "ambulance", "school bus")
MAX_METRES_TO_BRIDGE = 8.0  # metres between a bridge's middle and the nearest place on a route below it


@dataclass(frozen=True, eq=False)
class StreetFacts:
    """Facts about the street along every link of a city's graph. Create it with `StreetFacts.make`."""

    piece: Integers  # index of the road piece, -1 between places at one spot
    lanes: Integers  # lanes of moving traffic, both directions together
    flow: Integers  # 1: one-way along the link, -1: one-way against it, 0: both ways
    median: Integers  # side of a median on the road
    bike_lane: Integers  # side of a bike lane
    bike_lane_colour: tuple[str, ...]  # its colour, "" for no bike lane
    parking: Flags  # links x 2: whether there is a parking lane on the left, on the right
    parked: Integers  # links x 2: vehicles that are parked on the left, on the right
    crosswalk_ahead: Flags  # whether a crosswalk is painted before the target
    crosswalk_behind: Flags  # whether a crosswalk is painted after the source

    @classmethod
    def make(cls, plan: Plan) -> StreetFacts:
        """Return the facts about the streets of a plan."""
        roads, (piece, sense) = plan.roads, road_pieces(plan)
        road = roads[np.maximum(piece, 0)]
        exists = piece >= 0
        forward = sense > 0
        zebra = np.where(exists, road["zebra"], 0).astype(np.int64)
        parking_bits = np.where(exists, road["parking"], 0).astype(np.int64)
        left, right = (parking_bits & 1) != 0, (parking_bits & 2) != 0
        parked = _parked(plan)[np.maximum(piece, 0)] * exists[:, None]
        bike_sides, bike_colours = _sides(plan, "bike lane")
        colour = np.where(exists, bike_colours[np.maximum(piece, 0)], -1)
        ends = (zebra & 1) != 0, (zebra & 2) != 0
        return cls(
            piece=piece,
            lanes=np.where(exists, road["lanes"], 0).astype(np.int64),
            flow=np.where(exists, road["flow"] * sense, 0).astype(np.int64),
            median=_sides(plan, "median")[0][np.maximum(piece, 0)] * sense * exists,
            bike_lane=bike_sides[np.maximum(piece, 0)] * sense * exists,
            bike_lane_colour=tuple(COLOUR_NAMES[k] if k >= 0 else "" for k in colour.tolist()),
            parking=np.where(forward[:, None], np.stack([left, right], 1), np.stack([right, left], 1)),
            parked=np.where(forward[:, None], parked, parked[:, ::-1]),
            crosswalk_ahead=np.where(forward, ends[1], ends[0]),
            crosswalk_behind=np.where(forward, ends[0], ends[1]),
        )


def _positions_on_pieces(plan: Plan, names: Sequence[str]) -> tuple[Integers, Integers, Integers]:
    """Return the things of some classes on streets, the piece that each is beside, and how far right of its middle."""
    things = plan.things
    kinds = [class_index(name) for name in names]
    index = np.flatnonzero(np.isin(things["kind"], kinds) & (things["street"] >= 0))
    x, y, ux, uy, length = road_geometry(plan.roads)
    order = np.argsort(plan.roads["street"], kind="stable")
    streets = plan.roads["street"][order]
    piece, aside = np.full(len(index), -1, np.int64), np.zeros(len(index), np.int64)
    for k, thing in enumerate(things[index]):
        begin, end = np.searchsorted(streets, [thing["street"], thing["street"] + 1])
        pieces = order[begin:end]
        dx, dy = int(thing["x"]) - x[pieces], int(thing["y"]) - y[pieces]
        along = (dx * ux[pieces] + dy * uy[pieces]) // 1_000_000
        right = (dx * uy[pieces] - dy * ux[pieces]) // 1_000_000
        beyond = np.maximum(np.maximum(-along, along - length[pieces]), 0)
        best = int(np.argmin(beyond * 4 + np.abs(right)))
        piece[k], aside[k] = pieces[best], right[best]
    return index, piece, aside


def _sides(plan: Plan, name: str) -> tuple[Integers, Integers]:
    """Return for each piece the side of its things of a class, 0 for none, and the colour of one, -1 for none."""
    index, piece, aside = _positions_on_pieces(plan, (name,))
    sides, colours = np.zeros(len(plan.roads), np.int64), np.full(len(plan.roads), -1, np.int64)
    sides[piece] = np.sign(aside)
    colours[piece] = plan.things["first"][index]
    return sides, colours


def parked_things(plan: Plan) -> tuple[Integers, Integers, Integers]:
    """Return the vehicles that are parked: indices into the things, pieces, and sides (0: left, 1: right)."""
    index, piece, aside = _positions_on_pieces(plan, PARKED_CLASSES)
    roads = plan.roads[piece]
    is_parked = np.abs(aside) > roads["half"] - PARKING_WIDTH
    is_parked &= (roads["parking"] & np.where(aside > 0, 2, 1)) != 0
    return index[is_parked], piece[is_parked], (aside[is_parked] > 0).astype(np.int64)


def _parked(plan: Plan) -> Integers:
    """Return how many vehicles are parked on the left and the right of each piece."""
    _, piece, side = parked_things(plan)
    counts = np.zeros((len(plan.roads), 2), np.int64)
    np.add.at(counts, (piece, side), 1)
    return counts


class Curve(NamedTuple):
    """A curve of a route: indices of its first and last place, and the side to which it turns."""

    begin: int
    end: int
    side: int


def curves(graph: Graph, places: Sequence[int]) -> list[Curve]:
    """Return the curves of a route that lie between crossings: CURVE_ANGLE to one side within CURVE_LENGTH."""
    at = graph.positions[list(places), :2]
    steps = np.diff(at, axis=0)
    length = np.hypot(steps[:, 0], steps[:, 1])
    heading = np.degrees(np.arctan2(steps[:, 0], steps[:, 1]))
    lengths, turns = length.tolist(), turn(heading[:-1], heading[1:]).tolist()
    found: list[Curve] = []
    begin = 0
    while begin < len(steps) - 1:
        end, angle, metres = begin, 0.0, lengths[begin]
        while end + 1 < len(steps) and graph.degree[places[end + 1]] <= 2 and metres < CURVE_LENGTH:
            angle += turns[end]
            metres += lengths[end + 1]
            end += 1
            if abs(angle) >= CURVE_ANGLE:
                found.append(Curve(begin, end + 1, 1 if angle > 0 else -1))
                break
        begin = end if found and found[-1].end == end + 1 else begin + 1
    return found


def fork(graph: Graph, link: int) -> tuple[int, int] | None:
    """Return the left and the right link of the fork at the end of a link, None if there is none.

    A fork has exactly two links within FORK_ANGLE of straight ahead, one on either side of the other.
    """
    links = graph.links(int(graph.target[link]))
    angle = turn(float(graph.heading[link]), graph.heading[links])
    ahead = np.flatnonzero(np.abs(angle) <= FORK_ANGLE)
    if len(ahead) != 2:
        return None
    left, right = ahead[np.argsort(angle[ahead], kind="stable")].tolist()
    return int(links[left]), int(links[right])


def is_dead_end(graph: Graph, link: int) -> bool:
    """Return whether a street ends, without a crossing before, for a walker who goes along a link."""
    seen = {int(graph.source[link])}
    place = int(graph.target[link])
    while place not in seen:
        seen.add(place)
        if graph.degree[place] == 1:
            return True
        if graph.degree[place] > 2:
            return False
        place = next((p for p in graph.target[graph.links(place)].tolist() if p not in seen), place)
    return False


def bridges_above(plan: Plan, places: Sequence[int]) -> list[tuple[int, int]]:
    """Return the bridges that a route passes below, in order: index of the nearest place on the route, and instance."""
    things = plan.things
    bridges = np.flatnonzero(things["kind"] == class_index("bridge"))
    at = plan.graph.positions[list(places), :2]
    extents = model_extents("bridge", 99.0)
    found = []
    for thing in bridges.tolist():
        east, north = things["x"][thing] / 1000.0 - at[:, 0], things["y"][thing] / 1000.0 - at[:, 1]
        distance = np.hypot(east, north)
        nearest = int(distance.argmin())
        if distance[nearest] > MAX_METRES_TO_BRIDGE:
            continue
        # The route passes below it if it has places on both sides of its middle line.
        ux, uy = things["ux"][thing] / 1e6, things["uy"][thing] / 1e6
        ahead, aside = -(east * ux + north * uy), -(east * uy - north * ux)
        half = extents.half[0][things["variant"][thing]] * things["sx"][thing] / 1e6
        near = (distance < 25.0) & (np.abs(aside) < half)
        if (ahead[near] > 0).any() and (ahead[near] < 0).any():
            found.append((nearest, thing + 1))
    return sorted(found)
