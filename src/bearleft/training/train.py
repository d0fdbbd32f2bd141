"""`train`: train a pointing, look, walking, panoramic or ArraMon network, a backbone, or a cell encoder."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bearleft.errors import InputError, format_value
from bearleft.runtime.extras import require_torch
from bearleft.training.history import ProgressCallback, no_report
from bearleft.training.inputs import TrainInputs
from bearleft.types import Progress

if TYPE_CHECKING:
    from bearleft.training.arramon.config import ArraMonTrainConfig
    from bearleft.training.arramon.train import ArraMonTrainResult
    from bearleft.training.backbone.train import BackboneTrainConfig
    from bearleft.training.cells import CellTrainConfig
    from bearleft.training.looking import LookTrainConfig, LookTrainResult
    from bearleft.training.pointing.train import TrainConfig, TrainResult
    from bearleft.training.reinforcement.config import ReinforceConfig
    from bearleft.training.reinforcement.train import ReinforceResult
    from bearleft.training.walking.config import WalkTrainConfig
    from bearleft.training.walking.train import WalkTrainResult

    NetworkConfig = TrainConfig | LookTrainConfig | WalkTrainConfig | ReinforceConfig | ArraMonTrainConfig

LOOK, BACKBONE, CELLS = "look", "backbone", "cells"


def train(
    config: str | NetworkConfig | BackboneTrainConfig | CellTrainConfig,
    inputs: str | TrainInputs | None,
    output: str | os.PathLike[str],
    device: str = "cpu",
    minutes: float | None = None,
    report: ProgressCallback = no_report,
    progress: Progress | None = None,
) -> TrainResult | LookTrainResult | WalkTrainResult | ReinforceResult | ArraMonTrainResult | dict[str, Any]:
    """Train a network.

    An interrupted training of a pointing, look, walking, panoramic or ArraMon network is resumed by the same call, with
    the same result. The training of a backbone or of a cell encoder is not resumed: it starts again.

    Args:
        config: The configuration, or a name for the default one: a pointing network ("lingunet", "bearing", "concat",
            "concatconv", "text2conv", "unet"), a walking network ("rconcat", "ga", "orar", "compass"), a network of
            ArraMon ("arramon-vl", "arramon-vo", "arramon-lo", "arramon-memory"), "look", "panoramic", "backbone", or
            "cells".
        inputs: The dataset to train on, by name or with its options. None for a backbone or a cell encoder, which
            are trained on rendered pictures.
        output: Folder of checkpoints and history; for a backbone or a cell encoder, the file of its weights.
        device: cpu or cuda.
        minutes: Time limit in minutes.
        report: Called with the progress of training, and with notes.
        progress: Called with a label, the work done and the total while a pointing network's features are computed.

    Returns:
        The result of a pointing network (`TrainResult`), a look network (`LookTrainResult`), a walking network
        (`WalkTrainResult`), a panoramic network (`ReinforceResult`) or a network of ArraMon (`ArraMonTrainResult`), or
        the model card of a backbone or of a cell encoder.

    Raises:
        InputError: torch is missing, an argument is invalid, or `output` holds a training with other settings.
    """
    require_torch()
    from bearleft.models.arramon.registry import ARRAMON_NETWORKS
    from bearleft.models.walking.registry import WALK_NETWORKS
    from bearleft.training import looking
    from bearleft.training.arramon import train as arramon
    from bearleft.training.arramon.config import ArraMonTrainConfig
    from bearleft.training.backbone.train import BackboneTrainConfig
    from bearleft.training.backbone.train import train as train_backbone
    from bearleft.training.cells import CellTrainConfig, train_cells
    from bearleft.training.looking import LookTrainConfig
    from bearleft.training.pointing.config import TrainConfig
    from bearleft.training.pointing.dataset import train_on_dataset
    from bearleft.training.reinforcement import train as reinforcement
    from bearleft.training.reinforcement.config import NETWORK as PANORAMIC
    from bearleft.training.reinforcement.config import ReinforceConfig
    from bearleft.training.walking import train as walking
    from bearleft.training.walking.config import WalkTrainConfig

    if isinstance(config, str):
        defaults: dict[str, Callable[[], Any]] = {
            LOOK: LookTrainConfig,
            PANORAMIC: ReinforceConfig,
            BACKBONE: BackboneTrainConfig,
            CELLS: CellTrainConfig,
        }
        if config in WALK_NETWORKS:
            config = WalkTrainConfig(config)
        elif config in ARRAMON_NETWORKS:
            config = ArraMonTrainConfig(config)
        else:
            config = defaults[config]() if config in defaults else TrainConfig(config)
    if isinstance(inputs, str):
        inputs = TrainInputs(inputs)

    if isinstance(config, BackboneTrainConfig | CellTrainConfig):
        if inputs is not None:
            name = "a backbone" if isinstance(config, BackboneTrainConfig) else "a cell encoder"
            raise InputError(f"no dataset: {name} learns from rendered pictures", format_value(inputs.dataset))
        config = config if minutes is None else replace(config, minutes=minutes)
        if isinstance(config, CellTrainConfig):
            return train_cells(config, output, device, report)
        return train_backbone(config, output, device, report)
    if inputs is None:
        raise InputError("a dataset to train on", "none", hint='Name one, such as "city/sdr/train".')
    if isinstance(config, LookTrainConfig):
        return looking.train_on_dataset(config, inputs, output, device, minutes, report)
    if isinstance(config, WalkTrainConfig):
        return walking.train_on_dataset(config, inputs, output, device, minutes, report, progress)
    if isinstance(config, ArraMonTrainConfig):
        return arramon.train_on_dataset(config, inputs, output, device, minutes, report)
    if isinstance(config, ReinforceConfig):
        return reinforcement.train_on_dataset(config, inputs, output, device, minutes, report)
    assert isinstance(config, TrainConfig)
    return train_on_dataset(config, inputs, output, device, minutes, report, progress)
