"""One episode played by one agent, from its seed alone."""

from __future__ import annotations

import hashlib
import os

import numpy as np

from bearleft.agents.agent import Agent
from bearleft.envs.assemble import AssembleGame
from bearleft.envs.collect import CollectGame
from bearleft.envs.game import Action, Game, Observation
from bearleft.envs.legs import Options, begin, gathering_of
from bearleft.errors import InputError
from bearleft.records import Collect, Episode, LegTrace
from bearleft.world.moves import PLACE


def generators(seed: int, episode: str) -> tuple[np.random.Generator, np.random.Generator]:
    """Randomness for the game and for the agent: the same whatever was played before, and wherever."""
    digest = hashlib.sha256(episode.encode()).digest()
    game, agent = np.random.SeedSequence([seed, int.from_bytes(digest[:8], "little")]).spawn(2)
    return np.random.default_rng(game), np.random.default_rng(agent)


def play(
    agent: Agent,
    episode: Episode,
    seed: int = 0,
    data: str | os.PathLike[str] | None = None,
    options: Options | None = None,
) -> tuple[LegTrace, ...]:
    """What the agent did in each leg; a leg begins where the one before it ended.

    A placing that ArraMon's room does not allow counts as an action that changes nothing and stands in the trace as
    "refused": one mistake of a model should not end its evaluation. With `perfect_navigation` the agent is asked in the
    room only.
    """
    game_rng, agent_rng = generators(seed, episode.id)
    done: list[LegTrace] = []
    start = episode.start
    seen: Observation = {}
    try:
        gathering = gathering_of(episode)
        agent.begin(episode, agent_rng)
        for number, leg in enumerate(episode.legs):
            game = begin(leg, start, episode, game_rng, data, options, gathering)
            if options is not None and options.perfect_navigation and isinstance(game, CollectGame):
                _follow_reference(game)
            while not game.done:
                seen = game.observe() | {"leg": number, "legs": len(episode.legs)}
                take(game, agent.act(seen))
            done.append(game.trace())
            start = game.end
    except InputError as error:
        raise error.at(file=f"episode {episode.id}") from error
    except SystemExit as error:
        raise InputError("an agent that acts", "sys.exit", file=f"episode {episode.id}") from error
    except Exception as error:
        error.add_note(f"while the agent played episode {episode.id} of {episode.dataset}")
        if isinstance(error, KeyError) and seen:
            error.add_note(f"it is a leg of kind {seen['kind']}, whose observations have {', '.join(seen)}")
        raise
    return tuple(done)


def take(game: Game, action: Action) -> None:
    """One action of an agent's; a placing that is not possible is refused without an error."""
    if isinstance(game, AssembleGame) and not game.done and action == PLACE and not game.can_place():
        game.refuse()
    else:
        game.step(action)


def _follow_reference(game: CollectGame) -> None:
    """Collects as the demonstration did."""
    assert isinstance(game.leg.goal, Collect)
    for action in game.leg.goal.actions:
        game.step(action)
    if not game.done or game.picked != game.leg.goal.item:
        came = game.picked or "one that picks nothing up"
        raise InputError(f"a demonstration that collects the {game.leg.goal.item}", came)
