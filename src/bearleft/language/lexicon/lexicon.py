"""What people call things, their parts, colours and numbers, and what such words may mean."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np
import numpy.typing as npt

from bearleft.errors import unknown
from bearleft.language.lexicon.names import Name, joined
from bearleft.language.lexicon.room_names import ROOM_NAMES
from bearleft.language.lexicon.street_names import STREET_NAMES
from bearleft.world.city import palette
from bearleft.world.city.catalog import CLASSES, STREET_CLASSES
from bearleft.world.city.facades import STYLES

__all__ = [
    "COLOURS",
    "NAMES",
    "NUMBERS",
    "ORDINALS",
    "OUTDOORS",
    "PARTS",
    "STREET",
    "Name",
    "colour_words",
    "denotation",
    "names_of",
    "number_word",
    "ordinal_word",
    "part_names",
    "variants_of",
]
Flags = npt.NDArray[np.bool_]


def variants_of(kind: int) -> int:
    """How many variants a class has; of buildings, how many styles."""
    return len(CLASSES[kind].variants) or len(STYLES)


MOST = max(variants_of(kind) for kind in range(len(CLASSES)))
_ROWS = {one.name: kind for kind, one in enumerate(CLASSES)}
STREET = frozenset(one.name for one in STREET_CLASSES)
NAMES: tuple[Name, ...] = joined(STREET_NAMES, ROOM_NAMES)
# Those that are said in a street; in rooms all are but a few.
_SAID = frozenset(name.one for name in STREET_NAMES)
OUTDOORS: tuple[Name, ...] = tuple(name for name in NAMES if name.one in _SAID)
_NOT_INDOORS = frozenset(("pedestrian", "bush", "shrub", "planter box", "flower planter", "lantern", "sedan"))


@cache
def denotation(name: Name) -> Flags:
    """Which classes and variants a name may denote: a row of CLASSES each, a column for each variant."""
    table = np.zeros((len(CLASSES), MOST), bool)
    for what, variants in name.of:
        kind = _ROWS[what]
        table[kind, list(range(variants_of(kind)) if variants is None else variants)] = True
    table.flags.writeable = False
    return table


@cache
def names_of(kind: int, variant: int, indoors: bool = False) -> tuple[Name, ...]:
    """What a thing may be called in a street or in a room, in the order of NAMES."""
    said = [name for name in NAMES if name.one not in _NOT_INDOORS] if indoors else OUTDOORS
    return tuple(name for name in said if denotation(name)[kind, variant])


# The words for each colour of the palette, the most usual first; those not named here no one would name a thing by.
_WORDS: dict[str, tuple[str, ...]] = {
    "red": ("red", "bright red"),
    "blue": ("blue",),
    "green": ("green",),
    "yellow": ("yellow", "bright yellow"),
    "orange": ("orange", "bright orange"),
    "white": ("white",),
    "black": ("black",),
    "grey": ("gray", "grey"),
    "silver": ("silver", "gray", "grey", "light gray", "light grey"),
    "brown": ("brown", "dark brown"),
    "tan": ("tan", "beige", "light brown"),
    "beige": ("beige", "tan", "cream", "off-white"),
    "pink": ("pink",),
    "purple": ("purple",),
    "maroon": ("maroon", "dark red", "red", "burgundy"),
    "navy": ("navy", "dark blue", "navy blue", "blue"),
    "teal": ("teal", "turquoise", "green", "blue"),
    "light blue": ("light blue", "blue", "sky blue"),
    "dark green": ("dark green", "green"),
    "dark grey": ("dark gray", "dark grey", "gray", "grey"),
    "gold": ("gold", "golden", "yellow"),
    "cream": ("cream", "off-white", "white", "beige"),
    "brick": ("red", "brown", "reddish brown"),
    "sandstone": ("tan", "brown", "light brown", "beige"),
    "limestone": ("beige", "off-white", "gray", "grey", "light gray", "light grey", "tan"),
    "concrete": ("gray", "grey", "light gray", "light grey"),
    "grass": ("green",),
    "leaf": ("green",),
    "bark": ("brown", "dark brown"),
    "rubber": ("black",),
    "steel": ("gray", "grey", "silver"),
}
COLOURS: dict[str, tuple[str, ...]] = {
    word: tuple(name for name, words in _WORDS.items() if word in words)
    for word in dict.fromkeys(word for words in _WORDS.values() for word in words)
}


def colour_words(name: str) -> tuple[str, ...]:
    """The words for a colour of the palette, the most usual first; none for one that no one names."""
    if name not in palette.COLOURS:
        raise unknown("colour", name, list(palette.COLOURS))
    return _WORDS.get(name, ())


_COUNTED = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_RANKED = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
_DIGITS = ["1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th", "9th", "10th"]
NUMBERS: dict[str, int] = {
    **{word: k for k, word in enumerate(_COUNTED, 1)},
    **{str(k): k for k in range(1, 13)},
}
ORDINALS: dict[str, int] = {
    **{word: k for k, word in enumerate(_RANKED, 1)},
    **{word: k for k, word in enumerate(_DIGITS, 1)},
    "next": 1,
    "last": -1,
    "final": -1,
}


def number_word(number: int) -> str:
    """The usual word for a number: 2 is "two"."""
    return _word(number, NUMBERS, "number")


def ordinal_word(number: int) -> str:
    """The usual word for a rank: 2 is "second", -1 "last"."""
    return _word(number, ORDINALS, "rank")


def _word(number: int, words: Mapping[str, int], what: str) -> str:
    for word, value in words.items():
        if value == number:
            return word
    raise unknown(what, str(number), [str(value) for value in dict.fromkeys(words.values())])


# What people say for the parts of models; a part not named here is called as the model calls it.
_SPOKEN: dict[str, tuple[str, ...]] = {
    "advertisement": ("advertisement", "ad", "poster"),
    "air conditioner": ("air conditioner", "unit"),
    "armrest": ("armrest", "arm"),
    "awning": ("awning", "canopy"),
    "back": ("back",),
    "back door": ("back door", "rear door"),
    "back wheel": ("back wheel", "rear wheel", "back tire", "rear tire"),
    "backrest": ("backrest", "back"),
    "band": ("band", "stripe"),
    "barrel": ("barrel", "body"),
    "base": ("base", "bottom"),
    "basin": ("basin", "pool"),
    "bicycle": ("bike", "bicycle"),
    "border": ("border", "edge", "frame"),
    "bumper": ("bumper",),
    "cap": ("cap", "hat"),
    "cardboard": ("cardboard", "cardboard box"),
    "checkered band": ("checkered band", "checkered stripe"),
    "cloth": ("cloth", "fabric"),
    "cone": ("cone", "body"),
    "cross arm": ("crossbar", "cross arm"),
    "display": ("display", "screen"),
    "dock": ("dock", "stand"),
    "face": ("face", "dial"),
    "fender": ("fender",),
    "figure": ("figure", "statue"),
    "flowers": ("flowers", "blossoms"),
    "front wheel": ("front wheel", "front tire"),
    "globe": ("globe", "ball"),
    "grille": ("grille", "grill"),
    "handle": ("handle", "knob"),
    "handlebar": ("handlebars", "handlebar"),
    "head": ("head",),
    "headlight": ("headlight", "front light"),
    "housing": ("housing", "casing"),
    "jet": ("jet", "water jet"),
    "lamp": ("lamp", "bulb"),
    "leaves": ("leaves", "greenery"),
    "letters": ("letters", "lettering", "writing", "words"),
    "license plate": ("license plate", "plate"),
    "lid": ("lid", "cover", "top"),
    "nozzle": ("nozzle", "front nozzle"),
    "opening": ("opening", "hole"),
    "panel": ("panel",),
    "pedestal": ("pedestal", "base"),
    "plant": ("plant", "bush"),
    "pole": ("pole", "post"),
    "post": ("post", "pole"),
    "pot": ("pot", "planter"),
    "railing": ("railing", "fence"),
    "rear window": ("rear window", "back window"),
    "rim": ("rim", "edge"),
    "roof light": ("roof light", "taxi light", "taxi sign"),
    "saddle": ("seat", "saddle"),
    "seat": ("seat",),
    "sign": ("sign",),
    "siren": ("siren", "lights"),
    "slot": ("slot", "opening"),
    "stairs": ("stairs", "steps"),
    "steps": ("steps", "stairs"),
    "stripe": ("stripe", "line"),
    "tail light": ("tail light", "taillight", "brake light"),
    "tank": ("tank",),
    "tip": ("tip", "top", "point"),
    "top": ("top", "cap"),
    "trunk": ("trunk",),
    "valance": ("valance", "front edge", "flap"),
    "windshield": ("windshield", "front window"),
    "window": ("window",),
}
# Where a part is called otherwise than its name would be elsewhere.
_OWN: dict[tuple[str, str], tuple[str, ...]] = {
    ("building", "facade"): ("front", "facade", "wall"),
    ("building", "ground floor"): ("ground floor", "first floor", "bottom floor"),
    ("building", "side wall"): ("side wall", "side"),
    ("building", "cornice"): ("cornice", "ledge", "roof edge"),
    ("building", "setback"): ("upper part", "upper floors"),
    ("building", "water tank"): ("water tank", "water tower"),
    ("building", "bulkhead"): ("rooftop shed", "roof hut"),
    ("building", "air handler"): ("rooftop unit", "roof vent"),
    ("building", "crown"): ("top band", "crown"),
    ("building", "parapet"): ("parapet", "roof edge", "ledge"),
    ("building", "window"): ("window",),
    ("tree", "crown"): ("leaves", "crown"),
    ("tree", "tree pit"): ("tree pit", "dirt", "soil"),
    ("tree", "branch"): ("branch", "limb"),
    ("motorcycle", "leg shield"): ("leg shield", "front shield"),
    ("pedestrian signal", "signal"): ("signal", "screen"),
    ("pedestrian signal", "hand"): ("hand", "orange hand"),
    ("pedestrian signal", "walking man"): ("walking man", "walk symbol"),
    ("clock", "hand"): ("hand",),
    ("landmark", "land"): ("land", "continent"),
    ("person", "leg"): ("leg", "pants"),
    ("fence", "bars"): ("bars", "pickets"),
    ("fence", "boards"): ("boards", "slats"),
    ("storefront", "gate"): ("gate", "shutter", "metal gate"),
    ("door", "garage door"): ("garage door", "shutter"),
    ("bus", "route sign"): ("route sign", "sign"),
    ("canopy", "carpet"): ("carpet", "red carpet"),
    ("marquee", "letter board"): ("letter board", "white board"),
    ("fire hydrant", "side nozzle"): ("side nozzle", "side cap"),
    ("newspaper box", "window"): ("window", "front page"),
    ("lamp post", "lamp"): ("lamp", "lamp head", "bulb"),
}
PARTS: dict[tuple[str, str], tuple[str, ...]] = {
    **{
        (one.name, part): _OWN.get((one.name, part), _SPOKEN.get(part, (part,)))
        for one in CLASSES
        for part in one.parts
        if part
    },
    ("building", "window"): ("window",),
}


def part_names(kind: str, part: str) -> tuple[str, ...]:
    """What a part of a thing of a class is called, the most usual first; windows are ("building", "window")."""
    if (kind, part) not in PARTS:
        raise unknown(f"part of a {kind}", part, [one for other, one in PARTS if other == kind])
    return PARTS[kind, part]
