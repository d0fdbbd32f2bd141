"""Clauses become sentences: joined, capitalised and closed in the way of one person."""

from __future__ import annotations

from collections.abc import Sequence

from bearleft.language.analysis.tokens import tokens
from bearleft.language.annotated_text import Text
from bearleft.language.instructions.speaker import Item, Speaker

JOINED = frozenset(
    ("turn", "slight", "sharp", "turning", "through", "pass", "onward", "to crossing", "steps", "stop beside",
     "stop after", "stop before", "stop at crossing", "stop before crossing", "stop after crossing", "stop steps")
)  # fmt: skip
OPENING = frozenset(("please", "to", "from", "okay", "at", "you", "if", "on", "there", "there's", "the", "now", "your"))
SUBORDINATE = frozenset(("when", "once", "as", "after", "if", "before", "just", "right", "at", "one", "a", "with"))
GREETINGS = ("Hello there!", "Hello!", "Hi!", "Okay.", "Let's get started.", "Hey!")


def compose(speaker: Speaker, items: Sequence[Item]) -> Text:
    """The text of items."""
    random = speaker.random
    often = random.random() ** 1.5 * 0.75  # how often clauses are joined to one sentence
    most = random.randint(12, 26)  # words, where one begins a new sentence
    careless = random.random() < 0.03
    sentences: list[Text] = []
    now, before = Text(""), items[0]
    for k, item in enumerate(_settled(speaker, items)):
        words = len(tokens(now.string))
        if not k:
            now = item.text
        elif before.clause.open:
            now = now + ", " + item.text
        elif item.clause.tail:
            now = now + random.choice((", ", ", ", " ")) + item.text
        elif _joins(before, item) and words < most and random.random() < often:
            now = now + random.choice(_joints(before, item)) + item.text
        elif item.frame.name == "verify" and not item.clause.open and words < 25 and random.random() < 0.04:
            now = now + " (" + item.text + ")"
        else:
            sentences.append(now)
            now = item.text
        before = item
    sentences.append(now)
    ends = [random.choices((".", "!"), (0.998, 0.002))[0] for _ in sentences]
    if random.random() < 0.08:
        ends[-1] = ""
    closed = [(one if careless else one.capital()) + end for one, end in zip(sentences, ends, strict=True)]
    if random.random() < 0.03:
        closed.insert(0, Text(random.choice(GREETINGS)))
    return Text.join(closed)


def _settled(speaker: Speaker, items: Sequence[Item]) -> list[Item]:
    """With no clause left open before one that cannot close it, and none that hangs on nothing."""
    found = list(items)
    for k, item in enumerate(found):
        after = found[k + 1].text.string.split()[0].lower() if k + 1 < len(found) else "when"
        opens = item.clause.open and (after in SUBORDINATE or found[k + 1].clause.tail or found[k + 1].clause.open)
        loose = not k or found[k - 1].clause.open or found[k - 1].frame.name in ("verify", "chat")
        hangs = item.clause.tail and loose
        if opens or hangs:
            found[k] = speaker.closed(item)
    return found


def _joins(before: Item, item: Item) -> bool:
    first = item.text.string.split()[0].lower()
    return item.frame.name in JOINED and before.frame.name in JOINED and first not in OPENING and not item.clause.open


def _joints(before: Item, item: Item) -> tuple[str, ...]:
    if before.frame.name == "through" and item.frame.name == "turn":
        return (", then ", " and ", ", and ", ", but ", ", and then ", " and then ")
    return (", then ", " and ", ", and ", ", and then ", " and then ", " and ")
