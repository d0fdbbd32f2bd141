"""Memory: how much is available, and a refusal before more of it is taken."""

from __future__ import annotations

import contextlib
import logging
from pathlib import Path

from bearleft.errors import InputError

NOTABLE_BYTES = 2_000_000_000  # from here on, the amount is logged before it is taken
MEMINFO = Path("/proc/meminfo")
GROUP = Path("/sys/fs/cgroup")
log = logging.getLogger(__name__)


def available_memory() -> int | None:
    """Return the bytes of memory that this process can still take, or None where the system does not say."""
    limits = []
    with contextlib.suppress(OSError, ValueError, KeyError, IndexError):
        fields = dict(line.split(":", 1) for line in MEMINFO.read_text(encoding="utf-8").splitlines())
        limits.append(int(fields["MemAvailable"].split()[0]) * 1024)
    with contextlib.suppress(OSError, ValueError):  # of a container; "max" if it has no limit
        limits.append(int((GROUP / "memory.max").read_text()) - int((GROUP / "memory.current").read_text()))
    return min(limits, default=None)


def check_memory(what: str, needed: int, hint: str = "") -> None:
    """Log how much memory something needs, if that is much, before it is taken.

    Args:
        what: What needs the memory.
        needed: Bytes, about.
        hint: What to type instead.

    Raises:
        InputError: Less memory is available.
    """
    available = available_memory()
    if available is not None and needed > available:
        expected = f"{needed / 1e9:.1f} GB of memory for {what}"
        raise InputError(expected, f"{available / 1e9:.1f} GB available", hint=hint)
    if needed >= NOTABLE_BYTES:
        log.warning("%s needs about %.1f GB of memory", what, needed / 1e9)
