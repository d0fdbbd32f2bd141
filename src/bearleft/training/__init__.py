"""Training of pointing, look, walking, panoramic and ArraMon networks, backbones and cell encoders: `train` runs all.

Interrupted trainings of networks are resumed by the same call; that of a backbone or a cell encoder starts again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.training.arramon.config import ArraMonTrainConfig as ArraMonTrainConfig
    from bearleft.training.backbone.train import BackboneTrainConfig as BackboneTrainConfig
    from bearleft.training.cells import CellTrainConfig as CellTrainConfig
    from bearleft.training.history import TrainProgress as TrainProgress
    from bearleft.training.inputs import TrainInputs as TrainInputs
    from bearleft.training.looking import LookTrainConfig as LookTrainConfig
    from bearleft.training.looking import LookTrainResult as LookTrainResult
    from bearleft.training.pointing.config import TrainConfig as TrainConfig
    from bearleft.training.pointing.train import TrainResult as TrainResult
    from bearleft.training.reinforcement.config import ReinforceConfig as ReinforceConfig
    from bearleft.training.reinforcement.config import WalkReinforceConfig as WalkReinforceConfig
    from bearleft.training.reinforcement.train import ReinforceResult as ReinforceResult
    from bearleft.training.walking.config import WalkTrainConfig as WalkTrainConfig

# The module of each public name, imported on first use: most of them import torch.
_MODULES = {
    "ArraMonTrainConfig": "bearleft.training.arramon.config",
    "BackboneTrainConfig": "bearleft.training.backbone.train",
    "CellTrainConfig": "bearleft.training.cells",
    "LookTrainConfig": "bearleft.training.looking",
    "LookTrainResult": "bearleft.training.looking",
    "ReinforceConfig": "bearleft.training.reinforcement.config",
    "ReinforceResult": "bearleft.training.reinforcement.train",
    "TrainConfig": "bearleft.training.pointing.config",
    "TrainInputs": "bearleft.training.inputs",
    "TrainProgress": "bearleft.training.history",
    "TrainResult": "bearleft.training.pointing.train",
    "WalkReinforceConfig": "bearleft.training.reinforcement.config",
    "WalkTrainConfig": "bearleft.training.walking.config",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
