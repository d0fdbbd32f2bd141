"""Drafts of target descriptions: what is said first, and how the target follows from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from bearleft.geometry import turn
from bearleft.language.annotated_text import Text
from bearleft.language.descriptions import templates
from bearleft.language.descriptions.anchors import INVERSE, MIN_SHARE, Anchor, find_anchors
from bearleft.language.descriptions.distractors import has_rival_shop_doors, seen_as_group
from bearleft.language.descriptions.draft import Draft
from bearleft.language.descriptions.ordinals import count_rank, picked_words, ranked_words
from bearleft.language.descriptions.places import PLACE_RATES, PLACE_WORDS, group_of, group_words, places_of
from bearleft.language.descriptions.semantics import (
    SIDES,
    WALL_KINDS,
    Relation,
    Scorer,
    Selector,
    SortKey,
    Viewpoint,
    order_key,
)
from bearleft.language.descriptions.spots import SpotPhrase, choose_spot, spot_phrases, write_spot
from bearleft.language.descriptions.wording import (
    MAX_SIDE_WORDS,
    capitalize_all,
    capitalize_sentence,
    fitting_templates,
    pick_words,
    render_one,
    side_phrase,
    single,
    words_of_its_side,
)
from bearleft.language.lexicon.lexicon import COLOURS, NUMBERS, number_word
from bearleft.language.noun_phrases import VAGUE_ADJECTIVES, Article
from bearleft.language.scene_index import SceneIndex
from bearleft.language.templates import normalize_spaces, render_ranked
from bearleft.language.writer_random import WriterRandom
from bearleft.records import Direction
from bearleft.world.city.catalog import class_index
from bearleft.world.targets import Target

BUILDING, PERSON = class_index("building"), class_index("person")
GROUP_TRIES = 4  # attempts to begin with a group
SIDE_MARGIN = 6.0  # degrees that an object must lie inside of its stated side
MAX_STOP_METRES = 12.0  # an object that one stops at is not farther
# Rates of the structure of a text. They give texts their length, and are not fitted.
STRATEGIES = {"target": 42.0, "anchor": 27.0, "owner": 17.0, "single": 9.0, "group": 100.0}
RELATED_RATE, MORE_RATE, TWO_RATE = 0.7, 0.82, 0.12
ORDINAL_RATE = 0.85  # how often an object is introduced by its rank where it can be counted: "the first tree"
RELATION_RATES = {
    "near": 10.0, "front": 9.0, "above": 5.0, "below": 4.0, "on": 8.0, "has": 4.0, "between": 5.0, "left": 3.0,
    "right": 3.0, "across": 2.0, "past": 3.0, "behind": 2.0,
}  # fmt: skip
# How often these relations are thought of at all, the others always.
RARE_RELATIONS = {
    "near": 0.6, "front": 0.45, "left": 0.22, "right": 0.22, "across": 0.25, "past": 0.35, "between": 0.6,
    "behind": 0.6,
}  # fmt: skip
GROUP_RELATIONS = frozenset(("near", "front", "behind", "left", "right", "past", "across"))
GROUP_RATE = 0.6
FACING_RATE = 0.3  # of objects ahead
SINGLE_RATE = 0.08  # of objects that are the only ones of their sort: "a single hydrant"
PLACE_RATE = 0.35  # how often is said what an object stands on: "on the sidewalk"
OWNER_RATES = {"on": 12.0, "near": 2.0, "front": 2.0, "above": 2.0, "below": 1.0}
AHEAD_RATES = {"left": 8.0, "ahead left": 3.0, "ahead": 16.0, "behind": 0.1}  # of what may be called ahead
SIDE_RATES = {"left": 12.0, "ahead left": 2.0, "ahead": 3.0, "behind": 0.3}  # the same for the right
PLACED_SIDES = {"place of side": 1.0, "place of side before with": 4.0}  # rates of a side right after the noun
LOOK_RATE = 0.2
CLOSES = {".": 91.0, "": 7.0, "!": 2.0, ". Good luck!": 1.0, "! Good luck!": 0.3, ". Good luck.": 0.5}  # ends of a text


class DraftWriter:
    """Writes drafts of descriptions of one target."""

    def __init__(
        self, scene: SceneIndex, target: Target, viewpoints: list[Viewpoint], goals: list[Direction], aligned: bool
    ) -> None:
        self.scene, self.target, self.viewpoints, self.goals, self.aligned = scene, target, viewpoints, goals, aligned
        self.viewpoint, self.visible = viewpoints[0], viewpoints[0].visible
        self.row = self.visible.find(target.instance)
        self._anchors: dict[int, list[Anchor]] = {}
        self._sides: dict[tuple[int, ...], list[str]] = {}
        single = [(anchor.relation, anchor.rows[0]) for anchor in self.anchors(self.row) if len(anchor.rows) == 1]
        self.spots = spot_phrases(viewpoints, goals, target, single)
        self.flat = bool(WALL_KINDS[self.visible.kind[self.row]])

    def anchors(self, row: int) -> list[Anchor]:
        """Return the anchors of an object."""
        if row not in self._anchors:
            self._anchors[row] = find_anchors(self.viewpoint, row, self.aligned)
        return self._anchors[row]

    def sides(self, *instances: int) -> list[str]:
        """Return the sides of the viewer that objects are on, all of them and from every viewpoint."""
        if not self.aligned:
            return []
        if instances not in self._sides:
            self._sides[instances] = self._find_sides(instances)
        return self._sides[instances]

    def _find_sides(self, instances: tuple[int, ...]) -> list[str]:
        views = [
            (viewpoint, viewpoint.visible.find(instance)) for viewpoint in self.viewpoints for instance in instances
        ]
        if any(row < 0 for _, row in views):
            return []
        start = np.array([viewpoint.heading for viewpoint, _ in views])
        end = np.array([viewpoint.visible.heading[row] for viewpoint, row in views])
        return [
            side
            for side, (middle, half) in SIDES.items()
            if side in templates.SIDES and bool((np.abs(turn(start + middle, end)) < half - SIDE_MARGIN).all())
        ]

    def draft(self, random: WriterRandom) -> Draft | None:
        """Return a random draft, None if it cannot be completed."""
        if not self.spots or has_rival_shop_doors(self.visible, self.row):
            return None
        spot_phrase = choose_spot(random, self.spots)
        draft = Draft(random, self.visible, part=spot_phrase.spot.part, held=random.take_recorded())
        strategy = random.choices(list(STRATEGIES), list(STRATEGIES.values()))[0]
        write = {
            "target": self._target_first,
            "anchor": self._anchor_first,
            "owner": self._owner_first,
            "single": self._single_sentence,
            "group": self._group_first,
        }[strategy]
        for _ in range(GROUP_TRIES if strategy == "group" else 1):
            if write(draft, spot_phrase):
                return draft
            draft = Draft(random, self.visible, part=spot_phrase.spot.part, held=draft.held)
        return None

    def choose_anchor(
        self,
        draft: Draft,
        row: int,
        exclude: Sequence[str] = (),
        key: str = "relation",
        rates: Mapping[str, float] = RELATION_RATES,
    ) -> Anchor | None:
        """Return a random anchor of an object that was not named yet; its relation is drawn by rates."""
        named = {int(self.visible.find(thing)) for thing in draft.things} | {self.row}
        exclude = [*exclude, *(kind for kind, rate in RARE_RELATIONS.items() if draft.random.random() >= rate)]
        candidates = [
            anchor
            for anchor in self.anchors(row)
            if not named.intersection(anchor.rows) and anchor.relation not in exclude and anchor.relation in rates
        ]
        available = {anchor.relation for anchor in candidates}
        if not available:
            return None
        relation = draft.random.pick(key, {kind: rate if kind in available else 0.0 for kind, rate in rates.items()})
        candidates = [anchor for anchor in candidates if anchor.relation == relation]
        return draft.random.choices(candidates, [anchor.weight for anchor in candidates])[0]

    def relate(self, draft: Draft, ref: int, row: int, exclude: Sequence[str] = ()) -> tuple[Text, list[int]] | None:
        """Relate an object to a random anchor; return the words and the instances of the anchors."""
        anchor = self.choose_anchor(draft, row, exclude)
        if anchor is None:
            return None
        if anchor.relation == "near" and not draft.relations and draft.random.chance("and", 0.3):
            names, number = self._name_group(draft, anchor.rows[0]) or draft.name(anchor.rows[0], "anchor")
            draft.relations.append(Relation("near", ref, (number,)))
            return Text("and ") + names, [int(self.visible.instance[anchor.rows[0]])]
        words = draft.relation(anchor.relation, row)
        numbers: tuple[int, ...]
        if anchor.relation == "between":
            names, numbers = self._name_pair(draft, anchor.rows)
        else:
            names, number = self._name_anchor(draft, anchor)
            numbers = (number,)
        draft.relations.append(Relation(anchor.relation, ref, numbers))
        link = draft.random.pick("link", {"": 20.0, "that is ": 2.0, "which is ": 0.5})
        text = Text("" if anchor.relation == "has" or words.string == "of" else link) + words + " " + names
        return text, [int(self.visible.instance[row]) for row in anchor.rows]

    def _name_pair(self, draft: Draft, rows: tuple[int, ...]) -> tuple[Text, tuple[int, int]]:
        """Name two objects that another one is between: "two trees", "the bench and the door"."""
        first, second = rows
        visible = self.visible
        same = (visible.kind[first], visible.variant[first]) == (visible.kind[second], visible.variant[second])
        if same and visible.colour[first] == visible.colour[second]:
            text, ref = draft.name(first, "anchor", plural=2, article=self._article(draft.random, "anchor"))
            draft.things[ref] = 0  # a pair, checked by the relation only
            return text.with_mentions(int(visible.instance[second])), (ref, ref)
        article = self._article(draft.random, "anchor")
        text, ref = draft.name(first, "anchor", article=article)
        other_text, other = draft.name(second, "anchor", article=article)
        return text + " and " + other_text, (ref, other)

    def _name_anchor(self, draft: Draft, anchor: Anchor) -> tuple[Text, int]:
        """Name an anchor, alone or with the group that it belongs to: "the bench", "some bikes"."""
        random, row = draft.random, anchor.rows[0]
        if anchor.relation == "has":
            definite = draft.definite and random.chance("article of what it has", 0.4)
            return draft.name(row, "anchor", article="the" if definite else "a")
        if anchor.relation in GROUP_RELATIONS:
            group = self._name_group(draft, row)
            if group is not None:
                return group
        return draft.name(row, "anchor", article=self._article(random, f"{anchor.relation} anchor"))

    def _name_group(self, draft: Draft, row: int) -> tuple[Text, int] | None:
        """Name the group of an anchor, None if it stands alone: "two bikes", "a row of cones"."""
        random, visible = draft.random, self.visible
        alike = (visible.kind == visible.kind[row]) & (visible.variant == visible.variant[row])
        if alike.sum() < 2 or visible.kind[row] == BUILDING or not random.chance("say the group", GROUP_RATE):
            return None
        recorded = len(random.recorded)
        text, ref = draft.name(row, "anchor", plural=2)
        phrase = draft.refs[ref].phrase
        group, counted = group_of(self.viewpoint, row, phrase)
        if len(group) < 2 or self.viewpoint.match(phrase)[self.row] or text.string.endswith(draft.nouns[ref]):
            draft.forget(ref)
            random.forget(recorded)
            return None
        words = group_words(random, len(group), counted)
        draft.things[ref] = 0  # several objects, checked by the relation only
        name = Text(f"{words} {phrase.words.removeprefix('two ')}").with_annotations("unique entity")
        name = name.with_annotations(*["count"] * (words in NUMBERS))
        return name.with_mentions(*(int(visible.instance[k]) for k in group)), ref

    @staticmethod
    def _article(random: WriterRandom, role: str) -> Article:
        if role == "near anchor":
            return random.pick("article of near anchor", {"a": 10.0, "the": 5.0})
        role = role.rpartition(" ")[2]
        return random.pick(
            f"article of {role}", {"a": 5.0, "the": 10.0} if role == "anchor" else {"a": 8.0, "the": 2.0}
        )

    def introduce(self, draft: Draft, row: int, article: Article) -> tuple[Text, int, bool]:
        """Name an object for the first time, by its rank if that is clear.

        Returns:
            The noun phrase, the ref, and whether the phrase has a rank; then it has its side, too.
        """
        random = draft.random
        if random.random() < ORDINAL_RATE:
            recorded = len(random.recorded)
            text, ref = draft.name(row, "first", article="the")
            sides = self.sides(draft.things[ref])
            side = self._choose_side(random, sides) if sides and random.chance("side of a rank", 0.8) else ""
            rank = count_rank(self.viewpoint, row, draft.refs[ref].phrase, side)
            modifier = text.string.removeprefix("the ").removesuffix(draft.nouns[ref]).strip()
            sized = draft.nouns[ref].split()[0] in VAGUE_ADJECTIVES  # not "the first big tree"
            if rank and not sized and (not modifier or modifier in COLOURS):
                draft.refs[ref] = replace(draft.refs[ref], side=side, pick=Selector("near", rank))
                words = side_phrase(random, side).string if side else ""
                return ranked_words(random, text, rank, words), ref, True
            draft.forget(ref)
            random.forget(recorded)
        text, ref = draft.name(row, "first", article=article)
        draft.definite = article == "the"
        if random.random() < SINGLE_RATE and self.viewpoint.match(draft.refs[ref].phrase).sum() == 1:
            text = single(text)
        return text + self._place_words(draft, row, text), ref, False

    def _place_words(self, draft: Draft, row: int, text: Text) -> str:
        """Return what an object stands on, often "": " on the sidewalk"."""
        random = draft.random
        if random.random() >= PLACE_RATE or " with " in text.string:
            return ""
        places = places_of(self.viewpoint, row)
        if not places:
            return ""
        place = random.pick("place", {place: rate if place in places else 0.0 for place, rate in PLACE_RATES.items()})
        return f" {random.pick(f'place words {place}', PLACE_WORDS[place])}"

    def scene_clause(self, draft: Draft, ref: int, thing: Text, tail: Text, others: Sequence[int]) -> Text:
        """Return a sentence that introduces an object, with its side if that is unambiguous.

        Args:
            draft: The draft.
            ref: Ref of the object.
            thing: Its noun phrase.
            tail: What follows the noun phrase: relations to other objects.
            others: Instances of those objects.
        """
        random = draft.random
        instance = draft.things[ref]
        if draft.refs[ref].pick is not None:
            whole = normalize_spaces(thing + " " + tail)
            return render_one(random, "ranked sentence", templates.RANKED_SENTENCES, thing=whole)
        key = "place of side before with" if tail.string.startswith(("with ", "that has ")) else "place of side"
        placed = random.pick(key, {"none": 1.0, "last": 6.0, "after noun": PLACED_SIDES[key] if tail.string else 0.0})
        # A side at the end of the sentence is that of the last object, too.
        sides = self.sides(instance, *others) if placed == "last" else []
        if not sides and placed != "none":
            placed, sides = "after noun", self.sides(instance)
        whole = normalize_spaces(thing + " " + tail)
        if "ahead" in self.sides(instance) and random.chance("facing", FACING_RATE):
            return templates.FACING_SENTENCE.render(random, thing=whole)
        near = bool(self.visible.nearest[self.visible.find(instance)] < MAX_STOP_METRES)
        definite = thing.string.startswith("the ")
        if not sides or any(side in tail.string for side in ("left of", "right of")):
            return render_one(
                random,
                "scene sentence",
                fitting_templates(templates.SCENE_SENTENCES, near, definite),
                thing=whole,
            )
        side = self._choose_side(random, sides)
        draft.side(ref, side)
        if placed == "after noun":
            words = side_phrase(random, side).with_annotations("egocentric")
            whole = normalize_spaces(thing + " " + words + " " + tail)
            return render_one(
                random, "scene sentence", fitting_templates(templates.SCENE_SENTENCES, near, definite), thing=whole
            )
        if random.chance("look", LOOK_RATE):
            look = [words for words in templates.LOOKS[side] if not words.startswith("looking")][:MAX_SIDE_WORDS]
            return render_one(
                random,
                "look sentence",
                fitting_templates(templates.LOOK_SENTENCES, near, definite),
                thing=whole,
                look=pick_words(random, "look words", side, look),
            )
        return render_ranked(
            random,
            lambda: render_one(
                random,
                "side sentence",
                fitting_templates(templates.SIDE_SENTENCES, near, definite),
                thing=whole,
                side=side_phrase(random, side),
            ),
        )

    @staticmethod
    def _choose_side(random: WriterRandom, sides: Sequence[str]) -> str:
        kinds = {side.replace("right", "left"): side for side in sides}
        key, rates = ("side ahead", AHEAD_RATES) if "ahead" in kinds else ("side", SIDE_RATES)
        return kinds[random.pick(key, {kind: rate if kind in kinds else 0.0 for kind, rate in rates.items()})]

    def _target_first(self, draft: Draft, spot_phrase: SpotPhrase) -> bool:
        """Introduce the target object first, perhaps with an anchor, then the spot."""
        random = draft.random
        text, ref, ranked = self.introduce(draft, self.row, self._article(random, "first"))
        tail, others = (Text(""), []) if ranked else self._tail(draft, ref, self.row)
        sentences = [self.scene_clause(draft, ref, text, tail, others)]
        alone = not others
        if random.random() < MORE_RATE:
            sentences += self._more(draft, ref, alone)
            alone = alone and len(sentences) == 1
        return self._finish(draft, spot_phrase, ref, sentences, alone and not spot_phrase.spot.part)

    def _tail(self, draft: Draft, ref: int, row: int) -> tuple[Text, list[int]]:
        """Return relations of an object, and the instances of the anchors."""
        random = draft.random
        if random.random() >= RELATED_RATE:
            return Text(""), []
        related = self.relate(draft, ref, row)
        if related is None:
            return Text(""), []
        text, others = related
        if random.random() < TWO_RATE and not text.string.startswith("and "):
            kinds = [relation.kind for relation in draft.relations]
            extra = self.relate(draft, ref, row, [*kinds, "on", "has", "between"])
            if extra is not None:
                return text + " and " + extra[0], others + extra[1]
        return text, others

    def _more(self, draft: Draft, ref: int, alone: bool) -> list[Text]:
        """Return a second sentence about an object: its relation to an anchor, or an anchor's relation to it."""
        random = draft.random
        kinds = [relation.kind for relation in draft.relations]
        row = self.visible.find(draft.things[ref])
        anchor = self.choose_anchor(draft, row, [*kinds, "between"])
        if anchor is None:
            return []
        other = anchor.rows[0]
        if anchor.relation == "has":
            subject = draft.refer_again(ref, "subject", alone)
            text, number = draft.name(other, "anchor")
            draft.relations.append(Relation("has", ref, (number,)))
            return [render_one(random, "has sentence", templates.HAS_SENTENCES, thing=subject, other_thing=text)]
        inverse = INVERSE.get(anchor.relation, "has")
        if inverse not in ("has", "behind") and random.chance("anchor as subject", 0.6):
            words = draft.relation(inverse, other)
            again = draft.refer_again(ref, "object", alone)
            if inverse in ("left", "right") and again.string == "it" and random.chance("its side", 0.4):
                words, again = words_of_its_side(inverse)
            group = self._name_group(draft, other) if inverse in GROUP_RELATIONS else None
            text, number = group or draft.name(other, "anchor")
            draft.relations.append(Relation(inverse, number, (ref,)))
            plural = group is not None or draft.plurals[number]
            return [self._relation_sentence(random, plural, rel=words, thing=text, other_thing=again)]
        subject = draft.refer_again(ref, "subject", alone)
        words = draft.relation(anchor.relation, row)
        if words.string == "of":  # not "the door is of the house"
            words = Text("on").with_annotations("allocentric")
        text, number = self._name_anchor(draft, anchor)
        draft.relations.append(Relation(anchor.relation, ref, (number,)))
        return [
            render_one(
                random, "predicate sentence", templates.PREDICATE_SENTENCES, rel=words, thing=subject, other_thing=text
            )
        ]

    @staticmethod
    def _relation_sentence(random: WriterRandom, plural: bool, **slots: Text) -> Text:
        if plural:
            return render_one(random, "group relation sentence", templates.GROUP_RELATION_SENTENCES, **slots)
        return render_one(random, "relation sentence", templates.RELATION_SENTENCES, **slots)

    def _anchor_first(self, draft: Draft, spot_phrase: SpotPhrase) -> bool:
        """Introduce an anchor first, then the target object by its relation, then the spot."""
        random = draft.random
        anchor = self.choose_anchor(draft, self.row, ("behind", "between", "has"))
        if anchor is None:
            return False
        other = anchor.rows[0]
        text, anchor_ref, ranked = self.introduce(draft, other, self._article(random, "first"))
        tail, others = (Text(""), []) if ranked else self._tail(draft, anchor_ref, other)
        first = self.scene_clause(draft, anchor_ref, text, tail, others)
        row, margin = Scorer(self.viewpoint, draft.meaning).best(anchor_ref)
        if row != other or margin < 0.8:
            return False  # the first object must be unambiguous by itself
        if random.chance("target in the last sentence", 0.25):
            random.recorded.extend(draft.held)
            draft.held.clear()
            thing, ref = draft.name(self.row, "target", article="the")
            words = draft.relation(anchor.relation, self.row)
            again = draft.refer_again(anchor_ref, "object", not others)
            draft.relations.append(Relation(anchor.relation, ref, (anchor_ref,)))
            return self._finish(draft, spot_phrase, ref, [first], False, thing + " " + words + " " + again)
        words = draft.relation(anchor.relation, self.row)
        again = draft.refer_again(anchor_ref, "object", not others)
        thing, ref = draft.name(self.row, "target")
        draft.relations.append(Relation(anchor.relation, ref, (anchor_ref,)))
        second = self._relation_sentence(random, draft.plurals[ref], rel=words, thing=thing, other_thing=again)
        return self._finish(draft, spot_phrase, ref, [first, second], False)

    def _owner_first(self, draft: Draft, spot_phrase: SpotPhrase) -> bool:
        """Introduce an object with the target: "a building with a red awning", "a tree with a bike next to it"."""
        random = draft.random
        anchor = self.choose_anchor(draft, self.row, (), "owner relation", OWNER_RATES)
        if anchor is None or int(self.visible.kind[anchor.rows[0]]) == PERSON:
            return False
        other = anchor.rows[0]
        first_article = self._article(random, "first")
        text, owner = draft.name(other, "first", article=first_article)
        if anchor.relation == "on" and random.chance("owner has", 0.5):
            first = self.scene_clause(draft, owner, text, Text(""), ())
            subject = draft.refer_again(owner, "subject", True)
            thing, ref = draft.name(self.row, "target")
            draft.relations.append(Relation("on", ref, (owner,)))
            second = render_one(random, "has sentence", templates.HAS_SENTENCES, thing=subject, other_thing=thing)
            return self._finish(draft, spot_phrase, ref, [first, second], False)
        definite = first_article == "the" and anchor.relation == "on" and random.chance("article of what it has", 0.5)
        thing, ref = draft.name(self.row, "target", article="the" if definite else "a")
        draft.relations.append(Relation(anchor.relation, ref, (owner,)))
        if anchor.relation == "on":
            tail = draft.relation("has", other) + " " + thing
            tail = tail + " on it" if random.chance("on it", 0.25) else tail
        else:
            tail = Text("with ") + thing + " " + draft.relation(anchor.relation, self.row) + " it"
        first = self.scene_clause(draft, owner, text, tail, [self.target.instance])
        return self._finish(draft, spot_phrase, ref, [first], False)

    def _single_sentence(self, draft: Draft, spot_phrase: SpotPhrase) -> bool:
        """Say everything in one sentence: "Touchdown is on top of the red hydrant to your left"."""
        random = draft.random
        thing, ref, ranked = self.introduce(draft, self.row, "the")
        tail, others = (Text(""), []) if ranked else self._tail(draft, ref, self.row)
        if tail.string.startswith("and "):
            return False  # not "on the mailbox and a tree"
        sides = [] if ranked else self.sides(self.target.instance, *others)
        text = thing + " " + tail if tail.string else thing
        if sides and random.chance("side in a single sentence", 0.7) and " of " not in tail.string:
            side = self._choose_side(random, sides)
            draft.side(ref, side)
            text = text + " " + side_phrase(random, side).with_annotations("egocentric")
        return self._finish(draft, spot_phrase, ref, [], False, text)

    def _group_first(self, draft: Draft, spot_phrase: SpotPhrase) -> bool:
        """Introduce a group of similar objects first, then pick the target object from it."""
        random = draft.random
        _, ref = draft.name(self.row, "first", plural=2)
        phrase = draft.refs[ref].phrase
        if phrase.words.endswith(draft.nouns[ref]):
            return False  # mass names have no plural
        if np.count_nonzero(self.viewpoint.match(phrase)) < 2:
            return False
        sides = self.sides(draft.things[ref])
        side = self._choose_side(random, sides) if sides else ""
        draft.side(ref, side)
        scorer = Scorer(self.viewpoint, draft.meaning)
        rows, scores = scorer.scores(ref)
        group = rows[scores > scores.max(initial=-np.inf) - 2.5]
        if not 2 <= len(group) <= 4 or self.row not in group:
            return False
        if (self.visible.share[group] < MIN_SHARE).any():
            return False  # too small to be counted
        if any(self.visible.hidden[row] > 0.7 for row in group) or not seen_as_group(self.visible, group, phrase):
            return False
        by: SortKey = random.choice(("left", "right", "near"))
        key = order_key(self.visible, group, by)
        rank = int((key < key[list(group).index(self.row)]).sum()) + 1
        if by == "near" and np.diff(np.sort(key)).min() < 1.0:
            return False
        count = len(group)
        draft.refs[ref] = replace(draft.refs[ref], phrase=replace(phrase, number=count))
        instances = [int(self.visible.instance[row]) for row in group]
        text = (
            Text(f"{number_word(count)} {phrase.words.removeprefix('two ')}")
            .with_annotations("unique entity", "count")
            .with_mentions(*instances)
        )
        if side:
            words = side_phrase(random, side)
            first = render_one(random, "group side sentence", templates.GROUP_SIDE_SENTENCES, thing=text, side=words)
        else:
            first = render_one(random, "group sentence", templates.GROUP_SENTENCES, thing=text)
        meaning, member = draft.meaning.one_of(ref, Selector(by, rank))
        draft.refs, draft.relations = list(meaning.refs), list(meaning.relations)
        draft.things.append(self.target.instance)
        draft.nouns.append(draft.nouns[ref])
        draft.plurals.append(False)
        # Only the picked object is checked, not the ref of the group.
        draft.things[ref] = 0
        picked = picked_words(random, draft.nouns[ref], by, rank, count).with_mentions(self.target.instance)
        return self._finish(draft, spot_phrase, member, [first], False, picked)

    def _finish(
        self,
        draft: Draft,
        spot_phrase: SpotPhrase,
        ref: int,
        sentences: list[Text],
        it: bool,
        thing: Text | None = None,
    ) -> bool:
        """Write the last sentence and complete the draft.

        Args:
            draft: The draft.
            spot_phrase: The spot.
            ref: Ref of the target object.
            sentences: The sentences before.
            it: Whether "it" may mean the target object.
            thing: Words for the target object; None to refer to it again.
        """
        random = draft.random
        random.recorded.extend(draft.held)
        if thing is None:
            thing = draft.refer_again(ref, "last", it)
        anchor, anchor_text = -1, Text("")
        if spot_phrase.anchor >= 0:
            anchor_text, anchor = self._anchor(draft, spot_phrase.anchor)
        draft.spot = replace(spot_phrase.spot, ref_index=ref, aligned_with=anchor)
        spot_text = write_spot(random, spot_phrase, thing, anchor_text, self.flat)
        bear = random.pick("bear", templates.BEAR_WORDS)
        last = normalize_spaces(
            render_one(random, "target sentence", templates.TARGET_SENTENCES, bear=bear, at=spot_text)
        )
        close = random.choices((".", "", "!", ". Good luck!", "! Good luck!", ". Good luck."), (91, 7, 2, 1, 0.3, 0.5))[
            0
        ]
        if not sentences:
            draft.rest = (last if random.random() < 0.2 else last.capitalized()) + close
            return True
        first = sentences[0] if random.random() < 0.42 else capitalize_all(sentences[0])
        joint = random.random()
        if joint < 0.05 and len(sentences) == 1:
            draft.opening = first + ("," if joint < 0.03 else "")
            draft.rest = (Text("and ") + last if joint > 0.02 else last) + close
        else:
            draft.opening = first + "."
            tail = [*(sentence.capitalized() + "." for sentence in sentences[1:]), capitalize_sentence(last) + close]
            draft.rest = Text.join(tail)
        return True

    def _anchor(self, draft: Draft, row: int) -> tuple[Text, int]:
        instance = int(self.visible.instance[row])
        for k, thing in enumerate(draft.things):
            if thing == instance and not draft.refs[k].phrase.plural:
                return draft.refer_again(k, "object"), k
        return draft.name(row, "anchor", article="the")
