"""Answers are read or named, and never guessed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bearleft.agents.llm.answers import UNREADABLE, Pointing, UnreadableError, read_answer
from bearleft.agents.llm.requests import ChatAnswer, limit_text
from bearleft.records import Direction

POINTING = Pointing({3: Direction(124, -6)}, lambda x, y: Direction(x, 0) if x < 100 and y >= 0 else None)
NOWHERE = Pointing({})


def read(kind: str, text: str, finish: str = "stop", pointing: Pointing = POINTING) -> Any:
    try:
        return read_answer(ChatAnswer(text, finish), {"kind": kind}, pointing).action
    except UnreadableError as error:
        return f"? {error}"


@pytest.mark.parametrize(
    ("kind", "text", "action"),
    [
        ("reach", "ACTION: forward", "forward"),
        ("reach", "I see the shop on my right.\n\n**Action: Left.**\n", "left"),
        ("reach", "> action = stop", "stop"),
        ("reach", "ACTION: forward\nACTION: FORWARD", "forward"),
        ("reach", "forward", "forward"),
        ("reach", '{"action": "right"}', "right"),
        ("reach", '```json\n{"action": "right"}\n```', "right"),
        ("point", "ACTION: mark 3", Direction(124, -6)),
        ("point", "ACTION: mark [3]", Direction(124, -6)),
        ("point", "ACTION: direction 124 -6", Direction(124, -6)),
        ("point", "ACTION: direction heading 124.5°, pitch −6°", Direction(124.5, -6)),
        ("point", "ACTION: pixel 20, 30", Direction(20, 0)),
        ("look", "ACTION: next", "next"),
        ("look", "ACTION: mark 3", Direction(124, -6)),
        ("collect", "ACTION: pick", "pick"),
        ("assemble", "ACTION: place", "place"),
    ],
)
def test_readable_answers(kind: str, text: str, action: object) -> None:
    assert read(kind, text) == action


@pytest.mark.parametrize(
    ("kind", "text", "reason"),
    [
        ("reach", "", "empty"),
        ("reach", " \n", "empty"),
        ("reach", "I would go forward here.", "no action"),
        ("reach", "go forward now please, and then turn left at the crossing and stop", "no action"),
        ("reach", "ACTION: forward\nACTION: left", "several actions"),
        ("reach", "ACTION: forward 3 times", "unknown action"),
        ("reach", "ACTION: pick", "unknown action"),
        ("reach", "ACTION: mark 3", "unknown action"),
        ("reach", "ACTION: c000203", "unknown action"),
        ("point", "ACTION: mark 4", "unknown mark"),
        ("point", "ACTION: direction 10 91", "number out of range"),
        ("point", "ACTION: direction nan 0", "unknown action"),
        ("point", "ACTION: direction 1e999 0", "unknown action"),
        ("point", "ACTION: pixel 200 10", "number out of range"),
        ("point", "ACTION: forward", "unknown action"),
        ("collect", '{"action": ["pick"]}', "no action"),
        ("assemble", "[" * 50_000, "no action"),
        ("reach", "ACTION: __import__('os').system('true')", "unknown action"),
        ("reach", "\x1b[2J<script>ACTION: stop</script>", "no action"),
    ],
)
def test_unreadable_answers_are_named(kind: str, text: str, reason: str) -> None:
    assert read(kind, text) == f"? {reason}"


def test_a_truncated_answer_is_unreadable_even_if_it_names_an_action() -> None:
    assert read("point", "ACTION: direction 124 -1", "length") == "? truncated"
    assert read("reach", "ACTION: stop", "content_filter") == "? declined"
    assert read("reach", "the prompt is too long", "rejected") == "? rejected"


def test_pixels_need_a_picture() -> None:
    assert read("point", "ACTION: pixel 20 30", pointing=NOWHERE) == "? number out of range"


@given(st.text(), st.sampled_from(("reach", "point", "look", "collect", "assemble")))
def test_any_text_is_read_or_named(text: str, kind: str) -> None:
    action = read(kind, f"ACTION: {text}")
    assert isinstance(action, str | Direction)
    if isinstance(action, str) and action.startswith("?"):
        assert action.removeprefix("? ") in UNREADABLE
    assert limit_text(text).encode().decode() == text
