"""Speaker: the word preferences of one writer of navigation instructions.

A speaker renders frames as clauses, and names objects and crossings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from bearleft.language.annotated_text import Text
from bearleft.language.instructions.segments import CORNER_RADIUS, LINEAR_KINDS, PassedObjects, Segment, noticeable
from bearleft.language.instructions.semantics import ClauseFrame, counts_from_first
from bearleft.language.instructions.templates import (
    CLAUSES,
    CROSSINGS,
    FRONT_RELATIONS,
    NEAR_RELATIONS,
    PLURALS,
    Clause,
)
from bearleft.language.lexicon.lexicon import number_word, ordinal_word
from bearleft.language.noun_phrases import (
    Article,
    NounHabits,
    Phrase,
    bare_noun,
    head_words,
    name_object,
)
from bearleft.language.scene_index import Ints, SceneIndex
from bearleft.language.writer_random import WriterRandom
from bearleft.world.city import palette
from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.street_facts import StreetFacts, parked_things
from bearleft.world.graphs.shortest_paths import PathFinder

if TYPE_CHECKING:
    from bearleft.types import Floats

MAX_NAME_TRIES = 5  # names tried per object
MAX_METRES_APART = 7.0  # metres between neighbouring objects
STEP_WORDS = {"steps": 0.85, "clicks": 0.08, "moves": 0.04, "paces": 0.03}
NOT_ENTERED = frozenset((*CROSSINGS["lights"], "corner", "one"))  # nobody is in the middle of a light
LIGHT_WEIGHTS = (0.6, 0.27, 0.05, 0.05, 0.02, 0.01)  # of CROSSINGS["lights"]
NEXT_WORDS = {"next": 0.94, "upcoming": 0.03, "following": 0.03}
GROUP_WORDS = {
    "a row of": 3,
    "a line of": 3,
    "a bunch of": 3,
    "several": 3,
    "a few": 3,
    "a couple of": 2,
    "some": 2,
    "": 2,
}
COUNTING_FRAMES = frozenset(("through", "to crossing"))  # their crossings may be counted from "the first"
# Parts that are written or painted on an object: "with white letters on it".
WRITTEN_PARTS = frozenset(("letters", "lettering", "writing", "text", "characters", "arrow", "stripes", "symbol"))
UNUSED_NOUNS = ("steps", "landmark")  # ambiguous or empty in instructions
# Nouns that say too little without a colour.
VACUOUS_NOUNS = frozenset(
    (
        *(
            "building",
            "store",
            "shop",
            "storefront",
            "business",
            "tree",
            "trees",
            "door",
            "car",
            "pole",
            "sign",
            "house",
        ),
        *("window", "box", "apartment building", "brick building", "wall", "vehicle", "truck", "van"),
    )
)

_RELATION_TO_NEIGHBOUR = re.compile(rf" (?:{'|'.join((*NEAR_RELATIONS, *FRONT_RELATIONS))}) ")
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
    "building": 3.5, "landmark": 30,
    "scaffolding": 25, "awning": 7, "canopy": 1.5, "mural": 25, "marquee": 6, "portico": 1.5,
    "storefront": 2, "mailbox": 4, "fire hydrant": 7, "bus stop": 9, "subway entrance": 8, "phone booth": 4,
    "food cart": 8, "newspaper box": 1.5, "bench": 5, "dumpster": 14, "lettered sign": 7, "billboard": 6, "banner": 6,
    "blank sign": 1, "sandwich board": 2, "stop sign": 8, "yield sign": 4, "one way sign": 2, "road work sign": 9,
    "speed limit sign": 2, "no parking sign": 0.5, "street sign": 0.8, "traffic cone": 12, "barrel": 16, "barrier": 25,
    "construction fence": 20, "fence": 22, "gate": 3, "playground": 60, "picnic table": 4, "drinking fountain": 2,
    "statue": 5, "fountain": 5, "flower bed": 4, "hedge": 3, "planter": 1.5, "potted plant": 1, "trash can": 2,
    "trash bags": 2.5, "bike rack": 20, "bicycle": 9, "bollard": 0.5, "parking meter": 0.1, "cafe table": 3,
    "fire alarm box": 1, "utility box": 2, "pole": 1, "lamp post": 0.4, "steam stack": 5, "fire escape": 0.6,
    "clock": 3, "barber pole": 4, "flag": 6, "graffiti": 16, "bay window": 0.3, "window box": 0.3,
    "door": 0.7, "tree": 0.15, "bush": 1.5, "car": 0.3, "taxi": 0.3, "van": 0.5, "truck": 0.8,
    "bus": 1.5, "school bus": 2.5, "police car": 0.5, "ambulance": 0.5, "garbage truck": 0.5, "motorcycle": 0.6,
    "tire pile": 4, "newsstand": 4, "excavator": 8, "crane": 8, "portable toilet": 5, "material pile": 5, "ladder": 3,
    "food truck": 10, "atm": 2, "basketball hoop": 20, "warning sign": 6, "garage entrance": 2, "bridge": 60,
    "manhole cover": 0.3, "fruit stand": 8,
    "park": 45, "court": 50, "parking lot": 25, "median": 10, "bike lane": 9, "curb ramp": 0.1,
    "pickup": 0.4, "person": 0.05, "dog": 0.05, "cyclist": 0.05,
}  # fmt: skip
KIND_WEIGHTS = np.array([_WEIGHT_OF_KIND.get(object_class.name, 0.0) for object_class in CLASSES])
# How much rather people name an object by its colour; other colours have 1.
_WEIGHT_OF_COLOUR = {
    "red": 1.8, "orange": 2.2, "yellow": 1.2, "blue": 1.2, "grey": 0.4, "dark grey": 0.4, "steel": 0.4, "concrete": 0.5,
    "limestone": 0.5, "silver": 0.5, "black": 0.8, "beige": 0.7, "brown": 0.8,
}  # fmt: skip
COLOUR_WEIGHTS = np.array([*(_WEIGHT_OF_COLOUR.get(name, 1.0) for name in palette.COLOUR_NAMES), 0.6])  # last: none
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

    def __init__(self, scene: SceneIndex, paths: PathFinder, random: WriterRandom) -> None:
        self.scene, self.paths, self.random = scene, paths, random
        self.named_instances: set[int] = set()
        self.used_nouns: set[str] = set()
        self.counted_crossings = False  # whether a crossing was given a rank
        self.noun_habits = NounHabits.draw(random)
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
        values: dict[str, Text | str] = {"again": "", "another": "a", "block": "block", **slots}
        if crossing:
            article = "an" if crossing[0] in "aeiou" else "a"
            if self.counted_crossings and self.random.chance("another crossing", 0.3):
                article = "another"
            values |= {"crossing": crossing, "crossings": PLURALS[crossing], "a": article}
        if frame.side:
            values["side"] = side_word(frame.side)
        if frame.other_side:
            values["other_side"] = side_word(frame.other_side)
        if frame.nth:
            values.setdefault("nth", self.rank(frame.nth))
        if frame.count:
            values["count"] = str(frame.count) if self._says_digits() else number_word(frame.count)
            values["steps"] = "step" if frame.count == 1 else self.random.pick("steps", STEP_WORDS)
        values |= {"is": is_or_are(values.get("thing", "")), "other_is": is_or_are(values.get("other_thing", ""))}
        values["there_is"] = "there's" if values["is"] == "is" else "there are"
        known = any(word.startswith("the ") for word in _words(values))
        weights = _clause_weights(name, frozenset(needs), frozenset(values), known, crossing not in NOT_ENTERED)
        return self._render(name, frame, weights, values)

    def as_sentence(self, item: ClauseItem) -> ClauseItem:
        """Return the item rendered as an independent sentence."""
        needs = item.clause.slots & {"thing", "other_thing", "side", "other_side", "nth", "count", "steps"}
        known = any(word.startswith("the ") for word in _words(item.slots))
        enterable = item.slots.get("crossing") not in NOT_ENTERED
        weights = _clause_weights(item.clause.name, needs, frozenset(item.slots), known, enterable, independent=True)
        if not any(weights):
            return item
        rendered = self._render(item.clause.name, item.frame, weights, item.slots)
        return replace(item, frame=rendered.frame, text=rendered.text, clause=rendered.clause)

    def _render(
        self, name: str, frame: ClauseFrame, weights: Sequence[float], values: Mapping[str, Text | str]
    ) -> ClauseItem:
        """Render a frame with one of the clauses of a clause set, which have these weights."""
        clause_set, key = CLAUSES[name], f"clause: {name}"

        def item() -> ClauseItem:
            clause = clause_set[self.random.index(key, weights)]
            return ClauseItem(frame, clause.template.render(self.random, **values), clause, values)

        rendered = self.random.rank(item, lambda item: item.text.string)
        if frame.name in COUNTING_FRAMES and frame.thing is None:
            frame = replace(frame, first=counts_from_first(rendered.text.string.lower()))
        return replace(rendered, frame=frame)

    def _says_digits(self) -> bool:
        return self.random.chance("in digits", 0.06)

    def rank(self, nth: int, later: bool = False) -> str:
        """Return the word for a rank among the crossings ahead; `later` if one was just mentioned."""
        began, self.counted_crossings = self.counted_crossings, True
        if nth == 1:
            if not later:
                word = self.random.pick("rank later" if began else "rank at the start", {"next": 0.7, "first": 0.3})
                if word == "first":
                    return word
            return self.random.pick("words for next", NEXT_WORDS)
        digits = f"{nth}{'nd' if nth == 2 else 'rd' if nth == 3 else 'th'}"
        return digits if self._says_digits() else ordinal_word(nth)

    def crossing(self, segment: Segment, ahead: list[int], mentioned: bool = False, turning: bool = True) -> str:
        """Return a noun for the last of some crossings that also fits the others, so that counting is unambiguous.

        If a crossing was just mentioned, the noun may be "one".
        """
        places = [segment.places[k] for k in ahead]
        if mentioned and self.random.chance("the next one", 0.35):
            return "one"
        lights = all(has_traffic_lights(self.scene, self.paths, place) for place in places)
        if self.random.chance("light", 0.3) and lights:
            return self.random.pick("words for a light", dict(zip(CROSSINGS["lights"], LIGHT_WEIGHTS, strict=True)))
        degree = int(self.paths.graph.degree[places[-1]])
        if self.random.chance("three-way", 0.05) and len(places) == 1 and degree in (3, 4):
            kind = "three" if degree == 3 else "four"
            return self.random.pick(f"{kind}-way words", CROSSINGS[kind])
        noun = self.random.pick("crossing", dict(zip(CROSSINGS["any"], (0.85, 0.09, 0.02, 0.02, 0.02), strict=True)))
        return noun if turning or noun == "crossing" else "intersection"

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
        recorded = len(self.random.recorded)
        for attempt in range(MAX_NAME_TRIES):
            self.random.forget(recorded)
            colour = True if attempt > 1 or self.random.random() < max(self.colour_rate, vivid) else None
            text, phrase = name_object(
                self.random, self.scene, instance, article or self.article("passed"), colour, plural, self.noun_habits
            )
            noun = bare_noun(text.string)
            described = phrase.colours is not None or bool(phrase.features)
            vacuous = noun in VACUOUS_NOUNS and not described and not plural
            if (
                vacuous
                or noun.endswith(UNUSED_NOUNS)
                or (described and (noun in COLOURLESS_NOUNS or noun.split()[0] in COLOURLESS_ADJECTIVES))
            ):
                continue
            last_try = attempt == MAX_NAME_TRIES - 1 and fits is not bool  # reusing a noun is better than no name
            if (noun.split()[-1] not in self.used_nouns or last_try) and fits(phrase):
                self.named_instances.add(instance)
                self.used_nouns.add(noun.split()[-1])
                words = self._loosened(text.string)
                if words != text.string:
                    text = Text(words).with_annotations("unique entity").with_mentions(instance)
                    phrase = replace(phrase, words=words)
                if text.string.startswith("some ") and self.random.chance("mass noun without an article", 0.6):
                    words = text.string.removeprefix("some ")
                    text = Text(words).with_annotations("unique entity").with_mentions(instance)
                return text, phrase
        self.random.forget(recorded)
        return None

    def _loosened(self, words: str) -> str:
        """Return a noun phrase whose part is definite like its noun, or is said to be "on it"."""
        head, link, part = words.partition(" with ")
        if not link:
            return words
        if head.startswith("the ") and self.random.chance("with the", 0.4):
            part = f"the {re.sub(r'^an? ', '', part)}"
        if not WRITTEN_PARTS.isdisjoint(part.split()) and self.random.chance("on it", 0.3):
            part += " on it"
        return f"{head} with {part}"

    def name_group(
        self, rows: Ints, passed: PassedObjects, fits: Callable[[Phrase], bool]
    ) -> tuple[Text, Phrase] | None:
        """Return a name for several objects of a kind, such as "a row of awnings", or None.

        Args:
            rows: Rows of the objects.
            passed: The objects passed.
            fits: Condition on the phrase.
        """
        instances = [int(instance) for instance in passed.instance[rows]]
        if not self.named_instances.isdisjoint(instances):
            return None
        rates = {
            words: float(len(rows) == 2 if words == "a couple of" else len(rows) >= n)
            for words, n in GROUP_WORDS.items()
        }
        quantity = self.random.pick("group", rates)
        for attempt in range(2):
            text, phrase = name_object(self.random, self.scene, instances[0], "a", not attempt, len(rows))
            if fits(phrase):
                words = f"{quantity} {text.string.split(' ', 1)[1]}".strip()
                self.named_instances.update(instances)
                group = Text(words).with_annotations("unique entity").with_mentions(*instances)
                return group, replace(phrase, words=words, number=1)
        return None

    def add_neighbour(self, text: Text, passed: PassedObjects, row: int, rate: float = 0.15) -> Text:
        """Add a neighbouring object to a name: "a mailbox next to a bench"."""
        if passed.kind[row] in LINEAR_KINDS or not self.random.chance("neighbour", rate):
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
                front = bool(is_building[other])
                relation = self.random.pick(f"relation {front}", FRONT_RELATIONS if front else NEAR_RELATIONS)
                return text + Text(f" {relation}").with_annotations("allocentric") + " " + named[0]
        return text

    def refer_again(self, text: Text, phrase: Phrase) -> tuple[Text, Phrase]:
        """Refer again to an object that was just named: "it" or "that awning"."""
        noun, singular = bare_noun(_RELATION_TO_NEIGHBOUR.split(text.string)[0]), is_or_are(text) == "is"
        with_noun = f"{self.random.pick('that', ('that', 'this'))} {noun}"
        words = with_noun if singular and self.random.chance("that noun", 0.4) else "it" if singular else "them"
        again = Text(words).with_annotations("coreference").with_mentions(*(m.instance for m in text.mentions[:1]))
        return again, replace(phrase, words=words, coreferent=True)

    def shuffled(self, rows: Ints, weight: Floats) -> list[int]:
        """Return rows in random order; rows with high weight tend to come first."""
        if not len(rows):
            return []
        keys = [self.random.random() ** w for w in (weight.max() / np.maximum(weight, 1e-9)).tolist()]
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

    def article(self, context: str, rate: float = 0.3) -> Article:
        """Return "the" or "a" for an object in a context, such as "start"; `rate` is the default rate of "the"."""
        return "the" if self.random.chance(f"the: {context}", rate) else "a"

    def with_ordinal(self, text: Text, phrase: Phrase, rank: int) -> tuple[Text, Phrase]:
        """Return a name with a rank: "the second hydrant" for "a hydrant"."""
        noun = re.sub(r"^(?:an?|the|some) ", "", text.string)
        words = Text(f"the {ordinal_word(rank)} {noun}")
        ranked = words.with_annotations("unique entity", "sequencing").with_mentions(
            *(m.instance for m in text.mentions)
        )
        return ranked, replace(phrase, words=ranked.string, ordinal=rank)


@lru_cache(maxsize=4096)
def _clause_weights(
    name: str,
    needs: frozenset[str],
    available: frozenset[str],
    known: bool,
    enterable: bool,
    independent: bool = False,
) -> tuple[float, ...]:
    """Return the weight of each clause of a clause set, 0 for those that cannot be used.

    Args:
        name: Name of the clause set, a key of CLAUSES.
        needs: Slots that the clause must have.
        available: Slots that have a value.
        known: Whether an object is definite, so that no clause may introduce it.
        enterable: Whether the walker may be said to be in the crossing.
        independent: Whether the clause is to be a sentence of its own.
    """
    return tuple(
        float(
            needs <= clause.slots <= available
            and not (known and clause.introduces)
            and not (clause.inside and not enterable)
            and not (independent and (clause.open or clause.tail))
        )
        for clause in CLAUSES[name]
    )


def _words(slots: Mapping[str, Text | str]) -> list[str]:
    """Return the words for the objects among the values of slots."""
    values = (slots[slot] for slot in ("thing", "other_thing") if slot in slots)
    return [value if isinstance(value, str) else value.string for value in values]


def is_or_are(*things: Text | str) -> str:
    """Return "are" if a name, without its neighbour, ends with "s", else "is"."""
    return "are" if any(_is_plural(str(getattr(thing, "string", thing))) for thing in things) else "is"


@lru_cache(maxsize=65536)
def _is_plural(words: str) -> bool:
    head = head_words(_RELATION_TO_NEIGHBOUR.split(words)[0])
    return (
        head.endswith("s")
        and not head.endswith(("ss", "bus", " us"))
        and not head.startswith(("a row", "a line", "a bunch"))
    )


def side_word(side: int) -> str:
    """Return the word for a side."""
    return "left" if side < 0 else "right"


@lru_cache(maxsize=4)
def street_facts(scene: SceneIndex) -> StreetFacts:
    """Return the facts about the streets of a city."""
    return StreetFacts.make(scene.plan)


@lru_cache(maxsize=4)
def parked_instances(scene: SceneIndex) -> frozenset[int]:
    """Return the instances of the vehicles that are parked at a kerb."""
    return frozenset((parked_things(scene.plan)[0] + 1).tolist())


@lru_cache(maxsize=65536)
def has_traffic_lights(scene: SceneIndex, paths: PathFinder, place: int) -> bool:
    """Return whether traffic lights stand at a crossing."""
    visible = scene.at(place)
    east, north = paths.graph.positions[place][:2]
    at_crossing = np.hypot(visible.east - east, visible.north - north) < CORNER_RADIUS
    return bool((at_crossing & noticeable(visible) & (visible.kind == class_index("traffic light"))).any())
