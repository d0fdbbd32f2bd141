"""One episode played by one agent, from its seed alone."""

from __future__ import annotations

import hashlib
import os

import numpy as np

from bearleft.agents.agent import Agent
from bearleft.envs.game import Observation
from bearleft.envs.legs import Options, begin
from bearleft.errors import InputError
from bearleft.records import Episode, LegTrace


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
    """What the agent did in each leg; a leg begins where the one before it ended."""
    game_rng, agent_rng = generators(seed, episode.id)
    done: list[LegTrace] = []
    start = episode.start
    seen: Observation = {}
    try:
        agent.begin(episode, agent_rng)
        for number, leg in enumerate(episode.legs):
            game = begin(leg, start, episode, game_rng, data, options)
            while not game.done:
                seen = game.observe() | {"leg": number, "legs": len(episode.legs)}
                game.step(agent.act(seen))
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
