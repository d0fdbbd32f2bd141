"""Speaker: the word preferences of one writer of navigation instructions.

A speaker renders frames as clauses, and names objects and crossings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from bearleft.language.annotated_text import Text
from bearleft.language.instructions.segments import CORNER_RADIUS, LINEAR_KINDS, PassedObjects, Segment, noticeable
from bearleft.language.instructions.semantics import ClauseFrame
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

if TYPE_CHECKING:
    from bearleft.types import Floats

MAX_NAME_TRIES = 5  # names tried per object
MAX_METRES_APART = 7.0  # metres between neighbouring objects
STEP_WORDS = ("steps", "steps", "steps", "steps", "clicks", "moves", "paces")
UNUSED_NOUNS = ("steps", "landmark")  # ambiguous or empty in instructions

_RELATION_TO_NEIGHBOUR = re.compile(rf" (?:{'|'.join((*NEAR_RELATIONS, *FRONT_RELATIONS))}) ")
_NOUN_MODIFIERS = frozenset((*ARTICLES, *COLOURS, *NUMBERS, *ORDINALS))
# Nouns that take no colour, and adjectives before which no colour is added.
COLOURLESS_NOUNS = frozenset(
    (
        *("construction zone", "construction site", "construction", "trash", "garbage", "theater", "movie theater"),
        *("playground", "subway station", "subway stop", "bank entrance", "flowers", "graffiti", "chairs"),
    )
)
COLOURLESS_ADJECTIVES = frozenset(
    ("big", "large", "small", "leafy", "green", "young", "bare", "tall", "dead", "bronze", "stone", "long", "yellow")
)

# Relative probability of naming an object of a class; other classes are never named.
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
    "park": 14, "court": 12, "parking lot": 6, "median": 3, "bike lane": 2, "curb ramp": 0.2,
    "pickup": 0.2, "person": 0.05, "dog": 0.1, "cyclist": 0.05,
}  # fmt: skip
KIND_WEIGHTS = np.array([_WEIGHT_OF_KIND.get(object_class.name, 0.0) for object_class in CLASSES])
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


class FavouringRandom(Random):
    """Random generator that chooses one of every set of alternatives, its favourite, more often than the others."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self._favourites: dict[Any, Any] = {}
        self.favourite_rate = 0.25 + 0.4 * self.random()  # how often the favourite is taken without a draw

    def choice(self, seq: Any) -> Any:
        """Return a random element; of a tuple of tuples, more often the favourite."""
        if isinstance(seq, tuple) and len(seq) > 2 and isinstance(seq[0], tuple):
            if seq not in self._favourites:
                self._favourites[seq] = super().choice(seq)
            if self.random() < self.favourite_rate:
                return self._favourites[seq]
        return super().choice(seq)


@dataclass(frozen=True)
class ClauseItem:
    """A clause of an instruction: its meaning, its words, and its position along the route (segment, place)."""

    frame: ClauseFrame
    text: Text
    clause: Clause
    slots: Mapping[str, Text | str]
    segment_index: int = 0  # of the route segment
    index: float = 0.0  # of the place in the segment; fractions order clauses between places


class Speaker:
    """Word preferences of one writer: renders frames with them, and names no object twice."""

    def __init__(self, scene: SceneIndex, paths: PathFinder, random: FavouringRandom) -> None:
        self.scene, self.paths, self.random = scene, paths, random
        self.named_instances: set[int] = set()
        self.used_clauses: set[Clause] = set()
        self.used_nouns: set[str] = set()
        self.says_next = random.random() < 0.7  # "the next intersection" rather than "the first"
        self.says_digits = random.random() < 0.15
        self.says_light = random.random() < 0.4  # "light" rather than "intersection" where there is one
        self.says_three_way = random.random() < 0.15  # "three-way intersection"
        self.crossing_noun = str(random.choice(CROSSINGS["any"])) if random.random() < 0.35 else "intersection"
        self.article: Article = "the" if random.random() < 0.45 else "a"
        self.colour_rate = 0.35 + 0.55 * random.random()

    def say(
        self, name: str, frame: ClauseFrame, needs: Iterable[str] = (), crossing: str = "", **slots: Text | str
    ) -> ClauseItem:
        """Render a frame with a random clause.

        Args:
            name: Name of the clause set, a key of CLAUSES.
            frame: The frame to render.
            needs: Slots that the clause must have.
            crossing: Noun for the crossing.
            **slots: Values of further slots. Clauses with other slots are not used.
        """
        values: dict[str, Text | str] = {"again": "", **slots}
        if crossing:
            values |= {"crossing": crossing, "crossings": PLURALS[crossing]}
        if frame.side:
            values["side"] = side_word(frame.side)
        if frame.other_side:
            values["other_side"] = side_word(frame.other_side)
        if frame.nth:
            values.setdefault("nth", self.rank(frame.nth))
        if frame.count:
            values["count"] = str(frame.count) if self.says_digits else number_word(frame.count)
            values["steps"] = "step" if frame.count == 1 else str(self.random.choice(STEP_WORDS))
        things = [values[k] for k in ("thing", "other_thing") if k in values]
        values |= {"be": self.form_of_be(*things), "is": is_or_are(*things[:1])}
        required = frozenset(needs)
        candidates = [candidate for candidate in CLAUSES[name] if required <= candidate.slots <= values.keys()]
        clause = self.random.choice(
            [candidate for candidate in candidates if candidate not in self.used_clauses] or candidates
        )
        self.used_clauses.add(clause)
        return ClauseItem(frame, clause.template.render(self.random, **values), clause, values)

    def as_sentence(self, item: ClauseItem) -> ClauseItem:
        """Return the item rendered as an independent sentence."""
        needs = item.clause.slots - {"be", "is", "again", "crossing", "road"}
        candidates = [
            candidate
            for candidate in CLAUSES[item.clause.name]
            if needs <= candidate.slots <= item.slots.keys() and not candidate.open and not candidate.tail
        ]
        if not candidates:
            return item
        clause = self.random.choice(candidates)
        return replace(item, text=clause.template.render(self.random, **item.slots), clause=clause)

    def rank(self, nth: int, later: bool = False) -> str:
        """Return the word for a rank among the crossings ahead; `later` if one was just mentioned."""
        if nth == 1:
            return "next" if later or self.says_next or self.random.random() < 0.3 else "first"
        return f"{nth}{'nd' if nth == 2 else 'rd' if nth == 3 else 'th'}" if self.says_digits else ordinal_word(nth)

    def form_of_be(self, *things: Text | str) -> str:
        """Return a form of "to be" for objects, in the present or the future."""
        if self.random.random() < 0.3:
            return str(self.random.choice(("will be", "will be", "should be")))
        return is_or_are(*things)

    def crossing(self, segment: Segment, ahead: list[int], mentioned: bool = False, turning: bool = True) -> str:
        """Return a noun for the last of some crossings that also fits the others, so that counting is unambiguous.

        If a crossing was just mentioned, the noun may be "one".
        """
        places = [segment.places[k] for k in ahead]
        if mentioned and self.random.random() < 0.35:
            return "one"
        if self.says_light and all(has_traffic_lights(self.scene, self.paths, place) for place in places):
            nouns = CROSSINGS["lights"][:4] if self.random.random() < 0.9 else CROSSINGS["lights"]
            return str(self.random.choice(nouns))
        degree = int(self.paths.graph.degree[places[-1]])
        if self.says_three_way and len(places) == 1 and degree in (3, 4):
            return str(self.random.choice(CROSSINGS["three" if degree == 3 else "four"]))
        return (
            self.crossing_noun
            if self.random.random() < 0.8 and (turning or self.crossing_noun == "crossing")
            else "intersection"
        )

    def name(
        self,
        instance: int,
        fits: Callable[[Phrase], bool] = bool,
        article: Article | None = None,
        plural: int = 0,
        vivid: float = 0.0,
    ) -> tuple[Text, Phrase] | None:
        """Return a name for an object whose phrase satisfies `fits`, None if none is found.

        Args:
            instance: Instance number of the object.
            fits: Condition on the phrase.
            article: Article to use; None chooses one.
            plural: Number of objects to name, 0 for one object.
            vivid: Lower bound of the probability of mentioning the colour.
        """
        for attempt in range(MAX_NAME_TRIES):
            colour = True if attempt > 1 or self.random.random() < max(self.colour_rate, vivid) else None
            text, phrase = name_object(self.random, self.scene, instance, article or self._article(), colour, plural)
            noun = bare_noun(text.string)
            if noun.endswith(UNUSED_NOUNS) or (
                phrase.colours is not None and (noun in COLOURLESS_NOUNS or noun.split()[0] in COLOURLESS_ADJECTIVES)
            ):
                continue
            last_try = attempt == MAX_NAME_TRIES - 1 and fits is not bool  # reusing a noun is better than no name
            if (noun.split()[-1] not in self.used_nouns or last_try) and fits(phrase):
                self.named_instances.add(instance)
                self.used_nouns.add(noun.split()[-1])
                return text, phrase
        return None

    def add_neighbour(self, text: Text, passed: PassedObjects, row: int, chance: float = 0.3) -> Text:
        """Add a neighbouring object to a name: "a mailbox next to a bench"."""
        if self.random.random() > chance or passed.kind[row] in LINEAR_KINDS:
            return text
        distance = np.hypot(passed.east - passed.east[row], passed.north - passed.north[row])
        same_side = (passed.side == passed.side[row]) & (np.abs(passed.index - passed.index[row]) <= 1)
        is_building = passed.kind == class_index("building")
        candidates = (
            (KIND_WEIGHTS[passed.kind] > 0.5) & (passed.instance != passed.instance[row]) & (passed.share > 3e-4)
        )
        candidates &= same_side & np.where(is_building, passed.index == passed.index[row], distance < MAX_METRES_APART)
        if passed.kind[row] in ATTACHED_KINDS:
            candidates &= ~is_building
        candidates &= ~np.isin(passed.instance, list(self.named_instances)) & (passed.kind != passed.kind[row])
        candidates &= ~np.isin(passed.kind, LINEAR_KINDS)
        rows = np.flatnonzero(candidates)
        for other in self.shuffled(rows, KIND_WEIGHTS[passed.kind[rows]])[:2]:
            named = self.name(int(passed.instance[other]), article="a")
            if named is not None:
                relation = self.random.choice(FRONT_RELATIONS if is_building[other] else NEAR_RELATIONS)
                return text + Text(f" {relation}").with_annotations("allocentric") + " " + named[0]
        return text

    def refer_again(self, text: Text, phrase: Phrase) -> tuple[Text, Phrase]:
        """Refer again to an object that was just named: "it" or "that awning"."""
        noun, singular = bare_noun(_RELATION_TO_NEIGHBOUR.split(text.string)[0]), is_or_are(text) == "is"
        with_noun = f"{self.random.choice(('that', 'that', 'this'))} {noun}"
        words = with_noun if singular and self.random.random() < 0.4 else "it" if singular else "them"
        again = Text(words).with_annotations("coreference").with_mentions(*(m.instance for m in text.mentions[:1]))
        return again, replace(phrase, words=words, coreferent=True)

    def shuffled(self, rows: Ints, weight: Floats) -> list[int]:
        """Return rows in random order; rows with high weight tend to come first."""
        if not len(rows):
            return []
        keys = [self.random.random() ** float(w) for w in weight.max() / np.maximum(weight, 1e-9)]
        return [int(rows[k]) for k in np.argsort(keys)[::-1]]

    def corner_objects(self, segment: Segment, crossing: int) -> list[int]:
        """Return instances worth naming at the corners of a crossing, in random order."""
        visible = self.scene.at(segment.places[crossing])
        weight = KIND_WEIGHTS[visible.kind]
        weight = np.where(np.isin(visible.kind, [class_index("building"), *LINEAR_KINDS]), 0.0, weight)
        near = segment.distance(crossing, visible) < CORNER_RADIUS - 4.0
        rows = np.flatnonzero(noticeable(visible) & near & (weight >= 2.0) & (visible.share > 6e-4))
        order = self.shuffled(rows, weight[rows])
        instances = (int(visible.instance[row]) for row in order)
        return [instance for instance in instances if instance not in self.named_instances][:6]

    def _article(self) -> Article:
        return self.article if self.random.random() < 0.7 else "a"

    def with_ordinal(self, text: Text, phrase: Phrase, rank: int) -> tuple[Text, Phrase]:
        """Return a name with a rank: "the second hydrant" for "a hydrant"."""
        noun_begin = text.string.index(" ") + 1
        words = Text(f"the {ordinal_word(rank)} {text.string[noun_begin:]}")
        ranked = words.with_annotations("unique entity", "sequencing").with_mentions(
            *(m.instance for m in text.mentions)
        )
        return ranked, replace(phrase, words=ranked.string, ordinal=rank)


def bare_noun(words: str) -> str:
    """Return a noun without article, rank and colours."""
    noun = words.split()
    while len(noun) > 1 and (noun[0] in _NOUN_MODIFIERS or " ".join(noun[:2]) in COLOURS):
        noun = noun[2:] if " ".join(noun[:2]) in COLOURS else noun[1:]
    return " ".join(noun)


def is_or_are(*things: Text | str) -> str:
    """Return "are" if a name, without its neighbour, ends with "s", else "is"."""
    heads = [_RELATION_TO_NEIGHBOUR.split(str(getattr(thing, "string", thing)))[0] for thing in things]
    plural = any(head.endswith("s") and not head.endswith(("ss", "bus", " us")) for head in heads)
    return "are" if plural else "is"


def side_word(side: int) -> str:
    """Return the word for a side."""
    return "left" if side < 0 else "right"


def has_traffic_lights(scene: SceneIndex, paths: PathFinder, place: int) -> bool:
    """Return whether traffic lights stand at a crossing."""
    visible = scene.at(place)
    east, north = paths.graph.positions[place][:2]
    at_crossing = np.hypot(visible.east - east, visible.north - north) < CORNER_RADIUS
    return bool((at_crossing & noticeable(visible) & (visible.kind == class_index("traffic light"))).any())
