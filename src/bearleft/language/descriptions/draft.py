"""Draft of a description: the objects it names, their relations, and the words used so far."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random

from bearleft.language.annotated_text import Text
from bearleft.language.descriptions import templates
from bearleft.language.descriptions.semantics import Meaning, Ref, Relation, Spot
from bearleft.language.lexicon.lexicon import COLOURS, choose_colour_word, choose_name, colour_words, names_of
from bearleft.language.noun_phrases import (
    PART_RATE,
    VAGUE_ADJECTIVES,
    Article,
    Look,
    NounHabits,
    choose_attributes,
    noun_phrase,
)
from bearleft.language.scene_index import Ints, VisibleObjects
from bearleft.world.city import palette
from bearleft.world.city.catalog import CLASSES

DESCRIPTION_HABITS = NounHabits(part=1.8 * PART_RATE)  # targets are described in more detail than landmarks
# Modifiers before which no colour is added: "a leafy tree", "a big tree", "the yellow cab".
_COLOURLESS_MODIFIERS = (
    VAGUE_ADJECTIVES
    | frozenset(COLOURS)
    | frozenset(
        ("leafy", "young", "bare", "leafless", "dead", "bronze", "brick", "stone", "closed", "shuttered", "american")
    )
)


@dataclass
class Draft:
    """Draft of a description: refs with the instances they mean, relations, and the text so far."""

    random: Random
    visible: VisibleObjects
    refs: list[Ref] = field(default_factory=list)
    things: list[int] = field(default_factory=list)
    nouns: list[str] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    spot: Spot | None = None
    part: str = ""  # part of the target that the text will name
    habits: NounHabits = DESCRIPTION_HABITS
    opening: Text = field(default_factory=lambda: Text(""))
    rest: Text = field(default_factory=lambda: Text(""))

    @property
    def _look_columns(self) -> tuple[Ints, ...]:
        return self.visible.kind, self.visible.variant, self.visible.first, self.visible.second

    @property
    def meaning(self) -> Meaning:
        """Meaning of the draft so far."""
        return Meaning(tuple(self.refs), tuple(self.relations), self.spot)

    def side(self, ref: int, side: str) -> None:
        """Set the side of a ref."""
        self.refs[ref] = replace(self.refs[ref], side=side)

    def name(
        self, row: int, colour: float = 0.6, plural: int = 0, article: Article = "a", first: bool = True
    ) -> tuple[Text, int]:
        """Add a ref to an object; return its noun phrase and the index of the ref."""
        random, instance = self.random, int(self.visible.instance[row])
        names = names_of(int(self.visible.kind[row]), int(self.visible.variant[row]))
        if self.part:  # avoid "the pole of the light pole"
            names = (
                tuple(candidate for candidate in names if self.part.split()[-1] not in candidate.singular.split())
                or names
            )
        # Plural mass names ("There are some stairs") are only used for objects that are not named first.
        name = choose_name(
            random,
            [candidate for candidate in names if not (candidate.mass and candidate.singular.endswith("s"))]
            if first
            else names,
        )
        palette_index = int(self.visible.colour[row])
        colour_choices = colour_words(palette.COLOUR_NAMES[palette_index]) if palette_index >= 0 else ()
        colour_word = ""
        if (
            colour_choices
            and random.random() < colour
            and not _COLOURLESS_MODIFIERS.intersection(name.singular.split()[:-1])
        ):
            colour_word = choose_colour_word(random, palette.COLOUR_NAMES[palette_index])
        if name.mass and not plural and article == "a" and random.random() >= 0.6:
            article = ""
        look = Look(*(int(column[row]) for column in self._look_columns))
        colour_word, attributes = choose_attributes(random, look, name, colour_word, bool(plural), self.habits)
        text, phrase = noun_phrase(name, instance, article, colour_word, plural, attributes)
        self.refs.append(Ref(phrase))
        self.things.append(instance)
        self.nouns.append(name.singular)
        return text, len(self.refs) - 1

    def relation(self, kind: str, row: int) -> Text:
        """Return words for a relation; doors are "of" a building rather than "mounted on" it."""
        built = kind == "on" and CLASSES[int(self.visible.kind[row])].name in templates.BUILT_IN_NAMES
        return Text(
            self.random.choice(templates.BUILT_IN_RELATIONS if built else templates.COMMON_RELATIONS[kind])
        ).with_annotations("allocentric")

    def refer_again(self, ref: int, it: bool = False, it_share: float = 0.3) -> Text:
        """Return a phrase for an object that was named before: a pronoun, or a noun with article."""
        random = self.random
        if it and random.random() < it_share:
            return Text("it").with_annotations("coreference").with_mentions(self.things[ref])
        article = random.choice(("that", "that", "this", "the", "the", "the"))
        modifier = ""
        phrase = self.refs[ref].phrase
        if phrase.colours is not None and random.random() < 0.25:
            modifier = phrase.words.removeprefix("a ").removeprefix("an ").removesuffix(self.nouns[ref]).strip() + " "
            modifier = "" if modifier.strip() not in COLOURS else modifier
        noun = self.nouns[ref]
        return Text(f"{article} {modifier}{noun}").with_annotations("coreference").with_mentions(self.things[ref])
