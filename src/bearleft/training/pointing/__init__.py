"""Training of pointing networks."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bearleft.training.pointing.batches import ExampleTable as ExampleTable
    from bearleft.training.pointing.config import TrainConfig as TrainConfig
    from bearleft.training.pointing.loop import Trainer as Trainer
    from bearleft.training.pointing.train import TrainResult as TrainResult

# The module of each public name, imported on first use: most of them import torch.
_MODULES = {
    "ExampleTable": "bearleft.training.pointing.batches",
    "TrainConfig": "bearleft.training.pointing.config",
    "TrainResult": "bearleft.training.pointing.train",
    "Trainer": "bearleft.training.pointing.loop",
}

__all__ = sorted(_MODULES)


if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names

    def __getattr__(name: str) -> Any:
        if name in _MODULES:
            return getattr(importlib.import_module(_MODULES[name]), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
