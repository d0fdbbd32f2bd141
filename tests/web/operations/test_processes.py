"""Several server processes on one port: they share the work, one that dies is replaced, and they end in order."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from sqlalchemy import select

from bearleft.bench.web.server import FAMILY
from bearleft.web.database.engines import open_database
from bearleft.web.database.models import Answer, Attempt
from bearleft.web.people import COOKIE, add_worker, sign
from bearleft.web.projects import create_project
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.settings import Settings

WORKERS = 6
UNITS = 60


@dataclass
class Server:
    """A server of two processes; `cookies` are those of its workers."""

    url: str
    settings: Settings
    cookies: list[str]
    process: subprocess.Popen[str]
    address: str = ""
    lines: list[dict[str, Any]] = field(default_factory=list)

    def read(self) -> None:
        """Read the log as it comes."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if line.startswith("{"):
                self.lines.append(json.loads(line))

    def said(self, message: str) -> list[dict[str, Any]]:
        """Return the lines of the log with a message."""
        return [line for line in list(self.lines) if line["message"] == message]

    def wait_for(self, message: str, count: int = 1) -> list[dict[str, Any]]:
        """Wait until a message stands in the log as often."""
        while len(self.said(message)) < count:
            assert self.process.poll() is None, self.lines
            time.sleep(0.05)
        return self.said(message)


@contextmanager
def serving(database_url: str) -> Iterator[Server]:
    """Serve the task of the load benchmark in two processes."""
    settings = Settings(database=database_url, secret="secret of several processes")
    database = open_database(database_url)
    create_project(database, SceneWorlds(), "load", FAMILY, {"units": UNITS})
    cookies = [sign(settings, add_worker(database)) for _ in range(WORKERS)]
    database.close()
    command = [sys.executable, "-m", "tests.web.operations.several", database_url, settings.secret, "2"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:  # type: ignore[call-overload]
        made = Server(database_url, settings, cookies, process)
        thread = threading.Thread(target=made.read)
        thread.start()
        made.address = process.stdout.readline().split("/  ")[0]
        assert httpx.get(f"{made.address}/ready", timeout=120).status_code == 200
        yield made
        process.terminate()
        process.wait(60)
        thread.join()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(f"sqlite:///{tmp_path / 'web.sqlite'}") as made:
        yield made


def work(server: Server, cookie: str, codes: dict[str, str], errors: list[str]) -> None:
    """Do units until there are none; requests whose connection broke are sent again, as the pages do."""

    def post(path: str, body: dict[str, Any]) -> dict[str, Any]:
        while True:
            try:
                # A connection of its own, so that any process may get it.
                answer = httpx.post(server.address + path, json=body, cookies={COOKIE: cookie}, timeout=60)
            except httpx.TransportError:
                continue
            if answer.status_code != 200:
                errors.append(f"{path}: {answer.status_code} {answer.text}")
                raise RuntimeError(answer.text)
            found: dict[str, Any] = answer.json()
            return found

    database = open_database(server.url, migrate=False)
    try:
        while (attempt := post("/api/projects/load/claim", {})["attempt"]) is not None:
            with database.read() as session:
                token = session.get_one(Attempt, attempt).token
            path, data = f"/api/attempts/{attempt}", {"text": f"what {attempt} wrote"}
            post(f"{path}/events", {"token": token, "number": 0, "kind": "write", "data": data})
            submission = {"token": token, "key": f"key of {attempt}", "data": data}
            codes[attempt] = post(f"{path}/submit", submission)["code"]
    finally:
        database.close()


def test_a_killed_process_loses_nothing_that_was_acknowledged(database_url: str) -> None:
    with serving(database_url) as server:
        check_killed(server)


def check_killed(server: Server) -> None:
    """Kill processes while people work."""
    first = server.wait_for("process started", 2)
    codes: dict[str, str] = {}
    errors: list[str] = []
    threads = [threading.Thread(target=work, args=(server, cookie, codes, errors)) for cookie in server.cookies]
    for thread in threads:
        thread.start()
    while len(codes) < UNITS // 4 and not errors:
        time.sleep(0.01)
    os.kill(first[0]["pid"], signal.SIGKILL)
    (ended,) = server.wait_for("process ended")
    for thread in threads:
        thread.join()
    assert errors == []
    database = open_database(server.url)
    with database.read() as session:
        answers = list(session.scalars(select(Answer)))
    database.close()
    assert {answer.attempt_id: answer.code for answer in answers} == codes
    assert len(answers) == len({answer.unit_id for answer in answers}) == UNITS
    assert (ended["pid"], ended["exit_code"]) == (first[0]["pid"], -signal.SIGKILL)
    started = server.wait_for("process started", 3)
    assert len({line["pid"] for line in started}) == 3 and started[2]["server"] == first[0]["server"]
    spread = Counter(line["server"] for line in server.said("request"))
    assert set(spread) == {0, 1}
    # The counters of the dead go on.
    total = sum(
        float(line.rpartition(" ")[2])
        for line in httpx.get(f"{server.address}/metrics", timeout=60).text.splitlines()
        if line.startswith("bearleft_requests_total") and 'attempts/{attempt}/submit"' in line
    )
    assert total >= UNITS // 2
    server.process.kill()  # without the first process there are no others
    server.process.wait()
    while any(is_running(line["pid"]) for line in started):
        time.sleep(0.05)


@pytest.mark.slow
def test_requests_under_way_are_answered_before_the_end(server: Server) -> None:
    parts = urlsplit(server.address)
    waiting = []
    for cookie in server.cookies:
        connection = socket.create_connection((str(parts.hostname), parts.port or 0), timeout=60)
        connection.sendall(
            f"POST /api/projects/load/claim HTTP/1.1\r\nHost: x\r\nCookie: {COOKIE}={cookie}\r\n"
            "Content-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n{".encode()
        )
        waiting.append(connection)
    for connection in waiting:  # until the headers have been read
        received = b""
        while not received.endswith(b"\r\n\r\n"):
            received += connection.recv(1)
        assert received.startswith(b"HTTP/1.1 100 ")
    server.process.terminate()
    time.sleep(0.5)
    assert server.process.poll() is None
    for connection in waiting:
        connection.sendall(b"}")
        received = b""
        while part := connection.recv(65536):
            received += part
        assert received.startswith(b"HTTP/1.1 200") and b'"attempt"' in received
        connection.close()
    assert server.process.wait(60) == 0
    assert server.said("processes ended") and not server.said("process killed")
    with pytest.raises(httpx.TransportError):
        httpx.get(server.address)


def is_running(pid: int) -> bool:
    """Return whether a process runs; one that nobody has waited for does not."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False


CANNOT_START = """
import socket
from bearleft.errors import InputError
from bearleft.web.operations.processes import run_processes
from bearleft.web.settings import Settings

def serve(settings, listener):
    raise InputError("a device", "an abacus")

if __name__ == "__main__":
    run_processes(Settings("web.sqlite"), socket.create_server(("127.0.0.1", 0)), 2, serve, lambda: None)
"""


@pytest.mark.slow
def test_processes_that_cannot_start_end_the_server(tmp_path: Path) -> None:
    (tmp_path / "serve.py").write_text(CANNOT_START)
    ended = subprocess.run([sys.executable, "serve.py"], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 1 and "expected processes that start" in ended.stderr
    assert "expected a device, got an abacus" in ended.stderr
