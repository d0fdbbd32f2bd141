"""Composition of clauses into sentences."""

from __future__ import annotations

from collections.abc import Sequence

from bearleft.language.analysis.tokens import tokens
from bearleft.language.annotated_text import Text
from bearleft.language.instructions.speaker import ClauseItem, Speaker
from bearleft.language.writer_random import WriterRandom

JOINABLE_FRAMES = frozenset(
    ("turn", "slight", "sharp", "turning", "through", "pass", "onward", "to crossing", "steps", "stop beside",
     "stop after", "stop before", "stop at crossing", "stop before crossing", "stop after crossing", "stop steps")
)  # fmt: skip
SENTENCE_OPENERS = frozenset(
    ("please", "to", "from", "okay", "at", "you", "if", "on", "there", "there's", "the", "now", "your")
)
SUBORDINATORS = frozenset(("when", "once", "as", "after", "if", "before", "just", "right", "at", "one", "a", "with"))
CONTRASTS = {" and ": 0.4, ", but ": 0.15, " but ": 0.15, ", then ": 0.1, " and then ": 0.1, ", and ": 0.1}
CONJUNCTIONS = {" and ": 0.5, ", then ": 0.15, ", and ": 0.15, " and then ": 0.1, ", and then ": 0.05, ", ": 0.05}
TRANSITIONS = {"": 0.9, "then ": 0.05, "after that, ": 0.02, "next, ": 0.01, "now ": 0.02}  # at the begin of a sentence
GREETINGS = ("Hello there!", "Hello!", "Hi!", "Okay.", "Let's get started.", "Hey!")


def compose(speaker: Speaker, items: Sequence[ClauseItem]) -> Text:
    """Return the text of a list of items."""
    return speaker.random.rank(lambda: _compose(speaker, items), lambda text: text.string)


def _compose(speaker: Speaker, items: Sequence[ClauseItem]) -> Text:
    random = speaker.random
    join_rate = random.random() ** 1.5 * 0.75  # how often clauses are joined into one sentence
    splice_rate = random.random() ** 3 * 0.6  # how often statements are added to a sentence
    max_words = random.randint(12, 30)  # words after which a new sentence begins
    careless = random.random() < 0.03
    sentences: list[Text] = []
    sentence, previous = Text(""), items[0]
    for k, item in enumerate(_close_clauses(speaker, items)):
        if not k:
            sentence = item.text
        elif previous.clause.open:
            sentence = sentence + ", " + item.text
        elif item.clause.tail:
            sentence = sentence + _before_tail(random, item) + item.text
        elif _can_join(previous, item) and _word_count(sentence) < max_words and random.random() < join_rate:
            turns_later = previous.frame.name == "through" and item.frame.name in ("turn", "turning")
            options = ("but", CONTRASTS) if turns_later else ("conjunction", CONJUNCTIONS)
            sentence = sentence + random.pick(*options) + item.text
        elif _can_splice(item) and _word_count(sentence) < max_words and random.random() < splice_rate:
            sentence = sentence + random.pick("before a statement", (" and ", ", and ")) + item.text
        elif (
            item.frame.name == "verify"
            and not item.clause.open
            and _word_count(sentence) < 25
            and random.random() < 0.04
        ):
            sentence = sentence + " (" + item.text + ")"
        else:
            sentences.append(sentence)
            sentence = Text(random.pick("transition", TRANSITIONS) if _is_command(item) else "") + item.text
        previous = item
    sentences.append(sentence)
    ends = random.choices((".", "!"), (0.998, 0.002), k=len(sentences))
    if random.random() < 0.08:
        ends[-1] = ""
    finished = [(text if careless else text.capitalized()) + end for text, end in zip(sentences, ends, strict=True)]
    if random.random() < 0.03:
        finished.insert(0, Text(random.choice(GREETINGS)))
    return Text.join(finished)


def _word_count(sentence: Text) -> int:
    return len(tokens(sentence.string))


def _before_tail(random: WriterRandom, item: ClauseItem) -> str:
    """Return what separates a dependent clause from the one before it."""
    if item.clause.continues:
        return " "
    if item.text.string.startswith(("where", "with the")):  # "at the store with the red door" is one noun phrase
        return ", "
    return random.pick("before a tail", (", ", " "))


def _close_clauses(speaker: Speaker, items: Sequence[ClauseItem]) -> list[ClauseItem]:
    """Re-render clauses that would be incomplete: open ones without continuation, dependent ones without a head."""
    closed = list(items)
    for k, item in enumerate(closed):
        next_word = closed[k + 1].text.string.split()[0].lower() if k + 1 < len(closed) else "when"
        dangles = item.clause.open and (
            next_word in SUBORDINATORS
            or closed[k + 1].clause.tail
            or closed[k + 1].clause.open
            or closed[k + 1].frame.name in ("verify", "chat")
        )
        no_antecedent = not k or closed[k - 1].clause.open or closed[k - 1].frame.name in ("verify", "chat")
        detached = item.clause.tail and (no_antecedent or (item.clause.continues and not closed[k - 1].clause.goes))
        if dangles or detached:
            closed[k] = speaker.as_sentence(item)
    return closed


def _can_join(previous: ClauseItem, item: ClauseItem) -> bool:
    first = item.text.string.split()[0].lower()
    return (
        item.frame.name in JOINABLE_FRAMES
        and (previous.frame.name in JOINABLE_FRAMES or previous.clause.goes)
        and first not in SENTENCE_OPENERS
        and not item.clause.open
    )


def _is_command(item: ClauseItem) -> bool:
    """Return whether a clause begins with a command."""
    first = item.text.string.split()[0].lower()
    return item.frame.name in JOINABLE_FRAMES and first not in SENTENCE_OPENERS | SUBORDINATORS


def _can_splice(item: ClauseItem) -> bool:
    """Return whether a statement may follow another clause in the same sentence."""
    return item.frame.name == "verify" and not item.clause.open and item.text.string.startswith(("you", "there"))
