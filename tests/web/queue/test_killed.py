"""A server killed at any step of a submit loses nothing that it acknowledged, and the unit can be finished."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from bearleft.web.database.engines import Database, open_database
from bearleft.web.database.models import Answer, Attempt, Event, Project, Unit, Worker
from bearleft.web.queue import events, slots
from bearleft.web.queue.slots import Judgement, NewUnit
from tests.sizes import sized
from tests.web.queue.desk import Clock, Desk
from tests.web.queue.killed import FOLLOW_UPS


def new_desk(database: Database) -> Desk:
    """Return a project with one worker, at the present time."""
    with database.write() as session:
        worker, project = Worker(), Project(name="killed", family="play")
        session.add_all([worker, project])
        session.flush()
        return Desk(database, Clock(), project.id, [worker.id])


@contextmanager
def server(url: str, desk: Desk) -> Iterator[Any]:
    """Yield a function that runs a server until it is killed, and returns what it acknowledged."""
    command = [sys.executable, "-m", "tests.web.queue.killed", url, str(desk.project), str(desk.workers[0])]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None

        def run(point: int, seconds: float = 0) -> list[Any]:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(json.dumps([point, seconds]) + "\n")
            process.stdin.flush()
            found: list[Any] = json.loads(process.stdout.readline())
            return found

        yield run
        process.stdin.close()
        assert process.wait(timeout=60) == 0


def check(desk: Desk, said: list[Any]) -> None:
    """Check that everything acknowledged is there, and that of everything else there is all or nothing."""
    desk.check()
    with desk.database.read() as session:
        log = {(entry.attempt_id, entry.number): entry.data for entry in session.scalars(select(Event))}
        codes = {answer.attempt_id: answer.code for answer in session.scalars(select(Answer))}
        answered = {answer.unit_id for answer in session.scalars(select(Answer))}
        children = [unit.parent_id for unit in session.scalars(select(Unit).where(Unit.kind == "next"))]
    for kind, *rest in said:
        if kind == "event":
            attempt, number = rest
            assert log[attempt, number] == {"n": number}
        elif kind == "answer":
            attempt, code = rest
            assert codes[attempt] == code
    assert sorted(children, key=str) == sorted([*answered] * len(FOLLOW_UPS), key=str)


def finish(desk: Desk) -> None:
    """Load the page of the attempt again, and send the submit again."""
    with desk.database.read() as session:
        attempts = session.scalars(select(Attempt)).all()

    def judge(_session: Session, _attempt: Attempt, _unit: Unit, before: list[Event]) -> Judgement:
        return Judgement({"steps": [entry.data for entry in before]}, {}, True, FOLLOW_UPS)

    for attempt in attempts:
        if attempt.state == "active":
            lease = desk.take(0, ["a"])
            assert lease.attempt_id == attempt.id
        who = (desk.database, attempt.id, desk.workers[0], attempt.token)
        for number in range(2):
            events.append(*who, number, "step", {"n": number}, lambda *_: {})
        stored = slots.submit(*who, f"key {attempt.id}", judge)
        assert stored.data == {"steps": [{"n": 0}, {"n": 1}]}


@pytest.mark.slow(keep=1)
def test_killed_at_each_step_of_a_submit(database_url: str) -> None:
    database = open_database(database_url)
    desk = new_desk(database)
    places: list[tuple[str, bool]] = []
    distance = 1 if database_url.startswith("sqlite") else sized(4, 1)
    with server(database_url, desk) as run:
        for count, point in enumerate(range(1, 200, distance), 1):
            desk.add(NewUnit("a", {}))
            said = run(point)
            stored = len(desk.answers())
            check(desk, said)
            assert stored in (count - 1, count)
            last = said[-1]
            if last[0] == "answer":
                break
            places.append((last[1], stored == count))
            finish(desk)
            check(desk, said)
            assert len(desk.answers()) == count
    names = [name for name, _ in places]
    assert len(places) > 30 / distance
    # Nothing is stored before the commit; after it, all is.
    assert {name for name, done in places if done} <= {"return"}
    assert not [name for name, done in places if name == "return" and not done]
    if distance == 1:
        assert {"begin", "judge", "after", "commit", "return"} <= set(names)
        assert "after_cursor_execute INSERT INTO answers" in names
    database.close()


@pytest.mark.slow(keep=1)
def test_killed_at_any_time(database_url: str) -> None:
    database = open_database(database_url)
    desk = new_desk(database)
    rng = random.Random(3)
    said: list[Any] = []
    with server(database_url, desk) as run:
        seconds = 0.6
        for k in itertools.count():
            desk.add(*[NewUnit("a", {})] * 20)
            said += run(0, rng.uniform(0.05, seconds))
            check(desk, said)
            finish(desk)
            check(desk, said)
            if k + 1 >= sized(5, 15) and any(entry[0] == "answer" for entry in said):
                break
            seconds *= 1.2  # on a machine with other work, nothing may be acknowledged in a second
    database.close()
