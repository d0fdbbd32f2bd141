"""Overlays of a map: routes, fields of view, title, legend, scale and north arrow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bearleft.errors import InputError, format_value
from bearleft.world.maps.colours import CONE, INK, PAPER, ROUTES, TARGET
from bearleft.world.maps.frame import XY, Box, contains
from bearleft.world.maps.free_space import FreeSpace
from bearleft.world.maps.shapes import Colour, Drawing, Words, truncate_text, words_length

if TYPE_CHECKING:
    from bearleft.types import Floats


ARROW_SPACING = 58.0  # reference pixels between the arrows of a route
SCALES = [step * 10**power for power in range(-1, 5) for step in (1, 2, 5)]  # metres of a scale bar
PADDING, LETTER_SIZE, ROW_HEIGHT = 9.0, 12.0, 18.0  # reference pixels


@dataclass(frozen=True)
class RouteLine:
    """A route in metres.

    Attributes:
        points: Its points.
        colour: Its colour.
        width: Its width in reference pixels.
        name: Its name in the legend, and its tooltip.
        target: What is to be found at its end.
        starts: Whether a ring marks its start.
        arrives: Whether a dot marks its end; otherwise a cross does.
    """

    points: tuple[XY, ...]
    colour: Colour = ROUTES[0]
    width: float = 6.0
    name: str = ""
    target: XY | None = None
    starts: bool = True
    arrives: bool = True


@dataclass(frozen=True)
class Cone:
    """A field of view: position, heading (degrees clockwise from north), degrees across, metres."""

    at: XY
    heading: float
    fov: float = 90.0
    radius: float = 40.0

    def __post_init__(self) -> None:
        if not np.isfinite([*self.at, self.heading]).all():
            raise InputError("a pose in metres and degrees", format_value([*self.at, self.heading]))
        if not 0 < self.fov <= 360:
            raise InputError("a field of view from 0 to 360 degrees", format_value(self.fov), "fov")
        if not 0 < self.radius < math.inf:
            raise InputError("a positive radius in metres", format_value(self.radius), "radius")


def draw_cone(drawing: Drawing, cone: Cone) -> None:
    """Draw the sector of a field of view."""
    steps = max(math.ceil(cone.fov / 4), 2)
    angles = np.radians(cone.heading + np.linspace(-0.5, 0.5, steps + 1) * cone.fov)
    rim = [(cone.at[0] + cone.radius * math.sin(a), cone.at[1] + cone.radius * math.cos(a)) for a in angles]
    ring = rim if cone.fov >= 360 else [cone.at, *rim]
    drawing.polygon("view", [ring], CONE, opacity=0.3)


def draw_viewer(drawing: Drawing, cone: Cone) -> None:
    """Draw a dot at the viewer's position."""
    unit = drawing.frame.unit
    drawing.disc("viewer", cone.at, 6.5 * unit, CONE, PAPER, 2.0 * unit)


def draw_routes(drawing: Drawing, routes: Sequence[RouteLine], bare: bool = False) -> None:
    """Draw routes with a pale edge and arrows (unless `bare`), marks at the start and the end, and targets."""
    unit = drawing.frame.unit
    for k, route in enumerate(routes):
        if not bare:
            drawing.stroke("route edge", route.points, PAPER, (route.width + (1.4 if k else 3.0)) * unit)
        drawing.stroke("route", route.points, route.colour, route.width * unit, name=route.name)
        if not bare:
            _draw_arrows(drawing, route)
    for route in routes:
        radius = route.width * 1.45 * unit
        if route.starts:
            drawing.disc(
                "route start", route.points[0], radius, PAPER, route.colour, route.width * 0.55 * unit, name=route.name
            )
        if route.arrives:
            drawing.disc("route end", route.points[-1], radius, route.colour, PAPER, 1.5 * unit, name=route.name)
        else:
            draw_cross(drawing, route.points[-1], radius, route.colour, route.name)
    for route in routes:
        if route.target is not None:
            for kind, radius, colour in (
                ("target", 9.5, TARGET),
                ("target ring", 6.3, PAPER),
                ("target dot", 3.2, TARGET),
            ):
                edge = PAPER if kind == "target" else None
                drawing.disc(kind, route.target, radius * unit, colour, edge, 1.4 * unit if edge else 0.0)


def draw_cross(drawing: Drawing, at: XY, radius: float, colour: Colour, name: str = "") -> None:
    """Draw a diagonal cross with a pale edge."""
    x, y = at
    for edge, width in ((PAPER, 0.95), (colour, 0.5)):
        for side in (-1, 1):
            ends = [(x - radius, y - side * radius), (x + radius, y + side * radius)]
            drawing.stroke("route end", ends, edge, width * radius, name=name)


def _draw_arrows(drawing: Drawing, route: RouteLine) -> None:
    unit = drawing.frame.unit
    points_ = np.array(route.points)
    distances = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points_, axis=0).T))])
    size = route.width * 0.62 * unit
    count = int(distances[-1] / (ARROW_SPACING * unit))
    for k in range(count):
        distance = distances[-1] * (k + 0.5) / count
        x, y = (float(np.interp(distance, distances, points_[:, axis])) for axis in (0, 1))
        back, ahead = (
            [float(np.interp(distance + offset, distances, points_[:, axis])) for axis in (0, 1)]
            for offset in (-size, size)
        )
        dx, dy = ahead[0] - back[0], ahead[1] - back[1]
        length = math.hypot(dx, dy)
        if not length or not contains(drawing.box, (x, y)):
            continue
        u, v = dx / length * size, dy / length * size
        tip = [(x + a * u + b * v, y + a * v - b * u) for a, b in ((1.0, 0.0), (-0.7, -0.8), (-0.25, 0.0), (-0.7, 0.8))]
        drawing.polygon("route arrow", [tip], PAPER)


def reserve_routes(routes: Sequence[RouteLine], free_space: FreeSpace, avoided: FreeSpace, unit: float) -> None:
    """Keep labels off ends and targets, and preferably off the lines."""
    for route in routes:
        radius = route.width * 1.6 * unit
        ends: list[Floats] = [np.array([[*at, radius]]) for at in (route.points[0], route.points[-1])]
        if route.target is not None:
            ends.append(np.array([[*route.target, 10.0 * unit]]))
        free_space.occupy(np.concatenate(ends))
        avoided.occupy_line(route.points, route.width * 0.7 * unit)


@dataclass(frozen=True)
class Furniture:
    """Title, north arrow, scale bar and legend in the corners; `boxes` is the space they need."""

    drawing: Drawing
    title: str
    legend: tuple[tuple[str, Colour], ...]

    @property
    def unit(self) -> float:
        """Return a reference pixel in metres."""
        return self.drawing.frame.unit

    def boxes(self) -> list[Box]:
        """Return the space of all elements."""
        west, south, east, north = self.drawing.box
        u = self.unit
        boxes = [
            (east - 52 * u, north - 66 * u, east, north),
            (west, south, west + (self.bar[1] + 34 * u), south + 44 * u),
        ]
        return boxes + [box for box in (self._title_box(), self._legend_box()) if box is not None]

    @property
    def bar(self) -> tuple[float, float]:
        """Return the metres of the scale bar, and its length on the map, the same."""
        west, _, east, _ = self.drawing.box
        max_length = min((east - west) * 0.3, 170 * self.unit)
        length = max((scale for scale in SCALES if scale <= max_length), default=SCALES[0])
        return length, length

    @cached_property
    def _title(self) -> str:
        """Return as much of the title as fits beside the north arrow."""
        west, _, east, _ = self.drawing.box
        u = self.unit
        return truncate_text(self.title, 15 * u, east - west - (10 + 2 * PADDING + 56) * u)

    @cached_property
    def _legend(self) -> list[tuple[str, Colour]]:
        """Return the legend with names truncated to fit."""
        west, _, east, _ = self.drawing.box
        max_length = east - west - (20 + 2 * PADDING + 30) * self.unit
        named = ((truncate_text(name, LETTER_SIZE * self.unit, max_length), colour) for name, colour in self.legend)
        return [(name, colour) for name, colour in named if name]

    def _title_box(self) -> Box | None:
        if not self._title:
            return None
        west, _, _, north = self.drawing.box
        u = self.unit
        length = words_length(self._title, 15 * u)
        return west + 10 * u, north - 38 * u, west + 10 * u + length + 2 * PADDING * u, north - 10 * u

    def _legend_box(self) -> Box | None:
        if not self._legend:
            return None
        _, south, east, _ = self.drawing.box
        u = self.unit
        length = max(words_length(name, LETTER_SIZE * u) for name, _ in self._legend)
        box_width, box_height = length + (2 * PADDING + 30) * u, (len(self._legend) * ROW_HEIGHT + 2 * PADDING - 4) * u
        return east - 10 * u - box_width, south + 10 * u, east - 10 * u, south + 10 * u + box_height

    def draw(self) -> None:
        """Draw everything."""
        self.draw_title()
        self._draw_legend()
        self._draw_scale()
        self._draw_north()

    def _panel(self, kind: str, box: Box) -> None:
        ring = [(box[0], box[1]), (box[2], box[1]), (box[2], box[3]), (box[0], box[3])]
        self.drawing.polygon(kind, [ring], PAPER, opacity=0.88)

    def draw_title(self) -> None:
        """Draw the title on a pale panel."""
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
            y = box[3] - (PADDING + ROW_HEIGHT * k + 7) * u
            x = box[0] + PADDING * u
            self.drawing.stroke("legend line", [(x + 2 * u, y), (x + 20 * u, y)], colour, 5 * u)
            words = Words("legend", (0, 0), name, LETTER_SIZE * u, INK)
            at = x + 28 * u + words.length / 2, y
            self.drawing.words(Words("legend", at, name, LETTER_SIZE * u, INK))

    def _draw_scale(self) -> None:
        west, south, _, _ = self.drawing.box
        u, (length, _) = self.unit, self.bar
        x, y = west + 16 * u, south + 16 * u
        for colour, width in ((PAPER, 5.0), (INK, 2.0)):
            self.drawing.stroke(
                "scale", [(x, y + 5 * u), (x, y), (x + length, y), (x + length, y + 5 * u)], colour, width * u
            )
        label = f"{length / 1000:g} km" if length >= 1000 else f"{length:g} m"
        self.drawing.words(Words("scale", (x + length / 2, y + 12 * u), label, 11 * u, INK, PAPER))

    def _draw_north(self) -> None:
        _, _, east, north = self.drawing.box
        u = self.unit
        x, y = east - 27 * u, north - 40 * u
        self.drawing.disc("north", (x, y + 6 * u), 23 * u, PAPER, opacity=0.88)
        for side, colour in ((-1, INK), (1, (150, 150, 154))):
            half = [(x, y + 14 * u), (x + side * 7 * u, y - 9 * u), (x, y - 4 * u)]
            self.drawing.polygon("north", [half], colour)
        self.drawing.words(Words("north", (x, y + 20 * u), "N", 11 * u, INK))
