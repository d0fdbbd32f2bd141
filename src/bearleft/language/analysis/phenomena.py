"""What a text asks of its reader: Touchdown's eleven phenomena (Table 3) and Refer360's three more (Table 8), counted.

The counter reads a string and nothing else, by rules: noun phrases are found first (see `nouns`), then relations,
directions, commands and statements around them. It knows nothing of how a text was made. What counts as what, and how
well it agrees with a reader's own counts, is in docs/language.md.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import TypeAlias

from bearleft.language.analysis.function_words import (
    ARTICLES,
    COLOURS,
    COMMANDS,
    FRAME,
    MODALS,
    MOVING,
    NUMBERS,
    ORDINALS,
    OWNERS,
    SIDES,
    YOU,
    listed,
)
from bearleft.language.analysis.nouns import Noun, carries_no_sentence, is_word, joined, nouns, pieces
from bearleft.language.analysis.relations import relations
from bearleft.language.analysis.tokens import token_spans

Mark: TypeAlias = tuple[str, int, int]  # a phenomenon, and where what shows it begins and ends

TOUCHDOWN = (
    "unique entity",
    "coreference",
    "comparison",
    "sequencing",
    "count",
    "allocentric",
    "egocentric",
    "imperative",
    "direction",
    "temporal condition",
    "state verification",
)
REFER360 = ("3-D understanding", "inexact", "more than two objects")

# Places that come one after another: to name the kind again is to name a new one.
_SERIES = listed(
    """
    intersection intersections light lights corner street road block crosswalk way lane stoplight crossing
    signal crossroads traffic-light t-intersection
    """
)
_CROSSED = listed("intersection intersections light corner stoplight crossing signal")
_COMPARED = re.compile(
    r"(?:clos|near|far|furth|farth|small|larg|tall|short|bigg|high|low|long|wid|narrow|bright|dark|light|thinn|thick"
    r"|old|new)(?:er|est)|leftmost|rightmost|topmost|better|best|worse|worst"
)
_STOP = " . "
_NOT_COMPARED = listed("lower newer lighter closer older")


def count(text: str) -> dict[str, int]:
    """How often each of Touchdown's phenomena occurs in a text."""
    found = Counter(what for what, _, _ in _touchdown(joined(text)))
    return {what: found[what] for what in TOUCHDOWN}


def spans(text: str) -> list[Mark]:
    """What `count` counts, each with the characters of the text that show it, in their order."""
    words = joined(text)
    places = _places(text, words)
    return sorted(
        ((what, places[begin][0], places[end - 1][1]) for what, begin, end in _touchdown(words)), key=_by_place
    )


def count_refer360(instructions: Sequence[str]) -> dict[str, int]:
    """How often each phenomenon of Refer360's Table 8 occurs in a sequence of sentences: Touchdown's and three more.

    Directions are Refer360's there: every word for one, on the picture or of the gaze.
    """
    found = Counter(what for what, _, _ in spans_refer360(instructions))
    return {what: found[what] for what in TOUCHDOWN + REFER360}


def spans_refer360(instructions: Sequence[str]) -> list[Mark]:
    """What `count_refer360` counts, each with the characters that show it in the sentences with a space between."""
    # A full stop ends every sentence for those rules that look at sentences; it is no part of the text.
    starts = [0, *accumulate(len(sentence) + len(_STOP) for sentence in instructions)]

    def place(at: int) -> int:
        number = bisect_right(starts, at, hi=len(instructions)) - 1
        return min(at - starts[number], len(instructions[number])) + starts[number] - (len(_STOP) - 1) * number

    found = [
        (what, place(begin), place(end)) for what, begin, end in spans(_STOP.join(instructions)) if what != "direction"
    ]
    begin = 0
    for sentence in instructions:
        found += [(what, begin + first, begin + last) for what, first, last in _gaze(sentence)]
        begin += len(sentence) + 1
    return sorted(found, key=_by_place)


def _by_place(mark: Mark) -> tuple[int, int]:
    return mark[1:]


def _gaze(sentence: str) -> Iterator[Mark]:
    """What Refer360 counts in a sentence that Touchdown does not, by its characters."""
    plain, original = sentence.lower(), _original(sentence)
    for what, pattern in (("direction", _TOWARDS), ("3-D understanding", _DEPTH), ("inexact", _INEXACT)):
        for shown in pattern.finditer(plain):
            yield what, original(shown.start()), original(shown.end())
    words = joined(sentence)
    things = [noun for noun in nouns(words) if noun.thing]
    if len(things) > 3:
        places = _places(sentence, words)
        yield "more than two objects", places[things[0].begin][0], places[things[-1].end - 1][1]


def _original(text: str) -> Callable[[int], int]:
    """Where a character of the lower-case text stands in the text: a few capitals become two small letters."""
    ends = [0, *accumulate(len(letter.lower()) for letter in text)]
    return (lambda at: at) if ends[-1] == len(text) else (lambda at: bisect_left(ends, at))


def _places(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Where each of the joined tokens begins and ends in the text."""
    original = _original(text)
    single = iter(token_spans(text.lower()))
    found = []
    for word in words:
        begin, end = next(single)
        # "stop sign" is one word, "stop-sign", wherever its two parts stand.
        length = end - begin
        while length < len(word):
            first, end = next(single)
            length += 1 + end - first
        found.append((original(begin), original(end)))
    return found


def _touchdown(words: list[str]) -> Iterator[Mark]:
    """Phenomena, each with the words that show it."""
    found = list(nouns(words))
    yield from _entities(words, found)
    yield from _words(words)
    yield from (("imperative", at, at + 1) for at in range(len(words)) if _is_command(words, at))
    bones = pieces(words, found)
    starts = [0, *accumulate(len(sign) + 1 for sign, _, _ in bones)]
    for what, (begin, end) in relations(" ".join(sign for sign, _, _ in bones)):
        # A pattern that ends with a space has looked at what comes next.
        first, last = bisect_right(starts, begin) - 1, bisect_right(starts, end) - 1
        while not is_word(bones[first][0]):
            first += 1
        yield what, bones[first][1], bones[min(last, len(bones) - 1)][2]


def _entities(words: list[str], found: list[Noun]) -> Iterator[Mark]:
    seen: dict[str, set[str]] = {}
    for noun in found:
        if not noun.thing:
            continue
        colours = COLOURS.intersection(noun.before)
        if _again(words, noun, seen, colours):
            yield "coreference", noun.begin, noun.end
            if noun.head in seen:
                continue
        yield "unique entity", noun.begin, noun.end
        seen.setdefault(noun.head, set()).update(colours)
    for at, word in enumerate(words):
        before, after = _beside(words, at)
        if word in {"it", "its", "them", "they", "it's", "it'll"} and seen:
            back = before not in {"make", "as"} and after not in {"looks", "seems"}
        else:
            back = word in {"that", "this"} and (after == "one" or (not is_word(after) and at > 0 and before != "so"))
        if back:
            yield "coreference", at, at + 1


def _beside(words: list[str], at: int) -> tuple[str, str]:
    """The tokens before and after one; a text's ends are as full stops."""
    return words[at - 1] if at else ".", words[at + 1] if at + 1 < len(words) else "."


def _again(words: list[str], noun: Noun, seen: dict[str, set[str]], colours: frozenset[str]) -> bool:
    """Whether a noun phrase speaks of something named before."""
    article = noun.before[0] if noun.before else ""
    if article in {"that", "those"}:
        return noun.begin == 0 or words[noun.begin - 1] != "so"
    known = noun.head in seen
    if article not in {"the", "this", "these"} or not known or (article == "the" and ORDINALS & {*noun.before}):
        return False
    if {"other", "another"}.intersection(noun.before):
        return False
    if noun.head in _SERIES:
        return (article == "this" and noun.head in _CROSSED) or words[max(noun.begin - 1, 0)] in {"of", "into"}
    return not colours or not seen[noun.head] or bool(colours & seen[noun.head])


def _words(words: list[str]) -> Iterator[Mark]:
    """Phenomena that single words show."""
    for at, word in enumerate(words):
        before, after = _beside(words, at)
        further = word in {"farther", "further", "longer"} and after != "one"
        more = word in {"more", "most"} and after not in FRAME and after.endswith(("ful", "ed", "nt", "ard"))
        if more or (_COMPARED.fullmatch(word) and word not in _NOT_COMPARED and not further):
            yield "comparison", at, at + 1
        fraction = before in {"a", "one"} and after == "of"
        no_order = fraction or (word == "next" and after == "to") or (word == "second" and before == "a")
        if word in ORDINALS and not no_order:
            yield "sequencing", at, at + 1
        many = word in NUMBERS and after not in {"way", "ways", "lane", "degrees", "degree", "-"} and before != "-"
        one = word == "one" and is_word(after) and after not in FRAME and before not in ARTICLES | OWNERS | COLOURS
        if many or one or (word in {"both", "couple", "single", "double", "pair"} and after != "or"):
            yield "count", at, at + 1


# Between a verb and what tells whether it commands.
_SKIPPED = listed(
    """
    just then also immediately now again only still eventually quickly slowly carefully please simply always
    soon shortly next finally first directly
    """
)
_NO_COMMAND_AFTER = (
    MODALS
    | YOU
    | ARTICLES
    | OWNERS
    | ORDINALS
    | COLOURS
    | listed("to that which who of they it on in at from with as is are be bus short long quick")
)
# Verbs that are something else too often: these command only where a clause begins, those only after no noun.
_AT_BEGINNING = listed("see place point end use count start begin come get circle cross curve")
_AFTER_MARKS = listed("head face stand step exit hang put slow position")


def _is_command(words: list[str], at: int) -> bool:
    """Whether a word is a verb that tells the reader to do something."""
    word = words[at]
    if word not in COMMANDS or carries_no_sentence(words, at):
        return False
    k = at - 1
    while k >= 0 and words[k] in _SKIPPED:
        k -= 1
    before, earlier = (words[k] if k >= 0 else "."), (words[k - 1] if k >= 1 else ".")
    if word == "bear":
        after = _beside(words, at)[1]
        return after in SIDES or after in {"to", "slightly"}
    if before in {"not", "don't", "never"}:
        return earlier not in MODALS | YOU
    if before in SIDES:
        # "make a right turn" names a turn; "go right turn left" commands one.
        return k < at - 1 or (earlier in MOVING and word not in _AFTER_MARKS)
    if before in _NO_COMMAND_AFTER:
        return False
    if word in _AT_BEGINNING:
        begin = next((j for j in range(k, -1, -1) if not is_word(words[j])), -1)
        return k == begin or (before == "and" and not (MODALS | YOU).intersection(words[begin + 1 : k]))
    return not (is_word(before) and before != "and" and word in _AFTER_MARKS)


_TOWARDS = re.compile(r"\b(?:left|right|up|down|upwards?|downwards?|clockwise|straight|around)\b")
_DEPTH = re.compile(
    r"\b(?:in front of|behind|foreground|background|in the distance"
    r"|(?:closest|nearest|closer|farthest|away) (?:to|from) you|beyond|farther|further|underneath)\b"
)
_INEXACT = re.compile(
    r"\b(?:slightly|about|approximately|roughly|a (?:little|bit|tad|smidge|touch|hair)|almost|kind of|sort of|somewhere"
    r"|nearly|(?:white|black|grey|gray|yellow|green|blue|red|brown)ish|or so|not quite|more or less|barely)\b"
)
