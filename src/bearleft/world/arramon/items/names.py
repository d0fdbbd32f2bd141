"""The 98 collectibles by name: one of seven types, in one of seven colours, dotted or striped."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from bearleft.errors import InputError, shown

TYPES = ("book", "hourglass", "mug", "bucket", "ball", "tv", "bowl")
COLOURS = {
    "brown": (0xBC, 0x6F, 0x1F),
    "green": (0x00, 0xFF, 0x22),
    "blue": (0x00, 0x60, 0xFF),
    "red": (0xFF, 0x00, 0x02),
    "yellow": (0xF4, 0xFF, 0x00),
    "white": (0xFF, 0xFF, 0xFF),
    "purple": (0xA1, 0x00, 0xFF),
}
PATTERNS = ("dotted", "striped")


@dataclass(frozen=True, slots=True)
class Item:
    """A kind of collectible; its name is written as the released files write it: "Striped White Book"."""

    pattern: str
    colour: str
    type: str

    @property
    def name(self) -> str:
        return f"{self.pattern} {self.colour} {self.type}".title()

    @property
    def number(self) -> int:
        """Its place in ITEMS."""
        return (TYPES.index(self.type) * len(COLOURS) + list(COLOURS).index(self.colour)) * len(
            PATTERNS
        ) + PATTERNS.index(self.pattern)


ITEMS = tuple(Item(pattern, colour, kind) for kind in TYPES for colour in COLOURS for pattern in PATTERNS)


@lru_cache(maxsize=256)
def item_by_name(name: str) -> Item:
    """The item of a name, or an error."""
    words = name.lower().split()
    if len(words) != 3 or words[0] not in PATTERNS or words[1] not in COLOURS or words[2] not in TYPES:
        raise InputError('an item: a pattern, a colour and a type, as "Striped White Book"', shown(name), "item")
    return Item(*words)
