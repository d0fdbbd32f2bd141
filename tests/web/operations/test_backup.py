"""Backups: taken under load, restored into both kinds of databases; damaged and newer ones are refused."""

from __future__ import annotations

import gzip
import json
import random
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from bearleft.errors import InputError
from bearleft.web.database.engines import Database, open_database
from bearleft.web.database.models import Attempt, Base, Unit
from bearleft.web.operations import backup
from bearleft.web.operations.backup import read_backup, restore_backup, write_backup
from bearleft.web.people import COOKIE, add_worker, current_worker, sign
from bearleft.web.queue.slots import NewUnit
from bearleft.web.settings import Settings
from tests.sizes import sized
from tests.web.operations.filled import fill
from tests.web.queue.desk import Clock, Desk

WORKERS = 20
UNITS = sized(300, 600)


def content(database: Database) -> dict[str, list[Any]]:
    """Return everything that a database holds."""
    with database.read() as session:
        return {
            table.name: [tuple(row) for row in session.execute(select(table).order_by(*table.primary_key))]
            for table in Base.metadata.sorted_tables
        }


@pytest.fixture
def other_url(request: pytest.FixtureRequest, database_url: str, tmp_path: Path) -> str:
    """A database of the other kind."""
    if database_url.startswith("sqlite"):
        url: str = request.getfixturevalue("postgresql_url")
        return url
    return str(tmp_path / "other.sqlite")


def test_a_backup_restores_into_both_kinds(
    database: Database, database_url: str, other_url: str, tmp_path: Path
) -> None:
    fill(database)
    before = content(database)
    rows = write_backup(database_url, tmp_path / "backup")
    assert {row["table"]: row["rows"] for row in rows} == {name: len(table) for name, table in before.items()}
    assert (tmp_path / "backup").stat().st_mode & 0o777 == 0o600
    for k, url in enumerate((other_url, str(tmp_path / "same.sqlite"))):
        assert restore_backup(tmp_path / "backup", url) == rows
        restored = open_database(url)
        assert content(restored) == before
        write_backup(url, tmp_path / f"again {k}")
        with restored.write() as session:  # numbers go on after those of the backup
            unit = Unit(project_id=before["projects"][0][0], kind="a", payload={})
            session.add(unit)
            session.flush()
            assert unit.id == before["units"][-1][0] + 1
        restored.close()
        lines = [gzip.decompress((tmp_path / name).read_bytes()).splitlines() for name in ("backup", f"again {k}")]
        assert lines[0][1:] == lines[1][1:]


@pytest.mark.slow
def test_a_backup_under_load_has_every_answer_that_was_acknowledged_before(database_url: str, tmp_path: Path) -> None:
    database = open_database(database_url, clock=Clock(datetime.now(UTC)))
    desk = Desk.of(database, WORKERS)
    desk.add(*(NewUnit("a", {"number": k}) for k in range(UNITS)))
    acknowledged: dict[str, str] = {}
    errors: list[BaseException] = []
    begun = threading.Event()

    def work(worker: int) -> None:
        try:
            while (lease := desk.claim(worker)) is not None:
                desk.append(worker, lease, 0, {"worker": worker})
                acknowledged[lease.attempt_id] = desk.submit(worker, lease).code
                if len(acknowledged) > UNITS // 6:
                    begun.set()
        except BaseException as error:
            errors.append(error)
            begun.set()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(WORKERS)]
    for thread in threads:
        thread.start()
    begun.wait()
    before = dict(acknowledged)
    write_backup(database_url, tmp_path / "backup")
    after = dict(acknowledged)
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(desk.answers()) == UNITS
    database.close()

    restore_backup(tmp_path / "backup", str(tmp_path / "restored.sqlite"))
    again = Desk(open_database(tmp_path / "restored.sqlite", clock=desk.clock), desk.clock, desk.project, desk.workers)
    again.check()
    stored = {answer.attempt_id: answer.code for answer in again.answers()}
    assert before.items() <= stored.items() and len(stored) <= len(after) + WORKERS
    assert len(stored) < UNITS
    holders = {attempt.unit_id: attempt.worker_id for attempt in active(again.database)}
    for worker in range(WORKERS):
        while finish(again, worker, holders):
            pass
    answers = again.answers()
    assert len(answers) == len({answer.unit_id for answer in answers}) == UNITS
    again.check()
    again.database.close()


def active(database: Database) -> list[Attempt]:
    with database.read() as session:
        return list(session.scalars(select(Attempt).where(Attempt.state == "active")))


def finish(desk: Desk, worker: int, holders: dict[int, int]) -> bool:
    """Do a unit; those that somebody had when the backup was taken are still theirs."""
    lease = desk.claim(worker)
    if lease is None:
        return False
    assert holders.get(lease.unit_id, desk.workers[worker]) == desk.workers[worker]
    desk.submit(worker, lease)
    return True


def test_nothing_is_restored_over_other_data(database_url: str, tmp_path: Path) -> None:
    open_database(database_url).close()
    write_backup(database_url, tmp_path / "backup")
    with pytest.raises(InputError, match="expected an empty database"):
        restore_backup(tmp_path / "backup", database_url)


@pytest.mark.slow
def test_a_restore_that_fails_leaves_nothing(
    database: Database, database_url: str, other_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(database)
    write_backup(database_url, tmp_path / "backup")
    monkeypatch.setattr(backup, "_digest", lambda *_: {})
    with pytest.raises(InputError, match="as they are in the backup"):
        restore_backup(tmp_path / "backup", other_url)
    monkeypatch.undo()
    restore_backup(tmp_path / "backup", other_url)  # it is empty still


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup of a database with rows in all tables."""
    folder = tmp_path_factory.mktemp("complete")
    database = open_database(folder / "web.sqlite")
    fill(database)
    database.close()
    write_backup(str(folder / "web.sqlite"), folder / "backup")
    return folder / "backup"


@pytest.mark.slow
def test_truncated_backups_are_refused(complete: Path, tmp_path: Path) -> None:
    whole = complete.read_bytes()
    for length in (0, 1, 5, 100, len(whole) // 2, len(whole) - 9, len(whole) - 1):
        (tmp_path / "short").write_bytes(whole[:length])
        with pytest.raises(InputError, match="backup"):
            read_backup(tmp_path / "short")


def test_a_changed_byte_is_found_or_changes_nothing(complete: Path, tmp_path: Path) -> None:
    whole = complete.read_bytes()
    rows = list(read_backup(complete).rows())
    rng = random.Random(5)
    refused = 0
    for _ in range(100):
        place = rng.randrange(len(whole))
        (tmp_path / "changed").write_bytes(
            whole[:place] + bytes([whole[place] ^ 1 << rng.randrange(8)]) + whole[place + 1 :]
        )
        try:
            found = read_backup(tmp_path / "changed")
        except InputError:
            refused += 1
        else:
            assert list(found.rows()) == rows
    assert refused > 80


def test_rows_are_checked_by_themselves(complete: Path, tmp_path: Path) -> None:
    """Also in a file that is well compressed."""
    lines = gzip.decompress(complete.read_bytes()).splitlines(keepends=True)
    rows = [k for k, line in enumerate(lines) if line.startswith(b"[")]
    cases = {
        "missing": [*lines[: rows[0]], *lines[rows[0] + 1 :]],
        "twice": [*lines[: rows[0]], lines[rows[0]], *lines[rows[0] :]],
        "changed": [*lines[: rows[0]], lines[rows[0]].replace(b"20", b"21"), *lines[rows[0] + 1 :]],
        "no end": lines[:-1],
        "more": [*lines, b"[1]\n"],
        "other table": [lines[0], b'{"table":"sqlite_master"}\n', *lines[2:]],
        "no json": [*lines[:1], b"row\n", *lines[1:]],
        "nothing": [b"\n"],
        "another program's": [b'{"format": "dump"}\n'],
    }
    for name, changed in cases.items():
        path = tmp_path / name
        path.write_bytes(gzip.compress(b"".join(changed)))
        with pytest.raises(InputError, match="backup"):
            read_backup(path)


@pytest.mark.parametrize("change", [{"version": 2}, {"revision": "9999"}])
def test_newer_backups_are_refused(complete: Path, tmp_path: Path, change: dict[str, Any]) -> None:
    head, *lines = gzip.decompress(complete.read_bytes()).splitlines(keepends=True)
    newer = json.dumps(json.loads(head) | {"bearleft": "99.0"} | change).encode() + b"\n"
    (tmp_path / "newer").write_bytes(gzip.compress(b"".join([newer, *lines])))
    with pytest.raises(InputError, match=r"one of bearleft \"99.0\"") as error:
        restore_backup(tmp_path / "newer", str(tmp_path / "restored.sqlite"))
    assert "Install the version" in str(error.value)
    assert not (tmp_path / "restored.sqlite").exists()


class _Browser:
    """A request with a cookie, as `current_worker` reads it."""

    def __init__(self, settings: Settings, database: Database, cookie: str) -> None:
        state = type("State", (), {"settings": settings, "database": database})()
        self.app = type("App", (), {"state": state})()
        self.cookies = {COOKIE: cookie}


def test_a_cookie_from_after_the_backup_is_nobody_elses(tmp_path: Path) -> None:
    """Numbers of workers are given again after a restore; the browsers of those who had them are strangers."""
    settings = Settings(database=str(tmp_path / "web.sqlite"))
    database = open_database(settings.database)
    number = add_worker(database)
    kept = sign(settings, number)
    write_backup(settings.database, tmp_path / "backup")
    late = sign(settings, add_worker(database))
    database.close()
    restore_backup(tmp_path / "backup", str(tmp_path / "restored.sqlite"))
    restored = open_database(tmp_path / "restored.sqlite")
    for _ in range(3):
        assert current_worker(_Browser(settings, restored, kept)) == number  # type: ignore[arg-type]
        assert current_worker(_Browser(settings, restored, late)) is None  # type: ignore[arg-type]
        add_worker(restored)
    restored.close()
