"""The world from above, with routes on it, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from bearleft.errors import InputError
from bearleft.geometry import Floats
from bearleft.world.graph import Graph

PAPER, STREET, INK = (250, 249, 245), (222, 220, 212), (40, 40, 40)
REFERENCE, WALKED = (31, 95, 191), (224, 112, 16)
SMOOTH = 3  # drawn this many times larger, then reduced


@dataclass(frozen=True)
class Line:
    """A route to draw: its places, a colour, and how thick."""

    places: Sequence[str]
    colour: tuple[int, int, int] = REFERENCE
    width: float = 5.0


def draw_map(
    graph: Graph,
    lines: Sequence[Line] = (),
    title: str = "",
    size: int = 640,
    margin: float = 40.0,
    street: float = 7.0,
    around: Sequence[str] = (),
) -> Image.Image:
    """North is up; the picture is `size` pixels wide and high and shows all lines, or the whole world without any.

    A line begins with a ring and ends with a dot; one drawn later lies on top. `margin` and `street` (the width of a
    street) are metres; `around` are places that must be seen too, so that several maps can show the same region.
    """
    if size < 16:
        raise InputError("a picture of at least 16 pixels", str(size))
    paths = [graph.positions[[graph.number(place) for place in line.places], :2] for line in lines if line.places]
    seen = [*paths, graph.positions[[graph.number(place) for place in around], :2]]
    shown = np.concatenate(seen) if paths or around else graph.positions[:, :2]
    low, high = shown.min(axis=0) - margin, shown.max(axis=0) + margin
    scale = size * SMOOTH / float((high - low).max())
    middle = (low + high) / 2

    def pixels(points: Floats) -> list[tuple[float, float]]:
        where = (points - middle) * (scale, -scale) + size * SMOOTH / 2
        return [(float(x), float(y)) for x, y in where]

    picture = Image.new("RGB", (size * SMOOTH, size * SMOOTH), PAPER)
    draw = ImageDraw.Draw(picture)
    ends = np.stack([graph.positions[graph.source, :2], graph.positions[graph.target, :2]], axis=1)
    half = size * SMOOTH / scale
    for link in ends[(np.abs(ends - middle) < half).all(axis=(1, 2))]:
        draw.line(pixels(link), fill=STREET, width=round(max(street * scale, 2 * SMOOTH)))
    if title:  # over the streets, under the lines, so that no end is hidden
        font = ImageFont.load_default(15 * SMOOTH)
        left, top, right, bottom = draw.textbbox((12 * SMOOTH, 8 * SMOOTH), title, font)
        draw.rectangle((left - 4 * SMOOTH, top - 3 * SMOOTH, right + 4 * SMOOTH, bottom + 3 * SMOOTH), PAPER)
        draw.text((12 * SMOOTH, 8 * SMOOTH), title, INK, font)
    for line, path in zip([line for line in lines if line.places], paths, strict=True):
        points = pixels(path)
        draw.line(points, fill=line.colour, width=round(line.width * SMOOTH), joint="curve")
        reach = line.width * SMOOTH * 1.4
        _circle(draw, points[0], reach, PAPER, line.colour, round(line.width * SMOOTH / 2))
        _circle(draw, points[-1], reach, line.colour, line.colour, 1)
    return picture.resize((size, size), Image.Resampling.LANCZOS)


def _circle(
    draw: ImageDraw.ImageDraw, at: tuple[float, float], reach: float, fill: tuple[int, int, int],
    edge: tuple[int, int, int], width: int,
) -> None:  # fmt: skip
    draw.ellipse((at[0] - reach, at[1] - reach, at[0] + reach, at[1] + reach), fill, edge, width)


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
