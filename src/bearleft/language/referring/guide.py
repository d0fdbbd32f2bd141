"""One who leads a view from thing to thing, sentence by sentence."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np

from bearleft.language.annotated_text import Text
from bearleft.language.lexicon.lexicon import ordinal_word
from bearleft.language.noun_phrases import match
from bearleft.language.referring import templates as words
from bearleft.language.referring.candidates import ALIVE, CLEAR, NAMES, Finder, Link, Said
from bearleft.language.referring.target_location import CLOSER, HALVED, Part, Placing
from bearleft.language.referring.view import Relation, Side, Spot, apart, best, cost
from bearleft.language.scene_index import SceneIndex
from bearleft.language.templates import Template, tidy
from bearleft.world.city.catalog import CLASSES
from bearleft.world.targets import Target

DEFINITE = 0.62  # how often a thing named again is "the awning" rather than "that awning"
NEAR, NEAR_INDOORS = 12.0, 3.0  # metres of what is "close to you"
CLOSE = 0.6  # how often that is said
DISTANT = 45.0  # metres of what is "in the distance"
CLOSE_TOO = 0.2  # the same of a thing that one is led to
SNUG = 8.0  # degrees between things that stand "just" or "directly" beside each other
SITS = 0.12  # how often Waldo sits or stands where he can
GROUNDS = frozenset(("floor", "road", "sidewalk", "grass", "plaza"))
BEARING = np.array(
    [
        one.name in ("sofa", "armchair", "chair", "stool", "bar stool", "office chair", "ottoman", "booth seat", "bed",
                     "coffee table", "dining table", "side table", "tablecloth table", "display table", "desk", "bench",
                     "bar counter", "checkout counter", "reception desk", "cardboard box", "toy box", "pedestal", "rug")
        for one in CLASSES
    ]
)  # fmt: skip
TURNED = 0.22  # how often one is told to look to a side rather than beside a thing


class Guide(Finder):
    """Knows what was said, as the follower does."""

    def __init__(self, scene: SceneIndex, place: int, random: Random) -> None:
        super().__init__(scene, place, random)
        self.near = NEAR
        if self.indoors and self.large.any():
            # In a small room all is near, and only the nearer half is called so.
            self.near = min(NEAR_INDOORS, float(np.median(self.sight.nearest[self.large])))
        self.restart()

    def restart(self) -> None:
        """Nothing was said yet."""
        self.focus = Spot(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        self.at: Said | None = None
        self.part: Part | None = None  # of it, where one looks at that
        self.named: list[Said] = []
        self.pointed = False  # "that one" was said

    def _see(self, said: Said) -> None:
        self.focus, self.at, self.part = Spot.of(self.sight, said.row), said, None
        self.named.append(said)

    def _again(self, by_name: bool) -> Text:
        """What one looks at, named again or by a pronoun."""
        at = self.at
        assert at is not None
        if by_name and not self._mixed(at):
            if self.random.random() < DEFINITE:
                return at.by("the")
            return at.by(self.random.choice(("that", "that", "this")), "coreference")
        instance = int(self.sight.instance[at.row])
        if self.person[at.row] and self.pointed:
            return at.by("that", "coreference")
        # "That one" said twice would be two things.
        pronouns = ("that one",) if self.person[at.row] else ("it",) if self.pointed else ("it", "it", "it", "that one")
        said = self.random.choice(pronouns)
        self.pointed |= said == "that one"
        return Text(said).marked("coreference").naming(instance)

    def _mixed(self, at: Said) -> bool:
        """Whether a name fits something else that was named, too."""
        fits = match(at.phrase, self.sight)
        return any(fits[one.row] for one in self.named if one.row != at.row)

    def _of(self, part: Part, spot: Spot) -> Text:
        """The words for a part of something; halves only of what is tall."""
        said = words.PARTS[part].say(self.random)
        while " half " in said.string and spot.top - spot.bottom < HALVED:
            said = words.PARTS[part].say(self.random)
        return said

    def _pick(self, templates: Sequence[Template], **slots: Text | str) -> Text:
        return self.random.choice(templates).say(self.random, **slots)

    def _ended(self, text: Text) -> Text:
        return text + "."

    def opening(self, row: int, detailed: bool, after: int | None = None) -> Text:
        """The first sentence; where it need not, it does not tell of what comes `after`."""
        opened = self.opened[row]
        assert opened is not None
        said, detail = opened
        more: list[Text] = [] if detail is None else [detail]
        close = self.sight.nearest[row] < self.near and self.random.random() < CLOSE
        if detail is None and close:
            more = [words.CLOSE.say(self.random)]
        elif detail is None and self.sight.nearest[row] > DISTANT:
            more = [words.FAR.say(self.random)]
        elif detail is None and detailed:
            found = self.detail(said, CLEAR)
            more = [] if found is None or self._names(found, after) else [found]
        definite = detail is not None or self.random.random() < 0.8
        what = Text.join([said.definite if definite else said.text, *more])
        if any(text.mentions for text in more):
            what = what.marked("more than two objects")
        self._see(said)
        table = words.OPENINGS if what.string.startswith("the ") else words.OPENINGS + words.PRESENTED
        return self._ended(self._pick(table, what=what))

    def middle(self, link: Link, by_name: bool) -> Text:
        """A sentence that leads on."""
        relation, random, what = link.relation, self.random, link.what
        turned = relation in words.TURNS and (
            what.rank > 0 or relation not in words.RELATIONS or random.random() < TURNED
        )
        assert self.at is not None
        same = bool(match(what.phrase, self.sight)[self.at.row])
        named = what.definite if what.rank else what.by("another", "unique entity") if same else what.text
        if not what.rank and self.sight.nearest[what.row] < self.near and random.random() < CLOSE_TOO:
            named = named + " " + words.CLOSE.say(random)
        if what.rank:
            named = named + words.COUNTED.say(random, anchor=self._again(by_name))
        if turned:
            facing = words.TURNS[relation].say(random)
            while self.person[self.at.row] and "its" in facing.string.split():
                facing = words.TURNS[relation].say(random)
            sees = facing.string.endswith(("is", "are", "see", "be", "find"))
            table = words.FACED if relation == "across" else words.TURNED
            said = Text.join([facing, named]) if sees else self._pick(table, turn=facing, what=named)
        else:
            beside = self._beside(relation, self.focus, what.row)
            anchor = self._again(by_name)
            if random.random() < 0.45:
                said = self._pick(
                    words.DEFINITES,
                    relation=beside,
                    anchor=anchor,
                    what=what.by("the other") if same else what.definite,
                )
            else:
                said = self._pick(words.MIDDLES, relation=beside, anchor=anchor, what=named)
            if random.random() < 0.08 and not said.string.startswith(("now", "then")):
                said = words.SEQUENCED.say(random) + " " + said
        self._see(what)
        return self._ended(said)

    def look_at(self, part: Part, by_name: bool) -> Text:
        """A sentence that looks at a part of what one looks at."""
        said = self._pick(words.FOCUSED, part=self._of(part, self.focus), anchor=self._again(by_name))
        self.focus, self.part = self.focus.part(*part), part
        return self._ended(said)

    def last(self, placing: Placing, target: Target, by_name: bool, remarked: bool) -> Text | None:
        """The sentence that says where Waldo is; None where another thing of it cannot be named."""
        random = self.random
        anchor = self._again(by_name) if self.part is None else self._there(self.part)
        pieces: list[Text] = []
        other = self._other(placing) if placing.other is not None else None
        if placing.other is not None and other is None:
            return None
        if placing.surface:
            pieces.append(words.SURFACES[placing.surface].say(random))
        if placing.window:
            side = words.RELATIONS[placing.moves[0][0]].say(random)
            pieces += [words.WINDOW.say(random, nth=ordinal_word(placing.window)), side, anchor]
        elif placing.share is not None and other is not None:
            closer = placing.share == CLOSER
            amid = (words.WITHIN if closer else words.BETWEEN).say(random)
            pieces.append(Text.join([amid, anchor, Text("and"), other]).marked("more than two objects"))
            if closer:
                assert self.at is not None
                if self._mixed(self.at):
                    return None
                pieces += [Text(","), words.CLOSER.say(random), self._again(True)]
        elif not placing.moves:
            part = Text("the") + " " + self._of(placing.part, placing.anchor)
            simple = placing.part == (0, 0) and random.random() < 0.5
            on = Text(
                random.choice(
                    ("on", "on", "right on") if simple else ("on", "at") if 0 in placing.part else ("on", "in")
                )
            )
            pieces += [on, anchor] if simple else [on, part, anchor]
        else:
            pieces += [self._moves(placing), *self._part(placing), anchor]
        if placing.level is not None and other is not None:
            assert placing.other is not None
            part = Text("the") + " " + self._of(placing.level, placing.other)
            pieces += [Text(","), words.LEVEL.say(random), part, other]
        floating = placing.surface == "sky" and random.random() < 0.8
        plain = Text("waldo is") if placing.surface == "sky" else words.WALDO.say(random)
        sits = self._can_sit(placing) and random.random() < SITS
        opener = words.FLOATING.say(random) if floating else words.SITTING.say(random) if sits else plain
        said = tidy(Text.join([opener, *pieces]))
        if other is not None:
            said = said.marked("more than two objects") if placing.level is not None else said
        said = self._ended(said)
        if remarked:
            remark = self._remark(target)
            said = said if remark is None else said + " " + remark
        return said

    def _can_sit(self, placing: Placing) -> bool:
        """Whether Waldo is on the ground, or on the top of something that bears him."""
        assert self.at is not None
        on_it = not placing.moves and placing.share is None and not placing.window and placing.part[1] >= 0
        return placing.surface in GROUNDS or (
            on_it and self.part is None and bool(BEARING[self.sight.kind[self.at.row]])
        )

    def _beside(self, relation: Relation, spot: Spot, row: int) -> Text:
        """The words for a relation: "just" and "directly" only of what is near."""
        swing, across, upwards = apart(self.sight, spot)
        loose = np.hypot(across[row], upwards[row]) > SNUG
        if relation in ("above", "below"):
            loose |= abs(swing[row]) > SNUG
        return _bare(words.RELATIONS[relation].say(self.random), bool(loose))

    def _there(self, part: Part) -> Text:
        own = "corner" if all(part) else "side" if part[0] else "part"
        return Text(self.random.choice((f"that {own}", f"this {own}", "there", "that spot"))).marked("coreference")

    def _moves(self, placing: Placing) -> Text:
        """ "About two waldo heights above", "just above and to the left of"."""
        said: list[Text] = []
        for k, (side, measure) in enumerate(placing.moves):
            if measure is not None:
                unit = self._unit(side, measure)
                said.append(words.MEASURES[measure].say(self.random, unit=unit))
            last = k == len(placing.moves) - 1
            # "Just above" holds its measure already; said twice it would be too much.
            way = _bare(words.RELATIONS[side].say(self.random), measure is not None)
            said.append(way if last else words.SIDES[side].say(self.random) + " and")
        return Text.join(said)

    def _unit(self, side: Side, measure: float) -> str:
        unit = self.random.choice(words.UNITS[side in ("above", "below")])
        return unit if measure == 1.0 else f"{unit}s"

    def _part(self, placing: Placing) -> list[Text]:
        if placing.part == (0, 0):
            return []
        return [Text("the") + " " + self._of(placing.part, placing.anchor)]

    def _other(self, placing: Placing) -> Text | None:
        """A second thing of the last sentence, near what one looks at."""
        assert placing.other is not None
        row = self.sight.find(placing.other.instance)
        known = next((one for one in self.named if one.row == row), None)
        if known is not None:
            return known.by("the", "coreference")
        costs = cost(self.sight, "near", self.focus, self.yaw)
        for k in range(NAMES):
            said = self.call(row, None if k < 2 else True)
            fits = self.fits(said.phrase)
            if any(fits[one.row] for one in self.named):
                continue
            found, margin = best([costs, self.eye], fits)
            if found == row and margin >= CLEAR:
                return said.definite
        return None

    def _remark(self, target: Target) -> Text | None:
        """What else is beside Waldo, to be sure."""
        spot = Spot.at(target.direction)
        relations: list[Relation] = ["left", "right", "above", "below"]
        self.random.shuffle(relations)
        if self.random.random() < 0.75:
            relations.insert(0, "near")
        for relation in relations:
            costs = np.where(self.telling, cost(self.sight, relation, spot, self.yaw), np.inf)
            costs = costs + self.eye + 3.0 * self.moves
            row = int(np.argmin(costs))
            if costs[row] > 18.0 or ALIVE[self.sight.kind[row]] or any(one.row == row for one in self.named):
                continue
            what = self.call(row)
            fits = self.fits(what.phrase)
            if best([costs], fits)[0] == row and not any(fits[one.row] for one in self.named):
                beside = self._beside(relation, spot, row)
                return self._ended(self._pick(words.REMARKS, what=what.text, relation=beside))
        return None


_ADVERBS = ("just ", "directly ", "immediately ", "right ", "straight ")


def _bare(text: Text, bare: bool = True) -> Text:
    """A relation without its adverb, where a measure is said or it would be wrong."""
    if not bare:
        return text
    for adverb in _ADVERBS:
        if text.string.startswith(adverb):
            return Text(text.string[len(adverb) :]).marked(*dict.fromkeys(mark.what for mark in text.marks))
    return text
