"""Clauses become sentences, joined in the way of one person."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from random import Random

from bearleft.language.analysis.tokens import words
from bearleft.language.annotated_text import Text
from bearleft.language.arramon_navigation.speaker import Item

# Clauses that begin so follow no "and" and no "then".
OPEN = frozenset(("when", "once", "as", "at", "after", "there", "you", "you'll"))
LONGEST, MOST = 22, 3  # words and clauses of a sentence
ORDERED, OPENED = 0.89, 0.3  # how many people say "then", and how often they begin a sentence so
CARELESS = 0.12  # how many write no capitals


def compose(items: Sequence[Item], random: Random) -> Text:
    """The text of clauses."""
    often = 0.2 + 0.7 * random.random()  # how often clauses are joined to one sentence
    orders = random.random() < ORDERED
    sentences: list[Text] = []
    now = items[0].text
    joints: list[str] = []  # of this sentence
    for before, item in pairwise(items):
        closing = item.frame.name == "take it"
        stated = closing and before.clause.name.startswith("see")  # "you will see a mug and take it" is no command
        free = (
            item.text.string.split()[0].lower() not in OPEN
            and not stated
            and not (closing and " and " in item.text.string)
        )
        ordered = orders and not closing and "then" not in words(item.text.string)
        joint = _joint(random, ordered and "then" not in words(now.string), not any("and" in one for one in joints))
        room = free and joint.string and len(joints) + 1 < MOST and len(words(now.string)) < LONGEST
        if room and random.random() < often:
            now = now + joint + item.text
            joints.append(joint.string)
            continue
        sentences.append(now)
        opened = ordered and free and not sentences[-1].string.startswith("then")
        opener = _opener(random) if opened and random.random() < OPENED else Text("")
        now, joints = opener + item.text, []
    sentences.append(now)
    low = random.random() < CARELESS
    return Text.join([(one if low else one.capital()) + "." for one in sentences])


def _opener(random: Random) -> Text:
    word = random.choice(("then", "then", "next", "after that"))
    return Text(word).marked("sequencing") + (" " if word == "then" and random.random() < 0.7 else ", ")


def _joint(random: Random, orders: bool, ands: bool) -> Text:
    """What joins a clause to those of its sentence: "then", "and", both or nothing, as far as they may be said."""
    able = [*(" and ",) * 5, ", and "] if ands else []
    if orders:
        able += [", then ", ", then ", " and then ", ", and then "] if able else [", then "]
    chosen = random.choice(able) if able else ""
    head, then, tail = chosen.partition("then")
    return Text(head) + Text(then).marked("sequencing") + tail if then else Text(chosen)
