"""Text2Conv: the text becomes a 5 x 5 kernel, and the pictures are convolved with it (Touchdown, appendix D.1).

Kernels differ by example, so that a convolution is a product of matrices by example. Cells stand five times side by
side, once per column of the kernel; its five rows are five products with the same cells, begun one row further each.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from bearleft.models.pointing.layers import EDGE, KERNEL, WIDTH, Perceptron, seen
from bearleft.models.pointing.network import Batch, PointNetwork, Shape
from bearleft.models.pointing.text_encoder import DROPOUT, STATE, VECTOR, Text


@dataclass(frozen=True)
class Config:
    """The released code makes half the channels, has biases where kernels are made, and two hidden layers."""

    shape: Shape
    width: int = WIDTH  # channels the kernel makes; half of them if released
    vector: int = VECTOR
    state: int = STATE
    dropout: float = DROPOUT  # of word vectors
    released: bool = False

    @property
    def made(self) -> int:
        return self.width // 2 if self.released else self.width


class Text2Conv(PointNetwork):
    """The kernel's layer gives (5, 5, channels, made) numbers."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config, self.shape = config, config.shape
        self.text = Text(config.shape.words, config.vector, config.state, config.dropout)
        size = KERNEL * KERNEL * config.shape.channels * config.made
        self.kernel = nn.Linear(self.text.size, size, bias=config.released)
        self.perceptron = Perceptron(config.made, WIDTH, config.released)

    def forward(self, batch: Batch) -> Tensor:
        cells = seen(batch, self.perceptron.first.weight)
        kernels = self.kernel(self.text(batch)).view(-1, KERNEL, KERNEL * self.shape.channels, self.config.made)
        scores: Tensor = self.perceptron(convolved(cells, kernels))
        return scores.view(-1, self.shape.rows, self.shape.columns)


def convolved(cells: Tensor, kernels: Tensor) -> Tensor:
    """(b, cells, made) from maps (b, channels, rows, columns) and kernels (b, 5, 5 x channels, made)."""
    _, _, rows, columns = cells.shape
    wide = functional.pad(cells.permute(0, 2, 3, 1), (0, 0, EDGE, EDGE, EDGE, EDGE))
    beside = torch.cat([wide[:, :, k : k + columns] for k in range(KERNEL)], 3)
    made = torch.bmm(beside[:, :rows].flatten(1, 2), kernels[:, 0])
    for k in range(1, KERNEL):
        made = torch.baddbmm(made, beside[:, k : k + rows].flatten(1, 2), kernels[:, k])
    return made
