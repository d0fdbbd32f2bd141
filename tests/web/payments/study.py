"""A Touchdown project with stored answers, without a server or worlds."""

from __future__ import annotations

from typing import Any

from bearleft.web.database.engines import Database
from bearleft.web.database.models import Answer, Attempt, Project, Unit, Worker
from bearleft.web.database.people import Identity, PlatformSession
from bearleft.web.database.values import utc_now


class Books:
    """A project, to which answers are added as the queue stores them."""

    def __init__(self, database: Database, **settings: Any) -> None:
        self.database = database
        with database.write() as session:
            project = Project(name="study", family="touchdown", settings=settings)
            session.add(project)
            session.flush()
            self.project_id = project.id

    def hire(self, platform: str = "", participant: str = "", study: str = "S1", session_id: str = "A1") -> int:
        """Return a new worker, who came from a platform if one is named."""
        with self.database.write() as session:
            worker = Worker()
            session.add(worker)
            session.flush()
            if platform:
                identity = Identity(worker_id=worker.id, platform=platform, participant=participant)
                session.add(identity)
                session.flush()
                row = PlatformSession(
                    identity_id=identity.id, project_id=self.project_id, study=study, session=session_id
                )
                session.add(row)
            return worker.id

    def pseudonym(self, worker: int) -> str:
        """Return the random name of a worker."""
        with self.database.read() as session:
            return session.get_one(Worker, worker).pseudonym

    def answer(self, worker: int, kind: str, parent: int | None = None) -> int:
        """Store an answer, and return its unit."""
        with self.database.write() as session:
            unit = Unit(project_id=self.project_id, kind=f"touchdown/{kind}", parent_id=parent, closed=True)
            session.add(unit)
            session.flush()
            attempt = Attempt(unit_id=unit.id, worker_id=worker, state="submitted", expires=utc_now())
            session.add(attempt)
            session.flush()
            answer = Answer(attempt_id=attempt.id, unit_id=unit.id, worker_id=worker, key="k", accepted=True)
            answer.data, answer.feedback = {}, {}
            session.add(answer)
            return unit.id

    def validated(self, writer: int, follower: int) -> int:
        """Store a text that somebody followed to the bear, and return its unit."""
        text = self.answer(writer, "writing")
        self.answer(follower, "validation", parent=text)
        return text
