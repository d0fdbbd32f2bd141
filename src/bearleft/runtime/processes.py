"""Processes beside ours: started by spawn, one thread each, gone when we are gone (even killed)."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import resource_tracker
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any


class _Quiet(SpawnProcess):
    """A process that hears of Ctrl-C only when `_begin` is ready for it: imports would end in a traceback."""

    def start(self) -> None:
        resource_tracker.ensure_running()  # which lets signals through again where it is started
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            super().start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Spawn(SpawnContext):
    Process = _Quiet


def process_pool(count: int, begin: Callable[..., None], *args: Any) -> ProcessPoolExecutor:
    """A pool whose processes call `begin(*args)` first."""
    return ProcessPoolExecutor(count, _Spawn(), _begin, (begin, args))


def _begin(begin: Callable[..., None], args: tuple[Any, ...]) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # Ctrl-C reaches every process of a terminal: ours says that it stopped, the others go without a word.
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    os.environ["BEARLEFT_THREADS"] = "1"
    begin(*args)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        # Nobody is left to take what we do; waiting for the queue would last for ever.
        os._exit(1)
