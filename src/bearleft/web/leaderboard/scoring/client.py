"""The scorer's side of the process that scores."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bearleft.errors import InputError
from bearleft.types import DataFolder
from bearleft.web.leaderboard.scoring.compute import ScoredSubmission
from bearleft.web.leaderboard.scoring.failures import ScoringFailure
from bearleft.web.leaderboard.scoring.process import TIME, read_frame, write_frame

MODULE = "bearleft.web.leaderboard.scoring.process"
# Of the environment; above all nothing that names a database or holds a password.
KEPT = (
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "LD_LIBRARY_PATH",
    "VIRTUAL_ENV",
    "NUMBA_CPU_NAME",
    "XDG_CACHE_HOME",
)
KEPT_BEARLEFT = ("BEARLEFT_DATA", "BEARLEFT_CACHE", "NUMBA_CACHE_DIR")


@dataclass(eq=False)
class ProcessEndedError(Exception):
    """The process that scores ended, or gave no result; another attempt may succeed.

    Attributes:
        reason: What happened, for the log of the organisers.
        code: The code of the failure if no attempt succeeds.
    """

    reason: str
    code: str = "attempts"

    def __str__(self) -> str:
        return self.reason


class AbandonedError(Exception):
    """The scorer no longer wants the result."""


@dataclass(frozen=True)
class ScoringRequest:
    """What to score.

    Attributes:
        dataset: The name of the dataset and split, or the file of its episodes with goals.
        data: The folder of real datasets.
        hidden: Whether traces are repeated, and name the file of entrants.
        files: Seed and file of traces of each run.
        max_bytes: The largest size of a file, decompressed.
        time_limit_s: Processor time; twice as much may pass on the clock.
        memory_limit_mb: Memory beyond that of the answers.
    """

    dataset: str
    data: DataFolder
    hidden: bool
    files: tuple[tuple[int, Path], ...]
    max_bytes: int
    time_limit_s: int
    memory_limit_mb: int

    def to_json(self) -> dict[str, Any]:
        """Return the request as JSON."""
        files = [{"seed": seed, "path": str(path.resolve())} for seed, path in self.files]
        data = None if self.data is None else str(Path(self.data).resolve())
        return {**vars(self), "data": data, "files": files}


class ScoringProcess:
    """A process that scores submissions, one after the other; it is started when it is needed.

    Attributes:
        network: How it is kept from the network, as it says itself; empty before its start.
    """

    def __init__(self) -> None:
        self.network = ""
        self._process: subprocess.Popen[bytes] | None = None

    def score(
        self, request: ScoringRequest, alive: Callable[[], bool] = lambda: True, every: float = 5.0
    ) -> ScoredSubmission:
        """Score a submission in a confined process of its own.

        Args:
            request: What to score.
            alive: Called every few seconds; False abandons the submission.
            every: Seconds between its calls.

        Raises:
            ScoringFailure: The submission cannot be scored.
            ProcessEndedError: There is no result; another attempt may succeed.
            AbandonedError: `alive` returned False.
        """
        try:
            process = self._start(alive, every)
            assert process.stdin is not None
            write_frame(process.stdin, request.to_json())
            reply = self._wait(process, alive, every)
        except (EOFError, OSError, ValueError):
            self.stop()
            raise ProcessEndedError("the process ended") from None
        except BaseException:
            self.stop()
            raise
        return _read_reply(reply, request)

    def _start(self, alive: Callable[[], bool], every: float) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.stop()
            variables = {name: os.environ[name] for name in (*KEPT, *KEPT_BEARLEFT) if name in os.environ}
            # One thread: a fork copies no other.
            variables |= {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "OMP_NUM_THREADS": "1"}
            variables |= {"OPENBLAS_NUM_THREADS": "1", "BEARLEFT_THREADS": "1"}
            command = [sys.executable, "-m", MODULE]
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, env=variables, bufsize=0, start_new_session=True
            )
            self.network = str(self._wait(self._process, alive, every)["network"])
        return self._process

    def _wait(self, process: subprocess.Popen[bytes], alive: Callable[[], bool], every: float) -> Mapping[str, Any]:
        assert process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while not selector.select(every):
                if not alive():
                    raise AbandonedError
        reply = read_frame(_Whole(process.stdout))  # type: ignore[arg-type]
        if not isinstance(reply, dict):
            raise ValueError
        return reply

    def stop(self) -> None:
        """End the process, and a child that it has."""
        process, self._process = self._process, None
        if process is None:
            return
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()
        try:
            process.wait(1.0)  # its input has ended
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class _Whole:
    """An unbuffered stream whose reads are complete; buffered ones could hold what a selector waits for."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def read(self, size: int) -> bytes:
        """Return as many bytes, or fewer at the end of the stream."""
        parts = []
        while size and (part := self._stream.read(size)):
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def _read_reply(reply: Mapping[str, Any], request: ScoringRequest) -> ScoredSubmission:
    """Return the result in a reply; raise what it says instead."""
    if "scored" in reply:
        try:
            return ScoredSubmission.from_json(reply["scored"])
        except InputError:
            raise ProcessEndedError("the result was not readable") from None
    if isinstance(failure := reply.get("failure"), dict):
        raise ScoringFailure.from_json(failure)
    if reply.get("ended") == TIME:
        raise ScoringFailure("time", {"count": request.time_limit_s})
    if "unavailable" in reply:
        raise ProcessEndedError(f"the answers cannot be read: {str(reply['unavailable'])[:500]}", "answers")
    raise ProcessEndedError(f"the child ended by {str(reply.get('how', 'itself'))[:300]}")
