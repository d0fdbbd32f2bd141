"""PyTorch models: backbones, features, pointing and looking networks, and their checkpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.models.backbones.base import Backbone as Backbone
    from bearleft.models.backbones.registry import load_backbone as load_backbone
    from bearleft.models.backbones.registry import model_card as model_card
    from bearleft.models.checkpoint import PointCheckpoint as PointCheckpoint
    from bearleft.models.device import check_torch_device as check_torch_device
    from bearleft.models.examples import Examples as Examples
    from bearleft.models.examples import Panorama as Panorama
    from bearleft.models.examples import build_examples as build_examples
    from bearleft.models.features.base import Features as Features
    from bearleft.models.features.sources import features_for as features_for
    from bearleft.models.looking.network import LookNetwork as LookNetwork
    from bearleft.models.looking.player import LookCheckpoint as LookCheckpoint
    from bearleft.models.pointing.network import PointNetwork as PointNetwork
    from bearleft.models.pointing.registry import NETWORKS as NETWORKS
    from bearleft.models.pointing.registry import build_network as build_network
    from bearleft.models.vocabulary import Vocabulary as Vocabulary

BEST = "best.pt"  # file name of a training's result in its folder
NETWORK_FILE = "network.py"  # file name of the copy of a user's network file beside it

# The module of each public name, imported on first use: most of them import torch.
_MODULES = {
    "Backbone": "bearleft.models.backbones.base",
    "Examples": "bearleft.models.examples",
    "Features": "bearleft.models.features.base",
    "LookCheckpoint": "bearleft.models.looking.player",
    "LookNetwork": "bearleft.models.looking.network",
    "NETWORKS": "bearleft.models.pointing.registry",
    "Panorama": "bearleft.models.examples",
    "PointCheckpoint": "bearleft.models.checkpoint",
    "PointNetwork": "bearleft.models.pointing.network",
    "Vocabulary": "bearleft.models.vocabulary",
    "build_examples": "bearleft.models.examples",
    "build_network": "bearleft.models.pointing.registry",
    "check_torch_device": "bearleft.models.device",
    "features_for": "bearleft.models.features.sources",
    "load_backbone": "bearleft.models.backbones.registry",
    "model_card": "bearleft.models.backbones.registry",
}

__all__ = sorted(["BEST", "NETWORK_FILE", *_MODULES])

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
