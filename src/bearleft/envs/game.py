"""What every game is: it shows an observation, takes an action, and in the end says what was done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

from bearleft.errors import InputError, shown
from bearleft.records import Direction, Heat, LegTrace
from bearleft.runtime.json_fields import is_whole
from bearleft.types import Observation as Observation


@dataclass(frozen=True, slots=True)
class Guess:
    """A direction, and how likely every direction was: an answer that keeps its heat map in the trace."""

    direction: Direction
    heat: Heat

    def __post_init__(self) -> None:
        for value, kind in ((self.direction, Direction), (self.heat, Heat)):
            if not isinstance(value, kind):
                raise InputError("a Guess of a Direction and a Heat", shown(value), hint="Heat.of(rows) makes one.")


Action: TypeAlias = str | Direction | Guess


class Game(Protocol):
    """One leg being played."""

    done: bool

    def observe(self) -> Observation:
        """What the player sees now."""

    def step(self, action: Action) -> None:
        """Takes one action; InputError for one that the game does not have, or after the end."""

    def trace(self) -> LegTrace:
        """What was done so far."""


def at_least_one(horizon: int) -> int:
    """A number of actions after which a game ends by itself."""
    if not is_whole(horizon) or horizon < 1:
        raise InputError("a horizon of at least 1 action", shown(horizon))
    return horizon


def check_running(game: Game) -> None:
    """An action after the end is a mistake of the player's program."""
    if game.done:
        raise InputError("no action after the end of a leg", "one more")


def not_an_action(action: object, expected: str) -> InputError:
    """The error for an action that the game does not have."""
    hint = (
        "An agent's act returns it; docs/own-agent.md lists what each leg takes." if not isinstance(action, str) else ""
    )
    return InputError(f"an action: {expected}", shown(action), hint=hint)
