"""Descriptions of targets, as Touchdown's SDR segments: the scene first, then where Touchdown is.

A description is drawn, put into words and, as what it means, checked against the scene: everything it names must be
what is meant, from the place it is written for, and the spot it means must be the target. If not, another is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from bearleft.geometry import angles, turn
from bearleft.language.annotated_text import Text
from bearleft.language.descriptions import templates as words
from bearleft.language.descriptions.distractors import shop_doors, together
from bearleft.language.descriptions.draft import Draft
from bearleft.language.descriptions.locate import pixels, resolve, spot_on
from bearleft.language.descriptions.semantics import SIDES, By, Link, Meaning, Pick, Scorer, Stand, bond, order_key
from bearleft.language.descriptions.spots import Where, say_where, spots
from bearleft.language.lexicon.lexicon import number_word, ordinal_word
from bearleft.language.noun_phrases import match
from bearleft.language.scene_index import SceneIndex
from bearleft.language.templates import once, tidy
from bearleft.records import Direction
from bearleft.world.city.catalog import CLASSES
from bearleft.world.targets import Target

TRIES = 24
ANCHORS, GROUPS = 3, 3  # other things that are tried as the first, and times that several alike are looked for
CLOSE, FAR = 30.0, 40.0  # pixels a description should lead to, and must
MARGIN = 1.5  # by which a thing must fit better than the next
ALIGNED = 45.0  # degrees between the way one came and the picture's middle, for "on your left"
INSIDE = 6.0  # degrees that a thing must lie inside of the side it is said to be on
RESTLESS, VEHICLES = (
    frozenset(k for k, one in enumerate(CLASSES) if one.name in names) for names in (words.RESTLESS, words.CARS)
)


@dataclass(frozen=True)
class Description:
    """A target's description: an opening that sets the scene, and the rest, which ends where Touchdown is."""

    opening: Text
    rest: Text

    @property
    def text(self) -> Text:
        """All of it."""
        return Text.join((self.opening, self.rest))


def describe(
    scene: SceneIndex, target: Target, heading: float, views: Sequence[int], seed: int, number: int
) -> Description | None:
    """A description of a target, or None where none is found that leads to it alone.

    `views` are the places it is shown from, the target's own among them; `heading` is the way one came.
    """
    found = drawn(scene, target, heading, views, seed, number)
    return found[0] if found else None


def drawn(
    scene: SceneIndex, target: Target, heading: float, views: Sequence[int], seed: int, number: int
) -> tuple[Description, Meaning] | None:
    """A description and what it means."""
    if target.position is None:
        return None
    yaw = scene.city.graph.yaw
    aligned = all(abs(float(turn(heading, yaw[view]))) < ALIGNED for view in views)
    places = [target.place, *(view for view in views if view != target.place)]
    stands = [Stand(scene, scene.at(place), float(yaw[place])) for place in places]
    stands = [stand for k, stand in enumerate(stands) if not k or stand.sight.find(target.instance) >= 0]
    if stands[0].sight.find(target.instance) < 0:
        return None
    eyes = scene.city.poses([stand.sight.place for stand in stands])[:, :3].astype(float)
    goals = [Direction(*map(float, angles(np.array(target.position) - eye))) for eye in eyes]
    writer = _Writer(scene, target, stands, goals, aligned)
    best: tuple[float, Draft] | None = None
    for attempt in range(TRIES):
        draft = writer.draft(Random(f"{seed} describe {number} {attempt}"))
        if draft is None:
            continue
        worth = writer.worth(draft)
        if worth is not None and (best is None or worth > best[0]):
            best = worth, draft
            if worth >= 1.0:
                break
    if best is None:
        return None
    return Description(best[1].opening, best[1].rest), best[1].meaning


class _Writer:
    def __init__(
        self, scene: SceneIndex, target: Target, stands: list[Stand], goals: list[Direction], aligned: bool
    ) -> None:
        self.scene, self.target, self.stands, self.goals, self.aligned = scene, target, stands, goals, aligned
        self.stand, self.sight = stands[0], stands[0].sight
        self.row = self.sight.find(target.instance)
        self.anchors = self._anchors(self.row)
        self.spots = spots(stands, goals, target, [(what, row) for what, row, _ in self.anchors])

    # What there is to say.

    def _anchors(self, row: int) -> list[tuple[str, int, float]]:
        """What a thing can be told from: relation, row of the other thing, and how good it is."""
        sight = self.sight
        fit = (sight.share > 1.5e-4) & (sight.hidden < 0.6) & (np.arange(len(sight)) != row)
        fit &= ~np.isin(sight.kind, list(RESTLESS))
        rows = np.flatnonzero(fit)
        found: list[tuple[str, int, float]] = []
        me, mine = np.array([row]), int(sight.kind[row])
        for what in ("near", "left", "right", "front", "above", "below", "on", "behind"):
            score = bond(self.stand, what, me, rows)[0]
            for k in np.flatnonzero(score > -0.9):
                other = int(rows[k])
                if (int(sight.kind[other]) == 0) != (mine == 0) and what not in ("on", "front"):
                    continue
                if what == "behind" and CLASSES[int(sight.kind[other])].name in words.ON_HOUSES:
                    continue  # nothing stands behind a shop window
                good = float(np.sqrt(sight.share[other])) * 10 + 0.3
                good *= {"near": 1.6, "on": 0.9, "behind": 0.25}.get(what, 1.0)
                good *= 0.25 if int(sight.kind[other]) in VEHICLES else 1.0
                found.append((what, other, good * float(np.exp(score[k]))))
        return found

    def sides(self, instance: int) -> list[str]:
        """The sides a thing is on, from every place."""
        if not self.aligned:
            return []
        good = []
        for side, (middle, half) in SIDES.items():
            if side in words.SIDES and all(self._inside(stand, instance, middle, half) for stand in self.stands):
                good.append(side)
        return good

    def _inside(self, stand: Stand, instance: int, middle: float, half: float) -> bool:
        row = stand.sight.find(instance)
        if row < 0:
            return False
        return abs(float(turn(stand.heading + middle, stand.sight.heading[row]))) < half - INSIDE

    # Words.

    def related(self, draft: Draft, ref: int, row: int, colour: float = 0.6) -> tuple[Text, Text, str] | None:
        """How a thing stands to another: the other's noun phrase and the words of the relation."""
        known = {int(self.sight.find(thing)) for thing in draft.things}
        anchors = self.anchors if row == self.row else self._anchors(row)
        said = {
            (link.what, int(self.sight.kind[self.sight.find(draft.things[link.objects[0]])]))
            for link in draft.links
            if link.subject == ref
        }
        some = [one for one in anchors if one[1] not in known and one[1] != self.row]
        some = [one for one in some if (one[0], int(self.sight.kind[one[1]])) not in said]
        if not some:
            return None
        what, other, _ = draft.random.choices(some, [one[2] for one in some])[0]
        text, number = draft.name(other, colour, first=False)
        draft.links.append(Link(what, ref, (number,)))
        return draft.relation(what, row), text, what

    # Drafts.

    def draft(self, random: Random) -> Draft | None:
        """One way to tell it."""
        if not self.spots or shop_doors(self.sight, self.row):
            return None
        where = random.choices(self.spots, [one.weight for one in self.spots])[0]
        draft = Draft(random, self.sight, part=where.spot.part)
        kind = random.random()
        for _ in range(GROUPS if kind < 0.5 else 0):
            if self._group(draft, where):
                return draft
            draft = Draft(random, self.sight, part=where.spot.part)
        if kind < 0.73:
            self._itself(draft, where)
            return draft
        for _ in range(ANCHORS):
            draft = Draft(random, self.sight, part=where.spot.part)
            if self._by_another(draft, where):
                return draft
        draft = Draft(random, self.sight, part=where.spot.part)
        self._itself(draft, where)
        return draft

    def scene_clause(self, draft: Draft, ref: int, thing: Text, share: float = 0.8) -> Text:
        """A sentence that shows a thing, with the side it is on where that may be said."""
        random = draft.random
        sides = self.sides(draft.things[ref])
        if sides and random.random() < share:
            side = random.choice(sides)
            draft.side(ref, side)
            if random.random() < 0.13 and side in words.LOOKS:
                look = random.choice([one for one in words.LOOKS[side] if not one.startswith("looking")])
                return random.choice(words.LOOKED).say(random, thing=thing, look=look)
            return once(lambda: random.choice(words.SEEN).say(random, thing=thing, side=_side(random, side)))
        return random.choice(words.SHOWN).say(random, thing=thing)

    def _itself(self, draft: Draft, where: Where) -> None:
        """The thing itself comes first, perhaps with another beside it; then Touchdown on it."""
        random = draft.random
        text, ref = draft.name(self.row, 0.7)
        alone = True
        if random.random() < 0.8:
            more = self.related(draft, ref, self.row)
            if more:
                text, alone = text + " " + more[0] + " " + more[1], False
                if random.random() < 0.12 and more[2] in ("near", "front", "below"):
                    extra = self.related(draft, ref, self.row)
                    text = text + " and " + extra[0] + " " + extra[1] if extra else text
        first = self.scene_clause(draft, ref, text)
        middle = []
        if random.random() < 0.5:
            more = self.related(draft, ref, self.row)
            if more:
                middle.append(draft.again(ref, alone, 0.6) + " is " + more[0] + " " + more[1])
                alone = False
        self._end(
            draft,
            where,
            ref,
            [first, *middle],
            draft.again(ref, alone and not middle and not where.spot.part, 0.35),
        )

    def _by_another(self, draft: Draft, where: Where) -> bool:
        """Another thing comes first, then the thing by how it stands to it, then Touchdown."""
        random = draft.random
        some = [one for one in self.anchors if one[0] != "behind"]
        if not some:
            return False
        what, other, _ = random.choices(some, [one[2] for one in some])[0]
        text, anchor = draft.name(other, 0.75)
        alone = True
        if random.random() < 0.42:
            more = self.related(draft, anchor, other)
            if more:
                text, alone = text + " " + more[0] + " " + more[1], False
        first = self.scene_clause(draft, anchor, text, 0.85)
        row, margin = Scorer(self.stand, draft.meaning).best(anchor)
        if row != other or margin < 0.8:
            return False  # what comes first must be plain by itself
        rel = draft.relation(what, self.row)
        known = draft.again(anchor, alone, 0.4)
        if random.random() < 0.5:
            thing, ref = draft.name(self.row, 0.5, article="the")
            draft.links.append(Link(what, ref, (anchor,)))
            self._end(draft, where, ref, [first], thing + " " + rel + " " + known)
        else:
            thing, ref = draft.name(self.row, 0.6)
            draft.links.append(Link(what, ref, (anchor,)))
            second = random.choice(words.RELATED).say(random, rel=rel, thing=thing, other_thing=known)
            self._end(draft, where, ref, [first, second], draft.again(ref, False))
        return True

    def _group(self, draft: Draft, where: Where) -> bool:
        """Several alike come first, then which of them."""
        random = draft.random
        _, ref = draft.name(self.row, 0.5, plural=2)
        phrase = draft.refs[ref].phrase
        if phrase.words.endswith(draft.nouns[ref]):
            return False  # no other plural
        sides = self.sides(draft.things[ref])
        side = random.choice(sides) if sides else ""
        draft.side(ref, side)
        scorer = Scorer(self.stand, draft.meaning)
        rows, scores = scorer.scores(ref)
        some = rows[scores > scores.max(initial=-np.inf) - 2.5]
        if not 2 <= len(some) <= 4 or self.row not in some:
            return False
        if any(self.sight.hidden[k] > 0.7 for k in some) or not together(self.sight, some, phrase):
            return False
        by: By = random.choice(("left", "right", "near"))
        key = order_key(self.sight, some, by)
        rank = int((key < key[list(some).index(self.row)]).sum()) + 1
        if by == "near" and np.diff(np.sort(key)).min() < 1.0:
            return False
        count = len(some)
        draft.refs[ref] = replace(draft.refs[ref], phrase=replace(phrase, number=count))
        instances = [int(self.sight.instance[k]) for k in some]
        many = phrase.words.removeprefix("two ")
        text = Text(f"{number_word(count)} {many}").marked("unique entity", "count").naming(*instances)
        if side:
            sources = words.SEEN_MANY if random.random() < 0.85 else words.SEEN[7:9]
            first = once(lambda: random.choice(sources).say(random, thing=text, side=_side(random, side)))
        else:
            first = random.choice(words.SHOWN_MANY).say(random, thing=text)
        meaning, one = draft.meaning.one_of(ref, Pick(by, rank))
        draft.refs, draft.links = list(meaning.refs), list(meaning.links)
        draft.things.append(self.target.instance)
        draft.nouns.append(draft.nouns[ref])
        # The group itself may be any of them: what is checked is the one.
        draft.things[ref] = 0
        self._end(draft, where, one, [first], self._which(draft, one, by, rank, count))
        return True

    def _which(self, draft: Draft, ref: int, by: By, rank: int, count: int) -> Text:
        random = draft.random
        if rank == 1:
            spoken = random.choice(words.PICKS[by].split("|"))
            how = random.random()
            if how < 0.25:
                spoken = f"the {random.choice(words.BEFORE[by].split('|')[:1])} {draft.nouns[ref]}"
            elif how < 0.8:
                spoken = f"the first one {words.FROM[by].split('|')[0]}" if by in words.FROM else "the first one"
        elif by in ("left", "right"):
            noun = "one" if random.random() < 0.6 else draft.nouns[ref]
            spoken = f"the {ordinal_word(rank)} {noun} {random.choice(words.FROM[by].split('|')[:1])}"
            if rank == count and random.random() < 0.25:
                other: By = "right" if by == "left" else "left"
                spoken = random.choice(words.PICKS[other].split("|")[:6])
        else:
            spoken = f"the {ordinal_word(rank)} one" if rank < count else random.choice(words.PICKS["far"].split("|"))
        marks = ["coreference"] + (["comparison"] if "est" in spoken or "most" in spoken or "er " in spoken else [])
        marks += ["sequencing"] if rank > 1 or "first" in spoken else []
        return Text(spoken).marked(*marks).naming(draft.things[ref])

    def _end(self, draft: Draft, where: Where, ref: int, sentences: list[Text], thing: Text) -> None:
        """The last sentence, and the whole."""
        random = draft.random
        anchor = -1
        beyond = Text("")
        if where.anchor >= 0:
            beyond, anchor = self._anchor(draft, where.anchor)
        draft.spot = replace(where.spot, thing=ref, line=anchor)
        at = say_where(random, where, thing, beyond)
        bear = random.choice(words.SAID_BEARS)
        last = once(lambda: tidy(random.choice(words.BEARING).say(random, bear=bear, at=at)))
        lower = random.random() < 0.4
        close = random.choices((".", "", "!"), (91, 7, 2))[0]
        first = sentences[0] if lower else sentences[0].capital()
        joint = random.random()
        if joint < 0.06 and len(sentences) == 1:
            draft.opening = first + ","
            draft.rest = Text("and ") + last + close if joint < 0.04 else last + close
        else:
            draft.opening = first + "."
            tail = [*(one.capital() + "." for one in sentences[1:]), _start(last) + close]
            draft.rest = Text.join(tail)

    def _anchor(self, draft: Draft, row: int) -> tuple[Text, int]:
        instance = int(self.sight.instance[row])
        for k, thing in enumerate(draft.things):
            if thing == instance and not draft.refs[k].phrase.plural:
                return draft.again(k), k
        return draft.name(row, 0.7, article="the")

    # Is it true, and does it lead there?

    def worth(self, draft: Draft) -> float | None:
        """How good a draft is: 1 for all that is asked, None for one that misleads at its own place."""
        meaning = draft.meaning
        scorer = Scorer(self.stand, meaning)
        for ref, thing in enumerate(draft.things):
            if not thing:
                continue
            row, margin = scorer.best(ref)
            if row < 0 or int(self.sight.instance[row]) != thing or margin < MARGIN:
                return None
        if self._confused(draft):
            return None
        misses = [self._miss(stand, goal, meaning, draft) for stand, goal in zip(self.stands, self.goals, strict=True)]
        if misses[0] > FAR - 3:
            return None
        if misses[0] <= CLOSE and max(misses) <= FAR - 3:
            return 1.0
        good = sum(miss <= FAR - 3 for miss in misses) / len(misses)
        return good - min(max(misses), 1000.0) / 5000.0

    def _confused(self, draft: Draft) -> bool:
        """Whether two things that are named could each be called as the other is."""
        single = [k for k, thing in enumerate(draft.things) if thing and not draft.refs[k].phrase.plural]
        fits = {k: match(draft.refs[k].phrase, self.sight) for k in single}
        rows = {k: self.sight.find(draft.things[k]) for k in single}
        return any(
            fits[j][rows[k]] and fits[k][rows[j]] and draft.things[j] != draft.things[k]
            for j in single
            for k in single
            if j < k
        )

    def _miss(self, stand: Stand, goal: Direction, meaning: Meaning, draft: Draft) -> float:
        assert meaning.spot is not None
        instance = resolve(stand, meaning, meaning.spot.thing)
        if instance != self.target.instance:
            return 1000.0
        found = spot_on(stand, meaning.spot, instance, lambda ref: resolve(stand, meaning, ref))
        return pixels(found, goal) if found else 1000.0


def _start(text: Text) -> Text:
    """As a sentence begins; Touchdown is sometimes written small even there."""
    return text if text.string.startswith("touchdown") else text.capital()


def _side(random: Random, side: str) -> str:
    return random.choice(words.SIDES[side]).replace(" ,", ",")
