"""Task II of Touchdown, propagation: show where the bear is in the panorama next to the one it was placed in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from bearleft.errors import InputError
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
from bearleft.web.tasks.touchdown.clicks import Click, parse_click
from bearleft.web.tasks.touchdown.pipeline import PROPAGATION, after_propagation

ACTIONS = ("place", "occluded")


@dataclass(frozen=True)
class PropagationState:
    """Where the bear was placed last, or that it cannot be seen."""

    bear: Click | None = None
    occluded: bool = False


def propagation_state(events: Sequence[EventData]) -> PropagationState:
    """Return the state after the events of an attempt: the last one counts."""
    if not events:
        return PropagationState()
    if events[-1].kind == "occluded":
        return PropagationState(occluded=True)
    return PropagationState(parse_click(events[-1].data))


@register
class PropagationTask(Task):
    """Place the bear in a neighbouring panorama where it sits in the original one."""

    kind: ClassVar[str] = PROPAGATION
    title: ClassVar[str] = "Place the bear again"
    template: ClassVar[str] = "touchdown/propagation.html"
    summary: ClassVar[str] = "See where the bear sits in one picture, and show the same spot from a few steps away."
    minutes: ClassVar[int] = 1

    def view(self, context: TaskContext, unit: UnitData, events: Sequence[EventData]) -> dict[str, Any]:
        """Return the text, the original panorama with the bear, and the one beside it."""
        state = propagation_state(events)
        return {
            "world": unit.payload["world"],
            "text": unit.payload["text"],
            "original": dict(unit.payload["original"]),
            "place": unit.payload["place"],
            "bear": state.bear.to_json() if state.bear else None,
            "occluded": state.occluded,
        }

    def act(
        self, context: TaskContext, unit: UnitData, events: Sequence[EventData], kind: str, data: Data
    ) -> dict[str, Any]:
        """Place the bear, or say that its spot cannot be seen."""
        if kind == "place":
            return {"bear": parse_click(data).to_json(), "occluded": False}
        if kind == "occluded":
            return {"bear": None, "occluded": True}
        raise unknown_action(kind, ACTIONS)

    def submit(self, context: TaskContext, unit: UnitData, events: Sequence[EventData], data: Data) -> Outcome:
        """Store the spot."""
        state = propagation_state(events)
        if state.bear is None and not state.occluded:
            hint = "Click where the bear would sit, or say that the spot is hidden."
            raise InputError("the bear placed, or its spot hidden", "neither", hint=hint)
        answer = {"place": unit.payload["place"], "bear": state.bear.to_json() if state.bear else None}
        return Outcome(answer, {"message": "Thank you!"}, after=after_propagation)
