"""A map as a list of shapes in metres: polygons, strokes, discs and text, independent of how they are painted.

A shape's `kind` says what it stands for ("building", "route"), `instance` which object of the city, and `name` is the
tooltip.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from PIL import ImageFont

from bearleft.world.maps.frame import XY, Box, MapExtent, clip_line, clip_polygon, contains, expand

Colour = tuple[int, int, int]
Ring = tuple[XY, ...]
BASELINE = 0.35  # of the letter size, from the middle of the text down to its baseline
MAX_CHARACTERS = 1000  # of a line
_MEASURE_SIZE = 100  # font size in pixels used to measure text
_FORBIDDEN = re.compile(r"[^\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clean_text(text: str) -> str:
    """Return a text on one line; characters that SVG or HTML cannot hold become replacement characters."""
    return _FORBIDDEN.sub("\ufffd", " ".join(text.split()))


@dataclass(frozen=True)
class Shape:
    """Base class of shapes."""

    kind: str
    instance: int = field(default=0, kw_only=True)
    name: str = field(default="", kw_only=True)


@dataclass(frozen=True)
class Polygon(Shape):
    """One or more polygons without holes; the edge is `width` metres wide."""

    rings: tuple[Ring, ...]
    fill: Colour
    edge: Colour | None = None
    width: float = 0.0
    opacity: float = 1.0


@dataclass(frozen=True)
class Stroke(Shape):
    """A line `width` metres wide with round ends and joins."""

    points: Ring
    colour: Colour
    width: float


@dataclass(frozen=True)
class Disc(Shape):
    """A disc; its edge of `width` metres lies within its radius."""

    at: XY
    radius: float
    fill: Colour
    edge: Colour | None = None
    width: float = 0.0
    opacity: float = 1.0


@dataclass(frozen=True)
class Words(Shape):
    """Text centred at `at`, `size` metres high, rotated by `angle` degrees clockwise.

    `halo` is the colour of an outline that keeps the text legible.
    """

    at: XY
    text: str
    size: float
    colour: Colour
    halo: Colour | None = None
    angle: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", clean_text(self.text))

    @property
    def length(self) -> float:
        """Return the length in metres."""
        return words_length(self.text, self.size)

    @property
    def corners(self) -> Ring:
        """Return the rectangle that the text fills."""
        radians = math.radians(self.angle)
        ux, uy = math.cos(radians), -math.sin(radians)
        half_width, half_height = self.length / 2, self.size * 0.6
        return tuple(
            (
                self.at[0] + x * half_width * ux - y * half_height * uy,
                self.at[1] + x * half_width * uy + y * half_height * ux,
            )
            for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        )


@lru_cache(maxsize=8192)
def _length(text: str) -> float:
    return float(ImageFont.load_default(_MEASURE_SIZE).getlength(text)) / _MEASURE_SIZE


def words_length(text: str, size: float) -> float:
    """Return the length of a text of a size."""
    return _length(text) * size


def truncate_text(text: str, size: float, max_length: float) -> str:
    """Truncate a text to a length with an ellipsis; "" where nothing fits."""
    text = clean_text(text)[:MAX_CHARACTERS]
    if words_length(text, size) <= max_length:
        return text
    count = bisect_right(range(len(text)), max_length, key=lambda k: words_length(text[:k].rstrip() + "…", size)) - 1
    return text[:count].rstrip() + "…" if count >= 0 else ""


@dataclass
class Drawing:
    """Shapes in painting order, later ones on top; shapes outside the frame are left out."""

    frame: MapExtent
    title: str = ""
    shapes: list[Shape] = field(default_factory=list)

    @property
    def box(self) -> Box:
        """Return the edges of the picture in metres."""
        return self.frame.box

    def polygon(
        self,
        kind: str,
        rings: Iterable[Sequence[XY]],
        fill: Colour,
        edge: Colour | None = None,
        width: float = 0.0,
        opacity: float = 1.0,
        instance: int = 0,
        name: str = "",
    ) -> None:
        """Add polygons, clipped to the picture."""
        clipped = []
        for ring in rings:
            whole = all(self.box[0] <= x <= self.box[2] and self.box[1] <= y <= self.box[3] for x, y in ring)
            points = tuple(ring) if whole else tuple(clip_polygon(ring, self.box))
            if points:
                clipped.append(points)
        if clipped:
            self.shapes.append(Polygon(kind, tuple(clipped), fill, edge, width, opacity, instance=instance, name=name))

    def stroke(
        self, kind: str, points: Sequence[XY], colour: Colour, width: float, instance: int = 0, name: str = ""
    ) -> None:
        """Add a line, clipped to the picture."""
        for run in clip_line(points, expand(self.box, width / 2)):
            self.shapes.append(Stroke(kind, tuple(run), colour, width, instance=instance, name=name))

    def disc(
        self,
        kind: str,
        at: XY,
        radius: float,
        fill: Colour,
        edge: Colour | None = None,
        width: float = 0.0,
        opacity: float = 1.0,
        instance: int = 0,
        name: str = "",
    ) -> None:
        """Add a disc if any part may be visible."""
        if contains(expand(self.box, radius), at):
            self.shapes.append(Disc(kind, at, radius, fill, edge, width, opacity, instance=instance, name=name))

    def words(self, shape: Words) -> None:
        """Add text if all of it is visible."""
        if shape.text and contains(self.box, shape.corners):
            self.shapes.append(shape)
