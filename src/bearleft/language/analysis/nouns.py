"""Noun phrases of English text: runs of words that are not function words.

There is no grammar and no list of nouns: the last word of a run is its head, and it names a thing unless a short list
excludes it. Each noun phrase has a symbol, which replaces it in the skeleton of a text:

    N: a concrete thing ("the red door")
    T: the target ("Touchdown")
    P: a part of something ("the top")
    C: any other noun phrase ("a bit")
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bearleft.language.analysis.function_words import (
    ARTICLES,
    COLOURS,
    DETERMINERS,
    FUNCTION_WORDS,
    NUMBERS,
    ORDINALS,
    SIDES,
    word_set,
)
from bearleft.language.analysis.tokens import tokens

TARGET_NOUNS = word_set("touchdown touch-down td bear teddy target waldo")
PART_NOUNS = word_set(
    """
    top middle center centre bottom base edge part tip half rear end point bottom-left bottom-right peak
    portion left-hand right-hand
    """
)
# Heads that name no thing.
_ABSTRACT_WORDS = (
    word_set(
        """
    time times moment distance bit hello luck good option options opportunity halfway degrees degree row
    rows bunch couple pair number set sets group series lots eye view background foreground attention choice
    choices chance chances destination u-turn yards feet foot kind touch reverse parallel work correct wrong
    slight immediate sharp hard quick single double able visible open closed empty tall short large small
    big little narrow wide long new old tricky different main whole entire huge tiny thin thick round
    several many few much various multiple metal wooden diagonal vertical horizontal high low upper lower
    far major possible clear full similar identical perpendicular oncoming upcoming opposing later fine
    great careful ready n s e w am pm rectangular circular one ones
    """
    )
    | COLOURS
    | NUMBERS
    | ORDINALS
    | SIDES
)
# Heads that end like verbs or adjectives but name things.
_CONCRETE_NOUNS = word_set(
    """
    building awning awing scaffolding scaffholding crossing fencing railing painting lettering parking
    opening covering netting seating ceiling string ring wing swing writing housing clothing lighting siding
    marking red shed bed sled weed seed reed moped family supply assembly lily butterfly
    """
)
# Two words that form one noun or adjective.
_COMPOUNDS = {
    "stop": {"sign", "signs", "light", "lights"}, "side": {"street", "streets"}, "bus": {"stop", "stops"},
    "dead": {"end"}, "store": {"front", "fronts"}, "u": {"turn"}, "fenced": {"in", "off"}, "boarded": {"up"},
    "for": {"sale", "rent"}, "one": {"way"}, "two": {"way"}, "three": {"way"}, "four": {"way"}, "five": {"way"},
    "3": {"way"}, "4": {"way"}, "cross": {"walk", "walks", "street"}, "turn": {"arrow", "lane", "arrows"},
    "food": {"stand"}, "fruit": {"stand"}, "news": {"stand"}, "trash": {"can", "cans"}, "garbage": {"can", "cans"},
    "touch": {"down"},
}  # fmt: skip
# Verbs that are nouns after an article or a colour.
_VERB_NOUNS = word_set("stop stops stand stands place crossing step steps exit curve merge face head")
_PREMODIFIERS = word_set("very little next same other more most almost pretty just all only really")


@dataclass(frozen=True)
class NounPhrase:
    """A noun phrase: its token range, its last word, and the words before that."""

    begin: int
    end: int
    head: str
    before: tuple[str, ...]

    @property
    def is_concrete(self) -> bool:
        """Whether the phrase names a visible thing other than the target or a part of something."""
        head = self.head
        if head in _ABSTRACT_WORDS or head in PART_NOUNS or head in TARGET_NOUNS or head.isdigit():
            return False
        return head in _CONCRETE_NOUNS or not head.endswith(("ing", "ed", "ly"))

    @property
    def symbol(self) -> str:
        """The symbol in a skeleton: N, T, P or C (see the module)."""
        if self.head in TARGET_NOUNS:
            return "T"
        return "P" if self.head in PART_NOUNS else "N" if self.is_concrete else "C"


def tokens_with_compounds(text: str) -> list[str]:
    """Return the tokens of a text, with compounds as one token."""
    text_tokens: list[str] = []
    for word in tokens(text):
        if text_tokens and word in _COMPOUNDS.get(text_tokens[-1], ()):
            text_tokens[-1] += f"-{word}"
        else:
            text_tokens.append(word)
    return text_tokens


def is_word(token: str) -> bool:
    """Return whether a token is a word rather than punctuation."""
    return token[0].isalnum()


def is_noun_token(words: Sequence[str], at: int) -> bool:
    """Return whether a token may be part of a noun phrase, articles aside."""
    word = words[at]
    if not is_word(word) or word in SIDES:
        return False
    if word not in FUNCTION_WORDS:
        return True
    before = words[at - 1] if at else "."
    if word == "next":
        return at + 1 < len(words) and words[at + 1] == "one"
    return word in _VERB_NOUNS and (before in ARTICLES or before in COLOURS or before in {"these", "those"})


def noun_phrases(words: Sequence[str]) -> Iterator[NounPhrase]:
    """Yield the noun phrases of tokens, in order."""
    at = 0
    while at < len(words):
        if not is_noun_token(words, at):
            at += 1
            continue
        first = at
        while at < len(words) and is_noun_token(words, at):
            at += 1
            # "orange and white cone" is one phrase.
            if words[at - 1] in COLOURS and at + 1 < len(words) and words[at] in {"and", "/", ","}:
                at += is_noun_token(words, at + 1)
        head = words[at - 1]
        if at < len(words) and words[at] in {"one", "ones"} and head in _ABSTRACT_WORDS | {"next"}:
            head = f"{head} one"
            at += 1
        begin = first
        while begin and words[begin - 1] in _PREMODIFIERS:
            begin -= 1
        if begin and words[begin - 1] in ARTICLES | DETERMINERS:
            begin -= 1
        elif begin < first and words[begin] not in {"next", "other"}:
            begin = first
        # In "a door that wraps around" an unknown verb looks like a noun.
        if words[begin] == "that" and begin and is_noun_token(words, begin - 1):
            continue
        yield NounPhrase(begin, at, head, tuple(words[begin : at - 1]))


def skeleton(words: Sequence[str], phrases: Sequence[NounPhrase]) -> str:
    """Return the skeleton of a text: its tokens, separated by spaces, with one symbol for each noun phrase.

    The symbols are N, T, P and C (see the module): "turn left at the red door" becomes "turn left at N".
    """
    return " ".join(symbol for symbol, _, _ in skeleton_pieces(words, phrases))


def skeleton_pieces(words: Sequence[str], phrases: Sequence[NounPhrase]) -> list[tuple[str, int, int]]:
    """Return the pieces of the skeleton, each with its token range."""
    pieces: list[tuple[str, int, int]] = []
    at = 0
    for noun in [*phrases, None]:
        end = len(words) if noun is None else max(at, noun.begin)
        pieces += [("T" if words[k] == "bear" else words[k], k, k + 1) for k in range(at, end)]
        if noun is not None:
            pieces.append((noun.symbol, noun.begin, noun.end))
            at = noun.end
    return pieces
