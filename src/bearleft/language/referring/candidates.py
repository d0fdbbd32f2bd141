"""Finds what may be named in a view: what stands out, what leads from one thing to another, and names that fit."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import numpy as np

from bearleft.geometry import Floats, turn
from bearleft.language.annotated_text import Text
from bearleft.language.lexicon.lexicon import NAMES as NAMED
from bearleft.language.lexicon.lexicon import ordinal_word
from bearleft.language.noun_phrases import Flags, Phrase, call, match
from bearleft.language.referring import templates as words
from bearleft.language.referring.view import (
    FIXED,
    INVERSE,
    SMALLEST,
    Relation,
    Spot,
    best,
    cost,
    noticed,
    nth,
    salience,
    telling,
)
from bearleft.language.scene_index import SceneIndex
from bearleft.world.city.catalog import CLASSES
from bearleft.world.targets import MOVING

# How much better than the next a thing must suit: where one is led to it, where a detail tells it from others in the
# whole scene, and where nothing does.
CLEAR, DETAIL, PLAIN = 5.0, 8.0, 8.0
# A detail is of no use where another thing of the name has it too, if only as far off as this.
ALSO: dict[Relation, float] = {
    "left": 25.0,
    "right": 25.0,
    "above": 15.0,
    "below": 15.0,
    "near": 12.0,
    "behind": 25.0,
    "before": 25.0,
}
PLAIN_SIZE = 1.5e-3  # of the sphere: what one may begin with
NAMES = 5  # ways to call a thing that are tried
ALONE = 0.8  # how often a name is sought that fits nothing else
SIZES = frozenset(("big", "large", "small", "young", "tall", "leafy", "old"))
MATCHED = 0.35  # of the largest thing of its name, at least, that a detail may tell from it
OWN_NAMES = frozenset(name.one for name in NAMED)  # a "small car" is a hatchback
TRIES = 8  # before one is content with an odd name
VAGUE = 4  # classes that a name may denote are too many to say much
SIZED = 0.4  # how often the size of a thing is said that is large or small
MANY = 8  # things of a name are too many to tell something by
# How much each relation is liked; in rooms nothing is across a street.
LIKED: dict[Relation, float] = {
    "left": 5.0,
    "right": 5.0,
    "above": 3.5,
    "below": 3.5,
    "near": 4.0,
    "behind": 0.9,
    "before": 0.9,
    "across": 0.5,
    "around": 0.6,
}
DEPTH = 4.0  # how much more "behind" and "in front of" are liked in rooms, where less stands so
# How far off things may be that are still told so.
REACH: dict[Relation, float] = {
    "left": 60.0,
    "right": 60.0,
    "above": 25.0,
    "below": 25.0,
    "near": 9.0,
    "behind": 12.0,
    "before": 12.0,
    "across": 25.0,
    "around": 35.0,
}
MOVES = np.array([one.name in MOVING for one in CLASSES])
_BUILT = np.array([one.name == "building" for one in CLASSES])
# People are named where they sit, and are no "it".
PERSON = np.array([one.name == "seated person" for one in CLASSES])
ALIVE = np.array([one.name in ("person", "cyclist", "dog", "pigeons") for one in CLASSES])


@dataclass(frozen=True)
class Said:
    """A thing as it was named: "a red awning"."""

    row: int
    text: Text
    phrase: Phrase
    rank: int = 0  # 2 for "the second red awning"

    @property
    def noun(self) -> str:
        """Without its article."""
        return bare(self.text.string)

    def by(self, article: str, *marks: str) -> Text:
        """With another article."""
        instances = (mention.instance for mention in self.text.mentions)
        return Text(f"{article} {self.noun}").marked(*marks).naming(*instances)

    @property
    def definite(self) -> Text:
        """ "The red awning", "the second red awning"."""
        return self.by(f"the {ordinal_word(self.rank)}", "count") if self.rank else self.by("the", "unique entity")


@dataclass(frozen=True)
class Link:
    """From one thing to another, by a relation."""

    relation: Relation
    what: Said


class Finder:
    """Looks around from a place."""

    def __init__(self, scene: SceneIndex, place: int, random: Random) -> None:
        self.scene, self.random = scene, random
        self.sight = scene.at(place)
        self.yaw = float(scene.city.graph.yaw[place])
        self.large = self.sight.share >= SMALLEST
        self.telling = telling(self.sight, scene.plan.indoors)
        self.eye, self.stands_out = noticed(self.sight), salience(self.sight)
        self.indoors = scene.plan.indoors
        self.moves = np.asarray(MOVES[self.sight.kind] & (not self.indoors), bool)  # a showroom's car stands still
        self.fixed, self.person = FIXED[self.sight.kind], PERSON[self.sight.kind]
        self.opened: dict[int, tuple[Said, Text | None] | None] = {}

    def call(self, row: int, colour: bool | None = None) -> Said:
        """A way to name a thing."""
        for k in range(TRIES):
            said_so = colour if k < TRIES - 2 else False
            text, phrase = call(self.random, self.scene, int(self.sight.instance[row]), "a", said_so)
            said = text.string.split()
            # Not "a green green tree", "a green big tree" or "some stairs", and seldom "a sign" or "a box".
            vague = phrase.table is not None and phrase.table.any(axis=1).sum() >= VAGUE
            odd = len(set(said)) < len(said) or (phrase.colours is not None and SIZES & set(said[2:]))
            if not odd and not (said[0] == "some" and many(said[-1])) and not (vague and self.random.random() < 0.75):
                break
        size = "" if SIZES & set(said) or said[0] == "some" else self._size(row)
        if size and f"{size} {bare(text.string)}" not in OWN_NAMES:
            whole = Text(f"a {size} {bare(text.string)}")
            text = whole.marked("unique entity").naming(int(self.sight.instance[row]))
        return Said(row, text, phrase)

    def _size(self, row: int) -> str:
        """ "Large", "tall" or "small", of what looks so; often nothing."""
        sight = self.sight
        high = sight.top[row] - sight.bottom[row]
        if self.random.random() > SIZED or self.indoors:
            return ""  # in a room all is large that is near
        if high > 30.0 and high > 1.5 * sight.width[row]:
            return "tall"
        if sight.share[row] > 0.012:
            return self.random.choice(("large", "large", "big"))
        return "small" if sight.share[row] < 5e-4 else ""

    def fits(self, phrase: Phrase) -> Flags:
        """Which things a phrase fits that are large enough to be noticed."""
        return np.asarray(match(phrase, self.sight) & self.large, bool)

    def spots(self, phrase: Phrase) -> list[Spot]:
        """All that a phrase may mean."""
        return [Spot.of(self.sight, int(row)) for row in np.flatnonzero(self.fits(phrase))]

    def openings(self, anchor: int) -> list[int]:
        """Things that stand out, those first that are plain to see and not too far from an anchor."""
        sight = self.sight
        off = np.abs(turn(sight.heading[anchor], sight.heading))
        liked = -2.0 * np.maximum(np.log2(2e-3 / np.maximum(sight.share, 1e-9)), 0.0) - off / 25.0
        liked -= 4.0 * self.moves + 8.0 * sight.hidden
        liked += [3.0 * self.random.random() for _ in range(len(sight))]
        liked[~self.telling | ALIVE[sight.kind]] = -np.inf
        found: list[int] = []
        for least, most in ((PLAIN_SIZE, 1.0), (PLAIN_SIZE / 4, PLAIN_SIZE)):
            some = np.flatnonzero((sight.share >= least) & (sight.share < most) & np.isfinite(liked))
            for row in some[np.argsort(-liked[some], kind="stable")][:14]:
                if len(found) == 5:
                    break
                if self.can_open(int(row)):
                    found.append(int(row))
        # What needs no detail first: it is named again with ease.
        return sorted(found, key=self._detailed)

    def _detailed(self, row: int) -> bool:
        opened = self.opened[row]
        return opened is not None and opened[1] is not None

    def tells(self, row: int, other: int) -> bool:
        """Whether the name that one may begin with needs another thing to be named: "the window near a curtain"."""
        opened = self.opened.get(row)
        return opened is not None and opened[1] is not None and self._names(opened[1], other)

    def _names(self, text: Text, row: int | None) -> bool:
        return row is not None and int(self.sight.instance[row]) in {one.instance for one in text.mentions}

    def can_open(self, row: int) -> bool:
        """Whether there is a way to name a thing that fits it alone in the whole scene; it is kept."""
        if row not in self.opened:
            self.opened[row] = self._opened(row)
        return self.opened[row] is not None

    def _opened(self, row: int) -> tuple[Said, Text | None] | None:
        said = None
        for k in range(NAMES):
            said = self.call(row, True if k else None)
            found, margin = best([self.stands_out], self.fits(said.phrase))
            if found == row and margin >= PLAIN:
                return said, None
        assert said is not None
        nearest = np.where(self.fits(said.phrase), self.sight.nearest, np.inf)
        order = np.sort(nearest)
        if int(np.argmin(nearest)) == row and len(order) > 1 and order[1] > 1.4 * order[0] and order[0] < 25.0:
            return said, words.NEAREST.say(self.random)
        for _ in range(2):
            said = self.call(row)
            # A small one beside a larger one of its name would be taken for it, whatever is told of it.
            if self.sight.share[row] < MATCHED * self.sight.share[self.fits(said.phrase)].max(initial=0.0):
                continue
            detail = self.detail(said, DETAIL)
            if detail is not None:
                return said, detail
        return None

    def detail(self, said: Said, margin: float) -> Text | None:
        """What stands beside a thing, told so that the thing is the one that suits; None for nothing."""
        spot = Spot.of(self.sight, said.row)
        fits = self.fits(said.phrase)
        relations: list[Relation] = ["left", "right", "above", "below", "before", "behind"]
        self.random.shuffle(relations)
        relations.insert(0 if self.random.random() < 0.8 else 2, "near")
        if self.fixed[said.row]:
            relations.remove("behind")
        for relation in relations:
            costs = np.where(self.telling, cost(self.sight, relation, spot, self.yaw), np.inf)
            costs = costs + self.eye + 3.0 * self.moves
            other = int(np.argmin(costs))
            if costs[other] > 16.0 or ALIVE[self.sight.kind[other]]:
                continue
            second = self.call(other)
            # The other stands in `relation` to the thing; so the thing stands in the inverse to it.
            inverse, spots = INVERSE[relation], self.spots(second.phrase)
            if len(spots) > MANY:
                continue
            some = np.min([cost(self.sight, inverse, one, self.yaw) for one in spots], axis=0)
            found, clear = best([some, self.eye], fits)
            others = fits & (self.sight.instance != spot.instance)
            if found != said.row or clear < margin or (some[others] < ALSO[relation]).any():
                continue
            if self.random.random() < 0.4 and relation != "near" and not self.person[said.row]:
                has = Text("with") if many(said.noun) else words.WITH.say(self.random)
                beside = words.RELATIONS[relation].say(self.random)
                return Text.join([has, second.text, beside, Text("it").marked("coreference")])
            return Text.join([words.RELATIONS[inverse].say(self.random), second.text])
        return None

    def betweens(self, first: int, last: int) -> list[int]:
        """Things by which one may come from one thing to another, in a likely order."""
        sight = self.sight
        one, other = sight.heading[first], sight.heading[last]
        off = np.abs(turn(one, sight.heading)) + np.abs(turn(sight.heading, other))
        liked = -off / 12.0 - self.eye - 2.0 * self.moves
        liked += [4.0 * self.random.random() for _ in range(len(sight))]
        some = np.flatnonzero((sight.share >= PLAIN_SIZE / 3) & self.telling & ~ALIVE[sight.kind])
        some = some[~np.isin(sight.kind[some], sight.kind[[first, last]])]
        return [int(row) for row in some[np.argsort(-liked[some], kind="stable")][:8]]

    def link(self, source: int, row: int) -> Link | None:
        """A relation by which one comes from one thing to another, with a name that fits."""
        spot = Spot.of(self.sight, source)
        keyed: list[tuple[float, Relation]] = []
        costs = {}
        for relation, liked in LIKED.items():
            costs[relation] = cost(self.sight, relation, spot, self.yaw)
            stacked = relation in ("above", "below") and _BUILT[self.sight.kind[[source, row]]].all()
            fixed = (relation == "behind" and self.fixed[source]) or (relation == "across" and self.indoors)
            if costs[relation][row] < REACH[relation] and not stacked and not fixed:
                deep = DEPTH if self.indoors and relation in ("behind", "before") else 1.0
                keyed.append((self.random.random() ** (1.0 / (liked * deep)), relation))
        for _, relation in sorted(keyed, reverse=True):
            found = self._named(row, costs[relation])
            if found is not None:
                return Link(relation, found)
            if relation in ("left", "right"):
                ranked = self._ranked(source, row, relation)
                if ranked is not None:
                    return Link(relation, ranked)
        return None

    def _named(self, row: int, costs: Floats) -> Said | None:
        """A name by which a thing suits best; often one that fits nothing else in the scene."""
        found: list[tuple[int, int, Said]] = []
        alone = self.random.random() < ALONE
        for k in range(NAMES):
            what = self.call(row, None if k < 2 else True)
            fits = self.fits(what.phrase)
            suits, margin = best([costs, self.eye], fits)
            if suits == row and margin >= CLEAR:
                found.append((int(fits.sum()), k, what))
                if not alone or found[-1][0] == 1:
                    break
        return min(found)[2] if found else None

    def _ranked(self, source: int, row: int, side: Relation) -> Said | None:
        """ "The second lamp post to the left"."""
        spot = Spot.of(self.sight, source)
        what = self.call(row, self.random.random() < 0.3)
        fits = self.fits(what.phrase)
        way = np.sort(turn(spot.heading, self.sight.heading[fits]) * (1 if side == "right" else -1))
        way = way[(way > 0) & (way < 150.0)]
        for rank in (2, 3):
            if nth(self.sight, fits, side, spot, rank) == row and np.diff(way[: rank + 1], prepend=0.0).min() >= 4.0:
                return Said(row, what.text, what.phrase, rank)
        return None


def bare(said: str) -> str:
    """A noun phrase without its article."""
    first, _, rest = said.partition(" ")
    return rest if first in ("a", "an", "some") else said


def many(noun: str) -> bool:
    """Whether a noun is plural."""
    return noun.endswith("s") and not noun.endswith("ss")
