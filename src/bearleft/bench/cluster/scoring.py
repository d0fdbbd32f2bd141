"""Scores of very many traces: in shards and in one run, with the memory of each process."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from bearleft.bench.cluster.programs import Program, run_programs
from bearleft.bench.evaluation import SEEDS, scored_split, write_repeated
from bearleft.errors import InputError
from bearleft.evaluation.evaluate import evaluate
from bearleft.runtime.compiled import num_threads
from bearleft.types import DataFolder

SHARES = 2
BYTES_PER_TRACE = 2_500  # of disk, with the shards' values


def scoring(folder: Path, traces: int, data: DataFolder = None) -> list[dict[str, Any]]:
    """Return the rows of scoring in shards, of joining them, and of one run.

    Args:
        folder: An empty folder.
        traces: The number of traces.
        data: The folder of real datasets.

    Raises:
        InputError: There is too little room.
        RuntimeError: The figures differ.
    """
    free = shutil.disk_usage(folder).free
    if free < traces * BYTES_PER_TRACE:
        hint = "Name a folder with more room: TMPDIR=FOLDER bearleft bench cluster --only scoring"
        raise InputError(f"{traces * BYTES_PER_TRACE / 1e9:.0f} GB of free disk", f"{free / 1e9:.0f} GB", hint=hint)
    file, runs = folder / "traces.jsonl", [folder / f"{seed}.jsonl" for seed in range(SEEDS)]
    for seed, run in enumerate(runs):
        evaluate("random", scored_split(data), run, seed, data)
    write_repeated(runs, file, traces)
    command = ["score", str(file), *(["--data", str(data)] if data is not None else [])]
    run_programs([["score", str(runs[0]), *command[2:]]])  # computes what is kept
    whole = run_programs([[*command, "--json"]], num_threads())[0]
    shares = run_programs([[*command, "--shard", f"{k}/{SHARES}"] for k in range(1, SHARES + 1)])
    joined = run_programs([["gather", str(file), "--json"]], num_threads())[0]
    if json.loads(joined.output) != json.loads(whole.output):
        raise RuntimeError(f"figures in shards differ from those of one run: {joined.output}\n{whole.output}")

    def row(name: str, programs: list[Program]) -> dict[str, Any]:
        seconds = max(program.seconds for program in programs)
        largest = max(program.largest for program in programs)
        return {"name": name, "seconds": seconds, "per_second": traces / seconds, "largest_process_bytes": largest}

    return [
        row(f"score {traces:,} traces", [whole]),
        row(f"score {traces:,} traces --shard K/{SHARES}", shares),
        row(f"gather {traces:,} traces", [joined]),
    ]
