"""Points of a scene: what a direction meets, and from where a point is seen.

A ray goes through the renderer's own code, so it meets what a picture shows. A point counts as seen where the ray in
its direction meets the same thing and part there, and so does the middle of the point's pixel in the place's panorama:
whoever looks the point up in that panorama's buffers finds the point's own thing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.geometry import angles, to_equirectangular, vector
from bearleft.runtime.compiled import device, spread
from bearleft.world.render.camera import cameras, panorama, poses
from bearleft.world.render.light import Light
from bearleft.world.render.raycast import HALF, f4
from bearleft.world.render.scene import Arrays, Scene
from bearleft.world.render.shading import PANORAMA, Numbers, look, ray

if TYPE_CHECKING:
    from bearleft.types import Floats


Ints = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]

WIDTH = 3712  # of the panoramas in which points are looked up: Touchdown's
# Metres, and metres per metre, that a ray may end before or behind its point: a hydrant's body is seen from behind too.
NEARNESS, SHARE = 0.3, 0.002
CHUNK = 4096  # rays that a thread takes at a time
_NO_SUN = np.zeros((1, 2), np.float32)
_NOBODY = np.zeros((1, 4), np.float32)


@dataclass(frozen=True, eq=False)
class Met:
    """What n rays meet: columns as in `Pictures`."""

    depth: Numbers
    instance: Ints
    part: Ints
    kind: Bytes

    def __len__(self) -> int:
        return len(self.depth)


def cast(scene: Scene, eyes: npt.ArrayLike, ways: npt.ArrayLike, width: int = WIDTH) -> Met:
    """What rays from `eyes` (n, 3) in the directions `ways` (n, 3, of length 1) meet.

    `width` is that of the panorama whose pixels decide how fine a marking of the ground may be.
    """
    begin = np.ascontiguousarray(eyes, np.float32).reshape(-1, 3)
    towards = np.ascontiguousarray(ways, np.float32).reshape(-1, 3)
    if len(begin) != len(towards):
        raise InputError("as many eyes as directions", f"{len(begin)} and {len(towards)}")
    count = len(begin)
    met = Met(
        np.empty(count, np.float32), np.empty(count, np.int32), np.empty(count, np.int32), np.empty(count, np.uint8)
    )
    light, pixel = Light().numbers(), np.float32(2 * np.pi / width)

    def some(first: int) -> None:
        last = min(first + CHUNK, count)
        _cast(
            scene.arrays,
            light,
            _NO_SUN,
            _NOBODY,
            begin,
            towards,
            pixel,
            first,
            last,
            met.depth,
            met.instance,
            met.part,
            met.kind,
        )

    spread(some, range(0, count, CHUNK))
    return met


def sighted(
    scene: Scene,
    eyes: npt.ArrayLike,
    points: npt.ArrayLike,
    instance: npt.ArrayLike,
    part: npt.ArrayLike,
    yaw: npt.ArrayLike = 0.0,
    width: int = WIDTH,
) -> tuple[Floats, Floats, Flags]:
    """Heading and pitch of points (n, 3) from eyes (n, 3), and whether they are seen.

    `yaw` is the heading in the middle of each eye's panorama. The direction is that of the point whether it is seen or
    hidden.
    """
    begin = np.asarray(eyes, np.float32).reshape(-1, 3)
    way = np.asarray(points, np.float64).reshape(-1, 3) - begin
    whose, which = np.asarray(instance), np.asarray(part)
    heading, pitch = angles(way)
    away = np.linalg.norm(way, axis=1)
    met = cast(scene, begin, vector(heading, pitch), width)
    with np.errstate(invalid="ignore"):
        there = np.abs(met.depth - away) <= NEARNESS + SHARE * away
    seen = (met.instance == whose) & (met.part == which) & there
    met = cast(scene, begin, _middles(begin, heading, pitch, yaw, width), width)
    seen &= (met.instance == whose) & (met.part == which)
    return heading, pitch, seen


def pixel_of(heading: npt.ArrayLike, pitch: npt.ArrayLike, yaw: npt.ArrayLike, width: int) -> tuple[Ints, Ints]:
    """Column and row of the pixel that shows a direction in a panorama whose middle has heading `yaw`."""
    x, y = to_equirectangular(heading, pitch, width, width // 2, yaw)
    column = np.minimum(np.floor(x), width - 1).astype(np.int32)
    return column, np.minimum(np.floor(y), width // 2 - 1).astype(np.int32)


def _middles(eyes: Numbers, heading: Floats, pitch: Floats, yaw: npt.ArrayLike, width: int) -> Numbers:
    """The renderer's rays through the middles of the pixels that show directions."""
    column, row = pixel_of(heading, pitch, yaw, width)
    out = np.empty((len(eyes), 3), np.float32)
    _rays(cameras(poses(eyes, yaw), panorama(width)), column, row, np.float32(width), np.float32(width // 2), out)
    return out


@device
def _cast(
    s: Arrays,
    light: Numbers,
    above: Numbers,
    guests: Numbers,
    eyes: Numbers,
    ways: Numbers,
    pixel: np.float32,
    begin: int,
    end: int,
    depth: Numbers,
    instance: Ints,
    part: Ints,
    kind: Bytes,
) -> None:
    for k in range(begin, end):
        _, _, _, t, i, p, c = look(
            s,
            light,
            above,
            eyes[k, 0],
            eyes[k, 1],
            eyes[k, 2],
            ways[k, 0],
            ways[k, 1],
            ways[k, 2],
            pixel,
            False,
            guests,
            0,
        )
        depth[k], instance[k], part[k], kind[k] = t, i, p, c


@device
def _rays(camera: Numbers, column: Ints, row: Ints, width: np.float32, height: np.float32, out: Numbers) -> None:
    for k in range(len(column)):
        x, y, z = ray(camera[k], PANORAMA, f4(column[k]) + HALF, f4(row[k]) + HALF, width, height)
        out[k, 0], out[k, 1], out[k, 2] = x, y, z
