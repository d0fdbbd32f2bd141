"""Text2Conv: the text becomes a 5 x 5 kernel with which the feature map is convolved (Touchdown, appendix D.1).

Kernels differ by example, so a convolution is one matrix product per example. The map is copied five times side by
side, once per column of the kernel; its five rows are five products with the same copies, each starting one row later.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from bearleft.models.pointing.layers import KERNEL_SIZE, PADDING, WIDTH, Perceptron, input_features
from bearleft.models.pointing.network import Batch, PointNetwork, Shape
from bearleft.models.pointing.text_encoder import DROPOUT, EMBEDDING_DIM, LSTM_DIM, TextEncoder


@dataclass(frozen=True)
class Config:
    """The released code has half the channels, biases where kernels are computed, and two hidden layers."""

    shape: Shape
    width: int = WIDTH  # channels of the convolution's output; half of them if released
    embedding_dim: int = EMBEDDING_DIM
    lstm_dim: int = LSTM_DIM
    dropout: float = DROPOUT  # of word embeddings
    released: bool = False

    @property
    def out_channels(self) -> int:
        """Return the channels of the convolution's output."""
        return self.width // 2 if self.released else self.width


class Text2Conv(PointNetwork):
    """The kernel's layer computes (5, 5, channels, out_channels) numbers."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config, self.shape = config, config.shape
        self.text = TextEncoder(config.shape.vocabulary_size, config.embedding_dim, config.lstm_dim, config.dropout)
        size = KERNEL_SIZE * KERNEL_SIZE * config.shape.channels * config.out_channels
        self.kernel = nn.Linear(self.text.output_dim, size, bias=config.released)
        self.perceptron = Perceptron(config.out_channels, WIDTH, config.released)

    def forward(self, batch: Batch) -> Tensor:
        """Return scores (b, rows, columns)."""
        features = input_features(batch, self.perceptron.first.weight)
        kernel_shape = (-1, KERNEL_SIZE, KERNEL_SIZE * self.shape.channels, self.config.out_channels)
        kernels = self.kernel(self.text(batch)).view(kernel_shape)
        scores: Tensor = self.perceptron(conv_per_example(features, kernels))
        return scores.view(-1, self.shape.rows, self.shape.columns)


def conv_per_example(maps: Tensor, kernels: Tensor) -> Tensor:
    """Convolve maps (b, channels, rows, columns) with kernels (b, 5, 5 x channels, out) to (b, cells, out)."""
    _, _, rows, columns = maps.shape
    padded = functional.pad(maps.permute(0, 2, 3, 1), (0, 0, PADDING, PADDING, PADDING, PADDING))
    shifted = torch.cat([padded[:, :, k : k + columns] for k in range(KERNEL_SIZE)], 3)
    output = torch.bmm(shifted[:, :rows].flatten(1, 2), kernels[:, 0])
    for k in range(1, KERNEL_SIZE):
        output = torch.baddbmm(output, shifted[:, k : k + rows].flatten(1, 2), kernels[:, k])
    return output
