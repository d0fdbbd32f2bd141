"""What checkpoints of networks share: one file with weights and plain values, read into evaluation mode."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Protocol, Self, TypeVar

from torch import nn

from bearleft.models.checkpoint import Device, fitting, read_checkpoint, write_checkpoint
from bearleft.models.pointing.spec import check_setting, make_dataclass

NetworkT = TypeVar("NetworkT", bound=nn.Module, covariant=True)


class BuildableSpec(Protocol[NetworkT]):
    """A network's name and how it is built."""

    def make_config(self, values: dict[str, Any]) -> Any:
        """Return the network's Config; names and types of values are checked."""

    def build(self, config: Any, seed: int | None) -> NetworkT:
        """Return a new network on the CPU."""


class NetworkCheckpoint(ABC):
    """A checkpoint: a frozen dataclass with a field `network`, and plain values."""

    kind: ClassVar[str]  # of the file
    network: nn.Module

    @abstractmethod
    def metadata(self) -> dict[str, Any]:
        """Return everything but the weights, as plain values."""

    @classmethod
    @abstractmethod
    def from_content(cls, content: dict[str, Any], device: Device) -> Self:
        """Return the checkpoint of a file's content; its network is in evaluation mode."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the checkpoint atomically."""
        weights = {name: value.detach().cpu() for name, value in self.network.state_dict().items()}
        write_checkpoint(path, {"kind": self.kind, **self.metadata(), "weights": weights})

    @classmethod
    def load(cls, path: str | os.PathLike[str], device: Device = "cpu") -> Self:
        """Read a checkpoint; its network is in evaluation mode.

        Raises:
            InputError: The file is missing, damaged, of another kind, or of a version that cannot be read.
        """
        content = read_checkpoint(path, device, cls.kind)
        with fitting(cls.kind, path):
            return cls.from_content(content, device)


def restore(
    spec: BuildableSpec[NetworkT], shape: Callable[..., Any], content: Mapping[str, Any], device: Device
) -> tuple[NetworkT, Any]:
    """Return the network of a checkpoint's content, in evaluation mode, and its Config.

    Args:
        spec: How the network is built.
        shape: The class of the Config's field `shape`.
        content: The content.
        device: Where the network is loaded.
    """
    values = dict(content["config"])
    sizes = make_dataclass(shape, values.pop("shape"), "shape", check_setting)
    config = spec.make_config({**values, "shape": sizes})
    network = spec.build(config, None)
    network.load_state_dict(content["weights"])
    return network.to(device).eval(), config
