"""Review by hand of doubtful texts: those whose checks left notes. Nothing waits for it, as in the paper."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from bearleft.errors import format_value, unknown_name
from bearleft.web.database.models import Answer, Project, Unit, Worker
from bearleft.web.decisions import COMMAND_LINE, decide, last_decisions
from bearleft.web.tasks.arramon.kinds import WRITING
from bearleft.web.tasks.arramon.rules import phase_of


def to_review(session: Session, project: Project) -> list[dict[str, Any]]:
    """Return a row for each note on a doubtful text whose set nobody has reviewed yet."""
    query = (
        select(Answer, Worker.pseudonym)
        .join(Unit, Unit.id == Answer.unit_id)
        .join(Worker, Worker.id == Answer.worker_id)
        .where(Unit.project_id == project.id, Unit.kind == WRITING)
        .order_by(Answer.id)
    )
    rows = session.execute(query).all()
    decided = last_decisions(session, [answer.id for answer, _ in rows])
    return [
        {
            "set": answer.unit_id,
            "worker": pseudonym,
            "turn": note["leg"] // 2 + 1,
            "phase": phase_of(note["leg"]),
            "note": note["message"],
            "text": answer.data["texts"][note["leg"]],
        }
        for answer, pseudonym in rows
        if answer.id not in decided
        for note in answer.data["review"]
    ]


def review(
    session: Session, project: Project, number: str, accepted: bool, reason: str = "", who: str = COMMAND_LINE
) -> None:
    """Store a reviewer's decision on a set of texts; a set that is not accepted is followed no more.

    Args:
        session: A session that writes.
        project: A project of ArraMon.
        number: The number of the set.
        accepted: Whether the set is good.
        reason: What its writer is told if not.
        who: The reviewer's account.

    Raises:
        InputError: There is no such set, the reason is too long, or a rejection has none.
    """
    query = (
        select(Answer).join(Unit, Unit.id == Answer.unit_id).where(Unit.project_id == project.id, Unit.kind == WRITING)
    )
    sets = {str(answer.unit_id): answer for answer in session.scalars(query)}
    if number not in sets:
        known = [str(row["set"]) for row in to_review(session, project)]
        raise unknown_name("set of texts", format_value(number), known)
    decide(session, [sets[number]], accepted, reason, who)
