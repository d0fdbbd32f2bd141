"""The first layers of ResNet-18, in plain torch; `fused_resnet` computes the same function faster on a GPU."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn.functional import relu

from bearleft.models.backbones.base import Backbone

IMAGENET = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # mean and deviation of red, green and blue, as shares of 255


class BasicBlock(nn.Module):
    """Two convolutions with a residual connection."""

    def __init__(self, in_channels: int, out_channels: int, stride: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(out_channels)
        self.downsample = None
        if stride > 1:
            projection = nn.Conv2d(in_channels, out_channels, 1, stride, bias=False)
            self.downsample = nn.Sequential(projection, nn.BatchNorm2d(out_channels))

    def forward(self, x: Tensor) -> Tensor:
        """Apply the block to (n, in_channels, rows, columns)."""
        hidden = self.bn2(self.conv2(relu(self.bn1(self.conv1(x)))))
        return relu(hidden + (x if self.downsample is None else self.downsample(x)))


class PlainResNet18(Backbone):
    """ResNet-18 up to its second layer; parameters are named as in torchvision's file."""

    channels = 128

    def __init__(self) -> None:
        super().__init__(*IMAGENET)
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        self.layer1 = nn.Sequential(BasicBlock(64, 64), BasicBlock(64, 64))
        self.layer2 = nn.Sequential(BasicBlock(64, 128, 2), BasicBlock(128, 128))

    def encode(self, normalized: Tensor) -> Tensor:
        """Return the feature maps of normalized pictures."""
        maps: Tensor = self.layer2(self.layer1(self.maxpool(relu(self.bn1(self.conv1(normalized))))))
        return maps
