"""Databases open or say why not; readers see one state, writers wait for each other, and nothing half is stored."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError, StatementError
from sqlalchemy.orm import Session

from bearleft.errors import InputError
from bearleft.web.database import engines, schema
from bearleft.web.database.engines import BusyError, Database, open_database
from bearleft.web.database.models import Project, Unit, Worker
from bearleft.web.database.values import MAX_DEPTH, check_json, check_text
from tests.web.postgresql import run_sql

TEXTS = ["", "naïve – 東京 – مرحبا", "🐻‍❄️🧸", "'; DROP TABLE workers; --", "<script>alert(1)</script>", "x" * 100_000]


def count(database: Database, table: type[Worker] | type[Project] = Worker) -> int:
    with database.read() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


@pytest.mark.parametrize("form", ["path", "plain", "url"])
def test_a_sqlite_file_is_made_where_none_is(tmp_path: Path, form: str) -> None:
    path = tmp_path / "100 % new.sqlite"
    forms: dict[str, str | Path] = {"path": path, "plain": str(path), "url": f"sqlite:///{path}"}
    url = forms[form]
    for _ in range(2):
        database = open_database(url)
        with database.write() as session:
            session.add(Worker())
        database.close()
    reopened = open_database(path)
    assert count(reopened) == 2
    reopened.close()


def test_sqlite_is_set_up(tmp_path: Path) -> None:
    database = open_database(tmp_path / "work.sqlite")
    for opened in (database.read, database.write):
        with opened() as session:
            assert session.scalar(text("PRAGMA journal_mode")) == "wal"
            assert session.scalar(text("PRAGMA foreign_keys")) == 1
            assert session.scalar(text("PRAGMA synchronous")) == 2
            assert session.scalar(text("PRAGMA busy_timeout")) == 1000 * engines.WAIT
    database.close()


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("", "expected a file or the URL"),
        ("a\0b", "expected a file or the URL"),
        ("mysql://u:hidden@h/d", "expected sqlite or postgresql"),
        ("postgresql+psycopg2://u:hidden@h/d", "expected sqlite or postgresql"),
        ("postgresql://u:hidden@h", "name of a database"),
        ("postgresql://u:hidden@h:port/d", "expected the URL of a database"),
        ("postgresql://u:hidden@127.0.0.1:1/d", "expected a database that opens"),
        ("postgresql://u:hidden@127.0.0.1:1/d?sslmode=hidden", "expected a database that opens"),
        ("sqlite://", "expected sqlite:///FILE"),
        ("sqlite:///:memory:", "expected sqlite:///FILE"),
        ("sqlite:///work.sqlite?mode=ro", "expected sqlite:///FILE"),
        ("/", "expected a file, got a folder"),
        ("/no/folder/work.sqlite", "expected a file in a folder that exists"),
    ],
)
def test_a_wrong_database_is_refused(url: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        open_database(url)
    assert message in str(error.value)
    assert "u:hidden" not in str(error.value)


def test_a_file_that_is_no_database_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Turn left at the bear. " * 100)
    with pytest.raises(InputError, match="expected a SQLite database"):
        open_database(path)
    assert path.read_text().startswith("Turn left")


def test_a_database_of_another_program_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE songs (name TEXT)")
    connection.close()
    with pytest.raises(InputError, match="tables songs"):
        open_database(path)
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("songs",)]
    connection.close()


def test_other_tables_of_a_postgresql_database_are_left_alone(postgresql_server: str) -> None:
    run_sql(f"{postgresql_server}/template1", "CREATE DATABASE shared TEMPLATE template0")
    url = f"{postgresql_server}/shared"
    run_sql(url, "CREATE TABLE songs (name TEXT)")
    open_database(url).close()
    run_sql(url, "INSERT INTO songs VALUES ('a'); DROP TABLE bearleft_version")
    with pytest.raises(InputError, match="one with the tables admin_sessions, admins, answers"):
        open_database(url)


def test_a_database_of_a_newer_version_is_refused(database_url: str) -> None:
    database = open_database(database_url)
    with database.write() as session:
        session.execute(text("UPDATE bearleft_version SET version_num = '9999'"))
    database.close()
    with pytest.raises(InputError, match="revision 9999"):
        open_database(database_url)


def test_a_postgresql_database_that_is_missing_or_not_unicode_is_refused(postgresql_server: str) -> None:
    with pytest.raises(InputError, match='database "missing" does not exist'):
        open_database(f"{postgresql_server}/missing")
    run_sql(f"{postgresql_server}/template1", "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    with pytest.raises(InputError, match="encoding UTF8"):
        open_database(f"{postgresql_server}/latin")


@pytest.mark.slow(keep=4)
@pytest.mark.parametrize("content", TEXTS, ids=range(len(TEXTS)))
def test_any_text_is_stored_as_it_is(database: Database, content: str) -> None:
    with database.write() as session:
        session.add(Project(name=content[:200], family="play", settings={content[:200]: [content, 1.0, 1, True, None]}))
    with database.read() as session:
        project = session.scalars(select(Project).where(Project.name == content[:200])).one()
    assert project.settings == {content[:200]: [content, 1.0, 1, True, None]}
    assert [type(item) for item in project.settings[content[:200]]][1:4] == [float, int, bool]


@pytest.mark.slow(keep=6)
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("a\0b", {}),
        ("a\ud800b", {}),
        ("x" * 201, {}),
        ("x", {"a": "\0"}),
        ("x", {"a": [{"b": "\udfff"}]}),
        ("x", {"a\0": 1}),
        ("x", {"a": float("nan")}),
        ("x", {"a": float("inf")}),
        ("x", {"a": 2**63}),
        ("x", {"a": 10**5000}),
        ("x", {"a": {1, 2}}),
        ("x", {1: 2}),
    ],
    ids=range(12),
)
def test_what_postgresql_cannot_store_is_refused_on_both(database: Database, name: str, settings: dict) -> None:  # type: ignore[type-arg]
    with pytest.raises(InputError), database.write() as session:
        session.add(Project(name=name, family="play", settings=settings))
    with pytest.raises(InputError), database.read() as session:
        check_json(settings)
        check_text(name, max_length=200)
        session.scalars(select(Project).where(Project.name == name)).all()
    assert count(database, Project) == 0


def test_errors_name_the_place() -> None:
    with pytest.raises(InputError, match=r"field data\.a\[1\]\.b: expected a text without NUL"):
        check_json({"a": [0, {"b": "xy\0"}]}, "data")
    deep: list[object] = []
    for _ in range(MAX_DEPTH):
        deep = [deep]
    check_json(deep)
    with pytest.raises(InputError, match="levels"):
        check_json([deep])
    cycle: list[object] = []
    cycle.append(cycle)
    with pytest.raises(InputError, match="levels"):
        check_json(cycle)
    check_json({"a": "é"}, max_bytes=11)
    with pytest.raises(InputError, match="at most 10 bytes of JSON, got 11"):
        check_json({"a": "é"}, max_bytes=10)


def test_times_are_utc(database: Database) -> None:
    kathmandu = timezone(timedelta(hours=5, minutes=45))
    moment = datetime(2031, 5, 6, 7, 8, 9, 123456, tzinfo=kathmandu)
    with database.write() as session:
        session.add(Worker(pseudonym="a", created=moment))
        session.add(Worker(pseudonym="b"))
    with database.read() as session:
        for limit, names in ((moment, ["a"]), (moment - timedelta(microseconds=1), [])):
            found = select(Worker.pseudonym).where(Worker.created <= limit, Worker.pseudonym == "a")
            assert session.scalars(found).all() == names
        stored = session.scalars(select(Worker).order_by(Worker.pseudonym)).all()
    assert stored[0].created == moment and stored[0].created.tzinfo is UTC
    assert abs(stored[1].created - datetime.now(UTC)) < timedelta(hours=1)
    with pytest.raises(StatementError, match="no time zone"), database.write() as session:
        session.add(Worker(created=datetime(2031, 1, 1)))


def test_pseudonyms_and_names_are_unique(database: Database) -> None:
    with database.write() as session:
        session.add_all([Worker() for _ in range(100)])
        session.add(Project(name="a", family="play"))
    with pytest.raises(IntegrityError), database.write() as session:
        session.add(Project(name="a", family="play"))


def test_references_are_checked(database: Database) -> None:
    with pytest.raises(IntegrityError), database.write() as session:
        session.add(Unit(project_id=77, kind="a", payload={}))


def test_an_error_stores_nothing(database: Database) -> None:
    def fail(session: Session) -> None:
        session.add(Worker())
        session.flush()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        database.transact(fail)
    assert count(database) == 0


def test_a_reader_cannot_write(database: Database) -> None:
    with pytest.raises(DBAPIError), database.read() as session:
        session.add(Worker())
        session.commit()
    with database.write() as session:  # the connection serves writers again
        session.add(Worker())
    assert count(database) == 1


def test_a_reader_sees_one_state_and_does_not_stop_writers(database: Database) -> None:
    with database.read() as reading:
        assert reading.scalar(select(func.count()).select_from(Worker)) == 0
        with database.write() as session:
            session.add(Worker())
        assert reading.scalar(select(func.count()).select_from(Worker)) == 0
    assert count(database) == 1


def test_a_writer_does_not_stop_readers(database: Database) -> None:
    with database.write() as session:
        session.add(Worker())
        session.flush()
        assert count(database) == 0


def test_concurrent_changes_are_not_lost(database: Database) -> None:
    with database.write() as session:
        session.add(Project(name="a", family="play", settings={"count": 0}))

    def increase(session: Session) -> None:
        project = session.scalars(select(Project).with_for_update()).one()
        project.settings = {"count": project.settings["count"] + 1}

    def work() -> None:
        for _ in range(10):
            database.transact(increase)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as session:
        assert session.scalars(select(Project)).one().settings == {"count": 80}


@pytest.mark.slow
def test_a_deadlock_is_tried_again(postgresql_url: str) -> None:
    database = open_database(postgresql_url)
    with database.write() as session:
        session.add_all([Project(name="a", family="0"), Project(name="b", family="0")])
    both = threading.Barrier(2, timeout=30)
    runs: list[str] = []

    def change(first: str, second: str) -> None:
        def function(session: Session) -> None:
            runs.append(first)
            for name in (first, second):
                project = session.scalars(select(Project).where(Project.name == name).with_for_update()).one()
                project.family = str(int(project.family) + 1)
                session.flush()
                if name == first and len(runs) <= 2:
                    both.wait()

        database.transact(function)

    threads = [threading.Thread(target=change, args=names) for names in (("a", "b"), ("b", "a"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(runs) == 3
    with database.read() as session:
        assert session.scalars(select(Project.family)).all() == ["2", "2"]
    database.close()


def test_a_file_that_stays_locked_is_busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "WAIT", 0.01)
    path = tmp_path / "work.sqlite"
    database = open_database(path)
    runs: list[int] = []
    with sqlite3.connect(path, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(BusyError, match="try again"):
            database.transact(lambda session: runs.append(session.execute(select(1)).scalar_one()))
        assert not runs and count(database) == 0
        other.execute("COMMIT")
    other.close()
    database.transact(lambda session: session.add(Worker()))
    assert count(database) == 1
    database.close()


def test_other_errors_are_not_tried_again(database: Database) -> None:
    runs: list[int] = []

    def wrong(session: Session) -> None:
        runs.append(1)
        session.execute(text("SELECT nothing FROM nowhere"))

    with pytest.raises(DBAPIError):
        database.transact(wrong)
    assert runs == [1]


def test_a_server_that_was_started_again_is_found_again(postgresql_url: str) -> None:
    database = open_database(postgresql_url)
    assert count(database) == 0
    name = postgresql_url.rpartition("/")[2]
    server = postgresql_url.rpartition("/")[0]
    ending = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
    run_sql(f"{server}/template1", ending)
    database.transact(lambda session: session.add(Worker()))
    run_sql(f"{server}/template1", ending)
    assert count(database) == 1
    database.close()


OPEN_AT_ONCE = """
import sys
from bearleft.web.database.engines import open_database
from bearleft.web.database.models import Worker
sys.stdin.readline()
database = open_database(sys.argv[1])
database.transact(lambda session: session.add(Worker()))
"""


@pytest.fixture
def new_database_url(request: pytest.FixtureRequest, database_url: str) -> Iterator[str]:
    """A database without tables."""
    if database_url.startswith("sqlite"):
        yield database_url
        return
    server: str = request.getfixturevalue("postgresql_server")
    name = f"new_{os.getpid()}_{random.randrange(10**9)}"
    run_sql(f"{server}/template1", f"CREATE DATABASE {name} TEMPLATE template0")
    yield f"{server}/{name}"
    run_sql(f"{server}/template1", f"DROP DATABASE {name} WITH (FORCE)")


@pytest.mark.slow(keep=1)
def test_several_processes_make_the_tables_at_once(new_database_url: str) -> None:
    command = [sys.executable, "-c", OPEN_AT_ONCE, new_database_url]
    processes = [subprocess.Popen(command, stdin=subprocess.PIPE) for _ in range(6)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
    for process in processes:
        process.communicate(timeout=120)
        assert process.returncode == 0
    database = open_database(new_database_url)
    assert count(database) == 6
    with database.read() as session:
        assert session.scalars(text("SELECT version_num FROM bearleft_version")).all() == [schema.head()]
    database.close()


def test_only_others_in_the_way_are_a_reason_to_try_again() -> None:
    busy = sqlite3.OperationalError("database is locked")
    busy.sqlite_errorcode = sqlite3.SQLITE_BUSY_SNAPSHOT
    full = sqlite3.OperationalError("disk full")
    full.sqlite_errorcode = sqlite3.SQLITE_FULL
    assert engines.is_retried(OperationalError("", None, busy))
    assert not engines.is_retried(OperationalError("", None, full))


def test_threads_take_turns_in_order() -> None:
    turnstile = engines.Turnstile(1)
    order: list[int] = []

    def work(number: int) -> None:
        with turnstile.passed(30):
            order.append(number)

    with turnstile.passed(30):
        threads = [threading.Thread(target=work, args=(number,)) for number in range(20)]
        for number, thread in enumerate(threads):
            thread.start()
            while len(turnstile._waiting) <= number:
                pass
    for thread in threads:
        thread.join()
    assert order == list(range(20))


def test_who_waits_in_vain_takes_no_place() -> None:
    turnstile = engines.Turnstile(2)
    with turnstile.passed(0), turnstile.passed(0):
        for _ in range(3):
            with pytest.raises(BusyError), turnstile.passed(0.001):
                pass
    for _ in range(3):
        with turnstile.passed(0), turnstile.passed(0):
            pass
    with pytest.raises(ZeroDivisionError), turnstile.passed(0), turnstile.passed(0):
        raise ZeroDivisionError
    with turnstile.passed(0), turnstile.passed(0):
        pass
