"""Training of walking networks on a dataset: load its walks, compute what walkers see, and train."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bearleft.data import load
from bearleft.errors import InputError
from bearleft.models.backbones.registry import Backbone, load_backbone
from bearleft.models.features.store import read_info
from bearleft.models.walking.checkpoint import WalkCheckpoint
from bearleft.models.walking.examples import WalkExamples, build_walks, open_graphs
from bearleft.models.walking.network import CELLS, MEAN_MAP, WalkShape
from bearleft.models.walking.states import StateTable
from bearleft.models.walking.views import Views, open_views
from bearleft.runtime.store import check_writable_folder
from bearleft.training.checks import check_folder
from bearleft.training.distributed import ProcessGroup, local_device
from bearleft.training.history import ProgressCallback, TrainProgress, no_report
from bearleft.training.inputs import TrainInputs
from bearleft.training.reinforcement.config import WalkReinforceConfig
from bearleft.training.run import RunResult, train
from bearleft.training.walking.batches import split_validation
from bearleft.training.walking.config import WalkTrainConfig
from bearleft.training.walking.init import check_features, feature_hashes, load_init, network_settings
from bearleft.training.walking.loop import WalkTrainer
from bearleft.types import Progress
from bearleft.world.slices import PAPER, Slicing


class WalkTrainResult(RunResult[WalkCheckpoint]):
    """Result of the training of a walking network."""


@dataclass(frozen=True, eq=False)
class WalkInputs:
    """Walks to train and validate on, their states, and what walkers see, on one device."""

    walks: WalkExamples
    validation: WalkExamples
    table: StateTable
    views: Views | None
    backbone: Backbone | None = None
    slicing: Slicing = PAPER


def train_walker(
    config: WalkTrainConfig,
    inputs: WalkInputs,
    folder: str | os.PathLike[str],
    minutes: float | None = None,
    report: ProgressCallback = no_report,
) -> WalkTrainResult:
    """Train a walking network on walks and views until early stopping, the last epoch, or a time limit.

    The other arguments, the result and the errors are those of `bearleft.training.run.train`.
    """
    trainer_class: Callable[..., WalkTrainer] = WalkTrainer
    if isinstance(config, WalkReinforceConfig):
        from bearleft.training.reinforcement.walking import WalkReinforceTrainer

        trainer_class = WalkReinforceTrainer
    elif config.clients:
        from bearleft.training.walking.hogwild import HogwildTrainer

        trainer_class = HogwildTrainer

    def make_trainer(group: ProcessGroup, said: ProgressCallback, path: Path) -> WalkTrainer:
        walks, validation, views = inputs.walks, inputs.validation, inputs.views
        return trainer_class(
            config, walks, validation, inputs.table, views, group, path, said, inputs.backbone, inputs.slicing
        )

    return train(WalkTrainResult, make_trainer, folder, inputs.table.device, minutes, report)


def train_on_dataset(
    config: WalkTrainConfig,
    inputs: TrainInputs,
    folder: str | os.PathLike[str],
    device: str = "cpu",
    minutes: float | None = None,
    report: ProgressCallback = no_report,
    progress: Progress | None = None,
) -> WalkTrainResult:
    """Train a walking network on a dataset's walks.

    Args:
        config: The training configuration.
        inputs: The dataset, its validation split if any, and the source of its views.
        folder: Where checkpoints and history are written; a training that is there is resumed.
        device: cpu or cuda.
        minutes: Time limit in minutes; the state is saved first, so that the same call resumes.
        report: Called with the training's progress.
        progress: Called with the progress of computing views.

    Returns:
        The best epoch's checkpoint, and the history.

    Raises:
        InputError: The folder holds a training of other settings, or an input is invalid.
    """
    torch_device = local_device(device)
    if config.clients and torch_device.type != "cpu":
        raise InputError("the device cpu, where HOGWILD! clients share memory", device, "device")
    path = check_writable_folder(folder)
    walks, validation = load_walks(config, inputs, torch_device.type)
    if os.environ.get("RANK", "0") == "0":  # of several processes the main one reports
        report(TrainProgress(message=f"{len(walks):,} walks to train on, {len(validation):,} to validate on"))
    kind = config.spec.build(make_config(config), None).views
    init = load_init(config)
    backbone, slicing = open_backbone(inputs, kind, torch_device, init)
    if init is not None and backbone is not None:
        check_features(config, init, backbone, slicing)
    if kind == MEAN_MAP:
        config.spec.build(make_config(config, slicing.rows), None)
    examples_hash = walks.fingerprint() + validation.fingerprint()
    check_folder(path, config.resume_key(), examples_hash, "".join(feature_hashes(backbone, kind)), slicing, report)
    ready = prepare_inputs(config, walks, validation, inputs, torch_device, progress, backbone, slicing)
    return train_walker(config, ready, path, minutes, report)


def make_config(config: WalkTrainConfig, view_rows: int = WalkShape.view_rows) -> Any:
    """Return the network's Config for any texts: it is checked before anything is computed."""
    return config.spec.make_config({"shape": WalkShape(2, view_rows), **network_settings(config, load_init(config))})


def load_walks(config: WalkTrainConfig, inputs: TrainInputs, device: str = "cpu") -> tuple[WalkExamples, WalkExamples]:
    """Return the walks to train on and those to validate on."""
    episodes = load(inputs.dataset, inputs.data)[: inputs.limit]
    sightings = config.spec.build(make_config(config), None).grounds_words
    walks = build_walks(episodes, config.horizon, inputs.data, config.auto_turn, sightings, device)
    if inputs.validation is None:
        training, held_out = split_validation(len(walks), config)
        return walks.subset(training), walks.subset(held_out)
    others = load(inputs.validation, inputs.data)[: config.max_validation]
    return walks, build_walks(others, config.horizon, inputs.data, config.auto_turn)


def open_backbone(
    inputs: TrainInputs, kind: str, device: torch.device, init: WalkCheckpoint | None = None
) -> tuple[Backbone | None, Slicing]:
    """Return the backbone of a kind of views, None if it needs none, and the slicing.

    Where inputs name none, they are those of the feature store, else those of the checkpoint that training begins with.
    """
    if kind not in (MEAN_MAP, CELLS):
        return None, PAPER
    info = read_info(Path(inputs.features)) if inputs.features is not None else None
    before = info or init
    slicing = inputs.slicing or (PAPER if before is None else before.slicing)
    name = inputs.backbone or ("city" if before is None else before.backbone)
    return load_backbone(name, str(device)), replace(slicing, released=False)


def prepare_inputs(
    config: WalkTrainConfig,
    walks: WalkExamples,
    validation: WalkExamples,
    inputs: TrainInputs,
    device: torch.device,
    progress: Progress | None = None,
    backbone: Backbone | None = None,
    slicing: Slicing = PAPER,
) -> WalkInputs:
    """Build the states of the walks' worlds, and compute the views of all their places."""
    graphs = open_graphs([*walks.worlds, *validation.worlds], inputs.data)
    table = StateTable.build(graphs, [*walks.starts, *validation.starts], device, config.auto_turn)
    kind = config.spec.build(make_config(config), None).views
    views = open_views(kind, table.places, backbone, slicing, device, inputs.features, inputs.picture_config)
    if views is not None:
        headings = table.heading.cpu().numpy().astype(np.float64)
        views.prepare(table.place.cpu().numpy(), headings, progress)
    return WalkInputs(walks, validation, table, views, backbone, slicing)
