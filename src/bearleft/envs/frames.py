"""Pictures of a game for people who watch it: what is seen, with the walk or the answer drawn in."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np
from PIL import Image, ImageDraw

from bearleft.geometry import to_equirectangular
from bearleft.records import Direction, Pose
from bearleft.world.maps.map import REFERENCE, WALKED, Line, walk_map
from bearleft.world.pictures import Bytes, Eyes, Sees

WIDE, HIGH = 512, 384  # of a view
AROUND = 1024  # width of a panorama
MARGIN = 60.0  # metres of map around the walk


def walk_frame(eyes: Sees, path: Sequence[str], heading: float) -> Bytes:
    """What a walker sees ahead, beside a map of the places so far."""
    seen = eyes.view(Pose(Direction(heading), path[-1]), (WIDE, HIGH))
    walked = [place for place, _ in groupby(path)]
    world = eyes.city.plan if isinstance(eyes, Eyes) else eyes.graph
    above = walk_map(world, Line(walked, WALKED, 5.0), HIGH, MARGIN)
    return np.concatenate([seen, np.asarray(above, np.uint8)], axis=1)


def point_frame(eyes: Sees, place: str, yaw: float, answer: Direction | None, goal: Direction) -> Bytes:
    """The panorama of a place; once there is an answer, with it (orange) and where the goal is (blue)."""
    picture = Image.fromarray(eyes.panorama(place, yaw, AROUND))
    if answer is not None:
        for direction, colour in ((goal, REFERENCE), (answer, WALKED)):
            x, y = to_equirectangular(direction.heading, direction.pitch, *picture.size, yaw)
            cross(picture, float(x), float(y), colour)
    return np.asarray(picture, np.uint8)


def look_frame(eyes: Sees, place: str, look: Direction, fov: float) -> Bytes:
    """A view with a cross in its middle, which is the answer."""
    picture = Image.fromarray(eyes.view(Pose(look, place), (WIDE, HIGH), fov))
    cross(picture, picture.width / 2, picture.height / 2, WALKED)
    return np.asarray(picture, np.uint8)


def cross(picture: Image.Image, x: float, y: float, colour: tuple[int, int, int], reach: float = 12.0) -> None:
    """Draws a cross with a light edge, to be seen on anything."""
    draw = ImageDraw.Draw(picture)
    for width, fill in ((5, (255, 255, 255)), (3, colour)):
        draw.line((x - reach, y, x + reach, y), fill, width)
        draw.line((x, y - reach, x, y + reach), fill, width)
