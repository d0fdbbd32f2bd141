"""What people call things: every name with what it may denote.

A name is truthful both ways: each thing it denotes may be called so by a stranger who sees it, and each thing a
stranger would call so is denoted, so that a name that fits one thing of a scene alone finds it.
"""

from __future__ import annotations

from typing import NamedTuple

Denoted = tuple[tuple[str, tuple[int, ...] | None], ...]


class Name(NamedTuple):
    """A name, its plural, and what it denotes: classes with which of their variants (None: all).

    The variant of a building is its style. A `mass` name takes no "a" and has no other plural: "scaffolding", "doors".
    """

    one: str
    many: str
    of: Denoted
    mass: bool = False


IRREGULAR = {
    "person": "people", "man": "men", "woman": "women", "child": "children", "bus": "buses", "bench": "benches",
    "box": "boxes", "bush": "bushes", "church": "churches", "arch": "arches",
    "lady": "ladies", "business": "businesses", "glass": "glasses", "switch": "switches", "dish": "dishes",
    "shelf": "shelves", "bookshelf": "bookshelves", "couch": "couches", "wineglass": "wineglasses",
    "balcony": "balconies", "canopy": "canopies", "puppy": "puppies",
}  # fmt: skip


def plural(one: str) -> str:
    """The plural of a noun or of a compound that ends with one."""
    rest, space, last = one.rpartition(" ")
    for end, ends in IRREGULAR.items():
        if last == end or (last.endswith(end) and end in ("man", "box")):
            return rest + space + last[: len(last) - len(end)] + ends
    return one + "s"


def names(spoken: str, *of: str | tuple[str, tuple[int, ...]], mass: bool = False) -> list[Name]:
    """Names that denote the same: `spoken` are their singulars with commas between."""
    denoted: Denoted = tuple((one, None) if isinstance(one, str) else one for one in of)
    return [Name(one, one if mass else plural(one), denoted, mass) for one in spoken.split(", ")]


def some(spoken: str, *of: str | tuple[str, tuple[int, ...]]) -> list[Name]:
    """Names without "a"."""
    return names(spoken, *of, mass=True)


def joined(*tables: tuple[Name, ...]) -> tuple[Name, ...]:
    """The names of several tables, each once: it denotes all that it does in any of them."""
    found: dict[str, Name] = {}
    for name in (name for table in tables for name in table):
        known = found.get(name.one, name._replace(of=()))
        found[name.one] = known._replace(of=tuple(dict.fromkeys(known.of + name.of)))
    return tuple(found.values())
