"""Frames that environments render for people: the view or panorama, with the walk or the answer drawn on it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np
from PIL import Image, ImageDraw

from bearleft.geometry import to_equirectangular
from bearleft.records import Direction, Pose
from bearleft.world.maps.map import REFERENCE, WALKED, Line, walk_map
from bearleft.world.pictures import Bytes, PictureSource, RenderedPictures

VIEW_WIDTH, VIEW_HEIGHT = 512, 384
PANORAMA_WIDTH = 1024
MAP_MARGIN = 60.0  # metres of map around the walk


def walk_frame(source: PictureSource, path: Sequence[str], heading: float) -> Bytes:
    """Return the view ahead beside a map of the places walked so far."""
    view = source.view(Pose(Direction(heading), path[-1]), (VIEW_WIDTH, VIEW_HEIGHT))
    walked = [place for place, _ in groupby(path)]
    world = source.city.plan if isinstance(source, RenderedPictures) else source.graph
    overhead = walk_map(world, Line(walked, WALKED, 5.0), VIEW_HEIGHT, MAP_MARGIN)
    return np.concatenate([view, np.asarray(overhead, np.uint8)], axis=1)


def point_frame(source: PictureSource, place: str, yaw: float, answer: Direction | None, goal: Direction) -> Bytes:
    """Return the panorama of a place, with the answer (orange) and the goal (blue) once there is an answer."""
    picture = Image.fromarray(source.panorama(place, yaw, PANORAMA_WIDTH))
    if answer is not None:
        for direction, colour in ((goal, REFERENCE), (answer, WALKED)):
            x, y = to_equirectangular(direction.heading, direction.pitch, *picture.size, yaw)
            draw_cross(picture, float(x), float(y), colour)
    return np.asarray(picture, np.uint8)


def look_frame(source: PictureSource, place: str, look: Direction, fov: float) -> Bytes:
    """Return a view with a cross in its middle, which is the answer."""
    picture = Image.fromarray(source.view(Pose(look, place), (VIEW_WIDTH, VIEW_HEIGHT), fov))
    draw_cross(picture, picture.width / 2, picture.height / 2, WALKED)
    return np.asarray(picture, np.uint8)


def draw_cross(picture: Image.Image, x: float, y: float, colour: tuple[int, int, int], reach: float = 12.0) -> None:
    """Draw a cross with a light edge, visible on any background."""
    draw = ImageDraw.Draw(picture)
    for width, fill in ((5, (255, 255, 255)), (3, colour)):
        draw.line((x - reach, y, x + reach, y), fill, width)
        draw.line((x, y - reach, x, y + reach), fill, width)
