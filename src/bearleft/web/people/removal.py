"""Leaving a project, and deleting everything of a worker.

The log of actions is otherwise only added to; this is the one exception. What is deleted of a worker:

- all attempts with their actions and answers; the slots are free again, so that somebody else answers these units;
- the units that show a text of the worker, and all that follows from them, with the answers of others to them: without
  the text these answer nothing. What others earned by them stays theirs;
- reviews of the worker, consents, withdrawals, and who the worker is on platforms;
- amounts that were not paid yet, since nobody could be paid. Amounts that were paid stay for the accounts, without the
  worker and the unit.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import TypeVar

from sqlalchemy import delete, exists, func, select, update
from sqlalchemy.orm import Session

from bearleft.errors import InputError
from bearleft.web.database.engines import Database
from bearleft.web.database.models import Answer, Attempt, Event, Project, Slot, Unit, Worker
from bearleft.web.database.payments import LedgerEntry
from bearleft.web.database.people import Consent, Identity, PlatformSession, Withdrawal
from bearleft.web.payments.ledger import book
from bearleft.web.people.consent import has_withdrawn
from bearleft.web.projects import get_project
from bearleft.web.queue.leases import NotFound

T = TypeVar("T")

_PART = 500  # ids in one statement


def withdraw(database: Database, name: str, worker_id: int, keep_answers: bool) -> None:
    """Leave a project: what is under way is given back, and there are no more units for this worker.

    Args:
        database: The database.
        name: The project.
        worker_id: The worker.
        keep_answers: Whether the answers stay. If not, they are deleted as of a deleted worker; what was earned stays.

    Raises:
        InputError: There is no such project, or everybody may play in it.
        NotFound: There is no such worker.
    """

    def leave(session: Session) -> None:
        project = get_project(session, name)
        if project.open:
            raise InputError("a project that gives out units", "a game", "project")
        texts = [] if keep_answers else _lock_texts(session, worker_id, project.id)
        _lock_worker(session, worker_id)
        if keep_answers:
            _give_back(session, project, worker_id, database)
        else:
            book(session, project)
            _erase_work(session, worker_id, project.id, texts)
        if not has_withdrawn(session, project, worker_id):
            withdrawal = Withdrawal(
                worker_id=worker_id, project_id=project.id, kept=keep_answers, created=database.now()
            )
            session.add(withdrawal)
        elif not keep_answers:
            left = update(Withdrawal).where(Withdrawal.worker_id == worker_id, Withdrawal.project_id == project.id)
            session.execute(left.values(kept=False))

    database.transact(leave)
    if not keep_answers:
        database.checkpoint()


def delete_worker(database: Database, worker_id: int) -> None:
    """Delete a worker and everything that is known of this person.

    Raises:
        NotFound: There is no such worker.
    """

    def remove(session: Session) -> None:
        texts = _lock_texts(session, worker_id, None)
        _lock_worker(session, worker_id)
        for project in session.scalars(select(Project).where(~Project.open).order_by(Project.id)):
            book(session, project)  # what others earned by this worker's texts
        _erase_work(session, worker_id, None, texts)
        _anonymise_ledger(session, worker_id)
        of_worker = select(Identity.id).where(Identity.worker_id == worker_id)
        session.execute(delete(PlatformSession).where(PlatformSession.identity_id.in_(of_worker)))
        for table in (Identity, Consent, Withdrawal):
            session.execute(delete(table).where(table.worker_id == worker_id))
        if session.scalar(select(func.max(Worker.id))) == worker_id:
            # SQLite would give the number to the next worker, whom cookies of the deleted one would then open.
            session.add(Worker())
            session.flush()
        session.execute(delete(Worker).where(Worker.id == worker_id))

    database.transact(remove)
    database.checkpoint()


def _lock_worker(session: Session, worker_id: int) -> None:
    if session.scalar(select(Worker.id).where(Worker.id == worker_id).with_for_update()) is None:
        raise NotFound("You are not known here any more.")


def _give_back(session: Session, project: Project, worker_id: int, database: Database) -> None:
    """Free the slots of a worker's unfinished attempts, and let the worker never get them again."""
    of_project = select(Unit.id).where(Unit.project_id == project.id)
    unfinished = (
        select(Attempt.id)
        .where(Attempt.worker_id == worker_id, Attempt.unit_id.in_(of_project))
        .where(Attempt.state.in_(("active", "expired")))
        .with_for_update(key_share=True)
    )
    ids = list(session.scalars(unfinished))
    options = {"synchronize_session": False}
    for part in _parts(ids):
        session.execute(
            update(Slot).where(Slot.attempt_id.in_(part)).values(attempt_id=None), execution_options=options
        )
        returned = update(Attempt).where(Attempt.id.in_(part)).values(state="returned", finished=database.now())
        session.execute(returned, execution_options=options)


def _lock_texts(session: Session, worker_id: int, project_id: int | None, locked: Sequence[int] = ()) -> list[int]:
    """Return the units that show texts of a worker, once nobody else has them.

    Slots are locked before units, and units before the worker: that is the order in which others take them.
    """
    found = _units_with_texts(session, worker_id, project_id)
    while new := sorted(set(found) - set(locked)):
        for part in _parts(new):
            session.execute(select(Slot.id).where(Slot.unit_id.in_(part)).order_by(Slot.id).with_for_update())
            session.execute(select(Unit.id).where(Unit.id.in_(part)).order_by(Unit.id).with_for_update())
        locked = found
        found = _units_with_texts(session, worker_id, project_id)  # others may have added some meanwhile
    return found


def _erase_work(session: Session, worker_id: int, project_id: int | None, texts: Sequence[int]) -> None:
    """Delete the attempts of a worker, in one project or in all, and the units that show the worker's texts."""
    shown = _lock_texts(session, worker_id, project_id, texts)
    attempts = select(Attempt.id).join(Unit, Unit.id == Attempt.unit_id).where(Attempt.worker_id == worker_id)
    if project_id is not None:
        attempts = attempts.where(Unit.project_id == project_id)
    ids = list(session.scalars(attempts))
    for part in _parts(shown):
        ids += session.scalars(select(Attempt.id).where(Attempt.unit_id.in_(part), Attempt.worker_id != worker_id))
    _delete_attempts(session, ids)
    for part in _parts(shown):
        session.execute(delete(Slot).where(Slot.unit_id.in_(part)))
    for part in _parts(sorted(shown, reverse=True)):  # units are newer than those that they follow from
        for unit in part:
            session.execute(delete(Unit).where(Unit.id == unit))


def _units_with_texts(session: Session, worker_id: int, project_id: int | None) -> list[int]:
    """Return the units that show texts of a worker, or hold reviews of the worker, and all that follow from them."""
    first = select(Unit.id).where(Unit.writer_id == worker_id)
    if project_id is not None:
        first = first.where(Unit.project_id == project_id)
    found = set(session.scalars(first))
    level = sorted(found)
    while level:
        below: set[int] = set()
        for part in _parts(level):
            below |= set(session.scalars(select(Unit.id).where(Unit.parent_id.in_(part))))
        level = sorted(below - found)
        found |= below
    return sorted(found)


def _delete_attempts(session: Session, ids: Sequence[str]) -> None:
    """Delete attempts with their events and answers, and free their slots; units that were complete are open again."""
    options = {"synchronize_session": False}
    for part in _parts(ids):
        wanted = exists().where(Slot.unit_id == Unit.id, ~Slot.done)
        done_here = select(Slot.unit_id).where(Slot.attempt_id.in_(part), Slot.done)
        complete = update(Unit).where(Unit.id.in_(done_here), Unit.closed, ~wanted).values(closed=False)
        session.execute(complete, execution_options=options)
        freed = update(Slot).where(Slot.attempt_id.in_(part)).values(attempt_id=None, done=False)
        session.execute(freed, execution_options=options)
        session.execute(delete(Answer).where(Answer.attempt_id.in_(part)))
        session.execute(delete(Event).where(Event.attempt_id.in_(part)))
        session.execute(delete(Attempt).where(Attempt.id.in_(part)))


def _anonymise_ledger(session: Session, worker_id: int) -> None:
    own = LedgerEntry.worker_id == worker_id
    session.execute(delete(LedgerEntry).where(own, LedgerEntry.batch_id.is_(None)))
    for entry in session.scalars(select(LedgerEntry).where(own)):
        entry.worker_id, entry.unit_id, entry.key = None, None, f"deleted {secrets.token_hex(16)}"
    session.flush()


def _parts(rows: Sequence[T]) -> list[Sequence[T]]:
    return [rows[k : k + _PART] for k in range(0, len(rows), _PART)]
