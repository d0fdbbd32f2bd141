"""References that readers of text and picture find: nothing else that they could take for a named object.

The check is independent of the writer: it reads the final strings, and its classes and colours are coarser groups.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest

from bearleft.geometry import angle_between, turn
from bearleft.language.noun_phrases import Phrase, chunk
from bearleft.language.phrases import GROUP_NOUNS, NARROWING_ADJECTIVES
from bearleft.language.referring.parse import tokenize_sentence
from bearleft.language.referring.rivals import ALIKE, VAGUE_NOUNS, alike_colours, could_be_taken
from bearleft.language.referring.target_location import Feet, TargetLocation, is_at_object, measure_degrees
from bearleft.language.referring.view import ViewBox, clamped_direction, offset_from_box
from bearleft.language.referring.write import Sentence
from bearleft.language.scene_index import SceneIndex, VisibleObjects
from bearleft.world.city import palette
from bearleft.world.city.catalog import CLASSES
from bearleft.world.targets import Target
from tests.language.referring import refer_scene, test_round_trip
from tests.sizes import sized

# Last words of classes that a reader may call by one noun.
NOUNS = {
    "table": ("table", "desk", "nightstand"),
    "lamp": ("ceiling lamp", "pendant lamp", "chandelier", "spotlight"),
    "cupboard": ("cabinet", "dresser", "wardrobe", "tv stand"),
    "seat": ("armchair", "office chair", "chair", "high chair"),
    "screen": ("television", "display screen", "computer monitor"),
    "plant": ("bush", "hedge", "planter", "potted plant"),
    "car": ("car", "taxi", "police car", "van"),
    "building": ("building",),
}
# Colours that are called alike, or look alike in light and shade.
COLOURS = (
    ("white", "cream", "limestone"),
    ("silver", "grey", "concrete", "steel"),
    ("grey", "dark grey"),
    ("black", "dark grey", "rubber"),
    ("teal", "green"),
    ("teal", "blue"),
    ("blue", "navy"),
    ("green", "dark green"),
    ("red", "maroon", "brick"),
    ("brown", "bark", "brick"),
    ("tan", "beige", "sandstone"),
    ("yellow", "gold"),
)
ALONE = re.compile(
    "(find|look for|look at|locate|face|notice|focus on|search for|go to|see|spot|now find|now look at) (the .*)[.]"
)


def sequences() -> Iterator[tuple[SceneIndex, Target, tuple[Sentence, ...]]]:
    for target, sentences in refer_scene.targets_and_sequences():
        if sentences is not None:
            yield refer_scene.scene(), target, sentences
    for target, sentences in test_round_trip.targets_and_sequences():
        yield test_round_trip.scene(), target, sentences


def same_noun(phrase: Phrase, visible: VisibleObjects, own: int, other: int) -> bool:
    """Return whether a reader may call two objects by one noun."""
    assert phrase.table is not None
    if phrase.table[visible.kind[other], visible.variant[other]]:
        return True
    if NARROWING_ADJECTIVES & set(phrase.words.split()) or {"glass", "brick"} & set(phrase.words.split()):
        return False
    names = CLASSES[int(visible.kind[own])].name, CLASSES[int(visible.kind[other])].name
    return any(set(names) <= set(group) for group in NOUNS.values())


def same_colour(phrase: Phrase, visible: VisibleObjects, own: int, other: int) -> bool:
    """Return whether the colour that is said, if any, may be that of another object."""
    if phrase.colours is None or visible.colour[other] == visible.colour[own]:
        return True
    names = {palette.COLOUR_NAMES[int(visible.colour[row])] for row in (own, other) if visible.colour[row] >= 0}
    return len(names) == 2 and any(names <= set(group) for group in COLOURS)


def readers_choice(phrase: Phrase, visible: VisibleObjects, own: int) -> list[int]:
    """Return the other objects, neither tiny nor much smaller, that a reader may take for the named one."""
    return [
        other
        for other in range(len(visible))
        if other != own
        and visible.share[other] > max(3e-4, visible.share[own] / 6)
        and same_noun(phrase, visible, own, other)
        and same_colour(phrase, visible, own, other)
    ]


def test_objects_named_alone_are_alone_in_the_view() -> None:
    named = ambiguous = 0
    for scene, target, sentences in sequences():
        visible = scene.at(target.place)
        for sentence in sentences[:-1]:
            matched = ALONE.fullmatch(sentence.text.string.lower())
            if matched is None:
                continue
            string, phrases = chunk(matched[2], indoors=scene.plan.indoors)
            if string != "@0 " or phrases[0].number > 1 or phrases[0].features or "side" in matched[2]:
                continue
            if GROUP_NOUNS & set(matched[2].split()):
                continue  # "the pair of doorways"
            own = visible.find(sentence.text.mentions[0].instance)
            if phrases[0].letterings is not None and visible.share[own] > 4e-3:
                continue  # a shop whose name can be read
            named += 1
            ambiguous += bool(readers_choice(phrases[0], visible, own))
    assert named > sized(15, 25) and ambiguous <= 0.02 * named


def side_of(visible: VisibleObjects, anchor: int, row: int) -> tuple[str, float]:
    """Return on which side of an object another is, and the degrees between them."""
    across = float(turn(visible.heading[anchor], visible.heading[row]))
    apart = max(abs(across) - (visible.width[anchor] + visible.width[row]) / 2, 0.0)
    return ("right" if across > 0 else "left"), apart


def test_nothing_alike_is_nearer_on_the_same_side() -> None:
    """ "To the left of the bed is a lamp" means no lamp if another one is nearer to the bed on that side."""
    linked = ambiguous = 0
    for scene, target, sentences in sequences():
        visible = scene.at(target.place)
        for sentence in sentences[:-1]:
            tokens = list(tokenize_sentence(sentence.text.string, scene.plan.indoors))
            letters = "".join(token.letter for token in tokens)
            if letters not in ("RTT.", "TRT.") or len(sentence.text.mentions) != 2:
                continue
            side = next(token.value for token in tokens if token.letter == "R")
            named, reference = (2, 1) if letters == "RTT." else (0, 2)
            rows = [visible.find(mention.instance) for mention in sentence.text.mentions]
            own, anchor = (rows[1], rows[0]) if named else (rows[0], rows[1])
            phrase = tokens[named].phrase
            if side not in ("left", "right") or phrase is None or phrase.pronoun or phrase.features:
                continue
            if reference != 1 and letters == "TRT." and sentence is sentences[0]:
                continue  # a detail, whose reference may be indefinite
            own_side, own_apart = side_of(visible, anchor, own)
            rivals = [row for row in readers_choice(phrase, visible, own) if row != anchor]
            sides = [side_of(visible, anchor, row) for row in rivals]
            linked += 1
            level = visible.pitch[own]
            ambiguous += any(
                rival_side == own_side and apart + 0.5 < own_apart and abs(visible.pitch[row] - level) < 8.0
                for row, (rival_side, apart) in zip(rivals, sides, strict=True)
            )
    assert linked > 20 and ambiguous <= 0.05 * linked


def test_vague_nouns_are_not_said() -> None:
    for _, _, sentences in sequences():
        for sentence in sentences:
            for mention in sentence.text.mentions:
                words = sentence.text.string[mention.begin : mention.end].lower()
                assert not re.search(r"\b(structure|edifice|signage|fixture|construction (zone|site))$", words) or (
                    re.search(r"light(ing)? fixture$", words)
                ), sentence.text.string
    assert "structure" in VAGUE_NOUNS


def last_sentences(pattern: str) -> Iterator[tuple[SceneIndex, Target, dict[str, Any], int]]:
    """Yield last sentences whose tokens match a pattern: scene, target, values by letter, and row of the object."""
    for scene, target, sentences in sequences():
        tokens = list(tokenize_sentence(sentences[-1].text.string, scene.plan.indoors))
        letters = "".join(token.letter for token in tokens)
        if re.fullmatch(pattern, letters) and sentences[-1].text.mentions:
            row = scene.at(target.place).find(sentences[-1].text.mentions[0].instance)
            yield scene, target, {token.letter: token.value for token in tokens}, row


def test_parts_of_objects_are_there() -> None:
    """The left end of a bar is where the bar is, not where its box is."""
    parts = 0
    for scene, target, values, row in last_sentences("WO?PT[.]"):
        parts += 1
        box = ViewBox.of(scene.at(target.place), row)
        assert is_at_object(TargetLocation(box, values["P"]), scene, target.place)
    assert parts > 5


@pytest.mark.parametrize("factor", [0.5, 1.5])
def test_feet_may_be_misjudged(factor: float) -> None:
    """Distances in feet are said only where a reader who is wrong by half still finds the target."""
    feet = 0
    for scene, target, values, row in last_sentences("WS?QRT[.]"):
        measure, side = values["Q"], values["R"]
        if not isinstance(measure, Feet) or row < 0 or side not in ("left", "right", "above", "below"):
            continue
        box = ViewBox.of(scene.at(target.place), row)
        feet += 1
        degrees = factor * measure_degrees(measure, side, box.distance)
        heading, pitch = offset_from_box(box, side, degrees)
        assert angle_between(clamped_direction(heading, pitch), target.direction) < 14.0
    assert feet or factor > 1


def test_alike_colours_share_words_or_look_alike() -> None:
    def alike(first: str, second: str) -> bool:
        return palette.colour_index(second) in alike_colours(palette.colour_index(first))

    for group in COLOURS:
        for first in group:
            assert all(alike(first, second) for second in group), group
    assert not alike("red", "blue") and not alike("white", "black") and not alike("yellow", "green")
    assert not alike_colours(-1)


def test_teal_cars_may_be_taken_for_green_ones() -> None:
    found = False
    for place in range(len(refer_scene.scene().city.graph)):
        visible = refer_scene.scene().at(place)
        cars = [row for row in range(len(visible)) if CLASSES[int(visible.kind[row])].name == "car"]
        greens = [row for row in cars if visible.colour[row] == palette.colour_index("green")]
        teals = [row for row in cars if visible.colour[row] == palette.colour_index("teal")]
        reds = [row for row in cars if visible.colour[row] == palette.colour_index("red")]
        _, (phrase,) = chunk("the green car")
        for row in greens:
            taken = could_be_taken(phrase, visible, row)
            assert taken[row] and taken[teals].all() and not taken[reds].any()
            found |= bool(teals)
    assert found


def test_alike_classes_exist() -> None:
    assert set(chain(*ALIKE)) <= {object_class.name for object_class in CLASSES}
