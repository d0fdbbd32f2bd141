"""How far a project is: units, answers, leases, attempts and times of each kind of task."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from bearleft.web.database.engines import Database
from bearleft.web.database.models import Answer, Attempt, Project, Unit
from bearleft.web.decisions import is_rejected
from bearleft.web.projects import is_closed, progress_rows
from bearleft.web.tasks.base import REGISTERED


def quartiles(values: Sequence[float]) -> tuple[float, float, float] | None:
    """Return the lower quartile, the median and the upper quartile, by linear interpolation; None without values."""
    if not values:
        return None
    if len(values) == 1:
        return values[0], values[0], values[0]
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, middle, high


def kind_rows(session: Session, project: Project, database: Database) -> list[dict[str, Any]]:
    """Return a row for each kind of units of a project: progress, attempts by state, and times."""
    attempts = _attempts(session, project)
    leased = select(Unit.kind, func.count(Attempt.id)).join(Unit, Unit.id == Attempt.unit_id)
    leased = leased.where(Unit.project_id == project.id, Attempt.state == "active", Attempt.expires > database.now())
    active = dict(session.execute(leased.group_by(Unit.kind)).all())
    rejected = _count_answers(session, project)
    open_units = dict(
        session.execute(
            select(Unit.kind, func.count(Unit.id))
            .where(Unit.project_id == project.id, ~Unit.closed)
            .group_by(Unit.kind)
        ).all()
    )
    seconds = times(session, project)
    rows = []
    for row in progress_rows(session, project):
        kind = row["kind"]
        rows.append(
            {
                "kind": kind,
                "title": REGISTERED[kind].title,
                "units": row["units"],
                "open": open_units.get(kind, 0),
                "wanted": row["answers wanted"],
                "given": row["answers"],
                "accepted": row["accepted"],
                "rejected": rejected.get(kind, 0),
                "active": active.get(kind, 0),
                "attempts": sum(attempts.get(kind, {}).values()),
                "returned": attempts.get(kind, {}).get("returned", 0),
                "expired": attempts.get(kind, {}).get("expired", 0),
                "times": quartiles(seconds.get(kind, [])),
            }
        )
    return rows


def _attempts(session: Session, project: Project) -> dict[str, dict[str, int]]:
    """Return the number of attempts by kind and state, without those that only keep a worker from a unit."""
    began = (Attempt.state != "returned") | (Attempt.finished > Attempt.started)
    query = (
        select(Unit.kind, Attempt.state, func.count(Attempt.id))
        .join(Unit, Unit.id == Attempt.unit_id)
        .where(Unit.project_id == project.id, began)
        .group_by(Unit.kind, Attempt.state)
    )
    counts: dict[str, dict[str, int]] = {}
    for kind, state, count in session.execute(query):
        counts.setdefault(kind, {})[state] = count
    return counts


def _count_answers(session: Session, project: Project) -> dict[str, int]:
    query = (
        select(Unit.kind, func.count(Answer.id))
        .join(Unit, Unit.id == Answer.unit_id)
        .where(Unit.project_id == project.id, is_rejected())
        .group_by(Unit.kind)
    )
    return dict(session.execute(query).all())


def times(session: Session, project: Project) -> dict[str, list[float]]:
    """Return the seconds from the start of an attempt to its answer, by kind."""
    query = (
        select(Unit.kind, Attempt.started, Answer.created)
        .join(Unit, Unit.id == Answer.unit_id)
        .join(Attempt, Attempt.id == Answer.attempt_id)
        .where(Unit.project_id == project.id)
    )
    seconds: dict[str, list[float]] = {}
    for kind, started, created in session.execute(query):
        seconds.setdefault(kind, []).append(max((created - started).total_seconds(), 0.0))
    return seconds


def project_list(session: Session) -> list[dict[str, Any]]:
    """Return a row for each project: answers wanted, given and accepted, and people."""
    rows = []
    for project in session.scalars(select(Project).order_by(Project.id)):
        kinds = progress_rows(session, project)
        people = (
            select(func.count(func.distinct(Answer.worker_id)))
            .join(Unit, Unit.id == Answer.unit_id)
            .where(Unit.project_id == project.id)
        )
        rows.append(
            {
                "project": project,
                "closed": is_closed(session, project),
                "units": sum(row["units"] for row in kinds),
                "wanted": sum(row["answers wanted"] for row in kinds),
                "given": sum(row["answers"] for row in kinds),
                "accepted": sum(row["accepted"] for row in kinds),
                "people": session.scalar(people) or 0,
            }
        )
    return rows
