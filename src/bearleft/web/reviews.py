"""Reviews by hand of the workers whom Refer360's first stage has hired."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from bearleft.errors import unknown_name
from bearleft.web.database.engines import open_database
from bearleft.web.database.models import Worker
from bearleft.web.projects import get_project
from bearleft.web.tasks.refer360 import review, to_review


def review_rows(url: str, name: str) -> list[dict[str, Any]]:
    """Return a row for each text of the workers who wait for a review.

    Args:
        url: The database.
        name: The project.
    """
    database = open_database(url)
    try:
        with database.read() as session:
            waiting = to_review(session, get_project(session, name))
    finally:
        database.close()
    return [
        {"worker": row["pseudonym"], "found of 4": row["found"], "world": text["world"], "text": text["text"]}
        for row in waiting
        for text in row["texts"]
    ]


def review_worker(url: str, name: str, pseudonym: str, accepted: bool, reason: str = "") -> None:
    """Store a decision on a worker, who then may or may not go on.

    Args:
        url: The database.
        name: The project.
        pseudonym: The worker.
        accepted: Whether the worker may go on.
        reason: What the worker is told if not.

    Raises:
        InputError: The project or the worker is unknown, or has no such stage.
    """

    def decide(session: Session) -> None:
        project = get_project(session, name)
        worker_id = session.scalar(select(Worker.id).where(Worker.pseudonym == pseudonym))
        if worker_id is None:
            waiting = [row["pseudonym"] for row in to_review(session, project)]
            raise unknown_name("worker who waits for a review", pseudonym, waiting)
        review(session, project, worker_id, accepted, reason)

    database = open_database(url)
    try:
        database.transact(decide)
    finally:
        database.close()
