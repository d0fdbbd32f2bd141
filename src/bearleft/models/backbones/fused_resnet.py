"""The first layers of ResNet-18 as a GPU computes them fastest: the same function as the plain one, for inference only.

Three colours are too few for the GPU's matrix units, so 2 x 2 pixels become one block with 12 channels (16 with zeros),
and the first convolution, 7 x 7 with stride 2, becomes one of 4 x 4 blocks with stride 1. Bytes become blocks, less the
mean, in one pass; the deviation is part of the weights. Bias and ReLU come after the pooling instead of before it, at a
quarter of the values.
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

from bearleft.models.backbones.base import Backbone
from bearleft.models.backbones.resnet import BasicBlock, PlainResNet18
from bearleft.models.backbones.space_to_depth import BLOCK_CHANNELS, PAD_AFTER, PAD_BEFORE, centred_table

log = logging.getLogger(__name__)
TRIALS = 3  # timed runs of each implementation
TOLERANCE = 0.02  # largest mean difference between both implementations, relative to the mean value

ConvAddRelu = Callable[[nn.Conv2d, Tensor, Tensor, float], Tensor]


def conv_add_relu(conv: nn.Conv2d, x: Tensor, residual: Tensor, factor: float) -> Tensor:
    """Apply a convolution, add `factor` (0 or 1) times the residual, and apply ReLU."""
    output: Tensor = conv(x)
    return (output.add_(residual) if factor else output).relu_()


def fused_conv_add_relu(conv: nn.Conv2d, x: Tensor, residual: Tensor, factor: float) -> Tensor:
    """Compute `conv_add_relu` in one cuDNN call, which needs a residual even if its factor is 0."""
    padding: Any = conv.padding
    return torch.cudnn_convolution_add_relu(
        x, conv.weight, residual, factor, conv.bias, conv.stride, padding, conv.dilation, conv.groups
    )


def cuda_kernels() -> Any:
    """Return the module of CUDA kernels, whose import needs CUDA."""
    from bearleft.models.backbones import kernels

    return kernels


@contextmanager
def cudnn_benchmark(enabled: bool) -> Iterator[None]:
    """Let cuDNN time its kernels for new sizes, or not: for fused calls that would take minutes."""
    previous = torch.backends.cudnn.benchmark
    torch.backends.cudnn.benchmark = enabled
    try:
        yield
    finally:
        torch.backends.cudnn.benchmark = previous


class FoldedBlock(nn.Module):
    """A `BasicBlock` without norms; the bias of the projection is part of the second convolution's."""

    @torch.no_grad()
    def __init__(self, block: BasicBlock) -> None:
        super().__init__()
        self.conv1, self.conv2 = _copy(block.conv1), _copy(block.conv2)
        self.downsample: nn.Conv2d | None = None
        if block.downsample is not None:
            self.downsample = _copy(block.downsample[0])
            assert self.conv2.bias is not None
            assert self.downsample.bias is not None
            self.conv2.bias += self.downsample.bias
            self.downsample.bias = None

    def forward(self, x: Tensor, conv_add_relu: ConvAddRelu) -> Tensor:
        """Apply the block, with `conv_add_relu` computing each convolution."""
        residual = x if self.downsample is None else self.downsample(x)
        return conv_add_relu(self.conv2, conv_add_relu(self.conv1, x, residual, 0.0), residual, 1.0)


class FusedResNet18(Backbone):
    """The first layers of ResNet-18, built from a `PlainResNet18` with folded batch norms; computes in bfloat16."""

    channels = 128

    @torch.no_grad()
    def __init__(self, folded: PlainResNet18, dtype: torch.dtype = torch.bfloat16) -> None:
        super().__init__((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
        self.name, self.hash = folded.name, folded.hash
        self.uses_kernels: bool | None = None  # whether our CUDA kernels work here; tested with the first pictures
        self.uses_fused: bool | None = None  # whether fused calls are faster here; tested with the first pictures
        self.mean.copy_(folded.mean)
        self.centred_table: Tensor
        self.register_buffer("centred_table", centred_table(self.mean), persistent=False)
        assert folded.conv1.bias is not None
        self.stem = nn.Parameter(_block_kernel(folded.conv1.weight.double() / folded.scale.double()))
        self.bias = nn.Parameter(folded.conv1.bias.double()[:, None, None])
        blocks = [*folded.layer1, *folded.layer2]
        self.blocks = nn.ModuleList(FoldedBlock(block) for block in blocks)
        mean = self.mean.clone()
        self.to(dtype=dtype, memory_format=torch.channels_last).requires_grad_(False).eval()  # type: ignore[call-overload]
        self.mean = mean  # in single precision, so that differences of bytes from it are rounded once

    def preprocess(self, pictures: Tensor) -> Tensor:
        """Return blocks (n, 16, rows + 3, columns + 3): 2 x 2 pixels less the mean, padded with zeros."""
        if self.uses_kernels is None:
            on_gpu = pictures.is_cuda and self.stem.dtype == torch.bfloat16
            self.uses_kernels = on_gpu and self.kernels_agree(pictures[:1])
        if not self.uses_kernels:
            return self.torch_space_to_depth(pictures)
        blocks = cuda_kernels().space_to_depth(pictures, self.centred_table)
        return blocks.permute(0, 3, 1, 2)  # type: ignore[no-any-return]

    def torch_space_to_depth(self, pictures: Tensor) -> Tensor:
        """Return the same blocks, computed by torch alone."""
        count, height, width, _ = pictures.shape
        rows, columns = -(-height // 2), -(-width // 2)
        shape = (count, PAD_BEFORE + rows + PAD_AFTER, PAD_BEFORE + columns + PAD_AFTER, BLOCK_CHANNELS)
        out = torch.zeros(shape, dtype=self.stem.dtype, device=pictures.device)
        inner = out[:, PAD_BEFORE:-PAD_AFTER, PAD_BEFORE:-PAD_AFTER]
        mean = self.mean.flatten()
        if height % 2 == 0 and width % 2 == 0:
            # Two pixels of a row lie side by side in both, so that one pass writes all four.
            target = inner[..., :12].view(count, rows, columns, 2, 6).transpose(2, 3)
            torch.sub(pictures.view(count, rows, 2, columns, 6), mean.repeat(2), out=target)
        else:
            for k in range(4):
                pixels = pictures[:, k // 2 :: 2, k % 2 :: 2]
                torch.sub(pixels, mean, out=inner[:, : pixels.shape[1], : pixels.shape[2], 3 * k : 3 * k + 3])
        return out.permute(0, 3, 1, 2)

    def encode(self, normalized: Tensor) -> Tensor:
        """Return the feature maps of blocks that `preprocess` returned."""
        with torch.no_grad(), torch.autocast(normalized.device.type, enabled=False):
            with cudnn_benchmark(True):
                stem = torch.conv2d(normalized, self.stem)
            pooled = cuda_kernels().max_pool(stem) if self.uses_kernels else max_pool2d(stem, 3, 2, 1)
            x = pooled.add_(self.bias).relu_()
            if self.uses_fused is None:
                self.uses_fused = normalized.is_cuda and self.fused_is_faster(x)
            return self._apply_blocks(x, self.uses_fused)

    def _apply_blocks(self, x: Tensor, fused: bool) -> Tensor:
        with cudnn_benchmark(not fused):
            for block in self.blocks:
                x = block(x, fused_conv_add_relu if fused else conv_add_relu)
        return x

    def kernels_agree(self, pictures: Tensor) -> bool:
        """Return whether our CUDA kernels work on this device and equal torch bit by bit."""
        try:
            blocks = self.torch_space_to_depth(pictures)
            ours = cuda_kernels().space_to_depth(pictures, self.centred_table).permute(0, 3, 1, 2)
            same = torch.equal(ours, blocks)
            same = same and torch.equal(cuda_kernels().max_pool(blocks), max_pool2d(blocks, 3, 2, 1))
            reason: object = "their values differ from torch's"
        except Exception as error:  # a compiler can be missing in many ways, and torch computes the same
            same, reason = False, error
        if not same:
            log.warning("the backbone runs without bearleft's CUDA kernels: %s", reason)
        return same

    def fused_is_faster(self, x: Tensor) -> bool:
        """Return whether fused calls work on this GPU, agree with plain ones and take less time.

        GPUs are expected to support them, so one that does not gets a warning; one on which they are slower does not.
        """
        seconds, outputs = [], []
        for fused in (False, True):
            times = []
            for _ in range(1 + TRIALS):
                begin = _clock(x)
                try:
                    output = self._apply_blocks(x, fused)
                except RuntimeError as error:
                    if fused:  # where plain calls fail, the next use raises the error
                        log.warning("the backbone runs without fused convolutions: %s", str(error).partition("\n")[0])
                    return False
                times.append(_clock(x) - begin)
            seconds.append(min(times[1:]))
            outputs.append(output.float())
        # Never true where a value is NaN.
        same = bool((outputs[1] - outputs[0]).abs().mean() <= TOLERANCE * outputs[0].abs().mean())
        if not same:
            log.warning("the backbone runs without fused convolutions: their values differ from plain ones")
        return same and seconds[1] < seconds[0]


def _clock(x: Tensor) -> float:
    if x.is_cuda:
        torch.cuda.synchronize(x.device)
    return time.perf_counter()


def _copy(conv: nn.Module) -> nn.Conv2d:
    """Return a convolution with weights of its own."""
    copied = copy.deepcopy(conv)
    assert isinstance(copied, nn.Conv2d)
    return copied


def _block_kernel(kernel: Tensor) -> Tensor:
    """Return a pixel kernel (out, 3, 7, 7) of stride 2 as a block kernel (out, 16, 4, 4) of stride 1."""
    padded = pad(kernel, (1, 0, 1, 0))  # the first block's first pixels lie before the kernel
    split = padded.view(-1, 3, 4, 2, 4, 2)  # out, colour, row, y, column, x
    blocks = split.permute(0, 3, 5, 1, 2, 4).reshape(len(kernel), 12, 4, 4)
    return pad(blocks, (0, 0, 0, 0, 0, BLOCK_CHANNELS - 12))
