"""Attention checks: units with a known answer, given out between others.

Their outcomes are stored like all answers and shown to those who run the study. They reject nobody and cost nobody
any pay: a person may miss a target for many reasons, so a person decides what follows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from bearleft.errors import InputError, format_value
from bearleft.web.database.models import Answer, Attempt, Project, Unit, Worker
from bearleft.web.queue.slots import NewUnit
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.studies import study_settings
from bearleft.web.tasks import arramon, ndtw_study, refer360, touchdown

CHECKS = {family: f"{family}/check" for family in ("touchdown", "refer360", "arramon", "ndtw-study")}  # kinds of units
LOOKS_LIKE = {
    "touchdown/check": "touchdown/validation",
    "refer360/check": "refer360/finding",
    "arramon/check": "arramon/following",
    "ndtw-study/check": "ndtw-study/ranking",
}
BEFORE: dict[str, Sequence[str]] = {"arramon": arramon.BEFORE["arramon/following"]}  # units that come before a check
PREPARATIONS = frozenset(one for kinds in arramon.BEFORE.values() for one in kinds)  # are no units of work
_UNITS: dict[str, Callable[[SceneWorlds, Mapping[str, Any]], list[NewUnit]]] = {
    "touchdown": touchdown.check_units,
    "refer360": refer360.check_units,
    "arramon": arramon.check_units,
    "ndtw-study": ndtw_study.check_units,
}
ALL_FOUND = "gave every known answer"
MISSED = "missed known answers: read them before you decide anything"


def check_units(worlds: SceneWorlds, family: str, settings: Mapping[str, Any]) -> list[NewUnit]:
    """Return the attention checks of a new project.

    Raises:
        InputError: The family has none.
    """
    if family not in _UNITS:
        raise InputError(f"check_every in a project of {' or '.join(_UNITS)}", format_value(family), "check_every")
    return _UNITS[family](worlds, settings)


def shown_kind(kind: str) -> str:
    """Return the kind that a browser is told: a check looks like the task that it is made of."""
    return LOOKS_LIKE.get(kind, kind)


def due_check(session: Session, project: Project, worker_id: int) -> str | None:
    """Return the kind of a worker's next unit if a check is due: after each `check_every` units, and if one is begun.

    Units that come before a check, such as a quiz on what it asks for, are given first.
    """
    every = study_settings(project.family, project.settings).check_every
    if not every:
        return None
    kind = CHECKS[project.family]
    of_worker = (
        select(Unit.kind, Attempt.state, func.count())
        .join(Attempt, Attempt.unit_id == Unit.id)
        .where(Unit.project_id == project.id, Attempt.worker_id == worker_id)
        .group_by(Unit.kind, Attempt.state)
    )
    counts = {(of_kind, state): count for of_kind, state, count in session.execute(of_worker)}
    active = [of_kind for of_kind, state in counts if state == "active"]
    if active:
        return kind if kind in active else None
    others = {kind, *PREPARATIONS}
    done = sum(count for (of_kind, state), count in counts.items() if of_kind not in others and state == "submitted")
    given = sum(count for (of_kind, state), count in counts.items() if of_kind == kind and state != "expired")
    there_are = session.scalar(select(func.count(Unit.id)).where(Unit.project_id == project.id, Unit.kind == kind))
    if given >= min(done // every, there_are or 0):
        return None
    return next((first for first in BEFORE.get(project.family, ()) if (first, "submitted") not in counts), kind)


def outcome_message(given: int, passed: int) -> str:
    """Return what those who run the study are told of a worker's checks."""
    return ALL_FOUND if given == passed else MISSED


def checks_of(session: Session, project: Project) -> list[dict[str, Any]]:
    """Return a row for each worker who did a check: how many were given and passed, and what that means."""
    query = (
        select(Worker.pseudonym, Answer.accepted)
        .join(Answer, Answer.worker_id == Worker.id)
        .join(Unit, Unit.id == Answer.unit_id)
        .where(Unit.project_id == project.id, Unit.kind == CHECKS.get(project.family))
        .order_by(Answer.id)
    )
    outcomes: dict[str, list[bool]] = {}
    for pseudonym, accepted in session.execute(query):
        outcomes.setdefault(pseudonym, []).append(accepted)
    return [
        {"worker": worker, "checks": len(rows), "passed": sum(rows), "message": outcome_message(len(rows), sum(rows))}
        for worker, rows in outcomes.items()
    ]
