"""What lies over a map: routes, where one looks, a title, a legend, a scale and an arrow to the north."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bearleft.errors import InputError, shown
from bearleft.geometry import Floats
from bearleft.world.maps.colours import CONE, INK, PAPER, ROUTES, TARGET
from bearleft.world.maps.frame import Box, Spot, inside
from bearleft.world.maps.free_space import Room
from bearleft.world.maps.marks import Colour, Drawing, Words, shortened, words_length

EVERY = 58.0  # usual pixels between the arrows of a route
SCALES = [step * 10**power for power in range(-1, 5) for step in (1, 2, 5)]  # metres of a scale bar
PAD, LETTERS, ROW = 9.0, 12.0, 18.0  # usual pixels


@dataclass(frozen=True)
class Course:
    """A route on the map in metres: `width` is in usual pixels, `target` what one shall find at its end."""

    points: tuple[Spot, ...]
    colour: Colour = ROUTES[0]
    width: float = 6.0
    name: str = ""
    target: Spot | None = None


@dataclass(frozen=True)
class Cone:
    """Where one stands and looks: degrees clockwise from north, degrees across, metres."""

    at: Spot
    heading: float
    fov: float = 90.0
    reach: float = 40.0

    def __post_init__(self) -> None:
        if not np.isfinite([*self.at, self.heading]).all():
            raise InputError("a pose in metres and degrees", shown([*self.at, self.heading]))
        if not 0 < self.fov <= 360:
            raise InputError("a field of view from 0 to 360 degrees", shown(self.fov), "fov")
        if not 0 < self.reach < math.inf:
            raise InputError("metres that one sees", shown(self.reach), "reach")


def draw_cone(drawing: Drawing, cone: Cone) -> None:
    """The sector that one sees."""
    steps = max(math.ceil(cone.fov / 4), 2)
    angles = np.radians(cone.heading + np.linspace(-0.5, 0.5, steps + 1) * cone.fov)
    rim = [(cone.at[0] + cone.reach * math.sin(a), cone.at[1] + cone.reach * math.cos(a)) for a in angles]
    ring = rim if cone.fov >= 360 else [cone.at, *rim]
    drawing.shape("view", [ring], CONE, opacity=0.3)


def draw_viewer(drawing: Drawing, cone: Cone) -> None:
    """A dot where one stands."""
    unit = drawing.frame.unit
    drawing.disc("viewer", cone.at, 6.5 * unit, CONE, PAPER, 2.0 * unit)


def draw_courses(drawing: Drawing, courses: Sequence[Course], bare: bool = False) -> None:
    """Lines with a pale edge and arrows (not if `bare`), a ring where they start, a dot where they end, targets."""
    unit = drawing.frame.unit
    for k, one in enumerate(courses):
        if not bare:
            drawing.stroke("route edge", one.points, PAPER, (one.width + (1.4 if k else 3.0)) * unit)
        drawing.stroke("route", one.points, one.colour, one.width * unit, name=one.name)
        if not bare:
            _draw_arrows(drawing, one)
    for one in courses:
        reach = one.width * 1.45 * unit
        drawing.disc("route start", one.points[0], reach, PAPER, one.colour, one.width * 0.55 * unit, name=one.name)
        drawing.disc("route end", one.points[-1], reach, one.colour, PAPER, 1.5 * unit, name=one.name)
    for one in courses:
        if one.target is not None:
            for kind, radius, colour in (
                ("target", 9.5, TARGET),
                ("target ring", 6.3, PAPER),
                ("target dot", 3.2, TARGET),
            ):
                edge = PAPER if kind == "target" else None
                drawing.disc(kind, one.target, radius * unit, colour, edge, 1.4 * unit if edge else 0.0)


def _draw_arrows(drawing: Drawing, course: Course) -> None:
    unit = drawing.frame.unit
    where = np.array(course.points)
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(where, axis=0).T))])
    size = course.width * 0.62 * unit
    count = int(along[-1] / (EVERY * unit))
    for k in range(count):
        at = along[-1] * (k + 0.5) / count
        x, y = (float(np.interp(at, along, where[:, axis])) for axis in (0, 1))
        back, ahead = ([float(np.interp(at + by, along, where[:, axis])) for axis in (0, 1)] for by in (-size, size))
        dx, dy = ahead[0] - back[0], ahead[1] - back[1]
        far = math.hypot(dx, dy)
        if not far or not inside(drawing.box, (x, y)):
            continue
        u, v = dx / far * size, dy / far * size
        tip = [(x + a * u + b * v, y + a * v - b * u) for a, b in ((1.0, 0.0), (-0.7, -0.8), (-0.25, 0.0), (-0.7, 0.8))]
        drawing.shape("route arrow", [tip], PAPER)


def take_courses(courses: Sequence[Course], room: Room, soft: Room, unit: float) -> None:
    """Names keep off ends and targets, and where they can off the lines."""
    for one in courses:
        reach = one.width * 1.6 * unit
        ends: list[Floats] = [np.array([[*at, reach]]) for at in (one.points[0], one.points[-1])]
        if one.target is not None:
            ends.append(np.array([[*one.target, 10.0 * unit]]))
        room.take(np.concatenate(ends))
        soft.take_line(one.points, one.width * 0.7 * unit)


@dataclass(frozen=True)
class Furniture:
    """Title above left, north above right, scale below left, legend below right; `boxes` is the room they need."""

    drawing: Drawing
    title: str
    legend: tuple[tuple[str, Colour], ...]

    @property
    def unit(self) -> float:
        """A usual pixel in metres."""
        return self.drawing.frame.unit

    def boxes(self) -> list[Box]:
        """Where the furniture stands."""
        west, south, east, north = self.drawing.box
        u = self.unit
        found = [
            (east - 52 * u, north - 66 * u, east, north),
            (west, south, west + (self.bar[1] + 34 * u), south + 44 * u),
        ]
        return found + [box for box in (self._title_box(), self._legend_box()) if box is not None]

    @property
    def bar(self) -> tuple[float, float]:
        """Metres that the scale bar says, and its length on the map, the same."""
        west, _, east, _ = self.drawing.box
        most = min((east - west) * 0.3, 170 * self.unit)
        long = max((one for one in SCALES if one <= most), default=SCALES[0])
        return long, long

    @cached_property
    def _title(self) -> str:
        """As much of the title as there is room for, beside the arrow to the north."""
        west, _, east, _ = self.drawing.box
        u = self.unit
        return shortened(self.title, 15 * u, east - west - (10 + 2 * PAD + 56) * u)

    @cached_property
    def _legend(self) -> list[tuple[str, Colour]]:
        """The legend with names as long as there is room for."""
        west, _, east, _ = self.drawing.box
        most = east - west - (20 + 2 * PAD + 30) * self.unit
        named = ((shortened(name, LETTERS * self.unit, most), colour) for name, colour in self.legend)
        return [(name, colour) for name, colour in named if name]

    def _title_box(self) -> Box | None:
        if not self._title:
            return None
        west, _, _, north = self.drawing.box
        u = self.unit
        long = words_length(self._title, 15 * u)
        return west + 10 * u, north - 38 * u, west + 10 * u + long + 2 * PAD * u, north - 10 * u

    def _legend_box(self) -> Box | None:
        if not self._legend:
            return None
        _, south, east, _ = self.drawing.box
        u = self.unit
        long = max(words_length(name, LETTERS * u) for name, _ in self._legend)
        wide, high = long + (2 * PAD + 30) * u, (len(self._legend) * ROW + 2 * PAD - 4) * u
        return east - 10 * u - wide, south + 10 * u, east - 10 * u, south + 10 * u + high

    def draw(self) -> None:
        """Adds it all."""
        self.draw_title()
        self._draw_legend()
        self._draw_scale()
        self._draw_north()

    def _panel(self, kind: str, box: Box) -> None:
        ring = [(box[0], box[1]), (box[2], box[1]), (box[2], box[3]), (box[0], box[3])]
        self.drawing.shape(kind, [ring], PAPER, opacity=0.88)

    def draw_title(self) -> None:
        """The title on a pale panel."""
        box = self._title_box()
        if box is not None:
            self._panel("title panel", box)
            at = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
            self.drawing.words(Words("title", at, self._title, 15 * self.unit, INK))

    def _draw_legend(self) -> None:
        box, u = self._legend_box(), self.unit
        if box is None:
            return
        self._panel("legend panel", box)
        for k, (name, colour) in enumerate(self._legend):
            y = box[3] - (PAD + ROW * k + 7) * u
            x = box[0] + PAD * u
            self.drawing.stroke("legend line", [(x + 2 * u, y), (x + 20 * u, y)], colour, 5 * u)
            words = Words("legend", (0, 0), name, LETTERS * u, INK)
            at = x + 28 * u + words.length / 2, y
            self.drawing.words(Words("legend", at, name, LETTERS * u, INK))

    def _draw_scale(self) -> None:
        west, south, _, _ = self.drawing.box
        u, (long, _) = self.unit, self.bar
        x, y = west + 16 * u, south + 16 * u
        for colour, width in ((PAPER, 5.0), (INK, 2.0)):
            self.drawing.stroke(
                "scale", [(x, y + 5 * u), (x, y), (x + long, y), (x + long, y + 5 * u)], colour, width * u
            )
        said = f"{long / 1000:g} km" if long >= 1000 else f"{long:g} m"
        self.drawing.words(Words("scale", (x + long / 2, y + 12 * u), said, 11 * u, INK, PAPER))

    def _draw_north(self) -> None:
        _, _, east, north = self.drawing.box
        u = self.unit
        x, y = east - 27 * u, north - 40 * u
        self.drawing.disc("north", (x, y + 6 * u), 23 * u, PAPER, opacity=0.88)
        for side, colour in ((-1, INK), (1, (150, 150, 154))):
            half = [(x, y + 14 * u), (x + side * 7 * u, y - 9 * u), (x, y - 4 * u)]
            self.drawing.shape("north", [half], colour)
        self.drawing.words(Words("north", (x, y + 20 * u), "N", 11 * u, INK))
