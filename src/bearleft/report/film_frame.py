"""One picture of a film: the view, the map, the panorama of who points, and the text with the part that is followed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby, pairwise

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from bearleft.envs.observe import Eyes, Sees
from bearleft.geometry import View, to_equirectangular
from bearleft.records import Direction, Episode, LegTrace, Point, Pose, Reach
from bearleft.report.film_shots import Shot
from bearleft.world.city.plan import Plan
from bearleft.world.graph import Graph
from bearleft.world.map import Cone, Drawing, Frame, overhead, paint
from bearleft.world.mapping.overlay import Course, draw_cone, draw_courses, draw_viewer
from bearleft.world.mapping.painter import canvas
from bearleft.world.render.camera import poses, view

Colour = tuple[int, int, int]
BACK, HEAD, QUIET = (22, 24, 30), (236, 238, 242), (150, 156, 168)
DONE, AHEAD, LIT, LAMP = (112, 118, 130), (206, 210, 218), (24, 20, 8), (255, 200, 70)
GOOD, BAD, MUTED = (36, 140, 84), (196, 52, 60), (96, 96, 100)
TARGET, ANSWER, ROUTE, WALKED, WHITE = (255, 40, 160), (255, 150, 0), (31, 95, 191), (224, 112, 16), (255, 255, 255)
FIXED = (BACK, HEAD, QUIET, DONE, AHEAD, LIT, LAMP, GOOD, BAD, TARGET, ANSWER, ROUTE, WALKED, WHITE)
FOV = 90.0
INNER = 0.55  # the answer's ring is smaller than the target's, so that both are seen
BAND = 45.0  # degrees of pitch to either side that the panorama shows
LINES = 7  # of a text at once; a longer one rolls on
CLOSE, CLOSE_INDOORS, AROUND, AROUND_INDOORS = 35.0, 4.0, 45.0, 4.0  # metres shown around a route, around a place


@lru_cache(maxsize=16)
def font(size: int) -> ImageFont.FreeTypeFont:
    """The letters of a size."""
    found = ImageFont.load_default(size)
    assert isinstance(found, ImageFont.FreeTypeFont)
    return found


@dataclass(frozen=True)
class Word:
    """A word of a text, where it begins in it, and where it stands: its line and pixels from the left."""

    text: str
    begin: int
    line: int
    left: float
    width: float


def laid(text: str, width: float, size: int) -> list[Word]:
    """A text in lines of a width."""
    letters, found = font(size), []
    space = letters.getlength(" ")
    line, left = 0, 0.0
    at = 0
    for piece in text.split(" "):
        for begin, word in _cut(piece, letters, width):
            long = letters.getlength(word)
            if left and left + long > width:
                line, left = line + 1, 0.0
            if word:
                found.append(Word(word, at + begin, line, left, long))
                left += long + space
        at += len(piece) + 1
    return found


def fitting(text: str, width: float, size: int) -> str:
    """As much of a text as fits a width."""
    while text and font(size).getlength(text) > width:
        text = text[:-2].rstrip(" ·…") + "…" if len(text) > 2 else ""
    return text


def _cut(word: str, letters: ImageFont.FreeTypeFont, width: float) -> list[tuple[int, str]]:
    """A word in pieces that fit a line."""
    if len(word) < 20 or letters.getlength(word[:400]) <= width:
        return [(0, word)]
    step = max(int(width / letters.getlength("W")), 1)
    return [(k, word[k : k + step]) for k in range(0, len(word), step)]


@dataclass(frozen=True, eq=False)
class Stage:
    """Where everything stands in a picture `width` pixels wide, and what it shows."""

    episode: Episode
    legs: Sequence[LegTrace]
    agent: str
    graph: Graph | None
    plan: Plan | None
    eyes: Sees | None
    width: int

    @cached_property
    def pad(self) -> int:
        """Pixels between things."""
        return max(self.width // 110, 4)

    @cached_property
    def letters(self) -> int:
        """The size of the text's letters."""
        return max(self.width // 46, 9)

    @cached_property
    def head(self) -> int:
        """Pixels of the line above."""
        return round(1.9 * self.letters)

    @cached_property
    def row(self) -> int:
        """The height of view and map."""
        return round(0.4 * self.width)

    @cached_property
    def strip(self) -> int:
        """The height of the panorama, 0 where there is none: only who does nothing but point has one."""
        only = all(isinstance(leg.goal, Point) for leg in self.episode.legs)
        return round((self.width - 2 * self.pad) * BAND / 180.0) + self.pad if only and self.eyes else 0

    @cached_property
    def texts(self) -> list[list[Word]]:
        """The words of each leg's text."""
        inner = self.width - 2 * self.pad - self.letters
        return [laid(_plain(leg.text), inner, self.letters) for leg in self.episode.legs]

    @cached_property
    def lines(self) -> int:
        """How many lines of text there is room for."""
        return min(max((words[-1].line + 1 for words in self.texts if words), default=1), LINES)

    @cached_property
    def height(self) -> int:
        """Pixels of the whole picture, an even number."""
        below = round(self.lines * 1.42 * self.letters + 0.9 * self.letters)
        return (self.head + self.row + self.pad + self.strip + below + 1) // 2 * 2

    @property
    def view_width(self) -> int:
        """Pixels across the view."""
        beside = self.row + self.pad if self.graph is not None else 0
        return self.width - 2 * self.pad - beside if self.eyes else 0

    def frame(self, shot: Shot) -> Image.Image:
        """The picture of a shot."""
        sheet = Image.new("RGB", (self.width, self.height), BACK)
        self._head(sheet, shot)
        if self.eyes is not None:
            sheet.paste(self._view(shot), (self.pad, self.head))
        if self.graph is not None:
            wide = self.row if self.eyes else self.width - 2 * self.pad
            sheet.paste(self._map(shot, wide), (self.width - self.pad - wide, self.head))
        if self.strip:
            sheet.paste(self._strip(shot), (self.pad, self.head + self.row + self.pad))
        if shot.verdict:
            self._verdict(sheet, shot)
        self._text(sheet, shot)
        return sheet

    def _head(self, sheet: Image.Image, shot: Shot) -> None:
        draw, size = ImageDraw.Draw(sheet), round(0.82 * self.letters)
        middle = self.head // 2
        beside = self.width - 3 * self.pad - font(size).getlength(shot.said)
        names = (self.agent, self.episode.dataset, f"episode {self.episode.id}")
        title = fitting("  ·  ".join(_plain(name)[:60] for name in names), beside, size)
        draw.text((self.pad + 2, middle), title, HEAD, font(size), anchor="lm")
        draw.text((self.width - self.pad - 2, middle), shot.said, QUIET, font(size), anchor="rm")

    def _view(self, shot: Shot) -> Image.Image:
        assert self.eyes is not None
        lens = view(self.view_width, self.row, FOV)
        if isinstance(self.eyes, Eyes):
            where = shot.position(self.eyes.graph)
            where[2] += self.eyes.city.plan.eye / 1000.0
            seen = self.eyes.look(poses(where, shot.look.heading, shot.look.pitch), lens).rgb[0]
        else:
            seen = self.eyes.view(Pose(shot.look, shot.place), (lens.width, lens.height), FOV)
        picture = Image.fromarray(np.asarray(seen))
        through = View(shot.look, lens.width, lens.height, FOV)
        for where_, colour, share in ((shot.target, TARGET, 1.0), (shot.answer, ANSWER, INNER)):
            if where_ is not None:
                x, y = (float(v) for v in through.pixel(where_.heading, where_.pitch))
                if math.isfinite(x) and math.isfinite(y):
                    _mark(picture, x, y, colour, share * self.width / 50)
        return picture

    def _map(self, shot: Shot, wide: int) -> Image.Image:
        assert self.graph is not None
        frame, below = self._below(shot.leg, wide)
        over = Drawing(frame)
        spot = shot.position(self.graph)[:2]
        at = float(spot[0]), float(spot[1])
        leg, done = self.episode.legs[shot.leg], self.legs[shot.leg]
        cone = Cone(at, shot.look.heading, FOV, 0.3 * frame.reach)
        draw_cone(over, cone)
        if isinstance(leg.goal, Reach):
            been = [place for place, _ in groupby(done.path) if isinstance(place, str)][: shot.walked]
            walked = [*(self._spot(place) for place in (been if shot.before is None else been[:-1])), at]
            draw_courses(over, [Course(tuple(walked), WALKED, 6.0)])
        for where, colour in ((shot.target, TARGET), (shot.answer, ANSWER)):
            if where is not None:
                a, far = math.radians(where.heading), 0.9 * frame.reach
                end = at[0] + far * math.sin(a), at[1] + far * math.cos(a)
                over.stroke("pointed", (at, end), colour, 3.5 * frame.unit)
        draw_viewer(over, cone)
        picture = paint(over, below)
        if self.eyes is None:
            words = f"no pictures of {self.episode.world}: the map alone"
            draw = ImageDraw.Draw(picture)
            draw.text((self.letters, self.letters), words, MUTED, font(round(0.8 * self.letters)))
        return picture

    def _spot(self, place: str) -> tuple[float, float]:
        assert self.graph is not None
        east, north = self.graph.positions[self.graph.number(place), :2]
        return float(east), float(north)

    @lru_cache(maxsize=4)  # noqa: B019  (a stage lives as long as its film)
    def _below(self, number: int, wide: int) -> tuple[Frame, Image.Image]:
        """The map without who walks."""
        assert self.graph is not None
        leg, done = self.episode.legs[number], self.legs[number]
        indoors = self.graph.name.startswith(("rooms", "matterport"))
        if isinstance(leg.goal, Reach):
            places = [*leg.goal.route, *(place for place in done.path if isinstance(place, str))]
            margin = CLOSE_INDOORS if indoors else CLOSE
        else:
            place = leg.goal.place if isinstance(leg.goal, Point) else None
            places, margin = [place or str(self.episode.start.place)], AROUND_INDOORS if indoors else AROUND
        frame = Frame.around([self._spot(place) for place in places], margin, wide, self.row)
        drawing = overhead(self.plan if self.plan is not None else self.graph, frame)
        if isinstance(leg.goal, Reach):
            draw_courses(drawing, [Course(tuple(map(self._spot, leg.goal.route)), ROUTE, 9.0)])
        return frame, canvas(drawing)

    def _strip(self, shot: Shot) -> Image.Image:
        picture, yaw = self._panorama(shot.leg, shot.place)
        picture = picture.copy()
        wide = picture.width

        def pixel(where: Direction) -> tuple[float, float]:
            x, y = to_equirectangular(where.heading, where.pitch, wide, wide / 2, yaw)
            return float(x), float(y) - (90.0 - BAND) / 180.0 * wide / 2

        through = View(shot.look, self.view_width, self.row, FOV)
        share = np.linspace(0, 1, 24)
        edge = np.concatenate([np.stack(side, 1) for side in (
            (share, 0 * share), (1 + 0 * share, share), (1 - share, 1 + 0 * share), (0 * share, 1 - share)
        )])  # fmt: skip
        headings, pitches = through.direction(edge[:, 0] * through.width, edge[:, 1] * through.height)
        points = [pixel(Direction(float(h), float(p))) for h, p in zip(headings, pitches, strict=True)]
        draw = ImageDraw.Draw(picture)
        for one, other in pairwise(points):
            if abs(one[0] - other[0]) < wide / 2:
                draw.line((one, other), LAMP, max(self.width // 400, 1))
        for where, colour, much in ((shot.target, TARGET, 1.0), (shot.answer, ANSWER, INNER)):
            if where is not None:
                _mark(picture, *pixel(where), colour, much * self.width / 70)
        return picture

    @lru_cache(maxsize=2)  # noqa: B019
    def _panorama(self, number: int, place: str) -> tuple[Image.Image, float]:
        assert self.eyes is not None
        goal = self.episode.legs[number].goal
        yaw = goal.yaw if isinstance(goal, Point) else 0.0
        wide = (self.width - 2 * self.pad) // 2 * 2
        whole = Image.fromarray(np.asarray(self.eyes.panorama(place, yaw, (wide, wide // 2))))
        edge = round((90.0 - BAND) / 180.0 * wide / 2)
        return whole.crop((0, edge, wide, wide // 2 - edge)), yaw

    def _verdict(self, sheet: Image.Image, shot: Shot) -> None:
        """What came of it, on the view or the map."""
        draw, letters = ImageDraw.Draw(sheet), font(round(1.15 * self.letters))
        wide = self.view_width or self.width - 2 * self.pad
        at = self.pad + wide / 2, self.head + self.row - 1.8 * self.letters
        left, top, right, bottom = draw.textbbox(at, shot.verdict, letters, anchor="mm")
        by = 0.6 * self.letters
        box = left - 1.6 * by, top - by, right + 1.6 * by, bottom + by
        draw.rounded_rectangle(box, by, GOOD if shot.good else BAD, WHITE, max(self.width // 500, 1))
        draw.text(at, shot.verdict, WHITE, letters, anchor="mm")

    def _text(self, sheet: Image.Image, shot: Shot) -> None:
        draw, letters, high = ImageDraw.Draw(sheet), font(self.letters), 1.42 * self.letters
        words = self.texts[shot.leg]
        begin, end = shot.lit
        lit = [word for word in words if begin <= word.begin < end]
        last = words[-1].line if words else 0
        first = min(max(lit[0].line - 1 if lit else 0, 0), max(last + 1 - self.lines, 0))
        top = self.head + self.row + self.pad + self.strip + 0.35 * self.letters
        left = self.pad + self.letters / 2

        def place(word: Word) -> tuple[float, float]:
            return left + word.left, top + (word.line - first + 0.5) * high

        seen = [word for word in words if first <= word.line < first + self.lines]
        for line in range(first, first + self.lines):
            on = [word for word in lit if word.line == line]
            if on:
                x, y = place(on[0])
                box = x - 3, y - 0.64 * self.letters, place(on[-1])[0] + on[-1].width + 3, y + 0.64 * self.letters
                draw.rounded_rectangle(box, 0.3 * self.letters, LAMP)
        for word in seen:
            colour = LIT if begin <= word.begin < end else DONE if word.begin < begin else AHEAD
            draw.text(place(word), word.text, colour, letters, anchor="lm")


def _plain(text: str) -> str:
    """A text of as many letters, its breaks and marks of control being spaces."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _mark(picture: Image.Image, x: float, y: float, colour: Colour, reach: float) -> None:
    draw = ImageDraw.Draw(picture)
    thick = max(round(reach / 5), 2)
    for by, wide, ink in ((reach + 1, thick + 2, WHITE), (reach, thick, colour)):
        draw.ellipse((x - by, y - by, x + by, y + by), outline=ink, width=wide)
