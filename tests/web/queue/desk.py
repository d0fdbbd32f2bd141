"""A project with workers, on a clock that the test sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from bearleft.web.database.engines import Database
from bearleft.web.database.models import Answer, Attempt, Event, Project, Slot, Unit, Worker
from bearleft.web.queue import events, slots
from bearleft.web.queue.slots import Judgement, Lease, NewUnit, StoredAnswer

LEASE = 600


@dataclass
class Clock:
    """A clock that stands still until it is moved."""

    time: datetime = datetime(2031, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time

    def advance(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


@dataclass
class Desk:
    """Calls of the queue by the numbers of workers.

    Attributes:
        database: The database, on `clock`.
        clock: The clock.
        project: Its project.
        workers: The ids of its workers.
        judged: The attempts that were judged, in order.
    """

    database: Database
    clock: Clock
    project: int
    workers: list[int]
    judged: list[str] = field(default_factory=list)

    @staticmethod
    def of(database: Database, workers: int = 4, open_to_all: bool = False) -> Desk:
        """Return a new project of a database whose clock is a `Clock`."""
        clock = database.clock
        assert isinstance(clock, Clock)
        with database.write() as session:
            people = [Worker() for _ in range(workers)]
            project = Project(name=f"project {session.query(Project).count()}", family="play", open=open_to_all)
            session.add_all([*people, project])
            session.flush()
            return Desk(database, clock, project.id, [person.id for person in people])

    def add(self, *units: NewUnit) -> list[int]:
        with self.database.write() as session:
            return [unit.id for unit in slots.add_units(session, self.project, units)]

    def claim(self, worker: int, kinds: Sequence[str] | None = None) -> Lease | None:
        return slots.claim(self.database, self.project, self.workers[worker], kinds, LEASE)

    def take(self, worker: int, kinds: Sequence[str] | None = None) -> Lease:
        lease = self.claim(worker, kinds)
        assert lease is not None
        return lease

    def play(self, worker: int, unit: int) -> Lease:
        return slots.open_play(self.database, unit, self.workers[worker])

    def append(self, worker: int, lease: Lease, number: int, data: dict[str, Any] | None = None) -> dict[str, Any]:
        def act(_unit: Unit, before: list[Event]) -> dict[str, Any]:
            return {"before": [event.data for event in before]}

        person = self.workers[worker]
        return events.append(self.database, lease.attempt_id, person, lease.token, number, "step", data or {}, act)

    def heartbeat(self, worker: int, lease: Lease) -> datetime:
        return slots.heartbeat(self.database, lease.attempt_id, self.workers[worker], lease.token)

    def give_back(self, worker: int, lease: Lease) -> None:
        slots.give_back(self.database, lease.attempt_id, self.workers[worker], lease.token)

    def submit(
        self, worker: int, lease: Lease, key: str = "key", follow_ups: Sequence[NewUnit] = (), accepted: bool = True
    ) -> StoredAnswer:
        def judge(_session: Session, attempt: Attempt, _unit: Unit, before: list[Event]) -> Judgement:
            self.judged.append(attempt.id)
            return Judgement({"steps": [event.data for event in before]}, {"well": "done"}, accepted, follow_ups)

        return slots.submit(self.database, lease.attempt_id, self.workers[worker], lease.token, key, judge)

    def unit(self, unit: int) -> Unit:
        with self.database.read() as session:
            return session.get_one(Unit, unit)

    def attempt(self, lease: Lease) -> Attempt:
        with self.database.read() as session:
            return session.get_one(Attempt, lease.attempt_id)

    def answers(self) -> list[Answer]:
        with self.database.read() as session:
            return list(session.scalars(select(Answer).order_by(Answer.id)))

    def check(self) -> None:
        """Check what holds between the tables at any time."""
        with self.database.read() as session:
            units = {unit.id: unit for unit in session.scalars(select(Unit))}
            attempts = {attempt.id: attempt for attempt in session.scalars(select(Attempt))}
            answers = {answer.attempt_id: answer for answer in session.scalars(select(Answer))}
            rows = list(session.scalars(select(Slot)))
            log = list(session.scalars(select(Event).order_by(Event.attempt_id, Event.number)))
        limited = {slot.unit_id for slot in rows}
        holders = {slot.attempt_id for slot in rows if slot.attempt_id is not None}
        working = {a.id for a in attempts.values() if a.state in ("active", "submitted") and a.unit_id in limited}
        assert holders == working
        assert {slot.attempt_id for slot in rows if slot.done} == {a for a in answers if attempts[a].unit_id in limited}
        assert set(answers) == {a.id for a in attempts.values() if a.state == "submitted"}
        for slot in rows:
            assert slot.attempt_id is None or attempts[slot.attempt_id].unit_id == slot.unit_id
        for unit in units.values():
            own = [slot for slot in rows if slot.unit_id == unit.id]
            assert len(own) in (0, unit.slots)
            assert unit.closed == (bool(own) and all(slot.done for slot in own))
        for attempt in attempts.values():
            assert attempt.worker_id != units[attempt.unit_id].writer_id
            numbers = [event.number for event in log if event.attempt_id == attempt.id]
            assert numbers == list(range(len(numbers)))
        for answer in answers.values():
            attempt = attempts[answer.attempt_id]
            assert (answer.unit_id, answer.worker_id) == (attempt.unit_id, attempt.worker_id)
