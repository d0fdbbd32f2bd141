"""Side-by-side timings: ours and the peers take turns, each in a process of its own, with one thread on the same core.

To add a benchmark, write a module with

- a function that makes the inputs, a dictionary of arrays;
- for each contender a function of these inputs that returns what is to be timed, a function without arguments (and,
  where results have to be converted before they can be compared, a second function that does that);
- a `Benchmark` that names them as "module:function", or "file.py:function" for peers that live in an environment of
  their own (`Contender(..., apart=True)`, with what pip shall install in `requirements`);

and call `run` with it. Every contender is called once for warming up, so imports and compilation are not timed; the
results are compared before any timing; then each of 9 rounds calls every contender in turn for about a fifth of a
second, and the medians are reported.
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
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.runtime.store import cache_folder, lock

log = logging.getLogger(__name__)
Inputs = dict[str, npt.NDArray[Any]]
ROUND = 0.2  # seconds a contender is called in each round
THREADS = (
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
    """Who is timed: "module:function" or "file.py:function"; `apart` if it needs the peers' environment.

    `agrees` is False for one whose result cannot be compared with ours; `note` goes into its row.
    """

    name: str
    function: str
    apart: bool = False
    agrees: bool = True
    note: str = ""


@dataclass(frozen=True)
class Benchmark:
    """What is timed, on which inputs, and against whom; `tolerance` is how far results may lie apart.

    `core_seconds` are those that all threads of a process were running, instead of the clock's.
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
        """The name of what is measured, as the runner says it."""
        return "core_seconds" if self.core_seconds else "seconds"


@dataclass
class Result:
    """Rows with seconds per call and peer / ours, and remarks for people."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def run(benchmark: Benchmark, rounds: int = 9) -> Result:
    """Times a benchmark; an error where the results do not agree."""
    if rounds < 1:
        raise InputError("at least one round", str(rounds), "rounds")
    apart = peers_python(benchmark.requirements) if any(p.apart for p in benchmark.peers) else sys.executable
    contenders = (benchmark.ours, *benchmark.peers)
    core = _core()
    with tempfile.TemporaryDirectory(prefix="bearleft-bench-") as folder:
        inputs = Path(folder) / "inputs.npz"
        np.savez(inputs, allow_pickle=False, **benchmark.inputs())
        running: list[_Running] = []
        try:
            for k, contender in enumerate(contenders):
                log.info("warming up %s", contender.name)
                python = apart if contender.apart else sys.executable
                running.append(_Running(contender, python, inputs, Path(folder) / f"{k}.npy", core, benchmark.clock))
                running[-1].warm_up()
            _compare(benchmark, running)
            for number in range(rounds):
                log.info("round %s of %s", number + 1, rounds)
                for one in running:
                    one.round()
        finally:
            for one in running:
                one.close()
    ours, *peers = running
    agreed = [peer.contender.name for peer in peers if peer.contender.agrees]
    return Result(
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
            f"Machine: {machine()}.",
        ],
    )


class _Running:
    """A contender's process."""

    def __init__(self, contender: Contender, python: str, inputs: Path, result: Path, core: str, clock: str) -> None:
        self.contender, self.result, self.clock = contender, result, clock
        self.seconds: list[float] = []
        settings = {**os.environ, **dict.fromkeys(THREADS, "1"), "PYTHONWARNINGS": "ignore"}
        self.process = subprocess.Popen(
            [python, str(RUNNER), contender.function, str(inputs), str(result), core],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=settings,
        )
        self.calls = 1

    def warm_up(self) -> None:
        """Waits until it is ready, and settles how often to call it in a round."""
        self.calls = max(1, round(ROUND / max(self._reply(), 1e-9)))

    def _reply(self) -> float:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.contender.name} ended with {self.process.wait()}; what it said stands above")
        return float(json.loads(line)[self.clock])

    def round(self) -> None:
        assert self.process.stdin is not None
        print(self.calls, file=self.process.stdin, flush=True)
        self.seconds.append(self._reply() / self.calls)

    @property
    def median(self) -> float:
        return median(self.seconds)

    def close(self) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def _compare(benchmark: Benchmark, running: list[_Running]) -> None:
    ours, *peers = (np.load(one.result, allow_pickle=False) for one in running)
    for one, theirs in zip(running[1:], peers, strict=True):
        if not one.contender.agrees:
            continue
        same = theirs.shape == ours.shape
        if not same or not np.allclose(theirs, ours, rtol=benchmark.tolerance, atol=benchmark.tolerance):
            furthest = f"{np.abs(theirs - ours).max():g} apart" if same else f"shapes {theirs.shape} and {ours.shape}"
            raise RuntimeError(f"{benchmark.name}: {one.contender.name} and we do not agree: {furthest}")


def peers_python(requirements: tuple[str, ...]) -> str:
    """The interpreter with the peers: `.venv-bench` here or in the repository, else one made in the cache folder."""
    for folder in (Path.cwd(), Path(__file__).parents[3]):
        python = folder / ".venv-bench" / "bin" / "python"
        if python.exists():
            return str(python)
    home = cache_folder() / "bench"
    with lock(home / "peers"):
        python, ready = home / "peers" / "bin" / "python", home / "peers" / "ready"
        expected = "\n".join(sorted(requirements))
        if not ready.exists() or ready.read_text() != expected:
            log.warning("installing %s into %s", ", ".join(requirements), home / "peers")
            steps = (
                [sys.executable, "-m", "venv", str(home / "peers")],
                [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements],
            )
            for step in steps:
                if subprocess.run(step, stdout=sys.stderr, check=False).returncode:
                    hint = "Type: make bench; or try again with a network."
                    raise InputError(f"the peers {', '.join(requirements)}", "an installation that failed", hint=hint)
            ready.write_text(expected)
    return str(python)


def machine() -> str:
    """The processor, the cores we may use, the system and the versions that matter."""
    import numba

    model = platform.processor() or platform.machine()
    described = Path("/proc/cpuinfo")
    if described.exists():
        names = [line.partition(":")[2].strip() for line in described.read_text().splitlines() if "model name" in line]
        model = names[0] if names else model
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    versions = f"Python {platform.python_version()}, numpy {np.__version__}, numba {numba.__version__}"
    return f"{model}, {cores} cores, {platform.system()} {platform.release()}, {versions}"


def _core() -> str:
    """The core that all contenders share: they take turns, so none waits for another."""
    return str(max(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else "any"
