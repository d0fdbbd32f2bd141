"""Runs of trainings that can be stopped and resumed, on a CPU, a GPU, or several.

A folder holds `best.pt` (the result: the epoch with the best validation score), `last.pt` and `previous.pt` (training
states), and the history. The same call resumes a stopped or killed training, with the same result: training resumes by
re-deriving seeds from the update's number; no generator state is saved.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import IntEnum
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import torch

from bearleft.errors import InputError
from bearleft.models import BEST
from bearleft.runtime.store import exclusive_writer
from bearleft.training.distributed import ProcessGroup, process_group
from bearleft.training.history import ProgressCallback, Row, TrainProgress, no_report
from bearleft.training.state import describe_last_state, load_state, save_state
from bearleft.training.tensorboard import tensorboard_hint

SAVE_INTERVAL = 300.0  # seconds between two states if epochs are long


class Pause(IntEnum):
    """Why updates pause, by priority."""

    NO = 0
    SAVE = 1
    MINUTES = 2
    SIGNAL = 3


class Checkpoint(Protocol):
    """A checkpoint that can be written."""

    def save(self, path: Path) -> None:
        """Write the checkpoint atomically."""


class Trainer(Protocol):
    """A network in training, and everything that its state on disk holds."""

    history: list[Row]
    notes: list[str]
    has_new_best: bool

    @property
    def ended(self) -> bool:
        """Return whether all epochs are done or patience has run out."""

    def run_epoch(self, should_pause: Callable[[], Pause]) -> Pause:
        """Run the rest of an epoch; return why it paused before its end."""

    def check_weights(self) -> None:
        """Raise InputError if a weight is not finite."""

    def state(self) -> dict[str, Any]:
        """Return the training state as tensors and plain values."""

    def resume(self, state: dict[str, Any], folder: Path) -> None:
        """Load a state; raise InputError if it is of other settings."""

    def write_history(self, folder: Path) -> None:
        """Write the history files."""

    def checkpoint(self) -> Any:
        """Return the best epoch's checkpoint, or the present one before there is any."""


TrainerT = TypeVar("TrainerT", bound=Trainer)
ResultT = TypeVar("ResultT")
MadeT = TypeVar("MadeT", covariant=True)


@dataclass(frozen=True, eq=False)
class RunResult(Generic[ResultT]):
    """Result of a training: the network of the best epoch (the current one if no epoch is done), and the history."""

    checkpoint: ResultT
    history: list[Row]
    notes: list[str]
    stopped: str  # "minutes" or "signal" if training is not finished, else ""

    @property
    def finished(self) -> bool:
        """Return whether training ended by itself."""
        return not self.stopped


class MakeResult(Protocol[MadeT]):
    """A class of results of trainings, such as a RunResult."""

    def __call__(self, checkpoint: Any, history: list[Row], notes: list[str], stopped: str, /) -> MadeT:
        """Return a result."""


def train(
    make_result: MakeResult[MadeT],
    make_trainer: Callable[[ProcessGroup, ProgressCallback, Path], Trainer],
    folder: str | os.PathLike[str],
    device: torch.device,
    minutes: float | None = None,
    report: ProgressCallback = no_report,
) -> MadeT:
    """Train, or resume a training, and return its result.

    Args:
        make_result: The class of the result.
        make_trainer: Returns the trainer, given the group of processes, a function for reports, and the folder.
        folder: Where checkpoints and history are written.
        device: Where to train.
        minutes: Time limit in minutes; the same call resumes.
        report: Called with the progress.

    Raises:
        InputError: The folder holds a training of other settings, or the training has failed.
    """
    path = Path(folder)
    trainer, stopped = run(lambda group, said: make_trainer(group, said, path), path, device, minutes, report)
    return make_result(trainer.checkpoint(), trainer.history, trainer.notes, stopped)


def run(
    make_trainer: Callable[[ProcessGroup, ProgressCallback], TrainerT],
    folder: Path,
    device: torch.device,
    minutes: float | None = None,
    report: ProgressCallback = no_report,
    clock: Callable[[], float] = time.monotonic,
    prepare: Callable[[TrainerT], None] = lambda _: None,
) -> tuple[TrainerT, str]:
    """Train, or resume a training, until it ends by itself or a time limit is reached.

    SIGTERM and Ctrl-C stop it cleanly too: the state is written first.

    Args:
        make_trainer: Returns the trainer, given the group of processes and a function for reports.
        folder: Where checkpoints and history are written.
        device: Where to train.
        minutes: Time limit in minutes.
        report: Called with the progress.
        clock: Returns seconds; tests replace it.
        prepare: Called with the trainer in the main process before the first update.

    Returns:
        The trainer, and "minutes" or "signal" if training is not finished, else "".
    """
    begin = clock()
    with (
        process_group(device) as group,
        _exclusive(folder, group),
        _stop_signal() as signalled,
        _isolated_torch_state(device),
    ):
        main_report = report if group.is_main else no_report
        trainer = make_trainer(group, main_report)
        for note in trainer.notes:
            main_report(TrainProgress(message=note))
        if hint := tensorboard_hint():
            main_report(TrainProgress(message=hint))
        state = group.broadcast_from_main(
            lambda: load_state(folder, lambda line: main_report(TrainProgress(message=line)))
        )
        if state is not None:
            trainer.resume(state, folder)
            if trainer.ended:  # perhaps killed between its last state and its history
                group.broadcast_from_main(lambda: trainer.write_history(folder))
        group.broadcast_from_main(lambda: prepare(trainer))
        saved, pause = clock(), Pause.NO

        def should_pause() -> Pause:
            now = clock()
            if signalled.is_set():
                return Pause.SIGNAL
            if minutes is not None and now - begin >= 60.0 * minutes:
                return Pause.MINUTES
            return Pause.SAVE if now - saved >= SAVE_INTERVAL else Pause.NO

        while not trainer.ended and pause <= Pause.SAVE:
            pause = trainer.run_epoch(should_pause)
            trainer.check_weights()
            _save(trainer, folder, group)
            saved = clock()
        return trainer, pause.name.lower() if pause > Pause.SAVE else ""


def _save(trainer: Trainer, folder: Path, group: ProcessGroup) -> None:
    """Write the best network, then the state, then the history."""
    state = trainer.state()  # here, since all processes take part in it

    def write() -> None:
        try:
            if trainer.has_new_best:
                trainer.checkpoint().save(folder / BEST)
            save_state(folder, state)
            trainer.write_history(folder)
        except InputError as error:  # a full disk, for example
            raise replace(error, hint=f"{describe_last_state(folder)}; make room and repeat the command.") from error

    group.broadcast_from_main(write)


@contextlib.contextmanager
def _exclusive(folder: Path, group: ProcessGroup) -> Iterator[None]:
    """Make the main process the only writer of a folder."""
    if not group.is_main:
        yield
        return
    with exclusive_writer(folder, "a training"):
        yield


@contextlib.contextmanager
def _stop_signal() -> Iterator[threading.Event]:
    """Yield an event that SIGTERM or Ctrl-C sets; a second Ctrl-C raises KeyboardInterrupt."""
    signalled = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield signalled
        return

    def handle(number: int, _frame: object) -> None:
        if signalled.is_set() and number == signal.SIGINT:
            raise KeyboardInterrupt
        signalled.set()

    previous = {number: signal.signal(number, handle) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield signalled
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _isolated_torch_state(device: torch.device) -> Iterator[None]:
    """Leave the caller's torch generators and oneDNN setting unchanged."""
    # On a CPU without bfloat16, torch turns oneDNN off for the whole process when a product in bfloat16 fails.
    mkldnn_enabled = torch.backends.mkldnn.enabled
    try:
        with torch.random.fork_rng([device] if device.type == "cuda" else []):
            yield
    finally:
        torch.backends.mkldnn.enabled = mkldnn_enabled
