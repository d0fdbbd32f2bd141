"""Speaker: the word preferences of one writer of ArraMon's instructions.

A speaker renders frames as clauses and names objects so that a walker finds them. The walker tries each frame first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import TypeVar

import numpy as np

from bearleft.language.analysis.tokens import words
from bearleft.language.annotated_text import Text
from bearleft.language.arramon_navigation.scene import BUILDING
from bearleft.language.arramon_navigation.semantics import ClauseFrame, Walker
from bearleft.language.arramon_navigation.templates import CLAUSES, CLOSEST_WORDS, CROSSING_NOUNS, Clause
from bearleft.language.lexicon.lexicon import ordinal_word
from bearleft.language.noun_phrases import Article, Phrase, noun_phrase
from bearleft.language.templates import avoid_repeated_words

T = TypeVar("T")
MAX_NAME_TRIES = 4  # per object
MAX_RANK = 3  # up to "the third barrel"
COLOUR_RATE = 0.45
NAME_DECAY = 0.8  # the higher, the more often the usual name is used
UNTIL_RATE, REPEATED_UNTIL_FACTOR = (
    0.93,
    0.5,
)  # share of speakers who prefer "until you reach", and the factor after its first use
UNIQUE_RADIUS = 28.0  # metres in which no other object may match the name


@dataclass(frozen=True)
class ClauseItem:
    """A clause of an instruction: its frame, text and template."""

    frame: ClauseFrame
    text: Text
    clause: Clause


class Speaker:
    """Word preferences of one writer, the clauses of its instruction so far, and a walker that has executed them."""

    def __init__(self, walker: Walker, random: Random) -> None:
        self.walker, self.random = walker, random
        self.items: list[ClauseItem] = []
        self.used: set[int] = set()
        self.article = "the" if random.random() < 0.75 else "a"
        self.crossing = str(random.choice(CROSSING_NOUNS))
        self.until_preference = 0.8 if random.random() < UNTIL_RATE else 0.25

    @property
    def length(self) -> int:
        """The number of words so far."""
        return sum(len(words(item.text.string)) for item in self.items) + len(self.items) // 2

    def name(
        self, row: int, side: int = 0, heading: float | None = None, wide: float | None = None, count: bool = True
    ) -> tuple[Text, Phrase] | None:
        """Return a noun phrase by which the walker finds an object: the only match nearby, or one with an ordinal.

        Args:
            row: The object.
            side: Search on this side only.
            heading: The direction of the search; the walker's by default.
            wide: The degrees to either side; the walker's by default.
            count: Whether ordinals are allowed.
        """
        ranked = None
        for text, phrase in self.name_candidates(row):
            rows, _, distance, visible = self.walker.matches_around(phrase, side, heading, wide)
            matching = rows[visible][np.argsort(distance[visible], kind="stable")].tolist()
            if row not in matching:
                return None
            if not np.any(visible & (rows != row) & (distance < UNIQUE_RADIUS)) and self.walker.find(
                phrase, side, heading, wide
            ).tolist() == [row]:
                return text, phrase
            rank = matching.index(row) + 1
            if count and ranked is None and len(matching) > 1 and rank <= MAX_RANK and not is_plural(text.string):
                # Before the first move nothing was passed: the first is the nearest.
                first_word = str(self.random.choice(CLOSEST_WORDS)) if not self.items else ordinal_word(1)
                with_rank = _with_rank(text, phrase, rank, first_word if rank == 1 else ordinal_word(rank))
                if self.walker.find(with_rank[1], side, heading, wide).tolist() == [row]:
                    ranked = with_rank
        return ranked

    def name_candidates(self, row: int) -> Iterator[tuple[Text, Phrase]]:
        """Yield noun phrases for an object; the later ones mention its colour."""
        random, scene = self.random, self.walker.scene
        names, colours = scene.names(row), scene.tints(row)
        for attempt in range(MAX_NAME_TRIES):
            name = names[min(int(random.expovariate(NAME_DECAY)), len(names) - 1)]
            is_building = scene.kind[row] == BUILDING
            colour = colours[0] if colours and (attempt > 0 or is_building or random.random() < COLOUR_RATE) else ""
            article: Article = "the" if self.article == "the" or random.random() < 0.4 else "a"
            yield noun_phrase(name, int(scene.instance[row]), article, colour)

    def after(self, frame: ClauseFrame, function: Callable[[list[int]], T]) -> T:
        """Return the value of a function of the rows once the walker has executed a frame; then restore the walker."""
        walker = self.walker
        state = walker.position, walker.heading, walker.view_angle, list(walker.stops), walker.last
        rows = walker.do(frame).tolist()
        result = function(rows)
        walker.position, walker.heading, walker.view_angle, walker.stops, walker.last = state
        return result

    def do(self, name: str, frame: ClauseFrame, expected: Iterable[int] | None = None, **slots: Text | str) -> bool:
        """Execute a frame and render it, if the walker finds the expected objects; return whether it does."""
        if expected is not None and self.after(frame, lambda rows: rows) != list(expected):
            return False
        rows = self.walker.do(frame).tolist()
        if "cross" not in frame.name and frame.name != "through":
            self.used.update(rows)
        self.say(name, frame, **slots)
        return True

    def say(self, name: str, frame: ClauseFrame, **slots: Text | str) -> None:
        """Render a frame without trying it."""
        # A walk leads around a corner, but through an intersection.
        crossing = CROSSING_NOUNS[0] if name == "through" and "corner" in self.crossing else self.crossing
        values: dict[str, Text | str] = {"crossing": crossing, **slots}
        if frame.side:
            values["side"] = "left" if frame.side < 0 else "right"
        if frame.nth:
            values["nth"] = ordinal_word(frame.nth)
        clauses = [
            clause_option
            for clause_option in CLAUSES[name]
            if clause_option.slots <= values.keys() and (("nth" in clause_option.slots) == (frame.nth > 0))
        ]
        clauses = clauses or [clause_option for clause_option in CLAUSES[name] if clause_option.slots <= values.keys()]
        if frame.thing is not None and is_plural(frame.thing.words):
            clauses = [clause_option for clause_option in clauses if not clause_option.singular]
        until_rate = self.until_preference * (
            REPEATED_UNTIL_FACTOR if any(item.clause.temporal for item in self.items) else 1.0
        )
        (clause,) = self.random.choices(
            clauses, [until_rate if clause_option.temporal else 1 - until_rate for clause_option in clauses]
        )
        self.items.append(
            ClauseItem(frame, avoid_repeated_words(lambda: clause.template.render(self.random, **values)), clause)
        )


def is_plural(name: str) -> bool:
    """Return whether the name of a single object is plural: "the tires"."""
    return name.endswith("s")


def _with_rank(text: Text, phrase: Phrase, rank: int, word: str) -> tuple[Text, Phrase]:
    """Return "the second barrel" for "the barrel"."""
    noun_start = text.string.index(" ") + 1
    ranked = Text(f"the {word} {text.string[noun_start:]}")
    ranked = ranked.with_annotations("unique entity", "comparison" if word in CLOSEST_WORDS else "sequencing")
    ranked = ranked.with_mentions(*(mention.instance for mention in text.mentions))
    return ranked, replace(phrase, words=ranked.string, ordinal=rank)
