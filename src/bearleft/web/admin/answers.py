"""The list of attempts and answers of a project, with filters and pages, and what deserves a second look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import ColumnElement, Float, and_, exists, func, or_, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import Session
from sqlalchemy.sql.functions import FunctionElement

from bearleft.web.admin.progress import quartiles, times
from bearleft.web.database.admins import Decision
from bearleft.web.database.models import Answer, Attempt, Project, Unit, Worker
from bearleft.web.database.values import MAX_INTEGER
from bearleft.web.decisions import is_rejected, last_decisions

PER_PAGE = 50
STATES = ("submitted", "active", "returned", "expired")
DECISIONS = ("undecided", "accepted", "rejected")
HASTY, MIN_ANSWERS = 0.25, 5  # an answer is flagged below this share of the median time, if there are so many answers


@dataclass(frozen=True)
class Filters:
    """What a list shows; an empty text is everything.

    Attributes:
        kind: The kind of the units.
        state: The state of the attempts.
        worker: The pseudonym.
        rules: "yes" or "no": whether the answer meets the rules of the task.
        decision: One of DECISIONS.
        flagged: "yes" for flagged answers only.
        unit: The number of a unit.
    """

    kind: str = ""
    state: str = ""
    worker: str = ""
    rules: str = ""
    decision: str = ""
    flagged: str = ""
    unit: str = ""

    def to_query(self) -> dict[str, str]:
        """Return the fields that are set, for an address."""
        return {name: value for name, value in vars(self).items() if value}


@dataclass(frozen=True)
class Row:
    """A line of the list.

    Attributes:
        attempt: The attempt.
        unit: Its unit.
        worker: The pseudonym.
        answer: The answer; None if none was submitted.
        decision: The last decision on it, or None.
        seconds: How long it took; None if it goes on.
        flags: Why it deserves a second look.
    """

    attempt: Attempt
    unit: Unit
    worker: str
    answer: Answer | None
    decision: Decision | None
    seconds: float | None
    flags: tuple[str, ...]


def answer_page(session: Session, project: Project, filters: Filters, page: int) -> tuple[list[Row], int]:
    """Return a page of the attempts of a project, the newest first, and how many there are."""
    limits = time_limits(session, project)
    base = (
        select(Attempt, Unit, Worker.pseudonym, Answer)
        .join(Unit, Unit.id == Attempt.unit_id)
        .join(Worker, Worker.id == Attempt.worker_id)
        .outerjoin(Answer, Answer.attempt_id == Attempt.id)
        .where(*_conditions(project, filters, limits))
    )
    count = session.scalar(select(func.count()).select_from(base.with_only_columns(Attempt.id).subquery())) or 0
    query = base.order_by(Attempt.started.desc(), Attempt.id).offset((page - 1) * PER_PAGE).limit(PER_PAGE)
    # SQLAlchemy's types do not say that an outer join leaves some without an answer.
    rows = cast("list[tuple[Attempt, Unit, str, Answer | None]]", session.execute(query).all())
    decisions = last_decisions(session, [answer.id for *_, answer in rows if answer is not None])
    return [
        Row(
            attempt,
            unit,
            worker,
            answer,
            decisions.get(answer.id) if answer is not None else None,
            seconds_of(attempt, answer),
            flags_of(attempt, unit, answer, limits),
        )
        for attempt, unit, worker, answer in rows
    ], count


def seconds_of(attempt: Attempt, answer: Answer | None) -> float | None:
    """Return how long an attempt took; None if it goes on."""
    end = answer.created if answer is not None else attempt.finished
    return None if end is None else max((end - attempt.started).total_seconds(), 0.0)


def time_limits(session: Session, project: Project) -> dict[str, float]:
    """Return by kind the seconds below which an answer is flagged as hasty."""
    return {
        kind: HASTY * found[1]
        for kind, seconds in times(session, project).items()
        if len(seconds) >= MIN_ANSWERS and (found := quartiles(seconds)) is not None
    }


def flags_of(attempt: Attempt, unit: Unit, answer: Answer | None, limits: Mapping[str, float]) -> tuple[str, ...]:
    """Return why an answer deserves a second look."""
    if answer is None:
        return ()
    flags = []
    seconds = seconds_of(attempt, answer)
    if seconds is not None and seconds < limits.get(unit.kind, 0.0):
        flags.append("hasty")
    if answer.data.get("confirmed"):
        flags.append("warnings confirmed")
    if answer.data.get("cannot_place"):
        flags.append("given up")
    return tuple(flags)


def _conditions(project: Project, filters: Filters, limits: Mapping[str, float]) -> Sequence[ColumnElement[bool]]:
    # A worker who is kept from a unit has no attempt to look at.
    began = (Attempt.state != "returned") | (Attempt.finished > Attempt.started)
    found: list[ColumnElement[bool]] = [Unit.project_id == project.id, began]
    if filters.kind:
        found.append(Unit.kind == filters.kind)
    if filters.state:
        found.append(Attempt.state == filters.state)
    if filters.worker:
        found.append(Worker.pseudonym == filters.worker)
    if filters.rules:
        found.append(Answer.accepted.is_(filters.rules == "yes"))
    if filters.unit:
        number = int(filters.unit) if filters.unit.isascii() and filters.unit.isdigit() else 0
        found.append(Unit.id == min(number, MAX_INTEGER))
    if filters.decision == "rejected":
        found.append(is_rejected())
    elif filters.decision == "accepted":
        found += [exists().where(Decision.answer_id == Answer.id), ~is_rejected()]
    elif filters.decision == "undecided":
        found += [Answer.id.is_not(None), ~exists().where(Decision.answer_id == Answer.id)]
    if filters.flagged == "yes":
        found.append(_is_flagged(limits))
    return found


def _is_flagged(limits: Mapping[str, float]) -> ColumnElement[bool]:
    """Return the condition that `flags_of` returns something."""
    confirmed = Answer.data["confirmed"].as_string()
    given_up = Answer.data["cannot_place"].as_string()
    choices: list[ColumnElement[bool]] = [and_(confirmed.is_not(None), confirmed != "[]"), given_up != ""]
    for kind, limit in limits.items():
        choices.append(and_(Unit.kind == kind, _SecondsBetween(Attempt.started, Answer.created) < limit))
    return and_(Answer.id.is_not(None), or_(*choices))


class _SecondsBetween(FunctionElement[float]):
    """The seconds from one time to another."""

    inherit_cache = True
    type = Float()


@compiles(_SecondsBetween, "postgresql")
def _seconds_on_postgresql(element: _SecondsBetween, compiler: Any, **options: Any) -> str:
    start, end = (compiler.process(clause, **options) for clause in element.clauses)
    return f"EXTRACT(EPOCH FROM {end} - {start})"


@compiles(_SecondsBetween, "sqlite")
def _seconds_on_sqlite(element: _SecondsBetween, compiler: Any, **options: Any) -> str:
    start, end = (compiler.process(clause, **options) for clause in element.clauses)
    return f"((julianday({end}) - julianday({start})) * 86400.0)"
