"""What a run may cost, and how fast it may ask."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from dataclasses import dataclass

from bearleft.agents.llm.requests import ChatAnswer
from bearleft.errors import InputError, format_value

MILLION = 1_000_000


@dataclass(frozen=True)
class Prices:
    """Prices of a million tokens of input and output, in any currency; None if they are unknown."""

    input: float | None = None
    output: float | None = None

    def __post_init__(self) -> None:
        if (self.input is None) != (self.output is None):
            raise InputError("the prices of input and output", "one of them", hint="Add --price-in and --price-out.")
        for name in ("input", "output"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < float("inf"):
                raise InputError("a price of 0 or more", format_value(value), name)

    def cost(self, input_tokens: int, output_tokens: int) -> float | None:
        """Return the price of a request; None if prices are unknown."""
        if self.input is None or self.output is None:
            return None
        return (input_tokens * self.input + output_tokens * self.output) / MILLION


@dataclass(frozen=True)
class Limits:
    """The most that may be spent on the answers of one file; None for no limit."""

    requests: int | None = None
    tokens: int | None = None
    money: float | None = None

    def __post_init__(self) -> None:
        for name in ("requests", "tokens", "money"):
            value = getattr(self, name)
            if value is not None and not 0 < value < float("inf"):
                raise InputError("a budget above 0", format_value(value), name)


class Budget:
    """Counts what was spent, and tells when a limit is reached.

    Everything that the file of answers holds counts, of this run and of those before it. Requests under way count
    with what the requests before them needed on average, so that many at once do not overspend by much.

    Args:
        limits: The limits.
        prices: The prices.
        answers: The answers that were paid before.

    Raises:
        InputError: A limit of money is given without prices.
    """

    def __init__(self, limits: Limits, prices: Prices, answers: Iterable[ChatAnswer] = ()) -> None:
        if limits.money is not None and prices.input is None:
            raise InputError("prices, for a budget of money", "none", hint="Add --price-in and --price-out.")
        self.limits, self.prices = limits, prices
        self.requests = self.input_tokens = self.output_tokens = self.answered = 0
        self.under_way = 0
        for answer in answers:
            self.spend(answer)

    def spend(self, answer: ChatAnswer) -> None:
        """Count an answer."""
        self.requests += answer.attempts
        self.answered += 1
        self.input_tokens += answer.input_tokens
        self.output_tokens += answer.output_tokens

    @property
    def money(self) -> float | None:
        """What was spent; None if prices are unknown."""
        return self.prices.cost(self.input_tokens, self.output_tokens)

    def exhausted(self) -> InputError | None:
        """Return the error for a request that a limit forbids; None if it may be sent."""
        share = 1 + self.under_way / max(self.answered, 1)  # of all spent so far, when those under way are answered
        tokens = self.input_tokens + self.output_tokens
        spent: tuple[tuple[str, float | None, float, float], ...] = (
            ("requests", self.limits.requests, self.requests + self.under_way, self.requests + self.under_way),
            ("tokens", self.limits.tokens, tokens, tokens * share),
            ("money", self.limits.money, self.money or 0.0, (self.money or 0.0) * share),
        )
        for name, limit, value, expected in spent:
            if limit is not None and expected >= limit:
                hint = "Every answer so far is stored. Run the same command with a larger budget to go on."
                used = f"{value:,.4f}" if name == "money" else f"{value:,.0f}"
                return InputError(f"a budget of {name} above {limit:,g}", f"{used} spent", hint=hint)
        return None


class RateLimit:
    """Spaces requests so that no minute has more than some requests and tokens; None for no limit."""

    def __init__(self, requests_per_minute: float | None = None, tokens_per_minute: float | None = None) -> None:
        for value in (requests_per_minute, tokens_per_minute):
            if value is not None and value <= 0:
                raise InputError("a rate above 0", format_value(value))
        self.requests_per_minute, self.tokens_per_minute = requests_per_minute, tokens_per_minute
        self._next = 0.0
        self._paused = 0.0

    async def wait(self) -> None:
        """Wait until a request may be sent."""
        while (seconds := max(self._next, self._paused) - time.monotonic()) > 0:
            await asyncio.sleep(seconds)
        if self.requests_per_minute is not None:
            self._next = max(self._next, time.monotonic()) + 60.0 / self.requests_per_minute

    def used(self, tokens: int) -> None:
        """Count the tokens of an answer; the next requests wait for as long as these tokens are allowed to take."""
        if self.tokens_per_minute is not None:
            self._next = max(self._next, time.monotonic()) + 60.0 * tokens / self.tokens_per_minute

    def pause(self, seconds: float) -> None:
        """Send nothing for some seconds, because the server said so."""
        self._paused = max(self._paused, time.monotonic() + seconds)
