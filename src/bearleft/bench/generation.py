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
from bearleft.generate.scenes import Spots
from bearleft.generate.shards import UNIT, Asked, Job, Workshop, units
from bearleft.generate.splits import Scenes
from bearleft.language.scene_index import table_of
from bearleft.runtime.compiled import cores
from bearleft.world.city.city import open_city

WORLD, ROOMS = "city/0", "rooms/0/42"
UNITS = 2  # of each process in a round


def asking(rounds: int = 9, world: str = WORLD) -> Result:
    """`bearleft bench asking`: routes with instruction and target, panoramas of SDR, sequences of Refer360."""
    city, rooms = open_city(world), open_city(ROOMS)
    tables = {world: table_of(city), ROOMS: table_of(rooms)}
    rows: list[dict[str, Any]] = []
    for dataset, what in (("city/touchdown", "routes"), ("city/sdr", "panoramas"), ("city/refer360", "sequences")):
        spots = what == "sequences"
        asked: Iterator[Asked] = (
            Spots(city.graph, tables[world], rooms.graph, 0).spots("train", 2000)
            if spots
            else Scenes(city, 0).walks("train")
        )
        used = tuple((name, str(table.folder)) for name, table in tables.items() if spots or name == world)
        with (
            tempfile.TemporaryDirectory(prefix="bearleft-bench-") as folder,
            Workshop(Job(dataset, used, 0, "plain"), cores()) as workshop,
        ):
            some = UNITS * cores() * UNIT
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
    some = UNITS * cores() * UNIT
    remarks = [f"Medians of {rounds} rounds of {some} routes or spots on {cores()} cores.", f"Machine: {machine()}."]
    return Result(rows, remarks)


def _round(workshop: Workshop, folder: Path, number: int, asked: Iterator[Asked]) -> tuple[float, int]:
    """Seconds, and examples made of all that is asked."""
    began = time.perf_counter()
    _, made = workshop.fill(units(folder, str(number), asked), 10**9, lambda _: None)
    return time.perf_counter() - began, made
