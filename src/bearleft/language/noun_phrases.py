"""Noun phrases: a way to name a thing, what such a phrase says, and which things it fits."""

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
# Words that say something of a thing which is not tested: they make a phrase richer, never narrower.
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
    """What a noun phrase says."""

    words: str
    table: Flags | None  # which classes and variants it may name; None for "it"
    colours: frozenset[int] | None = None  # palette numbers, None where no colour is said
    number: int = 1
    ordinal: int = 0  # 2 for "the second hydrant", -1 for "the last"
    plural: bool = False
    coreferent: bool = False  # "it", "that sign": something named before

    @property
    def pronoun(self) -> bool:
        """Whether it says nothing but that it was named before."""
        return self.table is None


class ObjectColumns(Protocol):
    """Columns by which a phrase may fit: a Sight's, or anything's with the same."""

    @property
    def kind(self) -> Ints: ...
    @property
    def variant(self) -> Ints: ...
    @property
    def colour(self) -> Ints: ...
    def __len__(self) -> int: ...


def match(phrase: Phrase, visible: ObjectColumns) -> Flags:
    """Which rows of a sight a phrase fits; a pronoun fits all."""
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
    """A way to name a thing, and what it says. `colour` None says it at random; `plural` "two hydrants" and so on."""
    thing = instance - 1
    kind, variant = int(scene.plan.things["kind"][thing]), int(scene.variants[thing])
    name = random.choice(names_of(kind, variant, scene.plan.indoors))
    words = colour_words(palette.COLOUR_NAMES[int(scene.colours[thing])]) if scene.colours[thing] >= 0 else ()
    said = ""
    if words and (colour or (colour is None and random.random() < 0.5)):
        said = words[0] if random.random() < 0.7 else random.choice(words)
    return noun_phrase(name, instance, article, said, plural)


def noun_phrase(
    name: Name, instance: int, article: Article = "a", colour: str = "", plural: int = 0
) -> tuple[Text, Phrase]:
    """A thing under one of its names, with a word for its colour or none, and what that says."""
    noun = f"{colour} {name.plural if plural else name.singular}".strip()
    whole = f"{_article(article, noun, plural, name.mass)}{noun}"
    coreferent = article in ("this", "that")
    number = max(plural, 1)
    phrase = Phrase(
        whole, denotation(name), palette_colours(colour), number, plural=bool(plural), coreferent=coreferent
    )
    return Text(whole).with_marks("unique entity").with_mentions(instance), phrase


def _article(article: Article, noun: str, plural: int, mass: bool = False) -> str:
    if article == "a" and mass:
        return "some "
    if plural:
        return f"the {number_word(plural)} " if article == "the" else f"{number_word(plural)} "
    if article == "a":
        return indefinite_article(noun)
    return f"{article} " if article else ""


def indefinite_article(noun: str) -> str:
    """The article before a noun, as it is spoken: "an awning ", "a utility pole ", "an suv "."""
    vowel = noun[0] in "aeiou" and not noun.startswith(("one", "uni", "uti", "us "))
    return "an " if vowel or noun.startswith("suv") else "a "


def palette_colours(word: str) -> frozenset[int] | None:
    """The colours of the palette that a word may mean; None for no word."""
    return frozenset(palette.colour_index(name) for name in COLOURS[word]) if word else None


@cache
def _nouns(indoors: bool) -> dict[tuple[str, ...], tuple[tuple[Name, ...], bool]]:
    """Every name by its tokens: what it may be, and whether it is plural. The plural of a name is read as its own."""
    found: dict[tuple[str, ...], tuple[tuple[Name, ...], bool]] = {}
    for name in NAMES if indoors else OUTDOOR_NAMES:
        for words, plural in ((name.singular, False), (name.plural, True)):
            key = tuple(tokens(words))
            some, _ = found.get(key, ((), plural))
            found[key] = (*some, name), plural
    return found


@cache
def _max_noun_tokens(indoors: bool) -> int:
    return max(map(len, _nouns(indoors)))


@cache
def _table(names: tuple[Name, ...]) -> Flags:
    return np.asarray(np.any([denotation(name) for name in names], axis=0), bool)


def chunk(string: str, reserved: Collection[str] = (), indoors: bool = False) -> tuple[str, list[Phrase]]:
    """The text normalised (lower-case tokens, each with a space after it), every noun phrase being "@k".

    Names that are `reserved` are read as plain words, and those of rooms' things unless one is `indoors`.
    """
    out, found = chunk_tokens(tokens(string), lambda said, k: _read_phrase(said, k, reserved, indoors))
    return "".join(f"{token} " for token in out), found


def chunk_tokens(said: list[str], read: Callable[[list[str], int], tuple[T | None, int]]) -> tuple[list[str], list[T]]:
    """Tokens, every phrase that `read` finds at one of them (with where it ends) being "@k"; and the phrases."""
    out: list[str] = []
    found: list[T] = []
    k = 0
    while k < len(said):
        phrase, end = read(said, k)
        if phrase is None:
            out.append(said[k])
            k += 1
        else:
            out.append(f"@{len(found)}")
            found.append(phrase)
            k = end
    return out, found


def _read_phrase(said: list[str], begin: int, reserved: Collection[str], indoors: bool) -> tuple[Phrase | None, int]:
    """The noun phrase that begins at a token, and where it ends."""
    if said[begin] in PRONOUNS:
        return Phrase(said[begin], None, plural=said[begin] == "them", coreferent=True), begin + 1
    if " ".join(said[begin : begin + 2]) in PRONOUNS:
        return Phrase(" ".join(said[begin : begin + 2]), None, coreferent=True), begin + 2
    if said[begin] in DEMONSTRATIVES and begin + 1 < len(said) and said[begin + 1] in ARTICLES:
        return None, begin  # "so that the awning is ..."
    k, coreferent, number, ordinal = begin, False, 1, 0
    while k < len(said) and (said[k] in ARTICLES or said[k] in DEMONSTRATIVES):
        coreferent |= said[k] in DEMONSTRATIVES
        k += 1
    while (
        k < len(said)
        and (said[k] in NUMBERS or said[k] in ORDINALS)
        and not _longest_noun(said, k, reserved, indoors)[1]
    ):
        if said[k] in NUMBERS:
            number = NUMBERS[said[k]]
        else:
            ordinal = ORDINALS[said[k]]
        k += 1
    colours: frozenset[int] | None = None
    while k < len(said):
        two = " ".join(said[k : k + 2])
        if two in COLOURS:
            colours, k = palette_colours(two), k + 2
        elif said[k] in COLOURS and not _longest_noun(said, k, reserved, indoors)[1]:
            colours, k = palette_colours(said[k]), k + 1
        elif said[k] in VAGUE_ADJECTIVES and not _longest_noun(said, k, reserved, indoors)[1]:
            k += 1
        else:
            break
    names, length = _longest_noun(said, k, reserved, indoors)
    if not length:
        return None, begin
    plural = _nouns(indoors)[tuple(said[k : k + length])][1]
    words = " ".join(said[begin : k + length])
    return Phrase(words, _table(names), colours, number, ordinal, plural, coreferent), k + length


def _longest_noun(
    said: list[str], begin: int, reserved: Collection[str], indoors: bool
) -> tuple[tuple[Name, ...], int]:
    """The longest name that begins at a token, and its length in tokens; 0 for none."""
    for length in range(min(_max_noun_tokens(indoors), len(said) - begin), 0, -1):
        key = tuple(said[begin : begin + length])
        if key in _nouns(indoors) and " ".join(key) not in reserved:
            return _nouns(indoors)[key][0], length
    return (), 0
