"""A world from above for a page: the map's marks in a compact form, of the region that is looked at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from bearleft.geometry import Floats
from bearleft.world.city.plan import Plan
from bearleft.world.graph import Graph
from bearleft.world.map import draw_graph
from bearleft.world.mapping.drawing import Colour, Disc, Drawing, Mark, Shape, Stroke, Words
from bearleft.world.mapping.frame import LARGEST, NEAREST, SMALLEST, Frame
from bearleft.world.mapping.indoors import draw_rooms
from bearleft.world.mapping.labels import named_streets
from bearleft.world.mapping.room import Room
from bearleft.world.mapping.things import draw_buildings, draw_grounds, draw_things
from bearleft.world.mapping.ways import draw_ways

Row = list[Any]
MARGIN = 60.0  # metres around places: the houses on both sides of a street, and the next corner
INDOORS = 7.0  # metres around a place within which its room lies


def ground(where: Graph | Plan, places: Iterable[str] = ()) -> dict[str, list[Row]]:
    """The map around some places (default: all), as rows of plain values in the order they are painted in."""
    graph = where.graph if isinstance(where, Plan) else where
    numbers = [graph.number(place) for place in places]
    spots = graph.positions[numbers or slice(None), :2]
    indoors = isinstance(where, Plan) and where.indoors
    return {"marks": [row(mark, 2 if indoors else 1) for mark in drawn(where, spots).marks]}


def drawn(where: Graph | Plan, spots: Floats) -> Drawing:
    """The map around spots, without scale, north arrow and names that depend on how far one is away."""
    drawing = Drawing(framed(spots, INDOORS if isinstance(where, Plan) and where.indoors else MARGIN))
    if isinstance(where, Graph):
        draw_graph(drawing, where)
    elif where.indoors:
        draw_rooms(drawing, _furnished(where, spots), False, Room(drawing.box))
    else:
        draw_grounds(drawing, where)
        draw_ways(drawing, where, named_streets(where))
        draw_buildings(drawing, where)
        draw_things(drawing, where)
    return drawing


def framed(spots: Floats, margin: float) -> Frame:
    """The frame of spots, as long and as wide as they lie."""
    low, high = spots.min(axis=0) - margin, spots.max(axis=0) + margin
    wide, tall = high - low
    longest = max(wide, tall)
    width, height = (max(round(LARGEST * side / longest), SMALLEST) for side in (wide, tall))
    east, north = (low + high) / 2
    return Frame(float(east), float(north), max(float(min(wide, tall)) / 2, NEAREST), width, height)


def _furnished(plan: Plan, spots: Floats) -> Plan:
    """A plan with the things of rooms in use alone: rooms are many, and lie far apart."""
    at = np.column_stack([plan.things["x"], plan.things["y"]]) / 1000.0
    rooms = np.unique(spots, axis=0)
    keep = np.zeros(len(at), bool)
    for room in rooms:
        keep |= (np.abs(at - room) < INDOORS).all(axis=1)
    return replace(plan, things=plan.things[keep])


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
    return [
        "words", colour(mark.colour), _short(mark.size, 1), *_flat([mark.at], 1), _short(mark.angle, 1), mark.text
    ]  # fmt: skip


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
