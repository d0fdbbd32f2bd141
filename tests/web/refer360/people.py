"""People who take part in a collection of Refer360, without a browser: they use the queue as the server does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select

from bearleft.web.database.engines import Database
from bearleft.web.database.models import Event, Project, Unit, Worker
from bearleft.web.queue import events as event_log
from bearleft.web.queue import slots
from bearleft.web.queue.slots import Judgement, Lease, StoredAnswer
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.tasks import refer360
from bearleft.web.tasks.base import EventData, TaskContext, UnitData
from bearleft.web.tasks.registry import get_task

SENTENCES = (
    "look for the big window on the far wall.",
    "turn left until you see a small round table.",
    "the bear sits on the floor below it.",
)


def sentences(number: int) -> list[str]:
    """Return a good text; texts of other numbers differ."""
    return [f"{sentence[:-1]} near the {_word(number)} chair." for sentence in SENTENCES]


def _word(number: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in str(number)) + "ish"


def view(heading: float, pitch: float, vfov: float = 60.0) -> dict[str, float]:
    """Return a view as the browser sends it."""
    return {"heading": heading, "pitch": pitch, "vfov": vfov, "width": 800, "height": 600}


def answer_at(target: Sequence[float], by: str = "centre") -> dict[str, Any]:
    """Return the answer of a direction as the browser sends it."""
    heading, pitch = target
    return {"heading": heading, "pitch": pitch, "by": by, "view": view(heading, pitch)}


class Person:
    """A worker of a project."""

    def __init__(self, database: Database, worlds: SceneWorlds, project: str) -> None:
        self.database, self.worlds = database, worlds
        with database.write() as session:
            worker = Worker()
            session.add(worker)
            session.flush()
            self.id = worker.id
        with database.read() as session:
            self.project = session.scalars(select(Project).where(Project.name == project)).one()
        self.context = TaskContext(worlds, self.project.settings, self.id)

    def kinds(self) -> list[str]:
        """Return what the worker may do now."""
        with self.database.read() as session:
            return refer360.allowed_kinds(session, session.get_one(Project, self.project.id), self.id)

    def standing(self) -> refer360.Standing:
        """Return how far the worker is."""
        with self.database.read() as session:
            return refer360.standing(session, session.get_one(Project, self.project.id), self.id)

    def claim(self, *kinds: str) -> Lease | None:
        """Claim a unit of the kinds that are allowed now, or of others."""
        wanted = list(kinds) or self.kinds()
        return slots.claim(self.database, self.project.id, self.id, wanted) if wanted else None

    def unit(self, lease: Lease) -> UnitData:
        """Return a unit with its secrets."""
        with self.database.read() as session:
            unit = session.get_one(Unit, lease.unit_id)
            return UnitData(unit.id, unit.kind, unit.payload)

    def events(self, lease: Lease) -> list[EventData]:
        """Return what happened so far."""
        with self.database.read() as session:
            return [EventData(e.kind, e.data, e.result) for e in event_log.events_of(session, lease.attempt_id)]

    def view(self, lease: Lease) -> dict[str, Any]:
        """Return what the browser gets."""
        unit = self.unit(lease)
        return get_task(unit.kind).view(self.context, unit, self.events(lease))

    def act(self, lease: Lease, kind: str, **data: Any) -> dict[str, Any]:
        """Take an action."""

        def act(unit: Unit, events: Sequence[Event]) -> dict[str, Any]:
            recorded = [EventData(event.kind, event.data, event.result) for event in events]
            content = UnitData(unit.id, unit.kind, unit.payload)
            return get_task(unit.kind).act(self.context, content, recorded, kind, data)

        number = len(self.events(lease))
        return event_log.append(self.database, lease.attempt_id, self.id, lease.token, number, kind, data, act)

    def submit(self, lease: Lease, **data: Any) -> StoredAnswer:
        """Submit an answer."""

        def judge(_session: Any, _attempt: Any, unit: Unit, events: Sequence[Event]) -> Judgement:
            recorded = [EventData(event.kind, event.data, event.result) for event in events]
            content = UnitData(unit.id, unit.kind, unit.payload)
            outcome = get_task(unit.kind).submit(self.context, content, recorded, data)
            return Judgement(
                outcome.answer, outcome.feedback, outcome.accepted, outcome.follow_ups, after=outcome.after
            )

        return slots.submit(self.database, lease.attempt_id, self.id, lease.token, f"key {lease.attempt_id}", judge)

    def describe(self, lease: Lease, text: Sequence[str]) -> StoredAnswer:
        """Find the bear and write a text."""
        self.act(lease, "found", **answer_at(self.unit(lease).payload["target"]))
        return self.submit(lease, sentences=list(text))

    def find(self, lease: Lease, off: float = 0.0, by: str = "centre") -> StoredAnswer:
        """Read all sentences, and answer `off` degrees above or below the target."""
        unit = self.unit(lease)
        heading, pitch = unit.payload["target"]
        for k in range(self.view(lease)["count"] - 1):
            self.act(lease, "next", **view(heading + 10.0 * k, 5.0 * k))
        return self.submit(lease, **answer_at((heading, pitch + (-off if pitch > 0 else off)), by))
