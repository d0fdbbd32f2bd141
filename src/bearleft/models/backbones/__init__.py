"""Backbones: pictures in, feature maps out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.models.backbones.base import Backbone as Backbone
    from bearleft.models.backbones.base import load_weights as load_weights
    from bearleft.models.backbones.base import read_weights as read_weights
    from bearleft.models.backbones.base import weights_hash as weights_hash
    from bearleft.models.backbones.fused_resnet import FusedResNet18 as FusedResNet18
    from bearleft.models.backbones.registry import ResNet18 as ResNet18
    from bearleft.models.backbones.registry import load_backbone as load_backbone
    from bearleft.models.backbones.registry import model_card as model_card
    from bearleft.models.backbones.registry import random_resnet18 as random_resnet18

# The module of each public name, imported on first use: most of them import torch.
_MODULES = {
    "Backbone": "bearleft.models.backbones.base",
    "FusedResNet18": "bearleft.models.backbones.fused_resnet",
    "ResNet18": "bearleft.models.backbones.registry",
    "load_backbone": "bearleft.models.backbones.registry",
    "load_weights": "bearleft.models.backbones.base",
    "model_card": "bearleft.models.backbones.registry",
    "random_resnet18": "bearleft.models.backbones.registry",
    "read_weights": "bearleft.models.backbones.base",
    "weights_hash": "bearleft.models.backbones.base",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
