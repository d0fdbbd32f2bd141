"""A description in the making: the things it names, what it says of them, and how they are called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random

from bearleft.language.annotated_text import Text
from bearleft.language.descriptions import templates
from bearleft.language.descriptions.semantics import Meaning, Ref, Relation, Spot
from bearleft.language.lexicon.lexicon import COLOURS, Name, colour_words, names_of
from bearleft.language.noun_phrases import VAGUE_ADJECTIVES, Article, noun_phrase
from bearleft.language.scene_index import VisibleObjects
from bearleft.world.city import palette
from bearleft.world.city.catalog import CLASSES

# What is said before a noun so that no colour goes before it: "a leafy tree", "a big tree", "the yellow cab".
_COLOURLESS_MODIFIERS = (
    VAGUE_ADJECTIVES
    | frozenset(COLOURS)
    | frozenset(
        ("leafy", "young", "bare", "leafless", "dead", "bronze", "brick", "stone", "closed", "shuttered", "american")
    )
)


@dataclass
class Draft:
    """A description in the making: refs with the things they mean, links, and what was said."""

    random: Random
    visible: VisibleObjects
    refs: list[Ref] = field(default_factory=list)
    things: list[int] = field(default_factory=list)
    nouns: list[str] = field(default_factory=list)
    links: list[Relation] = field(default_factory=list)
    spot: Spot | None = None
    part: str = ""  # that will be named
    opening: Text = field(default_factory=lambda: Text(""))
    rest: Text = field(default_factory=lambda: Text(""))

    @property
    def meaning(self) -> Meaning:
        """What it says so far."""
        return Meaning(tuple(self.refs), tuple(self.links), self.spot)

    def side(self, ref: int, side: str) -> None:
        """Says on which side a thing is."""
        self.refs[ref] = replace(self.refs[ref], side=side)

    def name(
        self, row: int, colour: float = 0.6, plural: int = 0, article: Article = "a", first: bool = True
    ) -> tuple[Text, int]:
        """A new ref to a thing, and its noun phrase."""
        random, instance = self.random, int(self.visible.instance[row])
        names = names_of(int(self.visible.kind[row]), int(self.visible.variant[row]))
        if self.part:  # no pole of a light pole
            names = tuple(one for one in names if self.part.split()[-1] not in one.singular.split()) or names
        # "There are some stairs": what is plural without being several stands beside others only.
        name = _choose_name(random, [one for one in names if not (one.mass and one.singular.endswith("s"))] if first else names)
        tint = int(self.visible.colour[row])
        spoken = colour_words(palette.COLOUR_NAMES[tint]) if tint >= 0 else ()
        said = ""
        if spoken and random.random() < colour and not _COLOURLESS_MODIFIERS.intersection(name.singular.split()[:-1]):
            said = spoken[0] if random.random() < 0.75 else random.choice(spoken)
        if name.mass and not plural and article == "a" and random.random() >= 0.6:
            article = ""
        text, phrase = noun_phrase(name, instance, article, said, plural)
        self.refs.append(Ref(phrase))
        self.things.append(instance)
        self.nouns.append(name.singular)
        return text, len(self.refs) - 1

    def relation(self, what: str, row: int) -> Text:
        """The words for how a thing stands to another; nobody mounts a door on a house."""
        built = what == "on" and CLASSES[int(self.visible.kind[row])].name in templates.BUILT_IN_NAMES
        return Text(self.random.choice(templates.BUILT_IN_RELATIONS if built else templates.COMMON_RELATIONS[what])).with_marks("allocentric")

    def again(self, ref: int, it: bool = False, it_share: float = 0.3) -> Text:
        """A thing that was named before."""
        random = self.random
        if it and random.random() < it_share:
            return Text("it").with_marks("coreference").with_mentions(self.things[ref])
        article = random.choice(("that", "that", "this", "the", "the", "the"))
        tint = ""
        phrase = self.refs[ref].phrase
        if phrase.colours is not None and random.random() < 0.25:
            tint = phrase.words.removeprefix("a ").removeprefix("an ").removesuffix(self.nouns[ref]).strip() + " "
            tint = "" if tint.strip() not in COLOURS else tint
        noun = self.nouns[ref]
        return Text(f"{article} {tint}{noun}").with_marks("coreference").with_mentions(self.things[ref])


def _choose_name(random: Random, names: Sequence[Name]) -> Name:
    """One of a thing's names, the plain ones more often."""
    weights = [1.0 if len(name.denotes) > 4 else 2.5 for name in names]
    return random.choices(list(names), weights)[0]
