"""Where an object stands, in words that narrow nothing, and the groups that objects form."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from bearleft.geometry import unit_vectors
from bearleft.language.descriptions.anchors import MIN_SHARE
from bearleft.language.descriptions.semantics import Ints, Viewpoint, ground_distance
from bearleft.language.lexicon.lexicon import number_word
from bearleft.language.noun_phrases import Phrase
from bearleft.language.scene_index import SceneIndex
from bearleft.language.writer_random import WriterRandom
from bearleft.world.city.catalog import class_index
from bearleft.world.render.codes import Ground
from bearleft.world.visibility.rays import cast

if TYPE_CHECKING:
    from bearleft.types import Floats

BUILDING = class_index("building")
CORNER_METRES = 22.0  # from the middle of a crossing
MAX_LOW_METRES = 1.1  # height of objects that are "on the ground"
MAX_MEMBER_METRES = 4.0  # from an object of a group to the next
MAX_HIDDEN = 0.7
MAX_COUNTED = 4  # larger groups have no number
# Words for what an object stands on, with weights.
PLACE_WORDS: dict[str, dict[str, float]] = {
    "corner": {"on the corner": 10.0, "at the corner": 2.0, "on that corner": 0.5},
    "sidewalk": {"on the sidewalk": 10.0, "on the curb": 1.0, "on the edge of the sidewalk": 0.7},
    "ground": {"on the ground": 10.0, "sitting on the ground": 2.0, "lying on the ground": 1.0},
    "road": {"on the street": 3.0, "on the road": 4.0, "in the street": 3.0, "in the road": 2.0},
}
PLACE_RATES = {"corner": 12.0, "sidewalk": 6.0, "ground": 8.0, "road": 3.0}
_GROUNDS = {int(Ground.SIDEWALK): "sidewalk", int(Ground.ROAD): "road"}
# Words for a group of two, and of more.
PAIR_WORDS = {"two": 10.0, "some": 4.0, "a couple of": 3.0, "a pair of": 3.0}
GROUP_WORDS = {
    "number": 5.0, "some": 5.0, "several": 4.0, "a row of": 3.0, "a bunch of": 3.0, "a few": 2.0, "a group of": 1.0,
    "a line of": 0.5,
}  # fmt: skip


def places_of(viewpoint: Viewpoint, row: int) -> list[str]:
    """Return the keys of `PLACE_WORDS` that are true of an object."""
    visible, scene = viewpoint.visible, viewpoint.scene
    if visible.kind[row] == BUILDING or visible.owner[row]:
        return []
    heading = (float(visible.left[row]) + float(visible.width[row]) / 2) % 360.0
    eye = scene.city.eyes[visible.place]
    below = unit_vectors(np.array([heading]), np.array([max(float(visible.bottom[row]) - 0.6, -89.0)]))
    ground = _GROUNDS.get(int(cast(scene.city.scene, eye, below).kind[0]), "")
    if not ground:
        return []
    point = viewpoint.extents.ground_points[int(visible.instance[row]) - 1]
    places = [ground]
    if ground == "sidewalk" and (np.linalg.norm(_crossings(scene) - point, axis=1) < CORNER_METRES).any():
        places.append("corner")
    if viewpoint.extents.high[int(visible.instance[row]) - 1, 2] < MAX_LOW_METRES:
        places.append("ground")
    return places


@lru_cache(maxsize=4)
def _crossings(scene: SceneIndex) -> Floats:
    """Return east and north of the places with more than two links."""
    graph = scene.city.graph
    return graph.positions[np.flatnonzero(np.bincount(graph.source, minlength=len(graph)) > 2)][:, :2]


def group_of(viewpoint: Viewpoint, row: int, phrase: Phrase) -> tuple[Ints, bool]:
    """Return the rows of the objects that a phrase fits and that stand together with an object, and if all are seen."""
    visible = viewpoint.visible
    rows = np.flatnonzero(viewpoint.match(phrase))
    near = ground_distance(viewpoint, rows, rows) < MAX_MEMBER_METRES
    members = rows == row
    for _ in rows:
        members = near[members].any(axis=0)
    group = rows[members]
    clear = (visible.share[group] >= MIN_SHARE) & (visible.hidden[group] < MAX_HIDDEN)
    return np.asarray(group[clear], np.int64), bool(clear.all())


def group_words(random: WriterRandom, count: int, counted: bool) -> str:
    """Return words for a group before a plural: "two", "a row of".

    Args:
        random: Source of randomness.
        count: Number of objects in the group.
        counted: Whether the number may be said.
    """
    if count == 2:
        return random.pick("pair words", PAIR_WORDS) if counted else "some"
    number = counted and count <= MAX_COUNTED
    words = random.pick("group words", {**GROUP_WORDS, "number": GROUP_WORDS["number"] if number else 0.0})
    return number_word(count) if words == "number" else words
