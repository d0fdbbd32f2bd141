"""Single rays: what a direction hits, and whether a point is visible from a position.

Rays use the renderer's own code, so they hit what a picture shows. A point counts as visible if the ray towards it hits
the same object and part there, and so does the centre of the point's pixel in the place's panorama: looking the point
up in that panorama's channels gives the point's own object.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.geometry import to_equirectangular, unit_vectors, vector_angles
from bearleft.runtime.compiled import host_device_function, parallel_map
from bearleft.world.render.camera import cameras, panorama, poses
from bearleft.world.render.light import Light
from bearleft.world.render.raycast import HALF, f4
from bearleft.world.render.scene import Arrays, Scene
from bearleft.world.render.shading import PANORAMA, Numbers, ray, trace_ray

if TYPE_CHECKING:
    from bearleft.types import Floats


Ints = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]

WIDTH = 3712  # of the panoramas in which points are looked up, as in Touchdown
# Metres, and metres per metre, by which a ray may end before or behind its point, since objects have a thickness.
DEPTH_TOLERANCE, RELATIVE_TOLERANCE = 0.3, 0.002
CHUNK_RAYS = 4096  # per task of a thread
_LIGHT = Light().numbers()
_NO_SUN = np.zeros((1, 2), np.float32)
_NO_OBJECTS = np.zeros((1, 4), np.float32)


@dataclass(frozen=True, eq=False)
class RayHits:
    """What n rays hit: columns as in `Pictures`."""

    depth: Numbers
    instance: Ints
    part: Ints
    kind: Bytes

    def __len__(self) -> int:
        return len(self.depth)


def cast(scene: Scene, eyes: npt.ArrayLike, directions: npt.ArrayLike, width: int = WIDTH) -> RayHits:
    """Return what rays from `eyes` (n, 3) in `directions` (n, 3, unit length) hit.

    `width` is that of the panorama whose pixels set the finest visible ground marking.
    """
    origins = np.ascontiguousarray(eyes, np.float32).reshape(-1, 3)
    unit_directions = np.ascontiguousarray(directions, np.float32).reshape(-1, 3)
    if len(origins) != len(unit_directions):
        raise InputError("as many eyes as directions", f"{len(origins)} and {len(unit_directions)}")
    count = len(origins)
    hits = RayHits(
        np.empty(count, np.float32), np.empty(count, np.int32), np.empty(count, np.int32), np.empty(count, np.uint8)
    )
    pixel = np.float32(2 * np.pi / width)

    def cast_chunk(first: int) -> None:
        last = min(first + CHUNK_RAYS, count)
        _cast_rays(
            scene.arrays,
            _LIGHT,
            _NO_SUN,
            _NO_OBJECTS,
            origins,
            unit_directions,
            pixel,
            False,
            0,
            first,
            last,
            hits.depth,
            hits.instance,
            hits.part,
            hits.kind,
        )

    parallel_map(cast_chunk, range(0, count, CHUNK_RAYS))
    return hits


def points_visible(
    scene: Scene,
    eyes: npt.ArrayLike,
    points: npt.ArrayLike,
    instance: npt.ArrayLike,
    part: npt.ArrayLike,
    yaw: npt.ArrayLike = 0.0,
    width: int = WIDTH,
) -> tuple[Floats, Floats, Flags]:
    """Return heading and pitch of points (n, 3) from eyes (n, 3), and whether they are visible.

    `yaw` is the heading in the centre of each eye's panorama. Directions are given for hidden points too.
    """
    origins = np.asarray(eyes, np.float32).reshape(-1, 3)
    offsets = np.asarray(points, np.float64).reshape(-1, 3) - origins
    instances, parts = np.asarray(instance), np.asarray(part)
    heading, pitch = vector_angles(offsets)
    distance = np.linalg.norm(offsets, axis=1)
    hits = cast(scene, origins, unit_vectors(heading, pitch), width)
    with np.errstate(invalid="ignore"):
        at_point = np.abs(hits.depth - distance) <= DEPTH_TOLERANCE + RELATIVE_TOLERANCE * distance
    visible = (hits.instance == instances) & (hits.part == parts) & at_point
    hits = cast(scene, origins, _pixel_centre_rays(origins, heading, pitch, yaw, width), width)
    visible &= (hits.instance == instances) & (hits.part == parts)
    return heading, pitch, visible


def pixel_of(heading: npt.ArrayLike, pitch: npt.ArrayLike, yaw: npt.ArrayLike, width: int) -> tuple[Ints, Ints]:
    """Return column and row of the pixel of a direction in a panorama centred at heading `yaw`."""
    x, y = to_equirectangular(heading, pitch, width, width // 2, yaw)
    column = np.minimum(np.floor(x), width - 1).astype(np.int32)
    return column, np.minimum(np.floor(y), width // 2 - 1).astype(np.int32)


def _pixel_centre_rays(eyes: Numbers, heading: Floats, pitch: Floats, yaw: npt.ArrayLike, width: int) -> Numbers:
    """Return the renderer's rays through the centres of the pixels that show directions."""
    column, row = pixel_of(heading, pitch, yaw, width)
    out = np.empty((len(eyes), 3), np.float32)
    _rays(cameras(poses(eyes, yaw), panorama(width)), column, row, np.float32(width), np.float32(width // 2), out)
    return out


@host_device_function
def _cast_rays(
    s: Arrays,
    light: Numbers,
    above: Numbers,
    dynamic_objects: Numbers,
    eyes: Numbers,
    ways: Numbers,
    pixel: np.float32,
    shadows: bool,
    count: int,
    begin: int,
    end: int,
    depth: Numbers,
    instance: Ints,
    part: Ints,
    kind: Bytes,
) -> None:
    # With `shadows` and `count` written here, trace_ray would be compiled again for these constants.
    for k in range(begin, end):
        _, _, _, t, i, p, c = trace_ray(
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
            shadows,
            dynamic_objects,
            count,
        )
        depth[k], instance[k], part[k], kind[k] = t, i, p, c


@host_device_function
def _rays(camera: Numbers, column: Ints, row: Ints, width: np.float32, height: np.float32, out: Numbers) -> None:
    for k in range(len(column)):
        x, y, z = ray(camera[k], PANORAMA, f4(column[k]) + HALF, f4(row[k]) + HALF, width, height)
        out[k, 0], out[k, 1], out[k, 2] = x, y, z
