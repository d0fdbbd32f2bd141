"""Worker processes: started by spawn, with one thread each; they end with the parent, even if it is killed."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any


@contextmanager
def defer_interrupt() -> Iterator[None]:
    """Deliver Ctrl-C only after the block: a process that is started in it is then known to its owner."""
    if threading.current_thread() is not threading.main_thread():  # other threads are not interrupted
        yield
        return
    interrupts: list[int] = []
    previous_handler = signal.signal(signal.SIGINT, lambda number, _: interrupts.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous_handler)
    if interrupts:
        signal.raise_signal(signal.SIGINT)


class _WorkerProcess(SpawnProcess):
    """A process that blocks Ctrl-C until `_initialize` has set a handler: imports would end in a traceback."""

    def start(self) -> None:
        resource_tracker.ensure_running()  # starting it unblocks signals
        previous_mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            super().start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, previous_mask)


class _WorkerContext(SpawnContext):
    Process = _WorkerProcess


def process_pool(count: int, initializer: Callable[..., None], *args: Any) -> ProcessPoolExecutor:
    """Return a pool of worker processes.

    Args:
        count: The number of processes.
        initializer: A function that each process calls first.
        *args: Its arguments.
    """
    return ProcessPoolExecutor(count, _WorkerContext(), _initialize, (initializer, args))


def _initialize(initializer: Callable[..., None], args: tuple[Any, ...]) -> None:
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    # Ctrl-C reaches every process of a terminal: the parent reports it, the workers exit silently.
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    os.environ["BEARLEFT_THREADS"] = "1"
    initializer(*args)


def _exit_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        # Nothing reads the results any more; waiting for the queue would block forever.
        os._exit(1)
