"""Training of pointing networks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

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
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
