"""Groups of objects with one name that stand together, such as "the three windows", and their members."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bearleft.language.annotated_text import Text
from bearleft.language.lexicon.lexicon import choose_name, colour_words, names_of, ordinal_word
from bearleft.language.noun_phrases import chunk, noun_phrase
from bearleft.language.referring import templates
from bearleft.language.referring.candidates import NamedObject, ObjectNamer
from bearleft.language.referring.rivals import MIN_RIVAL_SHARE, VAGUE_NOUNS, could_be_taken
from bearleft.language.referring.view import ViewBox, order_from_left, signed_turn, union_box
from bearleft.language.templates import normalize_spaces
from bearleft.language.writer_random import WriterRandom
from bearleft.world.city import palette

MAX_MEMBERS = 5
MAX_SPAN, MIN_STEP = 100.0, 5.0  # degrees of a group, and between its neighbours
MAX_TRIES = 4  # names


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


def find_group(namer: ObjectNamer, row: int) -> Group | None:
    """Return a group that an object belongs to, or None."""
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
        if not 2 <= len(rows) <= MAX_MEMBERS or not namer.references[rows].all():
            continue
        taken = could_be_taken(phrase, visible, row) & (visible.share >= MIN_RIVAL_SHARE)
        if (taken & ~fits).any() or name.singular in VAGUE_NOUNS:
            continue  # a reader would count others too
        ordered = order_from_left(visible, rows)
        headings = [float(visible.heading[other]) for other in ordered]
        steps = [signed_turn(a, b) for a, b in pairwise(headings)]
        if min(steps) < MIN_STEP or sum(steps) > MAX_SPAN:
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
