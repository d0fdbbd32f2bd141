"""Rendering on a CUDA GPU: one thread per pixel; torch can use the results in place."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.runtime.compiled import host_device_function
from bearleft.world.render.camera import Lens, cameras
from bearleft.world.render.cpu import Pictures, check_inside, check_samples
from bearleft.world.render.dynamic_objects import DynamicObjects
from bearleft.world.render.light import Light
from bearleft.world.render.scene import Arrays, Scene
from bearleft.world.render.shading import render_pixel
from bearleft.world.render.shadow_bounds import sunlit_heights

if not hasattr(np, "row_stack"):  # numba.cuda still uses a function that newer NumPy removed
    np.row_stack = np.vstack  # noqa: NPY201

from numba import cuda

TILE_SIZE = 8  # pixels per side of a thread block, whose rays are similar
# Fewer registers per thread keep more threads in flight, which here outweighs the spills.
COMPILE_OPTIONS = {} if os.environ.get("NUMBA_ENABLE_CUDASIM") == "1" else {"max_registers": 56}
MAX_LIGHTS = 8  # cached on the GPU
MAX_LAUNCH = 60_000  # pictures; CUDA allows 65,535 blocks in the third dimension


def available() -> bool:
    """Return whether there is a CUDA GPU (or CUDA's simulator)."""
    return bool(cuda.is_available())


@host_device_function
def _write_pixel(
    s: Any,
    light: Any,
    lit_above: Any,
    camera: Any,
    lens: int,
    column: int,
    row: int,
    samples: int,
    shadows: bool,
    pixel: float,
    dynamic_objects: Any,
    count: int,
    rgb: Any,
    depth: Any,
    instance: Any,
    part: Any,
    kind: Any,
) -> None:
    """Write a pixel into the arrays of its picture."""
    height, width = depth.shape
    r, g, b, t, i, p, k = render_pixel(
        s, light, lit_above, camera, lens, column, row, width, height, samples, shadows, pixel, dynamic_objects, count
    )
    rgb[row, column, 0], rgb[row, column, 1], rgb[row, column, 2] = r, g, b
    depth[row, column], instance[row, column], part[row, column], kind[row, column] = t, i, p, k


@cuda.jit(fastmath=True, **COMPILE_OPTIONS)
def _render_kernel(
    s: Any,
    light: Any,
    lit_above: Any,
    camera: Any,
    lens: int,
    samples: int,
    shadows: bool,
    pixel: float,
    rgb: Any,
    depth: Any,
    instance: Any,
    part: Any,
    kind: Any,
) -> None:
    """Render without dynamic objects; compiled separately, which makes it 5 % faster."""
    column = cuda.blockIdx.x * TILE_SIZE + cuda.threadIdx.x
    row = cuda.blockIdx.y * TILE_SIZE + cuda.threadIdx.y
    n = cuda.blockIdx.z
    if column < depth.shape[2] and row < depth.shape[1]:
        _write_pixel(
            s, light, lit_above, camera[n], lens, column, row, samples, shadows, pixel, s.ball, 0, rgb[n], depth[n],
            instance[n], part[n], kind[n],
        )  # fmt: skip


@cuda.jit(fastmath=True, **COMPILE_OPTIONS)
def _render_dynamic_kernel(
    s: Any,
    light: Any,
    lit_above: Any,
    camera: Any,
    lens: int,
    samples: int,
    shadows: bool,
    pixel: float,
    rgb: Any,
    depth: Any,
    instance: Any,
    part: Any,
    kind: Any,
    dynamic_objects: Any,
    count: Any,
) -> None:
    column = cuda.blockIdx.x * TILE_SIZE + cuda.threadIdx.x
    row = cuda.blockIdx.y * TILE_SIZE + cuda.threadIdx.y
    n = cuda.blockIdx.z
    if column < depth.shape[2] and row < depth.shape[1]:
        _write_pixel(
            s, light, lit_above, camera[n], lens, column, row, samples, shadows, pixel, dynamic_objects[n], count[n],
            rgb[n], depth[n], instance[n], part[n], kind[n],
        )  # fmt: skip


@cuda.jit(fastmath=True, **COMPILE_OPTIONS)
def _render_colours_kernel(
    s: Any,
    light: Any,
    lit_above: Any,
    camera: Any,
    lens: int,
    samples: int,
    shadows: bool,
    pixel: float,
    rgb: Any,
    chosen: Any,
) -> None:
    """Render colours alone, of the cameras that are chosen; the other pictures stay as they are."""
    column = cuda.blockIdx.x * TILE_SIZE + cuda.threadIdx.x
    row = cuda.blockIdx.y * TILE_SIZE + cuda.threadIdx.y
    n = cuda.blockIdx.z
    height, width = rgb.shape[1], rgb.shape[2]
    if column < width and row < height and chosen[n]:
        r, g, b, _, _, _, _ = render_pixel(
            s, light, lit_above, camera[n], lens, column, row, width, height, samples, shadows, pixel, s.ball, 0
        )
        rgb[n, row, column, 0], rgb[n, row, column, 1], rgb[n, row, column, 2] = r, g, b


def _as_cuda_array(array: Any) -> Any:
    """Return a numba or torch array as one that kernels take, at the same address; nothing waits for it."""
    return cuda.as_cuda_array(array, sync=False) if hasattr(array, "data_ptr") else array


def _stream_for(out: Any) -> Any:
    """Return the stream to render an array on: torch's current stream for a torch tensor."""
    if not hasattr(out, "data_ptr"):
        return 0
    import torch

    stream = torch.cuda.current_stream(out.device).cuda_stream
    return cuda.external_stream(stream) if stream else 0


def _to_gpu(rows: npt.NDArray[np.float32], out: Any) -> Any:
    """Return cameras on the GPU, of torch for a torch tensor that is rendered into."""
    if not hasattr(out, "data_ptr"):
        return cuda.to_device(rows)
    import torch

    # From pinned memory, since a plain copy would wait for all pending work.
    return torch.from_numpy(rows).pin_memory().to(out.device, non_blocking=True)


class Renderer:
    """A scene on the GPU. `into` leaves pictures there, `render` copies them back."""

    def __init__(self, scene: Scene) -> None:
        if not available():
            raise InputError("a CUDA GPU", "none that numba can use", hint="Leave out the device to render on the CPU.")
        self.scene = scene
        self.arrays = Arrays(*(cuda.to_device(np.ascontiguousarray(array)) for array in scene.arrays))
        self._lights: dict[Light, tuple[Any, Any]] = {}

    def _light_arrays(self, light: Light) -> tuple[Any, Any]:
        """Return a light's numbers and the heights above which it shines, cached for many calls."""
        if light not in self._lights:
            while len(self._lights) >= MAX_LIGHTS:
                del self._lights[next(iter(self._lights))]
            numbers, lit_above = light.numbers(self.scene.indoors), sunlit_heights(self.scene, light)
            self._lights[light] = cuda.to_device(numbers), cuda.to_device(lit_above)
            cuda.synchronize()  # other streams that do not wait for the default one may read them next
        return self._lights[light]

    def upload(self, objects: DynamicObjects) -> DynamicObjects:
        """Return dynamic objects whose arrays are on the GPU, for many calls."""
        objects.checked(self.scene, len(objects))
        return DynamicObjects(
            *(cuda.to_device(a) if isinstance(a, np.ndarray) else a for a in (objects.rows, objects.count))
        )

    def into(
        self,
        out: Pictures,
        poses: npt.ArrayLike,
        lens: Lens,
        light: Light | None = None,
        samples: int = 1,
        shadows: bool = True,
        dynamic_objects: DynamicObjects | None = None,
    ) -> None:
        """Render into arrays on the GPU (torch tensors too); returns before the GPU is done.

        Tensors are filled on torch's current stream, unless there are `dynamic_objects`, which may be on the GPU too.
        """
        light = light or Light()
        check_samples(samples)
        rows = cameras(poses, lens)
        check_inside(self.scene, poses)
        if tuple(out.depth.shape) != (len(rows), lens.height, lens.width):
            raise InputError(
                f"room for {len(rows)} pictures of {lens.width} x {lens.height}", f"{tuple(out.depth.shape)}", "out"
            )
        blocks = (-(-lens.width // TILE_SIZE), -(-lens.height // TILE_SIZE))
        numbers, lit_above = self._light_arrays(light)
        arrays = [_as_cuda_array(array) for array in (out.rgb, out.depth, out.instance, out.part, out.kind)]
        kernel = _render_kernel
        if dynamic_objects is not None:
            if len(dynamic_objects) != len(rows):
                raise InputError(
                    f"dynamic objects of {len(rows)} cameras", f"of {len(dynamic_objects)}", "dynamic_objects"
                )
            kernel, uploaded = _render_dynamic_kernel, self.upload(dynamic_objects)
            arrays += [_as_cuda_array(uploaded.rows), _as_cuda_array(uploaded.count)]
        if dynamic_objects is None:
            camera_rows, stream = _to_gpu(rows, out.rgb), _stream_for(out.rgb)
        else:
            camera_rows, stream = cuda.to_device(rows), 0
        for begin in range(0, len(rows), MAX_LAUNCH):
            batch = _as_cuda_array(camera_rows[begin : begin + MAX_LAUNCH])
            kernel[(*blocks, len(batch)), (TILE_SIZE, TILE_SIZE), stream](
                self.arrays,
                numbers,
                lit_above,
                batch,
                lens.code,
                samples,
                shadows,
                np.float32(lens.pixel),
                *(array[begin : begin + MAX_LAUNCH] for array in arrays),
            )

    def colours_into(
        self,
        rgb: Any,
        camera_rows: Any,
        chosen: Any,
        lens: Lens,
        light: Light | None = None,
        samples: int = 1,
        shadows: bool = True,
    ) -> None:
        """Render colours alone into a torch tensor on the GPU, from cameras that lie there too.

        Everything happens on torch's current stream, and nothing waits. Once the kernel has been compiled by a first
        call and the light uploaded, a CUDA graph can record it.

        Args:
            rgb: The pictures (n, height, width, 3) uint8, which is filled.
            camera_rows: The cameras (n, 12) float32, as `cameras` returns them, of poses inside the world.
            chosen: Which of them (n,) are rendered; the other pictures stay as they are.
            lens: Size and projection.
            light: Sun and weather.
            samples: Rays per side of a pixel.
            shadows: Whether the sun casts shadows.
        """
        check_samples(samples)
        count, expected = len(camera_rows), (len(camera_rows), lens.height, lens.width, 3)
        if tuple(rgb.shape) != expected or tuple(chosen.shape) != (count,):
            got = f"{tuple(rgb.shape)} for {tuple(chosen.shape)}"
            raise InputError(f"room for {count} pictures of {lens.width} x {lens.height}", got, "rgb")
        numbers, lit_above = self._light_arrays(light or Light())
        blocks = (-(-lens.width // TILE_SIZE), -(-lens.height // TILE_SIZE))
        arrays, stream = [_as_cuda_array(array) for array in (camera_rows, rgb, chosen)], _stream_for(rgb)
        for begin in range(0, count, MAX_LAUNCH):
            cameras_, rgb_, chosen_ = (array[begin : begin + MAX_LAUNCH] for array in arrays)
            _render_colours_kernel[(*blocks, len(cameras_)), (TILE_SIZE, TILE_SIZE), stream](
                self.arrays, numbers, lit_above, cameras_, lens.code, samples, shadows, np.float32(lens.pixel), rgb_,
                chosen_,
            )  # fmt: skip

    def empty(self, count: int, lens: Lens) -> Pictures:
        """Return uninitialized pictures, as torch tensors on the GPU."""
        import torch

        shape = (count, lens.height, lens.width)
        types = (torch.float32, torch.int32, torch.int32, torch.uint8)
        rgb: Any = torch.empty((*shape, 3), dtype=torch.uint8, device="cuda")
        rest: Iterator[Any] = (torch.empty(shape, dtype=kind, device="cuda") for kind in types)
        return Pictures(rgb, *rest, lens=lens)

    @staticmethod
    def part(out: Pictures, count: int) -> Pictures:
        """Return the first `count` pictures, sharing memory."""
        return Pictures(*(a[:count] for a in (out.rgb, out.depth, out.instance, out.part, out.kind)), lens=out.lens)

    def tensors(
        self,
        poses: npt.ArrayLike,
        lens: Lens,
        light: Light | None = None,
        samples: int = 1,
        shadows: bool = True,
        dynamic_objects: DynamicObjects | None = None,
    ) -> Pictures:
        """Render pictures as torch tensors on the GPU, without copies."""
        out = self.empty(len(np.asarray(poses)), lens)
        self.into(out, poses, lens, light, samples, shadows, dynamic_objects)
        cuda.synchronize()
        return out

    def render(
        self,
        poses: npt.ArrayLike,
        lens: Lens,
        light: Light | None = None,
        samples: int = 1,
        shadows: bool = True,
        dynamic_objects: DynamicObjects | None = None,
    ) -> Pictures:
        """Render pictures as NumPy arrays, as `cpu.render` does."""
        shape = (len(np.asarray(poses)), lens.height, lens.width)
        types = (np.float32, np.int32, np.int32, np.uint8)
        arrays = [cuda.device_array((*shape, 3), np.uint8), *(cuda.device_array(shape, kind) for kind in types)]
        self.into(Pictures(*arrays), poses, lens, light, samples, shadows, dynamic_objects)
        return Pictures(*(array.copy_to_host() for array in arrays), lens=lens)
