"""Batches of payments: each amount is paid once, whenever the program is killed, in the formats of the platforms."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from bearleft.cli import cli
from bearleft.errors import InputError
from bearleft.web.database.engines import Database
from bearleft.web.database.payments import LedgerEntry, PaymentBatch
from bearleft.web.payments.batches import export_batch, payment_rows, rewrite_batch
from tests.web.payments.study import Books

PROLIFIC = {"platform": "prolific", "completion_code": "CODE"}
PIDS = ("5f3a9c1b2d4e6f7a8b9c0d1e", "60ffe5c8371090c7041d43f8")


def prolific(database: Database) -> tuple[Books, int, int]:
    books = Books(database, **PROLIFIC)
    return books, books.hire("prolific", PIDS[0]), books.hire("prolific", PIDS[1])


def test_exporting_twice_pays_once(database: Database, database_url: str, tmp_path: Path) -> None:
    books, writer, follower = prolific(database)
    books.validated(writer, follower)
    file, again = tmp_path / "one.csv", tmp_path / "two.csv"
    (row,) = export_batch(database_url, "study", "prolific", file)
    assert (row["batch"], row["people"], row["total"]) == (1, 2, "0.35")
    assert file.read_text() == f"{PIDS[0]},0.25\n{PIDS[1]},0.10\n"
    assert export_batch(database_url, "study", "prolific", again) == []
    assert not again.exists()
    # The same batch again, on request.
    assert rewrite_batch(database_url, "study", 1, again)[0]["total"] == "0.35"
    assert again.read_text() == file.read_text()
    # What is earned later is in the next batch alone.
    books.validated(follower, writer)
    (row,) = export_batch(database_url, "study", "prolific", again)
    assert (row["batch"], again.read_text()) == (2, f"{PIDS[0]},0.10\n{PIDS[1]},0.25\n")
    rows = payment_rows(database_url, "study")
    assert [(row["bonus"], row["owed"], row["paid"]) for row in rows] == [("0.35", "0.00", "0.35")] * 2


def test_computing_again_books_nothing_twice(database: Database, database_url: str) -> None:
    books, writer, follower = prolific(database)
    books.validated(writer, follower)
    first = payment_rows(database_url, "study")
    assert payment_rows(database_url, "study") == first
    with database.read() as session:
        keys = session.scalars(select(LedgerEntry.key)).all()
    assert len(keys) == len(set(keys)) == 4


def test_base_pay_of_a_platform_is_not_paid_twice(database: Database, database_url: str, tmp_path: Path) -> None:
    """Prolific pays it when the submission is approved; people who came directly get it here."""
    books, writer, follower = prolific(database)
    alone = books.hire()
    books.validated(writer, follower)
    books.answer(alone, "propagation")
    rows = {row["worker"]: row for row in payment_rows(database_url, "study")}
    assert (rows[books.pseudonym(writer)]["base"], rows[books.pseudonym(writer)]["owed"]) == ("0.60", "0.25")
    (row,) = export_batch(database_url, "study", "direct", tmp_path / "direct.csv")
    assert list(csv.reader((tmp_path / "direct.csv").read_text().splitlines())) == [
        ["worker", "amount", "currency"],
        [books.pseudonym(alone), "0.15", "USD"],
    ]
    assert row["for"] == "direct"


def test_base_pay_can_be_paid_with_the_bonuses(database: Database, database_url: str, tmp_path: Path) -> None:
    books = Books(database, **PROLIFIC, base_pay="bonus", currency="GBP")
    writer = books.hire("prolific", PIDS[0])
    books.answer(writer, "writing")
    (row,) = export_batch(database_url, "study", "prolific", tmp_path / "file.csv")
    assert ((tmp_path / "file.csv").read_text(), row["currency"]) == (f"{PIDS[0]},0.60\n", "GBP")


def test_mturk_gets_the_parameters_of_send_bonus(database: Database, database_url: str, tmp_path: Path) -> None:
    books = Books(database, platform="mturk")
    writer, follower = (books.hire("mturk", f"A{k}WORKER", f"HIT{k}", f"ASSIGNMENT{k}") for k in (1, 2))
    books.validated(writer, follower)
    export_batch(database_url, "study", "mturk", tmp_path / "bonus.csv")
    rows = list(csv.DictReader((tmp_path / "bonus.csv").read_text().splitlines()))
    assert list(rows[0]) == ["WorkerId", "AssignmentId", "BonusAmount", "Reason", "UniqueRequestToken"]
    assert [(row["WorkerId"], row["AssignmentId"], row["BonusAmount"]) for row in rows] == [
        ("A1WORKER", "ASSIGNMENT1", "0.25"),
        ("A2WORKER", "ASSIGNMENT2", "0.10"),
    ]
    tokens = [row["UniqueRequestToken"] for row in rows]
    assert len(set(tokens)) == 2 and all(len(token) <= 64 for token in tokens)
    rewrite_batch(database_url, "study", 1, tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_text() == (tmp_path / "bonus.csv").read_text()


def test_bonuses_on_prolific_are_paid_within_one_study(database: Database, database_url: str, tmp_path: Path) -> None:
    books = Books(database, **PROLIFIC)
    writer, follower = (books.hire("prolific", pid, f"STUDY{k}") for k, pid in enumerate(PIDS))
    books.validated(writer, follower)
    file = tmp_path / "file.csv"
    with pytest.raises(InputError, match="--study STUDY0"):
        export_batch(database_url, "study", "prolific", file)
    with pytest.raises(InputError, match="STUDY0, STUDY1"):
        export_batch(database_url, "study", "prolific", file, "STUDY7")
    for k, amount in enumerate(("0.25", "0.10")):
        export_batch(database_url, "study", "prolific", file, f"STUDY{k}")
        assert file.read_text() == f"{PIDS[k]},{amount}\n"
    with pytest.raises(InputError, match="--for mturk"):
        export_batch(database_url, "study", "mturk", file, "STUDY0")


PROGRAM = """
import os, signal, sys
from sqlalchemy import event
from bearleft.web.database import engines
from bearleft.web.payments import batches

url, file, fatal = sys.argv[1:]

def reach(name):
    if name == fatal:
        os.kill(os.getpid(), signal.SIGKILL)

def listen(url):
    database = engines.open_database(url)
    statement = lambda _connection, _cursor, text, *_: reach(" ".join(text.split()[:3]))
    event.listen(database._writer, "after_cursor_execute", statement)
    return database

def write_text(path, text, write=batches.write_text):
    reach("recorded")
    write(path, text)
    reach("written")

batches.open_database, batches.write_text = listen, write_text
batches.export_batch(url, "study", "prolific", file)
"""
STEPS = ("INSERT INTO payment_batches", "recorded", "written")


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("step", STEPS)
def test_killed_at_any_step_nothing_is_paid_twice(
    database: Database, database_url: str, tmp_path: Path, step: str
) -> None:
    """The file of a batch is written after its amounts were taken, and is the same whenever it is written."""
    books, writer, follower = prolific(database)
    books.validated(writer, follower)
    file = tmp_path / "file.csv"
    killed = subprocess.run([sys.executable, "-c", PROGRAM, database_url, str(file), step], check=False)
    assert killed.returncode == -signal.SIGKILL
    recorded = STEPS.index(step) >= STEPS.index("recorded")
    with database.read() as session:
        batches = session.scalars(select(PaymentBatch)).all()
    assert [batch.state for batch in batches] == ["recorded"] * recorded
    assert file.exists() == (STEPS.index(step) >= STEPS.index("written"))
    if recorded:
        with pytest.raises(InputError, match="--batch 1 -o FILE"):
            export_batch(database_url, "study", "prolific", file)
        rewrite_batch(database_url, "study", 1, file)
    else:
        export_batch(database_url, "study", "prolific", file)
    assert file.read_text() == f"{PIDS[0]},0.25\n{PIDS[1]},0.10\n"
    assert export_batch(database_url, "study", "prolific", tmp_path / "other.csv") == []
    with database.read() as session:
        assert [batch.state for batch in session.scalars(select(PaymentBatch))] == ["written"]


def run(*args: str) -> Any:
    return CliRunner().invoke(cli, ["serve", "payments", *args], catch_exceptions=False)


def test_the_command(database: Database, database_url: str, tmp_path: Path) -> None:
    books, writer, follower = prolific(database)
    books.validated(writer, follower)
    where = ("--database", database_url)
    rows = json.loads(run("study", "--json", *where).output)
    assert [set(row) for row in rows] == [{"worker", "by", "base", "bonus", "owed", "paid", "currency"}] * 2
    assert not any(pid in json.dumps(rows) for pid in PIDS)
    file = str(tmp_path / "file.csv")
    (batch,) = json.loads(run("study", "--for", "prolific", "-o", file, "--json", *where).output)
    assert (batch["batch"], batch["study"], batch["file"]) == (1, "S1", file)
    again = run("study", "--for", "prolific", "-o", file, *where)
    assert again.exit_code == 0 and "Nothing is owed" in again.output


@pytest.mark.parametrize(
    "args",
    [
        ("--for", "prolific"),
        ("-o", "file.csv"),
        ("--for", "mturk", "--batch", "1", "-o", "file.csv"),
        ("--study", "S1"),
        ("--batch", "7", "-o", "file.csv"),
    ],
)
def test_wrong_options_are_refused(database: Database, database_url: str, args: tuple[str, ...]) -> None:
    Books(database)
    with pytest.raises(InputError):
        run("study", *args, "--database", database_url)
