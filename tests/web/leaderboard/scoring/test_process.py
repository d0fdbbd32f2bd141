"""The process that scores: its children are confined, limited, and end with it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bearleft.web.leaderboard.scoring import process as module
from bearleft.web.leaderboard.scoring.client import (
    AbandonedError,
    ProcessEndedError,
    ScoringProcess,
    ScoringRequest,
)
from bearleft.web.leaderboard.scoring.compute import Answers
from bearleft.web.leaderboard.scoring.failures import ScoringFailure
from bearleft.web.leaderboard.scoring.process import run_child
from tests.web.leaderboard.scoring.entries import scores_of, traces, write_traces

NAME = "city-touchdown-test.jsonl"


@pytest.fixture
def request_(tmp_path: Path, hidden_data: Path) -> ScoringRequest:
    file = write_traces(tmp_path / "t.jsonl", traces(hidden_data / "entrants" / NAME))
    return ScoringRequest(str(hidden_data / "answers" / NAME), None, True, ((0, file),), 10**8, 60, 1024)


def children(pid: int) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(folder.name))
    return found


def exists(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.slow
def test_one_process_scores_several_submissions_and_goes_on_after_a_failure(
    process: ScoringProcess, request_: ScoringRequest, tmp_path: Path
) -> None:
    (_, file) = request_.files[0]
    expected = scores_of(file, request_.dataset)
    for _ in range(2):
        result = process.score(request_)
        assert {(f.convention, f.metric): (f.value, f.low, f.high, f.count) for f in result.figures if f.seed == 0} == (
            expected
        )
        broken = tmp_path / "broken.jsonl"
        broken.write_text("{\n")
        with pytest.raises(ScoringFailure) as caught:
            process.score(replace(request_, files=((2, broken),)))
        assert str(caught.value) == "Line 1 of the file of seed 2 is not a trace."
    assert process.network in ("none", "refused in Python")


def test_answers_that_cannot_be_read_are_an_error_of_the_organiser(
    process: ScoringProcess, request_: ScoringRequest
) -> None:
    with pytest.raises(ProcessEndedError) as caught:
        process.score(replace(request_, dataset="/no/such/file.jsonl"))
    assert caught.value.code == "answers"


def test_a_file_that_is_not_of_the_submission_cannot_be_read(
    process: ScoringProcess, request_: ScoringRequest, tmp_path: Path
) -> None:
    (_, file) = request_.files[0]
    link = tmp_path / "link.jsonl"  # as if another file had come into its place
    link.symlink_to(file)
    assert process.score(replace(request_, files=((0, link),))).figures  # resolved before it is asked for
    request = replace(request_, files=((0, tmp_path / "none.jsonl"),))
    with pytest.raises(ProcessEndedError):
        process.score(request)


@pytest.mark.slow
def test_a_killed_process_is_started_again(request_: ScoringRequest) -> None:
    process = ScoringProcess()
    try:
        process.score(request_)
        assert process._process is not None
        first = process._process.pid
        os.kill(first, signal.SIGKILL)
        wait_for(lambda: not exists(first))
        assert process.score(request_).figures
        assert process._process.pid != first
    finally:
        process.stop()


def test_the_environment_holds_no_secret(monkeypatch: pytest.MonkeyPatch, request_: ScoringRequest) -> None:
    monkeypatch.setenv("BEARLEFT_DATABASE", "postgresql://user:password@host/db")
    monkeypatch.setenv("BEARLEFT_METRICS_TOKEN", "t" * 20)
    process = ScoringProcess()
    with pytest.raises(ProcessEndedError):
        process.score(replace(request_, dataset="none"))
    assert process._process is not None
    environment = Path(f"/proc/{process._process.pid}/environ").read_bytes()
    process.stop()
    assert b"PATH" in environment
    assert b"password" not in environment and b"tttt" not in environment


def in_child(monkeypatch: pytest.MonkeyPatch, work: Callable[..., Any], **changes: Any) -> dict[str, Any]:
    """Return how a confined child ends that does something else than scoring."""
    from bearleft.web.leaderboard.scoring import compute

    monkeypatch.setattr(compute, "score_files", work)
    request: dict[str, Any] = {
        "files": [],
        "dataset": "city/touchdown/small",
        "data": None,
        "max_bytes": 1,
        "hidden": False,
    }
    request |= {"time_limit_s": 20, "memory_limit_mb": 256} | changes
    read, write = os.pipe()
    try:
        with open(read, "rb", buffering=0) as requests:
            return run_child(request, None, requests)
    finally:
        os.close(write)


def test_a_child_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    def spin(*_: object) -> None:
        while True:
            pass

    def sleep(*_: object) -> None:
        time.sleep(1000)

    assert in_child(monkeypatch, spin, time_limit_s=1) == {"ended": "time"}
    monkeypatch.setattr(module, "WALL_FACTOR", 0.2)
    assert in_child(monkeypatch, sleep, time_limit_s=1) == {"ended": "time"}


def test_a_child_has_no_open_files_of_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(100)]  # more than it may have open

    class Open:
        def to_json(self) -> int:
            count = 0
            for descriptor in held:
                with contextlib.suppress(OSError):
                    os.fstat(descriptor)
                    count += 1
            return count

    try:
        assert in_child(monkeypatch, lambda *_: Open()) == {"scored": 0}
    finally:
        for descriptor in held:
            os.close(descriptor)


def test_a_child_that_needs_too_much_memory_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def grow(*_: object) -> None:
        bytearray(2**30)

    reply = in_child(monkeypatch, grow, memory_limit_mb=64)
    assert reply == {"failure": {"code": "memory", "count": 64}}


def test_a_child_that_crashes_says_where_and_nothing_of_what_it_held(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("the goal is at 4711")

    def crash(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGUSR1)

    def leave(*_: object) -> None:
        os._exit(3)

    reply = in_child(monkeypatch, fail)
    assert reply["ended"] == "crashed" and "RuntimeError in" in reply["how"] and "4711" not in json.dumps(reply)
    assert in_child(monkeypatch, crash) == {"ended": "crashed", "how": f"signal {signal.SIGUSR1.value}"}
    assert in_child(monkeypatch, leave) == {"ended": "crashed", "how": "code 3"}


def test_a_child_cannot_open_a_socket_start_a_program_or_print(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    import socket

    def connect(*_: object) -> None:
        socket.create_connection(("127.0.0.1", 9))

    def run(*_: object) -> None:
        subprocess.run(["true"])

    def write(*_: object) -> None:
        for descriptor in (1, 2):
            os.write(descriptor, b"the goal is at 4711")
        raise ScoringFailure("unscorable")

    for work in (connect, run):
        assert in_child(monkeypatch, work)["how"].startswith("PermissionError in")
    assert in_child(monkeypatch, write) == {"failure": {"code": "unscorable"}}
    assert "4711" not in "".join(capfd.readouterr())


def test_a_result_that_is_too_large_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    class Large:
        def to_json(self) -> str:
            return "x" * 100_000

    monkeypatch.setattr(module, "MAX_RESULT_BYTES", 1000)
    monkeypatch.setattr(module, "READ_BYTES", 100)
    assert in_child(monkeypatch, lambda *_: Large())["ended"] == "crashed"
    monkeypatch.setattr(module, "MAX_RESULT_BYTES", 10**6)
    assert len(in_child(monkeypatch, lambda *_: Large())["scored"]) == 100_000


def test_a_scoring_that_is_no_longer_wanted_is_abandoned_with_its_child(request_: ScoringRequest) -> None:
    process = ScoringProcess()
    with pytest.raises(AbandonedError):
        process.score(request_, lambda: False, every=0.0)
    assert process._process is None


def test_a_child_ends_with_the_scorer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process of the scorer is killed while a child works: its end of the pipe closes, and so the child ends."""

    def sleep(*_: object) -> None:
        time.sleep(1000)

    from bearleft.web.leaderboard.scoring import compute

    monkeypatch.setattr(compute, "score_files", sleep)
    request: dict[str, Any] = {
        "files": [],
        "dataset": "x",
        "data": None,
        "max_bytes": 1,
        "time_limit_s": 60,
        "memory_limit_mb": 256,
    }
    requests, scorer = os.pipe()
    middle = os.fork()
    if not middle:
        os.close(scorer)
        try:
            with open(requests, "rb", buffering=0) as stream:
                run_child(request, None, stream)
        finally:
            os._exit(0)
    os.close(requests)
    wait_for(lambda: children(middle))
    (child,) = children(middle)
    os.close(scorer)
    os.waitpid(middle, 0)
    wait_for(lambda: not exists(child))


def test_a_child_ends_with_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    def sleep(*_: object) -> None:
        time.sleep(1000)

    from bearleft.web.leaderboard.scoring import compute

    monkeypatch.setattr(compute, "score_files", sleep)
    request: dict[str, Any] = {
        "files": [],
        "dataset": "x",
        "data": None,
        "max_bytes": 1,
        "time_limit_s": 60,
        "memory_limit_mb": 256,
    }
    requests, scorer = os.pipe()
    middle = os.fork()
    if not middle:
        try:
            with open(requests, "rb", buffering=0) as stream:
                run_child(request, None, stream)
        finally:
            os._exit(0)
    wait_for(lambda: children(middle))
    (child,) = children(middle)
    os.kill(middle, signal.SIGKILL)
    os.waitpid(middle, 0)
    wait_for(lambda: not exists(child))
    os.close(requests)
    os.close(scorer)


def test_answers_are_kept_for_several_tracks_and_read_again_after_a_change(hidden_data: Path, tmp_path: Path) -> None:
    store = module.AnswersStore()
    request = {"dataset": str(hidden_data / "answers" / NAME), "data": None, "hidden": True}
    first = store.get(request)
    assert isinstance(first, Answers) and store.get(request) is first
    other = tmp_path / NAME
    other.write_bytes((hidden_data / "answers" / NAME).read_bytes())
    changed = {**request, "dataset": str(other)}
    second = store.get(changed)
    lines = other.read_text().splitlines(keepends=True)
    other.write_text("".join(lines[:-1]))
    assert len(store.get(changed).dataset.episodes) == len(second.dataset.episodes) - 1
    assert store.get(request) is first
