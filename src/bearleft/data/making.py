"""Work in units that are written whole: several processes, and after a kill only the units in work are done again."""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

from bearleft.data.asked import Asker, Tried
from bearleft.data.scenes import Spot, Walk
from bearleft.errors import InputError
from bearleft.processes import process_pool
from bearleft.store import write_text

UNIT = 50  # routes or spots
AHEAD = 2  # units for each process that wait for it

Asked = Walk | Spot


@dataclass(frozen=True)
class Job:
    """What every unit of a folder follows from, beside its routes or spots."""

    dataset: str
    world: str
    table: str
    seed: int
    style: str


@dataclass(frozen=True)
class Unit:
    """Some routes or spots, and the file for what becomes of them."""

    path: Path
    asked: tuple[Asked, ...]


def units(folder: Path, split: str, asked: Iterable[Asked]) -> Iterator[Unit]:
    """The units of a split, in order."""
    stream = iter(asked)
    number = 0
    while some := tuple(islice(stream, UNIT)):
        yield Unit(folder / f"{split}-{number:05d}.json", some)
        number += 1


def work(job: Job, todo: Iterator[Unit], processes: int) -> Generator[list[Tried], None, None]:
    """What became of unit after unit, in order; units whose file is there are not done again.

    Whoever has seen enough closes the generator: what waits is then dropped.
    """
    if processes == 1:
        _begin(job)
        for unit in todo:
            _do(unit)
            yield _read(unit)
        return
    with process_pool(processes, _begin, job) as pool:
        waiting: deque[tuple[Unit, Future[None] | None]] = deque()
        try:
            while True:
                for unit in islice(todo, AHEAD * processes - len(waiting)):
                    waiting.append((unit, None if unit.path.exists() else pool.submit(_do, unit)))
                if not waiting:
                    return
                unit, done = waiting.popleft()
                if done is not None:
                    done.result()
                yield _read(unit)
        except BrokenProcessPool as error:
            raise RuntimeError("a process was killed; run the same command again to go on") from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


_asker: Asker
_job: Job


def _begin(job: Job) -> None:
    global _asker, _job
    _job, _asker = job, Asker(job.world, job.table, job.seed, job.style)


def _do(unit: Unit) -> None:
    if unit.path.exists():
        return
    found = [_tried(asked).to_json() for asked in unit.asked]
    write_text(unit.path, json.dumps({"asked": [asdict(one) for one in unit.asked], "tried": found}))


def _tried(asked: Asked) -> Tried:
    if isinstance(asked, Spot):
        return _asker.spot(asked)
    return _asker.walk(asked, navigation=_job.dataset != "city/sdr")


def _read(unit: Unit) -> list[Tried]:
    """What a unit's file holds; an error where it is another unit's."""
    try:
        found = json.loads(unit.path.read_text())
        numbers = [one["number"] for one in found["asked"]]
        if numbers != [one.number for one in unit.asked]:
            raise ValueError
        return [Tried(*one) for one in found["tried"]]
    except (ValueError, KeyError, TypeError, OSError) as error:
        hint = "Delete it and run the same command again."
        raise InputError("a part of this dataset", "something else", file=str(unit.path), hint=hint) from error


def cores() -> int:
    """How many processes may run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def take(tried: Iterable[Sequence[Tried]], size: int, tell: Callable[[int], None]) -> tuple[list[Tried], int]:
    """Everything up to the `size`-th example, and how many there are; a line worth more than is left is passed over."""
    found: list[Tried] = []
    count = 0
    for unit in tried:
        for one in unit:
            if one.line is not None and one.worth > size - count:
                one = Tried(passed={**one.passed, "lines with too many panoramas for what was left": 1})
            found.append(one)
            count += one.worth
            if count == size:
                tell(count)
                return found, count
        tell(count)
    return found, count
