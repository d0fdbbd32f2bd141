"""Charts of the project page as plain SVG: shapes with classes, since the content security policy forbids styles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

WIDTH, LABEL, BAR, GAP = 640, 210, 16, 12  # pixels
_RECT = Markup('<rect class="{}" x="{:.1f}" y="{}" width="{:.1f}" height="{}"><title>{}</title></rect>')
_TEXT = Markup('<text x="{:.1f}" y="{}" class="{}">{}</text>')


def _svg(label: str, height: int, parts: Sequence[Markup]) -> Markup:
    head = Markup('<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">').format(WIDTH, height, label)
    return head + Markup("").join(parts) + Markup("</svg>")


def progress_chart(rows: Sequence[Mapping[str, Any]]) -> Markup:
    """Return bars of the answers of each kind: accepted by the rules, not accepted, and still wanted."""
    parts: list[Markup] = []
    scale = (WIDTH - LABEL - 90) / max([1, *(max(row["wanted"], row["given"]) for row in rows)])
    for k, row in enumerate(rows):
        y = GAP + k * (BAR + GAP)
        parts.append(_TEXT.format(0, y + BAR - 3, "name", row["title"]))
        x = float(LABEL)
        counts = (
            ("bar good", row["accepted"], "accepted"),
            ("bar bad", row["given"] - row["accepted"], "not accepted"),
            ("bar rest", max(row["wanted"] - row["given"], 0), "still wanted"),
        )
        for name, count, words in counts:
            if count:
                title = f"{row['title']}: {count} {words}"
                parts.append(_RECT.format(name, x, y, count * scale, BAR, title))
                x += count * scale
        parts.append(_TEXT.format(x + 6, y + BAR - 3, "value", f"{row['given']} of {row['wanted']}"))
    return _svg("Answers of each task: accepted, not accepted, still wanted", GAP + len(rows) * (BAR + GAP), parts)


def time_chart(rows: Sequence[Mapping[str, Any]]) -> Markup:
    """Return the time of each kind: a bar from the lower to the upper quartile, with a line at the median."""
    timed = [row for row in rows if row["times"]]
    longest = max([1.0, *(row["times"][2] for row in timed)])
    scale = (WIDTH - LABEL - 130) / longest
    parts: list[Markup] = []
    for k, row in enumerate(timed):
        low, middle, high = row["times"]
        y = GAP + k * (BAR + GAP)
        parts.append(_TEXT.format(0, y + BAR - 3, "name", row["title"]))
        title = f"{row['title']}: half of the answers took {duration(low)} to {duration(high)}"
        parts.append(_RECT.format("bar box", LABEL + low * scale, y, max((high - low) * scale, 1.0), BAR, title))
        median = f"{row['title']}: median {duration(middle)}"
        parts.append(_RECT.format("bar median", LABEL + middle * scale - 1, y - 3, 2.0, BAR + 6, median))
        parts.append(_TEXT.format(LABEL + high * scale + 8, y + BAR - 3, "value", duration(middle)))
    return _svg("Time of an answer: median and quartiles", GAP + len(timed) * (BAR + GAP), parts)


def duration(seconds: float) -> str:
    """Return a time such as "12.5 s", "3 min 05 s" or "2 h 10 min"."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"
