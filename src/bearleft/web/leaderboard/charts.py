"""The history of a track as a picture: plain SVG with classes, since the content security policy forbids styles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

WIDTH, HEIGHT = 860, 300  # pixels
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 14, 34
LABEL_WIDTH = 170  # kept free beside the last label of a record
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_LINE = Markup('<line class="{}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>')
_TEXT = Markup('<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>')
_DOT = Markup('<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="4"><title>{}</title></circle>')
_PATH = Markup('<path class="best" d="{}"/>')


@dataclass(frozen=True)
class Point:
    """An entry in a history.

    Attributes:
        time: When it was published.
        value: Its figure.
        title: Name of the system.
        team: Its team.
        builtin: Whether it is a baseline of bearleft.
    """

    time: datetime
    value: float
    title: str
    team: str
    builtin: bool = False


def records(points: Sequence[Point], lower_is_better: bool = False) -> list[Point]:
    """Return the entries that were better than all before them, in order of time."""
    best: list[Point] = []
    for point in sorted(points, key=lambda one: one.time):
        if not best or (point.value < best[-1].value if lower_is_better else point.value > best[-1].value):
            best.append(point)
    return best


def ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Return round numbers of an axis that holds an interval."""
    span = max(high - low, 1e-9)
    power = 10.0 ** math.floor(math.log10(span / count))
    step = next(power * one for one in STEPS if power * one * count >= span)
    first = math.floor(low / step)
    return [round(step * k, 10) for k in range(first, math.ceil(high / step) + 1)]


def history_chart(points: Sequence[Point], metric: str, decimals: int = 1, lower_is_better: bool = False) -> Markup:
    """Return a picture of all entries by date, with a line of the best figure so far."""
    values = [point.value for point in points]
    marks = ticks(min(values), max(values))
    first, last = min(point.time for point in points), max(point.time for point in points)
    seconds = max((last - first).total_seconds(), 1.0)

    def x(time: datetime) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT - LABEL_WIDTH) * (time - first).total_seconds() / seconds

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - marks[0]) / ((marks[-1] - marks[0]) or 1.0)

    parts = []
    for mark in marks:
        parts.append(_LINE.format("axis", LEFT, y(mark), WIDTH - RIGHT, y(mark)))
        parts.append(_TEXT.format("soft", LEFT - 8, y(mark) + 4, "end", f"{mark:g}"))
    for time, anchor in {first: "start", last: "middle"}.items():
        parts.append(_TEXT.format("soft", x(time), HEIGHT - 10, anchor, time.strftime("%Y-%m-%d")))
    best = records(points, lower_is_better)
    path = f"M{x(best[0].time):.1f} {y(best[0].value):.1f}"
    for point in best[1:]:
        path += f"H{x(point.time):.1f}V{y(point.value):.1f}"
    parts.append(_PATH.format(f"{path}H{WIDTH - RIGHT - LABEL_WIDTH}"))
    for point in points:
        words = f"{point.title} ({point.team}): {point.value:.{decimals}f}, {point.time:%Y-%m-%d}"
        parts.append(_DOT.format("entry builtin" if point.builtin else "entry", x(point.time), y(point.value), words))
    title = best[-1].title if len(best[-1].title) <= 26 else f"{best[-1].title[:25]}…"
    parts.append(_TEXT.format("", WIDTH - RIGHT - LABEL_WIDTH + 8, y(best[-1].value) + 4, "start", title))
    head = Markup('<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">')
    label = f"{metric} of all entries by date, and the best so far: {best[-1].value:.{decimals}f}, {best[-1].title}"
    return head.format(WIDTH, HEIGHT, label) + Markup("").join(parts) + Markup("</svg>")
