"""Training of pointing networks, look networks and backbones. `train` runs each of them.

Interrupted trainings of networks are resumed by the same call; that of a backbone starts again.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bearleft.training.backbone.train import BackboneTrainConfig as BackboneTrainConfig
    from bearleft.training.history import TrainProgress as TrainProgress
    from bearleft.training.inputs import TrainInputs as TrainInputs
    from bearleft.training.looking import LookTrainConfig as LookTrainConfig
    from bearleft.training.looking import LookTrainResult as LookTrainResult
    from bearleft.training.pointing.config import TrainConfig as TrainConfig
    from bearleft.training.pointing.train import TrainResult as TrainResult

# The module of each public name, imported on first use: most of them import torch.
_MODULES = {
    "BackboneTrainConfig": "bearleft.training.backbone.train",
    "LookTrainConfig": "bearleft.training.looking",
    "LookTrainResult": "bearleft.training.looking",
    "TrainConfig": "bearleft.training.pointing.config",
    "TrainInputs": "bearleft.training.inputs",
    "TrainProgress": "bearleft.training.history",
    "TrainResult": "bearleft.training.pointing.train",
}

__all__ = sorted(_MODULES)


if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names

    def __getattr__(name: str) -> Any:
        if name in _MODULES:
            return getattr(importlib.import_module(_MODULES[name]), name)
        raise AttributeError(f"module 'bearleft.training' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
