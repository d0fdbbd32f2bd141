"""Benchmark of dataset generation: examples per second on all cores, from a finished visibility table."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

from bearleft.bench.harness import BenchResult, describe_machine
from bearleft.generate.scenes import SceneSampler
from bearleft.generate.shards import SHARD_SIZE, ExampleSpec, Job, ShardWorkers, make_shards
from bearleft.generate.splits import RouteSampler
from bearleft.language.scene_index import open_visibility_table
from bearleft.runtime.compiled import num_threads
from bearleft.world.city.city import open_city

WORLD, ROOMS = "city/0", "rooms/0/42"
SHARDS_PER_PROCESS = 2  # in a round


def generation(rounds: int = 9, world: str = WORLD) -> BenchResult:
    """Run `bearleft bench generation`: routes with instruction and target, panoramas of SDR, sequences of Refer360."""
    city, rooms = open_city(world), open_city(ROOMS)
    tables = {world: open_visibility_table(city), ROOMS: open_visibility_table(rooms)}
    rows: list[dict[str, Any]] = []
    for dataset, unit in (("city/touchdown", "routes"), ("city/sdr", "panoramas"), ("city/refer360", "sequences")):
        sequences = unit == "sequences"
        specs: Iterator[ExampleSpec] = (
            SceneSampler(city.graph, tables[world], rooms.graph, 0).sequences("train", 2000)
            if sequences
            else RouteSampler(city, 0).routes("train")
        )
        used = tuple((name, str(table.folder)) for name, table in tables.items() if sequences or name == world)
        with (
            tempfile.TemporaryDirectory(prefix="bearleft-bench-") as folder,
            ShardWorkers(Job(dataset, used, 0, "plain"), num_threads()) as workers,
        ):
            count = SHARDS_PER_PROCESS * num_threads() * SHARD_SIZE
            # The first round opens the city in every process, and is not timed.
            timed = [_time_round(workers, Path(folder), k, islice(specs, count)) for k in range(rounds + 1)][1:]
        seconds = median(duration for duration, _ in timed)
        rows.append(
            {
                "name": f"{dataset}, {unit}",
                "seconds": seconds,
                "per_second": median(examples / duration for duration, examples in timed),
                "unit": unit,
                "world": world,
            }
        )
    count = SHARDS_PER_PROCESS * num_threads() * SHARD_SIZE
    remarks = [
        f"Medians of {rounds} rounds of {count} routes or spots on {num_threads()} cores.",
        f"Machine: {describe_machine()}.",
    ]
    return BenchResult(rows, remarks)


def _time_round(workers: ShardWorkers, folder: Path, number: int, specs: Iterator[ExampleSpec]) -> tuple[float, int]:
    """Return the seconds of a round, and its number of examples."""
    began = time.perf_counter()
    _, examples = workers.run(make_shards(folder, str(number), specs, 10**9), 10**9, lambda _: None)
    return time.perf_counter() - began, examples
