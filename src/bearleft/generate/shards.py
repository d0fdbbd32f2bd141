"""Parallel generation in shards that are written whole, so that an interrupted run repeats only unfinished shards."""

from __future__ import annotations

import gc
import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import astuple, dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from bearleft.errors import InputError
from bearleft.generate.arramon.decoys import DISTINCT
from bearleft.generate.arramon.tasks import TaskSpec
from bearleft.generate.examples import ExampleBuilder, ExampleResult
from bearleft.generate.scenes import SequenceSpec
from bearleft.generate.splits import RouteSpec
from bearleft.runtime.json_fields import Json
from bearleft.runtime.processes import process_pool
from bearleft.runtime.store import write_text
from bearleft.types import DataFolder

if TYPE_CHECKING:
    from bearleft.generate.arramon.dataset import TaskGenerator

SHARD_SIZE = 50  # specs, at most
SHARDS_PER_SPLIT = 8  # at least, since all specs of a shard are computed, also if fewer examples are missing
TOO_MANY_PANORAMAS = "lines with more panoramas than missing"
QUEUED_PER_PROCESS = 2  # shards waiting for each process
COLLECTED_OBJECTS = 100_000  # new objects after which a worker process collects cycles, rather than Python's 700

ARRAMON = "city/arramon"
ExampleSpec = RouteSpec | SequenceSpec | TaskSpec


@dataclass(frozen=True)
class Job:
    """Settings that all shards of a folder share."""

    dataset: str
    # The worlds, each with the folder of its visibility table, empty for tasks; routes are in the first world.
    tables: tuple[tuple[str, str], ...]
    seed: int
    style: str
    decoys: str = DISTINCT  # of ArraMon tasks
    city: int | None = None  # seed of the city on a street graph without buildings
    data: DataFolder = None  # folder of the datasets, for streets that are read from files
    orients: bool = True  # instructions begin with the orientation at the start


@dataclass(frozen=True)
class Shard:
    """Some specs, and the file of their results."""

    path: Path
    specs: tuple[ExampleSpec, ...]


def make_shards(folder: Path, split: str, specs: Iterable[ExampleSpec], size: int) -> Iterator[Shard]:
    """Yield the shards of a split, in order.

    Args:
        folder: The folder of the shards' files.
        split: Name of the split.
        specs: The specs, more than are needed.
        size: The number of examples.
    """
    stream = iter(specs)
    number, shard_size = 0, min(SHARD_SIZE, -(-size // SHARDS_PER_SPLIT))
    while chunk := tuple(islice(stream, shard_size)):
        yield Shard(folder / f"{split}-{number:05d}.json", chunk)
        number += 1


class ShardWorkers:
    """Worker processes for shards, or this process alone; use it as a context manager."""

    def __init__(self, job: Job, processes: int) -> None:
        self.processes = processes
        self._pool = process_pool(processes, _start_worker, job) if processes > 1 else None
        if self._pool is None:
            init_worker(job)

    def __enter__(self) -> ShardWorkers:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=kind is None, cancel_futures=True)

    def run(
        self, shards: Iterator[Shard], size: int, progress: Callable[[int], None]
    ) -> tuple[list[ExampleResult], int]:
        """Return the results up to the `size`-th example, and the number of examples.

        Shards whose file exists are not computed again. A line with more examples than are missing is skipped.

        Args:
            shards: The shards.
            size: The number of examples.
            progress: Called with the number of examples so far.
        """
        results: list[ExampleResult] = []
        count = 0
        queue: deque[tuple[Shard, Future[None] | None]] = deque()
        while count < size:
            queued = sum(len(shard.specs) for shard, _ in queue)
            while len(queue) < QUEUED_PER_PROCESS * self.processes and queued < size - count:
                shard = next(shards, None)
                if shard is None:
                    break
                queue.append((shard, self._submit(shard)))
                queued += len(shard.specs)
            if not queue:
                break
            for result in self._result(*queue.popleft()):
                if result.examples > size - count:
                    result = ExampleResult(skipped={**result.skipped, TOO_MANY_PANORAMAS: 1})
                results.append(result)
                count += result.examples
                if count == size:
                    break
            progress(count)
        for _, future in queue:
            if future is not None:
                future.cancel()
        return results, count

    def _submit(self, shard: Shard) -> Future[None] | None:
        return None if self._pool is None or read_shard(shard) is not None else self._pool.submit(write_shard, shard)

    def _result(self, shard: Shard, future: Future[None] | None) -> list[ExampleResult]:
        try:
            if future is not None:
                future.result()
            elif self._pool is None:
                write_shard(shard)
        except BrokenProcessPool as error:
            raise RuntimeError("a process was killed; run the same command again to continue") from error
        results = read_shard(shard)
        if results is None:
            raise InputError("the results just written", "something else", file=str(shard.path))
        return results


_builders: dict[str, ExampleBuilder]
_task_generator: TaskGenerator
_job: Job


def _start_worker(job: Job) -> None:
    """Prepare a worker process: texts consist of so many small objects that collecting cycles among them takes time."""
    init_worker(job)
    gc.freeze()
    gc.set_threshold(COLLECTED_OBJECTS)


def open_worker(job: Job) -> None:
    """Prepare this process for the shards of a job, unless it is."""
    if globals().get("_job") is not job:
        init_worker(job)


def init_worker(job: Job) -> None:
    """Prepare this process for the shards of a job."""
    global _builders, _task_generator, _job
    _job = job
    if job.dataset == ARRAMON:
        from bearleft.generate.arramon.dataset import open_task_generator

        _task_generator = open_task_generator(job.tables[0][0], job.seed, job.decoys)
        return
    _builders = {
        world: ExampleBuilder(world, table, job.seed, job.style, job.city, job.data, job.orients)
        for world, table in job.tables
    }


def write_shard(shard: Shard) -> None:
    """Compute a shard in a prepared process and write its file, unless it is finished."""
    if read_shard(shard) is None:
        results = [_make_example(spec).to_json() for spec in shard.specs]
        write_text(shard.path, json.dumps({"specs": _specs_json(shard), "results": results}))


def _specs_json(shard: Shard) -> list[list[Json]]:
    """Return the specs of a shard as its file holds them."""
    return [[list(value) if isinstance(value, tuple) else value for value in astuple(spec)] for spec in shard.specs]


def _make_example(spec: ExampleSpec) -> ExampleResult:
    world = spec.world if isinstance(spec, SequenceSpec) else _job.tables[0][0]
    try:
        if isinstance(spec, TaskSpec):
            return _task_generator.task(spec, _job.dataset)
        if isinstance(spec, SequenceSpec):
            return _builders[world].sequence_example(spec)
        return _builders[world].route_example(spec, navigation=_job.dataset != "city/sdr")
    except Exception as error:
        error.add_note(f"while example {spec.number} of {_job.dataset} in {world} was generated, seed {_job.seed}")
        raise


def read_shard(shard: Shard) -> list[ExampleResult] | None:
    """Return the results in the shard's file; None if there is no file, or one of other specs."""
    try:
        content = json.loads(shard.path.read_text(encoding="utf-8"))
        return (
            [ExampleResult(*result) for result in content["results"]]
            if content["specs"] == _specs_json(shard)
            else None
        )
    except (ValueError, KeyError, TypeError, OSError, RecursionError):
        return None
