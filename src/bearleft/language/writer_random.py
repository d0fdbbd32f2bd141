"""Random source of one writer of texts: weighted choices between expressions, habits, and ranking.

Every set of alternatives has a key: the source of a template's choice ("[turn|make a]"), or a name. The weights of the
alternatives are those of the source, or fitted ones from `weights/KIND.json` (`tools/fit_language.py` makes these files
from the frequencies of real texts). A writer has a favourite among the alternatives of each key, and takes it at the
habit rate of that key instead of drawing anew, so that over all writers the weights stay the same.

Choices are not independent: "you will see" is usual, "you will notice that there is" is not. Clauses are therefore
overgenerated and ranked: several candidates are rendered, and one is drawn by the fitted weights of its n-grams.
"""

from __future__ import annotations

import json
from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from itertools import accumulate, pairwise, repeat
from math import exp
from random import Random
from typing import ClassVar, TypeVar

from bearleft.language.analysis.realism.masking import masked_sentences

T = TypeVar("T")

HABIT_RATE = 0.45  # how often a writer repeats the favourite, unless a rate is given for the key
CANDIDATES = 3  # clauses that are rendered to choose one of them
MAX_LOGIT = 20.0  # of a candidate
CHOICE_MARK = "choice "  # annotations of recorded choices begin with this


@dataclass(frozen=True, eq=False)
class Weights:
    """Fitted weights of a kind of text.

    Attributes:
        choices: Weights of the alternatives by the key of the choice.
        ngrams: Logits of n-grams of kept words (`masking.mask`) by n-gram.
    """

    choices: Mapping[str, Sequence[float]]
    ngrams: Mapping[str, float]

    @cached_property
    def sums(self) -> dict[str, list[float]]:
        """Cumulative weights of the alternatives by the key of the choice."""
        return {key: list(accumulate(weights)) for key, weights in self.choices.items()}


NO_WEIGHTS = Weights({}, {})


@cache
def fitted_weights(kind: str) -> Weights:
    """Return the fitted weights of a kind of text; none if it has no file."""
    file = files("bearleft.language") / "weights" / f"{kind}.json"
    return Weights(**json.loads(file.read_text())) if file.is_file() else NO_WEIGHTS


def ngrams(masked: str) -> dict[str, None]:
    """Return the distinct n-grams of a masked sentence, of one to three words, in a fixed order."""
    words = masked.split()
    pairs = list(map(" ".join, pairwise(words)))
    return dict.fromkeys([*words, *pairs, *map(" ".join, zip(pairs, words[2:], strict=False))])


@lru_cache(maxsize=65536)
def text_odds(weights: Weights, words: str) -> float:
    """Return the odds of a text by its n-grams."""
    total = sum(_logit(weights, masked) for masked in masked_sentences(words))
    return exp(min(max(total, -MAX_LOGIT), MAX_LOGIT))


@lru_cache(maxsize=65536)
def _logit(weights: Weights, masked: str) -> float:
    return sum(map(weights.ngrams.get, ngrams(masked), repeat(0.0)))


class WriterRandom(Random):
    """Random source of one writer.

    Args:
        seed: The seed.
        weights: Fitted weights; alternatives without them have their default ones.
        habits: Habit rates by key, where they differ from `HABIT_RATE`.
    """

    recording = False  # whether choices are recorded, for fitting weights
    defaults: ClassVar[dict[str, list[float]]] = {}  # default weights of recorded choices where they are not excluded

    def __init__(self, seed: str, weights: Weights = NO_WEIGHTS, habits: Mapping[str, float] | None = None) -> None:
        super().__init__(seed)
        self._weights, self._sums = weights, weights.sums
        self._habits = habits or {}
        self._favourites: dict[str, int] = {}
        self._ranking = False
        self.recorded: list[str] = []

    def index(self, key: str, defaults: Sequence[float]) -> int:
        """Return the index of one of several alternatives.

        Args:
            key: Key of the alternatives; the same key means the same habit.
            defaults: Their weights where none are fitted.
        """
        sums = self._sums.get(key)
        is_fitted = sums is not None and len(sums) == len(defaults)
        index = self._favourites.get(key)
        if index is None:
            index = self._favourites[key] = self._draw(sums if sums and is_fitted else list(accumulate(defaults)))
        elif self.random() >= self._habits.get(key, HABIT_RATE):
            index = self._draw(sums if sums and is_fitted else list(accumulate(defaults)))
        if not defaults[index]:  # excluded here
            weights = self._weights.choices[key] if is_fitted else defaults
            allowed = [weight if default else 0.0 for weight, default in zip(weights, defaults, strict=True)]
            index = self._draw(list(accumulate(allowed)))
        if self.recording:
            self.defaults[key] = [max(pair) for pair in zip(defaults, self.defaults.get(key, defaults), strict=True)]
            self.recorded.append(f"{CHOICE_MARK}{index} {len(defaults)} {key}")
        return index

    def pick(self, key: str, options: Mapping[T, float] | Sequence[T]) -> T:
        """Return one of several options: of a mapping by its weights, of a sequence with equal default weights.

        Options with weight 0 are never returned.
        """
        if isinstance(options, Mapping):
            return list(options)[self.index(key, list(options.values()))]
        return options[self.index(key, [1.0] * len(options))]

    def chance(self, key: str, rate: float) -> bool:
        """Return whether something happens that happens at a default rate."""
        return self.index(key, (rate, 1.0 - rate)) == 0

    def rank(self, render: Callable[[], T], words: Callable[[T], str | None]) -> T:
        """Return one of several candidates for a clause, drawn by the odds of their n-grams.

        Args:
            render: Renders a candidate; has no effect but on this random source.
            words: Returns the words of a candidate, None if it is to be taken only where there is no other.
        """
        if self._ranking or not self._weights.ngrams:
            return render()
        favourites, recorded = self._favourites, self.recorded
        candidates: list[tuple[T, dict[str, int], list[str]]] = []
        self._ranking = True
        for _ in range(CANDIDATES):
            self._favourites, self.recorded = favourites.copy(), recorded.copy()
            candidates.append((render(), self._favourites, self.recorded))
        self._ranking = False
        strings = [words(candidate) for candidate, _, _ in candidates]
        odds = [0.0 if string is None else text_odds(self._weights, string) for string in strings]
        candidate, self._favourites, self.recorded = candidates[self._draw(list(accumulate(odds))) if any(odds) else 0]
        return candidate

    def take_recorded(self) -> list[str]:
        """Return the choices recorded since the last call."""
        recorded, self.recorded = self.recorded, []
        return recorded

    def forget(self, count: int) -> None:
        """Drop all recorded choices but the first `count`, since their words were not used."""
        del self.recorded[count:]

    def _draw(self, sums: Sequence[float]) -> int:
        """Return an index drawn by cumulative weights, the same one as `choices` but in half the time."""
        if sums[-1] <= 0.0:
            raise ValueError("all weights are 0")
        return bisect(sums, self.random() * sums[-1], 0, len(sums) - 1)


def happens(random: Random, key: str, rate: float) -> bool:
    """Return whether something happens at a rate; for a `WriterRandom`, at the fitted rate of the key."""
    return random.chance(key, rate) if isinstance(random, WriterRandom) else random.random() < rate
