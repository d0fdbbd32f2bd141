"""SVG of drawings: each shape becomes an element with its kind as class.

Consecutive shapes of one kind form a group. An object of the city has `data-instance`, its number in the pictures, and
its first shape the id "thing-NUMBER".
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import assert_never
from xml.sax.saxutils import escape, quoteattr

from bearleft.world.maps.painter import HALO, PAPER
from bearleft.world.maps.shapes import BASELINE, Colour, Disc, Drawing, Polygon, Ring, Shape, Stroke, Words, clean_text

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
    for kind, shapes in groupby(drawing.shapes, lambda shape: shape.kind):
        lines.append(f"<g class={quoteattr(clean_text(kind).replace(' ', '-'))}>")
        lines += [line for shape in shapes for line in writer.elements(shape)]
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

    def elements(self, shape: Shape) -> Iterator[str]:
        match shape:
            case Polygon():
                rings = " ".join(f"M{self.path(ring)}Z" for ring in shape.rings)
                opacity = f' opacity="{_number(shape.opacity)}"' if shape.opacity < 1 else ""
                body = f'path d="{rings}" fill="{hex_colour(shape.fill)}"{opacity}{self.edge(shape.edge, shape.width)}'
            case Stroke():
                width = self.length(shape.width)
                body = (
                    f'polyline points="{self.path(shape.points)}" fill="none" stroke="{hex_colour(shape.colour)}" '
                    f'stroke-width="{width}"'
                )
            case Disc():
                x, y = self.path((shape.at,)).split(",")
                radius = shape.radius - (shape.width / 2 if shape.edge else 0.0)
                opacity = f' opacity="{_number(shape.opacity)}"' if shape.opacity < 1 else ""
                body = (
                    f'circle cx="{x}" cy="{y}" r="{self.length(radius)}" fill="{hex_colour(shape.fill)}"{opacity}'
                    f"{self.edge(shape.edge, shape.width)}"
                )
            case Words():
                body = self.words(shape)
            case _:
                assert_never(shape)  # type: ignore[arg-type]
        inner = escape(shape.text) if isinstance(shape, Words) else ""
        tooltip = f"<title>{escape(clean_text(shape.name))}</title>" if shape.name else ""
        element = body.split(" ", 1)[0]
        yield f"<{body}{self.instance_attributes(shape)}" + (
            f">{tooltip}{inner}</{element}>" if tooltip or inner else "/>"
        )

    def words(self, shape: Words) -> str:
        x, y = self.path((shape.at,)).split(",")
        turned = f' transform="rotate({_number(shape.angle)} {x} {y})"' if shape.angle else ""
        halo = ""
        if shape.halo is not None:
            wide = self.length(2 * HALO * shape.size)
            halo = f' stroke="{hex_colour(shape.halo)}" stroke-width="{wide}" paint-order="stroke"'
        return (
            f'text x="{x}" y="{y}" dy="{self.length(BASELINE * shape.size)}" font-size="{self.length(shape.size)}" '
            f'textLength="{self.length(shape.length)}" lengthAdjust="spacingAndGlyphs" '
            f'fill="{hex_colour(shape.colour)}"'
            f"{halo}{turned}"
        )

    def instance_attributes(self, shape: Shape) -> str:
        if not shape.instance:
            return ""
        first = shape.instance not in self.ids_used
        self.ids_used.add(shape.instance)
        return (f' id="thing-{shape.instance}"' if first else "") + f' data-instance="{shape.instance}"'
