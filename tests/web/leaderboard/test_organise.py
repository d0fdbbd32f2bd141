"""`bearleft serve leaderboard`: what organisers do in a shell, and copies of a leaderboard."""

from __future__ import annotations

import json
import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bearleft.data import load
from bearleft.generate.hidden import ENTRANTS
from bearleft.web.database.engines import open_database
from bearleft.web.database.leaderboard import Submission, SubmissionFile
from bearleft.web.leaderboard import teams, tracks, uploads
from bearleft.web.leaderboard.folders import private_folder
from bearleft.web.leaderboard.organise import check_files
from bearleft.web.leaderboard.submissions import oldest_waiting, queue_counts, withdraw
from bearleft.web.operations.backup import restore_backup, write_backup
from tests.commands import run_command
from tests.web.leaderboard.board import FILE, Board, write_hidden
from tests.web.queue.desk import Clock


class Shell:
    """Commands on one leaderboard."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.database, self.folder, self._capsys = folder / "a.sqlite", folder / "leaderboard", capsys

    def run(self, command: str, *arguments: object) -> list[dict[str, Any]]:
        code, out, error = self.result(command, *arguments, "--json")
        assert code == 0, error
        rows: list[dict[str, Any]] = json.loads(out)
        assert all(not isinstance(value, dict | list) for row in rows for value in row.values())
        return rows

    def result(self, command: str, *arguments: object) -> tuple[int, str, str]:
        options = ["--database", self.database]
        if command in ("add-track", "check"):
            options += ["--folder", self.folder]
        return run_command(self._capsys, "serve", "leaderboard", command, *arguments, *options)


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(tmp_path, capsys)


def test_from_a_hidden_dataset_to_a_closed_track(shell: Shell, tmp_path: Path) -> None:
    made = write_hidden(tmp_path / "hidden")
    options = ["--metric", "tc", "--metric", "sdtw", "--daily", 2, "--total", 9, "--title", "Walks", "--seeds", 3]
    (row,) = shell.run("add-track", "walks", "--hidden", made, *options)
    assert (row["answers"], row["state"], row["measures"]) == ("hidden", "draft", "TC, SDTW")
    (row,) = shell.run("add-track", "town", "--dataset", "town/dev", "--open", "--decimals", 3)
    assert (row["answers"], row["state"], row["a day"]) == ("public", "open", 3)
    assert shell.run("state", "walks", "open")[0]["state"] == "open"

    (invitation,) = shell.run("invite", "--note", "Ann", "--uses", 2, "--days", 1)
    database = open_database(shell.database)
    with database.write() as session:
        team, _ = teams.redeem(session, invitation["code"], name="Bären")
    with database.read() as session:
        track = tracks.track_named(session, "walks")
    assert (track.title, track.daily_limit, track.total_limit, track.max_files) == ("Walks", 2, 9, 3)
    board = Board(database, private_folder(shell.folder), made, track, load(made / ENTRANTS / FILE))
    board.teams["Bären"] = (team, "")
    submission = board.submit("k")
    (joining,) = shell.run("invite", "--team", "BÄREN")
    assert joining["team"] == "Bären"
    database.close()

    (row,) = shell.run("submissions", "--track", "walks", "--team", "Bären")
    assert (row["submission"], row["shown"]) == (submission.public_id, "private")
    assert shell.run("submissions", "--track", "town") == []
    assert shell.run("hide", submission.public_id)[0]["shown"] == "hidden"
    assert shell.run("show", submission.public_id)[0]["shown"] == "private"
    assert shell.run("disable", "Bären")[0]["state"] == "disabled"
    assert shell.run("enable", "Bären")[0]["state"] == "active"
    assert [row["submissions"] for row in shell.run("teams")] == [1]
    assert shell.run("state", "walks", "closed")[0]["submissions"] == 1
    assert {row["track"]: row["state"] for row in shell.run("tracks")} == {"walks": "closed", "town": "open"}
    said = [row["action"] for row in shell.run("log", "--track", "walks")]
    assert said == ["set state", "show", "hide", "submit", "set state", "add track"]
    assert len(shell.run("log", "--limit", 4)) == 4
    assert invitation["code"] not in str(shell.run("log"))
    assert shell.run("check") == []


def test_mistakes_are_explained(shell: Shell, tmp_path: Path) -> None:
    made = write_hidden(tmp_path / "hidden")
    shell.run("add-track", "walks", "--hidden", made)
    cases: dict[str, list[object]] = {
        "--hidden FOLDER or --dataset": ["add-track", "b"],
        "--data with public answers": ["add-track", "b", "--hidden", made, "--data", made],
        "which exists": ["add-track", "walks", "--hidden", made],
        "a-z, 0-9 and -": ["add-track", "../b", "--hidden", made],
        "Did you mean nDTW": ["add-track", "b", "--hidden", made, "--metric", "nDTV"],
        "Did you mean paper": ["add-track", "b", "--hidden", made, "--convention", "papre"],
        "data make DATASET SPLIT --secret": ["add-track", "b", "--hidden", tmp_path],
        "Did you mean walks": ["state", "walk", "open"],
        "the name of a team": ["invite", "--team", "nobody"],
        "a number from 1 to 3,650": ["invite", "--days", 10**6],
        "U+202E": ["invite", "--note", "a\u202eb"],
        "the id of a submission": ["hide", "x"],
        "the name of a track": ["log", "--track", "walk"],
        "No such command": ["sate", "walks", "open"],
    }
    for message, arguments in cases.items():
        code, out, error = shell.result(*arguments)  # type: ignore[arg-type]
        assert code == 2 and message in error, (arguments, error)
        assert out == ""
    assert [row["track"] for row in shell.run("tracks")] == ["walks"]


def test_a_leaderboard_is_copied_and_checked(small: Board, tmp_path: Path) -> None:
    """The database first, then the folder: what is submitted in between is in the copy of the folder only."""
    small.submit("before")
    write_backup(small.database.name, tmp_path / "backup")
    late = small.submit("between")
    shutil.copytree(small.folder, tmp_path / "copy")
    url = str(tmp_path / "restored.sqlite")
    restore_backup(tmp_path / "backup", url)
    assert check_files(url, tmp_path / "copy") == []
    database = open_database(url, clock=Clock())
    with database.read() as session:
        track = tracks.track_named(session, "walks")
        assert session.query(Submission).count() == 1
    source = tracks.answers_source(tmp_path / "copy", track)
    assert Path(source.dataset).is_file() and str(tmp_path / "copy") in source.dataset
    with small.database.read() as session:
        (file,) = session.query(SubmissionFile).filter_by(submission_id=late.id)
    later = database.now().now(database.now().tzinfo) + timedelta(days=2)
    assert uploads.remove_abandoned(database, tmp_path / "copy", now=later) == 1
    assert not (tmp_path / "copy" / file.path).exists()
    database.close()
    shutil.rmtree(tmp_path / "copy" / "tracks" / "walks" / "answers")
    (missing,) = check_files(url, tmp_path / "copy")
    assert missing == {"file": "tracks/walks/answers", "problem": "missing"}


def test_missing_files_give_exit_code_1(shell: Shell, tmp_path: Path) -> None:
    shell.run("add-track", "walks", "--hidden", write_hidden(tmp_path / "hidden"))
    (shell.folder / "tracks" / "walks" / "entrants.zip").unlink()
    code, out, _ = shell.result("check", "--clean", "--json")
    assert code == 1 and json.loads(out) == [{"file": "tracks/walks/entrants.zip", "problem": "missing"}]


def test_metrics_of_the_queue(small: Board) -> None:
    with small.database.read() as session:
        assert oldest_waiting(session) is None
    first, second = small.submit("a"), small.submit("b")
    with small.database.write() as session:
        assert oldest_waiting(session) == first.created_at
        withdraw(session, session.get_one(Submission, first.id), actor="team:1")
        session.flush()
        assert oldest_waiting(session) == second.created_at
        assert queue_counts(session) == {"queued": 1, "scoring": 0, "scored": 0, "failed": 0}
        session.get_one(Submission, second.id).state = "failed"
        session.flush()
        assert oldest_waiting(session) is None and queue_counts(session)["failed"] == 1
