"""Who a worker is on Prolific or MTurk, and the submissions with which a person comes from there.

Ids in addresses are no proof of who somebody is: anybody can type them. A person who is known already is therefore the
same worker on every browser, since nobody may do a unit twice, but such a browser belongs to the session only
(`cookie.Visitor`): it sees neither the person's own page nor a unit that was begun before the session.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from bearleft.errors import InputError, format_value
from bearleft.web.database.engines import Database
from bearleft.web.database.models import Answer, Attempt, Project, Slot, Unit, Worker
from bearleft.web.database.people import Identity, PlatformSession
from bearleft.web.people.cookie import Visitor
from bearleft.web.projects import get_project
from bearleft.web.queue.leases import Conflict
from bearleft.web.studies import study_settings

PLATFORM_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


@dataclass(frozen=True)
class Entry:
    """How somebody came from a platform.

    Attributes:
        platform: "prolific" or "mturk".
        participant: The person's id there.
        study: The study, or the HIT.
        session: The submission, or the assignment.
    """

    platform: str
    participant: str
    study: str
    session: str

    def __post_init__(self) -> None:
        for name in ("participant", "study", "session"):
            value = getattr(self, name)
            if not PLATFORM_ID.fullmatch(value):
                raise InputError("an id of the platform: letters and digits, at most 64", format_value(value), name)


def enter(database: Database, name: str, entry: Entry, visitor: Visitor | None) -> Visitor:
    """Return who comes from a platform: a new worker, or the one that is known by this id.

    Args:
        database: The database.
        name: The project.
        entry: The ids of the address.
        visitor: Whose cookie the browser has.
    """

    def store(session: Session) -> Visitor:
        project = get_project(session, name)
        query = select(Identity).where(Identity.platform == entry.platform, Identity.participant == entry.participant)
        identity = session.scalar(query)
        known = identity is not None
        if identity is None:
            worker = Worker()
            session.add(worker)
            session.flush()
            identity = Identity(worker_id=worker.id, platform=entry.platform, participant=entry.participant)
            session.add(identity)
            session.flush()
        same = select(PlatformSession).where(
            PlatformSession.identity_id == identity.id,
            PlatformSession.project_id == project.id,
            PlatformSession.session == entry.session,
        )
        row = session.scalar(same)
        if row is None:
            row = PlatformSession(
                identity_id=identity.id,
                project_id=project.id,
                study=entry.study,
                session=entry.session,
                started=database.now(),
            )
            session.add(row)
            session.flush()
        own = Visitor(identity.worker_id)
        return own if not known or visitor == own else Visitor(identity.worker_id, row.id)

    try:
        return database.transact(store)
    except IntegrityError:  # the same address was opened twice at once
        return database.transact(store)


def find_session(session: Session, project: Project, entry: Entry) -> PlatformSession | None:
    """Return the session of an address; None before it was opened."""
    query = (
        select(PlatformSession)
        .join(Identity, Identity.id == PlatformSession.identity_id)
        .where(Identity.platform == entry.platform, Identity.participant == entry.participant)
        .where(PlatformSession.project_id == project.id, PlatformSession.session == entry.session)
    )
    return session.scalar(query)


def open_session(session: Session, project: Project, visitor: Visitor) -> PlatformSession | None:
    """Return the session that a worker's browser works for: its own one, or the newest."""
    query = (
        select(PlatformSession)
        .join(Identity, Identity.id == PlatformSession.identity_id)
        .where(Identity.worker_id == visitor.worker_id, PlatformSession.project_id == project.id)
        .order_by(PlatformSession.finished.is_not(None), PlatformSession.started.desc(), PlatformSession.id.desc())
    )
    if visitor.session_id is not None:
        query = query.where(PlatformSession.id == visitor.session_id)
    return session.scalars(query.limit(1)).first()


def count_answers(
    starts: Sequence[tuple[datetime, datetime | None]], answers: Sequence[datetime], units: int, number: int
) -> int:
    """Return how many answers count for one session of a worker.

    An answer counts once: for the session that was opened last before it and still lacks answers.

    Args:
        starts: When the sessions were opened and finished, in the order of opening.
        answers: When the answers were stored, in order.
        units: How many answers a session asks for.
        number: Which session.
    """
    counts = [0] * len(starts)
    for time in answers:
        for k in reversed(range(len(starts))):
            started, finished = starts[k]
            if started <= time and counts[k] < units and (finished is None or time <= finished):
                counts[k] += 1
                break
    return counts[number]


def done_units(session: Session, project: Project, row: PlatformSession) -> int:
    """Return how many units were submitted for a session."""
    worker = session.scalar(select(Identity.worker_id).where(Identity.id == row.identity_id))
    sessions = session.scalars(
        select(PlatformSession)
        .where(PlatformSession.identity_id == row.identity_id, PlatformSession.project_id == project.id)
        .order_by(PlatformSession.started, PlatformSession.id)
    ).all()
    answers = session.scalars(
        select(Answer.created)
        .join(Unit, Unit.id == Answer.unit_id)
        .where(Answer.worker_id == worker, Unit.project_id == project.id)
        .order_by(Answer.id)
    ).all()
    units = study_settings(project.family, project.settings).session_units
    starts = [(one.started, one.finished) for one in sessions]
    return count_answers(starts, answers, units, [one.id for one in sessions].index(row.id))


def finish_session(database: Database, name: str, session_id: int, nothing_left: bool = False) -> bool:
    """Note that a session is complete, if it is; return whether it is.

    Args:
        database: The database.
        name: The project.
        session_id: The session.
        nothing_left: Whether there is nothing to do any more. Then one answer is enough: a person is not to be refused
            the completion for a lack of work.
    """

    def finish(session: Session) -> bool:
        project = get_project(session, name)
        row = session.get(PlatformSession, session_id, with_for_update={"key_share": True})
        if row is None:
            return False
        if row.finished is None:
            done = done_units(session, project, row)
            wanted = study_settings(project.family, project.settings).session_units
            if done >= wanted or (nothing_left and done):
                row.finished = database.now()
        return row.finished is not None

    return database.transact(finish)


def set_aside(database: Database, project_id: int, visitor: Visitor) -> None:
    """Keep units that a worker began before a session from a browser that belongs to the session only.

    Those whose lease has expired are given back.

    Raises:
        Conflict: The worker has such a unit open elsewhere.
    """
    if visitor.session_id is None:
        return

    def give_back(session: Session) -> None:
        started = session.scalar(select(PlatformSession.started).where(PlatformSession.id == visitor.session_id))
        if started is None:
            return
        now = database.now()
        query = (
            select(Attempt)
            .join(Unit, Unit.id == Attempt.unit_id)
            .where(Unit.project_id == project_id, Attempt.worker_id == visitor.worker_id)
            .where(Attempt.started < started, Attempt.state.in_(("active", "expired")))
            .with_for_update(of=Attempt, key_share=True)
        )
        for attempt in session.scalars(query):
            if attempt.state == "active" and attempt.expires > now:
                minutes = int((attempt.expires - now).total_seconds() // 60) + 1
                raise Conflict(
                    "You have a task open in another browser. Please go on there, "
                    f"or come again in {minutes} minute{'s' if minutes > 1 else ''}."
                )
            session.execute(update(Slot).where(Slot.attempt_id == attempt.id).values(attempt_id=None))
            attempt.state, attempt.finished = "returned", now

    database.transact(give_back)
