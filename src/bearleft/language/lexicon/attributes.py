"""Attributes of objects that pictures show: adjectives of shape, pattern and material, poses, and colours of parts.

An adjective denotes classes and variants, like a name. A part has the colours that its surfaces have in the model of a
variant: fixed ones, or one of the two paints of the object.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bearleft.language.lexicon.adjectives import ADJECTIVES, POSES, Adjective
from bearleft.language.lexicon.lexicon import MAX_VARIANTS, PARTS, colour_words, kind_mask
from bearleft.language.lexicon.names import plural
from bearleft.language.lexicon.object_colours import IGNORED_PARTS, TWO_COLOUR_MATERIALS, colour_shares
from bearleft.language.lexicon.part_words import (
    CLOTHES,
    LETTER_WORDS,
    NOTABLE_PARTS,
    PART_WEIGHTS,
    PLURAL_PARTS,
    SPOT_WORDS,
    UNCOUNTABLE_PARTS,
)
from bearleft.world.city import palette
from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.shapes import FIRST, SECOND, Colour, Solid
from bearleft.world.render.codes import Material

Flags = npt.NDArray[np.bool_]
COLOUR_CODES: tuple[Colour, ...] = (FIRST, SECOND, *palette.COLOUR_NAMES)  # codes 0 and 1 are the paints
# Least shares of the visible surface at which a part is said. Parts that are smaller fit the words all the same.
MIN_SAID_PART_SHARE, MIN_SAID_LETTER_SHARE = 0.025, 0.012
MIN_PAIR_SHARE, MIN_SAID_PAIR_SHARE = 0.08, 0.16  # of the second colour, among the colours that count
MIN_SAID_PAIR_SUM = 0.75  # of both colours
_CODE = {colour: code for code, colour in enumerate(COLOUR_CODES)}


class PartColours(NamedTuple):
    """A part of a model: its name, the number of its solids, and its colours, each with its share of the surface."""

    part: str
    solids: int
    shares: tuple[tuple[int, float], ...]  # colour code, share of the visible surface of the object


@cache
def parts_of(kind: int, variant: int) -> tuple[PartColours, ...]:
    """Return the visible parts of a model; "letters" are the lettering on any part, "" is the whole object."""
    if not CLASSES[kind].models:
        return ()
    name, model = CLASSES[kind].name, CLASSES[kind].models[variant]
    shares: dict[str, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    letters = {(solid.part, solid.second) for solid in model if solid.material == Material.TEXT}
    for (part, colour), share in colour_shares(kind, variant).items():
        code = _CODE[colour]
        is_lettering = (part, colour) in letters and not _is_face(model, part, colour)
        if part not in IGNORED_PARTS.get(name, ()):
            shares[""][code] += share
        if is_lettering:
            shares["letters"][code] += share
        elif part != "letters":
            shares[part][code] += share
    counts = {part: sum(solid.part == part for solid in model) for part in shares}
    return tuple(PartColours(part, counts[part], tuple(sorted(codes.items()))) for part, codes in shares.items())


def _is_face(model: list[Solid], part: str, colour: Colour) -> bool:
    """Return whether a colour is also a ground colour of a part."""
    return any(solid.part == part and solid.colour == colour for solid in model)


def part_words(kind: int, part: str) -> tuple[str, ...]:
    """Return the words for a part in an attribute, the most common first."""
    if part == "letters":
        return LETTER_WORDS
    name = CLASSES[kind].name
    return CLOTHES.get((name, part), PARTS.get((name, part), ()))


@cache
def part_mask(word: str) -> Flags:
    """Return the mask (class, variant) of the models that have a part of this name."""
    table = np.zeros((len(CLASSES), MAX_VARIANTS), bool)
    for kind, variant, part, _ in _named_solids():
        if word in spoken_forms(kind, part):
            table[kind, variant] = True
    table.flags.writeable = False
    return table


@cache
def feature_table(word: str) -> Flags:
    """Return the mask (class, variant, colour code) of the colours of the parts of this name.

    The empty word means the whole object: the colours that cover much of it.
    """
    table = np.zeros((len(CLASSES), MAX_VARIANTS, len(COLOUR_CODES)), bool)
    if word:
        for kind, variant, part, colour in _named_solids():
            if word in spoken_forms(kind, part):
                table[kind, variant, _CODE[colour]] = True
    else:
        for kind, object_class in enumerate(CLASSES):
            for variant in range(len(object_class.variants)):
                shares = next((row.shares for row in parts_of(kind, variant) if not row.part), ())
                least = MIN_PAIR_SHARE * sum(share for _, share in shares)
                table[kind, variant, [code for code, share in shares if share >= least]] = True
    table.flags.writeable = False
    return table


@cache
def _named_solids() -> tuple[tuple[int, int, str, Colour], ...]:
    """Return class, variant, part and colour of the solids of all models; lettering is a part of its own."""
    rows: dict[tuple[int, int, str, Colour], None] = {}
    for kind, object_class in enumerate(CLASSES):
        for variant, model in enumerate(object_class.models):
            for solid in model:
                if solid.part and solid.part != "letters":
                    rows[kind, variant, solid.part, solid.colour] = None
                if solid.part and solid.material in TWO_COLOUR_MATERIALS:
                    rows[kind, variant, solid.part, solid.second] = None
                if solid.material == Material.TEXT:
                    rows[kind, variant, "letters", solid.second] = None
    return tuple(rows)


@cache
def spoken_forms(kind: int, part: str) -> frozenset[str]:
    """Return all words for a part, in singular and plural."""
    words = part_words(kind, part)
    return frozenset((*words, *(plural(word) for word in words if not _invariable(word))))


def _invariable(word: str) -> bool:
    return word.rpartition(" ")[2] in PLURAL_PARTS or word.rpartition(" ")[2] in UNCOUNTABLE_PARTS


@cache
def part_vocabulary() -> dict[tuple[str, ...], str]:
    """Return all words for parts by their tokens."""
    forms = {word for kind, _, part, _ in _named_solids() for word in spoken_forms(kind, part)}
    return {tuple(word.split()): word for word in sorted(forms)}


class SaidPart(NamedTuple):
    """A part that may be said of an object: its word with an article, and the code of its colour (-1: none said)."""

    word: str
    article: str
    code: int
    clothes: bool
    weight: float


@cache
def sayable_parts(kind: int, variant: int) -> tuple[SaidPart, ...]:
    """Return what can be said of the parts of an object by "with" or, for clothes, by "in"."""
    said: list[SaidPart] = []
    name = CLASSES[kind].name
    for part, solids, shares in parts_of(kind, variant):
        weight = PART_WEIGHTS.get((name, part), PART_WEIGHTS.get(("", part), 0.0))
        total = sum(share for _, share in shares)
        if not part or not weight or total < (MIN_SAID_LETTER_SHARE if part == "letters" else MIN_SAID_PART_SHARE):
            continue
        clothes = (name, part) in CLOTHES
        code, share = max(shares, key=lambda row: row[1])
        others = [v for v in range(len(CLASSES[kind].variants)) if part not in {row.part for row in parts_of(kind, v)}]
        for rank, word in enumerate(word for word in part_words(kind, part) if word not in SPOT_WORDS):
            spoken = plural(word) if solids > 1 and part != "letters" and _pluralized(part, word) else word
            article = "" if spoken != word or _invariable(word) else "a"
            likely = weight / (1 + rank)
            if share > 0.6 * total:
                said.append(SaidPart(spoken, article, code, clothes, likely))
            if others and not clothes and part in NOTABLE_PARTS:
                said.append(SaidPart(spoken, article, -1, clothes, 0.5 * likely))
    return tuple(said)


def _pluralized(part: str, word: str) -> bool:
    return not _invariable(word) and ("", part) in PART_WEIGHTS and part in _REPEATED_PARTS


_REPEATED_PARTS = frozenset(
    (
        *("stripe", "band", "leg", "wheel", "column", "globe", "drawer", "door", "pillow", "shelf", "knob", "rung"),
        *("umbrella leg", "cushion", "blade", "bulb", "arm", "candle", "button", "post", "ear", "chair", "bottle"),
    )
)


@cache
def colour_pair(kind: int, variant: int, first: int, second: int) -> tuple[int, int] | None:
    """Return the two colours (palette indices) by which an object may be called, None if it shows one or many."""
    whole = next((row for row in parts_of(kind, variant) if not row.part), None)
    if whole is None or CLASSES[kind].name in KINDS_WITHOUT_PAIR:
        return None
    shares: dict[int, float] = defaultdict(float)
    for code, share in whole.shares:
        shares[_palette_index(code, first, second)] += share
    total = sum(shares.values())
    (best, best_share), *rest = sorted(shares.items(), key=lambda row: -row[1])
    if not rest or not total:
        return None
    (other, other_share) = rest[0]
    if other_share < MIN_SAID_PAIR_SHARE * total or best_share + other_share < MIN_SAID_PAIR_SUM * total:
        return None
    if {palette.COLOUR_NAMES[best], palette.COLOUR_NAMES[other]} <= DULL_COLOURS:
        return None
    words = [colour_words(palette.COLOUR_NAMES[index]) for index in (best, other)]
    return (best, other) if words[0] and words[1] and not set(words[0]) & set(words[1]) else None


# Two of these are not said together: "grey and silver" tells little.
DULL_COLOURS = frozenset(
    (
        *("grey", "silver", "dark grey", "steel", "concrete", "limestone", "tan", "beige", "cream", "brown", "bark"),
        *("rubber", "sandstone", "leaf", "grass"),
    )
)
KINDS_WITHOUT_PAIR = frozenset(
    (
        *("person", "cyclist", "seated person", "tree", "planter", "potted plant", "flower bed", "window box", "bed"),
        *("hanging plant", "traffic light", "pedestrian signal", "car", "pickup", "excavator", "painting", "mirror"),
        *("storefront", "store shelf", "television", "computer monitor", "laptop", "bench", "mannequin", "lamp post"),
        *("balcony", "door", "manhole cover", "trash can", "air conditioner", "bay window", "scaffolding", "wall lamp"),
        *("dresser", "wardrobe", "nightstand", "cabinet", "desk", "fountain", "statue", "parking meter", "clock"),
    )
)


def _palette_index(code: int, first: int, second: int) -> int:
    return (first, second)[code] if code < 2 else code - 2


def said_colour(code: int, first: int, second: int) -> int:
    """Return the palette index of a colour code, -1 if that colour has no word."""
    index = _palette_index(code, first, second)
    return index if colour_words(palette.COLOUR_NAMES[index]) else -1


@cache
def adjectives_of(kind: int, variant: int) -> tuple[Adjective, ...]:
    """Return the adjectives that may be said of an object."""
    return tuple(adjective for adjective in ADJECTIVES if kind_mask(adjective.said)[kind, variant])


@cache
def poses_of(kind: int, variant: int) -> tuple[Adjective, ...]:
    """Return the poses that may be said of a person or an animal."""
    return tuple(pose for pose in POSES if kind_mask(pose.said)[kind, variant])


@cache
def adjective_mask(word: str) -> Flags | None:
    """Return the mask (class, variant) of what an adjective or pose fits, None if it narrows nothing."""
    fitting = [adjective for adjective in (*ADJECTIVES, *POSES) if adjective.word == word and adjective.narrows]
    if not fitting:
        return None
    return np.asarray(np.any([kind_mask((*a.said, *a.fits)) for a in fitting], axis=0), bool)
