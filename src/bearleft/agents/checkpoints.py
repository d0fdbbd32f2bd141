"""Load checkpoints for agents, each with the backbone that it was trained with."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from bearleft.errors import InputError
from bearleft.models.pretrained import checkpoint_file, checkpoint_name
from bearleft.runtime.store import existing_file
from bearleft.types import DataFolder

if TYPE_CHECKING:  # torch is imported when a checkpoint is loaded
    from bearleft.models.backbones.registry import Backbone
    from bearleft.world.pictures import PictureConfig

EXPECTED = "a checkpoint of a trained network"
FilePath = str | os.PathLike[str]


@dataclass(frozen=True)
class CheckpointOptions:
    """Options of agents that are loaded from a checkpoint: device, and where features and pictures come from."""

    device: str | None = None  # by default a GPU if torch finds one
    data: DataFolder = None
    pictures: Sequence[FilePath] = ()  # folders of albums
    backbone: FilePath | None = None  # the backbone's file, if its name alone does not find it
    features: FilePath | None = None  # folder of a feature store
    city: int | None = None  # seed of the city that is built on street graphs without buildings
    network: FilePath | None = None  # the Python file of the network, if it is none of bearleft; it is run

    @property
    def picture_config(self) -> PictureConfig:
        """Where pictures come from."""
        from bearleft.world.pictures import PictureConfig

        return PictureConfig(self.pictures, self.city, self.data)


DEFAULT_OPTIONS = CheckpointOptions()


class HasBackbone(Protocol):
    """A checkpoint that names its backbone."""

    @property
    def backbone(self) -> str:
        """Return the name or file of the backbone."""

    @property
    def backbone_hash(self) -> str:
        """Return the hash of its weights."""


CheckpointT = TypeVar("CheckpointT", bound=HasBackbone)


@dataclass(frozen=True, eq=False)
class LoadedCheckpoint(Generic[CheckpointT]):
    """A checkpoint on its device, its backbone, and the label of the agent's traces."""

    checkpoint: CheckpointT
    backbone: Backbone
    device: str
    label: str


def load_checkpoint(
    file: FilePath, load: Callable[[FilePath, str], CheckpointT], options: CheckpointOptions
) -> LoadedCheckpoint[CheckpointT]:
    """Load a checkpoint and its backbone.

    Args:
        file: The checkpoint.
        load: The function that loads it, given the file and a device.
        options: Device and backbone.

    Returns:
        The checkpoint, its backbone, their device, and the label of the agent's traces.

    Raises:
        InputError: The backbone is another than the one that the checkpoint was trained with.
    """
    import torch

    from bearleft.models.backbones.registry import load_backbone
    from bearleft.models.device import check_torch_device

    device = str(check_torch_device(options.device or ("cuda" if torch.cuda.is_available() else "cpu")))
    checkpoint = load(file, device)
    backbone = load_backbone(options.backbone or checkpoint.backbone, device)
    if backbone.hash != checkpoint.backbone_hash:
        expected = f"the backbone that it was trained with, {checkpoint.backbone} ({checkpoint.backbone_hash[:8]})"
        got, hint = f"{backbone.name} ({backbone.hash[:8]})", "Name its file with --backbone FILE."
        raise InputError(expected, got, file=str(file), hint=hint)
    return LoadedCheckpoint(checkpoint, backbone, device, checkpoint_label(file, options))


def checkpoint_label(file: FilePath, options: CheckpointOptions = DEFAULT_OPTIONS) -> str:
    """Return the label of an agent's traces: its name or file, the file's hash, and the city of its pictures."""
    city = "" if options.city is None else f",city={options.city}"  # its pictures are of another world
    return f"{checkpoint_name(file)}[{file_hash(file)}{city}]"


def file_hash(file: FilePath) -> str:
    """Return 8 hexadecimal digits that change with the file, so that a run is not resumed with another checkpoint.

    Args:
        file: The file, or the name of a pretrained agent.
    """
    return hashlib.sha256(existing_file(checkpoint_file(file), EXPECTED).read_bytes()).hexdigest()[:8]
