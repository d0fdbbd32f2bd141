"""Noun phrases of the room: things by pattern, colour and type, and the four walls."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from bearleft.language.analysis.tokens import tokens
from bearleft.language.annotated_text import Text
from bearleft.language.arramon_assembly import templates as words
from bearleft.language.arramon_assembly.semantics import Ref, Thing, wall_number
from bearleft.language.noun_phrases import chunked
from bearleft.world.arramon.room import WALLS

ARTICLES = frozenset(("the", "a", "an", "that", "this", "your", "another"))
VERBS = frozenset(("place", "put", "drop", "set", "leave", "down"))  # after which "it" is what one carries
APART = {"infront": ("in", "front"), "ontop": ("on", "top"), "inbetween": ("in", "between")}  # as people write them
_WALLS = {tuple(name.split()): wall for wall, names in words.READ_WALLS.items() for name in names}
SPOTTED, FLIPPED = 0.1, 0.12  # how often a dotted thing is called spotted, and the colour comes first


@dataclass(frozen=True, slots=True)
class It:
    """ "It": what one carries."""


Phrase: TypeAlias = Thing | int | It  # an int is a wall


def called(random: Random, ref: Ref, article: str = "the") -> Text:
    """A thing, by what its phrase says of itself."""
    said = [random.choice(words.NOUNS[ref.type])] if not ref.two else [words.MANY[ref.type]]
    pattern = ref.pattern
    if pattern == "dotted" and random.random() < SPOTTED:
        pattern = words.PATTERNS[pattern][1]
    before = [word for word in (pattern, ref.colour) if word]
    if len(before) == 2 and random.random() < FLIPPED:
        before.reverse()
    two = ["two"] if ref.two else []
    return Text(" ".join([article, *two, *before, *said])).marked("unique entity")


def called_wall(random: Random, wall: int) -> Text:
    """A wall under one of its names, mostly the first."""
    names = words.WALLS[WALLS[wall]]
    return Text(f"the {names[0] if random.random() < 0.8 else random.choice(names)} wall").marked("unique entity")


def chunk(string: str) -> tuple[list[str], list[Phrase]]:
    """The text as tokens, every noun phrase being "@k"."""
    return chunked([word for token in tokens(string) for word in APART.get(token, (token,))], _read)


def _read(said: list[str], begin: int) -> tuple[Phrase | None, int]:
    """The noun phrase that begins at a token, and where it ends."""
    if said[begin] == "it" and begin and said[begin - 1] in VERBS:
        return It(), begin + 1
    k = begin + (said[begin] in ARTICLES or said[begin] == "both")
    k += k < len(said) and said[k] in ARTICLES
    wall, end = _wall(said, k)
    if wall is not None:
        return wall, end
    two = k < len(said) and said[k] == "two"
    k += two
    pattern = colour = None
    while k < len(said):
        if pattern is None and said[k] in words.READ_PATTERNS:
            pattern = words.READ_PATTERNS[said[k]]
        elif colour is None and said[k] in words.READ_COLOURS:
            colour = words.READ_COLOURS[said[k]]
        else:
            break
        k += 1
    if k == len(said) or said[k] not in words.READ_NOUNS:
        return None, begin
    kind, many = words.READ_NOUNS[said[k]]
    return Ref(kind, colour, pattern, two=two or many), k + 1


def _wall(said: list[str], begin: int) -> tuple[int | None, int]:
    """The wall named at a token: "brick wall", or "brick" where "and wooden walls" follows."""
    for length in (2, 1):
        name = _WALLS.get(tuple(said[begin : begin + length]))
        end = begin + length
        if name is None:
            continue
        if said[end : end + 1] in (["wall"], ["walls"]):
            return wall_number(name), end + 1
        if said[end : end + 1] == ["and"]:
            after = end + 1 + (said[end + 1 : end + 2] == ["the"])
            if any(
                tuple(said[after : after + more]) in _WALLS and said[after + more : after + more + 1] == ["walls"]
                for more in (1, 2)
            ):
                return wall_number(name), end
    return None, begin
