"""A database with rows in all tables, made by the application."""

from __future__ import annotations

import pytest
from sqlalchemy import func, select

from bearleft.web.admin.accounts import add_admin
from bearleft.web.admin.passwords import hash_password
from bearleft.web.admin.sessions import RefusedSignInError, sign_in
from bearleft.web.database.admins import ClosedProject
from bearleft.web.database.engines import Database
from bearleft.web.database.leaderboard import (
    EpisodeValues,
    Figure,
    Invitation,
    LeaderboardEvent,
    Submission,
    SubmissionFile,
    Team,
    TeamSession,
    Token,
    Track,
)
from bearleft.web.database.models import Answer, Base, Project
from bearleft.web.database.payments import PaymentBatch
from bearleft.web.decisions import decide
from bearleft.web.payments.ledger import book
from bearleft.web.people.consent import agree
from bearleft.web.people.identities import Entry, enter
from bearleft.web.people.removal import withdraw
from bearleft.web.people.texts import add_version
from bearleft.web.queue.slots import NewUnit, add_units
from tests.web.queue.desk import LEASE, Clock, Desk

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
    _run_study(database)
    _administer(database)
    _compare(database)
    with database.read() as session:
        empty = [
            name
            for name, table in Base.metadata.tables.items()
            if not session.scalar(select(func.count()).select_from(table))
        ]
    assert not empty, f"no rows in {', '.join(empty)}: let `fill` use the part of the application that writes them"


def _run_study(database: Database) -> None:
    """Let somebody come from a platform, agree, work, be paid, and withdraw."""
    settings = {"platform": "prolific", "completion_code": "C0DE", "consent": True}
    with database.write() as session:
        project = Project(name="paid", family="touchdown", settings=settings)
        session.add(project)
        session.flush()
        text = add_version(session, project, TEXTS[0])
        add_units(session, project.id, [NewUnit("touchdown/writing", {"text": TEXTS[1]}) for _ in range(2)])
        project_id, text_id = project.id, text.id
    worker = enter(database, "paid", Entry("prolific", "person1", "study1", "session1"), None).worker_id
    agree(database, "paid", worker, text_id)
    desk = Desk(database, database.clock, project_id, [worker])  # type: ignore[arg-type]
    desk.submit(0, desk.take(0))
    with database.write() as session:
        project = session.get_one(Project, project_id)
        book(session, project)
        session.add(PaymentBatch(project_id=project.id, platform="prolific", study="study1"))
        decide(
            session, session.scalars(select(Answer).where(Answer.worker_id == worker)).all(), False, TEXTS[3], "test"
        )
        session.add(ClosedProject(project_id=project.id))
    withdraw(database, "paid", worker, keep_answers=True)


def _administer(database: Database) -> None:
    """Let somebody sign in, and somebody fail."""
    with database.write() as session:
        add_admin(session, "researcher", "owner", hash_password("correct horse battery"), "test")
    sign_in(database, "researcher", "correct horse battery", "127.0.0.1")
    with pytest.raises(RefusedSignInError):
        sign_in(database, "nobody", "wrong", "127.0.0.2")


def _compare(database: Database) -> None:
    """Let a team submit to a track, and a scorer store its figures."""
    with database.write() as session:
        now = database.now()
        track = Track(
            name="walks",
            title=TEXTS[0],
            dataset="town/test",
            measures=["TC", "nDTW"],
            primary_measure="nDTW",
            daily_limit=3,
            total_limit=50,
            max_bytes=2**40,
            max_files=5,
            time_limit_s=60,
            memory_limit_mb=1024,
            package_version="0",
        )
        team = Team(name=TEXTS[1], name_key=TEXTS[1], affiliation=TEXTS[2])
        session.add_all([track, team])
        session.flush()
        session.add(Invitation(code_sha256="0" * 64, team_id=team.id, note=TEXTS[3], expires_at=now))
        token = Token(team_id=team.id, sha256="1" * 64, label=TEXTS[4])
        entry = Submission(track_id=track.id, team_id=team.id, day="2031-01-01", key="k", title=TEXTS[0], tags=["cost"])
        session.add_all([token, entry])
        session.flush()
        session.add(TeamSession(token_id=token.id, token_hash="2" * 64, form_token="f", expires_at=now))
        session.add(SubmissionFile(submission_id=entry.id, seed=-1, path="a", bytes=2**40, sha256="3" * 64, traces=7))
        named = {"submission_id": entry.id, "convention": "paper", "metric": "nDTW"}
        for seed in (None, 2**40):
            session.add(Figure(**named, seed=seed, value=1 / 3, low=-1e-300, high=None, count=7))
        session.add(EpisodeValues(**named, values=bytes(range(256))))
        where = {"track_id": track.id, "team_id": team.id, "submission_id": entry.id}
        session.add(LeaderboardEvent(actor="cli", action="submit", **where, details={"text": TEXTS[2]}))
