"""Games of the four goals (reach, point, collect, assemble), and their Gymnasium environments.

`import bearleft.envs.gym` registers the environments. Names are imported on first use; the environments need Gymnasium.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.envs.game import Action as Action
    from bearleft.envs.game import Decision as Decision
    from bearleft.envs.game import Game as Game
    from bearleft.envs.game import Prediction as Prediction
    from bearleft.envs.gym import LookEnv as LookEnv
    from bearleft.envs.gym import PointEnv as PointEnv
    from bearleft.envs.gym import ReachEnv as ReachEnv
    from bearleft.envs.gym import ReachVectorEnv as ReachVectorEnv
    from bearleft.envs.legs import RELEASED_OPTIONS as RELEASED_OPTIONS
    from bearleft.envs.legs import EnvOptions as EnvOptions
    from bearleft.envs.legs import initial_task_state as initial_task_state
    from bearleft.envs.legs import make_game as make_game
    from bearleft.envs.look import LookGame as LookGame
    from bearleft.envs.point import PointGame as PointGame
    from bearleft.envs.reach import ReachGame as ReachGame
    from bearleft.envs.reach import actions_along as actions_along
    from bearleft.envs.reach import default_horizon as default_horizon
    from bearleft.envs.vector import ReachObservations as ReachObservations
    from bearleft.envs.vector import VectorReach as VectorReach

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "Action": "bearleft.envs.game",
    "Decision": "bearleft.envs.game",
    "EnvOptions": "bearleft.envs.legs",
    "Game": "bearleft.envs.game",
    "Prediction": "bearleft.envs.game",
    "LookEnv": "bearleft.envs.gym",
    "LookGame": "bearleft.envs.look",
    "PointEnv": "bearleft.envs.gym",
    "PointGame": "bearleft.envs.point",
    "RELEASED_OPTIONS": "bearleft.envs.legs",
    "ReachEnv": "bearleft.envs.gym",
    "ReachGame": "bearleft.envs.reach",
    "ReachObservations": "bearleft.envs.vector",
    "ReachVectorEnv": "bearleft.envs.gym",
    "VectorReach": "bearleft.envs.vector",
    "actions_along": "bearleft.envs.reach",
    "default_horizon": "bearleft.envs.reach",
    "initial_task_state": "bearleft.envs.legs",
    "make_game": "bearleft.envs.legs",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
