"""Distractors: other objects that a reader could confuse with the objects of a description."""

from __future__ import annotations

import numpy as np

from bearleft.geometry import turn
from bearleft.language.descriptions.semantics import Ints
from bearleft.language.noun_phrases import Phrase, match
from bearleft.language.scene_index import VisibleObjects
from bearleft.world.city.catalog import class_index

MAX_GROUP_SPAN, CLEAR_MARGIN = 100.0, 25.0  # degrees that a group may span, and that must be free beside it
MIN_RELATIVE_SHARE = 0.4  # of the smallest object of the group; smaller objects are not counted
SHOP_DOOR_ANGLE = 60.0  # degrees around a door in which shops are rivals
DOOR, STOREFRONT = class_index("door"), class_index("storefront")


def seen_as_group(visible: VisibleObjects, group: Ints, phrase: Phrase) -> bool:
    """Return whether the rows of a group are seen together, without another object that could be counted."""
    angles = turn(visible.heading[int(group[0])], visible.heading)
    low, high = angles[group].min(), angles[group].max()
    rivals = match(phrase, visible) & (angles > low - CLEAR_MARGIN) & (angles < high + CLEAR_MARGIN)
    rivals &= visible.share > MIN_RELATIVE_SHARE * visible.share[group].min()
    return bool(high - low < MAX_GROUP_SPAN and rivals.sum() == len(group))


def has_rival_shop_doors(visible: VisibleObjects, row: int) -> bool:
    """Return whether an object is a door and shops nearby have doors that could be confused with it."""
    if int(visible.kind[row]) != DOOR:
        return False
    shops = (visible.kind == STOREFRONT) & (visible.share > visible.share[row])
    return bool((np.abs(turn(visible.heading[row], visible.heading[shops])) < SHOP_DOOR_ANGLE).any())
