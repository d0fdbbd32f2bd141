"""Rules of texts in ArraMon's stage 1: active checks that block, and notes by which doubtful texts go to review."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from bearleft.errors import InputError
from bearleft.language.analysis.quality import Phase, begins_with_turn, find_problems, find_review_notes
from bearleft.records import Collect, Leg
from bearleft.runtime.json_fields import text as json_text
from bearleft.web.tasks.arramon.kinds import PHASES

MAX_CHARACTERS = 1_000  # what the field holds
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def parse_text(value: Any) -> str:
    """Return a text that a browser sent, in characters that can be printed.

    Raises:
        InputError: It is no text, or longer than the field.
    """
    given = json_text(value, "text")
    if len(given) > MAX_CHARACTERS:
        raise InputError(f"at most {MAX_CHARACTERS:,} characters", f"{len(given):,}", "text", hint="Write less.")
    return CONTROL.sub(" ", given)


def clean(text: str) -> str:
    """Return a text with single spaces."""
    return " ".join(text.split())


def phase_of(leg: int) -> Phase:
    """Return the phase of a leg."""
    return "navigation" if PHASES[leg % 2] == "navigation" else "assembly"


def text_problems(text: str, leg: int, of_map: Leg) -> list[dict[str, str]]:
    """Return what blocks the text of a leg: the rule and its message.

    Args:
        text: The text.
        leg: The number of the leg.
        of_map: The leg of the map, whose walk may begin with a turn.
    """
    turn = isinstance(of_map.goal, Collect) and begins_with_turn(of_map.goal.actions)
    return [{"rule": one.rule, "message": one.message} for one in find_problems(text, phase_of(leg), turn)]


def review_notes(texts: Sequence[str]) -> list[dict[str, Any]]:
    """Return the notes for a reviewer: the leg, the rule and the message."""
    return [
        {"leg": leg, "rule": note.rule, "message": note.message}
        for leg, text in enumerate(texts)
        for note in find_review_notes(text, phase_of(leg))
    ]
