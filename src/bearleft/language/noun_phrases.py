"""Noun phrases: naming an object, parsing a phrase, and matching a phrase against objects."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from bearleft.language.analysis.tokens import tokens
from bearleft.language.annotated_text import Text
from bearleft.language.lexicon.lexicon import (
    COLOURS,
    NAMES,
    NUMBERS,
    ORDINALS,
    OUTDOOR_NAMES,
    Name,
    colour_words,
    denotation,
    names_of,
    number_word,
)
from bearleft.language.scene_index import Ints, SceneIndex
from bearleft.world.city import palette

Flags = npt.NDArray[np.bool_]
T = TypeVar("T")
Article = Literal["a", "the", "this", "that", ""]

ARTICLES = frozenset(("a", "an", "the", "some", "another", "your"))
DEMONSTRATIVES = frozenset(("this", "that", "these", "those", "said", "same"))
PRONOUNS = frozenset(("it", "them", "that one", "this one"))
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
    )
)


@dataclass(frozen=True, eq=False)
class Phrase:
    """Meaning of a noun phrase."""

    words: str
    table: Flags | None  # classes and variants that it may denote; None for pronouns
    colours: frozenset[int] | None = None  # palette indices; None if no colour is mentioned
    number: int = 1
    ordinal: int = 0  # 2 for "the second hydrant", -1 for "the last"
    plural: bool = False
    coreferent: bool = False  # "it", "that sign": refers to an object named before

    @property
    def pronoun(self) -> bool:
        """Whether the phrase is a pronoun."""
        return self.table is None


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

    def __len__(self) -> int: ...


def match(phrase: Phrase, visible: ObjectColumns) -> Flags:
    """Return a mask of the objects that a phrase fits. A pronoun fits all of them."""
    if phrase.table is None:
        return np.ones(len(visible), bool)
    fits = phrase.table[visible.kind, visible.variant]
    if phrase.colours is not None:
        fits = fits & np.isin(visible.colour, list(phrase.colours))
    return np.asarray(fits, bool)


def name_object(
    random: Random,
    scene: SceneIndex,
    instance: int,
    article: Article = "a",
    colour: bool | None = None,
    plural: int = 0,
) -> tuple[Text, Phrase]:
    """Return a random noun phrase for an object, and its meaning.

    Args:
        random: Source of randomness.
        scene: The scene that holds the object.
        instance: Instance number of the object.
        article: Article to use.
        colour: Whether to mention the colour; None decides at random.
        plural: Number of objects to name ("two hydrants"), 0 for one object.
    """
    index = instance - 1
    kind, variant = int(scene.plan.things["kind"][index]), int(scene.variants[index])
    name = random.choice(names_of(kind, variant, scene.plan.indoors))
    colour_choices = colour_words(palette.COLOUR_NAMES[int(scene.colours[index])]) if scene.colours[index] >= 0 else ()
    colour_word = ""
    if colour_choices and (colour or (colour is None and random.random() < 0.5)):
        colour_word = colour_choices[0] if random.random() < 0.7 else random.choice(colour_choices)
    return noun_phrase(name, instance, article, colour_word, plural)


def noun_phrase(
    name: Name, instance: int, article: Article = "a", colour: str = "", plural: int = 0
) -> tuple[Text, Phrase]:
    """Return the noun phrase for a given name and colour word, and its meaning."""
    noun = f"{colour} {name.plural if plural else name.singular}".strip()
    words = f"{_article(article, noun, plural, name.mass)}{noun}"
    coreferent = article in ("this", "that")
    number = max(plural, 1)
    phrase = Phrase(
        words, denotation(name), palette_colours(colour), number, plural=bool(plural), coreferent=coreferent
    )
    return Text(words).with_annotations("unique entity").with_mentions(instance), phrase


def _article(article: Article, noun: str, plural: int, mass: bool = False) -> str:
    if article == "a" and mass:
        return "some "
    if plural:
        return f"the {number_word(plural)} " if article == "the" else f"{number_word(plural)} "
    if article == "a":
        return indefinite_article(noun)
    return f"{article} " if article else ""


def indefinite_article(noun: str) -> str:
    """Return the indefinite article as it is pronounced: "an awning ", "a utility pole ", "an suv "."""
    vowel = noun[0] in "aeiou" and not noun.startswith(("one", "uni", "uti", "us "))
    return "an " if vowel or noun.startswith("suv") else "a "


def palette_colours(word: str) -> frozenset[int] | None:
    """Return the palette indices that a colour word may mean, None for an empty word."""
    return frozenset(palette.colour_index(name) for name in COLOURS[word]) if word else None


@cache
def _nouns(indoors: bool) -> dict[tuple[str, ...], tuple[tuple[Name, ...], bool]]:
    """Return all names by their tokens, each with a plural flag."""
    nouns: dict[tuple[str, ...], tuple[tuple[Name, ...], bool]] = {}
    for name in NAMES if indoors else OUTDOOR_NAMES:
        for words, plural in ((name.singular, False), (name.plural, True)):
            key = tuple(tokens(words))
            same_noun, _ = nouns.get(key, ((), plural))
            nouns[key] = (*same_noun, name), plural
    return nouns


@cache
def _max_noun_tokens(indoors: bool) -> int:
    return max(map(len, _nouns(indoors)))


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
    while (
        k < len(words)
        and (words[k] in NUMBERS or words[k] in ORDINALS)
        and not _longest_noun(words, k, reserved, indoors)[1]
    ):
        if words[k] in NUMBERS:
            number = NUMBERS[words[k]]
        else:
            ordinal = ORDINALS[words[k]]
        k += 1
    colours: frozenset[int] | None = None
    while k < len(words):
        pair = " ".join(words[k : k + 2])
        if pair in COLOURS:
            colours, k = palette_colours(pair), k + 2
        elif words[k] in COLOURS and not _longest_noun(words, k, reserved, indoors)[1]:
            colours, k = palette_colours(words[k]), k + 1
        elif words[k] in VAGUE_ADJECTIVES and not _longest_noun(words, k, reserved, indoors)[1]:
            k += 1
        else:
            break
    names, length = _longest_noun(words, k, reserved, indoors)
    if not length:
        return None, begin
    plural = _nouns(indoors)[tuple(words[k : k + length])][1]
    text = " ".join(words[begin : k + length])
    return Phrase(text, _table(names), colours, number, ordinal, plural, coreferent), k + length


def _longest_noun(
    words: list[str], begin: int, reserved: Collection[str], indoors: bool
) -> tuple[tuple[Name, ...], int]:
    """Return the longest name that begins at a token, and its length in tokens (0 if there is none)."""
    for length in range(min(_max_noun_tokens(indoors), len(words) - begin), 0, -1):
        key = tuple(words[begin : begin + length])
        if key in _nouns(indoors) and " ".join(key) not in reserved:
            return _nouns(indoors)[key][0], length
    return (), 0
