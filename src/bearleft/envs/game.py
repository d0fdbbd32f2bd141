"""Interface of the games.

A game is one leg being played, without Gymnasium: it returns observations, takes actions, and returns the trace.
The Gymnasium environments of this package are built on games.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from bearleft.errors import InputError, format_value
from bearleft.policy import MAX_VIEWS, POLICY_ACTIONS, Policy, PolicyStep, Span, check_weights, parse_span
from bearleft.records import Direction, Heatmap, LegTrace
from bearleft.runtime.json_fields import is_integer, is_number, parse_list
from bearleft.types import Observation as Observation

if TYPE_CHECKING:
    import numpy.typing as npt

MAX_PROBABILITY_ERROR = 0.01  # of the sum of probabilities: networks compute in low precision


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


@dataclass(frozen=True, slots=True)
class Decision:
    """An action of a walk with what the agent's network computed; the trace keeps it.

    Lists may be arrays. Scores use the action only.

    Attributes:
        action: The action that is taken.
        probabilities: The probability of each of "forward", "left", "right" and "stop": by name, or in this order.
            In ArraMon "stop" stands for "pick" and "place".
        words: The attention weight of each token of the text; empty if there is none.
        spans: Begin and end of each token, in characters of the text.
        views: The attention weights of equal sectors around the walker, clockwise, the first one centred on its
            heading; empty if there are none.
    """

    action: str
    probabilities: Mapping[str, float] | Sequence[float] | npt.NDArray[Any]
    words: Sequence[float] | npt.NDArray[Any] = ()
    spans: Sequence[Span] | npt.NDArray[Any] = ()
    views: Sequence[float] | npt.NDArray[Any] = ()

    def __post_init__(self) -> None:
        action: object = self.action  # agents may pass any type
        if not isinstance(action, str):
            raise InputError("an action as a text", format_value(action), "action")
        object.__setattr__(self, "probabilities", _check_probabilities(self.probabilities))
        for name in ("words", "views"):
            object.__setattr__(self, name, tuple(check_weights(getattr(self, name), name).tolist()))
        if len(self.views) > MAX_VIEWS:
            raise InputError(f"at most {MAX_VIEWS} weights", str(len(self.views)), "views")
        spans = _check_spans(self.spans)
        if len(spans) != len(self.words):
            raise InputError(f"{len(self.words)} spans, one for each weight of words", str(len(spans)), "spans")
        object.__setattr__(self, "spans", spans)

    def to_policy_step(self) -> PolicyStep:
        """Return what the trace keeps of it."""
        assert isinstance(self.probabilities, tuple)
        return PolicyStep.quantize(self.probabilities, self.words, self.views)


def _plain(values: object) -> object:
    """Return an array as a list; other values as they are."""
    return values.tolist() if hasattr(values, "tolist") else values


def _check_spans(spans: object) -> tuple[Span, ...]:
    try:
        return _parse_spans(tuple(tuple(_plain(span)) for span in _plain(spans)))  # type: ignore[arg-type, attr-defined]
    except TypeError:
        raise InputError("a list of begin and end of each token", format_value(spans), "spans") from None


@lru_cache(maxsize=1024)  # they are the same at every step of a walk
def _parse_spans(spans: tuple[tuple[object, ...], ...]) -> tuple[Span, ...]:
    return parse_list(parse_span, spans, "spans")


def _check_probabilities(probabilities: object) -> tuple[float, ...]:
    """Return the probabilities in the order of POLICY_ACTIONS; they must be four numbers that sum to 1."""
    names = ", ".join(POLICY_ACTIONS)
    if isinstance(probabilities, Mapping):
        if set(probabilities) != set(POLICY_ACTIONS):
            raise InputError(f"a probability of each of {names}", format_value(list(probabilities)), "probabilities")
        probabilities = [probabilities[name] for name in POLICY_ACTIONS]
    values = _plain(probabilities)
    if not isinstance(values, Sequence) or len(values) != len(POLICY_ACTIONS) or not all(map(is_number, values)):
        raise InputError(f"4 probabilities, of {names}", format_value(values), "probabilities")
    low, high = -MAX_PROBABILITY_ERROR, 1 + MAX_PROBABILITY_ERROR
    if not all(low <= value <= high for value in values) or not math.isclose(sum(values), 1, abs_tol=high - 1):
        raise InputError("probabilities that sum to 1", format_value(values), "probabilities", hint="Try a softmax.")
    return tuple(min(max(float(value), 0.0), 1.0) for value in values)


Action: TypeAlias = str | Direction | Prediction | Decision


class Game(Protocol):
    """One leg of an episode being played: `observe` and `step` until `done`, then `trace`."""

    done: bool

    def observe(self) -> Observation:
        """Return the current observation."""

    def step(self, action: Action) -> None:
        """Take one action; raise InputError for an unknown action or after the end."""

    def record_noop(self) -> None:
        """Count an action that could not be taken as one that changes nothing; the trace says "refused"."""

    def trace(self) -> LegTrace:
        """Return the actions and the answer so far."""


class PolicyRecorder:
    """What an agent's network computed for each action of a leg, if the agent returns decisions.

    Args:
        text: The text of the leg.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.steps: list[PolicyStep] = []
        self.spans: tuple[Span, ...] = ()

    def plain(self, action: Action, taken: int) -> tuple[Action, Decision | None]:
        """Return the plain action, and the decision if it came with one.

        Args:
            action: What the agent returned.
            taken: Number of actions that were taken before.

        Raises:
            InputError: Decisions and plain actions are mixed, or the decision does not match those before or the text.
        """
        decision = action if isinstance(action, Decision) else None
        if taken and (decision is None) != (not self.steps):
            got = "a plain action after one" if decision is None else "one after a plain action"
            raise InputError("a Decision for every action of a leg, or for none", got)
        if decision is None:
            return action, None
        if self.steps and (tuple(decision.spans), len(decision.views)) != (self.spans, len(self.steps[0].views)):
            raise InputError("the same spans and number of views at every step of a leg", "other ones", "spans")
        end = max((end for _, end in decision.spans), default=0)
        if end > len(self.text):
            raise InputError(f"spans of the text, which has {len(self.text)} characters", str(end), "spans")
        return decision.action, decision

    def record(self, decision: Decision | None) -> None:
        """Note a decision whose action was taken."""
        if decision is not None:
            self.spans = tuple(decision.spans)
            self.steps.append(decision.to_policy_step())

    def policy(self) -> Policy | None:
        """Return the policy of all actions; None if the agent gave none."""
        return Policy(tuple(self.steps), self.spans) if self.steps else None


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
