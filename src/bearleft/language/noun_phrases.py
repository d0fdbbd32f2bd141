"""Noun phrases: naming an object, with colours and other attributes that its picture shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from random import Random
from typing import Literal, NamedTuple

from bearleft.language.analysis.tokens import tokens
from bearleft.language.annotated_text import Text
from bearleft.language.lexicon.adjectives import Adjective
from bearleft.language.lexicon.attributes import (
    SaidPart,
    adjectives_of,
    colour_pair,
    poses_of,
    said_colour,
    sayable_parts,
)
from bearleft.language.lexicon.lexicon import (
    COLOURS,
    Name,
    choose_colour_word,
    choose_name,
    colour_words,
    denotation,
    names_of,
    number_word,
)
from bearleft.language.lexicon.object_colours import main_colour
from bearleft.language.lexicon.trade_names import lettering_indices, trade_names
from bearleft.language.phrases import (
    ARTICLES,
    DEMONSTRATIVES,
    INTENSIFIERS,
    NARROWING_ADJECTIVES,
    NOUN_FORMS,
    PRONOUNS,
    VAGUE_ADJECTIVES,
    Feature,
    Flags,
    Modifiers,
    ObjectColumns,
    Phrase,
    bare_noun,
    chunk,
    chunk_tokens,
    colour_mask,
    head_words,
    match,
    palette_colours,
    read_attributes,
)
from bearleft.language.scene_index import SceneIndex
from bearleft.language.writer_random import happens
from bearleft.world.city import palette
from bearleft.world.city.catalog import CLASSES

__all__ = [
    "ARTICLES",
    "DEMONSTRATIVES",
    "PLAIN",
    "PRONOUNS",
    "VAGUE_ADJECTIVES",
    "Article",
    "Attributes",
    "Feature",
    "Flags",
    "Look",
    "NounHabits",
    "ObjectColumns",
    "Phrase",
    "bare_noun",
    "choose_attributes",
    "chunk",
    "chunk_tokens",
    "colour_mask",
    "head_words",
    "indefinite_article",
    "is_salient",
    "match",
    "name_object",
    "noun_phrase",
    "palette_colours",
]
Article = Literal["a", "the", "this", "that", ""]

# Shares of the noun phrases that allow it, in real texts.
PAIR_RATE, ROOM_PAIR_RATE = 0.25, 0.06
ADJECTIVE_RATE = 0.12
PART_RATE, ROOM_PART_RATE = 0.22, 0.3
CLOTHES_RATE = 0.6
POSE_RATE = 0.3
RELATIVE_RATE = 0.12
HYPHEN_RATE = 0.05  # of colour pairs: "red-and-white"
ADJECTIVE_EXPONENT = 0.65  # of weights: rare adjectives are many
INTENSIFIER_RATE = 0.1  # of vague adjectives
PREDICATE_SHARE = 0.3  # of relative clauses that say a colour: "that is red"
# How often colours are said relative to the others, where they are not 1.
COLOUR_SALIENCE = {
    "leaf": 0.25,
    "grass": 0.25,
    "dark green": 0.6,
    "green": 0.8,
    "bark": 0.4,
    "brown": 0.7,
    "beige": 0.6,
    "grey": 0.45,
    "steel": 0.4,
    "concrete": 0.4,
    "silver": 0.6,
    "dark grey": 0.45,
    "limestone": 0.45,
    "purple": 0.8,
}
GRADABLE_ADJECTIVES = frozenset(("large", "big", "small", "little", "tall", "high", "long", "short", "low", "colorful"))
ROOM_NAME_EVENNESS = 0.4  # things in rooms are called by rarer names than those of streets
TRADE_RATE = 0.15  # shops named by their trade
TYPICAL_WEIGHT = 6.0  # an object whose parts have less weight is described less often


@dataclass(frozen=True)
class NounHabits:
    """How often one writer says what of an object, each as a share of the noun phrases that allow it."""

    pair: float = PAIR_RATE  # "red and white", where an object shows two colours
    adjective: float = ADJECTIVE_RATE  # "large", "round", "metal"
    part: float = PART_RATE  # "with white letters"
    clothes: float = CLOTHES_RATE  # "in a blue shirt", of people
    pose: float = POSE_RATE  # "walking"
    relative: float = RELATIVE_RATE  # "that has" rather than "with", "that is red" rather than "red"

    @classmethod
    def draw(cls, random: Random) -> NounHabits:
        """Return the habits of a random writer: each rate varies by a factor, around the mean of all writers."""
        factors = [2.0 * random.random() for _ in range(6)]
        rates = (PAIR_RATE, ADJECTIVE_RATE, PART_RATE, CLOTHES_RATE, POSE_RATE, RELATIVE_RATE)
        return cls(*(min(rate * factor, 1.0) for rate, factor in zip(rates, factors, strict=True)))


MEAN_HABITS = NounHabits()
ROOM_HABITS = NounHabits(pair=ROOM_PAIR_RATE, part=ROOM_PART_RATE)


def name_object(
    random: Random,
    scene: SceneIndex,
    instance: int,
    article: Article = "a",
    colour: bool | None = None,
    plural: int = 0,
    habits: NounHabits | None = None,
) -> tuple[Text, Phrase]:
    """Return a random noun phrase for an object, and its meaning.

    Args:
        random: Source of randomness.
        scene: The scene that holds the object.
        instance: Instance number of the object.
        article: Article to use.
        colour: Whether to mention the colour; None decides at random.
        plural: Number of objects to name ("two hydrants"), 0 for one object.
        habits: How often the writer mentions other attributes; None for the mean of all writers.
    """
    index = instance - 1
    look = Look.of(scene, index)
    habits = habits or (ROOM_HABITS if scene.plan.indoors else MEAN_HABITS)
    name = choose_noun(random, look, int(scene.letterings[index]), scene.plan.indoors)
    palette_index = int(scene.colours[index])
    colour_word = ""
    said = colour or (colour is None and happens(random, "noun: colour", 0.5))
    if palette_index >= 0 and said and is_salient(random, palette_index):
        colour_word = choose_colour_word(random, palette.COLOUR_NAMES[palette_index])
    colour_word, attributes = choose_attributes(random, look, name, colour_word, bool(plural), habits)
    return noun_phrase(name, instance, article, colour_word, plural, attributes)


def choose_noun(random: Random, look: Look, lettering: int, indoors: bool = False) -> Name:
    """Return a random name of an object, sometimes by what is written on it: "pizza place"."""
    if lettering >= 0 and not indoors and happens(random, "noun: trade", TRADE_RATE):
        names = trade_names(CLASSES[look.kind].name, lettering, look.variant)
        if names:
            return choose_name(random, names)
    return choose_name(random, names_of(look.kind, look.variant, indoors), ROOM_NAME_EVENNESS if indoors else 0.0)


def is_salient(random: Random, colour: int) -> bool:
    """Return whether a colour (palette index) strikes a writer enough to be said; leaves are green anyway."""
    return random.random() < COLOUR_SALIENCE.get(palette.COLOUR_NAMES[colour], 1.0)


class Look(NamedTuple):
    """What the picture of an object depends on: its class, variant and paints."""

    kind: int
    variant: int
    first: int  # palette index
    second: int

    @classmethod
    def of(cls, scene: SceneIndex, index: int) -> Look:
        """Return the look of an object by its index in the plan."""
        return cls(
            int(scene.plan.things["kind"][index]),
            int(scene.variants[index]),
            int(scene.plan.things["first"][index]),
            int(scene.plan.things["second"][index]),
        )


def choose_attributes(
    random: Random,
    look: Look,
    name: Name,
    colour: str = "",
    plural: bool = False,
    habits: NounHabits = MEAN_HABITS,
) -> tuple[str, Attributes]:
    """Return the colour word to say before a noun ("" if it is said otherwise), and other attributes.

    Args:
        random: Source of randomness.
        look: Look of the object.
        name: Its name.
        colour: The word for its main colour, "" if it is not mentioned.
        plural: Whether several objects are named; then nothing is said of parts.
        habits: Habits of the writer.
    """
    before: list[str] = []
    spoken = [colour]
    after = ""
    pair = colour_pair(*look)
    if pair is not None and happens(random, "noun: colour pair", habits.pair):
        words = [choose_colour_word(random, palette.COLOUR_NAMES[index]) for index in pair]
        hyphenated = not any(" " in word or "-" in word for word in words) and random.random() < HYPHEN_RATE
        colour, before, spoken = "", [("-and-" if hyphenated else " and ").join(words)], words
    adjective = ""
    if happens(random, "noun: adjective", habits.adjective):
        options = [
            adjective
            for adjective in _fitting_adjectives(look.kind, look.variant, name)
            if adjective.word not in " ".join(spoken).split()
            and not any(f"{adjective.word} {word}" in COLOURS for word in spoken)  # "plain" and "white"
        ]
        if options:
            chosen = random.choices(options, [option.weight**ADJECTIVE_EXPONENT for option in options])[0]
            adjective = chosen.word
            before = [*before, adjective] if chosen.narrows else [_intensified(random, adjective), *before]
    if not plural and not name.mass:
        after = _choose_after(random, look, name, spoken, habits)
    if colour and adjective and adjective in NARROWING_ADJECTIVES:  # "a red metal bench"
        return "", Attributes(f"{colour} {adjective}", after)
    if colour and not after and not plural and happens(random, "noun: that is", habits.relative * PREDICATE_SHARE):
        return "", Attributes(" ".join(before), f"that is {colour}")
    return colour, Attributes(" ".join(before), after)


def _intensified(random: Random, adjective: str) -> str:
    """Return a vague adjective of size, seldom with an adverb: "very tall"."""
    if adjective not in GRADABLE_ADJECTIVES or random.random() >= INTENSIFIER_RATE:
        return adjective
    return f"{random.choices(list(INTENSIFIERS), list(INTENSIFIERS.values()))[0]} {adjective}"


def _choose_after(random: Random, look: Look, name: Name, spoken: Sequence[str], habits: NounHabits) -> str:
    """Return an attribute after the noun, often ""."""
    poses = poses_of(look.kind, look.variant)
    if poses and happens(random, "noun: pose", habits.pose):
        options = [pose for pose in poses if not set(pose.word.split()) & set(name.singular.split())]
        if options:
            return random.choices(options, [pose.weight for pose in options])[0].word
    parts = _news(look, name, tuple(spoken))
    clothes = [part for part in parts if part.clothes]
    if clothes and happens(random, "noun: clothes", habits.clothes):
        part = random.choices(clothes, [part.weight for part in clothes])[0]
        link = random.choices(("in", "wearing", "dressed in"), (5, 2, 0.3))[0]
    else:
        parts = tuple(part for part in parts if not part.clothes)
        typical = min(1.0, sum(part.weight for part in parts) / TYPICAL_WEIGHT)
        if random.random() >= typical or not happens(random, "noun: part", habits.part):
            return ""
        part = random.choices(parts, [part.weight for part in parts])[0]
        links = ("that has", "which has", "having") if happens(random, "noun: that has", habits.relative) else ("with",)
        link = random.choices(links, (6, 1, 0.5)[: len(links)])[0]
    words = part.word
    if part.code >= 0:
        words = f"{choose_colour_word(random, palette.COLOUR_NAMES[said_colour(part.code, *look[2:])])} {words}"
    article = indefinite_article(words) if part.article else ""
    return f"{link} {article}{words}"


@lru_cache(maxsize=65536)
def _news(look: Look, name: Name, spoken: tuple[str, ...]) -> tuple[SaidPart, ...]:
    """Return the parts that say more than the name and the colours before it."""
    return tuple(part for part in sayable_parts(look.kind, look.variant) if _is_news(part, look, name, spoken))


def _is_news(part: SaidPart, look: Look, name: Name, spoken: Sequence[str]) -> bool:
    """Return whether a part says more than the name and the colours before it: not "a red awning with a red top"."""
    if set(part.word.split()) & set(name.singular.split()):
        return False
    if part.code < 0:
        return True
    index = said_colour(part.code, look.first, look.second)
    words = colour_words(palette.COLOUR_NAMES[index]) if index >= 0 else ()
    main = main_colour(*look)
    return (
        bool(words)
        and not set(spoken) & set(words)
        and not (main >= 0 and words[0] in colour_words(palette.COLOUR_NAMES[main]))
    )


@cache
def _fitting_adjectives(kind: int, variant: int, name: Name) -> tuple[Adjective, ...]:
    """Return the adjectives that may be said of an object before a name."""
    noun = set(name.singular.split())
    return tuple(
        adjective
        for adjective in adjectives_of(kind, variant)
        if not _clashes(adjective.word, noun) and not _is_misread(adjective.word, name)
    )


def _is_misread(adjective: str, name: Name) -> bool:
    """Return whether an adjective and the first words of a name form another name: "square clock" of "clock face"."""
    words = name.singular.split()
    return any(f"{adjective} {' '.join(words[: k + 1])}" in NOUN_FORMS for k in range(len(words)))


def _clashes(adjective: str, noun: set[str]) -> bool:
    """Return whether a noun already has an adjective of the same sort: no "metal wooden bench"."""
    narrowing = adjective in NARROWING_ADJECTIVES
    return adjective in noun or any(
        word in NARROWING_ADJECTIVES if narrowing else word in VAGUE_ADJECTIVES for word in noun
    )


class Attributes(NamedTuple):
    """Words around a noun besides its colour: adjectives before it, and what follows it."""

    before: str = ""  # "large", "red and white striped"
    after: str = ""  # "with white letters", "that is red"


PLAIN = Attributes()


def noun_phrase(
    name: Name, instance: int, article: Article = "a", colour: str = "", plural: int = 0, attributes: Attributes = PLAIN
) -> tuple[Text, Phrase]:
    """Return the noun phrase for a given name, colour word and attributes, and its meaning."""
    if colour.rpartition(" ")[2] in name.singular.split():
        colour = ""  # not "a yellow yellow cab"
    noun = " ".join(filter(None, (attributes.before, colour, name.plural if plural else name.singular)))
    words = f"{_article(article, noun, plural, name.mass)}{noun}"
    coreferent = article in ("this", "that")
    table, colours = denotation(name), palette_colours(colour)
    features: tuple[Feature, ...] = ()
    if attributes != PLAIN:
        words = f"{words} {attributes.after}".rstrip()
        table, said_colours, features = _attribute_meaning(name, attributes)
        colours = colours if colour else said_colours
    phrase = Phrase(
        words,
        table,
        colours,
        max(plural, 1),
        plural=bool(plural),
        coreferent=coreferent,
        features=features,
        letterings=lettering_indices(name.letterings) if name.letterings else None,
    )
    return Text(words).with_annotations("unique entity").with_mentions(instance), phrase


@lru_cache(maxsize=65536)
def _attribute_meaning(name: Name, attributes: Attributes) -> tuple[Flags, frozenset[int] | None, tuple[Feature, ...]]:
    """Return the classes and variants, the colours and the features of a name with attributes."""
    before = Modifiers()
    words = tokens(attributes.before)
    assert before.read(words, 0, lambda _: 0) == len(words), attributes.before
    table = before.narrow(denotation(name))
    words = tokens(attributes.after)
    table, colours, features, end = read_attributes(words, 0, table, {}, definite=True)
    assert end == len(words), attributes.after
    return table, before.colours or colours, before.features + features


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
