"""ResNet-50, 101 and 152 up to their last layer: 2,048 channels for every 32 x 32 pixels, as ArraMon's paper has them.

No weights come with bearleft; a user brings torchvision's file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from torch import Tensor, nn
from torch.nn.functional import relu

from bearleft.errors import InputError
from bearleft.models.backbones.base import Backbone, load_weights, read_weights, weights_hash
from bearleft.models.backbones.resnet import IMAGENET
from bearleft.models.device import check_torch_device
from bearleft.runtime.store import existing_file

DEPTHS = {6: (3, 4, 6, 3), 23: (3, 4, 23, 3), 36: (3, 8, 36, 3)}  # blocks of the layers, by those of the third
EXPANSION, STEM_CHANNELS = 4, 64


class Bottleneck(nn.Module):
    """Three convolutions with a residual connection; the second one has the stride."""

    def __init__(self, in_channels: int, channels: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, channels, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)
        self.conv3 = nn.Conv2d(channels, EXPANSION * channels, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(EXPANSION * channels)
        self.downsample = None
        if stride > 1 or in_channels != EXPANSION * channels:
            projection = nn.Conv2d(in_channels, EXPANSION * channels, 1, stride, bias=False)
            self.downsample = nn.Sequential(projection, nn.BatchNorm2d(EXPANSION * channels))

    def forward(self, x: Tensor) -> Tensor:
        """Apply the block to (n, in_channels, rows, columns)."""
        hidden = relu(self.bn2(self.conv2(relu(self.bn1(self.conv1(x))))))
        return relu(self.bn3(self.conv3(hidden)) + (x if self.downsample is None else self.downsample(x)))


class DeepResNet(Backbone):
    """A ResNet of bottlenecks up to its last layer; parameters are named as in torchvision's file.

    Args:
        blocks: Blocks of the four layers.
        width: Channels of the first layer's convolutions.
    """

    def __init__(self, blocks: tuple[int, int, int, int] = DEPTHS[6], width: int = STEM_CHANNELS) -> None:
        super().__init__(*IMAGENET)
        self.channels = 8 * EXPANSION * width
        self.conv1 = nn.Conv2d(3, width, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        layers, channels = [], width
        for k, count in enumerate(blocks):
            inner = width * 2**k
            layer = [
                Bottleneck(channels if b == 0 else EXPANSION * inner, inner, 2 if k and b == 0 else 1)
                for b in range(count)
            ]
            layers.append(nn.Sequential(*layer))
            channels = EXPANSION * inner
        self.layer1, self.layer2, self.layer3, self.layer4 = layers

    def encode(self, normalized: Tensor) -> Tensor:
        """Return the feature maps of normalized pictures."""
        x = self.layer1(self.maxpool(relu(self.bn1(self.conv1(normalized)))))
        maps: Tensor = self.layer4(self.layer3(self.layer2(x)))
        return maps


def is_deep(weights: Mapping[str, Tensor]) -> bool:
    """Return whether weights are those of a ResNet of bottlenecks."""
    return "layer4.0.conv3.weight" in weights


def load_deep_resnet(file: str | os.PathLike[str], device: str = "cpu") -> DeepResNet:
    """Return a frozen ResNet-50, 101 or 152 of torchvision's file, in evaluation mode.

    Raises:
        InputError: The file is missing or damaged, or of another network.
    """
    path = existing_file(file, "a file of torchvision's resnet50, resnet101 or resnet152")
    weights = read_weights(path)
    blocks = DEPTHS.get(len({name.split(".")[1] for name in weights if name.startswith("layer3.")}))
    if not is_deep(weights) or blocks is None:
        raise InputError("weights of resnet50, resnet101 or resnet152", "another network's", file=str(path))
    backbone = DeepResNet(blocks, len(weights["bn1.weight"]))
    load_weights(backbone, weights, str(path))
    backbone.name, backbone.hash = Path(path).name, weights_hash(backbone)
    return backbone.eval().requires_grad_(False).to(check_torch_device(device))
