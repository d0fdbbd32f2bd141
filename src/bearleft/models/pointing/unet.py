"""UNet: LingUNet without the text; what pictures alone tell of the target (Touchdown, section 6.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from bearleft.errors import InputError
from bearleft.models.pointing.fast_conv import convolved
from bearleft.models.pointing.layers import EDGE, KERNEL, WIDTH, Perceptron, flat, seen
from bearleft.models.pointing.network import Batch, PointNetwork, Shape


@dataclass(frozen=True)
class Config:
    """The released code has a perceptron of two hidden layers, and m = 4 unless told otherwise."""

    shape: Shape
    m: int = 2
    width: int = WIDTH
    released: bool = False

    def __post_init__(self) -> None:
        if self.m < 1:
            raise InputError("at least 1 level", str(self.m), "m")


class UNet(PointNetwork):
    """m convolutions, then m deconvolutions that see what came out of each; all of them linear, 5 x 5, stride 1."""

    joined = False  # whether both maps are copied together for a deconvolution, or each has its own half

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config, self.shape = config, config.shape
        width = config.width
        self.convs = convolutions(config.shape.channels, width, config.m)
        self.deconvs = deconvolutions(width, config.m)
        self.perceptron = Perceptron(width, WIDTH, config.released)

    def forward(self, batch: Batch) -> Tensor:
        maps = levels(seen(batch, self.perceptron.first.weight), self.convs)
        cells = flat(rebuilt(maps, self.deconvs, self.joined))
        scores: Tensor = self.perceptron(cells)
        return scores.view(-1, self.shape.rows, self.shape.columns)


def convolutions(channels: int, width: int, m: int) -> nn.ModuleList:
    """The way down; stride 1, so that maps stay as large as they are."""
    return nn.ModuleList(nn.Conv2d(width if k else channels, width, KERNEL, padding=EDGE) for k in range(m))


def deconvolutions(width: int, m: int) -> nn.ModuleList:
    """The way up, from 1 to m; all but the last read two maps."""
    return nn.ModuleList(
        nn.ConvTranspose2d(width if k == m - 1 else 2 * width, width, KERNEL, padding=EDGE) for k in range(m)
    )


def levels(cells: Tensor, convs: nn.ModuleList) -> list[Tensor]:
    """F_1 ... F_m."""
    maps = []
    for conv in convs:
        assert isinstance(conv, nn.Conv2d)  # as it was made
        cells = convolved(cells, conv.weight, conv.bias, EDGE)
        maps.append(cells)
    return maps


def rebuilt(maps: Sequence[Tensor], deconvs: nn.ModuleList, joined: bool) -> Tensor:
    """H_1 from G_1 ... G_m."""
    *others, last = (turned(deconv) for deconv in deconvs)
    up = convolved(maps[-1], *last, EDGE)
    for side, (kernel, bias) in zip(maps[-2::-1], others[::-1], strict=True):
        if joined:
            up = convolved(torch.cat([up, side], 1), kernel, bias, EDGE)
        else:
            width = up.shape[1]
            up = convolved(up, kernel[:, :width], bias, EDGE) + convolved(side, kernel[:, width:], None, EDGE)
    return up


def turned(deconv: nn.Module) -> tuple[Tensor, Tensor | None]:
    """Kernel and bias of the convolution that gives what a deconvolution gives.

    At stride 1 the kernel is turned by half a turn and its channels are swapped.
    """
    assert isinstance(deconv, nn.ConvTranspose2d)  # as it was made
    return deconv.weight.transpose(0, 1).flip(2, 3), deconv.bias
