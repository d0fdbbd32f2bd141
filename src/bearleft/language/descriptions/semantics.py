"""Meaning of descriptions, and scores of how well the objects of a scene fit it.

A description refers to objects (`Ref`), relates them to each other (`Relation`) and locates a spot on one of them
(`Spot`). Every object that a noun phrase fits gets a score of at most 0. The score is lower on the wrong side of the
viewer, and lower if no object that fits the related phrase stands in the stated relation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from bearleft.geometry import turn
from bearleft.language.descriptions.extents import FOOT_RADIUS, Extents, extents
from bearleft.language.lexicon.lexicon import NUMBERS
from bearleft.language.noun_phrases import Flags, Phrase, match
from bearleft.language.scene_index import SceneIndex, VisibleObjects
from bearleft.world.city.catalog import CLASSES

if TYPE_CHECKING:
    from bearleft.types import Floats

Ints = npt.NDArray[np.int64]
RelationScore = Callable[["Viewpoint", Ints, Ints], "Floats"]
SortKey = Literal["left", "right", "near", "far"]

MIN_SCORE = -10.0
MAX_HIDDEN = 0.93  # hidden share from which an object is not meant by a phrase
DEGREES_PER_POINT = 6.0  # degrees outside of a side that lower the score by 1
MAX_SCORE_GAP = 2.5  # objects within this score are the candidates for "the first", "the left one"
# Sides of the viewer: centre and half width of a sector, degrees clockwise from the heading.
SIDES = {
    "left": (-88.0, 76.0),
    "right": (88.0, 76.0),
    "ahead": (0.0, 38.0),
    "ahead left": (-38.0, 36.0),
    "ahead right": (38.0, 36.0),
    "behind": (180.0, 62.0),
    "far left": (-90.0, 40.0),
    "far right": (90.0, 40.0),
}


@dataclass(frozen=True, slots=True)
class Selector:
    """Selects one object of a group: the `rank`-th (from 1; -1 the last), by distance or from the left or right."""

    by: SortKey
    rank: int = 1


@dataclass(frozen=True, slots=True)
class Ref:
    """Reference to an object: its noun phrase, its side of the viewer, and which of several it is."""

    phrase: Phrase
    side: str = ""
    pick: Selector | None = None


@dataclass(frozen=True, slots=True)
class Relation:
    """Spatial relation of an object to another (to two others for `between`), given as indices of refs."""

    kind: str
    subject: int
    objects: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Spot:
    """Spot on an object, as a description states it.

    A window has a floor, and either a rank from the left or right (`column`) or a side of another object.
    """

    ref_index: int  # index in Meaning.refs of the object
    part: str = ""  # part of the object, "" for the whole
    across: float | None = None  # from 0 (left) to 1 (right)
    up: float | None = None  # from 0 (bottom) to 1 (top)
    # Index in Meaning.refs of another object that the spot is in line with; -1 for none. While the writer chooses a
    # spot, before refs exist, it is the instance of that object.
    aligned_with: int = -1
    side_of: str = ""  # side of that object on which the spot is, such as "above"
    floor: int = 0  # of a window; 1 is the ground floor, 0 if not stated
    column: Selector | None = None  # rank of a window in its floor


@dataclass(frozen=True, slots=True)
class Meaning:
    """Meaning of a description."""

    refs: tuple[Ref, ...] = ()
    relations: tuple[Relation, ...] = ()
    spot: Spot | None = None

    def one_of(self, group: int, pick: Selector) -> tuple[Meaning, int]:
        """Return the meaning with a ref to one object of a group, and that ref. It inherits the group's relations."""
        index = len(self.refs)
        ref = replace(self.refs[group], pick=pick)
        copied = tuple(replace(relation, subject=index) for relation in self.relations if relation.subject == group)
        return Meaning((*self.refs, ref), (*self.relations, *copied), self.spot), index


@dataclass(frozen=True, eq=False)
class Viewpoint:
    """Place and heading of the viewer."""

    scene: SceneIndex
    visible: VisibleObjects
    heading: float
    # Results of `ground_distance` and `relation_score`: while a description is written they are needed again and again.
    distances: dict[tuple[bytes, bytes], Floats] = field(default_factory=dict, repr=False)
    relation_scores: dict[tuple[str, bytes, bytes], Floats] = field(default_factory=dict, repr=False)
    # The objects that a phrase fits, by what `match` depends on. The table is kept: otherwise another could get its id.
    _matches: dict[Any, tuple[Flags | None, Flags]] = field(default_factory=dict, repr=False)
    _fitting: dict[Any, Ints] = field(default_factory=dict, repr=False)
    _side_scores: dict[str, Floats] = field(default_factory=dict, repr=False)

    def match(self, phrase: Phrase) -> Flags:
        """Return a mask of the visible objects that a phrase fits, as `noun_phrases.match`, not to be changed."""
        key = id(phrase.table), phrase.colours, phrase.features, phrase.letterings
        if key not in self._matches:
            self._matches[key] = phrase.table, match(phrase, self.visible)
        return self._matches[key][1]

    def fitting(self, phrase: Phrase) -> Ints:
        """Return the rows of the objects that a phrase fits and that are not almost hidden."""
        key = id(phrase.table), phrase.colours, phrase.features, phrase.letterings
        if key not in self._fitting:
            self._fitting[key] = np.flatnonzero(self.match(phrase) & (self.visible.hidden < MAX_HIDDEN))
        return self._fitting[key]

    @cached_property
    def plain_scores(self) -> Floats:
        """Score of each visible object that a phrase fits which states neither a side nor a relation."""
        return -np.minimum(0.02 * self.visible.median, 1.2) - np.where(self.visible.hidden > 0.8, 0.8, 0.0)

    def side_scores(self, side: str) -> Floats:
        """Return how well each visible object lies on a side of the viewer, between MIN_SCORE and 0."""
        if side not in self._side_scores:
            middle, half = SIDES[side]
            excess = np.abs(turn(self.heading + middle, self.visible.heading)) - half
            self._side_scores[side] = np.maximum(-np.maximum(excess, 0.0) / DEGREES_PER_POINT, MIN_SCORE)
        return self._side_scores[side]

    @cached_property
    def extents(self) -> Extents:
        """Bounding boxes of the objects of the scene."""
        return extents(self.scene)


@lru_cache(maxsize=16)
def view_from(scene: SceneIndex, place: int, heading: float) -> Viewpoint:
    """Return a viewpoint; the last ones are kept with what was computed there."""
    return Viewpoint(scene, scene.at(place), heading)


@dataclass(eq=False)
class Scorer:
    """Scores the objects visible from a viewpoint against a meaning."""

    viewpoint: Viewpoint
    meaning: Meaning

    def scores(self, ref: int) -> tuple[Ints, Floats]:
        """Return the rows that fit a ref's phrase, and the score of each."""
        return self._scores_without(ref, frozenset())

    def best(self, ref: int) -> tuple[int, float]:
        """Return the best row (-1 for none) and its margin over the next one."""
        rows, scores = self.scores(ref)
        if not len(rows):
            return -1, 0.0
        *_, second, first = [0.0, *sorted(scores.tolist())]
        return int(rows[scores.argmax()]), first - second if len(rows) > 1 else -MIN_SCORE

    def fitting(self, ref: int) -> Ints:
        """Return the rows that fit a ref's phrase."""
        return self.viewpoint.fitting(self.meaning.refs[ref].phrase)

    def _scores_without(self, ref: int, used: frozenset[int]) -> tuple[Ints, Floats]:
        rows = self.fitting(ref)
        scores = self.viewpoint.plain_scores[rows]
        if not len(rows):
            return rows, scores
        side = self.meaning.refs[ref].side
        if side:
            scores = scores + self.viewpoint.side_scores(side)[rows]
        for k, relation in enumerate(self.meaning.relations):
            if k not in used and (relation.subject == ref or ref in relation.objects):
                scores = scores + self._relation_scores(k, relation, ref, rows, used | {k})
        pick = self.meaning.refs[ref].pick
        return rows, scores if pick is None else self._apply_pick(rows, scores, pick)

    def _relation_scores(self, k: int, relation: Relation, ref: int, rows: Ints, used: frozenset[int]) -> Floats:
        """Return what a relation contributes to the scores of a ref's candidates."""
        refs = relation.subject, *relation.objects
        other_refs = [other_ref for other_ref in refs if other_ref != ref]
        if len(other_refs) != len(refs) - 1 or not other_refs:
            return np.zeros(len(rows))
        candidates = [self._scores_without(other_ref, used) for other_ref in other_refs]
        if any(not len(other_rows) for other_rows, _ in candidates):
            return np.zeros(len(rows))
        if relation.kind == "between":
            if len(relation.objects) != 2:
                return np.zeros(len(rows))
            return self._between(relation, ref, rows, other_refs, candidates)
        other_rows, score = candidates[0]
        score = score - score.max()
        if relation.kind == "has" and (count := _stated_count(self.meaning.refs[relation.objects[0]].phrase)):
            return self._has(count, ref == relation.subject, rows, other_rows, score)
        if ref == relation.subject:
            pair_scores = relation_score(self.viewpoint, relation.kind, rows, other_rows)
        else:
            pair_scores = relation_score(self.viewpoint, relation.kind, other_rows, rows).T
        return np.asarray((pair_scores + score[None, :]).max(axis=1), float)

    def _has(self, count: int, subject: bool, rows: Ints, other_rows: Ints, score: Floats) -> Floats:
        """Return the scores for "has": of the owners with the stated count, or of what they own."""
        owner, owned = (rows, other_rows) if subject else (other_rows, rows)
        owns = relation_score(self.viewpoint, "has", owner, owned) > -1.0
        count_scores = np.maximum(-4.0 * np.abs(owns.sum(axis=1) - count), MIN_SCORE)
        if subject:
            return np.asarray(count_scores, float)
        total = np.where(owns, 0.0, MIN_SCORE) + (count_scores + score)[:, None]
        return np.asarray(total.max(axis=0), float)

    def _between(
        self, relation: Relation, ref: int, rows: Ints, others: list[int], candidates: list[tuple[Ints, Floats]]
    ) -> Floats:
        """Return the scores for "between": the subject lies between the two objects."""
        by_ref = dict(zip(others, candidates, strict=True)) | {ref: (rows, np.zeros(len(rows)))}
        (s, s0), (a, a0), (b, b0) = (by_ref[k] for k in (relation.subject, *relation.objects))
        score = between_score(self.viewpoint, s, a, b)
        total = score + (s0 - s0.max())[:, None, None] + (a0 - a0.max())[None, :, None] + (b0 - b0.max())[None, None]
        which = (relation.subject, *relation.objects).index(ref)
        return np.asarray(total.max(axis=tuple(k for k in range(3) if k != which)), float)

    def _apply_pick(self, rows: Ints, scores: Floats, pick: Selector) -> Floats:
        """Lower the scores of all but the picked object."""
        contenders = np.flatnonzero(scores > scores.max() - MAX_SCORE_GAP)
        key = order_key(self.viewpoint.visible, rows[contenders], pick.by)
        order = contenders[np.argsort(key, kind="stable")]
        at = pick.rank - 1 if pick.rank > 0 else len(order) + pick.rank
        if not 0 <= at < len(order):
            return scores
        picked = scores - 6.0
        picked[order[at]] = scores.max()
        return picked


def between_score(viewpoint: Viewpoint, s: Ints, a: Ints, b: Ints) -> Floats:
    """Return how well objects s lie between objects a and b, shape (s, a, b), between MIN_SCORE and 0."""
    at = [viewpoint.extents.middle(viewpoint.visible.instance[k] - 1)[:, :2] for k in (s, a, b)]
    span = at[2][None, :] - at[1][:, None]
    length = np.maximum(np.hypot(span[..., 0], span[..., 1]), 1e-6)
    offset = at[0][:, None, None] - at[1][None, :, None]
    along = (offset * span[None]).sum(-1) / length**2
    aside = np.abs(offset[..., 0] * span[None, ..., 1] - offset[..., 1] * span[None, ..., 0]) / length
    score = -np.maximum(np.abs(along - 0.5) - 0.42, 0) * 25 - np.maximum(aside - 1.5, 0) * 1.5
    score = score - np.maximum(length - 12.0, 0) / 2.0 - 0.1 * length
    score = np.where(same_objects(viewpoint.visible, a, b), MIN_SCORE, score)
    return np.asarray(np.maximum(score, MIN_SCORE), float)


def _stated_count(phrase: Phrase) -> int:
    """Return the number that a phrase states, 0 for none."""
    return phrase.number if phrase.words.split(" ")[0] in NUMBERS else 0


def order_key(visible: VisibleObjects, rows: Ints, by: SortKey) -> Floats:
    """Return the sort key of rows; the first has the lowest key."""
    if by in ("near", "far"):
        return visible.nearest[rows] * (1.0 if by == "near" else -1.0)
    radians = np.radians(visible.heading[rows])
    middle = np.degrees(np.arctan2(np.sin(radians).sum(), np.cos(radians).sum()))
    return np.asarray(turn(middle, visible.heading[rows]) * (1.0 if by == "left" else -1.0), float)


def same_objects(visible: VisibleObjects, a: Ints, b: Ints) -> npt.NDArray[np.bool_]:
    """Return a mask (1, a, b) of pairs of rows that are the same object."""
    return np.asarray(visible.instance[a][:, None] == visible.instance[b][None, :], bool)[None]


def _kinds(*names: str) -> npt.NDArray[np.bool_]:
    """Return a mask of the classes with these names."""
    return np.array([class_.name in names for class_ in CLASSES])


TWO_SIDED_KINDS = _kinds("fence", "construction fence", "hedge")
# Objects fixed to walls never stand in front of something.
WALL_KINDS = _kinds(
    *("building", "door", "storefront", "awning", "portico", "mural", "graffiti", "fire escape", "window box"),
    *("balcony", "bay window", "air conditioner", "wall lamp", "marquee", "lettered sign", "billboard"),
)


def ground_distance(viewpoint: Viewpoint, i: Ints, j: Ints) -> Floats:
    """Return the ground distance in metres between objects i and j, shape (i, j)."""
    key = i.tobytes(), j.tobytes()
    if key not in viewpoint.distances:
        viewpoint.distances[key] = _measure_distance(viewpoint, i, j)
    return viewpoint.distances[key]


def _measure_distance(viewpoint: Viewpoint, i: Ints, j: Ints) -> Floats:
    ex = viewpoint.extents
    ti, tj = viewpoint.visible.instance[i] - 1, viewpoint.visible.instance[j] - 1
    at_i, at_j = ex.ground_points[ti], ex.ground_points[tj]
    offset = at_i[:, None] - at_j[None, :]
    straight = np.hypot(offset[..., 0], offset[..., 1]) - FOOT_RADIUS
    to_j = np.where(ex.footed[tj][None, :], straight, ex.footprint_distance(tj[None, :], at_i[:, None, :]))
    to_i = np.where(ex.footed[ti][:, None], straight, ex.footprint_distance(ti[:, None], at_j[None, :, :]))
    return np.maximum(np.minimum(to_i - ex.radius[tj][None, :], to_j - ex.radius[ti][:, None]), 0.0)


def _ground_points(viewpoint: Viewpoint, rows: Ints) -> Floats:
    return viewpoint.extents.ground_points[viewpoint.visible.instance[rows] - 1]


def relation_score(viewpoint: Viewpoint, relation: str, i: Ints, j: Ints) -> Floats:
    """Return how well objects i stand in a relation to objects j, shape (i, j), between MIN_SCORE and 0."""
    if relation == "has":
        return relation_score(viewpoint, "on", j, i).T
    key = relation, i.tobytes(), j.tobytes()
    if key not in viewpoint.relation_scores:
        score = _RELATION_SCORES[relation](viewpoint, i, j)
        same = viewpoint.visible.instance[i][:, None] == viewpoint.visible.instance[j][None, :]
        viewpoint.relation_scores[key] = np.maximum(np.where(same, MIN_SCORE, score), MIN_SCORE)
    return viewpoint.relation_scores[key]


def _distance_3d(viewpoint: Viewpoint, i: Ints, j: Ints) -> Floats:
    """Return the distance in metres between objects i and j; height differences count beyond two metres."""
    low, high = viewpoint.extents.low[:, 2], viewpoint.extents.high[:, 2]
    ti, tj = viewpoint.visible.instance[i] - 1, viewpoint.visible.instance[j] - 1
    height_gap = np.maximum(low[ti][:, None] - high[tj][None, :], low[tj][None, :] - high[ti][:, None])
    return np.asarray(ground_distance(viewpoint, i, j) + np.maximum(height_gap - 2.0, 0.0), float)


def _near(viewpoint: Viewpoint, i: Ints, j: Ints) -> Floats:
    off = _distance_3d(viewpoint, i, j)
    return -np.maximum(off - 1.2, 0.0) / 0.6 - 0.3 * off


def _beside(sign: float) -> RelationScore:
    def score(viewpoint: Viewpoint, i: Ints, j: Ints) -> Floats:
        off = _distance_3d(viewpoint, i, j)
        aside = sign * turn(viewpoint.visible.heading[j][None, :], viewpoint.visible.heading[i][:, None])
        apart = 0.12 * (viewpoint.visible.width[i][:, None] + viewpoint.visible.width[j][None, :])
        return np.where((aside > apart) & (aside < 120), 0.0, -8.0) - np.maximum(off - 3.0, 0.0) / 0.8 - 0.3 * off

    return score


def _front(viewpoint: Viewpoint, i: Ints, j: Ints) -> Floats:
    ex = viewpoint.extents
    tj = viewpoint.visible.instance[j] - 1
    half = ex.half[tj]
    wall = (WALL_KINDS | TWO_SIDED_KINDS)[viewpoint.visible.kind[j]]
    own = ex.to_local(tj[None, :], _ground_points(viewpoint, i)[:, None, :])
    out = own[..., 1] - ex.high[tj][None, :, 1]
    two = TWO_SIDED_KINDS[viewpoint.visible.kind[j]][None, :]
    out = np.where(two, np.abs(own[..., 1]), out)
    beyond = np.maximum(np.abs(own[..., 0] - (ex.low[tj] + ex.high[tj])[None, :, 0] / 2) - half[None, :, 0], 0.0)
    flat = np.where(out > -0.5, 0.0, -8.0) - np.maximum(out - 4.5, 0) - np.maximum(beyond - 0.4, 0) * 3 - 0.1 * out
    aloft = np.where(
        (ex.low[viewpoint.visible.instance[i] - 1, 2] > 1.0) | WALL_KINDS[viewpoint.visible.kind[i]], -8.0, 0.0
    )[:, None]
    return np.where(wall[None, :], flat - 0.5 * beyond, _before(viewpoint, i, j, 1.0)) + aloft


def _before(viewpoint: Viewpoint, i: Ints, j: Ints, sign: float) -> Floats:
    """Score objects i that are nearer (farther with sign -1) than objects j in the same direction."""
    off = ground_distance(viewpoint, i, j)
    aside = np.abs(turn(viewpoint.visible.heading[j][None, :], viewpoint.visible.heading[i][:, None]))
    over = aside - (viewpoint.visible.width[i][:, None] + viewpoint.visible.width[j][None, :]) / 2
    nearer = sign * (viewpoint.visible.nearest[j][None, :] - viewpoint.visible.nearest[i][:, None]) > 0
    fixed = WALL_KINDS[viewpoint.visible.kind[i]][:, None]
    return np.where(nearer & ~fixed, 0.0, -8.0) - np.maximum(over, 0.0) - np.maximum(off - 3.0, 0.0) - 0.2 * off


def _behind(viewpoint: Viewpoint, i: Ints, j: Ints) -> Floats:
    return _before(viewpoint, i, j, -1.0)


def _above(viewpoint: Viewpoint, i: Ints, j: Ints) -> Floats:
    ex = viewpoint.extents
    ti, tj = viewpoint.visible.instance[i] - 1, viewpoint.visible.instance[j] - 1
    off = ground_distance(viewpoint, i, j)
    height_gap = ex.low[ti][:, None, 2] - ex.high[tj][None, :, 2]
    score = np.where(height_gap > -0.7, 0.0, -8.0) - np.maximum(off - 0.6, 0.0) * 2 - np.maximum(height_gap - 4.0, 0.0)
    aside = np.abs(turn(viewpoint.visible.heading[j][None, :], viewpoint.visible.heading[i][:, None]))
    apart = np.maximum(viewpoint.visible.width[i][:, None], viewpoint.visible.width[j][None, :]) / 2 + 1.0
    return np.asarray(score - np.maximum(aside - apart, 0.0) * 0.7 - 0.2 * np.maximum(height_gap, 0.0), float)


def _below(viewpoint: Viewpoint, i: Ints, j: Ints) -> Floats:
    return _above(viewpoint, j, i).T


def _on(viewpoint: Viewpoint, i: Ints, j: Ints) -> Floats:
    owners = viewpoint.scene.plan.things["owner"]
    owner = owners[viewpoint.visible.instance[i] - 1]
    above = np.where(owner >= 0, owners[owner], -1)
    tj = (viewpoint.visible.instance[j] - 1)[None, :]
    return np.where((owner[:, None] == tj) | (above[:, None] == tj), 0.0, MIN_SCORE)


def _across(viewpoint: Viewpoint, i: Ints, j: Ints) -> Floats:
    """Score objects i on the other side of the street, about as far along it as objects j."""
    eye = viewpoint.scene.city.graph.positions[viewpoint.visible.place][:2]
    a = np.radians(viewpoint.heading)
    ahead, right = np.array([np.sin(a), np.cos(a)]), np.array([np.cos(a), -np.sin(a)])
    at_i, at_j = (_ground_points(viewpoint, rows) - eye for rows in (i, j))
    opposite = np.sign(at_i @ right)[:, None] != np.sign(at_j @ right)[None, :]
    along = np.abs((at_i @ ahead)[:, None] - (at_j @ ahead)[None, :])
    score = np.where(opposite, 0.0, -8.0) - np.maximum(along - 6.0, 0.0) / 1.5 - 0.1 * along
    return np.asarray(score, float)


def _past(viewpoint: Viewpoint, i: Ints, j: Ints) -> Floats:
    """Score objects i that one comes to right after objects j, on the same side of the street."""
    eye = viewpoint.scene.city.graph.positions[viewpoint.visible.place][:2]
    a = np.radians(viewpoint.heading)
    ahead, right = np.array([np.sin(a), np.cos(a)]), np.array([np.cos(a), -np.sin(a)])
    at_i, at_j = (_ground_points(viewpoint, rows) - eye for rows in (i, j))
    same_side = np.sign(at_i @ right)[:, None] == np.sign(at_j @ right)[None, :]
    beyond = (at_i @ ahead)[:, None] - (at_j @ ahead)[None, :]
    aside = np.abs((at_i @ right)[:, None] - (at_j @ right)[None, :])
    score = np.where(same_side & (beyond > 1.0), 0.0, -8.0) - np.maximum(beyond - 8.0, 0.0) - 0.1 * beyond
    return np.asarray(score - np.maximum(aside - 6.0, 0.0), float)


_RELATION_SCORES: dict[str, RelationScore] = {
    "near": _near,
    "left": _beside(-1.0),
    "right": _beside(1.0),
    "front": _front,
    "behind": _behind,
    "above": _above,
    "below": _below,
    "on": _on,
    "across": _across,
    "past": _past,
}
