"""Benchmark of whole evaluations: runs of the random agent, and scoring of a million traces, on all cores."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from bearleft.bench.harness import BenchResult, describe_machine
from bearleft.errors import InputError
from bearleft.evaluation.evaluate import evaluate
from bearleft.evaluation.score import score
from bearleft.runtime.compiled import num_threads
from bearleft.runtime.store import data_folder
from bearleft.types import DataFolder

REAL_SPLIT, GENERATED_SPLIT = "touchdown/unseen_dev", "town/dev"
TRACES = 1_000_000
SEEDS = 5  # runs whose traces are repeated under other seeds


def evaluation(rounds: int = 9, data: DataFolder = None, traces: int = TRACES) -> BenchResult:
    """Run `bearleft bench eval` on Touchdown's 800 routes where available, else on the generated town's 100."""
    dataset = scored_split(data)
    with tempfile.TemporaryDirectory(prefix="bearleft-bench-") as folder:
        runs = [Path(folder) / f"{seed}.jsonl" for seed in range(SEEDS)]
        evaluate("random", dataset, data=data, limit=1)  # compiles
        played = [
            _seconds(lambda out=out, k=k: evaluate("random", dataset, out, k, data)) for k, out in enumerate(runs)
        ]
        played += [
            _seconds(lambda k=k: evaluate("random", dataset, None, k, data)) for k in range(SEEDS, max(rounds, SEEDS))
        ]
        episodes = runs[0].read_bytes().count(b"\n")
        many = Path(folder) / "many.jsonl"
        write_repeated(runs, many, traces)
        score(runs[0], data=data)  # compiles, and keeps the distances
        scored = _seconds(lambda: score(many, data=data))
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
        f"score: one file of {size:,} bytes on {num_threads()} cores, every measure with 1,000 bootstrap resamples.",
        f"Machine: {describe_machine()}.",
    ]
    return BenchResult(rows, remarks)


def scored_split(data: DataFolder) -> str:
    """Return Touchdown's 800 routes if they are available, else the generated town's 100."""
    try:
        available = (data_folder(data) / "touchdown" / "unseen_dev.jsonl").is_file()
    except InputError:
        available = False
    return REAL_SPLIT if available else GENERATED_SPLIT


def _seconds(work: Any) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def write_repeated(runs: list[Path], out: Path, count: int) -> None:
    """Write `count` traces: those of the runs again and again, each time under its own seed."""
    parts = [(seed, path.read_text().splitlines(keepends=True)) for seed, path in enumerate(runs)]
    written, repetition = 0, 0
    with open(out, "w") as stream:
        while written < count:
            for seed, lines in parts:
                chosen = lines[: count - written]
                old, new = f'"seed":{seed},', f'"seed":{seed + repetition * SEEDS},'
                stream.writelines(line.replace(old, new, 1) for line in chosen)
                written += len(chosen)
            repetition += 1
