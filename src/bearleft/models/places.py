"""Two kernels for what torch does slowly before a trunk's first layers: bytes as places, and the pooling behind them.

torch writes places through five strides, and beside each pooled value where it came from, in eight bytes. Values are
bfloat16, which numba does not know: two of them are one whole number of 32 bits here.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from bearleft.compiled import device

BEFORE, AFTER = 2, 1  # places of nothing around a picture: a kernel of 4 begins two before its own
PLACE = 16  # channels of a place, of which the last four are zero
WIDE, COLUMNS = 32, 8  # places and pooled values of a row that a block of threads takes


@device
def pair_of(pictures: Any, table: Any, n: int, row: int, column: int, pair: int) -> int:
    """Two channels of a place, counted from those of nothing: 2 x 2 pixels row by row, colours last."""
    made = 0
    if row >= BEFORE and column >= BEFORE and pair < 6:
        for k in range(2):
            channel = 2 * pair + k
            y = 2 * (row - BEFORE) + channel // 6
            x = 2 * (column - BEFORE) + channel % 6 // 3
            if y < pictures.shape[1] and x < pictures.shape[2]:
                made |= table[channel % 3, pictures[n, y, x, channel % 3]] << (16 * k)
    return made


@device
def ordered(half: int) -> int:
    """The bits of a bfloat16, from -32768 to 32767, as a number that grows as it does; and back."""
    return half ^ ((half >> 15) & 0x7FFF)


@device
def largest(maps: Any, n: int, row: int, column: int, pair: int) -> int:
    """Two channels of a pooled value: the largest of 3 x 3 in steps of two, nothing beyond the map."""
    low = high = -40000
    for k in range(9):  # by hand, since numba's `max` of whole numbers does not compile for CUDA
        y, x = 2 * row - 1 + k // 3, 2 * column - 1 + k % 3
        if 0 <= y < maps.shape[1] and 0 <= x < maps.shape[2]:
            both = int(maps[n, y, x, pair])
            one, other = ordered(((both & 0xFFFF) ^ 0x8000) - 0x8000), ordered(both >> 16)
            low = one if one > low else low
            high = other if other > high else high
    return (ordered(low) & 0xFFFF) | (ordered(high) << 16)


def shades(mean: Tensor) -> Tensor:
    """What each byte is in each colour, less the colour's mean: bits of bfloat16 as whole numbers (3, 256)."""
    off = torch.arange(256, dtype=torch.float32, device=mean.device) - mean.float().reshape(3, 1)
    return off.bfloat16().view(torch.int16).int() & 0xFFFF


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
    from bearleft.models import place_kernels  # asks for CUDA when it is imported

    place_kernels.launch(name, blocks, threads, torch.cuda.current_stream(tensors[0].device).cuda_stream, *tensors)
