"""What the paper's networks are made of: maps as rows of cells, the perceptron that scores cells.

A map (b, channels, rows, columns) that is channels-last in memory is, without a copy, the matrix (b, cells, channels):
a 1 x 1 convolution is a product of matrices, and so are kernels that differ by example.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from bearleft.models.pointing.fast_conv import linear
from bearleft.models.pointing.network import Batch

KERNEL = 5
EDGE = KERNEL // 2
WIDTH = 128
RANGE = 0.1


def seen(batch: Batch, weight: Tensor) -> Tensor:
    """The batch's cells, channels-last and in the precision that a layer of this weight computes in."""
    device = batch.cells.device.type
    kind = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else weight.dtype
    return batch.cells.to(kind).contiguous(memory_format=torch.channels_last)


def flat(maps: Tensor) -> Tensor:
    """(b, channels, rows, columns) -> (b, cells, channels); a view where channels are last in memory."""
    return maps.permute(0, 2, 3, 1).flatten(1, 2)


def unflat(cells: Tensor, rows: int) -> Tensor:
    """(b, cells, channels) -> (b, channels, rows, columns), channels last in memory."""
    return cells.view(len(cells), rows, -1, cells.shape[2]).permute(0, 3, 1, 2)


class Perceptron(nn.Module):
    """Scores of cells (..., channels) -> (...), at least in single precision.

    The paper's has one hidden layer; the released one has two, and no bias behind them.
    """

    def __init__(self, channels: int, hidden: int = WIDTH, released: bool = False) -> None:
        super().__init__()
        self.first = nn.Linear(channels, hidden)
        self.second = nn.Linear(hidden, hidden) if released else None
        self.score = nn.Linear(hidden, 1, bias=not released)

    def forward(self, cells: Tensor) -> Tensor:
        return self.rest(linear(cells, self.first.weight, self.first.bias))

    def rest(self, first: Tensor) -> Tensor:
        """Scores from what the first layer gave."""
        hidden = functional.relu(first)
        if self.second is not None:
            hidden = functional.relu(self.second(hidden))
        # A softmax over a whole map needs more digits than half precision has.
        with torch.autocast(hidden.device.type, enabled=False):
            kind = torch.promote_types(hidden.dtype, torch.float32)
            bias = self.score.bias.to(kind) if self.second is None else None
            return functional.linear(hidden.to(kind), self.score.weight.to(kind), bias)[..., 0]


def paper_start(module: nn.Module, seed: int, width: float = RANGE) -> None:
    """Draws all parameters uniformly from [-0.1, 0.1], the same on every device."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            drawn = torch.rand(parameter.shape, generator=generator)
            parameter.copy_((2 * drawn - 1) * width)
