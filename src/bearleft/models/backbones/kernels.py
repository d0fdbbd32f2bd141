"""CUDA kernels for two steps around a backbone's stem that torch computes slowly; see `space_to_depth`.

Torch writes blocks of pixels with five strides, and an index of eight bytes with each pooled value.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

import bearleft.world.render.gpu  # noqa: F401  (patches numpy for numba.cuda)
from bearleft.models.backbones.space_to_depth import BLOCK_CHANNELS, PAD_AFTER, PAD_BEFORE, block_pair, max_pool_pair

from numba import cuda  # isort: skip

BLOCKS_PER_THREADS, POOLED_PER_THREADS = 32, 8  # columns that a CUDA thread block computes


@cuda.jit
def _space_to_depth(pictures: Any, table: Any, out: Any) -> None:
    """Write two channels of a block per thread, so that neighbouring threads write side by side."""
    pair, row, n = cuda.threadIdx.x, cuda.blockIdx.y, cuda.blockIdx.z
    column = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
    if column < out.shape[2]:
        out[n, row, column, pair] = block_pair(pictures, table, n, row, column, pair)


@cuda.jit
def _max_pool(maps: Any, out: Any) -> None:
    pair, row, n = cuda.threadIdx.x, cuda.blockIdx.y, cuda.blockIdx.z
    column = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
    if column < out.shape[2]:
        out[n, row, column, pair] = max_pool_pair(maps, n, row, column, pair)


KERNELS: dict[str, Any] = {"space_to_depth": _space_to_depth, "max_pool": _max_pool}


def space_to_depth(pictures: Tensor, table: Tensor) -> Tensor:
    """Return pictures (n, height, width, 3) on a GPU as blocks (n, rows + 3, columns + 3, 16) of bfloat16."""
    count, rows, columns = len(pictures), -(-pictures.shape[1] // 2), -(-pictures.shape[2] // 2)
    shape = (count, PAD_BEFORE + rows + PAD_AFTER, PAD_BEFORE + columns + PAD_AFTER, BLOCK_CHANNELS)
    out = torch.empty(shape, dtype=torch.bfloat16, device=pictures.device)
    grid = (-(-shape[2] // BLOCKS_PER_THREADS), shape[1], count)
    threads = (BLOCK_CHANNELS // 2, BLOCKS_PER_THREADS)
    _launch("space_to_depth", grid, threads, pictures, table, out.view(torch.int32))
    return out


def max_pool(maps: Tensor) -> Tensor:
    """Max-pool maps (n, channels, rows, columns) of bfloat16 on a GPU, channels last, over 3 x 3 with stride 2."""
    count, channels, rows, columns = maps.shape
    shape = (count, (rows + 1) // 2, (columns + 1) // 2, channels)
    out = torch.empty(shape, dtype=maps.dtype, device=maps.device)
    grid = (-(-shape[2] // POOLED_PER_THREADS), shape[1], count)
    pairs = maps.permute(0, 2, 3, 1).contiguous().view(torch.int32)
    _launch("max_pool", grid, (channels // 2, POOLED_PER_THREADS), pairs, out.view(torch.int32))
    return out.permute(0, 3, 1, 2)


def _launch(name: str, grid: tuple[int, ...], threads: tuple[int, ...], *tensors: Tensor) -> None:
    """Launch a kernel on torch's current stream."""
    current = torch.cuda.current_stream(tensors[0].device).cuda_stream
    stream = cuda.external_stream(current) if current else 0
    KERNELS[name][grid, threads, stream](*(cuda.as_cuda_array(tensor) for tensor in tensors))
