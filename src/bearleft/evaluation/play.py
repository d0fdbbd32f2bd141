"""One episode played by one agent, from its seed alone, or several side by side."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator, Sequence

import numpy as np

from bearleft.agents.agent import Agent, BatchAgent
from bearleft.envs.arramon.assemble import AssembleGame
from bearleft.envs.arramon.collect import CollectGame
from bearleft.envs.game import Action, Game, Observation
from bearleft.envs.legs import EnvOptions, initial_task_state, make_game
from bearleft.errors import InputError
from bearleft.records import Collect, Episode, LegTrace, Pose
from bearleft.world.arramon.moves import PLACE


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
    options: EnvOptions | None = None,
) -> tuple[LegTrace, ...]:
    """What the agent did in each leg; a leg begins where the one before it ended.

    A placing that ArraMon's room does not allow counts as an action that changes nothing and stands in the trace as
    "refused": one mistake of a model should not end its evaluation. With `perfect_navigation` the agent is asked in the
    room only.
    """
    playing = Playing(episode, seed, data, options)
    with _named(playing):
        agent.begin(episode, playing.agent_rng)
        playing.start()
        while not playing.done:
            playing.take(agent.act(playing.observe()))
    return playing.legs


def play_batch(
    agent: BatchAgent,
    episodes: Sequence[Episode],
    seed: int = 0,
    data: str | os.PathLike[str] | None = None,
    options: EnvOptions | None = None,
) -> list[tuple[LegTrace, ...]]:
    """What the agent did in each of several episodes that are played side by side, of each as `play` tells it.

    An episode's randomness does not depend on the batch it is in.
    """
    batch = [Playing(episode, seed, data, options) for episode in episodes]
    with _named(*batch):
        agent.begin_batch(episodes, [playing.agent_rng for playing in batch])
    for playing in batch:
        with _named(playing):
            playing.start()
    while indices := [k for k, playing in enumerate(batch) if not playing.done]:
        with _named(*(batch[k] for k in indices)):
            actions = list(agent.act_batch(indices, [batch[k].observe() for k in indices]))
            if len(actions) != len(indices):
                raise InputError(f"{len(indices)} actions, one for each episode", str(len(actions)))
        for k, action in zip(indices, actions, strict=True):
            with _named(batch[k]):
                batch[k].take(action)
    return [playing.legs for playing in batch]


class Playing:
    """One episode while it is played: the game of the present leg, and what was done in those before."""

    def __init__(
        self, episode: Episode, seed: int, data: str | os.PathLike[str] | None, options: EnvOptions | None
    ) -> None:
        self.episode, self.data, self.options = episode, data, options
        self.game_rng, self.agent_rng = generators(seed, episode.id)
        self.finished: list[LegTrace] = []
        self.seen: Observation = {}
        self.done = False

    def start(self) -> None:
        """Begin the first leg."""
        self.task_state = initial_task_state(self.episode)
        self._begin(self.episode.start)

    def _begin(self, start: Pose) -> None:
        """Begin the next leg, and those that end before anybody acts."""
        while len(self.finished) < len(self.episode.legs):
            leg = self.episode.legs[len(self.finished)]
            self.game = make_game(leg, start, self.episode, self.game_rng, self.data, self.options, self.task_state)
            if self.options is not None and self.options.perfect_navigation and isinstance(self.game, CollectGame):
                _follow_reference(self.game)
            if not self.game.done:
                return
            self.finished.append(self.game.trace())
            start = self.game.end
        self.done = True

    def observe(self) -> Observation:
        """What the agent sees now."""
        self.seen = self.game.observe() | {"leg": len(self.finished), "legs": len(self.episode.legs)}
        return self.seen

    def take(self, action: Action) -> None:
        """One action of the agent's; the leg behind begins where this one ends."""
        take(self.game, action)
        if self.game.done:
            self.finished.append(self.game.trace())
            self._begin(self.game.end)

    @property
    def legs(self) -> tuple[LegTrace, ...]:
        return tuple(self.finished)


@contextlib.contextmanager
def _named(first: Playing, *others: Playing) -> Iterator[None]:
    """Errors say in which episode they came up, or in which batch."""
    episode = first.episode
    name = f"episode {episode.id}" + (f" and {len(others)} beside it" if others else "")
    try:
        yield
    except InputError as error:
        raise error.at(file=name) from error
    except SystemExit as error:
        raise InputError("an agent that acts", "sys.exit", file=name) from error
    except Exception as error:
        error.add_note(f"while the agent played {name} of {episode.dataset}")
        if isinstance(error, KeyError) and first.seen:
            fields = ", ".join(first.seen)
            error.add_note(f"it is a leg of kind {first.seen['kind']}, whose observations have {fields}")
        raise


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
        got = game.picked or "one that picks nothing up"
        raise InputError(f"a demonstration that collects the {game.leg.goal.item}", got)
