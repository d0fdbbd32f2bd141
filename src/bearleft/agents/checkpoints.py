"""Loading of checkpoints for agents, together with the backbone that they were trained with."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from bearleft.errors import InputError
from bearleft.runtime.store import existing_file
from bearleft.types import DataFolder

if TYPE_CHECKING:  # torch is imported when a checkpoint is loaded
    from bearleft.models.backbones.registry import Backbone

EXPECTED = "a checkpoint of a network that points"
FilePath = str | os.PathLike[str]


@dataclass(frozen=True)
class CheckpointOptions:
    """How an agent of a checkpoint gets its features."""

    device: str | None = None  # by default a GPU if there is one
    data: DataFolder = None
    pictures: Sequence[FilePath] = ()  # folders of albums
    backbone: FilePath | None = None  # the backbone's file, if its name alone does not find it
    store: FilePath | None = None  # folder of a feature store
    city: int | None = None  # seed of the city that is built on street graphs without buildings


DEFAULT_OPTIONS = CheckpointOptions()


class HasBackbone(Protocol):
    """What every checkpoint records about its backbone."""

    @property
    def backbone(self) -> str: ...

    @property
    def backbone_hash(self) -> str: ...


C = TypeVar("C", bound=HasBackbone)


@dataclass(frozen=True, eq=False)
class LoadedCheckpoint(Generic[C]):
    """A checkpoint on its device, its backbone, and the label of its traces."""

    checkpoint: C
    backbone: Backbone
    device: str
    label: str


def load_checkpoint(
    file: FilePath, load: Callable[[FilePath, str], C], options: CheckpointOptions
) -> LoadedCheckpoint[C]:
    """Load a checkpoint by `load`, and its backbone.

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
    city = "" if options.city is None else f",city={options.city}"  # its pictures are of another world
    return LoadedCheckpoint(checkpoint, backbone, device, f"{os.fspath(file)}[{file_hash(file)}{city}]")


def file_hash(file: FilePath) -> str:
    """Return 8 hexadecimal digits that change with the file, so that a run is not resumed with another checkpoint."""
    return hashlib.sha256(existing_file(file, EXPECTED).read_bytes()).hexdigest()[:8]
