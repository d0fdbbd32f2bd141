"""Maps of a report's page: the marks around the places in use, as compact rows."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bearleft.world.arramon.sections.layout import section_layouts
from bearleft.world.city.catalog import class_index
from bearleft.world.city.plan import Plan
from bearleft.world.graphs.graph import Graph
from bearleft.world.maps.colours import LANDMARK_EDGE, PAPER
from bearleft.world.maps.frame import MAX_SIZE, MIN_RADIUS, MIN_SIZE, XY, Box, MapExtent, clip_line
from bearleft.world.maps.free_space import FreeSpace
from bearleft.world.maps.labels import Run, street_names_by_number
from bearleft.world.maps.map import draw_graph
from bearleft.world.maps.objects import draw_areas, draw_buildings, draw_objects, landmark_name
from bearleft.world.maps.rooms import draw_rooms
from bearleft.world.maps.shapes import Colour, Disc, Drawing, Polygon, Shape, Stroke, Words, words_length
from bearleft.world.maps.streets import draw_streets, roads_near, street_lines

if TYPE_CHECKING:
    from bearleft.types import Floats


Row = list[Any]
STREET_MARGIN = 120.0  # metres around places: the blocks on both sides of a street
CLOSE_MARGIN = 7.0  # metres around a place that contain its room; also around a section
CELL = 100.0  # metres; marks in a place's cell and its neighbours are shown
MIN_LETTERS, MAX_LETTERS = 4.5, 7.0  # metres: letters fit their street, and are legible where a walk fills the map
NAME_SPACING = 220.0  # metres between two names of a street: two blocks
NAME_POSITIONS = (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8)  # shares of a stretch at which a name is tried
CROSSING_RADIUS = 5.0  # metres around a crossing without street names
LANDMARK_OFFSETS = (-1.0, 1.0, -2.0, 2.0)  # of a landmark's name to the north, in units of 8 metres


def map_data(source: Graph | Plan, places: Iterable[str] = ()) -> dict[str, list[Row]]:
    """Return the map around some places (default: all), as rows of plain values in painting order."""
    graph = source.graph if isinstance(source, Plan) else source
    numbers = [graph.place_index(place) for place in places]
    return map_data_at(source, graph.positions[numbers or slice(None), :2])


def map_data_at(source: Graph | Plan, points: Floats) -> dict[str, list[Row]]:
    """Return the map around points (n, 2) in metres; for ArraMon, the whole sections that contain points."""
    parts = [points]
    if isinstance(source, Plan) and source.has_item_templates:
        parts = _sections(source, points)  # one by one: they are far apart, and one frame would lack detail
    close = isinstance(source, Plan) and (source.indoors or source.has_item_templates)
    return {"marks": [mark_row(mark, 2 if close else 1) for part in parts for mark in draw_map(source, part).shapes]}


def _sections(plan: Plan, points: Floats) -> list[Floats]:
    """Return the corners of the sections that contain points."""
    sections = []
    for layout in section_layouts(plan.seed):
        corners = np.array(layout.bounds()).reshape(2, 2)
        if ((points >= corners[0]) & (points <= corners[1])).all(axis=1).any():
            sections.append(corners)
    return sections


def draw_map(source: Graph | Plan, points: Floats) -> Drawing:
    """Draw the map around points, without a scale and with names that are legible when zoomed in."""
    margin = STREET_MARGIN
    if isinstance(source, Plan) and (source.indoors or source.has_item_templates):
        margin = CLOSE_MARGIN
    drawing = Drawing(frame_around(points, margin))
    if isinstance(source, Graph):
        draw_graph(drawing, source)
        links = [mark for mark in drawing.shapes if isinstance(mark, Stroke)]
        drawing.shapes = [*join_strokes(links), *drawing.shapes[len(links) :]]
    elif source.indoors:
        draw_rooms(drawing, _near_furniture(source, points), False, FreeSpace(drawing.box))
        return drawing
    else:
        names = street_names_by_number(source)
        draw_areas(drawing, source)
        draw_streets(drawing, source, names)
        draw_buildings(drawing, source)
        draw_objects(drawing, source)
        if not source.has_item_templates:  # ArraMon's streets have no names
            _draw_names(drawing, source, names)
    cells = _UsedCells(drawing.box, points)
    drawing.shapes = [mark for mark in drawing.shapes if cells.touches(mark)]
    return drawing


def frame_around(points: Floats, margin: float) -> MapExtent:
    """Return the frame of points, in their aspect ratio."""
    low, high = points.min(axis=0) - margin, points.max(axis=0) + margin
    width_metres, height_metres = high - low
    pixel = max(width_metres, height_metres) / MAX_SIZE
    width, height = (min(max(math.ceil(side / pixel), MIN_SIZE), MAX_SIZE) for side in (width_metres, height_metres))
    east, north = (low + high) / 2
    return MapExtent(float(east), float(north), max(float(pixel) * min(width, height) / 2, MIN_RADIUS), width, height)


class _UsedCells:
    """Grid cells around points; of a large world only these are shown."""

    def __init__(self, box: Box, points: Floats) -> None:
        self.low = np.array(box[:2])
        count = np.ceil((np.array(box[2:]) - self.low) / CELL).astype(int) + 2
        self.used = np.zeros(count, bool)
        for x, y in np.unique(self._cells(points), axis=0):
            self.used[max(x - 1, 0) : x + 2, max(y - 1, 0) : y + 2] = True

    def _cells(self, points: Floats) -> npt.NDArray[np.int64]:
        cells = np.floor((points - self.low) / CELL).astype(np.int64)
        return np.asarray(np.clip(cells, 0, np.array(self.used.shape) - 1), np.int64)

    def touches(self, mark: Shape) -> bool:
        """Return whether a mark may be seen in a used cell."""
        points = self._cells(np.array(_mark_points(mark)))
        (west, south), (east, north) = points.min(axis=0), points.max(axis=0)
        return bool(self.used[west : east + 1, south : north + 1].any())


def _mark_points(mark: Shape) -> Sequence[XY]:
    if isinstance(mark, Polygon):
        return [spot for ring in mark.rings for spot in ring]
    if isinstance(mark, Stroke):
        return mark.points
    assert isinstance(mark, Disc | Words)
    return [mark.at]


def join_strokes(strokes: Sequence[Stroke]) -> list[Stroke]:
    """Join strokes that continue each other, up to points where more than two meet; a tenth as many to draw."""
    meeting: dict[XY, list[int]] = defaultdict(list)
    for k, stroke in enumerate(strokes):
        for end in (stroke.points[0], stroke.points[-1]):
            meeting[end].append(k)
    used: set[int] = set()

    def extend(line: list[XY]) -> list[XY]:
        """Extend a line while exactly one other stroke continues it."""
        while len(strokes_here := meeting[line[-1]]) == 2 and (unused := [k for k in strokes_here if k not in used]):
            used.add(unused[0])
            points = strokes[unused[0]].points
            line += points[1:] if points[0] == line[-1] else points[-2::-1]
        return line

    joined = []
    for k, stroke in enumerate(strokes):
        if k not in used:
            used.add(k)
            line = extend(extend(list(stroke.points))[::-1])
            joined.append(replace(stroke, points=tuple(line)))
    return joined


def _near_furniture(plan: Plan, points: Floats) -> Plan:
    """Return the plan with the objects of used rooms only: rooms are many, and far apart."""
    at = np.column_stack([plan.things["x"], plan.things["y"]]) / 1000.0
    keep = np.zeros(len(at), bool)
    for used_room in np.unique(points, axis=0):
        keep |= (np.abs(at - used_room) < CLOSE_MARGIN).all(axis=1)
    return replace(plan, things=plan.things[keep])


def _draw_names(drawing: Drawing, plan: Plan, names: Mapping[int, str]) -> None:
    """Draw the names of landmarks and streets without overlaps."""
    free_space = FreeSpace(drawing.box)
    for thing in np.flatnonzero(plan.things["kind"] == class_index("landmark")).tolist():
        x, y = (float(plan.things[axis][thing]) / 1000.0 for axis in ("x", "y"))
        for offset in LANDMARK_OFFSETS:
            words = Words(
                "landmark name", (x, y + 8.0 * offset), landmark_name(plan, thing), MAX_LETTERS, LANDMARK_EDGE, PAPER
            )
            if free_space.try_place(words):
                drawing.words(words)
                break
    crossings = plan.graph.positions[plan.graph.degree > 2, :2]
    free_space.occupy(np.column_stack([crossings, np.full(len(crossings), CROSSING_RADIUS)]))
    for street_line in street_lines(roads_near(plan.roads, drawing.box), widths=False):
        size, name = min(max(1.3 * street_line.half, MIN_LETTERS), MAX_LETTERS), names[street_line.street]
        for line in clip_line(street_line.points, drawing.box):
            run = Run.of(line)
            stretches = max(round(run.length / NAME_SPACING), 1)
            for k in range(stretches):
                _name_street_stretch(drawing, free_space, run, (k / stretches, 1 / stretches), name, size)


def _name_street_stretch(
    drawing: Drawing, free_space: FreeSpace, run: Run, stretch: tuple[float, float], name: str, size: float
) -> None:
    """Name a part of a street (start and length as shares) where it is straight and there is space."""
    for share in NAME_POSITIONS:
        middle = run.length * (stretch[0] + share * stretch[1])
        words = run.words(middle, words_length(name, size), size, name)
        if words is not None and free_space.try_place(words):
            drawing.words(words)
            return


def mark_row(mark: Shape, digits: int = 1) -> Row:
    """Return a mark as a row: its kind, paint, and metres with so many digits."""
    if isinstance(mark, Polygon):
        rings = [_flat(ring, digits) for ring in mark.rings]
        return ["shape", *_paint(mark), rings]
    if isinstance(mark, Stroke):
        return ["stroke", hex_colour(mark.colour), _rounded(mark.width, 2), _flat(mark.points, digits)]
    if isinstance(mark, Disc):
        return ["disc", *_paint(mark), *_flat([mark.at], digits), _rounded(mark.radius, 2)]
    assert isinstance(mark, Words)
    return [
        "words",
        hex_colour(mark.colour),
        _rounded(mark.size, 1),
        *_flat([mark.at], 1),
        _rounded(mark.angle, 1),
        mark.text,
    ]


def _paint(mark: Polygon | Disc) -> Row:
    edge = None if mark.edge is None else hex_colour(mark.edge)
    return [hex_colour(mark.fill), edge, _rounded(mark.width, 2), _rounded(mark.opacity, 2)]


def hex_colour(rgb: Colour) -> str:
    """Return a colour as #rrggbb."""
    return "#{:02x}{:02x}{:02x}".format(*rgb)


def _flat(points: Iterable[tuple[float, float]], digits: int) -> list[float]:
    return [_rounded(value, digits) for point in points for value in point]


def _rounded(value: float, digits: int) -> float:
    """Round; whole numbers become integers, which are shorter."""
    rounded = round(float(value), digits)
    return int(rounded) if rounded == int(rounded) else rounded
