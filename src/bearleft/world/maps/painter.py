"""A drawing as pixels."""

from __future__ import annotations

from functools import lru_cache
from typing import assert_never

from PIL import Image, ImageDraw, ImageFont

from bearleft.world.maps.marks import BASELINE, Colour, Disc, Drawing, Mark, Ring, Shape, Stroke, Words

PAPER = (241, 238, 230)
SMOOTH, LESS = 3, 2  # drawn so many times larger, then reduced; less for large pictures
LARGE = 2048
HALO = 0.16  # of a letter's size


def paint(drawing: Drawing, under: Image.Image | None = None) -> Image.Image:
    """The drawing as a picture; `under` is a canvas of the same frame that it is painted over."""
    picture = canvas(drawing, under)
    return picture.reduce(picture.width // drawing.frame.width)


def canvas(drawing: Drawing, under: Image.Image | None = None) -> Image.Image:
    """The drawing as a picture several times as large, to paint more over."""
    frame = drawing.frame
    times = SMOOTH if max(frame.width, frame.height) <= LARGE else LESS
    picture = Image.new("RGB", (frame.width * times, frame.height * times), PAPER) if under is None else under.copy()
    painter = _Painter(drawing, picture, times)
    for mark in drawing.marks:
        painter.paint(mark)
    return picture


class _Painter:
    def __init__(self, drawing: Drawing, picture: Image.Image, times: int) -> None:
        self.picture, self.draw = picture, ImageDraw.Draw(picture, "RGBA")
        self.frame, self.scale = drawing.frame, drawing.frame.scale * times
        self.west, self.north = drawing.box[0], drawing.box[3]

    def pixels(self, points: Ring) -> list[tuple[float, float]]:
        scale, west, north = self.scale, self.west, self.north
        return [((x - west) * scale, (north - y) * scale) for x, y in points]

    def wide(self, metres: float) -> int:
        return max(round(metres * self.scale), 1)

    def paint(self, mark: Mark) -> None:
        match mark:
            case Shape():
                self.shape(mark)
            case Stroke():
                self.stroke(self.pixels(mark.points), mark.colour, mark.width)
            case Disc():
                self.disc(mark)
            case Words():
                self.words(mark)
            case _:
                assert_never(mark)  # type: ignore[arg-type]

    def shape(self, mark: Shape) -> None:
        fill = (*mark.fill, round(255 * mark.opacity))
        for ring in mark.rings:
            points = self.pixels(ring)
            self.draw.polygon(points, fill)
            if mark.edge is not None:
                self.draw.line([*points, points[0], points[1]], mark.edge, self.wide(mark.width))

    def stroke(self, points: list[tuple[float, float]], colour: Colour, width: float) -> None:
        wide = self.wide(width)
        self.draw.line(points, colour, wide)
        if wide > 2:
            for x, y in points:  # round ends and bends
                self.draw.circle((x, y), wide / 2, colour)

    def disc(self, mark: Disc) -> None:
        at, radius = self.pixels((mark.at,))[0], mark.radius * self.scale
        edge = None if mark.edge is None else (*mark.edge, 255)
        self.draw.circle(
            at, radius, (*mark.fill, round(255 * mark.opacity)), edge, self.wide(mark.width) if edge else 1
        )

    def words(self, mark: Words) -> None:
        size = mark.size * self.scale
        font = _font(max(round(size), 4))
        halo = max(round(size * HALO), 1) if mark.halo is not None else 0
        wide, high = int(font.getlength(mark.text)) + 2 * halo + 4, int(size * 1.5) + 2 * halo + 4
        line = (wide / 2, high / 2 + BASELINE * size)
        x, y = self.pixels((mark.at,))[0]
        for colour, edge in ((mark.halo, halo), (mark.colour, 0)):
            if colour is None:
                continue
            letters = Image.new("L", (wide, high), 0)
            ImageDraw.Draw(letters).text(line, mark.text, 255, font, "ms", stroke_width=edge)
            if mark.angle:
                letters = letters.rotate(-mark.angle, Image.Resampling.BICUBIC, expand=True)
            self.picture.paste(colour, (round(x - letters.width / 2), round(y - letters.height / 2)), letters)


@lru_cache(maxsize=32)
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)
