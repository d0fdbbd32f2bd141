"""Draft of a description: the objects it names, their relations, and the words used so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from bearleft.language.annotated_text import Text
from bearleft.language.descriptions import templates
from bearleft.language.descriptions.semantics import Meaning, Ref, Relation, Spot
from bearleft.language.lexicon.lexicon import COLOURS, Name, choose_colour_word, choose_name, colour_words, names_of
from bearleft.language.lexicon.trade_names import trade_names
from bearleft.language.noun_phrases import (
    ADJECTIVE_RATE,
    PART_RATE,
    VAGUE_ADJECTIVES,
    Article,
    Look,
    NounHabits,
    choose_attributes,
    is_salient,
    noun_phrase,
)
from bearleft.language.scene_index import Ints, VisibleObjects
from bearleft.language.writer_random import WriterRandom
from bearleft.world.city import palette
from bearleft.world.city.catalog import CLASSES

DESCRIPTION_HABITS = NounHabits(
    adjective=1.25 * ADJECTIVE_RATE, part=2.0 * PART_RATE
)  # targets are described in more detail than landmarks
MAX_READING_METRES = 20.0  # lettering further away is not read
# Modifiers before which no colour is added: "a leafy tree", "a big tree", "the yellow cab".
_COLOURLESS_MODIFIERS = (
    VAGUE_ADJECTIVES
    | frozenset(COLOURS)
    | frozenset(
        ("leafy", "young", "bare", "leafless", "dead", "bronze", "brick", "stone", "closed", "shuttered", "american")
    )
)
# Parts that are written or painted on an object: "with white letters on it".
WRITTEN_PARTS = frozenset(("letters", "lettering", "writing", "text", "characters", "arrow", "stripes", "symbol"))
TRADE_RATE = 0.35  # shops named by their trade
NAME_EVENNESS = 0.36  # targets are called by rarer names than landmarks
COLOUR_RATE = 0.6  # default share of noun phrases with a colour


@dataclass
class Draft:
    """Draft of a description: refs with the instances they mean, relations, and the text so far."""

    random: WriterRandom
    visible: VisibleObjects
    refs: list[Ref] = field(default_factory=list)
    things: list[int] = field(default_factory=list)
    nouns: list[str] = field(default_factory=list)
    plurals: list[bool] = field(default_factory=list)  # whether an object is named by a plural: "some double doors"
    relations: list[Relation] = field(default_factory=list)
    spot: Spot | None = None
    part: str = ""  # part of the target that the text will name
    definite: bool = False  # whether the first object is introduced with "the"
    habits: NounHabits = DESCRIPTION_HABITS
    opening: Text = field(default_factory=lambda: Text(""))
    rest: Text = field(default_factory=lambda: Text(""))
    held: list[str] = field(default_factory=list)  # recorded choices that belong to the last sentence

    @property
    def _look_columns(self) -> tuple[Ints, ...]:
        return self.visible.kind, self.visible.variant, self.visible.first, self.visible.second

    @property
    def meaning(self) -> Meaning:
        """Meaning of the draft so far."""
        return Meaning(tuple(self.refs), tuple(self.relations), self.spot)

    def side(self, ref: int, side: str) -> None:
        """Set the side of a ref."""
        self.refs[ref] = Ref(self.refs[ref].phrase, side, self.refs[ref].pick)

    def name(self, row: int, role: str = "first", plural: int = 0, article: Article = "a") -> tuple[Text, int]:
        """Add a ref to an object; return its noun phrase and the index of the ref.

        Args:
            row: Row of the object.
            role: Role in the text, the key of choices: "first", "anchor" or "target".
            plural: Number of objects to name, 0 for one.
            article: The article.
        """
        random, instance = self.random, int(self.visible.instance[row])
        names = names_of(int(self.visible.kind[row]), int(self.visible.variant[row]))
        lettering = int(self.visible.lettering[row])
        if lettering >= 0 and self.visible.nearest[row] < MAX_READING_METRES and random.random() < TRADE_RATE:
            names = (
                trade_names(CLASSES[int(self.visible.kind[row])].name, lettering, int(self.visible.variant[row]))
                or names
            )
        name = choose_name(random, _usable_names(names, self.part, role == "first"), NAME_EVENNESS)
        palette_index = int(self.visible.colour[row])
        colour_choices = colour_words(palette.COLOUR_NAMES[palette_index]) if palette_index >= 0 else ()
        colour_word = ""
        if (
            colour_choices
            and random.chance(f"colour of {role}", COLOUR_RATE)
            and is_salient(random, palette_index)
            and not _COLOURLESS_MODIFIERS.intersection(name.singular.split()[:-1])
        ):
            colour_word = choose_colour_word(random, palette.COLOUR_NAMES[palette_index])
        if name.mass and not plural and article == "a" and random.chance("bare mass noun", 0.4):
            article = ""
        look = Look(*(int(column[row]) for column in self._look_columns))
        colour_word, attributes = choose_attributes(random, look, name, colour_word, bool(plural), self.habits)
        text, phrase = noun_phrase(name, instance, article, colour_word, plural, attributes)
        if role == "first" and WRITTEN_PARTS.intersection(attributes.after.split()) and random.chance("on it", 0.3):
            text = text + " on it"
        self.refs.append(Ref(phrase))
        self.things.append(instance)
        self.nouns.append(name.singular)
        self.plurals.append(name.mass and name.singular.endswith("s"))
        return text, len(self.refs) - 1

    def forget(self, ref: int) -> None:
        """Drop a ref and all after it, since their words are not used."""
        del self.refs[ref:], self.things[ref:], self.nouns[ref:], self.plurals[ref:]

    def relation(self, kind: str, row: int) -> Text:
        """Return words for a relation; doors are "of" a building rather than "attached to" it."""
        return Text(relation_words(self.random, kind, int(self.visible.kind[row]))).with_annotations("allocentric")

    def refer_again(self, ref: int, role: str, it: bool = False) -> Text:
        """Return a phrase for an object that was named before: a pronoun, or a noun with article.

        Args:
            ref: Index of the ref.
            role: Role in the sentence, the key of choices: "subject", "object" or "last".
            it: Whether a pronoun is unambiguous.
        """
        random = self.random
        form = random.pick(
            f"again {role}", {"the": 10.0, "that": 5.0, "this": 4.0, "it": 5.0 if it and self._neuter(ref) else 0.0}
        )
        if form == "it":
            return Text("it").with_annotations("coreference").with_mentions(self.things[ref])
        noun, phrase = self.nouns[ref], self.refs[ref].phrase
        if self.plurals[ref]:
            form = {"that": "those", "this": "these"}.get(form, form)
        shorter = [
            name.singular for name in names_of_row(self.visible, self.things[ref]) if noun.endswith(f" {name.singular}")
        ]
        if shorter and random.chance("shorter noun", 0.3):
            noun = shorter[0]
        modifier = ""
        if phrase.colours is not None and random.chance(f"colour again {role}", 0.4):
            modifier = phrase.words.removeprefix("the ").removeprefix("a ").removeprefix("an ")
            modifier = modifier.removesuffix(self.nouns[ref]).strip()
            modifier = f"{modifier} " if modifier in COLOURS else ""
        return Text(f"{form} {modifier}{noun}").with_annotations("coreference").with_mentions(self.things[ref])

    def _neuter(self, ref: int) -> bool:
        """Return whether "it" may mean an object: no people, and no plurals."""
        row = self.visible.find(self.things[ref])
        return not self.plurals[ref] and CLASSES[int(self.visible.kind[row])].name != "person"


@lru_cache(maxsize=4096)
def _usable_names(names: tuple[Name, ...], part: str, first: bool) -> tuple[Name, ...]:
    """Return the names of an object that fit its place in the text.

    Args:
        names: All names.
        part: Part of the object that the text will name, "" for none: avoid "the pole of the light pole".
        first: Whether the object is named first: then not by a plural mass name ("There are some stairs").
    """
    if part:
        names = tuple(name for name in names if part.split()[-1] not in name.singular.split()) or names
    return tuple(name for name in names if not (first and name.mass and name.singular.endswith("s")))


def relation_words(random: WriterRandom, kind: str, subject_kind: int) -> str:
    """Return words for a relation of an object of a class; those for left and right are mirrored."""
    if kind == "on" and CLASSES[subject_kind].name in templates.BUILT_IN_NAMES:
        return random.pick("built-in words", templates.BUILT_IN_WORDS)
    if kind == "on" and CLASSES[subject_kind].name in templates.PAINTED_NAMES:
        return random.pick("painted words", templates.PAINTED_WORDS)
    words = random.pick(
        f"{kind.replace('right', 'left')} words", templates.RELATION_WORDS[kind.replace("right", "left")]
    )
    return words.replace("left", "right") if kind == "right" else words


def names_of_row(visible: VisibleObjects, instance: int) -> tuple[Name, ...]:
    """Return the names of a visible object."""
    row = visible.find(instance)
    return tuple(names_of(int(visible.kind[row]), int(visible.variant[row])))
