"""Composition of clauses to sentences, with the habits of one writer."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from bearleft.language.analysis.tokens import words
from bearleft.language.annotated_text import Text
from bearleft.language.arramon_navigation.speaker import ClauseItem
from bearleft.language.writer_random import WriterRandom

# Clauses that begin so cannot follow "and" or "then".
SENTENCE_OPENERS = frozenset(("when", "once", "as", "at", "after", "there", "you", "you'll", "without"))
MAX_SENTENCE_WORDS, MAX_SENTENCE_CLAUSES = 30, 4  # per sentence
NO_CAPITALS_RATE, NO_FULL_STOP_RATE = 0.17, 0.12  # of writers
# Weights of what stands between two clauses; a full stop begins a new sentence.
JOINTS = {" and ": 6.0, ". ": 6.0, ", ": 0.6, " then ": 0.4, ", then ": 0.4, " and then ": 0.4, ", and ": 0.3}
OPENERS = {"": 9.0, "then ": 0.5, "then, ": 0.1, "next, ": 0.1, "after that, ": 0.1}
TO_WEIGHT = 1.5  # of "to" before the item: "go past the bench to pick up the mug"
HABITS = {"lower case": 0.95, "no full stop": 0.95, "article": 0.7}


def compose(items: Sequence[ClauseItem], random: WriterRandom) -> Text:
    """Return the text of clauses."""
    random.take_recorded()
    sentences: list[Text] = []
    sentence, clauses = items[0].text, 1
    for before, item in pairwise(items):
        joint = random.pick(f"joint {_role(before)} {_role(item)}", _joints(before, item, sentence.string, clauses))
        if joint == ". ":
            sentences.append(sentence)
            sentence, clauses = _credited(_opener(sentence, item, random) + item.text, random), 1
        else:
            sentence, clauses = sentence + _credited(_marked(joint) + item.text, random), clauses + 1
    sentences.append(sentence)
    lower_case = random.chance("lower case", NO_CAPITALS_RATE)
    last = "" if random.chance("no full stop", NO_FULL_STOP_RATE) else "."
    random.take_recorded()
    ends = [*["."] * (len(sentences) - 1), last]
    return Text.join(
        [(part if lower_case else part.capitalized()) + end for part, end in zip(sentences, ends, strict=True)]
    )


def _role(item: ClauseItem) -> str:
    """Return what a clause does: the joints before clauses of a role have the same weights."""
    verb = item.clause.name.split()[0]
    if verb in ("around", "slight", "face", "no"):
        return "turn"
    if verb == "is":
        return "lies"
    return verb if verb in ("pick", "find", "take", "turn", "see", "lies") else "move"


def _joints(before: ClauseItem, item: ClauseItem, sentence: str, clauses: int) -> dict[str, float]:
    """Return the weights of what may stand between two clauses; 0 for what may not."""
    role, previous = _role(item), _role(before)
    text_words = words(item.text.string)
    weights = dict(JOINTS)
    moves = previous == "move" or (previous == "turn" and before.frame.thing is not None and role == "pick")
    purpose = role in ("pick", "find") and moves and before.clause.name != "no turn"
    weights[" to "] = TO_WEIGHT if purpose else 0.0
    if role == "find":  # "find" alone is no order of a walk
        return dict.fromkeys(weights, 0.0) | {" to ": 1.0 if purpose else 0.0, " and ": 0.4, ", ": 0.1}
    full = clauses >= MAX_SENTENCE_CLAUSES or len(words(sentence)) >= MAX_SENTENCE_WORDS
    opens = text_words[0] in SENTENCE_OPENERS or role == "lies"
    if before.text.string.startswith("without"):
        return dict.fromkeys(weights, 0.0) | {", ": 1.0}
    # "You will see a mug and take it" is no command.
    statement = role == "take" and previous in ("see", "lies")
    if role == "see" and not full and text_words[0] != "there":
        return dict.fromkeys(weights, 0.0) | {" and ": 1.0, ". ": 1.0}
    if full or opens or statement:
        return dict.fromkeys(weights, 0.0) | {". ": 1.0}
    if "then" in text_words or "then" in words(sentence) or role == "take":
        weights |= {joint: 0.0 for joint in weights if "then" in joint}
    if sentence.count(" and ") >= 2 or (" and " in item.text.string and role == "take"):
        weights |= {" and ": 0.0, ", and ": 0.0, " and then ": 0.0}
    return weights


def _opener(sentence: Text, item: ClauseItem, random: WriterRandom) -> Text:
    """Return the word that begins a new sentence."""
    text_words = words(item.text.string)
    may_order = (
        text_words[0] not in SENTENCE_OPENERS and "then" not in text_words and _role(item) not in ("take", "lies")
    )
    if not may_order or sentence.string.startswith("then"):
        return Text("")
    return _marked(random.pick(f"opener {_role(item)}", OPENERS))


def _marked(joint: str) -> Text:
    """Return a conjunction, annotated where it gives an order."""
    for word in ("then", "next", "after that"):
        head, found, tail = joint.partition(word)
        if found:
            return Text(head) + Text(word).with_annotations("sequencing") + tail
    return Text(joint)


def _credited(text: Text, random: WriterRandom) -> Text:
    """Return the text annotated with the choices recorded for it, if choices are recorded."""
    return text.with_annotations(*random.take_recorded()) if random.recording else text
