"""Work in units that are written whole: several processes, and after a kill only the units in work are done again."""

from __future__ import annotations

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
from bearleft.generate.arramon.tasks import DISTINCT, Slot
from bearleft.generate.examples import Asker, Tried
from bearleft.generate.scenes import Spot
from bearleft.generate.splits import Walk
from bearleft.runtime.json_fields import Json
from bearleft.runtime.processes import process_pool
from bearleft.runtime.store import write_text

if TYPE_CHECKING:
    from bearleft.generate.arramon.dataset import Drawer

UNIT = 50  # routes, spots or tasks
TOO_MANY = "lines with too many panoramas for what was left"
AHEAD = 2  # units for each process that wait for it

ARRAMON = "city/arramon"
Asked = Walk | Spot | Slot


@dataclass(frozen=True)
class Job:
    """What every unit of a folder follows from, beside its routes, spots or tasks."""

    dataset: str
    tables: tuple[
        tuple[str, str], ...
    ]  # the worlds, each with the folder of its visibility table, which tasks need not; routes are the first's
    seed: int
    style: str
    decoys: str = DISTINCT  # of tasks


@dataclass(frozen=True)
class Unit:
    """Some routes, spots or tasks, and the file for what becomes of them."""

    path: Path
    asked: tuple[Asked, ...]


def units(folder: Path, split: str, asked: Iterable[Asked]) -> Iterator[Unit]:
    """The units of a split, in order."""
    stream = iter(asked)
    number = 0
    while some := tuple(islice(stream, UNIT)):
        yield Unit(folder / f"{split}-{number:05d}.json", some)
        number += 1


class Workshop:
    """Processes that do units, or this process alone; leave it by `with`."""

    def __init__(self, job: Job, processes: int) -> None:
        self.processes = processes
        self._pool = process_pool(processes, _begin, job) if processes > 1 else None
        if self._pool is None:
            _begin(job)

    def __enter__(self) -> Workshop:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=kind is None, cancel_futures=True)

    def fill(self, todo: Iterator[Unit], size: int, tell: Callable[[int], None]) -> tuple[list[Tried], int]:
        """What came of the units up to the `size`-th example, and how many examples there are.

        Units whose file is there are not done again. A line worth more examples than are left is passed over.
        """
        found: list[Tried] = []
        count = 0
        waiting: deque[tuple[Unit, Future[None] | None]] = deque()
        while count < size:
            room = min(AHEAD * self.processes, -(-(size - count) // UNIT))
            waiting.extend((unit, self._begun(unit)) for unit in islice(todo, max(room - len(waiting), 0)))
            if not waiting:
                break
            for one in self._done(*waiting.popleft()):
                if one.worth > size - count:
                    one = Tried(passed={**one.passed, TOO_MANY: 1})
                found.append(one)
                count += one.worth
                if count == size:
                    break
            tell(count)
        for _, future in waiting:
            if future is not None:
                future.cancel()
        return found, count

    def _begun(self, unit: Unit) -> Future[None] | None:
        return None if self._pool is None or _read(unit) is not None else self._pool.submit(_do, unit)

    def _done(self, unit: Unit, future: Future[None] | None) -> list[Tried]:
        try:
            if future is not None:
                future.result()
            elif self._pool is None:
                _do(unit)
        except BrokenProcessPool as error:
            raise RuntimeError("a process was killed; run the same command again to go on") from error
        found = _read(unit)
        if found is None:
            raise InputError("the unit that was just written", "something else", file=str(unit.path))
        return found


_askers: dict[str, Asker]
_drawer: Drawer
_job: Job


def _begin(job: Job) -> None:
    global _askers, _drawer, _job
    _job = job
    if job.dataset == ARRAMON:
        from bearleft.generate.arramon.dataset import open_drawer

        _drawer = open_drawer(job.tables[0][0], job.seed, job.decoys)
        return
    _askers = {world: Asker(world, table, job.seed, job.style) for world, table in job.tables}


def _do(unit: Unit) -> None:
    if _read(unit) is None:
        found = [_tried(asked).to_json() for asked in unit.asked]
        write_text(unit.path, json.dumps({"asked": _asked(unit), "tried": found}))


def _asked(unit: Unit) -> list[list[Json]]:
    """What is asked in a unit, as its file says it."""
    return [[list(v) if isinstance(v, tuple) else v for v in astuple(one)] for one in unit.asked]


def _tried(asked: Asked) -> Tried:
    world = asked.world if isinstance(asked, Spot) else _job.tables[0][0]
    try:
        if isinstance(asked, Slot):
            return _drawer.task(asked, _job.dataset)
        if isinstance(asked, Spot):
            return _askers[world].spot(asked)
        return _askers[world].walk(asked, navigation=_job.dataset != "city/sdr")
    except Exception as error:
        error.add_note(f"while example {asked.number} of {_job.dataset} in {world} was told, seed {_job.seed}")
        raise


def _read(unit: Unit) -> list[Tried] | None:
    """What the unit's file holds; None where there is none, or where something else was asked in it."""
    try:
        found = json.loads(unit.path.read_text())
        return [Tried(*one) for one in found["tried"]] if found["asked"] == _asked(unit) else None
    except (ValueError, KeyError, TypeError, OSError):
        return None
