"""Two agents for the complete task (Touchdown, section 8): one walks, the other points where the walk ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from bearleft.agents.agent import Agent, BatchAgent
from bearleft.agents.pointing import PointAgent
from bearleft.envs.game import Action
from bearleft.errors import InputError, format_value
from bearleft.records import Episode
from bearleft.types import Observation

SEPARATOR = "+"


class Pipeline:
    """Play reach legs with one agent, and all other legs with another.

    Args:
        walker: The agent that walks.
        pointer: The agent that points.
        label: The agent's name in traces.
    """

    def __init__(self, walker: Agent, pointer: Agent, label: str = "") -> None:
        self.walker, self.pointer = walker, pointer
        names = (getattr(agent, "label", type(agent).__name__.lower()) for agent in (walker, pointer))
        self.label = label or SEPARATOR.join(names)
        if hasattr(walker, "auto_turn"):
            self.auto_turn: bool = walker.auto_turn

    def prepare(self, episodes: Sequence[Episode]) -> None:
        """Announce the next episodes to both agents."""
        for agent in (self.walker, self.pointer):
            getattr(agent, "prepare", lambda _: None)(episodes)

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        """Begin an episode."""
        self.walker.begin(episode, rng)
        self.pointer.begin(episode, rng)

    def act(self, observation: Observation) -> Action:
        """Return the action of the agent whose leg it is."""
        return (self.walker if observation["kind"] == "reach" else self.pointer).act(observation)

    def close(self) -> None:
        """Close both agents."""
        for agent in (self.walker, self.pointer):
            getattr(agent, "close", lambda: None)()


class BatchPipeline(Pipeline):
    """A pipeline whose walker plays many episodes side by side, and whose pointer is a pointing network."""

    def __init__(self, walker: BatchAgent, pointer: PointAgent, label: str = "") -> None:
        super().__init__(walker, pointer, label)  # type: ignore[arg-type]
        self.batch_walker, self.point_agent = walker, pointer
        self.batch_size = walker.batch_size

    def prepare(self, episodes: Sequence[Episode]) -> None:
        """Announce the next episodes to the walker; where it will stop is not known yet."""
        getattr(self.walker, "prepare", lambda _: None)(episodes)

    def begin_batch(self, episodes: Sequence[Episode], rngs: Sequence[np.random.Generator]) -> None:
        """Begin a batch of episodes."""
        self.batch_walker.begin_batch(episodes, rngs)
        self.worlds = [episode.world for episode in episodes]

    def act_batch(self, indices: Sequence[int], observations: Sequence[Observation]) -> list[Action]:
        """Return the next actions of some episodes of the batch."""
        by_episode = dict(zip(indices, observations, strict=True))
        walking = [k for k in indices if by_episode[k]["kind"] == "reach"]
        pointing = [k for k in indices if by_episode[k]["kind"] != "reach"]
        actions: dict[int, Action] = {}
        if walking:
            chosen = self.batch_walker.act_batch(walking, [by_episode[k] for k in walking])
            actions |= dict(zip(walking, chosen, strict=True))
        if pointing:
            worlds = [self.worlds[k] for k in pointing]
            answers = self.point_agent.answer_all(worlds, [by_episode[k] for k in pointing])
            actions |= dict(zip(pointing, answers, strict=True))
        return [actions[k] for k in indices]


def make_pipeline(walker: Agent, pointer: Agent) -> Pipeline:
    """Return the pipeline of two agents, which plays in batches if the walker does."""
    if isinstance(walker, BatchAgent) and isinstance(pointer, PointAgent):
        return BatchPipeline(walker, pointer)
    return Pipeline(walker, pointer)


def split_pipeline(name: str, exists: Callable[[str], bool]) -> tuple[str, str] | None:
    """Return the two names of "WALKER+POINTER"; None for the name of one agent.

    Args:
        name: The name.
        exists: Whether a name is that of a file, which may contain a plus sign.

    Raises:
        InputError: One of the names is missing.
    """
    if SEPARATOR not in name or name.startswith(("pipe:", "llm:")) or exists(name):
        return None
    walker, _, pointer = name.partition(SEPARATOR)
    if not walker or not pointer:
        raise InputError("two agents, WALKER+POINTER", format_value(name))
    return walker, pointer
