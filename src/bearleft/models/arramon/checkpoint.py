"""Checkpoints of ArraMon's networks: weights, configuration, vocabulary, views and backbone in one file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from bearleft.models.arramon.network import ArraMonNetwork, ArraMonShape
from bearleft.models.arramon.registry import arramon_spec
from bearleft.models.checkpoint import ARRAMON, Device
from bearleft.models.network_checkpoint import NetworkCheckpoint, restore
from bearleft.models.pointing.spec import config_to_json
from bearleft.models.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class ArraMonCheckpoint(NetworkCheckpoint):
    """A network of ArraMon with everything that it needs to play."""

    kind: ClassVar[str] = ARRAMON
    network: ArraMonNetwork
    name: str
    config: Any  # the network's own Config
    vocabulary: Vocabulary
    backbone: str  # its name or file; empty if the network does not see
    backbone_hash: str
    view_size: int  # pixels
    training_info: dict[str, Any] = field(default_factory=dict)

    def metadata(self) -> dict[str, Any]:
        """Return everything but the weights, as plain values."""
        return {
            "network": self.name,
            "config": config_to_json(self.config),
            "vocabulary": list(self.vocabulary.words),
            "backbone": self.backbone,
            "backbone_hash": self.backbone_hash,
            "view_size": self.view_size,
            "training_info": dict(self.training_info),
        }

    @classmethod
    def from_content(cls, content: dict[str, Any], device: Device) -> ArraMonCheckpoint:
        """Return the checkpoint of a file's content."""
        name = str(content["network"])
        network, config = restore(arramon_spec(name), ArraMonShape, content, device)
        return cls(
            network,
            name,
            config,
            Vocabulary(tuple(content["vocabulary"])),
            str(content["backbone"]),
            str(content["backbone_hash"]),
            int(content["view_size"]),
            dict(content["training_info"]),
        )
