"""What a worker's own page shows, and the file with all that is stored of a worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from bearleft.web.checks import shown_kind
from bearleft.web.database.models import Answer, Attempt, Project, Unit, Worker
from bearleft.web.database.payments import LedgerEntry
from bearleft.web.database.people import Identity, PlatformSession, Withdrawal
from bearleft.web.payments.ledger import Earned, earned
from bearleft.web.people.consent import consents_of, has_withdrawn
from bearleft.web.queue.events import events_of
from bearleft.web.tasks.registry import get_task


@dataclass(frozen=True)
class OwnProject:
    """What a worker did in a project.

    Attributes:
        name: Its name.
        open: Whether everybody may play in it, as in games.
        answers: The number of answers by the title of the task.
        active: Units that are under way.
        withdrawn: Whether the worker has left it.
        consent: The version that the worker agreed to last, and when; None if to none.
        earned: What the worker earned.
    """

    name: str
    open: bool
    answers: dict[str, int]
    active: int
    withdrawn: bool
    consent: tuple[int, str] | None
    earned: Earned


def own_projects(session: Session, worker_id: int) -> list[OwnProject]:
    """Return what a worker did, for each project that the worker has something to do with."""
    rows = []
    for project in session.scalars(select(Project).order_by(Project.id)):
        counts = session.execute(
            select(Unit.kind, Attempt.state, func.count(Attempt.id))
            .join(Unit, Unit.id == Attempt.unit_id)
            .where(Unit.project_id == project.id, Attempt.worker_id == worker_id)
            .group_by(Unit.kind, Attempt.state)
            .order_by(Unit.kind)
        ).all()
        agreed = consents_of(session, project, worker_id)
        withdrawn = has_withdrawn(session, project, worker_id)
        money = earned(session, project, worker_id)
        if not counts and not agreed and not withdrawn and not money.base + money.bonus:
            continue
        answers: dict[str, int] = {}
        for kind, state, count in counts:
            if state == "submitted":
                title = get_task(shown_kind(kind)).title
                answers[title] = answers.get(title, 0) + count
        last = (agreed[-1][0].number, agreed[-1][1].created.strftime("%Y-%m-%d %H:%M")) if agreed else None
        active = sum(count for _, state, count in counts if state == "active")
        rows.append(OwnProject(project.name, project.open, answers, active, withdrawn, last, money))
    return rows


def own_data(session: Session, worker_id: int) -> dict[str, Any]:
    """Return all that is stored of a worker, as JSON."""
    worker = session.get_one(Worker, worker_id)
    identities = session.scalars(select(Identity).where(Identity.worker_id == worker_id).order_by(Identity.id)).all()
    names = {project.id: project.name for project in session.scalars(select(Project))}
    attempts = session.execute(
        select(Attempt, Unit)
        .join(Unit, Unit.id == Attempt.unit_id)
        .where(Attempt.worker_id == worker_id)
        .order_by(Attempt.started, Unit.id)
    ).all()
    answers = {row.attempt_id: row for row in session.scalars(select(Answer).where(Answer.worker_id == worker_id))}
    ledger = session.scalars(select(LedgerEntry).where(LedgerEntry.worker_id == worker_id).order_by(LedgerEntry.id))
    left = session.scalars(select(Withdrawal).where(Withdrawal.worker_id == worker_id).order_by(Withdrawal.id))
    return {
        "pseudonym": worker.pseudonym,
        "since": worker.created.isoformat(),
        "platforms": [
            {
                "platform": identity.platform,
                "participant": identity.participant,
                "sessions": [_session_json(row, names) for row in _sessions(session, identity)],
            }
            for identity in identities
        ],
        "consents": [
            {"project": project.name, "version": text.number, "agreed": consent.created.isoformat(), "text": text.text}
            for project in session.scalars(select(Project).order_by(Project.id))
            for text, consent in consents_of(session, project, worker_id)
        ],
        "withdrawals": [
            {"project": names[row.project_id], "time": row.created.isoformat(), "answers kept": row.kept}
            for row in left
        ],
        "work": [
            {
                "project": names[unit.project_id],
                "task": shown_kind(unit.kind),
                "state": attempt.state,
                "started": attempt.started.isoformat(),
                "finished": attempt.finished.isoformat() if attempt.finished else None,
                "actions": [
                    {"kind": event.kind, "data": event.data, "time": event.time.isoformat()}
                    for event in events_of(session, attempt.id)
                ],
                "answer": _answer_json(answers.get(attempt.id)),
            }
            for attempt, unit in attempts
        ],
        "earned": [
            {
                "project": names[entry.project_id],
                "reason": entry.reason,
                "cents": entry.cents,
                "paid": entry.batch_id is not None,
            }
            for entry in ledger
        ],
    }


def _sessions(session: Session, identity: Identity) -> list[PlatformSession]:
    query = select(PlatformSession).where(PlatformSession.identity_id == identity.id).order_by(PlatformSession.id)
    return list(session.scalars(query))


def _session_json(row: PlatformSession, names: dict[int, str]) -> dict[str, Any]:
    return {
        "project": names[row.project_id],
        "study": row.study,
        "session": row.session,
        "started": row.started.isoformat(),
        "finished": row.finished.isoformat() if row.finished else None,
    }


def _answer_json(answer: Answer | None) -> dict[str, Any] | None:
    """Return an answer with what the worker was told of it."""
    if answer is None:
        return None
    return {"time": answer.created.isoformat(), "content": answer.data, "told": answer.feedback}
