"""A map as a list of marks: shapes, strokes, discs and words, all in metres; whoever paints a map paints these.

A mark's `kind` says what it stands for ("building", "route"), `instance` which thing of the city, `name` what one is
told who points at it.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from PIL import ImageFont

from bearleft.world.maps.frame import Box, Frame, Spot, cut_course, cut_ring, grown, inside

Colour = tuple[int, int, int]
Ring = tuple[Spot, ...]
BASELINE = 0.35  # of a letter's size: so far below the middle of words stands their line
LONGEST = 1000  # letters of a line, at most
_MEASURED = 100  # pixels of the font that words are measured in
_UNWRITABLE = re.compile(r"[^\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def plain(text: str) -> str:
    """A text on one line that any picture or page can hold: what it cannot show becomes a replacement character."""
    return _UNWRITABLE.sub("\ufffd", " ".join(text.split()))


@dataclass(frozen=True)
class Mark:
    """What all marks say."""

    kind: str
    instance: int = field(default=0, kw_only=True)
    name: str = field(default="", kw_only=True)


@dataclass(frozen=True)
class Shape(Mark):
    """One or more polygons, none of them a hole; an edge is `width` metres wide."""

    rings: tuple[Ring, ...]
    fill: Colour
    edge: Colour | None = None
    width: float = 0.0
    opacity: float = 1.0


@dataclass(frozen=True)
class Stroke(Mark):
    """A line `width` metres wide with round ends and bends."""

    points: Ring
    colour: Colour
    width: float


@dataclass(frozen=True)
class Disc(Mark):
    """A disc; its edge of `width` metres lies within its radius."""

    at: Spot
    radius: float
    fill: Colour
    edge: Colour | None = None
    width: float = 0.0
    opacity: float = 1.0


@dataclass(frozen=True)
class Words(Mark):
    """Words with their middle at `at`, letters `size` metres high, turned by `angle` degrees clockwise.

    `halo` is the colour of an edge around the letters that keeps them legible on anything.
    """

    at: Spot
    text: str
    size: float
    colour: Colour
    halo: Colour | None = None
    angle: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", plain(self.text))

    @property
    def length(self) -> float:
        """Metres from the first letter to the last."""
        return words_length(self.text, self.size)

    @property
    def corners(self) -> Ring:
        """The rectangle that the words fill."""
        turned = math.radians(self.angle)
        ux, uy = math.cos(turned), -math.sin(turned)
        wide, high = self.length / 2, self.size * 0.6
        return tuple(
            (self.at[0] + x * wide * ux - y * high * uy, self.at[1] + x * wide * uy + y * high * ux)
            for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        )


@lru_cache(maxsize=8192)
def _length(text: str) -> float:
    return float(ImageFont.load_default(_MEASURED).getlength(text)) / _MEASURED


def words_length(text: str, size: float) -> float:
    """How long words of a size are."""
    return _length(text) * size


def shortened(text: str, size: float, most: float) -> str:
    """A text if it is at most so long, else as much of its beginning as is, with an ellipsis; "" where none is."""
    text = plain(text)[:LONGEST]
    if words_length(text, size) <= most:
        return text
    count = bisect_right(range(len(text)), most, key=lambda k: words_length(text[:k].rstrip() + "…", size)) - 1
    return text[:count].rstrip() + "…" if count >= 0 else ""


@dataclass
class Drawing:
    """Marks in the order in which they are painted, later ones on top. What lies outside the frame is left out."""

    frame: Frame
    title: str = ""
    marks: list[Mark] = field(default_factory=list)

    @property
    def box(self) -> Box:
        """The edges of the picture in metres."""
        return self.frame.box

    def shape(
        self,
        kind: str,
        rings: Iterable[Sequence[Spot]],
        fill: Colour,
        edge: Colour | None = None,
        width: float = 0.0,
        opacity: float = 1.0,
        instance: int = 0,
        name: str = "",
    ) -> None:
        """Adds polygons, cut at the edges of the picture."""
        kept = []
        for ring in rings:
            whole = all(self.box[0] <= x <= self.box[2] and self.box[1] <= y <= self.box[3] for x, y in ring)
            points = tuple(ring) if whole else tuple(cut_ring(ring, self.box))
            if points:
                kept.append(points)
        if kept:
            self.marks.append(Shape(kind, tuple(kept), fill, edge, width, opacity, instance=instance, name=name))

    def stroke(
        self, kind: str, points: Sequence[Spot], colour: Colour, width: float, instance: int = 0, name: str = ""
    ) -> None:
        """Adds a line, cut where it is wholly outside."""
        for run in cut_course(points, grown(self.box, width / 2)):
            self.marks.append(Stroke(kind, tuple(run), colour, width, instance=instance, name=name))

    def disc(
        self,
        kind: str,
        at: Spot,
        radius: float,
        fill: Colour,
        edge: Colour | None = None,
        width: float = 0.0,
        opacity: float = 1.0,
        instance: int = 0,
        name: str = "",
    ) -> None:
        """Adds a disc if any of it may be seen."""
        if inside(grown(self.box, radius), at):
            self.marks.append(Disc(kind, at, radius, fill, edge, width, opacity, instance=instance, name=name))

    def words(self, mark: Words) -> None:
        """Adds words if all of them can be read."""
        if mark.text and inside(self.box, mark.corners):
            self.marks.append(mark)
