"""The first layers of ResNet-18 as a card computes them fastest: the same function as `Layers.folded`, for use only.

Three colours are too few for its matrix units, so that 2 x 2 pixels are one place with 12 channels (16 with zeros) and
the first convolution, 7 x 7 in steps of two pixels, is one of 4 x 4 in steps of a place. Bytes become such places in
one pass, less the mean; what they are divided by is part of the weights. A bias and a rectifier after the pooling are
those before it, at a quarter of the values.
"""

from __future__ import annotations

import copy
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import max_pool2d, pad

from bearleft.models.backbones.base import Trunk
from bearleft.models.backbones.resnet import Block, Layers
from bearleft.models.backbones.space_to_depth import AFTER, BEFORE, PLACE, shades

log = logging.getLogger(__name__)
TRIES = 3  # of each way to compute, before one is taken
AGREE = 0.02  # how far both ways may lie apart, of the mean value

Step = Callable[[nn.Conv2d, Tensor, Tensor, float], Tensor]


def plain(conv: nn.Conv2d, x: Tensor, more: Tensor, share: float) -> Tensor:
    """A convolution, some share of `more`, all or nothing, and a rectifier."""
    made: Tensor = conv(x)
    return (made.add_(more) if share else made).relu_()


def fused(conv: nn.Conv2d, x: Tensor, more: Tensor, share: float) -> Tensor:
    """The same in one step of cuDNN's, which wants numbers to add even where their share is nothing."""
    edge: Any = conv.padding
    return torch.cudnn_convolution_add_relu(
        x, conv.weight, more, share, conv.bias, conv.stride, edge, conv.dilation, conv.groups
    )


def ours() -> Any:
    """Kernels that ask for CUDA when they are imported."""
    from bearleft.models.backbones import kernels as place_kernels

    return place_kernels


@contextmanager
def tried(on: bool) -> Iterator[None]:
    """Has cuDNN try its kernels for sizes it has not met; trying those of joined steps would take it minutes."""
    was = torch.backends.cudnn.benchmark
    torch.backends.cudnn.benchmark = on
    try:
        yield
    finally:
        torch.backends.cudnn.benchmark = was


class Pair(nn.Module):
    """A `Block` without norms; the bias of what is added lies in the second convolution's."""

    @torch.no_grad()
    def __init__(self, block: Block) -> None:
        super().__init__()
        self.first, self.second = _copy(block.conv1), _copy(block.conv2)
        self.down: nn.Conv2d | None = None
        if block.downsample is not None:
            self.down = _copy(block.downsample[0])
            assert self.second.bias is not None
            assert self.down.bias is not None
            self.second.bias += self.down.bias
            self.down.bias = None

    def forward(self, x: Tensor, step: Step) -> Tensor:
        more = x if self.down is None else self.down(x)
        return step(self.second, step(self.first, x, more, 0.0), more, 1.0)


class Quick(Trunk):
    """Made of folded Layers; weights lie in the precision that it computes in."""

    channels = 128

    @torch.no_grad()
    def __init__(self, folded: Layers, dtype: torch.dtype = torch.bfloat16) -> None:
        super().__init__((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
        self.name, self.hash = folded.name, folded.hash
        self.kernels: bool | None = None  # whether those of `places` work here; nobody knows until pictures come
        self.joins: bool | None = None  # whether steps are joined, which is faster or not
        self.mean.copy_(folded.mean)
        self.shades: Tensor
        self.register_buffer("shades", shades(self.mean), persistent=False)
        assert folded.conv1.bias is not None
        self.stem = nn.Parameter(_by_places(folded.conv1.weight.double() / folded.scale.double()))
        self.bias = nn.Parameter(folded.conv1.bias.double()[:, None, None])
        blocks = [*folded.layer1, *folded.layer2]
        self.blocks = nn.ModuleList(Pair(block) for block in blocks)
        shift = self.mean.clone()
        self.to(dtype=dtype, memory_format=torch.channels_last).requires_grad_(False).eval()  # type: ignore[call-overload]
        self.mean = shift  # of bytes, whose differences from it are rounded once

    def light(self, pictures: Tensor) -> Tensor:
        """Places (n, 16, rows + 3, columns + 3): 2 x 2 pixels less the mean, and nothing around."""
        if self.kernels is None:
            self.kernels = pictures.is_cuda and self.stem.dtype == torch.bfloat16 and self.right(pictures[:1])
        if not self.kernels:
            return self.plain_light(pictures)
        return ours().as_places(pictures, self.shades).permute(0, 3, 1, 2)  # type: ignore[no-any-return]

    def plain_light(self, pictures: Tensor) -> Tensor:
        """The same by torch alone."""
        count, height, width, _ = pictures.shape
        rows, columns = -(-height // 2), -(-width // 2)
        shape = (count, BEFORE + rows + AFTER, BEFORE + columns + AFTER, PLACE)
        out = torch.zeros(shape, dtype=self.stem.dtype, device=pictures.device)
        inner = out[:, BEFORE:-AFTER, BEFORE:-AFTER]
        mean = self.mean.flatten()
        if height % 2 == 0 and width % 2 == 0:
            # Two pixels of a row lie side by side in both, so that one pass writes all four.
            into = inner[..., :12].view(count, rows, columns, 2, 6).transpose(2, 3)
            torch.sub(pictures.view(count, rows, 2, columns, 6), mean.repeat(2), out=into)
        else:
            for k in range(4):
                some = pictures[:, k // 2 :: 2, k % 2 :: 2]
                torch.sub(some, mean, out=inner[:, : some.shape[1], : some.shape[2], 3 * k : 3 * k + 3])
        return out.permute(0, 3, 1, 2)

    def cells(self, light: Tensor) -> Tensor:
        with torch.no_grad(), torch.autocast(light.device.type, enabled=False):
            with tried(True):
                first = torch.conv2d(light, self.stem)
            x = (ours().pooled(first) if self.kernels else max_pool2d(first, 3, 2, 1)).add_(self.bias).relu_()
            if self.joins is None:
                self.joins = light.is_cuda and self.pays(x)
            return self._rest(x, self.joins)

    def _rest(self, x: Tensor, joins: bool) -> Tensor:
        with tried(not joins):
            for block in self.blocks:
                x = block(x, fused if joins else plain)
        return x

    def right(self, pictures: Tensor) -> bool:
        """Whether kernels of ours work on this device and give torch's values, bit for bit."""
        try:
            light = self.plain_light(pictures)
            same = torch.equal(ours().as_places(pictures, self.shades).permute(0, 3, 1, 2), light)
            same = same and torch.equal(ours().pooled(light), max_pool2d(light, 3, 2, 1))
            why: object = "they give other values than torch"
        except Exception as error:  # a compiler may be missing in many ways, and torch does it as well
            same, why = False, error
        if not same:
            log.warning("the trunk reads without kernels of ours: %s", why)
        return same

    def pays(self, x: Tensor) -> bool:
        """Whether joined steps work on this card, compute the same and take less time.

        Cards are meant to join them, so that one which cannot is worth a warning; one on which it takes longer is not.
        """
        took, seen = [], []
        for joins in (False, True):
            times = []
            for _ in range(1 + TRIES):
                begin = _clock(x)
                try:
                    made = self._rest(x, joins)
                except RuntimeError as error:
                    if joins:  # where plain ones fail, it is told by who uses them next
                        log.warning("the trunk computes without joined steps: %s", str(error).partition("\n")[0])
                    return False
                times.append(_clock(x) - begin)
            took.append(min(times[1:]))
            seen.append(made.float())
        same = bool((seen[1] - seen[0]).abs().mean() <= AGREE * seen[0].abs().mean())  # never where one is no number
        if not same:
            log.warning("the trunk computes without joined steps: they give other values than plain ones")
        return same and took[1] < took[0]


def _clock(x: Tensor) -> float:
    if x.is_cuda:
        torch.cuda.synchronize(x.device)
    return time.perf_counter()


def _copy(conv: nn.Module) -> nn.Conv2d:
    """With weights of its own."""
    made = copy.deepcopy(conv)
    assert isinstance(made, nn.Conv2d)
    return made


def _by_places(kernel: Tensor) -> Tensor:
    """A kernel (out, 3, 7, 7) of pixels in steps of two as one of places (out, 16, 4, 4) in steps of one."""
    whole = pad(kernel, (1, 0, 1, 0))  # the first place's first pixels lie before the kernel
    apart = whole.view(-1, 3, 4, 2, 4, 2)  # out, colour, row, y, column, x
    return pad(apart.permute(0, 3, 5, 1, 2, 4).reshape(len(kernel), 12, 4, 4), (0, 0, 0, 0, 0, PLACE - 12))
