"""UNet: LingUNet without the text; measures what pictures alone say about the target (Touchdown, section 6.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from bearleft.errors import InputError
from bearleft.models.pointing.fast_conv import conv2d
from bearleft.models.pointing.layers import KERNEL_SIZE, PADDING, WIDTH, Perceptron, flatten_map, input_features
from bearleft.models.pointing.network import Batch, PointNetwork, Shape


@dataclass(frozen=True)
class Config:
    """The released code has a perceptron of two hidden layers, and m = 4 by default."""

    shape: Shape
    m: int = 2
    width: int = WIDTH
    released: bool = False

    def __post_init__(self) -> None:
        if self.m < 1:
            raise InputError("at least 1 level", str(self.m), "m")


class UNet(PointNetwork):
    """m convolutions, then m deconvolutions with skip connections; all of them linear, 5 x 5, stride 1."""

    concatenates = False  # whether skip connections are concatenated, or each input has its own half of the kernel

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config, self.shape = config, config.shape
        width = config.width
        self.convs = make_convs(config.shape.channels, width, config.m)
        self.deconvs = make_deconvs(width, config.m)
        self.perceptron = Perceptron(width, WIDTH, config.released)

    def forward(self, batch: Batch) -> Tensor:
        """Return scores (b, rows, columns)."""
        maps = encode(input_features(batch, self.perceptron.first.weight), self.convs)
        scores: Tensor = self.perceptron(flatten_map(decode(maps, self.deconvs, self.concatenates)))
        return scores.view(-1, self.shape.rows, self.shape.columns)


def make_convs(channels: int, width: int, m: int) -> nn.ModuleList:
    """Return the encoder's convolutions; stride 1, so that maps keep their size."""
    return nn.ModuleList(nn.Conv2d(width if k else channels, width, KERNEL_SIZE, padding=PADDING) for k in range(m))


def make_deconvs(width: int, m: int) -> nn.ModuleList:
    """Return the decoder's deconvolutions, from 1 to m; all but the last read two maps."""
    return nn.ModuleList(
        nn.ConvTranspose2d(width if k == m - 1 else 2 * width, width, KERNEL_SIZE, padding=PADDING) for k in range(m)
    )


def encode(features: Tensor, convs: nn.ModuleList) -> list[Tensor]:
    """Return the maps F_1 ... F_m."""
    maps = []
    for conv in convs:
        assert isinstance(conv, nn.Conv2d)
        features = conv2d(features, conv.weight, conv.bias, PADDING)
        maps.append(features)
    return maps


def decode(maps: Sequence[Tensor], deconvs: nn.ModuleList, concatenates: bool) -> Tensor:
    """Return H_1 from the maps G_1 ... G_m."""
    *others, last = (equivalent_conv(deconv) for deconv in deconvs)
    up = conv2d(maps[-1], *last, PADDING)
    for skip, (kernel, bias) in zip(maps[-2::-1], others[::-1], strict=True):
        if concatenates:
            up = conv2d(torch.cat([up, skip], 1), kernel, bias, PADDING)
        else:
            width = up.shape[1]
            up = conv2d(up, kernel[:, :width], bias, PADDING) + conv2d(skip, kernel[:, width:], None, PADDING)
    return up


def equivalent_conv(deconv: nn.Module) -> tuple[Tensor, Tensor | None]:
    """Return kernel and bias of the convolution that equals a deconvolution.

    At stride 1 the kernel is rotated by 180 degrees and its channels are swapped.
    """
    assert isinstance(deconv, nn.ConvTranspose2d)
    return deconv.weight.transpose(0, 1).flip(2, 3), deconv.bias
