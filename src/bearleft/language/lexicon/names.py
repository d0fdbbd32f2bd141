"""Names of objects and the classes that each name denotes.

Denotations are complete in both directions: people may use a name for every object that it denotes, and every object
that people would call by the name is denoted. A name that fits only one object of a scene therefore identifies it.
"""

from __future__ import annotations

from typing import NamedTuple

Denotation = tuple[tuple[str, tuple[int, ...] | None], ...]


class Name(NamedTuple):
    """A name, its plural, and the classes it denotes, each with its variants (None: all).

    The variant of a building is its style. A `mass` name takes no "a" and has no plural: "scaffolding", "doors".
    `weight` is how often the name is chosen, relative to the other names of an object. A name with `letterings` denotes
    only objects that show one of these texts.
    """

    singular: str
    plural: str
    denotes: Denotation
    mass: bool = False
    weight: float = 1.0
    letterings: tuple[str, ...] = ()

    def __hash__(self) -> int:
        # Names are keys of caches; hashing a long denotation would take longer than what they save.
        return hash((self.singular, self.weight))


RARE_WEIGHT = 0.12  # of the first of several rare names

IRREGULAR = {
    "person": "people", "man": "men", "woman": "women", "child": "children", "bus": "buses", "bench": "benches",
    "box": "boxes", "bush": "bushes", "church": "churches", "arch": "arches",
    "lady": "ladies", "business": "businesses", "glass": "glasses", "switch": "switches", "dish": "dishes",
    "shelf": "shelves", "bookshelf": "bookshelves", "couch": "couches", "wineglass": "wineglasses",
    "balcony": "balconies", "canopy": "canopies", "puppy": "puppies",
}  # fmt: skip


def plural(singular: str) -> str:
    """Return the plural of a noun or compound noun."""
    modifiers, space, last = singular.rpartition(" ")
    for ending, plural_ending in IRREGULAR.items():
        if last == ending or (last.endswith(ending) and ending in ("man", "box")):
            return modifiers + space + last[: len(last) - len(ending)] + plural_ending
    return singular + "s"


def names(
    spoken: str, *kinds: str | tuple[str, tuple[int, ...]], mass: bool = False, weight: float = 1.0
) -> list[Name]:
    """Return names with the same denotation.

    Args:
        spoken: The singulars, separated by commas, the most frequent first: the k-th has 1/k of the weight.
        *kinds: Classes, each with its variants or alone for all of them.
        mass: Whether the names take no "a" and have no plural.
        weight: Weight of the first name.
    """
    denotation: Denotation = tuple((singular, None) if isinstance(singular, str) else singular for singular in kinds)
    return [
        Name(singular, singular if mass else plural(singular), denotation, mass, weight / (1 + rank))
        for rank, singular in enumerate(spoken.split(", "))
    ]


def rare_names(spoken: str, *kinds: str | tuple[str, tuple[int, ...]]) -> list[Name]:
    """Return names that few people use."""
    return names(spoken, *kinds, weight=RARE_WEIGHT)


def mass_names(spoken: str, *kinds: str | tuple[str, tuple[int, ...]], weight: float = 1.0) -> list[Name]:
    """Return mass names, which take no "a"."""
    return names(spoken, *kinds, mass=True, weight=weight)


def merge_names(*tables: tuple[Name, ...]) -> tuple[Name, ...]:
    """Merge tables of names; a name denotes everything that it denotes in any of them."""
    merged: dict[str, Name] = {}
    for name in (name for table in tables for name in table):
        previous = merged.get(name.singular, name._replace(denotes=()))
        merged[name.singular] = previous._replace(denotes=tuple(dict.fromkeys(previous.denotes + name.denotes)))
    return tuple(merged.values())
