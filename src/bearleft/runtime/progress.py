"""What takes long, and how far it is: announcements before long work, and progress as lines for log files.

Announcements go to this module's logger at level INFO. The command line prints them to standard error. A program that
has not configured logging gets them on standard error, too; another decides by its configuration.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable

FIRST_SECONDS, INTERVAL = 5.0, 30.0  # of work before the first line, and between two lines
UNITS = ("bytes", "kB", "MB", "GB")
costs_log = logging.getLogger(__name__)


def announce(text: str) -> None:
    """Say what takes long before it starts: what it is, how long or how large, and whether it happens once."""
    if costs_log.hasHandlers():
        costs_log.info("%s", text)
    else:
        print(text, file=sys.stderr)


def format_duration(seconds: float) -> str:
    """Return a duration in seconds, minutes or hours."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 100 * 60 else f"{seconds / 3600:.1f} h"


def format_size(size: int) -> str:
    """Return a number of bytes in the largest unit that leaves at least one."""
    exponent = max((k for k in range(len(UNITS)) if size >= 1000**k), default=0)
    return f"{size / 1000**exponent:,.{1 if exponent else 0}f} {UNITS[exponent]}"


class ProgressLines:
    """Progress as lines, for standard error that is not a terminal: the first after 5 seconds, then every 30.

    Call it with a label, the work done and the total. Work that is over sooner writes nothing.

    Args:
        write: Called with each line.
        clock: Returns seconds; tests replace it.
    """

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self.write, self.clock = write, clock
        self.due = clock() + FIRST_SECONDS
        self.begin, self.begin_done, self.done, self.total = clock(), 0, 0, -1
        self.lines = 0  # of this stage

    def __call__(self, label: str, done: int, total: int) -> None:
        """Take a report of progress, and write a line if one is due."""
        now = self.clock()
        if total != self.total or done < self.done:  # another stage of the work
            self.begin, self.begin_done, self.total, self.lines = now, done, total, 0
        self.done = done
        if now < self.due and not (self.lines and total and done >= total):
            return
        self.due, self.lines = now + INTERVAL, self.lines + 1
        self.write(f"{label}{self._share(now)}")

    def _share(self, now: float) -> str:
        if not self.total:
            return ""
        text = f": {self.done:,}/{self.total:,} ({self.done / self.total:.0%})"
        if self.begin_done < self.done < self.total:
            speed = (self.done - self.begin_done) / max(now - self.begin, 1e-9)
            text += f", {format_duration((self.total - self.done) / speed)} left"
        return text
