"""More answers of a unit, each of another worker.

Most units get further slots. Other units follow from a text, and belong to one answer of its unit; a further text has a
copy of the unit, which names the first one as its parent. Who has answered one of them gets none of the others.
"""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from bearleft.errors import InputError, format_value
from bearleft.web.database.models import Answer, Attempt, Project, Unit
from bearleft.web.queue.slots import MAX_SLOTS, NewUnit, add_slots, add_units
from bearleft.web.tasks.base import REGISTERED


def has_one_answer(kind: str) -> bool:
    """Return whether a further answer of a kind of units needs a unit of its own."""
    return kind in REGISTERED and REGISTERED[kind].one_answer


def ask_for_more(session: Session, unit: Unit, count: int = 1) -> list[Unit]:
    """Ask for more answers of a unit, of workers who have not given one, and return the units that give them.

    Raises:
        InputError: The project is open to all, so that its units have no slots; or there would be too many answers.
    """
    if session.get_one(Project, unit.project_id).open:
        raise InputError("a project whose units are given out", "one in which everybody may do every unit", "unit")
    if not has_one_answer(unit.kind):
        add_slots(session, unit.id, count)
        return [unit]
    family = _copies(session, unit)
    if not 1 <= count <= MAX_SLOTS - len(family):
        raise InputError(f"1 to {MAX_SLOTS} answers", format_value(len(family) + count), "count")
    first = family[0]
    new = NewUnit(unit.kind, unit.payload, parent_id=first.id, priority=unit.priority)
    added = add_units(session, unit.project_id, [new] * count)
    ids = [one.id for one in family]
    workers = set(session.scalars(select(Attempt.worker_id).where(Attempt.unit_id.in_(ids))))
    for one in added:
        _bar(session, one, workers)
    return added


def bar_from_copies(session: Session, answer: Answer) -> None:
    """Keep the copies of a unit from a worker who has answered it."""
    unit = session.get_one(Unit, answer.unit_id)
    if has_one_answer(unit.kind):
        for other in _copies(session, unit):
            if other.id != unit.id and not other.closed:
                _bar(session, other, {answer.worker_id})


def _copies(session: Session, unit: Unit) -> list[Unit]:
    """Return a unit and its copies in the order in which they were added."""
    parent = session.get(Unit, unit.parent_id) if unit.parent_id is not None else None
    first = parent if parent is not None and parent.kind == unit.kind else unit
    query = select(Unit).where(Unit.parent_id == first.id, Unit.kind == unit.kind).order_by(Unit.id)
    return [first, *session.scalars(query)]


def _bar(session: Session, unit: Unit, workers: set[int]) -> None:
    """Keep a unit from workers: for the queue, they have returned it."""
    known = set(session.scalars(select(Attempt.worker_id).where(Attempt.unit_id == unit.id)))
    for worker_id in sorted(workers - known):
        now = unit.created
        session.add(
            Attempt(unit_id=unit.id, worker_id=worker_id, state="returned", started=now, expires=now, finished=now)
        )
    session.flush()
