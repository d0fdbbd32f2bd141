"""ConcatConv: as Concat, with a 5 x 5 convolution over channels and text before the perceptron (appendix D.1).

Two steps are computed differently than written, with the same result. The perceptron's first layer follows the
convolution with nothing in between, so their product is one convolution to `hidden` channels, and the 728 channels in
between are never computed. And the text is the same in every cell: what the convolution makes of it depends only on
which of its 25 taps fall off the map, and there are five cases for rows and five for columns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from bearleft.models.pointing import concat
from bearleft.models.pointing.layers import KERNEL_SIZE, PADDING, Perceptron, flatten_map, input_features
from bearleft.models.pointing.network import Batch, PointNetwork
from bearleft.models.pointing.text_encoder import TextEncoder


@dataclass(frozen=True)
class Config(concat.Config):
    """The settings of `Concat`.

    The released code does not use the output of its convolution: the perceptron reads the convolution's input.
    """


class ConcatConv(PointNetwork):
    """The convolution reads and writes the feature map's channels first, then the text."""

    tap_masks: Tensor
    border_cases: Tensor

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config, self.shape = config, config.shape
        self.text = TextEncoder(config.shape.vocabulary_size, config.embedding_dim, config.lstm_dim, config.dropout)
        channels = config.shape.channels + self.text.output_dim
        self.conv = nn.Conv2d(channels, channels, KERNEL_SIZE, padding=PADDING)
        self.perceptron = Perceptron(channels, config.hidden, config.released)
        row_masks, row_case = border_cases(config.shape.rows)
        column_masks, column_case = border_cases(config.shape.columns)
        self.register_buffer("tap_masks", torch.kron(row_masks, column_masks), persistent=False)
        case = row_case[:, None] * len(column_masks) + column_case
        one_hot = functional.one_hot(case, len(self.tap_masks)).float()
        self.register_buffer("border_cases", one_hot.flatten(0, 1), persistent=False)

    def forward(self, batch: Batch) -> Tensor:
        """Return scores (b, rows, columns)."""
        features = input_features(batch, self.conv.weight)
        if self.config.released:
            scores = concat.score_with_text(flatten_map(features), self.text(batch), self.perceptron)
        else:
            with torch.autocast(features.device.type, enabled=False):
                kernel, bias = self.merged_kernel()
                text_part = self.text_by_case(self.text(batch), kernel[:, self.shape.channels :], bias)
            image_part = functional.conv2d(features, kernel[:, : self.shape.channels], padding=PADDING)
            cases = self.border_cases.to(image_part.dtype).expand(len(image_part), -1, -1)
            hidden = torch.baddbmm(flatten_map(image_part), cases, text_part.to(image_part.dtype))
            scores = self.perceptron.score_hidden(hidden)
        return scores.view(-1, self.shape.rows, self.shape.columns)

    def merged_kernel(self) -> tuple[Tensor, Tensor]:
        """Return the convolution and the perceptron's first layer as one: (hidden, channels, 5, 5), (hidden,)."""
        first = self.perceptron.first
        kernel = (first.weight @ self.conv.weight.flatten(1)).view(-1, *self.conv.weight.shape[1:])
        assert self.conv.bias is not None
        return kernel, functional.linear(self.conv.bias, first.weight, first.bias)

    def text_by_case(self, text: Tensor, kernel: Tensor, bias: Tensor) -> Tensor:
        """Return what texts (b, size) add to the cells of each border case: (b, cases, hidden)."""
        taps = text @ kernel.permute(1, 2, 3, 0).flatten(1)
        return self.tap_masks @ taps.view(len(text), KERNEL_SIZE * KERNEL_SIZE, -1) + bias


def border_cases(length: int) -> tuple[Tensor, Tensor]:
    """Return masks (cases, 5) of the taps that lie on a line of cells, and the case of every cell (length,)."""
    index = np.arange(length)[:, None] + np.arange(KERNEL_SIZE) - PADDING
    masks, case = np.unique((index >= 0) & (index < length), axis=0, return_inverse=True)
    return torch.from_numpy(masks.astype(np.float32)), torch.from_numpy(case.reshape(-1))
