"""What Refer360-like sequences say is true in their scene, told anew by the same numbers, and of the papers' shape."""

from __future__ import annotations

import re

import numpy as np

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
from bearleft.world.targets import anywhere
from tests.language.referring.refer_scene import scene, told


def sequences() -> list[tuple[Sentence, ...]]:
    return [sentences for _, sentences in told() if sentences is not None]


def test_hardly_any_target_is_left_out() -> None:
    left_out = sum(sentences is None for _, sentences in told())
    assert left_out <= 0.1 * len(told())


def test_two_to_five_sentences_of_which_the_last_names_waldo() -> None:
    for sentences in sequences():
        assert min(LENGTH_WEIGHTS) <= len(sentences) <= max(LENGTH_WEIGHTS)
        assert all(sentence.text.string.endswith(".") for sentence in sentences)
        assert all("waldo" not in one.text.string.lower() for one in sentences[:-1])
        assert "waldo" in sentences[-1].text.string.lower()
        assert all("  " not in one.text.string and "{" not in one.text.string for one in sentences)


def test_about_as_long_as_the_papers() -> None:
    lengths = [sum(len(one.text.string.split()) for one in sentences) for sentences in sequences()]
    assert 43.8 * 0.85 < np.mean(lengths) < 43.8 * 1.15
    assert np.mean([len(sentences) in (3, 4) for sentences in sequences()]) > 0.85


def test_views_end_at_the_target() -> None:
    for target, sentences in told():
        if sentences is not None:
            assert sentences[-1].view == target.direction


def test_marks_and_mentions_lie_on_words() -> None:
    some = set()
    for sentences in sequences():
        for sentence in sentences:
            text = sentence.text
            spans = [(mark.begin, mark.end) for mark in text.marks] + [(m.begin, m.end) for m in text.mentions]
            for begin, end in spans:
                words = text.string[begin:end]
                assert words and words == words.strip(), (text.string, words)
                assert not re.match(r"\w", text.string[end : end + 1]), (text.string, words)
            some |= {mark.phenomenon for mark in text.marks}
            assert {mark.phenomenon for mark in text.marks} <= set(PHENOMENA.values())
    assert {"coreference", "direction", "allocentric", "egocentric", "count"} <= some


def test_what_is_mentioned_is_in_sight() -> None:
    for target, sentences in told():
        seen = set(scene().at(target.place).instance.tolist())
        for sentence in sentences or ():
            assert {mention.instance for mention in sentence.text.mentions} <= seen


def test_no_lettering_is_quoted() -> None:
    written = {text for text in scene().plan.texts if len(text) > 5}
    said = " ".join(one.text.string.upper() for sentences in sequences() for one in sentences)
    assert not [text for text in written if text.upper() in said and " " in text]


def test_the_same_numbers_tell_the_same() -> None:
    here = scene()
    targets = anywhere(here.city, [3, 20, 40], 8)
    once = [write_sequence(here, target, 1, k) for k, target in enumerate(targets)]
    fresh = SceneIndex(here.city, here.table)
    fresh._cache = here._cache
    again = [write_sequence(fresh, target, 1, k) for k, target in reversed(list(enumerate(targets)))]
    assert once == again[::-1]
    assert once != [write_sequence(here, target, 2, k) for k, target in enumerate(targets)]


def test_sides_are_as_they_look() -> None:
    sight = scene().at(40)
    spot = ViewBox.of(sight, int(np.argmax(sight.share)))
    swing = turn(spot.heading, sight.heading)
    assert (swing[np.isfinite(relation_cost(sight, "right", spot))] > 0).all()
    assert (swing[np.isfinite(relation_cost(sight, "left", spot))] < 0).all()
    assert (sight.bottom[np.isfinite(relation_cost(sight, "above", spot))] > spot.pitch - 1.01).all()
    assert (sight.top[np.isfinite(relation_cost(sight, "below", spot))] < spot.pitch + 1.01).all()
    assert (sight.median[np.isfinite(relation_cost(sight, "behind", spot))] > spot.distance).all()
    assert np.isfinite(relation_cost(sight, "near", spot)).any()
    assert not np.isfinite(relation_cost(sight, "near", spot)[sight.find(spot.instance)])


def test_counting_goes_along_a_side() -> None:
    sight = scene().at(40)
    spot = ViewBox.at(Direction(100.0, 0.0))
    fits = sight.share > 5e-4
    rows = [nth_on_side(sight, fits, "right", spot, k) for k in (1, 2, 3)]
    ways = [float(turn(100.0, sight.heading[row])) for row in rows]
    assert min(rows) >= 0 and ways == sorted(ways) and ways[0] > 0
    assert nth_on_side(sight, np.zeros(len(sight), bool), "left", spot, 1) == -1


def test_waldos_are_measured_from_the_edge() -> None:
    box = ViewBox(0.0, 0.0, 350.0, 20.0, -5.0, 5.0, 10.0, 7)
    here, place = scene(), 0
    above = resolve(TargetLocation(box, moves=(("above", 2.0),)), here, place)
    assert above == Direction(0.0, 5.0 + 2 * WALDO_HEIGHT)
    right = resolve(TargetLocation(box, moves=(("right", 1.0),)), here, place)
    assert abs(right.heading - (10.0 + WALDO_WIDTH)) < 1e-9 and right.pitch == 0.0
    corner = resolve(TargetLocation(box, moves=(("below", 1.0), ("left", 1.0))), here, place)
    assert corner.pitch == -5.0 - WALDO_HEIGHT and corner.heading < 350.0 - WALDO_WIDTH
    assert resolve(TargetLocation(box, (-1, 1)), here, place) == clamped_direction(352.0, 4.0)
    other = ViewBox.at(Direction(40.0, 20.0))
    assert interpolate(box, other) == (20.0, 10.0)
    assert resolve(TargetLocation(box, moves=(("above", None),), other=other, level=(0, 0)), here, place).pitch == 20.0


def test_a_point_moves_onto_its_surface() -> None:
    here = scene()
    up, down = Direction(10.0, 70.0), Direction(10.0, -50.0)
    assert angle_between(move_onto_surface(here, 20, down, "road"), down) < 1.0
    assert move_onto_surface(here, 20, down, "sky") == down  # no sky within reach
    assert angle_between(move_onto_surface(here, 20, up, "sky"), up) < 10.0
