"""Streets of the sections: the navigation graph, roads and sidewalks, and the raster that marks them."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from bearleft.geometry import vector_angles
from bearleft.world.arramon.sections.layout import AHEAD, STREETS_PER_AXIS, Layout, Node, Segment, section_layouts
from bearleft.world.city import raster
from bearleft.world.city.plan import AREA, DIRECTION_SCALE, ROAD, Draft, Rows
from bearleft.world.city.raster import Raster
from bearleft.world.city.roads import road_geometry
from bearleft.world.graphs.graph import Graph
from bearleft.world.render.codes import Ground

MAX_PLACE_SPACING = 13_000  # millimetres; longer segments have places between their ends
CROSSWALK_SETBACK, CROSSWALK_DEPTH = 500, 3200  # millimetres between kerb and crosswalk; depth of the crosswalk
RASTER_MARGIN = 60_000  # of the raster, beyond the outermost place
CAMERA_CLEARANCE = 900  # no object stands closer to a place


def sections_graph(seed: int) -> Graph:
    """Return the graph of sections/SEED: a place at every crossing and about every ten metres between."""
    return _network(seed)[0]


@lru_cache(maxsize=16)
def _network(seed: int) -> tuple[Graph, dict[tuple[int, int], tuple[int, Segment, int, int]]]:
    """Return the graph and, for every pair of neighbours, the section, the segment and both positions along it."""
    ids: list[str] = []
    positions: list[tuple[int, int, int]] = []
    pairs: dict[tuple[int, int], tuple[int, Segment, int, int]] = {}
    for layout in section_layouts(seed):
        node_places: dict[Node, int] = {}

        def place(ahead: int, right: int, layout: Layout = layout) -> int:
            ids.append(f"s{layout.number}{len(ids):05d}")
            positions.append((*layout.to_world(ahead, right), 0))
            return len(ids) - 1

        for segment in layout.segments():
            for node in segment:
                if node not in node_places:
                    node_places[node] = place(*layout.node_position(node))
            begin, end = layout.node_position(segment[0]), layout.node_position(segment[1])
            length = end[0] - begin[0] + end[1] - begin[1]
            steps = -(-length // MAX_PLACE_SPACING)
            cuts = [length * k // steps for k in range(steps + 1)]
            between = [
                place(begin[0] + (end[0] - begin[0]) * cut // length, begin[1] + (end[1] - begin[1]) * cut // length)
                for cut in cuts[1:-1]
            ]
            chain = [node_places[segment[0]], *between, node_places[segment[1]]]
            for k in range(steps):
                pairs[chain[k], chain[k + 1]] = (layout.number, segment, cuts[k], cuts[k + 1])
    places = np.array(positions) / 1000.0
    source, target = np.array([*pairs, *((b, a) for a, b in pairs)]).T
    heading, _ = vector_angles(places[target] - places[source])
    heading = np.round(heading * 100.0) / 100.0
    first = np.full(len(ids), -1)
    first[source[::-1]] = np.arange(len(source))[::-1]
    graph = Graph.make(f"sections/{seed}", ids, places, source, target, heading, heading[first])
    return graph, pairs


def lay_streets(draft: Draft) -> None:
    """Add a road for every pair of neighbours and paved corners, and create the raster."""
    graph, pairs = _network(draft.seed)
    x, y = np.rint(graph.positions[:, :2].T * 1000).astype(np.int64)
    draft.raster = Raster.covering(x, y, RASTER_MARGIN)
    layouts = section_layouts(draft.seed)
    offsets, second = graph.neighbours
    first = np.repeat(np.arange(len(graph)), np.diff(offsets))
    is_first_of_pair = first < second
    rows = np.zeros(int(is_first_of_pair.sum()), ROAD)
    for row, a, b in zip(rows, first[is_first_of_pair].tolist(), second[is_first_of_pair].tolist(), strict=True):
        begin, end = (a, b) if (a, b) in pairs else (b, a)
        number, segment, start, stop = pairs[begin, end]
        row["x0"], row["y0"], row["x1"], row["y1"] = x[begin], y[begin], x[end], y[end]
        _describe(row, layouts[number - 1], segment, start, stop)
    draft.roads = rows
    draft.areas = np.concatenate([draft.areas, _junction_paving(layouts)])
    _mark(draft.raster, rows)
    draft.raster.mark_disc(x, y, CAMERA_CLEARANCE, raster.CAMERA)


def _describe(row: np.void, layout: Layout, segment: Segment, start: int, stop: int) -> None:
    """Set widths, markings and crossings of the part of a segment from `start` to `stop`."""
    begin, end = layout.node_position(segment[0]), layout.node_position(segment[1])
    length = end[0] - begin[0] + end[1] - begin[1]
    runs_ahead = segment[0][1] == segment[1][1]
    line = segment[0][1] if runs_ahead else STREETS_PER_AXIS + segment[0][0]
    row["half"], row["walk"] = layout.half_road_width, layout.sidewalk_width
    row["street"] = (layout.number - 1) * 2 * STREETS_PER_AXIS + line
    row["along"] = start + (begin[0] - layout.ahead[0] if runs_ahead else begin[1] - layout.right[0])
    two_way = (layout.number + line) % 3 == 0
    row["lanes"], row["flow"] = (2, 0) if two_way else (1, 1 if line % 2 else -1)
    for node, bit, trim, ends_here in ((segment[0], 1, "trim0", start == 0), (segment[1], 2, "trim1", stop == length)):
        arms = layout.arms(node)
        straight = len(arms) == 2 and arms[1] - arms[0] == 2
        if ends_here and len(arms) > 1 and not straight:
            row[trim] = layout.half_road_width + (CROSSWALK_SETBACK if len(arms) > 2 else 0)
            row["zebra"] |= bit if len(arms) > 2 else 0


def _junction_paving(layouts: tuple[Layout, ...]) -> Rows:
    """Return paving below every crossing, bend and street end, for corners that the round sidewalks leave open."""
    areas = [
        (
            *layout.to_world(*layout.node_position(node)),
            *AHEAD,
            layout.half_street_width,
            layout.half_street_width,
            Ground.PLAZA,
        )
        for layout in layouts
        for node in layout.nodes()
    ]
    return np.array(areas, AREA)


def _mark(ground: Raster, roads: Rows) -> None:
    x, y, ux, uy, length = road_geometry(roads)
    middle = x + ux * (length // 2) // DIRECTION_SCALE, y + uy * (length // 2) // DIRECTION_SCALE
    for half_width, bit in ((roads["half"] + roads["walk"], raster.WALK), (roads["half"], raster.ROAD)):
        ground.mark(middle, (ux, uy), (half_width, (length + 1) // 2), bit)
        ground.mark_disc(roads["x0"], roads["y0"], half_width, bit)
        ground.mark_disc(roads["x1"], roads["y1"], half_width, bit)
