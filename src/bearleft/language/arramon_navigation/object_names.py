"""What people call the street objects of ArraMon's sections: usual names with their weights, and other words for them.

Weights are the frequencies of the names in the released texts, in rough proportion.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from bearleft.language.analysis.tokens import tokens
from bearleft.language.lexicon.lexicon import OUTDOOR_NAMES, Name
from bearleft.language.lexicon.names import plural

# Other words: the name of the lexicon that they mean.
SYNONYMS = {
    "booth": "phone booth", "phonebooth": "phone booth", "phone box": "phone booth",
    "flag": "banner", "hanging banner": "banner",
    "stack of tires": "tire stack", "pile of tires": "tire pile", "stacked tires": "tires", "tyres": "tires",
    "car tires": "tires",
    "pile of garbage bags": "garbage bags", "pile of trash bags": "trash bags", "pile of trash": "trash pile",
    "trashbags": "trash bags", "bags of trash": "trash bags", "bags": "trash bags",
    "streetlamp": "street lamp", "lamp pole": "lamp post", "lantern post": "lamp post", "street lantern": "street lamp",
    "hanging traffic light": "traffic light", "signal light": "traffic light",
    "trashbin": "trash bin", "garbage pail": "garbage can", "trash receptacle": "trash can", "litter bin": "trash bin",
    "drum": "barrel", "oil drum": "barrel", "metal drum": "barrel", "oil barrel": "barrel", "metal barrel": "barrel",
    "fireplug": "fire hydrant", "water hydrant": "fire hydrant",
    "cement barrier": "concrete barrier", "concrete barricade": "concrete barrier", "cement block": "concrete block",
    "concrete divider": "concrete barrier", "cement barricade": "concrete barrier", "stone barrier": "concrete barrier",
    "road barrier": "barrier", "roadblock": "barrier", "road block": "barrier", "blockade": "barrier",
    "street barrier": "barrier", "caution barrier": "traffic barrier", "traffic barricade": "barricade",
    "guard rail": "metal barrier", "metal railing": "metal barrier", "steel barrier": "metal barrier",
    "wooden barrier": "police barrier", "wooden barricade": "police barricade",
    "metal dumpster": "dumpster", "dump bin": "dumpster", "garbage dumpster": "dumpster",
    "metal container": "dumpster",
    "mail drop": "mailbox", "postbox": "postal box", "letter box": "mailbox",
    "wood bench": "wooden bench", "street bench": "bench",
    "street cone": "traffic cone", "road cone": "traffic cone",
    "speed limit": "speed limit sign",
}  # fmt: skip
# Weights of names; others have DEFAULT_WEIGHT.
WEIGHTS = {
    "cone": 20, "traffic cone": 9, "phone booth": 15, "booth": 10, "telephone booth": 1.5, "phonebooth": 1.5,
    "banner": 15, "flag": 6, "dumpster": 20, "metal dumpster": 2, "trash container": 1,
    "tire stack": 7, "stack of tires": 11, "tires": 9, "pile of tires": 4, "tire pile": 4, "stacked tires": 1.5,
    "lamp post": 12, "street light": 4, "lamppost": 3, "street lamp": 4, "streetlamp": 1, "light pole": 1.5,
    "hydrant": 4, "fire hydrant": 12, "barrel": 20, "oil drum": 1.5, "drum": 1, "oil barrel": 1, "barrier": 12,
    "traffic barrier": 2, "barricade": 8, "concrete barrier": 22, "cement barrier": 2, "concrete barricade": 2,
    "bench": 14, "park bench": 5, "wooden bench": 16, "metal bench": 5, "wood bench": 1.5,
    "traffic light": 15, "traffic signal": 2, "stop light": 1, "stoplight": 1, "hanging traffic light": 1,
    "trash can": 6, "garbage can": 3, "trash bin": 3, "trashbin": 1, "trash bags": 5, "garbage bags": 4,
    "pile of garbage bags": 1.5, "pile of trash bags": 1.5, "mailbox": 12, "stop sign": 20, "speed limit sign": 12,
}  # fmt: skip
# How often people mention an object of a class, relative to others; classes that are missing here have weight 1.
SALIENCE = {
    "phone booth": 8.0, "traffic cone": 5.0, "bench": 4.5, "banner": 6.0, "dumpster": 0.85, "tire pile": 20.0,
    "barrel": 4.5, "fire hydrant": 4.0, "barrier": 0.55, "building": 3.0, "traffic light": 0.35, "lamp post": 1.0,
    "stop sign": 0.05, "speed limit sign": 0.05, "mailbox": 0.05, "trash bags": 0.35, "trash can": 0.4,
}  # fmt: skip
# How often people say the colour of an object of a class where it is not needed.
COLOUR_RATES = {
    "phone booth": 0.5, "traffic cone": 0.9, "bench": 0.15, "banner": 0.85, "dumpster": 0.4, "tire pile": 0.03,
    "lamp post": 0.05, "fire hydrant": 0.3, "barrel": 0.5, "barrier": 0.5, "traffic light": 0.02, "trash bags": 0.05,
    "trash can": 0.6, "building": 1.0, "stop sign": 0.1, "speed limit sign": 0.0, "mailbox": 0.5,
}  # fmt: skip
ONE_COLOUR_CLASSES = frozenset(("traffic cone", "banner"))  # named by their main colour, not by two
DEFAULT_WEIGHT = 0.15
MASS_WORDS = frozenset(("tires", "tyres", "bags", "trashbags"))  # last words of plural names of single objects


@cache
def spoken_names(names: tuple[Name, ...]) -> tuple[Name, ...]:
    """Return names of the lexicon and other words for them, the most frequent first."""
    by_name = {name.singular: name for name in names}
    others = [
        by_name[name]._replace(singular=said, plural=_plural(said))
        for said, name in SYNONYMS.items()
        if name in by_name and said not in by_name
    ]
    return tuple(sorted((*names, *others), key=lambda name: -name_weight(name)))


def name_weight(name: Name) -> float:
    """Return how often people use a name, relative to the other names of the object."""
    return WEIGHTS.get(name.singular, DEFAULT_WEIGHT)


@cache
def _usual_words() -> dict[tuple[str, ...], list[str]]:
    """Return the usual words by those said; names of the lexicon stay ("phone booth" holds "booth")."""
    usual = {tuple(tokens(form)): tokens(form) for name in OUTDOOR_NAMES for form in (name.singular, name.plural)}
    return usual | {
        tuple(tokens(form)): tokens(name_form)
        for said, name in SYNONYMS.items()
        for form, name_form in ((said, name), (_plural(said), _plural(name)))
    }


def _plural(name: str) -> str:
    head, of, rest = name.partition(" of ")
    return f"{head if head.split()[-1] in MASS_WORDS else plural(head)}{of}{rest}"


def with_usual_names(words: Sequence[str]) -> list[str]:
    """Return the tokens of a text with other words for objects replaced by the names of the lexicon."""
    usual = _usual_words()
    longest = max(map(len, usual))
    result: list[str] = []
    k = 0
    while k < len(words):
        lengths = range(min(longest, len(words) - k), 0, -1)
        length = next((length for length in lengths if tuple(words[k : k + length]) in usual), 0)
        result += usual[tuple(words[k : k + length])] if length else [words[k]]
        k += max(length, 1)
    return result
