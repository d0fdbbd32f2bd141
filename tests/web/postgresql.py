"""A PostgreSQL server of the tests' own, on a free port of this machine and in a temporary folder."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

USERS = ("postgres", "nobody")  # PostgreSQL refuses to run as root


def programs() -> Path | None:
    """Return the folder of the newest installed server, or None."""
    folders = [*Path("/usr/lib/postgresql").glob("*/bin"), *(Path(path) for path in os.get_exec_path())]
    found = [folder for folder in folders if (folder / "initdb").is_file() and (folder / "postgres").is_file()]
    return max(found, key=lambda folder: (folder.parent.name.isdigit(), folder.parent.name), default=None)


def _user() -> dict[str, Any]:
    """Return the options of `subprocess` for a user who may run the server."""
    if os.geteuid() != 0:
        return {}
    names = {entry.pw_name for entry in pwd.getpwall()}
    entry = pwd.getpwnam(next(name for name in USERS if name in names))
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def _free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return int(server.getsockname()[1])


@contextmanager
def running_server() -> Iterator[str]:
    """Start a server and yield its URL, without a database; stop it at the end."""
    folder = programs()
    assert folder is not None
    home = Path(tempfile.mkdtemp(prefix="bearleft-postgresql-"))
    user = _user()
    process: subprocess.Popen[bytes] | None = None
    try:
        if user:
            os.chown(home, user["user"], user["group"])
        data = home / "data"
        initdb: list[str | Path] = [folder / "initdb", "-D", data, "-U", "bearleft", "-A", "trust", "-N"]
        initdb += ["-E", "UTF8", "--locale=C"]
        subprocess.run(initdb, check=True, capture_output=True, cwd=home, **user)
        port = _free_port()
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": port,
            "unix_socket_directories": home,
            "fsync": "off",  # the tests kill programs, not this machine
            "max_connections": 200,
            "timezone": "Asia/Kathmandu",  # times are right whatever the server's zone is
        }
        command: list[str | Path] = [folder / "postgres", "-D", data]
        for name, value in settings.items():
            command += ["-c", f"{name}={value}"]
        with (home / "log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, cwd=home, **user)
        url = f"postgresql://bearleft@127.0.0.1:{port}"
        _wait(url, process, home / "log")
        yield url
    finally:
        if process is not None:
            process.send_signal(signal.SIGQUIT)  # ends the server with all its processes at once
            process.wait(timeout=30)
        shutil.rmtree(home, ignore_errors=True)


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(600):
        assert process.poll() is None, log.read_text(errors="replace")
        try:
            psycopg.connect(f"{url}/postgres").close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError(log.read_text(errors="replace"))


def run_sql(url: str, *statements: str) -> None:
    """Run statements outside of a transaction."""
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())
