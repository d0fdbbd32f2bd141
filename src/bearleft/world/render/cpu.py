"""Rendering on the CPU: rows of pixels, distributed over all cores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, format_value
from bearleft.runtime.compiled import host_device_function, parallel_map
from bearleft.runtime.json_fields import is_integer
from bearleft.world.render.camera import Lens, cameras
from bearleft.world.render.dynamic_objects import DynamicObjects
from bearleft.world.render.light import Light
from bearleft.world.render.scene import Arrays, Scene
from bearleft.world.render.shading import MAX_DISTANCE, Numbers, render_pixel
from bearleft.world.render.shadow_bounds import sunlit_heights

MAX_SAMPLES = 8
BAND_ROWS = 16  # of pixels that a thread renders at a time


@dataclass(frozen=True, eq=False)
class Pictures:
    """Pictures of n cameras.

    `depth` is metres along the ray, infinite for sky. `instance` is -1 for sky, 0 for the ground, else an object's
    number plus 1, or the number of a camera's dynamic object plus `Scene.dynamic_base`. `part` has the number of the
    part in its low 8 bits, a window's column (from 1) in the next 8, its floor (from 1) in the 8 above. `kind` is a
    class.
    """

    rgb: npt.NDArray[np.uint8]
    depth: npt.NDArray[np.float32]
    instance: npt.NDArray[np.int32]
    part: npt.NDArray[np.int32]
    kind: npt.NDArray[np.uint8]
    lens: Lens | None = None

    def __len__(self) -> int:
        return len(self.rgb)


def check_samples(samples: int) -> int:
    """Return the number of rays per side of a pixel, or raise InputError."""
    if not is_integer(samples) or not 1 <= samples <= MAX_SAMPLES:
        raise InputError(f"samples from 1 to {MAX_SAMPLES} per side", format_value(samples), "samples")
    return int(samples)


def check_inside(scene: Scene, poses: npt.ArrayLike) -> None:
    """Raise InputError for a pose outside the world."""
    rows = np.asarray(poses, np.float64).reshape(-1, 6)
    west, south, east, north = scene.extent
    outside = (rows[:, 0] < west) | (rows[:, 0] >= east) | (rows[:, 1] < south) | (rows[:, 1] >= north)
    outside |= (rows[:, 2] <= 0) | (rows[:, 2] > MAX_DISTANCE)
    if outside.any():
        x, y, z = rows[outside][0, :3]
        raise InputError(
            f"poses between {west:.0f} and {east:.0f} m east, {south:.0f} and {north:.0f} m north, above the ground, "
            f"at most {MAX_DISTANCE:.0f} m high",
            f"({x:.1f}, {y:.1f}, {z:.1f})",
        )


def render(
    scene: Scene,
    poses: npt.ArrayLike,
    lens: Lens,
    light: Light | None = None,
    samples: int = 1,
    shadows: bool = True,
    dynamic_objects: DynamicObjects | None = None,
) -> Pictures:
    """Render pictures of a scene.

    Args:
        scene: what to render.
        poses: rows (n, 6), see `camera.poses`.
        lens: size and projection.
        light: sun and weather.
        samples: rays per side of a pixel, for smooth edges.
        shadows: whether the sun casts shadows.
        dynamic_objects: further objects for each of the poses.
    """
    light = light or Light()
    check_samples(samples)
    camera_rows = cameras(poses, lens)
    check_inside(scene, poses)
    n, h, w = len(camera_rows), lens.height, lens.width
    objects_by_camera = DynamicObjects.none(n) if dynamic_objects is None else dynamic_objects.checked(scene, n)
    out = Pictures(
        np.empty((n, h, w, 3), np.uint8),
        np.empty((n, h, w), np.float32),
        np.empty((n, h, w), np.int32),
        np.empty((n, h, w), np.int32),
        np.empty((n, h, w), np.uint8),
        lens,
    )
    numbers, lit_above = light.numbers(scene.indoors), sunlit_heights(scene, light)

    def band(work: tuple[int, int]) -> None:
        frame, row = work
        _render_rows(
            scene.arrays,
            numbers,
            lit_above,
            camera_rows[frame],
            lens.code,
            row,
            min(row + BAND_ROWS, h),
            samples,
            shadows,
            np.float32(lens.pixel),
            objects_by_camera.rows[frame],
            int(objects_by_camera.count[frame]),
            out.rgb[frame],
            out.depth[frame],
            out.instance[frame],
            out.part[frame],
            out.kind[frame],
        )

    parallel_map(band, [(frame, row) for frame in range(n) for row in range(0, h, BAND_ROWS)])
    return out


@host_device_function
def _render_rows(
    s: Arrays,
    light: Numbers,
    lit_above: Numbers,
    camera: Numbers,
    lens: int,
    begin: int,
    end: int,
    samples: int,
    shadows: bool,
    pixel: np.float32,
    dynamic_objects: Numbers,
    count: int,
    rgb: npt.NDArray[np.uint8],
    depth: Numbers,
    instance: npt.NDArray[np.int32],
    part: npt.NDArray[np.int32],
    kind: npt.NDArray[np.uint8],
) -> None:
    height, width = depth.shape
    for row in range(begin, end):
        for column in range(width):
            r, g, b, t, i, p, k = render_pixel(
                s,
                light,
                lit_above,
                camera,
                lens,
                column,
                row,
                width,
                height,
                samples,
                shadows,
                pixel,
                dynamic_objects,
                count,
            )
            rgb[row, column, 0], rgb[row, column, 1], rgb[row, column, 2] = r, g, b
            depth[row, column], instance[row, column], part[row, column], kind[row, column] = t, i, p, k
