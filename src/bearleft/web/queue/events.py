"""The log of what a person did in an attempt: numbered, only ever added to, stored before the response is sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from bearleft.errors import InputError, format_value
from bearleft.web.database.engines import Database
from bearleft.web.database.models import NAME_LENGTH, Event, Unit
from bearleft.web.database.values import canonical_json, check_json, check_text
from bearleft.web.queue.leases import Conflict, check_unfinished, find_attempt, keep, lock_attempt

MAX_EVENTS = 5_000  # of one attempt
MAX_EVENT_BYTES = 256_000  # of the data of one event


def events_of(session: Session, attempt_id: str) -> list[Event]:
    """Return the events of an attempt in order."""
    return list(session.scalars(select(Event).where(Event.attempt_id == attempt_id).order_by(Event.number)))


def append(
    database: Database,
    attempt_id: str,
    worker_id: int,
    token: str,
    number: int,
    kind: str,
    data: Mapping[str, Any],
    act: Callable[[Unit, list[Event]], dict[str, Any]],
) -> dict[str, Any]:
    """Store the next event of an attempt, and return its result. The lease is extended.

    A request that comes again (same number, kind and data) gets the stored result, also after the attempt ended.

    Args:
        database: The database.
        attempt_id: The attempt.
        worker_id: The worker whose browser asks.
        token: The token of the attempt.
        number: The number of the event; the next one is the number of events so far.
        kind: What the person did.
        data: What the browser sent.
        act: Computes the result from the unit and the events so far. No lock is held meanwhile; it may run although
            the event is then not stored.

    Raises:
        InputError: The event is malformed or too large, there are too many, or `act` refused it.
        NotFound: There is no such attempt, or it is somebody else's.
        Stale: The token is wrong, the unit was returned, or somebody else has its slot.
        Conflict: Another event has this number, events before it are missing, or the attempt was submitted.
    """
    _check(number, kind, data)
    with database.read() as session:
        attempt = find_attempt(session, attempt_id, worker_id, token)
        events = events_of(session, attempt_id)
        if number < len(events):
            return _replay(events[number], kind, data)
        check_unfinished(attempt)
        if number > len(events):
            raise Conflict(f"Action {len(events)} comes next, not {number}. Please load the page again.")
        unit = session.get_one(Unit, attempt.unit_id)
    result = act(unit, events)
    check_json(result, "result")

    # What the result depends on, the events before, never changes: only another event of this number is in the way.
    def store(session: Session) -> dict[str, Any]:
        attempt = lock_attempt(session, attempt_id, worker_id, token)
        other = session.scalar(select(Event).where(Event.attempt_id == attempt_id, Event.number == number))
        if other is not None:
            return _replay(other, kind, data)
        now = database.now()
        keep(session, attempt, now)
        session.add(Event(attempt_id=attempt_id, number=number, kind=kind, data=dict(data), result=result, time=now))
        return result

    return database.transact(store)


def _check(number: int, kind: str, data: Mapping[str, Any]) -> None:
    if number < 0:
        raise InputError("a number from 0", format_value(number), "number")
    if number >= MAX_EVENTS:
        hint = "Please submit or return this unit of work."
        raise InputError(f"at most {MAX_EVENTS:,} actions", "more", "number", hint=hint)
    check_text(kind, "kind", NAME_LENGTH)
    if not isinstance(data, Mapping):
        raise InputError("an object", format_value(data), "data")
    check_json(dict(data), "data", MAX_EVENT_BYTES)


def _replay(event: Event, kind: str, data: Mapping[str, Any]) -> dict[str, Any]:
    if event.kind != kind or canonical_json(event.data) != canonical_json(dict(data)):
        raise Conflict(f"Another action {event.number} is stored. Please load the page again.")
    return event.result
