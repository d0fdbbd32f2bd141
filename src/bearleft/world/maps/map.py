"""The world from above, with routes on it: a drawing, as a picture or as SVG."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from bearleft.errors import InputError, shown
from bearleft.geometry import Floats
from bearleft.runtime.store import atomic_write, write_text
from bearleft.world.city.plan import Plan
from bearleft.world.graphs.graph import Graph
from bearleft.world.maps.colours import ROUTES
from bearleft.world.maps.frame import Frame, Spot
from bearleft.world.maps.free_space import Room
from bearleft.world.maps.labels import Labels, named_streets
from bearleft.world.maps.marks import Colour, Drawing
from bearleft.world.maps.objects import draw_buildings, draw_grounds, draw_stops, draw_things
from bearleft.world.maps.overlay import Cone, Course, Furniture, draw_cone, draw_courses, draw_viewer, take_courses
from bearleft.world.maps.painter import canvas, paint
from bearleft.world.maps.rooms import draw_rooms
from bearleft.world.maps.streets import draw_arrows, draw_ways
from bearleft.world.maps.svg import svg

__all__ = [
    "FORMATS",
    "LEGEND",
    "REFERENCE",
    "WALKED",
    "Cone",
    "Drawing",
    "Frame",
    "Line",
    "draw_map",
    "overhead",
    "paint",
    "region",
    "save_map",
    "side_by_side",
    "svg",
    "walk_map",
]

STREET, INK = (207, 204, 194), (40, 40, 40)
REFERENCE, WALKED = ROUTES[:2]
FORMATS = (".png", ".svg")


@dataclass(frozen=True)
class Line:
    """A route to draw: its places, a colour, how many pixels thick, a name for the legend, where the bear is."""

    places: Sequence[str]
    colour: Colour = REFERENCE
    width: float = 5.0
    name: str = ""
    target: Spot | None = None

    def course(self, graph: Graph) -> Course:
        """Where it runs."""
        where = graph.positions[[graph.number(place) for place in self.places], :2]
        points = tuple((float(x), float(y)) for x, y in where)
        return Course(points, self.colour, self.width, self.name, self.target)


def overhead(
    where: Graph | Plan,
    frame: Frame | None = None,
    lines: Sequence[Line] = (),
    title: str = "",
    cone: Cone | None = None,
    names: bool = True,
) -> Drawing:
    """A map of a city's plan, or of a graph alone: `frame` says of which region (default: the lines, or everything).

    Names, one-way arrows and signs for stops are left out where `names` is false.
    """
    graph = where.graph if isinstance(where, Plan) else where
    courses = [line.course(graph) for line in lines if line.places]
    drawing = Drawing(frame or region(graph, lines), title)
    unit = drawing.frame.unit
    room, soft = Room(drawing.box), Room(drawing.box)
    legend = tuple((one.name, one.colour) for one in courses if one.name)
    furniture = Furniture(drawing, title, legend)
    for box in furniture.boxes():
        room.take_box(box)
    take_courses(courses, room, soft, unit)
    city = where if isinstance(where, Plan) and not where.indoors else None
    streets = named_streets(city) if city else {}
    if city:
        draw_grounds(drawing, city)
        draw_ways(drawing, city, streets)
        draw_buildings(drawing, city)
        draw_things(drawing, city)
    elif isinstance(where, Plan):
        draw_rooms(drawing, where, names, room)
    else:
        draw_graph(drawing, where)
    if cone is not None:
        draw_cone(drawing, cone)
    draw_courses(drawing, courses)
    if cone is not None:
        draw_viewer(drawing, cone)
    if city and names:
        labels = Labels(drawing, room, soft)
        draw_stops(drawing, city, room)
        labels.landmarks(city)
        labels.streets(city, streets)
        draw_arrows(drawing, city, room, soft)
        labels.grounds(city)
        labels.houses(city)
    furniture.draw()
    return drawing


def region(
    graph: Graph,
    lines: Sequence[Line] = (),
    margin: float | None = None,
    width: int = 1024,
    height: int = 1024,
    around: Sequence[str] = (),
) -> Frame:
    """The frame that shows some lines and places, or the whole world without any."""
    seen = [*(place for line in lines for place in line.places), *around]
    shown_ = graph.positions[[graph.number(place) for place in seen], :2] if seen else graph.positions[:, :2]
    targets = [line.target for line in lines if line.target is not None]
    shown_ = np.concatenate([shown_, np.reshape(targets, (-1, 2))])
    if margin is None:
        margin = max(0.06 * float(np.ptp(shown_, axis=0).max()), 4 * typical_step(graph))
    return Frame.around(shown_, margin, width, height)


def typical_step(graph: Graph) -> float:
    """Metres of the median link."""
    if not len(graph.source):
        return 10.0
    by = graph.positions[graph.target, :2] - graph.positions[graph.source, :2]
    return float(np.median(np.hypot(by[:, 0], by[:, 1]))) or 1.0


def draw_graph(drawing: Drawing, graph: Graph, street: float | None = None) -> None:
    """Links as lines `street` metres wide, places as dots where there is room for them."""
    step = typical_step(graph)
    unit = drawing.frame.unit
    width = max(min(0.2 * step, 7.0) if street is None else street, 1.6 * unit)
    one, other = graph.positions[graph.source, :2], graph.positions[graph.target, :2]
    once = (graph.source < graph.target) | ~np.isin(
        graph.source.astype(np.int64) * len(graph) + graph.target,
        graph.target.astype(np.int64) * len(graph) + graph.source,
    )
    west, south, east, north = drawing.box
    low, high = np.minimum(one, other), np.maximum(one, other)
    once &= (high > (west, south)).all(axis=1) & (low < (east, north)).all(axis=1)
    for k in np.flatnonzero(once):
        drawing.stroke("link", (_spot(one[k]), _spot(other[k])), STREET, width)
    if street is None and step > 11 * unit:
        where = graph.positions[:, :2]
        for place in np.flatnonzero(((where > (west, south)) & (where < (east, north))).all(axis=1)):
            at = _spot(where[place])
            drawing.disc("place", at, 2.2 * unit, (168, 164, 152), name=graph.ids[place])


def _spot(where: Floats) -> Spot:
    return float(where[0]), float(where[1])


def save_map(drawing: Drawing, path: str | os.PathLike[str]) -> None:
    """Writes a drawing as the file's name says: .png or .svg."""
    kind = Path(path).suffix.lower()
    if kind == ".svg":
        write_text(path, svg(drawing))
    elif kind == ".png":
        with atomic_write(path, "wb") as stream:
            paint(drawing).save(stream, "PNG")
    else:
        raise InputError("a file whose name ends in .png or .svg", shown(str(path)))


def draw_map(
    graph: Graph,
    lines: Sequence[Line] = (),
    title: str = "",
    size: int = 640,
    margin: float = 40.0,
    street: float = 7.0,
    around: Sequence[str] = (),
) -> Image.Image:
    """A small plain map: links and lines alone, `size` pixels wide and high, all lines or the whole world in it.

    A line begins with a ring and ends with a dot; one drawn later lies on top. `margin` and `street` (the width of a
    street) are metres; `around` are places that must be seen too, so that several maps can show the same region.
    """
    drawing = Drawing(region(graph, lines, margin, size, size, around), title)
    draw_graph(drawing, graph, street)
    Furniture(drawing, title, ()).draw_title()
    pixel = 1.0 / (drawing.frame.scale * drawing.frame.unit)
    thick = [replace(line, width=line.width * pixel) for line in lines if line.places]
    draw_courses(drawing, [line.course(graph) for line in thick], bare=True)
    return paint(drawing)


def walk_map(where: Graph | Plan, line: Line, size: int, margin: float) -> Image.Image:
    """A map of a walk for each of its steps: what lies below the line is painted once, until the walk leaves it."""
    graph = where.graph if isinstance(where, Plan) else where
    near = region(graph, [line], margin, size, size)
    step = margin / 2
    east, north = (round(at / step) * step for at in (near.east, near.north))
    # The middle lies up to half a step beside that of the walk, and the frame is as large as a multiple of steps.
    frame = Frame(east, north, math.ceil((near.reach + step / 2) / step) * step, size, size)
    over = Drawing(frame)
    draw_courses(over, [line.course(graph)])
    return paint(over, _below(where, frame))


@lru_cache(maxsize=16)
def _below(where: Graph | Plan, frame: Frame) -> Image.Image:
    return canvas(overhead(where, frame))


LEGEND = "blue: the route   orange: what was walked   ring: start   dot: end"


def side_by_side(pictures: Sequence[Image.Image], columns: int = 3, gap: int = 8, caption: str = "") -> Image.Image:
    """Pictures of one size in rows, with a line of words below."""
    if not pictures:
        raise InputError("at least one picture", "none")
    width, height = pictures[0].size
    rows = -(-len(pictures) // columns)
    across = min(columns, len(pictures))
    below = 30 if caption else 0
    sheet = Image.new("RGB", (across * (width + gap) - gap, rows * (height + gap) - gap + below), "white")
    if caption:
        ImageDraw.Draw(sheet).text((10, sheet.height - 23), caption, INK, ImageFont.load_default(15))
    for k, picture in enumerate(pictures):
        sheet.paste(picture, (k % columns * (width + gap), k // columns * (height + gap)))
    return sheet
