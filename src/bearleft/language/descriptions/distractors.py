"""Things that one might take for each other: several of a kind in one look, and doors beside doors of shops."""

from __future__ import annotations

import numpy as np

from bearleft.geometry import turn
from bearleft.language.descriptions.semantics import Ints
from bearleft.language.noun_phrases import Phrase, match
from bearleft.language.scene_index import VisibleObjects
from bearleft.world.city.catalog import class_index

MAX_GROUP_SPAN, CLEAR_MARGIN = 100.0, 25.0  # degrees that several alike may span, and beside which no other may be
MIN_RELATIVE_SHARE = 0.4  # of the smallest of them: what is smaller one does not count
SHOP_DOOR_ANGLE = 60.0  # degrees from a door within which doors of shops are looked at, too
DOOR, STOREFRONT = class_index("door"), class_index("storefront")


def seen_as_group(visible: VisibleObjects, some: Ints, phrase: Phrase) -> bool:
    """Whether several are seen in one look, and no other that one might count as well."""
    off = turn(visible.heading[int(some[0])], visible.heading)
    low, high = off[some].min(), off[some].max()
    among = match(phrase, visible) & (off > low - CLEAR_MARGIN) & (off < high + CLEAR_MARGIN)
    among &= visible.share > MIN_RELATIVE_SHARE * visible.share[some].min()
    return bool(high - low < MAX_GROUP_SPAN and among.sum() == len(some))


def has_rival_shop_doors(visible: VisibleObjects, row: int) -> bool:
    """Whether a thing is a door, and shops are in view whose doors one might take for it."""
    if int(visible.kind[row]) != DOOR:
        return False
    shops = (visible.kind == STOREFRONT) & (visible.share > visible.share[row])
    return bool((np.abs(turn(visible.heading[row], visible.heading[shops])) < SHOP_DOOR_ANGLE).any())
