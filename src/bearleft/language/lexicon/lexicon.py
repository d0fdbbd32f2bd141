"""Lexicon of objects, parts, colours and numbers: their words, and the meanings of these words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import accumulate
from random import Random

import numpy as np
import numpy.typing as npt

from bearleft.errors import unknown_name
from bearleft.language.lexicon.names import Denotation, Name, merge_names
from bearleft.language.lexicon.room_names import ROOM_NAMES
from bearleft.language.lexicon.room_synonyms import ROOM_SYNONYMS
from bearleft.language.lexicon.street_names import STREET_NAMES
from bearleft.language.lexicon.street_synonyms import STREET_SYNONYMS
from bearleft.world.city import palette
from bearleft.world.city.catalog import CLASSES, STREET_CLASSES
from bearleft.world.city.facades import STYLES

__all__ = [
    "COLOURS",
    "NAMES",
    "NUMBERS",
    "ORDINALS",
    "OUTDOOR_NAMES",
    "PARTS",
    "STREET_KINDS",
    "Name",
    "choose_colour_word",
    "choose_name",
    "colour_words",
    "denotation",
    "kind_mask",
    "names_of",
    "number_word",
    "ordinal_word",
    "part_names",
    "variants_of",
]
Flags = npt.NDArray[np.bool_]
SECOND_COLOUR_WEIGHT, RARE_COLOUR_WEIGHT = 0.1, 0.02  # of the second and the third word for a colour
RARE_COLOUR_DECAY = 0.85  # weight of each further colour word relative to the one before
GREY_SHARE = 0.95  # "grey" relative to "gray"
GENERAL_NAME_FACTOR = 0.5  # weight of names of more than four classes, such as "sign", where no counts are known
RARE_SHARE = 0.3  # of the uses of an object's names, those that counts of real texts do not decide
UNKNOWN_COUNT = 4.0  # uses in real texts at which they decide half of the rest


def variants_of(kind: int) -> int:
    """Return the number of variants of a class; the number of styles, for buildings."""
    return len(CLASSES[kind].variants) or len(STYLES)


MAX_VARIANTS = max(variants_of(kind) for kind in range(len(CLASSES)))
_KIND_NUMBERS = {object_class.name: kind for kind, object_class in enumerate(CLASSES)}
STREET_KINDS = frozenset(object_class.name for object_class in STREET_CLASSES)
NAMES: tuple[Name, ...] = merge_names(STREET_NAMES, STREET_SYNONYMS, ROOM_NAMES, ROOM_SYNONYMS)
# Names used outdoors. Indoors all names are used except a few.
_STREET_SINGULARS = frozenset(name.singular for name in STREET_NAMES + STREET_SYNONYMS)
OUTDOOR_NAMES: tuple[Name, ...] = tuple(name for name in NAMES if name.singular in _STREET_SINGULARS)
_NOT_INDOORS = frozenset(("pedestrian", "bush", "shrub", "planter box", "flower planter", "lantern", "sedan"))


# Names that fit a class but would be taken for a part of it: the planter of a potted tree.
_PART_NAMES = frozenset(
    (
        *(("potted plant", name) for name in ("planter", "flower pot")),
        *(("cyclist", name) for name in ("bike", "bicycle")),
        *((kind, "umbrella") for kind in ("person", "food cart", "fruit stand", "cafe table")),
        *((kind, "striped umbrella") for kind in ("food cart", "cafe table")),
    )
)


@cache
def kind_mask(denotes: Denotation) -> Flags:
    """Return the mask (class, variant) of a denotation."""
    table = np.zeros((len(CLASSES), MAX_VARIANTS), bool)
    for what, variants in denotes:
        kind = _KIND_NUMBERS[what]
        table[kind, list(range(variants_of(kind)) if variants is None else variants)] = True
    table.flags.writeable = False
    return table


@cache
def denotation(name: Name) -> Flags:
    """Return the mask (class, variant) of what a name denotes."""
    return kind_mask(name.denotes)


@cache
def names_of(kind: int, variant: int, indoors: bool = False) -> tuple[Name, ...]:
    """Return the names by which an object is called outdoors or indoors, in the order of NAMES.

    Their weights are the shares of the uses: mostly those of real texts, the rest by the weights in NAMES.
    """
    names = [name for name in NAMES if name.singular not in _NOT_INDOORS] if indoors else OUTDOOR_NAMES
    spoken = [
        name
        for name in names
        if denotation(name)[kind, variant] and (CLASSES[kind].name, name.singular) not in _PART_NAMES
    ]
    counts = _expected_counts(indoors)
    uses = [float(counts[name.singular][kind, variant]) if name.singular in counts else 0.0 for name in spoken]
    # The square root lets rare names take part: together they are as frequent in real texts as they are many.
    default = [name.weight**0.5 * (GENERAL_NAME_FACTOR if len(name.denotes) > 4 else 1.0) for name in spoken]
    total = sum(uses)
    known = (1.0 - RARE_SHARE) * total / (total + UNKNOWN_COUNT)
    return tuple(
        name._replace(
            weight=round(known * use / max(total, 1e-9) + (1.0 - known) * weight / sum(default), 6),
        )
        for name, use, weight in zip(spoken, uses, default, strict=True)
    )


@cache
def _expected_counts(indoors: bool) -> dict[str, npt.NDArray[np.float64]]:
    """Return how often real texts call the objects of each class and variant by each name.

    `weights/names.json` tells how often a name is used. Its uses are shared evenly by all that it denotes: those of
    "sign" by signs of all classes and variants.
    """
    file = files("bearleft.language") / "weights" / "names.json"
    counts: dict[str, int] = json.loads(file.read_text())["room" if indoors else "street"]
    street = np.array([object_class.name in STREET_KINDS for object_class in CLASSES])[:, None]
    masks = {name.singular: denotation(name) & (street | indoors) for name in NAMES if name.singular in counts}
    return {name: counts[name] * mask / max(int(mask.sum()), 1) for name, mask in masks.items()}


def choose_name(random: Random, names: Sequence[Name], evenness: float = 0.0) -> Name:
    """Return a random name by weight; with `evenness` 1 all are equally likely."""
    return random.choices(names, cum_weights=_cumulative_weights(tuple(names), evenness))[0]


@lru_cache(maxsize=4096)
def _cumulative_weights(names: tuple[Name, ...], evenness: float) -> list[float]:
    return list(accumulate(name.weight ** (1.0 - evenness) for name in names))


# Words for the colours of the palette, the most common first. Objects are not named by colours that are missing here.
_COLOUR_WORDS: dict[str, tuple[str, ...]] = {
    "red": ("red", "bright red", "reddish", "crimson", "scarlet", "cherry red"),
    "blue": ("blue", "bright blue", "royal blue", "bluish", "cobalt blue", "medium blue"),
    "green": ("green", "bright green", "greenish", "kelly green", "emerald green", "medium green"),
    "yellow": ("yellow", "bright yellow", "golden yellow", "yellowish", "mustard yellow", "canary yellow"),
    "orange": ("orange", "bright orange", "neon orange", "fluorescent orange", "orangish"),
    "white": ("white", "bright white", "all-white", "whitish", "plain white"),
    "black": ("black", "dark black", "solid black", "jet black", "all-black"),
    "grey": ("gray", "grey", "grayish", "greyish", "medium gray"),
    "silver": ("silver", "gray", "grey", "light gray", "light grey", "metallic", "silvery", "silver-colored"),
    "brown": ("brown", "dark brown", "brownish", "chocolate brown", "wood-colored", "medium brown"),
    "tan": ("tan", "beige", "light brown", "khaki", "sandy", "tannish", "sand-colored"),
    "beige": ("beige", "tan", "cream", "off-white", "light tan", "sandy"),
    "pink": ("pink", "light pink", "pinkish", "salmon pink", "bright pink"),
    "purple": ("purple", "violet", "dark purple", "purplish", "plum", "deep purple"),
    "maroon": ("red", "maroon", "dark red", "burgundy", "wine-colored", "wine red", "deep red", "brick red"),
    "navy": ("blue", "dark blue", "navy", "navy blue", "deep blue", "midnight blue"),
    "teal": (
        *("teal", "turquoise", "blue-green", "aqua", "dark teal", "greenish", "aquamarine", "green", "blue"),
        *("bluish-green", "sea green"),
    ),
    "light blue": ("light blue", "blue", "sky blue", "baby blue", "pale blue", "powder blue", "pastel blue", "bluish"),
    "dark green": ("green", "dark green", "forest green", "hunter green", "deep green", "pine green"),
    "dark grey": ("gray", "grey", "dark gray", "dark grey", "charcoal", "charcoal gray", "slate gray", "blackish"),
    "gold": ("gold", "golden", "yellow", "brass", "gold-colored", "mustard", "brass-colored"),
    "cream": ("white", "cream", "off-white", "beige", "ivory", "cream-colored", "creme", "eggshell", "whitish"),
    "brick": (
        *("red", "brown", "reddish brown", "reddish", "rust-colored", "reddish-brown", "brick red", "brick-colored"),
        *("brownish red", "terracotta", "brownish"),
    ),
    "sandstone": ("tan", "brown", "light brown", "beige", "tan-colored", "sandy", "tannish", "sand-colored"),
    "limestone": (
        *("gray", "grey", "beige", "off-white", "light gray", "light grey", "tan", "cream-colored", "pale gray"),
        *("stone-colored", "grayish", "whitish", "ivory", "light-colored"),
    ),
    "concrete": ("gray", "grey", "light gray", "light grey", "grayish", "cement-colored"),
    "grass": ("green",),
    "leaf": ("green",),
    "bark": ("brown", "dark brown"),
    "rubber": ("black",),
    "steel": ("gray", "grey", "silver"),
}
COLOURS: dict[str, tuple[str, ...]] = {
    word: tuple(name for name, words in _COLOUR_WORDS.items() if word in words)
    for word in dict.fromkeys(word for words in _COLOUR_WORDS.values() for word in words)
}


def colour_words(name: str) -> tuple[str, ...]:
    """Return the words for a colour of the palette, the most common first; empty if it is never named."""
    if name not in palette.COLOURS:
        raise unknown_name("colour", name, list(palette.COLOURS))
    return _COLOUR_WORDS.get(name, ())


@cache
def _colour_weights(name: str) -> tuple[float, ...]:
    """Return the cumulative weights of the words for a colour.

    Each rank is said less, "grey" nearly as much as "gray".
    """
    words = colour_words(name)
    ranks = [
        len({word.replace("grey", "gray") for word in words[:k]} - {words[k].replace("grey", "gray")})
        for k in range(len(words))
    ]
    spelling = [GREY_SHARE if "grey" in word else 1.0 for word in words]
    weights = [1.0, SECOND_COLOUR_WEIGHT, *(RARE_COLOUR_WEIGHT * RARE_COLOUR_DECAY**k for k in range(len(words)))]
    return tuple(accumulate(weights[rank] * share for rank, share in zip(ranks, spelling, strict=True)))


def choose_colour_word(random: Random, name: str) -> str:
    """Return a random word for a colour of the palette; simple words are likely."""
    return random.choices(colour_words(name), cum_weights=_colour_weights(name))[0]


_CARDINALS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_ORDINAL_WORDS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
_ORDINAL_DIGITS = ["1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th", "9th", "10th"]
NUMBERS: dict[str, int] = {
    **{word: k for k, word in enumerate(_CARDINALS, 1)},
    **{str(k): k for k in range(1, 13)},
}
ORDINALS: dict[str, int] = {
    **{word: k for k, word in enumerate(_ORDINAL_WORDS, 1)},
    **{word: k for k, word in enumerate(_ORDINAL_DIGITS, 1)},
    "next": 1,
    "upcoming": 1,
    "following": 1,
    "last": -1,
    "final": -1,
}


def number_word(number: int) -> str:
    """Return the most common word for a number: "two" for 2."""
    return _word(number, NUMBERS, "number")


def ordinal_word(number: int) -> str:
    """Return the most common word for a rank: "second" for 2, "last" for -1."""
    return _word(number, ORDINALS, "rank")


def _word(number: int, words: Mapping[str, int], what: str) -> str:
    for word, value in words.items():
        if value == number:
            return word
    raise unknown_name(what, str(number), [str(value) for value in dict.fromkeys(words.values())])


# Words for the parts of models. A part that is missing here is called by its name in the model.
_PART_WORDS: dict[str, tuple[str, ...]] = {
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
# Words for parts of particular classes, where they differ from _PART_WORDS.
_PART_WORDS_OF_KIND: dict[tuple[str, str], tuple[str, ...]] = {
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
        (object_class.name, part): _PART_WORDS_OF_KIND.get((object_class.name, part), _PART_WORDS.get(part, (part,)))
        for object_class in CLASSES
        for part in object_class.parts
        if part
    },
    ("building", "window"): ("window",),
}


def part_names(kind: str, part: str) -> tuple[str, ...]:
    """Return the words for a part of a class, the most common first. Windows are ("building", "window")."""
    if (kind, part) not in PARTS:
        raise unknown_name(f"part of a {kind}", part, [part_name for other, part_name in PARTS if other == kind])
    return PARTS[kind, part]
