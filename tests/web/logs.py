"""The log of a test's own process, as `bearleft serve` writes it."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager

from bearleft.web.operations.logs import start_log


@contextmanager
def captured_log() -> Iterator[io.StringIO]:
    """Yield what is written to the log; it is as before afterwards."""
    root, web = logging.getLogger(), logging.getLogger("bearleft.web")
    before = list(root.handlers), root.level, web.level
    stream = io.StringIO()
    start_log(stream)
    try:
        yield stream
    finally:
        root.handlers[:] = before[0]
        root.setLevel(before[1])
        web.setLevel(before[2])
