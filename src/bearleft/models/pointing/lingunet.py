"""LingUNet, the paper's best: a UNet whose levels pass through 1 x 1 kernels computed from the text (section 6, D.1).

F_k = conv_k(F_k-1)                      k = 1 ... m, F_0 the feature map
G_k = F_k through K_k                    K_k computed from the text's k-th slice, without a bias
H_m = deconv_m(G_m), H_k = deconv_k([H_k+1; G_k])
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from bearleft.errors import InputError
from bearleft.models.pointing.layers import WIDTH, Perceptron, flatten_map, input_features, unflatten_map
from bearleft.models.pointing.network import Batch, PointNetwork, Shape
from bearleft.models.pointing.text_encoder import DROPOUT, EMBEDDING_DIM, LSTM_DIM, TextEncoder
from bearleft.models.pointing.unet import decode, encode, make_convs, make_deconvs


@dataclass(frozen=True)
class Config:
    """The released code has biases where kernels are computed, and a perceptron of two hidden layers."""

    shape: Shape
    m: int = 2
    width: int = WIDTH
    embedding_dim: int = EMBEDDING_DIM
    lstm_dim: int = LSTM_DIM
    dropout: float = DROPOUT  # of word embeddings
    map_dropout: float = 0.0  # dropout of G_m, a setting of the released code
    released: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.m <= 2 * self.lstm_dim:
            raise InputError(f"1 to {2 * self.lstm_dim} levels, each with a slice of the text", str(self.m), "m")


class LingUNet(PointNetwork):
    """LingUNet; all layers on maps are linear, except for the perceptron's first."""

    concatenates = False  # whether skip connections are concatenated, or each input has its own half of the kernel

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config, self.shape = config, config.shape
        width = config.width
        self.text = TextEncoder(config.shape.vocabulary_size, config.embedding_dim, config.lstm_dim, config.dropout)
        self.slices = [len(part) for part in torch.arange(self.text.output_dim).tensor_split(config.m)]
        self.kernels = nn.ModuleList(nn.Linear(size, width * width, bias=config.released) for size in self.slices)
        self.convs = make_convs(config.shape.channels, width, config.m)
        self.map_dropout = nn.Dropout(config.map_dropout)
        self.deconvs = make_deconvs(width, config.m)
        self.perceptron = Perceptron(width, WIDTH, config.released)

    def forward(self, batch: Batch) -> Tensor:
        """Return scores (b, rows, columns)."""
        # The maps first: while the device convolves them, the LSTM's many small kernels are queued.
        maps = encode(input_features(batch, self.perceptron.first.weight), self.convs)
        slices = self.text(batch).split(self.slices, 1)
        filtered = [
            apply_kernels(level, layer(part)) for level, layer, part in zip(maps, self.kernels, slices, strict=True)
        ]
        filtered[-1] = self.map_dropout(filtered[-1])
        scores: Tensor = self.perceptron(flatten_map(decode(filtered, self.deconvs, self.concatenates)))
        return scores.view(-1, self.shape.rows, self.shape.columns)


def apply_kernels(maps: Tensor, kernels: Tensor) -> Tensor:
    """Apply each example's own 1 x 1 kernel (b, width in x width out) to its map (b, width, rows, columns)."""
    width = maps.shape[1]
    return unflatten_map(torch.bmm(flatten_map(maps), kernels.view(-1, width, width)), maps.shape[2])
