"""Says frames in words: things are named so that a walker finds them, and every frame is tried by a walker first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from bearleft.data.tokens import words
from bearleft.data.wording.collecting.meaning import FACING, Frame, Walker
from bearleft.data.wording.collecting.words import CLAUSES, CROSSINGS, Clause
from bearleft.data.wording.lexicon import ordinal_word
from bearleft.data.wording.phrase import Phrase, named
from bearleft.data.wording.template import once
from bearleft.data.wording.text import Text

NAMING = 4  # names tried before a thing is left alone
RANKS = 3  # "the third barrel" is the last that one counts to
COLOURED = 0.45


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
        self.patient = random.random()  # how willingly one says "until you reach"

    @property
    def length(self) -> int:
        """Words so far."""
        return sum(len(words(item.text.string)) + 0.5 for item in self.items).__ceil__()

    def name(
        self, row: int, side: int = 0, heading: float | None = None, wide: float | None = None
    ) -> tuple[Text, Phrase] | None:
        """A noun phrase by which the walker would find a thing: it is the only one seen that it fits, or counted."""
        random, scene = self.random, self.walker.scene
        names, tints = scene.names(row), scene.tints(row)
        for attempt in range(NAMING):
            name = names[min(int(random.expovariate(0.6)), len(names) - 1)]
            tint = tints[0] if tints and (attempt > 1 or random.random() < COLOURED) else ""
            article = "the" if self.article == "the" or random.random() < 0.4 else "a"
            text, phrase = named(name, int(scene.instance[row]), article, tint)
            rows, _, far, seen = self.walker.around(phrase, side, heading, wide)
            order = np.argsort(far[seen], kind="stable")
            alike = rows[seen][order].tolist()
            if row not in alike:
                return None
            if len(alike) > 1:
                rank = alike.index(row) + 1
                if rank > RANKS or attempt == 0:
                    continue
                text, phrase = _ranked(text, phrase, rank)
            if self.walker.find(phrase, side, heading, wide).tolist() == [row]:
                return text, phrase
        return None

    def do(self, name: str, frame: Frame, expected: Iterable[int] | None = None, **slots: Text | str) -> bool:
        """Says a frame, if a walker finds the expected things by it."""
        walker = self.walker
        before = walker.at, walker.heading, walker.wide, len(walker.way)
        rows = walker.do(frame).tolist()
        if expected is not None and rows != list(expected):
            walker.at, walker.heading, walker.wide = before[:3]
            del walker.way[before[3] :]
            return False
        if frame.name not in ("cross", "through", "turn at crossing"):
            self.used.update(rows)
        self.say(name, frame, **slots)
        return True

    def say(self, name: str, frame: Frame, **slots: Text | str) -> None:
        """Says a frame that needs no trial."""
        given: dict[str, Text | str] = {"crossing": self.crossing, **slots}
        if frame.side:
            given["side"] = "left" if frame.side < 0 else "right"
        if frame.nth:
            given["nth"] = ordinal_word(frame.nth)
        able = [
            one for one in CLAUSES[name] if one.slots <= given.keys() and (("nth" in one.slots) == (frame.nth > 0))
        ]
        able = able or [one for one in CLAUSES[name] if one.slots <= given.keys()]
        some = [one for one in able if one.temporal == (self.random.random() < self.patient)] or able
        clause = self.random.choice(some)
        self.items.append(Item(frame, once(lambda: clause.template.say(self.random, **given)), clause))


def _ranked(text: Text, phrase: Phrase, rank: int) -> tuple[Text, Phrase]:
    """ "the barrel" as "the second barrel"."""
    cut = text.string.index(" ") + 1
    said = Text(f"the {ordinal_word(rank)} {text.string[cut:]}").marked("unique entity", "sequencing")
    said = said.naming(*(m.instance for m in text.mentions))
    return said, replace(phrase, words=said.string, ordinal=rank)


__all__ = ["FACING", "Item", "Teller"]
