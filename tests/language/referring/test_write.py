"""Tests of the writer of referring sentences: truth, determinism and similarity to the paper."""

from __future__ import annotations

import re

import numpy as np
import pytest

from bearleft.geometry import angle_between, turn
from bearleft.language.referring.target_location import TargetLocation, resolve
from bearleft.language.referring.view import (
    WALDO_HEIGHT,
    WALDO_WIDTH,
    ViewBox,
    clamped_direction,
    interpolate,
    move_onto_surface,
    nth_on_side,
    relation_cost,
)
from bearleft.language.referring.write import LENGTH_WEIGHTS, Sentence, write_sequence
from bearleft.language.scene_index import SceneIndex
from bearleft.language.templates import PHENOMENA
from bearleft.records import Direction
from bearleft.world.targets import random_targets
from tests.language.referring.refer_scene import scene, targets_and_sequences


def sequences() -> list[tuple[Sentence, ...]]:
    return [sentences for _, sentences in targets_and_sequences() if sentences is not None]


def test_most_targets_are_described() -> None:
    missing = sum(sentences is None for _, sentences in targets_and_sequences())
    assert missing <= 0.1 * len(targets_and_sequences())


def test_last_sentence_names_waldo() -> None:
    for sentences in sequences():
        assert min(LENGTH_WEIGHTS) <= len(sentences) <= max(LENGTH_WEIGHTS)
        assert all(sentence.text.string.endswith(".") for sentence in sentences)
        assert all("waldo" not in sentence.text.string.lower() for sentence in sentences[:-1])
        assert "waldo" in sentences[-1].text.string.lower()
        assert all("  " not in sentence.text.string and "{" not in sentence.text.string for sentence in sentences)


def test_lengths_resemble_the_paper() -> None:
    lengths = [sum(len(sentence.text.string.split()) for sentence in sentences) for sentences in sequences()]
    assert 43.8 * 0.85 < np.mean(lengths) < 43.8 * 1.15
    assert np.mean([len(sentences) in (3, 4) for sentences in sequences()]) > 0.85


def test_views_end_at_the_target() -> None:
    for target, sentences in targets_and_sequences():
        if sentences is not None:
            assert sentences[-1].view == target.direction


def test_annotations_and_mentions_cover_words() -> None:
    phenomena = set()
    for sentences in sequences():
        for sentence in sentences:
            text = sentence.text
            spans = [(annotation.begin, annotation.end) for annotation in text.annotations] + [
                (m.begin, m.end) for m in text.mentions
            ]
            for begin, end in spans:
                words = text.string[begin:end]
                assert words and words == words.strip(), (text.string, words)
                assert not re.match(r"\w", text.string[end : end + 1]), (text.string, words)
            phenomena |= {annotation.phenomenon for annotation in text.annotations}
            assert {annotation.phenomenon for annotation in text.annotations} <= set(PHENOMENA.values())
    assert {"coreference", "direction", "allocentric", "egocentric", "count"} <= phenomena


def test_mentioned_objects_are_visible() -> None:
    for target, sentences in targets_and_sequences():
        visible_instances = set(scene().at(target.place).instance.tolist())
        for sentence in sentences or ():
            assert {mention.instance for mention in sentence.text.mentions} <= visible_instances


def test_no_lettering_is_quoted() -> None:
    lettering = {text for text in scene().plan.texts if len(text) > 5}
    all_text = " ".join(sentence.text.string.upper() for sentences in sequences() for sentence in sentences)
    assert not [text for text in lettering if text.upper() in all_text and " " in text]


@pytest.mark.slow
def test_same_seed_gives_same_sentences() -> None:
    scene_index = scene()
    targets = random_targets(scene_index.city, [3, 20, 40], 8)
    first = [write_sequence(scene_index, target, 1, k) for k, target in enumerate(targets)]
    new_index = SceneIndex(scene_index.city, scene_index.table)
    new_index._cache = scene_index._cache
    second = [write_sequence(new_index, target, 1, k) for k, target in reversed(list(enumerate(targets)))]
    assert first == second[::-1]
    assert first != [write_sequence(scene_index, target, 2, k) for k, target in enumerate(targets)]


def test_relations_hold_for_their_objects() -> None:
    visible = scene().at(40)
    box = ViewBox.of(visible, int(np.argmax(visible.share)))
    turns = turn(box.heading, visible.heading)
    assert (turns[np.isfinite(relation_cost(visible, "right", box))] > 0).all()
    assert (turns[np.isfinite(relation_cost(visible, "left", box))] < 0).all()
    assert (visible.bottom[np.isfinite(relation_cost(visible, "above", box))] > box.pitch - 1.01).all()
    assert (visible.top[np.isfinite(relation_cost(visible, "below", box))] < box.pitch + 1.01).all()
    assert (visible.median[np.isfinite(relation_cost(visible, "behind", box))] > box.distance).all()
    assert np.isfinite(relation_cost(visible, "near", box)).any()
    assert not np.isfinite(relation_cost(visible, "near", box)[visible.find(box.instance)])


def test_nth_on_side_counts_outwards() -> None:
    visible = scene().at(40)
    box = ViewBox.at(Direction(100.0, 0.0))
    fits = visible.share > 5e-4
    rows = [nth_on_side(visible, fits, "right", box, k) for k in (1, 2, 3)]
    turns = [float(turn(100.0, visible.heading[row])) for row in rows]
    assert min(rows) >= 0 and turns == sorted(turns) and turns[0] > 0
    assert nth_on_side(visible, np.zeros(len(visible), bool), "left", box, 1) == -1


def test_offsets_are_measured_from_the_edge() -> None:
    box = ViewBox(0.0, 0.0, 350.0, 20.0, -5.0, 5.0, 10.0, 7)
    scene_index, place = scene(), 0
    above = resolve(TargetLocation(box, moves=(("above", 2.0),)), scene_index, place)
    assert above == Direction(0.0, 5.0 + 2 * WALDO_HEIGHT)
    right = resolve(TargetLocation(box, moves=(("right", 1.0),)), scene_index, place)
    assert abs(right.heading - (10.0 + WALDO_WIDTH)) < 1e-9 and right.pitch == 0.0
    corner = resolve(TargetLocation(box, moves=(("below", 1.0), ("left", 1.0))), scene_index, place)
    assert corner.pitch == -5.0 - WALDO_HEIGHT and corner.heading < 350.0 - WALDO_WIDTH
    assert resolve(TargetLocation(box, (-1, 1)), scene_index, place) == clamped_direction(352.0, 4.0)
    other = ViewBox.at(Direction(40.0, 20.0))
    assert interpolate(box, other) == (20.0, 10.0)
    assert (
        resolve(TargetLocation(box, moves=(("above", None),), other=other, level=(0, 0)), scene_index, place).pitch
        == 20.0
    )


def test_directions_are_moved_onto_a_surface() -> None:
    scene_index = scene()
    up, down = Direction(10.0, 70.0), Direction(10.0, -50.0)
    assert angle_between(move_onto_surface(scene_index, 20, down, "road"), down) < 1.0
    assert move_onto_surface(scene_index, 20, down, "sky") == down  # no sky near this direction
    assert angle_between(move_onto_surface(scene_index, 20, up, "sky"), up) < 10.0


def test_windows_are_counted_from_objects_of_the_building() -> None:
    """Nobody can say which window is the first above a tree that stands before a building."""
    counted = 0
    for _, sentences in targets_and_sequences():
        last = sentences[-1].text if sentences else None
        if last is not None and re.search(r"the (first|second) window", last.string.lower()):
            counted += 1
            anchor = last.mentions[0].instance if last.mentions else 0
            owner = int(scene().plan.things["owner"][anchor - 1])
            assert anchor == 0 or owner >= 0, last.string
    assert counted < 0.1 * len(targets_and_sequences())
