"""Device functions of `kernels`: bytes to blocks of 2 x 2 pixels (space to depth), and the max pooling after the stem.

Values are bfloat16, which numba does not have: here two of them are one integer of 32 bits.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from bearleft.runtime.compiled import host_device_function

PAD_BEFORE, PAD_AFTER = 2, 1  # blocks of zeros around a picture: the 4 x 4 kernel starts two blocks before its centre
BLOCK_CHANNELS = 16  # 2 x 2 pixels of 3 colours, and four zeros


@host_device_function
def block_pair(pictures: Any, table: Any, n: int, row: int, column: int, pair: int) -> int:
    """Return two channels of a block, counting rows and columns from the padding; colours vary fastest."""
    value = 0
    if row >= PAD_BEFORE and column >= PAD_BEFORE and pair < 6:
        for k in range(2):
            channel = 2 * pair + k
            y = 2 * (row - PAD_BEFORE) + channel // 6
            x = 2 * (column - PAD_BEFORE) + channel % 6 // 3
            if y < pictures.shape[1] and x < pictures.shape[2]:
                value |= table[channel % 3, pictures[n, y, x, channel % 3]] << (16 * k)
    return value


@host_device_function
def sortable_bits(half: int) -> int:
    """Return the bits of a bfloat16, from -32768 to 32767, as an integer of the same order; its own inverse."""
    return half ^ ((half >> 15) & 0x7FFF)


@host_device_function
def max_pool_pair(maps: Any, n: int, row: int, column: int, pair: int) -> int:
    """Return two channels of the max pooling over 3 x 3 with stride 2."""
    low = high = -40000
    for k in range(9):  # by hand, since numba's `max` of integers does not compile for CUDA
        y, x = 2 * row - 1 + k // 3, 2 * column - 1 + k % 3
        if 0 <= y < maps.shape[1] and 0 <= x < maps.shape[2]:
            both = int(maps[n, y, x, pair])
            first, second = sortable_bits(((both & 0xFFFF) ^ 0x8000) - 0x8000), sortable_bits(both >> 16)
            low = first if first > low else low
            high = second if second > high else high
    return (sortable_bits(low) & 0xFFFF) | (sortable_bits(high) << 16)


def centred_table(mean: Tensor) -> Tensor:
    """Return each byte less the mean of each colour, as bits of bfloat16 in integers (3, 256)."""
    centred = torch.arange(256, dtype=torch.float32, device=mean.device) - mean.float().reshape(3, 1)
    return centred.bfloat16().view(torch.int16).int() & 0xFFFF
