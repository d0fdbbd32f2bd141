"""The audit log: who did what, when, to what. It is only ever added to."""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from bearleft.web.database.admins import AuditEntry
from bearleft.web.database.models import NAME_LENGTH

PER_PAGE = 100


def record(session: Session, who: str, action: str, subject: str = "", **details: Any) -> None:
    """Add a line, in the transaction of what it tells of."""
    entry = AuditEntry(who=who[:NAME_LENGTH], action=action, subject=subject[:NAME_LENGTH], details=details)
    session.add(entry)


def audit_page(session: Session, page: int, who: str = "", action: str = "") -> tuple[list[AuditEntry], int]:
    """Return a page of the log, the newest line first, and how many lines there are.

    Args:
        session: A session.
        page: Number of the page, from 1.
        who: Only lines of this account.
        action: Only lines of this action.
    """
    conditions = []
    if who:
        conditions.append(AuditEntry.who == who)
    if action:
        conditions.append(AuditEntry.action == action)
    count = session.scalar(select(func.count(AuditEntry.id)).where(*conditions)) or 0
    query = select(AuditEntry).where(*conditions).order_by(AuditEntry.id.desc())
    return list(session.scalars(query.offset((page - 1) * PER_PAGE).limit(PER_PAGE))), count


def actions(session: Session) -> list[str]:
    """Return the actions that the log holds."""
    return list(session.scalars(select(AuditEntry.action).distinct().order_by(AuditEntry.action)))
