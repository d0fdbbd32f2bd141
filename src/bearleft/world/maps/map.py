"""Maps of worlds from above with routes, as a picture or as SVG."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from bearleft.errors import InputError, format_value
from bearleft.runtime.store import atomic_write, write_text
from bearleft.world.city.plan import Plan
from bearleft.world.graphs.graph import Graph
from bearleft.world.maps.colours import ROUTES
from bearleft.world.maps.frame import XY, MapExtent
from bearleft.world.maps.free_space import FreeSpace
from bearleft.world.maps.labels import Labels, street_names_by_number
from bearleft.world.maps.objects import draw_areas, draw_buildings, draw_objects, draw_stops
from bearleft.world.maps.overlay import Cone, Furniture, RouteLine, draw_cone, draw_routes, draw_viewer, reserve_routes
from bearleft.world.maps.painter import paint, paint_canvas
from bearleft.world.maps.rooms import draw_rooms
from bearleft.world.maps.shapes import Colour, Drawing
from bearleft.world.maps.streets import draw_arrows, draw_streets
from bearleft.world.maps.svg import svg

if TYPE_CHECKING:
    from bearleft.types import Floats


__all__ = [
    "FORMATS",
    "LEGEND",
    "REFERENCE",
    "WALKED",
    "Cone",
    "Drawing",
    "Line",
    "MapExtent",
    "graph_map",
    "overhead_map",
    "paint",
    "region",
    "save_map",
    "side_by_side",
    "svg",
    "walk_map",
]

STREET_COLOUR, INK = (207, 204, 194), (40, 40, 40)
REFERENCE, WALKED = ROUTES[:2]
FORMATS = (".png", ".svg")


@dataclass(frozen=True)
class Line:
    """A route to draw: its places, colour, thickness in reference pixels, name in the legend, and target."""

    places: Sequence[str]
    colour: Colour = REFERENCE
    width: float = 5.0
    name: str = ""
    target: XY | None = None

    def route(self, graph: Graph) -> RouteLine:
        """Return the route in metres."""
        points_ = graph.positions[[graph.place_index(place) for place in self.places], :2]
        points = tuple((float(x), float(y)) for x, y in points_)
        return RouteLine(points, self.colour, self.width, self.name, self.target)


def overhead_map(
    world: Graph | Plan,
    frame: MapExtent | None = None,
    lines: Sequence[Line] = (),
    title: str = "",
    cone: Cone | None = None,
    names: bool = True,
    unnamed: Sequence[RouteLine] = (),
) -> Drawing:
    """Draw a map of a city's plan, or of a graph alone.

    Args:
        world: a graph, or a city's plan.
        frame: the region (default: the lines, or the whole world).
        lines: routes to draw.
        title: the heading.
        cone: a field of view to draw.
        names: whether to draw names, one-way arrows and signs for stops.
        unnamed: routes in metres that the legend leaves out, drawn over the lines; no label covers them.
    """
    graph = world.graph if isinstance(world, Plan) else world
    named = [line.route(graph) for line in lines if line.places]
    routes = [*named, *unnamed]
    drawing = Drawing(frame or region(graph, lines), title)
    unit = drawing.frame.unit
    occupied, avoided = FreeSpace(drawing.box), FreeSpace(drawing.box)
    legend = tuple((route.name, route.colour) for route in named if route.name)
    furniture = Furniture(drawing, title, legend)
    for box in furniture.boxes():
        occupied.occupy_box(box)
    reserve_routes(routes, occupied, avoided, unit)
    for route in unnamed:
        occupied.occupy_line(route.points, route.width * 0.7 * unit)
    city = world if isinstance(world, Plan) and not world.indoors else None
    streets = street_names_by_number(city) if city else {}
    if city:
        draw_areas(drawing, city)
        draw_streets(drawing, city, streets)
        draw_buildings(drawing, city)
        draw_objects(drawing, city)
    elif isinstance(world, Plan):
        draw_rooms(drawing, world, names, occupied)
    else:
        draw_graph(drawing, world)
    if cone is not None:
        draw_cone(drawing, cone)
    draw_routes(drawing, routes)
    if cone is not None:
        draw_viewer(drawing, cone)
    if city and names:
        labels = Labels(drawing, occupied, avoided)
        draw_stops(drawing, city, occupied)
        labels.landmarks(city)
        labels.streets(city, streets)
        draw_arrows(drawing, city, occupied, avoided)
        labels.areas(city)
        labels.houses(city)
    furniture.draw()
    return drawing


def region(
    graph: Graph,
    lines: Sequence[Line] = (),
    margin: float | None = None,
    width: int = 1024,
    height: int = 1024,
    places: Sequence[str] = (),
) -> MapExtent:
    """Return the frame that shows some lines and places, or the whole world without any."""
    visible_places = [*(place for line in lines for place in line.places), *places]
    points = (
        graph.positions[[graph.place_index(place) for place in visible_places], :2]
        if visible_places
        else graph.positions[:, :2]
    )
    targets = [line.target for line in lines if line.target is not None]
    points = np.concatenate([points, np.reshape(targets, (-1, 2))])
    if margin is None:
        margin = max(0.06 * float(np.ptp(points, axis=0).max()), 4 * typical_step(graph))
    return MapExtent.around(points, margin, width, height)


def typical_step(graph: Graph) -> float:
    """Return the length of the median link in metres."""
    if not len(graph.source):
        return 10.0
    deltas = graph.positions[graph.target, :2] - graph.positions[graph.source, :2]
    return float(np.median(np.hypot(deltas[:, 0], deltas[:, 1]))) or 1.0


def draw_graph(drawing: Drawing, graph: Graph, street: float | None = None) -> None:
    """Draw links as lines `street` metres wide, and places as dots where there is space."""
    step = typical_step(graph)
    unit = drawing.frame.unit
    width = max(min(0.2 * step, 7.0) if street is None else street, 1.6 * unit)
    starts, ends = graph.positions[graph.source, :2], graph.positions[graph.target, :2]
    kept = (graph.source < graph.target) | ~np.isin(
        graph.source.astype(np.int64) * len(graph) + graph.target,
        graph.target.astype(np.int64) * len(graph) + graph.source,
    )
    west, south, east, north = drawing.box
    low, high = np.minimum(starts, ends), np.maximum(starts, ends)
    kept &= (high > (west, south)).all(axis=1) & (low < (east, north)).all(axis=1)
    for k in np.flatnonzero(kept):
        drawing.stroke("link", (_xy(starts[k]), _xy(ends[k])), STREET_COLOUR, width)
    if street is None and step > 11 * unit:
        positions = graph.positions[:, :2]
        for place in np.flatnonzero(((positions > (west, south)) & (positions < (east, north))).all(axis=1)):
            at = _xy(positions[place])
            drawing.disc("place", at, 2.2 * unit, (168, 164, 152), name=graph.ids[place])


def _xy(point: Floats) -> XY:
    return float(point[0]), float(point[1])


def save_map(drawing: Drawing, path: str | os.PathLike[str]) -> None:
    """Write a drawing as .png or .svg, by the file's name."""
    kind = Path(path).suffix.lower()
    if kind == ".svg":
        write_text(path, svg(drawing))
    elif kind == ".png":
        with atomic_write(path, "wb") as stream:
            paint(drawing).save(stream, "PNG")
    else:
        raise InputError("a file whose name ends in .png or .svg", format_value(str(path)))


def graph_map(
    graph: Graph,
    lines: Sequence[Line] = (),
    title: str = "",
    size: int = 640,
    margin: float = 40.0,
    street: float = 7.0,
    around: Sequence[str] = (),
) -> Image.Image:
    """Draw a small plain map of links and lines, `size` pixels wide and high.

    A line begins with a ring and ends with a dot; later lines lie on top.

    Args:
        graph: the world.
        lines: routes to draw; the map shows all of them, or the whole world without any.
        title: the heading.
        size: pixels per side.
        margin: metres around the lines.
        street: metres of a street's width.
        around: places that must be visible too, so that several maps can show the same region.
    """
    drawing = Drawing(region(graph, lines, margin, size, size, around), title)
    draw_graph(drawing, graph, street)
    Furniture(drawing, title, ()).draw_title()
    pixels_per_unit = 1.0 / (drawing.frame.scale * drawing.frame.unit)
    scaled_lines = [replace(line, width=line.width * pixels_per_unit) for line in lines if line.places]
    draw_routes(drawing, [line.route(graph) for line in scaled_lines], bare=True)
    return paint(drawing)


def walk_map(world: Graph | Plan, line: Line, size: int, margin: float) -> Image.Image:
    """Draw a map of a walk at one of its steps; the base map is cached until the walk leaves it."""
    graph = world.graph if isinstance(world, Plan) else world
    roads_near = region(graph, [line], margin, size, size)
    step = margin / 2
    east, north = (round(at / step) * step for at in (roads_near.east, roads_near.north))
    # The centre is rounded to steps, so the frame grows by half a step and is rounded up to a multiple of steps.
    frame = MapExtent(east, north, math.ceil((roads_near.radius + step / 2) / step) * step, size, size)
    drawing = Drawing(frame)
    draw_routes(drawing, [line.route(graph)])
    return paint(drawing, _base_canvas(world, frame))


@lru_cache(maxsize=16)
def _base_canvas(world: Graph | Plan, frame: MapExtent) -> Image.Image:
    return paint_canvas(overhead_map(world, frame))


LEGEND = "blue: the route   orange: what was walked   ring: start   dot: end"


def side_by_side(pictures: Sequence[Image.Image], columns: int = 3, gap: int = 8, caption: str = "") -> Image.Image:
    """Arrange pictures of one size in rows, with a caption below."""
    if not pictures:
        raise InputError("at least one picture", "none")
    width, height = pictures[0].size
    rows = -(-len(pictures) // columns)
    columns_used = min(columns, len(pictures))
    caption_height = 30 if caption else 0
    sheet = Image.new(
        "RGB", (columns_used * (width + gap) - gap, rows * (height + gap) - gap + caption_height), "white"
    )
    if caption:
        ImageDraw.Draw(sheet).text((10, sheet.height - 23), caption, INK, ImageFont.load_default(15))
    for k, picture in enumerate(pictures):
        sheet.paste(picture, (k % columns * (width + gap), k // columns * (height + gap)))
    return sheet
