"""Clauses become sentences, joined in the way of one person."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from bearleft.data.tokens import words
from bearleft.data.wording.collecting.teller import Item
from bearleft.data.wording.text import Text

OPEN = frozenset(("when", "once", "as", "at", "after", "there", "you", "you'll"))  # clauses that begin so follow no "and"
LONGEST = 22  # words of a sentence


def compose(items: Sequence[Item], random: Random) -> Text:
    """The text of clauses."""
    often = 0.2 + 0.7 * random.random()  # how often clauses are joined to one sentence
    orders = random.random() < 0.62  # whether one says "then"
    sentences: list[Text] = []
    now = items[0].text
    count = 1
    for item in items[1:]:
        first = item.text.string.split()[0].lower()
        joined = first not in OPEN and count < 3 and len(words(now.string)) < LONGEST
        if joined and random.random() < (0.5 if item.frame.name == "take it" else often):
            ordered = orders and "then" not in now.string.lower() and item.frame.name != "take it"
            now = now + _joint(random, ordered) + item.text
            count += 1
            continue
        sentences.append(now)
        following = orders and item.frame.name != "take it" and random.random() < 0.25
        opener = random.choice(("then", "next", "then", "after that")) if following else ""
        if opener and first not in OPEN:
            comma = ", " if opener != "then" or random.random() < 0.3 else " "
            now = Text(opener).marked("sequencing") + comma + item.text
        else:
            now = item.text
        count = 1
    sentences.append(now)
    low = random.random() < 0.12
    return Text.join([(one if low else one.capital()) + "." for one in sentences])


def _joint(random: Random, orders: bool) -> Text:
    if orders and random.random() < 0.6:
        before, after = random.choice(((", ", " "), (", ", " "), (" and ", " "), (", and ", " ")))
        return Text(before) + Text("then").marked("sequencing") + after
    return Text(random.choice((" and ", " and ", ", and ")))
