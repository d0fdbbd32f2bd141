"""Clicks in the viewer, and how near they are to a target.

A browser sends a click as a direction together with the view in which it was made: `{heading, pitch, view}` with
`view: {heading, pitch, vfov, width, height}`: the camera, its vertical field of view in degrees, and the size
of the picture in pixels. So each click can be judged again later, whatever the screen was.

Distances are in pixels of that view. Touchdown's workers had to click within 90 pixels of the target, which is about
the size of the bear, in the picture as they saw it; so zooming in demands more precision. A picture narrower than
`REFERENCE_WIDTH` counts as enlarged to it, since on a phone 90 pixels would be a quarter of the picture.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bearleft.errors import InputError, format_value
from bearleft.geometry import View
from bearleft.records import Direction
from bearleft.runtime.json_fields import Fields, Json

RADIUS = 90.0  # pixels
REFERENCE_WIDTH = 890  # pixels: the narrowest pictures of writers in the released data
FOV_LIMITS = (20.0, 130.0)  # degrees from side to side, slightly wider than the viewer's
MAX_SIZE = 16_384  # pixels
MAX_OUTSIDE = 1.0  # pixels that rounding may move a click out of its view


@dataclass(frozen=True)
class Click:
    """A direction that a person chose, and the view in which it was chosen."""

    direction: Direction
    view: View

    def to_json(self) -> dict[str, Json]:
        """Return the JSON object, as a browser sends it."""
        look = self.view.look
        return {
            "heading": self.direction.heading,
            "pitch": self.direction.pitch,
            "view": {
                "heading": look.heading,
                "pitch": look.pitch,
                "vfov": vertical_fov(self.view),
                "width": self.view.width,
                "height": self.view.height,
            },
        }


def parse_click(data: Mapping[str, Any]) -> Click:
    """Return the click of an action.

    Raises:
        InputError: A field is missing or out of range, or the direction lies outside the view.
    """
    fields = Fields(dict(data))
    direction = Direction(fields.number("heading"), fields.number("pitch", -90, 90))
    view = _parse_view(fields.object("view"))
    x, y = (float(value) for value in view.pixel(direction.heading, direction.pitch))
    inside = -MAX_OUTSIDE <= x <= view.width + MAX_OUTSIDE and -MAX_OUTSIDE <= y <= view.height + MAX_OUTSIDE
    if not inside:  # NaN, behind the camera, is not inside either
        raise InputError("a direction inside the view", format_value(direction.to_json()), "heading")
    return Click(direction, view)


def _parse_view(fields: Fields) -> View:
    look = Direction(fields.number("heading"), fields.number("pitch", -90, 90))
    width, height = (round(fields.number(name, 1, MAX_SIZE)) for name in ("width", "height"))
    half_height = math.tan(math.radians(fields.number("vfov", 1.0, 170.0)) / 2)
    fov = 2 * math.degrees(math.atan(half_height * width / height))
    if not FOV_LIMITS[0] <= fov <= FOV_LIMITS[1]:
        low, high = FOV_LIMITS
        raise InputError(f"a view of {low:g} to {high:g} degrees from side to side", f"{fov:.1f}", fields.name("vfov"))
    return View(look, width, height, fov)


def vertical_fov(view: View) -> float:
    """Return the vertical field of view in degrees."""
    return 2 * math.degrees(math.atan(math.tan(math.radians(view.fov) / 2) * view.height / view.width))


def pixel_distance(click: Click, target: Direction) -> float:
    """Return the pixels between a click and a target in the click's view; infinite for a target behind the camera."""
    view = click.view
    if view.width < REFERENCE_WIDTH:
        height = max(round(view.height * REFERENCE_WIDTH / view.width), 1)
        view = View(view.look, REFERENCE_WIDTH, height, view.fov)
    x, y = view.pixel([click.direction.heading, target.heading], [click.direction.pitch, target.pitch])
    distance = float(np.hypot(x[1] - x[0], y[1] - y[0]))
    return math.inf if math.isnan(distance) else distance


def is_hit(click: Click, target: Direction) -> bool:
    """Return whether a click is within RADIUS pixels of a target."""
    return pixel_distance(click, target) <= RADIUS
