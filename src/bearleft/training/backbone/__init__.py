"""Training of backbones on rendered slices."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

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

    def __getattr__(name: str) -> Any:
        if name in _MODULES:
            return getattr(importlib.import_module(_MODULES[name]), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
