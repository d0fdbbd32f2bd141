"""A worker is deleted while others work on that worker's texts: nobody sees a failure, and the tables agree."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from bearleft.web.database.engines import Database, open_database
from bearleft.web.database.models import Attempt, Unit, Worker
from bearleft.web.people.removal import delete_worker
from bearleft.web.queue.slots import NewUnit, QueueError
from tests.web.queue.desk import Clock, Desk

WORKERS, TEXTS, ROUNDS = 6, 10, 3


@pytest.fixture
def clocked(database_url: str) -> Iterator[Database]:
    database = open_database(database_url, clock=Clock())
    yield database
    database.close()


@pytest.mark.slow(keep=1)
def test_a_writer_is_deleted_while_others_work(clocked: Database) -> None:
    desk = Desk.of(clocked, WORKERS + ROUNDS)
    failures: list[BaseException] = []
    for number in range(ROUNDS):
        writer = desk.workers[WORKERS + number]
        first = desk.add(NewUnit("text", {}, slots=2))[0]
        desk.add(
            *[NewUnit("follow", {"k": k}, slots=3, writer_id=writer, parent_id=first) for k in range(TEXTS)],
            NewUnit("other", {}, slots=WORKERS),
        )
        start = threading.Barrier(WORKERS + 1)

        def work(who: int, start: threading.Barrier = start, writer: int = writer) -> None:
            try:
                start.wait()
                for _ in range(TEXTS):
                    try:
                        lease = desk.claim(who)
                        if lease is None:
                            continue
                        desk.append(who, lease, 0)
                        follow = NewUnit("follow", {}, slots=2, writer_id=writer)
                        desk.submit(who, lease, follow_ups=[follow] if lease.kind == "follow" else [])
                    except QueueError:
                        pass  # the text is gone: people are told so
            except BaseException as error:
                failures.append(error)

        def delete(start: threading.Barrier = start, writer: int = writer) -> None:
            try:
                start.wait()
                delete_worker(clocked, writer)
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(WORKERS)]
        threads.append(threading.Thread(target=delete))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures
        desk.check()
        with clocked.read() as session:
            assert session.get(Worker, writer) is None
            assert session.query(Unit).where(Unit.writer_id == writer).count() == 0
            assert session.query(Attempt).where(Attempt.worker_id == writer).count() == 0
