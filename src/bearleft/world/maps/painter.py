"""Painting of drawings as pixels."""

from __future__ import annotations

from functools import lru_cache
from typing import assert_never

from PIL import Image, ImageDraw, ImageFont

from bearleft.world.maps.shapes import BASELINE, Colour, Disc, Drawing, Polygon, Ring, Shape, Stroke, Words

PAPER = (241, 238, 230)
SUPERSAMPLING, LARGE_SUPERSAMPLING = (
    3,
    2,
)  # scale at which pictures are painted before they are reduced, and that of large ones
LARGE_SIZE = 2048
HALO = 0.16  # of the letter size


def paint(drawing: Drawing, under: Image.Image | None = None) -> Image.Image:
    """Return the drawing as a picture, painted over a canvas `under` of the same frame where given."""
    picture = paint_canvas(drawing, under)
    return picture.reduce(picture.width // drawing.frame.width)


def paint_canvas(drawing: Drawing, under: Image.Image | None = None) -> Image.Image:
    """Return the drawing as a supersampled picture, to paint more over."""
    frame = drawing.frame
    factor = SUPERSAMPLING if max(frame.width, frame.height) <= LARGE_SIZE else LARGE_SUPERSAMPLING
    picture = Image.new("RGB", (frame.width * factor, frame.height * factor), PAPER) if under is None else under.copy()
    painter = _Painter(drawing, picture, factor)
    for shape in drawing.shapes:
        painter.paint(shape)
    return picture


class _Painter:
    def __init__(self, drawing: Drawing, picture: Image.Image, factor: int) -> None:
        self.picture, self.draw = picture, ImageDraw.Draw(picture, "RGBA")
        self.frame, self.scale = drawing.frame, drawing.frame.scale * factor
        self.west, self.north = drawing.box[0], drawing.box[3]

    def pixels(self, points: Ring) -> list[tuple[float, float]]:
        scale, west, north = self.scale, self.west, self.north
        return [((x - west) * scale, (north - y) * scale) for x, y in points]

    def width_pixels(self, metres: float) -> int:
        return max(round(metres * self.scale), 1)

    def paint(self, shape: Shape) -> None:
        match shape:
            case Polygon():
                self.polygon(shape)
            case Stroke():
                self.stroke(self.pixels(shape.points), shape.colour, shape.width)
            case Disc():
                self.disc(shape)
            case Words():
                self.words(shape)
            case _:
                assert_never(shape)  # type: ignore[arg-type]

    def polygon(self, shape: Polygon) -> None:
        fill = (*shape.fill, round(255 * shape.opacity))
        for ring in shape.rings:
            points = self.pixels(ring)
            self.draw.polygon(points, fill)
            if shape.edge is not None:
                self.draw.line([*points, points[0], points[1]], shape.edge, self.width_pixels(shape.width))

    def stroke(self, points: list[tuple[float, float]], colour: Colour, width: float) -> None:
        line_width = self.width_pixels(width)
        self.draw.line(points, colour, line_width)
        if line_width > 2:
            for x, y in points:  # round ends and bends
                self.draw.circle((x, y), line_width / 2, colour)

    def disc(self, shape: Disc) -> None:
        at, radius = self.pixels((shape.at,))[0], shape.radius * self.scale
        edge = None if shape.edge is None else (*shape.edge, 255)
        self.draw.circle(
            at, radius, (*shape.fill, round(255 * shape.opacity)), edge, self.width_pixels(shape.width) if edge else 1
        )

    def words(self, shape: Words) -> None:
        size = shape.size * self.scale
        font = _font(max(round(size), 4))
        halo = max(round(size * HALO), 1) if shape.halo is not None else 0
        width_pixels, text_height = int(font.getlength(shape.text)) + 2 * halo + 4, int(size * 1.5) + 2 * halo + 4
        line = (width_pixels / 2, text_height / 2 + BASELINE * size)
        x, y = self.pixels((shape.at,))[0]
        for colour, edge in ((shape.halo, halo), (shape.colour, 0)):
            if colour is None:
                continue
            letters = Image.new("L", (width_pixels, text_height), 0)
            ImageDraw.Draw(letters).text(line, shape.text, 255, font, "ms", stroke_width=edge)
            if shape.angle:
                letters = letters.rotate(-shape.angle, Image.Resampling.BICUBIC, expand=True)
            self.picture.paste(colour, (round(x - letters.width / 2), round(y - letters.height / 2)), letters)


@lru_cache(maxsize=32)
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)
