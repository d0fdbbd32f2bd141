"""Harness of side-by-side timings: contenders take turns, each in its own process with one thread on the same core.

To add a benchmark, write a module with

- a function that makes the inputs, a dictionary of arrays;
- for each contender, a function of these inputs that returns the function to time, which takes no arguments (and, where
  results must be converted before they are compared, a second function that converts them);
- a `Benchmark` that names them as "module:function", or as "file.py:function" for peers in an environment of their own
  (`Contender(..., in_peer_environment=True)`, with pip's `requirements`);

and call `run` with it. Every contender is called once to warm up, so imports and compilation are not timed. Results are
compared before any timing. Then each of 9 rounds calls every contender in turn for about a fifth of a second, and the
medians are reported.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, unknown_name
from bearleft.runtime.extras import require_torch
from bearleft.runtime.store import cache_folder, file_lock

log = logging.getLogger(__name__)
Inputs = dict[str, npt.NDArray[Any]]
ROUND_SECONDS = 0.2  # of each contender
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "BEARLEFT_THREADS",
)
RUNNER = Path(__file__).with_name("runner.py")


@dataclass(frozen=True)
class Contender:
    """A timed program.

    Attributes:
        name: Its name in the rows.
        function: "module:function" or "file.py:function".
        in_peer_environment: Whether it runs in the peers' virtual environment.
        comparable: Whether its result is compared with ours.
        note: A note for its row.
    """

    name: str
    function: str
    in_peer_environment: bool = False
    comparable: bool = True
    note: str = ""


@dataclass(frozen=True)
class Benchmark:
    """Contenders, their inputs, and the tolerance of their results.

    With `core_seconds`, the processor time of all threads is measured instead of wall-clock time.
    """

    name: str
    inputs: Callable[[], Inputs]
    ours: Contender
    peers: tuple[Contender, ...]
    requirements: tuple[str, ...] = ()
    precision: str = "float64"
    tolerance: float = 1e-9
    core_seconds: bool = False

    @property
    def clock(self) -> str:
        """Return the key of the measured time in the runner's reply."""
        return "core_seconds" if self.core_seconds else "seconds"


@dataclass
class BenchResult:
    """Rows of flat values, and remarks for people."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def run(benchmark: Benchmark, rounds: int = 9) -> BenchResult:
    """Time a benchmark; raise RuntimeError where the results do not agree."""
    if rounds < 1:
        raise InputError("at least one round", str(rounds), "rounds")
    needs_peers = any(peer.in_peer_environment for peer in benchmark.peers)
    peer_python = peers_python(benchmark.requirements) if needs_peers else sys.executable
    contenders = (benchmark.ours, *benchmark.peers)
    core = _pick_core()
    with tempfile.TemporaryDirectory(prefix="bearleft-bench-") as folder:
        inputs = Path(folder) / "inputs.npz"
        np.savez(inputs, allow_pickle=False, **benchmark.inputs())
        processes: list[_ContenderProcess] = []
        try:
            for k, contender in enumerate(contenders):
                log.info("warming up %s", contender.name)
                python = peer_python if contender.in_peer_environment else sys.executable
                processes.append(
                    _ContenderProcess(contender, python, inputs, Path(folder) / f"{k}.npy", core, benchmark.clock)
                )
                processes[-1].warm_up()
            _check_agreement(benchmark, processes)
            for number in range(rounds):
                log.info("round %s of %s", number + 1, rounds)
                for process in processes:
                    process.round()
        finally:
            for process in processes:
                process.close()
    ours, *peers = processes
    agreed = [peer.contender.name for peer in peers if peer.contender.comparable]
    return BenchResult(
        [
            {
                "name": benchmark.name,
                "ours": ours.median,
                "peer": peer.median,
                "peer_name": peer.contender.name,
                "ratio": peer.median / ours.median,
                "unit": f"{benchmark.clock.replace('_', '-')} per call",
                "precision": benchmark.precision,
                "rounds": rounds,
                "note": peer.contender.note,
            }
            for peer in peers
        ],
        [
            f"{benchmark.name}: medians of {rounds} alternating rounds, one thread each, {benchmark.precision}.",
            *([f"Results agree within {benchmark.tolerance:g}: ours, {', '.join(agreed)}."] if agreed else []),
            f"Machine: {describe_machine()}.",
        ],
    )


class _ContenderProcess:
    """The process of a contender."""

    def __init__(self, contender: Contender, python: str, inputs: Path, result: Path, core: str, clock: str) -> None:
        self.contender, self.result, self.clock = contender, result, clock
        self.seconds: list[float] = []
        environment = {**os.environ, **dict.fromkeys(THREAD_VARIABLES, "1"), "PYTHONWARNINGS": "ignore"}
        self.process = subprocess.Popen(
            [python, str(RUNNER), contender.function, str(inputs), str(result), core],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self.calls = 1

    def warm_up(self) -> None:
        """Wait until it is ready, and choose the number of calls per round."""
        self.calls = max(1, round(ROUND_SECONDS / max(self._reply(), 1e-9)))

    def _reply(self) -> float:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.contender.name} ended with {self.process.wait()}; what it said stands above")
        return float(json.loads(line)[self.clock])

    def round(self) -> None:
        """Time one round of calls."""
        assert self.process.stdin is not None
        print(self.calls, file=self.process.stdin, flush=True)
        self.seconds.append(self._reply() / self.calls)

    @property
    def median(self) -> float:
        """Return the median of seconds per call."""
        return median(self.seconds)

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin is not None and self.process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def _check_agreement(benchmark: Benchmark, processes: list[_ContenderProcess]) -> None:
    ours, *peers = (np.load(process.result, allow_pickle=False) for process in processes)
    for process, theirs in zip(processes[1:], peers, strict=True):
        if not process.contender.comparable:
            continue
        same = theirs.shape == ours.shape
        if not same or not np.allclose(theirs, ours, rtol=benchmark.tolerance, atol=benchmark.tolerance):
            difference = f"{np.abs(theirs - ours).max():g} apart" if same else f"shapes {theirs.shape} and {ours.shape}"
            raise RuntimeError(f"{benchmark.name}: {process.contender.name} and we do not agree: {difference}")


def peers_python(requirements: tuple[str, ...]) -> str:
    """Return the interpreter with the peers: `.venv-bench` here or in the repository, else one in the cache folder."""
    for folder in (Path.cwd(), Path(__file__).parents[3]):
        python = folder / ".venv-bench" / "bin" / "python"
        if python.exists():
            return str(python)
    home = cache_folder() / "bench"
    with file_lock(home / "peers"):
        python, ready = home / "peers" / "bin" / "python", home / "peers" / "ready"
        expected = "\n".join(sorted(requirements))
        if not ready.exists() or ready.read_text() != expected:
            log.warning("installing %s into %s", ", ".join(requirements), home / "peers")
            steps = (
                [sys.executable, "-m", "venv", *(["--without-pip"] if find_spec("pip") else []), str(home / "peers")],
                [*_pip(python), "install", "--quiet", "--disable-pip-version-check", *requirements],
            )
            for step in steps:
                if subprocess.run(step, stdout=sys.stderr, check=False).returncode:
                    hint = "Type: make bench; or try again with a network."
                    raise InputError(f"the peers {', '.join(requirements)}", "an installation that failed", hint=hint)
            ready.write_text(expected)
    return str(python)


def _pip(python: Path) -> list[str]:
    """Return the command of the pip that fills an environment: ours, or its own where we have none."""
    return [sys.executable, "-m", "pip", "--python", str(python)] if find_spec("pip") else [str(python), "-m", "pip"]


def describe_machine() -> str:
    """Return the processor, usable cores, system and versions in one line."""
    import numba

    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line.partition(":")[2].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        model = names[0] if names else model
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    versions = f"Python {platform.python_version()}, numpy {np.__version__}, numba {numba.__version__}"
    return f"{model}, {cores} cores, {platform.system()} {platform.release()}, {versions}"


def check_cuda() -> None:
    """Raise InputError where torch or a CUDA GPU is missing."""
    require_torch()
    import torch

    if not torch.cuda.is_available():
        raise InputError("a CUDA GPU that torch can use", "none", "device", hint="Type: --device cpu")


def check_parts(only: Sequence[str], known: Sequence[str]) -> Sequence[str]:
    """Return the chosen parts of a benchmark, all where none is named; raise InputError for an unknown one."""
    for name in only:
        if name not in known:
            raise unknown_name("part", name, known)
    return only or known


def _pick_core() -> str:
    """Return the core that all contenders share; they take turns, so none waits for another."""
    return str(max(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else "any"
