"""Checkpoints of walking networks: weights, configuration, tokenizer, slicing and backbone in one file."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from bearleft.models.checkpoint import WALK, Device
from bearleft.models.network_checkpoint import NetworkCheckpoint, restore
from bearleft.models.pointing.spec import config_to_json
from bearleft.models.subwords import Subwords
from bearleft.models.vocabulary import Vocabulary
from bearleft.models.walking.examples import Tokenizer
from bearleft.models.walking.network import WalkNetwork, WalkShape
from bearleft.models.walking.registry import walk_spec
from bearleft.world.slices import Slicing


@dataclass(frozen=True, eq=False)
class WalkCheckpoint(NetworkCheckpoint):
    """A walking network with everything that a walk needs."""

    kind: ClassVar[str] = WALK
    network: WalkNetwork
    name: str
    config: Any  # the network's own Config
    tokenizer: Tokenizer
    slicing: Slicing
    backbone: str  # its name or file; empty if the network reads no features
    backbone_hash: str
    cells_hash: str = ""  # of the cell encoder, if the network reads cells that it makes
    auto_turn: bool = True  # the rule of junctions that it was trained with
    training_info: dict[str, Any] = field(default_factory=dict)

    def metadata(self) -> dict[str, Any]:
        """Return everything but the weights, as plain values."""
        return {
            "network": self.name,
            "config": config_to_json(self.config),
            "tokenizer": tokenizer_to_json(self.tokenizer),
            "slicing": asdict(self.slicing),
            "backbone": self.backbone,
            "backbone_hash": self.backbone_hash,
            "cells_hash": self.cells_hash,
            "auto_turn": self.auto_turn,
            "training_info": dict(self.training_info),
        }

    @classmethod
    def from_content(cls, content: dict[str, Any], device: Device) -> WalkCheckpoint:
        """Return the checkpoint of a file's content."""
        name = str(content["network"])
        network, config = restore(walk_spec(name), WalkShape, content, device)
        return cls(
            network,
            name,
            config,
            tokenizer_from_json(content["tokenizer"]),
            Slicing(**content["slicing"]),
            str(content["backbone"]),
            str(content["backbone_hash"]),
            str(content["cells_hash"]),
            bool(content["auto_turn"]),
            dict(content["training_info"]),
        )


def tokenizer_to_json(tokenizer: Tokenizer) -> dict[str, Any]:
    """Return a tokenizer as plain values."""
    if isinstance(tokenizer, Subwords):
        return {"characters": list(tokenizer.characters), "merges": [list(pair) for pair in tokenizer.merges]}
    return {"words": list(tokenizer.words)}


def tokenizer_from_json(value: dict[str, Any]) -> Tokenizer:
    """Return the tokenizer of the output of `tokenizer_to_json`."""
    if "merges" in value:
        return Subwords(tuple(value["characters"]), tuple((left, right) for left, right in value["merges"]))
    return Vocabulary(tuple(value["words"]))
