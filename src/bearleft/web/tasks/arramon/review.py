"""Review by hand of doubtful texts: those whose checks left notes. Nothing waits for it, as in the paper."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from bearleft.errors import InputError, format_value, unknown_name
from bearleft.web.database.models import Answer, Project, Unit, Worker
from bearleft.web.database.values import utc_now
from bearleft.web.tasks.arramon.kinds import FOLLOWING, REVIEW, WRITING
from bearleft.web.tasks.arramon.rules import phase_of

MAX_REASON = 1_000  # characters


def decisions(session: Session, project: Project) -> dict[int, bool]:
    """Return the last decision on each reviewed set of texts, by the number of its unit."""
    query = select(Unit.payload).where(Unit.project_id == project.id, Unit.kind == REVIEW).order_by(Unit.id)
    return {int(payload["writing"]): bool(payload["accepted"]) for payload in session.scalars(query)}


def to_review(session: Session, project: Project) -> list[dict[str, Any]]:
    """Return a row for each note on a doubtful text whose set nobody has reviewed yet."""
    decided = decisions(session, project)
    query = (
        select(Answer.data, Unit.id, Worker.pseudonym)
        .join(Unit, Unit.id == Answer.unit_id)
        .join(Worker, Worker.id == Answer.worker_id)
        .where(Unit.project_id == project.id, Unit.kind == WRITING)
        .order_by(Answer.id)
    )
    return [
        {
            "set": number,
            "worker": pseudonym,
            "turn": note["leg"] // 2 + 1,
            "phase": phase_of(note["leg"]),
            "note": note["message"],
            "text": data["texts"][note["leg"]],
        }
        for data, number, pseudonym in session.execute(query)
        if number not in decided
        for note in data["review"]
    ]


def review(session: Session, project: Project, number: str, accepted: bool, reason: str = "") -> None:
    """Store a reviewer's decision on a set of texts; a set that is not accepted is followed no more.

    Args:
        session: A session that writes.
        project: A project of ArraMon.
        number: The number of the set.
        accepted: Whether the set is good.
        reason: What its writer is told if not.

    Raises:
        InputError: There is no such set, or the reason is too long.
    """
    if len(reason) > MAX_REASON:
        raise InputError(f"a reason of at most {MAX_REASON:,} characters", f"{len(reason):,}", "reason")
    query = (
        select(Unit.id, Answer.worker_id)
        .join(Answer, Answer.unit_id == Unit.id)
        .where(Unit.project_id == project.id, Unit.kind == WRITING)
    )
    writers = dict(session.execute(query).all())
    if not number.isascii() or not number.isdigit() or int(number) not in writers:
        known = [str(row["set"]) for row in to_review(session, project)]
        raise unknown_name("set of texts", format_value(number), known)
    unit_id = int(number)
    payload = {"writing": unit_id, "accepted": accepted, "reason": reason.strip(), "time": utc_now().isoformat()}
    session.add(Unit(project_id=project.id, kind=REVIEW, payload=payload, writer_id=writers[unit_id], closed=True))
    following = select(Unit).where(Unit.parent_id == unit_id, Unit.kind == FOLLOWING)
    for unit in session.scalars(following):
        answers = session.query(Answer).where(Answer.unit_id == unit.id).count()
        unit.closed = not accepted or answers >= unit.slots
    session.flush()
