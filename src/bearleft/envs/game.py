"""Interface of the games.

A game is one leg being played, without Gymnasium: it returns observations, takes actions, and returns the trace.
The Gymnasium environments of this package are built on games.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

from bearleft.errors import InputError, format_value
from bearleft.records import Direction, Heatmap, LegTrace
from bearleft.runtime.json_fields import is_integer
from bearleft.types import Observation as Observation


@dataclass(frozen=True, slots=True)
class Prediction:
    """A predicted direction with a heat map of all directions; the trace keeps the heat map."""

    direction: Direction
    heat: Heatmap

    def __post_init__(self) -> None:
        for value, kind in ((self.direction, Direction), (self.heat, Heatmap)):
            if not isinstance(value, kind):
                raise InputError(
                    "a Prediction of a Direction and a Heatmap",
                    format_value(value),
                    hint="Heatmap.from_array(rows) makes one.",
                )


Action: TypeAlias = str | Direction | Prediction


class Game(Protocol):
    """One leg of an episode being played: `observe` and `step` until `done`, then `trace`."""

    done: bool

    def observe(self) -> Observation:
        """Return the current observation."""

    def step(self, action: Action) -> None:
        """Take one action; raise InputError for an unknown action or after the end."""

    def trace(self) -> LegTrace:
        """Return the actions and the answer so far."""


def check_horizon(horizon: int) -> int:
    """Return a horizon, the number of actions after which a game ends; raise InputError if it is not positive."""
    if not is_integer(horizon) or horizon < 1:
        raise InputError("a horizon of at least 1 action", format_value(horizon))
    return horizon


def check_running(game: Game) -> None:
    """Raise InputError if the game has ended."""
    if game.done:
        raise InputError("no action after the end of a leg", "one more")


def invalid_action(action: object, expected: str) -> InputError:
    """Return the error for an action that the game does not have."""
    hint = (
        "An agent's act returns it; docs/own-agent.md lists what each leg takes." if not isinstance(action, str) else ""
    )
    return InputError(f"an action: {expected}", format_value(action), hint=hint)
