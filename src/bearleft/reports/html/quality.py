"""Number and size of the pictures in a report: the best quality level that stays within time and size limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

Size = tuple[int, int]


class PictureRequest(NamedTuple):
    """A picture of a place: a view in a direction (whole degrees), or a panorama where `heading` is None.

    `large` pictures are the main ones of their example: panoramas to point in, and views of tasks.
    """

    world: str
    place: str
    heading: int | None = None
    large: bool = False


@dataclass(frozen=True)
class Limits:
    """Limits on the pictures of a report: seconds of rendering on two cores, and bytes of all files."""

    seconds: float
    bytes: float

    @classmethod
    def default(cls) -> Limits:
        """Return limits under which 1,391 examples of three agents give a file below 60 MB within a minute.

        Base64 turns these bytes into 40 MB; reading, scoring and building a large city take up to 20 seconds more.
        """
        return cls(30.0, 30e6)

    @classmethod
    def full(cls) -> Limits:
        """Return no limits: every picture, at the best quality level."""
        return cls(float("inf"), float("inf"))


@dataclass(frozen=True)
class QualityLevel:
    """Picture sizes, WebP quality, and supersampling (`samples` rays per side of a pixel).

    `optional_share` is the share of the optional pictures (turns and places on the way) that must fit. The sides of
    large pictures are `zoom` times as long.
    """

    view: Size
    panorama: Size
    quality: int
    optional_share: float = 0.0
    samples: int = 1
    zoom: float = 1.0

    def size(self, request: PictureRequest) -> Size:
        """Return the width and height of a picture in pixels."""
        width, height = self.panorama if request.heading is None else self.view
        return (round(self.zoom * width), round(self.zoom * height)) if request.large else (width, height)


# A view of 320 pixels fills a card of a film strip on a high-density screen, and a panorama of 1024 is as sharp
# as that view. On a desktop a panorama to point in is 1,250 pixels wide, a view of a task 450. Panoramas of walked
# places are not useful below 512 pixels. Below 320, a target cannot be told from its neighbours, and views below 128
# show little more than whether there is a house, so the number of turns is reduced before the size.
QUALITY_LEVELS = (
    QualityLevel((320, 200), (1024, 512), 75, 1.0, samples=2, zoom=1.5),
    QualityLevel((320, 200), (1024, 512), 75, 1.0, zoom=1.5),
    QualityLevel((256, 160), (896, 448), 65, 0.85, zoom=1.5),
    QualityLevel((256, 160), (768, 384), 65, 0.8, zoom=1.5),
    QualityLevel((256, 160), (640, 320), 65, 0.8),
    QualityLevel((224, 140), (512, 256), 60, 0.5),
    QualityLevel((192, 120), (512, 256), 60, 0.3),
    QualityLevel((160, 100), (448, 224), 60),
    QualityLevel((144, 90), (384, 192), 60),
    QualityLevel((128, 80), (320, 160), 60),
)


REQUIRED_GROUPS = 2  # the first groups: panoramas to point in, starts and ends


@dataclass(frozen=True)
class Speed:
    """Seconds per picture, per pixel of a view, and per pixel of a panorama."""

    picture: float
    view: float
    panorama: float

    def seconds(self, request: PictureRequest, level: QualityLevel) -> float:
        """Return the seconds that a picture takes."""
        width, height = level.size(request)
        pixel = self.panorama if request.heading is None else self.view
        return self.picture + pixel * width * height * level.samples**2


# Measured on two idle cores with 300 pictures each, encoding included. Views along streets cost more than panoramas,
# whose upper half is sky; shadows cost almost nothing. On a GPU, encoding dominates. A stored panorama of 2048 pixels
# is read in 20 ms, and views cut from it are not supersampled.
SPEEDS = {
    "cpu": Speed(0.5e-3, 0.45e-6, 0.32e-6),
    "cuda": Speed(0.5e-3, 0.04e-6, 0.04e-6),
    "album": Speed(20e-3, 0.01e-6, 0.01e-6),
}


def estimated_bytes(size: Size, quality: int) -> float:
    """Estimate the bytes of a WebP picture of streets.

    Fitted from 128x80 to 1024x512 pixels; within a tenth for qualities from 50 to 75.
    """
    return 1.95 * float(np.power(size[0] * size[1], 0.75)) * (0.33 + 0.0112 * quality)


def choose_quality(
    groups: Sequence[Sequence[PictureRequest]], limits: Limits, backends: Mapping[str, str]
) -> tuple[QualityLevel, list[PictureRequest]]:
    """Choose the best quality level at which enough pictures fit, and the pictures that fit.

    On the lowest level the least important pictures are left out.

    Args:
        groups: requests in the order of importance; the first REQUIRED_GROUPS groups must fit.
        limits: seconds and bytes.
        backends: the key of SPEEDS for each world.
    """
    all_requests = [request for group in groups for request in group]
    required = sum(map(len, groups[:REQUIRED_GROUPS]))
    for level in QUALITY_LEVELS:
        count = _count(all_requests, level, limits, backends)
        if level is QUALITY_LEVELS[-1] or count >= required + level.optional_share * (len(all_requests) - required):
            return level, all_requests[:count]
    raise AssertionError("the lowest level accepts anything")


def _count(requests: Sequence[PictureRequest], level: QualityLevel, limits: Limits, backends: Mapping[str, str]) -> int:
    """Return how many of the requests fit."""
    seconds = total_bytes = 0.0
    for count, request in enumerate(requests):
        seconds += SPEEDS[backends[request.world]].seconds(request, level)
        total_bytes += estimated_bytes(level.size(request), level.quality)
        if seconds > limits.seconds or total_bytes > limits.bytes:
            return count
    return len(requests)
