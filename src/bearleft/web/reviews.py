"""Reviews by hand: of the workers whom Refer360's first stage has hired, and of ArraMon's doubtful texts."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from bearleft.errors import InputError, unknown_name
from bearleft.web.database.engines import open_database
from bearleft.web.database.models import Project, Worker
from bearleft.web.projects import get_project
from bearleft.web.tasks import arramon, refer360


def review_rows(url: str, name: str) -> list[dict[str, Any]]:
    """Return a row for each text that waits for a review.

    Args:
        url: The database.
        name: The project.

    Raises:
        InputError: The project is unknown, or has no reviews.
    """
    database = open_database(url)
    try:
        with database.read() as session:
            project = get_project(session, name)
            if _family(project) == "arramon":
                return arramon.to_review(session, project)
            return [
                {"worker": row["pseudonym"], "found of 4": row["found"], "world": text["world"], "text": text["text"]}
                for row in refer360.to_review(session, project)
                for text in row["texts"]
            ]
    finally:
        database.close()


def store_review(url: str, name: str, reviewed: str, accepted: bool, reason: str = "") -> None:
    """Store a decision: whether a worker may go on, or whether a set of texts is good.

    Args:
        url: The database.
        name: The project.
        reviewed: In Refer360 the worker's pseudonym, in ArraMon the number of the set.
        accepted: The decision.
        reason: What the worker is told if not.

    Raises:
        InputError: The project, the worker or the set is unknown, or there is nothing to review.
    """

    def decide(session: Session) -> None:
        project = get_project(session, name)
        if _family(project) == "arramon":
            arramon.review(session, project, reviewed, accepted, reason)
            return
        worker_id = session.scalar(select(Worker.id).where(Worker.pseudonym == reviewed))
        if worker_id is None:
            waiting = [row["pseudonym"] for row in refer360.to_review(session, project)]
            raise unknown_name("worker who waits for a review", reviewed, waiting)
        refer360.review(session, project, worker_id, accepted, reason)

    database = open_database(url)
    try:
        database.transact(decide)
    finally:
        database.close()


def _family(project: Project) -> str:
    if project.family not in ("refer360", "arramon"):
        raise InputError("a project of Refer360 or ArraMon", f"one of {project.family}", "project")
    return project.family
