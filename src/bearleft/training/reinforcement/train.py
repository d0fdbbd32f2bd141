"""Reinforcement learning of panoramic networks on a dataset: load its walks and features, and train."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from bearleft.data import load
from bearleft.models.panoramic.checkpoint import PanoramicCheckpoint
from bearleft.models.panoramic.examples import build_panoramic_walks
from bearleft.models.panoramic.links import LinkTable
from bearleft.models.panoramic.network import PanoramicShape, make_config
from bearleft.models.panoramic.views import read_views
from bearleft.models.walking.examples import WalkExamples, open_graphs
from bearleft.models.walking.states import PlaceIndex
from bearleft.runtime.store import check_writable_folder
from bearleft.training.checks import check_folder
from bearleft.training.distributed import ProcessGroup, local_device
from bearleft.training.history import ProgressCallback, TrainProgress, no_report
from bearleft.training.inputs import TrainInputs
from bearleft.training.reinforcement.config import ReinforceConfig
from bearleft.training.reinforcement.loop import ReinforceTrainer, examples_hash
from bearleft.training.run import RunResult, train
from bearleft.training.walking.batches import split_validation
from bearleft.world.slices import PAPER

T = TypeVar("T")


class ReinforceResult(RunResult[PanoramicCheckpoint]):
    """Result of the training of a panoramic network."""


@dataclass(frozen=True, eq=False)
class ReinforceInputs:
    """Walks to train and validate on, and the links of their worlds on one device."""

    walks: WalkExamples
    validation: WalkExamples
    links: LinkTable


def train_panoramic(
    config: ReinforceConfig,
    inputs: ReinforceInputs,
    folder: str | os.PathLike[str],
    minutes: float | None = None,
    report: ProgressCallback = no_report,
) -> ReinforceResult:
    """Train a panoramic network on walks and links until early stopping, the last epoch, or a time limit.

    The other arguments, the result and the errors are those of `bearleft.training.run.train`; a policy that has
    collapsed is an error, too.
    """

    def make_trainer(group: ProcessGroup, said: ProgressCallback, path: Path) -> ReinforceTrainer:
        return ReinforceTrainer(config, inputs.walks, inputs.validation, inputs.links, group, path, said)

    return train(ReinforceResult, make_trainer, folder, inputs.links.device, minutes, report)


def train_on_dataset(
    config: ReinforceConfig,
    inputs: TrainInputs,
    folder: str | os.PathLike[str],
    device: str = "cpu",
    minutes: float | None = None,
    report: ProgressCallback = no_report,
) -> ReinforceResult:
    """Train a panoramic network on a dataset's walks.

    Args:
        config: The training configuration.
        inputs: The dataset, its validation split if any, and the file of the user's features if there is one.
        folder: Where checkpoints and history are written; a training that is there is resumed.
        device: cpu or cuda.
        minutes: Time limit in minutes; the state is saved first, so that the same call resumes.
        report: Called with the training's progress.

    Returns:
        The best epoch's checkpoint, and the history.

    Raises:
        InputError: The folder holds a training of other settings, an input is invalid, or the policy has collapsed.
    """
    torch_device = local_device(device)
    make_config(PanoramicShape(2), config.overrides)  # checked before anything is computed
    path = check_writable_folder(folder)
    walks, validation = load_walks(config, inputs)
    if os.environ.get("RANK", "0") == "0":  # of several processes the main one reports
        report(TrainProgress(message=f"{len(walks):,} walks to train on, {len(validation):,} to validate on"))
    graphs = open_graphs([*walks.worlds, *validation.worlds], inputs.data)
    views = None
    if inputs.features is not None:
        views = read_views(inputs.features, PlaceIndex(tuple(graphs)), torch_device)
    links = LinkTable.build(graphs, torch_device, views)
    check_folder(path, config.resume_key(), examples_hash(walks, validation, links), "", PAPER, report)
    return train_panoramic(config, ReinforceInputs(walks, validation, links), path, minutes, report)


def load_walks(config: ReinforceConfig, inputs: TrainInputs) -> tuple[WalkExamples, WalkExamples]:
    """Return the walks to train on and those to validate on."""
    walks = build_panoramic_walks(load(inputs.dataset, inputs.data)[: inputs.limit], inputs.data)
    if inputs.validation is None:
        training, held_out = split_validation(len(walks), config)
        return walks.subset(training), walks.subset(held_out)
    others = spread(load(inputs.validation, inputs.data), config.max_validation)
    return walks, build_panoramic_walks(others, inputs.data)


def spread(items: Sequence[T], count: int) -> list[T]:
    """Return `count` items at most, evenly spaced, since episodes of a building stand together."""
    if len(items) <= count:
        return list(items)
    return [items[k * len(items) // count] for k in range(count)]
