"""Says frames in words: things are named so that a walker finds them, and every frame is tried by a walker first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import TypeVar

import numpy as np

from bearleft.language.analysis.tokens import words
from bearleft.language.annotated_text import Text
from bearleft.language.arramon_navigation.scene import HOUSE
from bearleft.language.arramon_navigation.semantics import Frame, Walker
from bearleft.language.arramon_navigation.templates import CLAUSES, CLOSEST, CROSSINGS, Clause
from bearleft.language.lexicon.lexicon import ordinal_word
from bearleft.language.noun_phrases import Article, Phrase, named
from bearleft.language.templates import once

T = TypeVar("T")
NAMING = 4  # names tried before a thing is left alone
RANKS = 3  # "the third barrel" is the last that one counts to
COLOURED = 0.45
RARELY = 0.8  # the higher, the more often a thing is called by its usual name
PATIENT, AGAIN = 0.93, 0.5  # how many people like to say "until you reach", and how much less so once they did
ALIKE = 28.0  # metres within which nothing else may be called the same


@dataclass(frozen=True)
class Item:
    """A clause of an instruction: what it means, and its words."""

    frame: Frame
    text: Text
    clause: Clause


class Teller:
    """One who tells a way: what was said so far, and where that leads."""

    def __init__(self, walker: Walker, random: Random) -> None:
        self.walker, self.random = walker, random
        self.items: list[Item] = []
        self.used: set[int] = set()
        self.article = "the" if random.random() < 0.75 else "a"
        self.crossing = str(random.choice(CROSSINGS))
        self.patient = 0.8 if random.random() < PATIENT else 0.25

    @property
    def length(self) -> int:
        """Words so far."""
        return sum(len(words(item.text.string)) for item in self.items) + len(self.items) // 2

    def name(
        self, row: int, side: int = 0, heading: float | None = None, wide: float | None = None, count: bool = True
    ) -> tuple[Text, Phrase] | None:
        """A noun phrase by which the walker would find a thing: it is the only one near that it fits, or counted."""
        ranked = None
        for text, phrase in self.ways_to_name(row):
            rows, _, far, seen = self.walker.around(phrase, side, heading, wide)
            alike = rows[seen][np.argsort(far[seen], kind="stable")].tolist()
            if row not in alike:
                return None
            if not np.any(seen & (rows != row) & (far < ALIKE)) and self.walker.find(
                phrase, side, heading, wide
            ).tolist() == [row]:
                return text, phrase
            rank = alike.index(row) + 1
            if count and ranked is None and len(alike) > 1 and rank <= RANKS and not plural(text.string):
                # Who has not set out has passed none: the first is the nearest.
                first = str(self.random.choice(CLOSEST)) if not self.items else ordinal_word(1)
                counted = _ranked(text, phrase, rank, first if rank == 1 else ordinal_word(rank))
                if self.walker.find(counted[1], side, heading, wide).tolist() == [row]:
                    ranked = counted
        return ranked

    def ways_to_name(self, row: int) -> Iterator[tuple[Text, Phrase]]:
        """Noun phrases for a thing; the later ones say its colour."""
        random, scene = self.random, self.walker.scene
        names, tints = scene.names(row), scene.tints(row)
        for attempt in range(NAMING):
            name = names[min(int(random.expovariate(RARELY)), len(names) - 1)]
            house = scene.kind[row] == HOUSE
            tint = tints[0] if tints and (attempt > 0 or house or random.random() < COLOURED) else ""
            article: Article = "the" if self.article == "the" or random.random() < 0.4 else "a"
            yield named(name, int(scene.instance[row]), article, tint)

    def after(self, frame: Frame, ask: Callable[[list[int]], T]) -> T:
        """What is found once a walker has done a frame, who then is back where he was."""
        walker = self.walker
        before = walker.at, walker.heading, walker.wide, list(walker.way), walker.last
        rows = walker.do(frame).tolist()
        found = ask(rows)
        walker.at, walker.heading, walker.wide, walker.way, walker.last = before
        return found

    def do(self, name: str, frame: Frame, expected: Iterable[int] | None = None, **slots: Text | str) -> bool:
        """Says a frame and does it, if a walker finds the expected things by it."""
        if expected is not None and self.after(frame, lambda rows: rows) != list(expected):
            return False
        rows = self.walker.do(frame).tolist()
        if "cross" not in frame.name and frame.name != "through":
            self.used.update(rows)
        self.say(name, frame, **slots)
        return True

    def say(self, name: str, frame: Frame, **slots: Text | str) -> None:
        """Says a frame that needs no trial."""
        # One goes round a corner, and through an intersection.
        crossing = CROSSINGS[0] if name == "through" and "corner" in self.crossing else self.crossing
        given: dict[str, Text | str] = {"crossing": crossing, **slots}
        if frame.side:
            given["side"] = "left" if frame.side < 0 else "right"
        if frame.nth:
            given["nth"] = ordinal_word(frame.nth)
        able = [one for one in CLAUSES[name] if one.slots <= given.keys() and (("nth" in one.slots) == (frame.nth > 0))]
        able = able or [one for one in CLAUSES[name] if one.slots <= given.keys()]
        if frame.thing is not None and plural(frame.thing.words):
            able = [one for one in able if not one.singular]
        patient = self.patient * (AGAIN if any(item.clause.temporal for item in self.items) else 1.0)
        (clause,) = self.random.choices(able, [patient if one.temporal else 1 - patient for one in able])
        self.items.append(Item(frame, once(lambda: clause.template.say(self.random, **given)), clause))


def plural(name: str) -> bool:
    """Whether what one thing is called is a plural: "the tires"."""
    return name.endswith("s")


def _ranked(text: Text, phrase: Phrase, rank: int, word: str) -> tuple[Text, Phrase]:
    """ "the barrel" as "the second barrel"."""
    cut = text.string.index(" ") + 1
    said = Text(f"the {word} {text.string[cut:]}")
    said = said.marked("unique entity", "comparison" if word in CLOSEST else "sequencing")
    said = said.naming(*(m.instance for m in text.mentions))
    return said, replace(phrase, words=said.string, ordinal=rank)
