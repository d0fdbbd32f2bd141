"""Streets of a plan from above: carriageways and sidewalks to scale, crosswalks, lanes, one-way arrows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bearleft.world.city.plan import Plan, Rows
from bearleft.world.maps.colours import ARROW, CENTRE, KERB, LANE, ROADWAY, SIDEWALK, ZEBRA
from bearleft.world.maps.frame import XY, Box, expand
from bearleft.world.maps.free_space import FreeSpace
from bearleft.world.maps.shapes import Drawing, Ring

if TYPE_CHECKING:
    from bearleft.types import Floats


CROSSWALK_DETAIL, LANE_DETAIL, ARROW_DETAIL = 1.7, 4.5, 0.45  # reference pixels per metre from which they are drawn
CROSSWALK_DEPTH, STOP_LINE_GAP = 3.2, 1.7  # metres of a crosswalk, and from it to the stop line
BAR_HALF, BAR_SPACING = 0.3, 1.2  # metres: half a bar of a crosswalk, and from bar to bar
PARKING_WIDTH = 2.3  # metres
ARROW_SPACING = 92.0  # reference pixels between arrows of one street


@dataclass(frozen=True)
class StreetLine:
    """A street, or a part of constant width, as a line."""

    points: Ring
    street: int
    half: float
    walk: float


def roads_near(roads: Rows, box: Box) -> Rows:
    """Return the road pieces that may reach into a box."""
    half_width = (roads["half"].astype(float) + roads["walk"]) / 1000.0
    keep = np.ones(len(roads), bool)
    for axis, low, high in (("x", box[0], box[2]), ("y", box[1], box[3])):
        start, end = roads[f"{axis}0"] / 1000.0, roads[f"{axis}1"] / 1000.0
        keep &= (np.maximum(start, end) + half_width >= low) & (np.minimum(start, end) - half_width <= high)
    return roads[keep]


def street_lines(roads: Rows, widths: bool = True) -> list[StreetLine]:
    """Join consecutive road pieces into lines; with `widths` only pieces of the same width."""
    lines: list[StreetLine] = []
    line: list[XY] = []
    previous = None
    for piece in roads[np.lexsort((roads["along"], roads["street"]))]:
        begin, end = (piece["x0"] / 1000.0, piece["y0"] / 1000.0), (piece["x1"] / 1000.0, piece["y1"] / 1000.0)
        continues = (
            previous is not None
            and previous["street"] == piece["street"]
            and (not widths or (previous["half"] == piece["half"] and previous["walk"] == piece["walk"]))
            and line[-1] == begin
        )
        if not continues:
            if previous is not None:
                lines.append(_street_line(line, previous))
            line = [begin]
        line.append(end)
        previous = piece
    if previous is not None:
        lines.append(_street_line(line, previous))
    return lines


def _street_line(line: list[XY], piece: np.void) -> StreetLine:
    return StreetLine(
        tuple((float(x), float(y)) for x, y in line),
        int(piece["street"]),
        piece["half"] / 1000.0,
        piece["walk"] / 1000.0,
    )


def draw_streets(drawing: Drawing, plan: Plan, names: dict[int, str]) -> None:
    """Draw sidewalks, then kerbs, then carriageways, so that crossings are open."""
    roads = roads_near(plan.roads, drawing.box)
    lines = street_lines(roads)
    kerb = max(0.16, 0.6 * drawing.frame.unit)
    for line in lines:
        drawing.stroke("sidewalk", line.points, SIDEWALK, 2 * (line.half + line.walk))
    for line in lines:
        drawing.stroke("kerb", line.points, KERB, 2 * (line.half + kerb))
    for line in lines:
        drawing.stroke("street", line.points, ROADWAY, 2 * line.half, name=names.get(line.street, ""))
    if drawing.frame.detail >= LANE_DETAIL:
        _draw_lanes(drawing, roads)
    if drawing.frame.detail >= CROSSWALK_DETAIL:
        _draw_crosswalks(drawing, roads)


@dataclass(frozen=True)
class _Pieces:
    """Road pieces in metres: start, direction and length."""

    begin: Floats
    direction: Floats
    length: Floats

    @classmethod
    def of(cls, roads: Rows) -> _Pieces:
        begin = np.column_stack([roads["x0"], roads["y0"]]) / 1000.0
        delta = np.column_stack([roads["x1"], roads["y1"]]) / 1000.0 - begin
        length = np.hypot(delta[:, 0], delta[:, 1])
        return cls(begin, delta / np.maximum(length, 1e-9)[:, None], length)

    def point(self, k: int, distance: float, side: float) -> XY:
        """Return the point at a distance along piece k, and to its right."""
        (x, y), (u, v) = self.begin[k], self.direction[k]
        return float(x + distance * u + side * v), float(y + distance * v - side * u)

    def bar(self, k: int, first: float, last: float, side: float, half: float) -> Ring:
        """Return a rectangle along piece k."""
        return tuple(
            self.point(k, along, aside)
            for along, aside in ((first, side - half), (last, side - half), (last, side + half), (first, side + half))
        )


def _draw_crosswalks(drawing: Drawing, roads: Rows) -> None:
    pieces = _Pieces.of(roads)
    for k in np.flatnonzero(roads["zebra"]).tolist():
        half = roads["half"][k] / 1000.0
        length, zebra = pieces.length[k], int(roads["zebra"][k])
        count = int((half - 0.3) / BAR_SPACING)
        sides = [
            BAR_SPACING * (n + 0.25)
            for n in range(-count - 1, count + 1)
            if abs(BAR_SPACING * (n + 0.25)) + BAR_HALF <= half - 0.2
        ]
        for bit, first in ((1, roads["trim0"][k] / 1000.0), (2, length - roads["trim1"][k] / 1000.0 - CROSSWALK_DEPTH)):
            if zebra & bit:
                bars = [pieces.bar(k, first + 0.2, first + CROSSWALK_DEPTH, side, BAR_HALF) for side in sides]
                drawing.polygon("crosswalk", bars, ZEBRA)


def _draw_lanes(drawing: Drawing, roads: Rows) -> None:
    pieces = _Pieces.of(roads)
    for k, road in enumerate(roads):
        length, half, lanes = pieces.length[k], road["half"] / 1000.0, int(road["lanes"])
        first = road["trim0"] / 1000.0 + (CROSSWALK_DEPTH + STOP_LINE_GAP if road["zebra"] & 1 else 0.0)
        last = length - road["trim1"] / 1000.0 - (CROSSWALK_DEPTH + STOP_LINE_GAP if road["zebra"] & 2 else 0.0)
        if last - first < 0.5:
            continue
        left, right = (
            side * (half - (PARKING_WIDTH if road["parking"] & bit else 0.3)) for side, bit in ((-1, 1), (1, 2))
        )
        if road["flow"] == 0:
            drawing.polygon("centre line", [pieces.bar(k, first, last, 0.0, 0.13)], CENTRE)
        dashes = []
        for n in range(1, lanes):
            if road["flow"] == 0 and 2 * n == lanes:
                continue
            side = left + (right - left) * n / lanes
            position = 9.0 * math.floor((road["along"] / 1000.0 + first) / 9.0) - road["along"] / 1000.0
            while position < last:
                begin, end = max(position, first), min(position + 3.15, last)
                if end > begin:
                    dashes.append(pieces.bar(k, begin, end, side, 0.09))
                position += 9.0
        for side, bit in ((left, 1), (right, 2)):
            if road["parking"] & bit:
                dashes.append(pieces.bar(k, first, last, side, 0.06))
        drawing.polygon("lane", dashes, LANE)


def draw_arrows(drawing: Drawing, plan: Plan, free_space: FreeSpace, avoided: FreeSpace) -> None:
    """Draw one-way arrows between crossings, where there is space."""
    unit = drawing.frame.unit
    if drawing.frame.detail < ARROW_DETAIL:
        return
    roads = roads_near(plan.roads, drawing.box)
    roads = roads[np.lexsort((roads["along"], roads["street"]))]
    roads = roads[(roads["flow"] != 0) & (roads["trim0"] == 0) & (roads["trim1"] == 0)]
    pieces = _Pieces.of(roads)
    placed: dict[int, list[XY]] = {}
    for k, road in enumerate(roads):
        xy = pieces.point(k, pieces.length[k] / 2, 0.0)
        placed_here = placed.setdefault(int(road["street"]), [])
        if any(math.dist(xy, other_xy) < ARROW_SPACING * unit for other_xy in placed_here):
            continue
        length = min(15.0 * unit, max(1.9 * road["half"] / 1000.0, 9.0 * unit))
        disc = np.array([[*xy, length * 0.55]])
        if not (free_space.is_free(disc) and avoided.is_free(disc)) or not _in_box(xy, expand(drawing.box, -length)):
            continue
        free_space.occupy(disc)
        placed_here.append(xy)
        drawing.polygon("one way", [_arrow(xy, pieces.direction[k] * int(road["flow"]), length)], ARROW)


def _in_box(at: XY, box: Box) -> bool:
    return box[0] <= at[0] <= box[2] and box[1] <= at[1] <= box[3]


def _arrow(at: XY, direction: Floats, length: float) -> Ring:
    """Return an arrow `length` metres long with its centre at a point."""
    outline = ((-0.5, -0.07), (0.05, -0.07), (0.05, -0.26), (0.5, 0.0), (0.05, 0.26), (0.05, 0.07), (-0.5, 0.07))
    u, v = float(direction[0]) * length, float(direction[1]) * length
    return tuple((at[0] + x * u + y * v, at[1] + x * v - y * u) for x, y in outline)
