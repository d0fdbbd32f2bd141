"""Pictures of a prompt: numbered marks on views and panoramas, and the directions of their pixels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from bearleft.geometry import View, from_equirectangular, to_equirectangular
from bearleft.records import Direction
from bearleft.types import Observation

Bytes = npt.NDArray[np.uint8]
VIEW, PANORAMA = "view", "panorama"
MARK_RADIUS = 7  # pixels
INK, PAPER = (0, 0, 0), (255, 221, 51)


def picture_of(observation: Observation) -> tuple[str, Bytes] | None:
    """Return kind and bytes of an observation's picture; None if it has none."""
    for kind in (VIEW, PANORAMA):
        if kind in observation:
            return kind, observation[kind]
    return None


def picture_pixels(
    observation: Observation, fov: float
) -> tuple[Callable[[float, float], Direction | None], Callable[[Direction], tuple[float, float] | None]] | None:
    """Return the functions from pixels to directions and back; None without a picture.

    A pixel outside the picture has no direction, and a direction outside it no pixel.

    Args:
        observation: The observation with the picture.
        fov: The horizontal field of view of a view, in degrees.
    """
    shown = picture_of(observation)
    if shown is None or "heading" not in observation:
        return None
    kind, picture = shown
    height, width = picture.shape[:2]
    pitch = float(observation.get("pitch", 0.0))
    yaw = float(observation["yaw"] if "yaw" in observation else observation["heading"])
    view = View(Direction(float(observation["heading"]), pitch), width, height, fov)

    def direction(x: float, y: float) -> Direction | None:
        if not (0 <= x <= width and 0 <= y <= height):
            return None
        heading, up = from_equirectangular(x, y, width, height, yaw) if kind == PANORAMA else view.direction(x, y)
        return Direction(float(heading), float(np.clip(up, -90, 90)))

    def pixel(look: Direction) -> tuple[float, float] | None:
        if kind == PANORAMA:
            x, y = to_equirectangular(look.heading, look.pitch, width, height, yaw)
        elif view.sees(look.heading, look.pitch):
            x, y = view.pixel(look.heading, look.pitch)
        else:
            return None
        return float(x), float(y)

    return direction, pixel


def draw_marks(picture: Bytes, marks: Mapping[int, tuple[float, float]]) -> Bytes:
    """Return a picture with numbered marks at pixels."""
    image = Image.fromarray(picture)
    draw = ImageDraw.Draw(image)
    for number, (x, y) in marks.items():
        box: Any = [x - MARK_RADIUS, y - MARK_RADIUS, x + MARK_RADIUS, y + MARK_RADIUS]
        draw.ellipse(box, fill=PAPER, outline=INK)
        draw.text((x, y), str(number), fill=INK, anchor="mm")
    return np.asarray(image)
