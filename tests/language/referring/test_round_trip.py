"""Properties that texts in rooms need in order not to confuse readers."""

from __future__ import annotations

import re
import tempfile
from functools import cache
from random import Random

import numpy as np

from bearleft.geometry import turn
from bearleft.language.lexicon.object_colours import main_colour
from bearleft.language.lexicon.room_names import ROOM_NAMES
from bearleft.language.noun_phrases import match
from bearleft.language.phrases import bare_noun
from bearleft.language.referring import templates
from bearleft.language.referring.parse import tokenize_sentence
from bearleft.language.referring.sequence_writer import SequenceWriter
from bearleft.language.referring.view import SURFACES, ViewBox, relation_cost
from bearleft.language.referring.write import Sentence, write_sequence
from bearleft.language.scene_index import SceneIndex, VisibleObjects
from bearleft.language.writer_random import WriterRandom
from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.city import open_city
from bearleft.world.city.palette import colour_index
from bearleft.world.targets import Target, random_targets
from bearleft.world.visibility.table import visibility_table

ROOMS = 12
SEAT_CLASSES = (
    "sofa",
    "armchair",
    "chair",
    "stool",
    "seat",
    "ottoman",
    "bed",
    "table",
    "desk",
    "counter",
    "bench",
    "box",
    "pedestal",
    "rug",
)


@cache
def scene() -> SceneIndex:
    city = open_city(f"rooms/6/{ROOMS}")
    with tempfile.TemporaryDirectory() as folder:
        scene_index = SceneIndex(city, visibility_table(city, folder, 512))
        for place in range(ROOMS):
            scene_index.at(place)
    return scene_index


@cache
def targets_and_sequences() -> tuple[tuple[Target, tuple[Sentence, ...]], ...]:
    scene_index = scene()
    pairs = [
        (target, write_sequence(scene_index, target, 3, k))
        for k, target in enumerate(random_targets(scene_index.city, np.repeat(np.arange(ROOMS), 7), 3))
    ]
    described = tuple((target, tuple(sentences)) for target, sentences in pairs if sentences is not None)
    assert len(described) > 0.9 * len(pairs)
    return described


def sequence_texts() -> list[str]:
    return [
        " ".join(sentence.text.string.lower() for sentence in sentences) for _, sentences in targets_and_sequences()
    ]


def mentions(sentences: tuple[Sentence, ...]) -> list[tuple[int, str, str]]:
    """Return instance, words and preceding text of every mention."""
    return [
        (
            mention.instance,
            sentence.text.string[mention.begin : mention.end].lower(),
            sentence.text.string[: mention.begin].lower(),
        )
        for sentence in sentences
        for mention in sentence.text.mentions
    ]


def box_gap(visible: VisibleObjects, first: int, second: int) -> float:
    """Return the degrees between two boxes."""
    difference = abs(
        float(turn(visible.left[first] + visible.width[first] / 2, visible.left[second] + visible.width[second] / 2))
    )
    across = max(difference - (visible.width[first] + visible.width[second]) / 2, 0.0)
    up = max(visible.bottom[first] - visible.top[second], visible.bottom[second] - visible.top[first], 0.0)
    return float(np.hypot(across, up))


def test_between_and_closer_are_consistent() -> None:
    within = {templates.WITHIN.render(Random(k)).string for k in range(200)}
    closer = {templates.CLOSER.render(Random(k)).string for k in range(200)}
    for text in [
        *(f"{words} the lamp and the bed, {near}" for words in within for near in closer),
        *(text for text in sequence_texts() if re.search(r"\b(closer|nearer) to\b", text)),
    ]:
        assert not re.search(r"(middle|halfway|midway|right) between", text) and " but " not in text, text


def test_names_describe_visible_properties() -> None:
    names = {name.singular for name in ROOM_NAMES}
    assert not [name for name in names if "leather" in name or "cuckoo" in name]
    rug = class_index("rug")
    for variant in range(len(CLASSES[rug].variants)):
        assert main_colour(rug, variant, colour_index("red"), colour_index("cream")) == -1
    for name in ("dresser", "wardrobe"):
        assert main_colour(class_index(name), 1, colour_index("brown"), colour_index("brown")) == colour_index("brown")


def test_near_is_unambiguous() -> None:
    count = 0
    for target, sentences in targets_and_sequences():
        visible = scene().at(target.place)
        tokens = [token for token in tokenize_sentence(sentences[0].text.string, True) if token.letter in "TRI"]
        if "".join(token.letter for token in tokens) != "TRT" or tokens[1].value != "near":
            continue
        phrase, reference = tokens[0].phrase, tokens[2].phrase
        assert phrase is not None and reference is not None
        own_row = visible.find(sentences[0].text.mentions[0].instance)
        is_visible = visible.share >= 1.5e-4
        others = [row for row in np.flatnonzero(match(phrase, visible) & is_visible) if row != own_row]
        rivals = [
            row
            for row in others
            for reference_row in np.flatnonzero(match(reference, visible) & is_visible)
            if reference_row != row and box_gap(visible, int(row), int(reference_row)) < 6.0
        ]
        count += 1
        assert not rivals, sentences[0].text.string
    assert count >= 5


def test_mentioned_objects_are_visible() -> None:
    for target, sentences in targets_and_sequences():
        visible = scene().at(target.place)
        for instance, text, _ in mentions(sentences):
            row = visible.find(instance)
            assert visible.share[row] >= 4e-4 and visible.top[row] - visible.bottom[row] >= 3.0, text
            assert visible.hidden[row] < 0.6, text


def test_only_tall_objects_have_halves() -> None:
    def words_of(height: float, number: int) -> str:
        writer = SequenceWriter(scene(), 0, WriterRandom(f"halves {number}"))
        return writer.part_text((0, 1), ViewBox(0.0, 0.0, 0.0, 20.0, 0.0, height)).string

    assert not any("half" in words_of(13.9, k) for k in range(100))
    assert any("half" in words_of(14.0, k) for k in range(100))
    for target, sentences in targets_and_sequences():
        visible = scene().at(target.place)
        for instance, text, before in mentions(sentences):
            if before.endswith("half of "):
                row = visible.find(instance)
                assert visible.top[row] - visible.bottom[row] >= 14.0, text


def test_that_one_is_unambiguous() -> None:
    assert all(text.count("that one") <= 1 for text in sequence_texts())
    for _, sentences in targets_and_sequences():
        if len(sentences) > 2 and re.search(
            r"(look at|focus|notice|note|find|locate)\b.* the (\S+ )+of [^.]*[.]$", sentences[-2].text.string.lower()
        ):
            part = not re.search(
                r"to the (left|right) of|in (back|front) of|in the (middle|center|corner) of", sentences[-2].text.string
            )
            assert not (part and re.search(r"\b(of|above|below|from) it[.]", sentences[-1].text.string)), sentences


def test_counting_names_its_origin() -> None:
    counted = [text for text in sequence_texts() if re.search(r"\bthe (second|third)\b", text)]
    assert len(counted) > 5
    assert all(re.search(r"the (second|third) [^.,]*, count(ing|ed) from ", text) for text in counted)


def test_surface_of_the_target_is_named() -> None:
    is_named = []
    for target, sentences in targets_and_sequences():
        surface = next((name for name in ("wall", "floor", "ceiling") if target.kind in SURFACES[name]), "")
        if surface:
            is_named.append(f"the {surface}" in sentences[-1].text.string.lower())
    assert len(is_named) > 40 and np.mean(is_named) > 0.95


def test_waldo_sits_on_seats() -> None:
    scene_index, sitting = scene(), 0
    for _, sentences in targets_and_sequences():
        last = sentences[-1].text.string.lower()
        if re.search(r"is (sitting|standing)", last) and "the floor" not in last:
            sitting += 1
            index = sentences[-1].text.mentions[0].instance - 1
            assert CLASSES[int(scene_index.plan.things["kind"][index])].name.endswith(SEAT_CLASSES), last
    assert any("sitting" in text for text in sequence_texts()) and sitting < 0.1 * len(targets_and_sequences())


def test_each_object_has_one_name() -> None:
    """Named again, an object keeps its name, or its noun alone."""
    for _, sentences in targets_and_sequences():
        names_of_instance: dict[int, str] = {}
        for instance, text, _ in mentions(sentences):
            if (
                text in ("it", "that")
                or " one" in text
                or re.match(r"(the )?(two|three|four|five|row|pair|set) ", text)
            ):
                continue
            plain = re.sub(r"^(the other|another|the|this|that|some|an|a) ", "", text)
            name = re.sub(r"^(second|third|left|right|middle) ", "", plain)
            first = names_of_instance.setdefault(instance, name)
            assert first.startswith(name) or name == bare_noun(first), [sentence.text.string for sentence in sentences]


def test_above_means_over_the_upper_edge() -> None:
    pairs = 0
    for place in range(ROOMS):
        visible = scene().at(place)
        for row in range(len(visible)):
            height = visible.top[row] - visible.bottom[row]
            above = np.isfinite(relation_cost(visible, "above", ViewBox.of(visible, row)))
            pairs += int(above.sum())
            assert (visible.bottom[above] >= visible.top[row] - 0.1 * height - 0.51).all()
            max_turn = np.maximum(visible.width[above], visible.width[row]) / 2 + 2.01
            assert (np.abs(turn(visible.heading[row], visible.heading[above])) <= max_turn).all()
    assert pairs > 300
