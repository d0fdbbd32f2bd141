"""Refer360's description task: find the bear, then tell others where it is, sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from bearleft.envs.look import initial_view
from bearleft.errors import InputError
from bearleft.geometry import angle_between
from bearleft.records import Direction
from bearleft.web.database.models import Answer, Unit
from bearleft.web.tasks.base import (
    Data,
    EventData,
    NewUnit,
    Outcome,
    Task,
    TaskContext,
    UnitData,
    register,
    unknown_action,
)
from bearleft.web.tasks.refer360.rules import (
    MAX_CHARACTERS,
    MAX_SENTENCES,
    MIN_SENTENCES,
    RADIUS,
    check_sentences,
    clean_sentences,
    is_repeated,
    parse_answer,
    parse_view,
    sentence_problems,
)
from bearleft.world.targets import MAX_LATITUDE

DESCRIPTION, FINDING = "refer360/description", "refer360/finding"
HIRING_DESCRIPTION, HIRING_FINDING = "refer360/hiring-description", "refer360/hiring-finding"
DESCRIPTION_KINDS = (DESCRIPTION, HIRING_DESCRIPTION)
COLLECTED = "city/refer360/collected"  # the dataset that traces of new texts name, until an export names another
ICON_RADIUS = 5.5  # degrees: the bear is as wide as the paper's circle of 11 degrees
TARGET_STREAM = 360  # distinguishes these random numbers from others of the same seed
MAX_LOOKS = 2_000  # views that are recorded of one attempt


def draw_targets(seed: int, count: int) -> list[Direction]:
    """Return random targets: any longitude, latitudes within MAX_LATITUDE of the horizon.

    Targets are uniform on that part of the sphere. The k-th depends on the seed and k only.
    """
    across, up = np.random.default_rng((seed, TARGET_STREAM)).random((count, 2)).T
    edge = np.sin(np.radians(MAX_LATITUDE))
    pitch = np.degrees(np.arcsin((2.0 * up - 1.0) * edge))
    return [Direction(float(a * 360.0), float(b)) for a, b in zip(across, pitch, strict=True)]


def random_start(*seed: int) -> list[float]:
    """Return the first view, as JSON: straight up, with a random heading."""
    return list(initial_view(np.random.default_rng(seed)).to_json())


@register
class DescriptionTask(Task):
    """Find the bear at a random spot of a panorama, then describe the spot in three to five sentences.

    Payload: world, place, target [heading, pitch], start [heading, 90].
    Actions: "look" with a view; "found" with a direction, how it was chosen and the view; "draft" with the sentences so
        far, which the server keeps. Drafts are possible once the bear is found.
    Answer: sentences and text.
    """

    kind = DESCRIPTION
    title = "Describe"
    template: ClassVar[str] = "refer360/description.html"
    summary = "Find the bear in the panorama, then tell others where it is."
    minutes = 3
    one_answer = True

    def view(self, context: TaskContext, unit: UnitData, events: Sequence[EventData]) -> dict[str, Any]:
        """Return the scene with the bear, the sentences so far, and where the person looked last."""
        payload, sentences = unit.payload, draft(events)
        return {
            **{name: payload[name] for name in ("world", "place", "target", "start")},
            "look": last_look(unit, events),
            "radius": ICON_RADIUS,
            "found": is_found(events),
            "sentences": list(sentences),
            "problems": sentence_problems(sentences),
            "limits": {"least": MIN_SENTENCES, "most": MAX_SENTENCES, "characters": MAX_CHARACTERS},
        }

    def act(
        self, context: TaskContext, unit: UnitData, events: Sequence[EventData], kind: str, data: Data
    ) -> dict[str, Any]:
        """Record where the person looks, judge whether the bear is found, or keep a draft."""
        if kind == "look":
            return record_look(events, data)
        if kind == "found":
            direction, _, _ = parse_answer(data)
            return {"found": angle_between(direction, Direction(*unit.payload["target"])) < RADIUS}
        if kind == "draft":
            _check_found(events)
            sentences = clean_sentences(data.get("sentences"))
            return {"sentences": list(sentences), "problems": sentence_problems(sentences)}
        raise unknown_action(kind, ("look", "found", "draft"))

    def submit(self, context: TaskContext, unit: UnitData, events: Sequence[EventData], data: Data) -> Outcome:
        """Check the text; somebody else will look for the bear with it."""
        _check_found(events)
        sentences = clean_sentences(data.get("sentences"))
        check_sentences(sentences)

        def check_new(session: Session, answer: Answer) -> None:
            if is_repeated(sentences, list(_earlier_texts(session, answer))):
                raise InputError("a new text", "one that you wrote before", "sentences")

        answer = {"sentences": list(sentences), "text": " ".join(sentences)}
        return Outcome(answer, self.feedback(), True, self.follow_ups(context, unit, sentences), after=check_new)

    def feedback(self) -> dict[str, Any]:
        """Return what the writer is told."""
        return {"message": "Thank you! Somebody else will now look for the bear with your text."}

    def follow_ups(self, context: TaskContext, unit: UnitData, sentences: Sequence[str]) -> tuple[NewUnit, ...]:
        """Return the finding task of a text: somebody other than the writer verifies it."""
        payload = {
            **{name: unit.payload[name] for name in ("world", "place", "target")},
            "sentences": list(sentences),
            "start": random_start(int(context.settings.get("seed", 0)), unit.id),
            "dataset": COLLECTED,
            "episode": str(unit.id),
        }
        return (NewUnit(FINDING, payload, writer_id=context.worker_id),)


@register
class HiringDescriptionTask(DescriptionTask):
    """A description of stage I: it is reviewed by hand, so nobody looks for the bear with it."""

    kind = HIRING_DESCRIPTION
    one_answer = False

    def feedback(self) -> dict[str, Any]:
        """Return what the writer is told."""
        return {"message": "Thank you! Your first texts will be read by a person before you go on."}

    def follow_ups(self, context: TaskContext, unit: UnitData, sentences: Sequence[str]) -> tuple[NewUnit, ...]:
        """Return no units."""
        return ()


def is_found(events: Sequence[EventData]) -> bool:
    """Return whether the bear has been found."""
    return any(event.kind == "found" and event.result.get("found") for event in events)


def draft(events: Sequence[EventData]) -> tuple[str, ...]:
    """Return the sentences of the last draft."""
    drafts = [event.result["sentences"] for event in events if event.kind == "draft"]
    return tuple(drafts[-1]) if drafts else ()


def record_look(events: Sequence[EventData], data: Data) -> dict[str, Any]:
    """Check a view that is to be recorded."""
    if sum(event.kind == "look" for event in events) >= MAX_LOOKS:
        raise InputError(f"at most {MAX_LOOKS:,} recorded views", "one more")
    parse_view(data)
    return {}


def last_look(unit: UnitData, events: Sequence[EventData]) -> dict[str, float]:
    """Return the view of the last action that holds one, else the first view, of which only the direction is known."""
    for event in reversed(events):
        if event.kind in ("look", "next"):
            return parse_view(event.data)
        if event.kind == "found":
            return parse_view(event.data["view"])
    heading, pitch = unit.payload["start"]
    return {"heading": heading, "pitch": pitch}


def _check_found(events: Sequence[EventData]) -> None:
    if not is_found(events):
        raise InputError("a bear that is found", "none yet", hint="Find it in the panorama before you write.")


def _earlier_texts(session: Session, answer: Answer) -> Iterator[list[str]]:
    """Yield the sentences of the worker's other texts in the same project."""
    project = select(Unit.project_id).where(Unit.id == answer.unit_id).scalar_subquery()
    query = (
        select(Answer.data)
        .join(Unit, Unit.id == Answer.unit_id)
        .where(Answer.worker_id == answer.worker_id, Answer.id != answer.id)
        .where(Unit.project_id == project, Unit.kind.in_(DESCRIPTION_KINDS))
    )
    for data in session.scalars(query):
        yield data["sentences"]
