"""Task IV of Touchdown, segmentation: which words of a text tell the way, and which tell where the bear sits.

The first part is a prefix of the words, the second a suffix; they may overlap, and together they hold every word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from bearleft.errors import InputError, format_value
from bearleft.runtime.json_fields import Fields
from bearleft.web.tasks.base import (
    Data,
    EventData,
    Outcome,
    Task,
    TaskContext,
    UnitData,
    register,
    unknown_action,
)
from bearleft.web.tasks.touchdown.pipeline import SEGMENTATION
from bearleft.web.tasks.touchdown.rules import mentions_bear

ACTIONS = ("way", "bear")


def text_tokens(text: str) -> list[str]:
    """Return the words of a text as they are shown, with their punctuation."""
    return text.split()


def segments(text: str, way_end: int, bear_begin: int) -> tuple[str, str]:
    """Return the two parts of a text.

    Args:
        text: The text.
        way_end: How many words the first part has.
        bear_begin: How many words come before the second part.
    """
    spans = [match.span() for match in re.finditer(r"\S+", text)]
    return text[: spans[way_end - 1][1]].strip(), text[spans[bear_begin][0] :].strip()


@dataclass(frozen=True)
class SegmentationState:
    """How many words the way has, and how many come before the bear's part; None while not chosen."""

    way_end: int | None = None
    bear_begin: int | None = None


def segmentation_state(events: Sequence[EventData]) -> SegmentationState:
    """Return the state after the events of an attempt."""
    way_end = next((event.data["end"] for event in reversed(events) if event.kind == "way"), None)
    bear_begin = next((event.data["begin"] for event in reversed(events) if event.kind == "bear"), None)
    return SegmentationState(way_end, bear_begin)


@register
class SegmentationTask(Task):
    """Mark the part of a text that tells the way, and the part that tells where the bear is."""

    kind: ClassVar[str] = SEGMENTATION
    title: ClassVar[str] = "Divide a text"
    template: ClassVar[str] = "touchdown/segmentation.html"
    summary: ClassVar[str] = "Mark which words of a text tell the way, and which tell where the bear sits."
    minutes: ClassVar[int] = 1

    def view(self, context: TaskContext, unit: UnitData, events: Sequence[EventData]) -> dict[str, Any]:
        """Return the words and what was marked so far."""
        state = segmentation_state(events)
        return {
            "tokens": text_tokens(unit.payload["text"]),
            "way_end": state.way_end,
            "bear_begin": state.bear_begin,
        }

    def act(
        self, context: TaskContext, unit: UnitData, events: Sequence[EventData], kind: str, data: Data
    ) -> dict[str, Any]:
        """Choose the last word of the way, or the first word of the bear's part."""
        count = len(text_tokens(unit.payload["text"]))
        fields = Fields(dict(data))
        state = segmentation_state(events)
        if kind == "way":
            return {"way_end": fields.integer("end", 1, count), "bear_begin": state.bear_begin}
        if kind == "bear":
            return {"way_end": state.way_end, "bear_begin": fields.integer("begin", 0, count - 1)}
        raise unknown_action(kind, ACTIONS)

    def submit(self, context: TaskContext, unit: UnitData, events: Sequence[EventData], data: Data) -> Outcome:
        """Check that both parts hold all words, and that the second one is about the bear."""
        state = segmentation_state(events)
        text = unit.payload["text"]
        if state.way_end is None:
            raise InputError("the words that tell the way", "none", hint="Mark the last of them.")
        if state.bear_begin is None:
            raise InputError("the words that tell where the bear sits", "none", hint="Mark the first of them.")
        if state.bear_begin > state.way_end:
            between = " ".join(text_tokens(text)[state.way_end : state.bear_begin])
            raise InputError("every word in one of the parts, or in both", f"none for {format_value(between)}")
        way, bear = segments(text, state.way_end, state.bear_begin)
        if not mentions_bear(bear):
            raise InputError("a second part that mentions the bear", format_value(bear))
        answer = {
            "way_end": state.way_end,
            "bear_begin": state.bear_begin,
            "navigation_text": way,
            "td_location_text": bear,
        }
        return Outcome(answer, {"message": "Thank you!"})
