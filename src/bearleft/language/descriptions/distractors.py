"""Things that one might take for each other: several of a kind in one look, and doors beside doors of shops."""

from __future__ import annotations

import numpy as np

from bearleft.geometry import turn
from bearleft.language.descriptions.semantics import Ints
from bearleft.language.noun_phrases import Phrase, match
from bearleft.language.scene_index import Sight
from bearleft.world.city.catalog import number

ONE_LOOK, ASIDE = 100.0, 25.0  # degrees that several alike may span, and beside which no other may be
AS_LARGE = 0.4  # of the smallest of them: what is smaller one does not count
BESIDE = 60.0  # degrees from a door within which doors of shops are looked at, too
DOOR, STOREFRONT = number("door"), number("storefront")


def together(sight: Sight, some: Ints, phrase: Phrase) -> bool:
    """Whether several are seen in one look, and no other that one might count as well."""
    off = turn(sight.heading[int(some[0])], sight.heading)
    low, high = off[some].min(), off[some].max()
    among = match(phrase, sight) & (off > low - ASIDE) & (off < high + ASIDE)
    among &= sight.share > AS_LARGE * sight.share[some].min()
    return bool(high - low < ONE_LOOK and among.sum() == len(some))


def shop_doors(sight: Sight, row: int) -> bool:
    """Whether a thing is a door, and shops are in view whose doors one might take for it."""
    if int(sight.kind[row]) != DOOR:
        return False
    shops = (sight.kind == STOREFRONT) & (sight.share > sight.share[row])
    return bool((np.abs(turn(sight.heading[row], sight.heading[shops])) < BESIDE).any())
