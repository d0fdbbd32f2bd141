"""Links that traffic may take, and headings of the cars that take pictures."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.geometry import turn
from bearleft.world.city.plan import Draft, Plan, positions_in_millimetres
from bearleft.world.city.randomness import Integers
from bearleft.world.city.roads import lay_roads, road_geometry
from bearleft.world.graphs.graph import Graph

ROUNDING_TOLERANCE = 10  # millimetres
PREFERRED_HEADING = 74.0  # degrees; on two-way streets the direction within 90 degrees of it is used


def drivable_links(plan: Plan, graph: Graph | None = None) -> npt.NDArray[np.bool_]:
    """Return for each link whether traffic may take it.

    A piece has a direction where it has markings. Within a crossing, and between places at one spot, any direction is
    allowed.

    Args:
        plan: Plan of the city.
        graph: Another graph on the same places, if not the plan's own.

    Raises:
        InputError: The graph has another number of places.
    """
    graph = graph or plan.graph
    if len(graph) != len(plan.graph):
        raise InputError(f"a graph with the plan's {len(plan.graph)} places", f"{len(graph)} places")
    _, _, _, _, length = road_geometry(plan.roads)
    marked = plan.roads["trim0"] + plan.roads["trim1"] + ROUNDING_TOLERANCE < length
    return _follows_flow(plan, graph, marked)


def road_pieces(plan: Plan) -> tuple[Integers, Integers]:
    """Return the road piece of each link of the plan's graph, -1 between places at one spot, and its direction.

    The direction is 1 for links from end 0 to end 1 of the piece, -1 for the opposite ones.
    """
    a, b, sense = _pairs(plan)
    graph, count = plan.graph, len(plan.graph)
    keys = np.concatenate([a * count + b, b * count + a])
    order = np.argsort(keys, kind="stable")
    link_keys = graph.source.astype(np.int64) * count + graph.target
    row = order[np.minimum(np.searchsorted(keys[order], link_keys), len(keys) - 1)]
    exists = keys[row] == link_keys
    piece = np.where(exists, row % max(len(a), 1), -1)
    return piece, np.where(exists, np.where(row < len(a), 1, -1) * sense[np.maximum(piece, 0)], 0)


def _pairs(plan: Plan) -> tuple[Integers, Integers, Integers]:
    """Return the two places of every road piece, and whether the piece runs from the first to the second (1 or -1)."""
    offsets, neighbour = plan.graph.neighbours
    source = np.repeat(np.arange(len(plan.graph)), np.diff(offsets))
    forward = source < neighbour
    a, b = source[forward], neighbour[forward].astype(np.int64)
    x, y = positions_in_millimetres(plan.graph)
    is_distinct = (x[a] != x[b]) | (y[a] != y[b])
    a, b = a[is_distinct], b[is_distinct]
    if len(a) != len(plan.roads):
        raise InputError(f"a plan with one road piece per pair of neighbours ({len(a)})", f"{len(plan.roads)} pieces")
    _, _, ux, uy, _ = road_geometry(plan.roads)
    return a, b, np.sign(ux * (x[b] - x[a]) + uy * (y[b] - y[a])).astype(np.int64)


def _follows_flow(plan: Plan, graph: Graph, has_direction: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return for each link whether it does not run against the direction of one of these road pieces."""
    a, b, sense = _pairs(plan)
    flow = np.where(has_direction, sense * plan.roads["flow"], 0)
    count = len(graph)
    against = np.concatenate([(b * count + a)[flow > 0], (a * count + b)[flow < 0]])
    return ~np.isin(graph.source.astype(np.int64) * count + graph.target, against)


def driving_headings(graph: Graph, seed: int) -> npt.NDArray[np.float64]:
    """Return the heading in which a car would take the picture at each place, following the traffic of the city.

    On two-way streets the heading is the same all along the street.
    """
    draft = Draft(seed, graph)
    lay_roads(draft)
    plan = draft.plan()
    is_against = ~_follows_flow(plan, graph, np.ones(len(plan.roads), bool))
    is_behind = np.abs(turn(PREFERRED_HEADING, graph.heading)) > 90.0
    order = np.lexsort((graph.heading, is_behind, is_against, graph.source))
    first = np.searchsorted(graph.source[order], np.arange(len(graph)))
    headings = np.asarray(graph.heading[order[first]], float)
    headings.flags.writeable = False
    return headings
