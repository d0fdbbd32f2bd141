"""Training of pointing networks as in Touchdown's appendix D.2, on a CPU, a GPU, or several.

A folder holds `best.pt` (the result: the epoch with the best validation accuracy), `last.pt` and `previous.pt`
(training states), and the history. The same call resumes a stopped or killed training, with the same result: training
resumes by re-deriving seeds from the update's number; no generator state is saved.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from bearleft.errors import InputError
from bearleft.models import BEST, NETWORK_FILE
from bearleft.models.checkpoint import PointCheckpoint
from bearleft.models.examples import Examples
from bearleft.runtime.store import atomic_write, exclusive_writer
from bearleft.training.distributed import ProcessGroup, local_device, process_group
from bearleft.training.history import ProgressCallback, Row, TrainProgress, no_report, write_history
from bearleft.training.pointing.config import TrainConfig as TrainConfig
from bearleft.training.pointing.loop import Pause, Trainer
from bearleft.training.state import describe_last_state, load_state, save_state
from bearleft.training.tensorboard import tensorboard_hint

if TYPE_CHECKING:
    from bearleft.models.backbones.registry import Backbone
    from bearleft.models.features.base import Features

SAVE_INTERVAL = 300.0  # seconds between two states if epochs are long


@dataclass(frozen=True, eq=False)
class TrainResult:
    """Result of a training: the network of the best epoch (the current one if no epoch is done), and the history."""

    checkpoint: PointCheckpoint
    history: list[Row]
    notes: list[str]
    stopped: str  # "minutes" or "signal" if training is not finished, else ""

    @property
    def finished(self) -> bool:
        """Return whether training ended by itself."""
        return not self.stopped


def train(
    config: TrainConfig,
    examples: Examples,
    features: Features,
    folder: str | os.PathLike[str],
    device: str | torch.device = "cpu",
    minutes: float | None = None,
    report: ProgressCallback = no_report,
    backbone: Backbone | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> TrainResult:
    """Train a pointing network, or resume its training, until early stopping, the last epoch, or a time limit.

    SIGTERM and Ctrl-C stop it cleanly too: the state is written first.

    Args:
        config: The training configuration.
        examples: Training examples, of which a share is held out for validation.
        features: Features of their panoramas.
        folder: Where checkpoints and history are written.
        device: Where to train.
        minutes: Time limit in minutes.
        report: Called with the progress.
        backbone: The backbone of the features, which the checkpoint records.
        clock: Returns seconds; tests replace it.

    Returns:
        The network of the best epoch, the history, and why training stopped.

    Raises:
        InputError: The folder holds a training of other settings, or the loss is not finite.
    """
    begin, path, device = clock(), Path(folder), local_device(str(device))
    with (
        process_group(device) as group,
        _exclusive(path, group),
        _stop_signal() as signalled,
        _isolated_torch_state(device),
    ):
        main_report = report if group.is_main else no_report
        trainer = Trainer(config, examples, features, device, group, backbone, path, main_report)
        for note in trainer.notes:
            main_report(TrainProgress(message=note))
        if hint := tensorboard_hint():
            main_report(TrainProgress(message=hint))
        state = group.broadcast_from_main(
            lambda: load_state(path, lambda line: main_report(TrainProgress(message=line)))
        )
        if state is not None:
            trainer.resume(state, path)
            if trainer.ended:  # perhaps killed between its last state and its history
                group.broadcast_from_main(lambda: write_history(path, trainer.history))

        if trainer.spec.file:
            group.broadcast_from_main(lambda: _copy_network_file(trainer, path))
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
            _save(trainer, path, group)
            saved = clock()
        stopped = pause.name.lower() if pause > Pause.SAVE else ""
        return TrainResult(trainer.checkpoint(), trainer.history, trainer.notes, stopped)


def _save(trainer: Trainer, folder: Path, group: ProcessGroup) -> None:
    """Write the best network, then the state, then the history."""
    state = trainer.state()  # here, since all processes take part in it

    def write() -> None:
        try:
            if trainer.has_new_best:
                trainer.checkpoint().save(folder / BEST)
            save_state(folder, state)
            write_history(folder, trainer.history)
        except InputError as error:  # a full disk, for example
            raise replace(error, hint=f"{describe_last_state(folder)}; make room and repeat the command.") from error

    group.broadcast_from_main(write)


def _copy_network_file(trainer: Trainer, folder: Path) -> None:
    """Write the source of a user's network beside its checkpoints: to be read by people, and never run by itself."""
    with atomic_write(folder / NETWORK_FILE, "wb") as stream:
        stream.write(trainer.spec.source)


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
