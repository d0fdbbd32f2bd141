"""A person who takes part in a project, without a browser: the queue and the tasks are used as the server does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select

from bearleft.records import Episode
from bearleft.web.database.engines import Database
from bearleft.web.database.models import Event, Project, Unit, Worker
from bearleft.web.projects import allowed_kinds, standing_message
from bearleft.web.queue import events as event_log
from bearleft.web.queue import slots
from bearleft.web.queue.slots import Judgement, Lease, StoredAnswer
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.tasks.base import TaskContext, UnitData
from bearleft.web.tasks.registry import get_task
from bearleft.web.work import event_data, unit_data


class Person:
    """A worker of a project."""

    def __init__(self, database: Database, worlds: SceneWorlds, project: str = "study") -> None:
        self.database, self.worlds = database, worlds
        with database.write() as session:
            worker = Worker()
            session.add(worker)
            session.flush()
            self.id, self.pseudonym = worker.id, worker.pseudonym
        with database.read() as session:
            self.project = session.scalars(select(Project).where(Project.name == project)).one()
        self.context = TaskContext(worlds, self.project.settings, self.id)

    def kinds(self) -> list[str]:
        """Return what the worker may do now."""
        with self.database.read() as session:
            return list(allowed_kinds(session, session.get_one(Project, self.project.id), self.id))

    def message(self) -> str:
        """Return what the project's page tells the worker."""
        with self.database.read() as session:
            return standing_message(session, session.get_one(Project, self.project.id), self.id)

    def claim(self, *kinds: str) -> Lease | None:
        """Claim a unit of the kinds that are allowed now, or of others."""
        wanted = list(kinds) or self.kinds()
        return slots.claim(self.database, self.project.id, self.id, wanted) if wanted else None

    def unit(self, lease: Lease) -> UnitData:
        """Return a unit with its secrets."""
        with self.database.read() as session:
            return unit_data(session.get_one(Unit, lease.unit_id))

    def episode(self, lease: Lease) -> Episode:
        """Return the episode of a unit."""
        payload = self.unit(lease).payload
        return self.worlds.episode(payload["dataset"], payload["episode"])

    def events(self, lease: Lease) -> list[Any]:
        """Return what happened so far."""
        with self.database.read() as session:
            return event_data(event_log.events_of(session, lease.attempt_id))

    def view(self, lease: Lease) -> dict[str, Any]:
        """Return what the browser gets."""
        unit = self.unit(lease)
        return get_task(unit.kind).view(self.context, unit, self.events(lease))

    def act(self, lease: Lease, kind: str, **data: Any) -> dict[str, Any]:
        """Take an action."""

        def act(unit: Unit, events: Sequence[Event]) -> dict[str, Any]:
            return get_task(unit.kind).act(self.context, unit_data(unit), event_data(events), kind, data)

        number = len(self.events(lease))
        return event_log.append(self.database, lease.attempt_id, self.id, lease.token, number, kind, data, act)

    def submit(self, lease: Lease, **data: Any) -> StoredAnswer:
        """Submit an answer."""

        def judge(_session: Any, _attempt: Any, unit: Unit, events: Sequence[Event]) -> Judgement:
            outcome = get_task(unit.kind).submit(self.context, unit_data(unit), event_data(events), data)
            return Judgement(
                outcome.answer, outcome.feedback, outcome.accepted, outcome.follow_ups, after=outcome.after
            )

        return slots.submit(self.database, lease.attempt_id, self.id, lease.token, f"key {lease.attempt_id}", judge)
