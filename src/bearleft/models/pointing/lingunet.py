"""LingUNet, the paper's best: a UNet whose levels are seen through 1 x 1 kernels made of the text (section 6, D.1).

F_k = conv_k(F_k-1)                      k = 1 ... m, F_0 the pictures
G_k = F_k through K_k                    K_k made of the text's k-th slice, without a bias
H_m = deconv_m(G_m), H_k = deconv_k([H_k+1; G_k])
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from bearleft.errors import InputError
from bearleft.models.pointing.layers import WIDTH, Perceptron, flat, seen, unflat
from bearleft.models.pointing.network import Batch, PointNetwork, Shape
from bearleft.models.pointing.text_encoder import DROPOUT, STATE, VECTOR, Text
from bearleft.models.pointing.unet import convolutions, deconvolutions, levels, rebuilt


@dataclass(frozen=True)
class Config:
    """The released code has biases where kernels are made, and a perceptron of two hidden layers."""

    shape: Shape
    m: int = 2
    width: int = WIDTH
    vector: int = VECTOR
    state: int = STATE
    dropout: float = DROPOUT  # of word vectors
    deep: float = 0.0  # dropout of G_m, a setting of the released code
    released: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.m <= 2 * self.state:
            raise InputError(f"1 to {2 * self.state} levels, each with a slice of the text", str(self.m), "m")


class LingUNet(PointNetwork):
    """As the picture above; all layers on maps are linear but the perceptron's first."""

    joined = False  # whether both maps are copied together for a deconvolution, or each has its own half

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config, self.shape = config, config.shape
        width = config.width
        self.text = Text(config.shape.words, config.vector, config.state, config.dropout)
        self.slices = [len(part) for part in torch.arange(self.text.size).tensor_split(config.m)]
        self.kernels = nn.ModuleList(nn.Linear(size, width * width, bias=config.released) for size in self.slices)
        self.convs = convolutions(config.shape.channels, width, config.m)
        self.deep = nn.Dropout(config.deep)
        self.deconvs = deconvolutions(width, config.m)
        self.perceptron = Perceptron(width, WIDTH, config.released)

    def forward(self, batch: Batch) -> Tensor:
        # Pictures first: while they are convolved, the device is told of the LSTM's many small steps.
        maps = levels(seen(batch, self.perceptron.first.weight), self.convs)
        slices = self.text(batch).split(self.slices, 1)
        told = [through(one, kernel(part)) for one, kernel, part in zip(maps, self.kernels, slices, strict=True)]
        told[-1] = self.deep(told[-1])
        scores: Tensor = self.perceptron(flat(rebuilt(told, self.deconvs, self.joined)))
        return scores.view(-1, self.shape.rows, self.shape.columns)


def through(maps: Tensor, kernels: Tensor) -> Tensor:
    """Each example's map (b, width, rows, columns) through its own 1 x 1 kernel (b, width in x width out)."""
    width = maps.shape[1]
    return unflat(torch.bmm(flat(maps), kernels.view(-1, width, width)), maps.shape[2])
