"""`bearleft serve backup`, `restore` and `migrate`, and options of `bearleft serve start`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bearleft.web import server
from bearleft.web.database import schema
from bearleft.web.database.engines import open_database
from bearleft.web.people import add_worker
from tests.commands import run_command


@pytest.mark.slow
def test_back_up_restore_and_migrate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second, file = (tmp_path / name for name in ("first.sqlite", "second.sqlite", "backup"))
    database = open_database(first)
    add_worker(database)
    database.close()
    outputs = []
    for arguments in (["backup", "-o", file, "--database", first], ["restore", file, "--database", second]):
        code, out, _ = run_command(capsys, "serve", *arguments, "--json")
        assert code == 0
        outputs.append(json.loads(out))
    assert outputs[0] == outputs[1] and {"table": "workers", "rows": 1} in outputs[0]
    code, out, _ = run_command(capsys, "serve", "migrate", "--database", second, "--json")
    (row,) = json.loads(out)
    assert code == 0 and row["before"] == row["after"] == schema.head() and row["removed"] == "nothing"


def test_mistakes_are_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    full = tmp_path / "full.sqlite"
    open_database(full).close()
    file = tmp_path / "backup"
    assert run_command(capsys, "serve", "backup", "-o", file, "--database", full)[0] == 0
    cases = {
        "expected an empty database": ["restore", file, "--database", full],
        "No such file": ["restore", tmp_path / "nothing", "--database", tmp_path / "new.sqlite"],
        "expected a complete backup": ["restore", full, "--database", tmp_path / "new.sqlite"],
        "one without tables": ["backup", "-o", tmp_path / "x", "--database", tmp_path / "new.sqlite"],
        "expected the name of a revision": ["migrate", "--to", "12", "--database", full],
        "expected the address or network of a proxy": ["start", "--proxy", "proxy.example", "--database", full],
    }
    for message, arguments in cases.items():
        code, out, error = run_command(capsys, "serve", *arguments)
        assert code == 2 and message in error, (arguments, error)
        assert out == ""


def test_options_of_start_become_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    called: dict[str, Any] = {}
    monkeypatch.setenv("BEARLEFT_HOME", str(tmp_path))
    monkeypatch.setenv("BEARLEFT_METRICS_TOKEN", "a token of the metrics")
    monkeypatch.setattr(server, "run_server", lambda settings, *_, **more: called.update(more, settings=settings))
    arguments = ["--workers", "3", "--secure-cookies", "--proxy", "10.0.0.0/8", "--proxy", "::1", "--port", "0"]
    assert run_command(capsys, "serve", "start", "--database", tmp_path / "web.sqlite", *arguments)[0] == 0
    options = called["settings"].operations
    assert called["workers"] == 3 and called["settings"].secure_cookies
    assert options.proxies == ("10.0.0.0/8", "::1") and options.log_requests
    assert options.metrics_token == "a token of the metrics" and "a token" not in repr(options)
