"""Whole runs of the random agent, and the scoring of a million traces; wall-clock seconds on all cores, no peer."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from bearleft.bench.harness import Result, machine
from bearleft.errors import InputError
from bearleft.evaluate.run import run
from bearleft.evaluate.score import score
from bearleft.runtime.compiled import cores
from bearleft.runtime.store import data_folder

REAL, MADE = "touchdown/unseen_dev", "town/dev"
TRACES = 1_000_000
SEEDS = 5  # runs whose traces are repeated, under other seeds, until there are enough


def evaluation(rounds: int = 9, data: str | os.PathLike[str] | None = None, traces: int = TRACES) -> Result:
    """`bearleft bench eval`: on Touchdown's 800 routes where they are, else on the generated town's 100."""
    dataset = REAL if _has(data) else MADE
    with tempfile.TemporaryDirectory(prefix="bearleft-bench-") as folder:
        runs = [Path(folder) / f"{seed}.jsonl" for seed in range(SEEDS)]
        run("random", dataset, data=data, limit=1)  # compiles
        played = [_timed(lambda out=out, k=k: run("random", dataset, out, k, data)) for k, out in enumerate(runs)]
        played += [_timed(lambda k=k: run("random", dataset, None, k, data)) for k in range(SEEDS, max(rounds, SEEDS))]
        episodes = runs[0].read_bytes().count(b"\n")
        many = Path(folder) / "many.jsonl"
        _repeat(runs, many, traces)
        score(runs[0], data=data)  # compiles, and keeps the distances
        scored = _timed(lambda: score(many, data=data))
        size = many.stat().st_size
    seconds = median(played)
    rows: list[dict[str, Any]] = [
        {
            "name": f"eval random, {episodes} routes",
            "seconds": seconds,
            "per_second": episodes / seconds,
            "unit": "episodes",
            "dataset": dataset,
        },
        {
            "name": f"score {traces:,} traces",
            "seconds": scored,
            "per_second": traces / scored,
            "unit": "traces",
            "dataset": dataset,
        },
    ]
    remarks = [
        f"eval: median of {len(played)} runs in one process.",
        f"score: one file of {size:,} bytes on {cores()} cores, every measure with 1,000 bootstrap resamples.",
        f"Machine: {machine()}.",
    ]
    return Result(rows, remarks)


def _has(data: str | os.PathLike[str] | None) -> bool:
    try:
        return (data_folder(data) / "touchdown" / "unseen_dev.jsonl").is_file()
    except InputError:
        return False


def _timed(work: Any) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _repeat(runs: list[Path], out: Path, count: int) -> None:
    """`count` traces: those of the runs over and over, each time under a seed of its own."""
    parts = [(seed, path.read_text().splitlines(keepends=True)) for seed, path in enumerate(runs)]
    written, turn = 0, 0
    with open(out, "w") as stream:
        while written < count:
            for seed, lines in parts:
                taken = lines[: count - written]
                old, new = f'"seed":{seed},', f'"seed":{seed + turn * SEEDS},'
                stream.writelines(line.replace(old, new, 1) for line in taken)
                written += len(taken)
            turn += 1
