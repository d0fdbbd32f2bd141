"""A world from above for a page: the map's marks in a compact form, of the region that is looked at."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.geometry import Floats
from bearleft.world.arramon.sections.layout import layouts
from bearleft.world.city.catalog import number
from bearleft.world.city.plan import Plan
from bearleft.world.graphs.graph import Graph
from bearleft.world.maps.colours import LANDMARK_EDGE, PAPER
from bearleft.world.maps.frame import LARGEST, NEAREST, SMALLEST, Box, Frame, Spot, cut_course
from bearleft.world.maps.free_space import Room
from bearleft.world.maps.labels import Run, named_streets
from bearleft.world.maps.map import draw_graph
from bearleft.world.maps.marks import Colour, Disc, Drawing, Mark, Shape, Stroke, Words, words_length
from bearleft.world.maps.objects import draw_buildings, draw_grounds, draw_things, landmark_name
from bearleft.world.maps.rooms import draw_rooms
from bearleft.world.maps.streets import courses, draw_ways, near

Row = list[Any]
MARGIN = 120.0  # metres around places: the blocks on both sides of a street
INDOORS = 7.0  # metres around a place within which its room lies, and around a section
CELL = 100.0  # metres: what lies in the cell of a place or in one beside it is shown
SMALL, LARGE = 4.5, 7.0  # metres of letters: they lie within their street, and are read where a walk fills the map
APART = 220.0  # metres of a street for each time it is named: two blocks
WITHIN = (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8)  # where in such a stretch there may be room
CROSSING = 5.0  # metres around a crossing's middle where no street is named
BESIDE = (-1.0, 1.0, -2.0, 2.0)  # landmarks are named below or above, by how many lengths of 8 metres


def ground(where: Graph | Plan, places: Iterable[str] = ()) -> dict[str, list[Row]]:
    """The map around some places (default: all), as rows of plain values in the order they are painted in."""
    graph = where.graph if isinstance(where, Plan) else where
    numbers = [graph.number(place) for place in places]
    return ground_at(where, graph.positions[numbers or slice(None), :2])


def ground_at(where: Graph | Plan, spots: Floats) -> dict[str, list[Row]]:
    """The same around spots (n, 2) in metres; of ArraMon's sections the whole ones in which spots lie."""
    parts = [spots]
    if isinstance(where, Plan) and where.guests:
        parts = _sections(where, spots)  # one by one: far apart as they are, together they would lack detail
    close = isinstance(where, Plan) and (where.indoors or where.guests)
    return {"marks": [row(mark, 2 if close else 1) for part in parts for mark in drawn(where, part).marks]}


def _sections(plan: Plan, spots: Floats) -> list[Floats]:
    """The corners of the sections that spots lie in."""
    found = []
    for one in layouts(plan.seed):
        corners = np.array(one.bounds()).reshape(2, 2)
        if ((spots >= corners[0]) & (spots <= corners[1])).all(axis=1).any():
            found.append(corners)
    return found


def drawn(where: Graph | Plan, spots: Floats) -> Drawing:
    """The map around spots, without its scale and with names that can be read from near."""
    margin = MARGIN
    if isinstance(where, Plan) and (where.indoors or where.guests):
        margin = INDOORS
    drawing = Drawing(framed(spots, margin))
    if isinstance(where, Graph):
        draw_graph(drawing, where)
        links = [mark for mark in drawing.marks if isinstance(mark, Stroke)]
        drawing.marks = [*joined(links), *drawing.marks[len(links) :]]
    elif where.indoors:
        draw_rooms(drawing, _furnished(where, spots), False, Room(drawing.box))
        return drawing
    else:
        names = named_streets(where)
        draw_grounds(drawing, where)
        draw_ways(drawing, where, names)
        draw_buildings(drawing, where)
        draw_things(drawing, where)
        if not where.guests:  # ArraMon's streets are named by nobody
            _name(drawing, where, names)
    cells = _Near(drawing.box, spots)
    drawing.marks = [mark for mark in drawing.marks if cells.touches(mark)]
    return drawing


def framed(spots: Floats, margin: float) -> Frame:
    """The frame of spots, as long and as wide as they lie."""
    low, high = spots.min(axis=0) - margin, spots.max(axis=0) + margin
    wide, tall = high - low
    pixel = max(wide, tall) / LARGEST
    width, height = (min(max(math.ceil(side / pixel), SMALLEST), LARGEST) for side in (wide, tall))
    east, north = (low + high) / 2
    return Frame(float(east), float(north), max(float(pixel) * min(width, height) / 2, NEAREST), width, height)


class _Near:
    """Cells around spots: a large world of which examples use little is shown there alone."""

    def __init__(self, box: Box, spots: Floats) -> None:
        self.low = np.array(box[:2])
        count = np.ceil((np.array(box[2:]) - self.low) / CELL).astype(int) + 2
        self.used = np.zeros(count, bool)
        for x, y in np.unique(self._cells(spots), axis=0):
            self.used[max(x - 1, 0) : x + 2, max(y - 1, 0) : y + 2] = True

    def _cells(self, points: Floats) -> npt.NDArray[np.int64]:
        cells = np.floor((points - self.low) / CELL).astype(np.int64)
        return np.asarray(np.clip(cells, 0, np.array(self.used.shape) - 1), np.int64)

    def touches(self, mark: Mark) -> bool:
        """Whether a mark may be seen in a cell that is used."""
        points = self._cells(np.array(_points(mark)))
        (west, south), (east, north) = points.min(axis=0), points.max(axis=0)
        return bool(self.used[west : east + 1, south : north + 1].any())


def _points(mark: Mark) -> Sequence[Spot]:
    if isinstance(mark, Shape):
        return [spot for ring in mark.rings for spot in ring]
    if isinstance(mark, Stroke):
        return mark.points
    assert isinstance(mark, Disc | Words)
    return [mark.at]


def joined(strokes: Sequence[Stroke]) -> list[Stroke]:
    """Strokes that follow each other as one, up to where more than two meet: a tenth as many for a page to draw."""
    meeting: dict[Spot, list[int]] = defaultdict(list)
    for k, stroke in enumerate(strokes):
        for end in (stroke.points[0], stroke.points[-1]):
            meeting[end].append(k)
    used: set[int] = set()

    def onwards(line: list[Spot]) -> list[Spot]:
        """A line as far as exactly one other stroke goes on."""
        while len(there := meeting[line[-1]]) == 2 and (fresh := [k for k in there if k not in used]):
            used.add(fresh[0])
            points = strokes[fresh[0]].points
            line += points[1:] if points[0] == line[-1] else points[-2::-1]
        return line

    found = []
    for k, stroke in enumerate(strokes):
        if k not in used:
            used.add(k)
            line = onwards(onwards(list(stroke.points))[::-1])
            found.append(replace(stroke, points=tuple(line)))
    return found


def _furnished(plan: Plan, spots: Floats) -> Plan:
    """A plan with the things of rooms in use alone: rooms are many, and lie far apart."""
    at = np.column_stack([plan.things["x"], plan.things["y"]]) / 1000.0
    keep = np.zeros(len(at), bool)
    for room in np.unique(spots, axis=0):
        keep |= (np.abs(at - room) < INDOORS).all(axis=1)
    return replace(plan, things=plan.things[keep])


def _name(drawing: Drawing, plan: Plan, names: Mapping[int, str]) -> None:
    """Landmarks, and every street along its course; no name lies on another."""
    room = Room(drawing.box)
    for thing in np.flatnonzero(plan.things["kind"] == number("landmark")).tolist():
        x, y = (float(plan.things[axis][thing]) / 1000.0 for axis in ("x", "y"))
        for by in BESIDE:
            words = Words("landmark name", (x, y + 8.0 * by), landmark_name(plan, thing), LARGE, LANDMARK_EDGE, PAPER)
            if room.put(words):
                drawing.words(words)
                break
    crossings = plan.graph.positions[plan.graph.degree > 2, :2]
    room.take(np.column_stack([crossings, np.full(len(crossings), CROSSING)]))
    for course in courses(near(plan.roads, drawing.box), widths=False):
        size, name = min(max(1.3 * course.half, SMALL), LARGE), names[course.street]
        for line in cut_course(course.points, drawing.box):
            run = Run.of(line)
            stretches = max(round(run.length / APART), 1)
            for k in range(stretches):
                _name_stretch(drawing, room, run, (k / stretches, 1 / stretches), name, size)


def _name_stretch(drawing: Drawing, room: Room, run: Run, stretch: tuple[float, float], name: str, size: float) -> None:
    """Names a part of a street, given by its begin and length as shares, where it is straight and there is room."""
    for share in WITHIN:
        middle = run.length * (stretch[0] + share * stretch[1])
        words = run.words(middle, words_length(name, size), size, name)
        if words is not None and room.put(words):
            drawing.words(words)
            return


def row(mark: Mark, digits: int = 1) -> Row:
    """A mark as a page takes it: what it is, its paint, and metres with so many digits."""
    if isinstance(mark, Shape):
        rings = [_flat(ring, digits) for ring in mark.rings]
        return ["shape", *_paint(mark), rings]
    if isinstance(mark, Stroke):
        return ["stroke", colour(mark.colour), _short(mark.width, 2), _flat(mark.points, digits)]
    if isinstance(mark, Disc):
        return ["disc", *_paint(mark), *_flat([mark.at], digits), _short(mark.radius, 2)]
    assert isinstance(mark, Words)
    return ["words", colour(mark.colour), _short(mark.size, 1), *_flat([mark.at], 1), _short(mark.angle, 1), mark.text]


def _paint(mark: Shape | Disc) -> Row:
    edge = None if mark.edge is None else colour(mark.edge)
    return [colour(mark.fill), edge, _short(mark.width, 2), _short(mark.opacity, 2)]


def colour(of: Colour) -> str:
    """#rrggbb"""
    return "#{:02x}{:02x}{:02x}".format(*of)


def _flat(points: Iterable[tuple[float, float]], digits: int) -> list[float]:
    return [_short(value, digits) for point in points for value in point]


def _short(value: float, digits: int) -> float:
    """Rounded; whole numbers without a point, which take less room."""
    rounded = round(float(value), digits)
    return int(rounded) if rounded == int(rounded) else rounded
