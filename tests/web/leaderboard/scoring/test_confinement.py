"""What a confined process can no longer do; each test confines a child of its own."""

from __future__ import annotations

import mmap
import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bearleft.web.leaderboard.scoring.confinement import (
    MEGABYTE,
    Limits,
    close_inherited,
    leave_network,
    limit_resources,
    refuse_in_python,
    restrict_files,
)

LIMITS = Limits(64 * MEGABYTE, 5)
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="a means of Linux")


def in_child(work: Callable[[], object], alone: bool = False) -> str:
    """Return the name of the error that a function raises in a child, "" for none, or how the child ended.

    Args:
        work: The function.
        alone: Whether the child closes the files that this process has open, which may be many.
    """
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            name = ""
            if alone:
                close_inherited(write)
            work()
        except BaseException as error:
            name = type(error).__name__
        os.write(write, name.encode())
        os._exit(0)
    os.close(write)
    with open(read, "rb") as stream:
        name = stream.read().decode()
    status = os.waitpid(child, 0)[1]
    return signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else name


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def test_without_confinement_a_child_reaches_the_network(listener: socket.socket) -> None:
    assert in_child(lambda: socket.create_connection(listener.getsockname(), 1)) == ""


@linux_only
def test_in_a_network_of_its_own_no_address_is_reached(listener: socket.socket) -> None:
    def connect() -> None:
        if not leave_network():
            raise NotImplementedError
        socket.create_connection(listener.getsockname(), 1)

    outcome = in_child(connect)
    if outcome == "NotImplementedError":
        pytest.skip("the system forbids namespaces")
    assert outcome == "OSError"  # the network is unreachable


@linux_only
def test_a_user_who_left_the_network_keeps_the_own_number_and_files(tmp_path: Path) -> None:
    secret = tmp_path / "answers"
    secret.write_text("north")
    secret.chmod(0o600)
    user = os.getuid()

    def read() -> None:
        if leave_network():
            assert (os.getuid(), secret.read_text()) == (user, "north")

    assert in_child(read) == ""


@pytest.mark.parametrize(
    "work",
    [
        lambda: socket.socket(),
        lambda: socket.socket(socket.AF_UNIX),
        lambda: socket.getaddrinfo("localhost", 80),
        lambda: subprocess.run(["true"]),
        lambda: os.system("true"),
        lambda: os.execv("/bin/true", ["true"]),
        lambda: os.posix_spawn("/bin/true", ["true"], {}),
        lambda: os.fork(),
        lambda: Path(os.devnull).write_text("x"),
        lambda: Path(os.devnull).open("r+"),  # noqa: SIM115
        lambda: os.open(os.devnull, os.O_WRONLY),
    ],
)
def test_python_refuses_sockets_programs_and_writing(work: Callable[[], object]) -> None:
    def confined() -> None:
        refuse_in_python()
        work()

    assert in_child(confined, alone=True) == "PermissionError"


@linux_only
def test_files_outside_of_the_given_ones_cannot_be_opened(tmp_path: Path) -> None:
    allowed, other = tmp_path / "upload.jsonl", tmp_path / "other.jsonl"
    allowed.write_text("mine")
    other.write_text("theirs")

    def read(path: Path) -> str:
        def confined() -> None:
            if not restrict_files([allowed, tmp_path / "missing"]):
                raise NotImplementedError
            path.read_text()

        return in_child(confined, alone=True)

    if read(allowed) == "NotImplementedError":
        pytest.skip("the system has no Landlock")
    assert (read(allowed), read(other)) == ("", "PermissionError")
    assert in_child(lambda: (restrict_files([tmp_path]), other.read_text())) == ""
    assert in_child(lambda: (restrict_files([tmp_path]), other.write_text(""))) == "PermissionError"


@linux_only
def test_memory_beyond_the_limit_is_refused() -> None:
    def confined(size: int) -> None:
        limit_resources(LIMITS)
        mmap.mmap(-1, size).close()

    assert in_child(lambda: confined(16 * MEGABYTE), alone=True) == ""
    assert in_child(lambda: confined(256 * MEGABYTE), alone=True) == "OSError"


def test_processor_time_beyond_the_limit_ends_the_process() -> None:
    def confined() -> None:
        limit_resources(Limits(64 * MEGABYTE, 1))
        while True:
            pass

    assert in_child(confined, alone=True) == "SIGXCPU"


def test_open_files_and_written_bytes_are_limited(tmp_path: Path) -> None:
    def open_many() -> None:
        limit_resources(LIMITS)
        for _ in range(LIMITS.descriptors + 1):
            os.open(os.devnull, os.O_RDONLY)

    def write() -> None:
        limit_resources(LIMITS)
        (tmp_path / "file").write_text("x")

    assert in_child(open_many, alone=True) == "OSError"
    assert in_child(write, alone=True) == "OSError"


def test_a_crash_leaves_no_copy_of_memory() -> None:
    def confined() -> None:
        limit_resources(LIMITS)
        assert resource.getrlimit(resource.RLIMIT_CORE) == (0, 0)

    assert in_child(confined, alone=True) == ""
