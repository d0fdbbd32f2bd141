"""The ledger: amounts are booked once, however often they are computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from bearleft.web.database.models import Answer, Project, Unit
from bearleft.web.database.payments import LedgerEntry
from bearleft.web.database.values import utc_now
from bearleft.web.payments.amounts import BASE, Amount, Work, amounts
from bearleft.web.payments.rates import parse_rates
from bearleft.web.studies import study_settings


@dataclass(frozen=True)
class Earned:
    """What a worker earned in a project, in cents.

    Attributes:
        base: Base pay.
        bonus: Bonuses.
        paid: The part that is in a batch of payments.
        currency: The currency.
    """

    base: int = 0
    bonus: int = 0
    paid: int = 0
    currency: str = "USD"


def project_amounts(session: Session, project: Project) -> list[Amount]:
    """Return what all workers earned by the answers that a project has now."""
    rates = parse_rates(project.family, study_settings(project.family, project.settings).rates)
    if rates is None:
        return []
    query = (
        select(Answer.attempt_id, Answer.worker_id, Answer.unit_id, Unit.parent_id, Unit.kind, Answer.accepted)
        .join(Unit, Unit.id == Answer.unit_id)
        .where(Unit.project_id == project.id)
        .order_by(Answer.id)
    )
    return amounts(rates, [Work(*row) for row in session.execute(query)])


def book(session: Session, project: Project) -> int:
    """Book what was earned and is not in the ledger yet; return how many entries were added."""
    # Of two that book at the same time, the later one waits here and then sees the other's entries.
    session.scalar(select(Project.id).where(Project.id == project.id).with_for_update(key_share=True))
    new = _unbooked(session, project, project_amounts(session, project))
    if new:
        now = utc_now()
        session.execute(
            insert(LedgerEntry),
            [
                {
                    "key": _key(project, row),
                    "worker_id": row.worker,
                    "project_id": project.id,
                    "reason": row.reason,
                    "unit_id": row.unit,
                    "cents": row.cents,
                    "created": now,
                }
                for row in new
            ],
        )
    return len(new)


def _unbooked(session: Session, project: Project, rows: Sequence[Amount]) -> list[Amount]:
    booked = set(session.scalars(select(LedgerEntry.key).where(LedgerEntry.project_id == project.id)))
    return [row for row in rows if _key(project, row) not in booked]


def _key(project: Project, row: Amount) -> str:
    return f"{project.id} {row.key}"


def earned(session: Session, project: Project, worker_id: int) -> Earned:
    """Return what a worker earned in a project, booked or not."""
    mine = [row for row in project_amounts(session, project) if row.worker == worker_id]
    rows = [(row.reason, row.cents, False) for row in _unbooked(session, project, mine)]
    query = select(LedgerEntry.reason, LedgerEntry.cents, LedgerEntry.batch_id.is_not(None))
    query = query.where(LedgerEntry.project_id == project.id, LedgerEntry.worker_id == worker_id)
    rows += [(reason, cents, paid) for reason, cents, paid in session.execute(query)]
    return Earned(
        sum(cents for reason, cents, _ in rows if reason == BASE),
        sum(cents for reason, cents, _ in rows if reason != BASE),
        sum(cents for _, cents, paid in rows if paid),
        study_settings(project.family, project.settings).currency,
    )
