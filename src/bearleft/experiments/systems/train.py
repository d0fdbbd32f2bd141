"""Training of the runs of a table in calls of some minutes, in one process or several that share a GPU.

A run is one system that is trained with one seed. It has a folder of its own; when it is trained, its walks are saved.
Several processes may train in the same folder: each takes the next run that no other has taken.
"""

from __future__ import annotations

import json
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import torch

from bearleft.errors import InputError
from bearleft.runtime.processes import process_pool
from bearleft.runtime.store import try_file_lock, write_text
from bearleft.training.checks import check_settings
from bearleft.training.history import TrainProgress

WALKS, EXAMPLES, LOCKS, TRAINED_FILE = "walks", "examples", "locks", "trained.json"
Log = Callable[[str], None]


class Run(Protocol):
    """One system, trained with one seed."""

    @property
    def name(self) -> str:
        """Return the name of the run's folder."""


RunT = TypeVar("RunT", bound=Run)
SetT = TypeVar("SetT")


def choose_runs(only: Sequence[str], runs: Sequence[RunT]) -> list[RunT]:
    """Return the runs of some names, in their order; all runs where no name is given.

    Raises:
        InputError: There is no run of a name.
    """
    by_name = {run.name: run for run in runs}
    if unknown := [name for name in only if name not in by_name]:
        raise InputError(f"runs: {', '.join(by_name)}", unknown[0], "only")
    return [by_name[name] for name in only] if only else list(by_name.values())


def log_to_stderr(line: str) -> None:
    """Write a line of progress to standard error."""
    print(line, file=sys.stderr, flush=True)


class RunTrainer(ABC, Generic[RunT, SetT]):
    """A folder that fills with runs and with their walks on some evaluation sets."""

    def __init__(self, folder: Path, log: Log) -> None:
        self.folder, self.log = folder, log

    @abstractmethod
    def train_network(self, run: RunT, end: float) -> bool:
        """Train a run, or go on with it; return False where the time ended before."""

    @abstractmethod
    def settings(self, run: RunT) -> dict[str, Any]:
        """Return everything that a run's result depends on, as plain values."""

    @abstractmethod
    def missing_sets(self, run: RunT) -> list[SetT]:
        """Return what a run has no saved walks of."""

    @abstractmethod
    def save_walks(self, run: RunT, one: SetT, end: float) -> bool:
        """Walk in all episodes of a set; return False where the time ended before."""

    def train_all(self, runs: Sequence[RunT], minutes: float) -> list[RunT]:
        """Train the runs that no other process trains, until the time is over; return those that are unfinished."""
        end = time.monotonic() + 60.0 * minutes
        for run in runs:
            if time.monotonic() >= end:
                break
            with try_file_lock(self.folder / LOCKS / run.name) as is_ours:
                finished = not is_ours or self.train(run, (end - time.monotonic()) / 60.0)
                torch.cuda.empty_cache()  # other processes may share the GPU; nothing happens without one
            if not finished:  # the time is over, or SIGTERM or Ctrl-C stopped the run
                break
        return [run for run in runs if not self.is_done(run)]

    def train(self, run: RunT, minutes: float) -> bool:
        """Train a run and save its walks; return False where the time ended before."""
        begin = time.monotonic()
        end = begin + 60.0 * minutes
        if self.is_done(run):
            return True
        if not self._is_trained(run):
            self.log(f"{run.name}: training")
            if not self.train_network(run, end):
                return False
            write_text(self.folder / run.name / TRAINED_FILE, json.dumps(self._plain_settings(run)) + "\n")
        for one in self.missing_sets(run):
            if time.monotonic() >= end or not self.save_walks(run, one, end):
                return False
        self.log(f"{run.name}: finished, {time.monotonic() - begin:.0f} s")
        return True

    def is_done(self, run: RunT) -> bool:
        """Return whether a run is trained and all of its walks are saved."""
        return self._is_trained(run) and not self.missing_sets(run)

    def report_messages(self, run: RunT) -> Callable[[TrainProgress], None]:
        """Return a function that logs the messages of a run's training."""

        def report(progress: TrainProgress) -> None:
            if progress.message:
                self.log(f"{run.name}: {progress.message}")

        return report

    def _plain_settings(self, run: RunT) -> dict[str, Any]:
        return dict(json.loads(json.dumps(self.settings(run))))

    def _is_trained(self, run: RunT) -> bool:
        """Return whether a run's training has ended; raise InputError if it had other settings."""
        file = self.folder / run.name / TRAINED_FILE
        if not file.exists():
            return False
        check_settings(json.loads(file.read_text(encoding="utf-8")), self._plain_settings(run), file.parent)
        return True


def train_runs(
    make_trainer: Callable[..., RunTrainer[RunT, Any]],
    runs: Sequence[RunT],
    minutes: float,
    processes: int,
    arguments: tuple[Any, ...],
    options: dict[str, Any],
    log: Log,
) -> list[str]:
    """Train runs until the time is over, and return the names of those that are left to do.

    Args:
        make_trainer: The class of the trainer; it takes `log` and `log_inputs` too.
        runs: The runs.
        minutes: Time after which the call ends.
        processes: Number of runs that are trained at once.
        arguments: Positional arguments of the trainer.
        options: Its keyword arguments.
        log: Called with each line of progress; with several processes, their lines go to standard error instead.
    """
    if processes < 2:
        return _train_here(make_trainer, runs, minutes, arguments, {**options, "log": log})
    with process_pool(processes, torch.set_num_threads, 1) as pool:
        calls = [
            pool.submit(_train_here, make_trainer, runs, minutes, arguments, {**options, "log_inputs": k == 0})
            for k in range(processes)
        ]
        unfinished = [call.result() for call in calls]
    return [run.name for run in runs if all(run.name in names for names in unfinished)]


def _train_here(
    make_trainer: Callable[..., RunTrainer[RunT, Any]],
    runs: Sequence[RunT],
    minutes: float,
    arguments: tuple[Any, ...],
    options: dict[str, Any],
) -> list[str]:
    """Train runs in this process, one or the first of several that says what they all read."""
    begin = time.monotonic()
    trainer = make_trainer(*arguments, **options)
    if options.get("log_inputs", True):
        trainer.log(f"ready after {time.monotonic() - begin:.0f} s")
    return [run.name for run in trainer.train_all(runs, minutes - (time.monotonic() - begin) / 60.0)]
