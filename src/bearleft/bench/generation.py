"""Examples told in a second, from a finished visibility table; wall-clock seconds on all cores, no peer."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

from bearleft.bench.harness import Result, machine
from bearleft.generate.scenes import SceneSampler
from bearleft.generate.shards import SHARD_SIZE, ExampleSpec, Job, ShardWorkers, make_shards
from bearleft.generate.splits import RouteSampler
from bearleft.language.scene_index import open_visibility_table
from bearleft.runtime.compiled import cores
from bearleft.world.city.city import open_city

WORLD, ROOMS = "city/0", "rooms/0/42"
UNITS = 2  # of each process in a round


def asking(rounds: int = 9, world: str = WORLD) -> Result:
    """`bearleft bench asking`: routes with instruction and target, panoramas of SDR, sequences of Refer360."""
    city, rooms = open_city(world), open_city(ROOMS)
    tables = {world: open_visibility_table(city), ROOMS: open_visibility_table(rooms)}
    rows: list[dict[str, Any]] = []
    for dataset, what in (("city/touchdown", "routes"), ("city/sdr", "panoramas"), ("city/refer360", "sequences")):
        spots = what == "sequences"
        asked: Iterator[ExampleSpec] = (
            SceneSampler(city.graph, tables[world], rooms.graph, 0).sequences("train", 2000)
            if spots
            else RouteSampler(city, 0).routes("train")
        )
        used = tuple((name, str(table.folder)) for name, table in tables.items() if spots or name == world)
        with (
            tempfile.TemporaryDirectory(prefix="bearleft-bench-") as folder,
            ShardWorkers(Job(dataset, used, 0, "plain"), cores()) as workshop,
        ):
            some = UNITS * cores() * SHARD_SIZE
            # The first round opens the city in every process, and is not timed.
            timed = [_round(workshop, Path(folder), k, islice(asked, some)) for k in range(rounds + 1)][1:]
        seconds = median(one for one, _ in timed)
        rows.append(
            {
                "name": f"{dataset}, {what}",
                "seconds": seconds,
                "per_second": median(made / one for one, made in timed),
                "unit": what,
                "world": world,
            }
        )
    some = UNITS * cores() * SHARD_SIZE
    remarks = [f"Medians of {rounds} rounds of {some} routes or spots on {cores()} cores.", f"Machine: {machine()}."]
    return Result(rows, remarks)


def _round(workshop: ShardWorkers, folder: Path, number: int, asked: Iterator[ExampleSpec]) -> tuple[float, int]:
    """Seconds, and examples made of all that is asked."""
    began = time.perf_counter()
    _, made = workshop.run(make_shards(folder, str(number), asked), 10**9, lambda _: None)
    return time.perf_counter() - began, made
