"""The agent protocols: what `bearleft.evaluate` expects of an agent. No base class has to be inherited."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from bearleft.conversation import ModelCall
from bearleft.envs.game import Action
from bearleft.errors import InputError
from bearleft.records import Episode
from bearleft.types import Observation


class Agent(Protocol):
    """An agent that plays one episode after another.

    Any class with these two methods is an agent. For each episode, `begin` is called once; then `act` is called with
    an observation and returns an action until the last leg of the episode has ended. Legs are played in order, and
    `observation["leg"]` is the index of the current one.

    An observation is a dictionary of plain values. `observation["kind"]` is the kind of the leg and decides which
    actions are valid:

    | kind       | actions                                                                                  |
    | ---------- | ---------------------------------------------------------------------------------------- |
    | `reach`    | `"forward"`, `"left"`, `"right"`, the id of a linked place; `"stop"` ends the leg;       |
    |            | or a `Decision` (one of these with probabilities and attention)                          |
    | `point`    | a `Direction`, or a `Prediction` (a `Direction` with a heat map); either ends the leg    |
    | `look`     | `"left"`, `"right"`, `"up"`, `"down"`, a `Direction`, a `Prediction`; `"next"`: read on  |
    | `collect`  | `"forward"`, `"left"`, `"right"`; `"pick"` ends the leg; or a `Decision`                 |
    | `assemble` | `"forward"`, `"left"`, `"right"`; `"place"` ends the leg; or a `Decision`                |

    A look leg ends with `"next"` after its last sentence; the view at that time is the answer.
    `observation["text"]` is the instruction (in a look leg, the current sentence). The other keys are listed in
    docs/own-agent.md.

    Example:
        ```python
        class Forward:
            def begin(self, episode, rng):
                self.rng = rng

            def act(self, observation):
                return "stop" if observation["step"] == 10 else "forward"
        ```
    """

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        """Prepare for an episode; called before its first action.

        Args:
            episode: The episode, with its world, start and texts. It contains the goals too, which only oracles read.
            rng: A random generator seeded by the run's seed and the episode's id. An agent that draws from nothing
                else gets the same trace whatever the order of the episodes and the number of processes.
        """

    def act(self, observation: Observation) -> Action:
        """Return the next action.

        Args:
            observation: The current observation.

        Returns:
            A string, a `Direction`, a `Prediction`, or a `Decision`, depending on the kind of the leg.
        """


@runtime_checkable
class BatchAgent(Protocol):
    """An agent that plays `batch_size` episodes side by side, so that a network gets them in one batch.

    Attributes:
        batch_size: The largest number of episodes per batch.
    """

    batch_size: int

    def begin_batch(self, episodes: Sequence[Episode], rngs: Sequence[np.random.Generator]) -> None:
        """Prepare for a batch of episodes; called before its first action.

        Args:
            episodes: The episodes, at most `batch_size`.
            rngs: A random generator per episode, as in `Agent.begin`.
        """

    def act_batch(self, indices: Sequence[int], observations: Sequence[Observation]) -> Sequence[Action]:
        """Return the next actions of the episodes that have not ended.

        Args:
            indices: Indices of these episodes in the batch.
            observations: Their current observations, in the same order.

        Returns:
            An action per index, in the same order.
        """


class Session(Protocol):
    """One episode of a `ConcurrentAgent`."""

    async def act(self, observation: Observation) -> Action:
        """Return the next action, or REFUSED for a step without a valid one."""

    def take_calls(self) -> tuple[ModelCall, ...]:
        """Return the calls of a language model since the last time."""


@runtime_checkable
class ConcurrentAgent(Protocol):
    """An agent that waits for answers from elsewhere, and plays many episodes meanwhile.

    Attributes:
        concurrency: The largest number of episodes at once.
    """

    concurrency: int

    def session(self, episode: Episode, rng: np.random.Generator) -> Session:
        """Return the session of an episode, as `Agent.begin` prepares for one."""

    async def aclose(self) -> None:
        """Close connections; called when all episodes have ended."""


def unsupported_leg(agent: str, kind: str) -> InputError:
    """Return the error for a leg that an agent cannot play."""
    hint = "bearleft eval --help lists what each agent plays."
    return InputError(f"a leg that the agent {agent} can play", f"one of kind {kind}", hint=hint)
