"""How many pictures a report has and how large they are: a ladder, whose highest rung within the limits is taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

Size = tuple[int, int]


class Want(NamedTuple):
    """A picture of a place: a view in a direction (whole degrees), or without one the panorama around."""

    world: str
    place: str
    heading: int | None = None


@dataclass(frozen=True)
class Limits:
    """Seconds that making pictures may take, on two cores, and bytes that they may have."""

    seconds: float
    bytes: float

    @classmethod
    def usual(cls) -> Limits:
        """So that 1,391 examples of three agents are a file below 60 MB well within a minute.

        Base64 makes 40 MB of these bytes; reading, scoring and building a large city take up to 20 seconds more.
        """
        return cls(30.0, 30e6)

    @classmethod
    def full(cls) -> Limits:
        """Everything, as large as a small report has it."""
        return cls(float("inf"), float("inf"))


@dataclass(frozen=True)
class Rung:
    """Sizes of views and panoramas, the quality of WebP, and how many rays a side smooth a pixel.

    `more` is the share of what could be done without that must fit: pictures of turns and of places on the way.
    """

    view: Size
    around: Size
    quality: int
    more: float = 0.0
    samples: int = 1

    def size(self, want: Want) -> Size:
        """Pixels across and down."""
        return self.around if want.heading is None else self.view


# A view of 320 pixels fills a card of a film strip on a screen of twice the usual density, and 1024 around are as sharp
# as that view. Below 512 around a walk is not worth panoramas of its places. Below 320 around a target cannot be told
# from what stands beside it, and views below 128 show little more than whether there is a house: rather fewer turns
# than smaller pictures.
LADDER = (
    Rung((320, 200), (1024, 512), 75, 1.0, samples=2),
    Rung((320, 200), (1024, 512), 75, 1.0),
    Rung((320, 200), (768, 384), 70, 1.0),
    Rung((256, 160), (640, 320), 65, 0.8),
    Rung((224, 140), (512, 256), 60, 0.5),
    Rung((192, 120), (512, 256), 60, 0.3),
    Rung((160, 100), (448, 224), 60),
    Rung((144, 90), (384, 192), 60),
    Rung((128, 80), (320, 160), 60),
)


NEEDED = 2  # groups: panoramas to point in, starts and ends


@dataclass(frozen=True)
class Speed:
    """Seconds for a picture, for each pixel of a view, of a panorama."""

    picture: float
    view: float
    around: float

    def of(self, want: Want, rung: Rung) -> float:
        """Seconds that a picture takes."""
        width, height = rung.size(want)
        pixel = self.around if want.heading is None else self.view
        return self.picture + pixel * width * height * rung.samples**2


# Measured on two idle cores with 300 pictures each, encoding among them. Views along streets cost more than panoramas,
# whose upper half is sky; shadows cost next to nothing. On a GPU encoding is what counts. A stored panorama of 2048
# pixels is read in 20 ms, and whoever cuts views from it does not ask for samples.
SPEEDS = {
    "cpu": Speed(0.5e-3, 0.45e-6, 0.32e-6),
    "cuda": Speed(0.5e-3, 0.04e-6, 0.04e-6),
    "album": Speed(20e-3, 0.01e-6, 0.01e-6),
}


def bytes_of(size: Size, quality: int) -> float:
    """Bytes of a WebP picture of streets: measured from 128x80 to 1024x512, within a tenth from quality 50 to 75."""
    return 1.95 * float(np.power(size[0] * size[1], 0.75)) * (0.33 + 0.0112 * quality)


def fitting(groups: Sequence[Sequence[Want]], limits: Limits, made: Mapping[str, str]) -> tuple[Rung, list[Want]]:
    """The highest rung on which enough pictures fit, and what of them fits on it.

    Groups are in the order of importance; of all after the first NEEDED a rung says how much must fit. `made` is how
    pictures of a world are made, a key of SPEEDS. On the lowest rung what matters less is left out.
    """
    every = [want for group in groups for want in group]
    needed = sum(map(len, groups[:NEEDED]))
    for rung in LADDER:
        count = _count(every, rung, limits, made)
        if rung is LADDER[-1] or count >= needed + rung.more * (len(every) - needed):
            return rung, every[:count]
    raise AssertionError("the lowest rung takes anything")


def _count(wants: Sequence[Want], rung: Rung, limits: Limits, made: Mapping[str, str]) -> int:
    """How many of them fit."""
    seconds = size = 0.0
    for count, want in enumerate(wants):
        seconds += SPEEDS[made[want.world]].of(want, rung)
        size += bytes_of(rung.size(want), rung.quality)
        if seconds > limits.seconds or size > limits.bytes:
            return count
    return len(wants)
