"""Writer of target descriptions in the style of Touchdown's SDR: the scene first, then the spot of Touchdown.

A description is drawn at random, rendered, and its meaning checked against the scene: every ref must resolve to the
intended object from the place it is written for, and the spot must be the target. Otherwise another one is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from bearleft.geometry import turn, vector_angles
from bearleft.language.annotated_text import Text
from bearleft.language.descriptions import templates
from bearleft.language.descriptions.distractors import has_rival_shop_doors, seen_as_group
from bearleft.language.descriptions.draft import Draft
from bearleft.language.descriptions.locate import locate_spot, pixel_distance, resolve_reference
from bearleft.language.descriptions.semantics import (
    SIDES,
    Meaning,
    Relation,
    Scorer,
    Selector,
    SortKey,
    Viewpoint,
    order_key,
    relation_score,
)
from bearleft.language.descriptions.spots import SpotPhrase, spot_phrases, write_spot
from bearleft.language.lexicon.lexicon import number_word, ordinal_word
from bearleft.language.noun_phrases import match
from bearleft.language.scene_index import SceneIndex
from bearleft.language.templates import avoid_repeated_words, normalize_spaces
from bearleft.records import Direction
from bearleft.world.city.catalog import CLASSES
from bearleft.world.targets import Target

MAX_TRIES = 24
ANCHOR_TRIES, GROUP_TRIES = (
    3,
    3,
)  # attempts to begin with another object or with a group
GOOD_PIXELS, MAX_PIXELS = 30.0, 40.0  # preferred and maximum error of a description
MIN_MARGIN = 1.5  # score by which the intended object must beat the next one
MAX_MISALIGNMENT = 45.0  # degrees between the heading and the panorama's centre up to which "on your left" is used
SIDE_MARGIN = 6.0  # degrees that an object must lie inside of its stated side
MOVING_KINDS, VEHICLE_KINDS = (
    frozenset(k for k, object_class in enumerate(CLASSES) if object_class.name in names)
    for names in (templates.MOVING_NAMES, templates.VEHICLE_NAMES)
)


@dataclass(frozen=True)
class Description:
    """Description of a target: an opening that sets the scene, and the rest, which ends with the spot."""

    opening: Text
    rest: Text

    @property
    def text(self) -> Text:
        """The complete text."""
        return Text.join((self.opening, self.rest))


def describe(
    scene: SceneIndex, target: Target, heading: float, views: Sequence[int], seed: int, number: int
) -> Description | None:
    """Return a description of a target, or None if no unambiguous one is found.

    Args:
        scene: The scene.
        target: The target to describe.
        heading: Heading on arrival at the target's place.
        views: Places that the target is shown from, including its own.
        seed: Seed of the dataset.
        number: Number of the description, part of the seed.
    """
    result = describe_with_meaning(scene, target, heading, views, seed, number)
    return result[0] if result else None


def describe_with_meaning(
    scene: SceneIndex, target: Target, heading: float, views: Sequence[int], seed: int, number: int
) -> tuple[Description, Meaning] | None:
    """Return a description and its meaning. The arguments are those of `describe`."""
    if target.position is None:
        return None
    yaw = scene.city.graph.yaw
    aligned = all(abs(float(turn(heading, yaw[view]))) < MAX_MISALIGNMENT for view in views)
    places = [target.place, *(view for view in views if view != target.place)]
    viewpoints = [Viewpoint(scene, scene.at(place), float(yaw[place])) for place in places]
    viewpoints = [
        viewpoint for k, viewpoint in enumerate(viewpoints) if not k or viewpoint.visible.find(target.instance) >= 0
    ]
    if viewpoints[0].visible.find(target.instance) < 0:
        return None
    eyes = scene.city.poses([viewpoint.visible.place for viewpoint in viewpoints])[:, :3].astype(float)
    goals = [Direction(*map(float, vector_angles(np.array(target.position) - eye))) for eye in eyes]
    writer = _Writer(scene, target, viewpoints, goals, aligned)
    best: tuple[float, Draft] | None = None
    for attempt in range(MAX_TRIES):
        draft = writer.draft(Random(f"{seed} describe {number} {attempt}"))
        if draft is None:
            continue
        score = writer.rate(draft)
        if score is not None and (best is None or score > best[0]):
            best = score, draft
            if score >= 1.0:
                break
    if best is None:
        return None
    return Description(best[1].opening, best[1].rest), best[1].meaning


class _Writer:
    def __init__(
        self, scene: SceneIndex, target: Target, viewpoints: list[Viewpoint], goals: list[Direction], aligned: bool
    ) -> None:
        self.scene, self.target, self.viewpoints, self.goals, self.aligned = scene, target, viewpoints, goals, aligned
        self.viewpoint, self.visible = viewpoints[0], viewpoints[0].visible
        self.row = self.visible.find(target.instance)
        self.anchors = self._anchors(self.row)
        self.spots = spot_phrases(viewpoints, goals, target, [(relation, row) for relation, row, _ in self.anchors])

    def _anchors(self, row: int) -> list[tuple[str, int, float]]:
        """Return anchors of an object: relation, row of the anchor, and weight."""
        visible = self.visible
        usable = (visible.share > 1.5e-4) & (visible.hidden < 0.6) & (np.arange(len(visible)) != row)
        usable &= ~np.isin(visible.kind, list(MOVING_KINDS))
        rows = np.flatnonzero(usable)
        anchors: list[tuple[str, int, float]] = []
        own_row, own_kind = np.array([row]), int(visible.kind[row])
        for relation in ("near", "left", "right", "front", "above", "below", "on", "behind"):
            score = relation_score(self.viewpoint, relation, own_row, rows)[0]
            for k in np.flatnonzero(score > -0.9):
                other = int(rows[k])
                if (int(visible.kind[other]) == 0) != (own_kind == 0) and relation not in ("on", "front"):
                    continue
                if relation == "behind" and CLASSES[int(visible.kind[other])].name in templates.WALL_NAMES:
                    continue  # avoid "behind a shop window"
                weight = float(np.sqrt(visible.share[other])) * 10 + 0.3
                weight *= {"near": 1.6, "on": 0.9, "behind": 0.25}.get(relation, 1.0)
                weight *= 0.25 if int(visible.kind[other]) in VEHICLE_KINDS else 1.0
                anchors.append((relation, other, weight * float(np.exp(score[k]))))
        return anchors

    def sides(self, instance: int) -> list[str]:
        """Return the sides of the viewer that an object is on, from every viewpoint."""
        if not self.aligned:
            return []
        sides = []
        for side, (middle, half) in SIDES.items():
            if side in templates.SIDES and all(
                self._inside(viewpoint, instance, middle, half) for viewpoint in self.viewpoints
            ):
                sides.append(side)
        return sides

    def _inside(self, viewpoint: Viewpoint, instance: int, middle: float, half: float) -> bool:
        row = viewpoint.visible.find(instance)
        if row < 0:
            return False
        return abs(float(turn(viewpoint.heading + middle, viewpoint.visible.heading[row]))) < half - SIDE_MARGIN

    def related_object(self, draft: Draft, ref: int, row: int, colour: float = 0.6) -> tuple[Text, Text, str] | None:
        """Relate an object to a random anchor; return the relation's words, the anchor's phrase, and the relation."""
        named_rows = {int(self.visible.find(thing)) for thing in draft.things}
        anchors = self.anchors if row == self.row else self._anchors(row)
        used = {
            (relation.kind, int(self.visible.kind[self.visible.find(draft.things[relation.objects[0]])]))
            for relation in draft.relations
            if relation.subject == ref
        }
        candidates = [anchor for anchor in anchors if anchor[1] not in named_rows and anchor[1] != self.row]
        candidates = [anchor for anchor in candidates if (anchor[0], int(self.visible.kind[anchor[1]])) not in used]
        if not candidates:
            return None
        relation, other, _ = draft.random.choices(candidates, [anchor[2] for anchor in candidates])[0]
        text, number = draft.name(other, colour, first=False)
        draft.relations.append(Relation(relation, ref, (number,)))
        return draft.relation(relation, row), text, relation

    def draft(self, random: Random) -> Draft | None:
        """Return a random draft, None if the target cannot be described."""
        if not self.spots or has_rival_shop_doors(self.visible, self.row):
            return None
        spot_phrase = random.choices(self.spots, [phrase.weight for phrase in self.spots])[0]
        draft = Draft(random, self.visible, part=spot_phrase.spot.part)
        kind = random.random()
        for _ in range(GROUP_TRIES if kind < 0.5 else 0):
            if self._group_first(draft, spot_phrase):
                return draft
            draft = Draft(random, self.visible, part=spot_phrase.spot.part)
        if kind < 0.73:
            self._target_first(draft, spot_phrase)
            return draft
        for _ in range(ANCHOR_TRIES):
            draft = Draft(random, self.visible, part=spot_phrase.spot.part)
            if self._anchor_first(draft, spot_phrase):
                return draft
        draft = Draft(random, self.visible, part=spot_phrase.spot.part)
        self._target_first(draft, spot_phrase)
        return draft

    def scene_clause(self, draft: Draft, ref: int, thing: Text, share: float = 0.8) -> Text:
        """Return a sentence that introduces an object, with its side if that is unambiguous."""
        random = draft.random
        sides = self.sides(draft.things[ref])
        if sides and random.random() < share:
            side = random.choice(sides)
            draft.side(ref, side)
            if random.random() < 0.13 and side in templates.LOOKS:
                look_phrase = random.choice(
                    [phrase for phrase in templates.LOOKS[side] if not phrase.startswith("looking")]
                )
                return random.choice(templates.LOOK_SENTENCES).render(random, thing=thing, look=look_phrase)
            return avoid_repeated_words(
                lambda: random.choice(templates.SIDE_SENTENCES).render(
                    random, thing=thing, side=_side_phrase(random, side)
                )
            )
        return random.choice(templates.SCENE_SENTENCES).render(random, thing=thing)

    def _target_first(self, draft: Draft, spot_phrase: SpotPhrase) -> None:
        """Introduce the target object first, perhaps with an anchor, then the spot."""
        random = draft.random
        text, ref = draft.name(self.row, 0.7)
        alone = True
        if random.random() < 0.8:
            related = self.related_object(draft, ref, self.row)
            if related:
                text, alone = text + " " + related[0] + " " + related[1], False
                if random.random() < 0.12 and related[2] in ("near", "front", "below"):
                    extra = self.related_object(draft, ref, self.row)
                    text = text + " and " + extra[0] + " " + extra[1] if extra else text
        first = self.scene_clause(draft, ref, text)
        middle = []
        if random.random() < 0.5:
            related = self.related_object(draft, ref, self.row)
            if related:
                middle.append(draft.refer_again(ref, alone, 0.6) + " is " + related[0] + " " + related[1])
                alone = False
        self._finish(
            draft,
            spot_phrase,
            ref,
            [first, *middle],
            draft.refer_again(ref, alone and not middle and not spot_phrase.spot.part, 0.35),
        )

    def _anchor_first(self, draft: Draft, spot_phrase: SpotPhrase) -> bool:
        """Introduce an anchor first, then the target object by its relation, then the spot."""
        random = draft.random
        candidates = [candidate for candidate in self.anchors if candidate[0] != "behind"]
        if not candidates:
            return False
        relation, other, _ = random.choices(candidates, [candidate[2] for candidate in candidates])[0]
        text, anchor = draft.name(other, 0.75)
        alone = True
        if random.random() < 0.42:
            related = self.related_object(draft, anchor, other)
            if related:
                text, alone = text + " " + related[0] + " " + related[1], False
        first = self.scene_clause(draft, anchor, text, 0.85)
        row, margin = Scorer(self.viewpoint, draft.meaning).best(anchor)
        if row != other or margin < 0.8:
            return False  # the first object must be unambiguous by itself
        relation_text = draft.relation(relation, self.row)
        anchor_text = draft.refer_again(anchor, alone, 0.4)
        if random.random() < 0.5:
            thing, ref = draft.name(self.row, 0.5, article="the")
            draft.relations.append(Relation(relation, ref, (anchor,)))
            self._finish(draft, spot_phrase, ref, [first], thing + " " + relation_text + " " + anchor_text)
        else:
            thing, ref = draft.name(self.row, 0.6)
            draft.relations.append(Relation(relation, ref, (anchor,)))
            second = random.choice(templates.RELATION_SENTENCES).render(
                random, rel=relation_text, thing=thing, other_thing=anchor_text
            )
            self._finish(draft, spot_phrase, ref, [first, second], draft.refer_again(ref, False))
        return True

    def _group_first(self, draft: Draft, spot_phrase: SpotPhrase) -> bool:
        """Introduce a group of similar objects first, then pick the target object from it."""
        random = draft.random
        _, ref = draft.name(self.row, 0.5, plural=2)
        phrase = draft.refs[ref].phrase
        if phrase.words.endswith(draft.nouns[ref]):
            return False  # mass names have no plural
        sides = self.sides(draft.things[ref])
        side = random.choice(sides) if sides else ""
        draft.side(ref, side)
        scorer = Scorer(self.viewpoint, draft.meaning)
        rows, scores = scorer.scores(ref)
        group = rows[scores > scores.max(initial=-np.inf) - 2.5]
        if not 2 <= len(group) <= 4 or self.row not in group:
            return False
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
        plural_noun = phrase.words.removeprefix("two ")
        text = (
            Text(f"{number_word(count)} {plural_noun}")
            .with_annotations("unique entity", "count")
            .with_mentions(*instances)
        )
        if side:
            sources = templates.GROUP_SIDE_SENTENCES if random.random() < 0.85 else templates.SIDE_SENTENCES[7:9]
            first = avoid_repeated_words(
                lambda: random.choice(sources).render(random, thing=text, side=_side_phrase(random, side))
            )
        else:
            first = random.choice(templates.GROUP_SENTENCES).render(random, thing=text)
        meaning, member = draft.meaning.one_of(ref, Selector(by, rank))
        draft.refs, draft.relations = list(meaning.refs), list(meaning.relations)
        draft.things.append(self.target.instance)
        draft.nouns.append(draft.nouns[ref])
        # Only the picked object is checked, not the ref of the group.
        draft.things[ref] = 0
        self._finish(draft, spot_phrase, member, [first], self._picked_noun(draft, member, by, rank, count))
        return True

    def _picked_noun(self, draft: Draft, ref: int, by: SortKey, rank: int, count: int) -> Text:
        random = draft.random
        if rank == 1:
            words = random.choice(templates.PICK_NOUNS[by].split("|"))
            draw = random.random()
            if draw < 0.25:
                words = f"the {random.choice(templates.PICK_ADJECTIVES[by].split('|')[:1])} {draft.nouns[ref]}"
            elif draw < 0.8:
                words = (
                    f"the first one {templates.RANK_SUFFIXES[by].split('|')[0]}"
                    if by in templates.RANK_SUFFIXES
                    else "the first one"
                )
        elif by in ("left", "right"):
            noun = "one" if random.random() < 0.6 else draft.nouns[ref]
            words = f"the {ordinal_word(rank)} {noun} {random.choice(templates.RANK_SUFFIXES[by].split('|')[:1])}"
            if rank == count and random.random() < 0.25:
                other: SortKey = "right" if by == "left" else "left"
                words = random.choice(templates.PICK_NOUNS[other].split("|")[:6])
        else:
            words = (
                f"the {ordinal_word(rank)} one"
                if rank < count
                else random.choice(templates.PICK_NOUNS["far"].split("|"))
            )
        annotations = ["coreference"] + (["comparison"] if "est" in words or "most" in words or "er " in words else [])
        annotations += ["sequencing"] if rank > 1 or "first" in words else []
        return Text(words).with_annotations(*annotations).with_mentions(draft.things[ref])

    def _finish(self, draft: Draft, spot_phrase: SpotPhrase, ref: int, sentences: list[Text], thing: Text) -> None:
        """Write the last sentence and complete the draft."""
        random = draft.random
        anchor = -1
        anchor_text = Text("")
        if spot_phrase.anchor >= 0:
            anchor_text, anchor = self._anchor(draft, spot_phrase.anchor)
        draft.spot = replace(spot_phrase.spot, ref_index=ref, aligned_with=anchor)
        spot_text = write_spot(random, spot_phrase, thing, anchor_text)
        bear_noun = random.choice(templates.WEIGHTED_BEAR_NOUNS)
        last = avoid_repeated_words(
            lambda: normalize_spaces(
                random.choice(templates.TARGET_SENTENCES).render(random, bear=bear_noun, at=spot_text)
            )
        )
        lower = random.random() < 0.4
        close = random.choices((".", "", "!"), (91, 7, 2))[0]
        first = sentences[0] if lower else sentences[0].capitalized()
        joint = random.random()
        if joint < 0.06 and len(sentences) == 1:
            draft.opening = first + ","
            draft.rest = Text("and ") + last + close if joint < 0.04 else last + close
        else:
            draft.opening = first + "."
            tail = [*(sentence.capitalized() + "." for sentence in sentences[1:]), _capitalize_sentence(last) + close]
            draft.rest = Text.join(tail)

    def _anchor(self, draft: Draft, row: int) -> tuple[Text, int]:
        instance = int(self.visible.instance[row])
        for k, thing in enumerate(draft.things):
            if thing == instance and not draft.refs[k].phrase.plural:
                return draft.refer_again(k), k
        return draft.name(row, 0.7, article="the")

    def rate(self, draft: Draft) -> float | None:
        """Return the quality of a draft: 1 at best, None if it is wrong at the target's own place."""
        meaning = draft.meaning
        scorer = Scorer(self.viewpoint, meaning)
        for ref, thing in enumerate(draft.things):
            if not thing:
                continue
            row, margin = scorer.best(ref)
            if row < 0 or int(self.visible.instance[row]) != thing or margin < MIN_MARGIN:
                return None
        if self._ambiguous(draft):
            return None
        errors = [
            self._error_pixels(viewpoint, goal, meaning, draft)
            for viewpoint, goal in zip(self.viewpoints, self.goals, strict=True)
        ]
        if errors[0] > MAX_PIXELS - 3:
            return None
        if errors[0] <= GOOD_PIXELS and max(errors) <= MAX_PIXELS - 3:
            return 1.0
        share = sum(error <= MAX_PIXELS - 3 for error in errors) / len(errors)
        return share - min(max(errors), 1000.0) / 5000.0

    def _ambiguous(self, draft: Draft) -> bool:
        """Return whether the phrases of two named objects each fit the other object."""
        single = [k for k, thing in enumerate(draft.things) if thing and not draft.refs[k].phrase.plural]
        fits = {k: match(draft.refs[k].phrase, self.visible) for k in single}
        rows = {k: self.visible.find(draft.things[k]) for k in single}
        return any(
            fits[j][rows[k]] and fits[k][rows[j]] and draft.things[j] != draft.things[k]
            for j in single
            for k in single
            if j < k
        )

    def _error_pixels(self, viewpoint: Viewpoint, goal: Direction, meaning: Meaning, draft: Draft) -> float:
        assert meaning.spot is not None
        instance = resolve_reference(viewpoint, meaning, meaning.spot.ref_index)
        if instance != self.target.instance:
            return 1000.0
        direction = locate_spot(
            viewpoint, meaning.spot, instance, lambda ref: resolve_reference(viewpoint, meaning, ref)
        )
        return pixel_distance(direction, goal) if direction else 1000.0


def _capitalize_sentence(text: Text) -> Text:
    """Return the sentence with a capital letter, except before a lower-case "touchdown"."""
    return text if text.string.startswith("touchdown") else text.capitalized()


def _side_phrase(random: Random, side: str) -> str:
    return random.choice(templates.SIDES[side]).replace(" ,", ",")
