"""Two kernels for what torch does slowly around a trunk's first layer, see `places`.

torch writes places through five strides, and beside each pooled value where it came from, in eight bytes.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

import bearleft.world.render.gpu  # noqa: F401  (which mends what numba.cuda asks of numpy)
from bearleft.models.backbones.space_to_depth import AFTER, BEFORE, PLACE, largest, pair_of

from numba import cuda  # isort: skip

WIDE, COLUMNS = 32, 8  # places and pooled values of a row that a block of threads takes


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


def as_places(pictures: Tensor, table: Tensor) -> Tensor:
    """Pictures (n, height, width, 3) on a card as places (n, rows + 3, columns + 3, 16) of bfloat16."""
    count, rows, columns = len(pictures), -(-pictures.shape[1] // 2), -(-pictures.shape[2] // 2)
    shape = (count, BEFORE + rows + AFTER, BEFORE + columns + AFTER, PLACE)
    out = torch.empty(shape, dtype=torch.bfloat16, device=pictures.device)
    blocks = (-(-shape[2] // WIDE), shape[1], count)
    _launch("places", blocks, (PLACE // 2, WIDE), pictures, table, out.view(torch.int32))
    return out


def pooled(maps: Tensor) -> Tensor:
    """Maps (n, channels, rows, columns) of bfloat16 on a card, channels last: the largest of 3 x 3, in steps of two."""
    count, channels, rows, columns = maps.shape
    shape = (count, (rows + 1) // 2, (columns + 1) // 2, channels)
    out = torch.empty(shape, dtype=maps.dtype, device=maps.device)
    blocks = (-(-shape[2] // COLUMNS), shape[1], count)
    given = maps.permute(0, 2, 3, 1).contiguous().view(torch.int32)
    _launch("pool", blocks, (channels // 2, COLUMNS), given, out.view(torch.int32))
    return out.permute(0, 3, 1, 2)


def _launch(name: str, blocks: tuple[int, ...], threads: tuple[int, ...], *tensors: Tensor) -> None:
    """On torch's present stream."""
    stream = torch.cuda.current_stream(tensors[0].device).cuda_stream
    where = cuda.external_stream(stream) if stream else 0
    KERNELS[name][blocks, threads, where](*(cuda.as_cuda_array(one) for one in tensors))
