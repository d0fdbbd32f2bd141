"""Search for objects to mention in a view: conspicuous ones, links between objects, and names that match."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bearleft.geometry import Floats, turn
from bearleft.language.annotated_text import Text
from bearleft.language.lexicon.lexicon import COLOURS, ordinal_word
from bearleft.language.lexicon.lexicon import NAMES as NAMED
from bearleft.language.noun_phrases import MEAN_HABITS, ROOM_HABITS, Flags, Phrase, head_words, match, name_object
from bearleft.language.phrases import bare_noun
from bearleft.language.referring import templates
from bearleft.language.referring.rivals import VAGUE_NOUNS, could_be_taken, find_rivals
from bearleft.language.referring.supports import INDOOR_SPOTS, OUTDOOR_SPOTS, Spot, at_spot
from bearleft.language.referring.view import (
    INVERSE,
    IS_FIXED,
    MIN_VISIBLE_SHARE,
    Relation,
    ViewBox,
    best_match,
    inconspicuousness,
    is_reference,
    nth_on_side,
    relation_cost,
    size_cost,
)
from bearleft.language.scene_index import SceneIndex
from bearleft.language.templates import normalize_spaces
from bearleft.language.writer_random import WriterRandom
from bearleft.world.city.catalog import CLASSES
from bearleft.world.targets import MOVING_CLASSES

if TYPE_CHECKING:
    from bearleft.language.referring.groups import Group

# Margins by which an object must match better than the next: after a link, with a distinguishing detail, and alone in
# the whole scene.
LINK_MARGIN, DETAIL_MARGIN, UNIQUE_MARGIN = 5.0, 8.0, 8.0
# The same for objects that readers could take for the named one, with a share of the cost of the named one.
RIVAL_MARGIN, RIVAL_MARGIN_SHARE = 10.0, 0.7
# A detail does not distinguish if it holds for another object of the name at less than this cost.
MIN_OTHER_COSTS: dict[Relation, float] = {
    "left": 25.0,
    "right": 25.0,
    "above": 15.0,
    "below": 15.0,
    "near": 12.0,
    "behind": 25.0,
    "before": 25.0,
    "on": np.inf,
    "holding": np.inf,
}
MIN_OPENING_SHARE = 1.5e-3  # of the sphere
MAX_NAME_TRIES = 5  # per object
UNIQUE_NAME_RATE = 0.8  # how often a name that matches nothing else is preferred
SIZE_WORDS = frozenset(("big", "large", "small", "young", "tall", "leafy", "old"))
MIN_RELATIVE_SIZE = 0.35  # relative to the largest object of its name, for a detail to distinguish it
LEXICON_NAMES = frozenset(name.singular for name in NAMED)  # a "small car" is a hatchback
MAX_TRIES = 8  # before an odd name is accepted
MIN_VAGUE_CLASSES = 4  # classes of a name that is too vague
SIZE_RATE = 0.4  # how often the size of a large or small object is mentioned
MIN_LARGE_SHARE, MAX_SMALL_SHARE = 0.025, 1.2e-3  # of the sphere; objects in rooms called "large" and "small"
OUTDOOR_HABITS, INDOOR_HABITS = replace(MEAN_HABITS, adjective=0.18), replace(ROOM_HABITS, adjective=0.18)
COLORED_RATE = 0.04  # of colours, "red colored"
DEFINITE_CLOTHES_RATE = 0.5
_CLOTHES = re.compile(r"\b(in|wearing|with) an? (?=\S)")
RANK_RATE = 0.12  # how often an object that has no other name is counted
MAX_MATCHES = 8  # objects of a name used as a reference
# Preference of each relation; in rooms nothing is across a street.
RELATION_WEIGHTS: dict[Relation, float] = {
    "left": 5.0,
    "right": 5.0,
    "above": 3.5,
    "below": 3.5,
    "near": 4.0,
    "behind": 2.0,
    "before": 2.0,
    "across": 0.3,
    "around": 0.3,
    "on": 6.0,
}
# Relations that lead too far to tell alike objects apart.
FAR_RELATIONS: tuple[Relation, ...] = ("across", "around")
# Maximum cost at which a relation is still used.
MAX_RELATION_COSTS: dict[Relation, float] = {
    "left": 60.0,
    "right": 60.0,
    "above": 25.0,
    "below": 25.0,
    "near": 9.0,
    "behind": 12.0,
    "before": 12.0,
    "across": 18.0,
    "around": 30.0,
    "on": 90.0,
}
# Whether Waldo and other things can stand on an object, by class.
SUPPORTS_OBJECTS = np.array(
    [
        object_class.name
        in (
            *("sofa", "armchair", "chair", "stool", "bar stool", "office chair", "ottoman", "booth seat", "bed"),
            *(
                "coffee table",
                "dining table",
                "side table",
                "tablecloth table",
                "display table",
                "bench",
                "pedestal",
                "desk",
            ),
            *("bar counter", "checkout counter", "reception desk", "cardboard box", "toy box", "rug"),
        )
        for object_class in CLASSES
    ]
)
IS_MOVING = np.array([object_class.name in MOVING_CLASSES for object_class in CLASSES])
_IS_BUILDING = np.array([object_class.name == "building" for object_class in CLASSES])
# People may be named, but not as "it".
IS_PERSON = np.array([object_class.name in ("seated person", "person") for object_class in CLASSES])
IS_ALIVE = np.array([object_class.name in ("cyclist", "dog", "pigeons") for object_class in CLASSES])


@dataclass(frozen=True)
class NamedObject:
    """An object with its name: "a red awning"."""

    row: int
    text: Text
    phrase: Phrase
    rank: int = 0  # 2 for "the second red awning"
    recorded: tuple[str, ...] = ()  # choices made for the name
    definite_clothes: bool = False  # "the man in the blue shirt" rather than "in a blue shirt"

    @property
    def noun(self) -> str:
        """The name without its article."""
        return strip_article(self.text.string)

    @property
    def short(self) -> str:
        """The name without its article and without what follows the noun, for an object that was named before."""
        return head_words(self.noun)

    @property
    def bare(self) -> str:
        """The noun alone."""
        return bare_noun(self.text.string)

    def with_article(self, article: str, *phenomena: str) -> Text:
        """Return the name with another article."""
        instances = (mention.instance for mention in self.text.mentions)
        noun = self.noun if {"unique entity", "count"} & set(phenomena) or article == "the other" else self.short
        recorded = self.recorded if noun == self.noun else ()
        if article == "the" and self.definite_clothes:
            noun = _CLOTHES.sub(r"\1 the ", noun)
        return Text(f"{article} {noun}").with_annotations(*phenomena, *recorded).with_mentions(*instances)

    @property
    def definite(self) -> Text:
        """The name with a definite article: "the red awning", or "the second red awning"."""
        return (
            self.with_article(f"the {ordinal_word(self.rank)}", "count")
            if self.rank
            else self.with_article("the", "unique entity")
        )


@dataclass(frozen=True)
class ObjectLink:
    """A relation that leads from one object to another."""

    relation: Relation
    target: NamedObject
    recorded: tuple[str, ...] = ()  # choices made for it


class ObjectNamer:
    """Names and relations of the objects visible from a place."""

    def __init__(self, scene: SceneIndex, place: int, random: WriterRandom) -> None:
        self.scene, self.random = scene, random
        self.visible = scene.at(place)
        self.yaw = float(scene.city.graph.yaw[place])
        self.noticeable = self.visible.share >= MIN_VISIBLE_SHARE
        self.references = is_reference(self.visible, scene.plan.indoors)
        self.inconspicuousness_costs, self.size_costs = inconspicuousness(self.visible), size_cost(self.visible)
        self.indoors = scene.plan.indoors
        self.moving = np.asarray(
            IS_MOVING[self.visible.kind] & (not self.indoors), bool
        )  # a showroom's car stands still
        self.is_fixed, self.is_person = IS_FIXED[self.visible.kind], IS_PERSON[self.visible.kind]
        self._at_spot: dict[Spot, Flags] = {}
        self.opening_names: dict[int, tuple[NamedObject, Text | None] | None] = {}
        self.groups: dict[int, Group | None] = {}
        self.plurals: dict[int, str] = {}

    def name_object(self, row: int, colour: bool | None = None) -> NamedObject:
        """Return a name for an object."""
        earlier = self.random.take_recorded()
        for k in range(MAX_TRIES):
            self.random.take_recorded()
            with_colour = colour if k < MAX_TRIES - 2 else False
            text, phrase = name_object(
                self.random,
                self.scene,
                int(self.visible.instance[row]),
                "a",
                with_colour,
                habits=INDOOR_HABITS if self.indoors else OUTDOOR_HABITS,
            )
            name_words = head_words(text.string).split()
            # Avoid "a green green tree", "a green big tree" and "some stairs", and mostly "a sign" and "a box".
            vague = phrase.table is not None and phrase.table.any(axis=1).sum() >= MIN_VAGUE_CLASSES
            nameless = bare_noun(text.string) in VAGUE_NOUNS
            odd = len(set(name_words)) < len(name_words) or (
                (phrase.colours is not None or phrase.features) and SIZE_WORDS & set(name_words[2:])
            )
            if (
                not odd
                and not nameless
                and not (name_words[0] == "some" and is_plural(name_words[-1]))
                and not (vague and self.random.random() < 0.75)
            ):
                break
        size = "" if SIZE_WORDS & set(name_words) or name_words[0] == "some" else self._size(row)
        if size and f"{size} {strip_article(text.string)}" not in LEXICON_NAMES:
            sized = Text(f"a {size} {strip_article(text.string)}")
            text = sized.with_annotations("unique entity").with_mentions(int(self.visible.instance[row]))
        elif phrase.colours is not None and self.random.random() < COLORED_RATE:
            text = _colored(text, int(self.visible.instance[row]))
        recorded, self.random.recorded = tuple(self.random.take_recorded()), earlier
        definite_clothes = bool(self.is_person[row]) and self.random.random() < DEFINITE_CLOTHES_RATE
        return NamedObject(
            row, text.with_annotations(*recorded), phrase, recorded=recorded, definite_clothes=definite_clothes
        )

    def _size(self, row: int) -> str:
        """Return "large", "tall" or "small" if the object looks so; often ""."""
        visible = self.visible
        height = visible.top[row] - visible.bottom[row]
        if self.random.random() > SIZE_RATE:
            return ""
        if self.indoors and self.is_person[row]:
            return ""
        if self.indoors:  # where all near objects are large
            share = visible.share[row]
            return "large" if share > MIN_LARGE_SHARE else "small" if share < MAX_SMALL_SHARE else ""
        if height > 30.0 and height > 1.5 * visible.width[row]:
            return "tall"
        if visible.share[row] > 0.012:
            return self.random.choice(("large", "large", "big"))
        return "small" if visible.share[row] < 5e-4 else ""

    def fits(self, phrase: Phrase) -> Flags:
        """Return which noticeable objects a phrase matches."""
        return np.asarray(match(phrase, self.visible) & self.noticeable, bool)

    def rivals(self, named: NamedObject) -> Flags:
        """Return which other objects a reader could take for a named one."""
        return find_rivals(named.phrase, self.visible, named.row)

    def is_unique(self, named: NamedObject) -> bool:
        """Return whether neither readers nor followers find another object of the name in the whole view."""
        match, margin = best_match([self.size_costs], self.fits(named.phrase))
        return match == named.row and margin >= UNIQUE_MARGIN and not self.rivals(named).any()

    def is_led_to(self, named: NamedObject, costs: Floats) -> bool:
        """Return whether a relation with these costs leads readers and followers to a named object and no other."""
        row, margin = best_match([costs, self.inconspicuousness_costs], self.fits(named.phrase))
        own = float(costs[named.row])
        near = costs < own + max(RIVAL_MARGIN, RIVAL_MARGIN_SHARE * own)
        return row == named.row and margin >= LINK_MARGIN and not (self.rivals(named) & near).any()

    def boxes_of(self, named: NamedObject) -> list[ViewBox]:
        """Return the boxes of all objects that a name may mean to readers or followers."""
        taken = self.fits(named.phrase) | self.rivals(named)
        taken[named.row] = True
        return [ViewBox.of(self.visible, int(row)) for row in np.flatnonzero(taken)]

    def openings(self, anchor: int) -> list[int]:
        """Return conspicuous objects for a first sentence, those first that are clearly visible and near an anchor."""
        visible = self.visible
        angles = np.abs(turn(visible.heading[anchor], visible.heading))
        preference = -2.0 * np.maximum(np.log2(2e-3 / np.maximum(visible.share, 1e-9)), 0.0) - angles / 25.0
        preference -= 4.0 * self.moving + 8.0 * visible.hidden
        preference += [3.0 * self.random.random() for _ in range(len(visible))]
        preference[~self.references | IS_ALIVE[visible.kind]] = -np.inf
        rows: list[int] = []
        for min_share, max_share in ((MIN_OPENING_SHARE, 1.0), (MIN_OPENING_SHARE / 4, MIN_OPENING_SHARE)):
            candidates = np.flatnonzero(
                (visible.share >= min_share) & (visible.share < max_share) & np.isfinite(preference)
            )
            for row in candidates[np.argsort(-preference[candidates], kind="stable")][:14]:
                if len(rows) == 5:
                    break
                if self.can_open(int(row)):
                    rows.append(int(row))
        # Objects without a detail first: they are easily named again.
        return sorted(rows, key=self._detailed)

    def _detailed(self, row: int) -> bool:
        opening_names = self.opening_names[row]
        return opening_names is not None and opening_names[1] is not None

    def mentions(self, row: int, other: int) -> bool:
        """Return whether an object's opening name mentions another object: "the window near a curtain"."""
        opening_names = self.opening_names.get(row)
        return opening_names is not None and opening_names[1] is not None and self._mentions(opening_names[1], other)

    def _mentions(self, text: Text, row: int | None) -> bool:
        return row is not None and int(self.visible.instance[row]) in {mention.instance for mention in text.mentions}

    def can_open(self, row: int) -> bool:
        """Return whether a name matches the object alone in the whole scene; the name is cached."""
        if row not in self.opening_names:
            self.opening_names[row] = self._opening_name(row)
        return self.opening_names[row] is not None

    def _opening_name(self, row: int) -> tuple[NamedObject, Text | None] | None:
        named = None
        for k in range(MAX_NAME_TRIES):
            named = self.name_object(row, True if k else None)
            if self.is_unique(named):
                return named, None
        assert named is not None
        taken = self.fits(named.phrase) | self.rivals(named)
        nearest = np.where(taken, self.visible.nearest, np.inf)
        order = np.sort(nearest)
        if int(np.argmin(nearest)) == row and len(order) > 1 and order[1] > 1.4 * order[0] and order[0] < 25.0:
            return named, templates.NEAREST.render(self.random)
        for spot in self.spots_of(row):
            if spot in named.noun.split():
                continue
            there = self.at_spot(spot)
            match, margin = best_match([self.size_costs], self.fits(named.phrase) & there)
            if match == row and margin >= UNIQUE_MARGIN and not (self.rivals(named) & there).any():
                return named, templates.SPOTS[spot].render(self.random)
        for _ in range(2):
            named = self.name_object(row)
            # A small object beside a larger one of its name would be confused with it, with any detail.
            taken = self.fits(named.phrase) | self.rivals(named)
            if self.visible.share[row] < MIN_RELATIVE_SIZE * self.visible.share[taken].max(initial=0.0):
                continue
            detail = self.detail(named, DETAIL_MARGIN)
            if detail is not None:
                return named, detail
        return None

    def at_spot(self, spot: Spot) -> Flags:
        """Return which objects are at a spot."""
        if spot not in self._at_spot:
            self._at_spot[spot] = at_spot(self.scene, self.visible, spot)
        return self._at_spot[spot]

    def spots_of(self, row: int) -> list[Spot]:
        """Return the spots that an object is at."""
        spots = INDOOR_SPOTS if self.indoors else OUTDOOR_SPOTS
        return [spot for spot in spots if self.at_spot(spot)[row]]

    def detail(self, named: NamedObject, margin: float) -> Text | None:
        """Return a relation to another object that distinguishes an object, or None."""
        box = ViewBox.of(self.visible, named.row)
        fits = self.fits(named.phrase)
        others = fits | self.rivals(named)
        others[named.row] = False
        relations: list[Relation] = ["left", "right", "above", "below", "before", "behind"]
        self.random.shuffle(relations)
        relations = ["on", "holding", *relations]
        relations.insert(2 if self.random.random() < 0.7 else 4, "near")
        if self.is_fixed[named.row]:
            relations.remove("behind")
        for relation in relations:
            costs = np.where(self.references, relation_cost(self.visible, relation, box, self.yaw), np.inf)
            costs = costs + self.inconspicuousness_costs + 3.0 * self.moving
            other = int(np.argmin(costs))
            if costs[other] > 16.0 or IS_ALIVE[self.visible.kind[other]]:
                continue
            second = self.name_object(other)
            if second.bare == named.bare:  # no "fire escape above a fire escape"
                continue
            # The other is in `relation` to the object, so the object is in the inverse relation to the other.
            inverse, boxes = INVERSE[relation], self.boxes_of(second)
            if len(boxes) > MAX_MATCHES:
                continue
            inverse_costs = np.min(
                [relation_cost(self.visible, inverse, other_box, self.yaw) for other_box in boxes], axis=0
            )
            match, match_margin = best_match([inverse_costs, self.inconspicuousness_costs], fits)
            if match != named.row or match_margin < margin or (inverse_costs[others] < MIN_OTHER_COSTS[relation]).any():
                continue
            article = len(boxes) == 1 and self.random.chance("the other object is definite", 0.6)
            other_text = second.with_article("the", "unique entity") if article else second.text
            has = relation == "on" or (relation not in ("near", "holding") and self.random.chance("with detail", 0.4))
            if has and not self.is_person[named.row]:
                has_text = Text("with") if is_plural(head_words(named.noun)) else templates.WITH.render(self.random)
                if relation == "on" and _IS_BUILDING[self.visible.kind[named.row]]:
                    return Text.join([has_text, other_text])
                beside = Text("on") if relation == "on" else templates.RELATIONS[relation].render(self.random)
                return Text.join([has_text, other_text, beside, Text("it").with_annotations("coreference")])
            if relation == "holding" and not SUPPORTS_OBJECTS[self.visible.kind[other]]:
                return Text.join([Text("on"), other_text])
            words = templates.ON if relation == "holding" else templates.RELATIONS[inverse]
            if relation == "near" and article and others.any() and self.random.chance("closest to", 0.35):
                words = templates.CLOSEST
            pieces = [words.render(self.random), other_text]
            if not self.is_person[named.row] and self.random.chance("it is", 0.06):
                pieces.insert(0, templates.IT_IS.render(self.random))
            return normalize_spaces(Text.join(pieces))
        return None

    def intermediates(self, first: int, last: int) -> list[int]:
        """Return intermediate objects on the way from one object to another, in a likely order."""
        visible = self.visible
        first_heading, last_heading = visible.heading[first], visible.heading[last]
        detour = np.abs(turn(first_heading, visible.heading)) + np.abs(turn(visible.heading, last_heading))
        preference = -detour / 12.0 - self.inconspicuousness_costs - 2.0 * self.moving
        preference += [4.0 * self.random.random() for _ in range(len(visible))]
        candidates = np.flatnonzero(
            (visible.share >= MIN_OPENING_SHARE / 3) & self.references & ~IS_ALIVE[visible.kind]
        )
        candidates = candidates[~np.isin(visible.kind[candidates], visible.kind[[first, last]])]
        return [int(row) for row in candidates[np.argsort(-preference[candidates], kind="stable")][:8]]

    def link(self, source: int, row: int) -> ObjectLink | None:
        """Return a relation that leads from one object to another, with a matching name."""
        box = ViewBox.of(self.visible, source)
        weights: dict[Relation, float] = dict.fromkeys(RELATION_WEIGHTS, 0.0)
        costs = {}
        for relation, weight in RELATION_WEIGHTS.items():
            costs[relation] = relation_cost(self.visible, relation, box, self.yaw)
            both_buildings = relation in ("above", "below") and _IS_BUILDING[self.visible.kind[[source, row]]].all()
            impossible = (relation == "behind" and self.is_fixed[source]) or (relation == "across" and self.indoors)
            if costs[relation][row] < MAX_RELATION_COSTS[relation] and not both_buildings and not impossible:
                weights[relation] = weight
        # The choices are credited to the sentence that is written later.
        earlier = self.random.take_recorded()
        link = None
        while link is None and any(weights.values()):
            self.random.take_recorded()
            relation = self.random.pick("relation indoors" if self.indoors else "relation outdoors", weights)
            weights[relation] = 0.0
            named = self._named(row, costs[relation])
            if named is not None and relation in FAR_RELATIONS and self.rivals(named).any():
                named = None
            if named is None and relation in ("left", "right") and self.random.random() < RANK_RATE:
                named = self._ranked(source, row, relation)
            if named is not None:
                link = ObjectLink(relation, named, tuple(self.random.take_recorded()))
        self.random.recorded = earlier
        return link

    def _named(self, row: int, costs: Floats) -> NamedObject | None:
        """Return a name by which an object matches best, often one that matches nothing else in the scene."""
        names: list[tuple[int, int, NamedObject]] = []
        unique = self.random.random() < UNIQUE_NAME_RATE
        for k in range(MAX_NAME_TRIES):
            named = self.name_object(row, None if k < 2 else True)
            if self.is_led_to(named, costs):
                names.append((1 + int(self.rivals(named).sum()), k, named))
                if not unique or names[-1][0] == 1:
                    break
        return min(names)[2] if names else None

    def _ranked(self, source: int, row: int, side: Relation) -> NamedObject | None:
        """Return a name with an ordinal: "the second lamp post to the left"."""
        box = ViewBox.of(self.visible, source)
        named = self.name_object(row, self.random.random() < 0.3)
        fits = self.fits(named.phrase)
        turns = np.sort(turn(box.heading, self.visible.heading[fits]) * (1 if side == "right" else -1))
        turns = turns[(turns > 0) & (turns < 150.0)]
        taken = could_be_taken(named.phrase, self.visible, row) & self.noticeable
        own = turn(box.heading, self.visible.heading[row]) * (1 if side == "right" else -1)
        between = turn(box.heading, self.visible.heading) * (1 if side == "right" else -1)
        if (taken & ~fits & (between > 0) & (between < own)).any():
            return None  # a reader would count others too
        for rank in (2, 3):
            if (
                nth_on_side(self.visible, fits, side, box, rank) == row
                and np.diff(turns[: rank + 1], prepend=0.0).min() >= 4.0
            ):
                return NamedObject(row, named.text, named.phrase, rank, named.recorded)
        return None


def _colored(text: Text, instance: int) -> Text:
    """Return a name with "colored" after its colour: "a red colored chair"."""
    words = text.string.split()
    if words[1] not in COLOURS or words[1].endswith(("ish", "colored")) or len(words) < 3:
        return text
    string = " ".join([*words[:2], "colored", *words[2:]])
    return Text(string).with_annotations("unique entity").with_mentions(instance)


def strip_article(phrase: str) -> str:
    """Return a noun phrase without its article."""
    first, _, rest = phrase.partition(" ")
    return rest if first in ("a", "an", "some") else phrase


def is_plural(noun: str) -> bool:
    """Return whether a noun is plural."""
    return noun.endswith("s") and not noun.endswith("ss")
