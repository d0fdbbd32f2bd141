"""Attempts of workers and their leases: find, lock, extend, and take back the slots of those who went away.

A transaction that changes an attempt locks its worker first, so that two requests of one worker follow each other.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from bearleft.web.database.models import Attempt, Project, Slot, Unit, Worker

LEASE_SECONDS = 600
_ATTEMPT_ID = re.compile(r"[0-9a-f]{32}")
_TAKEN_BACK = 500  # leases at most in one transaction


@dataclass(eq=False)
class QueueError(Exception):
    """What a worker asked for is not possible.

    Attributes:
        message: The reason, for people.
    """

    message: str

    def __str__(self) -> str:
        return self.message


class NotFound(QueueError):  # noqa: N818
    """There is no such attempt, unit or project, or it is somebody else's."""


class Stale(QueueError):  # noqa: N818
    """The attempt no longer has its slot."""


class Conflict(QueueError):  # noqa: N818
    """Something else was stored in the same place before."""


@dataclass(frozen=True)
class Lease:
    """A unit that is kept for a worker.

    Attributes:
        attempt_id: The attempt.
        token: Shows that a request comes from the page of the attempt.
        unit_id: The unit.
        kind: The kind of the unit.
        round: 0 in work; in open projects the worker's earlier attempts at the unit.
        expires: When the unit may be given to somebody else, without a sign of life.
    """

    attempt_id: str
    token: str
    unit_id: int
    kind: str
    round: int
    expires: datetime


def lease_of(attempt: Attempt, unit: Unit) -> Lease:
    """Return the lease of an attempt."""
    return Lease(attempt.id, attempt.token, unit.id, unit.kind, attempt.round, attempt.expires)


def lock_worker(session: Session, worker_id: int) -> None:
    """Let other transactions of the worker wait for this one.

    Raises:
        NotFound: There is no such worker.
    """
    # FOR NO KEY UPDATE: rows that refer to the worker can be written meanwhile.
    statement = select(Worker.id).where(Worker.id == worker_id).with_for_update(key_share=True)
    if session.scalar(statement) is None:
        raise NotFound("You are not known here. Please open the first page again.")


def find_attempt(session: Session, attempt_id: str, worker_id: int, token: str | None = None) -> Attempt:
    """Return an attempt of a worker, in whatever state.

    Args:
        session: A session that reads or writes.
        attempt_id: The attempt, as a browser names it.
        worker_id: The worker.
        token: The token that the browser sent; None does not check it.

    Raises:
        NotFound: There is no such attempt, or it is somebody else's.
        Stale: The token is another one.
    """
    return _find(session, attempt_id, worker_id, token, lock=False)


def _find(session: Session, attempt_id: str, worker_id: int, token: str | None, *, lock: bool) -> Attempt:
    options = {"key_share": True} if lock else None
    found = _ATTEMPT_ID.fullmatch(attempt_id)
    attempt = session.get(Attempt, attempt_id, with_for_update=options) if found else None
    if attempt is None or attempt.worker_id != worker_id:
        raise NotFound("This unit of work does not exist, or it is not yours.")
    if token is not None and not secrets.compare_digest(attempt.token.encode(), token.encode(errors="replace")):
        raise Stale("This page is out of date. Please load it again.")
    return attempt


def lock_attempt(session: Session, attempt_id: str, worker_id: int, token: str) -> Attempt:
    """Return an attempt as `find_attempt` does, and let other transactions on it wait for this one."""
    lock_worker(session, worker_id)
    return _find(session, attempt_id, worker_id, token, lock=True)


def check_unfinished(attempt: Attempt) -> None:
    """Raise an error if an attempt was submitted or returned.

    Raises:
        Conflict: It was submitted.
        Stale: It was returned.
    """
    if attempt.state == "submitted":
        raise Conflict("You have already submitted this unit of work.")
    if attempt.state == "returned":
        raise Stale("You have returned this unit of work.")


def keep(session: Session, attempt: Attempt, now: datetime) -> None:
    """Extend the lease of a locked attempt; one that expired gets its slot again unless somebody else took it.

    Raises:
        Conflict: The attempt was submitted.
        Stale: It was returned, or somebody else has the slot.
    """
    check_unfinished(attempt)
    if attempt.state == "expired":
        _revive(session, attempt)
    extend(attempt, now)


def extend(attempt: Attempt, now: datetime) -> None:
    """Keep the slot of an active attempt for its time from now on."""
    attempt.expires = max(attempt.expires, now + timedelta(seconds=attempt.lease_seconds))


def _revive(session: Session, attempt: Attempt) -> None:
    unit = session.get_one(Unit, attempt.unit_id)
    if session.get_one(Project, unit.project_id).open:
        later = select(Attempt.id).where(
            Attempt.unit_id == unit.id, Attempt.worker_id == attempt.worker_id, Attempt.round > attempt.round
        )
        if session.scalar(later.limit(1)) is not None:
            raise Stale("You have started this again since. Please go on there.")
    else:
        free = select(Slot).where(Slot.unit_id == unit.id, Slot.attempt_id.is_(None)).order_by(Slot.number).limit(1)
        slot = None if unit.closed else session.scalar(free.with_for_update(skip_locked=True))
        if slot is None:
            raise Stale("You were away for long, and somebody else has taken this unit of work.")
        slot.attempt_id = attempt.id
    attempt.state = "active"


def take_back(session: Session, now: datetime) -> None:
    """Free the slots of all attempts whose lease has expired."""
    lapsed = (
        select(Attempt.id)
        .join(Slot, Slot.attempt_id == Attempt.id)
        .where(Attempt.state == "active", Attempt.expires <= now)
        .limit(_TAKEN_BACK)
        .with_for_update(
            of=Attempt, key_share=True, skip_locked=True
        )  # one that gives a sign of life just now keeps its slot
    )
    if ids := session.scalars(lapsed).all():
        options = {"synchronize_session": False}
        session.execute(update(Attempt).where(Attempt.id.in_(ids)).values(state="expired"), execution_options=options)
        session.execute(update(Slot).where(Slot.attempt_id.in_(ids)).values(attempt_id=None), execution_options=options)
