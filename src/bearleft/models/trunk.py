"""What makes cells of pictures: ResNet-18 up to its second layer, 128 channels for every 8 x 8 pixels (appendix D).

Weights are the city's own, which come with bearleft ("city"), torchvision's ImageNet file where a user has it, those of
EfficientNet-Lite0 ("lite0", see `lite`), or drawn from a seed ("random:0"). A trunk reads pictures as they are stored,
bytes with colours last, and normalises them itself.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import relu

from bearleft.errors import InputError, shown
from bearleft.models.device import usable
from bearleft.models.lite import lite0
from bearleft.models.quick import Quick
from bearleft.models.seeing import Trunk, fill, read, weights_hash
from bearleft.store import existing_file

__all__ = ["ResNet18", "Trunk", "card", "trunk"]

WEIGHTS = Path(__file__).parent / "weights"
CITY = WEIGHTS / "city-trunk.pt"
IMAGENET = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # mean and deviation of red, green and blue, as shares of 255
NAMES = 'a trunk: "city", "lite0", "random:SEED" or a file of torchvision\'s resnet18'
MAKE = "Train one with: python -m bearleft.training.trunk -o trunk.pt, and name the file."


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


class ResNet18(Trunk):
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

    def ready(self, device: str | torch.device) -> Trunk:
        there = torch.device(device)
        return Quick(self.folded()).to(there) if there.type == "cuda" else super().ready(there)


def trunk(name: str | os.PathLike[str], device: str | torch.device = "cpu") -> Trunk:
    """A trunk by name, ready for use: "city", "lite0", "random:SEED", or the path of a file of weights."""
    text, device = os.fspath(name), usable(device)
    if text == "lite0":
        made: Trunk = lite0()
    elif text.startswith("random:"):
        made = drawn(text)
    else:
        made = ResNet18()
        fill(made, read(city_file() if text == "city" else existing_file(text, NAMES)), text)
    made.name = "city" if text == "city" else Path(text).name
    made.hash = weights_hash(made)
    made = made.eval().requires_grad_(False)
    return made.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]


def city_file() -> Path:
    """Where the city's own weights lie, which are those that their card names."""
    if not CITY.is_file():
        raise InputError("the trunk trained on the city", "none in this installation", hint=MAKE)
    return CITY


def card() -> dict[str, Any]:
    """What is said of the city's weights: licence, data, seed, hash and how well they do."""
    said: dict[str, Any] = json.loads(city_file().with_suffix(".json").read_text(encoding="utf-8"))
    return said


def drawn(name: str) -> ResNet18:
    """Weights drawn from a seed, in He's way, so that nothing dies out or grows on the way."""
    if not re.fullmatch(r"random:[0-9]{1,18}", name):
        raise InputError("random:SEED with a whole number", shown(name))
    generator = torch.Generator().manual_seed(int(name.split(":")[1]))
    made = ResNet18()
    with torch.no_grad():
        for module in made.modules():
            if isinstance(module, nn.Conv2d):
                spread = (2.0 / module.weight[0].numel()) ** 0.5
                module.weight.copy_(torch.randn(module.weight.shape, generator=generator) * spread)
    return made
