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
from torch import nn

from bearleft.errors import InputError, shown
from bearleft.models.backbones.base import Trunk, fill, read, weights_hash
from bearleft.models.backbones.efficientnet_lite import lite0
from bearleft.models.backbones.fused_resnet import Quick
from bearleft.models.backbones.resnet import Layers
from bearleft.models.device import usable
from bearleft.runtime.store import existing_file

__all__ = ["ResNet18", "Trunk", "card", "trunk"]

WEIGHTS = Path(__file__).parents[1] / "weights"
CITY = WEIGHTS / "city-trunk.pt"
NAMES = 'a trunk: "city", "lite0", "random:SEED" or a file of torchvision\'s resnet18'
MAKE = "Train one with: python -m bearleft.training.backbone.train -o trunk.pt, and name the file."


class ResNet18(Layers):
    """Its first layers, which a card computes in their quick form."""

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
