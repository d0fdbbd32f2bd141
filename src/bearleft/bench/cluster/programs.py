"""bearleft commands that run beside each other, with their time and memory."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from bearleft.errors import InputError

SAMPLE_SECONDS = 0.2
PROC = Path("/proc")


@dataclass
class Program:
    """A command that was run.

    Attributes:
        arguments: What stands behind `bearleft`.
        seconds: Its wall-clock time.
        peak_bytes: The most resident memory of each of its processes, by process id.
        output: What it printed.
    """

    arguments: Sequence[str]
    seconds: float = 0.0
    peak_bytes: dict[int, int] = field(default_factory=dict)
    output: str = ""

    @property
    def largest(self) -> int:
        """Return the most resident memory of one of its processes."""
        return max(self.peak_bytes.values(), default=0)


Watch = Callable[[Sequence[Program]], object]


def run_programs(commands: Sequence[Sequence[str]], threads: int = 1, watch: Watch | None = None) -> list[Program]:
    """Run bearleft commands at the same time, and return what they took.

    Args:
        commands: The arguments of each.
        threads: The threads of each.
        watch: Called with the programs after every sample of their memory, five times per second.

    Raises:
        InputError: The system does not tell the memory of a process.
        RuntimeError: A command failed.
    """
    if not (PROC / "self/status").exists():
        raise InputError("Linux, which tells the memory of processes in /proc", sys.platform)
    programs = [Program(command) for command in commands]
    environment = {**os.environ, "BEARLEFT_THREADS": str(threads)}
    with tempfile.TemporaryFile("w+") as errors:
        began = time.perf_counter()
        running = {
            subprocess.Popen(
                [sys.executable, "-m", "bearleft", *program.arguments],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env=environment,
            ): program
            for program in programs
        }
        try:
            _wait(running, began, errors, watch)
        finally:
            for process in running:
                process.kill()
                process.communicate()
    return programs


def _wait(running: dict[subprocess.Popen[str], Program], began: float, errors: IO[str], watch: Watch | None) -> None:
    """Sample the memory of processes until all have ended; remove them from `running`."""
    programs = list(running.values())
    while running:
        for process, program in running.items():
            for number, size in peaks(process.pid).items():
                program.peak_bytes[number] = max(size, program.peak_bytes.get(number, 0))
        if watch is not None:
            watch(programs)
        with contextlib.suppress(subprocess.TimeoutExpired):
            next(iter(running)).wait(SAMPLE_SECONDS)
        for process in [process for process in running if process.poll() is not None]:
            program = running.pop(process)
            program.seconds = time.perf_counter() - began
            program.output = process.communicate()[0]
            if process.returncode:
                errors.seek(0)
                said = errors.read().strip()[-2000:]
                raise RuntimeError(f"bearleft {' '.join(program.arguments)} failed with {process.returncode}: {said}")


def peaks(process: int) -> dict[int, int]:
    """Return the most resident memory so far of a process and of those that it started, in bytes."""
    found: dict[int, int] = {}
    waiting = [process]
    while waiting:
        number = waiting.pop()
        folder = PROC / str(number)
        try:
            status = (folder / "status").read_text()
            for task in (folder / "task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
        except OSError:
            continue  # it has ended
        for line in status.splitlines():
            if line.startswith("VmHWM:"):
                found[number] = int(line.split()[1]) * 1024
    return found
