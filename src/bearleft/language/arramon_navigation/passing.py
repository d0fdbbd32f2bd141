"""What an instruction tells of a straight stretch: things that one passes, walks to or between, and crossings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bearleft.language.annotated_text import Text
from bearleft.language.arramon_navigation.scene import HOUSE
from bearleft.language.arramon_navigation.segments import Stretch
from bearleft.language.arramon_navigation.semantics import LEFT, RIGHT, Frame
from bearleft.language.arramon_navigation.speaker import ALIKE, COLOURED, Teller, plural
from bearleft.language.noun_phrases import Phrase, named

APART = 2.0  # metres between things that are told of one after another
SIDED, BESIDE = 0.42, 1.0  # how often a side is told, and metres off the line that have one
FACING_EACH = 1.5  # metres along a stretch between two things that one walks between
FAR_AHEAD = 8.0  # metres from which on one may head towards something
MIDDLE = 4.0  # metres from a stretch to the middle of a crossing that one goes through
TOGETHER, MANY = 6.0, 3  # metres along a stretch in which things of a kind stand together, and how many may
WORDS = 2.0, 3.0  # left over, at least and at random, for one thing more


def tell(teller: Teller, part: Stretch, before: float, left: float) -> None:
    """Tells of what one passes on a stretch up to so many metres, as much as there are words for."""
    random = teller.random
    rows = [k for k in range(len(part.rows)) if part.along[k] < before and part.rows[k] not in teller.used]
    done = [part.along[k] for k in range(len(part.rows)) if part.rows[k] in teller.used]
    at = max([-APART, *done])
    rows = [k for k in rows if part.along[k] > at]
    if left > WORDS[0] and random.random() < 0.5 and _through(teller, part, before):
        at = before / 2
        rows = [k for k in rows if part.along[k] > at]
    while rows and left > WORDS[0] + WORDS[1] * random.random():
        k = _easy(teller, part, rows[:4])
        rows = [j for j in rows if part.along[j] > part.along[k]]
        words = teller.length
        if part.along[k] >= at + APART and _past(teller, part, k, rows):
            at = float(part.along[k])
            left -= teller.length - words
            rows = [j for j in rows if part.rows[j] not in teller.used]


def it(teller: Teller, part: Stretch) -> None:
    """Past what was just named, or to it, if it stands on the way."""
    (row,) = teller.walker.last.tolist()
    thing = teller.items[-1].frame.thing
    if thing is not None and row in part.rows[part.along < part.length - 1.0]:
        pronoun = "them" if plural(thing.words) else "it"
        text = Text(pronoun).marked("coreference").naming(int(teller.walker.scene.instance[row]))
        name = "pass" if teller.random.random() < 0.6 else "to"
        teller.do(name, Frame(name, Phrase(pronoun, None, coreferent=True)), [row], thing=text)


def _through(teller: Teller, part: Stretch, before: float) -> bool:
    """Straight through a crossing."""
    walker = teller.walker
    row = walker.crossing()
    if row < 0:
        return False
    off = walker.scene.crossings[row] - np.asarray(part.begin)
    u = (np.asarray(part.end) - np.asarray(part.begin)) / max(part.length, 1e-9)
    middle = 6.0 < off @ u < before - 6.0 and abs(off[0] * u[1] - off[1] * u[0]) < MIDDLE
    return bool(middle) and teller.do("through", Frame("through"), [row])


def _easy(teller: Teller, part: Stretch, some: Sequence[int]) -> int:
    """One of some things beside a stretch, rather one that needs no counting."""
    order = teller.random.sample(some, len(some))
    return next((k for k in order if teller.name(int(part.rows[k]), count=False) is not None), order[0])


def _past(teller: Teller, part: Stretch, k: int, later: Sequence[int]) -> bool:
    random, row, aside = teller.random, int(part.rows[k]), float(part.aside[k])
    if _several(teller, part, k, later):
        return True
    side = (LEFT if aside < 0 else RIGHT) if abs(aside) > BESIDE and random.random() < SIDED else 0
    said = teller.name(row, side)
    if said is None:
        return False
    text, phrase = said
    if side:
        return teller.do("pass side", Frame("pass", phrase, side=side), [row], thing=text)
    house = teller.walker.scene.kind[row] == HOUSE
    across = [
        j for j in later if abs(part.along[j] - part.along[k]) < FACING_EACH and part.aside[j] * part.aside[k] < 0
    ]
    if across and not house and random.random() < 0.7:
        other = int(part.rows[across[0]])
        if teller.walker.scene.kind[other] != HOUSE and _between(teller, text, phrase, row, other):
            return True
    if later and random.random() < 0.35 and _two(teller, text, phrase, row, int(part.rows[later[0]])):
        return True
    name = "pass"
    if part.along[k] > FAR_AHEAD and random.random() < 0.15:
        name = "toward"
    elif not house and random.random() < 0.12:
        name = "to"
    return teller.do(name, Frame(name, phrase), [row], thing=text)


def _several(teller: Teller, part: Stretch, k: int, later: Sequence[int]) -> bool:
    """Past two or more of a kind that stand together: "the two barrels"."""
    walker, scene, row = teller.walker, teller.walker.scene, int(part.rows[k])
    near = [
        j for j in later if part.along[j] - part.along[k] < TOGETHER and scene.kind[part.rows[j]] == scene.kind[row]
    ]
    together = sorted([row, *(int(part.rows[j]) for j in near)])
    if not 1 < len(together) <= MANY or scene.kind[row] == HOUSE:
        return False
    tints = {scene.tints(one)[:1] for one in together}
    tint = (*tints.pop(), "")[0] if len(tints) == 1 and teller.random.random() < COLOURED else ""
    text, phrase = named(scene.names(row)[0], int(scene.instance[row]), "the", tint, len(together))
    rows, _, far, seen = walker.around(phrase)
    if sorted(rows[seen & (far < ALIKE)].tolist()) != together:
        return False
    others = [int(scene.instance[one]) for one in together if one != row]
    expected = walker.find(phrase).tolist()
    text = text.naming(*others).marked("count")
    return sorted(expected) == together and teller.do("pass", Frame("pass", phrase), expected, thing=text)


def _between(teller: Teller, text: Text, phrase: Phrase, row: int, other: int) -> bool:
    said = teller.name(other)
    if said is None:
        return False
    return teller.do("between", Frame("between", phrase, said[1]), [row, other], thing=text, other_thing=said[0])


def _two(teller: Teller, text: Text, phrase: Phrase, row: int, other: int) -> bool:
    """One thing after another; the second is named from where one then is."""
    said = teller.after(Frame("pass", phrase), lambda _: teller.name(other))
    if said is None:
        return False
    return teller.do("pass two", Frame("pass", phrase, said[1]), [row, other], thing=text, other_thing=said[0])
