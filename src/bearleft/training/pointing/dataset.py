"""Training on a dataset by name: load its examples, get their features, and train."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from bearleft.data import load
from bearleft.models.backbones.registry import load_backbone
from bearleft.models.examples import build_examples, coverage
from bearleft.models.features.pictures import Paths
from bearleft.models.features.sources import features_for
from bearleft.models.features.store import read_info
from bearleft.models.pointing.levels import check_level
from bearleft.training.distributed import local_device
from bearleft.training.history import Report, TrainProgress, no_report
from bearleft.training.pointing.train import TrainConfig, TrainResult, train
from bearleft.types import DataFolder, Progress
from bearleft.world.slices import RELEASED, Slicing, default_slicing


def train_on(
    config: TrainConfig,
    dataset: str,
    folder: str | os.PathLike[str],
    device: str = "cpu",
    minutes: float | None = None,
    limit: int | None = None,
    store: str | None = None,
    backbone: str | None = None,
    slicing: Slicing | None = None,
    pictures: Paths = (),
    city: int | None = None,
    data: DataFolder = None,
    report: Report = no_report,
    progress: Progress | None = None,
) -> TrainResult:
    """Train a network on a dataset's pointing legs; `bearleft train`.

    Args:
        config: The training configuration.
        dataset: Name of a dataset split.
        folder: Where checkpoints and history are written; a training that is there is resumed.
        device: cpu or cuda.
        minutes: Stop cleanly after so long.
        limit: Use only the first so many episodes.
        store: Folder of a feature store; by default features are computed, and cached on the device if they fit.
        backbone: Name or file of the backbone; by default the store's, or "city".
        slicing: How panoramas are cut into slices; by default the store's, or the dataset's. `config.released` reads
            its cells as the released code does.
        pictures: Folders of albums with stored panoramas.
        city: Seed of the city that is built on street graphs without buildings.
        data: Folder of the datasets.
        report: Called with the training's progress.
        progress: Called with the progress of computing features.
    """
    episodes = load(dataset, data)[:limit]
    examples = build_examples(episodes)
    check_level(config.level, (panorama.world for panorama in examples.panoramas))  # before features are computed
    info = read_info(Path(store)) if store is not None else None
    if slicing is None:
        default = RELEASED if config.released else default_slicing([episodes[0].dataset])
        slicing = default if info is None else replace(info.slicing, released=config.released or info.slicing.released)
    backbone = backbone or (info.backbone if info is not None else None)
    if os.environ.get("RANK", "0") == "0":  # of several processes the main one reports
        report(TrainProgress(message=coverage(examples, slicing, dataset)))
    torch_device = local_device(device)
    network = load_backbone(backbone or "city", str(torch_device))
    features = features_for(examples, network, slicing, torch_device, store, None, pictures, city, data, progress)
    return train(config, examples, features, folder, torch_device, minutes, report, network)
