"""Decisions of reviewers on answers: accept, reject with a reason, ask for another one. The answers stay as they are.

A rejected answer is left out of exports and statistics. The last decision counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import ColumnElement, exists, func, select
from sqlalchemy.orm import Session, aliased

from bearleft.errors import InputError, format_value
from bearleft.web.database.admins import REASON_LENGTH, Decision
from bearleft.web.database.models import Answer, Slot, Unit
from bearleft.web.database.values import check_text
from bearleft.web.tasks.base import REGISTERED

COMMAND_LINE = "command line"


def is_rejected() -> ColumnElement[bool]:
    """Return the condition of a query that the last decision on its Answer is a rejection."""
    later = aliased(Decision)
    is_last = ~exists().where(later.answer_id == Decision.answer_id, later.id > Decision.id)
    return exists().where(Decision.answer_id == Answer.id, ~Decision.accepted, is_last)


def last_decisions(session: Session, answer_ids: Iterable[int]) -> dict[int, Decision]:
    """Return the last decision on each answer that has one."""
    latest = select(func.max(Decision.id)).where(Decision.answer_id.in_(list(answer_ids))).group_by(Decision.answer_id)
    return {row.answer_id: row for row in session.scalars(select(Decision).where(Decision.id.in_(latest)))}


def decide(session: Session, answers: Sequence[Answer], accepted: bool, reason: str, who: str) -> list[Decision]:
    """Store a decision on answers.

    Units that follow from a rejected text are given out no longer; once it is accepted, they are again.

    Args:
        session: A session that writes.
        answers: The answers.
        accepted: Whether they are accepted.
        reason: What the worker is told if not.
        who: The name of the account.

    Raises:
        InputError: The reason is too long, or a rejection has none.
    """
    reason = " ".join(check_text(reason, "reason").split())
    if len(reason) > REASON_LENGTH:
        raise InputError(f"a reason of at most {REASON_LENGTH:,} characters", f"{len(reason):,}", "reason")
    if not accepted and not reason:
        raise InputError("a reason, which the worker is told", format_value(reason), "reason")
    before = last_decisions(session, [answer.id for answer in answers])
    made = [
        Decision(answer_id=answer.id, accepted=accepted, reason="" if accepted else reason, who=who)
        for answer in answers
    ]
    session.add_all(made)
    session.flush()
    for answer in answers:
        was_rejected = answer.id in before and not before[answer.id].accepted
        if was_rejected == accepted:
            _give_out_follow_ups(session, answer, accepted)
    return made


def _give_out_follow_ups(session: Session, answer: Answer, wanted: bool) -> None:
    """Open or close the units that follow from a text."""
    unit = session.get_one(Unit, answer.unit_id)
    task = REGISTERED.get(unit.kind)
    if task is None or not task.one_answer:
        return
    level: list[int] = [unit.id]
    while level:
        query = select(Unit).where(Unit.parent_id.in_(level), Unit.kind != unit.kind).with_for_update()
        children = list(session.scalars(query))
        for child in children:
            free = exists().where(Slot.unit_id == child.id, ~Slot.done)
            child.closed = not (wanted and session.scalar(select(free)))
        level = [child.id for child in children]


def rejected_of(session: Session, project_id: int, worker_id: int) -> list[tuple[Answer, Unit, str]]:
    """Return the rejected answers of a worker in a project with their units and the reasons, the newest first."""
    query = (
        select(Answer, Unit)
        .join(Unit, Unit.id == Answer.unit_id)
        .where(Unit.project_id == project_id, Answer.worker_id == worker_id, is_rejected())
        .order_by(Answer.id.desc())
    )
    rows = session.execute(query).all()
    reasons = last_decisions(session, [answer.id for answer, _ in rows])
    return [(answer, unit, reasons[answer.id].reason) for answer, unit in rows]
