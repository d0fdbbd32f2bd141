"""Perspective views and turned panoramas out of an equirectangular picture, by OpenCV on the CPU.

The geometry is that of `geometry.View` and of the renderer. Where a pixel of a view lies in the panorama depends on
size, field of view, pitch and roll; the heading only shifts it along the rows. So maps are kept for the last few of
these, a panorama is laid out twice side by side once, and a view is one call to OpenCV on a slice of it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import cached_property
from threading import Lock
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, shown
from bearleft.world.album.remap import fill
from bearleft.world.render.camera import Lens

Array = npt.NDArray[Any]
V = TypeVar("V")
PHASES = 32  # OpenCV's maps of whole numbers know so many steps within a pixel
KEPT = 256 << 20  # bytes of maps
SPARE = 1.5  # a smaller copy of the panorama is taken where it still has so many pixels for each of the view's


class Cache(Generic[V]):
    """What was made last, up to so many bytes; made again when it is asked for later."""

    def __init__(self, most: int, size: Callable[[V], int]) -> None:
        self.most, self.size, self.bytes = most, size, 0
        self._kept: OrderedDict[Any, V] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.most, self.size)

    def get(self, key: Any, make: Callable[[], V]) -> V:
        """What is kept under a key; made where it is not."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = make()
        with self._lock:
            if key not in self._kept:
                self._kept[key] = made
                self.bytes += self.size(made)
            while self.bytes > self.most and len(self._kept) > 1:
                self.bytes -= self.size(self._kept.popitem(last=False)[1])
        return made


def _bytes(arrays: tuple[Array, ...]) -> int:
    return sum(array.nbytes for array in arrays)


MAPS: Cache[tuple[Array, ...]] = Cache(KEPT, _bytes)


class Sphere:
    """An equirectangular picture to look around in; heading `yaw` is in its middle.

    A picture is (height, width) or (height, width, channels). Colours are interpolated between pixels; of numbers that
    mean things (`smooth=False`: instances, classes, depth) the nearest pixel's is taken.
    """

    def __init__(self, picture: Array, yaw: float = 0.0, smooth: bool = True) -> None:
        if picture.ndim not in (2, 3) or 0 in picture.shape:
            raise InputError("a picture of height x width, or with channels", f"an array of shape {picture.shape}")
        self.picture, self.yaw, self.smooth = picture, float(yaw), smooth
        self._levels: dict[int, Array] = {}

    @property
    def nbytes(self) -> int:
        """What this may take of memory, once views were cut from it."""
        return self.picture.nbytes * 3

    def view(self, heading: float, pitch: float, lens: Lens, roll: float = 0.0) -> Array:
        """What one sees that way: (height, width) or with the picture's channels."""
        if lens.fov is None:
            raise InputError("a lens with a field of view", "one for the whole sphere", "fov")
        if not (np.isfinite([heading, roll]).all() and -90 <= pitch <= 90):
            raise InputError("a finite direction, its pitch from -90 to 90", shown((heading, pitch, roll)))
        import cv2

        padded = self._level(self._factor(lens))
        height, width = padded.shape[0] - 2, (padded.shape[1] - 3) // 2
        steps = round((heading - self.yaw) % 360.0 / 360.0 * width * PHASES) % (width * PHASES)
        shift, phase = divmod(steps, PHASES)
        where = fixed_maps(lens, width, height, float(pitch), float(roll), phase, self.smooth)
        part = padded[:, shift : shift + width + 3]
        found = cv2.remap(part, *where, cv2.INTER_LINEAR if self.smooth else cv2.INTER_NEAREST)
        return np.asarray(found).view(self.picture.dtype).reshape(lens.height, lens.width, *self.picture.shape[2:])

    def views(self, headings: npt.ArrayLike, pitches: npt.ArrayLike, lens: Lens, rolls: npt.ArrayLike = 0.0) -> Array:
        """Many views: (n, height, width), or with the picture's channels."""
        given = np.broadcast_arrays(*(np.atleast_1d(np.asarray(x, float)) for x in (headings, pitches, rolls)))
        out = np.empty((len(given[0]), lens.height, lens.width, *self.picture.shape[2:]), self.picture.dtype)
        for k, (heading, pitch, roll) in enumerate(zip(*given, strict=True)):
            out[k] = self.view(float(heading), float(pitch), lens, float(roll))
        return out

    def turned(self, yaw: float, width: int, height: int) -> Array:
        """The whole panorama in another size, with heading `yaw` in its middle."""
        import cv2

        picture = self._bits
        across = picture.shape[1]
        whole, share = divmod((yaw - self.yaw) % 360.0 / 360.0 * across, 1.0)
        there = np.roll(picture, -round(whole + share), axis=1)
        if self.smooth and 1 / PHASES < share < 1 - 1 / PHASES:
            near = np.roll(picture, -int(whole), axis=1)
            there = cv2.addWeighted(near, 1 - share, np.roll(near, -1, axis=1), share, 0.0)
        if there.shape[:2] != (height, width):
            larger = width > across or height > picture.shape[0]
            smooth = cv2.INTER_LINEAR if larger else cv2.INTER_AREA
            there = cv2.resize(there, (width, height), interpolation=smooth if self.smooth else cv2.INTER_NEAREST)
        return np.asarray(there).view(self.picture.dtype).reshape(height, width, *self.picture.shape[2:])

    @cached_property
    def _bits(self) -> Array:
        """The picture as OpenCV takes it: whole numbers of 32 bits go through as four bytes each."""
        picture = np.ascontiguousarray(self.picture)
        if picture.dtype.itemsize < 4 or picture.dtype == np.float32:
            return picture
        return picture.view(np.uint8).reshape(*picture.shape[:2], -1)

    def _factor(self, lens: Lens) -> int:
        """How many times over the panorama is too fine for a lens, as a power of two: else pixels would be skipped."""
        factor = 1
        while self.smooth and self.picture.shape[1] * lens.pixel >= 2 * np.pi * SPARE * 2 * factor:
            factor *= 2
        return factor

    def _level(self, factor: int) -> Array:
        if factor not in self._levels:
            import cv2

            picture = self._bits
            if factor > 1:
                small = max(picture.shape[1] // factor, 1), max(picture.shape[0] // factor, 1)
                picture = np.asarray(cv2.resize(picture, small, interpolation=cv2.INTER_AREA))
            self._levels[factor] = padded(picture)
        return self._levels[factor]


def padded(picture: Array) -> Array:
    """A panorama twice side by side, with a column before and two after, and a row beyond either pole."""
    width = picture.shape[1]
    # Over the pole one goes on down the other side.
    rows = np.concatenate(
        [np.roll(picture[:1], width // 2, axis=1), picture, np.roll(picture[-1:], width // 2, axis=1)]
    )
    return np.concatenate([rows[:, -1:], rows, rows, rows[:, :1], rows[:, 1 % width : 1 % width + 1]], axis=1)


def fixed_maps(
    lens: Lens, width: int, height: int, pitch: float, roll: float, phase: int, smooth: bool
) -> tuple[Array, Array]:
    """OpenCV's maps of whole numbers; the last ones are kept.

    They say where the pixels of a view lie in a `padded` panorama of width x height, `phase` steps further to the right
    than one that looks at its left half's end. The geometry is that of `geometry.View`, in single precision.
    """

    def make() -> tuple[Array, ...]:
        x, y = (np.arange(side, dtype=np.float32) + np.float32(0.5 - side / 2) for side in (lens.width, lens.height))
        up, over = np.radians([pitch, roll])
        turn = [np.cos(over), np.sin(over), np.cos(up), np.sin(up), 1.0 / lens.pixel]
        half = 0.5 if smooth else PHASES / 2  # of a step, or of a pixel: what is cut off was rounded so
        across, down = PHASES * width / (2 * np.pi), -PHASES * height / np.pi
        middle = [PHASES * (side / 2 + 0.5) + half for side in (width, height)]
        scale = [across, middle[0] + phase, down, middle[1]]
        whole, shares = (np.empty((lens.height, lens.width), kind) for kind in (np.int32, np.uint16))
        fill(whole, shares, x, y, np.array(turn, np.float32), np.array(scale, np.float32))
        pairs = whole.view(np.int16).reshape(lens.height, lens.width, 2)
        return pairs, shares if smooth else np.empty(0, np.uint16)

    first, second = MAPS.get((lens, width, height, pitch, roll, phase, smooth), make)
    return first, second
