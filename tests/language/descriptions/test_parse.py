"""Tests of the parser of descriptions."""

from __future__ import annotations

import pytest

from bearleft.language.descriptions.parse import parse_description
from bearleft.language.descriptions.semantics import Meaning, Relation, Selector


def object_phrases(meaning: Meaning) -> list[str]:
    return [ref.phrase.words for ref in meaning.refs]


def test_object_with_side_and_spot_is_parsed() -> None:
    for text in (
        "There is a black fire hydrant on your right. Touchdown is on top of that hydrant.",
        "On your right is a black fire hydrant. Touchdown is sitting on top of it.",
        "look to your right and you'll see a black fire hydrant. the bear is on top of the fire hydrant",
    ):
        meaning = parse_description(text)
        assert meaning.refs[0].phrase.words.endswith("black fire hydrant")
        assert meaning.refs[0].side == "right"
        assert meaning.spot is not None
        assert (meaning.spot.ref_index, meaning.spot.up) == (0, 0.87)
        assert len(meaning.refs) == 1


@pytest.mark.parametrize(
    ("text", "relations"),
    [
        ("A mailbox next to a tree. Touchdown is on the mailbox.", {("near", 0, 1)}),
        ("Next to a tree is a mailbox. Touchdown is on the mailbox.", {("near", 1, 0)}),
        ("There is a red awning. Under it there is a door. Touchdown is on that door.", {("below", 1, 0)}),
        ("There is a red awning. Touchdown is on the door to the left of it.", {("left", 1, 0)}),
        ("Find a bench in front of a store and next to a tree. Touchdown is on it.", {("front", 0, 1), ("near", 0, 2)}),
        ("A bench. The bench is behind a trash can. Touchdown is on that bench.", {("behind", 0, 1)}),
        ("a house with two awnings. Touchdown is on the door of that house.", {("has", 0, 1), ("on", 2, 0)}),
        ("There is a tree with a mailbox next to it. Touchdown is on the mailbox.", {("near", 1, 0)}),
        ("A building on your left. It has a mural. Touchdown is on that mural.", {("has", 0, 1)}),
        ("There is a bench and a tree on your left. Touchdown is on the bench.", {("near", 0, 1)}),
        ("There is a bench next to a tree and a mailbox. Touchdown is on it.", {("near", 0, 1), ("near", 0, 2)}),
        ("Just past the bench is a mailbox. Touchdown is on that mailbox.", {("past", 1, 0)}),
    ],
)
def test_relations_are_parsed(text: str, relations: set[tuple[str, int, int]]) -> None:
    assert {
        (relation.kind, relation.subject, relation.objects[0]) for relation in parse_description(text).relations
    } == relations


def test_between_has_two_objects() -> None:
    meaning = parse_description("There is a hydrant between a tree and a mailbox. Touchdown is on the hydrant.")
    assert meaning.relations == (Relation("between", 0, (1, 2)),)


def test_between_may_have_a_pair() -> None:
    meaning = parse_description("There is a hydrant between two trees. Touchdown is on the hydrant.")
    assert meaning.relations == (Relation("between", 0, (1, 1)),)


def test_a_look_is_the_side_of_what_the_next_sentence_names() -> None:
    meaning = parse_description("Look to your left. There is a bench. Touchdown is on top of the bench.")
    assert [ref.side for ref in meaning.refs] == ["left"]
    meaning = parse_description("Look to your left. On the right is a bench. Touchdown is on top of the bench.")
    assert [ref.side for ref in meaning.refs] == ["right"]


@pytest.mark.parametrize(
    ("words", "selector"),
    [
        ("the left one", Selector("left", 1)),
        ("the one on the right", Selector("right", 1)),
        ("the closest one", Selector("near", 1)),
        ("the one farther away", Selector("far", 1)),
        ("the second one from the left", Selector("left", 2)),
        ("the leftmost hydrant", Selector("left", 1)),
        ("the third one", Selector("near", 3)),
        ("the second hydrant from the right", Selector("right", 2)),
    ],
)
def test_selectors_are_parsed(words: str, selector: Selector) -> None:
    meaning = parse_description(f"You'll see three hydrants ahead. Touchdown is on top of {words}.")
    assert meaning.spot is not None
    ref = meaning.refs[meaning.spot.ref_index]
    assert ref.pick == selector
    assert ref.side == "ahead"


@pytest.mark.parametrize(
    ("words", "across", "up"),
    [
        ("on the left end of", 0.04, None),
        ("in the middle of", 0.5, 0.5),
        ("at the base of", None, 0.03),
        ("on the right side of", 0.82, None),
        ("in the bottom left corner of", 0.08, 0.08),
        ("atop", None, 0.87),
        ("just left of the middle of", 0.42, None),
        ("halfway up", None, 0.5),
        ("on", None, None),
    ],
)
def test_positions_on_an_object_are_parsed(words: str, across: float | None, up: float | None) -> None:
    meaning = parse_description(f"There is a red awning on your left. Touchdown is {words} that awning.")
    assert meaning.spot is not None
    assert meaning.spot.across == (None if across is None else pytest.approx(across))
    assert meaning.spot.up == up
    assert meaning.spot.ref_index == 0
    assert meaning.relations == ()


def test_two_position_words_are_combined() -> None:
    meaning = parse_description("A red awning ahead. Touchdown is on the left end of the awning, near the bottom.")
    assert meaning.spot is not None
    assert (meaning.spot.across, meaning.spot.up) == (0.04, 0.12)


def test_parts_are_parsed() -> None:
    for text, part in (
        ("A lamp post on your left. Touchdown is on the pole of that lamp post.", "pole"),
        ("A black hydrant on your left. Touchdown is on the front nozzle of it.", "front nozzle"),
        ("There is a store. On the door of the store is Touchdown.", "door"),
    ):
        meaning = parse_description(text)
        assert meaning.spot is not None
        assert (meaning.spot.ref_index, meaning.spot.part) == (0, part), text


def test_windows_are_parsed() -> None:
    meaning = parse_description(
        "A brick building. Touchdown is in the second window from the left on the third floor of the building."
    )
    assert meaning.spot is not None
    assert (meaning.spot.part, meaning.spot.floor, meaning.spot.column) == ("window", 3, Selector("left", 2))
    meaning = parse_description(
        "A brick building. Touchdown is in the ground floor window to the right of the red door on that building."
    )
    assert meaning.spot is not None
    assert (meaning.spot.floor, meaning.spot.side_of) == (1, "right")
    assert object_phrases(meaning)[meaning.spot.aligned_with] == "the red door"
    assert object_phrases(meaning)[meaning.spot.ref_index] == "a brick building"


def test_objects_with_the_same_name_are_distinguished() -> None:
    meaning = parse_description("A red awning next to a blue awning. Touchdown is on the blue awning.")
    assert meaning.spot is not None
    assert object_phrases(meaning)[meaning.spot.ref_index] == "a blue awning"
    meaning = parse_description("There is a mailbox. Another mailbox is next to it. Touchdown is on the mailbox.")
    assert len(meaning.refs) == 2


@pytest.mark.parametrize(
    "text", ["", "touchdown", "Hello there!", "the", "left of", "Touchdown is on it.", "@ @1 of of"]
)
def test_any_text_can_be_parsed(text: str) -> None:
    assert parse_description(text).relations == ()


def test_typos_are_corrected() -> None:
    meaning = parse_description("There is a fire hydrnat on your rigth. Touchdwon is on top of the hydrant.")
    assert meaning.refs[0].side == "right"
    assert meaning.spot is not None
    assert meaning.spot.up == 0.87
