"""A database with rows in all tables, made by the application."""

from __future__ import annotations

import pytest
from sqlalchemy import func, select

from bearleft.web.admin.accounts import add_admin
from bearleft.web.admin.passwords import hash_password
from bearleft.web.admin.sessions import RefusedSignInError, sign_in
from bearleft.web.database.admins import ClosedProject
from bearleft.web.database.engines import Database
from bearleft.web.database.models import Answer, Base, Project
from bearleft.web.database.people import Consent, ConsentText
from bearleft.web.decisions import decide
from bearleft.web.payments.batches import record_batch
from bearleft.web.people.removal import withdraw
from bearleft.web.queue.slots import NewUnit
from tests.web.payments.study import Books
from tests.web.queue.desk import LEASE, Clock, Desk

PASSWORD = "a long password of the tests"
# Whatever a person may write, in the units, events and answers.
TEXTS = ("🐻‍❄️ left of the 🚏", "'; DROP TABLE answers; --", "\u202ebear\u202c\n\t\\", "<b>&amp;</b>", "0", "null", "")


def fill(database: Database) -> None:
    """Let people work until every table has rows."""
    database.clock = clock = Clock()
    for arcade in (False, True):
        desk = Desk.of(database, open_to_all=arcade)
        units = desk.add(*(NewUnit("a", {"text": text, "number": 2**62 + k / 4}, 2) for k, text in enumerate(TEXTS)))
        for k, text in enumerate(TEXTS):
            lease = desk.play(0, units[k]) if arcade else desk.take(0)
            desk.append(0, lease, 0, {"text": text, "numbers": [1, 1.0, True, None, -0.0, 1e-300]})
            desk.submit(0, lease, follow_ups=[NewUnit("b", {"text": text}, writer_id=desk.workers[0])])
        if not arcade:
            desk.give_back(1, desk.take(1, ["a"]))
            desk.take(1, ["a"])
            clock.advance(LEASE)
            desk.take(2, ["a"])
    fill_people(database)
    fill_admins(database)
    with database.read() as session:
        empty = [
            name
            for name, table in Base.metadata.tables.items()
            if not session.scalar(select(func.count()).select_from(table))
        ]
    assert not empty, f"no rows in {', '.join(empty)}: let `fill` use the part of the application that writes them"


def fill_people(database: Database) -> None:
    """Let people agree, come from a platform, earn, be paid, and leave."""
    books = Books(database, platform="prolific", completion_code="CODE")
    writer = books.hire("prolific", "5f3a9c1b2d4e6f7a8b9c0d1e")
    books.validated(writer, books.hire("prolific", "60ffe5c8371090c7041d43f8"))
    with database.write() as session:
        project = session.get_one(Project, books.project_id)
        text = ConsentText(project_id=project.id, number=1, sha256="0" * 64, text=TEXTS[0])
        session.add(text)
        session.flush()
        session.add(Consent(worker_id=writer, text_id=text.id))
        assert record_batch(session, project, "prolific") is not None
    withdraw(database, "study", writer, keep_answers=True)


def fill_admins(database: Database) -> None:
    """Let somebody sign in, decide on an answer, and close a project; and somebody else fail to sign in."""
    hashed = hash_password(PASSWORD)
    database.transact(lambda session: add_admin(session, "owner", "owner", hashed, "command line"))
    with pytest.raises(RefusedSignInError):
        sign_in(database, "nobody", "a wrong password", "203.0.113.7")
    sign_in(database, "owner", PASSWORD, "203.0.113.8")
    with database.write() as session:
        answer = session.scalars(select(Answer).order_by(Answer.id)).first()
        assert answer is not None
        decide(session, [answer], False, "too short", "owner")
        session.add(ClosedProject(project_id=session.scalars(select(Project.id).order_by(Project.id)).first()))
