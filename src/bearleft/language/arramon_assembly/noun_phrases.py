"""Noun phrases of the room: items by pattern, colour and type, and the four walls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from bearleft.language.analysis.tokens import tokens
from bearleft.language.annotated_text import Text
from bearleft.language.arramon_assembly import templates
from bearleft.language.arramon_assembly.semantics import ItemPhrase, ReferentPhrase, wall_index
from bearleft.language.noun_phrases import chunk_tokens
from bearleft.language.writer_random import WriterRandom
from bearleft.world.arramon.room import WALLS

ARTICLES = frozenset(("the", "a", "an", "that", "this", "your", "another"))
PLACE_VERBS = frozenset(("place", "put", "drop", "set", "leave", "down"))  # after which "it" is the carried item
SPLIT_WORDS = {
    "infront": ("in", "front"),
    "ontop": ("on", "top"),
    "inbetween": ("in", "between"),
}  # common misspellings
_WALL_NAMES = {tuple(name.split()): wall for wall, names in templates.READ_WALLS.items() for name in names}
ITEM_ARTICLES = {"the": 0.94, "a": 0.01, "": 0.05}
SPOTTED_RATE, COLOUR_FIRST_RATE = 0.05, 0.1  # how often a dotted item is called spotted, and the colour comes first
WALL_NAME_WEIGHTS = (0.75, 0.15, 0.1)


@dataclass(frozen=True, slots=True)
class CarriedItem:
    """The pronoun "it" for the carried item."""


Phrase: TypeAlias = ReferentPhrase | int | CarriedItem  # an int is a wall


def item_noun_phrase(random: WriterRandom, phrase: ItemPhrase, carried: bool = False) -> Text:
    """Return a noun phrase for an item with the attributes of its phrase; the carried one has an article."""
    noun = templates.MANY[phrase.type] if phrase.two else phrase.type
    if phrase.type == "tv" and not random.chance("capital TV", 0.4):
        noun = noun.lower()
    elif phrase.type == "tv" and not phrase.two:
        noun = "TV"
    pattern = phrase.pattern
    if pattern == "dotted" and random.chance("spotted", SPOTTED_RATE):
        pattern = templates.PATTERNS[pattern][1]
    adjectives = [word for word in (pattern, phrase.colour) if word]
    if len(adjectives) == 2 and random.chance("colour first", COLOUR_FIRST_RATE):
        adjectives.reverse()
    article = "the"
    if adjectives and not phrase.two:
        # "a" introduces an item that is not carried.
        article = random.pick("article of an item", ITEM_ARTICLES if not carried else ITEM_ARTICLES | {"a": 0.0})
    words = f"{article} {'two ' if phrase.two else ''}{' '.join([*adjectives, noun])}".strip()
    return Text(words).with_annotations("unique entity")


def wall_noun_phrase(random: WriterRandom, wall: int) -> Text:
    """Return a name of a wall, usually the first."""
    article = random.pick("article of a wall", {"the": 0.93, "": 0.07})
    return Text(f"{article} {wall_name(random, wall)} wall".strip()).with_annotations("unique entity")


def wall_name(random: WriterRandom, wall: int) -> str:
    """Return the word for a wall without article."""
    names = templates.WALLS[WALLS[wall]]
    return random.pick(f"wall {WALLS[wall]}", dict(zip(names, WALL_NAME_WEIGHTS, strict=False)))


def chunk(string: str) -> tuple[list[str], list[Phrase]]:
    """Return the tokens of a text with each noun phrase as "@k", and the phrases."""
    return chunk_tokens([word for token in tokens(string) for word in SPLIT_WORDS.get(token, (token,))], _read_phrase)


def _read_phrase(text_tokens: list[str], begin: int) -> tuple[Phrase | None, int]:
    """Return the noun phrase that begins at a token, and its end."""
    if text_tokens[begin] == "it" and begin and text_tokens[begin - 1] in PLACE_VERBS:
        return CarriedItem(), begin + 1
    k = begin + (text_tokens[begin] in ARTICLES or text_tokens[begin] == "both")
    k += k < len(text_tokens) and text_tokens[k] in ARTICLES
    wall, end = _read_wall(text_tokens, k)
    if wall is not None:
        return wall, end
    two = k < len(text_tokens) and text_tokens[k] == "two"
    k += two
    pattern = colour = None
    while k < len(text_tokens):
        if pattern is None and text_tokens[k] in templates.READ_PATTERNS:
            pattern = templates.READ_PATTERNS[text_tokens[k]]
        elif colour is None and text_tokens[k] in templates.READ_COLOURS:
            colour = templates.READ_COLOURS[text_tokens[k]]
        else:
            break
        k += 1
    if k == len(text_tokens) or text_tokens[k] not in templates.READ_NOUNS:
        return None, begin
    kind, plural = templates.READ_NOUNS[text_tokens[k]]
    return ItemPhrase(kind, colour, pattern, two=two or plural), k + 1


def _read_wall(text_tokens: list[str], begin: int) -> tuple[int | None, int]:
    """Return the wall named at a token: "brick wall", or "brick" where "and wooden walls" follows."""
    for length in (2, 1):
        name = _WALL_NAMES.get(tuple(text_tokens[begin : begin + length]))
        end = begin + length
        if name is None:
            continue
        if text_tokens[end : end + 1] in (["wall"], ["walls"]):
            return wall_index(name), end + 1
        if text_tokens[end : end + 1] == ["and"]:
            second_wall = end + 1 + (text_tokens[end + 1 : end + 2] == ["the"])
            if any(
                tuple(text_tokens[second_wall : second_wall + second_length]) in _WALL_NAMES
                and text_tokens[second_wall + second_length : second_wall + second_length + 1] == ["walls"]
                for second_length in (1, 2)
            ):
                return wall_index(name), end
    return None, begin
