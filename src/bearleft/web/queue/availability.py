"""What there is to do for a worker: the unit that was begun, and kinds with a free slot."""

from __future__ import annotations

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from bearleft.web.database.models import Attempt, Project, Slot, Unit
from bearleft.web.database.values import utc_now


def active_kind(session: Session, project: Project, worker_id: int) -> str | None:
    """Return the kind of the unit that a worker has begun, whose lease may have expired."""
    query = (
        select(Unit.kind)
        .join(Attempt, Attempt.unit_id == Unit.id)
        .where(Unit.project_id == project.id, ~Unit.closed)
        .where(Attempt.worker_id == worker_id, Attempt.state == "active")
    )
    return session.scalars(query.limit(1)).first()


def is_available(session: Session, project: Project, worker_id: int, kind: str) -> bool:
    """Return whether there is a free slot of a kind for a worker, also one whose lease has expired."""
    tried = exists().where(Attempt.unit_id == Unit.id, Attempt.worker_id == worker_id, Attempt.state != "expired")
    lapsed = exists().where(Attempt.id == Slot.attempt_id, Attempt.state == "active", Attempt.expires <= utc_now())
    query = (
        select(Unit.id)
        .join(Slot, Slot.unit_id == Unit.id)
        .where(Unit.project_id == project.id, Unit.kind == kind, ~Unit.closed)
        .where(Slot.attempt_id.is_(None) | lapsed, Unit.writer_id.is_distinct_from(worker_id), ~tried)
    )
    return session.scalars(query.limit(1)).first() is not None
