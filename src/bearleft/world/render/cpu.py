"""Pictures on the CPU: rows of pixels, spread over all cores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, shown
from bearleft.runtime.compiled import device, spread
from bearleft.runtime.json_fields import is_whole
from bearleft.world.render.camera import Lens, cameras
from bearleft.world.render.dynamic_objects import Guests
from bearleft.world.render.light import Light
from bearleft.world.render.scene import Arrays, Scene
from bearleft.world.render.shading import FAR, Numbers, expose
from bearleft.world.render.shadow_bounds import sunlit

MOST_SAMPLES = 8
BAND = 16  # rows that a thread takes at a time


@dataclass(frozen=True, eq=False)
class Pictures:
    """What n cameras see, pixel by pixel.

    `depth` is metres along the ray, infinite for sky. `instance` is -1 for sky, 0 for the ground, else a thing's number
    plus 1, or the number of a camera's guest plus `Scene.guest_base`. `part` has the number of the part in its low 8
    bits, a window's column (from 1) in the next 8, its floor (from 1) in the 8 above. `kind` is a class.
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
    """How many rays a side a pixel is sampled by."""
    if not is_whole(samples) or not 1 <= samples <= MOST_SAMPLES:
        raise InputError(f"samples from 1 to {MOST_SAMPLES} a side", shown(samples), "samples")
    return int(samples)


def check_inside(scene: Scene, poses: npt.ArrayLike) -> None:
    """An error for a pose outside the world."""
    rows = np.asarray(poses, np.float64).reshape(-1, 6)
    west, south, east, north = scene.extent
    out = (rows[:, 0] < west) | (rows[:, 0] >= east) | (rows[:, 1] < south) | (rows[:, 1] >= north)
    out |= (rows[:, 2] <= 0) | (rows[:, 2] > FAR)
    if out.any():
        x, y, z = rows[out][0, :3]
        raise InputError(
            f"poses between {west:.0f} and {east:.0f} m east, {south:.0f} and {north:.0f} m north, above the ground, "
            f"at most {FAR:.0f} m high",
            f"({x:.1f}, {y:.1f}, {z:.1f})",
        )


def render(
    scene: Scene,
    poses: npt.ArrayLike,
    lens: Lens,
    light: Light | None = None,
    samples: int = 1,
    shadows: bool = True,
    guests: Guests | None = None,
) -> Pictures:
    """Pictures of a scene from poses (n, 6), see `camera.poses`; `samples` rays a side of each pixel smooth edges.

    `guests`: what else stands around, for each of the poses.
    """
    light = light or Light()
    check_samples(samples)
    seen_by = cameras(poses, lens)
    check_inside(scene, poses)
    n, h, w = len(seen_by), lens.height, lens.width
    around = Guests.none(n) if guests is None else guests.checked(scene, n)
    out = Pictures(
        np.empty((n, h, w, 3), np.uint8),
        np.empty((n, h, w), np.float32),
        np.empty((n, h, w), np.int32),
        np.empty((n, h, w), np.int32),
        np.empty((n, h, w), np.uint8),
        lens,
    )
    numbers, above = light.numbers(scene.indoors), sunlit(scene, light)

    def band(work: tuple[int, int]) -> None:
        frame, row = work
        _rows(
            scene.arrays,
            numbers,
            above,
            seen_by[frame],
            lens.code,
            row,
            min(row + BAND, h),
            samples,
            shadows,
            np.float32(lens.pixel),
            around.rows[frame],
            int(around.count[frame]),
            out.rgb[frame],
            out.depth[frame],
            out.instance[frame],
            out.part[frame],
            out.kind[frame],
        )

    spread(band, [(frame, row) for frame in range(n) for row in range(0, h, BAND)])
    return out


@device
def _rows(
    s: Arrays,
    light: Numbers,
    above: Numbers,
    camera: Numbers,
    lens: int,
    begin: int,
    end: int,
    samples: int,
    shadows: bool,
    pixel: np.float32,
    guests: Numbers,
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
            r, g, b, t, i, p, k = expose(
                s, light, above, camera, lens, column, row, width, height, samples, shadows, pixel, guests, count
            )
            rgb[row, column, 0], rgb[row, column, 1], rgb[row, column, 2] = r, g, b
            depth[row, column], instance[row, column], part[row, column], kind[row, column] = t, i, p, k
