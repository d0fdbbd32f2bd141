"""Confinement of the process that reads what entrants uploaded: limits, no network, few files, no programs.

The kernel enforces what it can:

- Limits of memory, processor time, size of files (none can be written), and no core dump, on every system.
- Namespaces (Linux, where users may make them): a network without any interface, so that no address can be reached.
- Landlock (Linux 5.13 and later): files outside of some folders cannot be opened; from 6.7 no TCP either.

In addition Python itself refuses sockets, programs, and files that are to be written. That works everywhere, but only
stops Python code: a fault in a compiled library could get around it. It is all there is on a system that has neither
namespaces nor Landlock.
"""

from __future__ import annotations

import ctypes
import os
import resource
import struct
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NEW_USER, NEW_NETWORK = 0x10000000, 0x40000000  # flags of unshare(2)
PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS = 1, 38
SIGKILL = 9
# Landlock's system calls have the same numbers on all architectures.
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
VERSION_FLAG, PATH_BENEATH = 1, 1
READ_FILE, READ_DIR = 1 << 2, 1 << 3
# Rights of files that exist from a version of Landlock on: execute ... make_sym, refer, truncate, ioctl_dev.
FILE_RIGHTS = {1: (1 << 13) - 1, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
TCP_RIGHTS = 0b11  # bind and connect, from version 4
SCOPES = 0b11  # abstract Unix sockets and signals of other processes, from version 6
REFUSED_EVENTS = ("socket.", "subprocess.", "os.exec", "os.posix_spawn", "os.spawn", "os.system", "os.fork", "pty.")
MEGABYTE = 2**20
MAX_DESCRIPTORS = 2**20


@dataclass(frozen=True)
class Limits:
    """What the scoring of one submission may use.

    Attributes:
        memory_bytes: Address space beyond that of the loaded answers.
        cpu_seconds: Processor time.
        descriptors: Open files.
    """

    memory_bytes: int
    cpu_seconds: int
    descriptors: int = 64


def leave_network() -> bool:
    """Move this process into a network without interfaces; return whether the system allows it.

    The process must have one thread only. Its user stays the same, and has no rights beyond those of other users.
    """
    user, group = os.getuid(), os.getgid()
    if not hasattr(os, "sched_getaffinity") or _libc().unshare(NEW_USER | NEW_NETWORK) != 0:
        return False
    try:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            Path("/proc/self", name).write_text(text)
    except OSError:
        pass  # the user has no name then, but the same rights
    return True


def end_with_parent() -> None:
    """Let the kernel kill this process when its parent ends; elsewhere than on Linux nothing happens."""
    if sys.platform == "linux":
        _libc().prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)


def close_inherited(keep: int) -> None:
    """Close all open files but one descriptor and the standard streams: what a parent has open is no child's business.

    Args:
        keep: The descriptor, at least 3.
    """
    os.closerange(3, keep)
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    os.closerange(keep + 1, MAX_DESCRIPTORS if allowed == resource.RLIM_INFINITY else min(allowed, MAX_DESCRIPTORS))


def limit_resources(limits: Limits) -> None:
    """Limit memory, processor time and open files; no file can be written, and a crash leaves no copy of memory."""
    if sys.platform == "linux":  # elsewhere nobody knows the present size
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        _set_limit(resource.RLIMIT_AS, pages * resource.getpagesize() + limits.memory_bytes)
    _set_limit(resource.RLIMIT_CORE, 0)
    _set_limit(resource.RLIMIT_FSIZE, 0)
    _set_limit(resource.RLIMIT_NOFILE, limits.descriptors)
    _set_limit(resource.RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 1)


def _set_limit(which: int, soft: int, hard: int | None = None) -> None:
    """Lower a limit; a lower one stays as it is."""
    allowed = resource.getrlimit(which)[1]
    values = [soft, soft if hard is None else hard]
    if allowed != resource.RLIM_INFINITY:
        values = [min(value, allowed) for value in values]
    resource.setrlimit(which, (values[0], values[1]))


def restrict_files(readable: Iterable[Path]) -> bool:
    """Let this process open only files in some folders, for reading, and no TCP connection.

    Args:
        readable: Folders and files; those that do not exist are skipped.

    Returns:
        Whether the system can do so.
    """
    if sys.platform != "linux":
        return False
    libc = _libc()
    version = libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(VERSION_FLAG))
    if version < 1:
        return False
    rights = sum(bits for since, bits in FILE_RIGHTS.items() if version >= since)
    attributes = struct.pack("=QQQ", rights, TCP_RIGHTS, SCOPES)[: 8 if version < 4 else 16 if version < 6 else 24]
    ruleset = libc.syscall(CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0))
    if ruleset < 0:
        return False
    try:
        for path in readable:
            _allow(libc, ruleset, path)
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        return bool(libc.syscall(RESTRICT_SELF, ruleset, ctypes.c_uint32(0)) == 0)
    finally:
        os.close(ruleset)


def _allow(libc: Any, ruleset: int, path: Path) -> None:
    try:
        descriptor = os.open(path, getattr(os, "O_PATH", os.O_RDONLY) | os.O_CLOEXEC)
    except OSError:
        return
    try:
        rights = READ_FILE | READ_DIR if path.is_dir() else READ_FILE
        rule = struct.pack("=Qi", rights, descriptor)
        libc.syscall(ADD_RULE, ruleset, PATH_BENEATH, rule, ctypes.c_uint32(0))
    finally:
        os.close(descriptor)


def refuse_in_python() -> None:
    """Let Python refuse sockets, programs, processes, and files that are to be written; it cannot be undone."""

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event.startswith(REFUSED_EVENTS):
            raise PermissionError(f"{event} is not allowed here")
        if event == "open" and _writes(arguments):
            raise PermissionError("writing files is not allowed here")

    sys.addaudithook(refuse)


def _writes(arguments: tuple[Any, ...]) -> bool:
    _path, mode, flags = arguments
    if isinstance(mode, str) and set(mode) & set("wax+"):
        return True
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC))


def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)
