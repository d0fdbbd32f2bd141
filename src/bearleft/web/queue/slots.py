"""Units of work and who does them: add, claim, return, submit.

A unit has as many slots as answers are wanted, each of another worker. A claim takes one free slot for a worker. Who
gives no sign of life until the lease expires loses the slot to whoever claims next.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import BindParameter, Select, bindparam, exists, func, insert, select
from sqlalchemy.orm import Session

from bearleft.errors import InputError, format_value
from bearleft.web.database.engines import Database
from bearleft.web.database.models import NAME_LENGTH, Answer, Attempt, Event, Project, Slot, Unit
from bearleft.web.database.values import MAX_INTEGER, check_json, check_text
from bearleft.web.queue.events import events_of
from bearleft.web.queue.leases import (
    LEASE_SECONDS,
    Conflict,
    Lease,
    NotFound,
    QueueError,
    Stale,
    check_unfinished,
    extend,
    find_attempt,
    keep,
    lease_of,
    lock_attempt,
    lock_worker,
    take_back,
)

__all__ = [
    "Conflict",
    "Judgement",
    "Lease",
    "NewUnit",
    "NotFound",
    "QueueError",
    "Stale",
    "StoredAnswer",
    "add_slots",
    "add_units",
    "assign_unit",
    "claim",
    "find_attempt",
    "give_back",
    "heartbeat",
    "open_play",
    "submit",
]

MAX_SLOTS = 1000
MAX_PRIORITY = 1_000_000
ASSIGNED_SECONDS = 10 * 365 * 24 * 3600  # a unit that is meant for one worker waits for that worker


@dataclass(frozen=True)
class NewUnit:
    """A unit to add.

    Attributes:
        kind: The task, such as "touchdown/writing".
        payload: Its content.
        slots: How many answers are wanted, each of another worker; open projects do not count them.
        writer_id: The worker whose text it shows, who never gets it.
        parent_id: The unit it follows from; of follow-ups of an answer, its unit by default.
        priority: Units of higher priority are given out first.
    """

    kind: str
    payload: Mapping[str, Any]
    slots: int = 1
    writer_id: int | None = None
    parent_id: int | None = None
    priority: int = 0


@dataclass(frozen=True)
class Judgement:
    """What becomes of a submitted answer.

    Attributes:
        answer: What is stored.
        feedback: What the browser is told.
        accepted: Whether the answer meets the rules of the task. The slot is done in any case.
        follow_ups: Units to add.
        after: Called in the same transaction when all this is written, for what a project keeps besides.
    """

    answer: dict[str, Any]
    feedback: dict[str, Any] = field(default_factory=dict)
    accepted: bool = True
    follow_ups: Sequence[NewUnit] = ()
    after: Callable[[Session, Answer], None] | None = None


@dataclass(frozen=True)
class StoredAnswer:
    """An answer that the database holds.

    Attributes:
        id: Its number.
        attempt_id: The attempt.
        unit_id: The unit.
        code: The completion code.
        data: The content.
        feedback: What the browser is told.
        accepted: Whether it meets the rules of the task.
        created: When it was stored.
    """

    id: int
    attempt_id: str
    unit_id: int
    code: str
    data: dict[str, Any]
    feedback: dict[str, Any]
    accepted: bool
    created: datetime


def add_units(session: Session, project_id: int, units: Sequence[NewUnit]) -> list[Unit]:
    """Add units with free slots to a project, and return them in the same order.

    Raises:
        NotFound: There is no such project.
        InputError: The payload cannot be stored, or a number is out of range.
    """
    project = session.get(Project, project_id)
    if project is None:
        raise NotFound("There is no such project.")
    for new in units:
        check_text(new.kind, "kind", NAME_LENGTH)
        check_json(dict(new.payload), "payload")
        if not 1 <= new.slots <= MAX_SLOTS:
            raise InputError(f"1 to {MAX_SLOTS} slots", format_value(new.slots), "slots")
        if abs(new.priority) > MAX_PRIORITY:
            raise InputError(f"a priority within {MAX_PRIORITY:,}", format_value(new.priority), "priority")
    rows = [
        Unit(
            project_id=project_id,
            kind=new.kind,
            payload=dict(new.payload),
            slots=new.slots,
            writer_id=new.writer_id,
            parent_id=new.parent_id,
            priority=new.priority,
        )
        for new in units
    ]
    session.add_all(rows)
    session.flush()
    slots = [{"unit_id": row.id, "number": k} for row in rows if not project.open for k in range(row.slots)]
    if slots:
        session.execute(insert(Slot), slots)
    return rows


def add_slots(session: Session, unit_id: int, count: int = 1) -> None:
    """Ask for more answers of a unit, of workers who have not done it yet; a unit that was closed is open again.

    Args:
        session: A session that writes, such as the one of `Judgement.after`.
        unit_id: A unit of a project that is not open to all.
        count: How many answers more.

    Raises:
        InputError: The unit would have too many slots.
    """
    unit = session.get_one(Unit, unit_id, with_for_update={"key_share": True})
    if count < 1 or unit.slots + count > MAX_SLOTS:
        raise InputError(f"1 to {MAX_SLOTS} slots", format_value(unit.slots + count), "slots")
    session.execute(insert(Slot), [{"unit_id": unit.id, "number": unit.slots + k} for k in range(count)])
    unit.slots += count
    unit.closed = False


def assign_unit(session: Session, project_id: int, new: NewUnit, worker_id: int, now: datetime) -> int:
    """Add a unit with one slot that a worker holds from the beginning, and return its number.

    It is the worker's next unit; nobody else gets it unless the worker returns it.

    Args:
        session: A session that writes, such as the one of `Judgement.after`.
        project_id: A project that is not open to all.
        new: The unit.
        worker_id: The worker.
        now: The time.
    """
    unit_id = add_units(session, project_id, [replace(new, slots=1)])[0].id
    attempt = _start(session, unit_id, worker_id, 0, now, ASSIGNED_SECONDS)
    slot = session.scalars(select(Slot).where(Slot.unit_id == unit_id)).one()
    slot.attempt_id = attempt.id
    return unit_id


def claim(
    database: Database,
    project_id: int,
    worker_id: int,
    kinds: Sequence[str] | None = None,
    lease_seconds: int = LEASE_SECONDS,
) -> Lease | None:
    """Give a worker a unit of a project, or the one that the worker already has.

    Nobody gets a unit that shows the own text, or one answered or returned before. Higher priorities come first, then
    lower numbers. Slots of expired leases are taken back first; who lost one may get the same unit again, in the
    state in which it was left.

    Args:
        database: The database.
        project_id: The project.
        worker_id: The worker.
        kinds: The kinds of units to choose from; all by default.
        lease_seconds: How long the slot is kept after a sign of life.

    Returns:
        The lease, or None if there is nothing to do for this worker now.

    Raises:
        NotFound: There is no such worker.
    """
    values = {"project": project_id, "worker": worker_id, "kinds": None if kinds is None else list(kinds)}
    own, free = _queries(kinds is not None)

    def take(session: Session) -> Lease | None:
        lock_worker(session, worker_id)
        now = database.now()
        if (active := session.execute(own, values).first()) is not None:
            extend(active[0], now)
            return lease_of(*active)
        take_back(session, now)
        found = session.execute(free, values).first()
        if found is None:
            return None
        slot, unit = found
        attempt = session.scalar(select(Attempt).where(Attempt.unit_id == unit.id, Attempt.worker_id == worker_id))
        if attempt is None:
            attempt = _start(session, unit.id, worker_id, 0, now, lease_seconds)
        else:
            attempt.state = "active"
            extend(attempt, now)
        slot.attempt_id = attempt.id
        return lease_of(attempt, unit)

    return database.transact(take)


@cache
def _queries(of_kinds: bool) -> tuple[Select[Attempt, Unit], Select[Slot, Unit]]:
    """Return the queries of `claim` for the unit that a worker has, and for the next one.

    They are built once: that takes longer than the database needs for them.
    """
    worker: BindParameter[int] = bindparam("worker")
    wanted = [Unit.project_id == bindparam("project"), ~Unit.closed]
    if of_kinds:
        wanted.append(Unit.kind.in_(bindparam("kinds", expanding=True)))
    own = (
        select(Attempt, Unit)
        .join(Unit, Unit.id == Attempt.unit_id)
        .where(Attempt.worker_id == worker, Attempt.state == "active", *wanted)
        .order_by(Attempt.started, Unit.id)
        .limit(1)
        .with_for_update(of=Attempt, key_share=True)
    )
    done_before = exists().where(Attempt.unit_id == Unit.id, Attempt.worker_id == worker, Attempt.state != "expired")
    free = (
        select(Slot, Unit)
        .join(Unit, Unit.id == Slot.unit_id)
        .where(*wanted, Slot.attempt_id.is_(None), Unit.writer_id.is_distinct_from(worker), ~done_before)
        .order_by(Unit.priority.desc(), Unit.id)
        .limit(1)
        .with_for_update(of=Slot, skip_locked=True)
    )
    return own, free


def _start(session: Session, unit_id: int, worker_id: int, number: int, now: datetime, lease_seconds: int) -> Attempt:
    attempt = Attempt(
        unit_id=unit_id,
        worker_id=worker_id,
        round=number,
        lease_seconds=lease_seconds,
        expires=now + timedelta(seconds=lease_seconds),
        started=now,
    )
    session.add(attempt)
    session.flush()
    return attempt


def open_play(database: Database, unit_id: int, worker_id: int, lease_seconds: int = LEASE_SECONDS) -> Lease:
    """Let a worker do a unit of an open project: go on with an active attempt, or start a new round.

    Raises:
        NotFound: There is no such unit or worker, or the project is not open.
    """

    def play(session: Session) -> Lease:
        lock_worker(session, worker_id)
        unit = session.get(Unit, unit_id) if 0 < unit_id <= MAX_INTEGER else None
        if unit is None or unit.closed or not session.get_one(Project, unit.project_id).open:
            raise NotFound("There is nothing to play here.")
        now = database.now()
        rounds = select(Attempt).where(Attempt.unit_id == unit_id, Attempt.worker_id == worker_id)
        latest = session.scalar(rounds.order_by(Attempt.round.desc()).limit(1))
        if latest is not None and latest.state == "active":
            if latest.expires > now:
                extend(latest, now)
                return lease_of(latest, unit)
            latest.state = "expired"
        number = 0 if latest is None else latest.round + 1
        return lease_of(_start(session, unit_id, worker_id, number, now, lease_seconds), unit)

    return database.transact(play)


def heartbeat(database: Database, attempt_id: str, worker_id: int, token: str) -> datetime:
    """Extend the lease of an attempt, and return when it expires.

    Raises:
        NotFound: There is no such attempt, or it is somebody else's.
        Stale: The token is wrong, the unit was returned, or somebody else has its slot.
        Conflict: The attempt was submitted.
    """

    def extend_lease(session: Session) -> datetime:
        attempt = lock_attempt(session, attempt_id, worker_id, token)
        keep(session, attempt, database.now())
        return attempt.expires

    return database.transact(extend_lease)


def give_back(database: Database, attempt_id: str, worker_id: int, token: str) -> None:
    """Return a unit, which the worker never gets again; once more does nothing.

    Raises:
        NotFound: There is no such attempt, or it is somebody else's.
        Stale: The token is wrong.
        Conflict: The attempt was submitted.
    """

    def give(session: Session) -> None:
        attempt = lock_attempt(session, attempt_id, worker_id, token)
        if attempt.state == "returned":
            return
        check_unfinished(attempt)
        attempt.state = "returned"
        attempt.finished = database.now()
        slot = session.scalar(select(Slot).where(Slot.attempt_id == attempt.id).with_for_update())
        if slot is not None:
            slot.attempt_id = None

    database.transact(give)


def submit(
    database: Database,
    attempt_id: str,
    worker_id: int,
    token: str,
    key: str,
    judge: Callable[[Session, Attempt, Unit, list[Event]], Judgement],
) -> StoredAnswer:
    """Judge and store an answer, close its slot and add what follows, all in one transaction.

    A request that comes again with the same key gets the stored answer, whenever that is. An attempt whose lease
    expired may still be submitted while its slot is free.

    Args:
        database: The database.
        attempt_id: The attempt.
        worker_id: The worker whose browser asks.
        token: The token of the attempt.
        key: The idempotency key of the request, chosen by the browser.
        judge: Judges the answer. It may read and write in the session, and run more than once; nothing of a run that
            failed is stored. While it runs, no other answer of the unit is submitted.

    Raises:
        InputError: The key cannot be stored, or `judge` refused the answer.
        NotFound: There is no such attempt, or it is somebody else's.
        Stale: The token is wrong, the unit was returned, or somebody else has its slot.
        Conflict: The attempt was submitted with another key.
    """
    check_text(key, "key", NAME_LENGTH)
    if not key:
        raise InputError("a key that is not empty", '""', "key")

    def store(session: Session) -> StoredAnswer:
        attempt = lock_attempt(session, attempt_id, worker_id, token)
        answer = session.scalar(select(Answer).where(Answer.attempt_id == attempt_id))
        if answer is not None:
            if answer.key != key:
                raise Conflict("You have already submitted this unit of work.")
            return _stored(answer)
        now = database.now()
        keep(session, attempt, now)
        unit = session.get_one(Unit, attempt.unit_id, with_for_update={"key_share": True}, populate_existing=True)
        judgement = judge(session, attempt, unit, events_of(session, attempt_id))
        answer = Answer(
            attempt_id=attempt_id,
            unit_id=unit.id,
            worker_id=worker_id,
            key=key,
            data=check_json(judgement.answer, "answer"),
            feedback=check_json(judgement.feedback, "feedback"),
            accepted=judgement.accepted,
            created=now,
        )
        session.add(answer)
        attempt.state = "submitted"
        attempt.finished = now
        _close(session, attempt, unit)
        if judgement.follow_ups:
            add_units(session, unit.project_id, [_child(new, unit) for new in judgement.follow_ups])
        if judgement.after is not None:
            judgement.after(session, answer)
        session.flush()
        return _stored(answer)

    return database.transact(store)


def _close(session: Session, attempt: Attempt, unit: Unit) -> None:
    """Close the slot of an attempt, and its unit with the last slot; units of open projects have no slots."""
    slot = session.scalar(select(Slot).where(Slot.attempt_id == attempt.id).with_for_update())
    if slot is not None:
        slot.done = True
    session.flush()
    if slot is not None:
        wanted = select(func.count()).select_from(Slot).where(Slot.unit_id == unit.id, ~Slot.done)
        unit.closed = unit.closed or session.scalar(wanted) == 0


def _child(new: NewUnit, unit: Unit) -> NewUnit:
    return new if new.parent_id is not None else replace(new, parent_id=unit.id)


def _stored(answer: Answer) -> StoredAnswer:
    return StoredAnswer(
        id=answer.id,
        attempt_id=answer.attempt_id,
        unit_id=answer.unit_id,
        code=answer.code,
        data=answer.data,
        feedback=answer.feedback,
        accepted=answer.accepted,
        created=answer.created,
    )
