"""ArraMon environments: collect and assemble, single and vectorized, with and without pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.envs.arramon.assemble import AssembleGame as AssembleGame
    from bearleft.envs.arramon.collect import CollectGame as CollectGame
    from bearleft.envs.arramon.gym import ArraMonEnv as ArraMonEnv
    from bearleft.envs.arramon.gym import AssembleEnv as AssembleEnv
    from bearleft.envs.arramon.gym import CollectEnv as CollectEnv
    from bearleft.envs.arramon.gym_vector import ArraMonVectorEnv as ArraMonVectorEnv
    from bearleft.envs.arramon.gym_vector import AssembleVectorEnv as AssembleVectorEnv
    from bearleft.envs.arramon.gym_vector import CollectVectorEnv as CollectVectorEnv
    from bearleft.envs.arramon.observations import ArraMonPictureOptions as ArraMonPictureOptions
    from bearleft.envs.arramon.pictures import ArraMonPictures as ArraMonPictures
    from bearleft.envs.arramon.pictures import Viewpoints as Viewpoints
    from bearleft.envs.arramon.state import TaskState as TaskState
    from bearleft.envs.arramon.vector import ArraMonObservations as ArraMonObservations
    from bearleft.envs.arramon.vector import Events as Events
    from bearleft.envs.arramon.vector import VectorArraMon as VectorArraMon

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "ArraMonEnv": "bearleft.envs.arramon.gym",
    "ArraMonObservations": "bearleft.envs.arramon.vector",
    "ArraMonPictureOptions": "bearleft.envs.arramon.observations",
    "ArraMonPictures": "bearleft.envs.arramon.pictures",
    "ArraMonVectorEnv": "bearleft.envs.arramon.gym_vector",
    "AssembleEnv": "bearleft.envs.arramon.gym",
    "AssembleGame": "bearleft.envs.arramon.assemble",
    "AssembleVectorEnv": "bearleft.envs.arramon.gym_vector",
    "CollectEnv": "bearleft.envs.arramon.gym",
    "CollectGame": "bearleft.envs.arramon.collect",
    "CollectVectorEnv": "bearleft.envs.arramon.gym_vector",
    "Events": "bearleft.envs.arramon.vector",
    "TaskState": "bearleft.envs.arramon.state",
    "VectorArraMon": "bearleft.envs.arramon.vector",
    "Viewpoints": "bearleft.envs.arramon.pictures",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
