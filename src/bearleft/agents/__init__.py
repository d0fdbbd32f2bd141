"""Agents: the protocol, baselines, oracles, the rule-based follower, and agents of trained networks.

`make_agent("random", "town/dev")` returns an agent by its name. An agent is any object with `begin(episode, rng)` and
`act(observation)`; see `Agent`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.agents.agent import Agent as Agent
    from bearleft.agents.agent import BatchAgent as BatchAgent
    from bearleft.agents.checkpoints import CheckpointOptions as CheckpointOptions
    from bearleft.agents.follower import ColourBlind as ColourBlind
    from bearleft.agents.follower import Follower as Follower
    from bearleft.agents.looking import LookAgent as LookAgent
    from bearleft.agents.oracles import Gold as Gold
    from bearleft.agents.oracles import Shortest as Shortest
    from bearleft.agents.panoramic import PanoramicAgent as PanoramicAgent
    from bearleft.agents.pipe import Pipe as Pipe
    from bearleft.agents.pipeline import Pipeline as Pipeline
    from bearleft.agents.pipeline import make_pipeline as make_pipeline
    from bearleft.agents.pointing import PointAgent as PointAgent
    from bearleft.agents.pointing import from_checkpoint as from_checkpoint
    from bearleft.agents.pointing_baselines import Average as Average
    from bearleft.agents.pointing_baselines import Center as Center
    from bearleft.agents.pointing_baselines import Uniform as Uniform
    from bearleft.agents.registry import AGENTS as AGENTS
    from bearleft.agents.registry import make_agent as make_agent
    from bearleft.agents.user_file import from_file as from_file
    from bearleft.agents.walking import WalkAgent as WalkAgent
    from bearleft.agents.walking_baselines import Frequent as Frequent
    from bearleft.agents.walking_baselines import Random as Random
    from bearleft.agents.walking_baselines import Stop as Stop

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "AGENTS": "bearleft.agents.registry",
    "Agent": "bearleft.agents.agent",
    "Average": "bearleft.agents.pointing_baselines",
    "BatchAgent": "bearleft.agents.agent",
    "Center": "bearleft.agents.pointing_baselines",
    "CheckpointOptions": "bearleft.agents.checkpoints",
    "ColourBlind": "bearleft.agents.follower",
    "Follower": "bearleft.agents.follower",
    "Frequent": "bearleft.agents.walking_baselines",
    "Gold": "bearleft.agents.oracles",
    "LookAgent": "bearleft.agents.looking",
    "PanoramicAgent": "bearleft.agents.panoramic",
    "Pipe": "bearleft.agents.pipe",
    "Pipeline": "bearleft.agents.pipeline",
    "PointAgent": "bearleft.agents.pointing",
    "Random": "bearleft.agents.walking_baselines",
    "Shortest": "bearleft.agents.oracles",
    "Stop": "bearleft.agents.walking_baselines",
    "Uniform": "bearleft.agents.pointing_baselines",
    "WalkAgent": "bearleft.agents.walking",
    "from_checkpoint": "bearleft.agents.pointing",
    "from_file": "bearleft.agents.user_file",
    "make_agent": "bearleft.agents.registry",
    "make_pipeline": "bearleft.agents.pipeline",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
