"""Groups of objects with one name that stand together, such as "the three windows", and their members."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bearleft.language.annotated_text import Text
from bearleft.language.lexicon.lexicon import choose_name, colour_words, names_of, ordinal_word
from bearleft.language.noun_phrases import VAGUE_ADJECTIVES, Flags, chunk, noun_phrase
from bearleft.language.referring import templates
from bearleft.language.referring.candidates import IS_ALIVE, NamedObject, ObjectNamer
from bearleft.language.referring.rivals import MIN_RIVAL_SHARE, VAGUE_NOUNS, could_be_taken
from bearleft.language.referring.view import (
    INVERSE,
    Relation,
    ViewBox,
    order_from_left,
    relation_cost,
    signed_turn,
    union_box,
)
from bearleft.language.templates import normalize_spaces
from bearleft.language.writer_random import WriterRandom
from bearleft.world.city import palette

MAX_MEMBERS = 5
MAX_SPAN, MIN_STEP = 100.0, 5.0  # degrees of a group, and between its neighbours
MAX_TRIES = 4  # names
# Groups that an object is beside: members, degrees between neighbours, and costs of the relation for the nearest member
# and for all of them.
MAX_DETAIL_MEMBERS, MIN_DETAIL_STEP = 6, 1.5
MAX_GROUP_COST, MAX_MEMBER_COST = 16.0, 60.0
MAX_NEAR_OBJECTS = 4
MAX_NEAR_COST = 30.0  # of the relation, for some objects that are not all of their name
WHOLE_GROUP_RATE = 0.5  # how often all objects of a name are said rather than those nearby
COLOUR_RATE = 0.3


@dataclass(frozen=True)
class Group:
    """All noticeable objects of a name, from left to right, and the member that is meant."""

    rows: tuple[int, ...]
    plural: str  # the name with a number: "two red chairs"
    member: NamedObject
    box: ViewBox

    @property
    def position(self) -> int:
        """Index of the member from the left."""
        return self.rows.index(self.member.row)


def find_group(
    namer: ObjectNamer, row: int, max_members: int = MAX_MEMBERS, min_step: float = MIN_STEP
) -> Group | None:
    """Return a group that an object belongs to, or None.

    Args:
        namer: Names the objects of the view.
        row: The object.
        max_members: Greatest number of objects.
        min_step: Least degrees between neighbours.
    """
    random, scene, visible = namer.random, namer.scene, namer.visible
    instance = int(visible.instance[row])
    kind, variant, colour = int(visible.kind[row]), int(visible.variant[row]), int(visible.colour[row])
    colours = colour_words(palette.COLOUR_NAMES[colour]) if colour >= 0 else ()
    for k in range(MAX_TRIES):
        name = choose_name(random, names_of(kind, variant, scene.plan.indoors))
        colour_word = colours[0] if colours and k % 2 else ""
        if name.mass:
            continue
        text, phrase = noun_phrase(name, instance, "a", colour_word)
        fits = namer.fits(phrase)
        rows = [int(other) for other in np.flatnonzero(fits)]
        if not 2 <= len(rows) <= max_members or not namer.references[rows].all():
            continue
        taken = could_be_taken(phrase, visible, row) & (visible.share >= MIN_RIVAL_SHARE)
        if (taken & ~fits).any() or name.singular in VAGUE_NOUNS:
            continue  # a reader would count others too
        ordered = order_from_left(visible, rows)
        headings = [float(visible.heading[other]) for other in ordered]
        steps = [signed_turn(a, b) for a, b in pairwise(headings)]
        if min(steps) < min_step or sum(steps) > MAX_SPAN:
            continue
        plural, _ = noun_phrase(name, instance, "a", colour_word, len(rows))
        _, phrases = chunk(plural.string, indoors=scene.plan.indoors)
        if len(phrases) != 1 or (namer.fits(phrases[0]) != fits).any():
            continue  # "flyers" may also mean a rack of them
        box = union_box([ViewBox.of(visible, other) for other in ordered])
        return Group(tuple(ordered), plural.string, NamedObject(row, text, phrase), box)
    return None


def group_text(random: WriterRandom, group: Group, visible_instances: list[int]) -> Text:
    """Return "the two chairs", "the row of chairs" or "two chairs"."""
    number, _, noun = group.plural.partition(" ")
    forms = {"number": 4.0, "pair": 1.0 if number == "two" else 0.0, "row": 1.0 if len(group.rows) > 2 else 0.0}
    form = random.pick("group form", forms)
    if form == "number":
        text = Text(f"the {number} {noun}").with_annotations("count")
    else:
        words = (templates.PAIR if form == "pair" else templates.GROUPS).render(random)
        text = Text("the") + " " + words + f" {noun}"
    return text.with_annotations("unique entity").with_mentions(*visible_instances)


def member_text(random: WriterRandom, group: Group, instance: int) -> Text:
    """Return "the one on the left", "the left chair" or "the second chair from the left"."""
    last, position = len(group.rows) - 1, group.position
    side = "left" if position == 0 else "right" if position == last else ""
    if not side and last == 2:
        side = "middle"
    noun = group.member.noun
    if not side:
        from_left = position <= last // 2
        number = position + 1 if from_left else last - position + 1
        words = templates.FROM_SIDES["left" if from_left else "right"].render(random)
        text = Text(f"the {ordinal_word(number)} {noun}").with_annotations("count") + " " + words
    elif random.chance("the one of a group", 0.6):
        text = templates.MEMBERS[side].render(random)
        if text.string.endswith(" one"):
            text = normalize_spaces(Text.join([text, templates.OF_GROUP.render(random)]))
    else:
        text = templates.MEMBER_SIDES[side].render(random) + f" {noun}"
    return text.with_annotations("coreference").with_mentions(instance)


def member_by_side(random: WriterRandom, group: Group, instance: int) -> Text | None:
    """Return "the left chair" for the member that is meant; None if it is neither at an end nor the middle of three."""
    last, position = len(group.rows) - 1, group.position
    side = "left" if position == 0 else "right" if position == last else "middle" if last == 2 else ""
    if not side:
        return None
    text = templates.MEMBER_SIDES[side].render(random) + f" {group.member.bare}"
    return text.with_annotations("coreference").with_mentions(instance)


def relation_to_group(
    namer: ObjectNamer, box: ViewBox, relations: Sequence[Relation], avoid: Collection[int] = ()
) -> tuple[Relation, Text, tuple[int, ...]] | None:
    """Return a group beside a box: the relation of the group to it, its name, and the instances; None if none is near.

    Args:
        namer: Names the objects of the view.
        box: The box.
        relations: Relations to try, in this order.
        avoid: Rows that the group must not contain.
    """
    visible, random = namer.visible, namer.random
    suits = namer.references & ~IS_ALIVE[visible.kind] & ~namer.moving
    for relation in relations:
        costs = np.where(suits, relation_cost(visible, relation, box, namer.yaw), np.inf)
        costs = costs + namer.inconspicuousness_costs
        for row in np.argsort(costs, kind="stable")[:MAX_NEAR_OBJECTS]:
            if costs[row] > MAX_GROUP_COST:
                break
            found = _group_beside(namer, int(row)) if random.random() < WHOLE_GROUP_RATE else None
            members = found.rows if found is not None else ()
            # All of the group must be there.
            of_relation = relation_cost(visible, relation, box, namer.yaw)
            if found is None or not (of_relation[list(members)] < MAX_MEMBER_COST).all():
                near = (of_relation < MAX_NEAR_COST) & suits
                found, members = None, _some_beside(namer, int(row), near)
            if not members or any(visible.instance[other] == box.instance or other in avoid for other in members):
                continue
            instances = tuple(int(visible.instance[other]) for other in members)
            if found is not None:
                return relation, group_text(random, found, list(instances)), instances
            name = _plural_beside(namer, int(row))
            quantifier = templates.QUANTIFIERS[min(len(members), max(templates.QUANTIFIERS))].render(random)
            return relation, Text(f"{quantifier.string} {name}").with_mentions(*instances), instances
    return None


def _group_beside(namer: ObjectNamer, row: int) -> Group | None:
    """Return a group to locate others by; it is found once for each object."""
    if row not in namer.groups:
        namer.groups[row] = find_group(namer, row, MAX_DETAIL_MEMBERS, MIN_DETAIL_STEP)
    return namer.groups[row]


def _some_beside(namer: ObjectNamer, row: int, near: Flags) -> tuple[int, ...]:
    """Return the objects near a box that a plural means; none if it may mean others there, or fewer than two."""
    plural = _plural_beside(namer, row)
    if not plural:
        return ()
    _, phrases = chunk(plural, indoors=namer.indoors)
    fits = namer.fits(phrases[0]) & near
    taken = could_be_taken(phrases[0], namer.visible, row) & (namer.visible.share >= MIN_RIVAL_SHARE) & near
    rows = tuple(int(other) for other in np.flatnonzero(fits))
    return rows if len(rows) > 1 and row in rows and not (taken & ~fits).any() else ()


def _plural_beside(namer: ObjectNamer, row: int) -> str:
    """Return a plural for an object and others like it, "" for none; it is chosen once for each object."""
    if row not in namer.plurals:
        visible, random = namer.visible, namer.random
        kind, variant, colour = int(visible.kind[row]), int(visible.variant[row]), int(visible.colour[row])
        name = choose_name(random, names_of(kind, variant, namer.indoors))
        colours = colour_words(palette.COLOUR_NAMES[colour]) if colour >= 0 else ()
        says_colour = bool(colours) and name.plural.split()[0] not in VAGUE_ADJECTIVES
        words = f"{colours[0]} {name.plural}" if says_colour and random.random() < COLOUR_RATE else name.plural
        understood = chunk(words, indoors=namer.indoors)[0] == "@0 "
        namer.plurals[row] = words if understood and not name.mass and name.singular not in VAGUE_NOUNS else ""
    return namer.plurals[row]


def group_detail(namer: ObjectNamer, named: NamedObject) -> Text | None:
    """Return where a unique object is relative to a group: "between the two windows", or None."""
    random, visible = namer.random, namer.visible
    box = ViewBox.of(visible, named.row)
    relations: list[Relation] = ["near", "left", "right", "above", "below"]
    random.shuffle(relations)
    fits = namer.fits(named.phrase)
    found = relation_to_group(namer, box, relations, {int(row) for row in np.flatnonzero(fits)})
    if found is None:
        return None
    relation, text, _ = found
    if relation != "near" and not namer.is_person[named.row] and random.chance("with a group", 0.5):
        string = text.string.removeprefix("the ")
        if string.split()[0] in ("pair", "row", "set", "group", "line", "bunch"):
            string = f"a {string}"
        with_group = Text(string).with_annotations("unique entity").with_mentions(*found[2])
        beside = templates.RELATIONS[relation].render(random)
        return Text.join(
            [templates.WITH.render(random), with_group, beside, Text("it").with_annotations("coreference")]
        )
    return Text.join([templates.RELATIONS[INVERSE[relation]].render(random), text])
