"""Pictures on a CUDA GPU: the functions of `pixel`, one thread a pixel; results can be used by torch where they lie."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.runtime.compiled import device
from bearleft.world.render.camera import Lens, cameras
from bearleft.world.render.cpu import Pictures, check_inside, check_samples
from bearleft.world.render.dynamic_objects import Guests
from bearleft.world.render.light import Light
from bearleft.world.render.scene import Arrays, Scene
from bearleft.world.render.shading import expose
from bearleft.world.render.shadow_bounds import sunlit

if not hasattr(np, "row_stack"):  # numba.cuda still asks for what newer numpy dropped
    np.row_stack = np.vstack  # noqa: NPY201

from numba import cuda

TILE = 8  # pixels a side that neighbouring threads take, since their rays go the same way
# Registers a thread: fewer keep more threads in flight, which is worth more here than what spills.
LIMITS = {} if os.environ.get("NUMBA_ENABLE_CUDASIM") == "1" else {"max_registers": 56}
LIGHTS = 8  # whose numbers are kept on the GPU
MOST = 60_000  # pictures in one launch: CUDA's limit on blocks in the third direction is 65,535


def available() -> bool:
    """Whether there is a GPU to render on (or CUDA's simulator stands in for one)."""
    return bool(cuda.is_available())


@device
def _put(
    s: Any,
    light: Any,
    above: Any,
    camera: Any,
    lens: int,
    column: int,
    row: int,
    samples: int,
    shadows: bool,
    pixel: float,
    guests: Any,
    count: int,
    rgb: Any,
    depth: Any,
    instance: Any,
    part: Any,
    kind: Any,
) -> None:
    """Writes a pixel into the arrays of its picture."""
    height, width = depth.shape
    r, g, b, t, i, p, k = expose(
        s, light, above, camera, lens, column, row, width, height, samples, shadows, pixel, guests, count
    )
    rgb[row, column, 0], rgb[row, column, 1], rgb[row, column, 2] = r, g, b
    depth[row, column], instance[row, column], part[row, column], kind[row, column] = t, i, p, k


@cuda.jit(fastmath=True, **LIMITS)
def _expose(
    s: Any,
    light: Any,
    above: Any,
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
    """Without guests: compiled apart, all that is about them falls away, which makes it a twentieth faster."""
    column = cuda.blockIdx.x * TILE + cuda.threadIdx.x
    row = cuda.blockIdx.y * TILE + cuda.threadIdx.y
    n = cuda.blockIdx.z
    if column < depth.shape[2] and row < depth.shape[1]:
        _put(
            s, light, above, camera[n], lens, column, row, samples, shadows, pixel, s.ball, 0, rgb[n], depth[n],
            instance[n], part[n], kind[n],
        )  # fmt: skip


@cuda.jit(fastmath=True, **LIMITS)
def _expose_guests(
    s: Any,
    light: Any,
    above: Any,
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
    guests: Any,
    count: Any,
) -> None:
    column = cuda.blockIdx.x * TILE + cuda.threadIdx.x
    row = cuda.blockIdx.y * TILE + cuda.threadIdx.y
    n = cuda.blockIdx.z
    if column < depth.shape[2] and row < depth.shape[1]:
        _put(
            s, light, above, camera[n], lens, column, row, samples, shadows, pixel, guests[n], count[n], rgb[n],
            depth[n], instance[n], part[n], kind[n],
        )  # fmt: skip


def _here(array: Any) -> Any:
    """An array of numba's or of torch's as one that kernels take, at the same address."""
    return cuda.as_cuda_array(array) if hasattr(array, "data_ptr") else array


def _carried(rows: npt.NDArray[np.float32], out: Pictures) -> tuple[Any, Any]:
    """Cameras on the GPU and the stream to render on: for torch's arrays its present one, without waiting for it."""
    if not hasattr(out.rgb, "data_ptr"):
        return cuda.to_device(rows), 0
    import torch

    where: Any = out.rgb.device
    stream = torch.cuda.current_stream(where).cuda_stream
    # From pages that stay where they are, since a plain copy waits for all that is under way.
    there = torch.from_numpy(rows).pin_memory().to(where, non_blocking=True)
    return there, cuda.external_stream(stream) if stream else 0


class Renderer:
    """A scene on the GPU. `into` leaves pictures there, `render` brings them back."""

    def __init__(self, scene: Scene) -> None:
        if not available():
            raise InputError("a CUDA GPU", "none that numba can use", hint="Leave out the device to render on the CPU.")
        self.scene = scene
        self.arrays = Arrays(*(cuda.to_device(np.ascontiguousarray(array)) for array in scene.arrays))
        self._lights: dict[Light, tuple[Any, Any]] = {}

    def _lit(self, light: Light) -> tuple[Any, Any]:
        """A light's numbers and how high it leaves the ground in shadow, kept there for many calls."""
        if light not in self._lights:
            while len(self._lights) >= LIGHTS:
                del self._lights[next(iter(self._lights))]
            numbers, above = light.numbers(self.scene.indoors), sunlit(self.scene, light)
            self._lights[light] = cuda.to_device(numbers), cuda.to_device(above)
            cuda.synchronize()  # streams that do not wait for the default one may be the next to read them
        return self._lights[light]

    def guests(self, around: Guests) -> Guests:
        """Guests whose arrays lie on the GPU, for many calls."""
        around.checked(self.scene, len(around))
        return Guests(*(cuda.to_device(a) if isinstance(a, np.ndarray) else a for a in (around.rows, around.count)))

    def into(
        self,
        out: Pictures,
        poses: npt.ArrayLike,
        lens: Lens,
        light: Light | None = None,
        samples: int = 1,
        shadows: bool = True,
        guests: Guests | None = None,
    ) -> None:
        """Fills pictures whose arrays lie on the GPU (torch tensors too); returns before the GPU is done.

        Tensors are filled on torch's present stream, but for those with `guests`, which may lie there as well.
        """
        light = light or Light()
        check_samples(samples)
        rows = cameras(poses, lens)
        check_inside(self.scene, poses)
        if tuple(out.depth.shape) != (len(rows), lens.height, lens.width):
            raise InputError(
                f"room for {len(rows)} pictures of {lens.width} x {lens.height}", f"{tuple(out.depth.shape)}", "out"
            )
        blocks = (-(-lens.width // TILE), -(-lens.height // TILE))
        numbers, above = self._lit(light)
        arrays = [_here(array) for array in (out.rgb, out.depth, out.instance, out.part, out.kind)]
        kernel = _expose
        if guests is not None:
            if len(guests) != len(rows):
                raise InputError(f"guests of {len(rows)} cameras", f"of {len(guests)}", "guests")
            kernel, around = _expose_guests, self.guests(guests)
            arrays += [_here(around.rows), _here(around.count)]
        there, stream = _carried(rows, out) if guests is None else (cuda.to_device(rows), 0)
        for begin in range(0, len(rows), MOST):
            some = _here(there[begin : begin + MOST])
            kernel[(*blocks, len(some)), (TILE, TILE), stream](
                self.arrays,
                numbers,
                above,
                some,
                lens.code,
                samples,
                shadows,
                np.float32(lens.pixel),
                *(array[begin : begin + MOST] for array in arrays),
            )

    def empty(self, count: int, lens: Lens) -> Pictures:
        """Room for pictures, as torch tensors on the GPU."""
        import torch

        shape = (count, lens.height, lens.width)
        types = (torch.float32, torch.int32, torch.int32, torch.uint8)
        rgb: Any = torch.empty((*shape, 3), dtype=torch.uint8, device="cuda")
        rest: Iterator[Any] = (torch.empty(shape, dtype=kind, device="cuda") for kind in types)
        return Pictures(rgb, *rest, lens=lens)

    @staticmethod
    def part(out: Pictures, count: int) -> Pictures:
        """The first so many of some pictures, in the same memory."""
        return Pictures(*(a[:count] for a in (out.rgb, out.depth, out.instance, out.part, out.kind)), lens=out.lens)

    def tensors(
        self,
        poses: npt.ArrayLike,
        lens: Lens,
        light: Light | None = None,
        samples: int = 1,
        shadows: bool = True,
        guests: Guests | None = None,
    ) -> Pictures:
        """Pictures whose arrays are torch tensors on the GPU; nothing is copied."""
        out = self.empty(len(np.asarray(poses)), lens)
        self.into(out, poses, lens, light, samples, shadows, guests)
        cuda.synchronize()
        return out

    def render(
        self,
        poses: npt.ArrayLike,
        lens: Lens,
        light: Light | None = None,
        samples: int = 1,
        shadows: bool = True,
        guests: Guests | None = None,
    ) -> Pictures:
        """Pictures on the CPU, as `cpu.render` gives them."""
        shape = (len(np.asarray(poses)), lens.height, lens.width)
        types = (np.float32, np.int32, np.int32, np.uint8)
        arrays = [cuda.device_array((*shape, 3), np.uint8), *(cuda.device_array(shape, kind) for kind in types)]
        self.into(Pictures(*arrays), poses, lens, light, samples, shadows, guests)
        return Pictures(*(array.copy_to_host() for array in arrays), lens=lens)
