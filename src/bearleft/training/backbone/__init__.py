"""Training of backbones on rendered slices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.training.backbone.heads import Heads as Heads
    from bearleft.training.backbone.labels import CellLabels as CellLabels
    from bearleft.training.backbone.slices import SliceStream as SliceStream
    from bearleft.training.backbone.train import BackboneTrainConfig as BackboneTrainConfig
    from bearleft.training.backbone.train import BackboneTrainer as BackboneTrainer
    from bearleft.training.backbone.train import TrainSummary as TrainSummary

# The module of each public name, imported on first use: most of them import torch.
_MODULES = {
    "BackboneTrainConfig": "bearleft.training.backbone.train",
    "BackboneTrainer": "bearleft.training.backbone.train",
    "CellLabels": "bearleft.training.backbone.labels",
    "Heads": "bearleft.training.backbone.heads",
    "SliceStream": "bearleft.training.backbone.slices",
    "TrainSummary": "bearleft.training.backbone.train",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
