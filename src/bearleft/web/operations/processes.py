"""Several server processes that share one listening socket, and scorers; one that ends is started again.

A connection that waits for a process which is killed is taken by another, since all of them accept from one queue.
"""

from __future__ import annotations

import functools
import logging
import multiprocessing
import os
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType

from bearleft.errors import InputError
from bearleft.web.database.engines import open_database
from bearleft.web.operations.logs import start_log
from bearleft.web.settings import Settings

log = logging.getLogger("bearleft.web.processes")
PAUSE = 1.0  # seconds until a process that ended soon after its start is started again
SOON = 10.0  # seconds
END_SECONDS = 30  # that requests under way may take when a server ends
FAILED = 3  # the exit code of a process that cannot start


@dataclass
class _Child:
    process: BaseProcess
    role: dict[str, int]  # "server" or "scorer", and its number, as the log has them
    started: float


def run_processes(
    settings: Settings,
    listener: socket.socket,
    number: int,
    serve: Callable[[Settings, socket.socket], None],
    ready: Callable[[], None],
    score: Callable[[Settings], None] | None = None,
    scorers: int = 0,
) -> None:
    """Serve in several processes until Ctrl-C or SIGTERM.

    Args:
        settings: The settings.
        listener: The socket that all processes accept connections from.
        number: Number of processes.
        serve: Serves in one process until SIGTERM.
        ready: Called when the tables are up to date and the processes have been started.
        score: Scores submissions of a leaderboard in one process until SIGTERM.
        scorers: Number of processes that score.

    Raises:
        InputError: The database cannot be opened, or a process cannot start.
    """
    open_database(settings.database).close()  # migrations run once, and errors are shown once
    context = multiprocessing.get_context("spawn")  # the renderer's threads do not survive a fork
    ending = threading.Event()

    def end(_signal: int, _frame: FrameType | None) -> None:
        ending.set()

    handlers = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    children: dict[int, _Child] = {}
    with tempfile.TemporaryDirectory(prefix="bearleft-") as folder:

        def start(k: int) -> None:
            is_scorer = k >= number
            options = replace(settings.operations, counters=Path(folder), process=k)
            own = replace(settings, operations=options)
            work = functools.partial(score, own) if is_scorer and score else functools.partial(serve, own, listener)
            role = {"scorer": k - number} if is_scorer else {"server": k}
            name = " ".join(f"{key} {value}" for key, value in role.items())
            process = context.Process(target=_run, args=(work, settings.operations.log_requests), name=name)
            process.start()
            children[k] = _Child(process, role, time.monotonic())
            log.info("process started", extra={**role, "pid": process.pid})

        try:
            for k in range(number + (scorers if score else 0)):
                start(k)
            ready()
            while not ending.is_set():
                wait([child.process.sentinel for child in children.values()], timeout=0.2)
                for k, child in list(children.items()):
                    if ending.is_set() or child.process.is_alive():
                        continue
                    code = child.process.exitcode
                    log.error("process ended", extra={**child.role, "pid": child.process.pid, "exit_code": code})
                    if code == FAILED:
                        raise InputError("processes that start", "one that does not; see its message above")
                    if time.monotonic() - child.started < SOON:
                        ending.wait(PAUSE)
                    start(k)
        finally:
            listener.close()
            _end([child.process for child in children.values()])
            for name, handler in handlers.items():
                signal.signal(name, handler)


def _end(processes: list[BaseProcess]) -> None:
    """Let processes answer the requests under way, and end."""
    for process in processes:
        process.terminate()
    last = time.monotonic() + END_SECONDS + 5
    for process in processes:
        process.join(max(0.0, last - time.monotonic()))
        if process.is_alive():
            log.error("process killed", extra={"pid": process.pid})
            process.kill()
            process.join()
    log.info("processes ended")


def _run(work: Callable[[], None], log_requests: bool) -> None:
    """Work in a process that ends with the one that started it."""
    os.setpgrp()  # Ctrl-C reaches the first process only, which ends the others in order
    if log_requests:
        start_log()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        work()
    except InputError as error:
        log.error("the process cannot start: %s", error)
        raise SystemExit(FAILED) from None


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)
