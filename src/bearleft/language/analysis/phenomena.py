"""Rule-based counter of linguistic phenomena: Touchdown's eleven (Table 3) and Refer360's three more (Table 8).

The counter uses the text alone: noun phrases are found first (see `nouns`), then relations, directions, commands and
statements around them. See docs/language.md for the definitions and the agreement with a human reader.
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
    COMMAND_VERBS,
    DETERMINERS,
    FUNCTION_WORDS,
    MODALS,
    MOTION_VERBS,
    NUMBERS,
    ORDINALS,
    PERSONAL_PRONOUNS,
    SIDES,
    word_set,
)
from bearleft.language.analysis.nouns import (
    NounPhrase,
    is_noun_token,
    is_word,
    noun_phrases,
    skeleton_pieces,
    tokens_with_compounds,
)
from bearleft.language.analysis.relations import relation_spans
from bearleft.language.analysis.tokens import token_spans

PhenomenonSpan: TypeAlias = tuple[str, int, int]  # a phenomenon with the begin and end of its characters or tokens

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

# Places in a series: naming the kind again means a new one.
_SERIES_NOUNS = word_set(
    """
    intersection intersections light lights corner street road block crosswalk way lane stoplight crossing
    signal crossroads traffic-light t-intersection
    """
)
_CROSSING_NOUNS = word_set("intersection intersections light corner stoplight crossing signal")
_COMPARATIVES = re.compile(
    r"(?:clos|near|far|furth|farth|small|larg|tall|short|bigg|high|low|long|wid|narrow|bright|dark|light|thinn|thick"
    r"|old|new)(?:er|est)|leftmost|rightmost|topmost|better|best|worse|worst"
)
_SENTENCE_JOINT = " . "
_NO_COMPARATIVES = word_set("lower newer lighter closer older")


def count_touchdown(text: str) -> dict[str, int]:
    """Return how often each of Touchdown's phenomena occurs in a text."""
    counts = Counter(phenomenon for phenomenon, _, _ in _token_spans(tokens_with_compounds(text)))
    return {phenomenon: counts[phenomenon] for phenomenon in TOUCHDOWN}


def touchdown_spans(text: str) -> list[PhenomenonSpan]:
    """Return the occurrences that `count_touchdown` counts, with their characters in the text, in order of position."""
    text_tokens = tokens_with_compounds(text)
    positions = _token_positions(text, text_tokens)
    return sorted(
        (
            (phenomenon, positions[begin][0], positions[end - 1][1])
            for phenomenon, begin, end in _token_spans(text_tokens)
        ),
        key=_span_key,
    )


def count_refer360(instructions: Sequence[str]) -> dict[str, int]:
    """Return how often each phenomenon of Refer360's Table 8 occurs in a sequence.

    The phenomena are those of Touchdown and three that only Refer360 counts. As in Refer360, each direction word counts
    once, whether it describes a position in the picture or a turn of the view.
    """
    counts = Counter(phenomenon for phenomenon, _, _ in refer360_spans(instructions))
    return {phenomenon: counts[phenomenon] for phenomenon in TOUCHDOWN + REFER360}


def refer360_spans(instructions: Sequence[str]) -> list[PhenomenonSpan]:
    """Return the occurrences that `count_refer360` counts, with their characters in the sentences joined by spaces."""
    # Some rules need sentences, so a full stop that is not part of the text ends each.
    starts = [0, *accumulate(len(sentence) + len(_SENTENCE_JOINT) for sentence in instructions)]

    def position(offset: int) -> int:
        number = bisect_right(starts, offset, hi=len(instructions)) - 1
        return (
            min(offset - starts[number], len(instructions[number]))
            + starts[number]
            - (len(_SENTENCE_JOINT) - 1) * number
        )

    occurrences = [
        (phenomenon, position(begin), position(end))
        for phenomenon, begin, end in touchdown_spans(_SENTENCE_JOINT.join(instructions))
        if phenomenon != "direction"
    ]
    begin = 0
    for sentence in instructions:
        occurrences += [
            (phenomenon, begin + first, begin + last) for phenomenon, first, last in _refer360_only(sentence)
        ]
        begin += len(sentence) + 1
    return sorted(occurrences, key=_span_key)


def _span_key(span: PhenomenonSpan) -> tuple[int, int]:
    return span[1:]


def _refer360_only(sentence: str) -> Iterator[PhenomenonSpan]:
    """Yield the phenomena of a sentence that only Refer360 counts, with their characters."""
    lower, map_position = sentence.lower(), _position_mapping(sentence)
    for phenomenon, pattern in (
        ("direction", _DIRECTION_WORDS),
        ("3-D understanding", _DEPTH_WORDS),
        ("inexact", _INEXACT_WORDS),
    ):
        for match in pattern.finditer(lower):
            yield phenomenon, map_position(match.start()), map_position(match.end())
    sentence_tokens = tokens_with_compounds(sentence)
    things = [noun for noun in noun_phrases(sentence_tokens) if noun.is_concrete]
    if len(things) > 3:  # the target and more than two supporting objects
        positions = _token_positions(sentence, sentence_tokens)
        yield "more than two objects", positions[things[0].begin][0], positions[things[-1].end - 1][1]


def _position_mapping(text: str) -> Callable[[int], int]:
    """Return a function from positions in the lower-case text to the text: some capitals become two letters."""
    ends = [0, *accumulate(len(letter.lower()) for letter in text)]
    return (lambda at: at) if ends[-1] == len(text) else (lambda at: bisect_left(ends, at))


def _token_positions(text: str, text_tokens: Sequence[str]) -> list[tuple[int, int]]:
    """Return the begin and end in the text of each token, with compounds as one token."""
    map_position = _position_mapping(text)
    spans = iter(token_spans(text.lower()))
    positions = []
    for word in text_tokens:
        begin, end = next(spans)
        # "stop sign" is one word, "stop-sign", wherever its two parts stand.
        length = end - begin
        while length < len(word):
            first, end = next(spans)
            length += 1 + end - first
        positions.append((map_position(begin), map_position(end)))
    return positions


def _token_spans(words: list[str]) -> Iterator[PhenomenonSpan]:
    """Yield the phenomena with their tokens."""
    phrases = list(noun_phrases(words))
    yield from _entities(words, phrases)
    yield from _word_phenomena(words)
    yield from (("imperative", at, at + 1) for at in range(len(words)) if _is_command(words, at))
    pieces = skeleton_pieces(words, phrases)
    starts = [0, *accumulate(len(symbol) + 1 for symbol, _, _ in pieces)]
    for phenomenon, (begin, end) in relation_spans(" ".join(symbol for symbol, _, _ in pieces)):
        # A pattern that ends with a space has looked ahead.
        first, last = bisect_right(starts, begin) - 1, bisect_right(starts, end) - 1
        while not is_word(pieces[first][0]):
            first += 1
        yield phenomenon, pieces[first][1], pieces[min(last, len(pieces) - 1)][2]


def _entities(words: list[str], phrases: list[NounPhrase]) -> Iterator[PhenomenonSpan]:
    """Yield unique entities and coreferences."""
    seen: dict[str, set[str]] = {}
    for noun in phrases:
        if not noun.is_concrete:
            continue
        colours = COLOURS.intersection(noun.before)
        if _is_coreference(words, noun, seen, colours):
            yield "coreference", noun.begin, noun.end
            if noun.head in seen:
                continue
        yield "unique entity", noun.begin, noun.end
        seen.setdefault(noun.head, set()).update(colours)
    for at, word in enumerate(words):
        before, after = _neighbours(words, at)
        if word in {"it", "its", "them", "they", "it's", "it'll"} and seen:
            refers_back = before not in {"make", "as"} and after not in {"looks", "seems"}
        else:
            refers_back = word in {"that", "this"} and (
                after == "one" or (not is_word(after) and at > 0 and before != "so")
            )
        if refers_back:
            yield "coreference", at, at + 1


def _neighbours(words: list[str], at: int) -> tuple[str, str]:
    """Return the tokens before and after one; the ends of a text count as full stops."""
    return words[at - 1] if at else ".", words[at + 1] if at + 1 < len(words) else "."


def _is_coreference(words: list[str], noun: NounPhrase, seen: dict[str, set[str]], colours: frozenset[str]) -> bool:
    """Return whether a noun phrase refers to something mentioned before."""
    article = noun.before[0] if noun.before else ""
    if article in {"that", "those"}:
        return noun.begin == 0 or words[noun.begin - 1] != "so"
    mentioned = noun.head in seen
    if article not in {"the", "this", "these"} or not mentioned or (article == "the" and ORDINALS & {*noun.before}):
        return False
    if {"other", "another"}.intersection(noun.before):
        return False
    if noun.head in _SERIES_NOUNS:
        return (article == "this" and noun.head in _CROSSING_NOUNS) or words[max(noun.begin - 1, 0)] in {"of", "into"}
    return not colours or not seen[noun.head] or bool(colours & seen[noun.head])


def _word_phenomena(words: list[str]) -> Iterator[PhenomenonSpan]:
    """Yield the phenomena of single words."""
    for at, word in enumerate(words):
        before, after = _neighbours(words, at)
        adverbial = word in {"farther", "further", "longer"} and after != "one"
        comparative = (
            word in {"more", "most"} and after not in FUNCTION_WORDS and after.endswith(("ful", "ed", "nt", "ard"))
        )
        if comparative or (_COMPARATIVES.fullmatch(word) and word not in _NO_COMPARATIVES and not adverbial):
            yield "comparison", at, at + 1
        is_fraction = before in {"a", "one"} and after == "of"
        not_ordinal = is_fraction or (word == "next" and after == "to") or (word == "second" and before == "a")
        if word in ORDINALS and not not_ordinal:
            yield "sequencing", at, at + 1
        is_number = word in NUMBERS and after not in {"way", "ways", "lane", "degrees", "degree", "-"} and before != "-"
        is_one = (
            word == "one"
            and is_word(after)
            and after not in FUNCTION_WORDS
            and before not in ARTICLES | DETERMINERS | COLOURS
        )
        if is_number or is_one or (word in {"both", "couple", "single", "double", "pair"} and after != "or"):
            yield "count", at, at + 1


# Skipped between a verb and the word that decides whether it commands.
_SKIPPED_ADVERBS = word_set(
    """
    just then also immediately now again only still eventually quickly slowly carefully please simply always
    soon shortly next finally first directly
    """
)
_NO_COMMAND_AFTER = (
    MODALS
    | PERSONAL_PRONOUNS
    | ARTICLES
    | DETERMINERS
    | ORDINALS
    | COLOURS
    | word_set("to that which who of they it on in at from with as is are be bus short long quick")
)
# Verbs that can be another part of speech. A word of _CLAUSE_INITIAL_VERBS is a command only at the beginning of a
# clause, a word of _NO_NOUN_BEFORE only if no noun precedes it.
_CLAUSE_INITIAL_VERBS = word_set("see place point end use count start begin come get circle cross curve")
_NO_NOUN_BEFORE = word_set("head face stand step exit hang put slow position")


def _is_command(words: list[str], at: int) -> bool:
    """Return whether a word is a verb that commands the reader."""
    word = words[at]
    if word not in COMMAND_VERBS or is_noun_token(words, at):
        return False
    k = at - 1
    while k >= 0 and words[k] in _SKIPPED_ADVERBS:
        k -= 1
    before, earlier = (words[k] if k >= 0 else "."), (words[k - 1] if k >= 1 else ".")
    if word == "bear":
        after = _neighbours(words, at)[1]
        return after in SIDES or after in {"to", "slightly"}
    if before in {"not", "don't", "never"}:
        return earlier not in MODALS | PERSONAL_PRONOUNS
    if before in SIDES:
        # "make a right turn" names a turn; "go right turn left" commands one.
        return k < at - 1 or (earlier in MOTION_VERBS and word not in _NO_NOUN_BEFORE)
    if before in _NO_COMMAND_AFTER:
        return False
    if word in _CLAUSE_INITIAL_VERBS:
        begin = next((j for j in range(k, -1, -1) if not is_word(words[j])), -1)
        return k == begin or (before == "and" and not (MODALS | PERSONAL_PRONOUNS).intersection(words[begin + 1 : k]))
    return not (is_word(before) and before != "and" and word in _NO_NOUN_BEFORE)


_DIRECTION_WORDS = re.compile(r"\b(?:left|right|up|down|upwards?|downwards?|clockwise|straight|around)\b")
_DEPTH_WORDS = re.compile(
    r"\b(?:in front of|behind|foreground|background|in the distance"
    r"|(?:closest|nearest|closer|farthest|away) (?:to|from) you|beyond|farther|further|underneath)\b"
)
_INEXACT_WORDS = re.compile(
    r"\b(?:slightly|about|approximately|roughly|a (?:little|bit|tad|smidge|touch|hair)|almost|kind of|sort of|somewhere"
    r"|nearly|(?:white|black|grey|gray|yellow|green|blue|red|brown)ish|or so|not quite|more or less|barely)\b"
)
