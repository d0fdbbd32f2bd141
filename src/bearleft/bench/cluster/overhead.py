"""The same shards as tasks of a Ray cluster and as shares of plain processes, on the same cores."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import Any

from bearleft.bench.cluster.programs import run_programs
from bearleft.data import load, write
from bearleft.evaluation.evaluate import CHUNK, evaluate

log = logging.getLogger(__name__)
DATASET, AGENT = "city/touchdown/small", "follower"
PROCESSES = 2


def overhead(folder: Path, address: str, rounds: int, shards: int) -> dict[str, Any]:
    """Return the row of an evaluation in shards, with Ray and without.

    Args:
        folder: An empty folder.
        address: HOST:PORT of a cluster with two nodes of one core each.
        rounds: Alternating rounds.
        shards: The number of shards.

    Raises:
        RuntimeError: The results differ.
    """
    dataset, expected = folder / "episodes.jsonl", b""
    write_episodes(dataset, shards * CHUNK)
    evaluate(AGENT, DATASET, limit=1)  # computes what is kept
    seconds: dict[str, list[float]] = {"ray": [], "shares": []}
    contenders: dict[str, Callable[[Path], None]] = {
        "ray": lambda output: with_ray(dataset, output, address),
        "shares": lambda output: with_shares(dataset, output),
    }
    for number in range(rounds):
        for name, run in contenders.items():
            log.info("round %s of %s: %s", number + 1, rounds, name)
            output = folder / f"{name}-{number}.jsonl"
            began = time.perf_counter()
            run(output)
            seconds[name].append(time.perf_counter() - began)
            expected = expected or output.read_bytes()
            if output.read_bytes() != expected:
                raise RuntimeError(f"traces of {name} in round {number + 1} differ from those of the first run")
            output.unlink()
    ratios = [ours / peer for ours, peer in zip(seconds["ray"], seconds["shares"], strict=True)]
    return {
        "name": f"eval {AGENT}, {shards:,} shards",
        "ray_seconds": median(seconds["ray"]),
        "seconds": median(seconds["shares"]),
        "ratio": median(ratios),
        "lowest": min(ratios),
        "highest": max(ratios),
        "rounds": rounds,
    }


def write_episodes(path: Path, count: int) -> None:
    """Write a file of the dataset's episodes again and again, each time under other ids."""
    episodes = enumerate(islice(cycle(load(DATASET)), count))
    write("jsonl", [replace(episode, id=f"{k}-{episode.id}") for k, episode in episodes], path)


def with_ray(dataset: Path, output: Path, address: str) -> None:
    """Run the agent as tasks of a cluster."""
    run_programs([[*command(dataset, output), "--ray", address]])


def with_shares(dataset: Path, output: Path) -> None:
    """Run the agent as two processes, and join what they did."""
    run_programs([[*command(dataset, output), "--shard", f"{k}/{PROCESSES}"] for k in range(1, PROCESSES + 1)])
    run_programs([["gather", str(output)]])


def command(dataset: Path, output: Path) -> Sequence[str]:
    """Return the arguments of the evaluation."""
    return ["eval", AGENT, str(dataset), "-o", str(output)]
