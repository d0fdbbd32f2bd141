"""Agents and rules as the options of a command name them: plain values, which other processes can be given."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from bearleft.errors import InputError, format_value

if TYPE_CHECKING:
    from bearleft.agents.agent import Agent
    from bearleft.envs.legs import EnvOptions
    from bearleft.world.pictures import PictureOptions


def env_options(horizon: int | None, released_decoder: bool, no_auto_turn: bool, **rules: Any) -> EnvOptions:
    """Return the environment's options as the command line sets them."""
    from bearleft.envs.legs import RELEASED_OPTIONS, EnvOptions

    rules |= dict.fromkeys(("horizon", "look_horizon", "collect_horizon", "assemble_horizon"), horizon)
    rules["auto_turn"] = not no_auto_turn
    defaults = RELEASED_OPTIONS if released_decoder else EnvOptions()
    return replace(defaults, **{name: value for name, value in rules.items() if value is not None})


def picture_options(see: str | None, no_shadows: bool, sources: dict[str, Any]) -> PictureOptions | None:
    """Return the options of the pictures in observations; None without --see."""
    if see is None:
        if no_shadows:
            raise InputError("--no-shadows with --see view or --see panorama", "--no-shadows alone")
        return None
    options = {name: value for name, value in sources.items() if value not in (None, (), [])}
    return cast("PictureOptions", {"see": see, **({"shadows": False} if no_shadows else {}), **options})


def load_player(agent: str, dataset: str, data: str | None, options: dict[str, Any]) -> str | Agent:
    """Return a trained network or a follower as an agent with the options given; other agents stay names."""
    from bearleft.agents.checkpoints import CheckpointOptions
    from bearleft.agents.pipeline import SEPARATOR
    from bearleft.agents.pointing import is_checkpoint
    from bearleft.agents.registry import make_agent

    chosen = {name: value for name, value in options.items() if value not in (None, (), [])}
    if set(chosen) == {"city"}:
        # Imported late: its grammars take longer to import than most agents to play.
        from bearleft.agents.follower import ColourBlind, Follower

        followers = {follower.label: follower for follower in (Follower, ColourBlind)}
        if agent in followers:
            return followers[agent](chosen["city"], data)
    if chosen and not any(is_checkpoint(part) for part in agent.split(SEPARATOR)):
        raise InputError(f"--{min(chosen)} with a trained network, CHECKPOINT.pt", f"with {format_value(agent)}")
    return make_agent(agent, dataset, data, CheckpointOptions(data=data, **chosen)) if chosen else agent
