"""Writer of referring sentences that lead the view from object to object."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np

from bearleft.language.annotated_text import Text
from bearleft.language.lexicon.lexicon import ordinal_word
from bearleft.language.noun_phrases import chunk, match
from bearleft.language.referring import templates
from bearleft.language.referring.candidates import (
    IS_ALIVE,
    LINK_MARGIN,
    MAX_NAME_TRIES,
    NamedObject,
    ObjectLink,
    ObjectNamer,
)
from bearleft.language.referring.target_location import CLOSER_SHARE, MIN_HALF_SIZE, Part, TargetLocation
from bearleft.language.referring.view import Relation, Side, ViewBox, best_match, box_distances, relation_cost
from bearleft.language.scene_index import SceneIndex
from bearleft.language.templates import Template, normalize_spaces
from bearleft.world.city.catalog import CLASSES
from bearleft.world.targets import Target

DEFINITE_RATE = 0.62  # how often an object named again is "the awning" rather than "that awning"
NEAR_DISTANCE, NEAR_DISTANCE_INDOORS = 12.0, 3.0  # metres of objects "close to you"
OPENING_CLOSE_RATE = 0.6  # of "close to you" in first sentences
FAR_DISTANCE = 45.0  # metres of objects "in the distance"
LINK_CLOSE_RATE = 0.2  # of "close to you" in later sentences
MAX_ADJACENT_ANGLE = 8.0  # degrees between objects "just" or "directly" beside each other
SITTING_RATE = 0.12  # how often Waldo sits or stands where he can
GROUND_SURFACES = frozenset(("floor", "road", "sidewalk", "grass", "plaza"))
# Whether Waldo can sit or stand on an object, by class.
SUPPORTS_OBJECTS = np.array(
    [
        object_class.name in ("sofa", "armchair", "chair", "stool", "bar stool", "office chair", "ottoman",
                     "booth seat", "bed",
                     "coffee table", "dining table", "side table", "tablecloth table", "display table", "desk", "bench",
                     "bar counter", "checkout counter", "reception desk", "cardboard box", "toy box", "pedestal", "rug")
        for object_class in CLASSES
    ]
)  # fmt: skip
TURN_RATE = 0.22  # how often a sentence says "look to the left" rather than "left of it"


class SequenceWriter(ObjectNamer):
    """Writer of one sequence; it tracks the focus and the named objects as the follower does."""

    def __init__(self, scene: SceneIndex, place: int, random: Random) -> None:
        super().__init__(scene, place, random)
        self.near = NEAR_DISTANCE
        if self.indoors and self.noticeable.any():
            # In a small room everything is near, so only the nearer half counts.
            self.near = min(NEAR_DISTANCE_INDOORS, float(np.median(self.visible.nearest[self.noticeable])))
        self.restart()

    def restart(self) -> None:
        """Forget what was written."""
        self.focus = ViewBox(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        self.focused_object: NamedObject | None = None
        self.part: Part | None = None  # of it, if in focus
        self.named: list[NamedObject] = []
        self.pointed = False  # "that one" was used

    def _set_focus(self, named_object: NamedObject) -> None:
        self.focus, self.focused_object, self.part = ViewBox.of(self.visible, named_object.row), named_object, None
        self.named.append(named_object)

    def _refer_again(self, by_name: bool) -> Text:
        """Return the object in focus by name or by a pronoun."""
        focused_object = self.focused_object
        assert focused_object is not None
        if by_name and not self._is_ambiguous(focused_object):
            if self.random.random() < DEFINITE_RATE:
                return focused_object.with_article("the")
            return focused_object.with_article(self.random.choice(("that", "that", "this")), "coreference")
        instance = int(self.visible.instance[focused_object.row])
        if self.is_person[focused_object.row] and self.pointed:
            return focused_object.with_article("that", "coreference")
        # "That one" twice would mean two objects.
        pronouns = (
            ("that one",)
            if self.is_person[focused_object.row]
            else ("it",)
            if self.pointed
            else ("it", "it", "it", "that one")
        )
        pronoun = self.random.choice(pronouns)
        self.pointed |= pronoun == "that one"
        return Text(pronoun).with_annotations("coreference").with_mentions(instance)

    def _is_ambiguous(self, focused_object: NamedObject) -> bool:
        """Return whether a name matches another object that was named."""
        _, (short,) = chunk(focused_object.short, indoors=self.indoors)
        fits = match(short, self.visible)
        return any(fits[other.row] for other in self.named if other.row != focused_object.row)

    def _part_text(self, part: Part, box: ViewBox) -> Text:
        """Return the words for a part of an object; halves only for tall ones."""
        text = templates.PARTS[part].render(self.random)
        while " half " in text.string and box.top - box.bottom < MIN_HALF_SIZE:
            text = templates.PARTS[part].render(self.random)
        return text

    def _pick(self, choices: Sequence[Template], **slots: Text | str) -> Text:
        return self.random.choice(choices).render(self.random, **slots)

    def _with_stop(self, text: Text) -> Text:
        return text + "."

    def opening(self, row: int, detailed: bool, after: int | None = None) -> Text:
        """Write the first sentence; if possible without mentioning the object that comes `after`."""
        opening_name = self.opening_names[row]
        assert opening_name is not None
        named_object, detail = opening_name
        additions: list[Text] = [] if detail is None else [detail]
        close = self.visible.nearest[row] < self.near and self.random.random() < OPENING_CLOSE_RATE
        if detail is None and close:
            additions = [templates.CLOSE.render(self.random)]
        elif detail is None and self.visible.nearest[row] > FAR_DISTANCE:
            additions = [templates.FAR.render(self.random)]
        elif detail is None and detailed:
            addition = self.detail(named_object, LINK_MARGIN)
            additions = [] if addition is None or self._mentions(addition, after) else [addition]
        definite = detail is not None or self.random.random() < 0.8
        description = Text.join([named_object.definite if definite else named_object.text, *additions])
        if any(text.mentions for text in additions):
            description = description.with_annotations("more than two objects")
        self._set_focus(named_object)
        table = (
            templates.OPENINGS if description.string.startswith("the ") else templates.OPENINGS + templates.PRESENTED
        )
        return self._with_stop(self._pick(table, what=description))

    def middle(self, link: ObjectLink, by_name: bool) -> Text:
        """Write a sentence that leads to the next object."""
        relation, random, target = link.relation, self.random, link.target
        uses_turn = relation in templates.TURNS and (
            target.rank > 0 or relation not in templates.RELATIONS or random.random() < TURN_RATE
        )
        assert self.focused_object is not None
        same_name = bool(match(target.phrase, self.visible)[self.focused_object.row])
        name = (
            target.definite
            if target.rank
            else target.with_article("another", "unique entity")
            if same_name
            else target.text
        )
        if not target.rank and self.visible.nearest[target.row] < self.near and random.random() < LINK_CLOSE_RATE:
            name = name + " " + templates.CLOSE.render(random)
        if target.rank:
            name = name + templates.COUNTED.render(random, anchor=self._refer_again(by_name))
        if uses_turn:
            turn_text = templates.TURNS[relation].render(random)
            while self.is_person[self.focused_object.row] and "its" in turn_text.string.split():
                turn_text = templates.TURNS[relation].render(random)
            ends_with_verb = turn_text.string.endswith(("is", "are", "see", "be", "find"))
            table = templates.FACED if relation == "across" else templates.TURNED
            text = Text.join([turn_text, name]) if ends_with_verb else self._pick(table, turn=turn_text, what=name)
        else:
            relation_text = self._relation_text(relation, self.focus, target.row)
            anchor = self._refer_again(by_name)
            if random.random() < 0.45:
                text = self._pick(
                    templates.DEFINITES,
                    relation=relation_text,
                    anchor=anchor,
                    what=target.with_article("the other") if same_name else target.definite,
                )
            else:
                text = self._pick(templates.MIDDLES, relation=relation_text, anchor=anchor, what=name)
            if random.random() < 0.08 and not text.string.startswith(("now", "then")):
                text = templates.SEQUENCED.render(random) + " " + text
        self._set_focus(target)
        return self._with_stop(text)

    def look_at(self, part: Part, by_name: bool) -> Text:
        """Write a sentence that focuses on a part of the object in focus."""
        text = self._pick(templates.FOCUSED, part=self._part_text(part, self.focus), anchor=self._refer_again(by_name))
        self.focus, self.part = self.focus.part(*part), part
        return self._with_stop(text)

    def last(self, location: TargetLocation, target: Target, by_name: bool, with_remark: bool) -> Text | None:
        """Write the sentence that locates Waldo; None if a second object of it cannot be named."""
        random = self.random
        anchor = self._refer_again(by_name) if self.part is None else self._part_pronoun(self.part)
        pieces: list[Text] = []
        other = self._other(location) if location.other is not None else None
        if location.other is not None and other is None:
            return None
        if location.surface:
            pieces.append(templates.SURFACES[location.surface].render(random))
        if location.window:
            side = templates.RELATIONS[location.moves[0][0]].render(random)
            pieces += [templates.WINDOW.render(random, nth=ordinal_word(location.window)), side, anchor]
        elif location.share is not None and other is not None:
            closer = location.share == CLOSER_SHARE
            preposition = (templates.WITHIN if closer else templates.BETWEEN).render(random)
            pieces.append(
                Text.join([preposition, anchor, Text("and"), other]).with_annotations("more than two objects")
            )
            if closer:
                assert self.focused_object is not None
                if self._is_ambiguous(self.focused_object):
                    return None
                pieces += [Text(","), templates.CLOSER.render(random), self._refer_again(True)]
        elif not location.moves:
            part = Text("the") + " " + self._part_text(location.part, location.anchor)
            simple = location.part == (0, 0) and random.random() < 0.5
            on = Text(
                random.choice(
                    ("on", "on", "right on") if simple else ("on", "at") if 0 in location.part else ("on", "in")
                )
            )
            pieces += [on, anchor] if simple else [on, part, anchor]
        else:
            pieces += [self._moves(location), *self._part(location), anchor]
        if location.level is not None and other is not None:
            assert location.other is not None
            part = Text("the") + " " + self._part_text(location.level, location.other)
            pieces += [Text(","), templates.LEVEL.render(random), part, other]
        is_floating = location.surface == "sky" and random.random() < 0.8
        plain_opener = Text("waldo is") if location.surface == "sky" else templates.WALDO.render(random)
        is_sitting = self._can_sit(location) and random.random() < SITTING_RATE
        opener = (
            templates.FLOATING.render(random)
            if is_floating
            else templates.SITTING.render(random)
            if is_sitting
            else plain_opener
        )
        text = normalize_spaces(Text.join([opener, *pieces]))
        if other is not None:
            text = text.with_annotations("more than two objects") if location.level is not None else text
        text = self._with_stop(text)
        if with_remark:
            remark = self._remark(target)
            text = text if remark is None else text + " " + remark
        return text

    def _can_sit(self, location: TargetLocation) -> bool:
        """Return whether Waldo is on the ground, or on top of an object that can bear him."""
        assert self.focused_object is not None
        on_it = not location.moves and location.share is None and not location.window and location.part[1] >= 0
        return location.surface in GROUND_SURFACES or (
            on_it and self.part is None and bool(SUPPORTS_OBJECTS[self.visible.kind[self.focused_object.row]])
        )

    def _relation_text(self, relation: Relation, box: ViewBox, row: int) -> Text:
        """Return the words for a relation; "just" and "directly" only for near objects."""
        turns, across, upwards = box_distances(self.visible, box)
        loose = np.hypot(across[row], upwards[row]) > MAX_ADJACENT_ANGLE
        if relation in ("above", "below"):
            loose |= abs(turns[row]) > MAX_ADJACENT_ANGLE
        return _without_adverb(templates.RELATIONS[relation].render(self.random), bool(loose))

    def _part_pronoun(self, part: Part) -> Text:
        noun = "corner" if all(part) else "side" if part[0] else "part"
        return Text(self.random.choice((f"that {noun}", f"this {noun}", "there", "that spot"))).with_annotations(
            "coreference"
        )

    def _moves(self, location: TargetLocation) -> Text:
        """Return "about two waldo heights above", or "just above and to the left of"."""
        parts: list[Text] = []
        for k, (side, measure) in enumerate(location.moves):
            if measure is not None:
                unit = self._unit(side, measure)
                parts.append(templates.MEASURES[measure].render(self.random, unit=unit))
            last = k == len(location.moves) - 1
            # "Just above" contains a measure already.
            relation_text = _without_adverb(templates.RELATIONS[side].render(self.random), measure is not None)
            parts.append(relation_text if last else templates.SIDES[side].render(self.random) + " and")
        return Text.join(parts)

    def _unit(self, side: Side, measure: float) -> str:
        unit = self.random.choice(templates.UNITS[side in ("above", "below")])
        return unit if measure == 1.0 else f"{unit}s"

    def _part(self, location: TargetLocation) -> list[Text]:
        if location.part == (0, 0):
            return []
        return [Text("the") + " " + self._part_text(location.part, location.anchor)]

    def _other(self, location: TargetLocation) -> Text | None:
        """Return the name of the second object of the last sentence, near the focus."""
        assert location.other is not None
        row = self.visible.find(location.other.instance)
        already_named = next((named_object for named_object in self.named if named_object.row == row), None)
        if already_named is not None:
            return already_named.with_article("the", "coreference")
        costs = relation_cost(self.visible, "near", self.focus, self.yaw)
        for k in range(MAX_NAME_TRIES):
            candidate = self.name_object(row, None if k < 2 else True)
            fits = self.fits(candidate.phrase)
            if any(fits[named_object.row] for named_object in self.named):
                continue
            match, margin = best_match([costs, self.inconspicuousness_costs], fits)
            if match == row and margin >= LINK_MARGIN:
                return candidate.definite
        return None

    def _remark(self, target: Target) -> Text | None:
        """Return a sentence on another object beside Waldo."""
        box = ViewBox.at(target.direction)
        relations: list[Relation] = ["left", "right", "above", "below"]
        self.random.shuffle(relations)
        if self.random.random() < 0.75:
            relations.insert(0, "near")
        for relation in relations:
            costs = np.where(self.references, relation_cost(self.visible, relation, box, self.yaw), np.inf)
            costs = costs + self.inconspicuousness_costs + 3.0 * self.moving
            row = int(np.argmin(costs))
            if costs[row] > 18.0 or IS_ALIVE[self.visible.kind[row]] or any(other.row == row for other in self.named):
                continue
            named_object = self.name_object(row)
            fits = self.fits(named_object.phrase)
            if best_match([costs], fits)[0] == row and not any(fits[other.row] for other in self.named):
                relation_text = self._relation_text(relation, box, row)
                return self._with_stop(self._pick(templates.REMARKS, what=named_object.text, relation=relation_text))
        return None


_ADVERBS = ("just ", "directly ", "immediately ", "right ", "straight ")


def _without_adverb(text: Text, strip: bool = True) -> Text:
    """Return a relation without its adverb, where a measure is given or the adverb would be wrong."""
    if not strip:
        return text
    for adverb in _ADVERBS:
        if text.string.startswith(adverb):
            return Text(text.string[len(adverb) :]).with_annotations(
                *dict.fromkeys(annotation.phenomenon for annotation in text.annotations)
            )
    return text
