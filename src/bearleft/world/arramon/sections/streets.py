"""Streets of the sections: the graph of their places, carriageways and sidewalks, and the raster with both marked."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from bearleft.geometry import vector_angles
from bearleft.world.arramon.sections.layout import AHEAD, STREETS_PER_AXIS, Layout, Node, Segment, section_layouts
from bearleft.world.city import raster
from bearleft.world.city.plan import AREA, ROAD, UNIT, Draft, Rows
from bearleft.world.city.raster import Raster
from bearleft.world.city.roads import road_geometry
from bearleft.world.graphs.graph import Graph
from bearleft.world.render.codes import Ground

MAX_PLACE_SPACING = 13_000  # a piece of street that is longer has places between its ends
CROSSWALK_SETBACK, CROSSWALK_DEPTH = (
    500,
    3200,
)  # between the kerb that one crosses towards and the crosswalk; how deep that is
RASTER_MARGIN = 60_000  # of the raster, beyond the outermost place
CAMERA_CLEARANCE = 900  # nothing stands closer to a place


def sections_graph(seed: int) -> Graph:
    """A place at every crossing and about every ten metres between; its name is sections/SEED."""
    return _network(seed)[0]


@lru_cache(maxsize=16)
def _network(seed: int) -> tuple[Graph, dict[tuple[int, int], tuple[int, Segment, int, int]]]:
    """The graph, and of every pair of neighbours the section, the piece, and how far on it both lie."""
    ids: list[str] = []
    where: list[tuple[int, int, int]] = []
    pairs: dict[tuple[int, int], tuple[int, Segment, int, int]] = {}
    for one in section_layouts(seed):
        known: dict[Node, int] = {}

        def place(ahead: int, right: int, layout: Layout = one) -> int:
            ids.append(f"s{layout.number}{len(ids):05d}")
            where.append((*layout.at(ahead, right), 0))
            return len(ids) - 1

        for piece in one.pieces():
            for node in piece:
                if node not in known:
                    known[node] = place(*one.node(node))
            begin, end = one.node(piece[0]), one.node(piece[1])
            length = end[0] - begin[0] + end[1] - begin[1]
            steps = -(-length // MAX_PLACE_SPACING)
            cuts = [length * k // steps for k in range(steps + 1)]
            between = [
                place(begin[0] + (end[0] - begin[0]) * cut // length, begin[1] + (end[1] - begin[1]) * cut // length)
                for cut in cuts[1:-1]
            ]
            chain = [known[piece[0]], *between, known[piece[1]]]
            for k in range(steps):
                pairs[chain[k], chain[k + 1]] = (one.number, piece, cuts[k], cuts[k + 1])
    places = np.array(where) / 1000.0
    source, target = np.array([*pairs, *((b, a) for a, b in pairs)]).T
    heading, _ = vector_angles(places[target] - places[source])
    heading = np.round(heading * 100.0) / 100.0
    first = np.full(len(ids), -1)
    first[source[::-1]] = np.arange(len(source))[::-1]
    graph = Graph.make(f"sections/{seed}", ids, places, source, target, heading, heading[first])
    return graph, pairs


def lay_streets(draft: Draft) -> None:
    """One row of draft.roads per pair of neighbours, paved corners, and the raster."""
    graph, pairs = _network(draft.seed)
    x, y = np.rint(graph.positions[:, :2].T * 1000).astype(np.int64)
    draft.raster = Raster.covering(x, y, RASTER_MARGIN)
    every = section_layouts(draft.seed)
    offsets, near = graph.neighbours
    one = np.repeat(np.arange(len(graph)), np.diff(offsets))
    once = one < near
    rows = np.zeros(int(once.sum()), ROAD)
    for row, a, b in zip(rows, one[once].tolist(), near[once].tolist(), strict=True):
        begin, end = (a, b) if (a, b) in pairs else (b, a)
        number, piece, start, stop = pairs[begin, end]
        row["x0"], row["y0"], row["x1"], row["y1"] = x[begin], y[begin], x[end], y[end]
        _describe(row, every[number - 1], piece, start, stop)
    draft.roads = rows
    draft.areas = np.concatenate([draft.areas, _junction_paving(every)])
    _mark(draft.raster, rows)
    draft.raster.mark_disc(x, y, CAMERA_CLEARANCE, raster.CAMERA)


def _describe(row: np.void, layout: Layout, piece: Segment, start: int, stop: int) -> None:
    """Widths, markings and where crossings begin, for the part of a piece from `start` to `stop`."""
    begin, end = layout.node(piece[0]), layout.node(piece[1])
    length = end[0] - begin[0] + end[1] - begin[1]
    ahead = piece[0][1] == piece[1][1]
    line = piece[0][1] if ahead else STREETS_PER_AXIS + piece[0][0]
    row["half"], row["walk"] = layout.half, layout.walk
    row["street"] = (layout.number - 1) * 2 * STREETS_PER_AXIS + line
    row["along"] = start + (begin[0] - layout.ahead[0] if ahead else begin[1] - layout.right[0])
    both = (layout.number + line) % 3 == 0
    row["lanes"], row["flow"] = (2, 0) if both else (1, 1 if line % 2 else -1)
    for node, bit, trim, here in ((piece[0], 1, "trim0", start == 0), (piece[1], 2, "trim1", stop == length)):
        arms = layout.arms(node)
        straight = len(arms) == 2 and arms[1] - arms[0] == 2
        if here and len(arms) > 1 and not straight:
            row[trim] = layout.half + (CROSSWALK_SETBACK if len(arms) > 2 else 0)
            row["zebra"] |= bit if len(arms) > 2 else 0


def _junction_paving(every: tuple[Layout, ...]) -> Rows:
    """Paving below every crossing, bend and end of a street, for the corners that their round sidewalks leave open."""
    found = [
        (*one.at(*one.node(node)), *AHEAD, one.wide, one.wide, Ground.PLAZA) for one in every for node in one.nodes()
    ]
    return np.array(found, AREA)


def _mark(ground: Raster, roads: Rows) -> None:
    x, y, ux, uy, length = road_geometry(roads)
    middle = x + ux * (length // 2) // UNIT, y + uy * (length // 2) // UNIT
    for wide, bit in ((roads["half"] + roads["walk"], raster.WALK), (roads["half"], raster.ROAD)):
        ground.mark(*middle, ux, uy, wide, (length + 1) // 2, bit)
        ground.mark_disc(roads["x0"], roads["y0"], wide, bit)
        ground.mark_disc(roads["x1"], roads["y1"], wide, bit)
