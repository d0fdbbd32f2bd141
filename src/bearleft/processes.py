"""Processes beside ours: started by spawn, one thread each, gone when we are gone (even killed)."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any


def process_pool(count: int, begin: Callable[..., None], *args: Any) -> ProcessPoolExecutor:
    """A pool whose processes call `begin(*args)` first."""
    return ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), _begin, (begin, args))


def _begin(begin: Callable[..., None], args: tuple[Any, ...]) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # Ctrl-C reaches every process of a terminal: ours says that it stopped, the others go without a word.
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    os.environ["BEARLEFT_THREADS"] = "1"
    begin(*args)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        # Nobody is left to take what we do; waiting for the queue would last for ever.
        os._exit(1)
