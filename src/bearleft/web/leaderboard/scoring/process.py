"""The process that scores: it holds the answers of tracks, and forks a confined child for each submission.

    python -m bearleft.web.leaderboard.scoring.process

Starting Python and loading answers takes seconds, a fork takes milliseconds. Requests come on standard input and
replies go to standard output, each as four bytes of length and JSON. The process has no connection to the database and
none of its passwords. It ends when its input does, and a child ends with it.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import struct
import sys
import time
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from bearleft.web.leaderboard.scoring.confinement import (
    MEGABYTE,
    Limits,
    close_inherited,
    end_with_parent,
    leave_network,
    limit_resources,
    refuse_in_python,
    restrict_files,
)

LENGTH = struct.Struct(">I")
MAX_RESULT_BYTES = 256 * MEGABYTE
MAX_LOADED = 4  # tracks whose answers are kept
WALL_FACTOR = 2  # of the limit of processor time
READ_BYTES = 2**20
TIME, CRASHED, ABANDONED, TOO_LARGE = "time", "crashed", "abandoned", "a result that is too large"


def write_frame(stream: IO[bytes], message: Any) -> None:
    """Write a message."""
    content = json.dumps(message, allow_nan=False).encode()
    stream.write(LENGTH.pack(len(content)) + content)
    stream.flush()


def read_frame(stream: IO[bytes]) -> Any:
    """Return the next message.

    Raises:
        EOFError: The other side has ended.
    """
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        raise EOFError
    (size,) = LENGTH.unpack(head)
    if size > 2 * MAX_RESULT_BYTES:
        raise EOFError
    content = stream.read(size)
    if len(content) < size:
        raise EOFError
    return json.loads(content)


class AnswersStore:
    """The answers of the tracks that were scored last."""

    def __init__(self) -> None:
        self._loaded: dict[str, Any] = {}

    def get(self, request: Mapping[str, Any]) -> Any:
        """Return the answers that a request names, loaded with all that scoring needs.

        Raises:
            InputError: They cannot be read.
        """
        from bearleft.errors import InputError
        from bearleft.runtime.store import sha256
        from bearleft.web.leaderboard.scoring.compute import Answers, load_everything

        file = Path(request["dataset"])
        version = sha256(file) if file.is_file() else ""
        key = json.dumps([request["dataset"], request["data"], request["hidden"], version])
        answers = self._loaded.pop(key, None)
        if answers is None:
            answers = Answers.open(request["dataset"], hidden=request["hidden"], data=request["data"])
            try:
                load_everything(answers)
            except InputError as error:  # it only saves time
                print(f"answers of {request['dataset']} are loaded in part: {error}", file=sys.stderr)
        self._loaded[key] = answers  # the last one is the one that was used last
        while len(self._loaded) > MAX_LOADED:
            del self._loaded[next(iter(self._loaded))]
        return answers


def readable_paths(request: Mapping[str, Any]) -> list[Path]:
    """Return what a child may read: Python and this package, compiled code, answers, and the uploaded files."""
    from bearleft.errors import InputError
    from bearleft.runtime.store import cache_folder, data_folder

    folders = {Path(sys.prefix), Path(sys.base_prefix), Path(__file__).resolve().parents[4], cache_folder()}
    folders |= {Path(folder) for folder in sys.path if folder}
    folders |= {Path(folder) for folder in ("/usr/lib", "/lib", "/lib64", "/usr/share/zoneinfo", "/dev/urandom")}
    with contextlib.suppress(InputError):  # there is none
        folders.add(data_folder(request["data"]))
    if compiled := os.environ.get("NUMBA_CACHE_DIR"):
        folders.add(Path(compiled))
    if (dataset := Path(request["dataset"])).is_file():
        folders.add(dataset.parent)
    return [*folders, *(Path(file["path"]) for file in request["files"])]


def score_in_child(request: Mapping[str, Any], answers: Any, out: int) -> None:
    """Score a submission in this process, which is confined for good, and write the result to a descriptor."""
    from bearleft.web.leaderboard.scoring.compute import score_files
    from bearleft.web.leaderboard.scoring.failures import ScoringFailure

    try:
        limit_resources(Limits(request["memory_limit_mb"] * MEGABYTE, request["time_limit_s"]))
        restrict_files(readable_paths(request))
        refuse_in_python()
        files = [(file["seed"], Path(file["path"])) for file in request["files"]]
        result: dict[str, Any] = {"scored": score_files(answers, files, request["max_bytes"]).to_json()}
    except ScoringFailure as failure:
        result = {"failure": failure.to_json()}
    except MemoryError:
        result = {"failure": {"code": "memory", "count": request["memory_limit_mb"]}}
    except Exception as error:
        result = {"ended": CRASHED, "how": describe(error)}
    content = memoryview(json.dumps(result, allow_nan=False).encode())
    while content:
        content = content[os.write(out, content) :]


def run_child(request: Mapping[str, Any], answers: Any, requests: IO[bytes]) -> dict[str, Any]:
    """Score a submission in a child, and return its result, or how it ended.

    Args:
        request: The request.
        answers: The answers of its track.
        requests: Where requests come from; if it ends, so does the child.
    """
    read, write = os.pipe()
    child = os.fork()
    if not child:
        code = 1
        try:
            end_with_parent()
            os.close(read)
            null = os.open(os.devnull, os.O_RDWR)
            for descriptor in (0, 1, 2):  # what libraries print could hold a label
                os.dup2(null, descriptor)
            close_inherited(write)
            score_in_child(request, answers, write)
            code = 0
        finally:
            os._exit(code)
    os.close(write)
    try:
        content, ended = _receive(read, requests, time.monotonic() + WALL_FACTOR * request["time_limit_s"])
    finally:
        os.close(read)
        os.kill(child, signal.SIGKILL)  # without effect on one that has ended
        status = os.waitpid(child, 0)[1]
    if ended == ABANDONED:
        raise EOFError
    if ended == TOO_LARGE:
        return {"ended": CRASHED, "how": TOO_LARGE}
    if ended == TIME or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU):
        return {"ended": TIME}
    if status:
        how = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"code {os.WEXITSTATUS(status)}"
        return {"ended": CRASHED, "how": how}
    try:
        return dict(json.loads(content))
    except ValueError:
        return {"ended": CRASHED, "how": "no result"}


def describe(error: BaseException) -> str:
    """Return where an error was raised, without its text, which could hold a label."""
    places = [f"{frame.name}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__, -3)]
    return f"{type(error).__name__} in {' '.join(places)}"


def _receive(read: int, requests: IO[bytes], deadline: float) -> tuple[bytes, str]:
    """Return what a child writes until it closes its end, and why that was not awaited, if so."""
    parts: list[bytes] = []
    size = 0
    with selectors.DefaultSelector() as selector:
        selector.register(read, selectors.EVENT_READ)
        selector.register(requests, selectors.EVENT_READ)  # a scorer sends nothing while it waits: it has ended
        while size <= MAX_RESULT_BYTES:
            ready = selector.select(max(0.0, deadline - time.monotonic()))
            if not ready:
                return b"", TIME
            keys = {key.fileobj for key, _ in ready}
            if read in keys:
                part = os.read(read, READ_BYTES)
                if not part:
                    return b"".join(parts), ""
                parts.append(part)
                size += len(part)
            elif requests in keys:
                return b"", ABANDONED
    return b"", TOO_LARGE


def answer(request: Mapping[str, Any], store: AnswersStore, requests: IO[bytes]) -> dict[str, Any]:
    """Return the reply to a request."""
    from bearleft.errors import InputError

    try:
        answers = store.get(request)
    except InputError as error:
        return {"unavailable": str(error)}
    return run_child(request, answers, requests)


def main() -> None:
    """Answer requests until standard input ends."""
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the first process, which ends the others in order
    alone = leave_network()
    requests, replies = os.fdopen(os.dup(0), "rb", buffering=0), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print must not mix with replies
    os.environ["BEARLEFT_THREADS"] = "1"  # a fork copies one thread only
    write_frame(replies, {"network": "none" if alone else "refused in Python"})
    store = AnswersStore()
    try:
        while True:
            write_frame(replies, answer(read_frame(requests), store, requests))
    except (EOFError, BrokenPipeError):
        pass


if __name__ == "__main__":
    main()
