"""ConcatConv: as Concat, with a 5 x 5 convolution over channels and text before the perceptron (appendix D.1).

Two things are computed otherwise than they are said, exactly. The perceptron's first layer follows the convolution with
nothing in between, so their product is one convolution to `hidden` channels, and 728 of them are never made. And the
text is the same in every cell: what the convolution makes of it depends only on which of its 25 taps fall off the map,
and there are five ways for rows and five for columns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from bearleft.models.pointing import concat
from bearleft.models.pointing.layers import EDGE, KERNEL, Perceptron, flat, seen
from bearleft.models.pointing.network import Batch, PointNetwork
from bearleft.models.pointing.text_encoder import Text


@dataclass(frozen=True)
class Config(concat.Config):
    """Concat's settings. The released code does not use what its convolution gives: the perceptron reads what the
    convolution reads.
    """


class ConcatConv(PointNetwork):
    """The convolution reads and writes channels first, then the text."""

    taps: Tensor
    kinds: Tensor

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config, self.shape = config, config.shape
        self.text = Text(config.shape.words, config.vector, config.state, config.dropout)
        both = config.shape.channels + self.text.size
        self.conv = nn.Conv2d(both, both, KERNEL, padding=EDGE)
        self.perceptron = Perceptron(both, config.hidden, config.released)
        (down, row), (across, column) = borders(config.shape.rows), borders(config.shape.columns)
        self.register_buffer("taps", torch.kron(down, across), persistent=False)
        kinds = functional.one_hot(row[:, None] * len(across) + column, len(self.taps)).float()
        self.register_buffer("kinds", kinds.flatten(0, 1), persistent=False)

    def forward(self, batch: Batch) -> Tensor:
        cells = seen(batch, self.conv.weight)
        if self.config.released:
            scores = concat.beside(flat(cells), self.text(batch), self.perceptron)
        else:
            with torch.autocast(cells.device.type, enabled=False):
                kernel, bias = self.merged()
                told = self.told(self.text(batch), kernel[:, self.shape.channels :], bias)
            image = functional.conv2d(cells, kernel[:, : self.shape.channels], padding=EDGE)
            kinds = self.kinds.to(image.dtype).expand(len(image), -1, -1)
            scores = self.perceptron.rest(torch.baddbmm(flat(image), kinds, told.to(image.dtype)))
        return scores.view(-1, self.shape.rows, self.shape.columns)

    def merged(self) -> tuple[Tensor, Tensor]:
        """The convolution and the perceptron's first layer as one: (hidden, both, 5, 5), (hidden,)."""
        first = self.perceptron.first
        kernel = (first.weight @ self.conv.weight.flatten(1)).view(-1, *self.conv.weight.shape[1:])
        assert self.conv.bias is not None  # as it was made
        return kernel, functional.linear(self.conv.bias, first.weight, first.bias)

    def told(self, text: Tensor, kernel: Tensor, bias: Tensor) -> Tensor:
        """What texts (b, size) add to each kind of cell: (b, kinds, hidden)."""
        taps = text @ kernel.permute(1, 2, 3, 0).flatten(1)
        return self.taps @ taps.view(len(text), KERNEL * KERNEL, -1) + bias


def borders(length: int) -> tuple[Tensor, Tensor]:
    """The ways taps can lie on a line of cells, (kinds, 5) with 1 where one is on it, and every cell's way."""
    at = np.arange(length)[:, None] + np.arange(KERNEL) - EDGE
    kinds, which = np.unique((at >= 0) & (at < length), axis=0, return_inverse=True)
    return torch.from_numpy(kinds.astype(np.float32)), torch.from_numpy(which.reshape(-1))
