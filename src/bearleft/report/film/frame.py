"""One picture of a film: the view, the map, the panorama of who points, and the text with the part that is followed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby, pairwise

import numpy as np
from PIL import Image, ImageDraw

from bearleft.geometry import View, to_equirectangular
from bearleft.records import Direction, Point, Pose, Reach
from bearleft.report.film.sheet import LAMP, WHITE, Colour, Sheet, font
from bearleft.report.film.shots import Shot
from bearleft.world.city.plan import Plan
from bearleft.world.graphs.graph import Graph
from bearleft.world.maps.map import Cone, Drawing, Frame, overhead, paint
from bearleft.world.maps.overlay import Course, draw_cone, draw_courses, draw_viewer
from bearleft.world.maps.painter import canvas
from bearleft.world.pictures import Eyes, Sees
from bearleft.world.render.camera import poses, view

TARGET, ANSWER, ROUTE, WALKED = (255, 40, 160), (255, 150, 0), (31, 95, 191), (224, 112, 16)
MUTED = (96, 96, 100)
FOV = 90.0
INNER = 0.55  # the answer's ring is smaller than the target's, so that both are seen
BAND = 45.0  # degrees of pitch to either side that the panorama shows
CLOSE, CLOSE_INDOORS, AROUND, AROUND_INDOORS = 35.0, 4.0, 45.0, 4.0  # metres shown around a route, around a place


@dataclass(frozen=True, eq=False)
class Stage(Sheet):
    """Walks from place to place, and who points: the view, the map, the panorama."""

    graph: Graph | None
    plan: Plan | None
    eyes: Sees | None

    @property
    def colours(self) -> Sequence[Colour]:
        return *super().colours, TARGET, ANSWER, ROUTE, WALKED

    @cached_property
    def strip(self) -> int:
        """The height of the panorama, 0 where there is none: only who does nothing but point has one."""
        only = all(isinstance(leg.goal, Point) for leg in self.episode.legs)
        return round((self.width - 2 * self.pad) * BAND / 180.0) + self.pad if only and self.eyes else 0

    @property
    def view_width(self) -> int:
        """Pixels across the view."""
        beside = self.row + self.pad if self.graph is not None else 0
        return self.width - 2 * self.pad - beside if self.eyes else 0

    def draw(self, sheet: Image.Image, shot: Shot) -> None:
        if self.eyes is not None:
            sheet.paste(self._view(shot), (self.pad, self.head))
        if self.graph is not None:
            wide = self.row if self.eyes else self.width - 2 * self.pad
            sheet.paste(self._map(shot, wide), (self.width - self.pad - wide, self.head))
        if self.strip:
            sheet.paste(self._strip(shot), (self.pad, self.head + self.row + self.pad))

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
        edge = np.concatenate(
            [
                np.stack(side, 1)
                for side in (
                    (share, 0 * share),
                    (1 + 0 * share, share),
                    (1 - share, 1 + 0 * share),
                    (0 * share, 1 - share),
                )
            ]
        )
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
        yaw = (goal.seen_from(place) or goal).yaw if isinstance(goal, Point) else 0.0
        wide = (self.width - 2 * self.pad) // 2 * 2
        whole = Image.fromarray(np.asarray(self.eyes.panorama(place, yaw, (wide, wide // 2))))
        edge = round((90.0 - BAND) / 180.0 * wide / 2)
        return whole.crop((0, edge, wide, wide // 2 - edge)), yaw


def _mark(picture: Image.Image, x: float, y: float, colour: Colour, reach: float) -> None:
    draw = ImageDraw.Draw(picture)
    thick = max(round(reach / 5), 2)
    for by, wide, ink in ((reach + 1, thick + 2, WHITE), (reach, thick, colour)):
        draw.ellipse((x - by, y - by, x + by, y + by), outline=ink, width=wide)
