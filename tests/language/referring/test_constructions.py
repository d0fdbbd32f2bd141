"""Constructions that people use: objects by where they stand, groups, named parts, Waldo's head, feet and edges."""

from __future__ import annotations

import re

import numpy as np
import pytest

from bearleft.geometry import angle_between
from bearleft.language.noun_phrases import Flags, chunk, match
from bearleft.language.referring.groups import find_group, relation_to_group
from bearleft.language.referring.named_parts import named_parts
from bearleft.language.referring.parse import follow_sentences
from bearleft.language.referring.sequence_writer import SequenceWriter
from bearleft.language.referring.supports import INDOOR_SPOTS, at_spot
from bearleft.language.referring.target_location import (
    Feet,
    TargetLocation,
    box_location,
    edge_candidates,
    measure_degrees,
    resolve,
)
from bearleft.language.referring.view import (
    MIN_VISIBLE_SHARE,
    WALDO_HEIGHT,
    Relation,
    ViewBox,
    order_from_left,
    relation_cost,
    seam_pitch,
    union_box,
)
from bearleft.language.writer_random import WriterRandom
from bearleft.records import Direction
from bearleft.world.city.catalog import CLASSES, class_index
from tests.language.referring.test_round_trip import ROOMS, scene, targets_and_sequences

START = Direction(0.0, 0.0)
SIDES: tuple[Relation, ...] = "left", "right", "above", "below"


def test_feet_depend_on_the_distance() -> None:
    assert measure_degrees(Feet(1.0), "above", 3.0) == pytest.approx(5.80, abs=0.01)
    assert measure_degrees(Feet(2.0), "left", 3.0) > measure_degrees(Feet(2.0), "left", 6.0)


@pytest.mark.slow
def test_wall_objects_are_on_the_wall() -> None:
    for place in range(ROOMS):
        visible = scene().at(place)
        spots: dict[str, Flags] = {spot: at_spot(scene(), visible, spot) for spot in INDOOR_SPOTS}
        owners = scene().plan.things["kind"][np.maximum(visible.owner - 1, 0)]
        assert (owners[spots["wall"]] == class_index("wall")).all()
        assert not (spots["wall"] & spots["floor"]).any() and not (spots["ceiling"] & spots["floor"]).any()
        assert not (spots["corner"] & spots["middle"]).any()
        for name, spot in (("painting", "wall"), ("ceiling lamp", "ceiling"), ("sofa", "floor")):
            assert spots[spot][visible.kind == class_index(name)].all()


def test_head_touches_the_ceiling() -> None:
    touching = 0
    for place in range(ROOMS):
        visible = scene().at(place)
        boxes = [ViewBox.of(visible, int(row)) for row in np.flatnonzero(at_spot(scene(), visible, "wall"))]
        for box in boxes:
            seam = seam_pitch(scene(), place, box.heading, "ceiling")
            if seam is None:
                continue
            target = Direction(box.heading, seam - WALDO_HEIGHT / 2)
            for location in edge_candidates(scene(), place, [box], target, 5.0):
                if location.touched:
                    touching += 1
                    assert angle_between(resolve(location, scene(), place), target) < 0.1
    assert touching > 10


def test_halfway_between_an_object_and_the_ceiling() -> None:
    visible = scene().at(0)
    row = int(np.argmax(visible.share * at_spot(scene(), visible, "wall")))
    box = ViewBox.of(visible, row)
    seam = seam_pitch(scene(), 0, box.heading, "ceiling")
    assert seam is not None
    location = TargetLocation(box, share=0.5, toward="ceiling")
    assert resolve(location, scene(), 0).pitch == pytest.approx((box.top + seam) / 2)


def test_named_parts_are_where_they_are_said_to_be() -> None:
    parts = 0
    for place in range(ROOMS):
        visible = scene().at(place)
        for row in np.flatnonzero(visible.share > 4e-3):
            instance = int(visible.instance[row])
            words = [word for word, _ in named_parts(visible, instance)]
            assert len(words) == len(set(words))
            for _, box in named_parts(visible, instance):
                parts += 1
                assert visible.bottom[row] - 1.0 <= box.bottom and box.top <= visible.top[row] + 1.0
    assert parts > 50


def test_part_of_an_object_is_found() -> None:
    for place in range(ROOMS):
        visible = scene().at(place)
        noticeable = visible.share >= MIN_VISIBLE_SHARE
        for row in np.flatnonzero((visible.kind == class_index("television")) & (visible.share > 2e-3)):
            _, (phrase,) = chunk("the television", indoors=True)
            screens = [box for word, box in named_parts(visible, int(visible.instance[row])) if word == "screen"]
            if (match(phrase, visible) & noticeable).sum() == 1 and screens:
                views = follow_sentences(
                    ["find the television.", "waldo is on the screen of the television."], scene(), place, START
                )
                assert angle_between(views[-1], screens[0].direction) < 0.1


def test_possessive_names_a_part() -> None:
    found = 0
    for place in range(ROOMS):
        visible = scene().at(place)
        for row in np.flatnonzero((visible.kind == class_index("television")) & (visible.share > 2e-3)):
            if any(word == "screen" for word, _ in named_parts(visible, int(visible.instance[row]))):
                found += 1
                answers = [
                    follow_sentences(["find the television.", f"waldo is on {part}."], scene(), place, START)[-1]
                    for part in ("the screen of the television", "the television's screen", "that television's screen")
                ]
                assert answers[0] == answers[1] == answers[2]
    assert found


def test_between_the_two_of_a_group() -> None:
    pairs = 0
    for place in range(ROOMS):
        writer = SequenceWriter(scene(), place, WriterRandom("pairs"))
        for row in np.flatnonzero(writer.references):
            group = find_group(writer, int(row))
            if group is None or len(group.rows) != 2:
                continue
            pairs += 1
            noun = group.plural.partition(" ")[2]
            first, second = (ViewBox.of(writer.visible, other) for other in group.rows)
            expected = Direction(*box_location(TargetLocation(first, other=second, share=0.5)))
            for words in ("them", f"the two {noun}", f"those two {noun}", f"both {noun}"):
                sentences = [f"find the two {noun}.", f"waldo is between {words}."]
                answer = follow_sentences(sentences, scene(), place, START)[-1]
                assert angle_between(answer, expected) < 0.1, words
    assert pairs > 3


def test_objects_beside_a_box_are_in_the_relation_that_is_said() -> None:
    details = 0
    for place in range(ROOMS):
        writer = SequenceWriter(scene(), place, WriterRandom("beside"))
        visible = writer.visible
        for row in np.flatnonzero(writer.references & (visible.share > 4e-3)):
            box = ViewBox.of(visible, int(row))
            for side in SIDES:
                found = relation_to_group(writer, box, (side,))
                if found is None:
                    continue
                details += 1
                relation, text, instances = found
                _, phrases = chunk(text.string, indoors=True)
                members = [visible.find(instance) for instance in instances]
                assert relation == side and box.instance not in instances and len(instances) > 1
                assert len(phrases) == 1 and match(phrases[0], visible)[members].all()
                assert phrases[0].number in (1, len(instances))
                assert np.isfinite(relation_cost(visible, side, box, writer.yaw)[members]).all()
    assert details > 10


def test_groups_hold_all_objects_of_their_name() -> None:
    groups = 0
    for place in range(ROOMS):
        writer = SequenceWriter(scene(), place, WriterRandom("groups"))
        for row in np.flatnonzero(writer.references):
            group = find_group(writer, int(row))
            if group is None:
                continue
            groups += 1
            assert set(group.rows) == set(np.flatnonzero(writer.fits(group.member.phrase)).tolist())
            assert row in group.rows and list(group.rows) == order_from_left(writer.visible, list(group.rows))
            middle = follow_sentences(
                [f"find the {group.plural}.", "look at the one on the left."], scene(), place, START
            )
            assert angle_between(middle[0], group.box.direction) < 0.1
            assert angle_between(middle[1], ViewBox.of(writer.visible, group.rows[0]).direction) < 0.1
    assert groups > 5


def test_union_of_boxes_crosses_north() -> None:
    boxes = [ViewBox(350.0, 0.0, 345.0, 10.0, -5.0, 5.0), ViewBox(20.0, 2.0, 15.0, 10.0, -3.0, 7.0)]
    for pair in (boxes, boxes[::-1]):
        box = union_box(pair)
        assert (box.left, box.width, box.bottom, box.top) == (345.0, 40.0, -5.0, 7.0) and box.heading == 5.0


@pytest.mark.slow
def test_two_clauses_in_a_sentence_are_followed() -> None:
    """ "Find the bed and look at the lamp" names two objects in turn; "look below it and find the lamp" only one."""
    joined = separate = 0
    for target, sentences in targets_and_sequences():
        texts = [sentence.text.string for sentence in sentences]
        if not all(re.match("(find|look at|locate|notice) the ", text.lower()) for text in texts[:2]) or len(texts) < 3:
            continue
        one = f"{texts[0][:-1]} and {texts[1][0].lower()}{texts[1][1:]}"
        views = follow_sentences(texts[:2], scene(), target.place, START)
        joined += 1
        separate += angle_between(follow_sentences([one], scene(), target.place, START)[-1], views[-1]) < 1.0
    assert joined >= 3 and separate >= 0.9 * joined


def test_people_are_never_called_it() -> None:
    people = {class_index("person"), class_index("seated person")}
    for _, sentences in targets_and_sequences():
        for sentence in sentences:
            for mention in sentence.text.mentions:
                kind = int(scene().plan.things["kind"][mention.instance - 1])
                words = sentence.text.string[mention.begin : mention.end].lower()
                assert kind not in people or words not in ("it", "that"), (CLASSES[kind].name, sentence.text.string)


def test_waldo_is_seldom_a_measure() -> None:
    """Readers miss most targets whose distance is given in Waldos, since nobody sees how large he is."""
    texts = [sentences[-1].text.string.lower() for _, sentences in targets_and_sequences() if sentences]
    measured = [text for text in texts if re.search(r"\b(waldos|waldo (width|height|length)s?)\b", text)]
    assert len(measured) < 0.15 * len(texts)
