"""The kernels of `places` as numba compiles them for CUDA."""

from __future__ import annotations

from typing import Any

import bearleft.world.render.gpu  # noqa: F401  (which mends what numba.cuda asks of numpy)
from bearleft.models.places import largest, pair_of

from numba import cuda  # isort: skip


@cuda.jit
def _places(pictures: Any, table: Any, out: Any) -> None:
    """A thread writes two channels of a place, so that neighbours write side by side."""
    pair, row, n = cuda.threadIdx.x, cuda.blockIdx.y, cuda.blockIdx.z
    column = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
    if column < out.shape[2]:
        out[n, row, column, pair] = pair_of(pictures, table, n, row, column, pair)


@cuda.jit
def _pool(maps: Any, out: Any) -> None:
    pair, row, n = cuda.threadIdx.x, cuda.blockIdx.y, cuda.blockIdx.z
    column = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
    if column < out.shape[2]:
        out[n, row, column, pair] = largest(maps, n, row, column, pair)


KERNELS: dict[str, Any] = {"places": _places, "pool": _pool}


def launch(name: str, blocks: Any, threads: Any, stream: int, *tensors: Any) -> None:
    """Tells the card to run one of them on torch tensors."""
    where = cuda.external_stream(stream) if stream else 0
    KERNELS[name][blocks, threads, where](*(cuda.as_cuda_array(one) for one in tensors))
