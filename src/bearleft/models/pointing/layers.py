"""Layers that the paper's networks share: flattened feature maps and the perceptron that scores cells.

A map (b, channels, rows, columns) that is channels-last in memory is, without a copy, the matrix (b, cells, channels):
a 1 x 1 convolution is a matrix product, and so are kernels that differ by example.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from bearleft.models.pointing.fast_conv import linear
from bearleft.models.pointing.network import Batch

KERNEL_SIZE = 5
PADDING = KERNEL_SIZE // 2
WIDTH = 128
INIT_RANGE = 0.1


def input_features(batch: Batch, weight: Tensor) -> Tensor:
    """Return the batch's feature maps, channels-last, in the precision that a layer of this weight computes in."""
    device = batch.features.device.type
    dtype = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else weight.dtype
    return batch.features.to(dtype).contiguous(memory_format=torch.channels_last)


def flatten_map(maps: Tensor) -> Tensor:
    """Reshape (b, channels, rows, columns) to (b, cells, channels); a view if channels are last in memory."""
    return maps.permute(0, 2, 3, 1).flatten(1, 2)


def unflatten_map(cells: Tensor, rows: int) -> Tensor:
    """Reshape (b, cells, channels) to (b, channels, rows, columns), with channels last in memory."""
    return cells.view(len(cells), rows, -1, cells.shape[2]).permute(0, 3, 1, 2)


class Perceptron(nn.Module):
    """Score cells (..., channels) -> (...), at least in single precision.

    The paper's has one hidden layer; that of the released code has two, and no bias behind them.
    """

    def __init__(self, channels: int, hidden: int = WIDTH, released: bool = False) -> None:
        super().__init__()
        self.first = nn.Linear(channels, hidden)
        self.second = nn.Linear(hidden, hidden) if released else None
        self.score = nn.Linear(hidden, 1, bias=not released)

    def forward(self, cells: Tensor) -> Tensor:
        """Return scores of cells (..., channels)."""
        return self.score_hidden(linear(cells, self.first.weight, self.first.bias))

    def score_hidden(self, first: Tensor) -> Tensor:
        """Return scores from the output of the first layer."""
        hidden = functional.relu(first)
        if self.second is not None:
            hidden = functional.relu(self.second(hidden))
        # A softmax over a whole map needs more digits than half precision has.
        with torch.autocast(hidden.device.type, enabled=False):
            dtype = torch.promote_types(hidden.dtype, torch.float32)
            bias = self.score.bias.to(dtype) if self.second is None else None
            return functional.linear(hidden.to(dtype), self.score.weight.to(dtype), bias)[..., 0]


def init_uniform(module: nn.Module, seed: int, limit: float = INIT_RANGE) -> None:
    """Draw all parameters uniformly from [-limit, limit], the same on every device."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            values = torch.rand(parameter.shape, generator=generator)
            parameter.copy_((2 * values - 1) * limit)
