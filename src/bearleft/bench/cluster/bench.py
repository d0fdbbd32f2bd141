"""Benchmark of work in shards, `bearleft bench cluster`: the overhead of Ray, memory of a driver, and of scoring."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from bearleft.bench.cluster.memory import WORLD, memory
from bearleft.bench.cluster.nodes import local_cluster
from bearleft.bench.cluster.overhead import overhead
from bearleft.bench.cluster.scoring import scoring
from bearleft.bench.harness import BenchResult, check_parts, describe_machine
from bearleft.cluster.ray_tasks import import_ray
from bearleft.errors import InputError
from bearleft.types import DataFolder

OVERHEAD, MEMORY, SCORING = "overhead", "memory", "scoring"
PARTS = (OVERHEAD, MEMORY, SCORING)


@dataclass(frozen=True)
class ClusterSizes:
    """How much work is measured.

    Attributes:
        shards: The shards that run with Ray and without.
        gigabytes: The pictures that are rendered while memory is measured.
        panorama: The size of these pictures in pixels.
        world: Their world.
        traces: The traces that are scored.
    """

    shards: int = 1_000
    gigabytes: float = 10.0
    panorama: tuple[int, int] = (1024, 512)
    world: str = WORLD
    traces: int = 10_000_000


def cluster(
    rounds: int = 9, data: DataFolder = None, only: Sequence[str] = (), sizes: ClusterSizes | None = None
) -> BenchResult:
    """Run `bearleft bench cluster`.

    Args:
        rounds: Alternating rounds of `overhead`; medians are reported.
        data: The folder of real datasets; `scoring` takes Touchdown's routes if they are there.
        only: "overhead", "memory" and "scoring"; all where empty.
        sizes: How much work is measured.

    Raises:
        InputError: A part is unknown, Ray is missing where a part needs it, or the disk is too small.
        RuntimeError: Two ways to the same result differ.
    """
    if rounds < 1:
        raise InputError("at least one round", str(rounds), "rounds")
    parts, sizes = check_parts(only, PARTS), sizes or ClusterSizes()
    result = BenchResult()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bearleft-bench-")))
        for part in PARTS:
            (folder / part).mkdir()
        if {OVERHEAD, MEMORY} & set(parts):
            import_ray()
            address = stack.enter_context(local_cluster()).address
        if OVERHEAD in parts:
            result.rows.append(overhead(folder / OVERHEAD, address, rounds, sizes.shards))
            result.remarks.append(
                f"overhead: medians of {rounds} alternating rounds of `eval --ray` on two nodes with one core each, "
                "and of two processes `eval --shard` with `gather`; their traces are the same, byte for byte."
            )
        if MEMORY in parts:
            result.rows.append(memory(folder / MEMORY, address, sizes.gigabytes, sizes.panorama, sizes.world))
            result.remarks.append("memory: the most of all samples; the object store is that of all nodes together.")
        if SCORING in parts:
            result.rows += scoring(folder / SCORING, sizes.traces, data)
            result.remarks.append("scoring: figures and intervals in shards are those of one run.")
    result.remarks.append(f"Machine: {describe_machine()}.")
    return result
