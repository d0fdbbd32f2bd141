"""Masked sentences: what remains of a sentence without the things it names.

Nouns, colours, numbers and punctuation depend on the world, not on how people write. A masked sentence keeps the words
of `FUNCTION_WORDS` and `MANNER_WORDS`: articles, pronouns, prepositions, verbs, and adverbs and adjectives of place and
manner.
"""

from __future__ import annotations

from bearleft.language.analysis.function_words import COLOURS, FUNCTION_WORDS, NUMBERS, SIDES, word_set
from bearleft.language.analysis.tokens import sentences, tokens, words

# Adjectives, adverbs and verbs that function_words leaves out because they are attributes of things there.
MANNER_WORDS = word_set(
    """
    large small big tall short long tiny huge wide narrow high low open closed empty round square
    rectangular circular triangular flat curved thick thin bright lighted lit striped checkered
    plain main whole entire different similar
    several many few some any another couple multiple various single double top bottom middle center
    upper lower edge corner end half part base tip far-right far-left leftmost rightmost left-most
    right-most hanging sticking wearing standing sitting leaning facing pointing looking holding walking
    wears carrying riding painted written printed
    slight slightly sharp hard immediate immediately quickly roughly approximately exactly exact
    directly fully partially mostly halfway midway diagonal diagonally vertical horizontal parallel
    perpendicular level even lined aligned visible located situated placed
    """
)
KEPT_WORDS = (FUNCTION_WORDS | SIDES | MANNER_WORDS) - COLOURS - (NUMBERS - word_set("one"))


def mask(sentence: str) -> str:
    """Return the kept words of a sentence, separated by spaces."""
    return " ".join([word for word in tokens(sentence) if word in KEPT_WORDS])


def text_sentences(text: str) -> list[str]:
    """Return the sentences of a text; the end of a line ends a sentence, too."""
    return [sentence for line in text.splitlines() for sentence in sentences(line)]


def masked_sentences(text: str) -> list[str]:
    """Return the masked sentences of a text that keep at least one word."""
    return [masked for masked in map(mask, text_sentences(text)) if masked]


def kept_runs(sentence: str) -> list[list[str]]:
    """Return the runs of kept words between masked ones: the expressions of a sentence lie in one of them."""
    runs: list[list[str]] = [[]]
    for word in words(sentence):
        if word in KEPT_WORDS:
            runs[-1].append(word)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]
