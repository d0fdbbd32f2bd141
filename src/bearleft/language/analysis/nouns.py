"""Noun phrases of any English text, found by what is not one: runs of words that carry no sentence.

No grammar and no list of things: a run's last word is its head, and it names a thing unless a short list forbids it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bearleft.language.analysis.function_words import ARTICLES, COLOURS, FRAME, NUMBERS, ORDINALS, OWNERS, SIDES, listed
from bearleft.language.analysis.tokens import tokens

TARGET = listed("touchdown touch-down td bear teddy target waldo")
PARTS = listed(
    """
    top middle center centre bottom base edge part tip half rear end point bottom-left bottom-right peak
    portion left-hand right-hand
    """
)
# Words that are no things, though they carry no sentence either.
_NO_THINGS = (
    listed(
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
# Heads that end like verbs and qualities, but are things.
_THINGS = listed(
    """
    building awning awing scaffolding scaffholding crossing fencing railing painting lettering parking
    opening covering netting seating ceiling string ring wing swing writing housing clothing lighting siding
    marking red shed bed sled weed seed reed moped family supply assembly lily butterfly
    """
)
# Two words that are one thing or one quality.
_PAIRS = {
    "stop": {"sign", "signs", "light", "lights"}, "side": {"street", "streets"}, "bus": {"stop", "stops"},
    "dead": {"end"}, "store": {"front", "fronts"}, "u": {"turn"}, "fenced": {"in", "off"}, "boarded": {"up"},
    "for": {"sale", "rent"}, "one": {"way"}, "two": {"way"}, "three": {"way"}, "four": {"way"}, "five": {"way"},
    "3": {"way"}, "4": {"way"}, "cross": {"walk", "walks", "street"}, "turn": {"arrow", "lane", "arrows"},
    "food": {"stand"}, "fruit": {"stand"}, "news": {"stand"}, "trash": {"can", "cans"}, "garbage": {"can", "cans"},
    "touch": {"down"},
}  # fmt: skip
# Verbs that are things after an article or a colour.
_AT_TIMES = listed("stop stops stand stands place crossing step steps exit curve merge face head")
_BETWEEN = listed("very little next same other more most almost pretty just all only really")


@dataclass(frozen=True)
class Noun:
    """A noun phrase: tokens begin to end, its last word, and what stands before that."""

    begin: int
    end: int
    head: str
    before: tuple[str, ...]

    @property
    def thing(self) -> bool:
        """Whether it names something to be seen, other than the target and mere parts."""
        head = self.head
        if head in _NO_THINGS or head in PARTS or head in TARGET or head.isdigit():
            return False
        return head in _THINGS or not head.endswith(("ing", "ed", "ly"))

    @property
    def sign(self) -> str:
        """N a thing, T the target, P a part of something, C anything else."""
        if self.head in TARGET:
            return "T"
        return "P" if self.head in PARTS else "N" if self.thing else "C"


def joined(text: str) -> list[str]:
    """The tokens of a text, with words that belong together as one."""
    found: list[str] = []
    for word in tokens(text):
        if found and word in _PAIRS.get(found[-1], ()):
            found[-1] += f"-{word}"
        else:
            found.append(word)
    return found


def is_word(token: str) -> bool:
    """Not a mark."""
    return token[0].isalnum()


def carries_no_sentence(words: Sequence[str], at: int) -> bool:
    """Whether a token may stand in a noun phrase, articles aside."""
    word = words[at]
    if not is_word(word) or word in SIDES:
        return False
    if word not in FRAME:
        return True
    before = words[at - 1] if at else "."
    if word == "next":
        return at + 1 < len(words) and words[at + 1] == "one"
    return word in _AT_TIMES and (before in ARTICLES or before in COLOURS or before in {"these", "those"})


def nouns(words: Sequence[str]) -> Iterator[Noun]:
    """The noun phrases of tokens, in their order."""
    at = 0
    while at < len(words):
        if not carries_no_sentence(words, at):
            at += 1
            continue
        first = at
        while at < len(words) and carries_no_sentence(words, at):
            at += 1
            # "orange and white cone" is one phrase.
            if words[at - 1] in COLOURS and at + 1 < len(words) and words[at] in {"and", "/", ","}:
                at += carries_no_sentence(words, at + 1)
        head = words[at - 1]
        if at < len(words) and words[at] in {"one", "ones"} and head in _NO_THINGS | {"next"}:
            head = f"{head} one"
            at += 1
        begin = first
        while begin and words[begin - 1] in _BETWEEN:
            begin -= 1
        if begin and words[begin - 1] in ARTICLES | OWNERS:
            begin -= 1
        elif begin < first and words[begin] not in {"next", "other"}:
            begin = first
        # In "a door that wraps around" an unknown verb looks like a thing.
        if words[begin] == "that" and begin and carries_no_sentence(words, begin - 1):
            continue
        yield Noun(begin, at, head, tuple(words[begin : at - 1]))


def skeleton(words: Sequence[str], found: Sequence[Noun]) -> str:
    """The tokens with every noun phrase as one sign."""
    return " ".join(sign for sign, _, _ in pieces(words, found))


def pieces(words: Sequence[str], found: Sequence[Noun]) -> list[tuple[str, int, int]]:
    """The skeleton piece by piece, each with the tokens it stands for."""
    out: list[tuple[str, int, int]] = []
    at = 0
    for noun in [*found, None]:
        end = len(words) if noun is None else max(at, noun.begin)
        out += [("T" if words[k] == "bear" else words[k], k, k + 1) for k in range(at, end)]
        if noun is not None:
            out.append((noun.sign, noun.begin, noun.end))
            at = noun.end
    return out
