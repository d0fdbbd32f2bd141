"""`bearleft submit` against a server: figures, errors, interruptions, and what becomes of the token."""

from __future__ import annotations

import gzip
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from bearleft.errors import InputError
from bearleft.web.leaderboard.client import Entry, LeaderboardClient, RefusedError, check_url, read_token, submit_files
from tests.commands import run_command
from tests.web.leaderboard.pages.site import Board, public_walks
from tests.web.leaderboard.scoring.entries import scores_of

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    path = tmp_path / "traces.jsonl.gz"
    path.write_bytes(public_walks())
    return path


@contextmanager
def scoring(board: Board) -> Iterator[None]:
    """Score what is submitted, in a thread."""
    ended = threading.Event()

    def run() -> None:
        while not ended.wait(0.1):
            board.score()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def to(board: Board, *more: object, track: str = "public") -> tuple[object, ...]:
    return ("--to", board.address, "--track", track, "--title", "By command", *more)


def test_figures_are_printed_and_equal_bearleft_score(
    board: Board, traces: Path, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BEARLEFT_TOKEN", board.token("Commanders"))
    second = tmp_path / "second.jsonl.gz"
    second.write_bytes(public_walks(1))
    words = (
        "submit",
        traces,
        "--seed",
        f"1={second}",
        *to(board, "--tag", "pictures", "--wait", "--publish", "--json"),
    )
    with scoring(board):
        code, out, _ = run_command(capsys, *words)
        assert code == 0
        rows = json.loads(out)
        again = json.loads(run_command(capsys, *words)[1])
    assert again == rows and not any(isinstance(value, dict | list) for row in rows for value in row.values())
    for file, seed in ((traces, 0), (second, 1)):
        plain = tmp_path / f"plain-{seed}.jsonl"
        plain.write_bytes(gzip.decompress(file.read_bytes()))
        expected = scores_of(plain)
        own = {(row["convention"], row["metric"]): row for row in rows if row["seed"] == seed}
        assert own.keys() == expected.keys()
        for key, row in own.items():
            assert (row["value"], row["low"], row["high"], row["n"]) == pytest.approx(expected[key])
    with board.api("Commanders") as program:
        (row,) = program.get("/submissions").json()  # the second command submitted nothing
        assert row["published"] and row["title"] == "By command"
    code, out, err = run_command(capsys, "submit", traces, "--seed", f"1={second}", *to(board, "--tag", "pictures"))
    assert code == 0 and "nDTW" in out and f"/entries/{row['id']}" in err


@pytest.mark.slow
def test_a_failed_scoring_is_exit_code_1(
    board: Board, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BEARLEFT_TOKEN", board.token("Jumpers"))
    rows = [json.loads(line) for line in board.walks().splitlines()]
    rows[2]["legs"][0]["path"][-1] = rows[3]["legs"][0]["path"][0]  # a jump, which only a replay finds
    jumped = tmp_path / "jumped.jsonl"
    jumped.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with scoring(board):
        code, out, err = run_command(capsys, "submit", jumped, *to(board, "--wait", track="hidden"))
    assert code == 1 and not out and "Line 3" in err and "not possible" in err


def test_mistakes_are_told_before_anything_is_submitted(
    board: Board, traces: Path, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BEARLEFT_TOKEN", raising=False)
    assert "export BEARLEFT_TOKEN" in run_command(capsys, "submit", traces, *to(board))[2]
    monkeypatch.setenv("BEARLEFT_TOKEN", board.token("Mistaken"))
    broken, huge = tmp_path / "broken.jsonl", tmp_path / "huge.jsonl"
    broken.write_text('{"format": 1}\n')
    huge.write_bytes(b" " * 3_000_001)
    cases: list[tuple[tuple[object, ...], str]] = [
        ((traces, *to(board, track="nothing")), "There is no such track."),
        ((tmp_path / "nothing", *to(board)), "no such file"),
        ((tmp_path, *to(board)), "a folder"),
        (to(board), "FILE, or --seed N=FILE"),
        ((traces, "--seed", f"0={traces}", *to(board)), "seed 0 twice"),
        ((traces, "--seed", "x", *to(board)), "N=FILE"),
        ((traces, "--seed", f"-1={traces}", *to(board)), "N=FILE"),
        ((traces, "--tag", "picture", *to(board)), "Did you mean pictures?"),
        ((traces, "--publish", *to(board)), "--wait with --publish"),
        ((broken, *to(board)), "Line 1"),
        ((huge, *to(board)), "at most 3,000,000 bytes"),
        ((traces, "--code", "javascript:alert(1)", *to(board)), "address of the code"),
        ((traces, "--seed", f"1={traces}", *to(board)), "Two files are the same"),
        ((traces, "--to", "http://example.org", "--track", "a", "--title", "b"), "https://"),
        ((traces, "--to", "example.org", "--track", "a", "--title", "b"), "address of a server"),
    ]
    for words, message in cases:
        code, out, err = run_command(capsys, "submit", *words)
        assert (code, out) == (2, "") and message in err, (words, err)
    monkeypatch.setenv("BEARLEFT_TOKEN", "x" * 43)
    code, _, err = run_command(capsys, "submit", traces, *to(board))
    assert code == 2 and "the right one?" in err
    with board.api("Mistaken") as program:
        assert program.get("/submissions").json() == []


def test_a_file_with_a_token_is_for_its_owner_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "token"
    file.write_text("A" * 43 + "\n")
    file.chmod(0o640)
    with pytest.raises(InputError, match="mode 0640"):
        read_token(file)
    file.chmod(0o600)
    monkeypatch.setenv("BEARLEFT_TOKEN", "B" * 43)
    assert read_token(file) == "A" * 43 and read_token() == "B" * 43
    for text in ("short", "with space " * 3, "é" * 43, ""):
        file.write_text(text)
        with pytest.raises(InputError, match="token"):
            read_token(file)
    file.write_bytes(b"\xff" * 43)
    with pytest.raises(InputError, match="no text"):
        read_token(file)
    with pytest.raises(InputError, match="No such file"):
        read_token(tmp_path / "nothing")


def test_addresses_keep_the_token_secret() -> None:
    for url in ("https://example.org/", "https://example.org:8443/under", "http://127.0.0.1:8360", "http://[::1]:1/"):
        assert check_url(url) == url.rstrip("/")
    for url in ("http://example.org", "ftp://a", "https://", "https://a:b@c", "https://a?b", "https://a:x", "", "a"):
        with pytest.raises(InputError):
            check_url(url)


class Server(BaseHTTPRequestHandler):
    """A server that fails as it is told to."""

    answers: ClassVar[list[tuple[int, dict[str, str], bytes]]] = []
    asked: ClassVar[list[tuple[str, str]]] = []

    def do_GET(self) -> None:
        """Answer with what comes next."""
        status, headers, content = self.answers.pop(0)
        self.asked.append((self.path, self.headers["Authorization"]))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


Answer = tuple[int, dict[str, str], bytes]


@contextmanager
def server(*answers: Answer) -> Iterator[str]:
    Server.answers, Server.asked = list(answers), []
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as opened:
        threading.Thread(target=opened.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{opened.server_address[1]}"
        opened.shutdown()


def test_a_busy_server_is_asked_again() -> None:
    slept: list[float] = []
    busy = (503, {"Retry-After": "7"}, b'{"detail": "busy"}')
    with server(busy, (502, {}, b"<html>"), (200, {}, b'{"name": "a"}')) as url:
        client = LeaderboardClient(url, "A" * 43, sleep=slept.append)
        assert client.track("a b/../c") == {"name": "a"}
        assert slept == [7.0, 2.0]
        assert Server.asked[0] == ("/api/leaderboard/tracks/a%20b%2F..%2Fc", f"Bearer {'A' * 43}")
    with server(busy, busy) as url:
        client = LeaderboardClient(url, "A" * 43, retries=1, sleep=slept.append)
        with pytest.raises(InputError, match="nothing is submitted twice"):
            client.track("a")
    unreachable = LeaderboardClient(url, "A" * 43, retries=2, sleep=slept.append)
    with pytest.raises(InputError, match="refused"):
        unreachable.track("a")


def test_the_token_goes_to_no_other_server_and_into_no_message() -> None:
    moved = (302, {"Location": "http://127.0.0.1:1/elsewhere"}, b"")
    repeated: Answer = (400, {}, json.dumps({"detail": f"your token {'A' * 43} is bad"}).encode())
    with server(moved, repeated, (200, {}, b"<html>"), (404, {}, b"[]")) as url:
        client = LeaderboardClient(url, "A" * 43)
        with pytest.raises(InputError, match="redirection"):
            client.track("a")
        with pytest.raises(RefusedError) as caught:
            client.track("a")
        assert "A" * 43 not in str(caught.value) and caught.value.status == 400
        with pytest.raises(InputError, match="bearleft server"):
            client.track("a")
        with pytest.raises(RefusedError, match="HTTP 404"):
            client.track("a")
        assert len(Server.asked) == 4


def test_what_was_uploaded_is_not_sent_again(board: Board, traces: Path) -> None:
    client, entry = LeaderboardClient(board.address, board.token("Patient")), Entry("Patient")
    digest = hashlib.sha256(traces.read_bytes()).hexdigest()
    sent: list[tuple[int, int]] = []
    size = traces.stat().st_size
    client.upload("public", traces, digest, lambda _, done, total: sent.append((done, total)))
    assert sent[-1] == (size, size)
    sent.clear()
    first = submit_files(client, "public", {0: traces}, entry, lambda _, done, total: sent.append((done, total)))
    assert sent == []  # an interruption after the upload
    again = submit_files(client, "public", {0: traces}, entry)
    assert again["id"] == first["id"] and again["state"] == "queued"
    other = submit_files(client, "public", {0: traces}, Entry("Patient", cost="1 USD"))
    assert other["id"] != first["id"]
