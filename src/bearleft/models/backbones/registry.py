"""Backbones by name: ResNet-18 up to its second layer, 128 channels for every 8 x 8 pixels (appendix D).

Weights are those trained on the city, which are part of bearleft ("city"), a file of torchvision's ImageNet weights, or
random ("random:SEED"). A backbone takes pictures as bytes with colours last, and normalizes them.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import torch
from torch import nn

from bearleft.errors import InputError, format_value
from bearleft.models.backbones.base import Backbone, load_weights, read_weights, weights_hash
from bearleft.models.backbones.fused_resnet import FusedResNet18
from bearleft.models.backbones.resnet import PlainResNet18
from bearleft.models.device import check_torch_device
from bearleft.runtime.store import existing_file

__all__ = ["Backbone", "ResNet18", "load_backbone", "model_card"]

WEIGHTS = Path(__file__).parents[1] / "weights"
CITY = WEIGHTS / "city-backbone.pt"
NAMES = 'a backbone: "city", "random:SEED" or a file of torchvision\'s resnet18'
TRAIN_HINT = "Train one: bearleft train backbone -o backbone.pt, and name its file with --backbone."


class ResNet18(PlainResNet18):
    """The first layers of ResNet-18, computed by `FusedResNet18` on a GPU."""

    def for_inference(self, device: str | torch.device) -> Backbone:
        """Return the same function in its fastest form on a device."""
        target = torch.device(device)
        if target.type == "cuda":
            return FusedResNet18(self.fold_batch_norms()).to(target)
        return super().for_inference(target)


def load_backbone(name: str | os.PathLike[str], device: str | torch.device = "cpu") -> Backbone:
    """Return a frozen backbone in evaluation mode.

    Args:
        name: "city", "random:SEED", or the path of a file of weights.
        device: Where it computes.

    Raises:
        InputError: The file is missing, or a weight is missing, misshapen or not finite.
    """
    text, device = os.fspath(name), check_torch_device(device)
    if text.startswith("random:"):
        backbone = random_resnet18(text)
    else:
        backbone = ResNet18()
        load_weights(backbone, read_weights(city_file() if text == "city" else existing_file(text, NAMES)), text)
    backbone.name = "city" if text == "city" else Path(text).name
    backbone.hash = weights_hash(backbone)
    backbone = backbone.eval().requires_grad_(False)
    return backbone.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]


def city_file() -> Path:
    """Return the file of the weights that are part of bearleft."""
    if not CITY.is_file():
        raise InputError("the backbone trained on the city", "none in this installation", hint=TRAIN_HINT)
    return CITY


def model_card() -> dict[str, Any]:
    """Return the model card of the weights that are part of bearleft: licence, data, seed, hash and accuracies."""
    card: dict[str, Any] = json.loads(city_file().with_suffix(".json").read_text(encoding="utf-8"))
    return card


def random_resnet18(name: str) -> ResNet18:
    """Return a ResNet18 with He-initialized weights drawn from the seed of "random:SEED"."""
    if not re.fullmatch(r"random:[0-9]{1,18}", name):
        raise InputError("random:SEED with a whole number", format_value(name))
    generator = torch.Generator().manual_seed(int(name.split(":")[1]))
    backbone = ResNet18()
    with torch.no_grad():
        for module in backbone.modules():
            if isinstance(module, nn.Conv2d):
                deviation = (2.0 / module.weight[0].numel()) ** 0.5
                module.weight.copy_(torch.randn(module.weight.shape, generator=generator) * deviation)
    return backbone
