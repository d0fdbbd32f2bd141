"""Writer of referring sentences that lead the view from object to object."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from bearleft.language.annotated_text import Text
from bearleft.language.noun_phrases import chunk, match
from bearleft.language.referring import templates
from bearleft.language.referring.candidates import (
    IS_ALIVE,
    LINK_MARGIN,
    SUPPORTS_OBJECTS,
    NamedObject,
    ObjectLink,
    ObjectNamer,
    is_plural,
)
from bearleft.language.referring.groups import Group, group_detail, group_text, member_by_side, member_text
from bearleft.language.referring.supports import Spot
from bearleft.language.referring.target_location import CENTRE_PART, MIN_HALF_SIZE, Edge, Part
from bearleft.language.referring.view import Relation, ViewBox, box_distances, relation_cost, signed_turn
from bearleft.language.scene_index import SceneIndex
from bearleft.language.writer_random import WriterRandom

NEAR_DISTANCE, NEAR_DISTANCE_INDOORS = 12.0, 3.0  # metres of objects "close to you"
FAR_DISTANCE = 30.0  # metres of objects "in the distance"
MAX_GROUP_TURN = 100.0  # degrees from an object to the members of a group beside it
MAX_ADJACENT_ANGLE = 8.0  # degrees between objects "just" or "directly" beside each other
MIN_ROOM_SHARE = 4e-3  # of the sphere; objects that one can call "the bed in the room"
# What is said besides the name of an object, where it is true: weights.
ADDITIONS = {"none": 3.0, "and": 0.6, "detail": 4.0, "spot": 2.5, "close": 0.5, "far": 0.5, "room": 0.7, "group": 2.0}
# How an object is named again: weights.
ANCHORS = {"the": 6.0, "that": 1.5, "this": 1.0, "it": 2.0, "that alone": 0.5}
PERSON_PRONOUNS = {
    **dict.fromkeys(("man", "guy", "gentleman", "male", "dude", "fellow"), "him"),
    **dict.fromkeys(("woman", "lady", "female", "gal"), "her"),
}
DEFINITE_MIDDLES = ("relation find", "find", "find that is", "find beside", "look")


@dataclass(frozen=True)
class Focus:
    """A part of an object to look at, or the end of the wall above or below it."""

    box: ViewBox
    part: Part = CENTRE_PART
    named_part: str = ""
    edge: Edge = ""


# Focus, object and part in focus, group, named objects, and instances mentioned.
_State: TypeAlias = tuple[
    ViewBox, NamedObject | None, Focus | None, Group | None, tuple[NamedObject, ...], frozenset[int]
]


class SequenceWriter(ObjectNamer):
    """Writer of one sequence; it tracks the focus and the named objects as the follower does."""

    def __init__(self, scene: SceneIndex, place: int, random: WriterRandom) -> None:
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
        self.part: Focus | None = None  # of it, if in focus
        self.named: list[NamedObject] = []
        self.mentioned: set[int] = set()  # instances
        self.group: Group | None = None
        self.random.take_recorded()

    def ranked(self, write: Callable[[], Text | None]) -> Text | None:
        """Return one of several candidates for a sentence; the writer then has the state after it.

        Args:
            write: Writes a candidate, or returns None if there is none.
        """
        before = self._state()

        def candidate() -> tuple[Text | None, _State]:
            self._set_state(before)
            return write(), self._state()

        text, after = self.random.rank(candidate, lambda result: result[0].string if result[0] is not None else None)
        self._set_state(after)
        return text

    def _state(self) -> _State:
        return self.focus, self.focused_object, self.part, self.group, tuple(self.named), frozenset(self.mentioned)

    def _set_state(self, state: _State) -> None:
        self.focus, self.focused_object, self.part, self.group, named, mentioned = state
        self.named, self.mentioned = list(named), set(mentioned)

    def _set_focus(self, named_object: NamedObject) -> None:
        self.focus, self.focused_object, self.part = ViewBox.of(self.visible, named_object.row), named_object, None
        self.named.append(named_object)
        self.mentioned.add(self._instance(named_object))

    def refer_again(self, pronoun: bool = True) -> Text:
        """Return the object in focus by name or by a pronoun."""
        focused_object = self.focused_object
        assert focused_object is not None
        ambiguous = self.is_ambiguous(focused_object)
        alone = pronoun and not self.is_person[focused_object.row]
        weights = {
            "the": 0.0 if ambiguous else ANCHORS["the"],
            "that": ANCHORS["that"],
            "this": ANCHORS["this"],
            "it": ANCHORS["it"] if alone or (pronoun and self._person_pronoun()) else 0.0,
            "that alone": ANCHORS["that alone"] if alone else 0.0,
        }
        form = self.random.pick("named again", weights)
        if form in ("it", "that alone"):
            instance = int(self.visible.instance[focused_object.row])
            words = Text((self._person_pronoun() or "it") if form == "it" else "that")
            return words.with_annotations("coreference").with_mentions(instance)
        noun = focused_object.short
        if not self._is_bare_ambiguous(focused_object) and self.random.chance("bare noun", 0.5):
            noun = focused_object.bare
        instances = (mention.instance for mention in focused_object.text.mentions)
        phenomena = () if form == "the" else ("coreference",)
        return Text(f"{form} {noun}").with_annotations(*phenomena).with_mentions(*instances)

    def _person_pronoun(self) -> str:
        """Return "him" or "her" for a man or a woman in focus, "" otherwise."""
        assert self.focused_object is not None
        return PERSON_PRONOUNS.get(self.focused_object.bare.split()[-1], "")

    def member_again(self) -> Text | None:
        """Return the object in focus as one of the group that was named, "the left window", or None."""
        group, named = self.group, self.focused_object
        if group is None or named is None or named.row != group.member.row or not self.random.chance("member", 0.5):
            return None
        return member_by_side(self.random, group, self._instance(named))

    def possessed(self, part: str, anchor: Text) -> Text:
        """Return a named part of the object in focus: "the seat of the chair" or "the chair's seat"."""
        assert self.focused_object is not None
        if is_plural(anchor.string) or chunk(anchor.string, indoors=self.indoors)[0] != "@0 ":
            return Text(f"the {part} of ") + anchor
        person = bool(self.is_person[self.focused_object.row])
        if self.random.chance("possessive of a person" if person else "possessive", 0.85 if person else 0.4):
            return anchor + f"'s {part}"
        return Text(f"the {part} of ") + anchor

    def _is_bare_ambiguous(self, focused_object: NamedObject) -> bool:
        """Return whether the noun alone fits another object that was named, or is not understood."""
        string, phrases = chunk(focused_object.bare, indoors=self.indoors)
        if string != "@0 " or self.group is not None:
            return True
        fits = match(phrases[0], self.visible)
        return not fits[focused_object.row] or any(
            fits[self.visible.find(mention)] for mention in self.mentioned if mention != self._instance(focused_object)
        )

    def _instance(self, named_object: NamedObject) -> int:
        return int(self.visible.instance[named_object.row])

    def is_ambiguous(self, focused_object: NamedObject) -> bool:
        """Return whether a name matches another object that was named."""
        _, phrases = chunk(focused_object.short, indoors=self.indoors)
        fits = match(phrases[0] if phrases else focused_object.phrase, self.visible)
        members = self.group.rows if self.group is not None else ()
        return any(fits[row] for row in (*(other.row for other in self.named), *members) if row != focused_object.row)

    def part_text(self, part: Part, box: ViewBox) -> Text:
        """Return the words for a part of an object; halves only for tall ones."""
        text = templates.PARTS[part].render(self.random)
        while " half " in text.string and box.top - box.bottom < MIN_HALF_SIZE:
            text = templates.PARTS[part].render(self.random)
        return text

    def _describe(self, named_object: NamedObject, detail: Text | None, after: int | None) -> Text:
        """Return a name with what is said besides it; if possible without mentioning the object that comes `after`."""
        row, random = named_object.row, self.random
        additions: list[Text] = [] if detail is None else [detail]
        if detail is None:
            spots = self._sayable_spots(named_object)
            weights = {
                "none": ADDITIONS["none"],
                "detail": ADDITIONS["detail"],
                "spot": ADDITIONS["spot"] if spots else 0.0,
                "close": ADDITIONS["close"] if self.visible.nearest[row] < self.near else 0.0,
                "far": ADDITIONS["far"] if self.visible.nearest[row] > FAR_DISTANCE else 0.0,
                "and": ADDITIONS["and"],
                "room": ADDITIONS["room"] if self.indoors and self.visible.share[row] > MIN_ROOM_SHARE else 0.0,
                "group": ADDITIONS["group"],
            }
            addition = random.pick("addition indoors" if self.indoors else "addition outdoors", weights)
            if addition == "detail":
                found = self.detail(named_object, LINK_MARGIN)
                additions = [] if found is None or self._mentions(found, after) else [found]
            elif addition == "spot":
                additions = [templates.SPOTS[random.choice(spots[:2])].render(random)]
            elif addition == "and":
                additions = self._beside(named_object, after)
            elif addition == "group":
                beside = group_detail(self, named_object)
                additions = [] if beside is None or self._mentions(beside, after) else [beside]
            elif addition == "close":
                additions = [templates.CLOSE.render(random)]
            elif addition == "far":
                additions = [templates.FAR.render(random)]
            elif addition == "room":
                additions = [templates.IN_ROOM.render(random)]
        spots = self._sayable_spots(named_object)
        if spots and additions and additions[0].mentions and random.chance("spot before a detail", 0.25):
            additions.insert(0, templates.SPOTS[spots[0]].render(random))
        definite = detail is not None or random.chance("opening is definite", 0.93)
        description = Text.join([named_object.definite if definite else named_object.text, *additions])
        if any(text.mentions for text in additions):
            description = description.with_annotations("more than two objects")
        return description

    def _beside(self, named_object: NamedObject, after: int | None) -> list[Text]:
        """Return "and the lamp" for a unique object right beside another, or nothing."""
        costs = relation_cost(self.visible, "near", ViewBox.of(self.visible, named_object.row), self.yaw)
        costs = np.where(self.references & ~IS_ALIVE[self.visible.kind], costs, np.inf) + self.inconspicuousness_costs
        row = int(np.argmin(costs))
        if costs[row] > MAX_ADJACENT_ANGLE or row == after:
            return []
        second = self.name_object(row)
        if not self.is_unique(second) or self.fits(named_object.phrase)[row]:
            return []
        return [Text("and"), second.with_article("the", "unique entity")]

    def _sayable_spots(self, named_object: NamedObject) -> list[Spot]:
        """Return spots of an object that its name does not contain: no "ceiling lamp on the ceiling"."""
        return [spot for spot in self.spots_of(named_object.row) if spot not in named_object.noun.split()]

    def opening(self, row: int, after: int | None = None, first: bool = True) -> Text:
        """Write a sentence that names an object by itself: the first, or a later one."""
        opening_name = self.opening_names[row]
        assert opening_name is not None
        named_object, detail = opening_name
        description = self._describe(named_object, detail, after)
        self.mentioned |= {mention.instance for mention in description.mentions}
        self._set_focus(named_object)
        definite = description.string.startswith("the ")
        if not definite and first and self.random.chance("appearing", 0.3):
            return templates.APPEARING.render(self.random, what=description) + "."
        if not definite and first and self.random.chance("presented", 0.6):
            template = templates.PRESENTED if self.indoors else templates.PRESENTED_OUTDOORS
            if " room" in description.string:
                template = templates.PRESENTED_OUTDOORS
            return template.render(self.random, what=description) + "."
        return (templates.OPENING if first else templates.AGAIN).render(self.random, what=description) + "."

    def group_opening(self, group: Group, first: bool = True) -> Text:
        """Write a sentence that names a group."""
        random = self.random
        instances = [int(self.visible.instance[row]) for row in group.rows]
        focus, self.group, self.focus = self.focus, group, group.box
        if random.chance("there are", 0.6):
            text = Text(group.plural).with_annotations("count", "unique entity").with_mentions(*instances)
            side = "" if first else self._side_of_group(focus, group)
            if side:
                relation = templates.RELATIONS["left" if side == "left" else "right"].render(random)
                anchor = self.refer_again()
                return templates.ARE.render(random, relation=without_adverb(relation), anchor=anchor, what=text) + "."
            return templates.THERE_ARE.render(random, what=text) + "."
        template = templates.OPENING if first else templates.AGAIN
        return template.render(random, what=group_text(random, group, instances)) + "."

    def _side_of_group(self, focus: ViewBox, group: Group) -> str:
        """Return the side of a box that a whole group is on, "" for neither."""
        turns = [signed_turn(focus.heading, float(self.visible.heading[row])) for row in group.rows]
        edge = max(focus.width / 2, 3.0)
        if all(edge < turn < MAX_GROUP_TURN for turn in turns):
            return "right"
        return "left" if all(-MAX_GROUP_TURN < turn < -edge for turn in turns) else ""

    def group_member(self, group: Group) -> Text:
        """Write a sentence that leads from a group to one of it."""
        text = member_text(self.random, group, int(self.visible.instance[group.member.row]))
        self._set_focus(group.member)
        return templates.MEMBER.render(self.random, what=text) + "."

    def middle(self, link: ObjectLink) -> Text:
        """Write a sentence that leads to the next object."""
        relation, random, target = link.relation, self.random, link.target
        random.recorded += link.recorded
        assert self.focused_object is not None
        same_name = bool(match(target.phrase, self.visible)[self.focused_object.row])
        article = "another" if same_name else ""
        indefinite = target.with_article(article, "unique entity") if article else target.text
        definite = target.with_article("the other") if same_name and not target.rank else target.definite
        uses_turn = relation in templates.TURNS and (
            target.rank > 0
            or relation not in templates.RELATIONS
            or random.chance("turn up or down" if relation in ("above", "below") else "turn", 0.4)
        )
        if uses_turn:
            text = self._turned(relation, target, indefinite, definite)
        else:
            form = self._middle_form(relation, same_name)
            template = templates.MIDDLES[form]
            name = definite if form in DEFINITE_MIDDLES else indefinite
            spots = self._sayable_spots(target)
            says_spot = form in ("find", "there is") and spots and relation in ("left", "right") and not same_name
            if says_spot and random.chance("spot of the next object", 0.15):
                name = name + " " + templates.SPOTS[spots[0]].render(random)
            slots: dict[str, Text | str] = {"a": name, "the": name}
            if form == "find beside":
                slots["side"] = relation
            else:
                slots["relation"] = self._relation_text(relation, self.focus, target.row)
                slots["anchor"] = self.refer_again()
            text = template.render(random, **slots)
        self._set_focus(target)
        return text + "."

    def _middle_form(self, relation: Relation, same_name: bool) -> str:
        """Return the name of one of `MIDDLES` that suits a relation: nobody looks "close to the door"."""
        weights = {
            name: float(
                not ("look" in name and relation in ("near", "on"))
                and not (name == "find beside" and (relation not in ("left", "right") or same_name))
            )
            for name in templates.MIDDLES
        }
        return self.random.pick("middle form", weights)

    def _turned(self, relation: Relation, target: NamedObject, indefinite: Text, definite: Text) -> Text:
        """Return a sentence that turns the view to the next object."""
        random = self.random
        assert self.focused_object is not None
        turn_text = templates.TURNS[relation].render(random)
        while self.is_person[self.focused_object.row] and "its" in turn_text.string.split():
            turn_text = templates.TURNS[relation].render(random)
        name = indefinite
        if target.rank:
            name = definite + templates.COUNTED.render(random, anchor=self.refer_again())
        if turn_text.string.endswith(("is", "are", "see", "be", "find", "'s")):
            return Text.join([turn_text, name])
        if not target.rank and random.chance("turned to the definite", 0.7):
            name = definite
        template = templates.FACED if relation == "across" else templates.TURNED
        return template.render(random, turn=turn_text, what=name)

    def look_at(self, focus: Focus) -> Text:
        """Write a sentence that focuses on a part of the object in focus, or on the end of the wall above or below."""
        random = self.random
        if focus.edge:
            text = templates.FOLLOWED[focus.edge].render(random, anchor=self.refer_again())
        elif focus.named_part:
            possessed = self.possessed(focus.named_part, self.refer_again(pronoun=False))
            text = templates.FOCUSED_PART.render(random, part=possessed)
        else:
            part_text = self.part_text(focus.part, self.focus)
            anchor = self.member_again() or self.refer_again()
            text = templates.FOCUSED.render(random, part=part_text, anchor=anchor)
        self.focus, self.part = focus.box, focus
        return text + "."

    def _relation_text(self, relation: Relation, box: ViewBox, row: int) -> Text:
        """Return the words for a relation; "just" and "directly" only for near objects."""
        if relation == "on":
            bears = SUPPORTS_OBJECTS[self.visible.kind[self.visible.find(box.instance)]]
            return templates.ON.render(self.random) if bears else Text("on")
        turns, across, upwards = box_distances(self.visible, box)
        loose = np.hypot(across[row], upwards[row]) > MAX_ADJACENT_ANGLE
        if relation in ("above", "below"):
            loose |= abs(turns[row]) > MAX_ADJACENT_ANGLE
        return without_adverb(templates.RELATIONS[relation].render(self.random), bool(loose))


_ADVERBS = ("just ", "directly ", "immediately ", "right ", "straight ")


def without_adverb(text: Text, strip: bool = True) -> Text:
    """Return a relation without its adverb, where a measure is given or the adverb would be wrong."""
    if not strip:
        return text
    for adverb in _ADVERBS:
        if text.string.startswith(adverb) and not text.string.startswith("right of"):
            return Text(text.string[len(adverb) :]).with_annotations(
                *dict.fromkeys(annotation.phenomenon for annotation in text.annotations)
            )
    return text
