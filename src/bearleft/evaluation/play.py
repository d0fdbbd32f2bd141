"""Play episodes: one by one, or several at once by a batch agent."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

from bearleft.agents.agent import Agent, BatchAgent, ConcurrentAgent
from bearleft.envs.arramon.assemble import AssembleGame
from bearleft.envs.arramon.collect import CollectGame
from bearleft.envs.game import Action, Decision, Game
from bearleft.envs.legs import EnvOptions, episode_generators, initial_task_state, make_game
from bearleft.errors import InputError
from bearleft.records import REFUSED, Collect, Episode, LegTrace, Pose
from bearleft.types import DataFolder, Observation
from bearleft.world.arramon.moves import PLACE

if TYPE_CHECKING:
    from bearleft.evaluation.observation_pictures import ObservationPictures


def play(
    agent: Agent,
    episode: Episode,
    seed: int = 0,
    data: DataFolder = None,
    options: EnvOptions | None = None,
    pictures: ObservationPictures | None = None,
) -> tuple[LegTrace, ...]:
    """Play one episode; a leg begins where the one before it ended.

    A "place" that ArraMon's room does not allow changes nothing and is recorded as "refused": one mistake of a model
    should not end its evaluation. With `perfect_navigation` the agent acts in the room only.

    Args:
        agent: The agent.
        episode: The episode.
        seed: The seed of the run.
        data: The folder of real datasets.
        options: The options of the environment.
        pictures: Adds pictures to observations; none if None.

    Returns:
        The trace of each leg.

    Raises:
        InputError: An action or the episode is invalid.
    """
    run = EpisodeRun(episode, seed, data, options, pictures)
    with _name_episode(run):
        agent.begin(episode, run.agent_rng)
        run.start()
        while not run.done:
            run.step(agent.act(run.observe()))
    return run.legs


def play_batch(
    agent: BatchAgent,
    episodes: Sequence[Episode],
    seed: int = 0,
    data: DataFolder = None,
    options: EnvOptions | None = None,
    pictures: ObservationPictures | None = None,
) -> list[tuple[LegTrace, ...]]:
    """Play several episodes at once; the random generators of an episode do not depend on its batch.

    Args:
        agent: The batch agent.
        episodes: The episodes.
        seed: The seed of the run.
        data: The folder of real datasets.
        options: The options of the environment.
        pictures: Adds pictures to observations; none if None.

    Returns:
        The trace of each leg of each episode.

    Raises:
        InputError: An action or an episode is invalid, or there is not an action for each episode.
    """
    batch = [EpisodeRun(episode, seed, data, options, pictures) for episode in episodes]
    with _name_episode(*batch):
        agent.begin_batch(episodes, [run.agent_rng for run in batch])
    for run in batch:
        with _name_episode(run):
            run.start()
    while indices := [k for k, run in enumerate(batch) if not run.done]:
        with _name_episode(*(batch[k] for k in indices)):
            actions = list(agent.act_batch(indices, [batch[k].observe() for k in indices]))
            if len(actions) != len(indices):
                raise InputError(f"{len(indices)} actions, one for each episode", str(len(actions)))
        for k, action in zip(indices, actions, strict=True):
            with _name_episode(batch[k]):
                batch[k].step(action)
    return [run.legs for run in batch]


def play_concurrently(
    agent: ConcurrentAgent,
    episodes: Sequence[Episode],
    seed: int = 0,
    data: DataFolder = None,
    options: EnvOptions | None = None,
    pictures: ObservationPictures | None = None,
) -> Iterator[tuple[LegTrace, ...]]:
    """Play many episodes at once by an agent that waits for answers; yield their traces in order.

    If an episode fails, the others go on until their answers under way have come.

    Args:
        agent: The agent.
        episodes: The episodes.
        seed: The seed of the run.
        data: The folder of real datasets.
        options: The options of the environment.
        pictures: Adds pictures to observations; none if None.

    Raises:
        InputError: An action or an episode is invalid, or there is no answer.
    """
    runs = [EpisodeRun(episode, seed, data, options, pictures) for episode in episodes]
    played = _play_in_loop(agent, runs)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        yield from played
        return
    # A notebook has a loop of its own in this thread.
    with ThreadPoolExecutor(1) as thread:
        try:
            while (legs := thread.submit(next, played, None).result()) is not None:
                yield legs
        finally:
            thread.submit(played.close).result()


def _play_in_loop(agent: ConcurrentAgent, runs: Sequence[EpisodeRun]) -> Generator[tuple[LegTrace, ...], None, None]:
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        free = asyncio.Semaphore(agent.concurrency)
        tasks = [loop.create_task(_play_session(agent, run, free)) for run in runs]
        try:
            for task in tasks:
                yield runner.run(_result(task))
        except Exception:
            for waiting in tasks:
                waiting.cancel()
            runner.run(_settle(tasks))
            raise
        finally:
            runner.run(agent.aclose())


async def _result(task: asyncio.Task[tuple[LegTrace, ...]]) -> tuple[LegTrace, ...]:
    return await task


async def _settle(tasks: Sequence[asyncio.Task[tuple[LegTrace, ...]]]) -> None:
    await asyncio.gather(*tasks, return_exceptions=True)


async def _play_session(agent: ConcurrentAgent, run: EpisodeRun, free: asyncio.Semaphore) -> tuple[LegTrace, ...]:
    """Play one episode; each leg's trace gets the calls of the language model that played it."""
    async with free:
        with _name_episode(run):
            session = agent.session(run.episode, run.agent_rng)
            run.start()
            while not run.done:
                leg = len(run.finished)
                run.step(await session.act(run.observe()))
                if len(run.finished) > leg:
                    run.finished[leg] = replace(run.finished[leg], calls=session.take_calls())
        return run.legs


def repeat(
    actions: Sequence[Sequence[str]], episode: Episode, data: DataFolder = None, options: EnvOptions | None = None
) -> tuple[LegTrace, ...]:
    """Repeat the recorded actions of each leg of an episode, such as those of a network in a vector environment.

    It is `play` without observations, which take most of its time.

    Args:
        actions: The actions of each leg; those of legs that `options` play are not read.
        episode: The episode.
        data: The folder of real datasets.
        options: The options of the environment.

    Returns:
        The trace of each leg.

    Raises:
        InputError: The actions do not end their leg, or one is invalid.
    """
    run = EpisodeRun(episode, 0, data, options)
    with _name_episode(run):
        if len(actions) != len(episode.legs):
            raise InputError(f"actions of {len(episode.legs)} legs", str(len(actions)))
        run.start()
        while not run.done:
            leg = len(run.finished)
            for action in actions[leg]:
                run.step(action)
                if len(run.finished) > leg:
                    break
            else:
                raise InputError("recorded actions that end their leg", "fewer", f"legs[{leg}]")
    return run.legs


class EpisodeRun:
    """An episode in progress: the game of the current leg, and the traces of the finished legs."""

    def __init__(
        self,
        episode: Episode,
        seed: int,
        data: DataFolder,
        options: EnvOptions | None,
        pictures: ObservationPictures | None = None,
    ) -> None:
        self.episode, self.data, self.options, self.pictures = episode, data, options, pictures
        self.game_rng, self.agent_rng = episode_generators(seed, episode.id)
        self.finished: list[LegTrace] = []
        self.observation: Observation = {}
        self.done = False

    def start(self) -> None:
        """Begin the first leg."""
        self.task_state = initial_task_state(self.episode)
        self._start_leg(self.episode.start)

    def _start_leg(self, start: Pose) -> None:
        """Begin the next leg; skip legs that end without an action."""
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
        """Return the current observation."""
        self.observation = self.game.observe() | {"leg": len(self.finished), "legs": len(self.episode.legs)}
        if self.pictures is not None:
            self.observation = self.pictures.add(self.observation, self.episode, self.game)
        return self.observation

    def step(self, action: Action) -> None:
        """Apply an action; when the leg ends, the next one begins where it ended."""
        step_game(self.game, action)
        if self.game.done:
            self.finished.append(self.game.trace())
            self._start_leg(self.game.end)

    @property
    def legs(self) -> tuple[LegTrace, ...]:
        """Return the traces of the finished legs."""
        return tuple(self.finished)


@contextlib.contextmanager
def _name_episode(first: EpisodeRun, *others: EpisodeRun) -> Iterator[None]:
    """Add the episode, or the batch, to errors."""
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
        if isinstance(error, KeyError) and first.observation:
            fields = ", ".join(first.observation)
            error.add_note(f"the leg is of kind {first.observation['kind']}; its observations have {fields}")
        raise


def step_game(game: Game, action: Action) -> None:
    """Apply an action to a game; a "place" that is not possible is recorded as refused instead of raising an error.

    REFUSED is the action of an agent that has none, such as a language model whose answer cannot be read.
    """
    name = action.action if isinstance(action, Decision) else action
    if isinstance(name, str) and name == REFUSED and not game.done:
        game.record_noop()
    elif isinstance(game, AssembleGame) and not game.done and name == PLACE and not game.can_place():
        game.record_noop(action)
    else:
        game.step(action)


def _follow_reference(game: CollectGame) -> None:
    """Collect the item by the actions of the demonstration."""
    assert isinstance(game.leg.goal, Collect)
    for action in game.leg.goal.actions:
        game.step(action)
    if not game.done or game.picked != game.leg.goal.item:
        got = game.picked or "one that picks nothing up"
        raise InputError(f"a demonstration that collects the {game.leg.goal.item}", got)
