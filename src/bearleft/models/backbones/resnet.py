"""The first layers of ResNet-18 as it is written: `trunk` fills them with weights, and `quick` computes them fast."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn.functional import relu

from bearleft.models.backbones.base import Trunk

IMAGENET = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # mean and deviation of red, green and blue, as shares of 255


class Block(nn.Module):
    """Two convolutions, and what came in added to what comes out."""

    def __init__(self, into: int, out: int, stride: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(into, out, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(out)
        self.conv2 = nn.Conv2d(out, out, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(out)
        self.downsample = (
            nn.Sequential(nn.Conv2d(into, out, 1, stride, bias=False), nn.BatchNorm2d(out)) if stride > 1 else None
        )

    def forward(self, x: Tensor) -> Tensor:
        inner = self.bn2(self.conv2(relu(self.bn1(self.conv1(x)))))
        return relu(inner + (x if self.downsample is None else self.downsample(x)))


class Layers(Trunk):
    """Up to its second layer; parameters are called as in torchvision's file."""

    channels = 128

    def __init__(self) -> None:
        super().__init__(*IMAGENET)
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        self.layer1 = nn.Sequential(Block(64, 64), Block(64, 64))
        self.layer2 = nn.Sequential(Block(64, 128, 2), Block(128, 128))

    def cells(self, light: Tensor) -> Tensor:
        seen: Tensor = self.layer2(self.layer1(self.maxpool(relu(self.bn1(self.conv1(light))))))
        return seen
