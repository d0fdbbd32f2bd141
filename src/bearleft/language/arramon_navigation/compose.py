"""Composition of clauses to sentences, with the habits of one speaker."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from random import Random

from bearleft.language.analysis.tokens import words
from bearleft.language.annotated_text import Text
from bearleft.language.arramon_navigation.speaker import ClauseItem

# Clauses that begin so cannot follow "and" or "then".
SENTENCE_OPENERS = frozenset(("when", "once", "as", "at", "after", "there", "you", "you'll"))
MAX_SENTENCE_WORDS, MAX_SENTENCE_CLAUSES = 22, 3  # per sentence
THEN_RATE, OPENER_RATE = 0.89, 0.3  # share of speakers who use "then", and how often it begins a sentence
NO_CAPITALS_RATE = 0.12  # share of speakers who write no capitals


def compose(items: Sequence[ClauseItem], random: Random) -> Text:
    """Return the text of clauses."""
    join_rate = 0.2 + 0.7 * random.random()  # of clauses to one sentence
    uses_then = random.random() < THEN_RATE
    sentences: list[Text] = []
    sentence = items[0].text
    conjunctions: list[str] = []  # of this sentence
    for before, item in pairwise(items):
        closing = item.frame.name == "take it"
        is_statement = closing and before.clause.name.startswith(
            "see"
        )  # "you will see a mug and take it" is not a command
        can_join = (
            item.text.string.split()[0].lower() not in SENTENCE_OPENERS
            and not is_statement
            and not (closing and " and " in item.text.string)
        )
        may_order = uses_then and not closing and "then" not in words(item.text.string)
        conjunction = _conjunction(
            random, may_order and "then" not in words(sentence.string), not any("and" in part for part in conjunctions)
        )
        has_room = (
            can_join
            and conjunction.string
            and len(conjunctions) + 1 < MAX_SENTENCE_CLAUSES
            and len(words(sentence.string)) < MAX_SENTENCE_WORDS
        )
        if has_room and random.random() < join_rate:
            sentence = sentence + conjunction + item.text
            conjunctions.append(conjunction.string)
            continue
        sentences.append(sentence)
        may_open = may_order and can_join and not sentences[-1].string.startswith("then")
        opener = _opener(random) if may_open and random.random() < OPENER_RATE else Text("")
        sentence, conjunctions = opener + item.text, []
    sentences.append(sentence)
    lower_case = random.random() < NO_CAPITALS_RATE
    return Text.join([(part if lower_case else part.capitalized()) + "." for part in sentences])


def _opener(random: Random) -> Text:
    word = random.choice(("then", "then", "next", "after that"))
    return Text(word).with_annotations("sequencing") + (" " if word == "then" and random.random() < 0.7 else ", ")


def _conjunction(random: Random, allow_then: bool, allow_and: bool) -> Text:
    """Return the conjunction before a clause: "then", "and", both or nothing, as far as they are allowed."""
    choices = [*(" and ",) * 5, ", and "] if allow_and else []
    if allow_then:
        choices += [", then ", ", then ", " and then ", ", and then "] if choices else [", then "]
    chosen = random.choice(choices) if choices else ""
    head, then, tail = chosen.partition("then")
    return Text(head) + Text(then).with_annotations("sequencing") + tail if then else Text(chosen)
