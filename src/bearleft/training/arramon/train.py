"""Training of ArraMon's networks on a dataset: load its tasks, replay the references, and train."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from bearleft.data import load
from bearleft.envs.arramon.vector import VectorArraMon
from bearleft.errors import InputError
from bearleft.models.arramon.checkpoint import ArraMonCheckpoint
from bearleft.models.arramon.legs import reference_actions, replay
from bearleft.models.arramon.network import ArraMonShape
from bearleft.models.arramon.views import ViewMaps, open_backbone
from bearleft.models.vocabulary import Vocabulary
from bearleft.records import Episode
from bearleft.runtime.store import check_writable_folder
from bearleft.training.arramon.config import ArraMonTrainConfig
from bearleft.training.arramon.loop import ArraMonInputs, ArraMonTrainer
from bearleft.training.checks import check_folder
from bearleft.training.distributed import ProcessGroup, local_device
from bearleft.training.history import ProgressCallback, TrainProgress, no_report
from bearleft.training.inputs import TrainInputs
from bearleft.training.run import RunResult, train
from bearleft.world.slices import PAPER

MIN_COUNT = 2  # of a word in the training texts, else it is unknown


class ArraMonTrainResult(RunResult[ArraMonCheckpoint]):
    """Result of the training of a network of ArraMon."""


def train_arramon(
    config: ArraMonTrainConfig,
    inputs: ArraMonInputs,
    folder: str | os.PathLike[str],
    minutes: float | None = None,
    report: ProgressCallback = no_report,
) -> ArraMonTrainResult:
    """Train a network of ArraMon on tasks and views until patience, the last epoch, or a time limit ends it.

    The other arguments, the result and the errors are those of `bearleft.training.run.train`.
    """
    examples_hash = fingerprint(inputs)

    def make_trainer(group: ProcessGroup, said: ProgressCallback, path: Path) -> ArraMonTrainer:
        return ArraMonTrainer(config, inputs, examples_hash, group, path, said)

    return train(ArraMonTrainResult, make_trainer, folder, inputs.device, minutes, report)


def train_on_dataset(
    config: ArraMonTrainConfig,
    inputs: TrainInputs,
    folder: str | os.PathLike[str],
    device: str = "cpu",
    minutes: float | None = None,
    report: ProgressCallback = no_report,
) -> ArraMonTrainResult:
    """Train a network of ArraMon on a dataset's tasks.

    Args:
        config: The training configuration.
        inputs: The dataset, its validation split if any, and the backbone.
        folder: Where checkpoints and history are written; a training that is there is resumed.
        device: cpu or cuda.
        minutes: Time limit in minutes; the state is saved first, so that the same call resumes.
        report: Called with the training's progress.

    Returns:
        The best epoch's checkpoint, and the history.

    Raises:
        InputError: The folder holds a training of other settings, or an input is invalid.
    """
    torch_device = local_device(device)
    shape = ArraMonShape(2, rows=int(config.resolved()["rows"]))
    config.spec.make_config({"shape": shape, **config.overrides})  # checked before anything is computed
    path = check_writable_folder(folder)
    episodes, validation = load_tasks(config, inputs)
    report(TrainProgress(message=f"{len(episodes):,} tasks to train on, {len(validation):,} to validate on"))
    ready = prepare_inputs(config, episodes, validation, inputs.backbone or "city", torch_device)
    check_folder(path, config.resume_key(), fingerprint(ready), ready.backbone_hash, PAPER, report)
    return train_arramon(config, ready, path, minutes, report)


def load_tasks(config: ArraMonTrainConfig, inputs: TrainInputs) -> tuple[list[Episode], list[Episode]]:
    """Return the tasks to train on and those to validate on."""
    episodes = list(load(inputs.dataset, inputs.data))[: inputs.limit]
    if inputs.validation is not None:
        return episodes, list(load(inputs.validation, inputs.data))[: config.max_validation]
    held_out = min(config.max_validation, max(1, round(config.validation_share * len(episodes))))
    if held_out >= len(episodes):
        raise InputError("at least two tasks", str(len(episodes)), hint="Raise --limit, or name a larger dataset.")
    order = np.random.default_rng([config.seed, 1]).permutation(len(episodes))
    return [episodes[k] for k in np.sort(order[held_out:])], [episodes[k] for k in np.sort(order[:held_out])]


def prepare_inputs(
    config: ArraMonTrainConfig,
    episodes: Sequence[Episode],
    validation: Sequence[Episode],
    backbone: str,
    device: torch.device,
) -> ArraMonInputs:
    """Replay the references of the tasks, and open what players see.

    Raises:
        InputError: The tasks are not ArraMon's, or of several generated worlds.
    """
    players = VectorArraMon(episodes, len(episodes))
    legs = replay(players, np.arange(len(episodes)), reference_actions(episodes))
    vocabulary = Vocabulary.from_texts((leg.text for one in episodes for leg in one.legs), MIN_COUNT)
    if not sees(config):
        return ArraMonInputs(episodes, validation, legs, vocabulary, device)
    rows = int(config.resolved()["rows"])
    opened = open_backbone(backbone, str(device))
    views = ViewMaps(players.world, opened, device, rows, config.view_size)
    world = VectorArraMon(validation, 1).world
    others = views if world == players.world else ViewMaps(world, opened, device, rows, config.view_size)
    return ArraMonInputs(episodes, validation, legs, vocabulary, device, opened, views, others)


def sees(config: ArraMonTrainConfig) -> bool:
    """Return whether the network reads views."""
    return bool(config.spec.make_config({"shape": ArraMonShape(2), **config.overrides}).image)


def fingerprint(inputs: ArraMonInputs) -> str:
    """Return a hash of everything that training reads."""
    digest = hashlib.sha256(inputs.legs.fingerprint().encode())
    for episode in (*inputs.episodes, *inputs.validation):
        digest.update(repr((episode.id, episode.world, [(leg.text, leg.goal) for leg in episode.legs])).encode())
    return digest.hexdigest()
