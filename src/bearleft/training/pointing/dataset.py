"""Training of pointing networks on a dataset by name: load its examples, get their features, and train."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from bearleft.data import load
from bearleft.models.backbones.registry import load_backbone
from bearleft.models.examples import build_examples, coverage
from bearleft.models.features.sources import features_for
from bearleft.models.features.store import read_info
from bearleft.models.pointing.levels import check_level
from bearleft.models.pointing.network import Shape
from bearleft.models.pointing.network_file import check_network
from bearleft.models.pointing.registry import network_spec
from bearleft.records import check_goals
from bearleft.runtime.store import check_writable_folder
from bearleft.training.checks import check_folder
from bearleft.training.distributed import local_device
from bearleft.training.history import ProgressCallback, TrainProgress, no_report
from bearleft.training.inputs import TrainInputs
from bearleft.training.pointing.batches import fingerprint
from bearleft.training.pointing.config import TrainConfig, network_overrides, resume_key
from bearleft.training.pointing.train import TrainResult, train
from bearleft.types import Progress
from bearleft.world.slices import RELEASED, default_slicing

MIN_VOCABULARY = 2  # words: one, and the unknown one


def train_on_dataset(
    config: TrainConfig,
    inputs: TrainInputs,
    folder: str | os.PathLike[str],
    device: str = "cpu",
    minutes: float | None = None,
    report: ProgressCallback = no_report,
    progress: Progress | None = None,
) -> TrainResult:
    """Train a pointing network on a dataset's pointing legs.

    Features are read from the inputs' store, or computed and cached on the device if they fit. `config.released` reads
    the cells of slices as the released code does.

    Args:
        config: The training configuration.
        inputs: The dataset and the source of its features.
        folder: Where checkpoints and history are written; a training that is there is resumed.
        device: cpu or cuda.
        minutes: Time limit in minutes; the state is saved first, so that the same call resumes.
        report: Called with the training's progress.
        progress: Called with the progress of computing features.

    Returns:
        The best epoch's checkpoint, and the history.

    Raises:
        InputError: The folder holds a training of other settings, or an input is invalid.
    """
    # All checks come before features are computed, which takes long.
    spec = network_spec(config.network)
    spec.make_config({"shape": Shape(1), **network_overrides(config)})
    torch_device = local_device(device)
    folder = check_writable_folder(folder)
    episodes = load(inputs.dataset, inputs.data)[: inputs.limit]
    check_goals(episodes, "to learn from")
    examples = build_examples(episodes)
    check_level(config.level, (panorama.world for panorama in examples.panoramas))
    info = read_info(Path(inputs.features)) if inputs.features is not None else None
    slicing = inputs.slicing
    if slicing is None:
        default = RELEASED if config.released else default_slicing([episodes[0].dataset])
        slicing = default if info is None else replace(info.slicing, released=config.released or info.slicing.released)
    name = inputs.backbone or (info.backbone if info is not None else "city")
    if os.environ.get("RANK", "0") == "0":  # of several processes the main one reports
        report(TrainProgress(message=coverage(examples, slicing, inputs.dataset)))
    backbone = load_backbone(name, str(torch_device))
    if spec.file:
        shape = Shape(MIN_VOCABULARY, slicing.rows, slicing.columns, backbone.channels, slicing.height / slicing.width)
        check_network(spec, spec.make_config({"shape": shape, **network_overrides(config)}))
    check_folder(folder, resume_key(config, spec), fingerprint(examples), backbone.hash, slicing, report)
    features = features_for(
        examples,
        backbone,
        slicing,
        torch_device,
        inputs.features,
        pictures=inputs.picture_config,
        progress=progress,
    )
    return train(config, examples, features, folder, torch_device, minutes, report, backbone)
