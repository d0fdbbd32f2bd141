"""Perspective views and rotated panoramas out of an equirectangular picture, with OpenCV on the CPU.

The geometry is that of `geometry.View` and of the renderer. The position of a view's pixel in the panorama depends on
size, field of view, pitch and roll; the heading only shifts it along the rows. So maps are cached for the last few of
these, a panorama is stored twice side by side, and a view is one call to OpenCV on a slice of it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import cached_property
from threading import Lock
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, format_value
from bearleft.world.album.remap import fill_maps
from bearleft.world.render.camera import Lens

Array = npt.NDArray[Any]
V = TypeVar("V")
PHASES = 32  # steps within a pixel of OpenCV's fixed-point maps
MAP_CACHE_BYTES = 256 << 20
OVERSAMPLING = 1.5  # panorama pixels per view pixel that a reduced copy must keep


class ByteCache(Generic[V]):
    """Least-recently-used cache, limited in bytes."""

    def __init__(self, max_bytes: int, size: Callable[[V], int]) -> None:
        self.max_bytes, self.size, self.bytes = max_bytes, size, 0
        self._kept: OrderedDict[Any, V] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.max_bytes, self.size)

    def get(self, key: Any, make: Callable[[], V]) -> V:
        """Return the value of a key, computed if it is missing."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        value = make()
        with self._lock:
            if key not in self._kept:
                self._kept[key] = value
                self.bytes += self.size(value)
            while self.bytes > self.max_bytes and len(self._kept) > 1:
                self.bytes -= self.size(self._kept.popitem(last=False)[1])
        return value


def _bytes(arrays: tuple[Array, ...]) -> int:
    return sum(array.nbytes for array in arrays)


MAPS: ByteCache[tuple[Array, ...]] = ByteCache(MAP_CACHE_BYTES, _bytes)


class Sphere:
    """An equirectangular picture to cut views from; heading `yaw` is at its centre.

    A picture is (height, width) or (height, width, channels). Colours are interpolated; of numbers that mean things
    (`smooth=False`: instances, classes, depth) the nearest pixel is taken.
    """

    def __init__(self, picture: Array, yaw: float = 0.0, smooth: bool = True) -> None:
        if picture.ndim not in (2, 3) or 0 in picture.shape:
            raise InputError("a picture of height x width, or with channels", f"an array of shape {picture.shape}")
        self.picture, self.yaw, self.smooth = picture, float(yaw), smooth
        self._levels: dict[int, Array] = {}

    @property
    def nbytes(self) -> int:
        """Return the memory this may use once views were cut from it."""
        return self.picture.nbytes * 3

    def view(self, heading: float, pitch: float, lens: Lens, roll: float = 0.0) -> Array:
        """Return the view in a direction: (height, width), or with the picture's channels."""
        if lens.fov is None:
            raise InputError("a lens with a field of view", "one for the whole sphere", "fov")
        if not (np.isfinite([heading, roll]).all() and -90 <= pitch <= 90):
            raise InputError("a finite direction, its pitch from -90 to 90", format_value((heading, pitch, roll)))
        import cv2

        padded = self._level(self._factor(lens))
        height, width = padded.shape[0] - 2, (padded.shape[1] - 3) // 2
        steps = round((heading - self.yaw) % 360.0 / 360.0 * width * PHASES) % (width * PHASES)
        shift, phase = divmod(steps, PHASES)
        maps = remap_tables(lens, width, height, float(pitch), float(roll), phase, self.smooth)
        visible_part = padded[:, shift : shift + width + 3]
        view_pixels = cv2.remap(visible_part, *maps, cv2.INTER_LINEAR if self.smooth else cv2.INTER_NEAREST)
        return (
            np.asarray(view_pixels).view(self.picture.dtype).reshape(lens.height, lens.width, *self.picture.shape[2:])
        )

    def views(self, headings: npt.ArrayLike, pitches: npt.ArrayLike, lens: Lens, rolls: npt.ArrayLike = 0.0) -> Array:
        """Return many views: (n, height, width), or with the picture's channels."""
        angles = np.broadcast_arrays(*(np.atleast_1d(np.asarray(x, float)) for x in (headings, pitches, rolls)))
        out = np.empty((len(angles[0]), lens.height, lens.width, *self.picture.shape[2:]), self.picture.dtype)
        for k, (heading, pitch, roll) in enumerate(zip(*angles, strict=True)):
            out[k] = self.view(float(heading), float(pitch), lens, float(roll))
        return out

    def rotated(self, yaw: float, width: int, height: int) -> Array:
        """Return the whole panorama in another size, with heading `yaw` at its centre."""
        import cv2

        picture = self._opencv_picture
        across = picture.shape[1]
        whole, share = divmod((yaw - self.yaw) % 360.0 / 360.0 * across, 1.0)
        rotated_picture = np.roll(picture, -round(whole + share), axis=1)
        if self.smooth and 1 / PHASES < share < 1 - 1 / PHASES:
            shifted = np.roll(picture, -int(whole), axis=1)
            rotated_picture = cv2.addWeighted(shifted, 1 - share, np.roll(shifted, -1, axis=1), share, 0.0)
        if rotated_picture.shape[:2] != (height, width):
            enlarges = width > across or height > picture.shape[0]
            smooth = cv2.INTER_LINEAR if enlarges else cv2.INTER_AREA
            rotated_picture = cv2.resize(
                rotated_picture, (width, height), interpolation=smooth if self.smooth else cv2.INTER_NEAREST
            )
        return np.asarray(rotated_picture).view(self.picture.dtype).reshape(height, width, *self.picture.shape[2:])

    @cached_property
    def _opencv_picture(self) -> Array:
        """Return the picture as OpenCV accepts it: 32-bit integers are passed as four bytes each."""
        picture = np.ascontiguousarray(self.picture)
        if picture.dtype.itemsize < 4 or picture.dtype == np.float32:
            return picture
        return picture.view(np.uint8).reshape(*picture.shape[:2], -1)

    def _factor(self, lens: Lens) -> int:
        """Return the power of two by which the panorama is too fine for a lens, which would skip pixels."""
        factor = 1
        while self.smooth and self.picture.shape[1] * lens.pixel >= 2 * np.pi * OVERSAMPLING * 2 * factor:
            factor *= 2
        return factor

    def _level(self, factor: int) -> Array:
        if factor not in self._levels:
            import cv2

            picture = self._opencv_picture
            if factor > 1:
                small = max(picture.shape[1] // factor, 1), max(picture.shape[0] // factor, 1)
                picture = np.asarray(cv2.resize(picture, small, interpolation=cv2.INTER_AREA))
            self._levels[factor] = pad_panorama(picture)
        return self._levels[factor]


def pad_panorama(picture: Array) -> Array:
    """Return a panorama twice side by side, with a column before and two after, and a row beyond either pole."""
    width = picture.shape[1]
    # Beyond a pole the picture continues on the opposite side.
    rows = np.concatenate(
        [np.roll(picture[:1], width // 2, axis=1), picture, np.roll(picture[-1:], width // 2, axis=1)]
    )
    return np.concatenate([rows[:, -1:], rows, rows, rows[:, :1], rows[:, 1 % width : 1 % width + 1]], axis=1)


def remap_tables(
    lens: Lens, width: int, height: int, pitch: float, roll: float, phase: int, smooth: bool
) -> tuple[Array, Array]:
    """Return OpenCV's fixed-point maps, cached.

    They give the position of a view's pixels in a padded panorama of width x height, `phase` steps to the right of a
    view at the end of its left half. The geometry is that of `geometry.View`, in single precision.
    """

    def make() -> tuple[Array, ...]:
        x, y = (np.arange(side, dtype=np.float32) + np.float32(0.5 - side / 2) for side in (lens.width, lens.height))
        up, over = np.radians([pitch, roll])
        turn = [np.cos(over), np.sin(over), np.cos(up), np.sin(up), 1.0 / lens.pixel]
        rounding = 0.5 if smooth else PHASES / 2  # of a step, or of a pixel: truncation then rounds
        across, down = PHASES * width / (2 * np.pi), -PHASES * height / np.pi
        middle = [PHASES * (side / 2 + 0.5) + rounding for side in (width, height)]
        scale = [across, middle[0] + phase, down, middle[1]]
        whole, shares = (np.empty((lens.height, lens.width), kind) for kind in (np.int32, np.uint16))
        fill_maps(whole, shares, x, y, np.array(turn, np.float32), np.array(scale, np.float32))
        pairs = whole.view(np.int16).reshape(lens.height, lens.width, 2)
        return pairs, shares if smooth else np.empty(0, np.uint16)

    first, second = MAPS.get((lens, width, height, pitch, roll, phase, smooth), make)
    return first, second
