"""Task I of Touchdown, writing: walk a prescribed route, put the bear at its end, and write how to find it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from bearleft.errors import InputError, format_value
from bearleft.runtime.json_fields import Fields, parse_list
from bearleft.runtime.json_fields import text as check_unicode
from bearleft.web.database.models import Answer, Unit
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
from bearleft.web.tasks.touchdown.pipeline import WRITING, propagation_units, validate_when_propagated
from bearleft.web.tasks.touchdown.rules import (
    MAX_CHARACTERS,
    MIN_WORDS,
    RULES,
    check_text,
    clean_text,
    errors,
    findings_json,
    is_copy,
    parse_text,
    unconfirmed,
)
from bearleft.web.tasks.touchdown.surroundings import check_place_for_bear, street_names
from bearleft.web.tasks.touchdown.walks import START_HEADING, Walk, count_reached, move, walk_of

ACTIONS = ("move", "draft", "place", "cannot-place")
MAX_REASON = 500  # characters


@dataclass(frozen=True)
class WritingState:
    """What a writer has done so far.

    Attributes:
        walk: Where the writer is.
        route: The prescribed route.
        text: The text.
        bear: Where the bear is, or None.
        reason: Why the bear cannot be placed; empty if it can.
    """

    walk: Walk
    route: tuple[str, ...]
    text: str = ""
    bear: Click | None = None
    reason: str = ""

    @property
    def reached(self) -> int:
        """Return how many places of the route were passed in order."""
        return count_reached(self.walk.path, self.route)

    @property
    def at_goal(self) -> bool:
        """Return whether the route has been walked, and the writer is at its end."""
        return self.reached == len(self.route) and self.walk.place == self.route[-1]

    def check_at_goal(self) -> None:
        """Raise InputError if the route has not been walked to its end."""
        if self.reached < len(self.route):
            got = f"{self.reached} of its {len(self.route)} places"
            hint = "Go back to where you left the route, and walk on from there."
            raise InputError("the route walked to its end", got, hint=hint)
        if self.walk.place != self.route[-1]:
            raise InputError("you at the end of the route", "another place", hint="Go back to its end.")


def writing_state(unit: UnitData, events: Sequence[EventData]) -> WritingState:
    """Return the state after the events of an attempt."""
    route = tuple(unit.payload["route"])
    walk = walk_of(unit.payload["world"], route[0], START_HEADING, events)
    text, bear, reason = "", None, ""
    for event in events:
        if event.kind == "draft":
            text = event.data["text"]
        elif event.kind == "place":
            bear, reason = parse_click(event.data), ""
        elif event.kind == "cannot-place":
            bear, reason = None, event.data["reason"].strip()
    return WritingState(walk, route, text, bear, reason)


@register
class WritingTask(Task):
    """Walk a route, place the bear at its end, and write the way to it."""

    kind: ClassVar[str] = WRITING
    title: ClassVar[str] = "Hide the bear"
    template: ClassVar[str] = "touchdown/writing.html"
    summary: ClassVar[str] = "Walk a route, hide the bear at its end, and write how to find it."
    minutes: ClassVar[int] = 8
    one_answer: ClassVar[bool] = True

    def view(self, context: TaskContext, unit: UnitData, events: Sequence[EventData]) -> dict[str, Any]:
        """Return the route, which a writer knows, and what was done so far."""
        state = writing_state(unit, events)
        graph = context.worlds.graph(state.walk.world)
        positions = graph.positions[[graph.place_index(place) for place in state.route], :2]
        return {
            "world": state.walk.world,
            "route": list(state.route),
            "route_positions": [[round(float(x), 2), round(float(y), 2)] for x, y in positions],
            "rules": list(RULES),
            "min_words": MIN_WORDS,
            "max_characters": MAX_CHARACTERS,
            "walk": state.walk.to_json(context.worlds),
            "visited": list(state.walk.path),
            "text": state.text,
            "findings": findings_json(self._findings(context, state)) if state.text.strip() else [],
            "bear": state.bear.to_json() if state.bear else None,
            "reason": state.reason,
            **_progress(state),
        }

    def act(
        self, context: TaskContext, unit: UnitData, events: Sequence[EventData], kind: str, data: Data
    ) -> dict[str, Any]:
        """Walk, save the text, place the bear, or say why it cannot be placed."""
        state = writing_state(unit, events)
        fields = Fields(dict(data))
        if kind == "move":
            result = move(context.worlds, state.walk, data)
            after = Walk(state.walk.world, (*state.walk.path, data["place"]), 0.0)
            return result | _progress(WritingState(after, state.route))
        if kind == "draft":
            text = parse_text(fields["text"])
            names = street_names(context.worlds, state.walk.world)
            return {"findings": findings_json(check_text(text, names)) if text.strip() else []}
        if kind == "place":
            click = parse_click(data)
            state.check_at_goal()
            check_place_for_bear(context.worlds, state.walk.world, state.walk.place, click.direction)
            return {"bear": click.to_json()}
        if kind == "cannot-place":
            reason = clean_text(parse_text(fields["reason"]))
            state.check_at_goal()
            if not 3 <= len(reason) <= MAX_REASON:
                got = f"{len(reason)} characters"
                raise InputError(f"a reason of 3 to {MAX_REASON} characters", got, "reason")
            return {"reason": reason}
        raise unknown_action(kind, ACTIONS)

    def submit(self, context: TaskContext, unit: UnitData, events: Sequence[EventData], data: Data) -> Outcome:
        """Judge the walk, the bear's place and the text; the other tasks of the text follow from it."""
        state = writing_state(unit, events)
        state.check_at_goal()
        content: dict[str, Any] = {
            "world": state.walk.world,
            "route": list(state.route),
            "path": list(state.walk.path),
            "start_heading": START_HEADING,
        }
        if state.reason:
            answer = content | {"cannot_place": state.reason, "draft": state.text}
            return Outcome(answer, {"message": "Thank you. This place is left out."}, accepted=False)
        if state.bear is None:
            raise InputError("the bear placed in the picture", "no bear", hint="Place it, or say why not.")
        confirmed = parse_list(check_unicode, data.get("confirmed", []), "confirmed")
        findings = self._findings(context, state)
        if found := errors(findings):
            raise InputError("a text within the rules", format_value(found[0].rule), hint=found[0].message)
        if open_questions := unconfirmed(findings, confirmed):
            first = open_questions[0]
            expected = f"your confirmation of: {', '.join(sorted({finding.rule for finding in open_questions}))}"
            raise InputError(expected, "none", hint=first.message)
        text = clean_text(state.text)
        answer = content | {"text": text, "bear": state.bear.to_json(), "confirmed": sorted(set(confirmed))}
        follow_ups = propagation_units(
            context.worlds, unit.id, context.worker_id, content["world"], state.route[-1], text, state.bear.direction
        )
        feedback = {"message": "Thank you! Others will now look for your bear."}
        return Outcome(answer, feedback, follow_ups=follow_ups, after=after_writing)

    def _findings(self, context: TaskContext, state: WritingState) -> Any:
        return check_text(state.text, street_names(context.worlds, state.walk.world))


def _progress(state: WritingState) -> dict[str, Any]:
    return {"reached": state.reached, "at_goal": state.at_goal}


def after_writing(session: Session, answer: Answer) -> None:
    """Refuse a copy of an own text; let a text be validated whose goal has no neighbours to propagate to."""
    check_no_copy(session, answer)
    validate_when_propagated(session, answer.unit_id)


def check_no_copy(session: Session, answer: Answer) -> None:
    """Raise InputError if a text repeats an earlier one of the same worker."""
    earlier = session.scalars(
        select(Answer)
        .join(Unit, Unit.id == Answer.unit_id)
        .where(Answer.worker_id == answer.worker_id, Unit.kind == WRITING, Answer.id != answer.id)
    )
    if is_copy(answer.data["text"], (other.data["text"] for other in earlier if "text" in other.data)):
        raise InputError("a text of its own", "nearly the same as one you wrote before")
