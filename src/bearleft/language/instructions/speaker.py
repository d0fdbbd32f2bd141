"""A speaker: someone's habits of speech, and what that person says of things and crossings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np

from bearleft.geometry import Floats
from bearleft.language.annotated_text import Text
from bearleft.language.instructions.segments import CORNER_RADIUS, PassedObjects, Segment, noticeable
from bearleft.language.instructions.semantics import Frame
from bearleft.language.instructions.templates import (
    CLAUSES,
    CROSSINGS,
    FRONT_RELATIONS,
    NEAR_RELATIONS,
    PLURALS,
    Clause,
)
from bearleft.language.lexicon.lexicon import COLOURS, NUMBERS, ORDINALS, number_word, ordinal_word
from bearleft.language.noun_phrases import ARTICLES, Article, Phrase, name_object
from bearleft.language.scene_index import Ints, SceneIndex
from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.graphs.shortest_paths import PathFinder

MAX_NAME_TRIES = 5  # names tried before a thing is left alone
MAX_METRES_APART = 7.0  # metres between things that stand by each other
STEP_WORDS = ("steps", "steps", "steps", "steps", "clicks", "moves", "paces")
UNUSED_NOUNS = ("steps", "landmark")  # names that say something else here, or nothing

_RELATION_TO_NEIGHBOUR = re.compile(rf" (?:{'|'.join((*NEAR_RELATIONS, *FRONT_RELATIONS))}) ")
_NOUN_MODIFIERS = frozenset((*ARTICLES, *COLOURS, *NUMBERS, *ORDINALS))
# Names that take no colour, and words before a name that no colour stands before.
COLOURLESS_NOUNS = frozenset(
    (
        *("construction zone", "construction site", "construction", "trash", "garbage", "theater", "movie theater"),
        *("playground", "subway station", "subway stop", "bank entrance", "flowers", "graffiti", "chairs"),
    )
)
COLOURLESS_ADJECTIVES = frozenset(
    ("big", "large", "small", "leafy", "green", "young", "bare", "tall", "dead", "bronze", "stone", "long", "yellow")
)

# How likely one is to name a thing of a class; those not named are not.
_WEIGHT_OF_KIND = {
    "building": 2.5, "landmark": 30,
    "scaffolding": 12, "awning": 12, "canopy": 8, "mural": 10, "marquee": 10, "portico": 6,
    "storefront": 1.8, "mailbox": 7, "fire hydrant": 7, "bus stop": 9, "subway entrance": 14, "phone booth": 7,
    "food cart": 9, "newspaper box": 6, "bench": 4, "dumpster": 7, "lettered sign": 4, "billboard": 7, "banner": 4,
    "blank sign": 1.5, "sandwich board": 4, "stop sign": 3, "yield sign": 3, "one way sign": 1.5, "road work sign": 4,
    "speed limit sign": 2, "no parking sign": 0.6, "street sign": 0.3, "traffic cone": 3, "barrel": 4, "barrier": 4,
    "construction fence": 5, "fence": 4, "gate": 6, "playground": 10, "picnic table": 4, "drinking fountain": 4,
    "statue": 8, "fountain": 9, "flower bed": 4, "hedge": 3, "planter": 2, "potted plant": 1.5, "trash can": 3,
    "trash bags": 3, "bike rack": 5, "bicycle": 2, "bollard": 1, "parking meter": 0.7, "cafe table": 4,
    "fire alarm box": 4, "utility box": 2.5, "pole": 0.7, "lamp post": 0.5, "steam stack": 8, "fire escape": 3,
    "clock": 7, "barber pole": 9, "flag": 5, "graffiti": 5, "balcony": 0.8, "bay window": 2, "window box": 1.5,
    "door": 0.9, "tree": 0.8, "bush": 1.5, "air conditioner": 0.1, "car": 0.12, "taxi": 0.2, "van": 0.25, "truck": 0.3,
    "bus": 0.3, "school bus": 0.5, "police car": 0.3, "ambulance": 0.4, "garbage truck": 0.4, "motorcycle": 0.6,
    "tire pile": 8, "newsstand": 9, "excavator": 8, "crane": 9, "portable toilet": 9, "material pile": 5, "ladder": 4,
    "food truck": 8, "atm": 6, "basketball hoop": 8, "warning sign": 3, "garage entrance": 8, "bridge": 12,
    "manhole cover": 0.5, "fruit stand": 9,
    "pickup": 0.2, "person": 0.05, "dog": 0.1, "cyclist": 0.05,
}  # fmt: skip
KIND_WEIGHTS = np.array([_WEIGHT_OF_KIND.get(one.name, 0.0) for one in CLASSES])
MOVING_KINDS = frozenset(
    class_index(name)
    for name in (
        *("car", "taxi", "van", "truck", "bus", "school bus", "police car", "ambulance", "garbage truck", "motorcycle"),
        *("pickup", "person", "dog", "cyclist"),
    )
)


ATTACHED_KINDS = frozenset(
    class_index(name)
    for name in (
        *("storefront", "awning", "canopy", "marquee", "portico", "door", "fire escape", "wall lamp", "balcony"),
        *(
            "mural",
            "air conditioner",
            "window box",
            "bay window",
            "graffiti",
            "clock",
            "barber pole",
            "flag",
            "lettered sign",
        ),
        *("building", "scaffolding", "blank sign", "banner"),
    )
)


class Habits(Random):
    """Chance with habits: of every choice of words one way is a favourite, and taken more often than the others."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self._favourites: dict[Any, Any] = {}
        self.firm = 0.25 + 0.4 * self.random()  # how often the favourite is taken unasked

    def choice(self, seq: Any) -> Any:
        if isinstance(seq, tuple) and len(seq) > 2 and isinstance(seq[0], tuple):
            if seq not in self._favourites:
                self._favourites[seq] = super().choice(seq)
            if self.random() < self.firm:
                return self._favourites[seq]
        return super().choice(seq)


@dataclass(frozen=True)
class ClauseItem:
    """A clause of an instruction: what it means and the words; where it is said, in the order of walking."""

    frame: Frame
    text: Text
    clause: Clause
    given: Mapping[str, Text | str]
    leg: int = 0
    index: float = 0.0


class Speaker:
    """Says frames in the words of one person; no thing is named twice."""

    def __init__(self, scene: SceneIndex, paths: PathFinder, random: Habits) -> None:
        self.scene, self.paths, self.random = scene, paths, random
        self.used: set[int] = set()
        self.said: set[Clause] = set()
        self.nouns: set[str] = set()
        self.next = random.random() < 0.7  # "the next intersection" rather than "the first"
        self.digits = random.random() < 0.15
        self.lights = random.random() < 0.4  # says "light" where there is one
        self.arms = random.random() < 0.15  # says "three-way intersection"
        self.plain = str(random.choice(CROSSINGS["any"])) if random.random() < 0.35 else "intersection"
        self.article: Article = "the" if random.random() < 0.45 else "a"
        self.colourful = 0.35 + 0.55 * random.random()

    def say(
        self, name: str, frame: Frame, needs: Iterable[str] = (), crossing: str = "", **slots: Text | str
    ) -> ClauseItem:
        """One of the ways to say a frame that name all of `needs` and nothing that is not there."""
        given: dict[str, Text | str] = {"again": "", **slots}
        if crossing:
            given |= {"crossing": crossing, "crossings": PLURALS[crossing]}
        if frame.side:
            given["side"] = side_word(frame.side)
        if frame.other_side:
            given["other_side"] = side_word(frame.other_side)
        if frame.nth:
            given.setdefault("nth", self.rank(frame.nth))
        if frame.count:
            given["count"] = str(frame.count) if self.digits else number_word(frame.count)
            given["steps"] = "step" if frame.count == 1 else str(self.random.choice(STEP_WORDS))
        things = [given[k] for k in ("thing", "other_thing") if k in given]
        given |= {"be": self.be(*things), "is": is_or_are(*things[:1])}
        expected = frozenset(needs)
        able = [one for one in CLAUSES[name] if expected <= one.slots <= given.keys()]
        clause = self.random.choice([one for one in able if one not in self.said] or able)
        self.said.add(clause)
        return ClauseItem(frame, clause.template.render(self.random, **given), clause, given)

    def closed(self, item: ClauseItem) -> ClauseItem:
        """The same, said as a sentence of its own."""
        needs = item.clause.slots - {"be", "is", "again", "crossing", "road"}
        able = [
            one
            for one in CLAUSES[item.clause.name]
            if needs <= one.slots <= item.given.keys() and not one.open and not one.tail
        ]
        if not able:
            return item
        clause = self.random.choice(able)
        return replace(item, text=clause.template.render(self.random, **item.given), clause=clause)

    def rank(self, nth: int, later: bool = False) -> str:
        """The word for a rank among the crossings ahead; `later` where one was spoken of just before."""
        if nth == 1:
            return "next" if later or self.next or self.random.random() < 0.3 else "first"
        return f"{nth}{'nd' if nth == 2 else 'rd' if nth == 3 else 'th'}" if self.digits else ordinal_word(nth)

    def be(self, *things: Text | str) -> str:
        """The verb for things, now or soon."""
        if self.random.random() < 0.3:
            return str(self.random.choice(("will be", "will be", "should be")))
        return is_or_are(*things)

    def crossing(self, segment: Segment, ahead: list[int], known: bool = False, turning: bool = True) -> str:
        """What to call the last of these crossings so that counting the others in does no harm.

        Where a crossing was just spoken of, it may be "one".
        """
        places = [segment.places[k] for k in ahead]
        if known and self.random.random() < 0.35:
            return "one"
        if self.lights and all(has_traffic_lights(self.scene, self.paths, place) for place in places):
            some = CROSSINGS["lights"][:4] if self.random.random() < 0.9 else CROSSINGS["lights"]
            return str(self.random.choice(some))
        degree = int(self.paths.graph.degree[places[-1]])
        if self.arms and len(places) == 1 and degree in (3, 4):
            return str(self.random.choice(CROSSINGS["three" if degree == 3 else "four"]))
        return self.plain if self.random.random() < 0.8 and (turning or self.plain == "crossing") else "intersection"

    def name(
        self,
        instance: int,
        fits: Callable[[Phrase], bool] = bool,
        article: Article | None = None,
        plural: int = 0,
        vivid: float = 0.0,
    ) -> tuple[Text, Phrase] | None:
        """A name that fits as asked; `vivid` says how likely its colour is said at the least."""
        for attempt in range(MAX_NAME_TRIES):
            colour = True if attempt > 1 or self.random.random() < max(self.colourful, vivid) else None
            text, phrase = name_object(self.random, self.scene, instance, article or self._article(), colour, plural)
            noun = bare_noun(text.string)
            if noun.endswith(UNUSED_NOUNS) or (
                phrase.colours is not None and (noun in COLOURLESS_NOUNS or noun.split()[0] in COLOURLESS_ADJECTIVES)
            ):
                continue
            last = attempt == MAX_NAME_TRIES - 1 and fits is not bool  # a noun said before is better than none
            if (noun.split()[-1] not in self.nouns or last) and fits(phrase):
                self.used.add(instance)
                self.nouns.add(noun.split()[-1])
                return text, phrase
        return None

    def beside(self, text: Text, passed: PassedObjects, row: int, chance: float = 0.3) -> Text:
        """A thing with another that stands by it: "a mailbox next to a bench"."""
        if self.random.random() > chance:
            return text
        apart = np.hypot(passed.east - passed.east[row], passed.north - passed.north[row])
        same = (passed.side == passed.side[row]) & (np.abs(passed.index - passed.index[row]) <= 1)
        house = passed.kind == class_index("building")
        good = (KIND_WEIGHTS[passed.kind] > 0.5) & (passed.instance != passed.instance[row]) & (passed.share > 3e-4)
        good &= same & np.where(house, passed.index == passed.index[row], apart < MAX_METRES_APART)
        if passed.kind[row] in ATTACHED_KINDS:
            good &= ~house
        good &= ~np.isin(passed.instance, list(self.used)) & (passed.kind != passed.kind[row])
        rows = np.flatnonzero(good)
        for other in self.shuffled(rows, KIND_WEIGHTS[passed.kind[rows]])[:2]:
            said = self.name(int(passed.instance[other]), article="a")
            if said is not None:
                how = self.random.choice(FRONT_RELATIONS if house[other] else NEAR_RELATIONS)
                return text + Text(f" {how}").with_marks("allocentric") + " " + said[0]
        return text

    def again(self, text: Text, phrase: Phrase) -> tuple[Text, Phrase]:
        """Something just named, named again: "it" or "that awning"."""
        noun, one = bare_noun(_RELATION_TO_NEIGHBOUR.split(text.string)[0]), is_or_are(text) == "is"
        said = f"{self.random.choice(('that', 'that', 'this'))} {noun}"
        whole = said if one and self.random.random() < 0.4 else "it" if one else "them"
        named = Text(whole).with_marks("coreference").with_mentions(*(m.instance for m in text.mentions[:1]))
        return named, replace(phrase, words=whole, coreferent=True)

    def shuffled(self, rows: Ints, weight: Floats) -> list[int]:
        """Rows in a random order, the weighty ones more likely first."""
        if not len(rows):
            return []
        keys = [self.random.random() ** float(w) for w in weight.max() / np.maximum(weight, 1e-9)]
        return [int(rows[k]) for k in np.argsort(keys)[::-1]]

    def corner_things(self, segment: Segment, crossing: int) -> list[int]:
        """Things worth naming at a crossing's corners, in a random order."""
        visible = self.scene.at(segment.places[crossing])
        weight = np.where(visible.kind == class_index("building"), 0.0, KIND_WEIGHTS[visible.kind])
        near = segment.distance(crossing, visible) < CORNER_RADIUS - 4.0
        rows = np.flatnonzero(noticeable(visible) & near & (weight >= 2.0) & (visible.share > 6e-4))
        order = self.shuffled(rows, weight[rows])
        return [int(visible.instance[row]) for row in order if int(visible.instance[row]) not in self.used][:6]

    def _article(self) -> Article:
        return self.article if self.random.random() < 0.7 else "a"

    def second(self, text: Text, phrase: Phrase, rank: int) -> tuple[Text, Phrase]:
        """ "a hydrant" as "the second hydrant"."""
        cut = text.string.index(" ") + 1
        whole = Text(f"the {ordinal_word(rank)} {text.string[cut:]}")
        said = whole.with_marks("unique entity", "sequencing").with_mentions(*(m.instance for m in text.mentions))
        return said, replace(phrase, words=said.string, ordinal=rank)


def bare_noun(words: str) -> str:
    """A noun without its article, rank and colours."""
    noun = words.split()
    while len(noun) > 1 and (noun[0] in _NOUN_MODIFIERS or " ".join(noun[:2]) in COLOURS):
        noun = noun[2:] if " ".join(noun[:2]) in COLOURS else noun[1:]
    return " ".join(noun)


def is_or_are(*things: Text | str) -> str:
    """The verb for things: many where a name, without what stands by it, ends with "s"."""
    heads = [_RELATION_TO_NEIGHBOUR.split(str(getattr(thing, "string", thing)))[0] for thing in things]
    many = any(head.endswith("s") and not head.endswith(("ss", "bus", " us")) for head in heads)
    return "are" if many else "is"


def side_word(side: int) -> str:
    """The word for a side."""
    return "left" if side < 0 else "right"


def has_traffic_lights(scene: SceneIndex, paths: PathFinder, place: int) -> bool:
    """Whether traffic lights stand at a crossing."""
    visible = scene.at(place)
    east, north = paths.graph.positions[place][:2]
    near = np.hypot(visible.east - east, visible.north - north) < CORNER_RADIUS
    return bool((near & noticeable(visible) & (visible.kind == class_index("traffic light"))).any())
