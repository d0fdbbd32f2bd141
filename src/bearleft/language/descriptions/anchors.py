"""Anchors: objects that a description may relate another object to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from bearleft.language.descriptions import templates
from bearleft.language.descriptions.semantics import Viewpoint, between_score, ground_distance, relation_score
from bearleft.language.scene_index import class_mask
from bearleft.world.city.catalog import CLASSES

MIN_SHARE, MAX_HIDDEN = 3e-4, 0.6  # share of the sphere and hidden share of an anchor
MIN_HEIGHT = 1.0  # metres above the ground of what is above something
MIN_SCORE = -0.9  # of a relation that holds
MAX_BETWEEN_METRES, MAX_BETWEEN_ROWS = 6.0, 8  # how far and how many the objects are that something is between
EGOCENTRIC_RELATIONS = ("across", "past")  # those that depend on the viewer's heading
RELATIONS = ("near", "left", "right", "front", "above", "below", "on", "has", "behind", "across", "past")
INVERSE = {
    "near": "near",
    "left": "right",
    "right": "left",
    "front": "behind",
    "behind": "front",
    "above": "below",
    "below": "above",
    "on": "has",
    "has": "on",
}


@dataclass(frozen=True, slots=True)
class Anchor:
    """A relation that an object stands in, and the rows of the visible objects that it is related to."""

    relation: str
    rows: tuple[int, ...]  # two for "between"
    weight: float


def _kinds(names: Iterable[str]) -> frozenset[int]:
    return frozenset(k for k, object_class in enumerate(CLASSES) if object_class.name in names)


IS_MOVING, IS_VEHICLE = class_mask(*templates.MOVING_NAMES), class_mask(*templates.VEHICLE_NAMES)
WALL_KINDS = _kinds(templates.WALL_NAMES)
STANDING_KINDS = _kinds(templates.STANDING_NAMES)


def find_anchors(viewpoint: Viewpoint, row: int, aligned: bool) -> list[Anchor]:
    """Return the anchors of an object.

    Args:
        viewpoint: The viewpoint.
        row: Row of the object.
        aligned: Whether relations that depend on the viewer's heading may be used.
    """
    visible = viewpoint.visible
    usable = (visible.share > MIN_SHARE) & (visible.hidden < MAX_HIDDEN) & (np.arange(len(visible)) != row)
    usable &= ~IS_MOVING[visible.kind]
    rows = np.flatnonzero(usable)
    anchors: list[Anchor] = []
    if not len(rows):
        return anchors
    own_row, own_kind = np.array([row]), int(visible.kind[row])
    salience = np.sqrt(visible.share[rows]) * 10 + 0.3
    low = viewpoint.extents.low[:, 2]
    aloft = {
        "above": np.full(len(rows), low[visible.instance[row] - 1] > MIN_HEIGHT),
        "below": low[visible.instance[rows] - 1] > MIN_HEIGHT,
    }
    salience *= np.where(IS_VEHICLE[visible.kind[rows]], 0.25, 1.0)
    for relation in RELATIONS:
        if relation in EGOCENTRIC_RELATIONS and not aligned:
            continue
        score = relation_score(viewpoint, relation, own_row, rows)[0]
        for k in np.flatnonzero((score > MIN_SCORE) & aloft.get(relation, np.True_)):
            other = int(rows[k])
            kind = int(visible.kind[other])
            if (relation == "on" and own_kind in STANDING_KINDS) or (relation == "has" and kind in STANDING_KINDS):
                continue
            if (kind == 0) != (own_kind == 0) and relation not in ("on", "front", "has"):
                continue
            if relation == "behind" and kind in WALL_KINDS:
                continue  # avoid "behind a shop window"
            anchors.append(Anchor(relation, (other,), float(salience[k] * np.exp(score[k]))))
    return anchors + _between(viewpoint, row, [int(k) for k in rows if visible.kind[k]])


def _between(viewpoint: Viewpoint, row: int, rows: list[int]) -> list[Anchor]:
    visible = viewpoint.visible
    if not rows or not visible.kind[row]:
        return []
    distance = ground_distance(viewpoint, np.array([row]), np.array(rows))[0]
    near = [rows[k] for k in np.argsort(distance, kind="stable")[:MAX_BETWEEN_ROWS] if distance[k] < MAX_BETWEEN_METRES]
    if len(near) < 2:
        return []
    table = between_score(viewpoint, np.array([row]), np.array(near), np.array(near))[0]
    return [
        Anchor("between", (near[a], near[b]), float(np.exp(table[a, b])))
        for a, b in zip(*np.nonzero(table > MIN_SCORE), strict=True)
        if a < b
    ]
