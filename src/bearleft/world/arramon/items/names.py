"""The 98 collectibles by name: one of seven types, in one of seven colours, dotted or striped."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from bearleft.errors import InputError, format_value

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
    """A kind of collectible."""

    pattern: str
    colour: str
    type: str

    @property
    def name(self) -> str:
        """Name as in the released files, such as "Striped White Book"."""
        return f"{self.pattern} {self.colour} {self.type}".title()

    @property
    def index(self) -> int:
        """Index in ITEMS."""
        type_and_colour = TYPES.index(self.type) * len(COLOURS) + list(COLOURS).index(self.colour)
        return type_and_colour * len(PATTERNS) + PATTERNS.index(self.pattern)


ITEMS = tuple(Item(pattern, colour, kind) for kind in TYPES for colour in COLOURS for pattern in PATTERNS)


@lru_cache(maxsize=256)
def item_by_name(name: str) -> Item:
    """Return the item with a name, such as "Striped White Book"; raise InputError for any other name."""
    words = name.lower().split()
    if len(words) != 3 or words[0] not in PATTERNS or words[1] not in COLOURS or words[2] not in TYPES:
        raise InputError('a pattern, a colour and a type, such as "Striped White Book"', format_value(name), "item")
    return Item(*words)
