"""Bytes as places of 2 x 2 pixels, and the pooling behind a trunk's first layer: what `place_kernels` compute.

Values are bfloat16, which numba does not know: two of them are one whole number of 32 bits here.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from bearleft.runtime.compiled import device

BEFORE, AFTER = 2, 1  # places of nothing around a picture: a kernel of 4 begins two before its own
PLACE = 16  # channels of a place, of which the last four are zero


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
