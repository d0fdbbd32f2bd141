"""Rules of texts, and what a browser may send."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.web.tasks.refer360.rules import (
    MAX_CHARACTERS,
    MAX_SENTENCES,
    check_sentences,
    clean_sentence,
    clean_sentences,
    is_repeated,
    parse_answer,
    parse_view,
    sentence_problem,
    sentence_problems,
)
from tests.web.refer360.people import SENTENCES, answer_at, view

COORDINATE_TEXTS = (
    "turn to heading 120 and look down",
    "look up to a pitch of 30 there",
    "turn 90 degrees to the right side",
    "turn ninety degrees to the right side",
    "turn about 45° to the left wall",
    "the latitude of the lamp is low",
    "the bear is at (120, -30) on the wall",
    "its coordinates are easy to see here",
    "it is 200 pixels left of the lamp",
    "look where x = 12 and y = 30 are",
)
INTERFACE_TEXTS = (
    "click on the lamp near the door",
    "zoom in on the small red bottle",
    "press the left arrow key four times",
    "drag the view until you see the door",
    "put the crosshairs on the top shelf",
    "look in the middle of your screen now",
    "move the bull's-eye to the green vase",
    "scroll down until you see the floor",
)
GOOD_TEXTS = (
    *SENTENCES,
    "heading towards the door, look at the handle",
    "there is a computer screen beside the mouse",
    "look at the elevator button on the wall",
    "count 3 windows from the left corner",
    "above the pitch of the roof is a bird",
    "schau auf die große Tür neben dem Fenster",
    "看 the lamp 在 window 旁边 and below it",
)


@pytest.mark.parametrize("text", GOOD_TEXTS)
def test_plain_sentences_are_accepted(text: str) -> None:
    assert sentence_problem(text) == ""


@pytest.mark.parametrize("text", COORDINATE_TEXTS)
def test_coordinates_are_refused(text: str) -> None:
    assert "degrees or coordinates" in sentence_problem(text)


@pytest.mark.parametrize("text", INTERFACE_TEXTS)
def test_the_page_is_not_described(text: str) -> None:
    assert "not this page" in sentence_problem(text)


@pytest.mark.parametrize("text", ["", "look left", "1234 5678 90 12", "....", "look look look look", "🐻🐻🐻 🐻"])
def test_sentences_have_four_words(text: str) -> None:
    assert "at least 4 words" in sentence_problem(text)


def test_a_sentence_is_not_repeated_within_a_text() -> None:
    problems = sentence_problems([SENTENCES[0], SENTENCES[1], SENTENCES[0].upper().replace(".", "!")])
    assert problems[:2] == ["", ""]
    assert "another sentence" in problems[2]


def test_a_text_has_three_to_five_sentences() -> None:
    check_sentences(SENTENCES)
    with pytest.raises(InputError, match="at least 3 sentences, got 2"):
        check_sentences(SENTENCES[:2])
    with pytest.raises(InputError, match="at most 5 sentences, got 6"):
        clean_sentences(["one of the sentences"] * (MAX_SENTENCES + 1))
    with pytest.raises(InputError, match=r"field sentence 2: .* Write a whole sentence"):
        check_sentences([SENTENCES[0], "there", SENTENCES[2]])


def test_white_space_and_control_characters_become_single_spaces() -> None:
    assert clean_sentence("  look\tat\r\nthe\x00 \u202elamp\u200b  ") == "look at the lamp"
    assert clean_sentences(["a", "", "b", " ", ""]) == ("a", "", "b")


@pytest.mark.parametrize("value", [None, 3, ["a"], {"a": 1}, "\ud800", "x" * 100_000, "ab " * (MAX_CHARACTERS // 2)])
def test_what_is_no_sentence_is_refused(value: object) -> None:
    with pytest.raises(InputError):
        clean_sentence(value)


@pytest.mark.parametrize("value", [None, "text", 3, {"0": "a"}])
def test_what_is_no_list_is_refused(value: object) -> None:
    with pytest.raises(InputError):
        clean_sentences(value)


@given(st.text(max_size=MAX_CHARACTERS))
def test_cleaning_twice_changes_nothing(text: str) -> None:
    once = clean_sentence(text)
    assert clean_sentence(once) == once
    assert once.split(" ") == [word for word in once.split(" ") if word] or once == ""


def test_a_text_that_says_nothing_new_is_repeated() -> None:
    assert is_repeated(SENTENCES, [list(SENTENCES)])
    assert is_repeated([sentence.upper() for sentence in reversed(SENTENCES)], [list(SENTENCES)])
    assert not is_repeated([*SENTENCES[:2], "but the last one differs from that"], [list(SENTENCES)])
    assert not is_repeated(SENTENCES, [])


@pytest.mark.parametrize(
    "change",
    [
        {"heading": "north"},
        {"heading": float("nan")},
        {"pitch": 91},
        {"vfov": 0},
        {"vfov": 180},
        {"width": 0},
        {"heading": True},
        {"heading": 1e9},
    ],
)
def test_wrong_views_are_refused(change: dict[str, object]) -> None:
    assert parse_view(view(370, 5)) == view(10, 5)
    with pytest.raises(InputError):
        parse_view(view(10, 5) | change)


def test_an_answer_says_how_it_was_chosen() -> None:
    direction, way, seen = parse_answer(answer_at((20, 5), "click"))
    assert (direction.heading, direction.pitch, way, seen["vfov"]) == (20, 5, "click", 60)
    with pytest.raises(InputError, match='"centre" or "click"'):
        parse_answer(answer_at((20, 5), "guess"))
    with pytest.raises(InputError, match="the centre of the view"):
        parse_answer(answer_at((20, 5)) | {"heading": 30})
    with pytest.raises(InputError, match="width"):
        parse_answer(answer_at((20, 5)) | {"view": {"heading": 20, "pitch": 5, "vfov": 60}})
    with pytest.raises(InputError, match="view"):
        parse_answer(answer_at((20, 5)) | {"view": "all"})
