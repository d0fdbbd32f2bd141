"""Noun phrases: parsing, and matching against objects."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from bearleft.language.analysis.tokens import tokens
from bearleft.language.lexicon.adjectives import ADJECTIVES, POSES
from bearleft.language.lexicon.attributes import adjective_mask, feature_table, part_mask, part_vocabulary
from bearleft.language.lexicon.lexicon import COLOURS, NAMES, NUMBERS, ORDINALS, OUTDOOR_NAMES, Name, denotation
from bearleft.language.lexicon.names import plural
from bearleft.language.lexicon.part_words import CLOTHES
from bearleft.language.lexicon.trade_names import LETTERINGS, TRADE_NAMES, lettering_indices
from bearleft.language.scene_index import Ints
from bearleft.world.city import palette

Flags = npt.NDArray[np.bool_]
T = TypeVar("T")

ARTICLES = frozenset(("a", "an", "the", "some", "another", "your"))
DEMONSTRATIVES = frozenset(("this", "that", "these", "those", "said", "same"))
PRONOUNS = frozenset(("it", "them", "that one", "this one"))
GROUP_NOUNS = frozenset(("row", "line", "couple", "pair", "bunch", "group", "lot", "number", "series", "cluster"))
# Adjectives that are accepted in a phrase but never tested: they do not narrow its meaning.
VAGUE_ADJECTIVES = frozenset(
    (
        *(
            "big",
            "large",
            "small",
            "little",
            "tall",
            "short",
            "tiny",
            "huge",
            "long",
            "old",
            "wide",
            "bright",
            "single",
        ),
        *("lone", "nice", "giant", "massive", "narrow", "plain", "same", "other", "pretty"),
        *("several", "many", "few", "multiple", "parked"),
        *(adjective.word for adjective in ADJECTIVES if not adjective.narrows),
    )
)
INTENSIFIERS: dict[str, float] = {  # words before a vague adjective, with their weights
    "very": 6.0,
    "really": 0.8,
    "fairly": 0.5,
    "pretty": 0.4,
    "rather": 0.3,
    "somewhat": 0.3,
    "quite": 0.2,
    "relatively": 0.2,
    "extremely": 0.2,
    "super": 0.1,
}
NARROWING_ADJECTIVES = frozenset(adjective.word for adjective in ADJECTIVES if adjective.narrows)
_POSES = {tuple(pose.word.split()): pose.word for pose in POSES}
_MAX_POSE_TOKENS = max(map(len, _POSES))
# Words between a noun and its attributes.
RELATIVES = ("that", "which", "who")
_LINKS = (
    (("with",), "part"),
    (("featuring",), "part"),
    (("having",), "part"),
    *(((relative, has), "part") for relative in RELATIVES for has in ("has", "have")),
    (("in",), "clothes"),
    (("wearing",), "clothes"),
    (("dressed", "in"), "clothes"),
    *(((relative, be, "wearing"), "clothes") for relative in RELATIVES for be in ("is", "are")),
)
_COPULAS = (
    *((relative, be) for relative in RELATIVES for be in ("is", "are")),
    ("that's",),
    ("who's",),
)
_INDEFINITE = frozenset(
    ("a", "an", "some", "its", "lots", "of", "two", "three", "four", "several", "big", "large", "small")
)
# After these words, "with a sign" begins a clause about another object: "with a sign above it".
_PLACE_WORDS = frozenset(
    (
        *("above", "below", "under", "underneath", "over", "on", "to", "in", "next", "near", "beside", "behind", "by"),
        *("at", "just", "directly", "right", "left", "across", "beneath", "close", "nearby", "atop", "along"),
    )
)
CLOTHES_WORDS = frozenset(form for words in CLOTHES.values() for word in words for form in (word, plural(word)))
_POSE_WORDS = frozenset(pose.word.split()[0] for pose in POSES)
# "Seated person" and "standing lamp" are names.
_POSED_NOUNS = sorted(
    {words[1] for name in NAMES if len(words := name.singular.split()) > 1 and words[0] in _POSE_WORDS}
)
HEAD_END = re.compile(
    r" (?:with|that|which|who|in|wearing|dressed|featuring|having|that's|who's|"
    + "|".join(sorted(_POSE_WORDS))
    + rf")\b(?! (?:{'|'.join(_POSED_NOUNS)})\b)"
)


class Feature(NamedTuple):
    """A colour that a phrase demands: of a part ("with white letters") or of the whole object, beside others."""

    part: str  # word for the part; "" for the whole object
    colours: frozenset[int]  # palette indices


@dataclass(slots=True, eq=False)
class Phrase:
    """Meaning of a noun phrase; never changed, and not frozen for the same reason as `annotated_text.Text`."""

    words: str
    table: Flags | None  # classes and variants that it may denote; None for pronouns
    colours: frozenset[int] | None = None  # palette indices; None if no single colour is mentioned
    number: int = 1
    ordinal: int = 0  # 2 for "the second hydrant", -1 for "the last"
    plural: bool = False
    coreferent: bool = False  # "it", "that sign": refers to an object named before
    features: tuple[Feature, ...] = ()
    letterings: frozenset[int] | None = None  # texts that it may show, as indices into LETTERINGS; None for any

    @property
    def pronoun(self) -> bool:
        """Whether the phrase is a pronoun."""
        return self.table is None

    @property
    def head(self) -> str:
        """The words up to the noun, without attributes after it."""
        return head_words(self.words)


class ObjectColumns(Protocol):
    """Object columns that a phrase is matched against, such as those of `VisibleObjects`."""

    @property
    def kind(self) -> Ints:
        """Classes, as rows of `catalog.CLASSES`."""

    @property
    def variant(self) -> Ints:
        """Variants of the classes."""

    @property
    def colour(self) -> Ints:
        """Indices into `palette.COLOUR_NAMES`, -1 for no clear colour."""

    @property
    def first(self) -> Ints:
        """First paints, as indices into `palette.COLOUR_NAMES`."""

    @property
    def second(self) -> Ints:
        """Second paints."""

    @property
    def lettering(self) -> Ints:
        """Texts, as indices into `trade_names.LETTERINGS`, -1 for none of them."""

    def __len__(self) -> int: ...


def colour_mask(colours: frozenset[int]) -> Flags:
    """Return a mask of some colours by palette index; its last entry, False, is that of the index -1."""
    return _index_mask(colours, len(palette.COLOUR_NAMES))


def match(phrase: Phrase, visible: ObjectColumns) -> Flags:
    """Return a mask of the objects that a phrase fits. A pronoun fits all of them."""
    if phrase.table is None:
        return np.ones(len(visible), bool)
    fits = phrase.table[visible.kind, visible.variant]
    if phrase.colours is not None:
        fits = fits & colour_mask(phrase.colours)[visible.colour]
    if phrase.letterings is not None:
        fits = fits & _index_mask(phrase.letterings, len(LETTERINGS))[visible.lettering]
    for feature in phrase.features:
        rows = np.flatnonzero(fits)
        fits = fits.copy()
        fits[rows] = _has_feature(feature, visible, rows)
    return np.asarray(fits, bool)


@lru_cache(maxsize=4096)
def _index_mask(indices: frozenset[int], count: int) -> Flags:
    """Return a mask of some of `count` indices; its last entry, False, is that of the index -1."""
    mask = np.zeros(count + 1, bool)
    mask[list(indices)] = True
    mask[-1] = False
    return mask


def _has_feature(feature: Feature, visible: ObjectColumns, rows: Ints) -> Flags:
    """Return whether objects have a part of a colour, or show a colour."""
    codes = feature_table(feature.part)[visible.kind[rows], visible.variant[rows]]
    allowed = colour_mask(feature.colours)[:-1]
    painted = codes[:, 0] & allowed[visible.first[rows]] | codes[:, 1] & allowed[visible.second[rows]]
    return np.asarray(painted | (codes[:, 2:] & allowed).any(axis=1), bool)


@lru_cache(maxsize=65536)
def head_words(words: str) -> str:
    """Return a noun phrase up to its noun: "a red sign" for "a red sign with white letters"."""
    return HEAD_END.split(words, maxsplit=1)[0]


@lru_cache(maxsize=65536)
def bare_noun(words: str) -> str:
    """Return the noun of a noun phrase without article, number, adjectives and attributes."""
    head = head_words(words).split()
    for k in range(len(head)):
        if " ".join(head[k:]) in NOUN_FORMS:
            return " ".join(head[k:])
    return head[-1]


NOUN_FORMS = frozenset(form for name in NAMES + TRADE_NAMES for form in (name.singular, name.plural))


def palette_colours(word: str) -> frozenset[int] | None:
    """Return the palette indices that a colour word may mean, None for an empty word."""
    return frozenset(palette.colour_index(name) for name in COLOURS[word]) if word else None


@cache
def _nouns(indoors: bool) -> dict[tuple[str, ...], tuple[tuple[Name, ...], bool]]:
    """Return all names by their tokens, each with a plural flag."""
    nouns: dict[tuple[str, ...], tuple[tuple[Name, ...], bool]] = {}
    for name in NAMES if indoors else OUTDOOR_NAMES + TRADE_NAMES:
        for words, is_plural in ((name.singular, False), (name.plural, True)):
            key = tuple(tokens(words))
            same_noun, _ = nouns.get(key, ((), is_plural))
            nouns[key] = (*same_noun, name), is_plural
    return nouns


@cache
def _max_noun_tokens(indoors: bool) -> int:
    return max(map(len, _nouns(indoors)))


@cache
def _letterings(names: tuple[Name, ...]) -> frozenset[int] | None:
    """Return the texts that objects of some names may show, None for any."""
    if not all(name.letterings for name in names):
        return None
    return frozenset().union(*(lettering_indices(name.letterings) for name in names))


@cache
def _table(names: tuple[Name, ...]) -> Flags:
    return np.asarray(np.any([denotation(name) for name in names], axis=0), bool)


def chunk(string: str, reserved: Collection[str] = (), indoors: bool = False) -> tuple[str, list[Phrase]]:
    """Replace the noun phrases of a text.

    Args:
        string: The text to parse.
        reserved: Names that are read as plain words.
        indoors: Whether names of objects in rooms are recognised.

    Returns:
        The normalised text (lower-case tokens, each followed by a space) in which the k-th noun phrase is "@k", and
        the list of phrases.
    """
    chunked, phrases = chunk_tokens(tokens(string), lambda words, k: _read_phrase(words, k, reserved, indoors))
    return "".join(f"{token} " for token in chunked), phrases


def chunk_tokens(
    words: list[str], read_phrase: Callable[[list[str], int], tuple[T | None, int]]
) -> tuple[list[str], list[T]]:
    """Replace every phrase that `read_phrase` finds by "@k"; return the new tokens and the phrases."""
    chunked: list[str] = []
    phrases: list[T] = []
    k = 0
    while k < len(words):
        phrase, end = read_phrase(words, k)
        if phrase is None:
            chunked.append(words[k])
            k += 1
        else:
            chunked.append(f"@{len(phrases)}")
            phrases.append(phrase)
            k = end
    return chunked, phrases


class Modifiers:
    """Adjectives before a noun: one colour, or several that the object shows together, and narrowing adjectives."""

    def __init__(self) -> None:
        self.spoken: list[str] = []
        self.adjectives: list[str] = []

    def read(self, words: Sequence[str], k: int, noun_length: Callable[[int], int]) -> int:
        """Read adjectives from a token on; return the index of the token after them.

        Args:
            words: The tokens.
            k: The first token.
            noun_length: Returns the number of tokens of the noun that begins at a token, 0 for none.
        """

        def is_noun(at: int) -> bool:
            # In "a glass doorway", glass is an adjective.
            length = noun_length(at)
            return length > 1 or (length == 1 and not (words[at] in NARROWING_ADJECTIVES and noun_length(at + 1)))

        while k < len(words):
            colour, length = _read_colour(words, k)
            if colour and not (length == 1 and is_noun(k)):
                self.spoken.append(colour)
                k += length
            elif words[k] in ("and", ",", "/") and self.spoken and _read_colour(words, k + 1)[1]:
                k += 1
            elif words[k] in _COLOUR_PAIRS:
                self.spoken += _COLOUR_PAIRS[words[k]]
                k += 1
            elif words[k] in ("colored", "coloured") and self.spoken:
                k += 1
            elif (words[k] in VAGUE_ADJECTIVES or words[k] in NARROWING_ADJECTIVES) and not is_noun(k):
                self.adjectives.append(words[k])
                k += 1
            elif words[k] in INTENSIFIERS and words[k + 1 : k + 2] and words[k + 1] in VAGUE_ADJECTIVES:
                k += 1
            elif words[k : k + 2] == ["wrought", "iron"] and not is_noun(k):
                self.adjectives.append("wrought iron")
                k += 2
            elif (
                words[k] == "and" and self.adjectives and words[k + 1 : k + 2] and words[k + 1] in NARROWING_ADJECTIVES
            ):
                k += 1
            else:
                break
        return k

    @property
    def colours(self) -> frozenset[int] | None:
        """The colours of a phrase with a single colour word."""
        return palette_colours(self.spoken[0]) if len(self.spoken) == 1 else None

    @property
    def features(self) -> tuple[Feature, ...]:
        """The colours that the object shows together."""
        if len(self.spoken) < 2:
            return ()
        return tuple(Feature("", palette_colours(word) or frozenset()) for word in self.spoken)

    def narrow(self, table: Flags) -> Flags:
        """Return the part of a table that the adjectives fit; an adjective that fits nothing is ignored."""
        for word in self.adjectives:
            mask = adjective_mask(word)
            if mask is not None and (table & mask).any():
                table = table & mask
        return table


_COLOUR_PAIRS = {
    f"{first}-and-{second}": (first, second) for first in COLOURS for second in COLOURS if " " not in first + second
}


def _read_colour(words: Sequence[str], k: int) -> tuple[str, int]:
    """Return the colour word at a token and its length, 0 for none."""
    pair = " ".join(words[k : k + 2])
    if pair in COLOURS and " " in pair:
        return pair, 2
    return (words[k], 1) if k < len(words) and words[k] in COLOURS else ("", 0)


def read_attributes(
    words: Sequence[str], k: int, table: Flags, nouns: Mapping[tuple[str, ...], object], definite: bool = False
) -> tuple[Flags, frozenset[int] | None, tuple[Feature, ...], int]:
    """Read the attributes after a noun.

    Args:
        words: The tokens.
        k: The token after the noun.
        table: Classes and variants that the noun denotes.
        nouns: Nouns by their tokens.
        definite: Whether the noun is definite; then its parts may be, too: "the store with the red door".

    Returns:
        The narrowed table, the colours said by "that is red", the features, and the index of the token after them.
    """
    colours: frozenset[int] | None = None
    features: tuple[Feature, ...] = ()
    while k < len(words):
        pose, end = _read_pose(words, k, table)
        if end > k:
            table, k = table & pose, end
            continue
        said, end = _read_predicate(words, k)
        if end > k:
            colours, k = said, end
            continue
        narrowed, feature, end = _read_part(words, k, table, nouns, definite)
        if end == k:
            break
        table, features, k = narrowed, features + feature, end
    return table, colours, features, k


def _read_pose(words: Sequence[str], k: int, table: Flags) -> tuple[Flags, int]:
    """Read "walking" or "that is riding a bike"."""
    begin = k + next((len(link) for link in _COPULAS if tuple(words[k : k + len(link)]) == link), 0)
    for length in range(min(_MAX_POSE_TOKENS, len(words) - begin), 0, -1):
        pose = _POSES.get(tuple(words[begin : begin + length]))
        mask = adjective_mask(pose) if pose else None
        if mask is not None and (table & mask).any():
            return mask, begin + length
    return table, k


def _read_predicate(words: Sequence[str], k: int) -> tuple[frozenset[int] | None, int]:
    """Read "that is red"."""
    for link in _COPULAS:
        if tuple(words[k : k + len(link)]) == link:
            colour, length = _read_colour(words, k + len(link))
            end = k + len(link) + length
            if length and not (end < len(words) and words[end] == "and" and _read_colour(words, end + 1)[1]):
                return palette_colours(colour), end
    return None, k


def _read_part(
    words: Sequence[str], k: int, table: Flags, nouns: Mapping[tuple[str, ...], object], definite: bool
) -> tuple[Flags, tuple[Feature, ...], int]:
    """Read "with white letters" or "in a blue shirt", if the objects that the noun denotes have such a part."""
    link, kind = next(((link, kind) for link, kind in _LINKS if tuple(words[k : k + len(link)]) == link), ((), ""))
    if not link:
        return table, (), k
    begin = k + len(link)
    if definite and words[begin : begin + 1] == ["the"]:
        begin += 1
    while begin < len(words) and words[begin] in _INDEFINITE:
        begin += 1
    spoken: list[str] = []
    while True:
        colour, length = _read_colour(words, begin)
        if length:
            spoken.append(colour)
            begin += length
        elif spoken and words[begin : begin + 1] == ["and"] and _read_colour(words, begin + 1)[1]:
            begin += 1
        else:
            break
    vocabulary = part_vocabulary()
    for length in range(min(3, len(words) - begin), 0, -1):
        key = tuple(words[begin : begin + length])
        if key not in vocabulary or (kind == "clothes" and vocabulary[key] not in CLOTHES_WORDS):
            continue
        has_part = part_mask(vocabulary[key]) & table
        end = begin + length
        if not has_part.any() or (key in nouns and _is_elsewhere(words, end)):
            continue
        features = tuple(Feature(vocabulary[key], palette_colours(word) or frozenset()) for word in spoken)
        return has_part, features, end
    return table, (), k


def _is_elsewhere(words: Sequence[str], k: int) -> bool:
    """Return whether a place relative to "it" follows: "with a sign above it" tells of another object."""
    return k < len(words) and words[k] in _PLACE_WORDS and "it" in words[k + 1 : k + 6]


def _read_phrase(words: list[str], begin: int, reserved: Collection[str], indoors: bool) -> tuple[Phrase | None, int]:
    """Return the noun phrase that begins at a token, and the index of the token after it."""
    if words[begin] in PRONOUNS:
        return Phrase(words[begin], None, plural=words[begin] == "them", coreferent=True), begin + 1
    if " ".join(words[begin : begin + 2]) in PRONOUNS:
        return Phrase(" ".join(words[begin : begin + 2]), None, coreferent=True), begin + 2
    if words[begin] in DEMONSTRATIVES and begin + 1 < len(words) and words[begin + 1] in ARTICLES:
        return None, begin  # "so that the awning is ..."
    k, coreferent, number, ordinal = begin, False, 1, 0
    while k < len(words) and (words[k] in ARTICLES or words[k] in DEMONSTRATIVES):
        coreferent |= words[k] in DEMONSTRATIVES
        k += 1

    def noun_length(at: int) -> int:
        return _longest_noun(words, at, reserved, indoors)[1]

    if k > begin and words[k : k + 1] and words[k] in GROUP_NOUNS and words[k + 1 : k + 2] == ["of"]:
        k += 0 if noun_length(k) else 2  # "a row of bikes"
    while k < len(words) and (words[k] in NUMBERS or words[k] in ORDINALS) and not noun_length(k):
        if words[k] in NUMBERS:
            number = NUMBERS[words[k]]
        else:
            ordinal = ORDINALS[words[k]]
        k += 1
    modifiers = Modifiers()
    k = modifiers.read(words, k, noun_length)
    names, length = _longest_noun(words, k, reserved, indoors)
    if not length:
        return None, begin
    nouns = _nouns(indoors)
    is_plural = nouns[tuple(words[k : k + length])][1]
    table, colours, features, end = read_attributes(
        words, k + length, modifiers.narrow(_table(names)), nouns, words[begin] == "the"
    )
    phrase = Phrase(
        " ".join(words[begin:end]),
        table,
        modifiers.colours or colours,
        number,
        ordinal,
        is_plural,
        coreferent,
        modifiers.features + features,
        _letterings(names),
    )
    return phrase, end


def _longest_noun(
    words: list[str], begin: int, reserved: Collection[str], indoors: bool
) -> tuple[tuple[Name, ...], int]:
    """Return the longest name that begins at a token, and its length in tokens (0 if there is none)."""
    for length in range(min(_max_noun_tokens(indoors), len(words) - begin), 0, -1):
        key = tuple(words[begin : begin + length])
        if key in _nouns(indoors) and " ".join(key) not in reserved and not _ends_in_colour(words, begin, length):
            return _nouns(indoors)[key][0], length
    return (), 0


def _ends_in_colour(words: Sequence[str], begin: int, length: int) -> bool:
    """Return whether the last word of a name begins a colour after an adjective: "tall light pink"."""
    end = begin + length
    return (
        length > 1
        and end < len(words)
        and f"{words[end - 1]} {words[end]}" in COLOURS
        and all(word in VAGUE_ADJECTIVES or word in NARROWING_ADJECTIVES for word in words[begin : end - 1])
    )
