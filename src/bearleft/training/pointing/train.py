"""Training of pointing networks as in Touchdown's appendix D.2, on a CPU, a GPU, or several."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from bearleft.models import NETWORK_FILE
from bearleft.models.checkpoint import PointCheckpoint
from bearleft.models.examples import Examples
from bearleft.runtime.store import atomic_write
from bearleft.training.distributed import local_device
from bearleft.training.history import ProgressCallback, no_report
from bearleft.training.pointing.config import TrainConfig as TrainConfig
from bearleft.training.pointing.loop import Trainer
from bearleft.training.run import RunResult, run

if TYPE_CHECKING:
    from bearleft.models.backbones.registry import Backbone
    from bearleft.models.features.base import Features


class TrainResult(RunResult[PointCheckpoint]):
    """Result of the training of a pointing network."""


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
    path, local = Path(folder), local_device(str(device))

    def prepare(trainer: Trainer) -> None:
        if trainer.spec.file:
            _copy_network_file(trainer, path)

    trainer, stopped = run(
        lambda group, main_report: Trainer(config, examples, features, local, group, backbone, path, main_report),
        path,
        local,
        minutes,
        report,
        clock,
        prepare,
    )
    return TrainResult(trainer.checkpoint(), trainer.history, trainer.notes, stopped)


def _copy_network_file(trainer: Trainer, folder: Path) -> None:
    """Write the source of a user's network beside its checkpoints: to be read by people, and never run by itself."""
    with atomic_write(folder / NETWORK_FILE, "wb") as stream:
        stream.write(trainer.spec.source)
