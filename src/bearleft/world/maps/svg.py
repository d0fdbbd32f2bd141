"""SVG of drawings: each mark becomes an element with its kind as class.

Consecutive marks of one kind form a group. An object of the city has `data-instance`, its number in the pictures, and
its first mark the id "thing-NUMBER".
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import assert_never
from xml.sax.saxutils import escape, quoteattr

from bearleft.world.maps.marks import BASELINE, Colour, Disc, Drawing, Mark, Ring, Shape, Stroke, Words, clean_text
from bearleft.world.maps.painter import HALO, PAPER

FONT = "Aileron, Helvetica, Arial, sans-serif"


def svg(drawing: Drawing) -> str:
    """Return the drawing as the text of an SVG file."""
    width, height = drawing.frame.width, drawing.frame.height
    title = clean_text(drawing.title) or "Map"
    writer = _Writer(drawing)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" font-family="{FONT}" text-anchor="middle" stroke-linecap="round" stroke-linejoin="round">',
        f"<title>{escape(title)}</title>",
        f'<rect class="paper" width="{width}" height="{height}" fill="{hex_colour(PAPER)}"/>',
    ]
    for kind, marks in groupby(drawing.marks, lambda mark: mark.kind):
        lines.append(f"<g class={quoteattr(clean_text(kind).replace(' ', '-'))}>")
        lines += [line for mark in marks for line in writer.elements(mark)]
        lines.append("</g>")
    lines.append("</svg>\n")
    return "\n".join(lines)


def hex_colour(colour: Colour) -> str:
    """Return a colour as #rrggbb."""
    return "#{:02x}{:02x}{:02x}".format(*colour)


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if abs(value) >= 0.005 else "0"


class _Writer:
    def __init__(self, drawing: Drawing) -> None:
        self.frame, self.scale = drawing.frame, drawing.frame.scale
        self.west, self.north = drawing.box[0], drawing.box[3]
        self.ids_used: set[int] = set()

    def length(self, metres: float) -> str:
        return _number(metres * self.scale)

    def path(self, points: Ring) -> str:
        scale, west, north = self.scale, self.west, self.north
        return " ".join(f"{_number((x - west) * scale)},{_number((north - y) * scale)}" for x, y in points)

    def edge(self, edge: Colour | None, width: float) -> str:
        return "" if edge is None else f' stroke="{hex_colour(edge)}" stroke-width="{self.length(width)}"'

    def elements(self, mark: Mark) -> Iterator[str]:
        match mark:
            case Shape():
                rings = " ".join(f"M{self.path(ring)}Z" for ring in mark.rings)
                opacity = f' opacity="{_number(mark.opacity)}"' if mark.opacity < 1 else ""
                body = f'path d="{rings}" fill="{hex_colour(mark.fill)}"{opacity}{self.edge(mark.edge, mark.width)}'
            case Stroke():
                width = self.length(mark.width)
                body = (
                    f'polyline points="{self.path(mark.points)}" fill="none" stroke="{hex_colour(mark.colour)}" '
                    f'stroke-width="{width}"'
                )
            case Disc():
                x, y = self.path((mark.at,)).split(",")
                radius = mark.radius - (mark.width / 2 if mark.edge else 0.0)
                opacity = f' opacity="{_number(mark.opacity)}"' if mark.opacity < 1 else ""
                body = (
                    f'circle cx="{x}" cy="{y}" r="{self.length(radius)}" fill="{hex_colour(mark.fill)}"{opacity}'
                    f"{self.edge(mark.edge, mark.width)}"
                )
            case Words():
                body = self.words(mark)
            case _:
                assert_never(mark)  # type: ignore[arg-type]
        inner = escape(mark.text) if isinstance(mark, Words) else ""
        tooltip = f"<title>{escape(clean_text(mark.name))}</title>" if mark.name else ""
        element = body.split(" ", 1)[0]
        yield f"<{body}{self.instance_attributes(mark)}" + (
            f">{tooltip}{inner}</{element}>" if tooltip or inner else "/>"
        )

    def words(self, mark: Words) -> str:
        x, y = self.path((mark.at,)).split(",")
        turned = f' transform="rotate({_number(mark.angle)} {x} {y})"' if mark.angle else ""
        halo = ""
        if mark.halo is not None:
            wide = self.length(2 * HALO * mark.size)
            halo = f' stroke="{hex_colour(mark.halo)}" stroke-width="{wide}" paint-order="stroke"'
        return (
            f'text x="{x}" y="{y}" dy="{self.length(BASELINE * mark.size)}" font-size="{self.length(mark.size)}" '
            f'textLength="{self.length(mark.length)}" lengthAdjust="spacingAndGlyphs" fill="{hex_colour(mark.colour)}"'
            f"{halo}{turned}"
        )

    def instance_attributes(self, mark: Mark) -> str:
        if not mark.instance:
            return ""
        first = mark.instance not in self.ids_used
        self.ids_used.add(mark.instance)
        return (f' id="thing-{mark.instance}"' if first else "") + f' data-instance="{mark.instance}"'
