"""A description in the making: the things it names, what it says of them, and how they are called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random

from bearleft.language.annotated_text import Text
from bearleft.language.descriptions import templates as words
from bearleft.language.descriptions.semantics import Link, Meaning, Ref, Spot
from bearleft.language.lexicon.lexicon import COLOURS, Name, colour_words, names_of
from bearleft.language.noun_phrases import LOOSE, Article, named
from bearleft.language.scene_index import Sight
from bearleft.world.city import palette
from bearleft.world.city.catalog import CLASSES

# What is said before a noun so that no colour goes before it: "a leafy tree", "a big tree", "the yellow cab".
_TINTED = (
    LOOSE
    | frozenset(COLOURS)
    | frozenset(
        ("leafy", "young", "bare", "leafless", "dead", "bronze", "brick", "stone", "closed", "shuttered", "american")
    )
)


@dataclass
class Draft:
    """A description in the making: refs with the things they mean, links, and what was said."""

    random: Random
    sight: Sight
    refs: list[Ref] = field(default_factory=list)
    things: list[int] = field(default_factory=list)
    nouns: list[str] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
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
        random, instance = self.random, int(self.sight.instance[row])
        names = names_of(int(self.sight.kind[row]), int(self.sight.variant[row]))
        if self.part:  # no pole of a light pole
            names = tuple(one for one in names if self.part.split()[-1] not in one.one.split()) or names
        # "There are some stairs": what is plural without being several stands beside others only.
        name = _usual(random, [one for one in names if not (one.mass and one.one.endswith("s"))] if first else names)
        tint = int(self.sight.colour[row])
        spoken = colour_words(palette.NAMES[tint]) if tint >= 0 else ()
        said = ""
        if spoken and random.random() < colour and not _TINTED.intersection(name.one.split()[:-1]):
            said = spoken[0] if random.random() < 0.75 else random.choice(spoken)
        if name.mass and not plural and article == "a" and random.random() >= 0.6:
            article = ""
        text, phrase = named(name, instance, article, said, plural)
        self.refs.append(Ref(phrase))
        self.things.append(instance)
        self.nouns.append(name.one)
        return text, len(self.refs) - 1

    def relation(self, what: str, row: int) -> Text:
        """The words for how a thing stands to another; nobody mounts a door on a house."""
        built = what == "on" and CLASSES[int(self.sight.kind[row])].name in words.BUILT_IN
        return Text(self.random.choice(words.OF if built else words.USUAL[what])).marked("allocentric")

    def again(self, ref: int, it: bool = False, it_share: float = 0.3) -> Text:
        """A thing that was named before."""
        random = self.random
        if it and random.random() < it_share:
            return Text("it").marked("coreference").naming(self.things[ref])
        article = random.choice(("that", "that", "this", "the", "the", "the"))
        tint = ""
        phrase = self.refs[ref].phrase
        if phrase.colours is not None and random.random() < 0.25:
            tint = phrase.words.removeprefix("a ").removeprefix("an ").removesuffix(self.nouns[ref]).strip() + " "
            tint = "" if tint.strip() not in COLOURS else tint
        noun = self.nouns[ref]
        return Text(f"{article} {tint}{noun}").marked("coreference").naming(self.things[ref])


def _usual(random: Random, names: Sequence[Name]) -> Name:
    """One of a thing's names, the plain ones more often."""
    weights = [1.0 if len(name.of) > 4 else 2.5 for name in names]
    return random.choices(list(names), weights)[0]
