"""Streets of a plan from above: carriageways and sidewalks as wide as they are, crosswalks, lanes, one-way arrows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bearleft.geometry import Floats
from bearleft.world.city.plan import Plan, Rows
from bearleft.world.maps.colours import ARROW, CENTRE, KERB, LANE, ROADWAY, SIDEWALK, ZEBRA
from bearleft.world.maps.frame import Box, Spot, grown
from bearleft.world.maps.free_space import Room
from bearleft.world.maps.marks import Drawing, Ring

CROSSWALKS, LANES, ARROWS = 1.7, 4.5, 0.45  # usual pixels in a metre from which they are drawn
DEEP, WAITING = 3.2, 1.7  # metres of a crosswalk, and from it to where one waits
BAR, BARS = 0.3, 1.2  # half a bar of a crosswalk, and from bar to bar
PARKING = 2.3  # metres of a parking lane
APART = 92.0  # usual pixels between arrows of one street


@dataclass(frozen=True)
class Course:
    """A street, or a part of it that is as wide throughout, as a line."""

    points: Ring
    street: int
    half: float
    walk: float


def near(roads: Rows, box: Box) -> Rows:
    """The pieces that may reach into a box."""
    wide = (roads["half"].astype(float) + roads["walk"]) / 1000.0
    keep = np.ones(len(roads), bool)
    for axis, low, high in (("x", box[0], box[2]), ("y", box[1], box[3])):
        one, other = roads[f"{axis}0"] / 1000.0, roads[f"{axis}1"] / 1000.0
        keep &= (np.maximum(one, other) + wide >= low) & (np.minimum(one, other) - wide <= high)
    return roads[keep]


def courses(roads: Rows, widths: bool = True) -> list[Course]:
    """Pieces that follow each other as one line; `widths`: only as far as they are as wide."""
    found: list[Course] = []
    line: list[Spot] = []
    before = None
    for piece in roads[np.lexsort((roads["along"], roads["street"]))]:
        begin, end = (piece["x0"] / 1000.0, piece["y0"] / 1000.0), (piece["x1"] / 1000.0, piece["y1"] / 1000.0)
        goes_on = (
            before is not None
            and before["street"] == piece["street"]
            and (not widths or (before["half"] == piece["half"] and before["walk"] == piece["walk"]))
            and line[-1] == begin
        )
        if not goes_on:
            if before is not None:
                found.append(_course(line, before))
            line = [begin]
        line.append(end)
        before = piece
    if before is not None:
        found.append(_course(line, before))
    return found


def _course(line: list[Spot], piece: np.void) -> Course:
    return Course(
        tuple((float(x), float(y)) for x, y in line),
        int(piece["street"]),
        piece["half"] / 1000.0,
        piece["walk"] / 1000.0,
    )


def draw_ways(drawing: Drawing, plan: Plan, names: dict[int, str]) -> None:
    """Sidewalks, then kerbs, then carriageways, so that crossings are open."""
    roads = near(plan.roads, drawing.box)
    every = courses(roads)
    kerb = max(0.16, 0.6 * drawing.frame.unit)
    for one in every:
        drawing.stroke("sidewalk", one.points, SIDEWALK, 2 * (one.half + one.walk))
    for one in every:
        drawing.stroke("kerb", one.points, KERB, 2 * (one.half + kerb))
    for one in every:
        drawing.stroke("street", one.points, ROADWAY, 2 * one.half, name=names.get(one.street, ""))
    if drawing.frame.detail >= LANES:
        _draw_lanes(drawing, roads)
    if drawing.frame.detail >= CROSSWALKS:
        _draw_crosswalks(drawing, roads)


@dataclass(frozen=True)
class _Pieces:
    """Pieces in metres: where they begin, which way they go, how long they are."""

    begin: Floats
    way: Floats
    length: Floats

    @classmethod
    def of(cls, roads: Rows) -> _Pieces:
        begin = np.column_stack([roads["x0"], roads["y0"]]) / 1000.0
        by = np.column_stack([roads["x1"], roads["y1"]]) / 1000.0 - begin
        length = np.hypot(by[:, 0], by[:, 1])
        return cls(begin, by / np.maximum(length, 1e-9)[:, None], length)

    def spot(self, k: int, along: float, side: float) -> Spot:
        """So far along piece k, so far to its right."""
        (x, y), (u, v) = self.begin[k], self.way[k]
        return float(x + along * u + side * v), float(y + along * v - side * u)

    def bar(self, k: int, first: float, last: float, side: float, half: float) -> Ring:
        """A rectangle along piece k."""
        return tuple(
            self.spot(k, along, aside)
            for along, aside in ((first, side - half), (last, side - half), (last, side + half), (first, side + half))
        )


def _draw_crosswalks(drawing: Drawing, roads: Rows) -> None:
    pieces = _Pieces.of(roads)
    for k in np.flatnonzero(roads["zebra"]).tolist():
        half = roads["half"][k] / 1000.0
        length, zebra = pieces.length[k], int(roads["zebra"][k])
        count = int((half - 0.3) / BARS)
        sides = [BARS * (n + 0.25) for n in range(-count - 1, count + 1) if abs(BARS * (n + 0.25)) + BAR <= half - 0.2]
        for bit, first in ((1, roads["trim0"][k] / 1000.0), (2, length - roads["trim1"][k] / 1000.0 - DEEP)):
            if zebra & bit:
                bars = [pieces.bar(k, first + 0.2, first + DEEP, side, BAR) for side in sides]
                drawing.shape("crosswalk", bars, ZEBRA)


def _draw_lanes(drawing: Drawing, roads: Rows) -> None:
    pieces = _Pieces.of(roads)
    for k, road in enumerate(roads):
        length, half, lanes = pieces.length[k], road["half"] / 1000.0, int(road["lanes"])
        first = road["trim0"] / 1000.0 + (DEEP + WAITING if road["zebra"] & 1 else 0.0)
        last = length - road["trim1"] / 1000.0 - (DEEP + WAITING if road["zebra"] & 2 else 0.0)
        if last - first < 0.5:
            continue
        left, right = (side * (half - (PARKING if road["parking"] & bit else 0.3)) for side, bit in ((-1, 1), (1, 2)))
        if road["flow"] == 0:
            drawing.shape("centre line", [pieces.bar(k, first, last, 0.0, 0.13)], CENTRE)
        dashes = []
        for n in range(1, lanes):
            if road["flow"] == 0 and 2 * n == lanes:
                continue
            side = left + (right - left) * n / lanes
            at = 9.0 * math.floor((road["along"] / 1000.0 + first) / 9.0) - road["along"] / 1000.0
            while at < last:
                begin, end = max(at, first), min(at + 3.15, last)
                if end > begin:
                    dashes.append(pieces.bar(k, begin, end, side, 0.09))
                at += 9.0
        for side, bit in ((left, 1), (right, 2)):
            if road["parking"] & bit:
                dashes.append(pieces.bar(k, first, last, side, 0.06))
        drawing.shape("lane", dashes, LANE)


def draw_arrows(drawing: Drawing, plan: Plan, room: Room, soft: Room) -> None:
    """One-way arrows where there is room, between crossings."""
    unit = drawing.frame.unit
    if drawing.frame.detail < ARROWS:
        return
    roads = near(plan.roads, drawing.box)
    roads = roads[np.lexsort((roads["along"], roads["street"]))]
    roads = roads[(roads["flow"] != 0) & (roads["trim0"] == 0) & (roads["trim1"] == 0)]
    pieces = _Pieces.of(roads)
    put: dict[int, list[Spot]] = {}
    for k, road in enumerate(roads):
        at = pieces.spot(k, pieces.length[k] / 2, 0.0)
        others = put.setdefault(int(road["street"]), [])
        if any(math.dist(at, other) < APART * unit for other in others):
            continue
        long = min(15.0 * unit, max(1.9 * road["half"] / 1000.0, 9.0 * unit))
        disc = np.array([[*at, long * 0.55]])
        if not (room.free(disc) and soft.free(disc)) or not _within(at, grown(drawing.box, -long)):
            continue
        room.take(disc)
        others.append(at)
        drawing.shape("one way", [_arrow(at, pieces.way[k] * int(road["flow"]), long)], ARROW)


def _within(at: Spot, box: Box) -> bool:
    return box[0] <= at[0] <= box[2] and box[1] <= at[1] <= box[3]


def _arrow(at: Spot, way: Floats, long: float) -> Ring:
    """An arrow `long` metres long with its middle at a spot."""
    outline = ((-0.5, -0.07), (0.05, -0.07), (0.05, -0.26), (0.5, 0.0), (0.05, 0.26), (0.05, 0.07), (-0.5, 0.07))
    u, v = float(way[0]) * long, float(way[1]) * long
    return tuple((at[0] + x * u + y * v, at[1] + x * v - y * u) for x, y in outline)
