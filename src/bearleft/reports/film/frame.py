"""Frames of a film: the view, the map, the panorama while pointing, and the text with its highlighted part."""

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
from bearleft.reports.film.fonts import Colour, font
from bearleft.reports.film.layout import HIGHLIGHT, WHITE, FrameLayout
from bearleft.reports.film.shots import Shot
from bearleft.world.city.plan import Plan
from bearleft.world.graphs.graph import Graph
from bearleft.world.maps.map import Cone, Drawing, MapExtent, overhead_map, paint
from bearleft.world.maps.overlay import RouteLine, draw_cone, draw_routes, draw_viewer
from bearleft.world.maps.painter import paint_canvas
from bearleft.world.pictures import PictureSource, RenderedPictures
from bearleft.world.render.camera import poses, view
from bearleft.world.worlds import world_kind

TARGET_COLOUR, ANSWER_COLOUR, ROUTE_COLOUR, WALKED_COLOUR = (255, 40, 160), (255, 150, 0), (31, 95, 191), (224, 112, 16)
MUTED = (96, 96, 100)
FOV = 90.0
ANSWER_RING = 0.55  # radius relative to the target's ring, so that both are visible
BAND_PITCH = 45.0  # degrees above and below the horizon that the panorama shows
ROUTE_MARGIN, ROUTE_MARGIN_INDOORS, PLACE_MARGIN, PLACE_MARGIN_INDOORS = (
    35.0,
    4.0,
    45.0,
    4.0,
)  # metres shown around a route, around a place


@dataclass(frozen=True, eq=False)
class SceneLayout(FrameLayout):
    """Frames of legs that walk or point: the view, the map, the panorama."""

    graph: Graph | None
    plan: Plan | None
    pictures: PictureSource | None

    @property
    def colours(self) -> Sequence[Colour]:
        """Return the colours that the film's palette must contain."""
        return *super().colours, TARGET_COLOUR, ANSWER_COLOUR, ROUTE_COLOUR, WALKED_COLOUR

    @cached_property
    def panorama_height(self) -> int:
        """Return the height of the panorama; 0 unless the episode only points."""
        only_points = all(isinstance(leg.goal, Point) for leg in self.episode.legs)
        return (
            round((self.width - 2 * self.padding) * BAND_PITCH / 180.0) + self.padding
            if only_points and self.pictures
            else 0
        )

    @property
    def view_width(self) -> int:
        """Return the width of the view in pixels."""
        map_width = self.picture_height + self.padding if self.graph is not None else 0
        return self.width - 2 * self.padding - map_width if self.pictures else 0

    def draw(self, sheet: Image.Image, shot: Shot) -> None:
        """Draw the view, the map and the panorama of a shot."""
        if self.pictures is not None:
            sheet.paste(self._view(shot), (self.padding, self.heading_height))
        if self.graph is not None:
            width = self.picture_height if self.pictures else self.width - 2 * self.padding
            sheet.paste(self._map(shot, width), (self.width - self.padding - width, self.heading_height))
        if self.panorama_height:
            sheet.paste(
                self._panorama_frame(shot), (self.padding, self.heading_height + self.picture_height + self.padding)
            )

    def _view(self, shot: Shot) -> Image.Image:
        assert self.pictures is not None
        lens = view(self.view_width, self.picture_height, FOV)
        if isinstance(self.pictures, RenderedPictures):
            position = shot.position(self.pictures.graph)
            position[2] += self.pictures.city.plan.eye / 1000.0
            pixels = self.pictures.render(poses(position, shot.look.heading, shot.look.pitch), lens).rgb[0]
        else:
            pixels = self.pictures.view(Pose(shot.look, shot.place), (lens.width, lens.height), FOV)
        picture = Image.fromarray(np.asarray(pixels))
        projection = View(shot.look, lens.width, lens.height, FOV)
        for direction, colour, scale in ((shot.target, TARGET_COLOUR, 1.0), (shot.answer, ANSWER_COLOUR, ANSWER_RING)):
            if direction is not None:
                x, y = (float(v) for v in projection.pixel(direction.heading, direction.pitch))
                if math.isfinite(x) and math.isfinite(y):
                    _draw_ring(picture, x, y, colour, scale * self.width / 50)
        return picture

    def _map(self, shot: Shot, width: int) -> Image.Image:
        assert self.graph is not None
        frame, base = self._base_map(shot.leg, width)
        drawing = Drawing(frame)
        xy = shot.position(self.graph)[:2]
        position = float(xy[0]), float(xy[1])
        leg, leg_trace = self.episode.legs[shot.leg], self.legs[shot.leg]
        cone = Cone(position, shot.look.heading, FOV, 0.3 * frame.radius)
        draw_cone(drawing, cone)
        if isinstance(leg.goal, Reach):
            visited = [place for place, _ in groupby(leg_trace.path) if isinstance(place, str)][: shot.walked]
            walked = [*(self._xy(place) for place in (visited if shot.previous is None else visited[:-1])), position]
            draw_routes(drawing, [RouteLine(tuple(walked), WALKED_COLOUR, 6.0)])
        for direction, colour in ((shot.target, TARGET_COLOUR), (shot.answer, ANSWER_COLOUR)):
            if direction is not None:
                a, length = math.radians(direction.heading), 0.9 * frame.radius
                end = position[0] + length * math.sin(a), position[1] + length * math.cos(a)
                drawing.stroke("pointed", (position, end), colour, 3.5 * frame.unit)
        draw_viewer(drawing, cone)
        picture = paint(drawing, base)
        if self.pictures is None:
            note = f"no pictures of {self.episode.world}: the map alone"
            draw = ImageDraw.Draw(picture)
            draw.text((self.font_size, self.font_size), note, MUTED, font(round(0.8 * self.font_size)))
        return picture

    def _xy(self, place: str) -> tuple[float, float]:
        assert self.graph is not None
        east, north = self.graph.positions[self.graph.place_index(place), :2]
        return float(east), float(north)

    @lru_cache(maxsize=4)  # noqa: B019  (a layout lives as long as its film)
    def _base_map(self, leg_index: int, width: int) -> tuple[MapExtent, Image.Image]:
        """Return the map without the agent."""
        assert self.graph is not None
        leg, leg_trace = self.episode.legs[leg_index], self.legs[leg_index]
        indoors = world_kind(self.graph.name).indoors
        if isinstance(leg.goal, Reach):
            places = [*leg.goal.route, *(place for place in leg_trace.path if isinstance(place, str))]
            margin = ROUTE_MARGIN_INDOORS if indoors else ROUTE_MARGIN
        else:
            place = leg.goal.place if isinstance(leg.goal, Point) else None
            places, margin = [place or str(self.episode.start.place)], PLACE_MARGIN_INDOORS if indoors else PLACE_MARGIN
        frame = MapExtent.around([self._xy(place) for place in places], margin, width, self.picture_height)
        drawing = overhead_map(self.plan if self.plan is not None else self.graph, frame)
        if isinstance(leg.goal, Reach):
            draw_routes(drawing, [RouteLine(tuple(map(self._xy, leg.goal.route)), ROUTE_COLOUR, 9.0)])
        return frame, paint_canvas(drawing)

    def _panorama_frame(self, shot: Shot) -> Image.Image:
        picture, yaw = self._panorama_band(shot.leg, shot.place)
        picture = picture.copy()
        width = picture.width

        def pixel(direction: Direction) -> tuple[float, float]:
            x, y = to_equirectangular(direction.heading, direction.pitch, width, width / 2, yaw)
            return float(x), float(y) - (90.0 - BAND_PITCH) / 180.0 * width / 2

        projection = View(shot.look, self.view_width, self.picture_height, FOV)
        shares = np.linspace(0, 1, 24)
        edge = np.concatenate(
            [
                np.stack(side, 1)
                for side in (
                    (shares, 0 * shares),
                    (1 + 0 * shares, shares),
                    (1 - shares, 1 + 0 * shares),
                    (0 * shares, 1 - shares),
                )
            ]
        )
        headings, pitches = projection.direction(edge[:, 0] * projection.width, edge[:, 1] * projection.height)
        points = [pixel(Direction(float(h), float(p))) for h, p in zip(headings, pitches, strict=True)]
        draw = ImageDraw.Draw(picture)
        for start, end in pairwise(points):
            if abs(start[0] - end[0]) < width / 2:
                draw.line((start, end), HIGHLIGHT, max(self.width // 400, 1))
        for direction, colour, scale in ((shot.target, TARGET_COLOUR, 1.0), (shot.answer, ANSWER_COLOUR, ANSWER_RING)):
            if direction is not None:
                _draw_ring(picture, *pixel(direction), colour, scale * self.width / 70)
        return picture

    @lru_cache(maxsize=2)  # noqa: B019
    def _panorama_band(self, leg_index: int, place: str) -> tuple[Image.Image, float]:
        assert self.pictures is not None
        goal = self.episode.legs[leg_index].goal
        yaw = (goal.seen_from(place) or goal).yaw if isinstance(goal, Point) else 0.0
        width = (self.width - 2 * self.padding) // 2 * 2
        panorama = Image.fromarray(np.asarray(self.pictures.panorama(place, yaw, (width, width // 2))))
        margin = round((90.0 - BAND_PITCH) / 180.0 * width / 2)
        return panorama.crop((0, margin, width, width // 2 - margin)), yaw


def _draw_ring(picture: Image.Image, x: float, y: float, colour: Colour, radius: float) -> None:
    draw = ImageDraw.Draw(picture)
    thickness = max(round(radius / 5), 2)
    for outer, line_width, colour_of_ring in ((radius + 1, thickness + 2, WHITE), (radius, thickness, colour)):
        draw.ellipse((x - outer, y - outer, x + outer, y + outer), outline=colour_of_ring, width=line_width)
