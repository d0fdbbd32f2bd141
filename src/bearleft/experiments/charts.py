"""Small charts drawn with Pillow: lines over a number, and bars with names."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from PIL import Image, ImageDraw, ImageFont

from bearleft.errors import InputError

COLOURS = ((31, 95, 191), (224, 112, 16), (44, 142, 79), (176, 48, 96), (109, 92, 174), (90, 90, 90))
INK, GRID, PAPER = (40, 40, 40), (224, 224, 224), (255, 255, 255)
SMOOTH = 2
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 60, 52

Line = tuple[Sequence[float], Sequence[float]]


def round_steps(low: float, high: float, about: int = 6) -> list[float]:
    """Round numbers from `low` to beyond `high`, about so many."""
    span = max(high - low, 1e-12)
    step = 10 ** math.floor(math.log10(span / about))
    step *= next(m for m in (1, 2, 5, 10) if span / (m * step) <= about)
    first = math.floor(low / step)
    return [k * step for k in range(first, math.ceil(high / step) + 1)]


class Chart:
    """A frame with axes to draw into."""

    def __init__(self, size: tuple[int, int], title: str, across: str, up: str) -> None:
        self.size = size
        self.picture = Image.new("RGB", (size[0] * SMOOTH, size[1] * SMOOTH), PAPER)
        self.draw = ImageDraw.Draw(self.picture)
        self.text((LEFT, 10), title, 15)
        self.text((size[0] - RIGHT, size[1] - 8), across, 12, "rs")
        self.text((8, TOP - 8), up, 12, "ls")

    def text(self, at: tuple[float, float], words: str, height: int, anchor: str = "la") -> None:
        font = ImageFont.load_default(height * SMOOTH)
        self.draw.text((at[0] * SMOOTH, at[1] * SMOOTH), words, INK, font, anchor)

    def line(self, points: Sequence[tuple[float, float]], colour: tuple[int, int, int], width: float) -> None:
        self.draw.line(
            [(x * SMOOTH, y * SMOOTH) for x, y in points], colour, max(1, round(width * SMOOTH)), joint="curve"
        )

    def box(self, corners: tuple[float, float, float, float], colour: tuple[int, int, int]) -> None:
        self.draw.rectangle([c * SMOOTH for c in corners], colour)

    def done(self) -> Image.Image:
        return self.picture.resize(self.size, Image.Resampling.LANCZOS)


def draw_lines(
    lines: Mapping[str, Line], title: str, across: str, up: str, size: tuple[int, int] = (760, 420)
) -> Image.Image:
    """One line for each name, over common axes that begin at 0 on the left and below."""
    if not lines or not all(len(x) == len(y) > 0 for x, y in lines.values()):
        raise InputError("lines of as many x as y, at least one point each", f"{len(lines)} lines")
    xs = round_steps(0, max(max(x) for x, _ in lines.values()))
    ys = round_steps(0, max(max(y) for _, y in lines.values()))
    chart = Chart(size, title, across, up)
    width, height = size[0] - LEFT - RIGHT, size[1] - TOP - BOTTOM

    def at(x: float, y: float) -> tuple[float, float]:
        return LEFT + width * x / xs[-1], TOP + height * (1 - y / ys[-1])

    for x in xs:
        chart.line([at(x, 0), at(x, ys[-1])], GRID, 0.5)
        chart.text((at(x, 0)[0], TOP + height + 6), f"{x:g}", 11, "ma")
    for y in ys:
        chart.line([at(0, y), at(xs[-1], y)], GRID, 0.5)
        chart.text((LEFT - 6, at(0, y)[1]), f"{y:g}", 11, "rm")
    for k, (name, points) in enumerate(lines.items()):
        colour = COLOURS[k % len(COLOURS)]
        chart.line([at(*point) for point in zip(*points, strict=True)], colour, 2)
        chart.line([(size[0] - 250, TOP + 12 + 18 * k), (size[0] - 226, TOP + 12 + 18 * k)], colour, 3)
        chart.text((size[0] - 218, TOP + 12 + 18 * k), name, 12, "lm")
    return chart.done()


def draw_bars(values: Mapping[str, float], title: str, across: str, size: tuple[int, int] = (760, 520)) -> Image.Image:
    """One bar to the right for each name, the first on top."""
    if not values:
        raise InputError("at least one bar", "none")
    left = 130
    xs = round_steps(0, max(values.values()))
    chart = Chart(size, title, across, "")
    width, height = size[0] - left - RIGHT, size[1] - TOP - BOTTOM
    for x in xs:
        chart.line([(left + width * x / xs[-1], TOP), (left + width * x / xs[-1], TOP + height)], GRID, 0.5)
        chart.text((left + width * x / xs[-1], TOP + height + 6), f"{x:g}", 11, "ma")
    each = height / len(values)
    for k, (name, value) in enumerate(values.items()):
        top = TOP + k * each
        chart.box((left, top + each * 0.15, left + width * value / xs[-1], top + each * 0.85), COLOURS[0])
        chart.text((left - 6, top + each / 2), name, min(12, round(each * 0.8)), "rm")
    return chart.done()


def shares(lengths: Sequence[int], width: int, last: int) -> Line:
    """How many percent of the lengths fall into each bin of `width`, up to `last`; the points are the bins' middles."""
    if not lengths:
        raise InputError("at least one length", "none")
    bins = [0] * (last // width)
    for length in lengths:
        if length < last:
            bins[length // width] += 1
    return [width * (k + 0.5) for k in range(len(bins))], [100 * n / len(lengths) for n in bins]
