"""What a description says, and how well the things of a scene fit it.

A description names things (`Ref`), says how they stand to each other (`Link`) and where on one of them the spot is
(`Spot`). Every thing that a noun phrase fits gets a score, 0 at best: less for standing on the wrong side, less for
being related to nothing that fits the other phrase. What is said of an anchor thus tells of the thing beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from bearleft.geometry import Floats, turn
from bearleft.language.descriptions.extents import Extents, extents
from bearleft.language.lexicon.lexicon import NUMBERS
from bearleft.language.noun_phrases import Phrase, match
from bearleft.language.scene_index import SceneIndex, Sight
from bearleft.world.city.catalog import CLASSES

Ints = npt.NDArray[np.int64]
Bond = Callable[["Stand", Ints, Ints], Floats]
By = Literal["left", "right", "near", "far"]

WORST = -10.0
SLACK = 6.0  # degrees outside of a side that cost as much as one
SAME = 2.5  # things whose scores differ less are told apart by which of them is meant: the first, the left one
# Sides by the middle of their sector and half of its width, degrees clockwise from the way one looks.
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
class Pick:
    """Which of several: the `rank`-th (from 1; -1 the last), counted by distance or from the left or right."""

    by: By
    rank: int = 1


@dataclass(frozen=True, slots=True)
class Ref:
    """A thing that is named: what it is called, where it is to the viewer, and which of several it is."""

    phrase: Phrase
    side: str = ""
    pick: Pick | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """How a thing stands to another (of `between`: to two others), all as numbers of refs."""

    what: str
    subject: int
    objects: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Spot:
    """Where on a thing: which part, how far across from the left and up from below (0 to 1), in line with what.

    Of a window: its floor (1 is the ground floor), which from the left or right, or which side of another thing.
    """

    thing: int
    part: str = ""
    across: float | None = None
    up: float | None = None
    line: int = -1
    towards: str = ""
    floor: int = 0
    column: Pick | None = None


@dataclass(frozen=True, slots=True)
class Meaning:
    """All that a description says."""

    refs: tuple[Ref, ...] = ()
    links: tuple[Link, ...] = ()
    spot: Spot | None = None

    def one_of(self, group: int, pick: Pick) -> tuple[Meaning, int]:
        """With one of a group named before: all that was said of the group holds for it, too."""
        new = len(self.refs)
        ref = replace(self.refs[group], pick=pick)
        more = tuple(replace(link, subject=new) for link in self.links if link.subject == group)
        return Meaning((*self.refs, ref), (*self.links, *more), self.spot), new


@dataclass(frozen=True, eq=False)
class Stand:
    """Where one stands and which way one looks."""

    scene: SceneIndex
    sight: Sight
    heading: float

    @property
    def extents(self) -> Extents:
        """The boxes of the city's things."""
        return extents(self.scene)


@dataclass(eq=False)
class Scorer:
    """Scores the things that are seen from where one stands."""

    stand: Stand
    meaning: Meaning
    _rows: dict[int, Ints] = field(default_factory=dict)

    def scores(self, ref: int) -> tuple[Ints, Floats]:
        """The rows of the sight that a ref's phrase fits, and the score of each."""
        return self._belief(ref, frozenset())

    def best(self, ref: int) -> tuple[int, float]:
        """The row that fits best, -1 for none, and by how much it beats the next."""
        rows, scores = self.scores(ref)
        if not len(rows):
            return -1, 0.0
        order = np.argsort(-scores, kind="stable")
        margin = float(scores[order[0]] - scores[order[1]]) if len(rows) > 1 else -WORST
        return int(rows[order[0]]), margin

    def fitting(self, ref: int) -> Ints:
        """The rows that its phrase fits."""
        if ref not in self._rows:
            fits = match(self.meaning.refs[ref].phrase, self.stand.sight) & (self.stand.sight.hidden < 0.93)
            self._rows[ref] = np.flatnonzero(fits)
        return self._rows[ref]

    def _belief(self, ref: int, done: frozenset[int]) -> tuple[Ints, Floats]:
        sight, rows = self.stand.sight, self.fitting(ref)
        scores = -np.minimum(0.02 * sight.median[rows], 1.2) - np.where(sight.hidden[rows] > 0.8, 0.8, 0.0)
        if not len(rows):
            return rows, scores
        side = self.meaning.refs[ref].side
        if side:
            middle, half = SIDES[side]
            off = np.abs(turn(self.stand.heading + middle, sight.heading[rows])) - half
            scores = scores + np.maximum(-np.maximum(off, 0.0) / SLACK, WORST)
        for k, link in enumerate(self.meaning.links):
            if k not in done and (link.subject == ref or ref in link.objects):
                scores = scores + self._told(k, link, ref, rows, done | {k})
        pick = self.meaning.refs[ref].pick
        return rows, scores if pick is None else self._picked(rows, scores, pick)

    def _told(self, k: int, link: Link, ref: int, rows: Ints, done: frozenset[int]) -> Floats:
        """What a link tells of the things that a ref may be."""
        sides = link.subject, *link.objects
        others = [other for other in sides if other != ref]
        if len(others) != len(sides) - 1 or not others:
            return np.zeros(len(rows))
        found = [self._belief(other, done) for other in others]
        if any(not len(some) for some, _ in found):
            return np.zeros(len(rows))
        if link.what == "between" and len(link.objects) == 2:
            return self._between(link, ref, rows, others, found)
        some, score = found[0]
        score = score - score.max()
        if link.what == "has" and (count := _counted(self.meaning.refs[link.objects[0]].phrase)):
            return self._has(count, ref == link.subject, rows, some, score)
        if ref == link.subject:
            bonds = bond(self.stand, link.what, rows, some)
        else:
            bonds = bond(self.stand, link.what, some, rows).T
        return np.asarray((bonds + score[None, :]).max(axis=1), float)

    def _has(self, count: int, subject: bool, rows: Ints, some: Ints, score: Floats) -> Floats:
        """A thing that has so many of others, or one of those others."""
        owner, owned = (rows, some) if subject else (some, rows)
        own = bond(self.stand, "has", owner, owned) > -1.0
        right = np.maximum(-4.0 * np.abs(own.sum(axis=1) - count), WORST)
        if subject:
            return np.asarray(right, float)
        total = np.where(own, 0.0, WORST) + (right + score)[:, None]
        return np.asarray(total.max(axis=0), float)

    def _between(self, link: Link, ref: int, rows: Ints, others: list[int], found: list[tuple[Ints, Floats]]) -> Floats:
        """Of three: the subject lies between the two objects, on the ground or in the view."""
        known = dict(zip(others, found, strict=True)) | {ref: (rows, np.zeros(len(rows)))}
        (s, s0), (a, a0), (b, b0) = (known[one] for one in (link.subject, *link.objects))
        ex = self.stand.extents
        at = [ex.middle(self.stand.sight.instance[one] - 1)[:, :2] for one in (s, a, b)]
        way = at[2][None, :] - at[1][:, None]
        long = np.maximum(np.hypot(way[..., 0], way[..., 1]), 1e-6)
        off = at[0][:, None, None] - at[1][None, :, None]
        along = (off * way[None]).sum(-1) / long**2
        aside = np.abs(off[..., 0] * way[None, ..., 1] - off[..., 1] * way[None, ..., 0]) / long
        score = -np.maximum(np.abs(along - 0.5) - 0.42, 0) * 25 - np.maximum(aside - 1.5, 0) * 1.5
        score = score - np.maximum(long - 12.0, 0) / 2.0 - 0.1 * long
        score = np.where(sight_same(self.stand.sight, a, b), WORST, score)
        score = np.maximum(score, WORST)
        total = score + (s0 - s0.max())[:, None, None] + (a0 - a0.max())[None, :, None] + (b0 - b0.max())[None, None]
        which = (link.subject, *link.objects).index(ref)
        return np.asarray(total.max(axis=tuple(k for k in range(3) if k != which)), float)

    def _picked(self, rows: Ints, scores: Floats, pick: Pick) -> Floats:
        """With all but the one that is meant far behind; those that do not fit stay where they are."""
        some = np.flatnonzero(scores > scores.max() - SAME)
        key = order_key(self.stand.sight, rows[some], pick.by)
        order = some[np.argsort(key, kind="stable")]
        at = pick.rank - 1 if pick.rank > 0 else len(order) + pick.rank
        if not 0 <= at < len(order):
            return scores
        out = scores - 6.0
        out[order[at]] = scores.max()
        return out


def _counted(phrase: Phrase) -> int:
    """How many a phrase says there are, 0 where it does not count."""
    return phrase.number if phrase.words.split(" ")[0] in NUMBERS else 0


def order_key(sight: Sight, rows: Ints, by: By) -> Floats:
    """What rows are counted by: the first has the least."""
    if by in ("near", "far"):
        return sight.nearest[rows] * (1.0 if by == "near" else -1.0)
    radians = np.radians(sight.heading[rows])
    middle = np.degrees(np.arctan2(np.sin(radians).sum(), np.cos(radians).sum()))
    return np.asarray(turn(middle, sight.heading[rows]) * (1.0 if by == "left" else -1.0), float)


def sight_same(sight: Sight, a: Ints, b: Ints) -> npt.NDArray[np.bool_]:
    """Whether two lists of rows name the same things, pair by pair."""
    return np.asarray(sight.instance[a][:, None] == sight.instance[b][None, :], bool)[None]


def _kinds(*names: str) -> npt.NDArray[np.bool_]:
    """Of each class, whether it is one of these."""
    return np.array([one.name in names for one in CLASSES])


# Things that stand on a foot much smaller than they are: what is beside them is beside that foot.
FOOTED = _kinds("tree", "lamp post", "pole", "traffic light")
TWO_SIDED = _kinds("fence", "construction fence", "hedge")
# What belongs to a wall stands before nothing.
FIXED = _kinds(
    *("building", "door", "storefront", "awning", "portico", "mural", "graffiti", "fire escape", "window box"),
    *("balcony", "bay window", "air conditioner", "wall lamp", "marquee", "lettered sign", "billboard"),
)
FOOT = 0.4


def gap(stand: Stand, i: Ints, j: Ints) -> Floats:
    """Metres of ground between things (rows i) and others (rows j)."""
    ex = stand.extents
    ti, tj = stand.sight.instance[i] - 1, stand.sight.instance[j] - 1
    mid_i, mid_j = _feet(stand, i), _feet(stand, j)
    half_i, half_j = (np.minimum(ex.half[t, 0], ex.half[t, 1]) for t in (ti, tj))
    foot_i, foot_j = FOOTED[stand.sight.kind[i]], FOOTED[stand.sight.kind[j]]
    straight = np.hypot(*np.moveaxis(mid_i[:, None] - mid_j[None, :], -1, 0))
    to_j = np.where(foot_j[None, :], straight - FOOT, ex.outside(tj[None, :], mid_i[:, None, :]))
    to_i = np.where(foot_i[:, None], straight - FOOT, ex.outside(ti[:, None], mid_j[None, :, :]))
    to_j = to_j - np.where(foot_i, FOOT, half_i)[:, None]
    to_i = to_i - np.where(foot_j, FOOT, half_j)[None, :]
    return np.maximum(np.minimum(to_i, to_j), 0.0)


def _feet(stand: Stand, rows: Ints) -> Floats:
    middle = stand.extents.middle(stand.sight.instance[rows] - 1)[:, :2]
    footed = FOOTED[stand.sight.kind[rows]]
    own = np.column_stack([stand.sight.east[rows], stand.sight.north[rows]])
    return np.where(footed[:, None], own, middle)


def bond(stand: Stand, what: str, i: Ints, j: Ints) -> Floats:
    """How well things (rows i) stand to others (rows j) as is said: (i, j), 0 at best, WORST at worst."""
    if what == "has":
        return bond(stand, "on", j, i).T
    score = _BONDS[what](stand, i, j)
    return np.maximum(
        np.where(stand.sight.instance[i][:, None] == stand.sight.instance[j][None, :], WORST, score), WORST
    )


def _apart(stand: Stand, i: Ints, j: Ints) -> Floats:
    """Metres between things (rows i) and others (rows j), those of height beyond two counted."""
    low, high = stand.extents.low[:, 2], stand.extents.high[:, 2]
    ti, tj = stand.sight.instance[i] - 1, stand.sight.instance[j] - 1
    lift = np.maximum(low[ti][:, None] - high[tj][None, :], low[tj][None, :] - high[ti][:, None])
    return np.asarray(gap(stand, i, j) + np.maximum(lift - 2.0, 0.0), float)


def _near(stand: Stand, i: Ints, j: Ints) -> Floats:
    off = _apart(stand, i, j)
    return -np.maximum(off - 1.2, 0.0) / 0.6 - 0.3 * off


def _beside(sign: float) -> Bond:
    def score(stand: Stand, i: Ints, j: Ints) -> Floats:
        off = _apart(stand, i, j)
        aside = sign * turn(stand.sight.heading[j][None, :], stand.sight.heading[i][:, None])
        apart = 0.12 * (stand.sight.width[i][:, None] + stand.sight.width[j][None, :])
        return np.where((aside > apart) & (aside < 120), 0.0, -8.0) - np.maximum(off - 3.0, 0.0) / 0.8 - 0.3 * off

    return score


def _front(stand: Stand, i: Ints, j: Ints) -> Floats:
    ex = stand.extents
    tj = stand.sight.instance[j] - 1
    half = ex.half[tj]
    wall = (FIXED | TWO_SIDED)[stand.sight.kind[j]]
    own = ex.own(tj[None, :], _feet(stand, i)[:, None, :])
    out = own[..., 1] - ex.high[tj][None, :, 1]
    two = TWO_SIDED[stand.sight.kind[j]][None, :]
    out = np.where(two, np.abs(own[..., 1]), out)
    beyond = np.maximum(np.abs(own[..., 0] - (ex.low[tj] + ex.high[tj])[None, :, 0] / 2) - half[None, :, 0], 0.0)
    flat = np.where(out > -0.5, 0.0, -8.0) - np.maximum(out - 4.5, 0) - np.maximum(beyond - 0.4, 0) * 3 - 0.1 * out
    aloft = np.where((ex.low[stand.sight.instance[i] - 1, 2] > 1.0) | FIXED[stand.sight.kind[i]], -8.0, 0.0)[:, None]
    return np.where(wall[None, :], flat - 0.5 * beyond, _before(stand, i, j, 1.0)) + aloft


def _before(stand: Stand, i: Ints, j: Ints, sign: float) -> Floats:
    """Nearer (or, with -1, farther) in the same direction."""
    off = gap(stand, i, j)
    aside = np.abs(turn(stand.sight.heading[j][None, :], stand.sight.heading[i][:, None]))
    over = aside - (stand.sight.width[i][:, None] + stand.sight.width[j][None, :]) / 2
    nearer = sign * (stand.sight.nearest[j][None, :] - stand.sight.nearest[i][:, None]) > 0
    fixed = FIXED[stand.sight.kind[i]][:, None]
    return np.where(nearer & ~fixed, 0.0, -8.0) - np.maximum(over, 0.0) - np.maximum(off - 3.0, 0.0) - 0.2 * off


def _behind(stand: Stand, i: Ints, j: Ints) -> Floats:
    return _before(stand, i, j, -1.0)


def _above(stand: Stand, i: Ints, j: Ints) -> Floats:
    ex = stand.extents
    ti, tj = stand.sight.instance[i] - 1, stand.sight.instance[j] - 1
    off = gap(stand, i, j)
    lift = ex.low[ti][:, None, 2] - ex.high[tj][None, :, 2]
    score = np.where(lift > -0.7, 0.0, -8.0) - np.maximum(off - 0.6, 0.0) * 2 - np.maximum(lift - 4.0, 0.0)
    aside = np.abs(turn(stand.sight.heading[j][None, :], stand.sight.heading[i][:, None]))
    apart = np.maximum(stand.sight.width[i][:, None], stand.sight.width[j][None, :]) / 2 + 1.0
    return np.asarray(score - np.maximum(aside - apart, 0.0) * 0.7 - 0.2 * np.maximum(lift, 0.0), float)


def _below(stand: Stand, i: Ints, j: Ints) -> Floats:
    return _above(stand, j, i).T


def _on(stand: Stand, i: Ints, j: Ints) -> Floats:
    owner = stand.scene.plan.things["owner"].astype(np.int64)[stand.sight.instance[i] - 1]
    above = np.where(owner >= 0, stand.scene.plan.things["owner"][owner], -1)
    tj = (stand.sight.instance[j] - 1)[None, :]
    return np.where((owner[:, None] == tj) | (above[:, None] == tj), 0.0, WORST)


def _across(stand: Stand, i: Ints, j: Ints) -> Floats:
    """On the other side of the street, about as far along it."""
    eye = stand.scene.city.graph.positions[stand.sight.place][:2]
    a = np.radians(stand.heading)
    ahead, right = np.array([np.sin(a), np.cos(a)]), np.array([np.cos(a), -np.sin(a)])
    at_i, at_j = (_feet(stand, rows) - eye for rows in (i, j))
    opposite = np.sign(at_i @ right)[:, None] != np.sign(at_j @ right)[None, :]
    along = np.abs((at_i @ ahead)[:, None] - (at_j @ ahead)[None, :])
    score = np.where(opposite, 0.0, -8.0) - np.maximum(along - 6.0, 0.0) / 1.5 - 0.1 * along
    return np.asarray(score, float)


_BONDS: dict[str, Bond] = {
    "near": _near,
    "left": _beside(-1.0),
    "right": _beside(1.0),
    "front": _front,
    "behind": _behind,
    "above": _above,
    "below": _below,
    "on": _on,
    "across": _across,
}
